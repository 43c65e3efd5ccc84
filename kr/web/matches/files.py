"""Files of matches, in bounded number. A file's name is the id by which pages name the match: the time, and something
random."""

from __future__ import annotations

import datetime
import os
import re
import secrets
from pathlib import Path

from kr.errors import InvalidSettingError
from kr.language.sentences import Size, sentence
from kr.play.record import default_path

MOST_STORED_MATCHES = 1000
"""Most matches. None is deleted to make room."""
MOST_STORED_BYTES = 100_000_000
"""Size of their files together."""

# ids of earlier versions are shorter
_ID = re.compile(r"\d{8}-\d{6}-(?:[0-9a-f]{20}|[0-9a-f]{12})")


def new_path() -> Path:
    """Path for a new match; its stem is the id. Raises InvalidSettingError if there is no room, and OSError."""
    now = datetime.datetime.now()
    directory = _directory()
    _check_room(directory)
    return directory / f"{default_path(now).stem}-{secrets.token_hex(10)}.pdn"


def path_of(id: str) -> Path:
    """Path of a match's file, which may be lost. Raises InvalidSettingError for a text that is not an id."""
    if not _ID.fullmatch(id):
        raise InvalidSettingError(sentence("refused.no_match"))
    return _directory() / f"{id}.pdn"


def _directory() -> Path:
    """In the user's data directory, beside the games of `kr play`."""
    return default_path(datetime.datetime.now()).parent.with_name("matches")


def _check_room(directory: Path) -> None:
    names = os.scandir(directory) if directory.is_dir() else ()
    sizes = {each.name: each.stat().st_size for each in names if _is_own(each.name)}
    size, count = sum(sizes.values()), sum(name.endswith(".pdn") for name in sizes)
    if count >= MOST_STORED_MATCHES or size >= MOST_STORED_BYTES:
        raise InvalidSettingError(sentence(
            "refused.matches_full", count=count, size=Size(size), folder=str(directory), most=MOST_STORED_MATCHES,
            room=Size(MOST_STORED_BYTES),
        ))  # fmt: skip


def _is_own(name: str) -> bool:
    stem, dot, kind = name.partition(".")
    # the log of a match lies beside it
    return dot + kind in (".pdn", ".pdn.log") and bool(_ID.fullmatch(stem))
