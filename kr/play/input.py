"""Lines typed in a game: commands, and moves in PDN or square by square."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kr.errors import IllegalMoveError
from kr.game.position import Move, Position
from kr.notation import parse_square, square_name

TABLE_COMMANDS = {
    "moves": "list the legal moves",
    "hint": "show the move that kr would play at full strength, and its prospects",
    "eval": "show the prospects of the position",
    "undo": "take back your last move and the reply",
    "board": "show the board again",
    "flip": "turn the board",
    "draw": "offer a draw, or accept one",
    "agree": "end the game as a draw, if two people at the board agree on it",
    "resign": "resign the game",
    "save": "save FILE: write the game to another file (it is saved after each move anyway)",
    "help": "show this list",
    "quit": "leave; the game is saved and can be resumed",
}
"""Commands and their descriptions."""
OTHER_WORDS = {"?": "help", "h": "help", "legal": "moves", "takeback": "undo", "exit": "quit", "q": "quit"}

_SQUARES = re.compile(r"\d{1,3}(?:\s*[-x:,\s]\s*\d{1,3}){0,12}", re.IGNORECASE)
_SEPARATORS = "-xX:, \t"


@dataclass(frozen=True)
class TypedCommand:
    """A command and its argument."""

    name: str
    argument: str = ""


def parse_command(text: str) -> TypedCommand | None:
    """Command at the beginning of a line; None if there is none."""
    word, _, argument = text.strip().partition(" ")
    word = OTHER_WORDS.get(word.lower(), word.lower())
    return TypedCommand(word, argument.strip()) if word in TABLE_COMMANDS else None


def read_move(text: str, position: Position, prefix: Sequence[int] = ()) -> Move | tuple[int, ...]:
    """Legal move of a text, or its squares (0-31) so far if more are needed.

    text: PDN in any form, or squares separated by blanks. prefix: squares typed before. Raises IllegalMoveError with a
    one-line message that names the right form.
    """
    typed = text.strip().rstrip(_SEPARATORS)
    if not _SQUARES.fullmatch(typed):
        raise IllegalMoveError(
            f"{text.strip()!r} is neither a move nor a command: expected 11-15, 22x15, a square, moves or help"
        )
    try:
        squares = tuple(parse_square(number) for number in re.findall(r"\d+", typed))
    except ValueError as error:
        raise IllegalMoveError(str(error)) from None
    # a whole move from the same origin replaces the squares typed before
    path = squares if len(squares) > 1 and squares[:1] == tuple(prefix[:1]) else (*prefix, *squares)
    legal = position.legal_moves()
    if len(path) == 1:
        if any(move.origin == path[0] for move in legal):
            return path
        movers = ", ".join(map(square_name, sorted({move.origin for move in legal})))
        what = "captures are compulsory; the pieces that can capture" if legal[0].is_capture else "the pieces that can"
        raise IllegalMoveError(f"the piece on {square_name(path[0])} can't move: {what} are on {movers}"
                               if _occupied(position, path[0]) else
                               f"square {square_name(path[0])} is empty: {what} are on {movers}")  # fmt: skip
    goes_on = any(move.path[: len(path)] == path and len(move.path) > len(path) for move in legal)
    # after single squares the next one is the next landing, not the end of another capture
    if prefix and goes_on and path != squares:
        return path
    try:
        return position.parse_move("-".join(map(square_name, path)))
    except IllegalMoveError:
        if goes_on:
            return path
        raise


def next_squares(position: Position, prefix: Sequence[int]) -> list[int]:
    """Next squares of the moves that begin with the squares `prefix`."""
    length = len(prefix)
    following = {move.path[length] for move in position.legal_moves() if move.path[:length] == tuple(prefix)}
    return sorted(following)


def _occupied(position: Position, square: int) -> bool:
    return bool((position.black | position.white) >> square & 1)
