"""Running totals of a match."""

from __future__ import annotations

from collections import Counter

from kr.game.outcome import OVERTIME
from kr.language.sentences import Sentence, count_of, sentence
from kr.match.elo import PAIR_SCORES
from kr.match.game import FAILURE
from kr.match.log import Effort, MatchGame

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

    def warning(self) -> Sentence | None:
        """Warning, in one line, if forfeits distort the result; else None."""
        return forfeit_warning(self.games, *self.forfeits)


def forfeit_warning(games: int, on_time: int, failed: int) -> Sentence | None:
    """Warning, in one line, if more than MOST_FORFEITS of the games are forfeits; else None."""
    if on_time + failed <= MOST_FORFEITS * games:
        return None
    kinds = [sentence(name, number=n) for name, n in (("match.on_time", on_time), ("match.failed", failed)) if n]
    cures = [sentence("match.less_load")] * bool(on_time) + [sentence("match.see_terminations")] * bool(failed)
    cure = sentence("match.cures", first=cures[0], second=cures[1]) if len(cures) > 1 else cures[0]
    return sentence("match.forfeits", number=on_time + failed, games=count_of("games", games), kinds=kinds, cure=cure)
