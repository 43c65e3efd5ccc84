"""Kinds of work: what they are called, and how a unit of one is done with the tools that a worker keeps."""

from __future__ import annotations

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

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")


class Stop(_core.Stop):
    """Ends work, for good: set by its coordinator, looked at by all who do it, given to all their searches."""

    def __init__(self) -> None:
        self._flag = memoryview(bytearray(4)).cast("i")

    @property
    def flag(self) -> NDArray[np.int32]:
        """For what is no search: one number, not 0 when the work is to end."""
        import numpy as np

        return np.frombuffer(self._flag, dtype=np.int32)

    def set(self) -> None:
        super().set()
        self._flag[0] = 1


@dataclass(frozen=True)
class Portion(Generic[T]):
    """A part of a unit that one worker does at once."""

    do: Callable[[T, Stop], Chunk | None]
    """Gives its chunk of the result; None where it has none, or was stopped before it was done."""
    weight: float = 1.0
    """Of its work among all pieces, for progress."""


class Kind(ABC, Generic[T]):
    """A kind of work; T: the tools that each worker keeps from unit to unit."""

    @classmethod
    def name(cls) -> str:
        """What its units say they are: where the class stands, so that another process finds it without a list."""
        return f"{cls.__module__}:{cls.__qualname__}"

    @abstractmethod
    def open(self, unit: Unit, needs: Needs) -> T:
        """The tools for units like this one. Raises MissingNeedError, and what opening them raises."""

    @abstractmethod
    def steps(self, unit: Unit, needs: Needs) -> Iterator[Sequence[Portion[T]]]:
        """The steps of a unit, one after the other; the pieces of one may be done side by side. None is empty."""

    def stop(self, tools: T) -> None:
        """End what these tools are at, and all that is still asked of them, from another thread: what no Stop ends."""

    def close(self, tools: T) -> None:
        """Free what the tools hold besides memory."""


def kind_named(name: str) -> Kind[Any]:
    """The kind of work with this name. Raises InvalidSettingError where it is none of kr's."""
    module, _, member = name.partition(":")
    try:
        found = getattr(import_module(module), member) if module.startswith("kr.") else None
    except (ImportError, AttributeError):
        found = None
    if not (isinstance(found, type) and issubclass(found, Kind)) or isabstract(found):
        raise InvalidSettingError(f"{name!r} is not a kind of work; it may be one of another kr")
    return found()


def perform(unit: Unit, needs: Needs) -> list[Chunk]:
    """Do a unit in this thread, from nothing but itself and what it needs; its result."""
    kind = kind_named(unit.kind)
    tools, stop = kind.open(unit, needs), Stop()
    try:
        chunks = (piece.do(tools, stop) for step in kind.steps(unit, needs) for piece in step)
        return [chunk for chunk in chunks if chunk is not None]
    finally:
        kind.close(tools)
