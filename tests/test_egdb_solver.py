"""The solver of endgame databases, slice by slice: values, distances, and don't-cares of files."""

import random

import egdb_reference
import numpy as np
import pytest
from egdb_reference import Bits, Shape
from numpy.typing import NDArray

from kr import _egdb
from kr.egdb import scheduling, slices

pytestmark = pytest.mark.core

Arrays = dict[str, NDArray[np.uint8]]
GO = np.zeros(1, dtype=np.int32)
PIECES = 4
SHAPES = [shape for count in range(2, PIECES + 1) for shape in egdb_reference.shapes(count)]
SYMMETRIC = [shape for shape in SHAPES if slices.is_symmetric(shape)]


@pytest.fixture(scope="module")
def solved() -> dict[Shape, Arrays]:
    """Values, codes and distances of every slice, one entry a position."""
    solver = _egdb.EndgameSolver()
    found: dict[Shape, Arrays] = {}
    for pair in (pair for count in range(2, PIECES + 1) for pair in slices.pairs(count)):
        packed = {}
        for shape in slices.members(pair):
            size = slices.size(shape)
            packed[shape] = np.zeros(-(-size // 32), dtype=np.uint64), np.zeros(size, dtype=np.uint8)
            solver.add(shape, *packed[shape])
        space = _egdb.SolverSpace(slices.block(pair), True)
        for step in scheduling.steps(pair):
            for call in step:
                own, opponent = call.own_rows, call.opponent_rows
                solver.solve(pair, space, own, opponent, call.first, call.last, GO)
        for shape, (values, distances) in packed.items():
            size = slices.size(shape)
            codes = marked(shape, values)
            found[shape] = {"values": unpacked(values, size), "codes": unpacked(codes, size), "distances": distances}
    return found


def marked(shape: Shape, values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The codes of a slice, marked in two parts."""
    codes = values.copy()
    arrangements = slices.size(shape) // slices.block(shape)
    for first, last in ((0, arrangements // 3), (arrangements // 3, arrangements)):
        _egdb.mark_unneeded(shape, codes, first, last, GO)
    return codes


def unpacked(packed: NDArray[np.uint64], size: int) -> NDArray[np.uint8]:
    """Entries of two bits each, the first in the lowest bits."""
    quarters = packed.astype("<u8").view(np.uint8)
    return np.stack([quarters >> shift & 3 for shift in (0, 2, 4, 6)], axis=1).reshape(-1)[:size]


def sampled(shape: Shape, number: int) -> list[int]:
    """All indices of a slice, or a sample of `number` of them."""
    size = slices.size(shape)
    return list(range(size)) if size <= number else random.Random(f"{shape}").sample(range(size), number)


def bits_at(shape: Shape, index: int) -> Bits:
    black, white, kings, _ = _egdb.egdb_position(shape, index)
    return black, white, kings


def arrangement(bits: Bits) -> tuple[int, int]:
    """The men of both sides."""
    black, white, kings = bits
    return black & ~kings, white & ~kings


def turned(bits: Bits) -> Bits:
    """A board with the other side to move, seen by that side."""
    black, white, kings, _ = egdb_reference.bits_with_side(bits, 1)
    return black, white, kings


@pytest.mark.slow
def test_two_pieces_are_solved_as_by_the_reference(solved: dict[Shape, Arrays]) -> None:
    shapes = egdb_reference.shapes(2)
    expected = egdb_reference.solve(bits for shape in shapes for bits in egdb_reference.positions(shape))
    for shape in shapes:
        for index in range(slices.size(shape)):
            distance = expected[bits_at(shape, index)]
            value = egdb_reference.value(distance)
            assert solved[shape]["values"][index] == value, (shape, index)
            halved = 255 if distance is None else distance // 2
            assert solved[shape]["distances"][index] == halved, (shape, index)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_positions_follow_from_their_successors(solved: dict[Shape, Arrays], shape: Shape) -> None:
    def distance(bits: Bits) -> int | None:
        if bits[0] == 0:
            return 0
        there, index = _egdb.egdb_index(*bits, 0)
        value, halved = solved[there]["values"][index], int(solved[there]["distances"][index])
        assert (value == egdb_reference.DRAW) == (halved == 255)
        return None if halved == 255 else 2 * halved + (value == egdb_reference.WIN)

    for index in sampled(shape, 200):
        bits = bits_at(shape, index)
        after = [distance(child) for child in egdb_reference.successors(bits)]
        assert distance(bits) == egdb_reference.best(after), (shape, index)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_codes_leave_out_captures_and_what_a_twin_holds(solved: dict[Shape, Arrays], shape: Shape) -> None:
    held: dict[tuple[int, int], bool] = {}
    for index in sampled(shape, 300):
        bits, code = bits_at(shape, index), solved[shape]["codes"][index]
        if not egdb_reference.must_capture(bits):
            assert held.setdefault(arrangement(bits), code != 3) == (code != 3), (shape, index)
            assert code in (solved[shape]["values"][index], 3)
        else:
            assert code == 3, (shape, index)
    if not slices.is_symmetric(shape):
        assert all(held.values())


@pytest.mark.parametrize("shape", SYMMETRIC, ids=str)
def test_one_side_to_move_of_a_symmetric_slice_is_enough(solved: dict[Shape, Arrays], shape: Shape) -> None:
    """Of an arrangement and its flip one is stored, and quiet moves from the other lead there."""
    codes = solved[shape]["codes"]

    def is_held(bits: Bits) -> bool:
        return bool(codes[_egdb.egdb_index(*bits, 0)[1]] != 3)

    for bits in (bits_at(shape, index) for index in sampled(shape, 2000)):
        if egdb_reference.must_capture(bits):
            continue
        if not is_held(bits):
            for child in egdb_reference.successors(bits):
                same_slice = _egdb.egdb_index(*child, 0)[0] == shape
                assert not same_slice or egdb_reference.must_capture(child) or is_held(child), bits
        partner = turned(bits)
        if not egdb_reference.must_capture(partner):
            alike = arrangement(partner) == arrangement(bits)
            assert is_held(bits) == is_held(partner) if alike else is_held(bits) != is_held(partner), bits


def test_solving_stops_when_told(solved: dict[Shape, Arrays]) -> None:
    shape = (0, 1, 0, 1)
    solver = _egdb.EndgameSolver()
    values = np.zeros(31, dtype=np.uint64)
    solver.add(shape, values)
    solver.solve(shape, _egdb.SolverSpace(992), 0, 0, 0, 1, np.ones(1, dtype=np.int32))
    assert not values.any()


def test_marks_for_distances(solved: dict[Shape, Arrays]) -> None:
    shape = (1, 1, 0, 1)
    size = slices.size(shape)
    distances = solved[shape]["distances"].copy()
    codes = np.zeros(-(-size // 32), dtype=np.uint64)
    _egdb.mark_unneeded(shape, codes, 0, size // slices.block(shape), GO, distances)
    unneeded = unpacked(codes, size) == 3
    assert (unneeded == (solved[shape]["codes"] == 3)).all()
    assert (distances[unneeded] == 255).all()
    assert (distances[~unneeded] == solved[shape]["distances"][~unneeded]).all()


def test_marking_stops_when_told() -> None:
    codes = np.zeros(31, dtype=np.uint64)
    _egdb.mark_unneeded((0, 1, 0, 1), codes, 0, 1, np.ones(1, dtype=np.int32))
    assert not codes.any()


@pytest.mark.parametrize(("words", "first", "last"), [(30, 0, 1), (31, 0, 2)])
def test_what_is_not_marked(words: int, first: int, last: int) -> None:
    with pytest.raises(ValueError, match="arrangements"):
        _egdb.mark_unneeded((0, 1, 0, 1), np.zeros(words, dtype=np.uint64), first, last, GO)


def test_what_the_solver_refuses() -> None:
    solver = _egdb.EndgameSolver()
    stop = np.zeros(1, dtype=np.int32)
    with pytest.raises(ValueError, match="needs 31 words"):
        solver.add((0, 1, 0, 1), np.zeros(30, dtype=np.uint64))
    with pytest.raises(ValueError, match="needs 31 words"):
        solver.look_up((0, 1, 0, 1), np.zeros(30, dtype=np.uint64))
    with pytest.raises(ValueError, match="distances"):
        solver.add((0, 1, 0, 1), np.zeros(31, dtype=np.uint64), np.zeros(991, dtype=np.uint8))
    with pytest.raises(ValueError, match="no slice"):
        solver.add((0, 1, 0, 0), np.zeros(31, dtype=np.uint64))
    with pytest.raises(ValueError, match="has not been added"):
        solver.solve((0, 1, 0, 1), _egdb.SolverSpace(992), 0, 0, 0, 1, stop)
    solver.add((0, 1, 0, 1), np.zeros(31, dtype=np.uint64), np.zeros(992, dtype=np.uint8))
    with pytest.raises(ValueError, match="992 needed"):
        solver.solve((0, 1, 0, 1), _egdb.SolverSpace(991), 0, 0, 0, 1, stop)
    with pytest.raises(ValueError, match="without room for distances"):
        solver.solve((0, 1, 0, 1), _egdb.SolverSpace(992), 0, 0, 0, 1, stop)
