"""A model of self-play, matches and fits on a cluster: where 10 to 10,000 cores meet the coordinator, network or disk.

    python bench/cluster_model.py                       tables for 10 to 10,000 cores
    python bench/cluster_model.py --check               the model beside runs with 1, 2 and 8 workers of this machine
    python bench/cluster_model.py --plot cluster.png --json

A task goes through servers in a row, each of which does one thing at a time: the coordinator packs it, the scheduler
assigns it, a worker does it, the scheduler hears of it and passes its bytes on over the network, the coordinator reads,
checks and writes it. At most AHEAD tasks a core are under way, as in kr.cluster.pool. What these steps cost is measured
by bench/cluster_speed.py.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import random
import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

AHEAD = 2
CORES = (10, 100, 1_000, 10_000)
CORES_A_MACHINE = 16


@dataclass(frozen=True)
class Costs:
    """Seconds and bytes of the steps, measured on the machine of docs/measurements.toml."""

    send: float = 0.0031
    """Coordinator's seconds to pack and send a task."""
    take: float = 0.0021
    """Its seconds to receive a task's answer, without what is in it."""
    take_game: float = 57e-6
    """Its seconds to read, check, count and write a game of self-play."""
    schedule: float = 0.0034
    """Scheduler's seconds for a task."""
    network: float = 100e6
    """Bytes per second of the scheduler's and of the coordinator's connection."""
    disk: float = 200e6
    """Bytes per second of the coordinator's disk."""
    files: float = 55e6
    """Bytes that a machine must have before its first task."""


@dataclass(frozen=True)
class Work:
    """A kind of work."""

    name: str
    seconds: float
    """Of a task on one core."""
    deviation: float
    """Of a task's seconds, relative."""
    bytes: float
    """Of an answer."""
    games: int
    """Games in a task."""
    per_game: bool = True
    """True if the coordinator spends Costs.take_game on each."""
    pieces: int = 16
    """Parts into which a task can be split at the end."""


SELFPLAY = Work("self-play, 2,000 nodes a move, shards of 2,000 games", 44.0, 0.03, 2000 * 330.0, 2000)
MATCH = Work("match, 0.3 s a move, pairs", 40.0, 0.35, 2 * 6000.0, 2, per_game=False, pieces=1)
SMALL = replace(SELFPLAY, name="self-play, 100 nodes a move, shards of 2,000 games", seconds=2.0)


@dataclass(frozen=True)
class Outcome:
    """A simulated run."""

    cores: int
    tasks: int
    seconds: float
    efficiency: float
    """Core seconds of the work itself, of all that there were."""
    busy: dict[str, float]
    """Share of the time that each server was busy."""

    @property
    def limit(self) -> str:
        """The server that the workers wait for, if they do."""
        name = max(self.busy, key=lambda each: self.busy[each])
        return name if self.busy[name] > 0.9 and self.efficiency < 0.9 else "none"


class _Server:
    """One thing at a time, in the order of arrival."""

    def __init__(self) -> None:
        self.free = self.busy = 0.0

    def done(self, now: float, seconds: float) -> float:
        """When work that arrives now is done."""
        self.free = max(self.free, now) + seconds
        self.busy += seconds
        return self.free


