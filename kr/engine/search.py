"""The handle of a search in the background, and the end of all searches with the program."""

from __future__ import annotations

import atexit
import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING

from kr._core import Stop as Stop
from kr.engine.result import Info, SearchOutcome, SearchResult
from kr.errors import InvalidSettingError, ThreadError
from kr.threads import in_slices
from kr.units import check_number

if TYPE_CHECKING:
    from _thread import LockType

_NEVER = 1 << 62
"""More infos than any search has: waiting for more than these is waiting for the end."""
_EXIT_SECONDS = 2.0
"""Time for all searches under way to end when the program does."""


@dataclass(frozen=True)
class SearchProgress:
    """Progress of a running search, between its infos."""

    depth: int
    """Depth of the iteration at work; 0 before the first."""
    nodes: int
    time: float
    """Seconds."""


@dataclass(eq=False)
class Course:
    """Progress of a search in the background. The thread holds this, not the handle, so that the handle can be dropped.

    Nothing here runs under a lock: an exception from a signal handler, wherever it strikes, leaves none held.
    """

    forget: Callable[[], None]
    """Releases the engine from a search whose thread is gone."""
    stop: Stop = field(default_factory=Stop)
    infos: list[Info] = field(default_factory=list)
    outcome: SearchOutcome | None = None
    thread: int = 0
    """Identifier of the thread that calls back; 0 before the first call."""
    bells: set[LockType] = field(default_factory=set)
    """Locks to release when there is news, one for each waiter."""

    def add(self, info: Info) -> None:
        """Add an info, from the thread of the search."""
        self.infos.append(info)
        self.ring()

    def end(self, outcome: SearchOutcome) -> None:
        """Note the outcome: the search is over."""
        self.outcome = outcome
        under_way.discard(self)
        self.ring()

    def ring(self) -> None:
        """Wake all who wait."""
        for bell in tuple(self.bells):
            self.bells.discard(bell)
            bell.release()

    def wait(self, count: int, timeout: float | None = None) -> bool:
        """Wait for more than `count` infos, or for the end. False if neither comes in time.

        Raises InvalidSettingError if the search's own thread would wait.
        """
        until = math.inf if timeout is None else time.monotonic() + timeout
        while not self.has_news(count):
            seconds = until - time.monotonic()
            if seconds <= 0:
                return False
            if self.thread == threading.get_ident():
                raise InvalidSettingError("a search can't wait for itself: its callbacks can only stop it")
            bell = threading.Lock()
            bell.acquire()
            self.bells.add(bell)
            try:
                # news that came before the bell was in place rang nothing
                if not self.has_news(count):
                    _hear(bell, seconds)
            finally:
                self.bells.discard(bell)
        return True

    def has_news(self, count: int) -> bool:
        """True with more than `count` infos, or at the end."""
        return self.outcome is not None or len(self.infos) > count


def _hear(bell: LockType, timeout: float) -> None:
    in_slices(lambda seconds: bell.acquire(timeout=seconds), timeout)


class Search:
    """Handle of a search in the background, returned by `Engine.start`.

        with engine.start(position, "10s", multipv=3) as search:
            for info in search:
                ...

    Each iteration over it yields all infos from the first, waits for more, and ends with the search. Leaving the block
    stops the search and waits for its end, as does the end of the program. A handle that is garbage collected stops its
    search.
    """

    def __init__(self, course: Course, progress: Callable[[], SearchProgress | None]) -> None:
        self._course, self._progress = course, progress

    def __enter__(self) -> Search:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self._course.stop.set()

    def __iter__(self) -> Iterator[Info]:
        count = 0
        while self._course.wait(count) and len(self._course.infos) > count:
            yield self._course.infos[count]
            count += 1

    @property
    def done(self) -> bool:
        """True once the search has ended."""
        return self._course.outcome is not None

    def progress(self) -> SearchProgress | None:
        """Progress of the search, also between two infos; None once it has ended. From any thread."""
        return self._progress()

    def stop(self) -> None:
        """End this search at once, from any thread, even before its first node. No effect once it has ended."""
        self._course.stop.set()

    def result(self, timeout: float | None = None) -> SearchResult:
        """Wait for the result, at most `timeout` seconds.

        Raises what the search raised, TimeoutError if it is still running after the timeout, and InvalidSettingError
        if called from one of the search's own callbacks.
        """
        if timeout is not None:
            timeout = check_number("the timeout", timeout)
        if not self._course.wait(_NEVER, timeout):
            raise TimeoutError(f"the search is still running after {timeout} s")
        outcome = self._course.outcome
        if isinstance(outcome, BaseException):
            raise outcome
        assert outcome is not None
        return outcome

    def close(self) -> None:
        """Stop the search and wait until it has ended, with whatever outcome.

        Raises InvalidSettingError if called from one of the search's own callbacks.
        """
        self.stop()
        self._course.wait(_NEVER)


under_way: set[Course] = set()
"""Searches that have not ended."""


@atexit.register
def _end_searches() -> None:
    """End all searches before the interpreter goes. A search whose callback never returns is abandoned."""
    until = time.monotonic() + _EXIT_SECONDS
    for course in tuple(under_way):
        course.stop.set()
    for course in tuple(under_way):
        course.wait(_NEVER, until - time.monotonic())


def _forget_searches() -> None:
    """Forget all searches in a forked process, which has none of its parent's search threads to wait for."""
    for course in tuple(under_way):
        if course.thread == threading.get_ident():
            continue  # one of its callbacks forked
        course.forget()
        course.end(ThreadError("the search runs in the parent process, not in this fork"))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_searches)
