"""Scores of predictions: shares within the first choices, cross entropy, calibration, by kinds of decisions.

A decision counts as predicted within the first k choices if the move played is one of the k most probable; where equal
ones reach over the edge, by the share of orders in which it is. Errors are half of 95% intervals with games as
clusters: moves of one game are not independent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr.policy.policy import PolicyRows
from kr.studies.people.decisions import UNKNOWN_YEAR, Decisions

FIRST_CHOICES = (1, 2, 3, 5, 10)
TENTHS = 10
PROBABILITY_FLOOR = 1e-30
"""Probability of an impossible choice in the cross entropy."""
PIECE_GROUPS = (("24-21 pieces", 21), ("20-17", 17), ("16-13", 13), ("12-9", 9), ("8 or fewer", 0))
STRENGTH_GROUPS = 5


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predictions for n decisions."""

    hits: NDArray[np.float32]
    """(n, FIRST_CHOICES) share of the move played within the first choices, 0 to 1."""
    probability: NDArray[np.float32]
    """(n,) probability of the move played."""
    chosen: NDArray[np.bool_]
    """(n,) False for forced and for prescribed moves."""
    game: NDArray[np.int32]
    """(n,)"""
    ranked: bool
    """True if the probabilities stand for an order alone."""


@dataclass(frozen=True)
class PredictionScore:
    """A score of some decisions."""

    decisions: int
    top: Mapping[int, float]
    """Share within the first k choices, by k."""
    error: Mapping[int, float]
    """Half of the 95% interval of each."""
    entropy: float | None
    """Mean cross entropy in nats; None where the probabilities stand for an order alone."""

    def as_object(self) -> dict[str, Any]:
        """The score as JSON."""
        shares = {f"top{k}": round(share, 6) for k, share in self.top.items()}
        errors = {f"top{k}_error": round(share, 6) for k, share in self.error.items()}
        entropy = None if self.entropy is None else round(self.entropy, 6)
        return {"decisions": self.decisions, **shares, **errors, "cross_entropy": entropy}


@dataclass(frozen=True)
class CalibrationBin:
    """Choices whose probabilities lie in a tenth."""

    choices: int
    predicted: float
    """Mean probability."""
    played: float
    """Share of them that was played."""


def predicted(decisions: Decisions, rows: PolicyRows, ranked: bool = False) -> Predictions:
    """Predictions for the moves of these decisions. rows: of all of them, in their order.

    Raises ValueError if a move is not among the choices.
    """
    counts = np.diff(rows.first)
    mine = (
        (rows.origin == np.repeat(decisions.moves[:, 0], counts))
        & (rows.target == np.repeat(decisions.moves[:, 1], counts))
        & (rows.captured == np.repeat(decisions.captured, counts))
    )
    if mine.sum() != len(decisions):
        raise ValueError("the choices are not those of the decisions")
    probability = rows.probability[mine]
    wide = np.repeat(probability, counts)
    above = np.add.reduceat(rows.probability > wide, rows.first[:-1], dtype=np.int64)
    equal = np.add.reduceat(rows.probability == wide, rows.first[:-1], dtype=np.int64)
    hits = np.stack([np.clip((k - above) / equal, 0, 1) for k in FIRST_CHOICES], axis=1)
    chosen = (counts > 1) & ~decisions.prescribed
    return Predictions(hits.astype(np.float32), probability, chosen, decisions.game, ranked)


def score_of(predictions: Predictions, mask: NDArray[np.bool_]) -> PredictionScore | None:
    """Score of the decisions of a mask; None if it is empty."""
    count = int(mask.sum())
    if not count:
        return None
    hits = predictions.hits[mask].astype(np.float64)
    means = hits.mean(axis=0)
    _, cluster = np.unique(predictions.game[mask], return_inverse=True)
    # residuals summed by game
    sums = np.stack([np.bincount(cluster, weights=column) for column in (hits - means).T], axis=1)
    errors = 1.96 * np.sqrt((sums**2).sum(axis=0)) / count
    entropy = None
    if not predictions.ranked:
        entropy = float(-np.log(np.maximum(predictions.probability[mask].astype(np.float64), PROBABILITY_FLOOR)).mean())
    return PredictionScore(
        count,
        dict(zip(FIRST_CHOICES, means.tolist(), strict=True)),
        dict(zip(FIRST_CHOICES, errors.tolist(), strict=True)),
        entropy,
    )


