"""The connection of a coordinator to a cluster: tasks as frames, workers that come and go, a scheduler that may vanish.

A scheduler that is lost takes all tasks with it. The connection waits until one answers at the same address; tasks
that were under way are reported as lost, and their units are done again.
"""

from __future__ import annotations

import logging
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kr.cluster import worker
from kr.cluster.address import ClusterAddress
from kr.cluster.frames import framed, unframed
from kr.errors import ClusterError
from kr.system import ctrl_c_blocked
from kr.units import counted, format_duration

log = logging.getLogger("kr.cluster")

SILENT = logging.CRITICAL + 1
"""Level of the logger of Dask, whose scheduler calls it critical that a client has gone, as after Ctrl-C."""

REACH_SECONDS = 10.0
"""Wait for one attempt to reach a scheduler."""
PAGE_SECONDS = 2.0
"""Wait for a scheduler's own pages."""
SCHEDULER_PATIENCE = 600.0
"""Longest wait for a scheduler that has vanished, or for a first worker, in seconds."""
WORKERS_LOOK = 2.0
"""Seconds between two looks at the workers."""
SILENCE = 60.0
"""Seconds after which a worker that is silent, while others are not, gets no more work."""
BLOCK_BYTES = 16_000_000
"""Bytes of a file that travel together."""
QUIET_WORKERS = {
    # Dask looks at every thread of a worker a hundred times a second; kr has no use for that
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.comm.timeouts.connect": "10s",
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": 1, "OPENBLAS_NUM_THREADS": 1, "MKL_NUM_THREADS": 1},
}

NO_PAGES: dict[str, Any] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
"""Dask serves HTTP without access control, and can't be stopped from listening: nothing is left to be seen there."""


@dataclass(frozen=True)
class TaskAnswer:
    """Outcome of a task: a frame, or None if it was lost on its way. error: Dask's message."""

    frame: bytes | None
    worker: str = ""
    """Address of the worker, if known."""
    error: str = ""
    deaths: int = 0
    """Workers that died while doing it, if Dask gave it up for that reason."""


@dataclass(frozen=True)
class WorkerInfo:
    """A worker as the scheduler knows it."""

    address: str
    name: str
    host: str
    threads: int
    memory_limit: int
    memory: int
    silence: float
    """Seconds since its last message, beyond those of the worker with the latest one."""
    status: str


