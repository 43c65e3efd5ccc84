"""A client for engines that read and write lines of text of any form, which a small file describes.

docs/reference/text-engines.md has the form of such a file, with an example.
"""

from __future__ import annotations

import re
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self, get_type_hints

from kr import storage
from kr.engine.limits import Limits
from kr.engine.result import SearchResult
from kr.engine.search import Stop
from kr.errors import IllegalMoveError, InvalidSettingError
from kr.game.position import Move, Position
from kr.protocols.program import DEFAULT_STARTUP, PATIENCE, ProgramClient, Startup
from kr.protocols.talk import TalkLog
from kr.protocols.text import shown, write_squares
from kr.text import file_text

_MOST_BYTES = 1 << 16
LIMIT_NAMES = (
    "seconds", "milliseconds", "depth", "nodes", "left", "left_ms", "increment", "increment_ms",
)  # fmt: skip
"""Names of values in lines that set a limit; a line with one that is not set is left out."""
POSITION_NAMES = ("fen", "board", "side", "start", "moves", "last")
_PLACE = re.compile(r"\{\{|\}\}|\{(\w*)\}|[{}]")
_MOVE_GROUPS = {"move", "board"}
_NAME_GROUPS = {"name", "version"}
_INFO_GROUPS = {"score", "depth", "nodes"}


@dataclass(frozen=True)
class TextEngine:
    """How an engine is spoken to. Raises InvalidSettingError."""

    name: str
    command: str
    """Started in the folder of the file unless the player's text has dir=."""
    search: tuple[str, ...]
    """Lines that ask for a move."""
    move: str
    """Pattern of the line that answers them, with a group `move`, a move as PDN has it, or `board`, that after it."""
    start: tuple[str, ...] = ()
    """Lines for a program that has been started."""
    started: str = ""
    """Pattern of the line that answers them, with a group `name`, `version`, both or neither; without a pattern nothing
    is waited for."""
    game: tuple[str, ...] = ()
    """Lines before each game."""
    game_ready: str = ""
    """Pattern of the line that answers them."""
    info: str = ""
    """Pattern of lines about a search, with groups `score`, `depth` and `nodes`, of which any may be missing."""
    centimen: float = 1.0
    """Centi-men in a score of 1."""
    score_of: str = "mover"
    """Whose view scores have: that of "mover", "black" or "white"."""
    capture: str = "x"
    """Between the squares of a capture that is sent."""
    stop: tuple[str, ...] = ()
    """Lines that end a search early; without any the program is ended."""
    quit: tuple[str, ...] = ()
    """Lines that end the program; without any its input is closed."""

    def __post_init__(self) -> None:
        for name in ("started", "game_ready", "move", "info"):
            groups = {"started": _NAME_GROUPS, "move": _MOVE_GROUPS, "info": _INFO_GROUPS}.get(name, set())
            try:
                own = set(re.compile(getattr(self, name)).groupindex)
            except re.error as error:
                raise InvalidSettingError(f"{name}: not a pattern: {error}") from None
            if own - groups or (name == "move" and len(own) != 1):
                expected = "one group, move or board" if name == "move" else f"groups {', '.join(sorted(groups))}"
                raise InvalidSettingError(f"{name}: groups {', '.join(sorted(own)) or 'missing'}; expected {expected}")
        if self.score_of not in ("mover", "black", "white"):
            raise InvalidSettingError(f"score_of: {self.score_of!r}; expected mover, black or white")
        if not self.search:
            raise InvalidSettingError("search: no line; expected one or more")
        for line in self.search:
            filled(line, dict.fromkeys((*POSITION_NAMES, *LIMIT_NAMES), ""))
        for name in ("start", "game", "stop", "quit"):
            for line in getattr(self, name):
                filled(line, {})

    @classmethod
    def read(cls, path: Path | str) -> Self:
        """The description in a file. Raises InvalidSettingError, naming the file."""
        if not Path(path).exists():
            raise InvalidSettingError(storage.no_file(path, "the description of an engine"))
        try:
            values = tomllib.loads(file_text(storage.read_regular(path, _MOST_BYTES)))
        except OSError as error:
            raise InvalidSettingError(f"{path}: can't be read: {error.strerror}") from error
        except (ValueError, RecursionError) as error:
            raise InvalidSettingError(f"{path}: not the description of an engine: {error}") from error
        try:
            return cls(**_checked(cls, {"name": Path(path).stem, **values}))
        except InvalidSettingError as error:
            raise InvalidSettingError(f"{path}: {error}") from None


