"""Positions that differ from one by a piece or two: moved, added, removed, crowned or uncrowned, as composers try them.

The side to move stays, and each side keeps at least one piece and has at most 12; no man stands on its king row. What
the change leaves is a position for another problem, whether or not it can arise in a game.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from kr import _core
from kr.game.position import Bits, Piece, Position
from kr.notation import square_name

MOST_CHANGES = _core.MOST_CHANGES
"""Most pieces that are changed at a time."""


class ChangeKind(StrEnum):
    """What is done to a piece."""

    MOVE = "move"
    ADD = "add"
    REMOVE = "remove"
    CROWN = "crown"
    UNCROWN = "uncrown"


_KINDS = (ChangeKind.MOVE, ChangeKind.ADD, ChangeKind.REMOVE, ChangeKind.CROWN, ChangeKind.UNCROWN)
_PIECES = (Piece.BLACK_MAN, Piece.BLACK_KING, Piece.WHITE_MAN, Piece.WHITE_KING)


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

    size: int = 1
    """How much it changes: the king's steps of a move, two for an added piece, 1 for the others."""

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


def changed_positions(position: Position, most: int = 1) -> list[ChangedPosition]:
    """The different positions after at least one change and at most `most`, the smallest changes first.

    Each comes once, by the fewest changes, and the position itself never.
    """
    return [changed_from(*row) for row in _core.changed_positions(position.bits, most)]


def changed_from(bits: Bits, changes: Iterable[tuple[int, int, int, int, int]]) -> ChangedPosition:
    """A changed position of the core."""
    return ChangedPosition(
        Position.from_bits(bits),
        tuple(
            PieceChange(_KINDS[kind], _PIECES[piece], square, None if target < 0 else target, size)
            for kind, piece, square, target, size in changes
        ),
    )
