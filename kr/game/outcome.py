"""Outcome of a game: the winner, and the reason for its end."""

from __future__ import annotations

from dataclasses import dataclass

from kr.game.position import Side
from kr.game.value import Result, Value
from kr.notation import SIDE_NAMES

NO_PIECES = "no pieces left"
NO_MOVE = "no legal move"
REPETITION = "repetition"
NO_PROGRESS = "no progress"
DRAW_BY = {REPETITION: "by repetition", NO_PROGRESS: "for lack of progress"}
"""Draws by rule in words, after "a draw" or "drawn"."""
RESIGNATION = "resignation"
AGREEMENT = "agreement"
OVERTIME = "time forfeit"


@dataclass(frozen=True)
class Outcome:
    """Winner of a finished game and the reason for its end."""

    winner: Side | None
    """None for a draw."""
    reason: str
    """By rule (`Board.outcome`): NO_PIECES, NO_MOVE, REPETITION or NO_PROGRESS. By the players: RESIGNATION, AGREEMENT,
    OVERTIME or another text."""

    @property
    def result(self) -> Result:
        """As written in PDN."""
        return Result.of(self.winner)

    def value_for(self, side: Side) -> Value:
        """Win, draw or loss for a side."""
        return Value.of(self.winner, side)

    def __str__(self) -> str:
        who = "a draw" if self.winner is None else f"{SIDE_NAMES[self.winner]} wins"
        return f"{who} ({self.reason}), {self.result}"
