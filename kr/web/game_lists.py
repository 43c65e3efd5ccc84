"""Lists of many games, from files of the command line and uploads of pages, read on demand."""

from __future__ import annotations

import io
import json
import secrets
import threading
import time
import zlib
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from kr.errors import InvalidFenError, InvalidPdnError, InvalidSettingError
from kr.game.position import Position
from kr.notation import fen_lines, looks_like_fen, parse_fen
from kr.pdn.game import Game
from kr.pdn.reader import Reader
from kr.pdn.source import Text
from kr.pdn.writer import Results, write_game
from kr.text import plain_name
from kr.viewer.document import MOST_NODES, game_document
from kr.web.house import House
from kr.web.request import LONGEST_FEN, PageRequest

MOST_FILE_GAMES = 100_000
"""Games of a list."""
MOST_LIST_BYTES = 96 << 20
"""Bytes that the games of a list take in memory."""
GAMES_A_PAGE = 100
READING_SECONDS = 0.4
"""Time for which one request reads on; the page asks again for more."""
MOST_CLOSING_SECONDS = 1.0
"""Time for which a server that stops waits for a request that reads on."""
MOST_FAULTS = 50
"""Unreadable games whose reasons are listed."""
LARGEST_UPLOAD = 64 << 20
"""Bytes of a file that a page uploads."""
LONGEST_UPLOAD = 128_000_000
"""Characters that are read of it."""
MOST_UPLOADS, LARGEST_UPLOADS = 4, 128 << 20
"""Uploads that a server keeps, and bytes of them all together; the oldest go."""
LONGEST_POSITIONS = 2_000_000
"""Characters of a text of positions alone."""
MOST_SEARCHES = 4
"""Words whose games are remembered, so that a list is not searched again for each page."""

RESULT_CONVENTIONS: tuple[Results, ...] = ("english", "white")

OnFault = Callable[[str], None]


def summary(game: Game, number: int) -> dict[str, Any]:
    """A game's row in a list."""
    headers = {name.lower(): game.headers.get(name, "").strip()[:80] for name in ("Event", "Black", "White", "Date")}
    headers = {name: value if value.strip("?. ") else "" for name, value in headers.items()}
    moves = sum(1 for _ in game.mainline())
    warnings = [warning[:300] for warning in game.warnings[:MOST_FAULTS]]
    return {"number": number, **headers, "result": str(game.result), "moves": moves, "warnings": warnings}


def bounded_document(game: Game) -> dict[str, Any]:
    """A game as JSON. Raises InvalidPdnError if it has more moves than a page takes back."""
    document = game_document(game)
    if len(document["nodes"]) > MOST_NODES:
        raise InvalidPdnError(f"a game of {len(document['nodes'])} moves and positions; at most {MOST_NODES}")
    return document


def read_text(text: str, results: Results, on_fault: OnFault) -> Iterator[Game]:
    """Games of a text that people paste: PDN, positions as FEN, one a line, or FENs each with its moves below it.

    on_fault: called for those left out.
    """
    if lines := _fens(text):
        return _positions(lines, on_fault)
    text = _with_tags(text)
    return _games(Reader(f"{text}\n", results=results, forgiving=True, on_error=lambda error: on_fault(str(error))))


def _games(reader: Reader) -> Iterator[Game]:
    # remarks that stand alone are games without moves
    return (game for game in reader if game.variations or game.start != Position() or len(game.headers) > 1)


def _positions(lines: list[tuple[int, str]], on_fault: OnFault) -> Iterator[Game]:
    for number, line in lines:
        try:
            yield _position_game(line)
        except InvalidFenError as error:
            on_fault(f"line {number}: {error}")


def _fens(text: str) -> list[tuple[int, str]]:
    """Lines of a text that holds nothing but FENs, with their numbers; none for any other text."""
    lines = list(fen_lines(text.splitlines()))
    return lines if all(len(line) <= LONGEST_FEN and looks_like_fen(line) for _, line in lines) else []


def _with_tags(text: str) -> str:
    """A text with tags in place of the FENs that are lines of their own, as articles print them above solutions."""
    lines = text.split("\n")
    in_comment = False
    for index, line in enumerate(lines):
        fen = line.strip()
        if not in_comment and fen[:1] in ("B", "W", "b", "w") and len(fen) <= LONGEST_FEN and looks_like_fen(fen):
            with suppress(InvalidFenError):
                parse_fen(fen, crown=True)
                lines[index] = f'[FEN "{fen}"]'
        if "{" in line or "}" in line:
            in_comment = line.rfind("{") > line.rfind("}")
    return "\n".join(lines)


def _position_game(fen: str) -> Game:
    try:
        return Game(start=Position.from_fen(fen))
    except InvalidFenError as error:
        game = Game(start=Position.from_bits(parse_fen(fen, crown=True)))
        game.warnings = (f"{error} (read so)",)
        return game


