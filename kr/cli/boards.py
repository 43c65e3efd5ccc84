"""A board in the terminal: coloured squares and pieces where the terminal has colours, letters where it has not."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from kr.notation import SQUARES, square_name
from kr.position import Move, Position
from kr.svg import place

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

LIGHT, DARK, LAST = "#efe4cb", "#7d9a6a", "#b5b04a"
BLACK, WHITE, NUMBER = "#141414", "#ffffff", "#3c5230"
GLYPHS = {"b": "●", "w": "●", "B": "♛", "W": "♛"}
WIDTH = 7
"""Columns of a square; it has two lines."""


def has_colours(console: Console) -> bool:
    """Whether what is printed there shows colours: a terminal that has some, and no NO_COLOR."""
    return console.is_terminal and console.color_system is not None and not console.no_color


def draw(
    position: Position,
    *,
    colour: bool,
    flipped: bool = False,
    last_move: Move | None = None,
    highlights: Collection[int] = (),
    fill: Mapping[int, str] | None = None,
    labels: Mapping[int, str] | None = None,
) -> Text:
    """The board as rich text of 16 lines, or 18 with a frame where there is no colour.

    colour: whether the terminal shows colours; flipped: Black at the bottom; highlights: squares 0-31 that stand out;
    fill: colours of squares such as "#aabbcc"; labels: texts of up to 6 characters under the pieces. Without colours
    there are letters as in `Position.diagram`, and highlighted squares have brackets.
    """
    from rich.text import Text

    fill, labels = fill or {}, labels or {}
    touched = set(last_move.path) if last_move else set()
    standing = {place(square, flipped): square for square in range(SQUARES)}
    edge = "+" + "-" * (8 * WIDTH) + "+\n"
    board = Text(no_wrap=True)
    board.append("" if colour else edge)
    for row in range(8):
        for upper in (True, False):
            board.append("" if colour else "|")
            for column in range(8):
                square = standing.get((column, row))
                if square is None:
                    board.append(" " * WIDTH, f"on {LIGHT}" if colour else "")
                    continue
                marked = square in highlights
                ground = fill.get(square, LAST if marked or square in touched else DARK)
                letter = _letter(position, square)
                if not upper:
                    board.append(labels.get(square, "").center(WIDTH), f"{BLACK} on {ground}" if colour else "")
                elif colour:
                    board.append(f"{square_name(square):<3}", f"{NUMBER} on {ground}")
                    ink = WHITE if letter in "wW" else BLACK
                    board.append(GLYPHS.get(letter, " ").ljust(WIDTH - 3), f"bold {ink} on {ground}")
                else:
                    shown = f"[{letter}]" if marked else f" {letter} "
                    board.append(f"{square_name(square):>2}{shown}".ljust(WIDTH))
            board.append("\n" if colour else "|\n")
    board.append("" if colour else edge)
    return board


def _letter(position: Position, square: int) -> str:
    bit = 1 << square
    if not (position.black | position.white) & bit:
        return " "
    letter = "b" if position.black & bit else "w"
    return letter.upper() if position.kings & bit else letter
