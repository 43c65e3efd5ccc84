"""Files that are whole or absent, one writer for each output, and provenance."""

import datetime
import errno
import hashlib
import json
import os
import platform
import secrets
import stat
import subprocess
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, is_dataclass
from functools import cache
from io import BufferedReader, FileIO
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from kr import system
from kr.errors import InvalidSettingError, OutputBusyError
from kr.text import printable

if TYPE_CHECKING:
    import numpy

PACKAGE = Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parent
DATA_KINDS = ("weights", "selfplay", "egdb", "books")
SHIPPED_WEIGHTS = ("kr.h5", "evolved.h5", "people.h5")


def remove_orphans(directory: Path, pattern: str) -> None:
    """Remove temporary files of killed writers of files with such names."""
    for orphan in directory.glob(f".{pattern}.*.tmp"):
        pid = orphan.name.split(".")[-3]
        if pid.isdigit() and not system.is_alive(int(pid)):
            _remove_temporary(orphan)


def _remove_temporary(path: Path) -> None:
    # on Windows a file that a library could not close stays until the next writer comes
    with suppress(PermissionError):
        path.unlink(missing_ok=True)


def _escaped(name: str) -> str:
    return "".join(f"[{character}]" if character in "*?[" else character for character in name)


def check_output(target: str | Path) -> None:
    """Check, before the work is done, that a file can be written to `target`: not to a directory or a device.

    Raises InvalidSettingError.
    """
    if os.path.exists(target) and not os.path.isfile(target):
        what = "a directory" if os.path.isdir(target) else "not a regular file"
        raise InvalidSettingError(f"{target} is {what}; give the name of a file to write")
    check_directory(Path(target).parent)


def check_apart(targets: Iterable[Path | None], sources: Iterable[str | Path]) -> None:
    """Check, before the work is done, that no file to write is one that is read, or is named twice.

    targets: None for those that are not wanted; sources: files, or other words. Raises InvalidSettingError.
    """
    read = {os.path.realpath(source) for source in sources if os.path.isfile(source)}
    named: set[str] = set()
    for target in filter(None, targets):
        file = os.path.realpath(target)
        if file in read:
            raise InvalidSettingError(f"{target} is read too; give the name of another file to write")
        if file in named:
            raise InvalidSettingError(f"{target} is named for two outputs; give each a file of its own")
        named.add(file)


def check_directory(path: str | Path) -> None:
    """Check, before the work is done, that a directory can be made: no file has its name or that of a parent.

    Raises InvalidSettingError.
    """
    there = next((each for each in (Path(path), *Path(path).parents) if os.path.exists(each)), None)
    if there is not None and not os.path.isdir(there):
        raise InvalidSettingError(f"{there} is not a directory; give another name")


def make_directory(path: str | Path) -> None:
    """Make a directory and its parents. Raises InvalidSettingError if a file is in the way, and OSError."""
    check_directory(path)
    Path(path).mkdir(parents=True, exist_ok=True)


def beside(target: Path, ending: str) -> Path:
    """The file of unfinished work on a file to write: its name with an ending. Raises InvalidSettingError as
    `check_output` does."""
    check_output(target)
    return target.with_name(target.name + ending)


@contextmanager
def _directory(path: Path) -> Iterator[None]:
    """A directory for this block, made with its parents; those of them that stay empty go again."""
    missing = [each for each in (path, *path.parents) if not each.exists()]
    make_directory(path)
    try:
        yield
    finally:
        for each in missing:
            # it has files
            with suppress(OSError):
                each.rmdir()


def can_write(path: Path) -> bool:
    """True if a file can be written, or made in a folder; found out by trying, which changes nothing.

    What os.access says of folders is always yes on Windows, and may be wrong on a network drive.
    """
    own = path / f".{os.getpid()}.{secrets.token_hex(4)}.tmp" if path.is_dir() else None
    try:
        os.close(os.open(own or path, os.O_RDWR | (os.O_CREAT | os.O_EXCL if own else 0)))
    except OSError:
        return False
    if own:
        # a virus scanner may hold it
        with suppress(OSError):
            own.unlink()
    return True


