"""Kinds of runs as pages show them: self-play, fits, training and matches, each read beside its writer.

A run gives a row for the list and a page: facts, tables and charts, all as JSON, whose words are sentences by name, so
that the script of the page knows nothing of kinds. `OneRun` says when they are made anew.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kr.errors import InvalidSettingError, KrError
from kr.language.sentences import Figure, Sentence, Told, as_json, count_of, sentence
from kr.match.elo import Sprt, estimate
from kr.storage import is_held, parse_json
from kr.web.live import error_told
from kr.web.runs.files import own, stamp

Fact = tuple[Sentence, Told]
Facts = list[Fact]
Json = dict[str, Any]
TableColumns = Mapping[str, tuple[str, Callable[[Any], Told] | None]]

MOST_POINTS = 200
"""Points of a line."""
BY_RESULT = "runs.black_wins_share", "runs.drawn_share", "runs.white_wins_share"
"""Columns of a table of results."""
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
        """Its line in the list: kind, state, progress, the share that is done, seconds since 1970 of the last change.

        What damage its page has met is in it too: a file may be there, and be counted, that can't be read.
        """
        fingerprint = self._safe_fingerprint()
        if self._page is not None and self._page[0] == fingerprint and self._page[1]["state"] == "damaged":
            return {key: self._page[1][key] for key in ("kind", "changed", "state", "progress", "share")}
        if self._row is None or self._row[0] != fingerprint:
            self._row = fingerprint, self._guarded(self.progress)
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
        row: Json = {"kind": Sentence(self.kind), "changed": self.changed(), "share": None}
        try:
            return as_json(row | make())
        except (KrError, OSError) as error:
            why: Told = error_told(error)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            # one odd file must not hide the other runs
            why = sentence("runs.senseless")
        return as_json(row | {"state": "damaged", "progress": why, "facts": []})

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

    def course(self, complete: bool | None, words: Told, count: int = 0, total: int | None = None) -> Json:
        """State and progress. complete: None if it can't be known; count, total: for its share."""
        state = "running" if is_held(self.output) else {None: "ended", True: "done", False: "stopped"}[complete]
        return {"state": state, "progress": words, "share": min(1.0, count / total) if total else None}

    @abstractmethod
    def sources(self) -> Sequence[Path]:
        """The files that it is read from."""

    @abstractmethod
    def progress(self) -> Json:
        """State, progress and share."""

    @abstractmethod
    def content(self) -> Json:
        """Facts, tables and charts."""

    def game(self, number: int) -> str:
        """PDN of a game of it. Raises InvalidSettingError."""
        raise InvalidSettingError(sentence("runs.no_games"))


class FileRun(OneRun):
    """A run that is one file, with others beside it."""

    @property
    def folder(self) -> Path:
        return self.path.parent


def fact(name: str, value: Told, /, **places: Told) -> Fact:
    """A fact with its label."""
    return Sentence(name, places), value


def page_table(title: str, head: Sequence[str], rows: Iterable[Sequence[Told | None]]) -> Json:
    """A table; its title and the heads of its columns are names of sentences."""
    return {"title": sentence(title), "head": [*map(sentence, head)], "rows": [*rows]}


def table_of(title: str, columns: TableColumns, rows: Iterable[Mapping[str, Any]]) -> Json:
    """A table of rows by key. columns: by the name of the head, the key and how its value is told, None as it is."""
    return page_table(title, list(columns), [
        [None if row[key] is None else tell(row[key]) if tell else row[key] for key, tell in columns.values()]
        for row in rows
    ])  # fmt: skip


def figure(digits: int) -> Callable[[float], Figure]:
    """How numbers with so many decimals are told."""
    return lambda number: Figure(number, digits)


def share(part: float, digits: int = 1) -> Figure:
    """A share in percent."""
    return Figure(100 * part, digits)


def chart(title: str | Sentence, x: str, y: str | Sentence, lines: Sequence[Json]) -> Json:
    """A chart with the names of its axes."""
    title, y = (sentence(each) if isinstance(each, str) else each for each in (title, y))
    return {"title": title, "x": sentence(x), "y": y, "lines": [each for each in lines if each["points"]]}


def line(name: Told, points: Sequence[Sequence[float]], kind: str = "line", digits: int = 4) -> Json:
    """A line of a chart: [x, y] or [x, y, error] each. kind: line, band (with its errors), points or guide."""
    good = [[round(n, digits) for n in each] for each in points if all(map(math.isfinite, each))]
    return {"name": name, "kind": kind, "points": [good[i] for i in picked(len(good))]}


def picked(count: int) -> list[int]:
    """Evenly spread numbers from 0 to count - 1, at most MOST_POINTS."""
    if count <= MOST_POINTS:
        return list(range(count))
    return [round(i * (count - 1) / (MOST_POINTS - 1)) for i in range(MOST_POINTS)]


def games_there(count: int, total: int | None) -> Sentence:
    """Games there are, and games wanted if that is known."""
    if total is None:
        return count_of("games", count)
    return sentence("runs.games_of", done=count, games=count_of("games", total))


def settings_of(provenance: Mapping[str, Any]) -> Json:
    """The settings that a provenance holds as text; empty if it has none."""
    try:
        settings = parse_json(str(provenance.get("settings", "{}")))
    except ValueError:
        return {}
    return settings if isinstance(settings, dict) else {}


def story(provenance: Mapping[str, Any]) -> Facts:
    """Date and command that began a run."""
    created = f"{str(provenance.get('created', ''))[:16].replace('T', ' ')} UTC"
    texts = {
        "label.begun": created if "created" in provenance else "", "label.kr": provenance.get("kr"),
        "label.command": provenance.get("command"),
    }  # fmt: skip
    return [fact(name, str(text)[:300]) for name, text in texts.items() if text]


def strength(pairs: Sequence[int]) -> Facts:
    """Elo with its error, normalized Elo and superiority; nothing before the first pair."""
    if not sum(pairs):
        return []
    result = estimate(pairs)
    return [
        fact("label.elo", Figure(result.elo, 1, True, result.elo_error)),
        fact("label.normalized_elo", Figure(result.normalized_elo, 1, True, result.normalized_elo_error)),
        fact("label.superiority", sentence("runs.percent", number=share(result.los))),
    ]


def tested(test: Sprt | None, pairs: Sequence[int]) -> Facts:
    """Progress of a sequential test."""
    if test is None:
        return []
    ratio, low, high = (Figure(each, 2) for each in (test.llr(pairs), test.lower, test.upper))
    words = sentence("runs.llr_within", ratio=ratio, low=low, high=high)
    elo = {"H1": test.elo1, "H0": test.elo0}.get(test.decision(pairs) or "")
    if elo is not None:
        words = sentence("runs.llr_decided", ratio=words, elo=f"{elo:+g}")
    name = "label.llr_of_normalized" if test.normalized else "label.llr_of"
    return [fact(name, words, low=f"{test.elo1:+g}", high=f"{test.elo0:+g}")]


def shares(counts: Sequence[int]) -> list[Told]:
    """The sum of wins, draws and losses, and each in percent."""
    total = sum(counts)
    return [total, *(share(count / max(total, 1)) for count in counts)]
