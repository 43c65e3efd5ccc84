"""Levels from 1, a beginner, to 10, kr's full strength: fewer nodes, and errors of a stated kind.

A level below the last searches all legal moves within its nodes and then errs in these ways:

- each move may be overlooked, at random; if all are, one of them is seen after all;
- of the moves seen it plays one at random, weighted by p^likeness * exp(expected result / temperature), where p is the
  probability that a person plays the move (kr.policy), and the expected result follows from the score
  (kr.evaluation.chances); at temperature 0 it plays the best one;
- if that move is as good as a win, it plays the best move seen instead: a won game is not thrown away.

LEVELS_BY_CHANCE are as strong and use no policy. Some levels do not use the endgame database. Strength, and how close
the levels come to what people play, have been measured: docs/lab/games.md.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kr.engine.engine import MAX_LINES, Engine
from kr.engine.limits import Limits
from kr.engine.result import Info
from kr.engine.search import Stop
from kr.game.position import Move, Position
from kr.units import Range

if TYPE_CHECKING:
    from kr.policy.policy import Policy

AS_GOOD_AS_WON = 0.95
"""Least expected result of a move that counts as winning."""


@dataclass(frozen=True)
class Level:
    """Playing strength."""

    number: int
    nodes: int | None = None
    """Most nodes of a search; None if only the limits of the game hold."""
    temperature: float = 0.0
    """Difference in expected result for which the weights of two moves differ by the factor e."""
    overlook: float = 0.0
    """Probability that a move is overlooked."""
    likeness: float = 0.0
    """Power to which the probability counts that a person plays a move; 0 if people don't count."""
    database: bool = True
    """True if it may probe an endgame database, and play from an opening book."""

    @property
    def full(self) -> bool:
        """True if the level has the engine's full strength."""
        return self.nodes is None

    def __str__(self) -> str:
        if self.full:
            return f"level {self.number} (full strength)"
        people = f", likeness {self.likeness}" if self.likeness else ""
        return (
            f"level {self.number} ({self.nodes} nodes, temperature {self.temperature}, "
            f"overlooks {self.overlook}{people})"
        )


LEVELS = (
    Level(1, 300, 2.0, 0.81, 0.5, database=False),
    Level(2, 300, 1.2, 0.72, 0.5, database=False),
    Level(3, 400, 1.0, 0.57, 0.5, database=False),
    Level(4, 800, 0.9, 0.27, 0.5, database=False),
    Level(5, 1_500, 0.6, 0.0, 0.57, database=False),
    Level(6, 3_000, 0.37, 0.0, 1.0, database=False),
    Level(7, 6_000, 0.10, 0.0, 1.0, database=False),
    Level(8, 12_000, 0.035, 0.0, 1.0),
    Level(9, 25_000, 0.010, 0.0, 1.0),
    Level(10),
)
LEVELS_BY_CHANCE = (
    Level(1, 300, 0.60, 0.50, database=False),
    Level(2, 300, 0.30, 0.35, database=False),
    Level(3, 400, 0.18, 0.22, database=False),
    Level(4, 800, 0.11, 0.13, database=False),
    Level(5, 1_500, 0.07, 0.07, database=False),
    Level(6, 3_000, 0.045, 0.03, database=False),
    Level(7, 6_000, 0.03, 0.015, database=False),
    Level(8, 12_000, 0.015, 0.005),
    Level(9, 25_000, 0.005),
    Level(10),
)
"""Levels of the same strength that err by chance alone, without a policy."""
FULL = LEVELS[-1]


def level_numbered(number: int, by_chance: bool = False) -> Level:
    """Level by its number, from 1. by_chance: errors by chance alone. Raises InvalidSettingError."""
    levels = LEVELS_BY_CHANCE if by_chance else LEVELS
    return levels[Range(1, len(levels)).check("level", number) - 1]


def search_at(
    level: Level,
    engine: Engine,
    position: Position,
    limits: Limits,
    history: Sequence[Position],
    seed: int,
    stop: Stop | None = None,
    policy: Policy | None = None,
) -> Info:
    """Line that a level below the last chooses.

    Its random choices depend only on the seed, the position and the length of the history. Raises what Engine.search
    raises.
    """
    assert level.nodes is not None
    own = replace(limits, nodes=min(level.nodes, limits.nodes or level.nodes))
    info = engine.search(position, own, history, multipv=MAX_LINES, stop=stop)
    # if a search ran out of nodes, its lines may not be in the order of their scores
    lines = sorted(info.lines, key=lambda line: line.score, reverse=True)
    expected = [engine.chances(line.score).expected for line in lines]
    likely = None
    if policy and level.likeness:
        by_move = {_squares(move): probability for move, probability in policy.choices(position, history)}
        likely = [by_move.get(_squares(line.pv[0]), 0.0) for line in lines]
    source = random.Random(f"{seed} {position.key} {len(history)}")
    return lines[choose(level, expected, source, likely)]


def choose(
    level: Level, expected: Sequence[float], source: random.Random, likely: Sequence[float] | None = None
) -> int:
    """Index of the move that a level plays, given the expected result of each move, best first.

    likely: probability that a person plays each move.
    """
    noticed = [index for index in range(len(expected)) if source.random() >= level.overlook]
    noticed = noticed or [source.randrange(len(expected))]
    best = choice = noticed[0]
    if level.temperature:
        weights = [math.exp((expected[index] - expected[best]) / level.temperature) for index in noticed]
        if likely:
            weights = [weight * likely[index] ** level.likeness for weight, index in zip(weights, noticed, strict=True)]
        if any(weights):
            choice = source.choices(noticed, weights)[0]
    return best if expected[choice] >= AS_GOOD_AS_WON else choice


def _squares(move: Move) -> tuple[int, int, int]:
    """Key of a move: equal for moves to the same position."""
    return move.origin, move.target, move.captured