class ClusterConnection:
    """A client of a scheduler that connects again. Made by `connected`."""

    def __init__(self, address: ClusterAddress, scheduler: Any) -> None:
        """scheduler: argument of Dask's Client."""
        self.address = address
        self._scheduler = scheduler
        self._client: Any = None
        self._workers: dict[str, WorkerInfo] = {}
        self._looked = 0.0
        self._name = uuid.uuid4().hex[:12]
        self._count = 0
        self._since = time.monotonic()
        """Time at which the scheduler vanished."""
        self.times_lost = 0

    # The client

    def connect(self) -> None:
        """Reach the scheduler. Raises ClusterError if it does not answer in REACH_SECONDS."""
        from distributed import Client
        from distributed.security import Security

        tls = not self.address.processes and self.address.scheduler.startswith("tls:")
        if tls and Security().get_connection_args("client")["ssl_context"] is None:
            raise ClusterError(
                f"{self.address.text}: no certificate for TLS; expected distributed.comm.tls in the file of DASK_CONFIG"
            )
        # the connection reports in one line what Dask logs in many
        logging.getLogger("distributed").setLevel(SILENT)
        try:
            # workers elsewhere may be out of reach, but for the scheduler
            direct = True if self.address.processes else None
            self._client = Client(
                self._scheduler, timeout=REACH_SECONDS, set_as_default=False, name="kr", direct_to_workers=direct
            )
        except (OSError, TimeoutError, ImportError) as error:
            raise ClusterError(f"{self.address.text}: no scheduler answers: {_first_line(error)}") from None
        except (ValueError, TypeError, RuntimeError) as error:
            raise ClusterError(f"{self.address.text}: {_first_line(error)}") from None
        self._looked = 0.0
        self.look()

    @property
    def alive(self) -> bool:
        """True if the scheduler answers."""
        return self._client is not None and self._client.status == "running"

    def revive(self) -> bool:
        """Try to reach a scheduler that has vanished; True if it answers.

        Raises ClusterError after SCHEDULER_PATIENCE.
        """
        if self.alive:
            return True
        if self._client is not None:
            self.times_lost += 1
            self._since = time.monotonic()
            log.warning("%s: the scheduler has vanished; waiting for it", self.address.text)
            self._drop()
        try:
            self.connect()
        except ClusterError as error:
            if time.monotonic() - self._since > SCHEDULER_PATIENCE:
                raise ClusterError(f"{error}; waited {format_duration(SCHEDULER_PATIENCE)}") from None
            return False
        log.warning("%s: the scheduler is back, with %s", self.address.text, counted(len(self._workers), "worker"))
        return True

    def _drop(self) -> None:
        client, self._client, self._workers = self._client, None, {}
        with suppress(Exception):
            client.close(timeout=2)

    def close(self) -> None:
        """End the connection; tasks under way are cancelled."""
        if self._client is not None:
            self._drop()

    @property
    def dashboard(self) -> str:
        """Address of Dask's own pages, empty if there are none or they can't be reached from here."""
        from urllib.request import urlopen

        with suppress(Exception):
            link = str(self._client.dashboard_link or "")
            # the scheduler reports a port even if its pages are off, or can't be made without bokeh
            with urlopen(link, timeout=PAGE_SECONDS) as page:
                return link if b"<html" in page.read(1000).lower() else ""
        return ""

    # Workers

    @property
    def workers(self) -> dict[str, WorkerInfo]:
        """Workers by their addresses, as of the last look."""
        return self._workers

    @property
    def threads(self) -> int:
        """Threads of all workers."""
        return sum(each.threads for each in self._workers.values())

    def look(self) -> None:
        """Ask the scheduler for the workers, if the last time was some seconds ago."""
        if time.monotonic() - self._looked < WORKERS_LOOK or not self.alive:
            return
        # Dask has loaded it; at the top it would take 20 ms from the start of all long work
        from asyncio import CancelledError as Cancelled

        with suppress(OSError, TimeoutError, Cancelled):
            workers = self._client.scheduler_info(n_workers=-1)["workers"]
            latest = max((each.get("last_seen", 0.0) for each in workers.values()), default=0.0)
            self._workers = {address: _info(address, each, latest) for address, each in sorted(workers.items())}
        self._looked = time.monotonic()

    # Tasks

    def submit(
        self,
        frame: bytes,
        on_answer: Callable[[TaskAnswer], None],
        blocks: Sequence[Any] = (),
        workers: Sequence[str] | None = None,
    ) -> Any:
        """Send a task; returns Dask's future of it. on_answer: called from another thread with its answer.

        If the scheduler vanishes at this moment, the task is lost at once, and there is no future.
        blocks: futures of frames that the worker fetches first; workers: those that may do it.
        """
        self._count += 1
        try:
            if None in blocks:
                raise ConnectionError("a block was lost with its scheduler")
            future = self._client.submit(
                worker.run, frame, *blocks, key=f"kr-{self._name}-{self._count}", pure=False, retries=0,
                workers=None if workers is None else list(workers), allow_other_workers=False,
            )  # fmt: skip
        except Exception:
            if self.alive and None not in blocks:
                raise
            on_answer(TaskAnswer(None))
            return None
        # Dask's own callbacks share one thread: an answer lost with its worker would hold up all others
        self._client.loop.add_callback(_tell, future, on_answer)
        return future

    def hold(self, frame: bytes, workers: Sequence[str] | None = None) -> Any:
        """Future of a frame that some worker (or one of these) holds until it is released; others fetch it from it.

        None if the scheduler vanishes at this moment.
        """
        self._count += 1
        # a task, unlike scattered data, is made again if its worker is lost; Dask would warn of its size
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
        try:
            targets = None if workers is None else list(workers)
            key = f"kr-{self._name}-{self._count}"
            return self._client.submit(worker.run, frame, key=key, workers=targets, pure=False, retries=3)
        except Exception:
            if self.alive:
                raise
            return None

    def on_each(self, function: Callable[[], bytes], workers: Sequence[str] | None = None) -> dict[str, Any]:
        """Answers of a function of kr.cluster.worker on each worker, or the errors; without waiting in line."""
        targets = None if workers is None else list(workers)
        answers = self._client.run(function, workers=targets, on_error="return")
        return {address: _values(answer) for address, answer in sorted(answers.items())}

    def holder(self, future: Any) -> str:
        """Address of the worker that has done a task, as the scheduler knows it; empty if unknown."""
        with suppress(Exception):
            if self.alive:
                (holders,) = self._client.who_has([future]).values()
                return str(holders[0]) if len(holders) == 1 else ""
        return ""

    def processing(self) -> dict[str, list[str]]:
        """Keys of the tasks that each worker has; empty if the scheduler does not know."""
        try:
            tasks = self._client.processing()
        except Exception:
            if self.alive:
                raise
            return {}
        return {address: [str(key) for key in keys] for address, keys in tasks.items()}

    def scheduler_facts(self) -> dict[str, Any]:
        """Address and version of the scheduler."""
        info = self._client.scheduler_info(n_workers=0)
        import distributed

        return {"address": info["address"], "dask": distributed.__version__, "dashboard": self.dashboard}


