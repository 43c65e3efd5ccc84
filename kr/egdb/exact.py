"""Exact play: the moves of a position with their values, and the one that is hardest to answer."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from kr.egdb.database import Database
from kr.game.position import Move, Position
from kr.game.value import Value

ENDLESS = 1 << 16
"""An unknown distance: longer than all known ones."""


@dataclass(frozen=True, slots=True)
class ExactMove:
    """A move with its exact value."""

    move: Move
    after: Position
    value: Value
    """For the side that plays it."""
    distance: int | None
    """Plies to the end of the game under best play, including this one; None for a draw or if it is not known."""


def exact_value(database: Database | None, position: Position) -> Value | None:
    """Value for the side to move, by the rules or the database; None if unknown. Raises InvalidDatabaseError."""
    if position.is_over:
        return Value.LOSS
    return database.value(position) if database is not None and database.has(position) else None


def exact_moves(database: Database | None, position: Position) -> list[ExactMove]:
    """All legal moves, best first: quick wins before slow ones, slow losses before quick ones.

    Empty if one of them leads out of the database, or if there is none. Raises InvalidDatabaseError.
    """
    moves = []
    for move in position.legal_moves():
        after = position.play(move)
        value = exact_value(database, after)
        if value is None:
            return []
        moves.append(ExactMove(move, after, value.opposite, _distance(database, after)))
    return sorted(moves, key=lambda each: (-each.value.sign, each.value.sign * (each.distance or ENDLESS)))


def hardest_move(database: Database | None, position: Position, seen: Collection[Position] = ()) -> ExactMove | None:
    """The move that keeps the value and is hardest for the opponent; None if `exact_moves` has none.

    A win: the quickest. A loss: the slowest, then the one with the fewest winning answers. A draw: the one with the
    most losing answers, to a position not seen before if possible. seen: earlier positions of the game. Raises
    InvalidDatabaseError.
    """
    moves = exact_moves(database, position)
    if not moves:
        return None
    best = [each for each in moves if each.value is moves[0].value]
    if best[0].value is Value.WIN:
        return best[0]

    def difficulty(each: ExactMove) -> tuple[float, ...]:
        answers = exact_moves(database, each.after)
        share = sum(answer.value is each.value.opposite for answer in answers) / max(1, len(answers))
        new = each.after not in seen
        if each.value is Value.LOSS:
            return each.distance or ENDLESS, -share, each.after.pieces, new, each.after.key
        return new, -share, each.after.pieces, each.after.key

    return max(best, key=difficulty)


def _distance(database: Database | None, position: Position) -> int | None:
    if position.is_over:
        return 1
    distance = None if database is None else database.distance(position)
    return None if distance is None else distance + 1
