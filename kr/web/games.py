"""Games in and out: text that people paste or open, the files of the command line, PDN to save."""

from __future__ import annotations

import base64
import binascii
import io
from typing import Any

from kr.errors import InvalidPdnError, InvalidSettingError
from kr.pdn.game import Game
from kr.pdn.source import Text
from kr.pdn.tree import GameNode
from kr.pdn.writer import Results, normalise, write_game
from kr.viewer.document import game_document
from kr.web.game_lists import (
    MOST_FAULTS,
    MOST_FILE_GAMES,
    RESULT_CONVENTIONS,
    Shelf,
    bounded_document,
    read_text,
    summary,
)
from kr.web.house import House
from kr.web.request import PageRequest

LONGEST_PASTE = 2_000_000
"""Characters of PDN that are read at once; of a packed file those that come out of it."""
MOST_PASTED_GAMES = 2000
"""Games that a page gets at once; of more it gets a list."""


def read(house: House, request: PageRequest) -> dict[str, Any]:
    """Games of a PDN text, of the bytes of a file in base64, or positions as FEN, one a line.

    Each game has its row in a list and its PDN; a single one also comes as a document. If there are more games, or a
    longer text, than a page gets at once, `upload` names a list of them.
    """
    results = _results(request)
    content = _content(request)
    text = _whole(content)
    games: list[Game] = []
    faults: list[str] = []
    if text is not None:
        for game in read_text(text, results, faults.append):
            if len(games) == MOST_PASTED_GAMES:
                text = None
                break
            games.append(game)
    if text is None:
        return {"upload": Shelf.of(house).add(content)}
    if not games:
        why = faults[0] if faults else "write moves as 11-15 or 22x15, or a position such as W:W21,K30:B1,2"
        raise InvalidPdnError(f"no game found: {why}")
    answer: dict[str, Any] = {"faults": faults[:MOST_FAULTS], "left_out": len(faults)}
    if len(games) == 1:
        return {**answer, "games": [summary(games[0], 1)], "document": bounded_document(games[0])}
    rows = [{**summary(game, number), "pdn": write_game(game)} for number, game in enumerate(games, 1)]
    return {**answer, "games": rows}


def upload(house: House, request: PageRequest) -> dict[str, Any]:
    """A piece of a file in base64: the first, or the next one of `upload`. The answer names the list of its games."""
    shelf = Shelf.of(house)
    piece = decoded_bytes(request)
    if not request.has("upload"):
        return {"upload": shelf.add(piece)}
    shelf.extend(request.text("upload"), piece)
    return {"upload": request.text("upload")}


def check(house: House, request: PageRequest) -> dict[str, Any]:
    """A game that a page has kept, its moves checked."""
    return {"document": game_document(request.document())}


def pdn(house: House, request: PageRequest) -> dict[str, Any]:
    """A game as PDN, with the usual tags."""
    game = request.document()
    _settle_comments(game)
    normalise(game)
    return {"pdn": write_game(game, results=_results(request))}


def files(house: House, request: PageRequest) -> dict[str, Any]:
    """Names of the files of the command line."""
    shelf = Shelf.of(house)
    return {"files": [path.name for path in shelf.paths], "mark": shelf.mark}


def list_page(house: House, request: PageRequest) -> dict[str, Any]:
    """A page of the games of a file or an upload. on: read on even if the page is full."""
    start = request.number("start", 0, MOST_FILE_GAMES, 0)
    return Shelf.of(house).games(request).page(start, request.text("wanted", 100, ""), request.flag("on"))


def open_game(house: House, request: PageRequest) -> dict[str, Any]:
    """A game of a file."""
    return Shelf.of(house).games(request).document(request.number("number", 1, MOST_FILE_GAMES))


def _results(request: PageRequest) -> Results:
    return "white" if request.choice("results", RESULT_CONVENTIONS, "english") == "white" else "english"


def _content(request: PageRequest) -> bytes:
    """Content sent by a page: text, or the bytes of a file."""
    # half of a surrogate pair can't be encoded
    return (
        decoded_bytes(request)
        if request.has("data")
        else request.text("text", LONGEST_PASTE).encode("utf-8", "replace")
    )


def decoded_bytes(request: PageRequest) -> bytes:
    """The bytes that a request has in base64. Raises InvalidSettingError."""
    try:
        return base64.b64decode(request.text("data", 2 * LONGEST_PASTE), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidSettingError("data is not base64") from None


def _whole(content: bytes) -> str | None:
    """The text of some bytes; None if it is longer than what is read at once."""
    source = Text(io.BufferedReader(io.BytesIO(content)))
    blocks: list[str] = []
    length = 0
    while length <= LONGEST_PASTE and (block := source.read()):
        blocks.append(block)
        length += len(block)
    return "".join(blocks) if length <= LONGEST_PASTE else None


def _settle_comments(game: Game) -> None:
    """Put comments that PDN can't write as they are into one line."""
    nodes: list[GameNode] = [game, *game.descendants()]
    for node in nodes:
        node.comments = [" ".join(text.split()) if "}" in text else text for text in node.comments]


ROUTES = {
    "games/read": read,
    "games/upload": upload,
    "games/check": check,
    "games/pdn": pdn,
    "games/files": files,
    "games/list": list_page,
    "games/open": open_game,
}
LIVE: dict[str, Any] = {}
