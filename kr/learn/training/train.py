"""Training by generations: the strongest tables so far play games, tables are fitted to the latest games, and a match
decides which tables are stronger. Then the next generation begins.

Everything is in one directory: the history (history.py), and for each generation a run directory of games, a
weights file and the record of its match. Each step resumes by its own means; the history has the next step.
Generation n plays with the seed 1000 * seed + n, so that a run can be repeated.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from kr import extras, figures, storage
from kr.engine.search import Stop
from kr.errors import InvalidGamesError, InvalidSettingError, InvalidWeightsError, StoppedError
from kr.evaluation import files, kinds
from kr.learn import games
from kr.learn.fitting.fit import fit
from kr.learn.fitting.priors import read_priors
from kr.learn.selfplay import SelfplayResult, selfplay
from kr.learn.shards import opening_mix
from kr.learn.summary import summarize
from kr.learn.training import history as train_history
from kr.learn.training import plot as train_plot
from kr.learn.training.gate import Gate, play_gate
from kr.learn.training.history import Generation, Step, TrainHistory, games_name, gate_name, matched_games, tables_name
from kr.learn.training.outlook import doubt, games_behind
from kr.learn.training.settings import TrainSettings, step_record, with_record
from kr.match.log import log_of
from kr.match.match import check_match
from kr.openings import decks
from kr.settings import check_settings
from kr.units import counted

START_FILE = "start.h5"
SAVE_EVERY = 60.0
"""Seconds of work after which the time spent is saved: the most that a kill can lose of it."""


class TrainWatcher:
    """Listener of a training run. Override any of its methods; by default they do nothing."""

    def begins(self, number: int, step: str, settings: TrainSettings) -> None:
        """A step of a generation begins or resumes, with these settings."""

    def played(self, tally: SelfplayResult) -> None:
        """One more game."""

    def fitting(self, what: str, count: int, total: int) -> None:
        """Progress of the fit: name of the stage, units done, units in all."""

    def matched(self, gate: Gate) -> None:
        """One more game at the gate."""

    def ended(self, number: int, step: str, result: Mapping[str, Any], seconds: float) -> None:
        """A step has its result."""

    def notice(self, text: str) -> None:
        """Something the user should know."""


def train(settings: TrainSettings, watcher: TrainWatcher | None = None, stop: Stop | None = None) -> TrainHistory:
    """Make the generations that the directory lacks; returns the history.

    An interrupted step resumes. Changed settings hold for later steps. The games and the match of a generation end with
    the settings with which they began; a fit begins afresh with new ones. The seed and the tables to begin with can't
    change. stop: ends the work after the game or iteration under way; the history then has the step `under_way`, and
    the same call resumes. Raises the errors of `selfplay`, `fit` and `play_match`.
    """
    check_settings(settings, TrainSettings)
    watcher = watcher or TrainWatcher()
    extras.check_packages("training needs", *extras.TRAINING)
    if settings.plots:
        figures.check_plots(settings.plots)
    opening_mix(settings.openings)
    decks.deck(settings.gate_ballot)
    path = settings.out / train_history.FILE
    # raises before anything is written
    if not path.exists():
        start = kinds.load_evaluation(settings.weights or None)
        if not isinstance(start, kinds.BuiltIn | kinds.FileEvaluation):
            raise InvalidSettingError(
                f"weights: training begins with a weights file or a built-in evaluation, not {start.name}"
            )
    if not path.exists() or train_history.load_history(settings.out).lacks(settings.generations):
        _check_inputs(settings)
    with storage.lock_directory(settings.out):
        history = _begun(settings) if path.exists() else _begin(settings)
        if history.lacks(settings.generations) and (doubt := _doubt(settings, history)):
            watcher.notice(doubt)
        if history.lacks(settings.generations) and (warning := settings.fit_settings(1, ()).warning):
            watcher.notice(f"warning: {warning}")
        # the history shows the step that a stop left undone
        with suppress(StoppedError):
            _Training(settings, history, watcher, stop or Stop()).go()
    return history


def _check_inputs(settings: TrainSettings) -> None:
    """Raise now the errors that would otherwise end a later step, after hours of work."""
    check_match(settings.match_settings(1, "", ""))
    read_priors(settings.fit_settings(1, ()))
    for directory in settings.data:
        games.game_files(directory)


def _doubt(settings: TrainSettings, history: TrainHistory) -> str | None:
    """Warning about a run that is not expected to get anywhere; None if it is, or has the help of a prior."""
    if settings.prior or history.best in kinds.built_in():
        return None
    game_counts = [g.play.result["games"] for g in history.generations if g.play and g.play.result]
    behind = games_behind(settings.out / history.best)
    if behind is None:
        return None
    return doubt(
        f"{history.weights or kinds.SHIPPED}" if history.best == history.start else history.best,
        behind,
        [
            *(sum(len(games.read_shard(path)) for path in games.game_files(each)) for each in settings.data),
            *game_counts,
        ],
        settings.generations - len(game_counts),
        settings.games,
        settings.window,
    )


def _begin(settings: TrainSettings) -> TrainHistory:
    """New history. The run keeps a copy of the tables it begins with, since files elsewhere may change."""
    foreign = [path.name for pattern in ("games-*", "g[0-9]*", "gate-*") for path in settings.out.glob(pattern)]
    if foreign:
        raise InvalidGamesError(f"{settings.out} holds {foreign[0]} but no {train_history.FILE}; choose another --out")
    start = settings.weights if settings.weights in kinds.built_in() else START_FILE
    if start == START_FILE:
        shipped = settings.weights in ("", kinds.SHIPPED)
        source = files.shipped_path() if shipped else Path(settings.weights)
        storage.write_atomic(settings.out / START_FILE, source.read_bytes())
    signature = kinds.load_evaluation(settings.out / start if start == START_FILE else start).signature
    history = TrainHistory(
        weights=settings.weights,
        start=start,
        signature=signature,
        seed=settings.seed,
        provenance=storage.provenance(parents=[signature], seed=settings.seed),
    )
    train_history.save_history(settings.out, history)
    return history


def _begun(settings: TrainSettings) -> TrainHistory:
    """History of a run to resume. Raises InvalidSettingError if it began with another seed or other tables."""
    history = train_history.load_history(settings.out)
    if settings.seed != history.seed:
        raise InvalidSettingError(
            f"{settings.out} began with seed={history.seed}, not {settings.seed}; "
            "use the same seed to resume, or another --out"
        )
    weights = settings.weights
    if weights not in ("", history.weights) and kinds.load_evaluation(weights).signature != history.signature:
        raise InvalidSettingError(
            f"{settings.out} began with the tables {history.weights or kinds.SHIPPED} ({history.signature}), "
            f"not {weights}; leave out --weights to resume, or use another --out"
        )
    return history


class _Training:
    """One start of a training run."""

    def __init__(self, settings: TrainSettings, history: TrainHistory, watcher: TrainWatcher, stop: Stop) -> None:
        self.settings = settings
        self.stop = stop
        self.history = history
        self.watcher = watcher

    def go(self) -> None:
        """Make the missing steps, generation by generation."""
        while (generation := self._next()) is not None:
            while (step := generation.under_way) is not None:
                self._do(generation, step)
            self._draw()
        self._draw()

    def _next(self) -> Generation | None:
        """The generation to work on, None when there are enough."""
        generations = self.history.generations
        if generations and generations[-1].under_way:
            return generations[-1]
        if not self.history.lacks(self.settings.generations):
            return None
        generations.append(Generation(len(generations) + 1, self.history.best))
        return generations[-1]

    def _draw(self) -> None:
        if self.settings.plots:
            train_plot.draw_generations(self.history, self.settings.out, self.settings.plots)

    def _do(self, generation: Generation, name: str) -> None:
        """Do a step, or the rest of it, and record its result."""
        self._raise_if_stopped()
        step, settings = self._taken_up(generation, name)
        self.watcher.begins(generation.number, name, settings)
        work = {"play": self._play, "fit": self._fit, "gate": self._gate}[name]
        clock = _Clock(step, self._save)
        try:
            step.result = work(generation, settings, clock)
        finally:
            clock.save()
        self.watcher.ended(generation.number, name, step.result, step.seconds)

    def _taken_up(self, generation: Generation, name: str) -> tuple[Step, TrainSettings]:
        """A step without a result, recorded as begun, and the settings to do it with."""
        step: Step | None = getattr(generation, name)
        settings, fresh = self.settings, step_record(self.settings, name)
        if step is not None and self._holds_games(generation.number, name):
            settings = with_record(settings, step.settings)
            changed = [key for key, value in step.settings.items() if fresh.get(key, value) != value]
            if changed:
                self.watcher.notice(
                    f"generation {generation.number}, {name}: resumes with the settings it began with, "
                    f"{', '.join(f'{key}={step.settings[key]}' for key in changed)}; "
                    f"{', '.join(f'{key}={fresh[key]}' for key in changed)} from generation {generation.number + 1} on"
                )
        else:
            story = storage.provenance()
            origin: dict[str, str] = {
                key: story[key] for key in ("command", "kr", "commit", "platform", "created") if key in story
            }
            step = Step(fresh, origin, step.seconds if step else 0.0)
            setattr(generation, name, step)
        self._save()
        return step, settings

    def _holds_games(self, number: int, name: str) -> bool:
        """True if a step has games that other settings would waste; False for a fit."""
        if name == "play":
            return any((self.settings.out / games_name(number)).glob("shard-*"))
        return name == "gate" and matched_games(self.settings.out / gate_name(number)) > 0

    def _save(self) -> None:
        train_history.save_history(self.settings.out, self.history)

    def _play(self, generation: Generation, settings: TrainSettings, clock: _Clock) -> dict[str, Any]:
        player = self._tables(generation.player)
        selfplay(settings.selfplay_settings(generation.number, player), clock.ticking(self.watcher.played), self.stop)
        self._raise_if_stopped()
        summary = summarize(games.shard_paths(settings.out / games_name(generation.number)))
        names = ("games", "plies", "searched", "black_wins", "draws", "white_wins", "reasons", "shards", "bytes")
        return {name: getattr(summary, name) for name in names}

    def _fit(self, generation: Generation, settings: TrainSettings, clock: _Clock) -> dict[str, Any]:
        directories = settings.game_directories(generation.number)
        self._check_shards(directories)
        fit_settings = settings.fit_settings(generation.number, directories)
        outcome = fit(fit_settings, clock.ticking(self.watcher.fitting), self.stop)
        report = outcome.report
        held = {row["group"]: row for row in report["loss"] if row["set"] == "held_out" and row["positions"]}
        positions = sum(row["positions"] for row in held.values())
        loss = sum(row["positions"] * row["loss"] for row in held.values()) / positions if positions else None
        return {
            "weights": tables_name(generation.number),
            "checksum": outcome.checksum,
            "positions": sum(row["positions"] for row in report["samples"]),
            "distinct": sum(row["distinct"] for row in report["samples"]),
            "held_out_loss": loss,
            "held_out": {group: {key: row[key] for key in ("positions", "loss")} for group, row in held.items()},
            "iterations": {group: len(steps) for group, steps in report["history"].items()},
            "runs": [{**run, "directory": self._name(run["directory"])} for run in report["runs"]],
        }

    def _gate(self, generation: Generation, settings: TrainSettings, clock: _Clock) -> dict[str, Any]:
        if not self._holds_games(generation.number, "gate"):
            pdn = settings.out / gate_name(generation.number)
            for path in (pdn, log_of(pdn)):
                path.unlink(missing_ok=True)
        new, old = (self._tables(name) for name in (tables_name(generation.number), generation.player))
        match = settings.match_settings(generation.number, new, old)
        on_game = clock.ticking(self.watcher.matched)
        verdict = play_gate(match, settings.test(), settings.gate_stop, on_game, self.stop)
        return {"against": generation.player, **verdict}

    def _raise_if_stopped(self) -> None:
        if self.stop.is_set():
            raise StoppedError(f"{self.settings.out}: the training was stopped")

    def _tables(self, name: str) -> str:
        """Spec of tables of this run for players. Raises InvalidWeightsError if the file has been replaced."""
        if name in kinds.built_in():
            return name
        path = self.settings.out / name
        signature, expected = kinds.load_file(path).signature, self.history.signature_of(name)
        if signature != expected:
            raise InvalidWeightsError(
                f"{path}: these tables ({signature}) are not those in {train_history.FILE} ({expected}); "
                "restore the file"
            )
        return str(path)

    def _check_shards(self, directories: Sequence[Path]) -> None:
        """Refuse to fit if games of a generation are missing: the tables would depend on the loss."""
        for generation in self.history.generations:
            directory = self.settings.out / games_name(generation.number)
            if directory in directories and generation.play and generation.play.result:
                count, expected = len(games.shard_paths(directory)), generation.play.result["shards"]
                if count != expected:
                    raise InvalidGamesError(
                        f"{directory} holds {counted(count, 'shard')} of games instead of {expected}; "
                        "restore the missing ones"
                    )

    def _name(self, directory: str) -> str:
        """Name of a run directory in the history: its own name if it belongs to this run, else the absolute path."""
        path = Path(directory)
        return path.name if path.parent == self.settings.out else Path(os.path.abspath(path)).as_posix()


class _Clock:
    """Time spent on a step, saved now and then."""

    def __init__(self, step: Step, save: Callable[[], None]) -> None:
        self._step = step
        self._save = save
        self._last = self._saved = time.monotonic()

    def save(self) -> None:
        """Add the time that has passed, and save it."""
        now = time.monotonic()
        self._step.seconds += now - self._last
        self._last = self._saved = now
        self._save()

    def ticking(self, then: Callable[..., None]) -> Callable[..., None]:
        """A callback that saves when it is time to, then calls `then`."""

        def tick(*arguments: Any) -> None:
            if time.monotonic() - self._saved > SAVE_EVERY:
                self.save()
            then(*arguments)

        return tick
