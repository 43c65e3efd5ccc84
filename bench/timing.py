"""Time measurements of the benchmarks: repeated figures with their range, and times of wall clock and processor."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Spent:
    """Time spent, in seconds."""

    wall: float = 0.0
    processor: float = 0.0
    """Seconds of all threads of this process together."""


@contextmanager
def timed(spent: Spent) -> Iterator[None]:
    """Add the time of a block to `spent`."""
    wall, processor = time.perf_counter(), time.process_time()
    yield
    spent.wall += time.perf_counter() - wall
    spent.processor += time.process_time() - processor


def repeated(measure: Callable[[], float], runs: int) -> dict[str, float]:
    """Median, least and most of several runs of a measurement."""
    results = sorted(measure() for _ in range(runs))
    return {"median": statistics.median(results), "least": results[0], "most": results[-1]}


def show_range(name: str, figures: dict[str, float]) -> None:
    """Print a line with the result of `repeated`."""
    print(f"{name:58} {figures['median']:8.3f}   ({figures['least']:.3f} to {figures['most']:.3f})", flush=True)
