"""The Hub 2 client: another program's engine, run as a child process.

Any fault of the engine (it exits, hangs, plays an illegal move, sends nonsense) becomes one ProtocolError, and its
process is killed, since nothing is known about its state any more. ``new_game`` restarts it.
"""

from __future__ import annotations

import io
import logging
import math
import queue
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import NoReturn

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
from kr.protocols.talk import BY, ERROR, LAST_CHARACTERS, LONGEST_SAID, NOTE, TO, LastWords, TalkLog
from kr.system import end_group, ended_how, environment, join_command, processor_seconds, split_command, start_group
from kr.text import visible
from kr.threads import SIGNALS_WAIT, start_all
from kr.units import format_duration

# endless lines must not fill our memory
_UNREAD_LINES = 10_000
PATIENCE = 600.0
"""Seconds that a search without a time limit may take by default."""
_QUIT_SECONDS = 0.5
_LEAVE_SECONDS = 2.0
"""For an idle engine to obey ``quit``."""
_FLOOD = 1000
"""Lines to one question from which on an engine floods."""
LATE = "hangs"
"""What an engine does that is late with its move."""
_STOP_POLL = 0.02
"""Seconds between looks at the Stop of a search, while nothing comes from the engine."""
LOG_NAME = "kr.engines"
"""Name of the logger that tells of faults which cost no game."""

_complaints: set[str] = set()
"""What it has told."""


@dataclass(slots=True)
class _Question:
    """A line to which an answer is due."""

    text: str
    seconds: float
    """For the answer."""
    late: str
    """What an engine does whose answer is late."""
    lines: int = 0
    """That have come since."""
    at: float = field(default_factory=time.monotonic)

    @property
    def deadline(self) -> float:
        return self.at + self.seconds


@dataclass(frozen=True, slots=True)
class Startup:
    """How the program of an engine starts."""

    folder: Path | None = None
    """In which it runs, and its command is looked for first; None for that of kr."""
    seconds: float = 30.0
    """For each step of the handshake and for ``new-game``."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Of its environment, beside those of kr."""


DEFAULT_STARTUP = Startup()


