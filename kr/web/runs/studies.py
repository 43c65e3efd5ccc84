"""Fits of the studies, of people and of endings, as pages show them: both alike, under way and done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from kr.errors import InvalidWeightsError, KrError
from kr.evaluation.files import KIND as WEIGHTS_KIND
from kr.evaluation.files import WeightsFile
from kr.hdf5 import reading
from kr.jobs.journal import JournalView, begun_settings
from kr.language.sentences import Duration, Figure, count_of, sentence
from kr.policy.model_file import POLICY_KIND, read_policy
from kr.storage import is_held
from kr.studies.checkpoint import FitStage, checkpoint_path, read_stage
from kr.studies.endings.model_file import KIND as ENDNET_KIND
from kr.studies.endings.model_file import load_model
from kr.studies.evolution.reading import JOURNAL_FILE, RESULTS_FILE, GenerationRow, read_run
from kr.web.runs.files import own
from kr.web.runs.kinds import (
    Facts,
    FileRun,
    Json,
    OneRun,
    TableColumns,
    chart,
    fact,
    figure,
    line,
    share,
    story,
    table_of,
)  # fmt: skip
from kr.web.runs.learning import FitRun

Curve = Sequence[Mapping[str, Any]]
SHARE_NAMES = {
    "accuracy": ("runs.right", "runs.right_share"), "top1": ("runs.first_choice", "runs.first_choice_share"),
    "top3": ("runs.first_three", "runs.first_three_share"),
}  # fmt: skip
"""Names of the shares of validation data in the points of a curve, in a chart and above a column."""
_FITS = {"people": "runs.fit_of_people", "endings": "runs.fit_of_endings"}


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

    kind = "runs.evolution"

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
        counts = [sentence("runs.generations_of", count=len(self._generations())), count_of("games", self._games())]
        # the journal doesn't say how many generations there are to be
        return self.course(None, counts)

    def content(self) -> Json:
        columns: TableColumns = {
            "runs.generation": ("generation", None), "runs.games": ("games", None), "runs.plies": ("plies", None),
        }  # fmt: skip
        facts = [fact("label.games", self._games()), *story(self._journal.provenance)]
        rows = [row._asdict() for row in self._generations()]
        return {"facts": facts, "tables": [table_of("label.generations", columns, rows)], "charts": []}


class FitOutput(NamedTuple):
    """The output of a fit."""

    study: str
    curve: Curve
    loss: float | None
    """Validation loss of the best epoch."""
    facts: Facts


class StudyRun(FileRun):
    """A fit of a study: its output, or the checkpoint of one under way beside where that will be."""

    kind = "runs.fit"

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
            loss = output.loss
            words = (
                sentence("runs.fitted") if loss is None else sentence("runs.validation_loss_of", number=Figure(loss, 4))
            )
            return {"kind": sentence(_FITS[output.study]), "state": "done", "progress": words}
        under_way = self._stage()
        if under_way is None:
            return self.course(False, sentence("runs.reading_data"))
        study, stage = under_way
        parts = [sentence(_UNITS[stage.unit][1], done=stage.done, count=stage.total)]
        if stage.curve:
            parts.append(sentence("runs.validation_loss_of", number=Figure(stage.curve[-1]["validation_loss"], 4)))
        return {"kind": sentence(_FITS[study]), **self.course(False, parts, stage.done, stage.total)}

    def content(self) -> Json:
        output = self._finished()
        if output is not None:
            return _page(output.facts, output.curve)
        under_way = self._stage()
        if under_way is None:
            return _page([], [])
        stage = under_way[1]
        facts = [fact(_UNITS[stage.unit][0], sentence("runs.of", done=stage.done, all=stage.total))]
        if stage.loss is not None:
            facts.append(fact("label.epoch_loss", Figure(stage.loss, 4)))
        return _page(facts, stage.curve)


_DATA = {"games": "label.games", "decisions": "label.decisions"}
_UNITS = {"batches": ("label.batches", "runs.batches"), "iterations": ("label.iterations", "runs.iterations_done")}


def _people_output(path: Path) -> FitOutput:
    policy = read_policy(path)
    fit, data = (policy.card.get(name, {}) for name in ("fit", "data"))
    best = fit.get("best_epoch", fit.get("best_leg", 1))
    facts = [fact("label.model", str(policy.shape)), fact("label.numbers", policy.numbers)]
    facts += [fact(name, data[key]) for key, name in _DATA.items() if key in data]
    if test := policy.card.get("test"):
        first, third = (share(test["top_chosen"][top], 2) for top in ("1", "3"))
        facts.append(fact("label.unforced_moves", sentence("runs.first_and_third", first=first, third=third)))
    return _output("people", fit.get("curve", []), best, facts, policy.attrs)


def _endings_output(path: Path) -> FitOutput:
    model = load_model(path)
    report = model.report
    facts = [
        fact("label.model", str(model.shape)),
        fact("label.numbers", model.weights),
        fact("label.training_positions", report["training_positions"]),
        fact("label.validation_positions", sentence("runs.share_right", number=share(report["accuracy"], 2))),
    ]
    return _output("endings", model.curve, report["best_epoch"], facts, model.attrs)


def _output(study: str, curve: Curve, best: int, facts: Facts, provenance: Mapping[str, Any]) -> FitOutput:
    """An output. best: number of the best point of the curve, from 1; facts: about the model."""
    if not curve:
        return FitOutput(study, curve, None, [*facts, *story(provenance)])
    (_, label), steps = _steps(curve)
    course = [
        fact(label, sentence("runs.of", done=steps[best - 1], all=steps[-1])),
        fact("label.time", Duration(curve[-1]["seconds"])),
    ]
    return FitOutput(study, curve, curve[best - 1]["validation_loss"], [*facts, *course, *story(provenance)])


def _steps(curve: Curve) -> tuple[tuple[str, str], list[int]]:
    """Names of the unit of a curve's steps and of the best one, and their numbers: epochs, or iterations of a logit."""
    is_logit = bool(curve) and "iterations" in curve[0]
    names = ("runs.iteration", "label.best_iteration") if is_logit else ("runs.epoch", "label.best_epoch")
    return names, [point.get("iterations", number) for number, point in enumerate(curve, 1)]


def _page(facts: Facts, curve: Curve) -> Json:
    """Facts, and a curve as a table and as charts."""
    (unit, _), steps = _steps(curve)
    names = {key: name for key, name in SHARE_NAMES.items() if curve and key in curve[0]}
    columns: TableColumns = {
        unit: ("step", None), "runs.mean_loss": ("loss", figure(4)),
        "runs.validation_loss": ("validation_loss", figure(4)),
        **{head: (key, partial(share, digits=2)) for key, (_, head) in names.items()},
        "runs.time": ("seconds", Duration),
    }  # fmt: skip
    rows = [{**point, "step": step} for step, point in zip(steps, curve, strict=True)]

    def drawn(key: str, name: str, factor: float = 1, digits: int = 6) -> Json:
        return line(sentence(name), [[row["step"], factor * row[key]] for row in rows], digits=digits)

    losses = [drawn("loss", "runs.training"), drawn("validation_loss", "runs.validation")]
    charts = [chart("label.loss", unit, "runs.mean_loss", losses)] if curve else []
    if names:
        right = [drawn(key, name, 100, 2) for key, (name, _) in names.items()]
        charts.append(chart("label.right_on_validation", unit, "runs.share", right))
    return {"facts": facts, "tables": [table_of("label.learning_curve", columns, rows)], "charts": charts}
