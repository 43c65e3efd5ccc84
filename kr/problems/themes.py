"""Themes of problems: what the solver is to see in the first moves of a solution.

A theme is decided by the position, the line of the solution and the side that solves it, all by the rules: no search
and no database is asked. So a theme is as right as the line is. The board turned by 180 degrees with the colours
swapped has the same themes.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from kr import _core
from kr.game.position import Move, Position, Side
from kr.game.value import Value
from kr.notation import SQUARES, king_steps

SEEN_MOVES = _core.SEEN_MOVES
"""Moves of the solver in which a theme must begin. Almost every win takes pieces in the end."""
ENDING_PIECES = 8
"""Most pieces of an ending with only moves."""
BRIDGE_PIECES = 10
"""Most pieces of an ending with a bridge."""


class Theme(StrEnum):
    """Themes, each equal to its text: ``Theme.TWO_FOR_ONE == "two-for-one"``."""

    SHOT = "shot"
    """The solver gives pieces and takes back more, by force: from a quiet move of the solver on every reply of the
    opponent is a capture, until a capture of the solver after which the opponent has none. Then the solver has taken
    more pieces than it gave, and has given at least one."""
    TWO_FOR_ONE = "two-for-one"
    """The smallest shot: a quiet move of the solver, a capture of one piece, a capture of two by one move, after which
    the opponent can't capture."""
    FIRST_POSITION = "first-position"
    """The ending known as First Position: two pieces, at least one of them a king, win against a king and a man. The
    man is held at the side of the board (Black's on 12, White's on 21), its king in the double corner before it
    or near it (Black's on 19, 20, 23, 24, 27, 28, 31 or 32, White's on 1, 2, 5, 6, 9, 10, 13 or 14)."""
    BRIDGE = "bridge"
    """An ending of at most 10 pieces with a bridge: a side's men on the outer two of its three squares that guard the
    king row (Black's on 1 and 3, White's on 30 and 32), none of its pieces on the other two squares of that row, and a
    man of the opponent that has yet to come through."""
    BREECHES = "breeches"
    """A piece of the solver moves between two of the opponent's so that it could capture either, with jumps in two
    directions; the opponent can save only one of them, and the piece takes one with its next move."""
    IN_AND_OUT = "in-and-out"
    """A man of either side captures into the king row, where the move ends with its crowning, and captures out of it
    with the next move of its side."""
    ONLY_MOVE = "only-move"
    """An ending of at most 8 pieces in which one move, the key, keeps the win or the draw, of two or more."""


def themes_of(
    position: Position, line: Sequence[Move], value: Value = Value.WIN, keeping_moves: Sequence[Move] = ()
) -> tuple[Theme, ...]:
    """Themes of a problem, in the order of `Theme`.

    line: the solution, from the position on. value: for the side to move, which is the solver unless it loses.
    keeping_moves: every move that keeps the value, if known: only moves need them. Raises IllegalMoveError.
    """
    positions = [position]
    for move in line:
        positions.append(positions[-1].play(move))
    solver = position.side.other if value is Value.LOSS else position.side
    own = range(int(position.side != solver), min(len(line), 2 * SEEN_MOVES), 2)
    answers = {
        Theme.SHOT: any(_is_shot(positions, line, ply) for ply in own),
        Theme.TWO_FOR_ONE: any(_is_two_for_one(positions, line, ply) for ply in own),
        Theme.FIRST_POSITION: value is not Value.DRAW and _is_first_position(position, solver),
        Theme.BRIDGE: any(_has_bridge(position, side) for side in Side) and position.pieces <= BRIDGE_PIECES,
        Theme.BREECHES: any(_is_breeches(positions, line, ply) for ply in own),
        Theme.IN_AND_OUT: any(_is_in_and_out(positions, line, ply) for ply in range(min(len(line), 2 * SEEN_MOVES))),
        Theme.ONLY_MOVE: _is_only_move(position, solver, keeping_moves),
    }
    return tuple(theme for theme, holds in answers.items() if holds)


