"""The verdict of a sequential test: pairs of games count in the order of their openings, whichever end first.

So it depends on the players and the seed alone, not on the number of games played at a time, on interruptions or on the
speed of machines; and short games, which end first, do not weigh more than long ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kr.match.elo import Sprt
from kr.match.log import MatchGame
from kr.match.tally import MatchTally

COURSE_POINTS = 400
"""Most points of a curve over the pairs of a match."""


def course(points: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Pentanomials of a match as it went on, each with its number of pairs; of many pairs some, evenly, and the last.

    points: half points of each pair.
    """
    pentanomial = [0] * 5
    step = -(-len(points) // COURSE_POINTS)
    for count, each in enumerate(points, start=1):
        pentanomial[each] += 1
        if (len(points) - count) % step == 0:
            yield count, pentanomial


@dataclass
class PairsInOrder:
    """The pairs of a match up to the first that is not complete, or up to the one that decides."""

    test: Sprt
    stop: bool = True
    """True if the first decision stands, whatever follows."""

    def __post_init__(self) -> None:
        self.pentanomial = [0] * 5
        self.points: list[int] = []
        """Half points of the counted pairs, in their order."""
        self.tally = MatchTally()
        """The games of the counted pairs."""
        self._waiting: dict[int, list[MatchGame]] = {}

    @property
    def count(self) -> int:
        """Pairs counted."""
        return len(self.points)

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
            self.points.append(sum(each.points for each in pair))
            self.pentanomial[self.points[-1]] += 1
            for each in pair:
                self.tally.add(each)
