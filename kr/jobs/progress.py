"""How far long work is, how fast it goes, and how long it will take."""

from __future__ import annotations

import time


class Progress:
    """A count of work done; what was found done already is left out of the rate."""

    def __init__(self, total: float | None = None, done: float = 0) -> None:
        self.total = total
        self.done = self.earlier = done
        self._began = time.monotonic()

    def add(self, count: float) -> None:
        """`count` more units are done."""
        self.done += count

    def skip(self, count: float) -> None:
        """`count` units were found done already."""
        self.done += count
        self.earlier += count
        self._began = time.monotonic()

    @property
    def rate(self) -> float:
        """Units a second."""
        return (self.done - self.earlier) / max(time.monotonic() - self._began, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """Until all is done at this rate; None where that can't be told."""
        rate = self.rate
        return None if self.total is None or self.total <= self.done or rate <= 0 else (self.total - self.done) / rate
