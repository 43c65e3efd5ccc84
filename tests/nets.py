"""Networks of random weights, and random endings to ask them about."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kr import _core
from kr.evaluation import endnet

Layers = list[tuple[NDArray[np.float32], NDArray[np.float32]]]
ATTRS = {"pieces_low": 2, "pieces_high": 7}


def random_layers(units: int = 64, hidden: int = 16, seed: int = 1, size: float = 1.0) -> Layers:
    """Layers as a fit would begin with, times `size`; biases that make all three results likely."""
    chance = np.random.default_rng(seed)
    made = []
    for rows, columns, terms in ((128, units, 8), (units, hidden, units), (hidden, 3, hidden)):
        weights = chance.normal(0, size * (2 / terms) ** 0.5, (rows, columns)).astype(np.float32)
        made.append((weights, chance.normal(0, 0.3, columns).astype(np.float32)))
    return made


def random_net(seed: int = 1, **attrs: float) -> endnet.Endnet:
    return endnet.Endnet(endnet.quantized(random_layers(seed=seed)), {**ATTRS, **attrs})


def save_random_net(path: Path, seed: int = 1, **attrs: float) -> str:
    """Write a weights file; returns its checksum."""
    return endnet.save_endnet(path, endnet.quantized(random_layers(seed=seed)), {**ATTRS, **attrs})


def random_endings(count: int, most: int = 7, seed: int = 3) -> NDArray[np.uint32]:
    """Boards (count, 3) of 2 to `most` pieces of both sides, Black to move, nothing to capture."""
    chance = np.random.default_rng(seed)
    boards = np.zeros((3 * count, 3), dtype=np.uint32)
    squares = np.argsort(chance.random((len(boards), 32)), axis=1)[:, :most]
    pieces = chance.integers(2, most + 1, len(boards))
    for number in range(most):
        bits = np.uint32(1) << squares[:, number].astype(np.uint32)
        side = number % 2
        crowned = (bits & (0xF0000000, 0xF)[side]) != 0
        there = number < pieces
        boards[:, side] |= np.where(there, bits, 0).astype(np.uint32)
        boards[:, 2] |= np.where(there & (crowned | (chance.random(len(boards)) < 0.5)), bits, 0).astype(np.uint32)
    return np.ascontiguousarray(boards[~_core.pending_captures(boards)][:count])


def float_chances(layers: Layers, boards: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Probabilities (n, 3) by the floats of the layers."""
    bits = ((boards[:, :, None] >> np.arange(32, dtype=np.uint32)) & 1).astype(float)
    own, foe, kings = bits[:, 0], bits[:, 1], bits[:, 2]
    found = np.concatenate([own * (1 - kings), foe * (1 - kings), own * kings, foe * kings], axis=1)
    for number, (weights, biases) in enumerate(layers):
        found = found @ weights.astype(float) + biases
        if number < 2:
            found = found.clip(0, 1)
    powers = np.exp(found - found.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