class GameList(ABC):
    """Games of a source, read on demand and held compressed."""

    def __init__(self, name: str, results: Results) -> None:
        self.name = name
        self._results = results
        self._lock = threading.Lock()
        self._clear()

    def page(self, start: int, wanted: str, on: bool = False) -> dict[str, Any]:
        """A page of games whose event, players, date or result have all the words. on: read on meanwhile.

        `read` counts the games read so far, `found` those of them with the words, `whole` says that there are no more;
        `left_out` counts those that could not be read, `faults` says why, `cut` why the list ends before its source.
        `share` is that of the source read so far, null if unknown. Raises OSError.
        """
        with self._lock:
            self._follow()
            until = time.monotonic() + READING_SECONDS
            matches = self._search(wanted)
            while (on or len(matches) <= start + GAMES_A_PAGE) and time.monotonic() < until and self._read():
                matches = self._search(wanted)
            page = [self._unpacked(index)[0] for index in matches[start : start + GAMES_A_PAGE]]
            return {
                "games": page, "start": start, "more": len(matches) > start + GAMES_A_PAGE, "found": len(matches),
                "read": len(self._games), "whole": self._whole, "faults": self._faults, "left_out": self._left_out,
                "cut": self._cut, "share": 1.0 if self._whole else self._share(),
            }  # fmt: skip

    def document(self, number: int) -> dict[str, Any]:
        """A game by its number, from 1, and its warnings. Raises OSError, and InvalidSettingError if there is none."""
        with self._lock:
            self._follow()
            while len(self._games) < number and self._read():
                pass
            if len(self._games) < number:
                raise InvalidSettingError(f"{self.name} has {len(self._games)} games; there is no game {number}")
            row, text = self._unpacked(number - 1)
        (game,) = Reader(f"{text}\n")
        return {"document": bounded_document(game), "warnings": row["warnings"]}

    def close(self) -> None:
        """Let go of the games and of the source, unless they are being read for long."""
        if self._lock.acquire(timeout=MOST_CLOSING_SECONDS):
            try:
                self._clear()
            finally:
                self._lock.release()

    @abstractmethod
    def _follow(self) -> None:
        """Open the source, if it is not open yet or has changed."""

    @abstractmethod
    def _source(self) -> Iterator[Game]:
        """The games of the source, from its beginning."""

    def _share(self) -> float | None:
        return None

    def _clear(self) -> None:
        self._source_games: Iterator[Game] | None = None
        self._whole = False
        self._left_out = 0
        self._cut = ""
        self._faults: list[str] = []
        # words to search; and the row with the text, compressed
        self._games: list[tuple[str, bytes]] = []
        self._size = 0
        # by the words wanted: numbers of games, and how many games were looked at for them
        self._searches: OrderedDict[str, tuple[list[int], int]] = OrderedDict()

    def _search(self, wanted: str) -> list[int]:
        key = plain_name(wanted)
        matches, count = self._searches.pop(key, ([], 0))
        words = key.split()
        matches.extend(
            index for index in range(count, len(self._games)) if all(word in self._games[index][0] for word in words)
        )
        self._searches[key] = matches, len(self._games)
        while len(self._searches) > MOST_SEARCHES:
            self._searches.popitem(last=False)
        return matches

    def _fault(self, why: str) -> None:
        self._left_out += 1
        if len(self._faults) < MOST_FAULTS:
            self._faults.append(why[:300])

    def _read(self) -> bool:
        """Read one more game; False if there is none."""
        if self._whole:
            return False
        if self._source_games is None:
            self._source_games = self._source()
        if len(self._games) >= MOST_FILE_GAMES or self._size > MOST_LIST_BYTES:
            self._cut = f"only the first {len(self._games):,} games are listed; kr web --archive has no end"
            self._whole = True
            return False
        try:
            game = next(self._source_games, None)
        except InvalidPdnError as error:
            self._cut = f"the rest can't be read: {str(error)[:300]}"
            game = None
        if game is None:
            self._whole = True
            return False
        row = summary(game, len(self._games) + 1)
        words = plain_name(" ".join(str(row[name]) for name in ("event", "black", "white", "date", "result")))
        text = json.dumps([row, write_game(game)]).encode("utf-8", "replace")
        self._games.append((words, zlib.compress(text)))
        self._size += len(words) + len(self._games[-1][1]) + 200
        return True

    def _unpacked(self, index: int) -> tuple[dict[str, Any], str]:
        row, text = json.loads(zlib.decompress(self._games[index][1]))
        return row, text


