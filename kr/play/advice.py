"""Advice to a person at the board: a search, and what it promises."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from kr.engine.limits import Limits
from kr.engine.result import SCORE_DECIDED, SCORE_WIN, SearchResult
from kr.engine.search import Stop
from kr.evaluation.chances import format_score
from kr.game.board import Board
from kr.play.table import Adviser, Thought
from kr.units import format_value


class Advice:
    """The giver of hints of a game, which is made for the first of them."""

    def __init__(self, make_adviser: Callable[[], Adviser]) -> None:
        self._make_adviser = make_adviser
        self._adviser: Adviser | None = None

    def search(self, board: Board, limits: Limits) -> Generator[Thought, SearchResult, SearchResult]:
        """Search the position on the board."""
        adviser = self._adviser = self._adviser or self._make_adviser()
        position, history, stop = board.position, board.history, Stop()
        return (yield Thought(lambda: adviser.search(position, limits, history, stop=stop), stop.set))

    def promise(self, result: SearchResult) -> str:
        """What a search promises, in words."""
        if result.value is not None:
            plies = SCORE_WIN - abs(result.score) if abs(result.score) > SCORE_DECIDED else None
            return f"a proved {format_value(result.value, plies)}"
        assert self._adviser is not None
        chances = self._adviser.chances(result.score, result.value)
        shares = f"win {chances.win:.0%}, draw {chances.draw:.0%}, loss {chances.loss:.0%}"
        return f"{format_score(result.score)} centi-men, expected result {chances.expected:.2f} ({shares})"

    def facts(self, result: SearchResult) -> dict[str, Any]:
        """The same for programs."""
        assert self._adviser is not None
        chances = self._adviser.chances(result.score, result.value)
        return {
            "move": str(result.move), "score": result.score, "value": result.value, "depth": result.depth,
            "pv": list(map(str, result.pv)), "expected": round(chances.expected, 4), "win": round(chances.win, 4),
            "draw": round(chances.draw, 4), "loss": round(chances.loss, 4),
        }  # fmt: skip
