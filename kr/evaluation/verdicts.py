"""Verdicts: the value that a position has by perfect play, where two searches say it and nothing proves it.

A verdict rests on the score of the position and on that of a search after its best move, both for the side to move and
by the same limit: where they don't say the same, there is none. So along a line of best moves two verdicts in a row
can't contradict each other, as the second score of one is the first of the other. The rule is one for either side to
move and for positions of any origin: it states what held in composed problems, along their solutions, in games of
people and in self-play, and is silent where it didn't (docs/lab/verdicts.md; `python bench/verdicts.py` repeats it).

A composed problem is not any position: its author has something to show, a win or a draw that looks hard. Who knows
that a position is one, with the solver to move, may ask for what is likely of those (`likely_if_composed`).

The numbers stand in verdicts.json, scores in units of the scale, centi-men in a logit; the page reads them as well.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from typing import Any

from kr.game.value import Value

RULE: dict[str, Any] = json.loads(resources.files(__package__).joinpath("verdicts.json").read_text("utf-8"))
"""won: least score of a likely win; drawn: greatest score, either way, of a likely draw; pieces: the most of a position
with a verdict; chance: share of verdicts that come true. composed: the same for the solver of a composed problem, by
one score, between the two of `drawn` for a draw; losses are never likely there."""


@dataclass(frozen=True)
class Likely:
    """A value that is likely, and the share of such verdicts that come true."""

    value: Value
    chance: float


def likely(score: int, reply: int, pieces: int, scale: float) -> Likely | None:
    """The likely value of a position for its side to move; None if it is unclear. For scores that prove nothing.

    score: of a search of the position, in centi-men; reply: of one after its best move, for the same side; pieces: on
    the board; scale: centi-men in a logit (`Engine.score_scale`).
    """
    value, other = (_indicated(each / scale) for each in (score, reply))
    if value is None or value is not other or pieces > RULE["pieces"]:
        return None
    return Likely(value, RULE["chance"])


def _indicated(score: float) -> Value | None:
    """The value that a score indicates by itself. score: in units of the scale."""
    if abs(score) <= RULE["drawn"]:
        return Value.DRAW
    return Value.from_sign(score) if abs(score) >= RULE["won"] else None


def likely_if_composed(score: int, scale: float) -> Likely | None:
    """The likely value of a composed problem for its solver, who is to move; None if it is unclear.

    score: of a search of the position, in centi-men, which proves nothing; scale: as of `likely`.
    """
    rule = RULE["composed"]
    low, high = rule["drawn"]
    if score / scale >= rule["won"]:
        return Likely(Value.WIN, rule["chance"])
    return Likely(Value.DRAW, rule["chance"]) if low <= score / scale <= high else None
