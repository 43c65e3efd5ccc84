"""Progress of long work: the amount done, its rate, and the time left."""

from __future__ import annotations

import time

from kr.units import format_clock, format_rate

TIMED_UNIT = "s"
"""Unit of work that is measured by its time; its rate is left out."""


class WorkerCount:
    """Workers elsewhere that do the work under way, in words; empty if there are none."""

    text = ""


CREW = WorkerCount()


class Progress:
    """A count of work done. Work done before the start is left out of the rate.

    description: the work; total: units in all, None if unknown; unit: what is counted, in the plural; count: units
    found done.
    """

    def __init__(self, description: str = "", total: float | None = None, unit: str = "", count: float = 0) -> None:
        self.description, self.total, self.unit = description, total, unit
        self.count = self.earlier = count
        self.note = ""
        self._began = time.monotonic()

    def advance(self, count: float = 1, note: str | None = None) -> None:
        """Count `count` more units as done; `note` replaces the text at the end of the status."""
        self.count += count
        if note is not None:
            self.note = note

    def skip(self, count: float) -> None:
        """Count `count` units as found done. The clock of the rate starts again."""
        self.count += count
        self.earlier += count
        self._began = time.monotonic()

    def take(self, earlier: bool) -> None:
        """Count a unit: as done, or as found done if it is of an earlier run."""
        (self.skip if earlier else self.advance)(1)

    def add_earlier(self, count: float) -> None:
        """Count `count` units as found done while the work goes on: they are left out of the rate."""
        self.count += count
        self.earlier += count

    @property
    def rate(self) -> float:
        """Units per second."""
        return (self.count - self.earlier) / max(time.monotonic() - self._began, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """Seconds until all is done at this rate; None if they can't be estimated."""
        rate = self.rate
        return None if self.total is None or self.total <= self.count or rate <= 0 else (self.total - self.count) / rate

    def status(self) -> str:
        """Count, rate, time left and note: "250/1,000 games, 12.5/s, 1:00 left, B 10%"."""
        total = "" if self.total is None else f"/{self.total:,.0f}"
        parts = [f"{self.count:,.0f}{total} {self.unit}".rstrip()]
        seconds = self.seconds_left
        if speed := _speed(self.rate):
            if self.unit != TIMED_UNIT:
                parts.append(speed)
            if seconds is not None:
                parts.append(f"{format_clock(seconds)} left")
        return ", ".join([*parts, *filter(None, (CREW.text, self.note))])

    def __str__(self) -> str:
        return f"{self.description}: {self.status()}"


def _speed(rate: float) -> str:
    """Units per second; per minute or hour if there are few, nothing if there are next to none."""
    for scale, unit in ((1, "s"), (60, "min"), (3600, "h")):
        if rate * scale >= 0.1:
            return f"{format_rate(rate * scale)}/{unit}"
    return ""
