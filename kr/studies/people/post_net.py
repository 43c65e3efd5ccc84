"""The post's network in JAX: "Deep reinforcement learning for checkers: pretraining a policy" (Larson, 2016).

As published (the code goes beyond the post, and is followed): the board as 8 x 4 numbers, own man 1, own king 3, the
opponent's -1 and -3, the mover below; four layers of convolutions with kernels of 1, 2, 3 and 4 squares side by side,
24 maps each, tanh; dropout; flattened, three highway layers with ReLU, whose gates begin at a bias of -2 that is not
learned; dropout; joined with the flattened convolutions; 128 outputs, origin and direction of a leap, illegal ones
included. Xavier's weights.

Changed: highway layers of `hidden[1]` units instead of 3,072, which a dense layer with ReLU leads to; at 3,072 there is
no such layer, and it is the published network. The biases start at 0, not at random.

The probability of a whole move is the product of those of its leaps, with illegal ones left out.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr.errors import InvalidPolicyError
from kr.notation import SQUARES
from kr.policy.model_file import PolicyModel
from kr.policy.policy import PolicyRows
from kr.policy.shape import MOVES, PolicyShape
from kr.studies.descent import Arrays, check_jax
from kr.studies.people.leaps import LeapRows, LeapTree, tops

PUBLISHED_BATCHES = 150_000
KERNELS = (1, 2, 3, 4)
CONVOLUTIONS = 4
HIGHWAYS = 3
GATE_BIAS = -2.0
LEAPS_AT_ONCE = 1024
LEAP_TOPS = (1, 2, 3, 5, 10)


def post_sizes(shape: PolicyShape) -> dict[str, tuple[int, ...]]:
    """Size of each array, by name. `shape.hidden` are the maps of a kernel and the units of a highway layer."""
    maps, units = shape.hidden
    flat = SQUARES * maps * len(KERNELS)
    sizes: dict[str, tuple[int, ...]] = {}
    for layer in range(CONVOLUTIONS):
        inputs = maps * len(KERNELS) if layer else 1
        for kernel in KERNELS:
            sizes |= {f"conv{layer}_{kernel}_w": (kernel, kernel, inputs, maps), f"conv{layer}_{kernel}_b": (maps,)}
    if units != flat:
        sizes |= {"narrow_w": (flat, units), "narrow_b": (units,)}
    for layer in range(HIGHWAYS):
        sizes |= {
            f"highway{layer}_w": (units, units), f"highway{layer}_b": (units,), f"gate{layer}_w": (units, units),
        }  # fmt: skip
    return {**sizes, "out_w": (units + flat, MOVES), "out_b": (MOVES,)}


def post_changes(shape: PolicyShape, batches: int, batch: int, split: str) -> list[str]:
    """Differences from the published network, in words. batches: trained on; batch: leaps of each."""
    maps, units = shape.hidden
    flat = SQUARES * maps * len(KERNELS)
    changes = [
        f"{batches:,} batches of {batch} leaps instead of {PUBLISHED_BATCHES:,} of 128",
        f"a split by {split}, .92 to train on, .03 to validate with, .05 to test on, instead of .85, .10, .05 by leap",
        "the rate falls with the validation loss instead of the validation accuracy",
        "biases begin at 0 instead of at random",
    ]
    if units != flat:
        changes.insert(0, f"highway layers of {units:,} units behind a dense layer instead of {flat:,}")
    if maps != 24:
        changes.insert(0, f"{maps} maps of each kernel instead of 24")
    return changes


def post_start(shape: PolicyShape, seed: int) -> dict[str, NDArray[np.float32]]:
    """Weights before any training, by the seed."""
    source = np.random.default_rng(seed)
    arrays = {}
    for name, size in post_sizes(shape).items():
        area = int(np.prod(size[:-2]))
        most = np.sqrt(6 / (area * sum(size[-2:]))) if name.endswith("_w") else 0.0
        arrays[name] = source.uniform(-most, most, size).astype(np.float32)
    return arrays


def post_logits(shape: PolicyShape, arrays: Arrays, boards: Any, dropout: float, key: Any) -> Any:
    """Logits (n, 128) of boards uint32 (n, 4). key: of this batch's dropout, None to predict without it."""
    import jax
    import jax.numpy as jnp

    def thinned(values: Any, part: int) -> Any:
        if key is None or not dropout:
            return values
        mask = jax.random.bernoulli(jax.random.fold_in(key, part), 1 - dropout, values.shape)
        return values * mask / (1 - dropout)

    bits = ((boards[:, :, None] >> jnp.arange(SQUARES, dtype=jnp.uint32)) & 1).astype(jnp.float32)
    values = bits[:, 0] - bits[:, 1] + 3 * (bits[:, 2] - bits[:, 3])
    # the mover below
    x = values[:, ::-1].reshape(-1, 8, 4, 1)
    for layer in range(CONVOLUTIONS):
        maps = [
            jax.lax.conv_general_dilated(
                x, arrays[f"conv{layer}_{kernel}_w"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )
            + arrays[f"conv{layer}_{kernel}_b"]
            for kernel in KERNELS
        ]
        x = jnp.tanh(jnp.concatenate(maps, axis=3))
    flat = thinned(x, 0).reshape(len(boards), -1)
    x = flat
    if "narrow_w" in arrays:
        x = jax.nn.relu(x @ arrays["narrow_w"] + arrays["narrow_b"])
    for layer in range(HIGHWAYS):
        gate = jax.nn.sigmoid(x @ arrays[f"gate{layer}_w"] + GATE_BIAS)
        x = gate * jax.nn.relu(x @ arrays[f"highway{layer}_w"] + arrays[f"highway{layer}_b"]) + (1 - gate) * x
    return jnp.concatenate([thinned(x, 1), flat], axis=1) @ arrays["out_w"] + arrays["out_b"]


class PostPolicy:
    """The post's network, with the methods of a policy; needs JAX. Raises InvalidPolicyError for another model,
    InvalidSettingError without JAX.
    """

    def __init__(self, model: PolicyModel) -> None:
        place = f"{model.path}: " if model.path else ""
        if model.shape.model != "post":
            raise InvalidPolicyError(f"{place}a {model.shape.model}; expected the post's network")
        if {name: array.shape for name, array in model.arrays.items()} != post_sizes(model.shape):
            raise InvalidPolicyError(f"{place}the arrays are not those of the post's network {model.shape.hidden}")
        check_jax()
        self.model, self.shape, self.signature = model, model.shape, model.checksum

    @property
    def name(self) -> str:
        """Name of its file, or of its model."""
        return self.model.path.stem if self.model.path else self.shape.model

    @property
    def card(self) -> dict[str, Any]:
        """Data, splits and scores of its fit."""
        return dict(self.model.card)

    def logits(self, boards: NDArray[np.uint32]) -> NDArray[np.float32]:
        """Logits (n, 128) of leaps, illegal ones included."""
        logits = np.empty((len(boards), MOVES), dtype=np.float32)
        for start in range(0, len(boards), LEAPS_AT_ONCE):
            part = boards[start : start + LEAPS_AT_ONCE]
            # the last ones are filled up, so that one size is compiled
            whole = np.resize(part, (LEAPS_AT_ONCE, 4))
            logits[start : start + len(part)] = self._ask(dict(self.model.arrays), whole)[: len(part)]
        return logits

    def predict(
        self,
        boards: NDArray[np.uint32],
        before: NDArray[np.uint8] | None = None,
        strength: NDArray[np.float32] | None = None,
        year: NDArray[np.float32] | None = None,
    ) -> PolicyRows:
        """The choices of positions with their probabilities, as of `Policy.predict`; its input is the board alone."""
        tree = LeapTree(np.ascontiguousarray(boards, dtype=np.uint32))
        return PolicyRows(
            tree.first, tree.origin, tree.target, tree.captured, tree.of_choices(self.logits(tree.boards))
        )

    def leap_scores(self, leaps: LeapRows) -> dict[str, Any]:
        """Shares of leaps among its first ones, with illegal ones in the way and without, the share of first ones that
        are illegal, and of whole moves whose leaps are all its first ones with illegal ones in the way."""
        logits = self.logits(leaps.boards)
        allowed = legal_leaps(leaps)
        mine = np.take_along_axis(logits, leaps.label[:, None].astype(np.int64), axis=1)
        better = logits > mine
        first = logits.argmax(axis=1)
        return {
            "leaps": len(leaps),
            "top_raw": tops(better.sum(axis=1), LEAP_TOPS),
            "top_masked": tops((better & allowed).sum(axis=1), LEAP_TOPS),
            "moves_raw": float(np.logical_and.reduceat(first == leaps.label, leaps.first[:-1]).mean()),
            "illegal": float((~allowed[np.arange(len(first)), first]).mean()),
        }

    @cached_property
    def _ask(self) -> Any:
        import jax

        return jax.jit(lambda arrays, boards: post_logits(self.shape, arrays, boards, 0, None))


def legal_leaps(leaps: LeapRows) -> NDArray[np.bool_]:
    """(k, 128) True for the legal leaps on the boards of some; within a capture too, any piece's."""
    tree = LeapTree(np.ascontiguousarray(leaps.boards))
    return tree.legal[tree.roots]
