"""Boards in the terminal: coloured squares and pieces if it has colours, else plain characters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kr.cli import console
from kr.game.position import Move, Position
from kr.notation import SQUARES, draw_board, square_name
from kr.svg import place
from kr.system import shows_symbols

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

LIGHT_SQUARE, DARK_SQUARE, LAST = "#efe4cb", "#7d9a6a", "#b5b04a"
BLACK, WHITE, SQUARE_NUMBER = "#141414", "#ffffff", "#3c5230"
MAN, KING, PLAIN_KING = "●", "♛", "K"
"""The last one for consoles whose font lacks the king; it has the man."""
WIDTH = 7
"""Columns of a coloured square; it has two lines."""


def has_colours(out: Console) -> bool:
    """True if the console shows colours: a terminal that has them, without NO_COLOR."""
    return out.is_terminal and out.color_system is not None and not out.no_color


def show(
    position: Position,
    *,
    flipped: bool = False,
    last_move: Move | None = None,
    fill: Mapping[int, str] | None = None,
    labels: Mapping[int, str] | None = None,
) -> None:
    """Print a board as all commands do. Parameters as for draw."""
    from rich.console import Console

    out = Console(highlight=False)
    colour = has_colours(out)
    board = draw(position, colour=colour, flipped=flipped, last_move=last_move, fill=fill, labels=labels)
    out.print(board, end="") if colour else console.put(board.plain, end="")


def draw(
    position: Position,
    *,
    colour: bool,
    flipped: bool = False,
    last_move: Move | None = None,
    fill: Mapping[int, str] | None = None,
    labels: Mapping[int, str] | None = None,
) -> Text:
    """Board as rich text: 16 lines of coloured squares, or the characters and frame of `Position.diagram`.

    colour: True if the terminal shows colours; flipped: Black at the bottom; last_move: its squares are highlighted, or
    without colours the piece that moved is bracketed; fill: colours of squares such as "#aabbcc"; labels: texts of up
    to 6 characters under the pieces.
    """
    from rich.text import Text

    fill, labels = fill or {}, labels or {}
    if not colour:
        marked = {last_move.target} if last_move else set()
        shown = draw_board(
            position.black, position.white, position.kings, flipped=flipped, marked=marked, labels=labels
        )
        return Text(f"{shown}\n", no_wrap=True)
    touched = set(last_move.path) if last_move else set()
    standing = {place(square, flipped): square for square in range(SQUARES)}
    king = KING if shows_symbols() else PLAIN_KING
    board = Text(no_wrap=True)
    for row in range(8):
        for upper in (True, False):
            for column in range(8):
                square = standing.get((column, row))
                if square is None:
                    board.append(" " * WIDTH, f"on {LIGHT_SQUARE}")
                    continue
                ground = fill.get(square, LAST if square in touched else DARK_SQUARE)
                if not upper:
                    board.append(labels.get(square, "").center(WIDTH), f"{BLACK} on {ground}")
                    continue
                letter = _letter(position, square)
                board.append(f"{square_name(square):<3}", f"{SQUARE_NUMBER} on {ground}")
                ink = WHITE if letter in "wW" else BLACK
                glyph = king if letter in "BW" else MAN if letter in "bw" else " "
                board.append(glyph.ljust(WIDTH - 3), f"bold {ink} on {ground}")
            board.append("\n")
    return board


def _letter(position: Position, square: int) -> str:
    bit = 1 << square
    if not (position.black | position.white) & bit:
        return " "
    letter = "b" if position.black & bit else "w"
    return letter.upper() if position.kings & bit else letter
