"""Games read for an index: as text, tags, keys of positions and codes of moves, without the tree of their moves.

Games of tags, numbered moves and a result alone, as nearly all of a collection are, are replayed by the compiled rules
alone, twenty times as fast as `Reader` builds a `Game`. All others go through `Reader`, so that games and errors are
the same.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kr import _core
from kr.errors import InvalidFenError, InvalidPdnError
from kr.game.position import Bits, Position
from kr.notation import format_path
from kr.pdn.game import Game
from kr.pdn.grammar import RESULTS, Buffer, plain_result
from kr.pdn.headings import settle_players
from kr.pdn.reader import Reader, Source
from kr.pdn.writer import ENGLISH

NO_CODE = 0xFFFF
"""In place of the code of a move after the last one."""
MOST_PLAIN = 4096
"""Positions of a game that is read without a tree."""
MOST_GAME_CHARACTERS = 1 << 22
"""Characters of one game, which are in memory together."""

_START = Position().bits
_TAGS = re.compile(r'\s*((?:\[\w+ "[^"\\\n]*"\][ ]?\n)+)')
_TAG = re.compile(r'\[(\w+) "([^"\\\n]*)"\]')
_FOLLOWING = re.compile(r"\s*+(\[|\Z)")


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a text between two games, with the digest of the text before it."""

    char: int = 0
    """Characters before it, line ends counted as one."""
    line: int = 1
    column: int = 1
    digest: str = hashlib.sha256().hexdigest()
    """SHA-256 of the characters before it, in UTF-8."""


@dataclass(slots=True)
class Scanned:
    """A game; its keys and codes stand at the end of those of the scanner."""

    text: str
    line: int
    headers: dict[str, str]
    result: int
    """Number of the result in the order of RESULTS."""
    start: Bits
    plies: int


class Scanner(Reader):
    """Reader of games for an index. The first `used` of `keys` and `codes` are of all games that were not dropped.

    keys: hash of the start of a game and of the position after each move. codes: 16-bit code of the move played there,
    NO_CODE at the end. begin: where to begin; `scan` raises MovedError if other text stands before it. Results are
    English, the encoding is detected. on_error: as for Reader. on_text: called before more text is read; its exceptions
    end the reading.
    """

    def __init__(
        self,
        source: Source,
        *,
        begin: Place | None = None,
        on_error: Callable[[InvalidPdnError], None] | None = None,
        on_text: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(source, on_error=on_error)
        self._on_text = on_text
        self.keys: NDArray[np.uint64] = np.empty(1 << 18, np.uint64)
        self.codes: NDArray[np.uint16] = np.empty(1 << 18, np.uint16)
        self.used = 0
        self._digest = hashlib.sha256()
        # characters before the buffer, and those of the buffer that are in the digest
        self._before, self._digested = 0, 0
        if begin and begin.char:
            self._skip_to(begin)

    def drop(self, positions: int) -> None:
        """Forget the first positions."""
        for each in (self.keys, self.codes):
            each[: self.used - positions] = each[positions : self.used].copy()
        self.used -= positions

    def place(self) -> Place:
        """The place behind the last game. It must not be the end of the text (see `scan`)."""
        end = self._extent[1]
        self._take(end)
        text = self._buffer.text
        newline = text.rfind("\n", 0, end)
        column = end - newline if newline >= 0 else self._column + end
        return Place(self._before + end, self._line_of(end), column, self._digest.hexdigest())

    def scan(self) -> Scanned | None:
        """The next game; None at the end. Raises as `read_game` does."""
        if self._offset is None:
            return None
        self._make_room(MOST_PLAIN)
        scanned = self._plain(self._offset)
        if scanned is not None:
            return scanned
        game = self.read_game()
        return None if game is None else self._with_tree(game)

    def _plain(self, offset: int) -> Scanned | None:
        """The game at an offset of the buffer if it is plain and ends within the buffer; else None."""
        text = self._buffer.text
        tags = _TAGS.match(text, offset)
        if tags is None:
            return None
        listed = _TAG.findall(text, *tags.span(1))
        headers = dict(listed)
        if len(listed) != len(headers) or headers.get("GameType", ENGLISH) != ENGLISH:
            return None
        headers, _ = settle_players(headers)
        start = _START
        if "FEN" in headers:
            try:
                start = Position.from_fen(headers["FEN"]).bits
            except InvalidFenError:
                return None
        line = _core.read_line(text, tags.end(), *start, self.keys[self.used :], self.codes[self.used :])
        if line is None:
            return None
        plies, result, end = line
        # a comment that follows belongs to the game, and may not have been read yet
        following = _FOLLOWING.match(text, end)
        if following is None or not (following[1] or self._buffer.final):
            return None
        if RESULTS[result] == "*":
            # a star only ends the text
            tag = plain_result(headers.get("Result", "").strip())
            result = RESULTS.index(tag) if tag in RESULTS else result
        begin = tags.start(1)
        self._offset, self._extent = end, (begin, end)
        self.games += 1
        self.used += plies + 1
        return Scanned(text[begin:end], self._line_of(begin), headers, result, start, plies)

    def _with_tree(self, game: Game) -> Scanned:
        plies = 0
        for start, moves in game.stretches():
            self._make_room(plies + len(moves) + 1)
            line = " ".join((*(format_path(move.path, move.is_capture) for move in moves), "*"))
            # a position that is set up takes the place of the one before it
            first = self.used + plies
            read = _core.read_line(line, 0, *start, self.keys[first:], self.codes[first:])
            assert read is not None
            plies += len(moves)
        self.used += plies + 1
        text = self._buffer.text[slice(*self._extent)]
        return Scanned(text, game.line or 0, game.headers, RESULTS.index(game.result), game.start.bits, plies)

    def _make_room(self, positions: int) -> None:
        if self.used + positions > len(self.keys):
            size = 2 * len(self.keys) + positions
            self.keys = np.resize(self.keys, size)
            self.codes = np.resize(self.codes, size)

    def _take(self, end: int) -> None:
        """Bring the digest up to an offset of the buffer."""
        self._digest.update(self._buffer.text[self._digested : end].encode("utf-8", "surrogatepass"))
        self._digested = end

    @property
    def characters(self) -> int:
        """Characters read so far."""
        return self._before + len(self._buffer.text)

    def _read_on(self, offset: int) -> None:
        self._on_text()
        if len(self._buffer.text) - offset > MOST_GAME_CHARACTERS:
            where = f"{self.name}, " if self.name else ""
            line = self._line_of(offset)
            raise InvalidPdnError(f"{where}line {line}: a game of more than {MOST_GAME_CHARACTERS:,} characters")
        self._take(offset)
        self._before += offset
        self._digested = 0
        super()._read_on(offset)

    def _skip_to(self, begin: Place) -> None:
        text = ""
        while self._before + len(text) < begin.char:
            self._digest.update(text.encode("utf-8", "surrogatepass"))
            self._before += len(text)
            text = self._text.read()
            if not text:
                break
        rest = begin.char - self._before
        self._digest.update(text[:rest].encode("utf-8", "surrogatepass"))
        if rest > len(text) or self._digest.hexdigest() != begin.digest:
            self.close()
            raise MovedError("other text stands before this place")
        self._before = begin.char
        self._buffer = Buffer(text[rest:], final=False)
        self._line, self._column = begin.line, begin.column


class MovedError(InvalidPdnError):
    """The text before a place has changed."""
