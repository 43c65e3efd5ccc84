"""The verdict of a sequential test: pairs of games count in the order of their openings, whichever end first.

So it depends on the players and the seed alone, not on the number of games played at a time, on interruptions or on the
speed of machines; and short games, which end first, do not weigh more than long ones.
"""

from __future__ import annotations

from dataclasses import dataclass

from kr.match.elo import Sprt
from kr.match.log import MatchGame
from kr.match.tally import MatchTally


@dataclass
class PairsInOrder:
    """The pairs of a match up to the first that is not complete, or up to the one that decides."""

    test: Sprt
    stop: bool = True
    """True if the first decision stands, whatever follows."""

    def __post_init__(self) -> None:
        self.pentanomial = [0] * 5
        self.tally = MatchTally()
        """The games of the counted pairs."""
        self.count = 0
        """Pairs counted."""
        self._waiting: dict[int, list[MatchGame]] = {}

    @property
    def llr(self) -> float:
        """The log likelihood ratio of the pairs that count."""
        return self.test.llr(self.pentanomial)

    @property
    def decision(self) -> str | None:
        """Decision of the test over the pairs that count: "H1", "H0", or None while it is undecided."""
        return self.test.decision(self.pentanomial)

    @property
    def decided(self) -> bool:
        """True if no more games are wanted."""
        return self.stop and self.decision is not None

    def add(self, game: MatchGame) -> None:
        """Add a finished game; games of earlier pairs may still be under way."""
        self._waiting.setdefault(game.pair, []).append(game)
        while len(self._waiting.get(self.count, ())) == 2 and not self.decided:
            pair = self._waiting.pop(self.count)
            self.pentanomial[sum(each.points for each in pair)] += 1
            for each in pair:
                self.tally.add(each)
            self.count += 1
