"""The Hub 2 client: another program's engine, run as a child process."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence

from kr.engine.limits import Limits
from kr.engine.result import Info, SearchResult
from kr.engine.search import Stop
from kr.errors import IllegalMoveError, InvalidSettingError, KrError, ProtocolError
from kr.game.position import Move, Position
from kr.protocols.hub_text import (
    HubLine,
    format_hub_line,
    format_hub_move,
    format_hub_position,
    parse_hub_line,
    parse_hub_move,
    parse_hub_score,
)
from kr.protocols.program import DEFAULT_STARTUP, PATIENCE, ProgramClient, Startup
from kr.protocols.talk import TalkLog


class HubClient(ProgramClient):
    """An engine such as ``kr hub`` or ``scan hub``.

    options: values for ``set-param``, by name. hash_mb: size of the hash table, for engines that declare ``hash``.
    Raises ProtocolError if the command can't be started or breaks the handshake, InvalidSettingError for an option that
    the engine doesn't have and a folder that isn't there.

    name, version and parameters (the engine's own values) come from the handshake.
    """

    _kind = "hub engine"
    _hello = "hub"

    def __init__(
        self,
        command: str | Sequence[str],
        options: Mapping[str, str] | None = None,
        hash_mb: int | None = None,
        startup: Startup = DEFAULT_STARTUP,
        margin: float = 5.0,
        patience: float = PATIENCE,
        log: TalkLog | None = None,
    ) -> None:
        super().__init__(command, startup, margin, patience, log)
        self.parameters: dict[str, str] = {}
        self._options = dict(options or {})
        self._hash_mb = hash_mb
        self._multipv = 1
        self._start()

    def new_game(self) -> None:
        if not self.is_running:
            self._start()
        self._send("new-game")
        # clearing the table must not run on the next search's clock
        self._ask("ping", self._startup.seconds, "is slow to begin a game")
        self._await("pong")

    def search(
        self,
        position: Position,
        limits: Limits,
        history: Sequence[Position] = (),
        stop: Stop | None = None,
        on_line: Callable[[Mapping[str, str]], None] | None = None,
        multipv: int = 1,
    ) -> SearchResult:
        """As `ProgramClient.search`; with a stop the limits may be Limits(), a search until it is set.

        on_line: called with the arguments of each ``info`` line of the engine as it comes; `read_info` makes an Info of
        them. multipv: best moves that get a line, for engines that declare ``multipv``.
        """
        endless = limits.endless
        if endless and stop is None:
            raise InvalidSettingError("a Hub engine needs a limit of time, nodes or depth")
        self._running()
        self._discard_unread()
        if self._multipv != multipv and "multipv" in self.parameters:
            self._send(format_hub_line("set-param", name="multipv", value=multipv))
            self._multipv = multipv
        self._send(_pos_line(position, history))
        self._send(_level_line(limits))
        asked = self._ask("go think", math.inf if endless else self._allowed(limits))
        last_info: Mapping[str, str] = {}
        while (line := self._next_unless(stop)) is None or line.command != "done":
            if line is None:
                self._ask("stop", min(asked.deadline - time.monotonic(), self._margin))
                stop = None
            elif line.command == "info" and "score" in line.args:
                # only the last one is parsed further, so that our work takes no time from the engine's
                if line.args.get("multipv", "1") == "1":
                    last_info = line.args
                if on_line is not None:
                    on_line(line.args)
        elapsed = time.monotonic() - asked.at
        self._asked = None
        try:
            move = parse_hub_move(line.args.get("move", ""), position)
        except IllegalMoveError as error:
            self._fail(f"plays an illegal move: {error}")
        except KrError as error:
            self._fail(f"sends nonsense instead of a move: {error}")
        best = read_info(last_info, position)
        if best is None:
            return SearchResult(move, 0, 0, 0, elapsed, (move,), ())
        pv = best.pv if best.pv[:1] == (move,) else (move,)
        return SearchResult(move, best.score, best.depth, best.nodes, elapsed, pv, (best,))

    def _quit(self) -> None:
        self._send("quit")

    def _shake_hands(self) -> None:
        self._multipv = 1
        self._ask("hub", self._startup.seconds, "is slow to start")
        while (line := self._next()).command != "wait":
            if line.command == "id":
                self.name = line.args.get("name", self.name)
                self.version = line.args.get("version", "")
            elif line.command == "param" and "name" in line.args:
                self.parameters[line.args["name"]] = line.args.get("value", "")
        unknown = [name for name in self._options if name not in self.parameters]
        if unknown:
            names = ", ".join(self.parameters) or "none"
            raise InvalidSettingError(f"hub engine {self.name} has no parameter {unknown[0]}; it has {names}")
        options = dict(self._options)
        if self._hash_mb is not None and "hash" in self.parameters:
            options.setdefault("hash", str(self._hash_mb))
        if "frame" in self.parameters:
            # positions are sent as they are, so the engine must not guess that they are turned
            options.setdefault("frame", "pdn")
        for name, value in options.items():
            self._send(format_hub_line("set-param", name=name, value=value))
        self._ask("init", self._startup.seconds, "is slow to start")
        self._await("ready")

    def _next(self) -> HubLine:
        """Next valid line; others are ignored, as the protocol asks."""
        line = self._next_unless(None)
        assert line is not None
        return line

    def _next_unless(self, stop: Stop | None) -> HubLine | None:
        """Next valid line, or None if `stop` is set."""
        while (text := self._next_text(stop)) is not None:
            try:
                line = parse_hub_line(text)
            except ProtocolError:
                continue
            if line is not None and line.command == "error":
                self._fail(f"reports an error: {line.args.get('message', text.strip())}")
            if line is not None:
                return line
        return None

    def _await(self, command: str) -> None:
        while self._next().command != command:
            pass
        self._asked = None


def _pos_line(position: Position, history: Sequence[Position]) -> str:
    """The ``pos`` line, with the moves since the last irreversible one, so that the engine sees repetitions."""
    moves: list[str] = []
    for before in reversed(history):
        move = _reversible_move(before, position)
        if move is None:
            break
        moves.append(format_hub_move(move))
        position = before
    if not moves:
        return f"pos pos={format_hub_position(position)}"
    return f'pos pos={format_hub_position(position)} moves="{" ".join(reversed(moves))}"'


def _reversible_move(before: Position, after: Position) -> Move | None:
    """Quiet king move from one position to the next; None for other moves, and for positions that don't follow."""
    men_before, men_after = before.black & ~before.kings, after.black & ~after.kings
    white_before, white_after = before.white & ~before.kings, after.white & ~after.kings
    if men_before != men_after or white_before != white_after or before.pieces != after.pieces:
        return None
    return next((move for move in before.legal_moves() if before.play(move) == after), None)


def _level_line(limits: Limits) -> str:
    words = {"depth": limits.depth, "nodes": limits.nodes, "move_time": limits.time}
    if limits.left is not None:
        words |= {"moves": limits.moves, "time": limits.left, "inc": limits.inc or None}
    arguments = {name: value for name, value in words.items() if value is not None}
    return format_hub_line("level", **arguments) if arguments else format_hub_line("level", infinite=None)


def read_info(args: Mapping[str, str], position: Position) -> Info | None:
    """Parse an info line about a position; None if its numbers can't be read."""
    try:
        score = parse_hub_score(args.get("score", ""))
        rank, depth, nodes = (int(args.get(name, "0")) for name in ("multipv", "depth", "nodes"))
        seconds = float(args.get("time", "0"))
    except ValueError:
        return None
    pv = []
    for text in args.get("pv", "").split():
        try:
            move = parse_hub_move(text, position)
        except KrError:
            # a faulty variation is cut short; only a faulty move is an error
            break
        pv.append(move)
        position = position.play(move)
    return Info(depth, score, nodes, seconds, tuple(pv), multipv=max(rank, 1))
