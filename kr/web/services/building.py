"""More of the endgame database for the page Endings, built beside other work.

build/state {}, build/begin {}, build/stop {} ->
    {"pieces", "seconds", "bytes", "running": null or {"share", "seconds"}, "built"}

pieces: up to which a build is offered, 0 if none is; seconds, bytes: what it takes, and how large its files are;
running: how much of it is done, and the seconds that are left, null at first; built: it is done, and the next start
of kr web uses it. A build that failed says why once.
"""

from __future__ import annotations

from typing import Any

from kr.web.house import House
from kr.web.request import PageRequest


def tell_state(house: House, request: PageRequest) -> dict[str, Any]:
    """How far it is."""
    return house.build.state()


def begin_build(house: House, request: PageRequest) -> dict[str, Any]:
    """Begin it."""
    house.build.begin()
    return house.build.state()


def stop_build(house: House, request: PageRequest) -> dict[str, Any]:
    """Stop it."""
    house.build.close()
    return house.build.state()


ROUTES = {"build/state": tell_state, "build/begin": begin_build, "build/stop": stop_build}
LIVE: dict[str, Any] = {}
