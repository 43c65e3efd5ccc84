"""The result of a match so far, as one player sees it: games that count, Elo, verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from kr.game.outcome import OVERTIME
from kr.match.elo import Estimate, estimate
from kr.match.game import FAILURE
from kr.match.log import Effort, MatchGame
from kr.match.machines import MatchWorker, match_workers
from kr.match.settings import MatchSettings
from kr.match.tally import MatchTally
from kr.match.verdict import PairsInOrder

JUDGED_EVERY = 4
"""Games of a worker between two checks for being suspect."""


@dataclass
class MatchResult:
    """Games of a match so far, as A sees them."""

    settings: MatchSettings
    names: tuple[str, str]
    games: list[MatchGame] = field(default_factory=list)
    """Games that count."""
    set_aside: list[MatchGame] = field(default_factory=list)
    """Games of suspect workers, and those that were played twice for that."""
    reviews: int = 0
    """Number of times that counted games were set aside; the totals are then computed afresh."""
    interrupted: bool = False
    damaged: int = 0
    """Games of the record that were damaged and have been removed, to be played again."""
    descriptions: tuple[str, str] = ("", "")
    """Of A and B, as `kr.players.names.described`."""
    _tally: MatchTally = field(default_factory=MatchTally, init=False, repr=False, compare=False)
    _ordered: PairsInOrder | None = field(default=None, init=False, repr=False, compare=False)
    _by_worker: Counter[str] = field(default_factory=Counter, init=False, repr=False, compare=False)
    _suspects: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def enter(self, game: MatchGame) -> None:
        """Add a finished game."""
        if game.worker in self._suspects:
            self.set_aside.append(game)
            return
        self.games.append(game)
        self._by_worker[game.worker] += 1
        if game.worker and self._by_worker[game.worker] % JUDGED_EVERY == 0:
            self.review()

    def review(self, others: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
        """Set the games of suspect workers aside; returns these workers with the reasons.

        others: workers that are suspect by other games.
        """
        suspects = {**others, **{each.name: each.suspect for each in self.workers() if each.suspect}}
        if suspects.keys() - self._suspects.keys():
            self._suspects = suspects | self._suspects
            valid: dict[tuple[int, bool], MatchGame] = {}
            aside = []
            for game in self.all_games():
                good = game.worker not in self._suspects and (game.pair, game.a_black) not in valid
                if good:
                    valid[game.pair, game.a_black] = game
                else:
                    aside.append(game)
            self.games, self.set_aside = list(valid.values()), aside
            self._tally, self._ordered = MatchTally(), None
            self.reviews += 1
        return self._suspects

    def all_games(self) -> list[MatchGame]:
        """All games, those set aside too."""
        return [*self.games, *self.set_aside]

    def workers(self) -> list[MatchWorker]:
        """Workers of a cluster that played."""
        return match_workers(self.all_games(), self.settings.timed)

    @property
    def tally(self) -> MatchTally:
        """Totals over all games so far."""
        for game in self.games[self._tally.games :]:
            self._tally.add(game)
        return self._tally

    def count(self, points: int) -> int:
        """Number of games in which A scored this many half points."""
        return self.tally.points[points]

    @property
    def pentanomial(self) -> tuple[int, int, int, int, int]:
        """Complete pairs by A's half points, worst first."""
        worst, worse, even, better, best = self.tally.pairs
        return worst, worse, even, better, best

    @property
    def estimate(self) -> Estimate:
        """Elo, its error and LOS, from complete pairs."""
        return estimate(self.pentanomial)

    @property
    def warning(self) -> str | None:
        """Warning, in one line, if forfeits distort the result; else None."""
        warning = self.tally.warning()
        return None if warning is None else str(warning)

    @property
    def ordered(self) -> PairsInOrder | None:
        """The pairs on which the verdict of the sequential test rests; None without a test."""
        test = self.settings.test()
        if test is None:
            return None
        if self._ordered is None:
            self._ordered, self._in_order = PairsInOrder(test), 0
        for game in self.games[self._in_order :]:
            self._ordered.add(game)
        self._in_order = len(self.games)
        return self._ordered

    @property
    def decision(self) -> str | None:
        """Decision of the sequential test; None without a test, and while it is undecided."""
        return self.ordered.decision if self.ordered else None

    def reasons(self) -> dict[str, int]:
        """Numbers of games by the reason for their end, most frequent first."""
        return dict(self.tally.reasons.most_common())

    def faults(self, reason: str) -> tuple[int, int]:
        """Numbers of games that A and B lost for this reason."""
        return self.tally.lost[0][reason], self.tally.lost[1][reason]

    def last_failure(self, points: int) -> str | None:
        """What the program said, or did, that lost the last game by failure in which A scored so many half points; None
        if there is none."""
        if not self.faults(FAILURE)[points // 2]:
            return None
        return next(game.detail for game in reversed(self.games) if (game.reason, game.points) == (FAILURE, points))

    def efforts(self) -> tuple[Effort, Effort]:
        """Totals of the searches of A and of B."""
        return self.tally.efforts

    def summary(self) -> dict[str, Any]:
        """All results, for programs: numbers and texts by name. Undefined numbers are None or infinite."""
        figures = self.estimate
        summary: dict[str, Any] = {
            "games": len(self.games),
            "wins": self.count(2),
            "draws": self.count(1),
            "losses": self.count(0),
            "pentanomial": self.pentanomial,
            "elo": figures.elo,
            "elo_error": figures.elo_error,
            "normalized_elo": figures.normalized_elo,
            "normalized_elo_error": figures.normalized_elo_error,
            "los": figures.los,
            "reasons": self.reasons(),
            "forfeits": sum(self.tally.forfeits),
            "warning": self.warning,
            "interrupted": self.interrupted,
            "sprt": None,
            "set_aside": len(self.set_aside),
            "workers": self.workers(),
            "settings": self.settings,
        }
        if ordered := self.ordered:
            test = ordered.test
            summary["sprt"] = {
                "llr": ordered.llr, "lower": test.lower, "upper": test.upper, "decision": ordered.decision,
                "pairs": ordered.count,
            }  # fmt: skip
        for index, letter in enumerate("ab"):
            effort = self.efforts()[index]
            summary[letter] = {
                "name": self.names[index],
                "player": self.descriptions[index],
                **effort.summary(),
                "time_forfeits": self.faults(OVERTIME)[index],
                "failures": self.faults(FAILURE)[index],
                "last_failure": self.last_failure(2 * index),
            }
        return summary
