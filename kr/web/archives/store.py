"""Archives that pages send: files in the user's data folder, some until the server ends, others for the next one too.

    archives/DIGEST/NAME.pdn.xz             to stay, with its index beside it
    archives/.server-XXXX/DIGEST/NAME       until the server ends, which holds the lock of that folder
    archives/.server-XXXX/ID.part           on its way

DIGEST is the beginning of the SHA-256 of the file, so that a file sent twice is one archive. What killed servers left
is removed by the next one.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import shutil
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kr.archives.index_build import INDEX_SUFFIX
from kr.egdb.database import default_directory
from kr.errors import InvalidSettingError
from kr.language.sentences import Size, sentence
from kr.storage import is_held, lock, make_directory
from kr.system import flush_directory, flush_file, replace_file
from kr.text import safe_name

LARGEST_ARCHIVE = 512 << 20
"""Bytes of a file."""
MOST_STORE_BYTES = 4 << 30
"""Bytes of all files and their indexes."""
SPARE_BYTES = 256 << 20
"""Bytes that stay free on the disk."""
MOST_ARCHIVES = 40
MOST_UPLOADS_AT_ONCE = 3
"""Files on their way at a time."""
UPLOAD_SECONDS = 60.0
"""Time after which an upload without news makes room for another."""

_DIGEST = re.compile(r"[0-9a-f]{16}")
_SERVER = ".server-"


@dataclass
class Upload:
    """A file on its way."""

    name: str
    size: int
    path: Path
    digest: Any = field(default_factory=hashlib.sha256)
    arrived: int = 0
    at: float = 0.0


class ArchiveStore:
    """Archives that were sent to the servers of this user; several threads may use it."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_directory().parent / "archives"
        self._own: Path | None = None
        self._lock = threading.Lock()
        self._uploads: dict[str, Upload] = {}
        self._stack = ExitStack()

    def lasting(self) -> list[Path]:
        """Archives that stay, by name."""
        return sorted(_archives(self.folder), key=lambda path: (path.name.lower(), path))

    def is_lasting(self, path: Path) -> bool:
        """True for an archive that stays."""
        return path.parent.parent == self.folder

    def begin(self, name: str, size: int) -> str:
        """Announce a file, and return the name of its upload. Raises InvalidSettingError, and OSError."""
        if size > LARGEST_ARCHIVE:
            most = LARGEST_ARCHIVE >> 20
            raise InvalidSettingError(sentence("refused.large_archive", name=name[:200], size=Size(size), most=most))
        if size < 1:
            raise InvalidSettingError(sentence("refused.empty_archive", name=name[:200]))
        with self._lock:
            self._forget_silent()
            if len(self._uploads) >= MOST_UPLOADS_AT_ONCE:
                raise InvalidSettingError(sentence("refused.uploads", count=len(self._uploads)))
            if len(_archives(self.folder)) + len(_archives(self._own)) >= MOST_ARCHIVES:
                raise InvalidSettingError(sentence("refused.archives", count=MOST_ARCHIVES))
            on_the_way = sum(each.size - each.arrived for each in self._uploads.values())
            self.check_room(size + on_the_way)
            id, path = secrets.token_urlsafe(12), self._folder() / f"{secrets.token_hex(8)}.part"
            path.touch(0o600)
            self._uploads[id] = Upload(_archive_name(name), size, path, at=time.monotonic())
            return id

    def extend(self, id: str, start: int, piece: bytes) -> None:
        """Add the piece of a file that begins at `start`; one that has come before is ignored.

        Raises InvalidSettingError, and OSError.
        """
        with self._lock:
            upload = self._uploads.get(id)
            if upload is None:
                raise InvalidSettingError(sentence("refused.upload_gone"))
            if start + len(piece) <= upload.arrived:
                return
            if start != upload.arrived or start + len(piece) > upload.size:
                self._drop(id)
                raise InvalidSettingError(sentence("refused.upload_changed", name=upload.name))
            if not start and not _may_be_text(piece):
                self._drop(id)
                raise InvalidSettingError(sentence("refused.not_text", name=upload.name))
            try:
                with upload.path.open("ab") as file:
                    file.write(piece)
            except OSError:
                self._drop(id)
                raise
            upload.digest.update(piece)
            upload.arrived += len(piece)
            upload.at = time.monotonic()

    def finish(self, id: str) -> Path:
        """The archive of an upload that has arrived, or the one with the same content that was there already.

        Raises InvalidSettingError, and OSError.
        """
        with self._lock:
            upload = self._uploads.get(id)
            if upload is None or upload.arrived < upload.size:
                raise InvalidSettingError(sentence("refused.upload_cut"))
            digest = upload.digest.hexdigest()[:16]
            for folder in (self.folder, self._folder()):
                if there := next((path for path in _archives(folder) if path.parent.name == digest), None):
                    self._drop(id)
                    return there
            path = self._folder() / digest / upload.name
            make_directory(path.parent)
            flush_file(upload.path)
            replace_file(upload.path, path)
            del self._uploads[id]
            return path

    def cancel(self, id: str) -> None:
        """Forget an upload."""
        with self._lock:
            self._drop(id)

    def make_lasting(self, path: Path) -> Path:
        """Have an archive stay, with its index. Raises OSError."""
        with self._lock:
            if self.is_lasting(path):
                return path
            to = self.folder / path.parent.name
            there = [each for each in _archives(self.folder) if each.parent == to]
            if there:
                return there[0]
            # what a server that was killed while it removed the archive has left of it
            shutil.rmtree(to, ignore_errors=True)
            replace_file(path.parent, to)
            flush_directory(self.folder)
            return to / path.name

    def remove(self, path: Path) -> None:
        """Remove an archive and its index. Raises OSError."""
        with self._lock:
            if path.parent.parent not in (self.folder, self._own):
                raise InvalidSettingError(sentence("refused.not_added", name=path.name))
            if path.parent.exists():
                shutil.rmtree(path.parent)

    def check_room(self, size: int) -> None:
        """Raise InvalidSettingError if there is no room for some bytes more."""
        there = next(each for each in (self.folder, *self.folder.parents) if each.exists())
        used = _size(self.folder)
        if used + size > MOST_STORE_BYTES:
            taken, most = Size(used), Size(MOST_STORE_BYTES)
            raise InvalidSettingError(sentence("refused.archives_full", folder=str(self.folder), size=taken, most=most))
        if shutil.disk_usage(there).free < size + SPARE_BYTES:
            raise InvalidSettingError(sentence("refused.disk_full", folder=str(self.folder)))

    def close(self) -> None:
        """Remove what was to stay until the server ends."""
        with self._lock:
            self._uploads.clear()
            # before what it locks, since Windows removes no open file
            self._stack.close()
            if self._own is not None:
                shutil.rmtree(self._own, ignore_errors=True)
                self._own = None

    # with the lock held

    def _folder(self) -> Path:
        """The folder of this server, made at its first use; what killed servers left is removed."""
        if self._own is None:
            make_directory(self.folder)
            for old in self.folder.glob(f"{_SERVER}*"):
                if old.is_dir() and not is_held(old):
                    shutil.rmtree(old, ignore_errors=True)
            own = self.folder / f"{_SERVER}{secrets.token_hex(4)}"
            own.mkdir(0o700)
            self._stack.enter_context(lock(own))
            self._own = own
        return self._own

    def _forget_silent(self) -> None:
        before = time.monotonic() - UPLOAD_SECONDS
        for id in [id for id, upload in self._uploads.items() if upload.at < before]:
            self._drop(id)

    def _drop(self, id: str) -> None:
        upload = self._uploads.pop(id, None)
        if upload is not None:
            upload.path.unlink(missing_ok=True)


def _archive_name(text: str) -> str:
    # an archive with the name of an index would be taken for one
    return safe_name(text, "archive.pdn").replace(INDEX_SUFFIX, INDEX_SUFFIX.replace(".", "_"))


def _archives(folder: Path | None) -> list[Path]:
    """The archives in a folder."""
    if folder is None or not folder.is_dir():
        return []
    return [
        file
        for each in folder.iterdir()
        if _DIGEST.fullmatch(each.name) and each.is_dir() and not each.is_symlink()
        for file in sorted(each.iterdir())[:9]
        if file.is_file() and not file.name.startswith(".") and INDEX_SUFFIX not in file.name
    ]


def _size(folder: Path) -> int:
    size = 0
    for file in folder.rglob("*"):
        # another server may remove it meanwhile
        with suppress(OSError):
            size += file.lstat().st_size
    return size


def _may_be_text(piece: bytes) -> bool:
    """True for the beginning of a packed file or of a text."""
    packed = piece.startswith((b"\x1f\x8b", b"\xfd7zXZ\x00", b"BZh"))
    return packed or piece.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\x00" not in piece[:4096]
