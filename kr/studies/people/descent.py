"""Training of a network in rounds, with checkpoints: what all networks of policies have in common.

A round is a stretch of training after which the network is judged on validation decisions; the numbers of the round
with the lowest validation loss are kept. A checkpoint beside the output has all that a training consists of. Which
decisions make up which batch, and what dropout leaves out, follow from seed, round and batch alone, so that a killed
training resumes to the same numbers.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kr import storage
from kr.engine.search import Stop
from kr.errors import DivergedError, InvalidPolicyError, StoppedError

SCANNED_BATCHES = 16
"""Batches of one call of the compiled step."""
SAVED_EVERY = 30.0
"""Seconds from one checkpoint to the next."""


class Learner(Protocol):
    """A network to be trained, with its data."""

    rounds: int
    """Rounds of the whole training."""
    batches: int
    """Batches of a round."""
    batch: int
    """Decisions of a batch."""
    scanned: int
    """Batches of one compiled call; convolutions in a loop are slow on a processor."""

    def start(self) -> dict[str, NDArray[np.float32]]:
        """Numbers before any training."""
        ...

    def optimiser(self) -> Any:
        """What makes steps of gradients (optax), for a rate of 1."""
        ...

    def rate(self, step: int, losses: list[float]) -> float:
        """Learning rate of a batch of the training, after these validation losses."""
        ...

    def loss(self, arrays: Any, batch: Any, key: Any) -> Any:
        """Mean loss of a batch, in JAX. key: for what is left out by chance."""
        ...

    def round(self, number: int, first: int) -> Iterator[dict[str, NDArray[Any]]]:
        """The batches of a round from `first` on."""
        ...

    def judge(self, arrays: Mapping[str, NDArray[np.float32]]) -> dict[str, float]:
        """What is measured after a round; `validation_loss` decides."""
        ...


@dataclass(frozen=True)
class DescentProgress:
    """How far a training is."""

    done: int
    """Decisions seen, over all rounds."""
    total: int
    round: int
    """Whole rounds."""
    loss: float | None
    """Mean loss of the last batches."""
    best: dict[str, Any] | None
    """What was measured after the best round so far."""


@dataclass(eq=False)
class _Descended:
    """State of a training, as a checkpoint keeps it."""

    arrays: dict[str, Any]
    optimiser: list[Any]
    """Leaves of the optimiser's state."""
    best: dict[str, Any]
    round: int = 0
    batches: int = 0
    """Batches of this round that are done."""
    loss_sum: float = 0.0
    """Of those batches."""
    seconds: float = 0.0
    curve: list[dict[str, Any]] = field(default_factory=list)

    @property
    def losses(self) -> list[float]:
        return [point["validation_loss"] for point in self.curve]


