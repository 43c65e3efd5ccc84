"""Names of openings, as players call them: the three-move ballots that have one, and the first moves.

Names follow the American Checker Federation's list of ballots; the others are known by their moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from kr.errors import InvalidSettingError
from kr.game.position import Bits, Position
from kr.openings.decks import BALLOT_PLIES, generated
from kr.pdn.replay import moves_named, played
from kr.text import plain_name

BALLOT_NAMES = {
    5: "Dreaded Edinburgh", 6: "Inferno", 8: "Edinburgh Single", 9: "Wilderness I", 16: "Wilderness II",
    34: "Twilight Zone", 35: "Dundee Barred", 46: "Double Cross", 48: "Rattlesnake", 60: "Black Hole",
    62: "Gemini I", 65: "Fraser's Inferno", 68: "White Doctor", 71: "Diabolical Denny", 86: "Octopus", 87: "Tyne",
    94: "Nutcracker", 96: "Skull-Cracker", 105: "Gemini II", 133: "Octopus", 137: "Shark", 145: "Cheetah",
    153: "Black Widow", 174: "Skunk",
}  # fmt: skip
FIRST_MOVES = {
    "9-13": "Edinburgh", "9-14": "Double Corner", "10-14": "Denny", "10-15": "Kelso", "11-15": "Old Faithful",
    "11-16": "Bristol", "12-16": "Dundee",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ballot:
    """A three-move opening."""

    number: int
    """Number in the federation's list, from 1."""
    moves: str
    name: str
    """Name among players; "" if it has none."""
    standing: str
    """playable or barred."""

    def __str__(self) -> str:
        return f"{self.number} {self.moves}" + (f" ({self.name})" if self.name else "")


@cache
def ballots() -> dict[Bits, Ballot]:
    """The 174 three-move openings by the position they lead to."""
    return {
        opening.position.bits: Ballot(
            opening.number, opening.moves, BALLOT_NAMES.get(opening.number, ""), opening.standing
        )
        for opening in generated("3move")
    }


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

    "11man 17" is the 11-man ballot with that number.

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
    elif words[:1].isdecimal():
        board, plies = Position().bits, 0
        for move in words.split():
            board = played(board, moves_named(board, move)[0])
            plies += 1
        return [OpeningPosition(plies, board)]
    else:
        name = plain_name(words)
        boards = [board for board, ballot in table.items() if name and plain_name(ballot.name) == name]
        boards = boards or [board for board, ballot in table.items() if name and name in plain_name(ballot.name)]
        if not boards:
            names = ", ".join(sorted(set(BALLOT_NAMES.values())))
            raise InvalidSettingError(
                f"no ballot {text!r}: expected a number from 1 to {len(table)}, moves such as 11-15 23-19, 11man 17, "
                f"or {names}"
            )
    return [OpeningPosition(BALLOT_PLIES, board) for board in boards]
