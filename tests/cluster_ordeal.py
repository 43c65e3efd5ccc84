"""Self-play on a cluster whose parts are killed, again and again, compared with a run without a cluster.

A scheduler and workers are started here, and `kr selfplay --cluster`. In random order, workers and the coordinator are
killed (SIGKILL), the scheduler is killed and started again, a worker has a full disk, one answers with garbage (bits
that are flipped, and games that are not those it was asked for), and one hangs (SIGSTOP). Whatever ends is started
again; when the games are all played while misfortunes remain, more are asked for.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from cluster_processes import LocalProcesses, WorkerProcess, free_port, local_processes

NAMED_SECONDS = 240.0
"""Wait until the coordinator has named a worker that can't do its work."""
SCHEDULER_PAUSE = 2.0
"""Seconds without a scheduler."""
TINY_DISK = 64 << 10
"""Bytes of the disk that is too small for the weights."""
GARBAGE = '''\
"""Preloaded by a worker that answers with garbage."""

from kr.cluster import worker
from kr.cluster.frames import framed, unframed

_run = worker.run


def dask_setup(dask_worker):
    """Called by Dask in the worker, more than once."""
    if worker.run.__name__ == "run":
        worker.run = _garbage


def _garbage(frame, *blocks):
    answer = _run(frame, *blocks)
    values, chunks = unframed(answer)
    if not values.get("results"):
        return answer
    {how}
'''
HOW = {
    "flipped bits": "return answer[:-40] + bytes(each ^ 1 for each in answer[-40:])",
    "other games": "return framed(values, [bytes(reversed(bytes(each))) for each in chunks])",
    "too few games": "return framed(values, chunks[:-1])",
}


@dataclass(frozen=True)
class Ordeal:
    """Misfortunes of a cluster, how many of each, and the work that it does meanwhile."""

    worker_kills: int = 0
    coordinator_kills: int = 0
    scheduler_kills: int = 0
    full_disks: int = 0
    garbage: int = 0
    hangs: int = 0
    workers: int = 2
    pause: float = 1.0
    """Mean seconds between two misfortunes."""
    games: int = 2000
    """Games asked for at first, and each time that they are all played while misfortunes remain."""
    shard_games: int = 100
    nodes: int = 50
    seed: int = 1

    @property
    def misfortunes(self) -> list[str]:
        """All misfortunes, in the order of the seed."""
        listed = ["worker"] * self.worker_kills + ["coordinator"] * self.coordinator_kills
        listed += ["scheduler"] * self.scheduler_kills + ["disk"] * self.full_disks
        listed += ["garbage"] * self.garbage + ["hang"] * self.hangs
        random.Random(self.seed).shuffle(listed)
        return listed


@dataclass
class Outcome:
    """Misfortunes that happened, and what was said of them."""

    done: dict[str, int] = field(default_factory=dict)
    named: list[str] = field(default_factory=list)
    """Lines of the coordinator on workers that were left."""
    coordinator_starts: int = 0
    coordinator_errors: list[str] = field(default_factory=list)
    """Last lines of coordinators that ended by themselves before their work was done."""
    worker_starts: int = 0


def play_command(ordeal: Ordeal, out: Path, games: int) -> list[str]:
    """The self-play run, but for where it is done."""
    shaping = ["--nodes", str(ordeal.nodes), "--shard-games", str(ordeal.shard_games), "--seed", str(ordeal.seed)]
    return [sys.executable, "-m", "kr", "selfplay", "--games", str(games), *shaping, "--out", str(out), "--quiet"]


