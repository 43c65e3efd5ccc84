"""Random endings to ask networks about."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kr import _core


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
