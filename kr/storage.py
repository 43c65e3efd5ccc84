"""Files that are whole or absent, one writer an output, and where a file came from."""

import datetime
import fcntl
import hashlib
import json
import os
import platform
import secrets
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr.errors import InvalidSettingError, OutputBusyError

if TYPE_CHECKING:
    import numpy

PACKAGE = Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parent
DATA_KINDS = ("weights", "selfplay", "egdb")


def _remove_orphans(target: Path) -> None:
    """Remove what writers of this target left when they were killed."""
    for orphan in target.parent.glob(f".{_escaped(target.name)}.*.tmp"):
        pid = orphan.name.split(".")[-3]
        if pid.isdigit() and not _alive(int(pid)):
            orphan.unlink(missing_ok=True)


def _escaped(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check_output(target: str | Path) -> None:
    """Refuse what no file can be written in place of, a directory or a device, before the work is done.

    Raises InvalidSettingError.
    """
    if os.path.exists(target) and not os.path.isfile(target):
        what = "a directory" if os.path.isdir(target) else "no regular file"
        raise InvalidSettingError(f"{target} is {what}; give the name of a file to write")


@contextmanager
def atomic_path(target: str | Path) -> Iterator[Path]:
    """Yield a path beside `target` to write to; it becomes `target` when the block ends without an error.

    The file is synced to disk before the rename, so that a kill or a power cut at any moment leaves the old
    file or the new one. Missing parent directories are made. Raises OSError, and InvalidSettingError where `target`
    is a directory or a device.
    """
    check_output(target)
    # Through a link the file it points to is replaced, not the link.
    target = Path(os.path.realpath(target))
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_orphans(target)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
        _sync(temporary)
        os.replace(temporary, target)
        _sync(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def write_atomic(target: str | Path, content: bytes | str) -> None:
    """Write a whole small file (text as UTF-8), as `atomic_path` does."""
    with atomic_path(target) as path:
        path.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def lock(path: str | Path) -> Iterator[None]:
    """Hold the output `path` (a file or a directory, there or not yet) for this block alone.

    The lock goes with the process, however that ends. Raises OutputBusyError where another writer holds it.
    """
    path = Path(os.path.realpath(path))
    name = path / ".lock" if path.is_dir() else path.with_name(f".{path.name}.lock")
    name.parent.mkdir(parents=True, exist_ok=True)
    descriptor = _locked(name, path)
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield
    finally:
        # Unlinked while held: whoever opened the old file sees in _locked that the name has left it.
        with suppress(FileNotFoundError):
            os.unlink(name)
        os.close(descriptor)


def _locked(name: Path, path: Path) -> int:
    while True:
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), os.stat(name)):
                    return descriptor
        except BlockingIOError:
            pid = os.read(descriptor, 20).decode(errors="replace") or "unknown"
            os.close(descriptor)
            raise OutputBusyError(
                f"{path} is being written by another process ({pid}); wait for it or choose another output"
            ) from None
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _plain(value: Any) -> Any:
    """What json can't write: dataclasses as objects, all else as text."""
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else str(value)


def git_commit() -> str | None:
    """The commit of the checkout that kr runs from, "-dirty" added if files differ; None outside a checkout."""
    if not (CHECKOUT / ".git").exists():
        return None
    describe = ["git", "-C", str(CHECKOUT), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(describe, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def provenance(command: str | None = None, *, parents: Sequence[str] = (), **settings: Any) -> dict[str, str]:
    """Where an output comes from, as text attributes to store in it.

    `command`: the command line that repeats it (this process's own by default); `parents`: checksums or names of
    what it was made from; `settings`: every setting that shapes it. Returns `command`, `settings` (JSON),
    `parents` (JSON list), `kr`, `python`, `platform`, `created` (UTC), and `seed` and `commit` where there are.
    """
    from kr import __version__

    if command is None:
        program = Path(sys.argv[0]).name
        command = shlex.join(["kr" if program == "__main__.py" else program, *sys.argv[1:]])
    record = {
        "command": command,
        "settings": json.dumps(settings, default=_plain, sort_keys=True),
        "parents": json.dumps(list(parents)),
        "kr": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
    if "seed" in settings:
        record["seed"] = str(settings["seed"])
    if commit := git_commit():
        record["commit"] = commit
    return record


def checksum(*parts: "bytes | numpy.ndarray") -> str:
    """32 hex digits of the SHA-256 over the type, shape and content of each part, the same on every machine."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, bytes):
            digest.update(f"bytes({len(part)},)".encode())
            digest.update(part)
            continue
        import numpy

        array = numpy.ascontiguousarray(part, dtype=part.dtype.newbyteorder("<"))
        digest.update(f"{array.dtype.str}{part.shape}".encode())
        digest.update(array.reshape(-1).view(numpy.uint8).data)
    return digest.hexdigest()[:32]


def data_path(kind: str, name: str = "") -> Path:
    """Where shipped data stand: kind "weights" or "selfplay", `name` a file in it ("": the directory).

    A wheel carries them in kr/data, a checkout at its top. The file need not exist. Raises InvalidSettingError.
    """
    if kind not in DATA_KINDS:
        raise InvalidSettingError(f"no shipped data of kind {kind!r}; expected one of {', '.join(DATA_KINDS)}")
    installed = PACKAGE / "data" / kind
    return (installed if installed.is_dir() else CHECKOUT / kind) / name
