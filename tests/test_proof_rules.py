"""The quick form of the plain rules, against their plain form and the core."""

from __future__ import annotations

import pytest
from captures import POSITIONS
from counters import Bits, boards
from hypothesis import given
from proved import core_after, core_moves

from kr.game.position import Position
from kr.proofs import rules

pytestmark = pytest.mark.core


@given(boards() | POSITIONS.map(lambda position: position.bits))
def test_both_forms_agree(bits: Bits) -> None:
    black, white, kings, side = bits
    board = rules.from_bits(black, white, kings)
    plain = {}
    for path, taken in rules.legal_moves(board, side):
        after = rules.to_bits(rules.plain_after(board, (path, taken)))
        plain[path[0], path[-1], rules.bits_of(taken)] = after
    quick = rules.moves_in_order(*bits)
    assert quick == sorted(plain)
    assert {move: rules.board_after(*bits, move) for move in quick} == plain


@given(boards() | POSITIONS.map(lambda position: position.bits))
def test_numbers_of_moves_are_those_of_the_core(bits: Bits) -> None:
    *board, side = bits
    quick = rules.moves_in_order(*bits)
    assert quick == core_moves((board[0], board[1], board[2]), side)
    for move in quick:
        assert rules.board_after(*bits, move) == core_after((board[0], board[1], board[2]), side, move)


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        # by origin, then target; a man's capture ends on promotion
        ("B:W32:B1,K14", [(0, 4, 0), (0, 5, 0), (13, 8, 0), (13, 9, 0), (13, 16, 0), (13, 17, 0)]),
        ("B:W26,27:B22", [(21, 30, 1 << 25)]),
        # two ways around the same men are one move, which ends where it began
        ("W:WK15:B18,19,26,27", [(14, 14, 1 << 17 | 1 << 18 | 1 << 25 | 1 << 26)]),
        # the same squares, other men
        ("W:WK15:B10,18,19,26,27", [(14, 5, 1 << 9), (14, 5, 1 << 9 | 1 << 17 | 1 << 18 | 1 << 25 | 1 << 26)]),
        ("B:W:B", []),
    ],
)
def test_order_of_moves(fen: str, moves: list[rules.QuickMove]) -> None:
    assert rules.moves_in_order(*Position.from_fen(fen).bits) == moves