def _checked(kind: type[TextEngine], values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a description. Raises InvalidSettingError for what is unknown, missing or of another type."""
    types = get_type_hints(kind)
    names = [each.name for each in fields(kind)]
    if unknown := sorted(values.keys() - set(names)):
        raise InvalidSettingError(f"unknown key {unknown[0]!r}; expected {', '.join(names)}")
    if missing := [name for name in ("command", "search", "move") if name not in values]:
        raise InvalidSettingError(f"{missing[0]} is missing")
    checked: dict[str, Any] = {}
    for name, value in values.items():
        if types[name] is str or types[name] is float:
            allowed: tuple[type, ...] = (str,) if types[name] is str else (float, int)
            if not isinstance(value, allowed) or isinstance(value, bool):
                raise InvalidSettingError(f"{name}: {value!r:.60}; expected {'text' if str in allowed else 'a number'}")
            checked[name] = value
        else:
            lines = [value] if isinstance(value, str) else value
            if not (isinstance(lines, list) and all(isinstance(each, str) for each in lines)):
                raise InvalidSettingError(f"{name}: {value!r:.60}; expected a line, or a list of lines")
            checked[name] = tuple(lines)
    return checked


def filled(line: str, values: Mapping[str, str | None]) -> str | None:
    """A line with its values; None if one of them is None. Raises InvalidSettingError for a name without a value."""
    is_complete = True

    def value(place: re.Match[str]) -> str:
        nonlocal is_complete
        if place[0] in ("{{", "}}"):
            return place[0][0]
        if place[1] not in values:
            raise InvalidSettingError(f"{line!r}: {place[0]} is unknown; expected {', '.join(values) or 'no braces'}")
        text = values[place[1]]
        is_complete = is_complete and text is not None
        return text or ""

    text = _PLACE.sub(value, line)
    return text if is_complete else None


class TextClient(ProgramClient):
    """An engine that a description says how to speak to. kind: what messages call it. Raises what `ProgramClient`
    raises."""

    def __init__(
        self,
        engine: TextEngine,
        startup: Startup = DEFAULT_STARTUP,
        margin: float = 5.0,
        patience: float = PATIENCE,
        log: TalkLog | None = None,
        kind: str = "text engine",
    ) -> None:
        self._kind = kind
        super().__init__(engine.command, startup, margin, patience, log)
        self.name, self._engine = engine.name, engine
        self._move, self._info = re.compile(engine.move), re.compile(engine.info)
        self._start()

    def new_game(self) -> None:
        if not self.is_running:
            self._start()
        self._say(self._engine.game, self._engine.game_ready, "is slow to begin a game")

    def search(
        self, position: Position, limits: Limits, history: Sequence[Position] = (), stop: Stop | None = None
    ) -> SearchResult:
        if limits.endless and stop is None:
            raise InvalidSettingError(f"a {self._kind} needs a limit of time, nodes or depth")
        self._running()
        self._discard_unread()
        lines = self._lines_of(position, limits, history)
        for line in lines[:-1]:
            self._send(line)
        asked = self._ask(lines[-1], self._allowed(limits))
        figures: dict[str, str] = {}
        while (answer := self._read_answer(stop, figures)) is None:
            if not self._engine.stop:
                self._fail("can't be stopped: its description has no line for that")
            for line in self._engine.stop:
                self._ask(line, min(asked.deadline - time.monotonic(), self._margin))
            stop = None
        elapsed = time.monotonic() - asked.at
        self._asked = None
        move = self._move_of(answer, position)
        score, depth, nodes = (_number(figures.get(name)) for name in ("score", "depth", "nodes"))
        turned = self._engine.score_of not in ("mover", position.side.name.lower())
        centimen = round(score * self._engine.centimen) * (-1 if turned else 1)
        return SearchResult(move, centimen, int(depth), int(nodes), elapsed, (move,), ())

    def _read_answer(self, stop: Stop | None, figures: dict[str, str]) -> re.Match[str] | None:
        """The line with a move; None if `stop` is set. figures: takes what lines before it, and itself, tell."""
        while (text := self._next_text(stop)) is not None:
            if self._engine.info and (info := self._info.search(text.rstrip())):
                figures |= {name: value for name, value in info.groupdict().items() if value}
            if answer := self._move.search(text.rstrip()):
                return answer
        return None

    def _move_of(self, answer: re.Match[str], position: Position) -> Move:
        [(kind, text)] = answer.groupdict(default="").items()
        try:
            if kind == "move":
                return position.parse_move(text)
            after = {write_squares(position.play(move), "b"): move for move in position.legal_moves()}
            if text not in after:
                raise IllegalMoveError(f"no legal one leads to the board {shown(text)}")
            return after[text]
        except IllegalMoveError as error:
            self._fail(f"plays an illegal move: {error}")

    def _lines_of(self, position: Position, limits: Limits, history: Sequence[Position]) -> list[str]:
        """The lines of a search. Raises InvalidSettingError if none of them has a limit that is set."""
        start, moves = position, list[Move]()
        for before in reversed(history):
            move = next((each for each in before.legal_moves() if before.play(each) == start), None)
            if move is None:
                break
            start = before
            moves.insert(0, move)
        texts = [str(move).replace("x", self._engine.capture) for move in moves]
        values: dict[str, str | None] = {
            "fen": position.fen,
            "board": write_squares(position, "b"),
            "side": position.side.name[0],
            "start": start.fen,
            "moves": " ".join(texts),
            "last": texts[-1] if texts else None,
            **dict.fromkeys(LIMIT_NAMES),
        }
        if limits.time is not None:
            values |= {"seconds": f"{limits.time:g}", "milliseconds": str(round(1000 * limits.time))}
        if limits.left is not None:
            values |= {"left": f"{limits.left:g}", "left_ms": str(round(1000 * limits.left))}
            values |= {"increment": f"{limits.inc:g}", "increment_ms": str(round(1000 * limits.inc))}
        values |= {name: str(n) for name, n in (("depth", limits.depth), ("nodes", limits.nodes)) if n is not None}
        lines = [filled(line, values) for line in self._engine.search]
        limited = [any(f"{{{name}}}" in line for name in LIMIT_NAMES) for line in self._engine.search]
        if any(limited) and not any(own and line is not None for own, line in zip(limited, lines, strict=True)):
            raise InvalidSettingError(
                f"{self._kind} {self.name} can't be given the limit {limits}: no line of search has it"
            )
        return [line for line in lines if line is not None] or [""]

    def _shake_hands(self) -> None:
        told = self._say(self._engine.start, self._engine.started, "is slow to start")
        self.name, self.version = told.get("name") or self.name, told.get("version") or ""

    def _quit(self) -> None:
        for line in self._engine.quit:
            self._send(line)
        process = self._running()
        if not self._engine.quit and process.stdin is not None:
            process.stdin.close()

    def _say(self, lines: Sequence[str], answer: str, late: str) -> dict[str, str]:
        """Send lines, and wait for their answer if it has a pattern; returns its groups."""
        told: dict[str, str] = {}
        for line in lines:
            text = filled(line, {})
            assert text is not None
            self._ask(text, self._startup.seconds, late)
        if answer:
            if not lines:
                self._expect("its first line", self._startup.seconds, late)
            pattern = re.compile(answer)
            while not (found := pattern.search((self._next_text() or "").rstrip())):
                pass
            told = found.groupdict(default="")
        self._asked = None
        return told


def _number(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:
        return 0.0
