"""Endings to practise: random positions of a chosen material with a wanted value and difficulty.

A win is as difficult as it is long, if its distance is known: easy up to EASY_PLIES, hard from HARD_PLIES. A draw, and
a win of unknown length, is as difficult as its right moves are rare: easy if at least half of the legal moves keep the
value, hard if a single one does.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from enum import StrEnum

from kr import _egdb
from kr.egdb import slices
from kr.egdb.database import VALUES, Database
from kr.egdb.exact import exact_moves
from kr.egdb.sample import drawn, survival
from kr.egdb.slices import Shape
from kr.game.position import Position, Side
from kr.game.value import Value

EASY_PLIES, HARD_PLIES = 9, 23
SAMPLES = 1 << 12, 1 << 17
"""Positions drawn from a slice: first a few, then many if none of them fits."""
MOST_LOOKED_AT = 300
"""Most positions of the wanted value whose difficulty is measured, of each sample."""


class Difficulty(StrEnum):
    """Difficulty of a position."""

    ANY = "any"
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


def material(own: tuple[int, int | None], other: tuple[int, int | None]) -> list[Shape]:
    """The slices of a material: pieces of either side and the kings among them, None for any number.

    "own" are the pieces of the side to move.
    """

    def kings(pieces: int, count: int | None) -> Sequence[int]:
        return range(pieces + 1) if count is None else (count,)

    return [
        (own[0] - own_kings, own_kings, other[0] - other_kings, other_kings)
        for own_kings in kings(*own)
        for other_kings in kings(*other)
    ]


def find_exercise(
    database: Database, shapes: Sequence[Shape], goal: Value, difficulty: Difficulty, side: Side, seed: int
) -> Position | None:
    """A random position of these slices with a choice of quiet moves; None if no drawn one fits.

    goal: its value for `side`, which is to move. Each slice is as likely as the others. In a drawn position at least
    one move loses. The same seed gives the same position. Raises InvalidDatabaseError.
    """
    chance = random.Random(seed)
    order = chance.sample(shapes, len(shapes))
    for count in SAMPLES:
        for shape in order:
            for looked_at, position in enumerate(_drawn(database, shape, goal, count, chance)):
                if looked_at == MOST_LOOKED_AT:
                    break
                if _is_wanted(database, position, goal, difficulty):
                    return position if side is Side.BLACK else position.flipped()
    return None


def _drawn(database: Database, shape: Shape, goal: Value, count: int, chance: random.Random) -> Iterator[Position]:
    """Random positions of a slice with Black to move and this value, in random order."""
    size = slices.size(shape)
    chances = survival(min(1.0, count / size))
    sampler = _egdb.EndgameSampler(database.core, shape, 0, size, chances, chance.getrandbits(63), quiet=True)
    value = VALUES.index(goal)
    matching = [tuple(map(int, board)) for boards, values, *_ in drawn(sampler) for board in boards[values == value]]
    database.raise_damage()
    chance.shuffle(matching)
    for black, white, kings in matching:
        yield Position(black, white, kings, Side.BLACK)


def _is_wanted(database: Database, position: Position, goal: Value, difficulty: Difficulty) -> bool:
    moves = exact_moves(database, position)
    keeping = sum(each.value is goal for each in moves)
    if len(moves) < 2 or (goal is Value.DRAW and keeping == len(moves)):
        return False
    if difficulty is Difficulty.ANY:
        return True
    distance = moves[0].distance if goal is Value.WIN else None
    if distance is not None:
        grade = _graded(distance <= EASY_PLIES, distance >= HARD_PLIES)
    else:
        grade = _graded(2 * keeping >= len(moves), keeping == 1)
    return grade is difficulty


def _graded(easy: bool, hard: bool) -> Difficulty:
    return Difficulty.HARD if hard else Difficulty.EASY if easy else Difficulty.MEDIUM
