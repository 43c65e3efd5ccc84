"""Training of the policy `net`: AdamW with a rate that falls along a cosine, dropout, and inputs hidden at times.

Decisions that somebody made, neither forced nor prescribed, make up the batches. In some of them the moves before are
hidden, in some the player's strength and the year, so that the policy answers well where they are not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import numpy as np
import optax
from numpy.typing import NDArray

from kr.policy.shape import UNKNOWN_SQUARE, PolicyShape, buckets_of
from kr.studies.descent import Arrays, Learner, Point
from kr.studies.people.examples import Examples
from kr.studies.people.nets import choice_logits, choice_losses, start_arrays, validation_point

JUDGED_AT_ONCE = 4096
"""Decisions."""
WARM_STEPS = 200
"""Steps in which the rate rises."""
LEAST_RATE = 0.01
"""Share of the rate at the end."""


@dataclass(frozen=True)
class NetRecipe:
    """Settings of the training of a net."""

    epochs: int
    batch: int
    rate: float
    decay: float
    dropout: float
    hidden_before: float
    """Share of the decisions whose moves before are hidden."""
    hidden_player: float
    """Share of those whose strength is hidden, and of those whose year is."""
    seed: int


class NetLearner(Learner):
    """A net with its examples."""

    def __init__(self, shape: PolicyShape, recipe: NetRecipe, training: Examples, validation: Examples) -> None:
        self.shape, self.recipe, self.training = shape, recipe, training
        self.validation = validation
        self.chosen = np.flatnonzero(training.chosen)
        self.batch = min(recipe.batch, len(self.chosen))
        self.epochs = recipe.epochs
        self.batches = len(self.chosen) // self.batch
        # a multiple of 4, so that few sizes are compiled
        most = max(int(examples.counts.max()) for examples in (training, validation))
        self.width = -(-most // 4) * 4

    def start(self) -> tuple[Arrays, Arrays]:
        return start_arrays(self.shape, self.recipe.seed), {}

    def optimiser(self) -> Any:
        return optax.adamw(1.0, weight_decay=self.recipe.decay)

    def rates(self, steps: NDArray[np.int32], losses: Sequence[float]) -> NDArray[np.float32]:
        return np.array([self._rate(step) for step in steps.tolist()], dtype=np.float32)

    def _rate(self, step: int) -> float:
        """A short rise, then half a cosine."""
        steps = self.epochs * self.batches
        warm = min(WARM_STEPS, steps // 10)
        if step < warm:
            return self.recipe.rate * (step + 1) / warm
        share = (step - warm) / max(1, steps - warm)
        return self.recipe.rate * (LEAST_RATE + (1 - LEAST_RATE) * (1 + float(np.cos(np.pi * share))) / 2)

    def loss(self, parameters: Any, state: Any, batch: Any, key: Any) -> tuple[Any, Any]:
        logits = choice_logits(self.shape, parameters, batch, self.recipe.dropout, key)
        return choice_losses(logits, batch).mean(), state

    def epoch(self, number: int, first: int) -> Iterator[dict[str, NDArray[Any]]]:
        """The batches of an epoch; the last decisions of its order, too few for a batch, are left out."""
        recipe = self.recipe
        order = np.random.default_rng([recipe.seed, number]).permutation(self.chosen)
        for i in range(first, self.batches):
            batch = self.training.padded(order[i * self.batch : (i + 1) * self.batch], self.width)
            chance = np.random.default_rng([recipe.seed, number, i]).random((3, self.batch))
            batch["before"] = np.where(
                chance[0, :, None] < recipe.hidden_before, np.uint8(UNKNOWN_SQUARE), batch["before"]
            )
            for row, name, edges in ((1, "strength", self.shape.strengths), (2, "year", self.shape.years)):
                unknown = np.uint8(max(0, buckets_of(edges) - 1))
                batch[name] = np.where(chance[row] < recipe.hidden_player, unknown, batch[name])
            yield batch

    def judge(self, parameters: Arrays, state: Arrays) -> Point:
        """Cross entropy and top-1 and -3 on the validation decisions that somebody made."""
        rows = np.flatnonzero(self.validation.chosen)
        padded, width = self.validation.padded, self.width
        return validation_point(
            len(rows), JUDGED_AT_ONCE, lambda part: self._scores(parameters, padded(rows[part], width))
        )

    @cached_property
    def _scores(self) -> Any:
        def scores(parameters: Any, batch: Any) -> Any:
            logits = choice_logits(self.shape, parameters, batch, 0, None)
            losses = choice_losses(logits, batch)
            own = jax.numpy.take_along_axis(logits, batch["played"][:, None], axis=1)
            return losses, (logits > own).sum(axis=1)

        return jax.jit(scores)
