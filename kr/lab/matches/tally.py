"""What the games of a match add up to."""

from __future__ import annotations

from collections import Counter

from kr.lab.matches.elo import PAIR_SCORES
from kr.lab.matches.log import Effort, GameRecord


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
