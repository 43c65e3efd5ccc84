"""The policy `net` in JAX, as it is trained: the network of kr.policy.shape, with dropout after the first layer.

A batch is a dictionary of arrays as `Examples.padded` makes them; choices beyond a decision's own have no probability.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from kr.policy.shape import PolicyShape, buckets_of
from kr.studies.descent import Arrays, Point

SET_INPUTS = 30
"""About as many inputs of a position are set."""
HEAD_SCALE = 0.1
"""Deviation of the first rows of the choices, as a share of the usual one."""
IMPOSSIBLE = -1e9


def start_arrays(shape: PolicyShape, seed: int) -> dict[str, Any]:
    """Weights before any training, by the seed."""
    source = np.random.default_rng(seed)
    arrays = {}
    for name, (_, size) in shape.array_sizes.items():
        terms = {"w1": SET_INPUTS, "w2": size[0]}.get(name, size[-1])
        scale = np.sqrt(2 / terms) * (1 if name in ("w1", "w2") else HEAD_SCALE)
        numbers = source.normal(0, scale, size) if len(size) == 2 else np.zeros(size)
        arrays[name] = numbers.astype(np.float32)
    return arrays


def choice_logits(shape: PolicyShape, arrays: Arrays, batch: Arrays, dropout: float, key: Any) -> Any:
    """Logits (n, width) of the choices of a batch. key: of this batch's dropout, None to predict without it."""
    hidden = jax.nn.relu(net_inputs(shape, batch) @ arrays["w1"] + arrays["b1"])
    if key is not None and dropout:
        hidden = hidden * jax.random.bernoulli(key, 1 - dropout, hidden.shape) / (1 - dropout)
    hidden = jax.nn.relu(hidden @ arrays["w2"] + arrays["b2"])
    groups = ("move", "target", "behind") if shape.plies >= 0 else ("move", "target")
    logits: Any = 0
    for name in groups:
        rows = hidden @ arrays[name].T + arrays[f"{name}_b"]
        logits = logits + jnp.take_along_axis(rows, batch[name].astype(jnp.int32), axis=1)
    width = batch["move"].shape[1]
    return jnp.where(jnp.arange(width) < batch["counts"][:, None], logits, IMPOSSIBLE)


def choice_losses(logits: Any, batch: Arrays) -> Any:
    """Cross entropy (n,) of the moves played, nats."""
    own = jnp.take_along_axis(logits, batch["played"][:, None], axis=1)[:, 0]
    return jax.nn.logsumexp(logits, axis=1) - own


def validation_point(count: int, at_once: int, scores: Callable[[NDArray[np.int64]], tuple[Any, Any]]) -> Point:
    """Cross entropy and top-1 and -3 of decisions by the losses and ranks that `scores` gives for some of them."""
    losses, ranks = np.empty(count), np.empty(count, dtype=np.int64)
    for start in range(0, count, at_once):
        part = np.arange(start, min(start + at_once, count))
        # the last ones are filled up, so that one size is compiled
        loss, rank = scores(np.resize(part, at_once))
        losses[part], ranks[part] = loss[: len(part)], rank[: len(part)]
    return {
        "validation_loss": float(losses.mean()),
        "top1": float((ranks == 0).mean()),
        "top3": float((ranks < 3).mean()),
    }


def net_inputs(shape: PolicyShape, batch: Arrays) -> Any:
    """Inputs (n, shape.inputs) of a batch, 0 or 1."""
    boards = batch["boards"]
    squares = (boards[:, :, None] >> jnp.arange(32, dtype=jnp.uint32)) & 1
    parts = [squares.reshape(len(boards), -1)]
    if shape.before:
        parts.append(jax.nn.one_hot(batch["before"], 33, dtype=jnp.uint32).reshape(len(boards), -1))
    if shape.best:
        parts.append(jnp.arange(len(shape.best)) < batch["best"][:, None])
    for edges, buckets in ((shape.strengths, batch["strength"]), (shape.years, batch["year"])):
        if edges:
            parts.append(jax.nn.one_hot(buckets, buckets_of(edges), dtype=jnp.uint32))
    return jnp.concatenate([part.astype(jnp.float32) for part in parts], axis=1)