class HubClient:
    """An engine behind a command line, such as ``kr hub`` or ``scan hub``.

    options: values for ``set-param``, by name. hash_mb: size of the hash table, for engines that declare ``hash``.
    margin: seconds beyond a time limit, or after a stop, after which a search counts as hanging. patience: seconds that
    a search without a time limit may take. log: hears all that is said to the engine and by it.
    Raises ProtocolError if the command can't be started or breaks the handshake, InvalidSettingError for an option that
    the engine doesn't have and a folder that isn't there.

    name, version and parameters (the engine's own values) come from the handshake.
    """

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
        self.command = _split(command)
        self.name = self.command[0]
        self._startup, self._log = startup, log
        if startup.folder is not None:
            self.command = _in_folder(self.command, startup.folder)
        self.version = ""
        self.parameters: dict[str, str] = {}
        self._options = dict(options or {})
        self._hash_mb = hash_mb
        self._margin = margin
        self._patience = patience
        self._multipv = 1
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._readers: list[Thread] = []
        self._asked: _Question | None = None
        self._last_line = ""
        self._last_words: LastWords | None = None
        self._start()

    def __enter__(self) -> HubClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def is_running(self) -> bool:
        """True while the engine's process runs; False after close() and after any ProtocolError."""
        return self._process is not None and self._process.poll() is None

    def processor_seconds(self) -> float | None:
        """Seconds of processor time that its programs have had; None if the system doesn't say."""
        process = self._process
        return None if process is None else processor_seconds(process)

    def new_game(self) -> None:
        """Begin a new game. Restarts an engine that has ended."""
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
        """Let the engine choose a move. Its time is measured here, from the question to the answer.

        history: earlier positions, oldest first. stop: once set, the engine has to move at once; with one the
        limits may be Limits(), a search until it is set. on_line: called with the arguments of each ``info`` line of
        the engine as it comes; `read_info` makes an Info of them. multipv: best moves that get a line, for engines
        that declare ``multipv``. The score is the engine's last one, 0 if it sent none. Raises ProtocolError with
        the reason if the engine fails, InvalidSettingError for limits that set no end.
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
        times = [limits.time] if limits.left is None else [limits.time, limits.left + limits.inc]
        patience = math.inf if endless else self._patience
        allowed = min((time + self._margin for time in times if time is not None), default=patience)
        asked = self._ask("go think", allowed)
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

    def close(self) -> None:
        """End the process and its children: by ``quit``, or by force if it does not obey.

        May be called from any thread: a search that waits for an answer then ends with ProtocolError.
        """
        if self.is_running:
            # one that searches may read no more than that
            idle = self._asked is None
            try:
                self._send("quit")
                self._running().wait(_LEAVE_SECONDS if idle else _QUIT_SECONDS)
            except subprocess.TimeoutExpired:
                if idle:
                    self._complain(f"ignores quit: killed after {format_duration(_LEAVE_SECONDS)}")
            except ProtocolError:
                pass
        self._kill()
        if self._log is not None:
            self._log.close()

    # the process

    def _hear(self, mark: str, text: str) -> None:
        """Write a line into the log, if there is one."""
        if self._log is not None:
            self._log.write(mark, text)

    def _complain(self, reason: str) -> None:
        """Tell of a fault that costs no game: in the log, and once for each program to who runs kr."""
        self._hear(NOTE, reason)
        complaint = visible(f"hub engine {self.name} {reason}")
        if complaint not in _complaints:
            _complaints.add(complaint)
            logging.getLogger(LOG_NAME).warning("%s%s", complaint, self._last_said())

    def _start(self) -> None:
        self._kill()
        self._last_words, self._last_line, self._asked = None, "", None
        startup = self._startup
        place = f" in {startup.folder}" if startup.folder else ""
        variables = "".join(f" {name}={value}" for name, value in startup.variables.items())
        self._hear(NOTE, f"starts {join_command(self.command)}{place}" + (f" with{variables}" if variables else ""))
        try:
            process = start_group(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=startup.folder,
                env=environment(startup.variables),
                text=True,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ProtocolError(f"hub engine {join_command(self.command)} can't be started: {reason}") from None
        self._process = process
        assert isinstance(process.stdin, io.TextIOWrapper)
        process.stdin.reconfigure(newline="\n")
        self._lines = queue.Queue(_UNREAD_LINES)
        assert process.stderr is not None
        self._last_words = LastWords(process.stderr, partial(self._hear, ERROR))
        readers = [
            Thread(target=self._read_lines, args=(process, self._lines), name="hub reader", daemon=True),
            Thread(target=self._last_words.read, name="hub error reader", daemon=True),
        ]
        try:
            start_all(readers, process.kill)
            self._readers = readers
            self._shake_hands()
        except BaseException:
            self._kill()
            raise

    def _read_lines(self, process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
        """Queue the engine's lines, then None. Body of the reader thread, which ends with the process."""
        assert process.stdout is not None
        with process.stdout as stream:
            while text := stream.readline(LONGEST_SAID):
                self._hear(BY, text)
                lines.put(text)
        lines.put(None)

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

    def _running(self) -> subprocess.Popen[str]:
        """The process, which may have exited. Raises ProtocolError if there is none."""
        if self._process is None:
            self._fail("is not running")
        return self._process

    def _send(self, line: str) -> None:
        process = self._running()
        assert process.stdin is not None
        self._hear(TO, line)
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
        except (OSError, ValueError):
            self._fail_ended()

    def _ask(self, text: str, seconds: float, late: str = LATE) -> _Question:
        """Send a line to which an answer is due."""
        self._asked = asked = _Question(text, seconds, late)
        self._send(text)
        return asked

    def _next(self) -> HubLine:
        """Next valid line; others are ignored, as the protocol asks."""
        line = self._next_unless(None)
        assert line is not None
        return line

    def _next_unless(self, stop: Stop | None) -> HubLine | None:
        """Next valid line, or None if `stop` is set."""
        asked = self._asked
        assert asked is not None
        while True:
            if stop is not None and stop.is_set():
                return None
            seconds = max(asked.deadline - time.monotonic(), 0.0)
            try:
                text = self._lines.get(timeout=min(seconds, SIGNALS_WAIT if stop is None else _STOP_POLL))
            except queue.Empty:
                if time.monotonic() < asked.deadline:
                    continue
                self._fail_late(asked)
            if text is None:
                self._fail_ended()
            asked.lines += 1
            self._last_line = text
            # an endless stream of lines never leaves the queue empty, so that only the clock ends it
            if time.monotonic() > asked.deadline:
                self._fail_late(asked)
            try:
                line = parse_hub_line(text)
            except ProtocolError:
                continue
            if line is not None and line.command == "error":
                self._fail(f"reports an error: {line.args.get('message', text.strip())}")
            if line is not None:
                return line

    def _discard_unread(self) -> None:
        """Discard lines that came after the last answer, so that none counts as the next answer."""
        with suppress(queue.Empty):
            while (text := self._lines.get_nowait()) is not None:
                self._last_line = text
            self._fail_ended()

    def _await(self, command: str) -> None:
        while self._next().command != command:
            pass
        self._asked = None

    def _last_said(self) -> str:
        """The last line of the engine, to follow a reason."""
        line = visible(self._last_line.strip()[:LAST_CHARACTERS])
        return f"; its last line: {line}" if line else ""

    def _fail_late(self, asked: _Question) -> NoReturn:
        """Report an answer that did not come in time."""
        seconds = format_duration(round(asked.seconds, 3))
        more = "" if asked.late == LATE else f" (start={format_duration(2 * asked.seconds)} in its text gives it more)"
        if asked.lines >= _FLOOD:
            reason = f"floods: {asked.lines:,} lines in {seconds}, but no answer to {asked.text!r}"
        elif asked.text == "hub" and not asked.lines:
            reason = f"says no hello: not a line in {seconds} after 'hub'{more}"
        else:
            reason = f"{asked.late}: no answer to {asked.text!r} in {seconds}{more}"
        self._fail(reason + self._last_said())

    def _fail_ended(self) -> NoReturn:
        """Report how the process ended, once its pipe is closed."""
        at = "between two questions" if self._asked is None else f"at {self._asked.text!r}"
        try:
            status = self._running().wait(_QUIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._fail(f"closed its output {at}{self._last_said()}")
        self._fail(f"{'crashed' if status else 'left'} {at}: {ended_how(status)}{self._last_said()}")

    def _fail(self, reason: str) -> NoReturn:
        # to the end of what it says
        self._kill()
        words = str(self._last_words or "")
        if words:
            reason += f"; on its error stream: {words}"
        self._hear(NOTE, reason)
        raise ProtocolError(f"hub engine {self.name} {reason}")

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        # the group outlives its leader: a wrapper script may exit before the engine that it started
        end_group(process)
        deadline = time.monotonic() + _QUIT_SECONDS
        while any(each.is_alive() for each in self._readers) and time.monotonic() < deadline:
            # one may be waiting for room in the queue
            with suppress(queue.Empty):
                while True:
                    self._lines.get_nowait()
            for each in self._readers:
                each.join(0.01)
        # a search in another thread may be waiting for a line
        with suppress(queue.Full):
            self._lines.put_nowait(None)
        assert process.stdin is not None
        # unread input can't be delivered any more
        with suppress(OSError):
            process.stdin.close()


def _split(command: str | Sequence[str]) -> list[str]:
    try:
        words = split_command(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise InvalidSettingError(f"hub command {command!r} can't be parsed: {error}") from None
    if not words:
        raise InvalidSettingError('empty hub command: expected one such as "kr hub"')
    return words


def is_startable(words: list[str], folder: Path | None = None) -> bool:
    """True if there is a program of a command's first word, looked for as `HubClient` does. Raises InvalidSettingError
    for a folder that isn't there."""
    program = words[0] if folder is None else _in_folder(words, folder)[0]
    return shutil.which(program) is not None


def _in_folder(words: list[str], folder: Path) -> list[str]:
    """A command whose program is one of a folder, if there is one of its name, else as it stands."""
    if not folder.is_dir():
        raise InvalidSettingError(f"dir={folder}: not a folder, in which an engine could run")
    program, *rest = words
    if place := shutil.which(str(folder.absolute() / program)):
        program = place
    elif Path(program).name != program:
        # a path from here, which would be another one in the folder
        program = str(Path(program).absolute())
    return [program, *rest]


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
