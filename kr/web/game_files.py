"""Files of games against people and of matches, in bounded number, named by ids that a server of this user made.

An id is the time, something random, and the beginning of a signature of both, whose key lies beside the games. So a
server that starts again knows the games of the one before, also one whose file is lost and which a page brings back;
but an id that a page makes up gets no file.
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
from kr.web.opponents import clock_from_text, seats_of
from kr.web.request import PageRequest

GAMES, MATCHES = "games", "matches"
"""Folders of the user's data directory."""
MOST_STORED_GAMES = 10_000
"""Most games; those of `kr play` don't count. None is deleted to make room."""
MOST_STORED_MATCHES = 1000
MOST_STORED_BYTES = 100_000_000
"""Size of the files of a folder together."""
LONGEST_FILE = 100_000
"""Characters of a game that comes back from a page."""

_SIGNED = re.compile(r"(\d{8}-\d{6}-[0-9a-f]{4})([0-9a-f]{16})")
# ids of earlier versions: valid if the file exists
_UNSIGNED = re.compile(r"\d{8}-\d{6}-[0-9a-f]{12}")
_KEY_BYTES = 32
_GONE = "this game is not kept here any more"


def new_path(folder: str = GAMES) -> Path:
    """Path for a new game or match; its stem is the id. Raises InvalidSettingError if there is no room, and OSError."""
    now = datetime.datetime.now()
    path = _folder(folder) / default_path(now).name
    _check_room(path.parent)
    begun = f"{path.stem}-{secrets.token_hex(2)}"
    return path.with_stem(begun + _signature(begun))


def path_of(id: str, folder: str = GAMES) -> Path:
    """Path of a file, which may be lost. Raises InvalidSettingError for a text that is not an id."""
    if not _SIGNED.fullmatch(id) and not _UNSIGNED.fullmatch(id):
        raise InvalidSettingError(f"that is not the id of a {'game' if folder == GAMES else 'match'}")
    return _folder(folder) / f"{id}.pdn"


def load_game(path: Path, request: PageRequest) -> Game:
    """The game of a file; if that is lost, the one in the page's document, whose file is written again.

    Raises InvalidSettingError for a game that no server of this user began, or if there is no room, and OSError.
    """
    if not path.is_file():
        signed = _SIGNED.fullmatch(path.stem)
        if not request.has("document") or not signed or not hmac.compare_digest(signed[2], _signature(signed[1])):
            raise InvalidSettingError(_GONE)
        document = read_document(request.fields["document"])
        seats_of(document.headers)
        clock_from_text(document.headers.get(CONTROL_TAG, ""))
        if ENGINE_CONTROL_TAG in document.headers:
            raise InvalidSettingError(f"a game here has no {ENGINE_CONTROL_TAG}: both sides have the same clock")
        text = write_game(document)
        if len(text) > LONGEST_FILE:
            raise InvalidSettingError(f"this game has more than {LONGEST_FILE:,} characters")
        _check_room(path.parent)
        write_atomic(path, text)
    game = read_game(path)
    if game is None:
        raise InvalidSettingError(_GONE)
    return game


def _folder(name: str) -> Path:
    return default_path(datetime.datetime.now()).parent.with_name(name)


def _check_room(directory: Path) -> None:
    names = os.scandir(directory) if directory.is_dir() else ()
    sizes = {each.name: each.stat().st_size for each in names if _is_own(each.name)}
    size, count = sum(sizes.values()), sum(name.endswith(".pdn") for name in sizes)
    most = MOST_STORED_GAMES if directory.name == GAMES else MOST_STORED_MATCHES
    if count >= most or size >= MOST_STORED_BYTES:
        raise InvalidSettingError(
            f"{count:,} {directory.name} ({size / 1e6:,.0f} MB) are kept in {directory}; kr web keeps up to "
            f"{most:,} and {MOST_STORED_BYTES / 1e6:,.0f} MB and deletes none: move or delete some of them"
        )


def _is_own(name: str) -> bool:
    stem, dot, kind = name.partition(".")
    # the log of a match lies beside it
    return dot + kind in (".pdn", ".pdn.log") and bool(_SIGNED.fullmatch(stem) or _UNSIGNED.fullmatch(stem))


def _signature(begun: str) -> str:
    return hmac.new(_key(), begun.encode(), "sha256").hexdigest()[:16]


def _key() -> bytes:
    """Key that signs the ids, for this user alone; made if there is none."""
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
