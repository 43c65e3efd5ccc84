"""Runs that are watched, for tests: a clock that goes on when it is told, and what stands on the page of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from english import english

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


def facts_of(page: dict[str, Any]) -> dict[str, str]:
    """Facts in English by the names of their labels."""
    return {label["say"]: english(told) for label, told in page["facts"]}


def told(watch: RunWatch, name: str) -> dict[str, str]:
    """Facts of a run in English by the names of their labels."""
    return facts_of(watch.page(name))


def progress(row: dict[str, Any]) -> tuple[str, str, str]:
    """Kind by name, state and progress of a run, in English."""
    return row["kind"]["say"], row["state"], english(row["progress"])


def table(page: dict[str, Any], title: str) -> list[list[str]]:
    """Rows of a table in English, by the name of its title."""
    (found,) = (each["rows"] for each in page["tables"] if each["title"]["say"] == title)
    return [[*map(english, row)] for row in found]


def lines(page: dict[str, Any], title: str) -> dict[str, list[list[float]]]:
    """Points of a chart's lines by their English names."""
    (found,) = (each["lines"] for each in page["charts"] if english(each["title"]) == title)
    return {english(line["name"]): line["points"] for line in found}
