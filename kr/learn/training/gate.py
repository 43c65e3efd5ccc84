"""The gate of a generation: a match of new tables against the strongest so far, ended by a sequential test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kr.engine.search import Stop
from kr.errors import StoppedError
from kr.match.elo import Sprt, estimate
from kr.match.match import play_match
from kr.match.result import MatchResult
from kr.match.settings import MatchSettings
from kr.match.verdict import PairsInOrder


class _DecidedError(Exception):
    """Ends a match whose remaining games can't change the verdict."""


class Gate(PairsInOrder):
    """The pairs of a match that count so far, from the new tables' point of view. stop: the first decision ends it."""

    def verdict(self) -> dict[str, Any]:
        """Counts, Elo with its error, the test, and true if the new tables are accepted: see `play_gate`."""
        losses, draws, wins = (self.tally.points[points] for points in range(3))
        figures = estimate(self.pentanomial)
        llr = self.llr
        return {
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "pentanomial": list(self.pentanomial),
            "elo": figures.elo,
            "elo_error": figures.elo_error,
            "llr": llr,
            "decision": self.decision,
            "accepted": llr > 0,
            "warning": (warning := self.tally.warning()) and str(warning),
        }


def play_gate(
    match: MatchSettings,
    test: Sprt,
    early: bool,
    on_game: Callable[[Gate], None] = lambda gate: None,
    stop: Stop | None = None,
) -> dict[str, Any]:
    """Play the match, or the rest of it, and give the verdict on its first player.

    The new tables are accepted if the test finds for elo1. With `early` that ends the match; if all games leave it
    undecided, the more likely of the two hypotheses holds. stop: ends the match after the next game. Raises
    StoppedError then, KeyboardInterrupt, and what `play_match` raises.
    """
    gate = Gate(test, early)
    count = reviews = 0

    def take(result: MatchResult) -> None:
        nonlocal gate, count, reviews
        if result.reviews != reviews:  # games that counted were set aside
            gate, count, reviews = Gate(test, early), 0, result.reviews
        for game in result.games[count:]:
            gate.add(game)
        count = len(result.games)
        on_game(gate)
        if gate.decided:
            raise _DecidedError
        if stop is not None and stop.is_set():
            raise StoppedError(f"{match.pdn}: the match was stopped")

    try:
        if play_match(match, take).interrupted:
            raise KeyboardInterrupt
    except _DecidedError:
        pass
    return gate.verdict()