def _info(address: str, facts: dict[str, Any], latest: float) -> WorkerInfo:
    return WorkerInfo(
        address,
        str(facts.get("name", address)),
        str(facts.get("host", "")),
        int(facts.get("nthreads", 1)),
        int(facts.get("memory_limit") or 0),
        int((facts.get("metrics") or {}).get("memory", 0)),
        max(0.0, latest - facts.get("last_seen", latest)),
        str(facts.get("status", "")),
    )


def _values(answer: Any) -> Any:
    if isinstance(answer, BaseException):
        return answer
    try:
        return unframed(answer)[0]
    except (ValueError, TypeError) as error:
        return error


async def _tell(future: Any, on_answer: Callable[[TaskAnswer], None]) -> None:
    """Wait for a future in Dask's event loop, and report its outcome."""
    on_answer(await _answer(future))


async def _answer(future: Any) -> TaskAnswer:
    """Outcome of a future."""
    from asyncio import CancelledError as Cancelled

    try:
        return TaskAnswer(await future)
    except (Cancelled, CancelledError):
        return TaskAnswer(None)
    except Exception as error:
        if (last := getattr(error, "last_worker", None)) is not None:
            deaths = int(getattr(error, "allowed_failures", 0)) + 1
            return TaskAnswer(None, str(last.address), _first_line(error), deaths)
        return TaskAnswer(None, error=f"{type(error).__name__}: {_first_line(error)}")


def _first_line(error: BaseException | None) -> str:
    text = str(error) or type(error).__name__
    return text.strip().splitlines()[0]


@contextmanager
def connected(text: str) -> Iterator[ClusterConnection]:
    """Connect to a cluster, which is started first if it is a local one.

    Raises InvalidSettingError for a text that names none, ClusterError if no scheduler answers.
    """
    address = ClusterAddress.parse(text)
    with ExitStack() as stack:
        scheduler = _local(address, stack) if address.processes else address.scheduler
        connection = ClusterConnection(address, scheduler)
        stack.callback(connection.close)
        connection.connect()
        if not address.processes:
            page = connection.dashboard
            log.info(
                "%s: %s%s",
                address.text,
                counted(len(connection.workers), "worker"),
                f", dashboard {page}" if page else "",
            )
        yield connection


def _local(address: ClusterAddress, stack: ExitStack) -> Any:
    """A cluster of processes of this machine, each with one thread, which accepts only this process as client."""
    import dask
    from distributed import LocalCluster

    logging.getLogger("distributed").setLevel(SILENT)
    stack.enter_context(dask.config.set(QUIET_WORKERS | NO_PAGES))
    # Dask's own choice is a name in /tmp that another user may have taken first, and workers import from it
    scratch = stack.enter_context(TemporaryDirectory(prefix="kr-workers-", ignore_cleanup_errors=True))
    try:
        with ctrl_c_blocked():
            cluster = LocalCluster(
                n_workers=address.processes, threads_per_worker=1, processes=True, host="127.0.0.1", security=True,
                dashboard_address="127.0.0.1:0", scheduler_kwargs={"dashboard": False}, silence_logs=SILENT,
                preload=["kr.cluster.preload"], name="kr", local_directory=scratch,
            )  # fmt: skip
    except (OSError, RuntimeError, TimeoutError, ImportError) as error:
        raise ClusterError(f"{address.text}: can't start workers: {_first_line(error)}") from None
    stack.callback(_close_cluster, cluster)
    return cluster


def _close_cluster(cluster: Any) -> None:
    with suppress(Exception):
        cluster.close(timeout=10)


def block_frames(path: Path) -> Iterator[bytes]:
    """A file as frames that carry at most BLOCK_BYTES each."""
    with open(path, "rb") as file:
        while chunk := file.read(BLOCK_BYTES):
            yield framed({"do": "block"}, [chunk])
