"""The Hub 2 server: kr as an engine that a draughts program runs as a child process, speaking in lines of text.

The calling thread reads commands while another one searches, so that ``stop``, ``ponder-hit`` and ``ping`` are obeyed
at once. Each ``go`` is answered by exactly one ``done`` or ``error``. Commands that change the engine stop a search
first.
"""

from __future__ import annotations

import io
import os
import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock, Timer
from typing import TextIO

from kr import __version__
from kr.book.book import SHIPPED_BOOK, KnownMove, OpeningBook, load_book
from kr.book.krb import least_games
from kr.egdb.database import Database, load_database
from kr.engine.engine import DEFAULT_HASH_MB, MAX_LINES, Engine
from kr.engine.result import Info, SearchOutcome, SearchResult
from kr.engine.search import Search
from kr.errors import IllegalMoveError, InvalidBookError, InvalidSettingError, KrError, ProtocolError, ThreadError
from kr.evaluation.kinds import SHIPPED
from kr.game.position import Move, Position, Side
from kr.policy.policy import load_policy
from kr.policy.practical import PracticalChances
from kr.protocols.hub_level import HubLevel
from kr.protocols.hub_text import (
    format_hub_line,
    format_hub_move,
    format_hub_score,
    parse_hub_line,
    parse_hub_move,
    parse_hub_position,
)
from kr.protocols.text import FRAMES
from kr.settings import EGDB_MEMORY
from kr.threads import MAX_THREADS, start_all
from kr.units import MEBIBYTE

