"""Threads for parallel work: all that were asked for, or none and one clear error; and waits that Ctrl-C can end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Event, Thread
from typing import TypeVar

from kr.errors import ThreadError
from kr.system import core_count
from kr.units import Range

T = TypeVar("T")
Item = TypeVar("Item")

SIGNALS_WAIT = 0.2
"""Seconds of a wait after which Ctrl-C has its turn."""
MAX_THREADS = 1024
THREADS = Range(1, MAX_THREADS)
"""Threads of one piece of work."""


def worker_count(workers: int) -> int:
    """Number of threads for a setting in which 0 stands for one per core."""
    return workers or core_count()


def no_thread(count: int) -> ThreadError:
    """Error for work whose `count` threads can't all be started."""
    threads = "a thread" if count == 1 else f"{count} threads"
    return ThreadError(f"cannot start {threads}: the system allows no more (see ulimit -u)")


def in_slices(is_over: Callable[[float], object], timeout: float = math.inf) -> bool:
    """Wait until `is_over(seconds)`, which waits for at most so long, gives something true; False if time runs out.

    Each slice is short: on Windows nothing wakes a main thread that waits for a lock, and elsewhere a signal that
    arrives as the wait begins, or in another thread, is handled only at its end.
    """
    until = time.monotonic() + timeout
    while True:
        seconds = until - time.monotonic()
        if is_over(max(0.0, min(seconds, SIGNALS_WAIT))):
            return True
        if seconds <= SIGNALS_WAIT:
            return False


def join(thread: Thread) -> None:
    """Wait for the end of a thread, which may not have been started."""

    def has_ended(seconds: float) -> bool:
        thread.join(seconds)
        return not thread.is_alive()

    if thread.ident is not None:
        in_slices(has_ended)


def awaited(future: Future[T]) -> T:
    """Wait for a result. Raises what the work has raised."""
    in_slices(lambda seconds: future.done() or wait([future], seconds).done)
    return future.result()


def results(pool: ThreadPoolExecutor, work: Callable[[Item], T], items: Iterable[Item]) -> Iterator[T]:
    """As `pool.map`, for work that takes long."""
    futures = [pool.submit(work, item) for item in items][::-1]
    try:
        while futures:
            yield awaited(futures.pop())
    finally:
        for future in futures:
            future.cancel()


def start_all(threads: Sequence[Thread], stop: Callable[[], object]) -> None:
    """Start all threads or none.

    stop: called if a thread can't be started; the others must end soon after. Raises ThreadError once they have ended,
    and whatever interrupts the start.
    """
    try:
        for thread in threads:
            try:
                thread.start()
            except RuntimeError:
                raise no_thread(len(threads)) from None
    except BaseException:
        stop()
        for thread in threads:
            join(thread)
        raise


@contextmanager
def thread_pool(count: int) -> Iterator[ThreadPoolExecutor]:
    """An executor whose `count` threads all run from the start; it ends as an executor's own context does.

    An executor would start its threads as work arrives, and leave work whose thread can't be started in its queue.
    Raises ThreadError, and InvalidSettingError if `count` is not in THREADS.
    """
    THREADS.check("threads", count)
    start = Event()
    with ThreadPoolExecutor(count) as executor:
        try:
            for _ in range(count):
                # keeps each thread busy until all have started
                executor.submit(start.wait)
        except RuntimeError:
            raise no_thread(count) from None
        finally:
            start.set()
        yield executor
