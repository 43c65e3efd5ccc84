"""Games in and out: text that people paste or open, the files of the command line, PDN and pictures to save."""

from __future__ import annotations

import base64
import binascii
import io
import secrets
import threading
import time
import zlib
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from kr import svg
from kr.errors import InvalidFenError, InvalidPdnError, InvalidSettingError
from kr.game.position import Position
from kr.notation import fen_lines, format_path, looks_like_fen, parse_fen
from kr.pdn.game import Game
from kr.pdn.reader import Reader
from kr.pdn.source import Text
from kr.pdn.tree import GameNode
from kr.pdn.writer import Results, normalise, write_game
from kr.text import plain_name
from kr.viewer.document import MOST_NODES, game_document
from kr.web.asked import LONGEST_FEN, Asked
from kr.web.house import House

LONGEST_PASTE = 2_000_000
"""Characters of PDN that a page may send; of a packed file those that come out of it."""
MOST_PASTED_GAMES = 2000
"""Games that are read from what a page sends."""
MOST_FILE_GAMES = 100_000
"""Games that are listed of a file of the command line."""
GAMES_A_PAGE = 100
READING_SECONDS = 0.4
"""Time for which one request reads on in a file of the command line; the page asks again for more."""
MOST_FAULTS = 50
"""Games that could not be read, of which the reasons are told."""

_CONVENTIONS: tuple[Results, ...] = ("english", "white")


def read(house: House, asked: Asked) -> dict[str, Any]:
    """Games of a PDN text, of the bytes of a file in base64, or positions as FEN, one a line.

    Each game has what a list shows of it and its PDN; if there is only one, it is given as a document too.
    """
    results = _results(asked)
    text, cut = _content(asked)
    games: list[Game] = []
    faults: list[str] = []
    if lines := _fens(text):
        for number, line in lines[:MOST_PASTED_GAMES]:
            try:
                games.append(_position_game(line))
            except InvalidFenError as error:
                faults.append(f"line {number}: {error}")
        cut = cut or len(lines) > MOST_PASTED_GAMES
    else:
        reader = Reader(f"{text}\n", results=results, forgiving=True, on_error=lambda error: faults.append(str(error)))
        for game in reader:
            if len(games) == MOST_PASTED_GAMES:
                cut = True
                break
            games.append(game)
    # remarks that stand alone are games without moves
    games = [game for game in games if game.variations or game.start != Position() or len(game.headers) > 1]
    if not games:
        why = faults[0] if faults else "write moves as 11-15 or 22x15, or a position such as W:W21,K30:B1,2"
        raise InvalidPdnError(f"no game found: {why}")
    if cut:
        faults.append(f"only the first {len(games)} games are shown; kr web FILE.pdn opens files of any size")
    answer: dict[str, Any] = {"faults": faults[:MOST_FAULTS], "left_out": len(faults)}
    if len(games) == 1:
        return {**answer, "games": [summary(games[0], 1)], "document": bounded_document(games[0])}
    shown = [{**summary(game, number), "pdn": write_game(game)} for number, game in enumerate(games, 1)]
    return {**answer, "games": shown}


def check(house: House, asked: Asked) -> dict[str, Any]:
    """A game that a page has kept, its moves checked."""
    return {"document": game_document(asked.document())}


def pdn(house: House, asked: Asked) -> dict[str, Any]:
    """A game as PDN. form: "file" for one to keep, with the usual tags; "link" for as little text as it takes."""
    results = _results(asked)
    game = asked.document()
    _settle_comments(game)
    if asked.choice("form", ("file", "link"), "file") == "file":
        normalise(game)
    return {"pdn": write_game(game, results=results)}


def position_picture(house: House, asked: Asked) -> dict[str, Any]:
    """A position as SVG, with the squares of the move before it marked."""
    path = asked.squares("last", ())
    return {
        "svg": svg.board(
            asked.position(),
            flipped=asked.flag("flipped"),
            coordinates=asked.flag("numbers", True),
            last_move=format_path(path, False) if len(path) > 1 else None,
        )
    }