AUTO = "auto"
MOST_MEGABYTES = 1 << 20
_GO_MODES = ("think", "ponder", "analyze")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A setting that the engine declares by ``param`` and takes by ``set-param``."""

    name: str
    default: str
    kind: str
    low: int = 0
    high: int = 0
    values: tuple[str, ...] = ()

    def declaration(self, value: str) -> str:
        """The ``param`` line with the present value."""
        bounds: dict[str, object] = {}
        if self.kind == "int":
            bounds = {"min": self.low, "max": self.high}
        elif self.kind == "enum":
            bounds = {"values": " ".join(self.values)}
        return format_hub_line("param", name=self.name, value=value, type=self.kind, **bounds)

    def check(self, value: str) -> None:
        """Raise InvalidSettingError for an invalid value."""
        if self.kind == "int":
            if not re.fullmatch("[0-9]{1,9}", value) or not self.low <= int(value) <= self.high:
                raise InvalidSettingError(f"{self.name}={value} is not a whole number from {self.low} to {self.high}")
        elif self.kind in ("enum", "bool"):
            choices = self.values if self.kind == "enum" else ("true", "false")
            if value not in choices:
                raise InvalidSettingError(f"{self.name}={value} is not one of {', '.join(choices)}")


PARAMETERS = {
    parameter.name: parameter
    for parameter in (
        # English draughts is the only variant
        Parameter("variant", "english", "enum", values=("english",)),
        # a weights file, "manual", "material" or "shipped"
        Parameter("weights", SHIPPED, "string"),
        # megabytes of the hash table
        Parameter("hash", str(DEFAULT_HASH_MB), "int", 1, MOST_MEGABYTES),
        Parameter("threads", "1", "int", 1, MAX_THREADS),
        # the directory of an endgame database, "none", or "auto" for the usual places
        Parameter("egdb", AUTO, "string"),
        # megabytes in which to unpack the database, as far as it fits
        Parameter("egdb-memory", str(EGDB_MEMORY // MEBIBYTE), "int", 0, MOST_MEGABYTES),
        # moves from the opening book at go think: none, its best ones, or different ones that are about as good
        Parameter("book", "off", "enum", values=("off", "best", "varied")),
        # a .krb file, or the book that comes with kr
        Parameter("book-file", SHIPPED_BOOK, "string"),
        # people, if go think is to play a draw that the database knows for their mistakes
        Parameter("against", "off", "enum", values=("off", "people")),
        # number of best moves to analyse; lines after the first are sent as "info multipv=2 ..."
        Parameter("multipv", "1", "int", 1, MAX_LINES),
        # squares and colours of "pos": see _in_frame
        Parameter("frame", AUTO, "enum", values=(AUTO, *FRAMES)),
        # true if "done" is to name the expected reply
        Parameter("ponder", "true", "bool"),
    )
}
_TURNED_START = Position(side=Side.WHITE)
_BOOK_PARAMETERS = ("book", "book-file")
_BOOK_SWITCH = {"true": "varied", "false": "off"}
"""Values of clients that know a parameter `book` of another engine, Scan, where it is a switch."""
_ENGINE_PARAMETERS = ("weights", "hash", "threads", "egdb", "egdb-memory")


class HubServer:
    """Serves one client: reads lines from source, writes lines to sink.

    settings: values of parameters, by name, as ``set-param`` gives them. make_engine: called with (weights, hash_mb,
    threads, endgame database) when the engine is first needed, and again after these have changed. Raises
    InvalidSettingError.
    """

    def __init__(
        self,
        source: TextIO,
        sink: TextIO,
        settings: dict[str, str] | None = None,
        make_engine: Callable[[str | None, int, int, Database | None], Engine] = Engine,
    ) -> None:
        self._source = source
        self._sink = sink
        self._sink_lock = Lock()
        self._make_engine = make_engine
        self._engine: Engine | None = None
        self._book: OpeningBook | None = None
        self._practical: PracticalChances | None = None
        self._chance = random.Random()
        self._values = {name: parameter.default for name, parameter in PARAMETERS.items()}
        self._position: Position | None = Position()
        self._history: tuple[Position, ...] = ()
        self._level = HubLevel()
        self._start_frame = FRAMES[0]
        """Frame of the last start position received, which also holds for the positions after it."""
        self._search: Search | None = None
        self._pondered: HubLevel | None = None
        """Limits of the search under way once the expected move has been played."""
        self._timer: Timer | None = None
        """Ends that search when its time is up."""
        self._last_nodes = 0
        """Nodes in its last info line."""
        self._commands: dict[str, Callable[[dict[str, str]], None]] = {
            "hub": self._hub,
            "set-param": self._set_param,
            "init": self._init,
            "pos": self._pos,
            "level": self._set_level,
            "go": self._go,
            "ponder-hit": self._ponder_hit,
            "stop": lambda args: self._stop_search(),
            "new-game": self._new_game,
            "ping": lambda args: self._send("pong"),
        }
        for name, value in (settings or {}).items():
            self._set_param({"name": name, "value": value})

    def serve(self) -> None:
        """Obey commands until ``quit``, the end of source, or Ctrl-C. A search under way is then stopped."""
        try:
            for text in iter(self._source.readline, ""):
                if not self._answer(text):
                    break
        except KeyboardInterrupt:
            pass
        finally:
            self._stop_search()

    def _answer(self, text: str) -> bool:
        """Obey one line; False after ``quit``. Invalid lines are answered by an error, unknown commands ignored."""
        try:
            line = parse_hub_line(text)
            if line is not None and line.command in self._commands:
                self._commands[line.command](line.args)
            return line is None or line.command != "quit"
        except (KrError, MemoryError) as error:
            self._send_error(error)
        return True

    # setting up

    def _hub(self, args: dict[str, str]) -> None:
        self._send(format_hub_line("id", name="kr", version=__version__, author="the kr developers"))
        for name, parameter in PARAMETERS.items():
            self._send(parameter.declaration(self._values[name]))
        self._send("wait")

    def _set_param(self, args: dict[str, str]) -> None:
        if "name" not in args or "value" not in args:
            raise ProtocolError("set-param: expected name= and value=")
        name, value = args["name"], args["value"]
        if name not in PARAMETERS:
            # clients may send parameters of other engines, and ignore lines that they don't know
            warning = f"unknown parameter {name} ignored; there are {', '.join(PARAMETERS)}"
            self._send(format_hub_line("warning", message=warning))
            return
        if name == "book":
            value = _BOOK_SWITCH.get(value, value)
        PARAMETERS[name].check(value)
        if name in _ENGINE_PARAMETERS and value != self._values[name]:
            self._stop_search()
            self._engine = None
        if name in _BOOK_PARAMETERS and value != self._values[name]:
            self._book = None
        if name == "frame":
            self._start_frame = FRAMES[0]
        self._values[name] = value

    def _init(self, args: dict[str, str]) -> None:
        self._stop_search()
        try:
            self._ready_engine()
            self._ready_book()
        except (KrError, MemoryError) as error:
            self._send_error(error)
        # the client waits for this line; without an engine each go reports the error again
        self._send("ready")

    def _ready_engine(self) -> Engine:
        """Engine with the present parameters. Raises what Engine raises."""
        if self._engine is None:
            weights = self._values["weights"]
            shipped = weights in ("", SHIPPED)
            hash_mb, threads = int(self._values["hash"]), int(self._values["threads"])
            egdb, egdb_memory = self._values["egdb"], int(self._values["egdb-memory"]) * MEBIBYTE
            database = load_database("" if egdb == AUTO else egdb, egdb_memory)
            self._engine = self._make_engine(None if shipped else weights, hash_mb, threads, database)
        return self._engine

    def _ready_book(self) -> OpeningBook | None:
        """The book to play from; None without one. Raises InvalidSettingError, InvalidBookError."""
        if self._book is None and self._values["book"] != "off":
            try:
                self._book = load_book(self._values["book-file"])
            except OSError as error:
                raise InvalidBookError(f"{error.filename}: {error.strerror}") from None
        return self._book

    def _new_game(self, args: dict[str, str]) -> None:
        self._stop_search()
        if self._engine is not None:
            self._engine.new_game()

    # what to search

    def _pos(self, args: dict[str, str]) -> None:
        # after an invalid position the one before must not be searched instead
        self._position, self._history = None, ()
        position = self._in_frame(parse_hub_position(args["pos"])) if "pos" in args else Position()
        history = []
        for number, text in enumerate(args.get("moves", "").split(), start=1):
            try:
                move = parse_hub_move(text, position)
            except KrError as error:
                raise type(error)(f"move {number} of pos: {error}{self._frame_hint(number)}") from None
            history.append(position)
            position = position.play(move)
        self._position, self._history = position, tuple(history)

    @property
    def _frame(self) -> str:
        """Frame in which positions are read."""
        return self._start_frame if self._values["frame"] == AUTO else self._values["frame"]

    def _in_frame(self, position: Position) -> Position:
        """Actual position behind a received one: positions of clients with the frame "mover" are turned back.

        With frame=auto the start position decides the frame: Black begins, so with White to move it is a turned one.
        Other positions could be read either way, so the frame of the last start position holds for them.
        """
        if position == _TURNED_START:
            self._start_frame = "mover"
        elif position == Position():
            self._start_frame = "pdn"
        return position.flipped() if self._frame == "mover" else position

    def _frame_hint(self, number: int) -> str:
        """Hint for an illegal first move, whose usual cause is the other frame."""
        if number > 1:
            return ""
        other = "mover" if self._frame == "pdn" else "pdn"
        return f" (if the client uses the other frame: set-param name=frame value={other})"

    def _set_level(self, args: dict[str, str]) -> None:
        self._level = HubLevel.parse(args)

    # searching

    def _go(self, args: dict[str, str]) -> None:
        self._stop_search()
        modes = [mode for mode in _GO_MODES if mode in args]
        if len(modes) != 1:
            raise ProtocolError(f"go: expected one of {', '.join(_GO_MODES)}")
        if self._position is None:
            raise ProtocolError("no position to search: the last pos was invalid")
        if self._position.is_over:
            raise IllegalMoveError(f"no legal move in {self._position.fen}: the side to move has lost")
        self._last_nodes = 0
        if modes[0] == "think" and (self._play_from_book(self._position) or self._play_for_mistakes(self._position)):
            return
        pondering = modes[0] == "ponder"
        self._search = self._ready_engine().start(
            self._position,
            self._level.limits(clock_runs=not pondering),
            history=self._history,
            on_info=self._send_info,
            multipv=int(self._values["multipv"]),
            on_end=self._send_end,
        )
        self._pondered = self._level if pondering else None

    def _play_from_book(self, position: Position) -> bool:
        """Answer from the book, if it has the position."""
        book = self._ready_book()
        if book is None:
            return False
        chance = self._chance if self._values["book"] == "varied" else None
        choice = book.choice(position, chance, self._history)
        if choice is None:
            return False
        line = book.line(position, choice)
        self._send_book_info(choice, line)
        self._send(self._done_line(line))
        return True

    def _play_for_mistakes(self, position: Position) -> bool:
        """Answer where a draw is known and people's mistakes are in sight, if the client asks for it."""
        if self._values["against"] == "off" or (database := self._ready_engine().database) is None:
            return False
        began = time.perf_counter()
        if self._practical is None or self._practical.database is not database:
            self._practical = PracticalChances.usual(load_policy(), database)
        best = self._practical.best(position, self._history)
        if best is None:
            return False
        line = (best.move,)
        self._send_info(Info(1, 0, 0, time.perf_counter() - began, line))
        self._send(self._done_line(line))
        return True

    def _send_end(self, outcome: SearchOutcome) -> None:
        """Answer for a search, in its thread."""
        if isinstance(outcome, SearchResult):
            # the nodes of an iteration that was cut short, and the lines that it changed
            if outcome.depth and outcome.nodes != self._last_nodes:
                for info in outcome.lines:
                    self._send_info(info)
            self._send(self._done_line((outcome.move, *outcome.pv[1:])))
        elif isinstance(outcome, KrError):
            self._send_error(outcome)
        else:  # the client gets the error in its protocol
            self._send(format_hub_line("error", message=f"the search failed: {type(outcome).__name__}: {outcome}"))

    def _done_line(self, line: Sequence[Move]) -> str:
        """The answer: the first move of a line, and the reply that it expects."""
        expected: dict[str, object] = {}
        if self._values["ponder"] == "true" and len(line) > 1:
            expected = {"ponder": format_hub_move(line[1])}
        return format_hub_line("done", move=format_hub_move(line[0]), **expected)

    def _ponder_hit(self, args: dict[str, str]) -> None:
        """Continue the search under way, with its clock running from now on, since the expected move was played."""
        level, self._pondered = self._pondered, None
        if self._search is None or level is None:
            return
        seconds = level.limits().seconds()[0]
        if seconds is not None:
            timer = Timer(seconds, self._search.stop)
            timer.daemon = True
            try:
                start_all([timer], timer.cancel)
            except ThreadError:
                # moving at once is better than losing on time
                self._search.stop()
            self._timer = timer

    def _stop_search(self) -> None:
        """End the search under way, if any, and wait until its answer has been written."""
        search, self._search, self._pondered = self._search, None, None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if search is not None:
            search.close()

    # answering

    def _send_info(self, info: Info) -> None:
        """Write an info line. Clients match it by pattern, so the order of its fields is part of the protocol."""
        self._last_nodes = info.nodes
        number = f"multipv={info.multipv} " if info.multipv > 1 else ""
        speed = info.nodes / info.time / 1e6 if info.time > 0 else 0.0
        probes = f" probes={info.probes} hits={info.hits}" if info.probes else ""
        self._send(
            # the core does not track the mean leaf depth: the nominal depth takes its place
            f"info {number}depth={info.depth} mean-depth={info.depth:.1f} score={format_hub_score(info.score)} "
            f"nodes={info.nodes} time={info.time:.3f} nps={speed:.3f} "
            f'pv="{" ".join(format_hub_move(move) for move in info.pv)}"{probes}'
        )

    def _send_book_info(self, move: KnownMove, line: Sequence[Move]) -> None:
        """Write what the book knows of its move, in the form of an info line."""
        assert move.value is not None
        self._send(
            f"info depth={move.depth} mean-depth={move.depth:.1f} score={format_hub_score(move.value)} "
            f'nodes=0 time=0.000 nps=0.000 pv="{" ".join(map(format_hub_move, line))}" '
            f"book-games={least_games(move.weight)}"
        )

    def _send_error(self, error: Exception) -> None:
        self._send(format_hub_line("error", message=str(error) or "out of memory"))

    def _send(self, line: str) -> None:
        """Write one line at once, from either thread. A client that has gone is noticed by its end of file instead."""
        with self._sink_lock:
            try:
                self._sink.write(line + "\n")
                self._sink.flush()
            except (OSError, ValueError):
                pass


def serve_stdio(settings: dict[str, str] | None = None) -> None:
    """Serve the program that started this process, on standard input and output.

    settings: as in HubServer. Raises InvalidSettingError before a line is read.
    """
    # None if the shell has closed it, which counts as its end
    HubServer(sys.stdin or io.StringIO(), sys.stdout, settings).serve()
    try:
        sys.stdout.flush()
    except OSError:
        # the reader has gone: keep the interpreter from complaining as it exits
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
