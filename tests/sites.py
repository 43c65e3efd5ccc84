"""The page in both of its forms, for tests that run against each: kr web, and the built page without a server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from page_host import hosting
from web_pages import SIZES, serving

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

FORMS = ["kr web", "without a server"]
PLACES = [(FORMS[0], SIZES[0]), (FORMS[1], SIZES[2])]
"""Both forms, one in a desktop's window and one in a phone's."""
EVERYWHERE = [
    pytest.param(form, size, marks=() if (form, size) == PLACES[1] else pytest.mark.soak)
    for form in FORMS
    for size in SIZES
]
"""Both forms in every window, all but the phone without a server in `make soak` alone."""
CHANCE = "let chance = 7; Math.random = () => (chance = (chance * 16807) % 2147483647) / 2147483647;\n"


@contextmanager
def site(form: str, **settings: Any) -> Iterator[str]:
    """Address of the page in one form; settings are those of kr web."""
    if form == FORMS[0]:
        with serving(**settings) as server:
            yield server.address
    else:
        with hosting() as host:
            yield host.address


@pytest.fixture(scope="module", params=[pytest.param(FORMS[0], marks=pytest.mark.soak), FORMS[1]])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    """Address of the page, in both forms, that of kr web in `make soak` alone, as most tests of pages are about it. It
    has the smaller tables, whose searches take less time."""
    with site(request.param, weights="manual") as address:
        yield address


def without_chance(page: Page) -> None:
    """Let a page and its worker choose the same each time, on the same day."""

    def answers(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=CHANCE + response.text())

    page.add_init_script(CHANCE)
    page.clock.set_fixed_time("2026-01-05T12:00:00")
    page.route("**/answers/native.js", answers)
    page.route("**/answers-main-*.js", answers)
