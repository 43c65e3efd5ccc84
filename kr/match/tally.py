"""What the games of a match add up to."""

from __future__ import annotations

from collections import Counter

from kr.match.elo import PAIR_SCORES
from kr.match.game import FAILURE, OVERTIME
from kr.match.log import Effort, GameRecord
from kr.units import counted

MOST_FORFEITS = 0.02
"""The share of games that may be lost on time or by failure before the result is called distorted."""


class Tally:
    """Sums over games, kept as they come: to ask for them after each game takes no longer the more there were."""

    def __init__(self) -> None:
        self.games = 0
        self.points: Counter[int] = Counter()
        """Games by A's half points."""
        self.reasons: Counter[str] = Counter()
        """Games by why they ended."""
        self.lost: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        """The same of those that A lost, and of those that B lost."""
        self.pairs = [0] * len(PAIR_SCORES)
        """Whole pairs by A's half points, 0 to 4."""
        self.efforts = (Effort(), Effort())
        """A's and B's."""
        self._halves: dict[int, int] = {}

    def add(self, game: GameRecord) -> None:
        self.games += 1
        self.points[game.points] += 1
        self.reasons[game.reason] += 1
        if game.points != 1:
            self.lost[game.points // 2][game.reason] += 1
        self.efforts = (self.efforts[0] + game.a, self.efforts[1] + game.b)
        # a pair is whole with its second game
        if game.pair in self._halves:
            self.pairs[self._halves.pop(game.pair) + game.points] += 1
        else:
            self._halves[game.pair] = game.points

    @property
    def forfeits(self) -> tuple[int, int]:
        """Games lost on time, and games lost because an engine failed or played an illegal move."""
        on_time, failed = (self.lost[0][reason] + self.lost[1][reason] for reason in (OVERTIME, FAILURE))
        return on_time, failed

    def warning(self) -> str | None:
        """One line where so many games are forfeits that the result is distorted, and what to do about it."""
        return forfeit_warning(self.games, *self.forfeits)


def forfeit_warning(games: int, on_time: int, failed: int) -> str | None:
    """One line where more than MOST_FORFEITS of the games are forfeits, and what to do about it; None elsewhere."""
    if on_time + failed <= MOST_FORFEITS * games:
        return None
    kinds = [f"{on_time} on time"] * bool(on_time) + [f"{failed} by engine failure"] * bool(failed)
    cures = [
        "use a quieter machine, more time, fewer games at a time (--concurrency) or a limit of nodes (nodes=5000)"
    ] * bool(on_time)
    cures += ["the games' Termination tags say what failed"] * bool(failed)
    return (
        f"{on_time + failed} of {counted(games, 'game')} forfeited ({', '.join(kinds)}), which distorts the result: "
        f"{'; '.join(cures)}"
    )
