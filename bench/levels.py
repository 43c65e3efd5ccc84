"""What the levels of `kr play` are worth: matches of neighbours and of the next but one, and one Elo scale from them.

    python bench/levels.py --games 200 --full nodes=100k

The figures of docs/play.md. Each pair plays that many games from 11-man ballots, both colours; the last level, which
has no nodes of its own, gets `--full` a move. The scale is the weighted least-squares fit to all matches, level 1 at 0;
its errors are 95%. Matches go to the directory of --out and are not played again.
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


def play(lower: int, upper: int, arguments: argparse.Namespace) -> MatchResult:
    """The match of two levels, as the upper one sees it."""
    settings = MatchSettings(
        a=f"shipped,level={upper}",
        b=f"shipped,level={lower}",
        games=arguments.games,
        tc=arguments.full,
        hash=4 << 20,
        concurrency=arguments.concurrency,
        pdn=arguments.out / f"{upper}-{lower}.pdn",
    )
    return play_match(settings)


def scale(found: dict[tuple[int, int], Estimate]) -> tuple[np.ndarray, np.ndarray]:
    """Elo of each level, the first at 0, and the 95% errors, from the differences of (lower, upper)."""
    rows, differences, weights = [], [], []
    for (lower, upper), figures in found.items():
        # a match won by all and everything says nothing that can be added up
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
    parser.add_argument("--games", type=parse_count, default=200, help="of each pair")
    parser.add_argument("--full", type=Limits.parse, default=Limits.parse("nodes=100k"), help="of the last level")
    parser.add_argument("--steps", type=int, default=2, help="how far apart the levels that meet may be")
    parser.add_argument("--concurrency", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("levels"))
    arguments = parser.parse_args()

    found: dict[tuple[int, int], Estimate] = {}
    for step in range(1, arguments.steps + 1):
        for lower in range(1, len(LEVELS) + 1 - step):
            upper = lower + step
            result = play(lower, upper, arguments)
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
