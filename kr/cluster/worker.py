"""Work of a Dask worker for kr: every task is one call of `run`, from a frame of bytes to another.

Tasks, by `do`: "units" does units of work, "call" calls a function that holds state here, "keep" writes a file into the
store. Errors are answers as well, so that no exception is pickled on its way back:

    {"missing": [SHA-256, ...]}              files of the parcels that the store lacks
    {"refused": "kr 0.1.0; ..."}             this worker is not the one that the coordinator needs
    {"failed": [class, message, "work"]}     an error of kr; "worker": of this machine, such as a full disk
    {"stopped": true}                        the task was cancelled

Tasks that Dask has cancelled keep running; a thread watches for that and stops their searches.
"""

from __future__ import annotations

import os
import platform
import shutil
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from kr import __version__, errors
from kr.cluster.frames import framed, unframed
from kr.cluster.parcels import ParcelNeeds, sizes_of
from kr.cluster.store import Store
from kr.errors import KrError, MissingNeedError
from kr.jobs.kinds import Kind, Stop, kind_named, perform
from kr.jobs.needs import Needs
from kr.jobs.unit import Chunk, Unit

MOST_LOADED_JOBS = 2
"""Most jobs whose loaded dependencies and state a worker holds."""
WATCH_SECONDS = 1.0
SIGNATURE_KIND = "kr.engine.bench:SearchSignature"
"""Unit of work whose result is the signature of the search; loaded by its name, for the engine stands above."""


@dataclass
class _Job:
    """A job's state in a worker process."""

    needs: ParcelNeeds
    state: dict[str, Any] = field(default_factory=dict)
    calls: threading.Lock = field(default_factory=threading.Lock)


class _Tools(NamedTuple):
    """Open tools of a thread."""

    job: str
    kind: Kind[Any, Any]
    tools: Any


_jobs: OrderedDict[str, _Job] = OrderedDict()
_jobs_lock = threading.Lock()
_thread = threading.local()
_watched: dict[str, list[Stop]] = {}
_watch_lock = threading.Lock()


class DamagedBlockError(Exception):
    """A block held by another worker is not a frame."""


def run(frame: bytes, *blocks: bytes) -> bytes:
    """Do a task. blocks: further frames, which Dask fetched from other workers."""
    try:
        task, chunks = unframed(frame)
        try:
            for block in blocks:
                chunks += unframed(block)[1]
        except ValueError as error:
            raise DamagedBlockError(str(error)) from error
        answer, answer_chunks = _DO[task["do"]](task, chunks)
    except Exception as error:
        answer, answer_chunks = {"failed": _described(error)}, []
    return framed({"worker": _own_name(), "host": socket.gethostname(), **answer}, answer_chunks)


def _described(error: Exception) -> list[str]:
    """Class, message and cause of an error."""
    ours = isinstance(error, OSError | MemoryError | MissingNeedError)
    text = "out of memory" if isinstance(error, MemoryError) else str(error)
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if not isinstance(error, OSError | MemoryError | KrError):
        text = f"{type(error).__name__}: {text}"
    blame = "block" if isinstance(error, DamagedBlockError) else "worker" if ours else "work"
    return [type(error).__name__, text, blame]


def raised(described: Sequence[str]) -> Exception:
    """The error that a worker described."""
    name, message, _ = described
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, KrError):
        return kind(message)
    return errors.ClusterError(message)


# Units


def _units(task: Mapping[str, Any], chunks: Sequence[Chunk]) -> tuple[dict[str, Any], list[Chunk]]:
    """Do units one after the other; those done before an error are part of the answer."""
    if answer := _unfit(task):
        return answer, []
    job = _job(task)
    results: list[dict[str, Any]] = []
    unit_chunks: list[Chunk] = []
    with _watching() as stop:
        for values in task["units"]:
            began = time.monotonic()
            unit = Unit(**values)
            try:
                chunks_of_unit = _perform(task["job"], job, unit, stop)
            except Exception as error:
                if stop.is_set():
                    return {"stopped": True, "results": []}, []
                return {"results": results, "failed": _described(error)}, unit_chunks
            if stop.is_set():
                return {"stopped": True, "results": []}, []
            results.append({"key": unit.key, "chunks": len(chunks_of_unit), "seconds": time.monotonic() - began})
            unit_chunks += chunks_of_unit
    return {"results": results}, unit_chunks


def _perform(name: str, job: _Job, unit: Unit, stop: Stop) -> list[Chunk]:
    """Do a unit with the tools of this thread, and return its values as chunks."""
    kind = kind_named(unit.kind)
    needs = job.needs if kind.keeps_needs else job.needs.afresh()
    tools = _tools(name, kind, unit, needs)
    chunks = []
    for step in kind.steps(unit, needs):
        for portion in step:
            value = portion.do(tools, stop)
            if stop.is_set():
                return []
            if value is not None:
                chunks.append(kind.encode(value))
    return chunks


def _tools(name: str, kind: Kind[Any, Any], unit: Unit, needs: Needs) -> Any:
    """Tools that this thread holds from unit to unit of a job."""
    open_tools: _Tools | None = getattr(_thread, "tools", None)
    if open_tools is None or open_tools.job != name or type(open_tools.kind) is not type(kind):
        if open_tools is not None:
            _thread.tools = None
            open_tools.kind.close(open_tools.tools)
        open_tools = _thread.tools = _Tools(name, kind, kind.open(unit, needs))
    return open_tools.tools