@contextmanager
def naming(path: str | Path, instead_of: str | Path | None = None) -> Iterator[None]:
    """Add the file name to errors of writing, which lack it on a full disk. instead_of: a name to replace."""
    try:
        yield
    except OSError as error:
        if error.errno and error.filename in (None, str(instead_of)):
            error.filename = str(path)
        raise


def as_path(given: str | os.PathLike[str]) -> Path:
    """The path that is meant. Raises InvalidSettingError for what is not one."""
    if not isinstance(given, str | os.PathLike) or given == "" or "\0" in os.fspath(given):
        raise InvalidSettingError(f"{given!r:.80} is not the name of a file; expected text or a Path")
    return Path(given)


def no_file(path: str | Path, expected: str = "") -> str:
    """The message about a file that is not there, or is of another kind, and what was expected."""
    is_there = os.path.exists(path)
    there = "a directory, not a file" if os.path.isdir(path) else "not a regular file" if is_there else "no such file"
    return f"{path}: {there}; expected {expected}" if expected else f"{path}: {there}"


def no_directory(path: str | Path, expected: str = "") -> str:
    """The same about a directory."""
    there = "a file, not a directory" if os.path.exists(path) else "no such directory"
    return f"{path}: {there}; expected {expected}" if expected else f"{path}: {there}"


def is_file(text: str) -> bool:
    """True if text, which may also be a FEN or a name, is the path of a file."""
    try:
        return Path(text).is_file()
    except OSError:  # too long for a path
        return False


def open_regular(path: str | Path) -> FileIO:
    """Open a regular file for unbuffered reading. Raises OSError, also for other kinds of files; never waits."""
    try:
        status = os.stat(path)
    except ValueError as error:
        # a zero byte, or not a character
        raise FileNotFoundError(errno.ENOENT, "not the name of a file", str(path)) from error
    _check_regular(status, path)
    # in case it has become a FIFO, which would be waited for
    file = FileIO(system.open_to_read(path), "rb")
    try:
        _check_regular(os.fstat(file.fileno()), path)
    except OSError:
        file.close()
        raise
    return file


def open_stream(path: str | Path) -> BufferedReader:
    """Open a regular file or a pipe for reading. Raises OSError, also for a device, which may never end."""
    return open(path, "rb") if stat.S_ISFIFO(os.stat(path).st_mode) else BufferedReader(open_regular(path))


