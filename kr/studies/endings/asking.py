"""Ways to ask a network for the value of a position.

 - `net`: the network itself, on every position.
 - `search`: the one-ply search of Wang, Müller and Schaeffer (algorithm 1). The network says what each successor is; a
   lost one makes a win, else a drawn one a draw, else the position is lost. A side without pieces or moves has lost.
 - `threshold`: the network where its confidence, the largest of the three probabilities, reaches a threshold, else the
   search.
 - `rules`: captures are resolved by the rules until nothing can be captured, and the network is asked there only.
 - `plies1`, `plies2`: all moves one or two plies deep, each line then resolved by the rules, minimax by expectation.
 - `best`: a logistic regression on what `rules`, `plies1` and `plies2` say, fitted to validation positions.

A network for quiet positions can't be asked the first three ways. Boards are uint32 (n, 3), black, white, kings, with
Black to move; probabilities float32 (n, 3) of loss, draw and win for the side to move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kr import _core
from kr.errors import InvalidSettingError

Boards: TypeAlias = NDArray[np.uint32]
Probabilities: TypeAlias = NDArray[np.float32]
Predictor: TypeAlias = Callable[[Boards], Probabilities]

DIRECT_WAYS = ("net", "search", "threshold")
QUIET_WAYS = ("rules", "plies1", "plies2", "best")
WAYS = (*DIRECT_WAYS, *QUIET_WAYS)
THRESHOLD = 0.8
"""Confidence from which the paper takes the network's word."""
ASKED_AT_ONCE = 1 << 13
"""Positions whose successors are in memory at once; two plies make some hundred of each."""
LEAST = np.float32(1e-6)
"""Lowest probability whose logarithm the regression sees."""
_LOSS: Probabilities = np.array([1, 0, 0], dtype=np.float32)


@dataclass(frozen=True, eq=False)
class Blend:
    """Logistic regression on the logarithms of probabilities."""

    weights: NDArray[np.float64]
    """(features, 3)."""

    def __call__(self, *said: Probabilities) -> Probabilities:
        logits = _features(said) @ self.weights
        logits -= logits.max(axis=1, keepdims=True)
        shares = np.exp(logits)
        found: Probabilities = (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32)
        return found

    @classmethod
    def fitted(cls, said: Sequence[Probabilities], values: NDArray[np.uint8]) -> Blend:
        """The regression with the highest likelihood. values: 0 loss, 1 draw, 2 win."""
        from scipy.optimize import minimize

        features = _features(said)
        columns, rows = features.shape[1], np.arange(len(values))

        def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            weights = flat.reshape(columns, 3)
            logits = features @ weights
            logits -= logits.max(axis=1, keepdims=True)
            shares = np.exp(logits)
            shares /= shares.sum(axis=1, keepdims=True)
            told = -np.log(np.maximum(shares[rows, values], 1e-300)).mean()
            shares[rows, values] -= 1
            # the penalty only keeps the numbers finite
            return float(told + 1e-6 * flat @ flat), (features.T @ shares / len(values) + 2e-6 * weights).ravel()

        start = np.concatenate([np.eye(3) / len(said) for _ in said] + [np.zeros((1, 3))]).ravel()
        return cls(minimize(loss, start, jac=True, method="L-BFGS-B").x.reshape(columns, 3))


def _features(said: Sequence[Probabilities]) -> NDArray[np.float64]:
    logs = [np.log(np.maximum(part, LEAST)).astype(np.float64) for part in said]
    return np.concatenate([*logs, np.ones((len(said[0]), 1))], axis=1)


