"""`kr egdb probe`: value and distance of a position and of each of its moves."""

from __future__ import annotations

from dataclasses import dataclass

from kr.egdb import slices
from kr.egdb.database import Database
from kr.egdb.forecast import build_for
from kr.errors import InvalidSettingError
from kr.game.board import PositionLike, position_of
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.settings import check_type


@dataclass(frozen=True)
class ProbedMove:
    """A move with its value."""

    move: str
    value: Value
    """For the side that plays it."""
    distance: int | None
    """Plies to the end of the game under best play, including this one; None for a draw or if it is not known."""


@dataclass(frozen=True)
class ProbedPosition:
    """A position with its value and its moves."""

    fen: str
    value: Value
    """For the side to move."""
    distance: int | None
    """Plies to the end of the game under best play; None for a draw or if it is not known."""
    moves: tuple[ProbedMove, ...]
    """Best first: quick wins before slow ones, slow losses before quick ones."""


def probe(database: Database, position: PositionLike) -> ProbedPosition:
    """Look up a position and its moves.

    Raises InvalidSettingError if the database doesn't have it, InvalidDatabaseError if that is damaged.
    """
    check_type("the database", database, Database)
    position = position_of(position)
    value = database.value(position)
    if value is None:
        own, other = position.black.bit_count(), position.white.bit_count()
        pieces = f"{own + other} pieces, {slices.class_name((max(own, other), min(own, other)))}"
        build = build_for(position)
        remedy = f"; `{build.command}` ({build.cost}) makes its class" if build else ""
        raise InvalidSettingError(
            f"{position.fen} has {pieces}; the database in {database.directory} has positions with "
            f"{database.reach}{remedy}"
        )
    return ProbedPosition(position.fen, value, database.distance(position), tuple(known_moves(database, position)))


def known_moves(database: Database, position: Position) -> list[ProbedMove]:
    """Moves of any position whose values the database knows, best first: captures may lead into it.

    Raises InvalidDatabaseError.
    """
    moves = (_probed_move(database, position, move) for move in position.legal_moves())
    # quick wins first, slow losses first
    return sorted(
        filter(None, moves), key=lambda move: (-move.value.sign, move.value.sign * (move.distance or 0))
    )  # fmt: skip


def _probed_move(database: Database, position: Position, move: Move) -> ProbedMove | None:
    after = position.play(move)
    if after.is_over:
        return ProbedMove(str(move), Value.WIN, 1)
    value, distance = database.value(after), database.distance(after)
    return None if value is None else ProbedMove(str(move), value.opposite, None if distance is None else distance + 1)
