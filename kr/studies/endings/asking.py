"""Ways to ask a network for the value of a position.

 - `net`: the network itself, on every position.
 - `search`: the one-ply search of Wang, Müller and Schaeffer (algorithm 1). The network classifies each successor; a
 lost one makes a win, else a drawn one a draw, else the position is lost. A side without pieces or moves has lost.
 - `threshold`: the network where its confidence, the largest of the three probabilities, reaches a threshold, else the
   search.
 - `rules`: captures are resolved by the rules until nothing can be captured, and the network answers there.
 - `plies1`, `plies2`: all moves one or two plies deep, each line then resolved by the rules, minimax by expectation.
 - `best`: a logistic regression on the answers of `rules`, `plies1` and `plies2`, fitted to validation positions.

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

    def __call__(self, *answers: Probabilities) -> Probabilities:
        logits = _features(answers) @ self.weights
        logits -= logits.max(axis=1, keepdims=True)
        shares = np.exp(logits)
        probabilities: Probabilities = (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32)
        return probabilities

    @classmethod
    def fitted(cls, answers: Sequence[Probabilities], values: NDArray[np.uint8]) -> Blend:
        """The regression with the highest likelihood. values: 0 loss, 1 draw, 2 win."""
        from scipy.optimize import minimize

        features = _features(answers)
        columns, rows = features.shape[1], np.arange(len(values))

        def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            weights = flat.reshape(columns, 3)
            logits = features @ weights
            logits -= logits.max(axis=1, keepdims=True)
            shares = np.exp(logits)
            shares /= shares.sum(axis=1, keepdims=True)
            entropy = -np.log(np.maximum(shares[rows, values], 1e-300)).mean()
            shares[rows, values] -= 1
            # the penalty only keeps the numbers finite
            return float(entropy + 1e-6 * flat @ flat), (features.T @ shares / len(values) + 2e-6 * weights).ravel()

        start = np.concatenate([np.eye(3) / len(answers) for _ in answers] + [np.zeros((1, 3))]).ravel()
        return cls(minimize(loss, start, jac=True, method="L-BFGS-B").x.reshape(columns, 3))


def _features(answers: Sequence[Probabilities]) -> NDArray[np.float64]:
    logs = [np.log(np.maximum(part, LEAST)).astype(np.float64) for part in answers]
    return np.concatenate([*logs, np.ones((len(answers[0]), 1))], axis=1)


class Asker:
    """A network with its ways of asking."""

    def __init__(self, predict: Predictor, asked: str) -> None:
        """predict: probabilities of boards; asked: "quiet" or "all", the positions that it may be given."""
        self._predict = predict
        self.ways = WAYS if asked == "all" else QUIET_WAYS
        self.blend: Blend | None = None
        """The regression of `best`, once it is fitted."""

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
        probabilities = np.empty((len(boards), 3), dtype=np.float32)
        for part in _parts(len(boards)):
            probabilities[part] = self._ask(boards[part], way)
        return probabilities

    def ask_all(self, boards: Boards, ways: Sequence[str]) -> dict[str, Probabilities]:
        """Probabilities by several ways, each computed once."""
        for way in ways:
            self.check(way)
        needed = dict.fromkeys(ways)
        if "threshold" in ways:
            needed |= dict.fromkeys(("net", "search"))
        if "best" in ways:
            needed |= dict.fromkeys(("rules", "plies1", "plies2"))
        answers = {way: self.ask(boards, way) for way in needed if way not in ("threshold", "best")}
        if "threshold" in ways:
            answers["threshold"] = by_threshold(answers["net"], answers["search"])
        if "best" in ways:
            answers["best"] = self._blended(*(answers[way] for way in ("rules", "plies1", "plies2")))
        return {way: answers[way] for way in ways}

    def fit_best(self, boards: Boards, values: NDArray[np.uint8]) -> None:
        """Fit the way `best` to validation positions."""
        answers = self.ask_all(boards, ("rules", "plies1", "plies2"))
        self.blend = Blend.fitted(list(answers.values()), values)

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

    def _blended(self, *answers: Probabilities) -> Probabilities:
        if self.blend is None:
            raise InvalidSettingError("ways: best needs validation positions that it is fitted to")
        return self.blend(*answers)

    def _searched(self, boards: Boards) -> Probabilities:
        """The paper's search."""
        children, first = _core.successors(boards)
        classes = np.zeros(len(children), dtype=np.uint8)
        alive = children[:, 0] != 0
        classes[alive] = self._predict(children[alive]).argmax(axis=1)
        # the lowest of the successors' values for the opponent
        lowest = _lowest(classes.astype(np.float32), first)[0]
        values = np.where(np.isfinite(lowest), 2 - lowest, 0).astype(np.int64)
        certainties: Probabilities = np.eye(3, dtype=np.float32)[values]
        return certainties

    def _plies(self, boards: Boards, plies: int) -> Probabilities:
        """All moves some plies deep, captures not counted, with the network at quiet positions."""
        tree = _core.capture_leaves(boards)
        leaves = tree.leaves
        if plies == 0:
            return tree.back_up(self._predict(leaves) if len(leaves) else np.empty((0, 3), dtype=np.float32))
        children, first = _core.successors(leaves)
        answers = np.empty((len(children), 3), dtype=np.float32)
        for part in _parts(len(children)):
            answers[part] = self._plies(children[part], plies - 1)
        _, lowest = _lowest(answers[:, 2] + answers[:, 1] / 2, first)
        backed = (
            np.where((lowest >= 0)[:, None], answers[lowest, ::-1], _LOSS)
            if len(answers)
            else np.tile(_LOSS, (len(leaves), 1))
        )
        return tree.back_up(np.ascontiguousarray(backed, dtype=np.float32))


def by_threshold(net: Probabilities, search: Probabilities, threshold: float = THRESHOLD) -> Probabilities:
    """The network where it is confident, else the search."""
    probabilities: Probabilities = np.where(net.max(axis=1, keepdims=True) >= threshold, net, search)
    return probabilities


def _lowest(numbers: NDArray[Any], first: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The lowest number of each part first[i]:first[i + 1], infinity for an empty one, and its place or -1."""
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
