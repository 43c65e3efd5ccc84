"""Dependencies of units: where they are, by checksum, and those already loaded."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from kr.errors import MissingNeedError

T = TypeVar("T")


class Needs:
    """Dependencies of units that are available here.

    places: by checksum, the text with which a kind of work finds a dependency: a file, a directory, a player's name.
    """

    def __init__(self, places: Mapping[str, str] | None = None) -> None:
        self._places = dict(places or {})
        self._held: dict[tuple[str, str], Any] = {}
        self._lock = threading.Lock()

    def place(self, what: str, checksum: str) -> str:
        """Place of a dependency. Raises MissingNeedError."""
        if checksum not in self._places:
            raise MissingNeedError(f"{what} {checksum} not found: its place is unknown here")
        return self._places[checksum]

    def put(self, checksum: str, place: str) -> None:
        """Learn the place of a dependency."""
        self._places[checksum] = place

    def keep(self, what: str, checksum: str, value: Any) -> None:
        """Keep a dependency that is loaded already."""
        with self._lock:
            self._held[what, checksum] = value

    def held(self, what: str, checksum: str) -> Any:
        """A dependency that was kept. Raises MissingNeedError."""
        with self._lock:
            if (what, checksum) not in self._held:
                raise MissingNeedError(f"{what} {checksum} not found: only the process that opened it has it")
            return self._held[what, checksum]

    def drop(self, what: str, checksum: str) -> None:
        """Forget a dependency and its place."""
        self._places.pop(checksum, None)
        with self._lock:
            self._held.pop((what, checksum), None)

    def load(self, what: str, checksum: str, load: Callable[[str], tuple[str, T]]) -> T:
        """A dependency, loaded once for all workers. load: returns its checksum and the dependency from its place.

        Raises MissingNeedError if its place is unknown or holds something else, and the errors of `load`.
        """
        with self._lock:
            if (what, checksum) not in self._held:
                place = self.place(what, checksum)
                actual, loaded = load(place)
                check_need(what, checksum, actual, place)
                self._held[what, checksum] = loaded
            value: T = self._held[what, checksum]
            return value


def check_need(what: str, checksum: str, actual: str, place: str) -> None:
    """Check that a dependency is the one a unit names. Raises MissingNeedError."""
    if actual != checksum:
        raise MissingNeedError(f"{place}: {what} {actual} found; the unit needs {checksum}")
