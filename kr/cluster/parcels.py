"""Parcels: the text by which a kind of work loads a dependency, and the files it names, to be sent by checksum.

    {"text": ["evolved:", 0, ",generation=9"], "places": [[["champions.h5", SHA-256, size]]], "single": [true]}

A number in the text stands for a place: a file, or a directory with its files. On the worker the text is whole again,
with the paths of its own store. Texts that name nothing on the disk travel as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kr.cluster.store import Store, digest_of
from kr.errors import InvalidSettingError, MissingNeedError
from kr.jobs.needs import Needs
from kr.text import portable_name
from kr.units import counted

MOST_FILES = 10_000
EGDB_NEEDS = ("egdb", "referee")
"""Name of the need of a database."""
FOREIGN = "hub:"
"""Engines of others: they must be installed on the workers, under the same name."""
Parcel = dict[str, Any]


class ParcelNeeds(Needs):
    """Dependencies that are unpacked from parcels into a store. parcels: by checksum of the need."""

    def __init__(self, parcels: Mapping[str, Parcel], store: Store) -> None:
        super().__init__()
        self._parcels, self._store = dict(parcels), store

    def add(self, parcels: Mapping[str, Parcel]) -> None:
        """Add parcels."""
        self._parcels.update(parcels)

    def afresh(self) -> ParcelNeeds:
        """A copy with the same parcels and nothing loaded."""
        return ParcelNeeds(self._parcels, self._store)

    def place(self, what: str, checksum: str) -> str:
        """Text of a dependency, with the paths of its files here. Raises MissingNeedError, OSError."""
        if checksum not in self._parcels:
            raise MissingNeedError(f"{what} {checksum} not found: the coordinator did not send it")
        return unpack(self._parcels[checksum], self._store)


def pack(text: str, what: str = EGDB_NEEDS[0]) -> tuple[Parcel, dict[str, Path]]:
    """Parcel of a text, and its files here by SHA-256. Raises InvalidSettingError for a directory of too many files.

    what: name of the need. Only that of a database may be a directory as a whole; elsewhere a directory may merely have
    the same name as an evaluation or a deck.
    """
    parts: list[str | int] = []
    places: list[list[tuple[str, str, int]]] = []
    single = []
    files: dict[str, Path] = {}
    for part, path in _split(text, what in EGDB_NEEDS):
        if path is None:
            parts.append(part)
            continue
        single.append(path.is_file())
        listing = []
        for file in [path] if path.is_file() else _files(path):
            digest = digest_of(file)
            files[digest] = file
            name = file.name if path.is_file() else file.relative_to(path).as_posix()
            listing.append((name, digest, file.stat().st_size))
        parts.append(len(places))
        places.append(listing)
    return {"text": parts, "places": places, "single": single}, files


def file_parcel(path: Path, digest: str) -> Parcel:
    """Parcel of the path of one file, whose SHA-256 is known."""
    return {"text": [0], "places": [[(path.name, digest, path.stat().st_size)]], "single": [True]}


def unpack(parcel: Parcel, store: Store) -> str:
    """Text of a parcel whose files are all in a store."""
    paths = []
    for listing, single in zip(parcel["places"], parcel["single"], strict=True):
        files = [(_place_name(name), digest, size) for name, digest, size in listing]
        directory = store.directory(files)
        paths.append(str(directory / files[0][0] if single else directory))
    return "".join(part if isinstance(part, str) else paths[part] for part in parcel["text"])


def _place_name(name: str) -> str:
    """Name of a file below its place, which the system of this worker takes: the file may come from another one."""
    parts = name.split("/")
    if not all(part.strip(".") for part in parts):
        raise MissingNeedError(f"a parcel with the name {name!r:.80}, outside of its place")
    return "/".join(map(portable_name, parts))


def sizes_of(parcels: Mapping[str, Parcel]) -> dict[str, int]:
    """Size of each file in parcels, by its SHA-256."""
    return {
        digest: size
        for parcel in parcels.values() for listing in parcel["places"] for _, digest, size in listing
    }  # fmt: skip


def _split(text: str, database: bool) -> Iterator[tuple[str, Path | None]]:
    """A text in parts, with the paths of those that name a file or directory: the longest ones, from the left."""
    if text.startswith(FOREIGN):
        yield text, None
        return
    words = re.split(r"([:+,=*])", text)
    first = 0
    while first < len(words):
        for last in range(len(words), first, -1):
            part = "".join(words[first:last])
            # evolved:DIR, egdb=DIR, or the directory of a database
            directories = words[first - 1] in (":", "=") if first else database and last == len(words)
            # not "..", nor "C:", which on Windows is a directory too
            if Path(part).name.strip(".") and (path := _existing(part, directories)):
                yield part, path
                first = last
                break
        else:
            yield words[first], None
            first += 1


def _existing(text: str, directories: bool) -> Path | None:
    try:
        path = Path(text)
        return path if path.is_file() or (directories and path.is_dir()) else None
    except (OSError, ValueError):
        return None


def _files(directory: Path) -> list[Path]:
    """Files of a directory, at any depth, in order; hidden ones are those of runs under way."""
    files = []
    for path in sorted(directory.rglob("*")):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(directory).parts):
            files.append(path)
            if len(files) > MOST_FILES:
                raise InvalidSettingError(f"{directory} has more than {counted(MOST_FILES, 'file')}: too many to send")
    return files