def _check_regular(status: os.stat_result, path: str | Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        directory = stat.S_ISDIR(status.st_mode)
        raise OSError(errno.EISDIR if directory else errno.EINVAL, "not a regular file", str(path))


def read_regular(path: str | Path, most: int = 1 << 30) -> bytes:
    """Content of a regular file of at most `most` bytes. Raises OSError, also for other kinds and larger files."""
    with open_regular(path) as file:
        return read_open(file, path, most)


def read_open(file: FileIO, path: str | Path, most: int = 1 << 30) -> bytes:
    """Content of a file that has just been opened, of at most `most` bytes. Raises OSError, also for larger ones."""
    if os.fstat(file.fileno()).st_size > most:
        raise OSError(errno.EFBIG, f"larger than {most} bytes", str(path))
    return file.readall()


def is_written_elsewhere(file: FileIO) -> bool:
    """True if another program has locked an open file, as HDF5 does while it writes.

    The check takes a lock for a moment: make it only if something is wrong with the file already.
    """
    return system.is_locked(file.fileno())


@contextmanager
def open_to_append(path: str | Path) -> Iterator[FileIO]:
    """An unbuffered file to read and to `append` to, held as by `lock`. Raises also what `check_output` raises."""
    check_output(path)
    with lock(path), open(path, "a+b", buffering=0) as file:
        if not os.fstat(file.fileno()).st_size:
            with naming(path):
                system.flush_directory(Path(path).parent)
        yield file


def append(file: FileIO, content: bytes) -> None:
    """Append to an unbuffered file, new or not, and flush it to disk, all or nothing. Raises OSError."""
    end = os.fstat(file.fileno()).st_size
    try:
        with naming(file.name):
            while content:
                content = content[file.write(content) :]
            os.fsync(file.fileno())
    except BaseException:
        with suppress(OSError):
            file.truncate(end)
        raise


@contextmanager
def atomic_path(target: str | Path) -> Iterator[Path]:
    """Yield a path beside `target` to write to; it becomes `target` when the block ends without an error.

    The file is synced to disk before the rename, so that a kill or a power cut at any moment leaves the old
    file or the new one. Missing parent directories are made. Raises OSError, and InvalidSettingError if `target`
    is a directory or a device.
    """
    check_output(target)
    # Replace the target of a link, not the link.
    target = Path(os.path.realpath(target))
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
    with _directory(target.parent):
        remove_orphans(target.parent, _escaped(target.name))
        try:
            with naming(target, instead_of=temporary):
                yield temporary
                system.flush_file(temporary)
                system.replace_file(temporary, target)
                system.flush_directory(target.parent)
        finally:
            _remove_temporary(temporary)


def write_atomic(target: str | Path, content: bytes | memoryview | str) -> None:
    """Write a small file (text as UTF-8) in one go, as `atomic_path` does."""
    with atomic_path(target) as path:
        path.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def lock(path: str | Path) -> Iterator[None]:
    """Hold the output `path` (a file or a directory, which need not exist) exclusively for this block.

    The lock ends with the process, however that ends. Raises OutputBusyError if another writer holds it.
    """
    path = Path(os.path.realpath(path))
    name = _lock_name(path)
    with _directory(name.parent):
        descriptor = _locked(name, path)
        try:
            with naming(path):
                os.ftruncate(descriptor, 0)
                os.write(descriptor, str(os.getpid()).encode())
            yield
        finally:
            # _locked notices that a file opened earlier no longer has the name
            system.remove_held(name, descriptor)


@contextmanager
def lock_directory(path: str | Path) -> Iterator[None]:
    """`lock` a directory, which is made if it is missing, and goes again if it stays empty."""
    with _directory(Path(path)), lock(path):
        yield


def is_held(path: str | Path) -> bool:
    """True if a writer on this machine holds the output `path`.

    Takes no lock for which a writer gives up.
    """
    name = _lock_name(Path(os.path.realpath(path)))
    try:
        with open_regular(name) as file:
            pid = file.read(20)
        return pid.isdigit() and system.is_alive(int(pid)) and system.holds(int(pid), name)
    except OSError:
        return False


def _lock_name(path: Path) -> Path:
    return path / ".lock" if path.is_dir() else path.with_name(f".{path.name}.lock")


def _locked(name: Path, path: Path) -> int:
    while True:
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if not system.lock_file(descriptor):
                pid = os.read(descriptor, 20).decode(errors="replace") or "unknown"
                raise OutputBusyError(
                    f"{path} is being written by another process ({pid}); wait for it or choose another output"
                )
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), os.stat(name)):
                    return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _plain(value: Any) -> Any:
    """Value for json: dataclasses as objects, paths as every system reads them, everything else as text."""
    if isinstance(value, PurePath):
        return value.as_posix()
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else str(value)


def check_version(version: object, readable: Sequence[int]) -> str | None:
    """Complaint about the `format_version` of a file; None if it is one of the readable ones."""
    if type(version) is int and version in readable:
        return None
    *others, last = map(str, readable)
    reads = f"this kr reads {' and '.join(filter(None, (', '.join(others), last)))}"
    if type(version) is not int:
        kind = "missing" if version is None else f"{repr(version)[:40]}, not a whole number"
        return f"its format version is {kind}; {reads}"
    advice = "a newer kr wrote it" if version > max(readable) else "no kr wrote it"
    return f"format version {version}, {reads}: {advice}"


