"""Long work whose workers keep an engine each: the door for commands that go through games, problems or positions.

A command says how a worker does a unit (`EngineUnits`), what its tasks are, and what becomes of a record:

    work = EngineWork(StarChecks(), settings)
    with work.records(settings.out, lambda: {"limits": str(settings.tc)}, key_of) as records:
        work.run(tasks, records, on_record)

The engines, the workers, here or on a cluster, the journal, its one writer and its provenance, and what an earlier run
has left to do stand here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, cast

from kr.book.book import NO_BOOK, load_book
from kr.cluster.pool import ClusterPool, work_pool
from kr.engine.engine import Engine, EngineSettings, engine_from
from kr.evaluation.kinds import SHIPPED
from kr.jobs.journal import REMEDY, Journal, K, Records, TaskRecord, open_journal
from kr.jobs.needs import Needs
from kr.jobs.pool import Pool
from kr.jobs.unit import Unit
from kr.players.workers import EngineKind
from kr.policy.policy import NO_POLICY, chosen_policy
from kr.storage import provenance
from kr.threads import worker_count

R = TypeVar("R")
T = TypeVar("T")


class WorkSettings(EngineSettings, Protocol):
    """Settings of workers that keep an engine."""

    @property
    def weights(self) -> str | None:
        """Evaluation."""

    @property
    def workers(self) -> int:
        """Units done side by side; 0 for one per core."""

    @property
    def cluster(self) -> str:
        """Scheduler of a cluster, or ""."""


@dataclass(frozen=True)
class WorkTask(Generic[K]):
    """A unit that a command wants done."""

    key: K
    """Unique among the tasks of a run, and in each run of the same command the same."""
    values: Mapping[str, Any]
    """Everything that shapes the result but the engine, as JSON types."""
    about: TaskRecord = field(default_factory=dict)
    """The fields of its record that are known before it is done."""


class EngineWork(Generic[R]):
    """Work of one kind with the engine of some settings, which the first worker uses; the others open theirs.

    policy, book: as for `chosen_policy` and `load_book`; a unit asks for them by `policy_of` and `book_of`. `needs`:
    signatures of all that a unit needs, by name. Raises InvalidSettingError, InvalidWeightsError, InvalidDatabaseError,
    InvalidPolicyError, InvalidBookError.
    """

    def __init__(
        self,
        kind: EngineKind[R],
        settings: WorkSettings,
        threads: int = 1,
        engine: Engine | None = None,
        policy: str = NO_POLICY,
        book: str = NO_BOOK,
    ) -> None:
        self.engine = engine or engine_from(settings, settings.weights, threads)
        self.workers = worker_count(settings.workers)
        self._kind, self._cluster = kind, settings.cluster
        self._tools = {"hash": settings.hash, "threads": threads, "egdb_memory": settings.egdb_memory}
        database = self.engine.database
        tools: dict[str, tuple[Any, object]] = {
            "weights": (self.engine, settings.weights or SHIPPED),
            "egdb": (database, database and database.directory),
            "policy": (chosen_policy(policy), policy),
            "book": (load_book(book), book),
        }
        self.needs = {name: tool.signature for name, (tool, _) in tools.items() if tool is not None}
        self._places = Needs({tool.signature: str(place) for tool, place in tools.values() if tool is not None})

    @property
    def identity(self) -> dict[str, str | None]:
        """What of the engine shapes the results: signatures of evaluation and database."""
        return {name: self.needs.get(name) for name in ("weights", "egdb")}

    def hold(self, name: str, checksum: str, value: Any) -> None:
        """Let all units depend on something that only this process has."""
        self.needs[name] = checksum
        self._places.keep(name, checksum, value)

    @contextmanager
    def records(
        self, path: Path | None, shaping: Callable[[], Mapping[str, Any]], key_of: Callable[[TaskRecord], K]
    ) -> Iterator[Records[K]]:
        """Records of the tasks, in a journal if a path is given, from which the same command resumes.

        shaping: asked, for a journal, for everything but the engine that shapes them, as JSON types; key_of: the key of
        a record's task, raising ValueError, LookupError or TypeError if the record is not valid. Raises what `shaping`
        and `open_journal` raise.
        """
        if path is None:
            yield Records[K]()
            return

        def read(record: TaskRecord) -> K:
            key = key_of(record)
            # raises TypeError where a field is a list
            hash(key)
            return key

        with self.journal(path, shaping(), read) as journal:
            yield Records(journal)

    def journal(
        self, path: Path, shaping: Mapping[str, Any], read: Callable[[dict[str, Any]], T], remedy: str = REMEDY
    ) -> AbstractContextManager[Journal[T]]:
        """The journal of work that is more than a record for each task; see `records` and `open_journal`."""
        return open_journal(path, {**shaping, **self.identity}, provenance(), read, remedy=remedy)

    def unit(self, key: str, values: Mapping[str, Any]) -> Unit:
        """A unit of this work."""
        return Unit(self._kind.name(), key, self.needs, self._tools, values)

    def pool(self) -> Pool[Engine, R] | ClusterPool[Engine, R]:
        """The workers, for units that depend on the results of others."""
        return work_pool(self._kind, self._places, self.workers, [self.engine], self._cluster)

    def run(
        self,
        tasks: Iterable[WorkTask[K]],
        records: Records[K],
        on_record: Callable[[TaskRecord, bool], None],
        record_of: Callable[[WorkTask[K], R], TaskRecord] | None = None,
        in_order: bool = False,
    ) -> None:
        """Do the tasks that have no record yet.

        tasks: asked for when a worker will soon be free; on_record: hears of each record that is written down, and true
        if it is of an earlier run; record_of: makes the record of a task and its result, by default `about` and the
        fields of the result; in_order: on_record hears of them in the order of the tasks, and otherwise as they come.
        Raises what `Pool.run` raises, and OSError.
        """

        def at_once(number: int, record: TaskRecord, earlier: bool) -> None:
            on_record(record, earlier)

        hear = _in_order(on_record) if in_order else at_once
        under_way: dict[str, WorkTask[K]] = {}

        def units() -> Iterator[Unit]:
            for number, task in enumerate(tasks):
                if task.key in records:
                    hear(number, records[task.key], True)
                else:
                    under_way[str(number)] = task
                    yield self.unit(str(number), task.values)

        # closing it early, by an error or Ctrl-C, stops the searches
        with closing(self.pool().run(units())) as parts:
            for part in parts:
                task = under_way.pop(part.unit.key)
                record = task.about | cast(TaskRecord, part.value) if record_of is None else record_of(task, part.value)
                records.add(task.key, record)
                hear(int(part.unit.key), record, False)


def _in_order(on_record: Callable[[TaskRecord, bool], None]) -> Callable[[int, TaskRecord, bool], None]:
    """Passes records on in the order of their numbers, from 0; early ones wait."""
    waiting: dict[int, tuple[TaskRecord, bool]] = {}
    due = 0

    def hear(number: int, record: TaskRecord, earlier: bool) -> None:
        nonlocal due
        waiting[number] = record, earlier
        while due in waiting:
            ready = waiting.pop(due)
            due += 1
            on_record(*ready)

    return hear
