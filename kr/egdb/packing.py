"""`kr egdb pack` and `kr egdb unpack`: a database as one file, so that it can be given to others.

docs/reference/egdb-format.md describes the file: a header with name, size and SHA-256 of each file, then the files.
The header comes first, so that a copy that was cut short still gives the files that are whole in it. Nothing but the
files shapes it: the same database gives the same packed file.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from kr import storage, system
from kr.egdb import files, slices
from kr.egdb.database import default_directory, directory_for
from kr.egdb.pack_file import (
    PackContents,
    PackedFile,
    PiecesPacked,
    by_pieces,
    contents_of,
    read_contents,
    slice_files,
)
from kr.errors import InvalidDatabaseError, InvalidSettingError
from kr.settings import REQUIRED, Settings, option
from kr.units import counted

UNPACKING_FOLDER = ".unpacking"
"""Folder of a directory for files that have not been checked yet; a killed run leaves it to the next one."""
COPIED_AT_ONCE = 1 << 20
"""Bytes read and written at a time."""

OnBytes = Callable[[str, int, int], None]
"""Called with the stage, bytes done and bytes in all."""


@dataclass(frozen=True)
class PackSettings(Settings):
    """The database to pack, and the file to write."""

    out: Path = option(REQUIRED, "File to write; by custom its name ends in .kregdb.")
    dir: Path | None = option(None, "Directory of the database.  [default: the one that kr uses in play]")
    pieces: int = option(
        0, "Most pieces of the positions: {allowed}.", low=2, high=slices.EGDB_MAX_PIECES, zero="the whole database"
    )
    distances: bool = option(True, "Pack the distances to win along with the values.")


@dataclass(frozen=True)
class UnpackSettings(Settings):
    """The packed database, and the directory for its files."""

    file: Path = option(REQUIRED, "File that `kr egdb pack` wrote.", argument=True, metavar="FILE")
    dir: Path | None = option(
        None, "Directory for the database, where an earlier run is resumed.  [default: in the user's data directory]"
    )


@dataclass(frozen=True)
class Packed:
    """A packed database that was written."""

    directory: Path
    """Where the database is."""
    out: Path
    files: int
    bytes: int
    """Size of the packed file."""
    checksum: str
    """SHA-256 that stands in its header."""
    contents: dict[int, PiecesPacked]
    """By number of pieces."""
    earlier: int
    """Bytes that an earlier run had written."""
    seconds: float


@dataclass(frozen=True)
class Unpacked:
    """Result of unpacking."""

    file: Path
    directory: Path
    files: int
    """Files of the packed database."""
    kept: int
    """Those that the directory had already."""
    written: int
    bytes: int
    """Size of those written."""
    missing: list[str]
    """Those that are not whole in the packed file, which is cut short, and not in the directory either."""
    damaged: list[str]
    """Those whose content in the packed file is not sound; they were not written."""
    problem: str
    """What is missing or damaged, in one line; empty if all files are in the directory now."""
    checksum: str
    """SHA-256 that stands in the header of the packed file."""
    contents: dict[int, PiecesPacked]
    """All files of the packed database, by number of pieces."""
    seconds: float


def _blocks(file: FileIO, size: int, path: Path) -> Iterator[bytes]:
    """The next `size` bytes of a file, or what there is. Raises OSError, which names the path."""
    while size:
        with storage.naming(path):
            block = file.read(min(size, COPIED_AT_ONCE))
        if not block:
            return
        size -= len(block)
        yield block


def _digest(file: FileIO, size: int, path: Path, on_bytes: Callable[[int], None]) -> str:
    """SHA-256 of the next `size` bytes of a file, or of what there is."""
    digest = hashlib.sha256()
    for block in _blocks(file, size, path):
        digest.update(block)
        on_bytes(len(block))
    return digest.hexdigest()


class _Meter:
    """Bytes of one stage of the work, as they are done."""

    def __init__(self, on_progress: OnBytes | None, stage: str, total: int, count: int = 0) -> None:
        self.on_progress, self.stage, self.total, self.count = on_progress, stage, total, count
        self.add(0)

    def add(self, count: int) -> None:
        self.count += count
        if self.on_progress is not None:
            self.on_progress(self.stage, self.count, self.total)


def _check_space(path: Path, need: int, option: str) -> None:
    """Check that the disk of a file to write, or of a directory, has room. Raises InvalidSettingError."""
    free = shutil.disk_usage(path if path.is_dir() else path.parent).free
    if need > free:
        raise InvalidSettingError(
            f"{path}: this needs {counted(need, 'byte')} of disk space, {free:,} are free; choose another {option}"
        )


# Packing


def pack_database(settings: PackSettings, on_progress: OnBytes | None = None) -> Packed:
    """Write the files of a database into one file.

    All of them are checked first. What is written stands in `out` + ".part" until it is whole; the same call resumes
    there. Raises InvalidDatabaseError if there is no database, or a file of it is damaged; InvalidSettingError if it
    has fewer pieces than the settings or the disk too little space; OutputBusyError; and OSError.
    """
    began = time.monotonic()
    storage.check_output(settings.out)
    out = Path(os.path.realpath(settings.out))
    if out.name.lower() in slice_files():
        raise InvalidSettingError(f"out: {settings.out} is the name of a file of a database; choose another name")
    directory = directory_for(settings.dir)
    sources = _sources(directory, settings)
    contents = _checked(sources, on_progress)
    with storage.lock(out):
        earlier = _write_pack(out, sources, contents, on_progress)
    return Packed(
        directory=directory,
        out=settings.out,
        files=len(contents.files),
        bytes=contents.size,
        checksum=contents.checksum,
        contents=by_pieces(contents.files),
        earlier=earlier,
        seconds=time.monotonic() - began,
    )


def _sources(directory: Path, settings: PackSettings) -> list[Path]:
    """The files to pack: values before distances, and the fewest pieces first, so that a part is of the most use."""
    present = files.listing(directory)
    if present.complete("wld") < 2:
        raise files.no_database(directory)
    most = max(map(slices.pieces, present.paths["wld"]))
    if settings.pieces > most:
        raise InvalidSettingError(f"pieces: {settings.pieces}, but {directory} has files of at most {most} pieces")
    return [
        path
        for kind in (files.FILE_KINDS if settings.distances else files.FILE_KINDS[:1])
        for pair, path in present.paths[kind].items()
        if slices.pieces(pair) <= (settings.pieces or most)
    ]


def _checked(sources: Sequence[Path], on_progress: OnBytes | None) -> PackContents:
    """Contents of a packed database of files, each of which is sound. Raises InvalidDatabaseError."""
    meter = _Meter(on_progress, "checking", sum(path.stat().st_size for path in sources))
    entries = []
    for path in sources:
        files.open_slice(path).check()
        with storage.open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            entries.append(PackedFile(path.name, size, _digest(file, size, path, meter.add)))
    return contents_of(entries)


def _write_pack(out: Path, sources: Sequence[Path], contents: PackContents, on_progress: OnBytes | None) -> int:
    """Write a packed file as far as it isn't there. Returns the bytes that were there."""
    if _sound_bytes(out, contents, on_progress) == contents.size == out.stat().st_size:
        return contents.size
    part = out.with_name(f"{out.name}.part")
    storage.check_output(part)
    earlier = _sound_bytes(part, contents, on_progress)
    _check_space(out, contents.size - earlier, "--out")
    meter = _Meter(on_progress, "packing", contents.size, earlier)
    with storage.naming(out, instead_of=part):
        with open(part, "r+b" if earlier else "wb") as file:
            file.truncate(earlier)
            file.seek(earlier)
            if not earlier:
                file.write(contents.start)
                meter.add(len(contents.start))
            for path, (each, begin) in zip(sources, contents.places(), strict=True):
                if begin >= earlier:
                    _copy_in(path, each, file.write, meter.add)
        system.flush_file(part)
        system.replace_file(part, out)
        system.flush_directory(out.parent)
    return earlier


