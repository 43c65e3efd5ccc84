"""Work shared out among engines: many searches at the same time, each engine in a thread of its own."""

from __future__ import annotations

import queue
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import islice
from typing import TypeVar

from kr.engine import Engine
from kr.threads import thread_pool

Job = TypeVar("Job")
Done = TypeVar("Done")
AHEAD = 2
"""Jobs taken for each engine, so that none waits while the next one is made."""
STOP_AGAIN = 0.02
"""Seconds after which engines are stopped again that have gone on to their next search."""


def share_out(
    jobs: Iterable[Job], engines: Sequence[Engine], work: Callable[[Job, Engine], Done]
) -> Generator[tuple[Job, Done], None, None]:
    """Do each job with an engine that is free; yields job and outcome as they are done, in any order.

    Jobs are taken as they are needed, AHEAD for each engine. Whoever stops asking, by an error or Ctrl-C, stops the
    searches that still run.
    """
    free: queue.SimpleQueue[Engine] = queue.SimpleQueue()
    for engine in engines:
        free.put(engine)

    def do(job: Job) -> Done:
        engine = free.get()
        try:
            return work(job, engine)
        finally:
            free.put(engine)

    with thread_pool(len(engines)) as pool:
        begun: dict[Future[Done], Job] = {}
        try:
            waiting = iter(jobs)
            for job in islice(waiting, AHEAD * len(engines)):
                begun[pool.submit(do, job)] = job
            while begun:
                wait(begun, return_when=FIRST_COMPLETED)
                for each in [each for each in begun if each.done()]:
                    done = begun.pop(each)
                    for job in islice(waiting, 1):
                        begun[pool.submit(do, job)] = job
                    yield done, each.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            # a job may have more than one search, and be between two of them, where a stop does nothing
            while any(each.running() for each in begun):
                for engine in engines:
                    engine.stop()
                wait([each for each in begun if each.running()], STOP_AGAIN)
