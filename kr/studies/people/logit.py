"""Fit of the policy `logit`: a conditional logit over the positions after each move, by L-BFGS-B, without networks.

The logit of a choice is the sum of the regions of the position after it, seen by the side that moved, and of material,
plus a number each of its move, its target and, with sight, its bin. The entries of the regions, as in `kr fit`, have
two weights, opening and ending, and the same kernels add them up; here their logits are compared within a decision:

    loss = sum over decisions of -log softmax(logits)[played] + l2 / 2 * sum of squares of all weights

The optimiser works in legs and starts afresh in each; a leg ends in a checkpoint beside the output: a killed fit
resumes to the same numbers. It ends when a leg no longer lowers the loss on the validation decisions; the weights of
the leg with the lowest such loss are the result.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import _core, _learn
from kr.errors import DivergedError, StoppedError
from kr.evaluation.layouts import LAYOUTS
from kr.evaluation.parts import with_parts
from kr.evaluation.patterns import GROUPS, MAX_BOARD_PIECES, PHASES, TABLE_UNITS
from kr.learn.fitting.dataset import Samples
from kr.learn.fitting.inputs import LOSSES, Entries, FittedWeights, Inputs, forward, ranked
from kr.notation import SQUARES
from kr.policy.shape import LOGIT_UNIT, MOVES, PolicyShape
from kr.studies.checkpoint import FitStage
from kr.studies.people.examples import Examples, make_examples
from kr.studies.people.fit_task import FitTask
from kr.threads import thread_pool

LOGIT_LEG = 20
"""Iterations from one checkpoint to the next."""
LOGIT_MEMORY = 8
"""Pairs of steps and gradients that L-BFGS keeps."""
LEAST_GAIN = 1e-4
"""A leg that lowers the validation loss by less ends the fit, nats."""
CURVATURE = 0.1
"""About p (1 - p) of a choice: the scale on which the optimiser sees an entry."""
MATERIAL = 3
"""A man, a king, and a constant."""


@dataclass(frozen=True, eq=False)
class ChoiceGroup:
    """The choices after which there is a king on the board, or those after which there is none."""

    rows: NDArray[np.int64]
    """Their numbers among all choices."""
    entries: Entries
    inputs: Inputs

    @property
    def table_weights(self) -> int:
        """Number of weights of its tables."""
        return PHASES * self.entries.slots


@dataclass(frozen=True, eq=False)
class ChoiceData:
    """The decisions of a part of the split, as the objective reads them."""

    groups: tuple[ChoiceGroup, ChoiceGroup]
    """Without and with kings."""
    examples: Examples


class ChoiceObjective:
    """Loss and gradient as functions of one vector, 0 to begin with: the weights of the tables without kings, their
    material, those with kings, then of moves, targets and bins; each divided by its scale."""

    def __init__(self, data: ChoiceData, shape: PolicyShape, l2: float, pool: ThreadPoolExecutor) -> None:
        self.data, self.shape, self.l2, self._pool = data, shape, l2, pool
        sizes = [
            *(size for group in data.groups for size in (group.table_weights, MATERIAL * PHASES)),
            MOVES, SQUARES, len(shape.behind) + 1,
        ]  # fmt: skip
        self.ends = [0, *np.cumsum(sizes).tolist()]
        """Where the parts of the vector begin, and its end."""
        self._scale = 1 / np.sqrt(CURVATURE * self._curvature() + l2 + 1e-9)

    @property
    def size(self) -> int:
        """Length of the vector."""
        return int(self.ends[-1])

    def weights(self, x: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """The weights of a vector, part by part."""
        return np.split(x * self._scale, self.ends[1:-1])

    def __call__(self, x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Loss and gradient at a vector (size,)."""
        weights = x * self._scale
        logits = self.logits(self.data, x)
        losses, probabilities = softmax_losses(logits, self.data.examples)
        gradient = self._gradient(probabilities) + self.l2 * weights
        return float(losses.sum()) + self.l2 / 2 * float(weights @ weights), gradient * self._scale

    def loss_of(self, data: ChoiceData, x: NDArray[np.float64]) -> float:
        """Mean cross entropy of other decisions, nats."""
        losses, _ = softmax_losses(self.logits(data, x), data.examples)
        return float(losses.mean())

    def logits(self, data: ChoiceData, x: NDArray[np.float64]) -> NDArray[np.float32]:
        """Logit (m,) of each choice of some decisions, which have the entries of this objective."""
        parts = self.weights(x)
        examples = data.examples
        logits = np.empty(len(examples.move), dtype=np.float32)
        for number, group in enumerate(data.groups):
            table, material = (each.reshape(-1, PHASES) for each in parts[2 * number : 2 * number + 2])
            solution = FittedWeights(table.astype(np.float32), np.empty((0, PHASES), dtype=np.float32), material)
            sums, slopes = (np.empty(len(group.rows), dtype=np.float32) for _ in range(2))
            unused = np.zeros((MATERIAL, PHASES))
            forward(group.inputs, group.entries, solution, LOSSES.index("ce"), self._pool, sums, slopes, unused)
            logits[group.rows] = sums
        move, target, behind = (each.astype(np.float32) for each in parts[4:])
        logits += move[examples.move] + target[examples.target]
        if self.shape.plies >= 0:
            logits += behind[examples.behind]
        return logits

    def _gradient(self, slopes: NDArray[np.float32]) -> NDArray[np.float64]:
        """Gradient by the weights (size,) of a loss with these derivatives (m,) by the logits."""
        examples = self.data.examples
        parts: list[NDArray[np.float64]] = []
        for group in self.data.groups:
            own = np.ascontiguousarray(slopes[group.rows])
            parts.append(self._by_region(group, lambda ids, out, own=own, group=group: _learn.region_gradient(
                ids, own, group.inputs.pieces, out
            )))  # fmt: skip
            terms = own[:, None] * _material_terms(group.inputs)
            shares = _shares(group.inputs)
            parts.append((terms.T @ shares).ravel())
        parts += [_sums(examples.move, slopes, MOVES), _sums(examples.target, slopes, SQUARES)]
        parts.append((self.shape.plies >= 0) * _sums(examples.behind, slopes, len(self.shape.behind) + 1))
        return np.concatenate(parts)

    def _curvature(self) -> NDArray[np.float64]:
        """Sum (size,) of the squares of the factors of each weight."""
        examples = self.data.examples
        parts: list[NDArray[np.float64]] = []
        for group in self.data.groups:
            parts.append(self._by_region(group, lambda ids, out, group=group: _learn.region_curvature(
                ids, group.inputs.count, group.inputs.pieces, out
            )))  # fmt: skip
            parts.append(((_material_terms(group.inputs) ** 2).T @ _shares(group.inputs) ** 2).ravel())
        numbers = ((examples.move, MOVES), (examples.target, SQUARES), (examples.behind, len(self.shape.behind) + 1))
        parts += [np.bincount(ids, minlength=size).astype(np.float64) for ids, size in numbers]
        return np.concatenate(parts)

    def _by_region(self, group: ChoiceGroup, work: Any) -> NDArray[np.float64]:
        """Numbers of the entries of a group (2 * slots,), region by region, each by one thread."""
        out = np.zeros((group.entries.slots, PHASES))
        starts = group.entries.starts
        ids = group.inputs.ids
        list(self._pool.map(lambda r: work(ids[r], out[starts[r] : starts[r + 1]]), range(len(starts) - 1)))
        return out.ravel()