def _sound_bytes(path: Path, contents: PackContents, on_progress: OnBytes | None) -> int:
    """Bytes at the start of a packed file that are those of these contents: the header and all files before damage."""
    try:
        file = storage.open_regular(path)
    except OSError:
        return 0
    with file:
        sound = len(contents.start)
        if file.read(sound) != contents.start:
            return 0
        meter = _Meter(on_progress, f"comparing {path.name}", contents.size, sound)
        for each in contents.files:
            if _digest(file, each.bytes, path, meter.add) != each.sha256:
                break
            sound += each.bytes
    return sound


def _copy_in(path: Path, packed: PackedFile, write: Callable[[bytes], object], on_bytes: Callable[[int], None]) -> None:
    digest = hashlib.sha256()
    with storage.open_regular(path) as file:
        # one byte more, so that a file that has grown is noticed
        for block in _blocks(file, packed.bytes + 1, path):
            digest.update(block)
            write(block)
            on_bytes(len(block))
    if digest.hexdigest() != packed.sha256:
        raise InvalidDatabaseError(f"{path}: changed while it was packed; run the same command again")


# Unpacking


def unpack_database(settings: UnpackSettings, on_progress: OnBytes | None = None) -> Unpacked:
    """Write the files of a packed database that a directory lacks.

    Each is checked before it gets its name. Files that are damaged, or missing because the packed one is cut short, are
    left out and are part of the result. Raises InvalidDatabaseError if the packed file is not one, its header is
    damaged, or the directory has a different file of one of the names; InvalidSettingError if the disk has too little
    space; OutputBusyError if another process writes to the directory; and OSError.
    """
    with storage.open_regular(settings.file) as file:
        contents = read_contents(settings.file, file)
        directory = settings.dir or default_directory()
        with storage.lock_directory(directory):
            return _Unpacker(settings.file, file, contents, directory, on_progress).run()


