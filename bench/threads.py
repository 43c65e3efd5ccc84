"""Speed-up by several threads: time to a fixed depth with one thread and with more. About half a minute.

    python bench/threads.py [--threads 2] [--depth 18] [--rounds 3] [--hash 64MB] [--weights FILE] [--json]

The positions of `kr bench` are searched with one thread, then with each other number, from an empty table. The speed-up
of a position is the time with one thread divided by that with more; that of a round is the geometric mean of its
positions'. Parallel search is not deterministic: the range of the rounds shows the error of the mean.

If a thread has to share its core with other work, the figure is worthless. So the number of cores that the searches
really had is shown too: it should be that of the threads. The speed-up "in processor time" replaces the time by the
processor time of a thread: it is about the speed-up that a core for each thread would give.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict, dataclass

from timing import Spent, timed

import kr
from kr.engine.bench import load_positions
from kr.units import parse_size


@dataclass(frozen=True)
class Cost:
    """Cost of one search."""

    spent: Spent
    nodes: int


@dataclass(frozen=True)
class Speedup:
    """Speed-up by a number of threads."""

    threads: int
    speedup: float
    """Geometric mean of the rounds."""
    least: float
    most: float
    processor_speedup: float
    """Speed-up by the processor time of a thread in place of time."""
    cores: float
    """Number of cores that the searches had on average."""
    nodes: float
    """Nodes of all threads, as a multiple of those of one thread."""


def cost(engine: kr.Engine, position: kr.Position, depth: int) -> Cost:
    """Search one position from an empty table."""
    engine.new_game()
    spent = Spent()
    with timed(spent):
        nodes = engine.search(position, kr.Limits(depth=depth)).nodes
    return Cost(spent, nodes)


def mean(factors: list[float]) -> float:
    """Geometric mean."""
    return math.exp(sum(map(math.log, factors)) / len(factors))


def speedup(threads: int, one: list[list[Cost]], many: list[list[Cost]]) -> Speedup:
    """The speed-up; one, many: for each round, the costs of its positions with one thread and with `threads`."""
    pairs = [list(zip(*both, strict=True)) for both in zip(one, many, strict=True)]
    rounds = [mean([a.spent.wall / b.spent.wall for a, b in each]) for each in pairs]
    every = [pair for each in pairs for pair in each]
    return Speedup(
        threads,
        mean(rounds),
        min(rounds),
        max(rounds),
        mean([a.spent.processor / (b.spent.processor / threads) for a, b in every]),
        sum(b.spent.processor for _, b in every) / sum(b.spent.wall for _, b in every),
        sum(b.nodes for _, b in every) / sum(a.nodes for a, _ in every),
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=[2], help="numbers of threads (default: 2)")
    parser.add_argument("--depth", type=int, default=18, help="of each search (default: 18)")
    parser.add_argument("--rounds", type=int, default=3, help="searches of each position (default: 3)")
    parser.add_argument("--hash", type=parse_size, default=64 << 20, help="hash table (default: 64MB)")
    parser.add_argument("--weights", help="weights file, manual or material (default: the shipped tables)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    numbers = [1, *(number for number in options.threads if number > 1)]
    engines = {n: kr.Engine(options.weights, options.hash / (1 << 20), threads=n, database=None) for n in numbers}
    costs: dict[int, list[list[Cost]]] = {n: [] for n in numbers}
    positions = load_positions()
    for _ in range(options.rounds):
        for n in numbers:
            costs[n].append([])
        for position in positions:
            for n, engine in engines.items():
                costs[n][-1].append(cost(engine, position, options.depth))
    results = [speedup(n, costs[1], costs[n]) for n in numbers]
    if options.json:
        lines = [asdict(each) for each in results]
        print(json.dumps({"depth": options.depth, "rounds": options.rounds, "threads": lines}))
        return
    print(f"time to depth {options.depth}, {len(positions)} positions, {options.rounds} rounds")
    for each in results:
        print(
            f"{each.threads} threads: {each.speedup:.2f} times as fast ({each.least:.2f} to {each.most:.2f}), "
            f"{each.processor_speedup:.2f} in processor time; {each.cores:.2f} cores, {each.nodes:.2f} times the nodes"
        )


if __name__ == "__main__":
    main()
