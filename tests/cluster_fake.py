"""A cluster without Dask: workers are functions, and each look at them lets every worker do one task."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kr.cluster import connection, crew, pool, worker
from kr.cluster.address import ClusterAddress
from kr.cluster.connection import TaskAnswer, WorkerInfo
from kr.cluster.frames import framed, unframed
from kr.jobs.kinds import Kind, Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.unit import Chunk, Unit


class ToyUnits(Kind[list[str], str]):
    """Units whose values are texts; "ERROR TEXT" raises, and "file" is the content of the unit's file."""

    raising: dict[str, Exception] = {}  # noqa: RUF012 - filled by tests

    def open(self, unit: Unit, needs: Needs) -> list[str]:
        return []

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[list[str], str]:
        for text in unit.values["chunks"]:
            yield [Portion(partial(self._do, unit, needs, text))]

    def _do(self, unit: Unit, needs: Needs, text: str, tools: list[str], stop: Stop) -> str | None:
        if text in self.raising:
            raise self.raising[text]
        if text == "file":
            return Path(needs.place("file", unit.needs["file"])).read_text()
        return text or None

    def encode(self, value: str) -> bytes:
        return value.encode()

    def decode(self, unit: Unit, chunk: Chunk) -> str:
        return bytes(chunk).decode()

    def check(self, unit: Unit, values: Sequence[str]) -> None:
        if "nonsense" in values:
            raise ValueError("nonsense")


KIND = "kr.jobs.kinds:ToyUnits"


def toy(key: object, *chunks: str, needs: Mapping[str, str] | None = None) -> Unit:
    """A unit whose chunks are these texts, or its key."""
    return Unit(KIND, str(key), dict(needs or {}), values={"chunks": chunks or [str(key)]})


@dataclass
class FakeFuture:
    """Dask's future of a task, or of a block."""

    key: str
    frame: bytes = b""
    cancelled: bool = False
    worker: str = ""
    """Worker that has done it."""
    status: str = "pending"

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class _Sent:
    future: FakeFuture
    frame: bytes
    done: Callable[[TaskAnswer], None]
    blocks: Sequence[FakeFuture]


Behaviour = Callable[["FakeCluster", str, bytes, Sequence[bytes]], TaskAnswer | None]
"""Answer of a worker to a task; None if there is never one."""


UNHEARD = TaskAnswer(b"")
"""The answer of a worker that does its task, but from which it can't be fetched."""


class FakeCluster:
    """Scheduler, workers and the connection to them. workers: by address."""

    def __init__(self, workers: Mapping[str, Behaviour], local: bool = True) -> None:
        self.address = ClusterAddress("local:9", 9) if local else ClusterAddress("tcp://fake:1", 0, "tcp://fake:1")
        self.behaviours = dict(workers)
        self.workers = {address: WorkerInfo(address, address, "host", 1, 0, 0, 0.0, "running") for address in workers}
        self.sent: dict[str, list[_Sent]] = {address: [] for address in workers}
        self.log: list[tuple[str, dict[str, Any]]] = []
        """Tasks by the workers that did them."""
        self.on_look: Callable[[FakeCluster], None] = lambda cluster: None
        self.looks = 0
        self.alive, self.times_lost, self.gone_for = True, 0, 0
        self.futures: list[FakeFuture] = []
        self.held: list[FakeFuture] = []
        self.spoils = False
        """True if what workers hold for others is garbage."""

    # Calls of the pool

    def submit(
        self,
        frame: bytes,
        done: Callable[[TaskAnswer], None],
        blocks: Sequence[FakeFuture] = (),
        workers: Sequence[str] | None = None,
    ) -> FakeFuture:
        future = FakeFuture(f"task-{len(self.futures)}", frame)
        self.futures.append(future)
        allowed = [address for address in self.sent if workers is None or address in workers]
        chosen = min(allowed, key=lambda address: len(self.sent[address]))
        self.sent[chosen].append(_Sent(future, frame, done, blocks))
        return future

    def hold(self, frame: bytes, workers: Sequence[str] | None = None) -> FakeFuture:
        # a holder that is not asked for by name may be one that returns garbage
        held = b"garbage" if self.spoils and workers is None else worker.run(frame)
        self.held.append(FakeFuture(f"block-{len(self.held)}", held))
        return self.held[-1]

    def holder(self, future: FakeFuture) -> str:
        return future.worker

    def processing(self) -> dict[str, list[str]]:
        return {address: [each.future.key for each in sent] for address, sent in self.sent.items()}

    def revive(self) -> bool:
        if not self.alive:
            if not self.gone_for:
                self.times_lost += 1
                self.sent = {address: [] for address in self.sent}
                self.gone_for = 3
                return False
            self.gone_for -= 1
            self.alive = not self.gone_for
        return self.alive

    def look(self) -> None:
        self.looks += 1
        assert self.looks < 3000, "the work does not end"
        self.on_look(self)
        for address in list(self.workers):
            while self.sent[address] and self.sent[address][0].future.cancelled:
                self.sent[address].pop(0)
            if not self.sent[address]:
                continue
            each = self.sent[address][0]
            answer = self.behaviours[address](self, address, each.frame, [block.frame for block in each.blocks])
            if answer is not None:
                self.sent[address].remove(each)
                self.log.append((address, unframed(each.frame)[0]))
                each.future.worker, each.future.status = address, "finished"
                if answer is not UNHEARD:
                    each.done(answer)

    # Calls of tests

    def lose(self, address: str) -> None:
        """End a worker; Dask gives its tasks to others, but for those that only it may do."""
        del self.workers[address]
        self.sent.pop(address)

    def change(self, address: str, **values: Any) -> None:
        """Change what the scheduler says of a worker."""
        self.workers[address] = replace(self.workers[address], **values)

    def units_of(self, address: str) -> list[str]:
        """Units that a worker was sent, and answered for."""
        return [unit["key"] for name, task in self.log if name == address for unit in task.get("units", ())]


