"""Nodes a second of searches by several checkouts, position by position in turns. Half a minute each.

    python bench/turns.py DIR DIR [...] [--limit 3e5|depth=15] [--hash 64MB] [--rounds 4] [--json]

Each checkout, whose core is compiled, searches the positions of `kr bench` from an empty table in a process of its own.
They take turns at each position, in an order that is drawn anew, so that other work of the machine slows all of them
alike: runs one after the other differ by 5% where this shows a difference of 1%. Ratios to the first checkout are
geometric means over positions and rounds of processor time, with their 95% error.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from kr.engine.bench import load_positions
from kr.units import parse_size

SEARCHER = """
import sys, time, kr
engine = kr.Engine(hash_mb=int(sys.argv[1]), database=None)
name, number = sys.argv[2].split("=")
for line in sys.stdin:
    engine.new_game()
    position = kr.Position.from_fen(line.strip())
    start = time.process_time()
    nodes = engine.search(position, kr.Limits(**{name: int(float(number))})).nodes
    print(time.process_time() - start, nodes, flush=True)
"""


@dataclass(frozen=True)
class Turns:
    """The searches of one checkout compared with those of the first."""

    checkout: str
    nodes_per_second: float
    speed: float
    """Nodes a second, as a multiple."""
    speed_error: float
    nodes: float
    """All nodes, as a multiple."""
    time: float
    """Processor time, as a multiple; that of a search to a depth is what a user waits for."""
    time_error: float


class Searcher:
    """A process that searches with the kr of a checkout."""

    def __init__(self, checkout: Path, hash_mb: int, limit: str) -> None:
        self.checkout = checkout
        self.seconds: list[float] = []
        self.nodes: list[int] = []
        self._process = subprocess.Popen(
            [sys.executable, "-c", SEARCHER, str(hash_mb), limit],
            cwd=checkout,
            env={**os.environ, "PYTHONPATH": str(checkout)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def search(self, fen: str, counts: bool = True) -> None:
        """Search a position; counts: record its cost."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(fen + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().split()
        if not answer:
            sys.exit(f"turns.py: the search in {self.checkout} ended; is its core compiled?")
        if counts:
            self.seconds.append(float(answer[0]))
            self.nodes.append(int(answer[1]))

    def close(self) -> None:
        self._process.communicate()


def mean(factors: list[float]) -> tuple[float, float]:
    """Geometric mean and its 95% error."""
    logs = [math.log(each) for each in factors]
    middle = math.exp(statistics.fmean(logs))
    return middle, 1.96 * statistics.pstdev(logs) / math.sqrt(len(logs)) * middle


def compared(first: Searcher, other: Searcher) -> Turns:
    both = list(zip(first.seconds, first.nodes, other.seconds, other.nodes, strict=True))
    speed, speed_error = mean([(nodes / t) / (nodes0 / t0) for t0, nodes0, t, nodes in both])
    time, time_error = mean([t / t0 for t0, _, t, _ in both])
    return Turns(
        str(other.checkout), sum(other.nodes) / sum(other.seconds), speed, speed_error,
        sum(other.nodes) / sum(first.nodes), time, time_error,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--limit", default="nodes=3e5", help="of each search: nodes=3e5 or depth=15")
    parser.add_argument("--hash", type=parse_size, default=parse_size("64MB"), help="size of each hash table")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--json", action="store_true")
    settings = parser.parse_args()
    limit = settings.limit if "=" in settings.limit else f"nodes={settings.limit}"
    searchers = [Searcher(path.resolve(), settings.hash >> 20, limit) for path in settings.checkouts]
    fens = [position.fen for position in load_positions(None)]
    for searcher in searchers:
        searcher.search(fens[0], counts=False)
    for _ in range(settings.rounds):
        for fen in fens:
            for searcher in random.sample(searchers, len(searchers)):
                searcher.search(fen)
    rows = [compared(searchers[0], searcher) for searcher in searchers]
    for searcher in searchers:
        searcher.close()
    if settings.json:
        print(json.dumps([asdict(each) for each in rows], indent=2))
        return
    for each in rows:
        print(
            f"{each.checkout}: {each.nodes_per_second / 1e6:.2f} M nodes/s, {each.speed:.3f} ± {each.speed_error:.3f}; "
            f"nodes {each.nodes:.3f}, time {each.time:.3f} ± {each.time_error:.3f}"
        )


if __name__ == "__main__":
    main()