def parse_json(text: str | bytes) -> Any:
    """Value of a JSON text. Raises ValueError, also if it is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def inflated(content: bytes | memoryview, most: int) -> bytes:
    """What zlib has packed, of at most `most` bytes. Raises ValueError for more, and for what is damaged."""
    inflater = zlib.decompressobj()
    try:
        plain = inflater.decompress(content, most + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if len(plain) > most:
        raise ValueError(f"more than {most:,} bytes unpacked")
    if not inflater.eof or inflater.unused_data:
        raise ValueError("it ends too soon" if not inflater.eof else "bytes after its end")
    return plain


@contextmanager
def open_arrays(path: str | Path) -> Iterator[Any]:
    """The arrays of a file of numpy.savez, by name.

    Raises OSError, ValueError for a file that unpacks to more than it has, and what numpy and zipfile raise for a
    damaged one.
    """
    import numpy

    with open_regular(path) as opened, numpy.load(opened) as file:
        # savez packs nothing, and entries may share bytes
        if sum(each.file_size for each in file.zip.infolist()) > os.fstat(opened.fileno()).st_size:
            raise ValueError("it unpacks to more than it has")
        yield file


@cache
def git_commit() -> str | None:
    """Commit of the checkout that kr runs from, with "-dirty" added if files differ; None outside a checkout.

    It is asked for once: what changes later is not what this process has loaded.
    """
    if not (CHECKOUT / ".git").exists():
        return None
    describe = ["git", "-C", str(CHECKOUT), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        result = subprocess.run(describe, capture_output=True, text=True, timeout=20, check=True, **system.NO_WINDOW)
    except (OSError, subprocess.SubprocessError):
        return None
    return result.stdout.strip()


def provenance(command: str | None = None, *, parents: Sequence[str] = (), **settings: Any) -> dict[str, str]:
    """Provenance of an output, as text attributes to store in it.

    command: the command line that repeats it (by default that of this process); parents: checksums or names of the
    inputs; settings: every setting that shapes the output. Returns `command`, `settings` (JSON), `parents` (JSON
    list), `kr`, `python`, `platform`, `created` (UTC), and if known `seed` and `commit`.
    """
    from kr import __version__

    if command is None:
        program = Path(sys.argv[0]).name.removesuffix(".exe")
        command = system.join_command(["kr" if program == "__main__.py" else program, *sys.argv[1:]])
    record = {
        "command": printable(command),
        "settings": json.dumps(settings, default=_plain, sort_keys=True),
        "parents": json.dumps(list(parents)),
        "kr": __version__,
        "python": platform.python_version(),
        # no more of the machine than what numbers may depend on
        "platform": f"{platform.system()} {platform.machine()}",
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
    if "seed" in settings:
        record["seed"] = str(settings["seed"])
    if commit := git_commit():
        record["commit"] = commit
    return record


def checksum(*parts: "bytes | numpy.ndarray") -> str:
    """First 32 hex digits of the SHA-256 of type, shape and content of each part, the same on every machine."""
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
    """Path of shipped data. kind: one of DATA_KINDS; name: a file of that kind, "" for the directory.

    A wheel has them in kr/data, a checkout at its top. The file need not exist. Raises InvalidSettingError.
    """
    if kind not in DATA_KINDS:
        raise InvalidSettingError(f"unknown kind of shipped data {kind!r}; expected one of {', '.join(DATA_KINDS)}")
    installed = PACKAGE / "data" / kind
    return (installed if installed.is_dir() else CHECKOUT / kind) / name


def is_shipped(path: str | Path) -> bool:
    """True for a file that comes with kr: as trusted as kr itself."""
    real_path = Path(os.path.realpath(path))
    return real_path.name in SHIPPED_WEIGHTS and real_path.parent == Path(os.path.realpath(data_path("weights")))
