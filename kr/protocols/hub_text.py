"""The text of Hub 2: lines, positions, moves and scores, as both sides of the protocol read and write them."""

from __future__ import annotations

import re
from typing import NamedTuple

from kr.engine.result import SCORE_DECIDED, SCORE_WIN
from kr.errors import IllegalMoveError, ProtocolError
from kr.game.position import Move, Position, Side
from kr.notation import SQUARES, parse_square, square_name, squares

_WORD = re.compile(r'[^\s="]+')
_ARGUMENT = re.compile(r'\s+([^\s="]+)(?:=(?:"([^"]*)"|([^\s="]*)))?(?=\s|$)')
_MOVE = re.compile(r"\d{1,2}(-\d{1,2}|(x\d{1,2})+)")
_SIDES = {"B": Side.BLACK, "W": Side.WHITE}
_PIECES = "ebwBW"

DECIDED_MEN = 80.0
"""A score beyond this many men is a win or a loss found, not an estimate."""
_MAX_DECIDED_PLIES = SCORE_WIN - SCORE_DECIDED - 1


class HubLine(NamedTuple):
    """One line of the protocol: a command and its arguments; a flag has the empty text as its value."""

    command: str
    args: dict[str, str]


def parse_hub_line(text: str) -> HubLine | None:
    """Read a line ``command arg=value arg="two words" flag``; None for a blank one. Raises ProtocolError."""
    text = text.strip()
    if not text:
        return None
    command = _WORD.match(text)
    if not command:
        raise ProtocolError(f"no command at the beginning of {_shown(text)}")
    args, end = {}, command.end()
    while end < len(text):
        argument = _ARGUMENT.match(text, end)
        if not argument:
            raise ProtocolError(f'cannot read {_shown(text[end:])}: write arguments as name=value or name="two words"')
        name, quoted, plain = argument.groups()
        args[name] = quoted or plain or ""
        end = argument.end()
    return HubLine(command[0], args)


def format_hub_line(command: str, /, **args: object) -> str:
    """Write one line. A value with a blank, ``=`` or nothing in it is quoted, None makes a flag, _ in a name becomes -.

    The protocol can't escape a quote or a line end inside a value: they become ' and a blank.
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
    """Read a side letter and one of ``w b W B e`` for each square 1-32, 33 characters; raises ProtocolError.

    A board that can't be (thirteen men, a man on its king row) raises InvalidFenError.
    """
    if len(text) != SQUARES + 1 or text[0] not in _SIDES or not set(text[1:]) <= set(_PIECES):
        letters = " ".join(_PIECES)
        raise ProtocolError(f"position {_shown(text)} is not W or B, then one of {letters} for each square 1-{SQUARES}")
    board = {letter: sum(1 << square for square, at in enumerate(text[1:]) if at == letter) for letter in _PIECES}
    return Position(board["b"] | board["B"], board["w"] | board["W"], board["B"] | board["W"], _SIDES[text[0]])


def format_hub_position(position: Position) -> str:
    """The 33 characters of a position."""
    letters = ["e"] * SQUARES
    for letter, pieces in (("b", position.black), ("w", position.white)):
        for square in squares(pieces):
            letters[square] = letter.upper() if position.kings >> square & 1 else letter
    return "BW"[position.side] + "".join(letters)


def parse_hub_move(text: str, position: Position) -> Move:
    """The legal move that ``11-15`` or ``15x22x18`` (from, to, captured squares in any order) names.

    The captured squares may be left out where from and to say enough. Raises ProtocolError for text that is no move
    and IllegalMoveError for a move that the position doesn't allow.
    """
    if not _MOVE.fullmatch(text):
        raise ProtocolError(f"{_shown(text)} is not a move: write 11-15, or 15x22x18 for a capture")
    try:
        origin, target, *taken = (parse_square(number) for number in re.split("[-x]", text))
    except ValueError as error:
        raise ProtocolError(f"{_shown(text)} is not a move: {error}") from None
    captured = sum(1 << square for square in set(taken))
    found: dict[int, Move] = {}
    legal = position.legal_moves()
    for move in legal:
        same = move.origin == origin and move.target == target and move.is_capture == ("x" in text)
        if same and (not taken or move.captured == captured):
            found.setdefault(move.captured, move)
    if len(found) == 1:
        return next(iter(found.values()))
    fault = "is ambiguous" if found else "is not legal"
    choices = " ".join(map(format_hub_move, found.values() if found else legal))
    raise IllegalMoveError(f"{text} {fault} in {position.fen}: write one of {choices or 'no moves'}")


def format_hub_move(move: Move) -> str:
    """A move as the protocol writes it: ``11-15``, or from, to and every captured square, ascending: ``15x22x18``."""
    ends = [square_name(move.origin), square_name(move.target)]
    if not move.is_capture:
        return "-".join(ends)
    return "x".join(ends + [square_name(square) for square in squares(move.captured)])


def parse_hub_score(text: str) -> int:
    """Centi-men from a score in men; beyond 80 men it is a win or loss in n plies, written as 100 - n/100.

    Raises ProtocolError for text that is no number.
    """
    try:
        men = float(text)
        centi = round(men * 100)
    except (ValueError, OverflowError):
        raise ProtocolError(f"score {_shown(text)} is not a number") from None
    if abs(men) <= DECIDED_MEN:
        return centi
    plies = min(max(10_000 - abs(centi), 0), _MAX_DECIDED_PLIES)
    return SCORE_WIN - plies if men > 0 else plies - SCORE_WIN


def format_hub_score(score: int) -> str:
    """A score in centi-men as men with two decimals; a win in n plies becomes 100 - n/100, a loss its negative."""
    plies = SCORE_WIN - abs(score)
    # an estimate, however high, must not look like a win
    men = 100 - plies / 100 if plies <= _MAX_DECIDED_PLIES else min(abs(score) / 100, DECIDED_MEN - 0.01)
    return f"{'-' if score < 0 else ''}{men:.2f}"


def _shown(text: str) -> str:
    """Foreign text, short enough for an error message."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
