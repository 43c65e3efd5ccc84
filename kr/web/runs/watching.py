"""Runs: self-play, fits, training and matches of the directories that the command named, watched while they run.

Nothing is locked, and files are looked at only while somebody watches: at most once a second for all viewers together,
and read only if they have changed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from kr.errors import InvalidGamesError, InvalidSettingError
from kr.language.sentences import sentence
from kr.learn.training.history import FILE as HISTORY_FILE
from kr.match.log import log_of
from kr.pdn import read_game
from kr.studies.evolution.reading import JOURNAL_FILE
from kr.viewer.document import game_document
from kr.web.house import House
from kr.web.live import Inbox
from kr.web.request import PageRequest
from kr.web.runs.files import FileTree, Stamp, stamp
from kr.web.runs.kinds import OneRun
from kr.web.runs.learning import FitRun, TrainingRun
from kr.web.runs.matches import match_run
from kr.web.runs.selfplay import SelfplayRun
from kr.web.runs.studies import StudyRun, evolution_run, file_run

POLL_SECONDS = 1.0
MOST_RUNS = 500
"""Runs in the list."""
GLANCE_SECONDS = 0.3
"""Time that a look spends on reading runs of the list for damage; the next goes on from there."""
LONGEST_RUN_NAME = 1000


class RunWatch:
    """All runs of a server. Its methods are called in one thread, so that one look is taken at a time."""

    def __init__(self, directories: tuple[Path, ...], now: Callable[[], float] = time.monotonic) -> None:
        self._trees = dict(zip(_names(directories), map(FileTree, directories), strict=True))
        self._now = now
        self._looked = self._read = -POLL_SECONDS
        self._runs: dict[str, OneRun] = {}
        # the kind of run that files are the output of, with the stamp they were read at
        self._kinds: dict[Path, tuple[Stamp, type[OneRun] | None]] = {}

    def rows(self) -> list[dict[str, Any]]:
        """The runs in order of name, each with its name, kind, state, progress and time of the last change."""
        self._look()
        self._read_on()
        return [{"name": name, **run.row()} for name, run in list(self._runs.items())[:MOST_RUNS]]

    def page(self, name: str) -> dict[str, Any]:
        """Everything about a run. Raises InvalidSettingError for an unknown name."""
        return {"name": name, **self._run(name).page()}

    def game(self, name: str, number: int) -> dict[str, Any]:
        """A game of a run as a document. Raises KrError, OSError."""
        run = self._run(name)
        run.row()
        game = read_game(run.game(number))
        if game is None:
            raise InvalidGamesError(sentence("runs.bad_game", name=name, number=str(number + 1)))
        return game_document(game)

    def _run(self, name: str) -> OneRun:
        self._look()
        run = self._runs.get(name)
        if run is None:
            raise InvalidSettingError(sentence("refused.no_run", name=name[:100]))
        return run

    def _read_on(self) -> None:
        """Read runs that no process writes and whose files have changed, so that their damage is in the list."""
        if self._now() - self._read < POLL_SECONDS:
            return
        self._read = self._now()
        until = time.monotonic() + GLANCE_SECONDS
        for run in list(self._runs.values())[:MOST_RUNS]:
            if not run.is_read and run.row()["state"] not in ("running", "damaged"):
                run.page()
                if time.monotonic() >= until:
                    return

    def _look(self) -> None:
        """Find the runs that there are now, if the last look is over a second old."""
        if self._now() - self._looked < POLL_SECONDS:
            return
        runs: dict[str, OneRun] = {}
        kinds: dict[Path, tuple[Stamp, type[OneRun] | None]] = {}
        for title, tree in self._trees.items():
            for folder, names in tree.look():
                for kind, path in self._find(folder, names, kinds):
                    below = path.relative_to(tree.root).as_posix()
                    name = title if below == "." else f"{title}/{below}"
                    before = self._runs.get(name)
                    runs[name] = before if type(before) is kind else kind(path, names)
                    runs[name].names = names
        self._runs = dict(sorted(runs.items()))
        self._kinds = kinds
        self._looked = self._now()

    def _find(
        self, folder: Path, names: frozenset[str], kinds: dict[Path, tuple[Stamp, type[OneRun] | None]]
    ) -> Iterator[tuple[type[OneRun], Path]]:
        """Runs in a directory, not in those below."""

        def judge(path: Path, source: Path, kind_of: Callable[[Path], type[OneRun] | None]) -> type[OneRun] | None:
            now = stamp(source)
            before = self._kinds.get(path)
            kinds[path] = before if before and before[0] == now else (now, kind_of(path))
            return kinds[path][1]

        if HISTORY_FILE in names:
            yield TrainingRun, folder
        if "run.json" in names and any(name.startswith("shard-") or name == ".lock" for name in names):
            yield SelfplayRun, folder
        if JOURNAL_FILE in names and (evolved := judge(folder, folder / JOURNAL_FILE, evolution_run)):
            yield evolved, folder
        for name in sorted(names):
            path = folder / name
            kind: type[OneRun] | None = None
            if name.endswith(".h5.checkpoint"):
                yield FitRun, path.with_suffix("")
            elif name.endswith(".h5.state"):
                yield StudyRun, path.with_suffix("")
            elif name.startswith(".") and name.endswith(".h5.lock"):
                yield FitRun, folder / name[1:].removesuffix(".lock")
            elif name.endswith(".h5") and not name.startswith(("shard-", ".")):
                # a training run copies the tables it began with
                copied = name == "start.h5" and HISTORY_FILE in names
                under_way = not names.isdisjoint((f"{name}.checkpoint", f"{name}.state"))
                if not copied and not under_way and (kind := judge(path, path, file_run)):
                    yield kind, path
            elif f"{name}.log" in names and (kind := judge(path, log_of(path), match_run)):
                yield kind, path


def _names(directories: tuple[Path, ...]) -> list[str]:
    """A short name of each directory, all different."""
    names: list[str] = []
    for path in directories:
        name = plain = path.resolve().name or "/"
        while name in names:
            name = f"{plain} ({sum(each.startswith(plain) for each in names) + 1})"
        names.append(name)
    return names


class _Watching:
    """The runs of a server and the thread that looks at them."""

    def __init__(self, house: House) -> None:
        self._watch = RunWatch(house.settings.runs)
        self._thread = ThreadPoolExecutor(1, "runs")
        house.on_close(lambda: self._thread.shutdown(cancel_futures=True))

    async def do(self, what: Callable[..., Any], *arguments: Any) -> Any:
        """Call a method of RunWatch in its thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, what, self._watch, *arguments)


