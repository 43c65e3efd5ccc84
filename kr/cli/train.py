"""`kr train`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kr import figures
from kr.cli import console, options
from kr.cli.fit import show_fit
from kr.evaluation.kinds import SHIPPED, built_in
from kr.learn.selfplay import SelfplayResult
from kr.learn.training import history as train_history
from kr.learn.training import plot as train_plot
from kr.learn.training.gate import Gate
from kr.learn.training.history import TrainHistory
from kr.learn.training.settings import TrainSettings
from kr.learn.training.train import TrainWatcher, train
from kr.settings import option
from kr.units import counted, format_duration


class Display(TrainWatcher):
    """A bar for the step under way, and a line for each finished step."""

    def __init__(self, stages: console.Stages) -> None:
        self._stages = stages
        self._count = 0

    def begins(self, number: int, step: str, settings: TrainSettings) -> None:
        self._count = 0
        self._stages.close()
        if step != "fit":
            total = settings.games if step == "play" else settings.gate_games
            self._bar = self._stages.enter_context(console.progress(f"generation {number}, {step}", total, "games"))

    def _advance(self, count: int, skipped: int, note: str) -> None:
        if not self._count:
            self._bar.skip(skipped)
            self._count = skipped
        self._bar.advance(count - self._count, note)
        self._count = count

    def played(self, tally: SelfplayResult) -> None:
        count = tally.earlier + tally.played
        self._advance(count, tally.earlier, f"B {tally.black_wins} W {tally.white_wins} D {tally.draws}")

    def fitting(self, what: str, count: int, total: int) -> None:
        show_fit(self._stages, what, count, total)

    def matched(self, gate: Gate) -> None:
        losses, draws, wins = (gate.tally.points[points] for points in range(3))
        # games of an earlier run arrive all at once
        count = gate.tally.games
        self._advance(count, count, f"W {wins} D {draws} L {losses} LLR {gate.llr:.2f}")

    def ended(self, number: int, step: str, result: Mapping[str, Any], seconds: float) -> None:
        self._stages.close()
        if step == "play":
            text = f"{counted(result['games'], 'game')}, {result['plies'] / max(result['games'], 1):.1f} plies a game"
        elif step == "fit":
            loss = _number(result["held_out_loss"], ".4f")
            text = f"{counted(result['positions'], 'position')}, held-out loss {loss}"
        else:
            verdict = "accepted" if result["accepted"] else "refused"
            text = (
                f"{verdict}, {result['wins']}-{result['draws']}-{result['losses']} against {result['against']}, "
                f"{result['elo']:+.1f} ± {result['elo_error']:.1f} Elo"
            )
        console.say(f"generation {number}, {step}: {text}, in {format_duration(round(seconds, 1))}")
        if warning := result.get("warning"):
            console.say(f"warning: generation {number}, {step}: {warning}")

    def notice(self, text: str) -> None:
        console.say(console.fold(text))


@options.command
def command(
    settings: TrainSettings,
    status: bool = option(False, "Only show the history of the run, which may still be running."),
    json: bool = options.JSON,
) -> None:
    """Train in generations: play games, fit tables to them, match the new ones against the strongest so far, repeat.

    Run the same command to resume, or with more --generations to continue. Changed settings apply to steps that have
    not begun; only --seed and --weights must stay the same. Tables that fail the gate match stay in the run, but the
    next generation plays with the strongest so far.

    Example:
        kr train --out runs/mine --weights material --generations 4 --games 80k
        kr train --out runs/mine --generations 6 --games 80k --nodes 5000
        kr train --out runs/mine --status --plots pictures
    """
    if status:
        history = train_history.load_history(settings.out)
        if settings.plots:
            figures.check_plots(settings.plots)
            console.wrote(train_plot.draw_generations(history, settings.out, settings.plots))
    else:
        with console.Stages() as stages:
            history = train(settings, Display(stages))
        if settings.plots:
            console.wrote(settings.plots / "elo.png")
    if json:
        console.emit_json(
            {
                "directory": settings.out,
                "start": {"weights": history.start, "signature": history.signature},
                "strongest": {"weights": history.best, "signature": history.signature_of(history.best)},
                "generations": train_history.rows(history),
            }
        )
    else:
        console.put(train_report(history, settings.out))


def train_report(history: TrainHistory, directory: Path) -> str:
    """The history as a table, with the progress of the run from its directory."""
    rows = train_history.rows(history)
    columns = [
        "gen", "played by", "nodes", "games", "plies", "B-D-W %", "positions", "loss", "gate W-D-L", "Elo",
        "in all", "verdict", "play", "fit", "gate",
    ]  # fmt: skip
    strongest = next((row for row in reversed(rows) if row["accepted"]), None)
    gained = f", {_elo(strongest['total'], strongest['total_error'])} Elo over the start" if strongest else ""
    best = history.best if history.best in built_in() else directory / history.best
    lines = [console.fold(f"started from {history.weights or SHIPPED}; strongest {best}{gained}", 2)]
    lines += [
        console.fold(f"warning: generation {row['generation']}, gate: {row['warning']}", 2)
        for row in rows
        if row["warning"]
    ]
    if rows:
        lines.insert(0, console.table(columns, [_cells(row) for row in rows]))
        if games := train_history.games_done(directory, history.generations[-1]):
            step = f"generation {len(rows)}, {rows[-1]['under_way']}"
            lines.append(f"under way: {step}, {games[0]:,} of {counted(games[1], 'game')}")
    return "\n".join(lines)


def _cells(row: dict[str, Any]) -> list[str]:
    shares = [row[name] for name in ("black_wins", "draws", "white_wins")]
    verdict = {True: "accepted", False: "refused"}.get(row["accepted"], f"{row['under_way']} ...")
    return [
        str(row["generation"]),
        row["player"],
        _number(row["nodes"], ","),
        _number(row["games"], ","),
        _number(row["plies_a_game"], ".1f"),
        "-".join(f"{100 * share:.0f}" for share in shares) if shares[0] is not None else "",
        _number(row["positions"], ","),
        _number(row["held_out_loss"], ".4f"),
        "-".join(map(str, row["gate"])) if row["gate"] else "",
        _elo(row["elo"], row["elo_error"]),
        _elo(row["total"], row["total_error"]),
        verdict,
        *(_clock(row["seconds"][name]) for name in train_history.GENERATION_STEPS),
    ]


def _number(value: float | None, how: str) -> str:
    return "" if value is None else format(value, how)


def _elo(elo: float | None, error: float | None) -> str:
    return "" if elo is None else f"{elo:+.0f} ± {error:.0f}"


def _clock(seconds: float | None) -> str:
    """Hours, minutes and seconds."""
    if seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