def simulate(
    work: Work,
    cores: int,
    tasks: int,
    costs: Costs,
    seed: int = 1,
    processors: int = 0,
    speed: Sequence[float] = (1.0,),
) -> Outcome:
    """A run of a number of tasks. processors: cores of the machine that all workers share, 0 if each has its own.

    speed: of the workers, in turn; 1 for one that needs Work.seconds.
    """
    draw = random.Random(seed)
    coordinator, scheduler, network = _Server(), _Server(), _Server()
    events: list[tuple[float, int, Callable[[float], None]]] = []
    number = 0
    left, finished, useful = float(tasks), 0.0, 0.0
    idle = deque(range(cores))
    waiting: deque[float] = deque()
    under_way = 0
    # a part is never less than a second of work
    least = min(1.0, max(1 / work.pieces, 1 / max(work.seconds, 1e-9)))
    share = max(1.0, cores / processors) if processors else 1.0
    # machines get the files from each other: those that have them double
    machines = math.ceil(cores / CORES_A_MACHINE)
    start = 0.0 if processors else costs.files / costs.network * (1 + math.log2(machines))
    end = 0.0

    def at(time: float, what: Callable[[float], None]) -> None:
        nonlocal number
        number += 1
        heapq.heappush(events, (time, number, what))

    def send(now: float) -> None:
        nonlocal left, under_way
        while left > 1e-9 and under_way < AHEAD * cores:
            # at the end, parts of tasks, so that all workers end together
            size = 1.0 if left >= AHEAD * cores else max(least, min(1.0, left / (AHEAD * cores)))
            size = min(size, left)
            left -= size
            under_way += 1
            packed = coordinator.done(now, costs.send)
            assigned = scheduler.done(packed, costs.schedule / 2)
            at(assigned, lambda time, size=size: arrive(time, size))  # type: ignore[misc]

    def arrive(now: float, size: float) -> None:
        if idle:
            begin(now, idle.popleft(), size)
        else:
            waiting.append(size)

    def begin(now: float, worker: int, size: float) -> None:
        nonlocal useful
        sigma = math.sqrt(math.log(1 + work.deviation**2))
        factor = draw.lognormvariate(-(sigma**2) / 2, sigma) if work.deviation else 1.0
        seconds = work.seconds * size * factor
        useful += seconds
        at(now + seconds * share / speed[worker % len(speed)], lambda time: end_of_task(time, worker, size))

    def end_of_task(now: float, worker: int, size: float) -> None:
        if waiting:
            begin(now, worker, waiting.popleft())
        else:
            idle.append(worker)
        heard = scheduler.done(now, costs.schedule / 2)
        at(network.done(heard, work.bytes * size / costs.network), lambda time: take(time, size))

    def take(now: float, size: float) -> None:
        nonlocal finished, under_way, end
        games = work.games * size if work.per_game else 0
        end = coordinator.done(now, costs.take + games * costs.take_game + work.bytes * size / costs.disk)
        finished += size
        under_way -= 1
        at(end, send)

    at(start, send)
    while events:
        now, _, what = heapq.heappop(events)
        what(now)
    assert abs(finished - tasks) < 1e-6, (finished, tasks)
    machine = min(cores, processors) if processors else cores
    busy = {"coordinator": coordinator.busy / end, "scheduler": scheduler.busy / end, "network": network.busy / end}
    return Outcome(cores, tasks, end, useful / (machine * end), busy)


def largest(work: Work, costs: Costs) -> dict[str, float]:
    """Cores at which each server alone is as busy as it can be, by its cost for a task: where the model must bend."""
    games = work.games if work.per_game else 0
    coordinator = costs.send + costs.take + games * costs.take_game + work.bytes / costs.disk
    return {
        "coordinator": work.seconds / coordinator if coordinator else math.inf,
        "scheduler": work.seconds / costs.schedule if costs.schedule else math.inf,
        "network": work.seconds * costs.network / work.bytes,
    }


