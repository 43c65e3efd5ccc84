"""Work shared out among engines: many searches at the same time, each engine in a thread of its own."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from typing import TypeVar

from kr.engine import Engine

Job = TypeVar("Job")
Done = TypeVar("Done")
STOP_AGAIN = 0.02
"""Seconds after which engines are stopped again that have gone on to their next search."""


def share_out(
    jobs: Sequence[Job], engines: Sequence[Engine], work: Callable[[Job, Engine], Done]
) -> Iterator[tuple[Job, Done]]:
    """Do each job with an engine that is free; yields job and outcome as they are done, in any order.

    Whoever stops asking, by an error or Ctrl-C, stops the searches that still run.
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

    pool = ThreadPoolExecutor(len(engines))
    begun: dict[Future[Done], Job] = {}
    try:
        for job in jobs:
            begun[pool.submit(do, job)] = job
        for each in as_completed(begun):
            yield begun[each], each.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        # a job may have more than one search
        while any(each.running() for each in begun):
            for engine in engines:
                engine.stop()
            wait([each for each in begun if each.running()], STOP_AGAIN)
