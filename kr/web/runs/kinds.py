"""Kinds of runs as pages show them: self-play, fits, training and matches, each read beside its writer.

A run gives a row for the list and a page: facts, tables and charts, all as plain JSON, so that the script of the page
knows nothing of kinds. `OneRun` says when they are made anew.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kr.errors import InvalidSettingError, KrError
from kr.match.elo import Sprt, estimate
from kr.storage import is_held, parse_json
from kr.units import counted
from kr.web.runs.files import own, stamp

Facts = list[tuple[str, str]]
Json = dict[str, Any]

MOST_POINTS = 200
"""Points of a line."""
LAST_GAMES = 25
"""Games that a page lists."""


class OneRun(ABC):
    """A run that is watched. names: files in its directory, set at each look."""

    kind = ""

    def __init__(self, path: Path, names: frozenset[str]) -> None:
        self.path, self.names = path, names
        self._row: tuple[Any, Json] | None = None
        self._page: tuple[Any, Json] | None = None

    def row(self) -> Json:
        """Its line in the list: kind, state, how far it is, seconds since 1970 of the last change.

        What damage its page has met is in it too: a file may be there, and be counted, that can't be read.
        """
        fingerprint = self._safe_fingerprint()
        if self._page is not None and self._page[0] == fingerprint and self._page[1]["state"] == "damaged":
            return {key: self._page[1][key] for key in ("kind", "changed", "state", "progress")}
        if self._row is None or self._row[0] != fingerprint:
            self._row = (
                fingerprint,
                self._guarded(lambda: {"kind": self.kind, "changed": self.changed(), **self.progress()}),
            )
        return self._row[1]

    def page(self) -> Json:
        """Everything about it. `reading` is there while more is to be read at once."""
        fingerprint = self._safe_fingerprint()
        if self._page is None or self._page[0] != fingerprint or "reading" in self._page[1]:
            row = self.row()
            self._page = fingerprint, self._guarded(lambda: {**row, **self.content()})
        return self._page[1]

    @property
    def is_read(self) -> bool:
        """True if its page has been made of its files as they are, whole."""
        return self._page is not None and self._page[0] == self._safe_fingerprint() and "reading" not in self._page[1]

    def _guarded(self, make: Callable[[], Json]) -> Json:
        try:
            return make()
        except OSError as error:
            why = error.strerror or type(error).__name__
        except KrError as error:
            why = str(error)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            # one odd file must not hide the other runs
            why = "its files hold values that make no sense"
        return {"kind": self.kind, "changed": self.changed(), "state": "damaged", "progress": why, "facts": []}

    def _safe_fingerprint(self) -> Any:
        try:
            return self.fingerprint()
        except (KrError, OSError):
            # its files are gone, or have become links
            return None

    def file(self, name: str) -> Path | None:
        """A file in its directory; None if it is not there."""
        return own(self.folder / name) if name in self.names else None

    @property
    def folder(self) -> Path:
        """Its directory."""
        return self.path

    @property
    def output(self) -> Path:
        """What its writer holds."""
        return self.path

    def fingerprint(self) -> Any:
        """A value that differs once anything about the run has changed."""
        return is_held(self.output), [stamp(each) for each in self.sources()]

    def changed(self) -> float:
        """Time of the last change."""
        return max((each[0] for path in self.sources() if (each := stamp(path))), default=0) / 1e9

    def state(self, complete: bool | None) -> str:
        """State as text. complete: None if it can't be known."""
        if is_held(self.output):
            return "running"
        return "ended" if complete is None else "done" if complete else "stopped"

    @abstractmethod
    def sources(self) -> Sequence[Path]:
        """The files that it is read from."""

    @abstractmethod
    def progress(self) -> Json:
        """State and progress, as text."""

    @abstractmethod
    def content(self) -> Json:
        """Facts, tables and charts."""

    def game(self, number: int) -> str:
        """PDN of a game of it. Raises InvalidSettingError."""
        raise InvalidSettingError("this run has no games of its own")


class FileRun(OneRun):
    """A run that is one file, with others beside it."""

    @property
    def folder(self) -> Path:
        return self.path.parent


def page_table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> Json:
    """A table of texts; numbers are written with commas."""
    return {"title": title, "head": list(head), "rows": [[_cell(each) for each in row] for row in rows]}


def _cell(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "-" if value is None else str(value)


def chart(title: str, x: str, y: str, lines: Sequence[Json]) -> Json:
    """A chart with the names of its axes."""
    return {"title": title, "x": x, "y": y, "lines": [each for each in lines if each["points"]]}


def line(name: str, points: Sequence[Sequence[float | None]], kind: str = "line") -> Json:
    """A line of a chart: [x, y] or [x, y, error] each. kind: line, band (with its errors), points or guide."""
    good = [list(each) for each in points if all(n is not None and math.isfinite(n) for n in each)]
    return {"name": name, "kind": kind, "points": thinned(good)}


def thinned(points: list[Any]) -> list[Any]:
    """At most MOST_POINTS of them, the first and the last among them."""
    return [points[i] for i in picked(len(points))]


def picked(count: int) -> list[int]:
    """Evenly spread numbers from 0 to count - 1, at most MOST_POINTS."""
    if count <= MOST_POINTS:
        return list(range(count))
    return [round(i * (count - 1) / (MOST_POINTS - 1)) for i in range(MOST_POINTS)]


def games_there(there: int, wanted: int | None) -> str:
    """Games there are, and games wanted if that is known, as text."""
    return counted(there, "game") if wanted is None else f"{there:,} of {counted(wanted, 'game')}"


def settings_of(provenance: Mapping[str, Any]) -> Json:
    """The settings that a provenance holds as text; empty if it has none."""
    try:
        settings = parse_json(str(provenance.get("settings", "{}")))
    except ValueError:
        return {}
    return settings if isinstance(settings, dict) else {}


def story(provenance: Mapping[str, Any]) -> Facts:
    """Date and command that began a run."""
    facts = [("Begun", f"{str(provenance['created'])[:16].replace('T', ' ')} UTC")] if "created" in provenance else []
    labels = {"kr": "kr", "command": "Command"}
    return facts + [(label, str(provenance[key])[:300]) for key, label in labels.items() if provenance.get(key)]


def strength(pairs: Sequence[int]) -> Facts:
    """Elo with its error, normalized Elo and superiority; nothing before the first pair."""
    if not sum(pairs):
        return []
    result = estimate(pairs)
    return [
        ("Elo", f"{result.elo:+.1f} ± {result.elo_error:.1f}"),
        ("Normalized Elo", f"{result.normalized_elo:+.1f} ± {result.normalized_elo_error:.1f}"),
        ("Likelihood of superiority", f"{100 * result.los:.1f}%"),
    ]


def tested(test: Sprt | None, pairs: Sequence[int]) -> Facts:
    """Progress of a sequential test."""
    if test is None:
        return []
    decided = {"H1": f"; decided for {test.elo1:+g} Elo", "H0": f"; decided for {test.elo0:+g} Elo", None: ""}
    ratio = f"{test.llr(pairs):.2f} ({test.lower:.2f} to {test.upper:.2f})" + decided[test.decision(pairs)]
    return [(f"LLR of {test.elo1:+g} to {test.elo0:+g} Elo", ratio)]


def shares(counts: Sequence[int]) -> list[object]:
    """The sum of wins, draws and losses, and each in percent."""
    total = sum(counts)
    return [total, *(f"{100 * count / max(total, 1):.1f}" for count in counts)]
