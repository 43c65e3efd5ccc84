"""The files of the games against people: named by ids that a server of this user gave, and not without end.

An id is the time, something random, and the beginning of a signature of both, whose key lies beside the games. So a
server that starts again knows the games of the one before, also one whose file is lost and which a page brings back;
but what a page makes up gets no file.
"""

from __future__ import annotations

import datetime
import hmac
import os
import re
import secrets
from pathlib import Path

from kr.errors import InvalidSettingError
from kr.pdn import Game, read_game, write_game
from kr.play.record import default_path
from kr.play.setup import CONTROL_TAG, ENGINE_CONTROL_TAG
from kr.storage import atomic_path, read_regular, write_atomic
from kr.viewer.document import read_document
from kr.web.asked import Asked
from kr.web.opponents import clock_asked_for, seats_of

MOST_KEPT_GAMES = 10_000
"""Games that are kept; those of `kr play` don't count. None is deleted to make room."""
MOST_KEPT_BYTES = 100_000_000
"""Size of their files together."""
LONGEST_FILE = 100_000
"""Characters of a game that comes back from a page."""

_SIGNED = re.compile(r"(\d{8}-\d{6}-[0-9a-f]{4})([0-9a-f]{16})")
# of versions before: its file stands for it
_UNSIGNED = re.compile(r"\d{8}-\d{6}-[0-9a-f]{12}")
_KEY_BYTES = 32
_GONE = "this game is not kept here any more"


def new_path() -> Path:
    """The file of a new game; its stem is the id. Raises InvalidSettingError if no more are kept, and OSError."""
    path = default_path(datetime.datetime.now())
    _check_room(path.parent)
    begun = f"{path.stem}-{secrets.token_hex(2)}"
    return path.with_stem(begun + _signature(begun))


def path_of(id: str) -> Path:
    """The file of a game, which may be lost. Raises InvalidSettingError for what is not an id."""
    if not _SIGNED.fullmatch(id) and not _UNSIGNED.fullmatch(id):
        raise InvalidSettingError("that is not the id of a game")
    return default_path(datetime.datetime.now()).with_name(f"{id}.pdn")


def kept_game(path: Path, asked: Asked) -> Game:
    """The game of a file; if that is lost, from the document that the page has kept, and its file is there again.

    Raises InvalidSettingError for a game that no server of this user began, or if no more are kept, and OSError.
    """
    if not path.is_file():
        signed = _SIGNED.fullmatch(path.stem)
        if not asked.has("document") or not signed or not hmac.compare_digest(signed[2], _signature(signed[1])):
            raise InvalidSettingError(_GONE)
        game = read_document(asked.fields["document"])
        seats_of(game.headers)
        clock_asked_for(game.headers.get(CONTROL_TAG, ""))
        if ENGINE_CONTROL_TAG in game.headers:
            raise InvalidSettingError(f"a game here has no {ENGINE_CONTROL_TAG}: both sides have the same clock")
        text = write_game(game)
        if len(text) > LONGEST_FILE:
            raise InvalidSettingError(f"this game has more than {LONGEST_FILE:,} characters")
        _check_room(path.parent)
        write_atomic(path, text)
    kept = read_game(path)
    if kept is None:
        raise InvalidSettingError(_GONE)
    return kept


def _check_room(directory: Path) -> None:
    names = os.scandir(directory) if directory.is_dir() else ()
    sizes = [each.stat().st_size for each in names if _is_own(each.name)]
    if len(sizes) >= MOST_KEPT_GAMES or sum(sizes) >= MOST_KEPT_BYTES:
        raise InvalidSettingError(
            f"{len(sizes):,} games ({sum(sizes) / 1e6:,.0f} MB) are kept in {directory}; kr web keeps up to "
            f"{MOST_KEPT_GAMES:,} and {MOST_KEPT_BYTES / 1e6:,.0f} MB and deletes none: move or delete some of them"
        )


def _is_own(name: str) -> bool:
    stem, dot, kind = name.partition(".")
    return dot + kind == ".pdn" and bool(_SIGNED.fullmatch(stem) or _UNSIGNED.fullmatch(stem))


def _signature(begun: str) -> str:
    return hmac.new(_key(), begun.encode(), "sha256").hexdigest()[:16]


def _key() -> bytes:
    """What signs the ids, for this user alone; made if there is none."""
    path = default_path(datetime.datetime.now()).parent.with_name("web-games.key")
    try:
        key = read_regular(path, most=1000)
    except FileNotFoundError:
        key = b""
    if len(key) != _KEY_BYTES:
        key = secrets.token_bytes(_KEY_BYTES)
        with atomic_path(path) as temporary:
            temporary.touch(0o600)
            temporary.write_bytes(key)
    return key
