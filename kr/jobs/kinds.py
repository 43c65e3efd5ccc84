"""Kinds of work: their names, and for each the way a worker does a unit with its tools."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import isabstract
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from kr import _core
from kr.errors import InvalidSettingError
from kr.jobs.needs import Needs
from kr.jobs.unit import Chunk, Unit
from kr.storage import parse_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
R = TypeVar("R")


class Stop(_core.Stop):
    """Ends work for good: set by its coordinator, checked by all workers, passed to all their searches."""

    def __init__(self) -> None:
        self._flag = memoryview(bytearray(4)).cast("i")

    @property
    def flag(self) -> NDArray[np.int32]:
        """For work other than searches: one number, which is not 0 once the work is to end."""
        import numpy as np

        return np.frombuffer(self._flag, dtype=np.int32)

    def set(self) -> None:
        """Ask the work to end, from any thread."""
        super().set()
        self._flag[0] = 1


@dataclass(frozen=True)
class Portion(Generic[T, R]):
    """A part of a unit that one worker does in one go."""

    do: Callable[[T, Stop], R | None]
    """Returns its value; None if it has none or was stopped early."""
    weight: float = 1.0
    """Its share of the work among all portions, for progress."""


UnitSteps = Iterator[Sequence[Portion[T, R]]]
"""Steps of a unit, in order; the portions of a step may be done in parallel. No step is empty."""


class Kind(ABC, Generic[T, R]):
    """A kind of work. T: the tools that each worker keeps from unit to unit; R: the value of a portion.

    The result of a unit is the values of its portions in order. They stay what they are within a process, and travel to
    another one as chunks of bytes: as JSON, unless the kind has a form of its own.
    """

    keeps_needs = True
    """True if workers of other machines keep what they have loaded of a unit's needs for later units."""

    @classmethod
    def name(cls) -> str:
        """Name in units: module and class, so that another process finds it without a list."""
        return f"{cls.__module__}:{cls.__qualname__}"

    @abstractmethod
    def open(self, unit: Unit, needs: Needs) -> T:
        """Tools for units like this one. Raises MissingNeedError, and the errors of opening them."""

    @abstractmethod
    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[T, R]:
        """Steps of a unit, in order."""

    def encode(self, value: R) -> Chunk:
        """A value as it travels."""
        return json.dumps(value).encode()

    def decode(self, unit: Unit, chunk: Chunk) -> R:
        """The value in a chunk. Raises ValueError, LookupError or TypeError if it is not one of such a unit."""
        value: R = parse_json(bytes(chunk))
        return value

    def split(self, unit: Unit, count: int) -> list[Unit]:
        """A unit as up to `count` smaller ones, for the end of a job; the unit alone if its kind can't split it."""
        return [unit]

    def check(self, unit: Unit, values: Sequence[R]) -> None:
        """Raise ValueError if values that came from another machine can't be the result of a unit."""

    def stop(self, tools: T) -> None:
        """End the current and all later work of these tools, from another thread, where a Stop can't."""

    def close(self, tools: T) -> None:
        """Free resources of the tools other than memory."""


def kind_named(name: str) -> Kind[Any, Any]:
    """Kind of work by its name. Raises InvalidSettingError if kr has no such kind."""
    module, _, member = name.partition(":")
    try:
        kind = getattr(import_module(module), member) if module.startswith("kr.") else None
    except (ImportError, AttributeError):
        kind = None
    if not (isinstance(kind, type) and issubclass(kind, Kind)) or isabstract(kind):
        raise InvalidSettingError(f"{name!r} is not a kind of work; it may belong to another version of kr")
    return kind()


def perform(unit: Unit, needs: Needs) -> list[Any]:
    """Do a unit in this thread, from itself and its needs alone; returns its result."""
    kind = kind_named(unit.kind)
    tools, stop = kind.open(unit, needs), Stop()
    try:
        values = (portion.do(tools, stop) for step in kind.steps(unit, needs) for portion in step)
        return [value for value in values if value is not None]
    finally:
        kind.close(tools)
