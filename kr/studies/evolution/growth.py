"""Growth of champions, over the generations of one run or over runs, with the errors of its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kr.studies.evolution.reading import EvolutionRun, RivalGames

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BOOTSTRAP_SAMPLES = 2000
"""Samples of a bootstrap."""
BLOCK = 10
"""Generations that are drawn together, fewer of a short run: growth is measured against champions that neighbours
share."""
BOOTSTRAP_SEED = 1


class Interval(NamedTuple):
    """A mean with its 95% interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:+.3f} ({self.low:+.3f} to {self.high:+.3f})"


@dataclass(frozen=True)
class GrowthCurve:
    """Growth by generation over runs of one scheme, from generation 1 to the last one that all have."""

    runs: int
    mean: NDArray[np.float64]
    """(generations,)."""
    total: NDArray[np.float64]
    """Running sum, the mean of the runs."""
    low: NDArray[np.float64]
    """95% band of the running sum over runs; of a single run, over blocks of its generations."""
    high: NDArray[np.float64]


def growth_curve(runs: Sequence[EvolutionRun]) -> GrowthCurve:
    """Growth of runs together. There is at least one run."""
    import numpy as np

    length = min(len(run.growth) for run in runs)
    growth = np.array([run.champion_growth[:length] for run in runs]).reshape(len(runs), length)
    totals = growth.cumsum(axis=1)
    if not length:
        return GrowthCurve(len(runs), totals[0], totals[0], totals[0], totals[0])
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    if len(runs) > 1:
        drawn = totals[rng.integers(len(runs), size=(BOOTSTRAP_SAMPLES, len(runs)))].mean(axis=1)
    else:
        drawn = np.stack([_blocks(rng, growth[0]).cumsum() for _ in range(BOOTSTRAP_SAMPLES)])
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return GrowthCurve(len(runs), growth.mean(axis=0), totals.mean(axis=0), low, high)


def _blocks(rng: np.random.Generator, growth: NDArray[np.float64]) -> NDArray[np.float64]:
    """A sample of a series, drawn in blocks."""
    import numpy as np

    block = max(1, min(BLOCK, len(growth) // 4))
    starts = rng.integers(len(growth) - block + 1, size=-(-len(growth) // block))
    return np.concatenate([growth[start : start + block] for start in starts])[: len(growth)]


def mean_growth(runs: Sequence[EvolutionRun]) -> Interval | None:
    """Mean growth of a generation, by a bootstrap over runs, or over blocks of generations of a single one; None if
    nothing has grown yet."""
    import numpy as np

    runs = [run for run in runs if run.growth]
    if not runs:
        return None
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    if len(runs) == 1:
        growth = np.array(runs[0].champion_growth)
        drawn = [_blocks(rng, growth).mean() for _ in range(BOOTSTRAP_SAMPLES)]
        return Interval(float(growth.mean()), *_quantiles(drawn))
    return interval_of([float(np.mean(run.champion_growth)) for run in runs])


def interval_of(values: Sequence[float]) -> Interval:
    """Mean of values of several runs, with a bootstrap over them."""
    import numpy as np

    sample = np.asarray(values, dtype=np.float64)
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    means = sample[rng.integers(len(sample), size=(BOOTSTRAP_SAMPLES, len(sample)))].mean(axis=1)
    return Interval(float(sample.mean()), *_quantiles(means))


def score_interval(games: RivalGames) -> Interval:
    """Score of a comparison: the normal interval of its games, taken as independent, with two more wins and two more
    losses, so that it has an error even if all games have one result."""
    import numpy as np

    won, drawn, lost = (sum(pair) for pair in zip(games.black, games.white, strict=True))
    points = np.repeat([1.0, 0.5, 0.0], [won + 2, drawn, lost + 2])
    error = 1.96 * float(points.std()) / len(points) ** 0.5
    return Interval(games.score, max(0.0, games.score - error), min(1.0, games.score + error))


def scores_together(games: Sequence[RivalGames]) -> Interval:
    """Mean score of comparisons, one a run: by a bootstrap over runs, or by the games of a single one."""
    return score_interval(games[0]) if len(games) == 1 else interval_of([each.score for each in games])


def _quantiles(drawn: Sequence[float] | NDArray[np.float64]) -> tuple[float, float]:
    import numpy as np

    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)
