"""The cross table of a match of several players: who has met whom, and the totals of each player."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from kr.game.outcome import OVERTIME
from kr.language.sentences import Sentence
from kr.match.game import FAILURE
from kr.match.log import Effort
from kr.match.ratings import Ratings, ratings
from kr.match.tally import MatchTally, forfeit_warning

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Of the players, in the order in which they were named."""


def pairings_of(count: int, gauntlet: bool) -> list[tuple[int, int]]:
    """Two players of each pairing, by their numbers; those of a gauntlet all have the first player."""
    return [sides for sides in combinations(range(count), 2) if not (gauntlet and sides[0])]


@dataclass(frozen=True)
class Standing:
    """The totals of a player."""

    number: int
    elo: float
    """Beside the mean of all players."""
    error: float
    """Half the width of the 95% interval; infinite if unknown."""
    superior: float | None
    """Probability that it is stronger than the one of the next standing; None in the last."""
    wins: int
    draws: int
    losses: int
    results: dict[int, tuple[int, int, int]]
    """Wins, draws and losses against each opponent, by its number."""
    effort: Effort
    time_forfeits: int
    failures: int

    @property
    def games(self) -> int:
        """Number of its games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A point for a win, half a one for a draw."""
        return self.wins + self.draws / 2


class CrossTable:
    """The results of all pairings. tallies: of each, as its first player sees it."""

    def __init__(self, pairings: Sequence[tuple[int, int]], tallies: Sequence[MatchTally]) -> None:
        self.pairings, self.tallies = pairings, tallies

    @cached_property
    def ratings(self) -> Ratings:
        """Elo of all players, by maximum likelihood."""
        count = max(second for _, second in self.pairings) + 1
        pairs = {sides: tally.pairs for sides, tally in zip(self.pairings, self.tallies, strict=True)}
        return ratings(count, pairs)

    def standings(self) -> list[Standing]:
        """The players, strongest first."""
        rated = self.ratings
        order = sorted(range(len(rated.elo)), key=lambda number: -rated.elo[number])
        following = [*order[1:], None]
        return [self._standing(number, after) for number, after in zip(order, following, strict=True)]

    def _standing(self, number: int, following: int | None) -> Standing:
        results: dict[int, tuple[int, int, int]] = {}
        effort, time_forfeits, failures = Effort(), 0, 0
        for sides, tally in zip(self.pairings, self.tallies, strict=True):
            if number not in sides:
                continue
            own = sides.index(number)
            wins, losses = tally.points[2 - 2 * own], tally.points[2 * own]
            results[sides[1 - own]] = wins, tally.points[1], losses
            effort += tally.efforts[own]
            time_forfeits += tally.lost[own][OVERTIME]
            failures += tally.lost[own][FAILURE]
        wins, draws, losses = (sum(each) for each in zip(*results.values(), strict=True))
        superior = None if following is None else self.ratings.superior[number][following]
        rated = self.ratings
        return Standing(
            number, rated.elo[number], rated.errors[number], superior, wins, draws, losses, results, effort,
            time_forfeits, failures,
        )  # fmt: skip

    def warning(self) -> Sentence | None:
        """Warning, in one line, if forfeits distort the result; else None."""
        on_time, failed = (sum(each) for each in zip(*(tally.forfeits for tally in self.tallies), strict=True))
        return forfeit_warning(sum(tally.games for tally in self.tallies), on_time, failed)
