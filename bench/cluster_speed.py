"""What a cluster costs: games per second beside threads, and seconds and bytes of a task and of a game.

    python bench/cluster_speed.py                       all figures
    python bench/cluster_speed.py --costs --json > costs.json
    python bench/cluster_model.py --costs costs.json

Two workers of `--cluster local:2` play in turn with two threads, a short and a long run each: the ratio is that of the
games between both, so that starting a cluster does not count, and is told apart.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from cluster_processes import local_processes

WAYS = {"threads": ["--workers", "2"], "cluster": ["--cluster", "local:2"]}
EMPTY = 2000
"""Tasks of a game that takes no time."""
QUICK = 40_000
"""Games that take next to no time, in tasks of many."""


def played(directory: Path, games: int, nodes: int, shard_games: int, way: str) -> float:
    """Seconds of a run of self-play, from the start of the command to its end."""
    command = [sys.executable, "-m", "kr", "selfplay", "--quiet", "--json", "--out", str(directory)]
    command += ["--games", str(games), "--nodes", str(nodes), "--shard-games", str(shard_games), *WAYS[way]]
    began = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - began


def speeds(games: int, nodes: int, shard_games: int, rounds: int) -> dict[str, Any]:
    """Games per second of both ways, and what starting a cluster takes."""
    short = max(2 * shard_games, games // 5)
    rates: dict[str, list[float]] = {way: [] for way in WAYS}
    starts: dict[str, list[float]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            for way in WAYS:
                few, many = (
                    played(Path(folder) / f"{way}-{number}-{count}", count, nodes, shard_games, way)
                    for count in (short, games)
                )
                rates[way].append((games - short) / (many - few))
                starts[way].append(few - short / rates[way][-1])
    ratio = median(rates["cluster"]) / median(rates["threads"])
    return {"games": games, "nodes": nodes, "rates": rates, "ratio": ratio, "starts": starts}


def costs() -> dict[str, float]:
    """Processor seconds of coordinator and scheduler for a task and for a game, and bytes of a game."""
    from kr.cluster import pool
    from kr.learn.games import read_shard, shard_paths, stored_games, write_shard
    from kr.learn.selfplay import SelfplaySettings, selfplay

    pool.TASK_SECONDS = 0.0  # each shard is a task
    with tempfile.TemporaryDirectory() as folder, local_processes(Path(folder) / "cluster", 2) as cluster:
        asked = SelfplaySettings(games=4, shard_games=1, nodes=1, out=Path(folder) / "first", cluster=cluster.address)
        selfplay(asked)  # files are sent, signatures compared

        def spent(games: int, shard_games: int, name: str) -> tuple[float, float, float]:
            """Wall clock, processor of the coordinator and of the scheduler."""
            begin = time.monotonic(), time.process_time(), cluster.processor_seconds(cluster.scheduler)
            selfplay(replace(asked, games=games, shard_games=shard_games, out=Path(folder) / name))
            end = time.monotonic(), time.process_time(), cluster.processor_seconds(cluster.scheduler)
            wall, coordinator, scheduler = (last - first for first, last in zip(begin, end, strict=True))
            return wall, coordinator, scheduler

        spent(2, 1, "idle")
        wall, coordinator, scheduler = spent(EMPTY, 1, "empty")
        # files of one game each are not what a task costs
        shards = [read_shard(path) for path in shard_paths(Path(folder) / "empty")[:200]]
        written = time.process_time()
        for number, shard in enumerate(shards):
            write_shard(Path(folder) / f"{number}.h5", list(stored_games(shard)), dict(shard.attrs))
        writing = (time.process_time() - written) / len(shards)
        _, quick, _ = spent(QUICK, 500, "quick")
        shards = [read_shard(path) for path in shard_paths(Path(folder) / "quick")]
        plies = sum(len(shard.move) for shard in shards) / QUICK
    task = coordinator / EMPTY - writing
    game = (quick - task * QUICK / 500) / QUICK
    task -= game
    return {
        "task_wall": wall / EMPTY, "send": task * 0.6, "take": task * 0.4, "schedule": scheduler / EMPTY,
        "take_game": game, "bytes_game": 28 + 4 * plies, "plies": plies,
    }  # fmt: skip


def main() -> None:
    """Both, or what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--shard-games", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--costs", action="store_true", help="costs of tasks and games alone")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found: dict[str, Any] = costs()
    if not asked.costs:
        found |= speeds(asked.games, asked.nodes, asked.shard_games, asked.rounds)
    if asked.json:
        print(json.dumps(found))
        return
    processor = f"{1e3 * (found['send'] + found['take']):.2f} ms of the coordinator's processor"
    print(f"a task        {1e3 * found['task_wall']:.2f} ms from end to end with 2 workers")
    print(f"              {processor}, {1e3 * found['schedule']:.2f} ms of the scheduler's")
    print(f"a game        {1e6 * found['take_game']:.0f} us of the coordinator's processor")
    print(f"              {found['bytes_game']:.0f} bytes, at {found['plies']:.0f} plies")
    if not asked.costs:
        for way in WAYS:
            rates, starts = found["rates"][way], found["starts"][way]
            print(f"{way:13} {' '.join(f'{each:.1f}' for each in rates)} games/s, start {median(starts):.1f} s")
        print(f"ratio         {found['ratio']:.3f}")


if __name__ == "__main__":
    main()
