"""How much faster several threads search: the time to a fixed depth with one thread and with more, in one run.

    python bench/threads.py [--threads 2] [--depth 18] [--rounds 3] [--hash 64MB] [--weights FILE] [--json]

Over the positions of `kr bench`, each searched with one thread, then with each other number, from an empty table.
The speed-up of a position is the time with one thread over that with more; of a round, the geometric mean of its
positions'. Parallel search is not deterministic: the range of the rounds says how far to trust the mean.

A thread that has to share its core with other work makes the figure worthless, so the cores that the searches really
had are shown beside it: they should be as many as the threads. "in processor time" takes the processor's seconds,
shared equally among the threads, for the time: about what the speed-up would be with a core for each.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import asdict, dataclass

import kr
from kr.engine.bench import load_positions
from kr.units import parse_size


@dataclass(frozen=True)
class Cost:
    """What one search took."""

    seconds: float
    processor: float
    """Seconds of all threads together."""
    nodes: int


@dataclass(frozen=True)
class Speedup:
    """One number of threads against one thread."""

    threads: int
    speedup: float
    """The mean of the rounds."""
    least: float
    most: float
    processor_speedup: float
    """If every thread had had a core: processor seconds, shared equally, in place of seconds."""
    cores: float
    """Those that the searches had."""
    nodes: float
    """Nodes of all threads, as a multiple of those of one thread."""


def cost(engine: kr.Engine, position: kr.Position, depth: int) -> Cost:
    """Search one position from an empty table."""
    engine.new_game()
    processor, began = time.process_time(), time.perf_counter()
    nodes = engine.search(position, kr.Limits(depth=depth)).nodes
    return Cost(time.perf_counter() - began, time.process_time() - processor, nodes)


def mean(factors: list[float]) -> float:
    """The geometric mean."""
    return math.exp(sum(map(math.log, factors)) / len(factors))


def speedup(threads: int, one: list[list[Cost]], many: list[list[Cost]]) -> Speedup:
    """Lists of rounds, each a list of positions."""
    pairs = [list(zip(*both, strict=True)) for both in zip(one, many, strict=True)]
    rounds = [mean([a.seconds / b.seconds for a, b in each]) for each in pairs]
    every = [pair for each in pairs for pair in each]
    return Speedup(
        threads,
        mean(rounds),
        min(rounds),
        max(rounds),
        mean([a.processor / (b.processor / threads) for a, b in every]),
        sum(b.processor for _, b in every) / sum(b.seconds for _, b in every),
        sum(b.nodes for _, b in every) / sum(a.nodes for a, _ in every),
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="How much faster several threads search.")
    parser.add_argument("--threads", type=int, nargs="+", default=[2])
    parser.add_argument("--depth", type=int, default=18)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hash", type=parse_size, default=64 << 20)
    parser.add_argument("--weights", help="weights file, manual or material (default: the shipped tables)")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    numbers = [1, *(number for number in chosen.threads if number > 1)]
    engines = {n: kr.Engine(chosen.weights, chosen.hash / (1 << 20), threads=n, database=None) for n in numbers}
    costs: dict[int, list[list[Cost]]] = {n: [] for n in numbers}
    positions = load_positions()
    for _ in range(chosen.rounds):
        for n in numbers:
            costs[n].append([])
        for position in positions:
            for n, engine in engines.items():
                costs[n][-1].append(cost(engine, position, chosen.depth))
    results = [speedup(n, costs[1], costs[n]) for n in numbers]
    if chosen.json:
        lines = [asdict(each) for each in results]
        print(json.dumps({"depth": chosen.depth, "rounds": chosen.rounds, "threads": lines}))
        return
    print(f"time to depth {chosen.depth}, {len(positions)} positions, {chosen.rounds} rounds")
    for each in results:
        print(
            f"{each.threads} threads: {each.speedup:.2f} times as fast ({each.least:.2f} to {each.most:.2f}), "
            f"{each.processor_speedup:.2f} in processor time; {each.cores:.2f} cores, {each.nodes:.2f} times the nodes"
        )


if __name__ == "__main__":
    main()