def says(**values: Any) -> Behaviour:
    """A worker that answers with the same values to every task."""
    return lambda cluster, address, frame, blocks: TaskAnswer(framed({"worker": address, **values}))


def sends(frame: bytes) -> Behaviour:
    """A worker that answers with the same bytes to every task."""
    return lambda cluster, address, sent, blocks: TaskAnswer(frame)


def unheard(cluster: FakeCluster, address: str, frame: bytes, blocks: Sequence[bytes]) -> TaskAnswer:
    """A worker that does its tasks and is stopped before its answers are fetched."""
    return UNHEARD


def hangs(cluster: FakeCluster, address: str, frame: bytes, blocks: Sequence[bytes]) -> None:
    """A worker that never answers."""


class Machine:
    """Honest workers of machines of their own, with a store each, and the clusters that they make."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.directory, self._monkeypatch = directory, monkeypatch
        self.now = 1000.0
        self._jobs: dict[tuple[int, str], OrderedDict[str, Any]] = {}
        self._threads: dict[tuple[int, str], SimpleNamespace] = {}
        self._clusters: list[FakeCluster] = []

    def wait(self, seconds: float) -> None:
        """Sleep by this clock, for a second at least."""
        self.now += max(seconds, 1.0)

    def works(self, cluster: FakeCluster, address: str, frame: bytes, blocks: Sequence[bytes]) -> TaskAnswer:
        """Do a task as a worker of a cluster does it."""
        with self._monkeypatch.context() as changed:
            if not cluster.address.processes:
                changed.setenv("KR_STORE", str(self.directory / address))
            changed.setattr(worker, "_own_name", lambda: address)
            changed.setattr(worker, "_jobs", self._jobs.setdefault((id(cluster), address), OrderedDict()))
            changed.setattr(worker, "_thread", self._threads.setdefault((id(cluster), address), SimpleNamespace()))
            answer = worker.run(frame, *blocks)
        return TaskAnswer(answer)

    @contextmanager
    def connected(self, cluster: FakeCluster) -> Iterator[None]:
        """Let pools and crews find this cluster, whatever they are told."""

        self._clusters.append(cluster)  # so that no other gets its id

        @contextmanager
        def found(text: str) -> Iterator[FakeCluster]:
            yield cluster

        with self._monkeypatch.context() as changed:
            changed.setattr(pool, "connected", found)
            changed.setattr(crew, "connected", found)
            yield


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A place for fake clusters: no waits, a short job, a clock that tests set, and toys that workers find by name."""
    made = Machine(tmp_path, monkeypatch)
    monkeypatch.setenv("KR_STORE", str(tmp_path / "here"))
    monkeypatch.setattr("kr.jobs.kinds.ToyUnits", ToyUnits, raising=False)
    monkeypatch.setattr(ToyUnits, "raising", {})
    monkeypatch.setattr(pool, "SIGNALS_WAIT", 0.0)
    monkeypatch.setattr(crew, "SIGNALS_WAIT", 0.0)
    for module in (pool, crew, worker):
        monkeypatch.setattr(module, "search_signature", lambda: {"signature": 7})
    clock = SimpleNamespace(monotonic=lambda: made.now, sleep=made.wait)
    for each in (pool, crew, worker, connection):
        monkeypatch.setattr(each, "time", clock)
    return made