class _Unpacker:
    """One run of unpacking, which holds the directory."""

    def __init__(
        self, path: Path, file: FileIO, contents: PackContents, directory: Path, on_progress: OnBytes | None
    ) -> None:
        self.path, self.file, self.contents, self.directory = path, file, contents, directory
        self.on_progress = on_progress
        self.size = os.fstat(file.fileno()).st_size
        self.folder = directory / UNPACKING_FOLDER

    def run(self) -> Unpacked:
        began = time.monotonic()
        kept = self._kept()
        lacking = [(each, begin) for each, begin in self.contents.places() if each.name not in kept]
        whole = [(each, begin) for each, begin in lacking if begin + each.bytes <= self.size]
        damaged = self._write(whole)
        written = [each for each, _ in whole if each.name not in damaged]
        missing = [each.name for each, begin in lacking if begin + each.bytes > self.size]
        return Unpacked(
            file=self.path,
            directory=self.directory,
            files=len(self.contents.files),
            kept=len(kept),
            written=len(written),
            bytes=sum(each.bytes for each in written),
            missing=missing,
            damaged=list(damaged),
            problem=self._problem(missing, damaged),
            checksum=self.contents.checksum,
            contents=by_pieces(self.contents.files),
            seconds=time.monotonic() - began,
        )

    def _kept(self) -> set[str]:
        """Names of the files that are there already. Raises InvalidDatabaseError if any of them differs."""
        there = [each for each in self.contents.files if os.path.lexists(self.directory / each.name)]
        meter = _Meter(self.on_progress, "comparing", sum(each.bytes for each in there))
        kept, other = set(), []
        for each in there:
            path = self.directory / each.name
            with storage.open_regular(path) as file:
                same = os.fstat(file.fileno()).st_size == each.bytes
                same = same and _digest(file, each.bytes, path, meter.add) == each.sha256
            if same:
                kept.add(each.name)
            else:
                other.append(path)
        if other:
            more = f" (and {counted(len(other) - 1, 'other file')} too)" if other[1:] else ""
            raise InvalidDatabaseError(
                f"{other[0]}: differs from the file of this name in {self.path}{more}; "
                "choose another --dir, or remove what differs"
            )
        return kept

    def _write(self, places: Sequence[tuple[PackedFile, int]]) -> dict[str, str]:
        """Write files of the packed one. Returns what is wrong with those that are damaged, by name."""
        # left by a killed run
        shutil.rmtree(self.folder, ignore_errors=True)
        need = sum(each.bytes for each, _ in places)
        _check_space(self.directory, need, "--dir")
        meter = _Meter(self.on_progress, "unpacking", need)
        damaged = {}
        try:
            with storage.naming(self.directory):
                for each, begin in places:
                    self.folder.mkdir(exist_ok=True)
                    temporary = self.folder / each.name
                    if wrong := self._copy_out(each, begin, temporary, meter.add):
                        damaged[each.name] = wrong
                        temporary.unlink()
                    else:
                        system.flush_file(temporary)
                        system.replace_file(temporary, self.directory / each.name)
                system.flush_directory(self.directory)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
        return damaged

    def _copy_out(self, packed: PackedFile, begin: int, temporary: Path, on_bytes: Callable[[int], None]) -> str:
        """Write a file, and check it. Returns what is wrong with it, empty if nothing."""
        digest = hashlib.sha256()
        self.file.seek(begin)
        with open(temporary, "wb") as file:
            for block in _blocks(self.file, packed.bytes, self.path):
                digest.update(block)
                file.write(block)
                on_bytes(len(block))
        if digest.hexdigest() != packed.sha256:
            return "does not match its checksum"
        try:
            # whoever packed it may not have checked it
            files.open_slice(temporary).check()
        except InvalidDatabaseError:
            return "is not a sound file of a database"
        return ""

    def _problem(self, missing: Sequence[str], damaged: Mapping[str, str]) -> str:
        """What keeps the directory from having all files, in one line."""
        parts = []
        if damaged:
            name, wrong = next(iter(damaged.items()))
            parts.append(f"damaged: {name} ({wrong}){_and_others(damaged)}")
        if missing:
            lack = f"{missing[0]}{_and_others(missing)} {'is' if len(missing) == 1 else 'are'} missing"
            parts.append(f"cut short after {self.size:,} of {self.contents.size:,} bytes: {lack}")
        return f"{self.path}: {'; '.join(parts)}; run the same command with a sound copy to resume" if parts else ""


def _and_others(names: Collection[str]) -> str:
    return f" and {counted(len(names) - 1, 'other file')}" if len(names) > 1 else ""