def _taken(move: Move) -> int:
    return move.captured.bit_count()


def _is_shot(positions: Sequence[Position], line: Sequence[Move], start: int) -> bool:
    """True if the solver's move at a ply begins a shot."""
    if line[start].is_capture:
        return False
    given = taken = 0
    for ply in range(start + 1, len(line) - 1, 2):
        if not line[ply].is_capture:
            return False
        given += _taken(line[ply])
        taken += _taken(line[ply + 1])
        if line[ply + 1].is_capture and not _must_capture(positions[ply + 2]):
            return taken > given
    return False


def _is_two_for_one(positions: Sequence[Position], line: Sequence[Move], start: int) -> bool:
    counts = [_taken(move) for move in line[start : start + 3]]
    return counts == [0, 1, 2] and not _must_capture(positions[start + 3])


def _is_in_and_out(positions: Sequence[Position], line: Sequence[Move], ply: int) -> bool:
    if ply + 2 >= len(line) or not (line[ply].is_capture and line[ply + 2].is_capture):
        return False
    crowned = not positions[ply].kings >> line[ply].origin & 1 and positions[ply + 1].kings >> line[ply].target & 1
    return bool(crowned) and line[ply + 2].origin == line[ply].target


def _is_breeches(positions: Sequence[Position], line: Sequence[Move], ply: int) -> bool:
    if ply + 2 >= len(line) or line[ply + 2].origin != line[ply].target:
        return False
    attacked = _attacked(positions[ply + 1], line[ply].target)
    return len(attacked) >= 2 and any(line[ply + 2].captured >> square & 1 for square in attacked)


def _attacked(position: Position, square: int) -> set[int]:
    """Squares of the pieces that the piece on a square could jump first, were it to move."""
    black, white, kings, side = position.bits
    jumped = set()
    for path, captured in _core.legal_moves(black, white, kings, 1 - side):
        if captured and path[0] == square:
            # a jump passes the square that both of its ends touch
            jumped |= {
                other for other in _bits(captured) if king_steps(other, path[0]) == king_steps(other, path[1]) == 1
            }
    return jumped


def _bits(board: int) -> list[int]:
    return [square for square in range(SQUARES) if board >> square & 1]


def _must_capture(position: Position) -> bool:
    moves = _core.legal_moves(*position.bits)
    return bool(moves) and bool(moves[0][1])


def _of(position: Position, side: Side) -> tuple[int, int, int]:
    """Bitboards of a side's men, its kings and the opponent's men; turned for White, so that they are as Black's."""
    if side is Side.WHITE:
        position = position.flipped()
    black, white, kings = position.bits[:3]
    return black & ~kings, black & kings, white & ~kings


def _squares(*numbers: int) -> int:
    return sum(1 << (number - 1) for number in numbers)


_BRIDGE, _BRIDGE_ROW = _squares(1, 3), _squares(1, 2, 3, 4)
_HELD_MAN, _FAR_CORNER = _squares(12), _squares(19, 20, 23, 24, 27, 28, 31, 32)


def _has_bridge(position: Position, side: Side) -> bool:
    men, kings, others = _of(position, side)
    return men & _BRIDGE_ROW == _BRIDGE and not kings & _BRIDGE_ROW and bool(others)


def _is_first_position(position: Position, solver: Side) -> bool:
    men, kings, _ = _of(position, solver.other)
    own_kings = position.kings & (position.black if solver is Side.BLACK else position.white)
    return (
        position.pieces == 4
        and men.bit_count() == kings.bit_count() == 1
        and bool(men & _HELD_MAN and kings & _FAR_CORNER and own_kings)
    )


def _is_only_move(position: Position, solver: Side, keeping_moves: Sequence[Move]) -> bool:
    choices = {(move.origin, move.target, move.captured) for move in position.legal_moves()}
    keeping = {(move.origin, move.target, move.captured) for move in keeping_moves}
    return position.side == solver and position.pieces <= ENDING_PIECES and len(keeping) == 1 < len(choices)
