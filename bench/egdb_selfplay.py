"""What exact endings do to self-play: time and plies saved, and the loss of the tables fitted to the games.

    python bench/egdb_selfplay.py DIR [--games 40k] [--egdb EGDB] [--json]

Three runs of the same openings, seeds and settings at 2,000 nodes a move with the shipped tables: without an endgame
database; with games ended and labelled by it; and with the search looking positions up as well, which is the default.
Each run's tables, fitted as `kr fit` does, are judged on the held-out games of every run, by the cross entropy of the
game's result given the static score, and by what is exact: how well they tell the database's positions with
the most pieces, drawn at random without pending captures. Goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import random
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import Engine
from kr.egdb import slices
from kr.egdb.database import Database, find
from kr.egdb.sample import random_positions
from kr.evaluation import weights
from kr.learn import games
from kr.learn.fitting.dataset import Label, read_dataset
from kr.learn.fitting.fit import FitSettings, fit
from kr.learn.selfplay import SelfplaySettings, selfplay
from kr.units import parse_count

ENDING_POSITIONS = 300_000
RUNS: dict[str, dict[str, Any]] = {
    "none": {"egdb": "none"},
    "ends": {"egdb_search": False},
    "ends and search": {},
}


def rows(boards: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Positions in the mover's frame (own men, opponent's men, own kings, opponent's kings) with Black to move."""
    own_men, opponent_men, own_kings, opponent_kings = boards.T
    sides = own_men | own_kings, opponent_men | opponent_kings
    return np.stack([*sides, own_kings | opponent_kings, np.zeros_like(own_men)], axis=1)


def cross_entropy(logits: NDArray[np.float64], target: NDArray[np.float64], count: NDArray[np.float64]) -> float:
    """Mean loss in nats."""
    losses = np.logaddexp(0, logits) - target * logits
    return float((count * losses).sum() / count.sum())


def random_endings(database: Database, seed: int) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """Quiet positions with the database's most pieces, every one as likely as another: rows and exact results."""
    drawn = islice(random_positions(slices.shapes(database.pieces), random.Random(seed)), ENDING_POSITIONS)
    quiet = (position for position in drawn if not any(move.is_capture for move in position.legal_moves()))
    boards = np.array([(each.black, each.white, each.kings, each.side) for each in quiet], dtype=np.uint32)
    values = np.empty(len(boards), dtype=np.uint8)
    database.core.probe_batch(boards, values)
    database.raise_damage()
    return boards, values / 2


def main() -> None:
    """Play, fit, judge and print."""
    parser = argparse.ArgumentParser(description="Self-play with and without an endgame database.")
    parser.add_argument("directory", type=Path, help="where games and tables are kept")
    parser.add_argument("--games", type=parse_count, default=40_000)
    parser.add_argument("--egdb", default="", help="endgame database (default: the one that is found)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    egdb = find(options.egdb)
    if egdb is None:
        parser.error("no endgame database; give one with --egdb")

    found: dict[str, dict[str, Any]] = {}
    held_out = {}
    made = {}
    for name, changes in RUNS.items():
        out = options.directory / name.replace(" ", "-")
        settings = SelfplaySettings(**{"games": options.games, "out": out, "seed": 11, "egdb": str(egdb)} | changes)
        tally = selfplay(settings)
        plies = 0
        reasons = np.zeros(len(games.REASONS), dtype=np.int64)
        for path in games.shard_paths(out):
            shard = games.read_shard(path)
            plies += len(shard.move)
            reasons += np.bincount(shard.reason, minlength=len(games.REASONS))
        found[name] = {
            "plies a game": plies / options.games,
            "games a second": tally.games_per_second if not tally.earlier else None,
            "ended by": {
                reason: int(count) / options.games
                for reason, count in zip(games.REASONS, reasons, strict=True)
                if count
            },
        }
        fit(FitSettings(directories=(out,), out=out.with_suffix(".h5")))
        made[name] = out.with_suffix(".h5")
        samples = read_dataset([out], Label(0.0), 0.05, 1, 2).held_out.values()
        held_out[name] = (
            np.concatenate([rows(each.boards) for each in samples]),
            np.concatenate([each.result for each in samples]).astype(float),
            np.concatenate([each.count for each in samples]).astype(float),
        )

    exact = random_endings(Database.open(egdb), seed=1)
    for name, path in made.items():
        engine = Engine(path)
        scale = float(weights.load_tables(path).attrs["centimen_per_logit"])
        for judge, (boards, result, count) in held_out.items():
            logits = engine.evaluate_batch(boards).astype(float) / scale
            found[name][f"held-out loss on {judge}"] = cross_entropy(logits, result, count)
        logits = engine.evaluate_batch(exact[0]).astype(float) / scale
        found[name]["loss on random endings"] = cross_entropy(logits, exact[1], np.ones(len(logits)))
    if options.json:
        print(json.dumps(found))
        return
    for name, figures in found.items():
        print(name)
        for what, figure in figures.items():
            print(f"  {what}: {figure if not isinstance(figure, float) else round(figure, 4)}")


if __name__ == "__main__":
    main()