def softmax_losses(logits: NDArray[np.float32], examples: Examples) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Cross entropy (n,) of the moves played, and its derivative (m,) by each logit."""
    begins, counts = examples.first[:-1], examples.counts
    wide = logits - np.repeat(np.maximum.reduceat(logits, begins), counts)
    powers = np.exp(wide)
    sums = np.add.reduceat(powers, begins)
    choices = begins + examples.played
    losses = np.log(sums.astype(np.float64)) - wide[choices]
    slopes = powers / np.repeat(sums, counts)
    slopes[choices] -= 1
    return losses, slopes


def _sums(ids: NDArray[np.uint8], slopes: NDArray[np.float32], size: int) -> NDArray[np.float64]:
    """Sum (size,) of the slopes of each number."""
    return np.bincount(ids, slopes, size).astype(np.float64)


def _material_terms(inputs: Inputs) -> NDArray[np.float64]:
    """(n, 3): men and kings, own minus opponent's, and 1."""
    return np.concatenate([inputs.material.astype(np.float64), np.ones((len(inputs), 1))], axis=1)


def _shares(inputs: Inputs) -> NDArray[np.float64]:
    """(n, 2): shares of opening and ending in each position."""
    opening = inputs.pieces / MAX_BOARD_PIECES
    return np.stack([opening, 1 - opening], axis=1)