def calibration(predictions: Predictions, rows: PolicyRows) -> list[CalibrationBin]:
    """Predicted and played shares of the choices of chosen decisions, by tenths of the probability that have any."""
    counts = np.diff(rows.first)
    mask = np.repeat(predictions.chosen, counts)
    probability = rows.probability[mask].astype(np.float64)
    # the move played counts for its tenth; choices of equal probability share it
    same = rows.probability == np.repeat(predictions.probability, counts)
    ties = np.repeat(np.add.reduceat(same, rows.first[:-1], dtype=np.int64), counts)
    weight = np.where(same, 1 / np.maximum(ties, 1), 0.0)[mask]
    bins = np.minimum((probability * TENTHS).astype(int), TENTHS - 1)
    size = np.bincount(bins, minlength=TENTHS)
    sums, hits = (np.bincount(bins, weights=each, minlength=TENTHS) for each in (probability, weight))
    return [
        CalibrationBin(int(size[i]), float(sums[i] / size[i]), float(hits[i] / size[i]))
        for i in range(TENTHS)
        if size[i]
    ]


def calibration_error(bins: list[CalibrationBin]) -> float:
    """Mean distance of predicted and played shares, by choices; 0 without any."""
    choices = sum(each.choices for each in bins)
    return sum(each.choices * abs(each.predicted - each.played) for each in bins) / choices if choices else 0.0


def kinds_of_decisions(
    decisions: Decisions, strengths: NDArray[np.float32] | None = None, seen: NDArray[np.bool_] | None = None
) -> Iterator[tuple[str, str, NDArray[np.bool_]]]:
    """Kinds of decisions as group, label and mask (n,).

    strengths: mean loss of each mover, NaN for unknown; seen: True where the position was seen in training.
    """
    pieces = decisions.pieces
    most = 24
    for label, least in PIECE_GROUPS:
        yield "pieces", label, (pieces <= most) & (pieces >= least)
        most = least - 1
    kings = (decisions.boards[:, 2] | decisions.boards[:, 3]) != 0
    yield "kings", "none on the board", ~kings
    yield "kings", "on the board", kings
    captures = decisions.captured != 0
    yield "move played", "quiet", ~captures
    yield "move played", "capture", captures
    for low, high in ((2, 3), (4, 6), (7, 9), (10, 255)):
        label = f"{low}-{high}" if high < 255 else f"{low} or more"
        yield "choices", label, (decisions.choices >= low) & (decisions.choices <= high)
    yield from _years(decisions)
    if strengths is not None and (~np.isnan(strengths)).any():
        sure = ~np.isnan(strengths)
        edges = np.quantile(strengths[sure], np.linspace(0, 1, STRENGTH_GROUPS + 1))
        group = np.clip(np.searchsorted(edges, strengths, side="right") - 1, 0, STRENGTH_GROUPS - 1)
        for i in range(STRENGTH_GROUPS):
            label = f"loses {edges[i]:.4f}-{edges[i + 1]:.4f} a move"
            yield "player", label, sure & (group == i)
        yield "player", "unknown", ~sure
    if seen is not None:
        yield "position", "seen in training", seen
        yield "position", "new", ~seen


def _years(decisions: Decisions) -> Iterator[tuple[str, str, NDArray[np.bool_]]]:
    year = decisions.year
    dated = year[year > UNKNOWN_YEAR]
    if not len(dated):
        return
    edges = np.unique(np.quantile(dated, np.arange(6) / 5, method="nearest"))
    for i, low in enumerate(edges[:-1]):
        last = i == len(edges) - 2
        high = edges[i + 1] if last else edges[i + 1] - 1
        yield "year", f"{low}-{high}", (year >= low) & (year <= high)
    if (year == UNKNOWN_YEAR).any():
        yield "year", "unknown", year == UNKNOWN_YEAR
