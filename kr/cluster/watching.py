"""State of a running cluster: its scheduler, its workers, and their files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kr import __version__
from kr.cluster import worker
from kr.cluster.address import FORMS, ClusterAddress
from kr.cluster.connection import SILENCE, ClusterConnection, connected
from kr.errors import ClusterError, InvalidSettingError
from kr.settings import REQUIRED, Settings, option


@dataclass(frozen=True)
class WatchSettings(Settings):
    """The cluster to look at."""

    cluster: str = option(REQUIRED, "tcp://HOST:8786, tls://HOST:8786 or a scheduler file.", argument=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if ClusterAddress.parse(self.cluster).processes:
            raise InvalidSettingError(
                f"cluster {self.cluster!r} lives only as long as the command that starts it; expected "
                f"{FORMS.partition('local:2, ')[2]}"
            )


@dataclass(frozen=True)
class ClusterStatus:
    """A cluster at a glance."""

    address: str
    dask: str
    """Version of Dask's scheduler here."""
    dashboard: str
    workers: int
    threads: int
    memory: int
    """Bytes that all workers use."""
    memory_limit: int
    """Bytes that they may use."""
    tasks: int
    """Tasks of workers, including those that wait there."""
    unfit: int
    """Workers without this version of kr."""


@dataclass(frozen=True)
class WorkerReport:
    """A worker of a cluster."""

    address: str
    host: str
    threads: int
    memory: int
    memory_limit: int
    tasks: int
    version: str = ""
    """Version of kr there; empty if it has none."""
    signature: int | None = None
    """Signature of its search; None before its first unit."""
    nodes_per_second: float | None = None
    """Of one thread, in the bench."""
    store: str = ""
    """Directory of the files that were sent."""
    kept: int = 0
    """Bytes of these files."""
    free: int = 0
    """Bytes of disk space left there."""
    problem: str = ""
    """Reason why it can't work for this version of kr; empty if it can."""


def cluster_status(settings: WatchSettings) -> ClusterStatus:
    """A cluster at a glance. Raises ClusterError if its scheduler does not answer."""
    with connected(settings.cluster) as connection:
        facts = connection.scheduler_facts()
        workers = connection.workers.values()
        reports = _reports(connection)
        return ClusterStatus(
            facts["address"], facts["dask"], facts["dashboard"], len(workers), connection.threads,
            sum(each.memory for each in workers), sum(each.memory_limit for each in workers),
            sum(each.tasks for each in reports), sum(bool(each.problem) for each in reports),
        )  # fmt: skip


def cluster_workers(settings: WatchSettings) -> list[WorkerReport]:
    """The workers of a cluster, by their addresses. Raises ClusterError if its scheduler does not answer."""
    with connected(settings.cluster) as connection:
        return _reports(connection)


def forget_files(settings: WatchSettings, workers: Sequence[str] = ()) -> dict[str, int]:
    """Have workers drop all files that were sent to them; returns the bytes freed, by address.

    workers: their addresses, all if empty. Raises ClusterError for one that is not there or can't do it.
    """
    with connected(settings.cluster) as connection:
        for each in workers:
            if each not in connection.workers:
                raise ClusterError(f"{each} is not a worker of {settings.cluster}; see kr cluster workers")
        freed = {}
        for address, values in connection.on_each(worker.drop_files, workers or None).items():
            if isinstance(values, BaseException):
                raise ClusterError(f"worker {address}: {values}")
            freed[address] = int(values["freed"])
        return freed


def _reports(connection: ClusterConnection) -> list[WorkerReport]:
    alive = {address for address, each in connection.workers.items() if each.silence < SILENCE}
    answers: dict[str, Any] = connection.on_each(worker.worker_facts, sorted(alive)) if alive else {}
    tasks = connection.processing()
    reports = []
    for address, each in connection.workers.items():
        plain = (address, each.host, each.threads, each.memory, each.memory_limit, len(tasks.get(address, ())))
        answer = answers.get(address)
        if address not in alive:
            reports.append(WorkerReport(*plain, problem=f"not heard of for {each.silence:.0f} s"))
        elif not isinstance(answer, dict):
            reports.append(WorkerReport(*plain, problem=_problem(answer)))
        else:
            version = str(answer["version"])
            problem = "" if version == __version__ else f"it has kr {version}, this is kr {__version__}"
            reports.append(
                WorkerReport(
                    *plain, version, answer["signature"], answer["nodes_per_second"], str(answer["store"]),
                    int(answer["kept"]), int(answer["free"]), problem,
                )
            )  # fmt: skip
    return reports


def _problem(answer: object) -> str:
    if isinstance(answer, ModuleNotFoundError):
        return f"kr is not installed there ({answer})"
    return str(answer) or type(answer).__name__
