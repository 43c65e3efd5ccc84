"""Decisions as training examples of a policy: the inputs from the position and from each choice, in small numbers.

n decisions with m choices in all. kr.policy.shape defines a choice's rows of `move`, `target` and `behind`, and the
inputs of a best score or a bucket; the numbers here are those that the compiled policy computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kr import _core
from kr.policy.shape import PolicyShape, buckets_of, move_ids
from kr.studies.people.decisions import UNKNOWN_YEAR, Decisions

if TYPE_CHECKING:
    from kr.evaluation.kinds import Scorer

LOOKED_AT = 1 << 15
"""Decisions whose choices are scored at once."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Decisions with their choices."""

    boards: NDArray[np.uint32]
    """(n, 4) in the mover's frame."""
    before: NDArray[np.uint8]
    """(n, 4) squares of the moves before."""
    strength: NDArray[np.uint8]
    """(n,) bucket of the mover's mean loss; 0 if it is not an input of the policy."""
    year: NDArray[np.uint8]
    """(n,) bucket of the year, likewise."""
    best: NDArray[np.uint8]
    """(n,) edges below the score of the best choice."""
    first: NDArray[np.int64]
    """(n + 1,) offsets of the choices of each decision."""
    move: NDArray[np.uint8]
    """(m,) row of `move`."""
    target: NDArray[np.uint8]
    """(m,) row of `target`."""
    behind: NDArray[np.uint8]
    """(m,) bin of the choice's distance behind the best one."""
    played: NDArray[np.int64]
    """(n,) which of its choices was played, from 0 on."""
    chosen: NDArray[np.bool_]
    """(n,) False for forced and for prescribed moves, which no player chose."""

    def __len__(self) -> int:
        return len(self.boards)

    @property
    def counts(self) -> NDArray[np.int64]:
        """(n,) number of choices of each decision."""
        return np.diff(self.first)

    def padded(self, rows: NDArray[Any], width: int) -> dict[str, NDArray[Any]]:
        """Some decisions as arrays of one size, by name: an array (m,) becomes (rows, width), filled up with 0."""
        counts = self.first[rows + 1] - self.first[rows]
        places = self.first[rows][:, None] + np.arange(width)
        places = np.where(np.arange(width) < counts[:, None], places, self.first[rows][:, None])
        wide = {name: getattr(self, name)[places] for name in ("move", "target", "behind")}
        plain = {name: getattr(self, name)[rows] for name in ("boards", "before", "strength", "year", "best")}
        return {**plain, **wide, "counts": counts.astype(np.int32), "played": self.played[rows].astype(np.int32)}


def make_examples(
    decisions: Decisions,
    shape: PolicyShape,
    eyes: Scorer | None,
    strengths: NDArray[np.float32] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Examples:
    """Decisions as inputs of a policy of this shape.

    eyes: the evaluation that sight looks with; needed with sight. strengths: (n,) mean loss of each mover, NaN for
    unknown. on_progress: called with decisions done and in all; its exceptions pass through. Raises ValueError without
    decisions, or for one that is not legal.
    """
    n = len(decisions)
    parts = list(_looked_at(decisions, shape, eyes, on_progress))
    gathered: list[NDArray[Any]] = [np.concatenate(each) for each in zip(*parts, strict=True)]
    counts, moves, targets, behind, best, choices = gathered
    return Examples(
        decisions.boards, decisions.before,
        bucket_rows(shape.strengths, np.full(n, np.nan) if strengths is None else strengths),
        bucket_rows(shape.years, known_years(decisions)),
        best, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), moves, targets, behind, choices,
        (counts > 1) & ~decisions.prescribed,
    )  # fmt: skip


def known_years(decisions: Decisions) -> NDArray[np.float32]:
    """(n,) year of each decision, NaN where it is not known."""
    return np.where(decisions.year == UNKNOWN_YEAR, np.float32(np.nan), decisions.year.astype(np.float32))


def bucket_rows(edges: tuple[float, ...], values: NDArray[Any]) -> NDArray[np.uint8]:
    """The bucket of each value (n,), NaN for unknown; 0 without edges."""
    if not edges:
        return np.zeros(len(values), dtype=np.uint8)
    buckets = np.searchsorted(np.array(edges), values, side="right")
    return np.where(np.isnan(values), buckets_of(edges) - 1, buckets).astype(np.uint8)


def _looked_at(
    decisions: Decisions, shape: PolicyShape, eyes: Scorer | None, on_progress: Callable[[int, int], None] | None
) -> Iterator[tuple[NDArray[Any], ...]]:
    """Block by block: numbers of choices, then (m,) moves, targets and bins, then (n,) best and played."""
    n = len(decisions)
    for start in range(0, n, LOOKED_AT):
        rows = slice(start, min(start + LOOKED_AT, n))
        boards = np.ascontiguousarray(decisions.boards[rows])
        first, origin, target, captured = _core.policy_choices(boards)
        counts = np.diff(first)
        mine = (
            (origin == np.repeat(decisions.moves[rows, 0], counts))
            & (target == np.repeat(decisions.moves[rows, 1], counts))
            & (captured == np.repeat(decisions.captured[rows], counts))
        )
        choices = np.flatnonzero(mine)
        owner = np.repeat(np.arange(len(counts)), counts)[choices]
        if len(choices) != len(counts) or (owner != np.arange(len(counts))).any():
            raise ValueError(f"decisions {start} to {rows.stop - 1}: one whose move is not legal")
        behind = np.zeros(len(origin), dtype=np.uint8)
        best = np.zeros(len(counts), dtype=np.uint8)
        if shape.plies >= 0:
            if eyes is None:
                raise ValueError("sight needs an evaluation")
            scores = _core.choice_scores(boards, eyes.core, shape.plies)
            behind, best = seen_bins(shape, scores, first, eyes.scale)
        yield counts, move_ids()[origin, target], target, behind, best, choices - first[:-1]
        if on_progress:
            on_progress(rows.stop, n)


def seen_bins(
    shape: PolicyShape, scores: NDArray[np.int16], first: NDArray[np.int64], scale: float
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Bins (m,) of each choice's distance behind the best one, and the edges (n,) below the best one's score.

    scores: (m,) centi-men of choices; first: (n + 1,) offsets, each decision with a choice.
    """
    wide = scores.astype(np.float64)
    best = np.maximum.reduceat(wide, first[:-1])
    behind = (np.repeat(best, np.diff(first)) - wide) / scale
    bins = np.searchsorted(np.array(shape.behind), behind, side="right")
    return bins.astype(np.uint8), np.searchsorted(np.array(shape.best), best / scale, side="left").astype(np.uint8)
