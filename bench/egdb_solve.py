"""Processor time of solving pairs of slices whose values are known, one thread. Three minutes for 3v3.

    kr egdb build --pieces 6 --classes 3v3 --distances 0 --dir DIR --keep-values VALUES
    python bench/egdb_solve.py VALUES [--pairs 0303,1212] [--json]

Each pair is solved again from the values of its successors. Values other than those kept are an error.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

from kr import _egdb
from kr.egdb import scheduling, slices, values
from kr.egdb.slices import Shape, shape_named
from kr.egdb.solving import values_path

PAIRS = "0303,0312,1212,1221,2121,2130,3030"


def kept(folder: Path, pair: Shape) -> dict[Shape, values.SliceValues]:
    """Values of a pair."""
    path = values_path(folder, pair)
    if not values.is_good(path, pair, False):
        sys.exit(f"kr: {path}: no values without distances; see the first lines of this program")
    return values.read_values(path, pair, False)


def solving_seconds(folder: Path, pair: Shape) -> float:
    """Processor time of solving a pair."""
    solver = _egdb.EndgameSolver()
    for successor in slices.successors(pair):
        for shape, found in kept(folder, successor).items():
            solver.look_up(shape, found.values)
    own = values.empty_values(pair, False)
    for shape, found in own.items():
        solver.add(shape, found.values)
    space, go = _egdb.SolverSpace(slices.block(pair)), np.zeros(1, dtype=np.int32)
    began = time.thread_time()
    for step in scheduling.steps(pair):
        for call in step:
            solver.solve(pair, space, call.own_rows, call.opponent_rows, call.first, call.last, go)
    seconds = time.thread_time() - began
    for shape, found in kept(folder, pair).items():
        if not np.array_equal(own[shape].values, found.values):
            sys.exit(f"kr: slice {slices.name(shape)} has other values than those kept")
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("values", type=Path, help="directory of kept values")
    parser.add_argument("--pairs", default=PAIRS, help=f"pairs to solve (default: {PAIRS})")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    found = {}
    pairs = [slices.pair_of(shape_named(name)) for name in options.pairs.split(",")]
    for pair in pairs:
        seconds, positions = solving_seconds(options.values, pair), slices.pair_size(pair)
        found[slices.name(pair)] = {"positions": positions, "seconds": seconds}
        if not options.json:
            print(f"{slices.name(pair)}  {positions:13,} positions  {1e9 * seconds / positions:5.1f} ns", flush=True)
    whole = sum(each["seconds"] for each in found.values()) / sum(each["positions"] for each in found.values())
    print(json.dumps({"pairs": found, "ns": 1e9 * whole}) if options.json else f"all {1e9 * whole:.1f} ns a position")


if __name__ == "__main__":
    main()
