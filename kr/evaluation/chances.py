"""Chances of a win, a draw and a loss behind a score.

The expected result, a draw counting half, is 1 / (1 + exp(-score / scale)). The scale, centi-men in a logit, is what
the fit of the tables found when it turned its logits into centi-men (`centimen_per_logit` of a weights file); for the
built-in evaluations it was fitted to their own games (`kr.evaluation`). One number gives the part of draws in the
expectation: of the points that the side with the worse chances may expect, DRAW_SHARE comes from draws. The figures
are in docs/lab/games.md; `python bench/chances.py DIR` repeats them.

A problem is not a position of a game: its author has something to show, a win or a draw that looks hard. Its
chances (`problem_chances`) come from an ordered logistic regression on published results, in units of the scale, which
`python bench/problem_chances.py FILE ANSWERS` repeats.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from kr import _core
from kr.game.value import Value

DRAW_SHARE = 0.93
"""Share of draws in the expected points of the side with the worse chances."""

LIKELY_FROM = 0.6
"""Least chance of a likely value; no value is likely if no chance reaches it."""
PROBLEM_WIN, PROBLEM_LOSS = 0.55, -1.9
"""Scores of a problem, in units of the scale, at which a win and a loss are as likely as not."""
PROBLEM_SPREAD = 0.5
"""Scale of a problem's chances, in units of that of games."""


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

    @property
    def likely(self) -> Value | None:
        """Value whose chance is LIKELY_FROM or more, or None."""
        return self.likeliest if self.of(self.likeliest) >= LIKELY_FROM else None

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


def problem_chances(score: int, scale: float, value: Value | None = None) -> Chances:
    """Chances of the value that a problem has, by perfect play, behind a score. Arguments: as `chances`."""
    if value is not None or abs(score) > _core.SCORE_STATIC_MAX:
        return chances(score, scale, value)
    win, loss = (
        1 / (1 + math.exp(min(beyond / (PROBLEM_SPREAD * scale), 700.0)))
        for beyond in (PROBLEM_WIN * scale - score, score - PROBLEM_LOSS * scale)
    )
    return Chances(win, 1 - win - loss, loss)


def format_score(score: int) -> str:
    """A score as people read it everywhere: centi-men for the side to move with their sign, "win" or "loss" beyond."""
    if abs(score) > _core.SCORE_STATIC_MAX:
        return Value.from_sign(score)
    return f"{score:+}" if score else "0"