def choice_data(
    training: Examples, validation: Examples, shape: PolicyShape, pool: ThreadPoolExecutor
) -> tuple[ChoiceData, ChoiceData]:
    """Both parts in terms of the entries that occur in either."""
    layout = LAYOUTS[shape.layout]
    after = [_core.choice_boards(np.ascontiguousarray(each.boards)) for each in (training, validation)]
    crowned = [(boards[:, 2] | boards[:, 3]) != 0 for boards in after]
    parts: tuple[list[ChoiceGroup], list[ChoiceGroup]] = ([], [])
    for kings in GROUPS:
        rows = [np.flatnonzero(each == kings) for each in crowned]
        fitted, others = (_samples(boards[numbers]) for boards, numbers in zip(after, rows, strict=True))
        entries, *inputs = ranked(fitted, others, with_parts(*layout.group(kings), ()), pool)
        for groups, numbers, own in zip(parts, rows, inputs, strict=True):
            groups.append(ChoiceGroup(numbers, entries, own))
    first, second = ((groups[0], groups[1]) for groups in parts)
    return ChoiceData(first, training), ChoiceData(second, validation)


def _samples(boards: NDArray[np.uint32]) -> Samples:
    unused = np.zeros(len(boards), dtype=np.float32)
    return Samples(np.ascontiguousarray(boards), np.ones(len(boards), dtype=np.uint32), unused, unused)


@dataclass(frozen=True, eq=False)
class LogitState:
    """State of a fit, as a checkpoint keeps it."""

    x: NDArray[np.float64]
    best: NDArray[np.float64]
    """The vector of the leg with the lowest validation loss."""
    curve: tuple[dict[str, Any], ...] = ()
    """After each leg: iterations so far, mean training and validation loss, seconds."""
    finished: bool = False

    @property
    def done(self) -> int:
        """Iterations so far."""
        return int(self.curve[-1]["iterations"]) if self.curve else 0

    @property
    def losses(self) -> list[float]:
        """Validation losses."""
        return [point["validation_loss"] for point in self.curve]


