"""What a player types in a game: commands by their words, moves in PDN or square by square."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kr.errors import IllegalMoveError
from kr.game.position import Move, Position
from kr.notation import parse_square, square_name

TABLE_COMMANDS = {
    "moves": "list the legal moves",
    "hint": "the move that kr would play at full strength, and what to expect of it",
    "eval": "what to expect of the position",
    "undo": "take back your last move, and the answer",
    "board": "show the board again",
    "flip": "turn the board",
    "draw": "offer a draw, or accept one",
    "resign": "give up the game",
    "save": "save FILE: write the game so far to a file (it is kept after each move anyway)",
    "help": "these lines",
    "quit": "leave; the game is kept, and can be resumed",
}
"""The words that are no moves, and what they do."""
OTHER_WORDS = {"?": "help", "h": "help", "legal": "moves", "takeback": "undo", "exit": "quit", "q": "quit"}

_SQUARES = re.compile(r"\d{1,3}(?:\s*[-x:,\s]\s*\d{1,3}){0,12}", re.IGNORECASE)
_SEPARATORS = "-xX:, \t"


@dataclass(frozen=True)
class Command:
    """A command and what follows its word."""

    name: str
    argument: str = ""


def parse_command(text: str) -> Command | None:
    """The command that a line gives; None where it begins with none."""
    word, _, argument = text.strip().partition(" ")
    word = OTHER_WORDS.get(word.lower(), word.lower())
    return Command(word, argument.strip()) if word in TABLE_COMMANDS else None


def read_move(text: str, position: Position, begun: Sequence[int] = ()) -> Move | tuple[int, ...]:
    """The legal move that a text means; or its squares (0-31) so far, where the next one is still to be said.

    text: PDN in any of its forms, or squares with blanks between; begun: the squares that were said before. Raises
    IllegalMoveError, in one line that says what would be right.
    """
    typed = text.strip().rstrip(_SEPARATORS)
    if not _SQUARES.fullmatch(typed):
        raise IllegalMoveError(
            f"{text.strip()!r} is neither a move nor a command: type 11-15, 22x15, a square, moves or help"
        )
    try:
        squares = tuple(parse_square(number) for number in re.findall(r"\d+", typed))
    except ValueError as error:
        raise IllegalMoveError(str(error)) from None
    # a whole move that begins where the squares before began is said anew
    path = squares if len(squares) > 1 and squares[:1] == tuple(begun[:1]) else (*begun, *squares)
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
    # someone who names one square after another names the next landing, not the end of another capture
    if begun and goes_on and path != squares:
        return path
    try:
        return position.parse_move("-".join(map(square_name, path)))
    except IllegalMoveError:
        if goes_on:
            return path
        raise


def next_squares(position: Position, begun: Sequence[int]) -> list[int]:
    """Where the moves that begin with some squares go next."""
    length = len(begun)
    following = {move.path[length] for move in position.legal_moves() if move.path[:length] == tuple(begun)}
    return sorted(following)


def _occupied(position: Position, square: int) -> bool:
    return bool((position.black | position.white) >> square & 1)
