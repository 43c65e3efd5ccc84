"""The judgement of a move: its mark, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from kr.game.position import Move, Side
from kr.game.value import Value
from kr.language.sentences import Sentence

MARKS = ("?!", "?", "??")
"""Marks of moves that gave away expected result, in ascending order."""
ONLY = "!"
"""Mark of the only good move, if it is not obvious."""
TRAP, OVERSIGHT, AVOIDED = "trap", "oversight", "avoided"
"""Kinds of slips: a losing move that people are likely to play, one that few play, and a trap that was not fallen into.
"""
OPENING, FORCED, UNSEARCHED = "opening", "forced", "unsearched"
"""Reasons not to judge a move: in the opening, without an alternative, or with none seen by a short search."""


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """A move of the game, from the view of the side that played it.

    Expected results are from 0 to 1; a draw counts half. A field that was not searched is None.
    """

    ply: int
    """Number of moves before it."""
    side: Side
    """Side that played it."""
    move: Move
    judged: bool
    """True if there was a choice of moves and it was searched."""
    score: int | None = None
    """Centi-men after the move."""
    expected: float | None = None
    """The expected result after the move."""
    value: Value | None = None
    """Proved value after the move, whatever the history of the game; None if not proved."""
    plies: int | None = None
    """Plies from the move to the end of a proved win or loss; None if unknown."""
    by: str = ""
    """What proves the value, as in `kr.proofs.library.KnownValue`; "" without one."""
    draw: str = ""
    """Rule, REPETITION or NO_PROGRESS, by which the game can be claimed drawn after the move; "" if there is none."""
    draw_next: str = ""
    """Rule by which it can be claimed drawn after the best answer; "" if there is none, and where it can be already."""
    occurrence: int = 1
    """Number of times that the position after the move has then been on the board."""
    value_before: Value | None = None
    """Proved value before the move, under best play."""
    verdict: Value | None = None
    """Proved or likely value after the move (`kr.evaluation.verdicts`), whatever the history; None if it is unclear."""
    verdict_before: Value | None = None
    """The same before the move."""
    best: Move | None = None
    """Best move; the one played if it is as good as any."""
    best_score: int | None = None
    """Centi-men after the best move."""
    best_expected: float | None = None
    """The expected result after the best move."""
    best_value: Value | None = None
    """Proved value after the best move."""
    line: tuple[Move, ...] = ()
    """Line that begins with the best move; empty if the move played is as good."""
    refutation: tuple[Move, ...] = ()
    """Line that begins with the move played; empty without one of MARKS."""
    others_expected: float | None = None
    """Expected result of the best alternative to the move played."""
    why: tuple[Sentence, ...] = ()
    """Reasons for the mark, as far as facts of the two lines tell (`kr.analysis.annotation.coach`)."""
    loss: float = 0.0
    """Expected result given away."""
    mark: str = ""
    """One of MARKS, ONLY, or ""."""
    obvious: bool = False
    """True if a glance shows the move played, and that any other is worse."""
    reason: str = ""
    """Reason not to judge it: OPENING, FORCED or UNSEARCHED; "" if it is judged."""
    confirmed: bool = False
    """True if the expected result after the move is exact, or if searches further on in the game agree with it."""
    likely: float | None = None
    """Probability that a person plays the move; None without a policy, or a choice."""
    likeliest: Move | None = None
    """Move that people are most likely to play."""
    likeliest_probability: float | None = None
    likely_holds: bool = False
    """True if probabilities such as `likely` held in a test: it may be told as a number."""
    likeliest_holds: bool = False
    slip: str = ""
    """TRAP, OVERSIGHT or AVOIDED; "" for none of them."""
    harder: Move | None = None
    """A move that draws as well, and is harder for people, where the one played gives them no chance to lose; None if
    there is none, or it is not known."""

    @property
    def certain(self) -> Value | None:
        """Certain result of the game after the move: a draw by rule, or else the proved value; None without either."""
        return Value.DRAW if self.draw or self.draw_next else self.value
