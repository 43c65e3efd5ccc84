"""A pool whose workers are those of a cluster: the same units, the same results, done elsewhere.

Units are sent in tasks of about TASK_SECONDS. Results are entered once: late or repeated ones are dropped. A fault of
a worker costs at most the task it was doing:

- a worker that ends: Dask gives the task to another one; after it has given up, the pool sends the units again
- one that answers with garbage, can't do its work (a full disk, no memory) or has another kr: named, and left
- one that is silent, or takes far longer than others: named, and left; its units are sent to others
- a scheduler that vanishes: waited for; all units under way are sent again
- a Ctrl-C, or a coordinator that is killed: workers notice that their tasks are cancelled, and stop
"""

from __future__ import annotations

import logging
import math
import queue
import statistics
import time
import uuid
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar, cast

from kr import __version__
from kr.cluster.answers import UnitsAnswer, read_answer
from kr.cluster.connection import SILENCE, ClusterConnection, TaskAnswer, connected
from kr.cluster.deliveries import Deliveries
from kr.cluster.frames import framed
from kr.cluster.parcels import sizes_of
from kr.cluster.worker import raised, search_signature
from kr.errors import ClusterError
from kr.jobs.kinds import Kind
from kr.jobs.needs import Needs
from kr.jobs.pool import AHEAD, FinishedPortion, Pool
from kr.jobs.progress import CREW
from kr.jobs.unit import Unit
from kr.threads import SIGNALS_WAIT
from kr.units import counted, format_duration

T = TypeVar("T")
R = TypeVar("R")
log = logging.getLogger("kr.cluster")

TASK_SECONDS = 20.0
"""Work in a task, as far as units can be put together."""
TASK_UNITS = 500
"""Units in a task."""
LEAST_PIECE = 1.0
"""Seconds of work in a part of a unit."""
MOST_SPLIT = 16
"""Parts of a unit that is split at the end of a job."""
MOST_FAILURES = 5
"""Most attempts of a unit after failures that may have been its own, before the work fails."""
ALONE_SECONDS = 10.0
"""Seconds without any worker after which this is reported."""
LEAST_WAIT = 600.0
"""Seconds after which a task may count as hanging."""
WAIT_FACTOR = 20
"""A task hangs if it takes this many times as long as others like it."""


@dataclass
class _Task:
    """Units under way."""

    units: list[Unit]
    sent: float
    workers: list[str] | None
    """Workers that may do it; None for all."""
    future: Any = None


def work_pool(
    kind: Kind[T, R], needs: Needs, workers: int, ready: Sequence[T] = (), cluster: str = ""
) -> Pool[T, R] | ClusterPool[T, R]:
    """Pool of `workers` threads, the first of which have `ready` tools, or that of a cluster if one is named."""
    return ClusterPool(kind, needs, cluster) if cluster else Pool(kind, needs, workers, ready)


