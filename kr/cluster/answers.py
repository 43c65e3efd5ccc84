"""Answers of workers to tasks, checked: they may be damaged, forged, or of another version."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

from kr.cluster.frames import unframed
from kr.cluster.store import LIMIT_VARIABLE
from kr.jobs.unit import Chunk

_MOST_SECONDS = 1e9
TOO_SMALL = f"its store does not keep the files of the work; a larger one: {LIMIT_VARIABLE}"
"""Reason to leave a worker that asks for the same files again and again."""


@dataclass(frozen=True)
class UnitResult:
    """Result of a unit."""

    key: str
    chunks: Sequence[Chunk]
    seconds: float


@dataclass(frozen=True)
class UnitsAnswer:
    """The answer to a task of units. If units are left undone, one of the other fields has the reason."""

    worker: str
    """Address of the worker, as it says itself."""
    results: Sequence[UnitResult]
    missing: Sequence[str]
    """SHA-256 of files that the worker needs first."""
    refused: str
    """Reason why the worker does no task of this coordinator."""
    failed: tuple[str, str, str] | None
    """Class and text of an error, and its cause: "worker", "work" or "block"."""
    stopped: bool
    """True if the task was cancelled."""


def read_answer(frame: bytes, task_keys: Container[str]) -> UnitsAnswer:
    """Read the answer to a task of the units with these keys. Raises ValueError, naming the fault."""
    values, chunks = unframed(frame)
    results = []
    keys = set()
    first = 0
    for each in _field(values, "results", list):
        if not isinstance(each, dict):
            raise ValueError("a malformed result")
        key, count = _field(each, "key", str), _field(each, "chunks", int)
        seconds: Any = each.get("seconds")
        if key not in task_keys or key in keys:
            raise ValueError(f"a unit {key!r:.80} that it was not asked for")
        if (
            type(seconds) not in (int, float)
            or not 0 <= seconds < _MOST_SECONDS
            or not 0 <= count <= len(chunks) - first
        ):
            raise ValueError(f"unit {key!r:.80} without its chunks")
        keys.add(key)
        results.append(UnitResult(key, chunks[first : first + count], float(seconds)))
        first += count
    if first != len(chunks):
        raise ValueError("chunks of no unit")
    missing, failed = _complaints(values)
    refused, stopped = _field(values, "refused", str), _field(values, "stopped", bool)
    return UnitsAnswer(_field(values, "worker", str), results, missing, refused, failed, stopped)


@dataclass(frozen=True)
class CallAnswer:
    """The answer to a call or to a file; without values one of the other fields has the reason, as in UnitsAnswer."""

    values: dict[str, Any] | None
    chunks: Sequence[memoryview]
    missing: Sequence[str]
    refused: str
    failed: tuple[str, str, str] | None


def read_call_answer(frame: bytes) -> CallAnswer:
    """Read the answer to a call. Raises ValueError, naming the fault."""
    values, chunks = unframed(frame)
    missing, failed = _complaints(values)
    returned = _field(values, "values", dict) if "values" in values else None
    return CallAnswer(returned, chunks, missing, _field(values, "refused", str), failed)


def _complaints(values: dict[str, Any]) -> tuple[list[str], tuple[str, str, str] | None]:
    """Missing files and the error of an answer, if there are any."""
    missing, failed = _field(values, "missing", list), _field(values, "failed", list)
    if not all(isinstance(each, str) for each in [*missing, *failed]):
        raise ValueError("malformed files or error")
    if failed and (len(failed) != 3 or failed[2] not in ("worker", "work", "block")):
        raise ValueError("a malformed error")
    return missing, (failed[0], failed[1], failed[2]) if failed else None


def _field(values: dict[str, Any], name: str, kind: type) -> Any:
    """A field, or the empty value of its type if it is absent. Raises ValueError for another type."""
    value = values.get(name, kind())
    if type(value) is not kind:
        raise ValueError(f"malformed {name}")
    return value
