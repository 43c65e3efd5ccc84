"""Chances of a win, a draw and a loss behind a score.

The expected result, a draw counting half, is 1 / (1 + exp(-score / scale)). The scale, centi-men in a logit, is what
the fit of the tables found when it turned its logits into centi-men (`centimen_per_logit` of a weights file); for the
built-in evaluations it was fitted to their own games (`kr.evaluation`). One number gives the part of draws in the
expectation: of the points that the side with the worse chances may expect, DRAW_SHARE comes from draws. The figures
are in docs/lab/games.md; `python bench/chances.py DIR` repeats them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from kr import _core
from kr.game.value import Value

DRAW_SHARE = 0.93
"""Share of draws in the expected points of the side with the worse chances."""


@dataclass(frozen=True)
class Chances:
    """Probability of each result for the side to move; the three add up to 1."""

    win: float
    draw: float
    loss: float

    @property
    def expected(self) -> float:
        """The expected result from 0 to 1, a draw counting half."""
        return self.win + self.draw / 2

    @property
    def likeliest(self) -> Value:
        """Likeliest value; a draw where it is as likely as any other."""
        ordered = (Value.DRAW, self.draw), (Value.WIN, self.win), (Value.LOSS, self.loss)
        return max(ordered, key=lambda each: each[1])[0]

    def of(self, value: Value) -> float:
        """The chance of a value."""
        return {Value.WIN: self.win, Value.DRAW: self.draw, Value.LOSS: self.loss}[value]


KNOWN = {
    Value.WIN: Chances(1.0, 0.0, 0.0),
    Value.DRAW: Chances(0.0, 1.0, 0.0),
    Value.LOSS: Chances(0.0, 0.0, 1.0),
}
"""Chances of a proved value."""


def chances(score: int, scale: float, value: Value | None = None) -> Chances:
    """Chances behind a score.

    score: centi-men from the side to move; scale: centi-men in a logit (`Engine.score_scale`); value: the value
    if it is proved. A score beyond all static scores counts as proved.
    """
    if value is None and abs(score) > _core.SCORE_STATIC_MAX:
        value = Value.from_sign(score)
    if value is not None:
        return KNOWN[value]
    worse = 1 / (1 + math.exp(min(abs(score) / scale, 700.0)))
    draw = 2 * DRAW_SHARE * worse
    win, loss = 1 - worse - draw / 2, worse - draw / 2
    return Chances(win, draw, loss) if score >= 0 else Chances(loss, draw, win)


def format_score(score: int) -> str:
    """A score as people read it everywhere: centi-men for the side to move with their sign, "win" or "loss" beyond."""
    if abs(score) > _core.SCORE_STATIC_MAX:
        return Value.from_sign(score)
    return f"{score:+}" if score else "0"
