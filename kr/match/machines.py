"""The workers that played a match on a cluster: how fast they are, and whether their results fit those of the others.

A worker is suspect if its games would distort the match: in a match with a time limit it searches far fewer nodes a
second than the others, so that its games were played with less time; in any match its results differ from those of the
others by more than chance allows (the residual of fishtest, the cluster of Stockfish's authors).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist, median_high

from kr.match.elo import PAIR_SCORES
from kr.match.log import Effort, MatchGame

SLOW = 0.6
"""Share of the middle worker's nodes a second below which a worker is too slow for a match with a time limit."""
LEAST_GAMES = 4
"""Games of a worker, and of the others together, before its speed is judged."""
LEAST_PAIRS = 8
"""Pairs of a worker, and of the others together, before its results are judged."""
FALSE_ALARM = 1e-4
"""Probability that chance makes any of the workers suspect by its results."""


@dataclass(frozen=True)
class MatchWorker:
    """What a worker played."""

    name: str
    games: int
    pairs: int
    points: float
    """Mean of A's points in a pair's game, 0 to 1; not a number without a complete pair."""
    efforts: tuple[Effort, Effort]
    """Of A and of B."""
    speed: float
    """Its nodes a second beside those of the middle worker; not a number if it searched nothing."""
    residual: float
    """Standard errors by which its pairs differ from those of all others; not a number for too few pairs."""
    suspect: str = ""
    """Why its games do not count; empty if they do."""

    @property
    def nodes_per_second(self) -> tuple[float, float]:
        """Of A and of B."""
        a, b = (each.nodes / max(each.seconds, 1e-9) for each in self.efforts)
        return a, b


def match_workers(games: Iterable[MatchGame], timed: bool) -> list[MatchWorker]:
    """Workers by their names, judged by all games of a match. timed: it has a time limit."""
    by_worker: dict[str, list[MatchGame]] = {}
    for game in games:
        if game.worker:
            by_worker.setdefault(game.worker, []).append(game)
    scores = {name: _pair_scores(played) for name, played in by_worker.items()}
    speeds = {name: _speed(played) for name, played in by_worker.items()}
    known = [speed for speed in speeds.values() if speed > 0]
    middle = median_high(known) if known else math.nan
    total = [score for each in scores.values() for score in each]
    bound = NormalDist().inv_cdf(1 - FALSE_ALARM / 2 / max(1, len(by_worker)))
    found = []
    for name, played in sorted(by_worker.items()):
        residual = _residual(scores[name], total)
        speed = speeds[name] / middle if speeds[name] > 0 else math.nan
        others = sum(map(len, by_worker.values())) - len(played)
        suspect = ""
        if timed and speed < SLOW and min(len(played), others) >= LEAST_GAMES:
            suspect = f"it searches {speed:.2f} times the nodes a second of the others"
        elif abs(residual) > bound:
            suspect = f"its results differ from those of the others by {residual:+.1f} standard errors"
        own = scores[name]
        efforts = sum((each.a for each in played), Effort()), sum((each.b for each in played), Effort())
        points = sum(own) / len(own) if own else math.nan
        found.append(MatchWorker(name, len(played), len(own), points, efforts, speed, residual, suspect))
    return found


def _pair_scores(games: Iterable[MatchGame]) -> list[float]:
    """A's points per game in each complete pair."""
    points: dict[int, list[int]] = {}
    for game in games:
        points.setdefault(game.pair, []).append(game.points)
    return [PAIR_SCORES[sum(pair)] for pair in points.values() if len(pair) == 2]


def _speed(games: Iterable[MatchGame]) -> float:
    """Nodes a second of both players together."""
    total = sum((game.a + game.b for game in games), Effort())
    return total.nodes / total.seconds if total.seconds > 0 else 0.0


def _residual(own: list[float], total: list[float]) -> float:
    """Difference of a worker's mean from that of the others, in standard errors."""
    count, others = len(own), len(total) - len(own)
    if min(count, others) < LEAST_PAIRS:
        return math.nan
    mean = sum(total) / len(total)
    variance = sum((score - mean) ** 2 for score in total) / (len(total) - 1)
    if variance == 0:
        return 0.0
    rest = (sum(total) - sum(own)) / others
    return (sum(own) / count - rest) / math.sqrt(variance * (1 / count + 1 / others))
