"""The workers that played a match on a cluster: their speed, and the agreement of their results with those of others.

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
"""Share of the speed that is due below which a search is too slow for a time limit: of the middle worker's nodes a
second in a match on a cluster, of a processor's time where one machine solves problems."""
LEAST_GAMES = 4
"""Games of a worker, and of the others together, before its speed is judged."""
LEAST_PAIRS = 8
"""Pairs of a worker, and of the others together, before its results are judged."""
LEAST_WORKERS = 3
"""Workers with that many pairs before one is suspect by its results."""
FALSE_ALARM = 1e-4
"""Probability that chance makes any of the workers suspect by its results."""


@dataclass(frozen=True)
class MatchWorker:
    """The games of a worker, and its speed."""

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
    for game in sorted(games, key=lambda game: game.worker):
        if game.worker:
            by_worker.setdefault(game.worker, []).append(game)
    scores = {name: _pair_scores(worker_games) for name, worker_games in by_worker.items()}
    speeds = _speeds(by_worker)
    total = sum(map(len, by_worker.values()))
    suspects = {
        name: f"it searches {speeds[name]:.2f} times the nodes a second of the others"
        for name, worker_games in by_worker.items()
        if timed and speeds[name] < SLOW and min(len(worker_games), total - len(worker_games)) >= LEAST_GAMES
    }
    residuals = _residuals(scores, suspects)
    workers = []
    for name, worker_games in by_worker.items():
        own = scores[name]
        efforts = sum((each.a for each in worker_games), Effort()), sum((each.b for each in worker_games), Effort())
        points = sum(own) / len(own) if own else math.nan
        workers.append(
            MatchWorker(
                name,
                len(worker_games),
                len(own),
                points,
                efforts,
                speeds[name],
                residuals[name],
                suspects.get(name, ""),
            )
        )
    return workers


def _residuals(scores: dict[str, list[float]], suspects: dict[str, str]) -> dict[str, float]:
    """Residual of each worker against the others that are not suspect; those that differ too much become suspect.

    The oddest one goes first, for it makes the others differ from the rest as well. If only two workers differ, either
    may be the odd one.
    """
    bound = NormalDist().inv_cdf(1 - FALSE_ALARM / 2 / max(1, len(scores)))
    while True:
        residuals = {
            name: _residual(
                own, [score for other in scores if other not in {name, *suspects} for score in scores[other]]
            )
            for name, own in scores.items()
        }
        names = [name for name, each in residuals.items() if name not in suspects and not math.isnan(each)]
        odd = max(names, key=lambda name: abs(residuals[name]), default="")
        if len(names) < LEAST_WORKERS or abs(residuals[odd]) <= bound:
            return residuals
        suspects[odd] = f"its results differ from those of the others by {residuals[odd]:+.1f} standard errors"


def _pair_scores(games: Iterable[MatchGame]) -> list[float]:
    """A's points per game in each complete pair."""
    points: dict[int, list[int]] = {}
    for game in games:
        points.setdefault(game.pair, []).append(game.points)
    return [PAIR_SCORES[sum(pair)] for pair in points.values() if len(pair) == 2]


def _speeds(by_worker: dict[str, list[MatchGame]]) -> dict[str, float]:
    """Nodes a second of both players together, beside those of the middle worker; of two, the faster one."""
    speeds = {}
    for name, worker_games in by_worker.items():
        total = sum((game.a + game.b for game in worker_games), Effort())
        speeds[name] = total.nodes / total.seconds if total.nodes and total.seconds > 0 else math.nan
    measurable = [speed for speed in speeds.values() if speed > 0]
    return {name: speed / median_high(measurable) if speed > 0 else math.nan for name, speed in speeds.items()}


def _residual(own: list[float], others: list[float]) -> float:
    """Difference of a worker's mean from that of others, in standard errors."""
    if min(len(own), len(others)) < LEAST_PAIRS:
        return math.nan
    total = own + others
    mean = sum(total) / len(total)
    variance = sum((score - mean) ** 2 for score in total) / (len(total) - 1)
    if variance == 0:
        return 0.0
    difference = sum(own) / len(own) - sum(others) / len(others)
    return difference / math.sqrt(variance * (1 / len(own) + 1 / len(others)))
