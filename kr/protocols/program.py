"""Another program's engine, run as a child process that is spoken to in lines.

Any fault of the engine (it exits, hangs, plays an illegal move, sends nonsense) becomes one ProtocolError, and its
process is killed, since nothing is known about its state any more. ``new_game`` restarts it.
"""

from __future__ import annotations

import io
import logging
import queue
import shutil
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import NoReturn, Self

from kr.engine.limits import Limits
from kr.engine.result import SearchResult
from kr.engine.search import Stop
from kr.errors import InvalidSettingError, ProtocolError
from kr.game.position import Position
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


class ProgramClient(ABC):
    """An engine behind a command line.

    margin: seconds beyond a time limit, or after a stop, after which a search counts as hanging. patience: seconds that
    a search without a time limit may take. log: hears all that is said to the engine and by it. Raises ProtocolError if
    the command can't be started, InvalidSettingError for a folder that isn't there.
    """

    _kind = "engine"
    """What messages call it."""
    _hello = ""
    """The first question to it."""

    def __init__(
        self,
        command: str | Sequence[str],
        startup: Startup = DEFAULT_STARTUP,
        margin: float = 5.0,
        patience: float = PATIENCE,
        log: TalkLog | None = None,
    ) -> None:
        self.command = command_words(command)
        self.name = self.command[0]
        self._startup, self._log = startup, log
        if startup.folder is not None:
            self.command = _in_folder(self.command, startup.folder)
        self.version = ""
        self._margin = margin
        self._patience = patience
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._readers: list[Thread] = []
        self._asked: _Question | None = None
        self._last_line = ""
        self._last_words: LastWords | None = None

    def __enter__(self) -> Self:
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

    @abstractmethod
    def new_game(self) -> None:
        """Begin a new game. Restarts an engine that has ended."""

    @abstractmethod
    def search(
        self, position: Position, limits: Limits, history: Sequence[Position] = (), stop: Stop | None = None
    ) -> SearchResult:
        """Let the engine choose a move. Its time is measured here, from the question to the answer.

        history: earlier positions, oldest first. stop: once set, the engine has to move at once. The score is the
        engine's last one, 0 if it sent none. Raises ProtocolError with the reason if the engine fails,
        InvalidSettingError for limits that set no end.
        """

    @abstractmethod
    def _shake_hands(self) -> None:
        """What is said first to a program that has been started."""

    @abstractmethod
    def _quit(self) -> None:
        """Ask the program to end."""

    def close(self) -> None:
        """End the process and its children: as it is told to quit, or by force if it does not obey.

        May be called from any thread: a search that waits for an answer then ends with ProtocolError.
        """
        if self.is_running:
            # one that searches may read no more than that
            idle = self._asked is None
            try:
                self._quit()
                self._running().wait(_LEAVE_SECONDS if idle else _QUIT_SECONDS)
            except subprocess.TimeoutExpired:
                if idle:
                    self._complain(f"ignores quit: killed after {format_duration(_LEAVE_SECONDS)}")
            except ProtocolError:
                pass
        self._kill()
        if self._log is not None:
            self._log.close()

    def _allowed(self, limits: Limits) -> float:
        """Seconds for the answer to a search."""
        times = [limits.time] if limits.left is None else [limits.time, limits.left + limits.inc]
        return min((time + self._margin for time in times if time is not None), default=self._patience)

    def _hear(self, mark: str, text: str) -> None:
        """Write a line into the log, if there is one."""
        if self._log is not None:
            self._log.write(mark, text)

    def _complain(self, reason: str) -> None:
        """Tell of a fault that costs no game: in the log, and once for each program to who runs kr."""
        self._hear(NOTE, reason)
        complaint = visible(f"{self._kind} {self.name} {reason}")
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
            raise ProtocolError(f"{self._kind} {join_command(self.command)} can't be started: {reason}") from None
        self._process = process
        assert isinstance(process.stdin, io.TextIOWrapper)
        process.stdin.reconfigure(newline="\n")
        self._lines = queue.Queue(_UNREAD_LINES)
        assert process.stderr is not None
        self._last_words = LastWords(process.stderr, partial(self._hear, ERROR))
        readers = [
            Thread(target=self._read_lines, args=(process, self._lines), name="engine reader", daemon=True),
            Thread(target=self._last_words.read, name="engine error reader", daemon=True),
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
        asked = self._expect(text, seconds, late)
        self._send(text)
        return asked

    def _expect(self, text: str, seconds: float, late: str = LATE) -> _Question:
        """Wait for something from now on. text: what it is, or what asks for it."""
        self._asked = asked = _Question(text, seconds, late)
        return asked

    def _next_text(self, stop: Stop | None = None) -> str | None:
        """Next line, or None if `stop` is set."""
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
            return text

    def _discard_unread(self) -> None:
        """Discard lines that came after the last answer, so that none counts as the next answer."""
        with suppress(queue.Empty):
            while (text := self._lines.get_nowait()) is not None:
                self._last_line = text
            self._fail_ended()

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
        elif asked.text == self._hello and not asked.lines:
            reason = f"says no hello: not a line in {seconds} after {asked.text!r}{more}"
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
        raise ProtocolError(f"{self._kind} {self.name} {reason}")

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


def command_words(command: str | Sequence[str]) -> list[str]:
    """The words of a command. Raises InvalidSettingError if it can't be parsed, or is empty."""
    try:
        words = split_command(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise InvalidSettingError(f"command {command!r} can't be parsed: {error}") from None
    if not words:
        raise InvalidSettingError('empty command: expected one such as "kr hub"')
    return words


def is_startable(words: list[str], folder: Path | None = None) -> bool:
    """True if there is a program of a command's first word, looked for as `ProgramClient` does.

    Raises InvalidSettingError for a folder that isn't there.
    """
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