def _job(task: Mapping[str, Any]) -> _Job:
    """State of the task's job; new parcels are added."""
    with _jobs_lock:
        job = _jobs.get(task["job"])
        if job is None:
            job = _jobs[task["job"]] = _Job(ParcelNeeds({}, Store.of_environment()))
        job.needs.add(task["parcels"])
        _jobs.move_to_end(task["job"])
        while len(_jobs) > MOST_LOADED_JOBS:
            _jobs.popitem(last=False)
        return job


def _unfit(task: Mapping[str, Any]) -> dict[str, Any]:
    """Answer of a worker that can't do a task, or not yet; empty if it can."""
    terms = task["terms"]
    if __version__ != terms["version"]:
        return {"refused": f"it has kr {__version__}, the coordinator kr {terms['version']}"}
    if terms["signature"] is not None and (own := search_signature()["signature"]) != terms["signature"]:
        return {"refused": f"its search has the signature {own}, the coordinator's {terms['signature']}"}
    missing = Store.of_environment().missing(sizes_of(task["parcels"]))
    return {"missing": missing} if missing else {}


@cache
def search_signature() -> dict[str, Any]:
    """Signature of the search of this process, and its nodes per second: two numbers by name."""
    signatures: list[dict[str, Any]] = perform(Unit(SIGNATURE_KIND, "signature"), Needs())
    return signatures[0]


# Stops


@contextmanager
def _watching() -> Iterator[Stop]:
    """A Stop that is set when Dask has cancelled the task of this thread."""
    stop = Stop()
    key = _own_key()
    if key is None:
        yield stop
        return
    with _watch_lock:
        first = not _watched
        _watched.setdefault(key, []).append(stop)
    if first:
        threading.Thread(target=_watch, args=(_dask_worker(),), daemon=True, name="kr watch").start()
    try:
        yield stop
    finally:
        with _watch_lock:
            _watched[key].remove(stop)
            if not _watched[key]:
                del _watched[key]


def _watch(worker: Any) -> None:
    """Set the stops of cancelled tasks, until no task runs."""
    while True:
        time.sleep(WATCH_SECONDS)
        with _watch_lock:
            if not _watched:
                return
            closing = str(worker.status.name) not in ("running", "paused", "init")
            for key, stops in _watched.items():
                task = worker.state.tasks.get(key)
                if closing or task is None or task.state in ("cancelled", "released", "forgotten"):
                    for stop in stops:
                        stop.set()


def _dask_worker() -> Any:
    from distributed import get_worker

    return get_worker()


def _own_key() -> str | None:
    """Key of the task that this thread does; None outside of a worker."""
    try:
        from distributed.worker import thread_state
    except ImportError:
        return None
    return getattr(thread_state, "key", None)


def _own_name() -> str:
    try:
        return str(_dask_worker().address)
    except (ImportError, ValueError):
        return ""


# Calls and files


def _call(task: Mapping[str, Any], chunks: Sequence[Chunk]) -> tuple[dict[str, Any], list[Chunk]]:
    """Call a function of kr with its state here."""
    if answer := _unfit(task):
        return answer, []
    job = _job(task)
    with job.calls:
        values, returned = function_named(task["function"])(task["values"], list(chunks), job.needs, job.state)
    return {"values": values}, list(returned)


def function_named(name: str) -> Callable[..., tuple[dict[str, Any], Sequence[Chunk]]]:
    """A function of kr by its name, "kr.module:function". Raises InvalidSettingError."""
    module, _, member = name.partition(":")
    try:
        function = getattr(import_module(module), member) if module.startswith("kr.") else None
    except (ImportError, AttributeError):
        function = None
    if not callable(function):
        raise errors.InvalidSettingError(f"{name!r} is not a function of kr; it may belong to another version")
    typed: Callable[..., tuple[dict[str, Any], Sequence[Chunk]]] = function
    return typed


def _keep(task: Mapping[str, Any], chunks: Sequence[Chunk]) -> tuple[dict[str, Any], list[Chunk]]:
    """Write a file into the store."""
    blocks = [memoryview(chunk).cast("B") for chunk in chunks]
    Store.of_environment().add(task["digest"], blocks, sum(map(len, blocks)))
    return {}, []


def _block(task: Mapping[str, Any], chunks: Sequence[Chunk]) -> tuple[dict[str, Any], list[Chunk]]:
    """Hold bytes until other workers have fetched them."""
    return {}, list(chunks)


_DO: dict[str, Callable[[Mapping[str, Any], Sequence[Chunk]], tuple[dict[str, Any], list[Chunk]]]] = {
    "units": _units, "call": _call, "keep": _keep, "block": _block,
}  # fmt: skip


# Watching


def worker_facts() -> bytes:
    """This worker, for `kr cluster workers`: a frame."""
    store = Store.of_environment()
    stored = sum(status.st_size for status in store.sizes().values())
    try:
        free = shutil.disk_usage(store.root if store.root.exists() else store.root.parent).free
    except OSError:
        free = 0
    checked = search_signature() if search_signature.cache_info().currsize else {}
    with _watch_lock:
        running = sum(map(len, _watched.values()))
    return framed(
        {
            "version": __version__, "python": platform.python_version(), "host": socket.gethostname(),
            "pid": os.getpid(), "store": str(store.root), "kept": stored, "free": free,
            "signature": checked.get("signature"), "nodes_per_second": checked.get("nodes_per_second"),
            "running": running, "jobs": list(_jobs),
        }
    )  # fmt: skip


def drop_files() -> bytes:
    """Drop all files of the store, and the state of earlier jobs in memory: a frame."""
    with _jobs_lock:
        _jobs.clear()
    return framed({"freed": Store.of_environment().clear()})
