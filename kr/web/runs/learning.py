"""Fits and training as pages show them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kr.evaluation import files as weights_files
from kr.jobs.journal import JournalView
from kr.language.sentences import Duration, Figure, Sentence, Told, named, sentence
from kr.match.log import Written, log_of
from kr.storage import is_held
from kr.web.runs.files import own
from kr.web.runs.kinds import (
    BY_RESULT,
    Facts,
    FileRun,
    Json,
    OneRun,
    TableColumns,
    chart,
    fact,
    figure,
    games_there,
    line,
    page_table,
    settings_of,
    share,
    story,
    strength,
    table_of,
    tested,
)


class FitRun(FileRun):
    """A fit: its weights file, or the checkpoint of one under way beside where that will be."""

    kind = "runs.fit"

    def sources(self) -> Sequence[Path]:
        return [self.path, checkpoint_of(self.path)]

    def _losses(self) -> Mapping[str, Any]:
        """Losses of a fit under way by group; empty before its first checkpoint."""
        from kr.learn.fitting.checkpoint import checkpoint_losses

        path = self.file(checkpoint_of(self.path).name)
        return {} if path is None else checkpoint_losses(path)

    def _finished(self) -> tuple[dict[str, Any], Json] | None:
        """Attributes and report of the weights file; None while there is none, or a new one is made."""
        from kr.learn.fitting.report import read_report

        path = self.file(self.path.name)
        if path is None or checkpoint_of(self.path).name in self.names or is_held(self.path):
            return None
        with weights_files.opened(path) as file:
            attrs = dict(file.attrs)
        return attrs, read_report(str(attrs.get("report")), path.name)

    def progress(self) -> Json:
        finished = self._finished()
        if finished is None:
            return self.course(False, _iterations(self._losses()) or sentence("runs.reading_data"))
        losses = [
            sentence("runs.named", name=_word(row["group"]), number=Figure(row["loss"], 4))
            for row in finished[1]["loss"] if row["set"] == "held_out" and row["loss"] is not None
        ]  # fmt: skip
        words = sentence("runs.held_out_loss_of", losses=losses) if losses else sentence("runs.fitted")
        return {"state": "done", "progress": words}

    def content(self) -> Json:
        finished = self._finished()
        if finished is None:
            losses = self._losses()
            facts = [fact("label.iterations_in", len(rows), group=_word(group)) for group, rows in losses.items()]
            return {"facts": facts, "tables": [], "charts": _loss_charts(losses)}
        attrs, report = finished
        settings = settings_of(attrs)
        iterations = {group: len(rows) for group, rows in report["history"].items()}
        seconds = {name: Duration(each) for name, each in report["seconds"].items()}
        facts = [
            fact("label.games", sum(run["games"] for run in report["runs"])),
            fact("label.quiet_positions", sum(row["positions"] for row in report["samples"])),
            *(
                fact(label, [sentence("runs.named", name=_word(name), number=each) for name, each in counts.items()])
                for label, counts in (("label.iterations", iterations), ("label.time", seconds))
            ),
            fact("label.centimen", Figure(report["centimen_per_logit"], 1)),
            *(fact(name, str(settings[key])) for key, name in _FIT_SETTINGS.items() if settings.get(key) is not None),
            *story(attrs),
        ]
        calibration = [[row["predicted"], row["result"]] for row in report["calibration"]]
        charts = _loss_charts(report["history"])
        if calibration:
            lines = [line(sentence("runs.held_out_games"), calibration)]
            lines.append(line(sentence("runs.as_predicted"), [[0, 0], [1, 1]], "guide"))
            charts.append(chart("label.calibration", "runs.predicted_points", "runs.points_scored", lines))
        return {"facts": facts, "tables": _fit_tables(report), "charts": charts}


def _word(word: str) -> Told:
    """A word of a report, such as a group of regions or a step."""
    return named("runs", word.replace("_", " "))


def _iterations(losses: Mapping[str, Any]) -> list[Sentence]:
    return [sentence("runs.iterations_of", group=_word(group), count=len(rows)) for group, rows in losses.items()]


_FIT_SETTINGS = {
    "layout": "label.regions", "label": "label.target", "loss": "label.loss", "l2": "label.l2",
    "holdout": "label.held_out",
}  # fmt: skip
_GROUP_COLUMNS: TableColumns = {
    "runs.group": ("group", _word), "runs.set": ("set", _word), "runs.positions": ("positions", None),
}  # fmt: skip
_LOSS_COLUMNS: TableColumns = {"runs.mean_loss": ("loss", figure(4)), "runs.result_loss": ("result_loss", figure(4))}
_CALIBRATION_COLUMNS: TableColumns = {
    "runs.from": ("from", figure(2)), "runs.positions": ("positions", None),
    "runs.predicted": ("predicted", figure(3)), "runs.target": ("target", figure(3)),
    "runs.result": ("result", figure(3)),
}  # fmt: skip


def checkpoint_of(weights: Path) -> Path:
    """The file beside a weights file that a fit under way resumes from."""
    return weights.with_name(f"{weights.name}.checkpoint")


def _loss_charts(histories: Mapping[str, Any]) -> list[Json]:
    charts = []
    for group, rows in histories.items():
        lines = [
            line(sentence(name), [[i + 1, float(row[column])] for i, row in enumerate(rows)], digits=6)
            for column, name in enumerate(("runs.training", "runs.held_out"))
        ]
        if len(rows):
            charts.append(
                chart(sentence("label.loss_in", group=_word(group)), "runs.iteration", "runs.mean_loss", lines)
            )
    return charts


def _fit_tables(report: Json) -> list[Json]:
    losses = [counts | loss for counts, loss in zip(report["samples"], report["loss"], strict=True)]
    coverage = report["coverage"]
    times = list(dict.fromkeys(name for counts in coverage.values() for name in counts))
    seen = [[_word(group), *(counts.get(name) for name in times)] for group, counts in coverage.items()]
    runs = [[Path(run["directory"]).name, run["games"]] for run in report["runs"]]
    return [
        table_of("label.loss", {**_GROUP_COLUMNS, "runs.distinct": ("distinct", None), **_LOSS_COLUMNS}, losses),
        table_of("label.loss_by_pieces", {"runs.pieces": ("pieces", None), **_GROUP_COLUMNS, **_LOSS_COLUMNS},
                 report["loss_by_phase"]),
        {**page_table("label.coverage", [], seen), "head": [sentence("runs.group"), *map(_word, times)]},
        table_of("label.calibration", _CALIBRATION_COLUMNS, report["calibration"]),
        page_table("label.fitted_to", ["runs.run", "runs.games"], runs),
    ]  # fmt: skip


class TrainingRun(OneRun):
    """The directory of a training run."""

    kind = "runs.training"

    def __init__(self, path: Path, names: frozenset[str]) -> None:
        super().__init__(path, names)
        self._gate: tuple[str, JournalView[Written]] | None = None

    def _history(self) -> Any:
        from kr.learn.training.history import load_history

        own(self.path / "history.json")
        return load_history(self.path)

    def sources(self) -> Sequence[Path]:
        # of the generations only the last changes
        steps = sorted(name for name in self.names if name.startswith("gate-") and name.endswith(".log"))[-1:]
        steps += sorted(name for name in self.names if name.endswith(".checkpoint"))[-1:]
        return [self.path / name for name in ("history.json", *steps)]

    def fingerprint(self) -> Any:
        return super().fingerprint(), self._shards()

    def _shards(self) -> int:
        """Shards in the directories of games: one more is a change that no file of the run itself shows."""
        count = 0
        with os.scandir(own(self.path)) as entries:
            for entry in entries:
                if entry.name.startswith("games-") and entry.is_dir(follow_symlinks=False):
                    count += sum(name.endswith(".h5") for name in os.listdir(entry.path))
        return count

    def progress(self) -> Json:
        history = self._history()
        finished = sum(generation.under_way is None for generation in history.generations)
        words = sentence("runs.generations_of", count=finished)
        step = history.generations[-1].under_way if history.generations else "play"
        if step:
            words = sentence(
                "runs.now", generations=words, number=len(history.generations), step=self._step(history, step)
            )
        # the number of generations wanted is not stored
        return self.course(False if step else None, words)

    def _step(self, history: Any, step: str) -> Told:
        """The step under way, with its games if they are known."""
        from kr.learn.training.history import games_done, games_name

        generation = history.generations[-1] if history.generations else None
        if generation is None or (self.path / games_name(generation.number)).is_symlink():
            return _word(step)
        games = games_done(self.path, generation)
        return _word(step) if games is None else sentence("runs.step", step=_word(step), games=games_there(*games))

    def content(self) -> Json:
        from kr.learn.training.history import rows

        history = self._history()
        generations = rows(history)
        facts = [
            fact("label.begun_with", Path(history.weights).name or "shipped"),
            fact("label.strongest", history.best),
            fact("label.seed", str(history.seed)),
        ]
        if best := [row for row in generations if row["accepted"]]:
            facts.append(fact("label.elo_over_start", _elo(best[-1], "total")))
        facts += self._under_way(history)
        facts += [
            fact("label.warning", sentence("runs.in_generation", number=row["generation"], told=row["warning"]))
            for row in generations if row["warning"]
        ]  # fmt: skip
        facts += story(history.provenance)
        return {
            "facts": facts,
            "tables": _training_tables(history, generations),
            "charts": _training_charts(generations),
        }

    def _under_way(self, history: Any) -> Facts:
        from kr.learn.training.gate import Gate
        from kr.learn.training.history import gate_name
        from kr.match.elo import Sprt

        generation = history.generations[-1] if history.generations else None
        if generation is None or generation.under_way is None:
            return []
        step = generation.under_way
        words = sentence("runs.generation_step", number=generation.number, step=self._step(history, step))
        facts = [fact("label.under_way", words)]
        if step == "fit" and (path := self.file(checkpoint_of(Path(f"g{generation.number:02d}.h5")).name)):
            from kr.learn.fitting.checkpoint import checkpoint_losses

            facts.append(fact("label.fit", _iterations(checkpoint_losses(path))))
        log = self.file(log_of(Path(gate_name(generation.number))).name)
        if step == "gate" and generation.gate and log:
            if self._gate is None or self._gate[0] != log.name:
                self._gate = log.name, JournalView(log, Written.from_json)
            self._gate[1].look()
            settings = generation.gate.settings
            gate = Gate(Sprt(*settings["sprt"]), settings["gate_stop"])
            for entry in self._gate[1].entries:
                gate.add(entry.game)
            facts += [
                fact("label.tally", "-".join(str(gate.tally.points[points]) for points in (2, 0, 1))),
                *strength(gate.pentanomial), *tested(gate.test, gate.pentanomial),
            ]  # fmt: skip
        return facts


def _training_tables(history: Any, rows: Sequence[Json]) -> list[Json]:
    gates = []
    for row, generation in zip(rows, history.generations, strict=True):
        if row["gate"]:
            (wins, draws, losses), verdict = row["gate"], generation.verdict
            gates.append([
                row["generation"], verdict["against"], f"{wins}-{losses}-{draws}",
                "-".join(map(str, verdict["pentanomial"])), _elo(row, "elo"), Figure(verdict["llr"], 2),
                row["decision"] or sentence("runs.undecided"),
                sentence("runs.accepted" if row["accepted"] else "runs.refused"), _elo(row, "total"),
            ])  # fmt: skip
    return [
        page_table("label.gates", _GATE_HEAD, gates),
        table_of("label.generations", _GENERATION_COLUMNS, [row | row["seconds"] for row in rows]),
    ]


_GATE_HEAD = [
    "runs.generation", "runs.against", "runs.wins_losses_draws", "runs.pairs_worst_first", "runs.elo", "runs.llr",
    "runs.test", "runs.verdict", "runs.over_start",
]  # fmt: skip
_GENERATION_COLUMNS: TableColumns = {
    "runs.generation": ("generation", None), "runs.played_by": ("player", None), "runs.nodes": ("nodes", None),
    "runs.games": ("games", None), "runs.plies": ("plies_a_game", figure(1)),
    **{name: (key, share) for name, key in zip(BY_RESULT, ("black_wins", "draws", "white_wins"), strict=True)},
    "runs.positions": ("positions", None), "runs.held_out_loss": ("held_out_loss", figure(4)),
    "runs.play": ("play", Duration), "runs.fit": ("fit", Duration), "runs.gate": ("gate", Duration),
}  # fmt: skip


def _elo(row: Json, name: str) -> Figure:
    """An Elo difference of a generation, with its error."""
    return Figure(row[name], 1, True, row[f"{name}_error"])


def _training_charts(rows: Sequence[Json]) -> list[Json]:
    matched = [(row, [row["generation"], row["total"], row["total_error"]]) for row in rows if row["gate"]]
    lines = [
        line(sentence(name), [point for row, point in matched if row["accepted"] == accepted], "points", 1)
        for accepted, name in ((True, "runs.accepted"), (False, "runs.refused"))
    ]
    losses = [[row["generation"], row["held_out_loss"]] for row in rows if row["held_out_loss"] is not None]
    charts = [
        chart("label.elo_over_start_errors", "runs.generation", "runs.elo", lines),
        chart(
            "label.held_out_loss", "runs.generation", "runs.mean_loss", [line(sentence("runs.held_out_loss"), losses)]
        ),
    ]
    return [each for each in charts if each["lines"]]
