"""The rules over arrays of positions, against the plain reference."""

from __future__ import annotations

import random

import numpy as np
import pytest
from counters import Bits, boards
from hypothesis import given
from numpy.typing import NDArray

from kr import _core
from kr.game.position import Position
from kr.proofs import rules as reference

pytestmark = pytest.mark.core

Row = tuple[int, int, int]


def black_to_move(board: reference.PlainBoard, side: int) -> Row:
    """The board of the reference as a row, turned if White is to move."""
    black, white, kings = reference.to_bits(board)
    if side == reference.BLACK_SIDE:
        return black, white, kings
    turned = [int(f"{bits:032b}"[::-1], 2) for bits in (white, black, kings)]
    return turned[0], turned[1], turned[2]


def rows_of(*positions: Row) -> NDArray[np.uint32]:
    return np.array(positions, dtype=np.uint32).reshape(-1, 3)


def random_rows(count: int, most: int = 7, seed: int = 3) -> NDArray[np.uint32]:
    """Small random endings, many with captures."""
    chance = random.Random(seed)
    rows = []
    for _ in range(count):
        squares = chance.sample(range(32), chance.randint(2, most))
        board: reference.PlainBoard = {}
        for index, square in enumerate(squares):
            piece = "b" if index % 2 == 0 else "w"
            king = reference.crowned(piece, square) or chance.random() < 0.5
            board[square] = piece.upper() if king else piece
        rows.append(reference.to_bits(board))
    return rows_of(*rows)


def has_capture(board: reference.PlainBoard, side: int) -> bool:
    return any(taken for _, taken in reference.legal_moves(board, side))


def guess(row: Row) -> NDArray[np.float32]:
    """Probabilities made up for a quiet position."""
    made = np.random.default_rng(row).random(3, dtype=np.float32)
    return made / made.sum()


def resolved(board: reference.PlainBoard, side: int) -> tuple[set[Row], NDArray[np.float32]]:
    """The leaves below a position, and what is made of the guesses for them."""
    own = [piece for piece in board.values() if reference.owner(piece) == side]
    moves = reference.legal_moves(board, side)
    if not own or not moves:
        return set(), np.array([1, 0, 0], dtype=np.float32)
    if len(own) == len(board):
        return set(), np.array([0, 0, 1], dtype=np.float32)
    if not moves[0][1]:
        row = black_to_move(board, side)
        return {row}, guess(row)
    children = [resolved(reference.plain_after(board, move), 1 - side) for move in moves]
    best = max((child[1][::-1] for child in children), key=lambda p: float(p[2] + np.float32(0.5) * p[1]))
    return set().union(*(child[0] for child in children)), best


@given(boards())
def test_any_board(bits: Bits) -> None:
    board = reference.from_bits(*bits[:3])
    row = black_to_move(board, bits[3])
    rows = rows_of(row)
    assert _core.pending_captures(rows).tolist() == [has_capture(board, bits[3])]
    children, first = _core.successors(rows)
    moves = reference.legal_moves(board, bits[3])
    expected = {black_to_move(reference.plain_after(board, move), 1 - bits[3]) for move in moves}
    assert {tuple(map(int, child)) for child in children} == expected
    assert first.tolist() == [0, len(children)]


def test_successors_of_many_positions_stand_in_a_row() -> None:
    rows = random_rows(400)
    children, first = _core.successors(rows)
    assert (len(first), first[0], first[-1]) == (401, 0, len(children))
    for i, row in enumerate(rows):
        position = Position(*map(int, row), 0)
        after = {position.play(move).flipped() for move in position.legal_moves()}
        here = children[first[i] : first[i + 1]]
        assert {(p.black, p.white, p.kings) for p in after} == {tuple(map(int, child)) for child in here}


@pytest.mark.parametrize("most", [4, 10])
def test_captures_are_resolved_as_by_the_reference(most: int) -> None:
    rows = random_rows(300, most)
    tree = _core.capture_leaves(rows)
    assert len(tree) == 300
    assert not _core.pending_captures(tree.leaves).any()
    assert (np.diff(_core.successors(tree.leaves)[1]) > 0).all()
    leaves = [tuple(map(int, leaf)) for leaf in tree.leaves]
    found = tree.back_up(np.stack([guess(leaf) for leaf in leaves]))
    expected = [resolved(reference.from_bits(*map(int, row)), reference.BLACK_SIDE) for row in rows]
    assert set(leaves) == set().union(*(each[0] for each in expected))
    assert _core.pending_captures(rows).sum() > 30
    np.testing.assert_array_equal(found, np.stack([each[1] for each in expected]))


LOST, WON = [1, 0, 0], [0, 0, 1]
SETTLED: dict[str, tuple[reference.PlainBoard, list[int]]] = {
    "no pieces to move": ({17: "w", 29: "W"}, LOST),
    "no opponent": ({0: "b", 1: "B"}, WON),
    "blocked": ({0: "b", 4: "w", 5: "w", 9: "w"}, LOST),
    "the last piece is taken": ({0: "b", 1: "b", 5: "w"}, WON),
    "the answer takes the last piece": ({0: "b", 5: "w", 13: "w", 16: "w"}, LOST),
}


@pytest.mark.parametrize("case", SETTLED)
def test_what_the_rules_decide_needs_no_leaves(case: str) -> None:
    board, value = SETTLED[case]
    tree = _core.capture_leaves(rows_of(reference.to_bits(board)))
    assert tree.leaves.shape == (0, 3)
    assert tree.back_up(np.empty((0, 3), dtype=np.float32)).tolist() == [value]


def test_no_positions_at_all() -> None:
    rows = rows_of()
    assert _core.pending_captures(rows).shape == (0,)
    assert [each.shape for each in _core.successors(rows)] == [(0, 3), (1,)]
    tree = _core.capture_leaves(rows)
    assert tree.back_up(np.empty((0, 3), dtype=np.float32)).shape == (0, 3)


WRONG = {
    "two pieces on a square": ([(1, 1, 0)], "row 0 is not a board"),
    "a king without a piece": ([(1, 2, 0), (1, 2, 4)], "row 1 is not a board"),
    "four columns": ([(1, 2, 0, 0)], r"not \(n, 4\)"),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("function", [_core.pending_captures, _core.successors, _core.capture_leaves])
def test_what_is_not_a_board_is_refused(case: str, function: object) -> None:
    rows, message = WRONG[case]
    assert callable(function)
    with pytest.raises(ValueError, match=message):
        function(np.array(rows, dtype=np.uint32))


def test_probabilities_must_fit_the_leaves() -> None:
    tree = _core.capture_leaves(random_rows(5))
    with pytest.raises(ValueError, match=f"the shape \\({len(tree.leaves)}, 3\\)"):
        tree.back_up(np.zeros((len(tree.leaves) + 1, 3), dtype=np.float32))
