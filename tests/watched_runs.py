"""Runs that are watched, for tests: a clock that goes on when it is told, and what stands on the page of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kr.web.runs.watching import RunWatch


class Clock:
    """Time that goes on when it is told."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watching(clock: Clock) -> Callable[..., RunWatch]:
    return lambda *directories: RunWatch(directories, clock)


def told(watch: RunWatch, name: str) -> dict[str, str]:
    """Facts of a run by their labels."""
    return dict(watch.page(name)["facts"])


def table(page: dict[str, Any], title: str) -> list[list[str]]:
    (found,) = (each["rows"] for each in page["tables"] if each["title"] == title)
    return list(found)


def lines(page: dict[str, Any], title: str) -> dict[str, list[list[float]]]:
    (found,) = (each["lines"] for each in page["charts"] if each["title"] == title)
    return {line["name"]: line["points"] for line in found}