class Run:
    """The self-play run under its misfortunes."""

    def __init__(self, ordeal: Ordeal, directory: Path, cluster: LocalProcesses) -> None:
        self.ordeal, self.directory, self.cluster = ordeal, directory, cluster
        self.games = ordeal.games
        self.outcome = Outcome()
        self.out = directory / "games"
        self.log = directory / "coordinator.log"
        self._random = random.Random(ordeal.seed + 1)
        self._process: subprocess.Popen[bytes] | None = None
        self._killed = False

    def endure(self) -> Outcome:
        """All misfortunes, one after the other, and the rest of the games."""
        for what in self.ordeal.misfortunes:
            self._wait(self._random.expovariate(1 / self.ordeal.pause))
            deed: Callable[[], None] = getattr(self, f"_{what}")
            deed()
            self.outcome.done[what] = self.outcome.done.get(what, 0) + 1
        while not self._finished():
            self._keep_up()
            time.sleep(0.2)
        self.outcome.named += [line for line in self._said(0) if " is left: " in line]
        return self.outcome

    # Keeping up

    def _keep_up(self, *, more: bool = False) -> None:
        """Start again what has ended. more: ask for more games if all are played."""
        self.outcome.worker_starts += self.cluster.mend()
        if self._process is not None and (status := self._process.poll()) is not None:
            if status == 0 and more:
                self.games += self.ordeal.games
            elif status != 0 and not self._killed:
                self.outcome.coordinator_errors.append(self._said(0)[-1])
            self._process = None if status or more else self._process
        if self._process is None:
            command = [*play_command(self.ordeal, self.out, self.games), "--cluster", self.cluster.address]
            with open(self.log, "ab") as log:
                self._process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
                )
            self._killed = False
            self.outcome.coordinator_starts += 1

    def _finished(self) -> bool:
        return self._process is not None and self._process.poll() == 0

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while True:
            self._keep_up(more=True)
            if time.monotonic() >= until:
                return
            time.sleep(min(0.2, max(0.0, until - time.monotonic())))

    def _said(self, since: int) -> list[str]:
        """Lines of the coordinators, from an offset."""
        if not self.log.exists():
            return []
        return self.log.read_bytes()[since:].decode(errors="replace").splitlines()

    def _wait_until_named(self, address: str) -> None:
        """Wait until a coordinator says that it has left a worker. Raises TimeoutError."""
        since = self.log.stat().st_size if self.log.exists() else 0
        until = time.monotonic() + NAMED_SECONDS
        while not any(f"worker {address} is left: " in line for line in self._said(since)):
            if time.monotonic() > until:
                raise TimeoutError(f"worker {address} was not named in {NAMED_SECONDS:.0f} s; see {self.log}")
            self._wait(0.5)

    def end(self) -> None:
        """Kill the coordinator if it runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    # Misfortunes

    def _worker(self) -> None:
        self.cluster.kill(self._random.choice([each for each in self.cluster.workers.values() if not each.ended]))

    def _coordinator(self) -> None:
        while self._process is None or self._process.poll() is not None:
            self._keep_up(more=True)
        self._killed = True
        self._process.kill()
        if self._process.wait() == 0:  # it was just done
            self._coordinator()

    def _scheduler(self) -> None:
        self.cluster.kill_scheduler()
        time.sleep(SCHEDULER_PAUSE)
        self.cluster.start_scheduler()

    def _disk(self) -> None:
        with tiny_disk(self.directory / "tiny") as (store, file_limit):
            self._named(WorkerProcess("full-disk", store, file_limit=file_limit, port=free_port()))

    def _garbage(self) -> None:
        how = list(HOW)[self.outcome.done.get("garbage", 0) % len(HOW)]
        preload = self.directory / f"{how.replace(' ', '_')}.py"
        preload.write_text(GARBAGE.format(how=HOW[how]))
        self._named(WorkerProcess(preload.stem, self.directory / "store", preload=str(preload), port=free_port()))

    def _named(self, worker: WorkerProcess) -> None:
        """Have a worker join that can't do its work, until a coordinator has named it."""
        self.cluster.start_worker(worker)
        self._wait_until_named(f"tcp://127.0.0.1:{worker.port}")
        self.cluster.dismiss(worker)

    def _hang(self) -> None:
        worker = self.cluster.start_worker(WorkerProcess("hung", self.directory / "store", port=free_port()))
        self._wait(15.0)  # it gets work
        self.cluster.hang(worker)
        self._wait_until_named(f"tcp://127.0.0.1:{worker.port}")
        self.cluster.dismiss(worker)


@contextmanager
def tiny_disk(place: Path) -> Iterator[tuple[Path, int]]:
    """A directory on a disk of TINY_DISK bytes, and 0; without the right to mount one, the most bytes of a file."""
    place.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={TINY_DISK}", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(mount, capture_output=True).returncode:
        yield place, TINY_DISK
        return
    try:
        yield place, 0
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def endure(ordeal: Ordeal, directory: Path) -> Outcome:
    """A run with all misfortunes in `games` of a new or empty directory, and one without a cluster in `quiet`."""
    with local_processes(directory / "cluster", ordeal.workers) as cluster:
        run = Run(ordeal, directory, cluster)
        try:
            outcome = run.endure()
        finally:
            run.end()
    subprocess.run(play_command(ordeal, directory / "quiet", run.games), check=True, stdout=subprocess.DEVNULL)
    return outcome