class Descent:
    """One training. fingerprint: identity of settings and data; a checkpoint of another one is replaced."""

    def __init__(self, learner: Learner, out: Path, fingerprint: str, seed: int) -> None:
        import jax
        import optax

        self.learner, self.out, self.fingerprint = learner, out, fingerprint
        self.checkpoint = checkpoint_path(out)
        self._jax = jax
        self._optimiser = learner.optimiser()
        start = jax.random.PRNGKey(seed)

        def one_step(carry: Any, given: Any) -> Any:
            arrays, optimised = carry
            batch, step, rate = given
            key = jax.random.fold_in(start, step)
            loss, gradient = jax.value_and_grad(learner.loss)(arrays, batch, key)
            updates, optimised = self._optimiser.update(gradient, optimised, arrays)
            updates = {name: rate * update for name, update in updates.items()}
            return (optax.apply_updates(arrays, updates), optimised), loss

        def steps(carry: Any, batches: Any, numbers: Any, rates: Any) -> Any:
            if len(numbers) == 1:
                only = jax.tree.map(lambda array: array[0], (batches, numbers, rates))
                return one_step(carry, only)
            carry, losses = jax.lax.scan(one_step, carry, (batches, numbers, rates))
            return carry, losses.sum()

        self._steps = jax.jit(steps)

    def run(
        self, on_progress: Callable[[DescentProgress], None] | None = None, stop: Stop | None = None
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Train to the end, from the last checkpoint if there is one: the best numbers, and what each round measured.

        The checkpoint stays until `remove_checkpoint`. Raises StoppedError, DivergedError, and InvalidPolicyError for a
        damaged checkpoint.
        """
        learner = self.learner
        one = self._resumed() or self._fresh()

        def tell(loss: float | None) -> None:
            if on_progress:
                best = min(one.curve, key=lambda point: point["validation_loss"], default=None)
                seen = (one.round * learner.batches + one.batches) * learner.batch
                total = learner.rounds * learner.batches * learner.batch
                on_progress(DescentProgress(seen, total, one.round, loss, best))

        tell(None)
        while one.round < learner.rounds:
            self._round(one, tell, stop)
            self._judge(one)
            self._save(one)
            tell(one.curve[-1]["loss"])
        return one.best, one.curve

    def remove_checkpoint(self) -> None:
        """The output is written, the checkpoint no longer needed."""
        self.checkpoint.unlink(missing_ok=True)

    def _round(self, one: _Descended, tell: Callable[[float | None], None], stop: Stop | None) -> None:
        """What is left of a round."""
        like = self._jax.tree.structure(self._optimiser.init(one.arrays))
        carry = one.arrays, self._jax.tree.unflatten(like, one.optimiser)
        began = saved = time.monotonic()
        earlier = one.seconds

        def take() -> None:
            arrays, optimised = self._jax.device_get(carry)
            one.arrays, one.optimiser = arrays, self._jax.tree.leaves(optimised)
            one.seconds = earlier + time.monotonic() - began

        try:
            for part in self._parts(one):
                step = one.round * self.learner.batches + one.batches
                numbers = np.arange(step, step + len(part), dtype=np.int32)
                rates = np.array([self.learner.rate(int(number), one.losses) for number in numbers], dtype=np.float32)
                batches = {name: np.stack([batch[name] for batch in part]) for name in part[0]}
                after, loss = self._steps(carry, batches, numbers, rates)
                # at once, so that an interruption finds all of a step or nothing
                carry, one.batches, one.loss_sum = after, one.batches + len(part), one.loss_sum + float(loss)
                if not np.isfinite(one.loss_sum):
                    raise DivergedError(
                        f"{self.out}: the loss is {one.loss_sum} in round {one.round + 1}; try a smaller --rate"
                    )
                tell(float(loss) / len(part))
                stopped = stop is not None and stop.is_set()
                if stopped or time.monotonic() - saved > SAVED_EVERY:
                    take()
                    self._save(one)
                    saved = time.monotonic()
                if stopped:
                    raise StoppedError(
                        f"{self.out}: the fit was stopped in round {one.round + 1} of {self.learner.rounds}; "
                        "run the same command to resume"
                    )
        except KeyboardInterrupt:
            take()
            self._save(one)
            raise
        take()

    def _parts(self, one: _Descended) -> Iterator[list[dict[str, NDArray[Any]]]]:
        """The batches that are left of a round, as many as one call takes; at its end one by one, so that a call has
        one of two sizes wherever it was interrupted."""
        waiting: list[dict[str, NDArray[Any]]] = []
        for batch in self.learner.round(one.round, one.batches):
            waiting.append(batch)
            if len(waiting) == self.learner.scanned:
                yield waiting
                waiting = []
        for batch in waiting:
            yield [batch]

    def _judge(self, one: _Descended) -> None:
        measured = self.learner.judge(one.arrays)
        if not one.curve or measured["validation_loss"] < min(one.losses):
            one.best = dict(one.arrays)
        one.round += 1
        loss = one.loss_sum / max(1, one.batches)
        one.curve.append({"round": one.round, "loss": loss, **measured, "seconds": round(one.seconds, 1)})
        one.batches, one.loss_sum = 0, 0.0

    # checkpoints

    def _fresh(self) -> _Descended:
        arrays = self.learner.start()
        leaves = self._jax.device_get(self._jax.tree.leaves(self._optimiser.init(arrays)))
        return _Descended(arrays, leaves, dict(arrays))

    def _save(self, one: _Descended) -> None:
        kept: dict[str, Any] = {"fingerprint": self.fingerprint}
        for prefix, arrays in (("a", one.arrays), ("b", one.best)):
            kept |= {f"{prefix}_{name}": array for name, array in arrays.items()}
        kept |= {f"o_{i:04}": leaf for i, leaf in enumerate(one.optimiser)}
        told = {name: getattr(one, name) for name in ("round", "batches", "loss_sum", "seconds", "curve")}
        save_checkpoint(self.checkpoint, {**kept, "told": json.dumps(told)})

    def _resumed(self) -> _Descended | None:
        """The last checkpoint; None if there is none or it belongs to another training."""
        return read_checkpoint(self.checkpoint, self.fingerprint, self._like_fresh)

    def _like_fresh(self, file: Mapping[str, NDArray[Any]]) -> _Descended:
        """A checkpoint's content, with the shapes of a fresh training. Raises ValueError or KeyError."""
        fresh = self._fresh()
        arrays, best = (
            {name: same_kind(file[f"{prefix}_{name}"], array) for name, array in fresh.arrays.items()}
            for prefix in ("a", "b")
        )
        optimiser = [same_kind(file[f"o_{i:04}"], leaf) for i, leaf in enumerate(fresh.optimiser)]
        told = storage.parse_json(str(file["told"]))
        rounds, batches, curve = int(told["round"]), int(told["batches"]), list(told["curve"])
        losses = [float(point["validation_loss"]) for point in curve]
        if len(losses) != rounds or not 0 <= batches <= self.learner.batches or not np.isfinite(losses).all():
            raise ValueError("rounds that don't belong together")
        return _Descended(
            arrays, optimiser, best, rounds, batches, float(told["loss_sum"]), float(told["seconds"]), curve
        )


def checkpoint_path(out: Path) -> Path:
    """Name of the checkpoint of a fit."""
    return out.with_name(f"{out.name}.state")


def save_checkpoint(path: Path, arrays: dict[str, Any]) -> None:
    """Replace a checkpoint. Raises OSError."""
    with storage.atomic_path(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **arrays)


def read_checkpoint(path: Path, fingerprint: str, parse: Callable[[Mapping[str, NDArray[Any]]], Any]) -> Any:
    """What `parse` makes of a checkpoint; None if there is none or it belongs to another fit.

    Raises InvalidPolicyError for a damaged one.
    """
    if not path.exists():
        return None
    try:
        with storage.open_regular(path) as opened, np.load(opened) as file:
            return parse(dict(file)) if str(file["fingerprint"]) == fingerprint else None
    except Exception as error:  # numpy and zipfile raise what they like for a damaged file
        raise InvalidPolicyError(f"{path}: damaged checkpoint; remove it to start afresh") from error


def same_kind(found: NDArray[Any], like: Any) -> NDArray[Any]:
    """An array of a checkpoint, if it has the shape and type of this one. Raises ValueError."""
    like = np.asarray(like)
    if found.shape != like.shape or found.dtype != like.dtype or not np.isfinite(found).all():
        raise ValueError("of another shape")
    return found
