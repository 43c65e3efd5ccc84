"""Simultaneous perturbation: numbers that are improved by games between two neighbours of themselves.

Each pair of games is played with all numbers moved a little, every one up or down by chance, against all of them moved
the other way; the result moves them towards the side that won. After J. C. Spall, "Multivariate stochastic
approximation using a simultaneous perturbation gradient approximation" (1992), with his usual exponents, and the way
in which game engines are tuned: M. Kiiski's thread on talkchess (2011), Stockfish's fishtest.

Pairs are played in batches. Those of a batch begin with the same numbers and count together, so that the course
depends on seed and games alone, not on how many are played at a time.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

ALPHA = 0.602
"""The steps shrink by this power of the number of pairs."""
GAMMA = 0.101
"""The perturbation shrinks by this power."""
SETTLING = 0.1
"""Of all pairs: added to their number, so that the first steps are not too long."""
LEAST_PERTURBATION = 0.5
"""Numbers are whole: a smaller perturbation would often change nothing."""
EVEN = 2
"""Half points of a pair that is even."""


@dataclass(frozen=True)
class Spsa:
    """Settings that shape the course of some numbers."""

    starts: tuple[float, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]
    pairs: int
    """Pairs in all."""
    batch: int
    """Pairs of a batch."""
    perturbation: float
    """Of the last pair, as a share of each number's range."""
    rate: float
    """Step of the last pair that is won twice, in perturbations of it."""
    seed: int

    @property
    def batches(self) -> int:
        """Batches in all; the last one may be smaller."""
        return -(-self.pairs // self.batch)

    def batch_pairs(self, number: int) -> range:
        """Numbers of the pairs of a batch."""
        return range(number * self.batch, min((number + 1) * self.batch, self.pairs))

    def directions(self, pair: int) -> list[int]:
        """1 or -1 for each number: where it is moved for the first side."""
        return self._draws(pair)[0]

    def perturbations(self, pair: int) -> list[float]:
        """The amount by which each number is moved."""
        shrunk = (self.pairs / (pair + 1)) ** GAMMA
        spans = (high - low for low, high in zip(self.lows, self.highs, strict=True))
        return [max(LEAST_PERTURBATION, self.perturbation * span * shrunk) for span in spans]

    def sides(self, numbers: Sequence[float], pair: int) -> tuple[list[int], list[int]]:
        """The whole numbers with which both sides of a pair play.

        They are rounded up as often as their fraction says, by the same draw for both, so that the games are on average
        those of the numbers themselves.
        """
        signs, draws = self._draws(pair)
        moves = [sign * size for sign, size in zip(signs, self.perturbations(pair), strict=True)]
        sides: tuple[list[int], list[int]] = ([], [])
        for side, way in zip(sides, (1, -1), strict=True):
            for number, move, draw, low, high in zip(numbers, moves, draws, self.lows, self.highs, strict=True):
                side.append(math.floor(min(max(number + way * move, low), high) + draw))
        return sides

    def after(self, numbers: Sequence[float], batch: int, points: Sequence[int]) -> list[float]:
        """The numbers after a batch; points: the first side's half points of each of its pairs."""
        result = list(numbers)
        for pair, scored in zip(self.batch_pairs(batch), points, strict=True):
            steps = (1 + SETTLING) * self.pairs / (SETTLING * self.pairs + pair + 1)
            # the last perturbation of each number stands for its range: a_k / c_k of the papers
            sizes = self.perturbations(pair)
            ends = self.perturbations(self.pairs - 1)
            for i, (sign, size, end) in enumerate(zip(self.directions(pair), sizes, ends, strict=True)):
                result[i] += self.rate * end * end / size * steps**ALPHA * (scored - EVEN) / EVEN * sign
        return [min(max(each, low), high) for each, low, high in zip(result, self.lows, self.highs, strict=True)]

    def course(self, points: Sequence[int]) -> list[list[float]]:
        """The numbers at first and after each whole batch of these half points."""
        course = [list(self.starts)]
        for batch in range(self.batches):
            pairs = self.batch_pairs(batch)
            if pairs.stop > len(points):
                break
            course.append(self.after(course[-1], batch, points[pairs.start : pairs.stop]))
        return course

    def _draws(self, pair: int) -> tuple[list[int], list[float]]:
        source = random.Random(f"{self.seed} {pair}")
        signs = [source.choice((1, -1)) for _ in self.starts]
        return signs, [source.random() for _ in self.starts]