def summary(game: Game, number: int) -> dict[str, Any]:
    """What a list shows of a game."""
    said = {name.lower(): game.headers.get(name, "").strip()[:80] for name in ("Event", "Black", "White", "Date")}
    said = {name: value if value.strip("?. ") else "" for name, value in said.items()}
    moves = sum(1 for _ in game.mainline())
    warnings = [warning[:300] for warning in game.warnings[:MOST_FAULTS]]
    return {"number": number, **said, "result": str(game.result), "moves": moves, "warnings": warnings}


class GameFile:
    """Games of a file of the command line, read on as they are asked for and kept until the file changes."""

    def __init__(self, path: Path, results: Results) -> None:
        self.path = path
        self._results = results
        self._lock = threading.Lock()
        self._reader: Reader | None = None
        self._begin(None)

    def listed(self, start: int, wanted: str) -> dict[str, Any]:
        """A page of games whose event, players, date or result have all the words wanted.

        `read` counts the games read so far, `whole` says that there are no more. Raises OSError.
        """
        words = plain_name(wanted).split()
        with self._lock:
            self._follow()
            until = time.monotonic() + READING_SECONDS
            found = [index for index, (_, told, _) in enumerate(self._games) if all(word in told for word in words)]
            while len(found) <= start + GAMES_A_PAGE and time.monotonic() < until and self._read():
                if all(word in self._games[-1][1] for word in words):
                    found.append(len(self._games) - 1)
            page = [self._games[index][0] for index in found[start : start + GAMES_A_PAGE]]
            return {
                "games": page, "start": start, "more": len(found) > start + GAMES_A_PAGE, "read": len(self._games),
                "whole": self._whole, "faults": self._faults, "left_out": self._left_out,
            }  # fmt: skip

    def document(self, number: int) -> dict[str, Any]:
        """A game by its number, from 1, and its warnings. Raises OSError, and InvalidSettingError if there is none."""
        with self._lock:
            self._follow()
            while len(self._games) < number and self._read():
                pass
            if len(self._games) < number:
                raise InvalidSettingError(f"{self.path.name} has {len(self._games)} games; game {number} is not there")
            told, _, packed = self._games[number - 1]
        (game,) = Reader(f"{zlib.decompress(packed).decode()}\n")
        return {"document": bounded_document(game), "warnings": told["warnings"]}

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._begin(None)

    def _begin(self, stamp: tuple[int, int] | None) -> None:
        if self._reader is not None:
            self._reader.close()
        self._stamp = stamp
        self._reader = None
        self._whole = False
        self._left_out = 0
        self._faults: list[str] = []
        # what is shown, what is searched, and the text
        self._games: list[tuple[dict[str, Any], str, bytes]] = []

    def _follow(self) -> None:
        """Begin again if the file has changed."""
        status = self.path.stat()
        stamp = status.st_size, status.st_mtime_ns
        if stamp != self._stamp:
            self._begin(stamp)
            self._reader = Reader(self.path, results=self._results, forgiving=True, on_error=self._fault)

    def _fault(self, error: InvalidPdnError) -> None:
        self._left_out += 1
        if len(self._faults) < MOST_FAULTS:
            self._faults.append(str(error)[:300])

    def _read(self) -> bool:
        """Read one more game; False if there is none."""
        if self._whole:
            return False
        assert self._reader is not None
        try:
            game = self._reader.read_game() if len(self._games) < MOST_FILE_GAMES else None
        except InvalidPdnError as error:
            self._fault(error)
            game = None
        if game is None:
            self._whole = True
            self._reader.close()
            if len(self._games) == MOST_FILE_GAMES:
                self._faults.append(f"only the first {MOST_FILE_GAMES:,} games are listed; kr web --archive has no end")
            return False
        shown = summary(game, len(self._games) + 1)
        told = plain_name(" ".join(str(shown[name]) for name in ("event", "black", "white", "date", "result")))
        self._games.append((shown, told, zlib.compress(write_game(game).encode("utf-8", "replace"))))
        return True


