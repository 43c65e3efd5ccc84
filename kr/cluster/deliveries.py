"""Files for the workers of a cluster: those that a worker asks for are sent once, and its tasks wait for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Generic, TypeVar

from kr.cluster.answers import TOO_SMALL, read_call_answer
from kr.cluster.connection import ClusterConnection, TaskAnswer, block_frames
from kr.cluster.frames import framed
from kr.cluster.parcels import Parcel, pack
from kr.cluster.store import Store
from kr.jobs.needs import Needs

T = TypeVar("T")
MOST_REQUESTS = 5
"""Most requests of a worker for the same file, before it is left."""


class SentFiles:
    """Files by SHA-256: workers of this machine find them in its store, others get them in blocks."""

    def __init__(self, paths: Mapping[str, Path] | None = None) -> None:
        self.paths = {digest: Path(path) for digest, path in (paths or {}).items()}
        self._blocks: dict[tuple[str, str], list[Any]] = {}

    def store(self, digests: Iterable[str]) -> None:
        """Put files into the store of this machine. Raises OSError."""
        store = Store.of_environment()
        for digest in store.missing(digests):
            store.add_file(self.paths[digest], digest)

    def blocks(self, connection: ClusterConnection, digest: str, receiver: str = "") -> list[Any]:
        """Futures of the blocks of a file, which the cluster holds: the receiver itself, or any worker if empty."""
        if (digest, receiver) not in self._blocks:
            where = [receiver] if receiver else None
            frames = block_frames(self.paths[digest])
            self._blocks[digest, receiver] = [connection.hold(frame, where) for frame in frames]
        return self._blocks[digest, receiver]

    def release_shared(self, digest: str) -> None:
        """Let go of the blocks of a file that any worker may hold."""
        self._blocks.pop((digest, ""), None)

    def release(self, digest: str = "") -> None:
        """Let go of the blocks of a file, or of all."""
        self._blocks = {key: blocks for key, blocks in self._blocks.items() if digest and key[0] != digest}


@dataclass
class _Delivery(Generic[T]):
    """Files under way to a worker, and the tasks that wait for them."""

    files: set[str] = field(default_factory=set)
    tasks: list[T] = field(default_factory=list)


class Deliveries(Generic[T]):
    """The needs of units as parcels, and their files under way to workers, each with the tasks that wait for it."""

    def __init__(self, needs: Needs) -> None:
        self._needs = needs
        self._parcels: dict[str, Parcel] = {}
        self.files = SentFiles()
        self._under_way: dict[str, _Delivery[T]] = {}
        self._apart: set[str] = set()
        """Workers that got damaged blocks from others: they get theirs from here."""
        self._numbers = count()
        self._keeps: dict[int, tuple[str, str, Any]] = {}
        """Worker, file and future of the task of each file."""
        self._requests: dict[str, Counter[str]] = {}
        """Requests for files by each worker since it last did a unit."""

    def __len__(self) -> int:
        """Number of tasks that wait."""
        return sum(len(each.tasks) for each in self._under_way.values())

    @property
    def workers(self) -> set[str]:
        """Workers to which files are under way."""
        return set(self._under_way)

    def parcel(self, what: str, checksum: str) -> Parcel:
        """Parcel of a need. Those of earlier units of a build are small, but many: only texts and checksums."""
        if checksum not in self._parcels:
            self._parcels[checksum], files = pack(self._needs.place(what, checksum), what)
            self.files.paths.update(files)
        return self._parcels[checksum]

    def refusal(self, worker: str, digests: Sequence[str]) -> str:
        """Reason not to send a worker the files that it asks for; "" if there is none."""
        requests = self._requests.setdefault(worker, Counter())
        requests.update(digests)
        if unknown := [digest for digest in digests if digest not in self.files.paths]:
            return f"it asks for an unknown file {unknown[0]:.80}"
        return TOO_SMALL if max(requests.values()) > MOST_REQUESTS else ""

    def forget_requests(self, worker: str) -> None:
        """Forget what a worker asked for: it has done a unit."""
        self._requests.pop(worker, None)

    def send(
        self, connection: ClusterConnection, worker: str, digests: Sequence[str], task: T,
        hear: Callable[[int, TaskAnswer], None],
    ) -> None:  # fmt: skip
        """Send files to a worker, for which a task waits. hear: gets the number and the answer of each, for `arrived`,
        from another thread."""
        delivery = self._under_way.setdefault(worker, _Delivery())
        delivery.tasks.append(task)
        for digest in set(digests) - delivery.files:
            delivery.files.add(digest)
            blocks = self.files.blocks(connection, digest, worker if worker in self._apart else "")
            self._send_file(connection, worker, digest, blocks, hear)

    def _send_file(
        self, connection: ClusterConnection, worker: str, digest: str, blocks: list[Any],
        hear: Callable[[int, TaskAnswer], None],
    ) -> None:  # fmt: skip
        number = next(self._numbers)
        frame = framed({"do": "keep", "digest": digest})
        future = connection.submit(frame, lambda answer: hear(number, answer), blocks, [worker])
        self._keeps[number] = (worker, digest, future)

    def arrived(self, number: int, answer: TaskAnswer) -> tuple[str, str, list[T]]:
        """Take the answer to a file: its worker, that one's fault or "", and the tasks that need wait no longer."""
        worker, digest, _ = self._keeps.pop(number, ("", "", None))
        delivery = self._under_way.get(worker)
        if delivery is None:
            return worker, "", []
        delivery.files.discard(digest)
        fault = ""
        if answer.frame is not None:
            try:
                failed = read_call_answer(answer.frame).failed
            except ValueError as error:
                fault = f"its answer makes no sense: {error}"
            else:
                if failed and failed[2] == "block":
                    # another worker spoiled it, whose own answers will show it; meanwhile it comes from here
                    self._apart.add(worker)
                    self.files.release_shared(digest)
                elif failed:
                    fault = failed[1]
        tasks = [] if delivery.files else self._under_way.pop(worker).tasks
        if not any(digest in each.files for each in self._under_way.values()):
            self.files.release(digest)
        return worker, fault, tasks

    def withdraw(self, worker: str) -> list[T]:
        """Give up the files under way to a worker; returns the tasks that waited for them."""
        return self._under_way.pop(worker).tasks

    def clear(self) -> list[T]:
        """Give up all files under way; returns the tasks that waited for them."""
        tasks = [task for each in self._under_way.values() for task in each.tasks]
        self._under_way.clear()
        self._keeps.clear()
        self.files.release()
        return tasks
