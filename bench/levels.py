"""Strength of the levels of `kr play`: matches between levels up to two apart, and one Elo scale. About ten minutes.

    python bench/levels.py [--games 200] [--full nodes=100k] [--out DIR]

Makes the figures of docs/lab/games.md. Each pair plays 11-man ballots with both colours; the highest level, which has
no limit of its own, gets --full for each move. The scale is the weighted least-squares fit to all matches, with level 1
at 0; its errors are 95% intervals. Matches are kept in the directory --out and are not played again.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from kr.engine.limits import Limits
from kr.match.elo import CONFIDENCE_95, Estimate
from kr.match.match import MatchResult, MatchSettings, play_match
from kr.players.levels import LEVELS
from kr.units import parse_count


def play(lower: int, upper: int, options: argparse.Namespace) -> MatchResult:
    """The match of two levels, as the upper one sees it."""
    settings = MatchSettings(
        a=f"shipped,level={upper}",
        b=f"shipped,level={lower}",
        games=options.games,
        tc=options.full,
        hash=4 << 20,
        workers=options.workers,
        pdn=options.out / f"{upper}-{lower}.pdn",
    )
    return play_match(settings)


def scale(found: dict[tuple[int, int], Estimate]) -> tuple[np.ndarray, np.ndarray]:
    """Elo of each level, the first at 0, and the 95% errors; found: matches by (lower, upper) level."""
    rows, differences, weights = [], [], []
    for (lower, upper), figures in found.items():
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
    parser.add_argument("--workers", type=int, default=0, help="games at a time (default: one per core)")
    parser.add_argument("--out", type=Path, default=Path("levels"), help="directory of the matches (default: levels)")
    options = parser.parse_args()

    found: dict[tuple[int, int], Estimate] = {}
    for step in range(1, options.steps + 1):
        for lower in range(1, len(LEVELS) + 1 - step):
            upper = lower + step
            result = play(lower, upper, options)
            found[lower, upper] = figures = result.estimate
            record = "-".join(str(result.count(points)) for points in (2, 1, 0))
            print(f"level {upper} v {lower}: {record}, {figures.elo:+.0f} ± {figures.elo_error:.0f}", flush=True)
    elo, errors = scale(found)
    print("\nlevel  nodes  temperature  overlooks   Elo")
    for level, own, error in zip(LEVELS, elo, errors, strict=True):
        nodes = level.nodes or "-"
        print(f"{level.number:5}  {nodes:>5}  {level.temperature:11}  {level.overlook:9.1%}  {own:5.0f} ± {error:.0f}")


if __name__ == "__main__":
    main()
