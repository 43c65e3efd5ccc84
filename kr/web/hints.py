"""Reasons for a hint: the line that follows, the pieces that it wins, and what the best alternative gives up.

    {"text", "path", "captured",            the move
     "forced": true,                        there is no other; left out if there is
     "score": 120, "plies": 7,              of the side to move; plies to the end of a win or loss seen to its end
     "line": [{move, "fen"}, ...],          the move and what follows
     "gain": {"pieces": 1, "plies": 5},     pieces won by the line, negative for lost ones, and the plies it takes; null
                                            if as many are taken as lost
     "crowned": 3,                          plies after which a man of this side is crowned; null if none is
     "other": {...}}                        the same of the best alternative, and its "value"; null if there is none

Gains are counted where no capture is due: within an exchange the count means nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kr.egdb.database import Database
from kr.engine.result import SCORE_DECIDED, SCORE_PROVED, SCORE_WIN, SearchResult
from kr.game.position import Move, Position, Side
from kr.game.value import Value
from kr.viewer.positions import move_json

MOST_HINT_MOVES = 12
"""Moves of a line that are shown."""


def hint_json(position: Position, result: SearchResult, database: Database | None) -> dict[str, Any]:
    """A hint as JSON, from a search with two lines."""
    hint = _reasons(position, result.pv, result.score)
    if len(position.legal_moves()) == 1:
        hint["forced"] = True
    others = [line for line in result.lines if line.pv[:1] != result.pv[:1]]
    hint["other"] = None
    if others:
        pv, score = others[0].pv, others[0].score
        hint["other"] = {**_reasons(position, pv, score), "value": _value(position, pv[0], score, database)}
    return hint


def gain_of(position: Position, line: Sequence[Move]) -> tuple[int, int] | None:
    """Pieces that the side to move wins by a line, negative for lost ones, and the plies after which it has; None if
    the line ends with as many as it began."""
    side = position.side
    before, counts, at = _lead(position, side), [], position
    for ply, move in enumerate(line, 1):
        at = at.play(move)
        if at.is_over or not at.legal_moves()[0].is_capture:
            counts.append((ply, _lead(at, side) - before))
    gain = counts[-1][1] if counts else 0
    if gain == 0:
        return None
    plies = counts[-1][0]
    for ply, count in reversed(counts):
        if count * gain < 0 or abs(count) < abs(gain):
            break
        plies = ply
    return gain, plies


def _reasons(position: Position, pv: Sequence[Move], score: int) -> dict[str, Any]:
    line: list[dict[str, Any]] = []
    at, crowned = position, None
    for ply, move in enumerate(pv, 1):
        mover, was_king = at.side, at.kings >> move.origin & 1
        at = at.play(move)
        if len(line) < MOST_HINT_MOVES:
            line.append({**move_json(move), "fen": at.fen})
        if crowned is None and mover is position.side and not was_king and at.kings >> move.target & 1:
            crowned = ply
    gain = gain_of(position, pv)
    return {
        **move_json(pv[0]),
        "score": score,
        "plies": SCORE_WIN - abs(score) if abs(score) > SCORE_DECIDED else None,
        "line": line,
        "gain": None if gain is None else {"pieces": gain[0], "plies": gain[1]},
        "crowned": crowned,
    }


def _lead(position: Position, side: Side) -> int:
    lead = position.black.bit_count() - position.white.bit_count()
    return lead if side is Side.BLACK else -lead


def _value(position: Position, move: Move, score: int, database: Database | None) -> Value | None:
    """Proved value of a move; None if unknown."""
    if abs(score) > SCORE_PROVED:
        return Value.from_sign(score)
    after = position.play(move)
    value = None if database is None or after.is_over else database.value(after)
    return None if value is None else value.opposite
