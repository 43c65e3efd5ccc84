"""Accuracy of a network: by way of asking, class, pieces and confidence, and two ways against each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import _core
from kr.egdb.sample_reader import SampleRows
from kr.studies.endings.asking import THRESHOLD, Asker, Probabilities

CONFIDENCE_BINS = 40
"""Bins of the confidence, from 0 to 1."""
MOST_COUNTED_PIECES = 32


def binomial_error(right: int, positions: int) -> float:
    """Half of the 95% confidence interval of a share (Wilson 1927), which is never 0."""
    if not positions:
        return 1.0
    share, z = right / positions, 1.96
    return z / (1 + z * z / positions) * math.sqrt(share * (1 - share) / positions + (z / positions) ** 2 / 4)


@dataclass
class WayScore:
    """Counts of one way of asking."""

    confusion: NDArray[np.int64] = field(default_factory=lambda: np.zeros((3, 3), dtype=np.int64))
    """(value, answer): loss, draw and win."""
    by_pieces: NDArray[np.int64] = field(default_factory=lambda: np.zeros((MOST_COUNTED_PIECES, 2), dtype=np.int64))
    """(pieces, (positions, right))."""
    by_quiet: NDArray[np.int64] = field(default_factory=lambda: np.zeros((2, 2), dtype=np.int64))
    """(capture pending or quiet, (positions, right))."""
    confidence: NDArray[np.int64] = field(default_factory=lambda: np.zeros((CONFIDENCE_BINS, 2), dtype=np.int64))
    """(bin of the confidence, (positions, right))."""
    confidence_sums: NDArray[np.float64] = field(default_factory=lambda: np.zeros((3, 2)))
    """(value, (wrong, right)): sum of the confidence."""

    @property
    def positions(self) -> int:
        """Positions counted."""
        return int(self.confusion.sum())

    @property
    def right(self) -> int:
        """Number of right answers."""
        return int(np.trace(self.confusion))

    def add(
        self, probabilities: Probabilities, values: NDArray[np.uint8], pieces: NDArray[Any], quiet: NDArray[np.bool_]
    ) -> None:
        """Count some positions."""
        classes = probabilities.argmax(axis=1)
        right = classes == values
        confidence = probabilities.max(axis=1)
        np.add.at(self.confusion, (values, classes), 1)
        bins = np.minimum((confidence * CONFIDENCE_BINS).astype(np.int64), CONFIDENCE_BINS - 1)
        for counts, index in (
            (self.by_pieces, pieces),
            (self.by_quiet, quiet.astype(np.int64)),
            (self.confidence, bins),
        ):
            counts[:, 0] += np.bincount(index, minlength=len(counts))
            counts[:, 1] += np.bincount(index[right], minlength=len(counts))
        np.add.at(self.confidence_sums, (values, right.astype(np.int64)), confidence)

    def as_json(self) -> dict[str, Any]:
        """The counts and the shares that follow from them, as JSON."""
        rows = self.confusion.sum(axis=1, keepdims=True)
        wrong_right = np.stack([rows[:, 0] - np.diag(self.confusion), np.diag(self.confusion)], axis=1)
        means = self.confidence_sums / np.maximum(wrong_right, 1)
        return {
            "positions": self.positions,
            "right": self.right,
            "accuracy": self.right / max(self.positions, 1),
            "error": binomial_error(self.right, self.positions),
            "confusion": self.confusion.tolist(),
            "recall": (np.diag(self.confusion) / np.maximum(rows[:, 0], 1)).tolist(),
            "by_pieces": {str(n): row.tolist() for n, row in enumerate(self.by_pieces) if row[0]},
            "quiet": self.by_quiet[1].tolist(),
            "captures": self.by_quiet[0].tolist(),
            "confidence": self.confidence.tolist(),
            "mean_confidence_right": means[:, 1].tolist(),
            "mean_confidence_wrong": means[:, 0].tolist(),
        }


@dataclass
class Correlation:
    """Two ways of asking against each other, as the paper's tables have network and search."""

    both: int = 0
    only_first: int = 0
    only_second: int = 0
    neither: int = 0

    def add(self, first: NDArray[np.bool_], second: NDArray[np.bool_]) -> None:
        """Count positions that the two got right."""
        self.both += int((first & second).sum())
        self.only_first += int((first & ~second).sum())
        self.only_second += int((~first & second).sum())
        self.neither += int((~first & ~second).sum())


@dataclass
class EndnetScores:
    """All that a test counts."""

    ways: dict[str, WayScore]
    correlation: Correlation | None
    """Network against search, if both are among the ways."""
    thresholds: dict[float, int]
    """Positions right by confidence threshold."""

    def as_json(self) -> dict[str, Any]:
        """The counts as JSON."""
        return {
            "ways": {way: score.as_json() for way, score in self.ways.items()},
            "correlation": vars(self.correlation) if self.correlation else None,
            "thresholds": {f"{threshold:g}": right for threshold, right in self.thresholds.items()},
        }


def count_scores(
    asker: Asker, rows: Iterable[SampleRows], ways: Sequence[str], thresholds: Sequence[float] = (0.7, THRESHOLD, 0.9)
) -> EndnetScores:
    """Count right answers by these ways of asking. thresholds: of the confidence, with both network and search.

    Raises InvalidSettingError for a way that the network can't be asked.
    """
    direct = "net" in ways and "search" in ways
    scores = EndnetScores(
        {way: WayScore() for way in ways},
        Correlation() if direct else None,
        dict.fromkeys(thresholds, 0) if direct else {},
    )
    for part in rows:
        answers = asker.ask_all(part.boards, ways)
        pieces = np.bitwise_count(part.boards[:, 0] | part.boards[:, 1]).astype(np.int64)
        quiet = ~_core.pending_captures(part.boards)
        for way, probabilities in answers.items():
            scores.ways[way].add(probabilities, part.values, pieces, quiet)
        if direct:
            _compare(scores, answers, part.values)
    return scores


def _compare(scores: EndnetScores, answers: Mapping[str, Probabilities], values: NDArray[np.uint8]) -> None:
    net, search = (answers[way].argmax(axis=1) == values for way in ("net", "search"))
    assert scores.correlation is not None
    scores.correlation.add(net, search)
    confidence = answers["net"].max(axis=1)
    for threshold in scores.thresholds:
        scores.thresholds[threshold] += int(np.where(confidence >= threshold, net, search).sum())
