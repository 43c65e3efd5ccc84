"""Accuracy: quality of a side's play in a game, as one figure that means the same in every game.

A move scores from 100, if it gave nothing away, down to 0: half for each HALVED of the expected result that it gave
away. Accuracy is the mean over the moves, each with a weight: how open the game was, over the range between the two
moves that were compared, the one played and the best other. So what cannot go wrong adds nothing: moves of a game that
is decided, unless they give it back, forced moves, and moves that a glance shows, unless another was played.

A side that plays as well in a long won ending, in a short game and against a weaker opponent gets the same figure;
docs/lab/games.md has the measurements.
"""

from __future__ import annotations

from kr.analysis.annotation.judgement import JudgedMove

HALVED = 0.08
"""Expected result that halves the score of a move that gives it away: the least of an inaccuracy."""
EXPLANATION = (
    "Each move that mattered counts 100 if it gave nothing away, and half of that for each .08 of the expected result "
    "that it gave away; forced and obvious moves and those of a decided game do not count."
)
"""The definition in one sentence, for people."""


def move_quality(judgement: JudgedMove) -> float:
    """Score of a judged move, from 0 to 1."""
    return 0.5 ** (judgement.loss / HALVED)


def move_weight(judgement: JudgedMove) -> float:
    """Weight of a move, from 0 to 1; 0 if it was not judged."""
    if not judgement.judged or judgement.obvious or judgement.expected is None or judgement.others_expected is None:
        return 0.0
    low, high = sorted((judgement.expected, judgement.others_expected))
    return _openness(min(max(0.5, low), high))


def _openness(expected: float) -> float:
    """Uncertainty of a game by its expected result: 1 if it is even, 0 if it is decided."""
    return 4 * expected * (1 - expected)
