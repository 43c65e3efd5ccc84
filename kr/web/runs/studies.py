"""Fits of the studies, of people and of endings, as pages show them: both alike, under way and done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kr.errors import InvalidWeightsError, KrError
from kr.evaluation.files import KIND as WEIGHTS_KIND
from kr.evaluation.files import WeightsFile
from kr.hdf5 import reading
from kr.jobs.journal import JournalView, begun_settings
from kr.policy.model_file import POLICY_KIND, read_policy
from kr.storage import is_held
from kr.studies.checkpoint import FitStage, checkpoint_path, read_stage
from kr.studies.endings.model_file import KIND as ENDNET_KIND
from kr.studies.endings.model_file import load_model
from kr.studies.evolution.reading import JOURNAL_FILE, RESULTS_FILE, GenerationRow, read_run
from kr.units import counted, format_clock
from kr.web.runs.files import own
from kr.web.runs.kinds import Facts, FileRun, Json, OneRun, chart, line, page_table, story
from kr.web.runs.learning import FitRun

Curve = Sequence[Mapping[str, Any]]
SHARE_NAMES = {"accuracy": "right", "top1": "first choice", "top3": "first three choices"}
"""Names of the shares of validation data in the points of a curve."""


def file_run(path: Path) -> type[OneRun] | None:
    """The kind of run that an HDF5 file is the output of; None for other files."""
    try:
        with reading(own(path), InvalidWeightsError, "output of a fit") as source:
            kind = source.attributes.get("kind")
            if kind in (POLICY_KIND, ENDNET_KIND):
                return StudyRun
            is_fit = kind == WEIGHTS_KIND and "report" in WeightsFile(path, source).attrs
            return FitRun if is_fit else None
    except (KrError, OSError):
        return None


def evolution_run(folder: Path) -> type[OneRun] | None:
    """The kind of run in a directory with a journal; None if it is not one of `kr evolve`."""
    try:
        settings = begun_settings(own(folder / JOURNAL_FILE))
    except (KrError, OSError):
        return None
    return EvolveRun if settings is not None and "scheme" in settings else None


class EvolveRun(OneRun):
    """A run of `kr evolve`: its journal, and the results of what was played when they were last written."""

    kind = "evolution"

    def __init__(self, path: Path, names: frozenset[str]) -> None:
        super().__init__(path, names)
        self._journal = JournalView(path / JOURNAL_FILE, lambda values: len(values["games"]))

    @property
    def output(self) -> Path:
        return self.path / JOURNAL_FILE

    def sources(self) -> Sequence[Path]:
        return [self.output, self.path / RESULTS_FILE]

    def _games(self) -> int:
        own(self.output)
        self._journal.look()
        return sum(self._journal.entries)

    def _generations(self) -> list[GenerationRow]:
        return read_run(self.path).generations if self.file(RESULTS_FILE) else []

    def progress(self) -> Json:
        parts = counted(len(self._generations()), "generation"), counted(self._games(), "game")
        # the journal doesn't say how many generations there are to be
        return {"state": self.state(None), "progress": ", ".join(parts)}

    def content(self) -> Json:
        facts = [("Games", f"{self._games():,}"), *story(self._journal.provenance)]
        rows = [[row.generation, row.games, row.plies] for row in self._generations()]
        return {
            "facts": facts,
            "tables": [page_table("Generations", ["generation", "games", "plies"], rows)],
            "charts": [],
        }


class FitOutput(NamedTuple):
    """The output of a fit."""

    study: str
    curve: Curve
    loss: float | None
    """Validation loss of the best epoch."""
    facts: Facts


class StudyRun(FileRun):
    """A fit of a study: its output, or the checkpoint of one under way beside where that will be."""

    kind = "fit"

    def sources(self) -> Sequence[Path]:
        return [self.path, checkpoint_path(self.path)]

    def _stage(self) -> tuple[str, FitStage] | None:
        """Study and stage of a fit under way; None before its first checkpoint."""
        path = self.file(checkpoint_path(self.path).name)
        return None if path is None else read_stage(path)

    def _finished(self) -> FitOutput | None:
        """The output; None while there is none, or a new one is made."""
        path = self.file(self.path.name)
        if path is None or checkpoint_path(self.path).name in self.names or is_held(self.path):
            return None
        with reading(path, InvalidWeightsError, "output of a fit") as source:
            is_policy = source.attributes.get("kind") == POLICY_KIND
        return _people_output(path) if is_policy else _endings_output(path)

    def progress(self) -> Json:
        output = self._finished()
        if output is not None:
            said = "fitted" if output.loss is None else f"validation loss {output.loss:.4f}"
            return {"kind": f"fit of {output.study}", "state": "done", "progress": said}
        under_way = self._stage()
        if under_way is None:
            return {"state": self.state(False), "progress": "reading data"}
        study, stage = under_way
        parts = [f"{stage.done:,} of {stage.total:,} {stage.unit}"]
        if stage.curve:
            parts.append(f"validation loss {stage.curve[-1]['validation_loss']:.4f}")
        return {"kind": f"fit of {study}", "state": self.state(False), "progress": ", ".join(parts)}

    def content(self) -> Json:
        output = self._finished()
        if output is not None:
            return _page(output.facts, output.curve)
        under_way = self._stage()
        if under_way is None:
            return _page([], [])
        stage = under_way[1]
        facts = [(stage.unit.capitalize(), f"{stage.done:,} of {stage.total:,}")]
        if stage.loss is not None:
            facts.append(("Loss in the epoch under way", f"{stage.loss:.4f}"))
        return _page(facts, stage.curve)


def _people_output(path: Path) -> FitOutput:
    policy = read_policy(path)
    fit, data = (policy.card.get(name, {}) for name in ("fit", "data"))
    best = fit.get("best_epoch", fit.get("best_leg", 1))
    facts = [("Model", str(policy.shape)), ("Numbers", f"{policy.numbers:,}")]
    facts += [(name.capitalize(), f"{data[name]:,}") for name in ("games", "decisions") if name in data]
    if test := policy.card.get("test"):
        first, third = (_percent(test["top_chosen"][top]) for top in ("1", "3"))
        facts.append(("Unforced moves of the test part", f"{first}% right, {third}% within three"))
    return _output("people", fit.get("curve", []), best, facts, policy.attrs)


def _endings_output(path: Path) -> FitOutput:
    model = load_model(path)
    report = model.report
    facts = [
        ("Model", str(model.shape)), ("Numbers", f"{model.weights:,}"),
        ("Training positions", f"{report['training_positions']:,}"),
        ("Validation positions", f"{_percent(report['accuracy'])}% right"),
    ]  # fmt: skip
    return _output("endings", model.curve, report["best_epoch"], facts, model.attrs)


def _output(study: str, curve: Curve, best: int, facts: Facts, provenance: Mapping[str, Any]) -> FitOutput:
    """An output. best: number of the best point of the curve, from 1; facts: about the model."""
    if not curve:
        return FitOutput(study, curve, None, [*facts, *story(provenance)])
    unit, steps = _steps(curve)
    course = [
        (f"Best {unit}", f"{steps[best - 1]:,} of {steps[-1]:,}"), ("Time", format_clock(curve[-1]["seconds"])),
    ]  # fmt: skip
    return FitOutput(study, curve, curve[best - 1]["validation_loss"], [*facts, *course, *story(provenance)])


def _steps(curve: Curve) -> tuple[str, list[int]]:
    """The unit of a curve's steps, and their numbers: epochs, or iterations of a logit."""
    unit = "iteration" if curve and "iterations" in curve[0] else "epoch"
    return unit, [point.get("iterations", number) for number, point in enumerate(curve, 1)]


def _page(facts: Facts, curve: Curve) -> Json:
    """Facts, and a curve as a table and as charts."""
    unit, steps = _steps(curve)
    names = {name: text for name, text in SHARE_NAMES.items() if curve and name in curve[0]}
    rows = []
    for step, point in zip(steps, curve, strict=True):
        ends = (f"{point[name]:.4f}" for name in ("loss", "validation_loss"))
        rows.append([step, *ends, *(_percent(point[name]) for name in names), format_clock(point["seconds"])])
    head = [unit, "loss", "validation loss", *(f"{text} %" for text in names.values()), "time"]

    def drawn(name: str, text: str, factor: float = 1, digits: int = 6) -> Json:
        values = (round(factor * point[name], digits) for point in curve)
        return line(text, list(zip(steps, values, strict=True)))

    losses = [drawn("loss", "training"), drawn("validation_loss", "validation")]
    charts = [chart("Loss", unit, "mean loss", losses)] if curve else []
    if names:
        shares = [drawn(name, text, 100, 2) for name, text in names.items()]
        charts.append(chart("Right on validation data", unit, "%", shares))
    return {"facts": facts, "tables": [page_table("Learning curve", head, rows)], "charts": charts}


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"
