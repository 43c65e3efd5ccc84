"""Many players on one Elo scale: matches of pairs that are kept, and one maximum-likelihood fit to all of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr.engine.limits import parse_limits
from kr.match.elo import CONFIDENCE_95, ELO_SCALE
from kr.match.match import MatchSettings, play_match

DRAWS_IMAGINED = 0.5
"""Drawn games added to each match in the fit, so that a match without a point for one side has a finite estimate."""
SAMPLES = 200
"""Of the bootstrap."""


@dataclass(frozen=True)
class Rung:
    """A player on the scale."""

    name: str
    spec: str
    """As `kr match` takes it."""
    limit: str = "nodes=100k"
    """Of each move, if the player has none of its own."""


@dataclass(frozen=True)
class Met:
    """A match."""

    a: str
    b: str
    pairs: tuple[int, ...]
    """Half points of A in each pair of games."""


@dataclass(frozen=True)
class Rating:
    """Elo with half of its 95% interval, by the games alone."""

    elo: float
    error: float
    games: int


class Ladder:
    """Matches in a directory, which are not played again."""

    def __init__(self, directory: Path, games: int, ballot: str = "3move") -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.directory, self.games, self.ballot = directory, games, ballot
        self.met: dict[tuple[str, str], Met] = {}

    def meet(self, a: Rung, b: Rung, games: int | None = None) -> None:
        """Play a match, or read it if it has been played. games: those of the ladder if not given."""
        if a.name == b.name or (a.name, b.name) in self.met or (b.name, a.name) in self.met:
            return
        wanted = games or self.games
        path = self.directory / f"{_file_name(a.name)} v {_file_name(b.name)}.json"
        told = [a.spec, a.limit, b.spec, b.limit, self.ballot]
        known = json.loads(path.read_text()) if path.exists() else {}
        if known.get("players") != told or 2 * len(known["pairs"]) < wanted:
            known = {"players": told, "pairs": self._played(a, b, wanted, path.with_suffix(".pdn"))}
            path.write_text(json.dumps(known) + "\n")
        self.met[a.name, b.name] = Met(a.name, b.name, tuple(known["pairs"]))

    def _played(self, a: Rung, b: Rung, games: int, path: Path) -> list[int]:
        """Half points of A in each pair."""
        settings = MatchSettings(
            a=a.spec, b=b.spec, games=games, ballot=self.ballot, tc=parse_limits(a.limit), tc_b=parse_limits(b.limit),
            hash=4 << 20, egdb="none", adjudicate=False, pdn=path,
        )  # fmt: skip
        result = play_match(settings)
        if result.interrupted:
            raise KeyboardInterrupt
        pairs: dict[int, int] = {}
        for game in result.games:
            pairs[game.pair] = pairs.get(game.pair, 0) + game.points
        return [pairs[pair] for pair in sorted(pairs)]

    def meet_nearest(self, players: Sequence[Rung], count: int, among: Sequence[Rung]) -> None:
        """Each player meets those of `among` that are nearest by the scale so far."""
        found = elo_scale(list(self.met.values()), among[0].name, samples=0)
        for player in players:
            near = sorted(
                (each for each in among if each.name != player.name),
                key=lambda each: abs(found[each.name].elo - found[player.name].elo),
            )
            for each in near[:count]:
                self.meet(player, each)

    def ratings(self, anchor: str) -> dict[str, Rating]:
        """All players, the anchor at 0."""
        return elo_scale(list(self.met.values()), anchor)


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.+-]", "-", name)


def elo_scale(matches: Sequence[Met], anchor: str, samples: int = SAMPLES, seed: int = 1) -> dict[str, Rating]:
    """Elo of all players by a Bradley-Terry fit, a draw as half a win; errors by a bootstrap over pairs of games."""
    names = sorted({name for each in matches for name in (each.a, each.b)})
    place = {name: number for number, name in enumerate(names)}
    a = np.array([place[each.a] for each in matches])
    b = np.array([place[each.b] for each in matches])
    games = np.array([2.0 * len(each.pairs) for each in matches])
    fixed = place[anchor]
    rng = np.random.default_rng(seed)
    best = fitted(a, b, games, np.array([sum(each.pairs) / 2 for each in matches]), len(names), fixed)
    drawn = np.array(
        [
            fitted(a, b, games, np.array([_resampled(rng, each.pairs) for each in matches]), len(names), fixed)
            for _ in range(samples)
        ]
    )
    errors = CONFIDENCE_95 * drawn.std(axis=0) if samples else np.zeros(len(names))
    played = np.bincount(a, games, len(names)) + np.bincount(b, games, len(names))
    return {
        name: Rating(float(best[i]), float(errors[i]), int(played[i])) for name, i in place.items()
    }  # fmt: skip


def _resampled(rng: np.random.Generator, pairs: tuple[int, ...]) -> float:
    return float(rng.choice(np.array(pairs), len(pairs)).sum() / 2)


def fitted(
    a: NDArray[Any], b: NDArray[Any], games: NDArray[Any], points: NDArray[Any], players: int, fixed: int
) -> NDArray[np.float64]:
    """Elo of the players, the fixed one at 0, by Newton's method.

    a, b: players of each match by number; points: of a, of so many games.
    """
    count, won = games + DRAWS_IMAGINED, points + DRAWS_IMAGINED / 2
    others = np.arange(players) != fixed
    rating = np.zeros(players)
    for _ in range(100):
        expected = 1 / (1 + np.exp(rating[b] - rating[a]))
        excess = won - count * expected
        slope = np.bincount(a, excess, players) - np.bincount(b, excess, players)
        weight = count * expected * (1 - expected)
        curve = np.zeros((players, players))
        np.add.at(curve, (a, b), -weight)
        np.add.at(curve, (b, a), -weight)
        curve[np.diag_indices(players)] = np.bincount(a, weight, players) + np.bincount(b, weight, players)
        step = np.linalg.solve(curve[np.ix_(others, others)] + 1e-9 * np.eye(players - 1), slope[others])
        step = np.clip(step, -2, 2)
        rating[others] += step
        if np.abs(step).max(initial=0) < 1e-7:
            break
    return rating * ELO_SCALE


def interval(values: Iterable[float]) -> tuple[float, float]:
    """Mean of independent values, and half of its 95% interval by Student's t; the latter NaN for a single value."""
    found = np.array(list(values))
    if len(found) < 2:
        return float(found.mean()), float("nan")
    return float(found.mean()), float(_STUDENT[min(len(found) - 1, 30)] * found.std(ddof=1) / np.sqrt(len(found)))


_STUDENT = dict(
    enumerate(
        (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
         2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
        start=1,
    )
)  # fmt: skip
"""97.5% quantiles by degrees of freedom."""