def fit_seconds(cores: int, positions: float, costs: Costs, threads: int, slots: float = 7.5e6) -> dict[str, float]:
    """Seconds of an evaluation of the loss: samples, weights and gradients, adding up. threads: of each worker.

    A core takes 5 million samples a second; weights are 8 bytes a slot, gradients 16, and go to and from each worker.
    """
    workers = max(1, cores // threads)
    return {
        "samples": positions / (5e6 * cores),
        # weights go from worker to worker; gradients all come to the coordinator
        "weights": 8 * slots / costs.network * (1 + math.log2(workers)),
        "gradients": workers * 16 * slots * (1 / costs.network + 1 / 2e9),
    }


def table(work: Work, costs: Costs, rounds: int = 20) -> list[Outcome]:
    """Runs of `rounds` tasks a core; of a quarter with most cores."""
    return [simulate(work, cores, (rounds if cores < CORES[-1] else rounds // 4) * cores, costs) for cores in CORES]


def check(costs: Costs, workers: Sequence[int], games: int, shard_games: int, nodes: int) -> list[dict[str, Any]]:
    """Runs with real workers of this machine beside the model, whose task time is that of as many threads.

    start: seconds of a job without work, which the others leave out.
    """
    from cluster_processes import local_processes

    from kr.cluster import pool
    from kr.learn.selfplay import SelfplaySettings, selfplay
    from kr.threads import core_count

    pool.TASK_SECONDS = 0.0  # each shard is a task, as in the model
    tasks = -(-games // shard_games)
    found: list[dict[str, Any]] = []
    for count in workers:
        threads = min(count, core_count())
        with tempfile.TemporaryDirectory() as folder:
            asked = SelfplaySettings(games=games, shard_games=shard_games, nodes=nodes, out=Path(folder) / "games")
            seconds = selfplay(replace(asked, workers=threads)).seconds * threads / tasks
        with tempfile.TemporaryDirectory() as folder, local_processes(Path(folder) / "cluster", count) as cluster:
            asked = replace(asked, out=Path(folder) / "games", cluster=cluster.address)
            few = replace(asked, games=8 * count, shard_games=1, nodes=1)
            selfplay(replace(few, out=Path(folder) / "first"))  # files are sent, signatures compared
            # a job is prepared: the connection, tables read by each worker
            start = selfplay(replace(few, out=Path(folder) / "second")).seconds
            measured = selfplay(asked).seconds - start
        work = replace(SELFPLAY, seconds=seconds, games=shard_games, bytes=330.0 * shard_games)
        model = simulate(work, count, tasks, costs, processors=core_count())
        found.append({"workers": count, "start": start, "measured": measured, "model": model.seconds})
    return found


def draw(path: Path, results: dict[str, list[Outcome]]) -> None:
    """Efficiency by cores, a line for each kind of work."""
    from kr.figures import BLUE, INK, MUTED, ORANGE, finish, headline, new_figure, save

    figure, (ax, servers) = new_figure(2, 10, 4.8)
    for (name, outcomes), colour in zip(results.items(), (BLUE, ORANGE, MUTED), strict=False):
        cores = [each.cores for each in outcomes]
        ax.plot(cores, [100 * each.efficiency for each in outcomes], "o-", color=colour, label=name)
        servers.plot(cores, [100 * max(each.busy.values()) for each in outcomes], "o-", color=colour, label=name)
    for each in (ax, servers):
        each.set_xscale("log")
        each.set_ylim(0, 105)
    finish(ax, "time that workers work", "cores", "percent")
    finish(servers, "time that the busiest server is busy", "cores", "percent")
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", frameon=False, labelcolor=INK, fontsize=9)
    headline(figure, "Self-play and matches on a cluster, simulated")
    save(figure, path)


def main() -> None:
    """Tables, and what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--costs", type=Path, help="figures of bench/cluster_speed.py --json instead of the built-in ones"
    )
    parser.add_argument("--check", action="store_true", help="compare the model with real workers")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 8])
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--shard-games", type=int, default=100)
    parser.add_argument("--nodes", type=int, default=500)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    costs = Costs()
    if asked.costs:
        known = json.loads(asked.costs.read_text())
        costs = Costs(**{name: known[name] for name in asdict(costs) if name in known})
    if asked.check:
        rows = check(costs, asked.workers, asked.games, asked.shard_games, asked.nodes)
        if asked.json:
            print(json.dumps(rows))
            return
        print("workers   start  measured     model  model/measured")
        for row in rows:
            ratio = row["model"] / row["measured"]
            times = f"{row['start']:5.1f} s  {row['measured']:6.1f} s  {row['model']:6.1f} s"
            print(f"{row['workers']:7} {times}  {ratio:14.2f}")
        return
    results = {work.name: table(work, costs) for work in (SELFPLAY, MATCH, SMALL)}
    if asked.plot:
        draw(asked.plot, results)
    if asked.json:
        print(json.dumps({"costs": asdict(costs), "work": {n: [asdict(e) for e in r] for n, r in results.items()}}))
        return
    for work in (SELFPLAY, MATCH, SMALL):
        print(f"{work.name}; alone " + ", ".join(f"{n} up to {c:,.0f} cores" for n, c in largest(work, costs).items()))
        print("  cores  efficiency  coordinator  scheduler  network  limit")
        for each in results[work.name]:
            busy = "  ".join(f"{100 * each.busy[name]:8.1f}%" for name in each.busy)
            print(f"{each.cores:7,}  {100 * each.efficiency:9.1f}%    {busy}  {each.limit}")
    print("an evaluation of the fit's loss, a billion positions (400 million distinct of the larger group)")
    for threads in (1, CORES_A_MACHINE):
        for cores in CORES[1:3]:
            parts = fit_seconds(cores, 400e6, costs, threads)
            said = ", ".join(f"{name} {value:.2f} s" for name, value in parts.items())
            print(f"{cores:7,} cores, {threads:2} threads a worker: {said}")


if __name__ == "__main__":
    main()
