"""Self-play, fits and training as pages show them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from kr.errors import InvalidGamesError, InvalidSettingError
from kr.evaluation import files as weights_files
from kr.jobs.journal import JournalView
from kr.match.log import Written, log_of
from kr.storage import is_held, parse_json, read_regular
from kr.units import counted, format_clock
from kr.web.runs.files import Stamp, own, stamp
from kr.web.runs.kinds import (
    LAST_GAMES,
    FileRun,
    Json,
    OneRun,
    chart,
    games_there,
    line,
    page_table,
    settings_of,
    shares,
    story,
    strength,
    tested,
    thinned,
)

_CHECKSUM = re.compile(" [0-9a-f]{32}$")
LOOK_SECONDS = 0.4
"""Time that one look at a run may take; the next goes on from there."""
MOST_DESCRIPTION = 1 << 20
"""Bytes of run.json."""


class SelfplayRun(OneRun):
    """A run directory of self-play."""

    kind = "self-play"

    def __init__(self, path: Path, names: frozenset[str]) -> None:
        super().__init__(path, names)
        self._begin()

    def _begin(self) -> None:
        from kr.learn.games import Summary

        self._counted: dict[str, Stamp] = {}
        self._sum = Summary()
        self._history: list[tuple[float, int, int, int, int, int]] = []
        self._attrs: dict[str, Any] = {}
        self._newest: tuple[str, Any] | None = None
        self._parts: dict[str, tuple[Stamp, int]] = {}

    @property
    def shards(self) -> list[str]:
        """Names of its shards, in order."""
        return sorted(name for name in self.names if name.startswith("shard-") and name.endswith(".h5"))

    def sources(self) -> Sequence[Path]:
        parts = [name for name in self.names if name.startswith("shard-")]
        return [self.path / name for name in sorted([*parts, "run.json"])]

    def _described(self) -> tuple[Json, Json]:
        """Settings that shape the games, and those of the first start of the run."""
        path = self.file("run.json")
        try:
            description = {} if path is None else parse_json(read_regular(path, MOST_DESCRIPTION))
            return dict(description.get("shaping", {})), settings_of(description) | {
                "created": description.get("created")
            }
        except (ValueError, TypeError, AttributeError):
            raise InvalidGamesError("run.json is not the description of a run") from None

    def _wanted(self) -> tuple[int, int | None]:
        """Games there, by the names of the shards, and games wanted; a later start may have wanted more."""
        shaping, began = self._described()
        size = shaping.get("shard_games")
        wanted = self._games_meant() or began.get("games")
        wanted = wanted if isinstance(wanted, int) else None
        numbers = [int(name[6:-3]) for name in self.shards if name[6:-3].isdecimal()]
        if not isinstance(size, int):
            return self._sum.games, wanted
        there = size * len(numbers)
        if wanted is not None and numbers:
            there -= max(0, min(size, (max(numbers) + 1) * size - wanted))
        return there, wanted

    def _games_meant(self) -> int | None:
        games = settings_of(self._attrs).get("games")
        return games if isinstance(games, int) else None

    def progress(self) -> Json:
        there, wanted = self._wanted()
        if wanted is not None and there > wanted:
            wanted = None
        complete = None if wanted is None else there >= wanted
        return {"state": self.state(complete), "progress": games_there(there, wanted)}

    def _count(self) -> bool:
        """Count shards that are new; False if time was up before all were."""
        from kr.learn.games import read_shard

        names = self.shards
        if any(name not in names or stamp(self.path / name) != old for name, old in self._counted.items()):
            self._begin()
        until = time.monotonic() + LOOK_SECONDS
        for name in names:
            if name in self._counted:
                continue
            if time.monotonic() > until:
                return False
            path, now = own(self.path / name), stamp(self.path / name)
            before = self._sum.black_wins, self._sum.draws, self._sum.white_wins, self._sum.games, self._sum.plies
            shard = self._sum.add(path)
            after = self._sum.black_wins, self._sum.draws, self._sum.white_wins, self._sum.games, self._sum.plies
            self._counted[name] = now
            gains = [b - a for a, b in zip(before, after, strict=True)]
            self._history.append((now[0] / 1e9 if now else 0.0, gains[0], gains[1], gains[2], gains[3], gains[4]))
            if self._newest is None or name > self._newest[0]:
                self._newest = name, shard
                self._attrs = dict(shard.attrs)
        for name in sorted(self.names):
            path, now = self.path / name, stamp(self.path / name)
            if name.endswith(".part") and self._parts.get(name, (None, 0))[0] != now:
                self._parts[name] = now, len(read_shard(own(path)))
        return True

    def content(self) -> Json:
        complete = self._count()
        shaping, began = self._described()
        total, games = self._sum, self._sum.games
        there, wanted = self._wanted()
        waiting = sum(count for name, (_, count) in self._parts.items() if name in self.names)
        facts = [("Games", games_there(there, None if wanted is not None and there > wanted else wanted))]
        if waiting:
            facts.append(("Games of shards under way", f"{waiting:,}"))
        if games:
            facts += [
                ("Speed", f"{total.games_per_second:.1f} games/s" if total.games_per_second else "unknown"),
                ("Plies a game", f"{total.plies / games:.1f}, from {total.shortest} to {total.longest}"),
                ("Shards", f"{total.shards:,}, {total.bytes / 1e6:,.1f} MB"),
            ]
        labels = {"weights": "Weights", "nodes": "Nodes a move", "tc": "Time a move", "openings": "Openings",
                  "seed": "Seed", "egdb": "Endgame database"}  # fmt: skip
        # names as the command had them where they are known, without checksums
        settings = shaping | {key: each for key in ("weights",) if (each := settings_of(self._attrs).get(key))}
        facts += [(label, _CHECKSUM.sub("", str(settings[key]))) for key, label in labels.items() if settings.get(key)]
        facts += story(self._attrs or began)
        everything = total.black_wins, total.draws, total.white_wins
        results = [[name, *shares(each)] for name, each in [("all", everything), *total.decks.items()]]
        reasons = [[name, count, f"{100 * count / max(games, 1):.1f}"] for name, count in total.reasons.items()]
        phases = [[name, *shares(each)] for name, each in total.phases.items()]
        head = ["games", "Black wins %", "drawn %", "White wins %"]
        page: Json = {
            "facts": facts,
            "tables": [
                page_table("Results by openings", ["openings", *head], results),
                page_table("Ends of the games", ["reason", "games", "%"], reasons),
                page_table("Positions by pieces", ["phase", "positions", *head[1:]], phases),
                self._last(),
            ],
            "charts": self._charts(began),
        }
        if not complete:
            page["reading"] = f"reading shard {len(self._counted) + 1:,} of {len(self.shards):,}"
        return page

    def _charts(self, began: Json) -> list[Json]:
        try:
            start = datetime.fromisoformat(str(began.get("created"))).timestamp()
        except ValueError:
            start = min((at for at, *_ in self._history), default=0.0)
        games, over, lengths = 0, [[0.0, 0]], []
        shares: tuple[list[Any], ...] = ([], [], [])
        for at, black, drawn, white, more, plies in self._history:
            games += more
            over.append([round(max(at - start, 0) / 60, 2), games])
            if more:
                lengths.append([games, round(plies / more, 1)])
                for points, count in zip(shares, (black, drawn, white), strict=True):
                    points.append([games, round(100 * count / more, 1)])
        over.sort()
        names = ("Black wins", "drawn", "White wins")
        lines = [line(name, thinned(points)) for name, points in zip(names, shares, strict=True)]
        return [
            chart("Games over time", "minutes", "games", [line("games", thinned(over))]),
            chart("Results, shard by shard", "games", "%", lines),
            chart("Length, shard by shard", "games", "plies a game", [line("plies", thinned(lengths))]),
        ]

    def _last(self) -> Json:
        from kr.learn.games import REASONS

        rows: list[Sequence[object]] = []
        numbers = []
        if self._newest:
            shard = self._newest[1]
            for i in range(len(shard) - 1, max(-1, len(shard) - 1 - LAST_GAMES), -1):
                won = {1: "Black", 0: "drawn", -1: "White"}[int(shard.result[i])]
                numbers.append(int(shard.game[i]))
                plies = int(shard.first[i + 1] - shard.first[i])
                rows.append([int(shard.game[i]) + 1, won, REASONS[int(shard.reason[i])], plies])
        return {**page_table("Last games", ["game", "winner", "reason", "plies"], rows), "games": numbers}

    def game(self, number: int) -> str:
        from kr.learn.games import game_pdn, read_shard, stored_games

        size = self._described()[0].get("shard_games")
        name = f"shard-{number // size:06d}.h5" if isinstance(size, int) and size > 0 else ""
        if (path := self.file(name)) is None:
            raise InvalidSettingError(f"the run has no game {number + 1}")
        shard = read_shard(path)
        for record in stored_games(shard):
            if record.game == number:
                return game_pdn(record, shard.attrs)
        raise InvalidSettingError(f"the run has no game {number + 1}")


class FitRun(FileRun):
    """A fit: its weights file, or the checkpoint of one under way beside where that will be."""

    kind = "fit"

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
            iterations = ", ".join(
                f"{group} {counted(len(rows), 'iteration')}" for group, rows in self._losses().items()
            )
            return {"state": self.state(False), "progress": iterations or "reading data"}
        held = [row for row in finished[1]["loss"] if row["set"] == "held_out" and row["loss"] is not None]
        losses = ", ".join(f"{row['group']} {row['loss']:.4f}" for row in held)
        return {"state": "done", "progress": f"held-out loss {losses}" if losses else "fitted"}

    def content(self) -> Json:
        finished = self._finished()
        if finished is None:
            losses = self._losses()
            facts = [(f"Iterations, {group}", str(len(rows))) for group, rows in losses.items()]
            return {"facts": facts, "tables": [], "charts": _loss_charts(losses)}
        attrs, report = finished
        games = sum(run["games"] for run in report["runs"])
        settings = settings_of(attrs)
        facts = [
            ("Games", f"{games:,}"),
            ("Quiet positions", f"{sum(row['positions'] for row in report['samples']):,}"),
            ("Iterations", ", ".join(f"{group} {len(rows)}" for group, rows in report["history"].items())),
            ("Time", ", ".join(f"{name} {format_clock(each)}" for name, each in report["seconds"].items())),
            ("Centi-men in a logit", f"{report['centimen_per_logit']:.1f}"),
            *((label, str(settings[key])) for key, label in _FIT_SETTINGS.items() if settings.get(key) is not None),
            *story(attrs),
        ]
        calibration = [[round(row["predicted"], 4), round(row["result"], 4)] for row in report["calibration"]]
        right = line("as predicted", [[0, 0], [1, 1]], "guide")
        charts = _loss_charts(report["history"])
        if calibration:
            lines = [line("held-out games", calibration), right]
            charts.append(chart("Calibration", "predicted points", "points scored", lines))
        return {"facts": facts, "tables": _fit_tables(report), "charts": charts}


_FIT_SETTINGS = {"layout": "Regions", "label": "Target", "loss": "Loss", "l2": "L2", "holdout": "Held out"}


def checkpoint_of(weights: Path) -> Path:
    """The file beside a weights file that a fit under way resumes from."""
    return weights.with_name(f"{weights.name}.checkpoint")


def _loss_charts(histories: Mapping[str, Any]) -> list[Json]:
    charts = []
    for group, rows in histories.items():
        lines = [
            line(name, [[i + 1, round(float(row[column]), 6)] for i, row in enumerate(rows)])
            for column, name in enumerate(("training", "held out"))
        ]
        if len(rows):
            charts.append(chart(f"Loss, {group}", "iteration", "mean loss", lines))
    return charts


def _fit_tables(report: Json) -> list[Json]:
    losses = [
        [*_of_group(row), counts["distinct"], *_losses(row)]
        for counts, row in zip(report["samples"], report["loss"], strict=True)
    ]
    phases = [[row["pieces"], *_of_group(row), *_losses(row)] for row in report["loss_by_phase"]]
    names = list(dict.fromkeys(name for counts in report["coverage"].values() for name in counts))
    coverage = [[group, *(counts.get(name) for name in names)] for group, counts in report["coverage"].items()]
    names_of_bins = ("predicted", "target", "result")
    calibration = [
        [f"{row['from']:.2f}", row["positions"], *(f"{row[name]:.3f}" for name in names_of_bins)]
        for row in report["calibration"]
    ]
    runs = [[Path(run["directory"]).name, run["games"]] for run in report["runs"]]
    ends = ["loss", "result loss"]
    return [
        page_table("Loss", ["group", "set", "positions", "distinct", *ends], losses),
        page_table("Loss by pieces on the board", ["pieces", "group", "set", "positions", *ends], phases),
        page_table("Table entries by times seen in training", ["group", *names], coverage),
        page_table("Calibration", ["from", "positions", *names_of_bins], calibration),
        page_table("Games fitted to", ["run", "games"], runs),
    ]


def _of_group(row: Json) -> list[Any]:
    return [row["group"], row["set"].replace("_", " "), row["positions"]]


def _losses(row: Json) -> list[str | None]:
    return [_loss(row["loss"]), _loss(row["result_loss"])]


def _loss(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f}"


class TrainingRun(OneRun):
    """The directory of a training run."""

    kind = "training"

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
        text = counted(finished, "generation")
        step = history.generations[-1].under_way if history.generations else "play"
        if step:
            text += f"; now {len(history.generations)}, {step}{self._how_far(history)}"
        # the number of generations wanted is not stored
        return {"state": self.state(False if step else None), "progress": text}

    def _how_far(self, history: Any) -> str:
        from kr.learn.training.history import games_done, games_name

        generation = history.generations[-1] if history.generations else None
        if generation is None or (self.path / games_name(generation.number)).is_symlink():
            return ""
        done = games_done(self.path, generation)
        return "" if done is None else f": {games_there(*done)}"

    def content(self) -> Json:
        from kr.learn.training.history import rows

        history = self._history()
        generations = rows(history)
        facts = [
            ("Begun with", Path(history.weights).name or "shipped"),
            ("Strongest", history.best),
            ("Seed", str(history.seed)),
        ]
        best = [row for row in generations if row["accepted"]]
        if best:
            facts.append(("Elo over the start", f"{best[-1]['total']:+.1f} ± {best[-1]['total_error']:.1f}"))
        facts += self._under_way(history)
        facts += [
            ("Warning", f"generation {row['generation']}: {row['warning']}") for row in generations if row["warning"]
        ]
        facts += story(history.provenance)
        return {
            "facts": facts,
            "tables": _training_tables(history, generations),
            "charts": _training_charts(generations),
        }

    def _under_way(self, history: Any) -> list[tuple[str, str]]:
        from kr.learn.training.gate import Gate
        from kr.learn.training.history import gate_name
        from kr.match.elo import Sprt

        generation = history.generations[-1] if history.generations else None
        if generation is None or generation.under_way is None:
            return []
        step = generation.under_way
        facts = [("Under way", f"generation {generation.number}, {step}{self._how_far(history)}")]
        if step == "fit" and (path := self.file(checkpoint_of(Path(f"g{generation.number:02d}.h5")).name)):
            from kr.learn.fitting.checkpoint import checkpoint_losses

            iterations = (
                f"{group} {counted(len(each), 'iteration')}" for group, each in checkpoint_losses(path).items()
            )
            facts.append(("Fit", ", ".join(iterations)))
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
                ("Wins, losses, draws so far", "-".join(str(gate.tally.points[points]) for points in (2, 0, 1))),
                *strength(gate.pentanomial), *tested(gate.test, gate.pentanomial),
            ]  # fmt: skip
        return facts


def _training_tables(history: Any, rows: Sequence[Json]) -> list[Json]:
    head = ["generation", "played by", "nodes", "games", "plies", "Black wins %", "drawn %", "White wins %",
            "positions", "held-out loss", "play", "fit", "gate"]  # fmt: skip
    cells, gates = [], []
    for row, generation in zip(rows, history.generations, strict=True):
        results = [_percent(row[name]) for name in ("black_wins", "draws", "white_wins")]
        cells.append([
            row["generation"], row["player"], row["nodes"], row["games"], _tenth(row["plies_a_game"]), *results,
            row["positions"], _loss(row["held_out_loss"]),
            *(None if each is None else format_clock(each) for each in row["seconds"].values()),
        ])  # fmt: skip
        if row["gate"]:
            wins, draws, losses = row["gate"]
            verdict = generation.verdict
            gates.append([
                row["generation"], verdict["against"], f"{wins}-{losses}-{draws}",
                "-".join(map(str, verdict["pentanomial"])), f"{row['elo']:+.1f} ± {row['elo_error']:.1f}",
                f"{verdict['llr']:.2f}", row["decision"] or "undecided", "accepted" if row["accepted"] else "refused",
                f"{row['total']:+.1f} ± {row['total_error']:.1f}",
            ])  # fmt: skip
    gate_head = ["generation", "against", "wins-losses-draws", "pairs, worst first", "Elo", "LLR", "test", "verdict",
                 "over the start"]  # fmt: skip
    return [page_table("Gates", gate_head, gates), page_table("Generations", head, cells)]


def _training_charts(rows: Sequence[Json]) -> list[Json]:
    known = [row for row in rows if row["total"] is not None]
    lines = []
    for accepted, name in ((True, "accepted"), (False, "refused")):
        points = [
            [row["generation"], round(row["total"], 1), round(row["total_error"], 1)]
            for row in known if row["accepted"] == accepted
        ]  # fmt: skip
        lines.append(line(name, points, "points"))
    losses = [[row["generation"], round(row["held_out_loss"], 5)] for row in rows if row["held_out_loss"] is not None]
    charts = [
        chart("Elo over the start, with 95% errors", "generation", "Elo", lines),
        chart("Held-out loss", "generation", "mean loss", [line("held-out loss", losses)]),
    ]
    return [each for each in charts if each["lines"]]


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f}"


def _tenth(value: float | None) -> str | None:
    return None if value is None else f"{value:.1f}"
