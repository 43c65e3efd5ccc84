"""Report of a fit: loss by phase, calibration, coverage of the tables, rounding errors; as numbers and text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr.errors import InvalidWeightsError
from kr.evaluation.patterns import GROUPS
from kr.evaluation.weights import Weights
from kr.learn.fitting.group import FittedGroup
from kr.learn.fitting.inputs import Entries
from kr.learn.fitting.sums import CALIBRATION_BINS, SETS, SetSums
from kr.storage import parse_json
from kr.units import counted

BANDS = ((0, 6), (7, 12), (13, 18), (19, 24))
"""Numbers of pieces reported together."""
SEEN = (1, 10, 100, 1000)


def make_report(
    groups: Sequence[FittedGroup], loss: str, tables: Weights, factor: float, clipped: dict[str, int]
) -> dict[str, Any]:
    """Everything known about a fit, as JSON; `report_text` shows the meaning of each part."""
    return {
        "samples": [
            {"group": GROUPS[p.kings], "set": name, "positions": s.positions, "distinct": s.distinct}
            for p in groups for name in SETS for s in [_pick(p, name)]
        ],
        "loss": [
            {"group": GROUPS[p.kings], "set": name, **_loss_row(_pick(p, name).by_pieces.sum(axis=0))}
            for p in groups for name in SETS
        ],
        "loss_by_phase": [row for p in groups for name in SETS for row in _by_phase(p, name)],
        "calibration": _calibration(groups),
        "coverage": {GROUPS[p.kings]: table_coverage(p.entries) for p in groups},
        "material": {GROUPS[p.kings]: (p.solution.material * factor).round(1).tolist() for p in groups},
        "rounding": {GROUPS[p.kings]: _rounding(p, tables, factor, clipped[GROUPS[p.kings]]) for p in groups},
        "history": {GROUPS[p.kings]: p.history.tolist() for p in groups},
    }  # fmt: skip


def _pick(group: FittedGroup, name: str) -> SetSums:
    return group.sums.training if name == "training" else group.sums.held_out


def _loss_row(sums: NDArray[np.float64]) -> dict[str, Any]:
    """Sums by pieces over some numbers of pieces as means; None without positions."""
    positions, target, result = sums
    return {
        "positions": int(positions),
        "loss": target / positions if positions else None,
        "result_loss": result / positions if positions else None,
    }


def _by_phase(group: FittedGroup, name: str) -> Iterable[dict[str, Any]]:
    sums = _pick(group, name).by_pieces
    for least, most in BANDS:
        row = _loss_row(sums[least : most + 1].sum(axis=0))
        yield {"group": GROUPS[group.kings], "set": name, "pieces": f"{max(least, 2)}-{most}", **row}


def _calibration(groups: Sequence[FittedGroup]) -> list[dict[str, Any]]:
    """Held-out positions by predicted expectation: the prediction, the target, the results."""
    sums = np.zeros((CALIBRATION_BINS, 4))
    for group in groups:
        sums += group.sums.held_out.calibration
    return [
        {
            "from": b / CALIBRATION_BINS,
            "positions": int(n),
            "predicted": predicted / n,
            "target": target / n,
            "result": result / n,
        }
        for b, (n, predicted, target, result) in enumerate(sums)
        if n
    ]


def table_coverage(entries: Entries) -> dict[str, int]:
    """Table entries, those never seen in training, and those seen at least 1, 10, 100, 1000 times."""
    total = entries.windows.table_size * len(entries.indices)
    seen = np.concatenate(entries.seen)
    return {
        "entries": total,
        "never": total - int((seen > 0).sum()),
        **{f"at least {times}": int((seen >= times).sum()) for times in SEEN},
    }


def _rounding(group: FittedGroup, tables: Weights, factor: float, clipped: int) -> dict[str, Any]:
    """Centi-men between the float weights and the 16-bit tables on held-out positions, evenly picked."""
    picked = group.sums.held_out
    error = np.abs(tables.scores(picked.boards) - picked.logits * factor)
    return {
        "clipped": clipped,
        "mean": float(error.mean()) if len(error) else 0.0,
        "largest": float(error.max()) if len(error) else 0.0,
    }


def report_summary(report: dict[str, Any]) -> str:
    """Result of a fit in a few lines."""
    games = sum(run["games"] for run in report["runs"])
    positions = sum(counts["positions"] for counts in report["samples"])
    men, kings = (len(report["history"][group]) for group in GROUPS.values())
    seconds = sum(report["seconds"].values())
    work = f"{men} and {counted(kings, 'iteration')}, {seconds:.0f} s"
    return "\n".join([f"{counted(games, 'game')}, {counted(positions, 'quiet position')}, {work}", *_losses(report)])


def read_report(content: str, path: Path | str) -> dict[str, Any]:
    """Report in a weights file. Raises InvalidWeightsError, naming the file, if it is not one."""
    try:
        report: dict[str, Any] = parse_json(content)
        report_text(report)
        report_summary(report)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise InvalidWeightsError(f"{path}: damaged weights file: invalid report") from error
    return report


def _losses(report: dict[str, Any]) -> list[str]:
    """The table of losses by group and set."""
    lines = [f"{'group':7}{'set':10}{'positions':>12}{'distinct':>12}{'loss':>9}{'result loss':>13}"]
    for counts, loss in zip(report["samples"], report["loss"], strict=True):
        lines.append(
            f"{counts['group']:7}{counts['set'].replace('_', ' '):10}{counts['positions']:12,}{counts['distinct']:12,}"
            f"{_number(loss['loss'], 9)}{_number(loss['result_loss'], 13)}"
        )
    return lines


def report_text(report: dict[str, Any]) -> str:
    """Full report for a terminal."""
    lines = _losses(report)
    lines += ["", f"{'pieces':8}{'group':7}{'set':10}{'positions':>12}{'loss':>9}{'result loss':>13}"]
    for row in report["loss_by_phase"]:
        lines.append(
            f"{row['pieces']:8}{row['group']:7}{row['set'].replace('_', ' '):10}{row['positions']:12,}"
            f"{_number(row['loss'], 9)}{_number(row['result_loss'], 13)}"
        )
    lines += ["", "held-out calibration", f"{'from':>6}{'positions':>12}{'predicted':>11}{'target':>9}{'result':>9}"]
    for row in report["calibration"]:
        lines.append(
            f"{row['from']:6.2f}{row['positions']:12,}{row['predicted']:11.3f}{row['target']:9.3f}{row['result']:9.3f}"
        )
    lines += ["", "table entries seen in training"]
    for group, counts in report["coverage"].items():
        lines.append(f"{group:7}" + ", ".join(f"{name} {number:,}" for name, number in counts.items()))
    lines += ["", "material in centi-men, opening and ending"]
    for group, rows in report["material"].items():
        man, king, move = (f"{round(o)}/{round(e)}" for o, e in rows)
        lines.append(f"{group:7}man {man}, king {king}, having the move {move}")
    lines += ["", "rounding to 16 bits, centi-men"]
    for group, error in report["rounding"].items():
        lines.append(
            f"{group:7}mean {error['mean']:.2f}, largest {error['largest']:.2f}, entries clipped {error['clipped']}"
        )
    iterations = ", ".join(f"{group} {len(rows)}" for group, rows in report["history"].items())
    seconds = ", ".join(f"{name} {value:.1f}" for name, value in report["seconds"].items())
    runs = "; ".join(
        f"{run['directory']}: {counted(run['games'], 'game')}"
        + (f", score scale {run['score_scale']:.0f}" if run["score_scale"] else "")
        for run in report["runs"]
    )
    scales = report.get("prior_scale")
    if scales:
        lines += ["", "prior multiplied by: " + ", ".join(f"{g} {s:.2f}" for g, s in scales.items() if s)]
    lines += ["", f"runs: {runs}", f"iterations: {iterations}", f"seconds: {seconds}"]
    return "\n".join([*lines, f"centi-men in a logit: {report['centimen_per_logit']:.1f}"])


def _number(value: float | None, width: int) -> str:
    return f"{'-':>{width}}" if value is None else f"{value:{width}.4f}"
