"""Training of networks by gradient descent, in epochs and with checkpoints, for the networks of all studies.

After each epoch the network is judged on validation data; the numbers of the best epoch are the result. The batches of
an epoch, and the units that dropout leaves out, follow from seed, epoch and batch alone. The checkpoint has everything
that a training consists of, and is saved every 30 seconds, after each epoch and at Ctrl-C, so that a training killed at
any moment resumes to the same numbers as one that was left alone.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kr.engine.search import Stop
from kr.errors import DivergedError, StoppedError
from kr.extras import check_packages
from kr.studies.checkpoint import FitStage, StudyCheckpoint

SAVED_EVERY = 30.0
"""Seconds from one checkpoint to the next."""

Arrays: TypeAlias = dict[str, Any]
"""Arrays of a network, or of a batch, by name."""
Point: TypeAlias = dict[str, Any]
"""Measurements after an epoch."""


def check_jax(otherwise: str = "") -> None:
    """Raise InvalidSettingError if JAX or optax is missing. otherwise: end of the message, about a way without them."""
    check_packages("networks need", "jax", "optax", otherwise=otherwise)


class Learner(ABC):
    """A network to train, with its data."""

    epochs: int
    """Most epochs of the training."""
    batches: int
    """Batches of an epoch."""
    batch: int
    """Examples of a batch."""
    scanned = 16
    """Batches of one call of the compiled step; 1 for convolutions, which are slow in a loop on a processor."""

    @abstractmethod
    def start(self) -> tuple[Arrays, Arrays]:
        """Parameters before any training, and the state beside them: running means; {} for a network without."""

    @abstractmethod
    def optimiser(self) -> Any:
        """The optimiser of optax, for a rate of 1."""

    @abstractmethod
    def rates(self, steps: NDArray[np.int32], losses: Sequence[float]) -> NDArray[np.float32]:
        """Learning rates of some steps, numbered from 0 over the whole training. losses: validation losses so far."""

    @abstractmethod
    def loss(self, parameters: Any, state: Any, batch: Any, key: Any) -> tuple[Any, Any]:
        """Mean loss of a batch, and the state after it, in JAX. key: source of the chance in this step."""

    def updated(self, parameters: Any, updates: Any) -> Any:
        """Parameters after the updates of a step, in JAX."""
        import optax

        return optax.apply_updates(parameters, updates)

    @abstractmethod
    def epoch(self, number: int, first: int) -> Iterator[dict[str, NDArray[Any]]]:
        """The batches of an epoch from the batch `first` on."""

    @abstractmethod
    def judge(self, parameters: Arrays, state: Arrays) -> Point:
        """Measurements on validation data, as JSON types; `validation_loss` is one of them."""

    def merit(self, point: Point) -> float:
        """Merit of an epoch; the first one with the highest merit is the best."""
        return -float(point["validation_loss"])

    def is_over(self, curve: Sequence[Point]) -> bool:
        """True if the training ends before its last epoch."""
        return False


@dataclass(frozen=True)
class FitProgress:
    """Progress of a training."""

    count: int
    """Examples seen, over all epochs."""
    total: int
    epoch: int
    """Whole epochs."""
    loss: float | None
    """Mean loss of the last batches."""
    best: Point | None
    """Measurements after the best epoch so far."""


class TrainedNet(NamedTuple):
    """The network of the best epoch."""

    parameters: Arrays
    state: Arrays
    curve: list[Point]
    """Measurements after each epoch: `epoch`, `loss`, those of the learner, `seconds`."""
    best: Point
    """The point of the best epoch."""


@dataclass(frozen=True, eq=False)
class _Reached:
    """State of a training between two steps: replaced, never changed, so that an interruption finds a whole one."""

    carry: Any
    """Parameters, state, and the state of the optimiser."""
    best: Any
    """Parameters and state of the best epoch."""
    epoch: int = 0
    """Whole epochs."""
    batches: int = 0
    """Batches of the epoch under way."""
    loss_sum: float = 0.0
    """Sum over those batches."""
    seconds: float = 0.0
    curve: tuple[Point, ...] = ()

    @property
    def losses(self) -> list[float]:
        return [point["validation_loss"] for point in self.curve]


class Descent:
    """One training."""

    def __init__(self, learner: Learner, checkpoint: StudyCheckpoint, seed: int) -> None:
        import jax

        self.learner, self.checkpoint = learner, checkpoint
        self._jax = jax
        self._optimiser = optimiser = learner.optimiser()
        start = jax.random.PRNGKey(seed)

        def one_step(carry: Any, inputs: Any) -> Any:
            parameters, state, optimised = carry
            batch, step, rate = inputs
            key = jax.random.fold_in(start, step)
            gradient_of = jax.value_and_grad(learner.loss, has_aux=True)
            (loss, state), gradient = gradient_of(parameters, state, batch, key)
            updates, optimised = optimiser.update(gradient, optimised, parameters)
            updates = {name: rate * update for name, update in updates.items()}
            return (learner.updated(parameters, updates), state, optimised), loss

        def steps(carry: Any, batches: Any, numbers: Any, rates: Any) -> Any:
            inputs = batches, numbers, rates
            if len(numbers) == 1:
                return one_step(carry, jax.tree.map(lambda array: array[0], inputs))
            carry, losses = jax.lax.scan(one_step, carry, inputs)
            return carry, losses.sum()

        self._steps = jax.jit(steps)

    def run(self, on_progress: Callable[[FitProgress], None] | None = None, stop: Stop | None = None) -> TrainedNet:
        """Train to the end, from the last checkpoint if there is one. The checkpoint stays, for the caller to remove.

        stop: ends the training after the steps under way. Raises StoppedError then, DivergedError if the loss is no
        longer a finite number, InvalidCheckpointError, OSError.
        """
        learner = self.learner
        self._now = self._resumed()

        def tell(loss: float | None) -> None:
            if on_progress:
                positions, total = (count * learner.batch for count in self._counts())
                on_progress(FitProgress(positions, total, self._now.epoch, loss, self._best()))

        tell(None)
        try:
            # at once, so that pages show the training, and a full disk is noticed early
            self._save()
            while self._now.epoch < learner.epochs and not learner.is_over(self._now.curve):
                self._train(tell, stop)
                self._judge()
                self._save()
                tell(self._now.curve[-1]["loss"])
        except KeyboardInterrupt:
            self._save()
            raise
        best = self._best()
        assert best is not None
        parameters, state = self._now.best
        return TrainedNet(parameters, state, list(self._now.curve), best)

    def _counts(self) -> tuple[int, int]:
        """Batches done and batches in all."""
        batches = self.learner.batches
        return self._now.epoch * batches + self._now.batches, self.learner.epochs * batches

    def _best(self) -> Point | None:
        return max(self._now.curve, key=self.learner.merit, default=None)

    def _train(self, tell: Callable[[float | None], None], stop: Stop | None) -> None:
        """Train on the batches that are left of an epoch."""
        mark = saved = time.monotonic()
        for part in self._parts():
            now = self._now
            step = now.epoch * self.learner.batches + now.batches
            numbers = np.arange(step, step + len(part), dtype=np.int32)
            batches = {name: np.stack([batch[name] for batch in part]) for name in part[0]}
            carry, loss = self._steps(now.carry, batches, numbers, self.learner.rates(numbers, now.losses))
            loss_sum = now.loss_sum + float(loss)
            if not np.isfinite(loss_sum):
                raise self._diverged()
            before, mark = mark, time.monotonic()
            self._now = replace(
                now, carry=carry, batches=now.batches + len(part), loss_sum=loss_sum,
                seconds=now.seconds + mark - before,
            )  # fmt: skip
            tell(float(loss) / len(part))
            stopped = stop is not None and stop.is_set()
            if stopped or mark - saved > SAVED_EVERY:
                self._save()
                saved = mark
            if stopped:
                raise StoppedError(
                    f"{self.checkpoint.out}: the training was stopped in epoch {now.epoch + 1} of "
                    f"{self.learner.epochs}; run the same command to resume"
                )

    def _parts(self) -> Iterator[list[dict[str, NDArray[Any]]]]:
        """The batches that are left of an epoch, as many as one call takes; at its end one by one, so that a call has
        one of two sizes wherever the training was interrupted."""
        batches = self.learner.epoch(self._now.epoch, self._now.batches)
        while part := list(islice(batches, self.learner.scanned)):
            yield from [part] if len(part) == self.learner.scanned else ([batch] for batch in part)

    def _judge(self) -> None:
        """End an epoch: measure, and take the numbers if they are the best."""
        now, best = self._now, self._best()
        carry = parameters, state, _ = self._jax.device_get(now.carry)
        measured = self.learner.judge(parameters, state)
        if not np.isfinite(measured["validation_loss"]):
            raise self._diverged()
        loss = now.loss_sum / max(1, now.batches)
        point = {"epoch": now.epoch + 1, "loss": loss, **measured, "seconds": round(now.seconds, 1)}
        is_best = best is None or self.learner.merit(point) > self.learner.merit(best)
        self._now = replace(
            now, carry=carry, best=(parameters, state) if is_best else now.best, epoch=now.epoch + 1, batches=0,
            loss_sum=0.0, curve=(*now.curve, point),
        )  # fmt: skip

    def _diverged(self) -> DivergedError:
        return DivergedError(
            f"{self.checkpoint.out}: the loss is no longer a finite number in epoch {self._now.epoch + 1}; "
            "try a smaller --rate"
        )

    # checkpoints

    def _save(self) -> None:
        now = self._now
        leaves = self._jax.device_get(self._jax.tree.leaves((now.carry, now.best)))
        if not all(np.isfinite(leaf).all() for leaf in leaves):
            raise self._diverged()
        stage = FitStage(*self._counts(), "batches", now.loss_sum / now.batches if now.batches else None, now.curve)
        own = {name: getattr(now, name) for name in ("epoch", "batches", "loss_sum", "seconds")}
        self.checkpoint.save(leaves, stage, **own)

    def _resumed(self) -> _Reached:
        """State of the last checkpoint, or a fresh one."""
        parameters, state = (dict(arrays) for arrays in self.learner.start())
        fresh = _Reached((parameters, state, self._optimiser.init(parameters)), (parameters, state))
        leaves, tree = self._jax.tree.flatten((fresh.carry, fresh.best))

        def parse(arrays: list[NDArray[Any]], stage: FitStage, story: dict[str, Any]) -> _Reached:
            epoch, batches = int(story["epoch"]), int(story["batches"])
            curve = tuple(dict(point) for point in stage.curve)
            merits = [self.learner.merit(point) for point in curve]
            if len(merits) != epoch or not 0 <= batches <= self.learner.batches or not np.isfinite(merits).all():
                raise ValueError("epochs that do not belong together")
            carry, best = self._jax.tree.unflatten(tree, arrays)
            return _Reached(carry, best, epoch, batches, float(story["loss_sum"]), float(story["seconds"]), curve)

        return self.checkpoint.load(leaves, parse) or fresh
