"""Openings by number, name or moves: the three-move ballots, and what a text that names an opening means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from kr.errors import InvalidSettingError
from kr.game.position import Bits, Position
from kr.openings.decks import BALLOT_PLIES, deck, generated
from kr.openings.lines import lines_matching, lines_named, name_at
from kr.pdn.replay import moves_named, played


@dataclass(frozen=True, slots=True)
class Ballot:
    """A three-move opening."""

    number: int
    """Number in the federation's list, from 1."""
    moves: str
    name: str
    """Name among players; "" if it has none of its own."""

    def __str__(self) -> str:
        return f"{self.number} {self.moves}" + (f" ({self.name})" if self.name else "")


@cache
def ballots() -> dict[Bits, Ballot]:
    """The 174 three-move openings by the position they lead to."""
    return {
        opening.position.bits: Ballot(opening.number, opening.moves, name_at(opening.position.bits))
        for opening in deck("3move", playable_only=False)
    }


def ballot_of(boards: Sequence[Bits]) -> tuple[Ballot | None, int]:
    """The three-move ballot of a game, and the ply at which it is reached; None if it has none.

    boards: its start and the position after each move. A game that is set up with the position of a ballot has it.
    """
    ply = BALLOT_PLIES if boards[0] == Position().bits else 0
    return (ballots().get(boards[ply]) if ply < len(boards) else None), ply


@cache
def eleven_man_ballots() -> dict[Bits, int]:
    """Numbers of the 2,500 11-man ballots by the position a game begins with."""
    return {opening.position.bits: opening.number for opening in generated("11man")}


@dataclass(frozen=True, slots=True)
class OpeningPosition:
    """Position to which an opening leads, and the plies after which it is reached; 0 if games start there."""

    plies: int
    board: Bits


def find_opening(text: str) -> list[OpeningPosition]:
    """Openings meant by a ballot's number, a name that one or several have, or moves from the start.

    "11man 17" is the 11-man ballot with that number. Part of a name will do if no opening has it as its whole name.

    Raises InvalidSettingError for anything else, IllegalMoveError for an illegal move.
    """
    words = " ".join(text.replace(",", " ").split())
    table = ballots()
    if words.lower().startswith("11man"):
        number = words[len("11man") :].strip()
        starts = [board for board, each in eleven_man_ballots().items() if str(each) == number]
        if not starts:
            raise InvalidSettingError(f"no ballot {text!r}: 11-man ballots are 11man 1 to 11man 2500")
        return [OpeningPosition(0, starts[0])]
    if words.isdecimal():
        boards = [board for board, ballot in table.items() if ballot.number == int(words)]
        if not boards:
            raise InvalidSettingError(f"ballot {words} does not exist: they are numbered 1 to {len(table)}")
        return [OpeningPosition(BALLOT_PLIES, board) for board in boards]
    # moves are digits too; no part of a name begins with one
    if lines := (lines_named if words[:1].isdecimal() else lines_matching)(words):
        return [OpeningPosition(line.plies, line.board) for line in lines]
    if words[:1].isdecimal():
        board, plies = Position().bits, 0
        for move in words.split():
            board = played(board, moves_named(board, move)[0])
            plies += 1
        return [OpeningPosition(plies, board)]
    raise InvalidSettingError(
        f"no ballot {text!r}: expected a number from 1 to {len(table)}, moves such as 11-15 23-19, 11man 17, or a name "
        "such as White Doctor or Old Fourteenth; kr openings --names lists them"
    )
