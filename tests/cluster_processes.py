"""Clusters of processes of this machine, for tests: a scheduler, and workers that can be killed and hung.

Workers run without Dask's nanny, so that the process that is killed is the one that works; whoever ends is started
again by `mend`, as a batch system or a shell loop would do it.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

REACH_SECONDS = 60.0
"""Wait for a scheduler, and for workers to join it."""
QUIET = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}


@dataclass
class WorkerProcess:
    """A worker and how it was started."""

    name: str
    store: Path
    preload: str = ""
    """Another module or file that it loads first."""
    file_limit: int = 0
    """Most bytes of a file that it writes; 0 for no limit."""
    port: int = 0
    """Where it listens; 0 for any."""
    process: subprocess.Popen[bytes] | None = None

    @property
    def ended(self) -> bool:
        """True if it is not running."""
        return self.process is None or self.process.poll() is not None


@dataclass
class LocalProcesses:
    """A scheduler and workers. directory: for their logs, stores and scratch files."""

    directory: Path
    port: int
    workers: dict[str, WorkerProcess] = field(default_factory=dict)
    scheduler: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Address for --cluster."""
        return f"tcp://127.0.0.1:{self.port}"

    def start_scheduler(self) -> None:
        """Start the scheduler and wait until it listens. Raises TimeoutError."""
        command = ["scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard", "--no-jupyter"]
        self.scheduler = self._start("scheduler", command)
        until = time.monotonic() + REACH_SECONDS
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise TimeoutError(f"no scheduler at {self.address}; see {self.directory / 'scheduler.log'}")

    def start_worker(self, worker: WorkerProcess) -> WorkerProcess:
        """Start a worker, or start it again."""
        command = [
            "worker",
            self.address,
            "--nthreads",
            "1",
            "--no-nanny",
            "--no-dashboard",
            "--name",
            worker.name,
        ]
        command += ["--host", "127.0.0.1", "--worker-port", str(worker.port)]
        command += ["--memory-limit", "0", "--local-directory", str(self.directory)]
        command += ["--preload", worker.preload] if worker.preload else []
        worker.process = self._start(worker.name, command, {"KR_STORE": str(worker.store)}, worker.file_limit)
        self.workers[worker.name] = worker
        return worker

    def start_workers(self, count: int) -> None:
        """Start `count` workers that share a store."""
        for number in range(count):
            self.start_worker(WorkerProcess(f"worker-{number}", self.directory / "store"))

    def mend(self) -> int:
        """Start the processes that have ended again; returns the number of workers among them."""
        if self.scheduler is not None and self.scheduler.poll() is not None:
            self.start_scheduler()
        ended = [worker for worker in self.workers.values() if worker.ended]
        for worker in ended:
            self.start_worker(worker)
        return len(ended)

    def kill(self, worker: WorkerProcess) -> None:
        """SIGKILL a worker, also one that hangs."""
        _end(worker.process, signal.SIGKILL)

    def hang(self, worker: WorkerProcess) -> None:
        """SIGSTOP a worker."""
        assert worker.process is not None
        worker.process.send_signal(signal.SIGSTOP)

    def dismiss(self, worker: WorkerProcess) -> None:
        """Kill a worker and don't start it again."""
        self.kill(worker)
        del self.workers[worker.name]

    def kill_scheduler(self) -> None:
        """SIGKILL the scheduler."""
        _end(self.scheduler, signal.SIGKILL)

    def wait_for_workers(self, count: int) -> None:
        """Wait until that many workers have joined. Raises TimeoutError."""
        from distributed import Client

        with Client(self.address, timeout=REACH_SECONDS, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=REACH_SECONDS)

    def end(self) -> None:
        """End all processes."""
        for worker in list(self.workers.values()):
            self.dismiss(worker)
        _end(self.scheduler, signal.SIGTERM)

    def _start(
        self,
        name: str,
        arguments: Sequence[str],
        environment: Mapping[str, str] | None = None,
        file_limit: int = 0,
    ) -> subprocess.Popen[bytes]:
        """Run a command of Dask; what it writes goes to NAME.log."""

        def limit() -> None:
            import resource

            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

        with open(self.directory / f"{name}.log", "ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, **QUIET, **(environment or {})}, preexec_fn=limit if file_limit else None,
                start_new_session=True,
            )  # fmt: skip


def _end(process: subprocess.Popen[bytes] | None, number: signal.Signals) -> None:
    """Send a signal and wait; SIGKILL after ten seconds."""
    if process is None or process.poll() is not None:
        return
    process.send_signal(number)
    try:
        process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def local_processes(directory: Path, workers: int) -> Iterator[LocalProcesses]:
    """A cluster with that many workers, all of which have joined; ended at the end."""
    directory.mkdir(parents=True, exist_ok=True)
    cluster = LocalProcesses(directory, free_port())
    try:
        cluster.start_scheduler()
        cluster.start_workers(workers)
        if workers:
            cluster.wait_for_workers(workers)
        yield cluster
    finally:
        cluster.end()
