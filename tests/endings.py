"""Endings for tests: exact values and distances to play against, random positions, and databases to play with."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kr import _egdb
from kr.egdb import scheduling, slices
from kr.egdb.build import BuildSettings, build_database
from kr.egdb.database import VALUES, Database
from kr.egdb.sample import random_positions
from kr.egdb.slices import Class, Shape
from kr.game.position import Position
from kr.game.value import Value


class Endings:
    """Results of the solver for all positions with up to this many pieces, without files and probing."""

    def __init__(self, pieces: int) -> None:
        self._values: dict[Shape, NDArray[np.uint8]] = {}
        self._distances: dict[Shape, NDArray[np.uint8]] = {}
        solver = _egdb.EndgameSolver()
        stop = np.zeros(1, dtype=np.int32)
        for pair in (pair for count in range(2, pieces + 1) for pair in slices.pairs(count)):
            space = _egdb.SolverSpace(slices.block(pair), True)
            for shape in slices.members(pair):
                values = np.zeros((slices.size(shape) + 31) // 32, dtype=np.uint64)
                self._values[shape] = values.astype("<u8", copy=False).view(np.uint8)
                self._distances[shape] = np.zeros(slices.size(shape), dtype=np.uint8)
                solver.add(shape, values, self._distances[shape])
            for step in scheduling.steps(pair):
                for call in step:
                    rows = call.own_rows, call.opponent_rows
                    solver.solve(pair, space, *rows, call.first, call.last, stop)

    def value(self, position: Position) -> Value:
        """Value for the side to move."""
        if position.is_over:
            return Value.LOSS
        shape, index = _egdb.egdb_index(*position.bits)
        return VALUES[self._values[shape][index >> 2] >> 2 * (index & 3) & 3]

    def distance(self, position: Position) -> int | None:
        """Plies to the end under best play, None for a draw."""
        if position.is_over:
            return 0
        value = self.value(position)
        shape, index = _egdb.egdb_index(*position.bits)
        return None if value is Value.DRAW else 2 * int(self._distances[shape][index]) + (value is Value.WIN)

    def kept(self, position: Position) -> list[str]:
        """The moves that keep the value, as text."""
        value = self.value(position)
        return [str(move) for move in position.legal_moves() if self.value(position.play(move)).opposite is value]


@cache
def endings(pieces: int) -> Endings:
    """Solved once for all tests."""
    return Endings(pieces)


def database(directory: Path, pieces: int, distances: int) -> Database:
    """Build and open a database."""
    build_database(BuildSettings(pieces=pieces, dir=directory, distances=distances))
    return Database.open(directory)


def without(source: Path, directory: Path, left_out: Collection[Class]) -> Path:
    """A database that lacks the files of some classes of another."""
    directory.mkdir()
    for path in source.glob("*.egdb"):
        if slices.class_of(slices.shape_named(path.stem[4:])) not in left_out:
            (directory / path.name).symlink_to(path)
    return directory


def positions(
    seed: int, pieces: int, least: int = 2, value: str | None = None, shapes: Sequence[Shape] = ()
) -> Iterator[Position]:
    """Endless random positions that are not over, with either side to move, each with the same probability; optionally
    only of some value or some slices."""
    shapes = shapes or [shape for count in range(least, pieces + 1) for shape in slices.shapes(count)]
    for position in random_positions(shapes, random.Random(seed)):
        if not position.is_over and (value is None or endings(pieces).value(position) == value):
            yield position
