"""Engines for viewers: a bounded number of searches at a time, each with an engine that is its own while it lasts.

A search asks a `Lender` for a `Loan` and gets it at once or in turn:

    with house.engines.own.ask(viewer) as loan:
        engine = await loan.arrival()      # or loan.wait(seconds) in a thread
        ...                                # the search must have ended when the block is left

A viewer is the object that stands for a page (`kr.web.live.viewer`), or None. The operating system shares the
processors among the threads of the searches.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, TypeVar

import anyio.to_thread

from kr import system
from kr.egdb.database import Database
from kr.engine.engine import Engine
from kr.errors import InvalidSettingError, KrError
from kr.evaluation.evolved import EVOLVED_PREFIX, load_runs
from kr.evaluation.kinds import SHIPPED
from kr.language.sentences import sentence
from kr.players.hub import startup_of
from kr.players.player import Player
from kr.players.registry import parse_spec, player_from_spec
from kr.protocols.hub_client import HubClient
from kr.protocols.program import Startup, is_startable
from kr.protocols.talk import TalkLog
from kr.storage import make_directory
from kr.units import MEBIBYTE
from kr.web.settings import WebSettings

MOST_ENGINES = 24
"""Searches of kr at a time."""
MOST_OF_ANOTHER = 4
"""Processes of each other engine."""
MOST_OF_A_VIEWER = 3
"""Searches of one viewer with one engine."""
LOADED_HASH = 16 * MEBIBYTE
"""Most bytes of the hash tables of all engines but the first."""
SMALL_HASH = 1 << 19
"""Bytes of the hash table of a small engine."""
BACKGROUND_HASH = 16 * MEBIBYTE
"""Bytes of the hash table of an engine that works in the background."""
MOST_IN_BACKGROUND = 4
"""Searches in the background at a time."""
SEARCH_NICENESS, BACKGROUND_NICENESS = 10, 19
"""Niceness added to the threads that search, and to those of the background, on Linux."""
IDLE_SECONDS = 60.0
"""Time after which an idle engine is closed."""
HUB = "hub:"

_OWN_CHOICE = WebSettings.weights, WebSettings.hash, WebSettings.threads

T = TypeVar("T")


class Loan(Generic[T]):
    """A tool that is lent, or a place in the queue for one; given back at the end of its `with` block, or by `end`."""

    def __init__(self, lender: Lender[T], viewer: Hashable) -> None:
        self._lender = lender
        self.viewer = viewer
        self.turn: Future[T | None] = Future()
        """Done once the tool is there, or None if one is to be made."""
        self.tool: T | None = None
        self.broken = False
        """Set if the tool is not to be lent again."""
        self.ending = False
        """Set once its search is being stopped. The same viewer's next loan waits for it, and gets its tool."""

    def __enter__(self) -> Loan[T]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        """Give the tool back, or leave the queue."""
        self._lender.take_back(self)

    @property
    def waits(self) -> bool:
        """True if others must end their searches first."""
        return not self.turn.done() and self._lender.is_full

    async def arrival(self) -> T:
        """The tool, once it is this loan's turn. Raises what making one raises."""
        # the place in the queue is left by `end`, not by a cancelled wait
        tool = await asyncio.shield(asyncio.wrap_future(self.turn))
        return tool if tool is not None else await anyio.to_thread.run_sync(self._lender.fill, self)

    def wait(self, seconds: float) -> T:
        """Wait for the tool in a thread. Raises InvalidSettingError if all engines stay busy for that long."""
        try:
            tool = self.turn.result(seconds)
        except TimeoutError:
            raise InvalidSettingError(sentence("refused.busy")) from None
        return tool if tool is not None else self._lender.fill(self)


@dataclass(frozen=True)
class _Idle(Generic[T]):
    tool: T
    viewer: Hashable
    since: float


