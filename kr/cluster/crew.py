"""A crew: workers of a cluster that hold state between calls, for work that goes back and forth.

    with open_crew("local:2", files) as crew:
        calls = [crew.call(member, "kr.learn.fitting.parts:read", {"part": i}) for i, member in enumerate(crew.members)]
        answers = [call.result() for call in calls]

The function that a call names gets its values and chunks on the worker, `Needs` whose `place("file", SHA-256)` is the
path of a file there, and a dict for its state between calls of the same crew. A worker that is lost takes its state
with it: its calls raise WorkerLostError, and the caller gives the work to another member.
"""

from __future__ import annotations

import logging
import queue
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kr import __version__
from kr.cluster.answers import TOO_SMALL, CallAnswer, read_call_answer
from kr.cluster.connection import SCHEDULER_PATIENCE, SILENCE, ClusterConnection, TaskAnswer, connected
from kr.cluster.deliveries import SentFiles
from kr.cluster.frames import framed
from kr.cluster.parcels import file_parcel
from kr.cluster.worker import raised, search_signature
from kr.errors import ClusterError, WorkerLostError
from kr.jobs.progress import CREW
from kr.jobs.unit import Chunk
from kr.threads import SIGNALS_WAIT
from kr.units import counted, format_duration

log = logging.getLogger("kr.cluster")

MOST_DELIVERIES = 6
"""Most requests for files in one call."""


class Shared:
    """Bytes that the cluster holds; dropped when this object is.

    frame: the same bytes here, for a worker that gets them damaged from the one that holds them.
    """

    def __init__(self, frame: bytes, future: Any) -> None:
        self.frame, self.future = frame, future


class Crew:
    """Workers that hold state between calls. Made by `open_crew`."""

    def __init__(self, connection: ClusterConnection, files: Mapping[str, Path]) -> None:
        self._connection = connection
        self._files = SentFiles(files)
        self._parcels = {digest: file_parcel(path, digest) for digest, path in self._files.paths.items()}
        self.job = uuid.uuid4().hex
        self.faults: dict[str, str] = {}
        """Workers that get no more calls, with the reasons."""
        local = connection.address.processes
        self.terms = {"version": __version__, "signature": None if local else search_signature()["signature"]}

    @property
    def members(self) -> list[str]:
        """Addresses of the workers, in order. Waits for the first; raises ClusterError if none comes."""
        began = time.monotonic()
        while True:
            if self._connection.revive():
                self._connection.look()
                members = [
                    address for address, each in self._connection.workers.items()
                    if address not in self.faults and each.silence < SILENCE
                ]  # fmt: skip
                if members:
                    CREW.text = counted(len(members), "worker")
                    return members
            if time.monotonic() - began > SCHEDULER_PATIENCE:
                reasons = "".join(f"; {address}: {reason}" for address, reason in self.faults.items())
                waited = format_duration(SCHEDULER_PATIENCE)
                raise ClusterError(f"{self._connection.address.text}: no workers after {waited}{reasons}")
            time.sleep(SIGNALS_WAIT)

    def memory_limits(self) -> dict[str, int]:
        """Bytes of memory that each worker may use, by address; 0 if unknown."""
        return {address: each.memory_limit for address, each in self._connection.workers.items()}

    def threads(self, member: str) -> int:
        """Threads of a worker."""
        info = self._connection.workers.get(member)
        return 1 if info is None else max(1, info.threads)

    def share(self, chunk: Chunk) -> Shared:
        """Send bytes to the cluster once; workers whose calls name them get them from each other."""
        frame = framed({"do": "block"}, [chunk])
        return Shared(frame, self._connection.hold(frame))

    def call(
        self,
        member: str,
        function: str,
        values: Mapping[str, Any],
        shared: Sequence[Shared] = (),
        files: Sequence[str] = (),
    ) -> Call:
        """Call a function of kr, "kr.module:function", on a worker. files: SHA-256 of those that it looks up."""
        parcels = {digest: self._parcels[digest] for digest in files}
        if self._connection.address.processes:
            self._files.store(parcels)
        task = {
            "do": "call", "job": self.job, "terms": self.terms, "parcels": parcels, "function": function,
            "values": values,
        }  # fmt: skip
        return Call(self, self._connection, member, framed(task), shared)

    def leave(self, member: str, reason: str) -> None:
        """Give a worker no more calls, and log the reason."""
        if member not in self.faults:
            self.faults[member] = reason
            log.warning("worker %s is left: %s", member, reason)

    def has(self, digest: str) -> bool:
        """True if this is one of the files that calls may look up."""
        return digest in self._files.paths

    def blocks(self, digest: str, receiver: str = "") -> list[Any]:
        """Futures of the blocks of a file, as of `SentFiles.blocks`."""
        return self._files.blocks(self._connection, digest, receiver)

    def release(self) -> None:
        """Let go of the blocks of files that were sent."""
        self._files.release()


