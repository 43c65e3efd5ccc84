"""The result of a match of two or more players so far: that of each pairing, and the cross table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from kr.match.crosstable import CrossTable
from kr.match.log import MatchGame
from kr.match.result import MatchResult
from kr.match.settings import MatchSettings


class Tournament:
    """Games of all pairings so far. names, descriptions: of the players, as `MatchResult` has them."""

    def __init__(self, settings: MatchSettings, names: Sequence[str], descriptions: Sequence[str]) -> None:
        self.settings, self.names, self.descriptions = settings, names, descriptions
        self.pairings = settings.pairings()
        self.results = [
            MatchResult(settings, (names[a], names[b]), descriptions=(descriptions[a], descriptions[b]))
            for a, b in self.pairings
        ]
        """By pairing, as the first of its players sees it."""
        self.interrupted = False
        self.damaged = 0
        """Games of the record that were damaged and have been removed, to be played again."""

    def enter(self, game: MatchGame) -> None:
        """Add a finished game."""
        self.results[game.pairing].enter(game)

    @property
    def games(self) -> int:
        """Number of games that count."""
        return sum(len(result.games) for result in self.results)

    @property
    def reviews(self) -> int:
        """Number of times that counted games were set aside."""
        return sum(result.reviews for result in self.results)

    def review(self) -> dict[str, str]:
        """Set the games of suspect workers aside; returns these workers with the reasons.

        Pairings are judged one by one, since speeds and results differ between them; who is suspect in one is in all.
        """
        suspects: dict[str, str] = {}
        for result in self.results:
            suspects |= result.review()
        for result in self.results:
            result.review(suspects)
        return suspects

    def table(self) -> CrossTable:
        """The cross table of the games that count."""
        return CrossTable(self.pairings, [result.tally for result in self.results])

    @property
    def warning(self) -> str | None:
        """Warning, in one line, if forfeits distort the result; else None."""
        warning = self.table().warning()
        return None if warning is None else str(warning)

    def last_failure(self, number: int) -> str | None:
        """What lost the last game that a player lost by failure; None if there is none."""
        failures = [
            failure
            for sides, result in zip(self.pairings, self.results, strict=True)
            if number in sides and (failure := result.last_failure(2 * sides.index(number)))
        ]
        return failures[-1] if failures else None

    def summary(self) -> dict[str, Any]:
        """All results, for programs: numbers and texts by name. Undefined numbers are None or infinite."""
        table = self.table()
        players = [
            {
                "name": self.names[each.number],
                "player": self.descriptions[each.number],
                "number": each.number,
                "elo": each.elo,
                "elo_error": each.error,
                "los": each.superior,
                **{name: getattr(each, name) for name in ("games", "points", "wins", "draws", "losses")},
                **each.effort.summary(),
                "time_forfeits": each.time_forfeits,
                "failures": each.failures,
                "last_failure": self.last_failure(each.number),
            }
            for each in table.standings()
        ]
        shown = ("wins", "draws", "losses", "pentanomial", "elo", "elo_error", "los", "reasons", "forfeits")
        pairings = []
        for sides, result in zip(self.pairings, self.results, strict=True):
            summary = result.summary()
            pairings.append({"players": sides, "games": len(result.games), **{name: summary[name] for name in shown}})
        workers = Counter(game.worker for result in self.results for game in result.all_games() if game.worker)
        return {
            "games": self.games,
            "players": players,
            "superiority": table.ratings.superior,
            "pairings": pairings,
            "warning": self.warning,
            "interrupted": self.interrupted,
            "set_aside": sum(len(result.set_aside) for result in self.results),
            "workers": dict(sorted(workers.items())),
            "settings": self.settings,
        }
