"""The loss of one group of regions, with or without kings on the board, and its gradient, over integer region indices.

logit = sum over regions of the entry's weight + men * man + kings * king + move, each weight interpolated between
opening and ending by the number of pieces; the prediction is sigmoid(logit). An entry's weight is its own plus those of
its parts (`kr.evaluation.parts`), which are parameters as well; as every part is added into one region only, the passes
over the samples are the same without them. Entries that occur neither in training nor before have no weight of their
own.

The loss is summed over the samples, so that lambda of the L2 terms counts samples; a fit that starts from earlier
tables is drawn to their weights, any other to 0:

    total = sum_i count_i * loss(logit_i, target_i) + lambda / 2 * sum of (own weight - earlier)^2, and so for the parts

Material is not penalised. The optimiser sees the change of every weight divided by its scale 1 / sqrt(its share of the
curvature + lambda): entries occur once or ten million times, and without this the rare ones would hardly move.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kr.errors import DivergedError, InvalidSettingError, InvalidWeightsError
from kr.evaluation.parts import Part
from kr.evaluation.patterns import GROUPS, PHASES
from kr.learn.fitting.checkpoint import Checkpoint, FitState
from kr.learn.fitting.dataset import OnFitProgress, logistic_slope
from kr.learn.fitting.group import FittedGroup
from kr.learn.fitting.inputs import FittedWeights, Prior
from kr.learn.fitting.settings import FitSettings
from kr.learn.fitting.source import SampleSource
from kr.learn.fitting.sums import PRIOR_LOGITS, LossSums, SampleSums

LEG = 10
"""Iterations from one checkpoint to the next."""
MEMORY = 10
"""Pairs of steps and gradients that L-BFGS keeps."""
MATERIAL_START = np.array([[1.0, 1.0], [1.5, 1.5], [0.0, 0.0]])
"""Logits of a man, a king and having the move to begin with."""


class Objective:
    """Total loss and gradient as functions of one vector of parameters, which is 0 to begin with.

    They are the scaled changes of the slots' own weights, of the parts' weights and of material.
    """

    def __init__(self, sums: LossSums, l2: float, l2_parts: float, prior: Prior | None = None) -> None:
        self.entries, self._sums = sums.entries, sums
        entries = sums.entries
        self._parts_at = PHASES * entries.slots
        self._material_at = self._parts_at + PHASES * entries.windows.starts[-1]
        # which entry of each part in a region every slot of the region shows
        self._shown = {
            i: entries.windows.indices(part, entries.indices[part.home]).astype(np.int32)
            for i, part in enumerate(entries.windows.parts)
            if part.home < len(entries.indices)
        }
        self._l2 = np.zeros(self.size)
        self._l2[: self._parts_at], self._l2[self._parts_at : self._material_at] = l2, l2_parts
        # the highest curvature of a sample: 1/4 for cross entropy, 1/8 for the squared error
        steepest = 0.25 if sums.loss == "ce" else 0.125
        own, material = sums.curvature()
        curvature = np.concatenate([own.ravel(), self._of_parts(own).ravel(), material.ravel()])
        self._scale = 1 / np.sqrt(np.where(curvature > 0, steepest * curvature + self._l2, np.inf))
        for shell in entries.windows.shells:
            self._scale[PHASES * entries.starts[shell] : PHASES * entries.starts[shell + 1]] = 0
        self.prior_scale: float | None = None
        self._start = np.zeros(self.size)
        self._start[self._material_at :] = MATERIAL_START.ravel()
        if prior:
            self._start = prior.weights(entries)
            self.prior_scale = self._fitting_scale()
            self._start *= self.prior_scale

    def _fitting_scale(self) -> float:
        """Factor by which the logits of the earlier weights fit the targets best.

        The scores of another generation stand for other winning chances.
        """
        count, points = self._sums.logit_histogram(self.solution(np.zeros(self.size)))
        slope = logistic_slope(PRIOR_LOGITS, count, points)
        if slope is None:
            raise InvalidSettingError("the prior does not predict the results of these games; fit without --prior")
        return slope

    def penalty(self, x: NDArray[np.float64]) -> float:
        """The L2 terms at parameters (size,)."""
        change = x * self._scale
        return float((self._l2 * change) @ change) / 2

    @property
    def size(self) -> int:
        """Length of the parameter vector."""
        return self._material_at + MATERIAL_START.size

    def solution(self, x: NDArray[np.float64]) -> FittedWeights:
        """The weights of parameters (size,)."""
        weights = self._start + x * self._scale
        table = weights[: self._parts_at].reshape(-1, PHASES)
        parts = weights[self._parts_at : self._material_at].reshape(-1, PHASES)
        totals = self.entries.windows.totals(parts)
        for i, shown in self._shown.items():
            table[self._rows(i)] += totals[i][shown]
        material = weights[self._material_at :].reshape(-1, PHASES)
        return FittedWeights(table.astype(np.float32), parts.astype(np.float32), material)

    def __call__(self, x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Total loss, the penalty included, and its gradient (size,)."""
        solution = self.solution(x)
        loss, own, material = self._sums.gradient(solution)
        gradient = np.concatenate([own.ravel(), self._of_parts(own).ravel(), material.ravel()])
        gradient += self._l2 * self._scale * x
        return loss + self.penalty(x), gradient * self._scale

    def _rows(self, i: int) -> slice:
        """The slots of the region that is part i's home."""
        home = self.entries.windows.parts[i].home
        return slice(self.entries.starts[home], self.entries.starts[home + 1])

    def _of_parts(self, own: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums over the slots (slots, 2) that show each entry of the parts, (rows, 2)."""

        def from_region(i: int, part: Part) -> NDArray[np.float64]:
            size = self.entries.windows.base ** len(part.squares)
            columns = own[self._rows(i)].T
            return np.stack([np.bincount(self._shown[i], column, minlength=size) for column in columns], axis=1)

        return np.concatenate([np.zeros((0, PHASES)), *self.entries.windows.gathered(from_region)])


def fitted_group(
    settings: FitSettings,
    source: SampleSource,
    kings: bool,
    prior: Prior | None,
    states: dict[bool, FitState],
    checkpoint: Checkpoint,
    report_to: OnFitProgress,
) -> FittedGroup:
    """Fit the tables of one group. states: of both groups, as far as they are known; saved after each leg."""
    with source.group(kings, settings.windows(kings), prior) as sums:
        positions = sums.positions
        objective = Objective(sums, settings.l2, settings.l2_parts, prior if positions else None)
        one = FitState(np.zeros(objective.size), np.empty((0, 2)), finished=not positions)
        if positions:
            one = states.get(kings, one)
            if len(one.x) != objective.size:
                raise InvalidWeightsError(f"{checkpoint.path}: damaged checkpoint; remove it to start afresh")
            while not one.finished:
                one = _leg(settings, objective, sums, one, f"{GROUPS[kings]} tables", report_to)
                states[kings] = one
                checkpoint.save(states)
        solution = objective.solution(one.x)
        # the factor of centi-men comes from the men alone
        slope = 0.0 if kings else sums.men_slope(solution)
        return FittedGroup(
            kings, sums.entries, sums.report(solution), solution, one.history, slope, objective.prior_scale
        )


def _leg(
    settings: FitSettings,
    objective: Objective,
    sums: SampleSums,
    start: FitState,
    what: str,
    report_to: OnFitProgress,
) -> FitState:
    """Up to LEG iterations more."""
    from scipy.optimize import OptimizeResult, minimize
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    earlier = len(start.history)
    history: list[tuple[float, float]] = []

    def checked(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        loss, gradient = objective(x)
        if not (np.isfinite(loss) and np.isfinite(gradient).all()):
            raise DivergedError(
                f"{what}: the loss is {loss} after {earlier + len(history)} iterations; "
                f"the last checkpoint is at {earlier}; try a larger --l2 than {settings.l2:g}"
            )
        return loss, gradient

    def record(intermediate_result: OptimizeResult) -> None:
        x = intermediate_result.x
        loss = (intermediate_result.fun - objective.penalty(x)) / sums.positions
        history.append((loss, sums.held_out_loss(objective.solution(x))))
        report_to(what, earlier + len(history), settings.max_iter)

    iterations = min(LEG, settings.max_iter - earlier)
    options = {"maxiter": iterations, "maxcor": MEMORY, "ftol": settings.tolerance, "gtol": 0.0}
    # One BLAS thread: with more, the sums would depend on the machine, and on a busy one they wait for each other.
    with threadpool_limits(limits=1, user_api="blas"):
        minimum = minimize(checked, start.x, jac=True, method="L-BFGS-B", callback=record, options=options)
    steps = np.concatenate([start.history, np.reshape(history, (-1, 2))])
    # a leg that ends before its time has converged, or can get no lower
    return FitState(minimum.x, steps, finished=len(history) < iterations or len(steps) >= settings.max_iter)
