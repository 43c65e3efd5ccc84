"""Positions that differ from one by a piece or two: moved, added, removed, crowned or uncrowned, as composers try them.

The side to move stays, and each side keeps at least one piece and has at most 12; no man stands on its king row. What
the change leaves is a position for another problem, whether or not it can arise in a game.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from kr.game.position import Bits, Piece, Position, Side
from kr.notation import BLACK_KING_ROW, MAX_SIDE_PIECES, SQUARES, WHITE_KING_ROW, king_steps, square_name, squares

MOST_CHANGES = 2
"""Most pieces that are changed at a time."""
ADDED_STEPS = 2
"""Size of the change that adds a piece, in the steps by which the size of a move is counted."""
_KING_ROWS = {Side.BLACK: BLACK_KING_ROW, Side.WHITE: WHITE_KING_ROW}


class ChangeKind(StrEnum):
    """What is done to a piece."""

    MOVE = "move"
    ADD = "add"
    REMOVE = "remove"
    CROWN = "crown"
    UNCROWN = "uncrown"


@dataclass(frozen=True, slots=True)
class PieceChange:
    """A change of one piece."""

    kind: ChangeKind
    piece: Piece
    """The piece as it was, or the one that is added."""
    square: int
    """The square 0-31 of the piece; where it is added, for an added one."""
    target: int | None = None
    """Where it is moved to; None for other changes."""

    @property
    def size(self) -> int:
        """How much it changes: the king's steps of a move, ADDED_STEPS for an added piece, 1 for the others."""
        if self.target is not None:
            return king_steps(self.square, self.target)
        return ADDED_STEPS if self.kind is ChangeKind.ADD else 1

    def apply(self, bits: Bits) -> Bits:
        """The position after it."""
        pieces, kings, own = list(bits[:2]), bits[2], self.piece.side
        here = 1 << self.square
        there = here if self.target is None else 1 << self.target
        if self.kind is not ChangeKind.ADD:
            pieces[own] &= ~here
            kings &= ~here
        if self.kind is not ChangeKind.REMOVE:
            pieces[own] |= there
            if self.piece.is_king is not (self.kind in (ChangeKind.CROWN, ChangeKind.UNCROWN)):
                kings |= there
        return pieces[0], pieces[1], kings, bits[3]

    def as_object(self) -> dict[str, Any]:
        """As JSON types, squares from 1 to 32."""
        return {
            "kind": self.kind, "piece": self.piece, "square": self.square + 1,
            "target": None if self.target is None else self.target + 1,
        }  # fmt: skip

    def __str__(self) -> str:
        """In words: "man 12 to 16", "without 28", "king on 5" or "man on 5" of one that is crowned or uncrowned, "plus
        white man 20"."""
        name, square = "king" if self.piece.is_king else "man", square_name(self.square)
        match self.kind:
            case ChangeKind.MOVE:
                return f"{name} {square} to {square_name(self.target or 0)}"
            case ChangeKind.ADD:
                return f"plus {self.piece.side.name.lower()} {name} {square}"
            case ChangeKind.REMOVE:
                return f"without {square}"
            case _:
                return f"{'man' if self.piece.is_king else 'king'} on {square}"


@dataclass(frozen=True, slots=True)
class ChangedPosition:
    """A position, and the changes that lead to it."""

    position: Position
    changes: tuple[PieceChange, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.changes))


def changed_positions(position: Position, most: int = 1) -> Iterator[ChangedPosition]:
    """The different positions after at least one change and at most `most`, the smallest changes first.

    Each comes once, by the fewest changes, and the position itself never.
    """
    seen = {position.bits}
    latest: list[ChangedPosition] = [ChangedPosition(position, ())]
    for _ in range(most):
        positions = []
        for each in latest:
            for change in _changes(each.position):
                bits = change.apply(each.position.bits)
                if bits not in seen:
                    seen.add(bits)
                    positions.append(ChangedPosition(Position.from_bits(bits), (*each.changes, change)))
        positions.sort(key=lambda each: sum(change.size for change in each.changes))
        yield from positions
        latest = positions


def _changes(position: Position) -> Iterator[PieceChange]:
    """The changes of one piece."""
    free = [square for square in range(SQUARES) if not (position.black | position.white) >> square & 1]
    for side, pieces in zip(Side, (position.black, position.white), strict=True):
        for square in squares(pieces):
            piece = _piece(side, bool(position.kings >> square & 1))
            yield from (
                PieceChange(ChangeKind.MOVE, piece, square, target) for target in free if _may_stand(piece, target)
            )
            kind = ChangeKind.UNCROWN if piece.is_king else ChangeKind.CROWN
            if _may_stand(_piece(side, not piece.is_king), square):
                yield PieceChange(kind, piece, square)
            if pieces.bit_count() > 1:
                yield PieceChange(ChangeKind.REMOVE, piece, square)
        if pieces.bit_count() < MAX_SIDE_PIECES:
            for piece in (_piece(side, False), _piece(side, True)):
                yield from (PieceChange(ChangeKind.ADD, piece, square) for square in free if _may_stand(piece, square))


def _may_stand(piece: Piece, square: int) -> bool:
    return piece.is_king or not _KING_ROWS[piece.side] >> square & 1


def _piece(side: Side, is_king: bool) -> Piece:
    if side is Side.BLACK:
        return Piece.BLACK_KING if is_king else Piece.BLACK_MAN
    return Piece.WHITE_KING if is_king else Piece.WHITE_MAN
