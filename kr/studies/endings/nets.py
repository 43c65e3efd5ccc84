"""The networks in JAX: their numbers and their logits.

A network is a dictionary of arrays and pure functions of it. Boards are uint32 (n, 3), black, white and kings, with
Black to move; logits (n, 3) are of loss, draw and win for Black.

Choices where the paper leaves it open: kernels are 3x3 with zero padding, 32 channels, a first dense layer
of 128 units; the first convolution is followed by Mish, a block is convolution, batch norm, Mish, convolution, batch
norm, sum with its input, Mish; convolutions before a batch norm have no bias; weights start as those of Haiku, normal
with the deviation 1/sqrt(inputs), cut at two deviations; batch norm uses the batch in training and the running means
(decay .99) elsewhere, with epsilon 1e-5. Convolutions are laid out with channels last: on a processor that is three
times as fast, and it is the same sum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kr.notation import SQUARES
from kr.studies.descent import Arrays
from kr.studies.endings.shape import NetShape

NORM_DECAY = 0.99
NORM_EPSILON = 1e-5
HIDDEN_LIMIT = 127 / 64
"""Largest weight of the second layer: what a byte holds in units of 1/64."""


class Net:
    """A network of some shape."""

    def __init__(self, shape: NetShape) -> None:
        self.shape = shape
        make = {"small": (_small_arrays, _small_logits), "paper": (_paper_arrays, _paper_logits)}
        self._arrays, self._logits = make[shape.net]

    def start(self, seed: int) -> tuple[Arrays, Arrays]:
        """Parameters and state (running means) before any training; the same for the same seed."""
        return self._arrays(self.shape, np.random.default_rng(seed))

    def logits(self, parameters: Arrays, state: Arrays, boards: Any, training: bool) -> tuple[Any, Arrays]:
        """Logits (n, 3) of boards, and the state after them."""
        return self._logits(self.shape, parameters, state, boards, training)

    def limited(self, parameters: Arrays) -> Arrays:
        """Parameters with those cut that the core could not hold."""
        if self.shape.net != "small":
            return parameters
        return {**parameters, "w2": jnp.clip(parameters["w2"], -HIDDEN_LIMIT, HIDDEN_LIMIT)}

    def body(self) -> Callable[[str], bool]:
        """True for the names of the arrays of the body: all but the classifier, which the paper tunes alone."""
        head = ("dense",) if self.shape.net == "paper" else ("w2", "b2", "w3", "b3")
        return lambda name: not name.startswith(head)


# Inputs


def piece_bits(boards: Any) -> Any:
    """Bits (n, 4, 32): own men, opponent's men, own kings, opponent's kings; Black is to move."""
    bits = _bits(boards)
    black, white, kings = bits[:, 0], bits[:, 1], bits[:, 2]
    return jnp.stack([black * (1 - kings), white * (1 - kings), black * kings, white * kings], axis=1)


def _bits(boards: Any) -> Any:
    """Bits (n, k, 32) of bitboards (n, k)."""
    return ((boards[:, :, None] >> jnp.arange(SQUARES, dtype=jnp.uint32)) & 1).astype(jnp.float32)


def threat_bits(boards: Any) -> Any:
    """Bits (n, 2, 32) of own and opponent's pieces that the other side could capture if it were to move."""
    black, white, kings = boards[:, 0], boards[:, 1], boards[:, 2]
    empty = ~(black | white)
    own_threatened, foe_threatened = jnp.zeros_like(black), jnp.zeros_like(black)
    for ahead, back, is_down in (
        (_down_left, _up_right, True), (_down_right, _up_left, True),
        (_up_left, _down_right, False), (_up_right, _down_left, False),
    ):  # fmt: skip
        # Black's men move down, away from its first row
        movers, foes = (black, white & kings) if is_down else (black & kings, white)
        landing = back(empty)
        own_threatened |= ahead(foes) & black & landing
        foe_threatened |= ahead(movers) & white & landing
    return _bits(jnp.stack([own_threatened, foe_threatened], axis=1))


def planes(boards: Any) -> Any:
    """The paper's planes with the channel last (n, 8, 8, 4): black kings, white kings, black men, white men."""
    own_men, foe_men, own_kings, foe_kings = (piece_bits(boards)[:, i] for i in range(4))
    stack = jnp.stack([own_kings, foe_kings, own_men, foe_men], axis=2)
    cells = jnp.pad(stack, ((0, 0), (0, 1), (0, 0)))[:, _CELLS]
    return cells.reshape(-1, 8, 8, 4)


def _down_left(squares: Any) -> Any:
    """Neighbours of squares, 1-4 at the top."""
    return (squares & _EVEN_ROWS) << 4 | (squares & _INNER_OF_ODD) << 3


