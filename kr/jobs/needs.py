"""Where units find what they depend on: places by checksum, and what has been loaded from them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from kr.errors import MissingNeedError

T = TypeVar("T")


class Needs:
    """What units depend on, as far as it is here.

    places: by checksum the text by which the kind of work finds a thing here: a file, a directory, a player's name.
    """

    def __init__(self, places: Mapping[str, str] | None = None) -> None:
        self._places = dict(places or {})
        self._held: dict[tuple[str, str], Any] = {}
        self._lock = threading.Lock()

    def place(self, what: str, checksum: str) -> str:
        """The place of a thing. Raises MissingNeedError."""
        if checksum not in self._places:
            raise MissingNeedError(f"the {what} {checksum} not found here; its place is not known")
        return self._places[checksum]

    def keep(self, what: str, checksum: str, value: Any) -> None:
        """Hold a thing that is loaded already."""
        with self._lock:
            self._held[what, checksum] = value

    def drop(self, what: str, checksum: str) -> None:
        """Let go of a thing."""
        with self._lock:
            self._held.pop((what, checksum), None)

    def load(self, what: str, checksum: str, load: Callable[[str], tuple[str, T]]) -> T:
        """A thing, loaded once for all workers. load: its checksum and itself, from its place.

        Raises MissingNeedError where its place is not known or holds something else, and what `load` raises.
        """
        with self._lock:
            if (what, checksum) not in self._held:
                place = self.place(what, checksum)
                found, loaded = load(place)
                check_need(what, checksum, found, place)
                self._held[what, checksum] = loaded
            value: T = self._held[what, checksum]
            return value


def check_need(what: str, checksum: str, found: str, place: str) -> None:
    """Refuse what is not the thing that a unit names. Raises MissingNeedError."""
    if found != checksum:
        raise MissingNeedError(f"{place}: the {what} here is {found}, the unit needs {checksum}")
