"""Effect of an endgame database on self-play: plies saved, and losses of the fitted tables. About half an hour.

    python bench/egdb_selfplay.py DIR [--games 40k] [--egdb EGDB] [--json]

Makes three runs with the same openings, seeds and settings, at 2,000 nodes a move with the shipped tables: without a
database; with games ended and labelled by it; and with the search looking positions up too, which is the default. The
tables fitted to each run are judged by their cross entropy on the held-out games of every run, and on exact values: on
random positions without captures that have as many pieces as the database. Run the same command to resume.
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

from kr.egdb import slices
from kr.egdb.database import Database, find
from kr.egdb.sample import random_positions
from kr.evaluation.kinds import load_evaluation
from kr.evaluation.patterns import mover_frame
from kr.learn import games
from kr.learn.fitting.dataset import Label, read_samples
from kr.learn.fitting.fit import FitSettings, fit
from kr.learn.selfplay import SelfplaySettings, selfplay
from kr.units import parse_count

ENDING_POSITIONS = 300_000
RUNS: dict[str, dict[str, Any]] = {
    "none": {"egdb": "none"},
    "ends": {"egdb_search": False},
    "ends and search": {},
}


def cross_entropy(logits: NDArray[np.float64], target: NDArray[np.float64], count: NDArray[np.float64]) -> float:
    """Mean loss in nats."""
    losses = np.logaddexp(0, logits) - target * logits
    return float((count * losses).sum() / count.sum())


def random_endings(database: Database, seed: int) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """Random positions with the most pieces of the database, without captures: in the mover's frame, with results."""
    drawn = islice(random_positions(slices.shapes(database.pieces), random.Random(seed)), ENDING_POSITIONS)
    quiet = (position for position in drawn if not any(move.is_capture for move in position.legal_moves()))
    boards = np.array([(each.black, each.white, each.kings, each.side) for each in quiet], dtype=np.uint32)
    values = np.empty(len(boards), dtype=np.uint8)
    database.core.probe_batch(boards, values)
    database.raise_damage()
    return mover_frame(boards), values / 2


def main() -> None:
    """Play, fit, judge and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="DIR", type=Path, help="directory for games and tables")
    parser.add_argument("--games", type=parse_count, default=40_000, help="games of each run (default: 40k)")
    parser.add_argument("--egdb", default="", help="endgame database (default: the one that kr uses in play)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
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
        samples = read_samples([out], Label(0.0), 0.05, 1, 2).held_out.values()
        held_out[name] = (
            np.concatenate([each.boards for each in samples]),
            np.concatenate([each.result for each in samples]).astype(float),
            np.concatenate([each.count for each in samples]).astype(float),
        )

    exact = random_endings(Database.open(egdb), seed=1)
    for name, path in made.items():
        evaluation = load_evaluation(path)
        for judge, (boards, result, count) in held_out.items():
            logits = evaluation.scores(boards) / evaluation.scale
            found[name][f"held-out loss on {judge}"] = cross_entropy(logits, result, count)
        logits = evaluation.scores(exact[0]) / evaluation.scale
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
