"""The text of Hub 2: lines, positions, moves and scores."""

from __future__ import annotations

import re
from typing import NamedTuple

from kr.engine.result import SCORE_DECIDED, SCORE_WIN
from kr.errors import IllegalMoveError, ProtocolError
from kr.game.position import Move, Position, Side
from kr.notation import SQUARES, parse_square, square_name, squares
from kr.protocols.text import read_squares, shown, write_squares

_WORD = re.compile(r'[^\s="]+')
_ARGUMENT = re.compile(r'\s+([^\s="]+)(?:=(?:"([^"]*)"|([^\s="]*)))?(?=\s|$)')
_MOVE = re.compile(r"\d{1,2}(-\d{1,2}|(x\d{1,2})+)")
_SIDES = {"B": Side.BLACK, "W": Side.WHITE}
_PIECES = "ebwBW"

DECIDED_MEN = 80.0
"""A score beyond this many men is a proved win or loss, not an estimate."""
_MAX_DECIDED_PLIES = SCORE_WIN - SCORE_DECIDED - 1


class HubLine(NamedTuple):
    """One line of the protocol: a command and its arguments. The value of a flag is the empty text."""

    command: str
    args: dict[str, str]


def parse_hub_line(text: str) -> HubLine | None:
    """Parse a line ``command arg=value arg="two words" flag``; None for a blank one. Raises ProtocolError."""
    text = text.strip()
    if not text:
        return None
    command = _WORD.match(text)
    if not command:
        raise ProtocolError(f"{shown(text)} does not begin with a command")
    args, end = {}, command.end()
    while end < len(text):
        argument = _ARGUMENT.match(text, end)
        if not argument:
            expected = 'name=value or name="two words"'
            raise ProtocolError(f"invalid arguments {shown(text[end:])}: expected {expected}")
        name, quoted, plain = argument.groups()
        args[name] = quoted or plain or ""
        end = argument.end()
    return HubLine(command[0], args)


def format_hub_line(command: str, /, **args: object) -> str:
    """Format one line. None as a value makes a flag; _ in a name becomes -.

    Values that are empty, or contain a blank or ``=``, are quoted. The protocol can't escape quotes and line ends in a
    value, so they become ' and a blank.
    """
    words = [command]
    for name, value in args.items():
        name = name.replace("_", "-")
        if value is None:
            words.append(name)
            continue
        text = " ".join(str(value).splitlines()).replace('"', "'")
        words.append(f"{name}={text}" if re.fullmatch(r"[^\s=]+", text) else f'{name}="{text}"')
    return " ".join(words)


def parse_hub_position(text: str) -> Position:
    """Parse 33 characters: the side to move, then one of ``w b W B e`` for each square 1-32.

    Raises ProtocolError, and InvalidFenError for an impossible board (thirteen men, a man on its king row).
    """
    if len(text) != SQUARES + 1 or text[0] not in _SIDES or not set(text[1:]) <= set(_PIECES):
        expected = f"B or W, then one of {' '.join(_PIECES)} for each square 1-{SQUARES}"
        raise ProtocolError(f"invalid position {shown(text)}: expected {expected}")
    return Position(*read_squares(text[1:], "b"), _SIDES[text[0]])


def format_hub_position(position: Position) -> str:
    """Format a position as 33 characters."""
    return "BW"[position.side] + write_squares(position, "b")


def parse_hub_move(text: str, position: Position) -> Move:
    """Legal move of text such as ``11-15`` or ``15x22x18`` (from, to, captured squares in any order).

    The captured squares may be left out if from and to are unambiguous. Raises ProtocolError for invalid text,
    IllegalMoveError for a move that is not legal in the position.
    """
    if not _MOVE.fullmatch(text):
        raise ProtocolError(f"{shown(text)} is not a move: expected one such as 11-15, or 15x22x18 for a capture")
    try:
        origin, target, *captures = (parse_square(number) for number in re.split("[-x]", text))
    except ValueError as error:
        raise ProtocolError(f"{shown(text)} is not a move: {error}") from None
    captured = sum(1 << square for square in set(captures))
    matches: dict[int, Move] = {}
    legal = position.legal_moves()
    for move in legal:
        same = move.origin == origin and move.target == target and move.is_capture == ("x" in text)
        if same and (not captures or move.captured == captured):
            matches.setdefault(move.captured, move)
    if len(matches) == 1:
        return next(iter(matches.values()))
    fault = "is ambiguous" if matches else "is not legal"
    choices = " ".join(map(format_hub_move, matches.values() if matches else legal))
    raise IllegalMoveError(f"{text} {fault} in {position.fen}: expected {choices or 'no move'}")


def format_hub_move(move: Move) -> str:
    """Format a move: ``11-15``, or ``15x22x18`` with from, to and all captured squares in ascending order."""
    ends = [square_name(move.origin), square_name(move.target)]
    if not move.is_capture:
        return "-".join(ends)
    return "x".join(ends + [square_name(square) for square in squares(move.captured)])


def parse_hub_score(text: str) -> int:
    """Score in centi-men from one in men. Beyond 80 men it is a win or loss in n plies, written as 100 - n/100.

    Raises ProtocolError for text that is not a number.
    """
    try:
        men = float(text)
        centi = round(men * 100)
    except (ValueError, OverflowError):
        raise ProtocolError(f"score {shown(text)} is not a number") from None
    if abs(men) <= DECIDED_MEN:
        return centi
    plies = min(max(10_000 - abs(centi), 0), _MAX_DECIDED_PLIES)
    return SCORE_WIN - plies if men > 0 else plies - SCORE_WIN


def format_hub_score(score: int) -> str:
    """Format a score in men with two decimals. A win in n plies becomes 100 - n/100, a loss its negative."""
    plies = SCORE_WIN - abs(score)
    # a high estimate must not look like a win
    men = 100 - plies / 100 if plies <= _MAX_DECIDED_PLIES else min(abs(score) / 100, DECIDED_MEN - 0.01)
    return f"{'-' if score < 0 else ''}{men:.2f}"
