"""Gradient-boosted trees as a rival of networks: LightGBM on the bits of a position and counts.

One thread and a fixed seed make the same trees of the same positions. Their size is that of the parts of an answer: for
each inner node a feature and a threshold in a byte each and two children in two bytes each, for each leaf its value in
four.

Nearest neighbours are left out. Measured once: among 660,000 quiet positions of 2 to 6 pieces, the 15 that differ in
the fewest bits are right about 78% (±5) of quiet ones, take 5 ms a question, and need 10 MB.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import _core
from kr.egdb.sample_reader import SampleRows
from kr.errors import InvalidSettingError
from kr.notation import SQUARES

NODE_BYTES = 10
"""Bytes of an inner node with a leaf."""
CLASS_COUNT = 3
PREDICTED_ROWS = 1 << 14
"""Positions whose features are in memory at once."""


@dataclass(frozen=True)
class TreeSettings:
    """Sizes of the trees."""

    budget: int = 1_000_000
    """Bytes that they should have at most, not compressed."""
    leaves: int = 255
    """Leaves of a tree."""
    rate: float = 0.15
    """Learning rate."""
    seed: int = 1

    @property
    def rounds(self) -> int:
        """Rounds of boosting, in each of which every class gets a tree."""
        return max(1, self.budget // (CLASS_COUNT * self.leaves * NODE_BYTES))


def check_lightgbm() -> None:
    """Raise InvalidSettingError if LightGBM is missing."""
    try:
        import lightgbm  # noqa: F401
    except (ImportError, OSError) as error:
        raise InvalidSettingError(f"boosted trees need LightGBM: pip install lightgbm ({error})") from error


def tree_features(boards: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Features (n, 136) of boards (n, 3), Black to move.

    A bit for own men, opponent's men, own kings and opponent's kings on each square; the number of each; rows that the
    men of either side have gone; moves of either side if it were to move.
    """
    black, white, kings = np.ascontiguousarray(boards, dtype=np.uint32).T
    kinds = np.stack([black & ~kings, white & ~kings, black & kings, white & kings], axis=1)
    bits = (kinds[:, :, None] >> np.arange(SQUARES, dtype=np.uint32) & 1).astype(np.uint8)
    counts = bits.sum(axis=2, dtype=np.uint8)
    rows = np.arange(SQUARES, dtype=np.uint8) // 4
    advances = np.stack([bits[:, 0] @ rows, bits[:, 1] @ (7 - rows)], axis=1)
    turned = np.stack([_turned(white), _turned(black), _turned(kings)], axis=1)
    moves = [np.diff(_core.successors(np.ascontiguousarray(each))[1]) for each in (boards, turned)]
    few = np.minimum(np.stack(moves, axis=1), 255).astype(np.uint8)
    return np.concatenate([bits.reshape(len(boards), -1), counts, advances.astype(np.uint8), few], axis=1)


def _turned(bits: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Bitboards turned round: square s becomes 31 - s."""
    pairs = ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF), (16, 0x0000FFFF))
    for shift, mask in pairs:
        bits = (bits >> np.uint32(shift) & np.uint32(mask)) | ((bits & np.uint32(mask)) << np.uint32(shift))
    return bits


@dataclass(frozen=True, eq=False)
class TreeRival:
    """Fitted trees."""

    booster: Any

    @cached_property
    def stored(self) -> bytes:
        """The parts that an answer needs, as bytes."""
        types = {"split_feature": "u1", "left_child": "<i2", "right_child": "<i2", "leaf_value": "<f4"}
        columns: dict[str, list[bytes]] = {name: [] for name in (*types, "threshold")}
        for line in self.booster.model_to_string(num_iteration=-1).splitlines():
            name, _, numbers = line.partition("=")
            if name in types:
                columns[name].append(np.array(numbers.split(), dtype=float).astype(types[name]).tobytes())
            elif name == "threshold":
                # features are whole numbers
                columns[name].append(np.floor(np.array(numbers.split(), dtype=float)).astype("u1").tobytes())
        return b"".join(part for parts in columns.values() for part in parts)

    @property
    def dense_bytes(self) -> int:
        """Bytes of the trees."""
        return len(self.stored)

    @property
    def packed_bytes(self) -> int:
        """Bytes of the trees, compressed."""
        return len(zlib.compress(self.stored, 9))

    def predict(self, boards: NDArray[np.uint32]) -> NDArray[np.float32]:
        """Probabilities (n, 3) of loss, draw and win. boards: (n, 3) black, white, kings, Black to move."""
        probabilities = np.empty((len(boards), CLASS_COUNT), dtype=np.float32)
        for first in range(0, len(boards), PREDICTED_ROWS):
            part = boards[first : first + PREDICTED_ROWS]
            probabilities[first : first + len(part)] = self.booster.predict(tree_features(part), num_threads=1)
        return probabilities


def fit_trees(
    rows: SampleRows, settings: TreeSettings, on_progress: Callable[[int, int], None] | None = None
) -> TreeRival:
    """Fit trees to positions, Black to move.

    on_progress: called with rounds done and in all. Raises InvalidSettingError without LightGBM or positions.
    """
    check_lightgbm()
    if not len(rows):
        raise InvalidSettingError("no positions to fit trees to")
    import lightgbm

    def report(state: Any) -> None:
        if on_progress:
            on_progress(state.iteration + 1, settings.rounds)

    parameters = {
        "objective": "multiclass", "num_class": CLASS_COUNT, "num_leaves": settings.leaves,
        "learning_rate": settings.rate, "seed": settings.seed, "num_threads": 1, "deterministic": True,
        "force_col_wise": True, "min_data_in_leaf": 20, "max_bin": 63, "verbosity": -1,
    }  # fmt: skip
    data = lightgbm.Dataset(tree_features(rows.boards), rows.values.astype(np.int32), params=parameters)
    return TreeRival(lightgbm.train(parameters, data, settings.rounds, callbacks=[report]))