class FileList(GameList):
    """Games of a file of the command line, until it changes."""

    def __init__(self, path: Path, results: Results) -> None:
        self.path = path
        self._reader: Reader | None = None
        self._stamp = (0, 0)
        super().__init__(path.name, results)

    def _follow(self) -> None:
        status = self.path.stat()
        stamp = status.st_size, status.st_mtime_ns
        if self._reader is None or stamp != self._stamp:
            self._clear()
            self._stamp = stamp
            self._reader = Reader(
                self.path, results=self._results, forgiving=True, on_error=lambda error: self._fault(str(error))
            )

    def _source(self) -> Iterator[Game]:
        assert self._reader is not None
        return self._reader

    def _share(self) -> float | None:
        assert self._reader is not None
        return min(1.0, self._reader.position / self._stamp[0]) if self._stamp[0] else None

    def _clear(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self._reader = None
        super()._clear()


class _Bounded:
    """The text of some bytes as a file, up to LONGEST_UPLOAD characters."""

    def __init__(self, content: bytes) -> None:
        self._text = Text(io.BufferedReader(io.BytesIO(content)))
        self._length = 0
        self.is_cut = False

    def read(self, size: int) -> str:
        if self._length > LONGEST_UPLOAD:
            self.is_cut = True
            return ""
        block = self._text.read()
        self._length += len(block)
        return block

    @property
    def position(self) -> int:
        return self._text.position


class UploadList(GameList):
    """Games that a page has uploaded."""

    def __init__(self, content: bytes, results: Results) -> None:
        self._content = content
        self._bounded = _Bounded(content)
        super().__init__("the upload", results)

    def _follow(self) -> None:
        """Do nothing: what was uploaded does not change."""

    def _source(self) -> Iterator[Game]:
        if positions := self._position_lines():
            return _positions(positions, self._fault)
        return self._read_on()

    def _read_on(self) -> Iterator[Game]:
        yield from _games(
            Reader(self._bounded, results=self._results, forgiving=True, on_error=lambda error: self._fault(str(error)))  # type: ignore[arg-type]
        )
        if self._bounded.is_cut:
            self._cut = (
                f"the text is longer than {LONGEST_UPLOAD:,} characters; kr web FILE.pdn opens files of any size"
            )

    def _position_lines(self) -> list[tuple[int, str]]:
        source = _Bounded(self._content)
        text, first = "", None
        with suppress(InvalidPdnError):
            while len(text) <= LONGEST_POSITIONS and (block := source.read(0)):
                text += block
                if first is None:
                    # the last line goes on in the next block; comments may come before the first position
                    first = next(fen_lines(text.splitlines()[:-1]), None)
                    # a text that does not begin as a position is not a list of them
                    if first and not _fens(first[1]):
                        return []
            if len(text) <= LONGEST_POSITIONS:
                return _fens(text)
        return []

    def _share(self) -> float | None:
        return min(1.0, self._bounded.position / len(self._content)) if self._content else None


class Shelf:
    """Files of the command line and uploads of pages, by number or name; no other file is opened."""

    def __init__(self, house: House) -> None:
        self.paths = house.files
        self.mark = secrets.token_hex(4)
        """Distinguishes this server from the one before, so that a page opens the files of a new one."""
        self._files = {
            (path, results): FileList(path, results) for path in self.paths for results in RESULT_CONVENTIONS
        }
        self._lock = threading.Lock()
        self._uploads: OrderedDict[str, tuple[bytes, dict[Results, UploadList]]] = OrderedDict()
        house.on_close(self.close)

    @classmethod
    def of(cls, house: House) -> Shelf:
        """The shelf of a server."""
        with _MAKING:
            if house not in _SHELVES:
                _SHELVES[house] = cls(house)
            return _SHELVES[house]

    def add(self, content: bytes) -> str:
        """Keep an upload, and return its name."""
        name = secrets.token_urlsafe(12)
        with self._lock:
            self._uploads[name] = content, {}
            self._forget()
        return name

    def extend(self, name: str, content: bytes) -> None:
        """Add to an upload. Raises InvalidSettingError."""
        with self._lock:
            before, lists = self._uploads.get(name, (b"", {}))
            if not before:
                raise _no_upload()
            if lists:
                raise InvalidSettingError("this upload is read already; nothing can be added to it")
            if len(before) + len(content) > LARGEST_UPLOAD:
                del self._uploads[name]
                raise InvalidSettingError(f"the file is larger than {LARGEST_UPLOAD >> 20} MB: start kr web FILE.pdn")
            self._uploads[name] = before + content, lists
            self._uploads.move_to_end(name)
            self._forget()

    def games(self, request: PageRequest) -> GameList:
        """The list that a request names. Raises InvalidSettingError."""
        results: Results = "white" if request.choice("results", RESULT_CONVENTIONS, "english") == "white" else "english"
        if request.has("upload"):
            name = request.text("upload")
            with self._lock:
                if name not in self._uploads:
                    raise _no_upload()
                self._uploads.move_to_end(name)
                content, lists = self._uploads[name]
                if results not in lists:
                    # games read by the other convention make room
                    lists.clear()
                    lists[results] = UploadList(content, results)
                return lists[results]
        if not self.paths:
            raise InvalidSettingError("no file was named: kr web FILE.pdn")
        return self._files[self.paths[request.number("file", 1, len(self.paths)) - 1], results]

    def close(self) -> None:
        """Close all files."""
        for file in self._files.values():
            file.close()

    def _forget(self) -> None:
        while len(self._uploads) > 1 and (
            len(self._uploads) > MOST_UPLOADS or sum(len(each) for each, _ in self._uploads.values()) > LARGEST_UPLOADS
        ):
            self._uploads.popitem(last=False)


def _no_upload() -> InvalidSettingError:
    return InvalidSettingError("the server does not have this file any more: open it again")


_SHELVES: WeakKeyDictionary[House, Shelf] = WeakKeyDictionary()
_MAKING = threading.Lock()
