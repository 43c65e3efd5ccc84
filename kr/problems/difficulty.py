"""Difficulty of a puzzle: its rating, by the share of people who find the solution.

The model of people's moves (`kr.policy`) gives for each move of the solver the share of people who play a right one.
Their product P, until the result is plain, is the share who solve the puzzle at sight, and the rating that of an
opponent whom they beat as often: 1500 + 400 log10((1 - P) / P), as in Elo's scale. So 1500 is solved by half of them,
1900 by one of eleven. Length counts by itself, as each further move multiplies, and so do alternatives: the more moves
look likely, the less is left for the right one.

The model has learned from the games of tournaments and matches; the people are theirs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kr.game.position import Move, Position
from kr.problems.problem import same_move

if TYPE_CHECKING:
    from kr.policy.policy import Policy

EVEN_RATING = 1500
"""Rating of a puzzle that half of the people solve."""
RATING_SCALE = 400
LOWEST_RATING, HIGHEST_RATING = 600, 2800

SolverChoice = tuple[Position, Sequence[Move], Sequence[Position]]
"""A position of the solver, the right moves there, and the positions before it, oldest first."""


def solving_share(choices: Iterable[SolverChoice], policy: Policy) -> float:
    """Share of people, 0 to 1, who play a right move at each of the solver's positions."""
    share = 1.0
    for position, right, history in choices:
        likely = policy.choices(position, history)
        share *= sum(each.probability for each in likely if any(same_move(each.move, move) for move in right))
    return min(1.0, share)


def rating_of(share: float) -> int:
    """Rating of a puzzle that a share of people solves, LOWEST_RATING to HIGHEST_RATING."""
    if share <= 0:
        return HIGHEST_RATING
    if share >= 1:
        return LOWEST_RATING
    rating = EVEN_RATING + RATING_SCALE * math.log10((1 - share) / share)
    return round(min(HIGHEST_RATING, max(LOWEST_RATING, rating)))