_WATCHING: WeakKeyDictionary[House, _Watching] = WeakKeyDictionary()


def _watching(house: House) -> _Watching:
    if house not in _WATCHING:
        _WATCHING[house] = _Watching(house)
    return _WATCHING[house]


async def watch_runs(house: House, request: PageRequest, inbox: Inbox) -> AsyncGenerator[Mapping[str, Any], None]:
    """The list, now and whenever it changes."""
    watching = _watching(house)
    last = None
    while True:
        rows = await watching.do(RunWatch.rows)
        if rows != last:
            yield {"runs": rows, "directories": len(house.settings.runs)}
            last = rows
        await asyncio.sleep(POLL_SECONDS)


async def watch_run(house: House, request: PageRequest, inbox: Inbox) -> AsyncGenerator[Mapping[str, Any], None]:
    """A run by its name, now and whenever it changes."""
    name = request.text("name", LONGEST_RUN_NAME)
    watching = _watching(house)
    last = None
    while True:
        page = await watching.do(RunWatch.page, name)
        if page != last:
            yield {"run": page}
            last = page
        # a long read goes on step by step
        await asyncio.sleep(0 if "reading" in page else POLL_SECONDS)


async def run_game(house: House, request: PageRequest) -> dict[str, Any]:
    """A game of a run, by the run's name and the game's number from 0."""
    name, number = request.text("name", LONGEST_RUN_NAME), request.number("game", 0, 10**12)
    game: dict[str, Any] = await _watching(house).do(RunWatch.game, name, number)
    return game


ROUTES = {"runs/game": run_game}
LIVE = {"runs": watch_runs, "run": watch_run}
