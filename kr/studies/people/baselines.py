"""Baselines without an engine: the commonest move in other games, and a random one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from kr import _core, _learn
from kr.policy.policy import PolicyRows
from kr.studies.people.decisions import Decisions
from kr.studies.people.splits import position_keys

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_CHOICES = 128
"""More than any position has."""
GUESSED_TIMES = 1.0
"""Times that all choices together count as seen before any was."""


class MoveRival(Protocol):
    """A rival of policies, which also gives probabilities to the choices of decisions."""

    name: str
    ranked: bool
    """True if the probabilities stand for an order alone."""

    def predict(self, decisions: Decisions, rows: NDArray[np.int64]) -> PolicyRows:
        """The choices of some decisions, by their row numbers, with probabilities."""
        ...


class RandomMoves:
    """Any legal move."""

    name = "random"
    ranked = False

    def predict(self, decisions: Decisions, rows: NDArray[np.int64]) -> PolicyRows:
        """All choices of a decision with equal probabilities."""
        return uniform_rows(decisions.of(rows))


class SeenMoves:
    """The moves played in the same position in other games, by their numbers.

    rows: the decisions that it knows, the training part; prescribed moves, which no player chose, do not count. A move
    seen s times in a position seen t times with k choices has the probability (s + 1/k) / (t + 1), so that the choices
    of an unknown position have equal ones, and no move is impossible.
    """

    name = "seen"
    ranked = False

    def __init__(self, decisions: Decisions, rows: NDArray[np.int64]) -> None:
        import numpy as np

        choosers = decisions.of(rows[~decisions.prescribed[rows]])
        self._keys, of_key = np.unique(position_keys(choosers), return_inverse=True)
        self._times = np.bincount(of_key, minlength=len(self._keys))
        codes = of_key.astype(np.int64) * MOST_CHOICES + played_choices(choosers, uniform_rows(choosers))
        self._codes, self._counts = np.unique(codes, return_counts=True)

    def predict(self, decisions: Decisions, rows: NDArray[np.int64]) -> PolicyRows:
        """The choices of decisions, by the number of times they were played there."""
        import numpy as np

        subset = decisions.of(rows)
        uniform = uniform_rows(subset)
        counts = np.diff(uniform.first)
        places, seen = _places(self._keys, position_keys(subset))
        times = np.where(seen, self._times[places] if len(self._keys) else 0, 0)
        number = np.arange(len(uniform.origin)) - np.repeat(uniform.first[:-1], counts)
        codes = np.repeat(places, counts) * MOST_CHOICES + number
        at, seen_choice = _places(self._codes, codes)
        times_played = np.where(seen_choice & np.repeat(seen, counts), self._counts[at] if len(self._codes) else 0, 0)
        probability = (times_played + GUESSED_TIMES * uniform.probability) / (np.repeat(times, counts) + GUESSED_TIMES)
        return uniform._replace(probability=probability.astype(np.float32))

    def knows(self, decisions: Decisions, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(rows,) True where the position was seen."""
        return _places(self._keys, position_keys(decisions.of(rows)))[1]


def uniform_rows(decisions: Decisions) -> PolicyRows:
    """The choices of all of these decisions, those of each with equal probabilities."""
    import numpy as np

    first, origin, target, captured = _core.policy_choices(np.ascontiguousarray(decisions.boards))
    counts = np.diff(first)
    return PolicyRows(first, origin, target, captured, np.repeat(1 / counts, counts).astype(np.float32))


def played_choices(decisions: Decisions, rows: PolicyRows) -> NDArray[np.int64]:
    """(n,) number, from 0, of the choice played in each of these decisions."""
    import numpy as np

    return _learn.rows_of_choices(
        rows.first, rows.origin, rows.target, rows.captured, np.ascontiguousarray(decisions.moves),
        np.ascontiguousarray(decisions.captured),
    )  # fmt: skip


def _places(
    ordered: NDArray[np.uint64] | NDArray[np.int64], numbers: NDArray[np.uint64] | NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Places of numbers in an ascending array, 0 if missing, and True for those that are there."""
    import numpy as np

    if not len(ordered):
        return np.zeros(len(numbers), dtype=np.int64), np.zeros(len(numbers), dtype=bool)
    places = np.minimum(np.searchsorted(ordered, numbers), len(ordered) - 1)
    there = ordered[places] == numbers
    return np.where(there, places, 0), there
