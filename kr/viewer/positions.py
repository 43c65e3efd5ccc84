"""Positions and moves as JSON. Squares are numbers from 1 to 32, colours "black" and "white"."""

from __future__ import annotations

from typing import Any

from kr.game.position import Move, Position, Side
from kr.language.sentences import Sentence
from kr.notation import SIDE_NAMES, squares


def side_name(side: int) -> str:
    """ "black" or "white"."""
    return SIDE_NAMES[side].lower()


def move_json(move: Move) -> dict[str, Any]:
    """A move: its text, the squares it touches, and those of the pieces it takes."""
    return {
        "text": str(move),
        "path": [square + 1 for square in move.path],
        "captured": [square + 1 for square in squares(move.captured)],
    }


def over(position: Position) -> dict[str, Any] | None:
    """Sentence that says why a game is over in this position, by its board alone; None if it goes on."""
    if not position.is_over:
        return None
    pieces = position.black if position.side is Side.BLACK else position.white
    sides = {"side": side_name(position.side), "other": side_name(position.side.other)}
    return Sentence("end.no_move" if pieces else "end.no_pieces", sides).as_object()
