"""Explanation of a static score: its parts, and the share of each piece.

Everything is from the side to move: an opponent's piece that stands well has a negative share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kr.evaluation.chances import format_score
from kr.evaluation.picture import picture
from kr.game.position import Position, Side
from kr.language.sentences import Sentence
from kr.notation import SIDE_NAMES, squares

if TYPE_CHECKING:
    from kr.svg import Svg


@dataclass(frozen=True)
class RegionShare:
    """A region and its table entry; centi-men from the side to move."""

    squares: tuple[int, ...]
    """0-31, on the board as it is."""
    score: float
    """Contribution of the entry to the score."""
    opening: float
    """The entry's weight with all pieces on the board."""
    ending: float
    """Weight with no pieces on the board; the two are mixed by the number of pieces."""
    own: float | None
    """Contribution of the entry's own weight, without the smaller windows in it, which share theirs with other entries;
    None for tables without parts. An entry never seen in training has no weight of its own."""
    empty: float
    """Contribution of the entry of the empty region, which belongs to no piece."""
    seen: int | None = None
    """Positions of games in which the entry occurred, to 9 %; None if unknown."""


@dataclass(frozen=True)
class PieceShare:
    """A piece and its share of the score; centi-men from the side to move."""

    square: int
    """0-31."""
    side: Side
    king: bool
    material: float | None
    """Value of a piece of its kind, wherever it is; None if the evaluation does not separate it."""
    place: float | None
    """Its share of the tables' entries: the value of being there, among these pieces; None without tables."""
    worth: int
    """Loss of score without the piece."""


@dataclass(frozen=True)
class Explanation:
    """A static score and its parts."""

    position: Position
    weights: str
    """Name of the evaluation."""
    score: int
    """Centi-men from the side to move."""
    group: str
    """"men" or "kings": which tables count, by whether there is a king on the board; "" without tables."""
    material: float | None
    """Material of all pieces together; None if the evaluation does not separate it."""
    move: float
    """Value of having the move."""
    regions: tuple[RegionShare, ...]
    pieces: tuple[PieceShare, ...]
    """In order of their squares."""
    rounding: float | None
    """Difference of the score, a whole number, from the sum of material, move and regions; None without a sum."""
    note: str
    """Remark about this score, or ""."""
    evidence: Sentence | None = None
    """The games in which entries were counted, as a sentence; None if they were not."""

    @property
    def empty(self) -> float:
        """Contribution of the empty regions: with material, the move and the shares of the pieces it makes the sum."""
        return sum(region.empty for region in self.regions)

    @property
    def shares(self) -> dict[int, float]:
        """Numbers to show on the board, by square: the place of each piece, or its worth without tables."""
        if not self.regions:
            return {piece.square: float(piece.worth) for piece in self.pieces}
        return {piece.square: piece.place for piece in self.pieces if piece.place is not None}

    @property
    def title(self) -> str:
        """The score in words."""
        return f"{SIDE_NAMES[self.position.side]} to move: static score {format_score(self.score)} centi-men"

    @property
    def numbers(self) -> str:
        """Meaning of the numbers on a board of the shares."""
        shared = "each piece's share of the table entries"
        numbers = shared if self.regions else "what the score loses without the piece"
        return f"{numbers}, in centi-men"

    def svg(self, *, flipped: bool = False, size: float | None = None) -> Svg:
        """The board as SVG, each piece with its share and its square in the share's colour; size: pixels."""
        texts = (self.title, self.numbers, self.weights)
        return picture(self.position, self.shares, *texts, flipped=flipped, size=size)

    def _repr_svg_(self) -> str:
        """The board as notebooks show it."""
        from kr.svg import SHOWN

        return self.svg(size=SHOWN)


def occupied(position: Position) -> list[int]:
    """The squares of all pieces, 0-31."""
    return list(squares(position.black | position.white))


def without(position: Position, square: int) -> Position:
    """The position with a piece taken off."""
    off = ~(1 << square)
    return Position(position.black & off, position.white & off, position.kings & off, position.side)


def sign(position: Position, square: int) -> int:
    """1 for a piece of the side to move, -1 for one of the other side."""
    return 1 if (position.white >> square & 1) == position.side else -1


def piece_share(position: Position, square: int, material: float | None, place: float | None, worth: int) -> PieceShare:
    """The share of the piece on a square."""
    side, king = Side(position.white >> square & 1), bool(position.kings >> square & 1)
    return PieceShare(square, side, king, material, place, worth)


def note(position: Position) -> str:
    """Remark about the static score of a position, or ""."""
    moves = position.legal_moves()
    if not moves:
        return "the game is over: the static score means nothing here"
    if moves[0].is_capture:
        return "a capture is pending, which a search plays out first: the static score says little here"
    return ""


def unshared(position: Position, weights: str, score: int, worth: dict[int, int], why: str) -> Explanation:
    """Explanation of a score that is not a sum over pieces: its loss without each of them. why: the reason."""
    pieces = tuple(piece_share(position, square, None, None, worth[square]) for square in occupied(position))
    notes = "; ".join(filter(None, (why, note(position))))
    return Explanation(position, weights, score, "", None, 0.0, (), pieces, None, notes)
