"""Training of the post's network: Adam at a rate that falls after each epoch, by little if the validation loss fell, by
more if not, and a penalty on the squares of the weights, as published.

Every leap of a capture is a sample, forced moves are samples too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from kr.policy.shape import PolicyShape
from kr.studies.descent import Arrays, Learner, Point
from kr.studies.people.leaps import LeapRows
from kr.studies.people.nets import validation_point
from kr.studies.people.post_net import LEAPS_AT_ONCE, post_logits, post_start

BETTER, WORSE = 0.99, 0.9
"""Factors of the rate after an epoch with a lower validation loss than all before, and with another one."""


@dataclass(frozen=True)
class PostRecipe:
    """Settings of the training of the post's network."""

    epochs: int
    batch: int
    rate: float
    decay: float
    """Half of it times the sum of squares of the weights is added to the loss."""
    dropout: float
    seed: int


class PostLearner(Learner):
    """The post's network with its leaps."""

    scanned = 1

    def __init__(self, shape: PolicyShape, recipe: PostRecipe, training: LeapRows, validation: LeapRows) -> None:
        self.shape, self.recipe, self.training, self.validation = shape, recipe, training, validation
        self.batch = min(recipe.batch, len(training))
        self.epochs = recipe.epochs
        self.batches = len(training) // self.batch

    def start(self) -> tuple[Arrays, Arrays]:
        return post_start(self.shape, self.recipe.seed), {}

    def optimiser(self) -> Any:
        return optax.adam(1.0)

    def rates(self, steps: NDArray[np.int32], losses: Sequence[float]) -> NDArray[np.float32]:
        """One rate for all steps of an epoch, by the validation losses before it."""
        rate = self.recipe.rate
        lowest = float("inf")
        for loss in losses:
            rate *= BETTER if loss < lowest else WORSE
            lowest = min(lowest, loss)
        return np.full(len(steps), rate, dtype=np.float32)

    def loss(self, parameters: Any, state: Any, batch: Any, key: Any) -> tuple[Any, Any]:
        """Mean cross entropy of the leaps that were made, with the penalty."""
        logits = post_logits(self.shape, parameters, batch["boards"], self.recipe.dropout, key)
        entropy = optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"].astype(jnp.int32)).mean()
        squares = sum((array**2).sum() for name, array in parameters.items() if name.endswith("_w"))
        return entropy + self.recipe.decay / 2 * squares, state

    def epoch(self, number: int, first: int) -> Iterator[dict[str, NDArray[Any]]]:
        """The batches of an epoch; the last leaps of its order, too few for a batch, are left out."""
        order = np.random.default_rng([self.recipe.seed, number]).permutation(len(self.training))
        ends = range(first * self.batch, (self.batches + 1) * self.batch, self.batch)
        for start, end in pairwise(ends):
            rows = order[start:end]
            yield {"boards": self.training.boards[rows], "label": self.training.label[rows]}

    def judge(self, parameters: Arrays, state: Arrays) -> Point:
        """Cross entropy and top-1 and -3 of validation leaps, illegal ones in the way."""
        leaps = self.validation
        return validation_point(
            len(leaps), LEAPS_AT_ONCE, lambda part: self._scores(parameters, leaps.boards[part], leaps.label[part])
        )

    @cached_property
    def _scores(self) -> Any:
        def scores(parameters: Any, boards: Any, label: Any) -> Any:
            logits = post_logits(self.shape, parameters, boards, 0, None)
            wide = label.astype(jnp.int32)
            mine = jnp.take_along_axis(logits, wide[:, None], axis=1)
            return optax.softmax_cross_entropy_with_integer_labels(logits, wide), (logits > mine).sum(axis=1)

        return jax.jit(scores)
