"""Text that Hub and DXP have in common: a position as one character per square, frames, and foreign text in errors."""

from __future__ import annotations

from typing import Literal

from kr.game.position import Position
from kr.notation import SQUARES, squares

Frame = Literal["pdn", "mover"]
"""Squares and colours that a program uses: those of PDN, or those of programs for which White, at the bottom of the
board, begins every game (pydraughts). These send English positions with colours swapped and the board turned by 180
degrees, but moves in plain PDN numbers."""
FRAMES: tuple[Frame, ...] = ("pdn", "mover")
EMPTY = "e"


def read_squares(text: str, black: str) -> tuple[int, int, int]:
    """Bitboards of Black, White and kings from a character for each square, capitals for kings.

    black: character of Black's men; White's is w.
    """
    board = {
        piece: sum(1 << square for square, character in enumerate(text) if character == piece)
        for piece in (black, black.upper(), "w", "W")
    }
    kings = board[black.upper()] | board["W"]
    return board[black] | board[black.upper()], board["w"] | board["W"], kings


def write_squares(position: Position, black: str) -> str:
    """A character for each square, in the form of read_squares."""
    text = [EMPTY] * SQUARES
    for man, pieces in ((black, position.black), ("w", position.white)):
        for square in squares(pieces):
            text[square] = man.upper() if position.kings >> square & 1 else man
    return "".join(text)


def shown(text: str) -> str:
    """Foreign text, shortened and printable, for an error message."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
