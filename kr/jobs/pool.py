"""A pool of threads that does units of work and ends in good order at Ctrl-C."""

from __future__ import annotations

import queue
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Generic, TypeVar, cast

from kr.jobs.kinds import Kind, Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.system import END_SIGNALS
from kr.threads import SIGNALS_WAIT, join, start_all

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 2
"""Units taken per worker, so that none waits while the next unit is made."""


@dataclass(frozen=True)
class FinishedPortion(Generic[R]):
    """A finished portion of a unit."""

    unit: Unit
    number: int
    """Number of the portion, from 0: the order of the values in the result."""
    value: R
    """None if its kind has portions without a value."""
    weight: float
    seconds: float
    """Seconds since the unit was begun."""
    last: bool
    """True if this portion completes the unit."""
    worker: str = ""
    """Worker of a cluster that did it; empty here."""


@dataclass
class _Course(Generic[T, R]):
    """A unit under way."""

    unit: Unit
    steps: UnitSteps[T, R]
    began: float
    portions: int = 0
    """Pieces of the steps so far."""
    running: int = 0
    """Pieces of this step not done yet."""


class Pool(Generic[T, R]):
    """Workers that do the units of one job, each a thread with its own tools.

    ready: open tools for the first workers, which the caller closes; the other workers open theirs with their first
    unit.
    """

    def __init__(self, kind: Kind[T, R], needs: Needs, workers: int, ready: Sequence[T] = ()) -> None:
        self._kind = kind
        self._needs = needs
        self._tools: list[T] = list(ready)
        toolsets = [*ready, *[None] * workers][:workers]
        self._threads = [threading.Thread(target=self._work, args=(tools,), daemon=True) for tools in toolsets]
        self._stop = Stop()
        self._over = False
        # taken directly: with a Condition, a Ctrl-C during the acquire would leave it locked for ever
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._waiting: deque[Unit] = deque()
        self._portions: deque[tuple[_Course[T, R], int, Portion[T, R]]] = deque()
        self._news: queue.SimpleQueue[FinishedPortion[R] | BaseException | None] = queue.SimpleQueue()

    def run(self, units: Iterable[Unit | None]) -> Generator[FinishedPortion[R], None, None]:
        """Do units; yields their parts as they are done.

        units: asked for when a worker will soon be free; None means that no unit can begin before another is done. A
        part is yielded before more units are asked for. After `stop`, only finished parts are yielded. If the caller
        stops iterating, by an error or Ctrl-C, the work ends; `rest` then yields what was finished meanwhile. Raises
        ThreadError, and the first error of a worker.
        """
        source = iter(units)
        under_way = 0
        error: BaseException | None = None
        try:
            start_all(self._threads, self._wake_to_end)
            while error is None and not self._stop.is_set():
                under_way += self._feed(source, AHEAD * len(self._threads) - under_way)
                if not under_way:
                    break
                news = self._heard()
                if isinstance(news, FinishedPortion):
                    under_way -= news.last
                    yield news
                    del news  # it may be large, and the next one may be slow to come
                else:
                    error = news
            self._over = not under_way
        finally:
            self._end()
        while error is None and not self._news.empty():
            last_news = self._news.get()
            if isinstance(last_news, FinishedPortion):
                yield last_news
            else:
                error = last_news
        if error is not None:
            raise error

    def _heard(self) -> FinishedPortion[R] | BaseException | None:
        """The next news."""
        while True:
            try:
                return self._news.get(timeout=SIGNALS_WAIT)
            except queue.Empty:
                continue

    def rest(self) -> Iterator[FinishedPortion[R]]:
        """Parts that were done before the work ended and have not been yielded."""
        while not self._news.empty():
            if isinstance(news := self._news.get(), FinishedPortion):
                yield news

    def leave(self, worker: str, reason: str) -> None:
        """Give a worker of a cluster no more units; threads of this process stay what they are."""

    def stop(self) -> None:
        """End the work, from any thread and from a signal handler."""
        self._stop.set()
        self._news.put(None)

    def _feed(self, source: Iterator[Unit | None], count: int) -> int:
        """Take up to `count` units; returns the number taken."""
        fed = 0
        while fed < count and (unit := next(source, None)) is not None:
            fed += 1
            with self._lock:
                self._waiting.append(unit)
                self._changed.notify()
        return fed

    def _end(self) -> None:
        """Wait until all threads end; their searches are stopped unless the work is over."""
        # since Python 3.14 an interrupt between what a `with` enters and its block leaves the lock taken
        with suppress(RuntimeError):
            self._lock.release()
        self._wake_to_end()
        for tools in list(self._tools) if self._stop.is_set() else ():
            self._kind.stop(tools)
        for thread in self._threads:
            join(thread)

    def _wake_to_end(self) -> None:
        if not self._over:
            self._stop.set()
        with self._lock:
            self._changed.notify_all()

    def _work(self, tools: T | None) -> None:
        """One thread."""
        own: T | None = None
        try:
            while (work := self._next()) is not None:
                course, number, portion = work
                if tools is None:
                    tools = own = self._kind.open(course.unit, self._needs)
                    self._tools.append(own)
                    if self._stop.is_set():
                        self._kind.stop(own)
                value = portion.do(tools, self._stop)
                if value is None and self._stop.is_set():
                    break
                self._take_value(course, number, portion, cast(R, value))
                # a thread that waits for work must not keep a finished unit alive
                del work, course, portion, value
        except BaseException as error:  # raised in the thread that asks for parts
            self._news.put(error)
        finally:
            if own is not None:
                self._kind.close(own)

    def _next(self) -> tuple[_Course[T, R], int, Portion[T, R]] | None:
        """A portion of a unit under way, or of a new one; None if there is none left."""
        while True:
            with self._lock:
                while not (self._portions or self._waiting or self._over or self._stop.is_set()):
                    self._changed.wait()
                if self._over or self._stop.is_set():
                    return None
                if self._portions:
                    return self._portions.popleft()
                unit = self._waiting.popleft()
            course = _Course(unit, filter(None, self._kind.steps(unit, self._needs)), time.monotonic())
            self._hand_out(course, next(course.steps))

    def _hand_out(self, course: _Course[T, R], step: Sequence[Portion[T, R]]) -> None:
        with self._lock:
            course.running = len(step)
            self._portions.extend((course, course.portions + i, portion) for i, portion in enumerate(step))
            course.portions += len(step)
            self._changed.notify_all()

    def _take_value(self, course: _Course[T, R], number: int, portion: Portion[T, R], value: R) -> None:
        """Report a finished portion; after the last portion of a step the next step begins."""
        part = FinishedPortion(course.unit, number, value, portion.weight, time.monotonic() - course.began, last=False)
        with self._lock:
            course.running -= 1
            if course.running:
                self._news.put(part)
                return
        step = next(course.steps, None)
        self._news.put(replace(part, last=step is None))
        if step is not None:
            self._hand_out(course, step)


@contextmanager
def interruptible(stop: Callable[[], None]) -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM stop the work in good order, and the second one at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in END_SIGNALS}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def interrupt(number: int, frame: object) -> None:
        stop()
        restore()

    for number, handler in before.items():
        # shells start background jobs with SIGINT ignored, which must stay so
        if handler is not signal.SIG_IGN:
            signal.signal(number, interrupt)
    try:
        yield
    finally:
        restore()
