"""The post's network, trained: Adam at a rate that falls after each epoch, by little if the validation got better, by
more if not, and a penalty on the squares of the weights, as published.

Every leap of a capture is a sample, forced moves are samples too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
from kr.studies.people.leaps import LeapRows
from kr.studies.people.post_net import LEAPS_AT_ONCE, post_logits, post_start

BETTER, WORSE = 0.99, 0.9
"""Factors of the rate after an epoch with a lower validation loss than all before, and with another one."""


@dataclass(frozen=True)
class PostRecipe:
    """How the post's network is trained."""

    epochs: int
    batch: int
    rate: float
    decay: float
    """Half of it times the sum of squares of the weights is added to the loss."""
    dropout: float
    seed: int


class PostLearner:
    """The post's network with its leaps: a `Learner`. A round is an epoch."""

    scanned = 1

    def __init__(self, shape: PolicyShape, recipe: PostRecipe, training: LeapRows, validation: LeapRows) -> None:
        self.shape, self.recipe, self.training, self.judged = shape, recipe, training, validation
        self.batch = min(recipe.batch, len(training))
        self.rounds = recipe.epochs
        self.batches = len(training) // self.batch

    def start(self) -> dict[str, NDArray[np.float32]]:
        """Numbers before any training."""
        return post_start(self.shape, self.recipe.seed)

    def optimiser(self) -> Any:
        """Adam."""
        return optax.adam(1.0)

    def rate(self, step: int, losses: list[float]) -> float:
        """The rate after these validation losses."""
        rate = self.recipe.rate
        lowest = float("inf")
        for loss in losses:
            rate *= BETTER if loss < lowest else WORSE
            lowest = min(lowest, loss)
        return rate

    def loss(self, arrays: Any, batch: Any, key: Any) -> Any:
        """Mean cross entropy of the leaps that were made, and the penalty."""
        logits = post_logits(self.shape, arrays, batch["boards"], self.recipe.dropout, key)
        told = optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"].astype(jnp.int32)).mean()
        squares = sum((array**2).sum() for name, array in arrays.items() if name.endswith("_w"))
        return told + self.recipe.decay / 2 * squares

    def round(self, number: int, first: int) -> Iterator[dict[str, NDArray[Any]]]:
        """The batches of an epoch; the last leaps of its order, too few for a batch, are left out."""
        order = np.random.default_rng([self.recipe.seed, number]).permutation(len(self.training))
        ends = range(first * self.batch, (self.batches + 1) * self.batch, self.batch)
        for start, end in pairwise(ends):
            rows = order[start:end]
            yield {"boards": self.training.boards[rows], "label": self.training.label[rows]}

    def judge(self, arrays: Mapping[str, NDArray[np.float32]]) -> dict[str, float]:
        """Cross entropy and top-1 and -3 of validation leaps, illegal ones in the way."""
        judged = self.judged
        losses, ranks = np.empty(len(judged)), np.empty(len(judged), dtype=np.int64)
        for start in range(0, len(judged), LEAPS_AT_ONCE):
            boards, label = judged.boards[start : start + LEAPS_AT_ONCE], judged.label[start : start + LEAPS_AT_ONCE]
            loss, rank = self._judged(arrays, np.resize(boards, (LEAPS_AT_ONCE, 4)), np.resize(label, LEAPS_AT_ONCE))
            losses[start : start + len(label)] = loss[: len(label)]
            ranks[start : start + len(label)] = rank[: len(label)]
        return {
            "validation_loss": float(losses.mean()),
            "top1": float((ranks == 0).mean()),
            "top3": float((ranks < 3).mean()),
        }

    @cached_property
    def _judged(self) -> Any:
        def ask(arrays: Any, boards: Any, label: Any) -> Any:
            logits = post_logits(self.shape, arrays, boards, 0, None)
            wide = label.astype(jnp.int32)
            mine = jnp.take_along_axis(logits, wide[:, None], axis=1)
            return optax.softmax_cross_entropy_with_integer_labels(logits, wide), (logits > mine).sum(axis=1)

        return jax.jit(ask)