class Call:
    """A call under way."""

    def __init__(
        self, crew: Crew, connection: ClusterConnection, member: str, frame: bytes, shared: Sequence[Shared]
    ) -> None:
        self.member = member
        self._crew, self._connection, self._frame, self._shared = crew, connection, frame, shared
        self._blocks = [each.future for each in shared]
        self._apart = False
        """True once others sent damaged blocks: this worker gets them from here."""
        self._answers: queue.SimpleQueue[TaskAnswer] = queue.SimpleQueue()
        self._times_lost = connection.times_lost
        self._block_lists: list[Any] = []
        self._send(frame, self._blocks)

    def _send(self, frame: bytes, blocks: Sequence[Any]) -> None:
        self._future = self._connection.submit(frame, self._answers.put, blocks, [self.member])

    def result(self) -> tuple[dict[str, Any], list[bytes]]:
        """Values and chunks that the function returned.

        Raises WorkerLostError if the worker has ended or can't do the call, the errors of the function, ClusterError.
        """
        for _ in range(MOST_DELIVERIES):
            reply = self._answer()
            if reply.missing:
                self._deliver(reply.missing)
                self._send(self._frame, self._blocks)
            elif reply.refused:
                self._lost(reply.refused)
            elif reply.failed and reply.failed[2] == "block":
                self._set_apart(reply.failed[1])
                self._blocks = [self._connection.hold(each.frame, [self.member]) for each in self._shared]
                self._send(self._frame, self._blocks)
            elif reply.failed:
                raise raised(reply.failed)
            elif reply.values is None:
                self._lost("its answer makes no sense: it has no values")
            else:
                return reply.values, [bytes(chunk) for chunk in reply.chunks]
        self._lost(TOO_SMALL)
        raise AssertionError

    def _answer(self) -> CallAnswer:
        """The next answer of the worker, checked. Raises WorkerLostError, also for errors of the worker's machine."""
        while True:
            try:
                answer = self._answers.get(timeout=SIGNALS_WAIT)
                break
            except queue.Empty:
                connection = self._connection
                if not connection.alive or connection.times_lost != self._times_lost:
                    raise WorkerLostError(f"worker {self.member} was lost with its scheduler") from None
                connection.look()
                info = connection.workers.get(self.member)
                if info is None or info.silence > SILENCE:
                    raise WorkerLostError(f"worker {self.member} was lost") from None
        if answer.frame is None:
            raise WorkerLostError(f"worker {self.member} was lost: {answer.error or 'cancelled'}")
        try:
            reply = read_call_answer(answer.frame)
        except ValueError as error:
            self._lost(f"its answer makes no sense: {error}")
            raise AssertionError from None
        if reply.failed and reply.failed[2] == "worker":
            self._lost(reply.failed[1])
        return reply

    def _lost(self, reason: str) -> None:
        """Leave the worker. Raises WorkerLostError."""
        self._crew.leave(self.member, reason)
        raise WorkerLostError(f"worker {self.member} can't do the work: {reason}")

    def _deliver(self, missing: Sequence[str]) -> None:
        """Send files to the worker."""
        for digest in missing:
            if not self._crew.has(digest):
                self._lost(f"it asks for an unknown file {digest:.80}")
            while failed := self._keep(digest):
                if failed[2] != "block":
                    self._lost(failed[1])
                self._set_apart(failed[1])
        self._crew.release()

    def _keep(self, digest: str) -> tuple[str, str, str] | None:
        """Send a file to the worker; returns the failure, if any."""
        blocks = self._crew.blocks(digest, self.member if self._apart else "")
        self._block_lists.append(blocks)
        self._send(framed({"do": "keep", "digest": digest}), blocks)
        return self._answer().failed

    def _set_apart(self, reason: str) -> None:
        """Send blocks from here that another worker spoiled. Raises WorkerLostError if that was so already."""
        if self._apart:
            self._lost(reason)
        self._apart = True


@contextmanager
def open_crew(cluster: str, files: Mapping[str, Path]) -> Iterator[Crew]:
    """The workers of a cluster as a crew. files: those that calls may look up, by SHA-256.

    Raises InvalidSettingError for a text that names no cluster, ClusterError if no scheduler answers.
    """
    with connected(cluster) as connection:
        try:
            yield Crew(connection, files)
        finally:
            CREW.text = ""
