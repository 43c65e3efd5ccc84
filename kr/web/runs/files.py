"""The files below a directory that the command named, listed again and again; a link never leads out of it."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kr.errors import InvalidSettingError
from kr.language.sentences import sentence

DEPTH = 4
"""Directories below the one named that are looked into."""
MOST_NAMES = 100_000
"""Names in all directories together that one look takes in."""
SETTLED = 2.0
"""Seconds after which a directory's time of change distinguishes every later change from those seen."""

Stamp = tuple[int, int, int] | None
"""Time, size and number of a file, which change when it is written or replaced. None without a file."""


class Listed(NamedTuple):
    """Contents of a directory."""

    changed: tuple[int, int]
    at: float
    files: frozenset[str]
    """Names of regular files; links are left out, since their targets in the same tree have names of their own."""
    folders: tuple[str, ...]


class FileTree:
    """A directory and those below it."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))
        self._listings: dict[Path, Listed] = {}

    def look(self) -> Iterator[tuple[Path, frozenset[str]]]:
        """Each directory with the names of its files, from the top down."""
        room = MOST_NAMES
        listings: dict[Path, Listed] = {}
        waiting = [(self.root, 0)]
        while waiting and room > 0:
            path, depth = waiting.pop()
            try:
                listing = listings[path] = self._listing(path)
            except OSError:
                # gone meanwhile, or not to be read
                continue
            room -= len(listing.files) + len(listing.folders)
            yield path, listing.files
            if depth < DEPTH:
                waiting += [(path / name, depth + 1) for name in reversed(listing.folders)]
        self._listings = listings

    def _listing(self, path: Path) -> Listed:
        status = os.lstat(path)
        changed = status.st_mtime_ns, status.st_ino
        before = self._listings.get(path)
        if before is not None and before.changed == changed and before.at - status.st_mtime > SETTLED:
            return before
        at = time.time()
        files: list[str] = []
        folders: list[str] = []
        with os.scandir(path) as entries:
            for entry in entries:
                if len(files) + len(folders) >= MOST_NAMES:
                    break
                if entry.is_file(follow_symlinks=False):
                    files.append(entry.name)
                elif not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
        return Listed(changed, at, frozenset(files), tuple(sorted(folders)))


def stamp(path: Path) -> Stamp:
    """The stamp of a file, which changes whenever it is written or replaced."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def own(path: Path) -> Path:
    """The path of a file to be opened now, none of whose names has become a link. Raises InvalidSettingError."""
    if os.path.realpath(path) != str(path):
        raise InvalidSettingError(sentence("refused.link", name=path.name))
    return path