class ClusterPool(Generic[T, R]):
    """Workers of a cluster that do the units of one job: `kr.jobs.pool.Pool` elsewhere.

    cluster: its address, as text. Raises InvalidSettingError for another text.
    """

    def __init__(self, kind: Kind[T, R], needs: Needs, cluster: str) -> None:
        self._kind, self._cluster = kind, cluster
        self._job = uuid.uuid4().hex
        self._tasks: dict[int, _Task] = {}
        self._numbers = iter(range(1 << 62))
        self._again: deque[Unit] = deque()
        self._news: queue.SimpleQueue[tuple[str, int, TaskAnswer] | None] = queue.SimpleQueue()
        self._rest: deque[FinishedPortion[R]] = deque()
        self._stopped = False
        self._faults: dict[str, str] = {}
        self._silent: set[str] = set()
        self._failures: dict[str, int] = {}
        self._seconds: deque[float] = deque(maxlen=200)
        """Seconds of units done last."""
        self._deliveries = Deliveries[_Task](needs)
        self._terms: dict[str, Any] = {}
        self._alone_since = time.monotonic()
        """Time at which there last was a worker or a scheduler."""

    # The generator

    def run(self, units: Iterable[Unit | None]) -> Generator[FinishedPortion[R], None, None]:
        """Do units; yields their portions as their tasks end: see `kr.jobs.pool.Pool.run`.

        Raises ClusterError if no worker can do the work, the first error of the work itself, and OSError.
        """
        source = _Source(units)
        with connected(self._cluster) as connection:
            self._terms = {
                "version": __version__,
                # processes of this machine run the same files
                "signature": None if connection.address.processes else search_signature()["signature"],
            }
            lost = connection.times_lost
            try:
                while not self._stopped:
                    if connection.revive() and lost == connection.times_lost:
                        self._feed(connection, source)
                        if not self._tasks and not self._deliveries:
                            break  # all is done, or nothing can begin any more
                    elif lost != connection.times_lost:
                        lost = connection.times_lost
                        self._send_all_again()
                    self._report(connection)
                    yield from self._portions_of_news(connection, SIGNALS_WAIT)
                    self._look(connection)
                yield from self._portions_of_news(connection, 0.0)
            finally:
                CREW.text = ""
                self._stopped = True
                for task in self._tasks.values():
                    _cancel(task.future)

    def _portions_of_news(self, connection: ClusterConnection, timeout: float) -> Iterator[FinishedPortion[R]]:
        """Portions of the news so far; waits for the first for up to `timeout` seconds."""
        while True:
            try:
                news = self._news.get(timeout=timeout)
            except queue.Empty:
                return
            timeout = 0.0
            if news is None:
                continue
            what, number, answer = news
            if what == "keep":
                self._delivered(number, answer)
                continue
            task = self._tasks.pop(number, None)
            if task is None:
                continue
            self._rest.extend(self._portions_of_answer(connection, task, answer))
            while self._rest:
                yield self._rest.popleft()

    def rest(self) -> Iterator[FinishedPortion[R]]:
        """Portions that were done before the work ended and have not been yielded."""
        while self._rest:
            yield self._rest.popleft()

    def stop(self) -> None:
        """End the work, from any thread and from a signal handler."""
        self._stopped = True
        self._news.put(None)

    def leave(self, worker: str, reason: str) -> None:
        """Give a worker no more units, and log the reason."""
        if worker and worker not in self._faults:
            self._faults[worker] = reason
            log.warning("worker %s is left: %s", worker, reason)

    # Sending

    def _feed(self, connection: ClusterConnection, source: _Source) -> None:
        """Send tasks as long as workers will soon be free."""
        most = self._at_once(connection)
        most -= len(self._tasks) + len(self._deliveries)
        while most > 0:
            count = self._task_count(connection, source, most)
            units = [self._again.popleft() for _ in range(min(count, len(self._again)))]
            units += source.take(count - len(units))
            if not units:
                return
            self._send(connection, self._shared_out(connection, source, units))
            most -= 1

    def _shared_out(self, connection: ClusterConnection, source: _Source, units: list[Unit]) -> list[Unit]:
        """The units, or a part of a single one at the end of the job, so that all workers end together."""
        unsent = len(units) + len(source) + len(self._again)
        each = statistics.fmean(self._seconds) if self._seconds else 0.0
        pieces = min(-(-self._at_once(connection) // unsent), MOST_SPLIT, int(each / LEAST_PIECE))
        if len(units) > 1 or not source.exhausted or pieces < 2:
            return units
        first, *others = self._kind.split(units[0], pieces)
        self._again.extend(others)
        return [first]

    def _at_once(self, connection: ClusterConnection) -> int:
        return AHEAD * max(1, self._threads(connection))

    def _task_count(self, connection: ClusterConnection, source: _Source, tasks: int) -> int:
        """Units for the next task: fewer at the end, so that all workers have some."""
        source.look_ahead(AHEAD * self._at_once(connection))
        if not self._seconds:
            return 1
        each = max(statistics.fmean(self._seconds), 1e-4)
        count = min(TASK_UNITS, max(1, round(TASK_SECONDS / each)))
        source.look_ahead(count * tasks)
        if source.exhausted:
            unsent = len(source) + len(self._again)
            count = min(count, max(1, -(-unsent // self._at_once(connection))))
        return count

    def _send(self, connection: ClusterConnection, units: list[Unit]) -> None:
        parcels = {}
        for unit in units:
            for what, checksum in unit.needs.items():
                parcels[checksum] = self._deliveries.parcel(what, checksum)
        if connection.address.processes:
            self._deliveries.files.store(sizes_of(parcels))
        frame = framed(
            {
                "do": "units", "job": self._job, "terms": self._terms, "parcels": parcels,
                "units": [asdict(unit) for unit in units],
            }
        )  # fmt: skip
        workers = self._allowed(connection)
        task = _Task(units, time.monotonic(), workers)
        number = next(self._numbers)
        self._tasks[number] = task
        task.future = connection.submit(
            frame, lambda answer: self._news.put(("units", number, answer)), workers=workers
        )

    def _allowed(self, connection: ClusterConnection) -> list[str] | None:
        """Workers that may do a task; None for all. Raises ClusterError if all were left."""
        out = self._faults.keys() | self._silent
        if not out & connection.workers.keys():
            return None
        allowed = [address for address in connection.workers if address not in out]
        if not allowed and self._faults.keys() >= connection.workers.keys():
            address = next(iter(self._faults.keys() & connection.workers.keys()))
            raise ClusterError(
                f"{connection.address.text}: none of {counted(len(connection.workers), 'worker')} can do the work; "
                f"{address}: {self._faults[address]}"
            )
        return allowed or None

    def _threads(self, connection: ClusterConnection) -> int:
        return sum(
            each.threads for address, each in connection.workers.items()
            if address not in self._faults and address not in self._silent
        )  # fmt: skip

    def _report(self, connection: ClusterConnection) -> None:
        count = len(connection.workers.keys() - self._faults.keys() - self._silent)
        CREW.text = counted(count, "worker") if connection.alive else "no scheduler"
        if connection.workers or not connection.alive:
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since > ALONE_SECONDS:
            log.warning("%s: no workers; waiting for the first", self._cluster)
            self._alone_since = math.inf

    # Answers

    def _portions_of_answer(
        self, connection: ClusterConnection, task: _Task, answer: TaskAnswer
    ) -> Iterator[FinishedPortion[R]]:
        """Portions of a task's answer; units left undone are sent again."""
        if answer.frame is None:
            self._lost(task, answer)
            return
        unanswered = {unit.key: unit for unit in task.units}
        try:
            reply = read_answer(answer.frame, unanswered)
        except ValueError as error:
            self._failed(connection, task, f"its answer makes no sense: {error}", blame=True)
            return
        for result in reply.results:
            unit = unanswered[result.key]
            try:
                values = [self._kind.decode(unit, chunk) for chunk in result.chunks]
                self._kind.check(unit, values)
            except (ValueError, LookupError, TypeError) as error:
                task.units = list(unanswered.values())
                self._failed(connection, task, f"its answer makes no sense: {error}", blame=True, claimed=reply.worker)
                return
            del unanswered[result.key]
            self._seconds.append(result.seconds)
            self._failures.pop(unit.key, None)
            yield from _portions(unit, values, result.seconds, reply.worker)
        if reply.results:
            self._deliveries.forget_requests(reply.worker)
        task.units = list(unanswered.values())
        if task.units:
            self._undone(connection, task, reply)

    def _undone(self, connection: ClusterConnection, task: _Task, reply: UnitsAnswer) -> None:
        """Act on the worker's reason for leaving units undone."""
        if reply.missing:
            self._deliver(connection, task, reply)
        elif reply.refused:
            self._failed(connection, task, reply.refused, blame=True, claimed=reply.worker)
        elif reply.failed and reply.failed[2] == "worker":
            self._failed(connection, task, reply.failed[1], blame=True, claimed=reply.worker)
        elif reply.failed:
            if self._failures.get(task.units[0].key) or len(connection.workers) == 1:
                raise raised(reply.failed)
            # another worker may do better with the unit that failed, which is the first of them
            self._failed(connection, task, reply.failed[1], claimed=reply.worker)
        elif reply.stopped:
            self._failed(connection, task, "it has stopped its work", claimed=reply.worker)
        else:
            self._failed(connection, task, "it does not say why it has not done its units", blame=True)

    def _failed(
        self, connection: ClusterConnection, task: _Task, reason: str, *, blame: bool = False, claimed: str = ""
    ) -> None:
        """Send units again, and leave the worker if it is to blame. Raises ClusterError if that happens too often.

        claimed: the worker's own name for itself; the scheduler's counts more.
        """
        worker = connection.holder(task.future) or claimed
        if blame:
            self.leave(worker, reason)
        first = task.units[0].key
        self._failures[first] = self._failures.get(first, 0) + 1
        if self._failures[first] > MOST_FAILURES and not (blame and worker):
            raise ClusterError(f"{worker or connection.address.text}: unit {first} failed repeatedly: {reason}")
        self._again.extend(task.units)

    def _lost(self, task: _Task, answer: TaskAnswer) -> None:
        """Send a task's units again that Dask has lost: with its workers, with the scheduler, or on its way."""
        self._again.extend(task.units)
        if not answer.error:
            return
        first = task.units[0].key
        self._failures[first] = self._failures.get(first, 0) + 1
        if answer.deaths:
            log.warning("%s died while doing unit %s; it is sent again", counted(answer.deaths, "worker"), first)
        if self._failures[first] > MOST_FAILURES:
            raise ClusterError(f"{self._cluster}: unit {first} failed repeatedly: {answer.error}")

    def _send_all_again(self) -> None:
        """Send all units again after the scheduler has lost all tasks."""
        for task in (*self._tasks.values(), *self._deliveries.clear()):
            self._again.extend(task.units)
        self._tasks.clear()

    def _deliver(self, connection: ClusterConnection, task: _Task, reply: UnitsAnswer) -> None:
        """Send files to a worker; its task follows them."""
        worker = connection.holder(task.future) or reply.worker
        if reason := self._deliveries.refusal(worker, reply.missing):
            self._failed(connection, task, reason, blame=True, claimed=worker)
            return
        self._deliveries.send(
            connection, worker, reply.missing, task, lambda number, answer: self._news.put(("keep", number, answer))
        )

    def _delivered(self, number: int, answer: TaskAnswer) -> None:
        """Take the answer to a file: it has arrived at a worker, or the worker can't store it."""
        worker, fault, tasks = self._deliveries.arrived(number, answer)
        if fault:
            self.leave(worker, fault)
        for task in tasks:
            self._again.extend(task.units)

    # Workers

    def _look(self, connection: ClusterConnection) -> None:
        """Update the workers: new, silent and hanging ones."""
        if not connection.alive:
            return
        connection.look()
        workers = connection.workers
        for address, each in workers.items():
            if each.silence > SILENCE and address not in self._silent:
                self._silent.add(address)
                log.warning("worker %s is left: it was not heard of for %s", address, format_duration(SILENCE))
                self._withdraw(connection, address)
            elif each.silence < SILENCE / 2 and address in self._silent:
                self._silent.remove(address)
                log.warning("worker %s is back", address)
        self._silent &= workers.keys()
        for worker in self._deliveries.workers - (workers.keys() - self._silent):
            for task in self._deliveries.withdraw(worker):
                self._again.extend(task.units)
        for number, task in list(self._tasks.items()):
            if task.workers is not None and not workers.keys() & set(task.workers):
                self._take_back(number)
        self._find_hanging(connection)

    def _withdraw(self, connection: ClusterConnection, worker: str) -> None:
        """Take back the tasks of a worker, and those that are done but whose answers have not come.

        These may lie on it, and fetching one answer may hold up those of others.
        """
        keys = set(connection.processing().get(worker, ()))
        for number, task in list(self._tasks.items()):
            future = task.future
            if str(getattr(future, "key", "")) in keys or getattr(future, "status", "") == "finished":
                self._take_back(number)

    def _take_back(self, number: int) -> None:
        task = self._tasks.pop(number)
        _cancel(task.future)
        self._again.extend(task.units)

    def _find_hanging(self, connection: ClusterConnection) -> None:
        """Leave workers that take far longer for a task than it should last."""
        now = time.monotonic()
        each = statistics.fmean(self._seconds) if self._seconds else TASK_SECONDS
        late = {
            str(getattr(task.future, "key", "")): (number, now - task.sent) for number, task in self._tasks.items()
            if now - task.sent > max(LEAST_WAIT, WAIT_FACTOR * each * len(task.units) * (AHEAD + 1))
        }  # fmt: skip
        if not late or not self._seconds:
            return
        for worker, keys in connection.processing().items():
            for key in late.keys() & set(keys):
                number, seconds = late[key]
                self.leave(worker, f"a task takes {format_duration(round(seconds))}, where others took far less")
                self._take_back(number)


class _Source:
    """Units of the caller, some of them looked at ahead."""

    def __init__(self, units: Iterable[Unit | None]) -> None:
        self._units = iter(units)
        self._ready: deque[Unit] = deque()
        self.exhausted = False

    def __len__(self) -> int:
        """Units looked at and not taken."""
        return len(self._ready)

    def look_ahead(self, count: int) -> None:
        """Have `count` units ready, or as many as there are now."""
        while len(self._ready) < count and not self.exhausted:
            try:
                unit = next(self._units)
            except StopIteration:
                self.exhausted = True
                return
            if unit is None:
                return
            self._ready.append(unit)

    def take(self, count: int) -> list[Unit]:
        """Up to `count` units."""
        self.look_ahead(count)
        return [self._ready.popleft() for _ in range(min(count, len(self._ready)))]


def _portions(unit: Unit, values: Sequence[R], seconds: float, worker: str) -> Iterator[FinishedPortion[R]]:
    """A unit's values as portions, the last of which completes it."""
    if not values:
        yield FinishedPortion(unit, 0, cast(R, None), 1.0, seconds, True, worker)
    for number, value in enumerate(values):
        yield FinishedPortion(unit, number, value, 1 / len(values), seconds, number == len(values) - 1, worker)


def _cancel(future: Any) -> None:
    try:
        future.cancel()
    except Exception as error:  # a client that has lost its scheduler
        log.debug("cancel: %s", error)
