"""Strength of the levels of `kr play`: matches between levels up to two apart, and one Elo scale. About ten minutes.

    python bench/levels.py [--games 200] [--full nodes=100k] [--people shipped] [--chance] [--out DIR]

Makes the figures of docs/lab/games.md. With --people none the levels err by chance alone; --chance plays each level
against its level by chance. Each pair plays 11-man ballots with both colours; the highest level, which has no limit of
its own, gets --full for each move. The scale is the weighted least-squares fit to all matches, with level 1 at 0; its
errors are 95% intervals. Matches stay in the directory --out and are not played again.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from kr.engine.limits import Limits
from kr.match.elo import CONFIDENCE_95, Estimate
from kr.match.match import play_match
from kr.match.result import MatchResult
from kr.match.settings import MatchSettings
from kr.players.levels import LEVELS, LEVELS_BY_CHANCE
from kr.units import parse_count


def play(lower: int, upper: int, options: argparse.Namespace) -> MatchResult:
    """The match of two levels, as the upper one sees it."""
    return _match(_player(upper, options.people), _player(lower, options.people), f"{upper}-{lower}", options)


def against_chance(number: int, options: argparse.Namespace) -> MatchResult:
    """The match of a level against that which errs by chance alone."""
    return _match(_player(number, options.people), _player(number, "none"), f"{number}-chance", options)


def _player(number: int, people: str) -> str:
    return f"shipped,level={number}" + (f",people={people}" if number < len(LEVELS) else "")


def _match(a: str, b: str, name: str, options: argparse.Namespace) -> MatchResult:
    settings = MatchSettings(
        a=a,
        b=b,
        games=options.games,
        tc=options.full,
        hash=4 << 20,
        workers=options.workers,
        pdn=options.out / f"{name}.pdn",
    )
    return play_match(settings)


def scale(matches: dict[tuple[int, int], Estimate]) -> tuple[np.ndarray, np.ndarray]:
    """Elo of each level, the first at 0, and the 95% errors; found: matches by (lower, upper) level."""
    rows, differences, weights = [], [], []
    for (lower, upper), figures in matches.items():
        # a match in which one side won every game has no finite estimate
        if not np.isfinite(figures.elo) or not 0 < figures.elo_error < np.inf:
            continue
        row = np.zeros(len(LEVELS))
        row[upper - 1], row[lower - 1] = 1.0, -1.0
        rows.append(row[1:])
        differences.append(figures.elo)
        weights.append((CONFIDENCE_95 / figures.elo_error) ** 2)
    matrix, weight = np.array(rows), np.array(weights)
    covariance = np.linalg.inv(matrix.T @ (weight[:, None] * matrix))
    elo = covariance @ (matrix.T @ (weight * np.array(differences)))
    return np.r_[0.0, elo], np.r_[0.0, CONFIDENCE_95 * np.sqrt(np.diag(covariance))]


def main() -> None:
    """Play, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=parse_count, default=200, help="games of each pair (default: 200)")
    parser.add_argument(
        "--full", type=Limits.parse, default="nodes=100k", help="limit of the highest level (default: nodes=100k)"
    )
    parser.add_argument("--steps", type=int, default=2, help="largest distance of levels that meet (default: 2)")
    parser.add_argument("--people", default="shipped", help="policy of the levels, or none (default: shipped)")
    parser.add_argument("--chance", action="store_true", help="only play each level against errors by chance alone")
    parser.add_argument("--workers", type=int, default=0, help="games at a time (default: one per core)")
    parser.add_argument("--out", type=Path, default=Path("levels"), help="directory of the matches (default: levels)")
    options = parser.parse_args()

    if options.chance:
        for level in LEVELS[:-1]:
            print(f"level {level.number} v chance: {_record(against_chance(level.number, options))}", flush=True)
        return
    levels = LEVELS_BY_CHANCE if options.people == "none" else LEVELS
    matches: dict[tuple[int, int], Estimate] = {}
    for step in range(1, options.steps + 1):
        for lower in range(1, len(LEVELS) + 1 - step):
            upper = lower + step
            result = play(lower, upper, options)
            matches[lower, upper] = result.estimate
            print(f"level {upper} v {lower}: {_record(result)}", flush=True)
    elo, errors = scale(matches)
    print("\nlevel  nodes  temperature  overlooks  likeness   Elo")
    for level, own, error in zip(levels, elo, errors, strict=True):
        numbers = f"{level.nodes or '-':>5}  {level.temperature:11}  {level.overlook:9.1%}  {level.likeness:8}"
        print(f"{level.number:5}  {numbers}  {own:5.0f} ± {error:.0f}")


def _record(result: MatchResult) -> str:
    """Wins, draws, losses and Elo."""
    record = "-".join(str(result.count(points)) for points in (2, 1, 0))
    return f"{record}, {result.estimate.elo:+.0f} ± {result.estimate.elo_error:.0f}"


if __name__ == "__main__":
    main()