class Asker:
    """A network with the ways to ask it."""

    def __init__(self, predict: Predictor, asked: str) -> None:
        """predict: probabilities of boards; asked: "quiet" or "all", the positions that it may be given."""
        self._predict = predict
        self.ways = WAYS if asked == "all" else QUIET_WAYS
        self.blend: Blend | None = None
        """That of the way `best`, once it is fitted."""

    def check(self, way: str) -> None:
        """Raise InvalidSettingError for a way that isn't one, or not one for this network."""
        if way not in WAYS:
            raise InvalidSettingError(f"ways: {way!r:.40} is unknown; expected {', '.join(WAYS)}")
        if way not in self.ways:
            raise InvalidSettingError(
                f"ways: a network for quiet positions can't be asked by {way!r}; expected {', '.join(self.ways)}"
            )

    def ask(self, boards: Boards, way: str) -> Probabilities:
        """Probabilities (n, 3) by a way; those of `search` are certainties. Raises InvalidSettingError."""
        self.check(way)
        boards = np.ascontiguousarray(boards)
        found = np.empty((len(boards), 3), dtype=np.float32)
        for part in _parts(len(boards)):
            found[part] = self._ask(boards[part], way)
        return found

    def ask_all(self, boards: Boards, ways: Sequence[str]) -> dict[str, Probabilities]:
        """The same by several ways, without asking anything twice."""
        for way in ways:
            self.check(way)
        needed = dict.fromkeys(ways)
        if "threshold" in ways:
            needed |= dict.fromkeys(("net", "search"))
        if "best" in ways:
            needed |= dict.fromkeys(("rules", "plies1", "plies2"))
        said = {way: self.ask(boards, way) for way in needed if way not in ("threshold", "best")}
        if "threshold" in ways:
            said["threshold"] = by_threshold(said["net"], said["search"])
        if "best" in ways:
            said["best"] = self._blended(*(said[way] for way in ("rules", "plies1", "plies2")))
        return {way: said[way] for way in ways}

    def fit_best(self, boards: Boards, values: NDArray[np.uint8]) -> None:
        """Fit the way `best` to validation positions."""
        said = self.ask_all(boards, ("rules", "plies1", "plies2"))
        self.blend = Blend.fitted(list(said.values()), values)

    def _ask(self, boards: Boards, way: str) -> Probabilities:
        if way == "net":
            return self._predict(boards)
        if way == "search":
            return self._searched(boards)
        if way == "threshold":
            return by_threshold(self._predict(boards), self._searched(boards))
        if way == "best":
            return self._blended(*(self._plies(boards, plies) for plies in range(3)))
        return self._plies(boards, {"rules": 0, "plies1": 1, "plies2": 2}[way])

    def _blended(self, *said: Probabilities) -> Probabilities:
        if self.blend is None:
            raise InvalidSettingError("ways: best needs validation positions that it is fitted to")
        return self.blend(*said)

    def _searched(self, boards: Boards) -> Probabilities:
        """The paper's search."""
        children, first = _core.successors(boards)
        said = np.zeros(len(children), dtype=np.uint8)
        alive = children[:, 0] != 0
        said[alive] = self._predict(children[alive]).argmax(axis=1)
        # the lowest of the successors' values for the opponent
        lowest = _lowest(said.astype(np.float32), first)[0]
        values = np.where(np.isfinite(lowest), 2 - lowest, 0).astype(np.int64)
        found: Probabilities = np.eye(3, dtype=np.float32)[values]
        return found

    def _plies(self, boards: Boards, plies: int) -> Probabilities:
        """All moves some plies deep, captures not counted, the network asked at quiet positions."""
        tree = _core.capture_leaves(boards)
        leaves = tree.leaves
        if plies == 0:
            return tree.back_up(self._predict(leaves) if len(leaves) else np.empty((0, 3), dtype=np.float32))
        children, first = _core.successors(leaves)
        said = np.empty((len(children), 3), dtype=np.float32)
        for part in _parts(len(children)):
            said[part] = self._plies(children[part], plies - 1)
        _, lowest = _lowest(said[:, 2] + said[:, 1] / 2, first)
        backed = (
            np.where((lowest >= 0)[:, None], said[lowest, ::-1], _LOSS)
            if len(said)
            else np.tile(_LOSS, (len(leaves), 1))
        )
        return tree.back_up(np.ascontiguousarray(backed, dtype=np.float32))


def by_threshold(net: Probabilities, search: Probabilities, threshold: float = THRESHOLD) -> Probabilities:
    """The network where it is confident, else the search."""
    found: Probabilities = np.where(net.max(axis=1, keepdims=True) >= threshold, net, search)
    return found


def _lowest(numbers: NDArray[Any], first: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The lowest number of each part first[i]:first[i + 1], infinity for an empty one, and its place, -1 for none."""
    parts = len(first) - 1
    least = np.full(parts, np.inf, dtype=np.float32)
    place = np.full(parts, -1, dtype=np.int64)
    filled = first[1:] > first[:-1]
    if filled.any():
        least[filled] = np.minimum.reduceat(numbers, first[:-1][filled])
        owner = np.repeat(np.arange(parts), np.diff(first))
        lowest = np.flatnonzero(numbers == least[owner])
        owners, which = np.unique(owner[lowest], return_index=True)
        place[owners] = lowest[which]
    return least, place


def _parts(rows: int) -> Iterator[slice]:
    return (slice(first, first + ASKED_AT_ONCE) for first in range(0, rows, ASKED_AT_ONCE))
