"""Positions and moves of a book, in the frame of the side to move: with White to move a position is turned and its
colours are swapped, so that both are one."""

from __future__ import annotations

from kr import _core
from kr.game.position import Move, Position, Side, turned_bits
from kr.notation import SQUARES

BookKey = tuple[int, int, int]
"""A position in the frame of its side to move: that side's pieces, the other's, and the kings, as bitboards."""
BookStep = tuple[int, int, int]
"""A move in that frame: origin and target 0-31, and the captured pieces as a bitboard."""


def book_key(position: Position) -> BookKey:
    """The key of a position."""
    black, white, kings, side = position.bits
    return (turned_bits(white), turned_bits(black), turned_bits(kings)) if side else (black, white, kings)


def position_of_key(key: BookKey) -> Position:
    """The position of a key, with Black to move."""
    return Position.from_bits((*key, int(Side.BLACK)))


def step_of(move: Move) -> BookStep:
    """A move of Black as a step."""
    return move.origin, move.target, move.captured


def step_at(position: Position, move: Move) -> BookStep:
    """A move of a position as a step."""
    if position.side is Side.BLACK:
        return step_of(move)
    return SQUARES - 1 - move.origin, SQUARES - 1 - move.target, turned_bits(move.captured)


def key_after(key: BookKey, step: BookStep) -> BookKey:
    """The position after a step, which must be legal."""
    black, white, kings, _ = _core.play(*key, int(Side.BLACK), *step)
    return turned_bits(white), turned_bits(black), turned_bits(kings)


def legal_steps(key: BookKey) -> set[BookStep]:
    """The legal moves of a position as steps."""
    return {(path[0], path[-1], captured) for path, captured in _core.legal_moves(*key, int(Side.BLACK))}


def move_at(position: Position, step: BookStep) -> Move:
    """The move of a position that a step stands for. Raises IllegalMoveError."""
    if position.side is Side.BLACK:
        return position.find_move(*step)
    origin, target, captured = step
    return position.find_move(SQUARES - 1 - origin, SQUARES - 1 - target, turned_bits(captured))


def numbered_steps(position: Position) -> dict[BookStep, Move]:
    """The legal moves of a position by their steps, in the order in which a packed book numbers them."""
    # of captures of the same pieces the first one stands for all
    moves = {step_at(position, move): move for move in reversed(position.legal_moves())}
    return {step: moves[step] for step in sorted(moves)}


def numbered_moves(position: Position) -> list[Move]:
    """The moves of `numbered_steps` alone, in their order."""
    paths = _core.legal_moves(*position.bits)
    if len(paths) > 1 and paths[0][1]:
        return list(numbered_steps(position).values())
    # the squares of White run the other way in the frame
    paths.sort(reverse=position.side is Side.WHITE)
    return [Move(*each) for each in paths]