def fit_logit(task: FitTask) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Arrays of a conditional logit, and the part of the card about its fit."""
    settings, checkpoint = task.settings, task.checkpoint
    with thread_pool(settings.workers) as pool:
        data, validation = choice_data(_examples(task, "training"), _examples(task, "validation"), task.shape, pool)
        objective = ChoiceObjective(data, task.shape, settings.l2, pool)

        def parse(arrays: list[NDArray[Any]], stage: FitStage, story: dict[str, Any]) -> LogitState:
            x, best = arrays
            return LogitState(x, best, tuple(dict(point) for point in stage.curve), bool(story["finished"]))

        def save(state: LogitState) -> None:
            # the fit may end after fewer iterations than it may take
            total = state.done if state.finished else settings.max_iter
            stage = FitStage(state.done, total, "iterations", None, state.curve)
            checkpoint.save([state.x, state.best], stage, finished=state.finished)

        fresh = LogitState(np.zeros(objective.size), np.zeros(objective.size))
        state = checkpoint.load([fresh.x, fresh.best], parse) or fresh
        save(state)
        task.training(state.done, settings.max_iter, "iterations", "")
        while not state.finished:
            state = _leg(task, objective, validation, state)
            save(state)
        arrays, clipped = logit_arrays(objective, state.best)
    return arrays, {
        "l2": settings.l2, "layout": settings.layout, "best_leg": 1 + int(np.argmin(state.losses)),
        "weights": objective.size, "clipped": clipped, "curve": state.curve,
    }  # fmt: skip


def _examples(task: FitTask, part: str) -> Examples:
    """Examples of the decisions of a part of the split that a player made."""
    rows = getattr(task.split, part)
    mine = task.decisions.of(rows[task.chosen(rows)])
    return make_examples(mine, task.shape, task.eyes, on_progress=task.looking(part))


def _leg(task: FitTask, objective: ChoiceObjective, validation: ChoiceData, start: LogitState) -> LogitState:
    """Up to LOGIT_LEG iterations more."""
    from scipy.optimize import OptimizeResult, minimize
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    settings = task.settings
    before = start.done
    earlier = float(start.curve[-1]["seconds"]) if start.curve else 0.0
    lowest = min(start.losses, default=np.inf)
    began, count = time.monotonic(), 0

    def checked(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        if task.stop is not None and task.stop.is_set():
            raise StoppedError(
                f"{settings.out}: the fit was stopped after {before + count} iterations, its last checkpoint is "
                f"at {before}; run the same command to resume"
            )
        loss, gradient = objective(x)
        if not (np.isfinite(loss) and np.isfinite(gradient).all()):
            raise DivergedError(
                f"{settings.out}: the loss is no longer a finite number after {before + count} iterations; "
                "try a larger --l2"
            )
        return loss, gradient

    def advance(intermediate_result: OptimizeResult) -> None:
        nonlocal count
        count += 1
        loss = intermediate_result.fun / len(objective.data.examples)
        task.training(before + count, settings.max_iter, "iterations", f"loss with penalty {loss:.3f}")

    iterations = min(LOGIT_LEG, settings.max_iter - before)
    options = {"maxiter": iterations, "maxcor": LOGIT_MEMORY, "ftol": 0.0, "gtol": 0.0}
    # One BLAS thread: with more, the sums would depend on the machine, and on a busy one they wait for each other.
    with threadpool_limits(limits=1, user_api="blas"):
        x = minimize(checked, start.x, jac=True, method="L-BFGS-B", callback=advance, options=options).x
        loss, validation_loss = objective.loss_of(objective.data, x), objective.loss_of(validation, x)
    point = {
        "round": len(start.curve) + 1, "iterations": before + count, "loss": loss, "validation_loss": validation_loss,
        "seconds": round(earlier + time.monotonic() - began, 1),
    }  # fmt: skip
    best = x if validation_loss < lowest else start.best
    finished = count < iterations or before + count >= settings.max_iter or validation_loss > lowest - LEAST_GAIN
    return replace(start, x=x, best=best, curve=(*start.curve, point), finished=finished)


def logit_arrays(objective: ChoiceObjective, x: NDArray[np.float64]) -> tuple[dict[str, NDArray[Any]], int]:
    """The arrays of a policy file, and the number of table entries that were cut to fit 16 bits."""
    units = LOGIT_UNIT * TABLE_UNITS
    limit = np.iinfo(np.int16).max
    parts = objective.weights(x)
    arrays: dict[str, NDArray[Any]] = {}
    clipped = 0
    for number, (kings, name) in enumerate(GROUPS.items()):
        group = objective.data.groups[kings]
        entries = group.entries
        weights, material = (each.reshape(-1, PHASES) for each in parts[2 * number : 2 * number + 2])
        values = np.rint(weights * units)
        clipped += int((np.abs(values) > limit).any(axis=1).sum())
        values = np.clip(values, -limit, limit).astype(np.int16)
        table = np.zeros((len(entries.indices), entries.windows.table_size, PHASES), dtype=np.int16)
        for r, indices in enumerate(entries.indices):
            table[r, indices] = values[entries.starts[r] : entries.starts[r + 1]]
        arrays[f"{name}_table"] = table
        arrays[f"{name}_material"] = np.rint(material * units).astype(np.int32)
    for name, numbers in zip(("move", "target", "behind"), parts[4:], strict=True):
        arrays[name] = numbers.astype(np.float32)
    return arrays, clipped