class Shelf:
    """Files of the command line. They are asked for by number; no other is opened."""

    def __init__(self, house: House) -> None:
        self.paths = house.files
        self.mark = secrets.token_hex(4)
        """Tells this server from the one before, so that a page opens the files of a new one."""
        self._files = {(path, results): GameFile(path, results) for path in self.paths for results in _CONVENTIONS}
        house.on_close(self.close)

    @classmethod
    def of(cls, house: House) -> Shelf:
        """That of a server."""
        if house not in _SHELVES:
            _SHELVES[house] = cls(house)
        return _SHELVES[house]

    def file(self, asked: Asked) -> GameFile:
        """The file asked for."""
        if not self.paths:
            raise InvalidSettingError("no file was named: kr web FILE.pdn")
        return self._files[self.paths[asked.number("file", 1, len(self.paths)) - 1], _results(asked)]

    def close(self) -> None:
        """Close all files."""
        for file in self._files.values():
            file.close()


_SHELVES: WeakKeyDictionary[House, Shelf] = WeakKeyDictionary()


def files(house: House, asked: Asked) -> dict[str, Any]:
    """Names of the files of the command line."""
    shelf = Shelf.of(house)
    return {"files": [path.name for path in shelf.paths], "mark": shelf.mark}


def listed(house: House, asked: Asked) -> dict[str, Any]:
    """A page of the games of a file."""
    start = asked.number("start", 0, MOST_FILE_GAMES, 0)
    return Shelf.of(house).file(asked).listed(start, asked.text("wanted", 100, ""))


def chosen(house: House, asked: Asked) -> dict[str, Any]:
    """A game of a file."""
    return Shelf.of(house).file(asked).document(asked.number("number", 1, MOST_FILE_GAMES))


def _results(asked: Asked) -> Results:
    return "white" if asked.choice("results", _CONVENTIONS, "english") == "white" else "english"


def _content(asked: Asked) -> tuple[str, bool]:
    """The text that a page has sent, and whether there was more of it."""
    if not asked.has("data"):
        # half of a character of two is no text
        return asked.text("text", LONGEST_PASTE).encode("utf-8", "replace").decode(), False
    try:
        content = base64.b64decode(asked.text("data", 2 * LONGEST_PASTE), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidSettingError("data is not base64") from None
    source = Text(io.BufferedReader(io.BytesIO(content)))
    blocks: list[str] = []
    length = 0
    while length <= LONGEST_PASTE and (block := source.read()):
        blocks.append(block)
        length += len(block)
    return "".join(blocks), length > LONGEST_PASTE


def _fens(text: str) -> list[tuple[int, str]]:
    """Lines of a text that holds nothing but FENs, with their numbers; none for any other text."""
    lines = list(fen_lines(text.splitlines()))
    return lines if all(len(line) <= LONGEST_FEN and looks_like_fen(line) for _, line in lines) else []


def _position_game(fen: str) -> Game:
    try:
        return Game(start=Position.from_fen(fen))
    except InvalidFenError as error:
        game = Game(start=Position.from_bits(parse_fen(fen, crown=True)))
        game.warnings = (f"{error} (read so)",)
        return game


def bounded_document(game: Game) -> dict[str, Any]:
    """A game as JSON. Raises InvalidPdnError if it has more moves than a page takes back."""
    document = game_document(game)
    if len(document["nodes"]) > MOST_NODES:
        raise InvalidPdnError(f"a game of {len(document['nodes'])} moves and positions; at most {MOST_NODES}")
    return document


def _settle_comments(game: Game) -> None:
    """Put comments that PDN can't write as they are into one line."""
    nodes: list[GameNode] = [game, *game.descendants()]
    for node in nodes:
        node.comments = [" ".join(text.split()) if "}" in text else text for text in node.comments]


ROUTES = {
    "games/read": read,
    "games/check": check,
    "games/pdn": pdn,
    "games/svg": position_picture,
    "games/files": files,
    "games/list": listed,
    "games/open": chosen,
}
LIVE: dict[str, Any] = {}
