"""Choice of an exact number of positions, from all alike or equally from strata.

Positions are drawn with a probability that gives slightly more than are wanted, and those with the lowest keys stay.
A key is a hash of the position's hash, so that it is independent of share and order. The number of positions to choose
from is known only if none are left out: otherwise it is estimated from a draw, and another draw follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kr.egdb import slices
from kr.egdb.database import VALUES
from kr.egdb.slices import Shape
from kr.errors import InvalidSettingError

STRATIFIED = ("none", "pieces", "slice", "value")
"""Strata of equal size: none, numbers of pieces, slices, or values."""
KEYS = 2**64
DEVIATIONS = 6
"""Standard deviations by which more positions are drawn than are wanted."""
SOME = 10
"""Additional positions, which matter if there are few."""
MOST_DRAWS = 20


class Drawn(NamedTuple):
    """Positions drawn from a slice, Black to move."""

    boards: NDArray[np.uint32]
    """(n, 3): black, white, kings."""
    values: NDArray[np.uint8]
    """(n,): 0 loss, 1 draw, 2 win."""
    hashes: NDArray[np.uint64]
    """(n,): of seed and position; they give share and order."""
    distances: NDArray[np.int16] | None = None
    """(n,): plies, -1 for a draw."""

    def chosen(self, which: Any) -> Drawn:
        """Some of the positions. which: an index of numpy."""
        distances = None if self.distances is None else self.distances[which]
        return Drawn(self.boards[which], self.values[which], self.hashes[which], distances)

    @staticmethod
    def joined(parts: Sequence[Drawn]) -> Drawn:
        """The positions of all parts, all with distances or all without."""
        boards, values, hashes, distances = zip(*parts, strict=True)
        return Drawn(
            np.concatenate(boards),
            np.concatenate(values),
            np.concatenate(hashes),
            None if distances[0] is None else np.concatenate(distances),
        )


Draw = Callable[[Mapping[Shape, float]], Iterator[tuple[Shape, Drawn]]]
"""Draws positions of each slice with a probability."""


@dataclass(frozen=True)
class Strata:
    """Sets of positions from which equally many are chosen."""

    shapes: Sequence[Shape]
    by: str
    """One of STRATIFIED."""

    @property
    def names(self) -> list[str]:
        """Name of each stratum."""
        if self.by == "value":
            return [str(value) for value in VALUES]
        if self.by == "none":
            return ["all"]
        return list(dict.fromkeys(map(self._name, self.shapes)))

    def number(self, shape: Shape, values: NDArray[np.uint8]) -> NDArray[np.intp]:
        """Stratum (n,) of each position of a slice."""
        if self.by == "value":
            return values.astype(np.intp)
        number = 0 if self.by == "none" else self.names.index(self._name(shape))
        return np.full(len(values), number, dtype=np.intp)

    def sizes(self) -> NDArray[np.float64]:
        """Positions (strata,) of each, an upper bound where it isn't known."""
        sizes = np.zeros(len(self.names))
        for shape in self.shapes:
            which = slice(None) if self.by in ("value", "none") else self.names.index(self._name(shape))
            sizes[which] += slices.size(shape)
        return sizes

    def fractions(self, each: NDArray[np.float64]) -> dict[Shape, float]:
        """Probability of drawing, by slice, from that of each stratum."""
        if self.by in ("value", "none"):
            return dict.fromkeys(self.shapes, float(each.max()))
        return {shape: float(each[self.names.index(self._name(shape))]) for shape in self.shapes}

    def _name(self, shape: Shape) -> str:
        return f"{slices.pieces(shape)} pieces" if self.by == "pieces" else slices.name(shape)


@dataclass(frozen=True)
class SampleChoice:
    """Probabilities of drawing, and the filter of the drawn positions."""

    fractions: Mapping[Shape, float]
    """Probability of drawing a position, by slice."""
    strata: Strata | None = None
    bounds: NDArray[np.uint64] | None = None
    """Key (strata,) below which positions stay; None for all."""

    def filtered(self, shape: Shape, drawn: Drawn) -> Drawn:
        """The positions that stay of those drawn from a slice."""
        if self.strata is None or self.bounds is None:
            return drawn
        # a value that a damaged file has lost is reported later
        valid = drawn.values < len(VALUES) if self.strata.by == "value" else np.ones(len(drawn.values), dtype=np.bool_)
        number = self.strata.number(shape, np.where(valid, drawn.values, 0))
        return drawn.chosen(valid & (_keys(drawn.hashes) < self.bounds[number]))


