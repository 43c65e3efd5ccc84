"""The gate of a generation: a match of new tables against the strongest so far, ended by a sequential test.

Pairs of games are counted in the order of their openings, whichever end first, up to the pair that decides. So the
verdict depends on the players and the seed alone, not on the number of games played at a time or interruptions;
and short games, which end first, do not weigh more than long ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kr.engine.search import Stop
from kr.errors import StoppedError
from kr.match.elo import Sprt, estimate
from kr.match.log import MatchGame
from kr.match.match import MatchResult, MatchSettings, play_match
from kr.match.tally import MatchTally


class _DecidedError(Exception):
    """Ends a match whose remaining games can change nothing."""


@dataclass
class Gate:
    """The pairs of a match that count so far, from the new tables' point of view."""

    test: Sprt
    stop: bool
    """True if the first decision ends the match."""

    def __post_init__(self) -> None:
        self.pentanomial = [0] * 5
        self.games = [0] * 3
        """Losses, draws and wins of the counted pairs."""
        self.tally = MatchTally()
        """The same games."""
        self._waiting: dict[int, list[MatchGame]] = {}
        self._next = 0

    @property
    def llr(self) -> float:
        """The log likelihood ratio of the pairs that count."""
        return self.test.llr(self.pentanomial)

    @property
    def decided(self) -> bool:
        """True if no more games are wanted."""
        return self.stop and self.test.decision(self.pentanomial) is not None

    def add(self, game: MatchGame) -> None:
        """Add a finished game; games of earlier pairs may still be under way."""
        self._waiting.setdefault(game.pair, []).append(game)
        while len(self._waiting.get(self._next, ())) == 2 and not self.decided:
            pair = self._waiting.pop(self._next)
            self.pentanomial[sum(each.points for each in pair)] += 1
            for each in pair:
                self.games[each.points] += 1
                self.tally.add(each)
            self._next += 1

    def verdict(self) -> dict[str, Any]:
        """Counts, Elo with its error, the test, and whether the new tables are accepted: see `play_gate`."""
        losses, draws, wins = self.games
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
            "decision": self.test.decision(self.pentanomial),
            "accepted": llr > 0,
            "warning": self.tally.warning(),
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
    taken = 0

    def take(result: MatchResult) -> None:
        nonlocal taken
        for game in result.games[taken:]:
            gate.add(game)
        taken = len(result.games)
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
