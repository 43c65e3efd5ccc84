"""A worker's store: files by the SHA-256 of their content, in a directory that all workers of a machine share.

    files/ab/abcdef...      the content of each file
    places/HASH/NAME        the same files under their names, as hard links: one parcel's file or directory

Files are written beside their place and renamed, so that workers may write the same one at the same time; none takes
away what another may be reading. When a file
would make the store larger than its limit, those not used for longest go first.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import threading
import uuid
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from kr import system
from kr.errors import InvalidSettingError
from kr.units import parse_size

PLACE_VARIABLE = "KR_STORE"
"""Environment variable: the directory, instead of kr/store in the user's cache."""
LIMIT_VARIABLE = "KR_STORE_SIZE"
"""Environment variable: the most bytes of files, such as 20GB."""
DEFAULT_LIMIT = 50_000_000_000
COPY_BYTES = 1 << 22
ParcelFiles = Sequence[tuple[str, str, int]]
"""Name, SHA-256 and size of each file of a parcel."""
_pruning = threading.Lock()


class Store:
    """The store in a directory. Raises OSError, naming the file."""

    def __init__(self, root: Path, limit: int = DEFAULT_LIMIT) -> None:
        self.root = root
        self._limit = limit

    @classmethod
    def of_environment(cls) -> Store:
        """The store that the environment names, or the one in the user's cache."""
        root = Path(os.environ.get(PLACE_VARIABLE) or system.cache_folder() / "store")
        limit = os.environ.get(LIMIT_VARIABLE)
        try:
            return cls(root, parse_size(limit) if limit else DEFAULT_LIMIT)
        except InvalidSettingError as error:
            raise InvalidSettingError(f"{LIMIT_VARIABLE}: {error}") from None

    def path(self, digest: str) -> Path:
        """Path of a file, which may be missing."""
        if not re.fullmatch("[0-9a-f]{64}", digest):
            raise ValueError(f"{digest!r:.80} is not a SHA-256")
        return self.root / "files" / digest[:2] / digest

    def missing(self, digests: Iterable[str]) -> list[str]:
        """The files that are not here; the others are marked as used."""
        return [digest for digest in digests if not _used(self.path(digest))]

    def add(self, digest: str, blocks: Iterable[bytes | memoryview], size: int) -> None:
        """Write a file of `size` bytes. Raises ValueError if its content is another one."""
        target = self.path(digest)
        if _used(target):
            return
        self._prune(size)
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{uuid.uuid4().hex}.tmp")
        content = hashlib.sha256()
        try:
            with open(temporary, "wb") as file:
                for block in blocks:
                    content.update(block)
                    file.write(block)
            if content.hexdigest() != digest:
                raise ValueError(f"a file was damaged on its way: {content.hexdigest()} instead of {digest}")
            _rename(temporary, target)
        except OSError as error:
            # a write to a full disk names no file
            error.filename = error.filename or str(self.root)
            raise
        finally:
            temporary.unlink(missing_ok=True)

    def add_file(self, path: Path, digest: str) -> None:
        """Copy a file of this machine."""
        with open(path, "rb") as file:
            self.add(digest, iter(lambda: file.read(COPY_BYTES), b""), path.stat().st_size)

    def directory(self, listing: ParcelFiles) -> Path:
        """A directory with these files under their names. All of them must be here."""
        identity = hashlib.sha256(repr([(name, digest) for name, digest, _ in listing]).encode()).hexdigest()
        place = self.root / "places" / identity
        new = [(name, self.path(digest)) for name, digest, _ in listing if not _used(place / name)]
        for _, file in new:
            # before there is anything of the directory
            file.stat()
        place.mkdir(parents=True, exist_ok=True)
        for name, file in new:
            _link(file, place / name)
        for _, digest, _ in listing:
            _used(self.path(digest))
        return place

    def sizes(self) -> dict[Path, os.stat_result]:
        """Files of the store."""
        sizes = {}
        # os.walk passes over directories that another worker removes meanwhile
        for directory, _, names in os.walk(self.root / "files"):
            for name in names:
                path = Path(directory, name)
                try:
                    sizes[path] = path.stat()
                except FileNotFoundError:
                    continue
        return sizes

    def clear(self) -> int:
        """Remove all files; returns their bytes."""
        freed = sum(status.st_size for status in self.sizes().values())
        for name in ("places", "files"):
            shutil.rmtree(self.root / name, ignore_errors=True)
        return freed

    def _prune(self, coming: int) -> None:
        """Remove the files that were not used for longest, until `coming` bytes more are within the limit."""
        with _pruning:
            files = self.sizes()
            size = coming + sum(status.st_size for status in files.values())
            gone: dict[int, float] = {}
            for path, status in sorted(files.items(), key=lambda each: each[1].st_mtime):
                if size <= self._limit:
                    break
                try:
                    path.unlink(missing_ok=True)
                except PermissionError:  # Windows keeps a file that is open
                    continue
                gone[status.st_ino] = status.st_mtime
                size -= status.st_size
            if gone:
                self._remove_places(gone)

    def _remove_places(self, gone: Mapping[int, float]) -> None:
        """Remove directories that still have one of these inodes, which keeps it on the disk, or copies that were not
        used after the last of them. gone: time of the last use of each.

        Others stay: another process may be about to read them.
        """
        latest = max(gone.values())
        places = next(os.walk(self.root / "places"), ("", [], []))[1]
        for place in (self.root / "places" / name for name in places):
            try:
                statuses = [path.stat() for path in place.rglob("*") if path.is_file()]
            except OSError:  # removed meanwhile
                continue
            copies = [status.st_mtime for status in statuses if status.st_nlink == 1]
            if any(status.st_ino in gone for status in statuses) or (copies and min(copies) <= latest):
                shutil.rmtree(place, ignore_errors=True)


def _used(path: Path) -> bool:
    """True if a file is there, which is marked as used."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    except OSError:
        return path.exists()
    return True


def _link(source: Path, target: Path) -> None:
    """Give a file a second name, unless another worker was faster; a copy has it where the file system has no links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except FileExistsError:
        return
    except FileNotFoundError:
        raise
    except OSError:
        temporary = target.with_name(f".{uuid.uuid4().hex}.tmp")
        try:
            shutil.copyfile(source, temporary)
            _rename(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)


def _rename(temporary: Path, target: Path) -> None:
    """Give a file its name. Another worker may have been faster, and its file, which has the same content, be open."""
    try:
        system.replace_file(temporary, target)
    except PermissionError:
        if not target.exists():
            raise


def digest_of(path: Path) -> str:
    """SHA-256 of a file, read once unless it changes."""
    status = path.stat()
    return _digest(str(path.absolute()), status.st_size, status.st_mtime_ns, status.st_ino)


@lru_cache(4096)
def _digest(path: str, size: int, time: int, number: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
