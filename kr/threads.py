"""Threads for parallel work: all that were asked for, or none and one clear error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Thread

from kr.errors import ThreadError
from kr.system import core_count
from kr.units import Range

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
            if thread.is_alive():
                thread.join()
        raise


@contextmanager
def thread_pool(count: int) -> Iterator[ThreadPoolExecutor]:
    """An executor whose `count` threads all run from the start; it ends as an executor's own context does.

    An executor would start its threads as work arrives, and leave work whose thread can't be started in its queue.
    Raises ThreadError, and InvalidSettingError if `count` is not in THREADS.
    """
    THREADS.check("threads", count)
    begun = Event()
    with ThreadPoolExecutor(count) as executor:
        try:
            for _ in range(count):
                # keeps each thread busy until all have started
                executor.submit(begun.wait)
        except RuntimeError:
            raise no_thread(count) from None
        finally:
            begun.set()
        yield executor
