"""Speed of move generation, search, time limits, self-play and start-up. About a minute.

    python bench/speed.py [--weights FILE] [--json]

Figures are medians of several runs; other work on the machine shows in their range.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from timing import repeated, show_range

import kr
from kr.learn.selfplay import SelfplaySettings, selfplay


def perft_rate(depth: int) -> float:
    """Million leaves a second from the start position, one thread."""
    began = time.perf_counter()
    leaves = kr.perft(kr.Position(), depth)
    return leaves / (time.perf_counter() - began) / 1e6


def search_rate(weights: str | None, hash_mb: int) -> float:
    """Million nodes a second in three seconds from the start position, one thread."""
    return kr.Engine(weights, hash_mb, database=None).search(kr.Position(), kr.Limits(time=3.0)).nps / 1e6


def overshoot(weights: str | None, limit: float) -> float:
    """Milliseconds by which the worst of 50 searches overstepped its limit, as the caller sees it."""
    engine = kr.Engine(weights)
    worst = 0.0
    for _ in range(50):
        began = time.perf_counter()
        engine.search(kr.Position(), kr.Limits(time=limit))
        worst = max(worst, time.perf_counter() - began - limit)
    return 1000 * worst


def selfplay_rate(weights: str | None, games: int) -> float:
    """Games a second on all cores at 2,000 nodes a move."""
    with tempfile.TemporaryDirectory() as directory:
        return selfplay(SelfplaySettings(games=games, out=Path(directory), weights=weights or "")).games_per_second


def startup() -> float:
    """Seconds of `kr --help`."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "kr", "--help"], check=True, capture_output=True)
    return time.perf_counter() - began


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", help="weights file, manual or material (default: the shipped tables)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each measurement (default: 3)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    weights, runs = options.weights, options.runs
    measures: dict[str, Callable[[], float]] = {
        "perft 11, million leaves/s": lambda: perft_rate(11),
        "perft 12, million leaves/s": lambda: perft_rate(12),
        "search, 64 MB hash, million nodes/s": lambda: search_rate(weights, 64),
        "search, 1 MB hash, million nodes/s": lambda: search_rate(weights, 1),
        "search, manual evaluation, 64 MB hash, million nodes/s": lambda: search_rate("manual", 64),
        "worst overshoot of 50 searches of 20 ms, ms": lambda: overshoot(weights, 0.02),
        "self-play, 2,000 nodes a move, games/s": lambda: selfplay_rate(weights, 400),
        "kr --help, seconds": startup,
    }
    results = {}
    for name, measure in measures.items():
        results[name] = repeated(measure, runs)
        if not options.json:
            show_range(name, results[name])
    if options.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