class Lender(Generic[T]):
    """Lends tools of one sort. Threads may share it.

    make: a new tool; end: closes one; most: tools lent at a time; permanent: a tool, there from the start or `keep`
    later, that is never closed before the end. A viewer gets back the tool that it had last, if it is free: its memory
    may help.
    """

    def __init__(
        self,
        make: Callable[[], T],
        end: Callable[[T], None],
        most: int,
        permanent: T | None = None,
        most_of_a_viewer: int = MOST_OF_A_VIEWER,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self._make, self._end, self._most = make, end, most
        self._most_of_a_viewer = most_of_a_viewer
        self._permanent, self._idle_seconds = permanent, idle_seconds
        self._lock = threading.Lock()
        self._idle: list[_Idle[T]] = [] if permanent is None else [_Idle(permanent, None, time.monotonic())]
        self._waiting: list[Loan[T]] = []
        self._lent: set[Loan[T]] = set()
        self._timer: threading.Timer | None = None
        self._closed = False

    @property
    def lent(self) -> int:
        """Tools that are lent now."""
        return len(self._lent)

    @property
    def idle(self) -> int:
        """Tools that wait to be lent."""
        return len(self._idle)

    @property
    def is_full(self) -> bool:
        """True if no more can be lent."""
        return len(self._lent) >= self._most

    def ask(self, viewer: Hashable = None) -> Loan[T]:
        """Ask for a tool. Raises InvalidSettingError if the viewer has enough."""
        loan = Loan(self, viewer)
        with self._lock:
            if self._closed:
                raise InvalidSettingError(sentence("refused.stopping"))
            loans = [other for other in (*self._lent, *self._waiting) if other.viewer == viewer and not other.ending]
            if viewer is not None and len(loans) >= self._most_of_a_viewer:
                raise InvalidSettingError(sentence("refused.searches", count=len(loans)))
            self._waiting.append(loan)
            self._hand_out()
        return loan

    def keep(self, tool: T) -> None:
        """Make a tool the permanent one."""
        with self._lock:
            self._permanent = tool

    def fill(self, loan: Loan[T]) -> T:
        """Make the tool of a loan."""
        tool = self._make()
        with self._lock:
            if loan in self._lent:
                loan.tool = tool
                return tool
        # it was ended meanwhile
        self._end(tool)
        raise InvalidSettingError(sentence("refused.stopped"))

    def take_back(self, loan: Loan[T]) -> None:
        """End a loan, or the wait for it."""
        with self._lock:
            if loan in self._waiting:
                self._waiting.remove(loan)
                return
            if loan not in self._lent:
                return
            self._lent.remove(loan)
            tool = loan.tool
            ended = tool is not None and (loan.broken or self._closed)
            if tool is not None and not ended:
                self._idle.append(_Idle(tool, loan.viewer, time.monotonic()))
                self._watch()
            self._hand_out()
        if tool is not None and ended:
            self._end(tool)

    def close(self) -> None:
        """End all tools that are not lent, and the others as they come back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            if self._timer is not None:
                self._timer.cancel()
        for each in idle:
            self._end(each.tool)

    # with the lock held

    def _hand_out(self) -> None:
        ending = {loan.viewer for loan in self._lent if loan.ending}
        waiting = [loan for loan in self._waiting if loan.viewer not in ending]
        counts = Counter(loan.viewer for loan in self._lent if loan.viewer is not None)
        while waiting and not self.is_full:
            # the viewer with the fewest loans goes first, then the first in the queue
            loan = min(waiting, key=lambda each: counts[each.viewer])
            waiting.remove(loan)
            self._waiting.remove(loan)
            self._lent.add(loan)
            if loan.viewer is not None:
                counts[loan.viewer] += 1
            loan.tool = self._choose(loan.viewer)
            loan.turn.set_result(loan.tool)

    def _choose(self, viewer: Hashable) -> T | None:
        if not self._idle:
            return None
        own = (each for each in self._idle if viewer is not None and each.viewer == viewer)
        permanent = (each for each in self._idle if each.tool is self._permanent)
        choice = next(own, None) or next(permanent, None) or self._idle[-1]
        self._idle.remove(choice)
        return choice.tool

    def _watch(self) -> None:
        if self._timer is None and any(each.tool is not self._permanent for each in self._idle):
            self._timer = threading.Timer(self._idle_seconds, self._sweep)
            self._timer.daemon = True
            self._timer.start()

    # --

    def _sweep(self) -> None:
        """End tools that were idle for long. Body of the timer's thread."""
        with self._lock:
            self._timer = None
            before = time.monotonic() - self._idle_seconds
            old = [each for each in self._idle if each.tool is not self._permanent and each.since <= before]
            self._idle = [each for each in self._idle if each not in old]
            if not self._closed:
                self._watch()
        for each in old:
            self._end(each.tool)


class Engines:
    """The engines of a server: kr's own, and others by their commands.

    Raises InvalidWeightsError and InvalidSettingError.
    """

    def __init__(self, settings: WebSettings, database: Database | None) -> None:
        self._settings, self._database = settings, database
        self._making = threading.Lock()
        self._first: Engine | None = None
        self._has_lent_first = False
        self.own: Lender[Engine] = Lender(self._make, Engine.stop, MOST_ENGINES)
        """Engines of kr. The first has all of the hash that the settings give, the others 16 MB at most."""
        # what a person has chosen is checked at once; the tables of kr are read while the browser starts
        if (settings.weights, settings.hash, settings.threads) != _OWN_CHOICE:
            self.prepare()
        self._small: dict[bool, Lender[Engine]] = {
            looks_up: Lender(partial(self._make_small, looks_up), Engine.stop, MOST_ENGINES)
            for looks_up in (False, True)
        }
        self.names = [f"kr ({SHIPPED if self._first is None else self._first.name})"]
        """The engines by number: 0 is kr."""
        self.background: Lender[Engine] = Lender(self._make_background, Engine.stop, MOST_IN_BACKGROUND)
        """Engines of kr whose work nobody waits for: pages keep theirs beside it."""
        if settings.log is not None:
            make_directory(settings.log)
        self.others: list[Lender[HubClient]] = []
        """Lenders of the other engines; number 1 is the first."""
        for text in settings.engines:
            words, startup = _command(text)
            self.names.append(Path(words[0]).name)
            make = partial(_start, words, startup, settings.log)
            self.others.append(Lender(make, HubClient.close, MOST_OF_ANOTHER))
        self.faults: dict[int, str] = {}
        """What `greet` has found wrong, by the numbers of engines."""
        self._champions: dict[int, Lender[Player]] = {}

    def prepare(self) -> None:
        """Make the first engine, if there is none: the first search then need not wait for it."""
        with self._making:
            if self._first is None:
                settings = self._settings
                hash_mb = settings.hash / MEBIBYTE
                self._first = Engine(settings.weights, hash_mb, settings.threads, self._database)
                self.own.keep(self._first)

    def greet(self, tell: Callable[[str], None]) -> None:
        """Start each of the other engines once, and tell of those that don't answer as one. The others wait for use."""
        for number, (lender, text) in enumerate(zip(self.others, self._settings.engines, strict=True), 1):
            try:
                with lender.ask() as loan:
                    loan.wait(0.0)
            except (KrError, OSError) as error:
                self.faults[number] = str(error)
                tell(f"--engines {text!r}: {error}")

    def _make(self) -> Engine:
        self.prepare()
        with self._making:
            if not self._has_lent_first and self._first is not None:
                self._has_lent_first = True
                return self._first
        hash_mb = min(self._settings.hash, LOADED_HASH) / MEBIBYTE
        return Engine(self._settings.weights, hash_mb, 1, self._database)

    def _make_small(self, looks_up: bool) -> Engine:
        return Engine(self._settings.weights, SMALL_HASH / MEBIBYTE, 1, self._database if looks_up else None)

    def _make_background(self) -> Engine:
        return Engine(self._settings.weights, BACKGROUND_HASH / MEBIBYTE, 1, self._database)

    def small(self, looks_up: bool) -> Lender[Engine]:
        """The lender of small engines, of levels below full strength. looks_up: with the endgame database."""
        return self._small[looks_up]

    def champion(self, generation: int) -> Lender[Player]:
        """The lender of the evolved player of a generation. Raises InvalidSettingError."""
        if generation not in shipped_generations():
            raise InvalidSettingError(sentence("refused.no_generation", number=generation))
        with self._making:
            if generation not in self._champions:
                make = partial(player_from_spec, champion_spec(generation))
                self._champions[generation] = Lender(make, Player.close, MOST_ENGINES)
            return self._champions[generation]

    def lender(self, number: int) -> Lender[Any]:
        """The lender of an engine by its number."""
        return self.own if number == 0 else self.others[number - 1]

    def close(self) -> None:
        """End all engines."""
        lenders: list[Lender[Any]] = [self.own, self.background, *self._small.values(), *self.others]
        lenders += self._champions.values()
        for lender in lenders:
            lender.close()


@cache
def shipped_generations() -> list[int]:
    """Generations whose champions come with kr."""
    return [int(generation) for generation in load_runs(SHIPPED)[0].generations]


def champion_spec(generation: int) -> str:
    """The player's text of a champion that comes with kr."""
    return f"{EVOLVED_PREFIX}{SHIPPED},generation={generation}"


def give_way(niceness: int = SEARCH_NICENESS) -> None:
    """Have the calling thread, one that does nothing but search, yield to those that answer pages.

    With twenty searches on two busy cores a small request took a second or more without this, a tenth of one with it.
    """
    system.lower_priority(niceness)


def _start(words: list[str], startup: Startup, log: Path | None) -> HubClient:
    """Start another program's engine. log: folder for a log of what is said."""
    talk = None if log is None else TalkLog(log, Path(words[0]).stem)
    try:
        return HubClient(words, startup=startup, log=talk)
    except BaseException:
        if talk is not None:
            talk.close()
        raise


def _command(text: str) -> tuple[list[str], Startup]:
    """The command of an --engines setting, and how it starts. Raises InvalidSettingError."""
    spec = parse_spec(text)
    try:
        words = system.split_command(spec.text) if text.startswith(HUB) else []
    except ValueError as error:
        raise InvalidSettingError(f"--engines: {text!r} can't be parsed: {error}") from None
    if not words:
        raise InvalidSettingError(f'--engines: {text!r} is not an engine such as "hub:other-engine --hub"')
    startup = startup_of(spec)
    if not is_startable(words, startup.folder):
        raise InvalidSettingError(f"--engines: {text!r}: there is no program {words[0]}")
    return words, startup
