"""One of the two groups of regions, fitted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kr.learn.fitting.inputs import Entries, FittedWeights
from kr.learn.fitting.sums import GroupSums


@dataclass(frozen=True, eq=False)
class FittedGroup:
    """One of the two groups of regions with its fitted weights."""

    kings: bool
    entries: Entries
    sums: GroupSums
    solution: FittedWeights
    history: NDArray[np.float64]
    """(iterations, 2): mean training and held-out loss after each."""
    men_slope: float
    """Slope of the logits on the difference of men over the training positions."""
    prior_scale: float | None
    """Factor of the weights of earlier tables; None without them."""
