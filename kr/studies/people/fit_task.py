"""The task of a policy fit: its data, split and settings, and the callers that it reports to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kr.evaluation.kinds import Scorer
from kr.policy.shape import PolicyShape
from kr.studies.checkpoint import StudyCheckpoint
from kr.studies.people.decisions import Decisions
from kr.studies.people.examples import Examples, make_examples
from kr.studies.people.settings import PolicyFitSettings
from kr.studies.people.splits import DecisionSplit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kr.engine.search import Stop


@dataclass(frozen=True)
class PolicyProgress:
    """Progress of a fit."""

    what: str
    """The stage."""
    count: int
    total: int
    unit: str
    more: str = ""
    """Measurements so far, in words."""


OnPolicyProgress = Callable[[PolicyProgress], None]


@dataclass(frozen=True, eq=False)
class FitTask:
    """One fit."""

    settings: PolicyFitSettings
    shape: PolicyShape
    decisions: Decisions
    split: DecisionSplit
    strengths: NDArray[np.float32] | None
    """(decisions,) mean loss of each mover in other games, NaN for unknown; None if unused."""
    eyes: Scorer | None
    fingerprint: str
    """Identity of settings and data."""
    show: OnPolicyProgress
    """Shows progress."""
    tell: OnPolicyProgress
    """Shows progress, and raises StoppedError if the fit is to stop: for steps that have nothing to save."""
    stop: Stop | None

    @property
    def checkpoint(self) -> StudyCheckpoint:
        """The checkpoint next to the output."""
        return StudyCheckpoint(self.settings.out, self.fingerprint, "people")

    def chosen(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """True for the decisions of these rows that a player made: neither forced nor prescribed."""
        return (self.decisions.choices[rows] > 1) & ~self.decisions.prescribed[rows]

    def looking(self, part: str) -> Callable[[int, int], None]:
        """Callback for the progress of the examples of a part of the split."""
        return lambda count, total: self.tell(PolicyProgress(f"looking at the {part} part", count, total, "decisions"))

    def training(self, count: int, total: int, unit: str, more: str) -> None:
        """Show the progress of the training."""
        self.show(PolicyProgress("training", count, total, unit, more))

    def examples(self, part: str) -> Examples:
        """The examples of a part of the split."""
        rows = getattr(self.split, part)
        strengths = None if self.strengths is None else self.strengths[rows]
        return make_examples(self.decisions.of(rows), self.shape, self.eyes, strengths, self.looking(part))
