"""The page without a server in a browser: journeys, without a network too, and what can go wrong on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from chromium import OTHER_MACHINE
from page_host import FOLDER, Host, built, hosting
from test_web_journeys import Mouse, play_and_resign
from tree_pages import CLIPBOARD, opens, shows
from web_pages import Opener, click_square, meant_board, open_panel, read_board, type_fen, wait_for, wait_until

import kr

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow
GONE = "net::ERR_CONNECTION_REFUSED|net::ERR_FAILED"
DEPTH = "() => /depth \\d+ · [\\d.]+/.test(document.querySelector('.analysis')?.textContent)"
NOTICE = "text => document.querySelector('.notices')?.textContent.includes(text)"


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with hosting() as host:
        yield host


def analyse(page: Page) -> None:
    """Begin an analysis, unless it goes on after the page was loaded again, and wait for lines."""
    if page.locator(".analysis .go").text_content() == "Analyse":
        page.keyboard.press("Space")
    wait_until(page, DEPTH)


def glance(page: Page) -> None:
    """Analyse until there are lines."""
    analyse(page)
    page.locator(".analysis").get_by_role("button", name="Stop", exact=True).click()


def go(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=name).click()


def learn(page: Page) -> None:
    """Have a puzzle's solution shown."""
    go(page, "Learn")
    page.get_by_role("button", name="Solution").click()
    wait_until(page, "() => /solution/i.test(document.querySelector('main')?.textContent)")


def ending(page: Page) -> None:
    """Begin an ending, and have its values shown."""
    go(page, "Endings")
    page.get_by_role("button", name="New ending").first.click()
    wait_until(page, "() => document.querySelectorAll('main .board .movable').length > 0")


def review(page: Page) -> None:
    """Review a game that is pasted."""
    go(page, "Analyse")
    opens(page, "1. 11-15 23-19 2. 8-11 22-17 3. 11-16 24-20 4. 16x23 27x11 *")
    open_panel(page, "Review")
    page.get_by_role("button", name="Review this game").click()
    wait_until(page, "() => /Accuracy/.test(document.querySelector('.panel.review')?.textContent)")


@pytest.mark.soak
def test_a_position_is_analysed_while_panels_and_a_review_ask(host: Host, opened: Opener) -> None:
    host.asked.clear()
    page = opened(host.address, **CLIPBOARD)
    assert read_board(page) == meant_board(kr.Position().fen)
    analyse(page)
    # other panels ask the engine in between
    open_panel(page, "People")
    page.get_by_text("11-15").first.wait_for()
    open_panel(page, "Regions")
    page.get_by_text("At a glance").wait_for()
    wait_until(page, DEPTH)
    # nobody has asked for the book yet, and what is kept for later is not kept here
    assert not [name for name in host.asked if name.startswith("book-")]
    open_panel(page, "Explorer")
    page.locator(".tally tbody tr").first.wait_for()
    assert [name for name in host.asked if name.startswith("book-")]
    assert page.locator(".tally th").all_inner_texts() == ["Move", "Played", "Results", "Book"]
    assert "games that kr played against itself" in page.locator(".explorer .source").inner_text()
    page.get_by_role("button", name="Search").click()
    assert page.get_by_label("Player", exact=True).is_hidden()
    type_fen(page, "B:WK32,K30:BK1")
    wait_until(page, "() => /loss in \\d+/i.test(document.querySelector('.analysis')?.textContent)")
    # a review goes first, and the analysis goes on then
    review(page)
    wait_until(page, DEPTH)
    # what was loaded is not told any more to those who come by a live region
    wait_until(page, "() => !/Loading/.test(document.body.textContent)")
    # nothing of a page with a server is shown
    for name in ("Runs", "Archives"):
        assert not page.get_by_text(name, exact=True).count()


PATIENT = b"""self.begin ??= self.setTimeout;
self.setTimeout = (act, ms, ...given) => self.begin(act, ms > 1000 ? 1e6 : ms, ...given);"""
"""Threads that don't hear are not begun anew."""


@pytest.mark.soak
def test_a_search_hears_where_webassembly_can_not_pause(opened: Opener) -> None:
    with hosting() as host:
        host.before = b"delete WebAssembly.Suspending;" + PATIENT
        # the service worker would refuse scripts that were changed
        page = opened(host.address, service_workers="block")
        analyse(page)
        for fen in ("B:W30,32:B1,3,4", "B:W29,30,32:B1,3,4"):
            type_fen(page, fen)
            wait_until(page, DEPTH)


def test_all_goes_on_without_a_network(opened: Opener) -> None:
    with hosting() as host:
        page = opened(host.address, app=True, allowed=GONE, **CLIPBOARD)
        glance(page)
        go(page, "Learn")
        page.get_by_role("button", name="Solution").wait_for()
        kept = "async () => (await navigator.serviceWorker.ready).active?.state === 'activated'"
        wait_until(page, kept)
        # what a visit has not used yet is fetched while there is a network
        count = len([*built().glob("*.gz")])
        wait_until(
            page,
            "async count => (await (await caches.open('kr-files')).keys()).length === count",
            count,
        )
    page.goto(host.address)
    page.reload()
    glance(page)
    play_and_resign(Mouse(page, touch=False), 2)
    for journey in (learn, ending, review):
        journey(page)


@pytest.mark.parametrize(
    "fault", ["damaged", *(pytest.param(each, marks=pytest.mark.soak) for each in ("half", "missing"))]
)
def test_a_file_that_does_not_come_whole(opened: Opener, fault: str) -> None:
    with hosting() as host:
        host.faults = {"tables": fault}
        page = opened(host.address, allowed="net::ERR_|404")
        page.keyboard.press("Space")
        wait_until(page, NOTICE, "Could not load the engine")
        # the board goes on
        click_square(page, 11)
        click_square(page, 15)
        shows(page, "11-15")
        host.faults = {}
        page.get_by_role("button", name="Try again").click()
        wait_until(page, DEPTH)
        assert page.locator(".notice:visible").count() == 0


SUMS = """async damages => {
  const cache = await caches.open("kr-files"), sums = [];
  for (const request of await cache.keys()) {
    const bytes = new Uint8Array(await (await cache.match(request)).arrayBuffer());
    sums.push([request.url, [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))].join()]);
    bytes[bytes.length >> 1] ^= 1;
    if (damages) await cache.put(request, new Response(bytes));
  }
  return Object.fromEntries(sums);
}"""


@pytest.mark.soak
def test_a_kept_file_that_is_damaged_is_fetched_again(opened: Opener) -> None:
    with hosting() as host:
        page = opened(host.address)
        glance(page)
        whole = page.evaluate(SUMS, True)
        assert page.evaluate(SUMS, False) != whole
        page.reload()
        glance(page)
        wait_for(page, lambda: page.evaluate(SUMS, False) == whole)


def test_a_browser_that_keeps_nothing(host: Host, opened: Opener) -> None:
    """By plain http from another machine a page has neither caches nor a service worker nor checksums."""
    page = opened(f"http://{OTHER_MACHINE}:{host.port}{FOLDER}", app=True)
    assert not page.evaluate("isSecureContext")
    glance(page)
    wait_until(page, NOTICE, "keeps no files")
