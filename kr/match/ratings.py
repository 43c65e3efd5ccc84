"""Ratings of several players by maximum likelihood: the expected score of a game is logistic in the difference of two.

Errors are those of the pairs of games, as in `kr.match.elo`: the inverse of the likelihood's curvature on both sides of
the variance that the pairs of each pairing had ("sandwich"; P. J. Huber 1967). Ratings of two players differ by their
Elo as `estimate` has it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kr.match.elo import CONFIDENCE_95, ELO_SCALE, score_and_variance, within_reach

_MOST_STEPS = 100
_LONGEST_STEP = 1.0
"""Logits by which a rating changes at most in a step: Newton's method alone may leap too far from the start."""


@dataclass(frozen=True)
class Ratings:
    """Ratings of players, by their numbers."""

    elo: tuple[float, ...]
    """Their mean is 0."""
    errors: tuple[float, ...]
    """Half the widths of the 95% intervals; infinite while pairs are missing that connect all players."""
    apart: tuple[tuple[float, ...], ...]
    """Half the width of the 95% interval of the difference between two; infinite likewise."""
    superior: tuple[tuple[float, ...], ...]
    """Probability that the player of a row is stronger than that of a column."""


def ratings(count: int, pairings: Mapping[tuple[int, int], Sequence[int]]) -> Ratings:
    """Ratings of so many players. pairings: pentanomials of the first player of each two."""
    played = {sides: pentanomial for sides, pentanomial in pairings.items() if sum(pentanomial)}
    if not played or not _connected(count, list(played)):
        unknown = (math.inf,) * count
        return Ratings((0.0,) * count, unknown, (unknown,) * count, ((0.5,) * count,) * count)
    import numpy as np

    first, second = np.array(list(played)).T
    between = np.zeros((len(played), count))
    between[range(len(played)), first], between[range(len(played)), second] = 1, -1
    pairs = np.array([sum(each) for each in played.values()])
    means, variances = np.array([score_and_variance(each) for each in played.values()]).T
    scores = np.array([within_reach(mean, number) for mean, number in zip(means, pairs, strict=True)])
    logits = np.zeros(count)
    for _ in range(_MOST_STEPS):
        expected = 1 / (1 + np.exp(-between @ logits))
        curvature = np.linalg.pinv(between.T * (pairs * expected * (1 - expected)) @ between)
        step = curvature @ (between.T @ (pairs * (scores - expected)))
        logits += np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        if np.abs(step).max() < 1e-12:
            break
    elo = ELO_SCALE * (logits - logits.mean())
    covariance = ELO_SCALE**2 * curvature @ (between.T * (pairs * variances) @ between) @ curvature
    own = covariance.diagonal()
    apart = np.sqrt(np.maximum(own[:, None] + own - 2 * covariance, 1e-12))
    superior = [
        tuple(0.5 * (1 + math.erf(each / math.sqrt(2))) for each in row) for row in (elo[:, None] - elo) / apart
    ]
    errors, between_two = CONFIDENCE_95 * np.sqrt(own), CONFIDENCE_95 * apart
    return Ratings(
        tuple(elo.tolist()), tuple(errors.tolist()), tuple(tuple(row.tolist()) for row in between_two), tuple(superior)
    )


def _connected(count: int, sides: Sequence[tuple[int, int]]) -> bool:
    """True if all players have met, at least by others."""
    reached = {0}
    for _ in range(count):
        reached |= {each for two in sides if reached & set(two) for each in two}
    return len(reached) == count
