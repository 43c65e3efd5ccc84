"""Running totals of a match."""

from __future__ import annotations

from collections import Counter

from kr.game.outcome import OVERTIME
from kr.match.elo import PAIR_SCORES
from kr.match.game import FAILURE
from kr.match.log import Effort, MatchGame
from kr.units import counted

MOST_FORFEITS = 0.02
"""Share of games lost on time or by failure beyond which the result counts as distorted."""


class MatchTally:
    """Totals over the games so far, updated game by game, so that reading them does not slow down as games add up."""

    def __init__(self) -> None:
        self.games = 0
        self.points: Counter[int] = Counter()
        """Games by A's half points."""
        self.reasons: Counter[str] = Counter()
        """Games by the reason for their end."""
        self.lost: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        """Reasons of the games that A lost, and of those that B lost."""
        self.pairs = [0] * len(PAIR_SCORES)
        """Complete pairs by A's half points, 0 to 4."""
        self.efforts = (Effort(), Effort())
        """A's and B's."""
        self._halves: dict[int, int] = {}

    def add(self, game: MatchGame) -> None:
        """Count a game."""
        self.games += 1
        self.points[game.points] += 1
        self.reasons[game.reason] += 1
        if game.points != 1:
            self.lost[game.points // 2][game.reason] += 1
        self.efforts = (self.efforts[0] + game.a, self.efforts[1] + game.b)
        # a pair is complete with its second game
        if game.pair in self._halves:
            self.pairs[self._halves.pop(game.pair) + game.points] += 1
        else:
            self._halves[game.pair] = game.points

    @property
    def forfeits(self) -> tuple[int, int]:
        """Games lost on time, and games lost by a failure or illegal move of an engine."""
        on_time, failed = (self.lost[0][reason] + self.lost[1][reason] for reason in (OVERTIME, FAILURE))
        return on_time, failed

    def warning(self) -> str | None:
        """Warning, in one line, if forfeits distort the result; else None."""
        return forfeit_warning(self.games, *self.forfeits)


def forfeit_warning(games: int, on_time: int, failed: int) -> str | None:
    """Warning, in one line, if more than MOST_FORFEITS of the games are forfeits; else None."""
    if on_time + failed <= MOST_FORFEITS * games:
        return None
    kinds = [f"{on_time} on time"] * bool(on_time) + [f"{failed} by engine failure"] * bool(failed)
    cures = ["use an idle machine, more time, fewer games at a time (--workers) or a node limit (nodes=5000)"] * bool(
        on_time
    )
    cures += ["see the Termination tags of the games"] * bool(failed)
    return (
        f"{on_time + failed} of {counted(games, 'game')} forfeited ({', '.join(kinds)}), which distorts the result: "
        f"{'; '.join(cures)}"
    )
