"""Leaps: the steps of moves one by one, as the post sees them.

A move without a capture is one leap, a capture one for each piece it takes. Between two leaps the piece must continue;
the pieces that it has jumped over are off the board. Where several paths lead to the same position, decisions don't
record the path: the first in the order of the rules is taken. Boards are in the mover's frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kr import _core
from kr.policy.shape import MOVES, move_ids
from kr.studies.people.decisions import Decisions


class LeapBoard(NamedTuple):
    """A board in the mover's frame; the mover is Black."""

    own_men: int
    foe_men: int
    own_kings: int
    foe_kings: int

    def moves(self) -> list[tuple[tuple[int, ...], int]]:
        """Legal moves: their squares from first to last, and the captured squares as a bitboard."""
        own, foe = self.own_men | self.own_kings, self.foe_men | self.foe_kings
        return _core.legal_moves(own, foe, self.own_kings | self.foe_kings, 0)

    def leapt(self, origin: int, target: int, captured: int) -> LeapBoard:
        """The board with a piece moved and others off, before a man is crowned."""
        step = 1 << origin | 1 << target
        own_men, own_kings = (each ^ step if each >> origin & 1 else each for each in (self.own_men, self.own_kings))
        return LeapBoard(own_men, self.foe_men & ~captured, own_kings, self.foe_kings & ~captured)


@dataclass(frozen=True, eq=False)
class LeapRows:
    """Leaps that were made: k rows."""

    boards: NDArray[np.uint32]
    """(k, 4) before each leap."""
    label: NDArray[np.uint8]
    """(k,) origin and direction, a row of `move`."""
    first: NDArray[np.int64]
    """(moves + 1,) offsets of the leaps of each move."""

    def __len__(self) -> int:
        return len(self.label)


def played_leaps(decisions: Decisions) -> LeapRows:
    """The leaps of the moves that were played, in their order."""
    ids = move_ids()
    counts = np.maximum(1, np.bitwise_count(decisions.captured)).astype(np.int64)
    boards = np.repeat(decisions.boards, counts, axis=0)
    label = np.repeat(ids[decisions.moves[:, 0], decisions.moves[:, 1]], counts)
    begins = np.cumsum(counts) - counts
    for row in np.flatnonzero(counts > 1):
        board = LeapBoard(*decisions.boards[row].tolist())
        origin, target = decisions.moves[row].tolist()
        move = origin, target, int(decisions.captured[row])
        path = next(path for path, captured in board.moves() if (path[0], path[-1], captured) == move)
        for i, (at, leap) in enumerate(_leaps(board, path)):
            boards[begins[row] + i], label[begins[row] + i] = at, ids[leap]
    return LeapRows(boards, label, np.append(begins, len(label)))


def _leaps(board: LeapBoard, path: tuple[int, ...]) -> Iterator[tuple[LeapBoard, tuple[int, int]]]:
    """The board before each leap of a path, and the leap."""
    for origin, target in pairwise(path):
        yield board, (origin, target)
        board = board.leapt(origin, target, 1 << between(origin, target) if abs(target - origin) > 5 else 0)


def between(origin: int, target: int) -> int:
    """The square that a capture jumps over."""
    row = origin // 4
    # squares of even rows stand one column further right
    column, other = (2 * (square % 4) + (square // 4 % 2 == 0) for square in (origin, target))
    middle = (row + target // 4) // 2
    return middle * 4 + (column + other) // 2 // 2


class LeapTree:
    """The leaps that make up the choices of positions, so that whole moves get probabilities from those of leaps.

    A node is a board on which a leap is to be made, with the piece that must continue if it is within a move.
    """

    def __init__(self, boards: NDArray[np.uint32]) -> None:
        self.first, self.origin, self.target, self.captured = _core.policy_choices(np.ascontiguousarray(boards))
        ids = move_ids()
        self._nodes: list[LeapBoard] = []
        legal: list[int] = []
        """Node times MOVES plus label, of each leap that is legal."""
        steps: list[int] = []
        """Numbers of leaps of one path after another."""
        lengths: list[int] = []
        choices: list[int] = []
        roots: list[int] = []
        for number, row in enumerate(boards.tolist()):
            board = LeapBoard(*row)
            numbers: dict[tuple[int, ...], int] = {}
            places = self._choices(number)
            roots.append(len(self._nodes))
            for path, captured in board.moves():
                path_steps = []
                for i, (at, leap) in enumerate(_leaps(board, path)):
                    node = numbers.get(path[: i + 1] if i else ())
                    if node is None:
                        node = numbers[path[: i + 1] if i else ()] = len(self._nodes)
                        self._nodes.append(at)
                    path_steps.append(node * MOVES + int(ids[leap]))
                legal += path_steps
                steps += path_steps
                lengths.append(len(path_steps))
                choices.append(places[path[0], path[-1], captured])
        self.roots = np.array(roots, dtype=np.int64)
        """(n,) node of each position; positions have a legal move."""
        self._legal, self._steps = np.array(legal, dtype=np.int64), np.array(steps, dtype=np.int64)
        self._lengths, self._paths = np.array(lengths, dtype=np.int64), np.array(choices, dtype=np.int64)

    def _choices(self, number: int) -> dict[tuple[int, int, int], int]:
        start, end = int(self.first[number]), int(self.first[number + 1])
        moves = (each[start:end].tolist() for each in (self.origin, self.target, self.captured))
        return {move: start + i for i, move in enumerate(zip(*moves, strict=True))}

    @cached_property
    def boards(self) -> NDArray[np.uint32]:
        """(nodes, 4)."""
        return np.array(self._nodes, dtype=np.uint32).reshape(-1, 4)

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """(nodes, 128) True for leaps that are legal."""
        mask = np.zeros(len(self._nodes) * MOVES, dtype=np.bool_)
        mask[self._legal] = True
        return mask.reshape(-1, MOVES)

    def of_choices(self, logits: NDArray[np.float32]) -> NDArray[np.float32]:
        """Probability (m,) of each choice from the logits (nodes, 128) of leaps: legal ones alone, multiplied along a
        path, added up over the paths to the same position."""
        masked = np.where(self.legal, logits.astype(np.float64), -np.inf)
        powers = np.exp(masked - masked.max(axis=1, keepdims=True))
        logs = np.log(np.maximum(powers / powers.sum(axis=1, keepdims=True), 1e-300)).ravel()
        paths = np.exp(np.add.reduceat(logs[self._steps], np.cumsum(self._lengths) - self._lengths))
        return np.bincount(self._paths, paths, int(self.first[-1])).astype(np.float32)


def tops(ranks: NDArray[Any], limits: tuple[int, ...]) -> dict[str, float]:
    """Share of ranks (0 the first) below each number."""
    return {str(top): float((ranks < top).mean()) for top in limits}
