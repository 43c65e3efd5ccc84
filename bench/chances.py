"""Chances of a win, draw and loss by score, compared with the results of self-play games. Seconds per 100,000 games.

    python bench/chances.py DIR... [--scale 42.75]

DIR are directories of `kr selfplay`. --scale is the scale to judge by, in centi-men per logit; the default is the one
that fits best. Only scores of searched moves that are not proved count, each from both sides' views.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from kr.engine.result import SCORE_PROVED
from kr.evaluation import chances
from kr.learn import games
from kr.learn.fitting.dataset import logistic_slope

EDGES = (0, 5, 10, 15, 20, 30, 40, 50, 60, 80, 100, 130, 160, 200, 300)
ORIGIN = 2**15


def counts(directories: list[Path]) -> NDArray[np.float64]:
    """(2**16, 3): losses, draws and wins of the mover after each score, which is row score + 2**15."""
    table = np.zeros((2 * ORIGIN, 3))
    for path in sorted(path for directory in directories for path in directory.glob("shard-*.h5")):
        shard = games.read_shard(path)
        lengths = np.diff(shard.first)
        game = np.repeat(np.arange(len(lengths)), lengths)
        whites = (shard.side[game] + np.arange(len(game)) - shard.first[game]) % 2 == 1
        result = np.where(whites, -1, 1) * shard.result[game]
        used = (shard.score != games.NO_SCORE) & (np.abs(shard.score.astype(int)) <= SCORE_PROVED)
        for value in (-1, 0, 1):
            scores = shard.score[used & (result == value)].astype(np.int64) + ORIGIN
            table[:, value + 1] += np.bincount(scores, minlength=2 * ORIGIN)
    return table


def best_scale(table: NDArray[np.float64]) -> float:
    """Scale in centi-men per logit that fits the results best."""
    scores = np.arange(2.0 * ORIGIN) - ORIGIN
    total = table.sum(axis=1)
    slope = logistic_slope(scores, total, table[:, 2] + table[:, 1] / 2)
    if slope is None:
        raise SystemExit("the scores do not predict the results of these games")
    return 1 / slope


def best_draw_share(table: NDArray[np.float64], scale: float) -> float:
    """Draw share of most likelihood for draws and losses of the better side, given its expected points."""
    scores = np.arange(2.0 * ORIGIN) - ORIGIN
    worse = expit(-np.abs(scores) / scale)
    better = np.where(scores[:, None] >= 0, table, table[:, ::-1])
    shares = np.arange(0.5, 1.0, 0.005)

    def log_likelihood(share: float) -> float:
        draw = 2 * share * worse
        model = np.stack([worse - draw / 2, draw, 1 - worse - draw / 2], axis=1)
        return float((better * np.log(np.maximum(model, 1e-300))).sum())

    return float(max(shares, key=log_likelihood))


def main() -> None:
    """Count, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", metavar="DIR", nargs="+", type=Path, help="directory of self-play games")
    parser.add_argument("--scale", type=float, help="centi-men per logit (default: the one that fits best)")
    options = parser.parse_args()
    table = counts(options.directories)
    fitted = best_scale(table)
    scale = options.scale or fitted
    print(f"{table.sum():.0f} scores; fitted scale {fitted:.1f}; judged by {scale:.2f}")
    print(f"draw share {best_draw_share(table, scale):.3f}, in use {chances.DRAW_SHARE}")
    print(f"{'score':>9} {'scores':>9}  {'win':>5} {'draw':>5} {'loss':>5} {'points':>6}   model: win draw loss points")
    both = table + table[::-1, ::-1][np.r_[-1, 0 : 2 * ORIGIN - 1]]
    for low, high in itertools.pairwise(EDGES):
        rows = slice(ORIGIN + low, ORIGIN + high)
        total = both[rows].sum()
        if not total:
            continue
        loss, draw, win = both[rows].sum(axis=0) / total
        each = [chances.chances(score, scale) for score in range(low, high)]
        weight = both[rows].sum(axis=1) / total
        model = np.array([(one.win, one.draw, one.loss) for one in each]).T @ weight
        print(
            f"{f'{low}-{high - 1}':>9} {total:9.0f}  {win:5.3f} {draw:5.3f} {loss:5.3f} {win + draw / 2:6.3f}"
            f"   {model[0]:10.3f} {model[1]:.3f} {model[2]:.3f} {model[0] + model[1] / 2:.3f}"
        )


if __name__ == "__main__":
    main()