def choose_sample(count: int, strata: Strata, filtered: bool, draw: Draw) -> SampleChoice:
    """Choose `count` positions, equally from the strata as far as they have enough.

    filtered: draws leave some positions out. Raises InvalidSettingError if there are fewer.
    """
    sizes = strata.sizes()
    certain = np.full(len(sizes), not filtered and strata.by != "value")
    # relative error of the sizes
    doubt = np.zeros(len(sizes))
    for _ in range(MOST_DRAWS):
        if certain.all() and sizes.sum() < count:
            raise InvalidSettingError(f"count: {count} is out of range; there are {int(sizes.sum())} such positions")
        quotas = shared_out(count, sizes)
        spread = DEVIATIONS * (np.sqrt(quotas) + doubt * quotas) + SOME
        each = np.minimum(1.0, (quotas + spread) / np.maximum(sizes, 1))
        fractions = strata.fractions(each)
        if strata.by == "value":
            each[:] = each.max()
        expected = np.maximum(each * sizes, 1)
        tally = _Tally(strata, (quotas - spread) / expected, (quotas + spread) / expected)
        for shape, drawn in draw(fractions):
            tally.add(shape, drawn)
        bounds = [tally.bound(number, int(quota)) for number, quota in enumerate(quotas)]
        # a stratum that gives all of its estimated size may be larger
        settled = quotas.sum() == count and bool((certain | (quotas < np.floor(sizes))).all())
        if settled and all(bound is not None for bound in bounds):
            return SampleChoice(fractions, strata, np.array(bounds, dtype=np.uint64))
        whole = each >= 1
        estimate = np.maximum(tally.drawn, 1) / each
        sizes = np.where(certain, sizes, np.where(whole, tally.drawn, np.minimum(estimate, strata.sizes())))
        doubt = np.where(certain | whole, 0.0, 1 / np.sqrt(np.maximum(tally.drawn, 1)))
        certain |= whole
    raise AssertionError(f"{count} positions were not reached in {MOST_DRAWS} draws")


def shared_out(count: int, sizes: NDArray[np.float64]) -> NDArray[np.int64]:
    """Share a number out equally among sets of these sizes, as far as they have enough: (3, 5, 9), 12 -> (3, 4, 5)."""
    quotas = np.zeros(len(sizes), dtype=np.int64)
    for place, number in enumerate(np.argsort(sizes, kind="stable")):
        quotas[number] = min(int(sizes[number]), count // (len(sizes) - place))
        count -= int(quotas[number])
    return quotas


class _Tally:
    """Counts of drawn positions, and the keys in the window of each stratum in which its bound is expected."""

    def __init__(self, strata: Strata, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
        """low, high (strata,): the windows, as parts of all keys."""
        self.drawn = np.zeros(len(low), dtype=np.int64)
        self._strata = strata
        self._low = [min(int(max(part, 0.0) * KEYS), KEYS - 1) for part in low.tolist()]
        self._high = [min(int(part * KEYS), KEYS - 1) for part in high.tolist()]
        self._below = np.zeros(len(low), dtype=np.int64)
        self._keys: list[list[NDArray[np.uint64]]] = [[] for _ in range(len(low))]

    def add(self, shape: Shape, drawn: Drawn) -> None:
        """Count positions of a slice."""
        numbers = self._strata.number(shape, drawn.values)
        keys = _keys(drawn.hashes)
        for number in np.unique(numbers[numbers < len(self.drawn)]):
            own = keys[numbers == number]
            low, high = np.uint64(self._low[number]), np.uint64(self._high[number])
            self.drawn[number] += len(own)
            self._below[number] += np.count_nonzero(own < low)
            self._keys[number].append(own[(own >= low) & (own <= high)])

    def bound(self, number: int, quota: int) -> int | None:
        """The key below which a stratum has `quota` positions; None if it isn't in the window."""
        if quota == 0:
            return 0
        within = quota - int(self._below[number])
        keys = np.sort(np.concatenate(self._keys[number])) if self._keys[number] else np.empty(0, dtype=np.uint64)
        if not 0 < within <= len(keys):
            return None
        return min(int(keys[within - 1]) + 1, KEYS - 1)


def _keys(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hashes of hashes, as splitmix64 mixes them."""
    mixed = hashes ^ np.uint64(0x9E37_79B9_7F4A_7C15)
    mixed = (mixed ^ mixed >> np.uint64(30)) * np.uint64(0xBF58_476D_1CE4_E5B9)
    mixed = (mixed ^ mixed >> np.uint64(27)) * np.uint64(0x94D0_49BB_1331_11EB)
    return mixed ^ mixed >> np.uint64(31)