def _down_right(squares: Any) -> Any:
    return (squares & _ODD_ROWS) << 4 | (squares & _INNER_OF_EVEN) << 5


def _up_left(squares: Any) -> Any:
    return (squares & _EVEN_ROWS) >> 4 | (squares & _INNER_OF_ODD) >> 5


def _up_right(squares: Any) -> Any:
    return (squares & _ODD_ROWS) >> 4 | (squares & _INNER_OF_EVEN) >> 3


def _at(row: int, column: int) -> int:
    """Square of a row and column; SQUARES off the board. Dark squares only."""
    on_board = 0 <= row < 8 and 0 <= column < 8
    return row * 4 + column // 2 if on_board else SQUARES


_EVEN_ROWS, _ODD_ROWS = np.uint32(0x0F0F_0F0F), np.uint32(0xF0F0_F0F0)
_INNER_OF_ODD, _INNER_OF_EVEN = np.uint32(0xE0E0_E0E0), np.uint32(0x0707_0707)
"""Squares with a neighbour to the left in odd rows, to the right in even ones."""
_CELLS = np.array([_at(row, column) if (row + column) % 2 else SQUARES for row in range(8) for column in range(8)])
"""The square of each cell of a plane."""


# The small network


def _small_arrays(shape: NetShape, source: np.random.Generator) -> tuple[Arrays, Arrays]:
    arrays = {name: np.zeros(size, dtype=np.float32) for name, size in shape.parameter_sizes.items()}
    for name, array in arrays.items():
        if name.startswith("w"):
            # few bits of the input are set: about eight
            terms = 8 if name == "w1" else len(array)
            arrays[name] = source.normal(0, np.sqrt(2 / terms), array.shape).astype(np.float32)
    return arrays, {}


def _small_logits(
    shape: NetShape, parameters: Arrays, state: Arrays, boards: Any, training: bool
) -> tuple[Any, Arrays]:
    bits = piece_bits(boards)
    if shape.inputs == "threats":
        bits = jnp.concatenate([bits, threat_bits(boards)], axis=1)
    x = bits.reshape(len(boards), -1)
    for i in (1, 2):
        x = jnp.clip(x @ parameters[f"w{i}"] + parameters[f"b{i}"], 0, 1)
    return x @ parameters["w3"] + parameters["b3"], state


# The paper's network


def _paper_arrays(shape: NetShape, source: np.random.Generator) -> tuple[Arrays, Arrays]:
    def start(name: str, size: tuple[int, ...]) -> Any:
        if name.endswith("_w"):
            return _truncated(source, size)
        return np.full(size, float(name.endswith(("_scale", "_variance"))), dtype=np.float32)

    sizes = (shape.parameter_sizes, shape.state_sizes)
    parameters, state = ({name: start(name, size) for name, size in part.items()} for part in sizes)
    return parameters, state


def _paper_logits(
    shape: NetShape, parameters: Arrays, state: Arrays, boards: Any, training: bool
) -> tuple[Any, Arrays]:
    after: Arrays = {}

    def normed(name: str, x: Any) -> Any:
        x = _convolved(x, parameters[f"{name}_w"])
        mean, variance = state[f"{name}_mean"], state[f"{name}_variance"]
        if training:
            batch_mean, batch_variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
            after[f"{name}_mean"] = NORM_DECAY * mean + (1 - NORM_DECAY) * batch_mean
            after[f"{name}_variance"] = NORM_DECAY * variance + (1 - NORM_DECAY) * batch_variance
            mean, variance = batch_mean, batch_variance
        factor = parameters[f"{name}_scale"] * jax.lax.rsqrt(variance + NORM_EPSILON)
        return (x - mean) * factor + parameters[f"{name}_offset"]

    x = jax.nn.mish(_convolved(planes(boards), parameters["first_w"]) + parameters["first_b"])
    for block in range(shape.blocks):
        inner = jax.nn.mish(normed(f"block{block}a", x))
        x = jax.nn.mish(x + normed(f"block{block}b", inner))
    x = x.reshape(len(boards), -1)
    x = jax.nn.mish(x @ parameters["dense1_w"] + parameters["dense1_b"])
    return x @ parameters["dense2_w"] + parameters["dense2_b"], after if training else state


def _convolved(x: Any, weights: Any) -> Any:
    numbers = ("NHWC", "HWIO", "NHWC")
    return jax.lax.conv_general_dilated(x.astype(weights.dtype), weights, (1, 1), "SAME", dimension_numbers=numbers)


def _truncated(source: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Normal numbers cut at two deviations, of which one is 1/sqrt(inputs)."""
    from scipy.stats import truncnorm

    return (truncnorm.rvs(-2, 2, size=shape, random_state=source) / np.sqrt(np.prod(shape[:-1]))).astype(np.float32)
