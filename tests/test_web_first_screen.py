"""What a page shows at first: the board before any script has come, and what can be done before there is a game."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

import pytest
from sites import FORMS, site
from web_pages import (
    KEPT,
    WIDE,
    Opener,
    click_square,
    faults_in,
    from_menu,
    meant_board,
    out_of_sight,
    read_board,
    wait_until,
)

from kr.problems.shelf import PuzzleShelf
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

SHELF = PuzzleShelf()
WINDOWS = [WIDE, {"width": 390, "height": 844}, {"width": 844, "height": 390}]
MEN = """() => {
  const board = document.querySelector("main .board").getBoundingClientRect();
  return [...document.querySelectorAll("main .board .piece")].filter(each => {
    const {x, y, right, bottom} = each.getBoundingClientRect();
    return x > board.x && y > board.y && right < board.right && bottom < board.bottom;
  }).length;
}"""
STYLED = "() => [...document.querySelectorAll('link[rel=stylesheet]')].every(each => each.sheet)"
BOX = """() => {
  const {x, y, width, height} = document.querySelector("main .board").getBoundingClientRect();
  return [x, y, width, height];
}"""


@pytest.mark.parametrize("form", FORMS)
def test_the_board_is_there_before_its_scripts_and_stays_in_its_place(browser: Browser, form: str) -> None:
    with site(form) as address:
        context = browser.new_context(viewport=WINDOWS[0])  # type: ignore[arg-type]
        page = context.new_page()
        # all but the one that the first HTML has for its looks are held until there is no such rule any more
        page.route("**/*.js", lambda route: route.continue_() if "/first" in route.request.url else None)
        page.goto(address, wait_until="commit")
        page.locator("main .board").wait_for()
        wait_until(page, STYLED)
        boxes = []
        for size in WINDOWS:
            page.set_viewport_size(size)  # type: ignore[arg-type]
            assert page.evaluate(MEN) == 24
            x, y, width, height = page.evaluate(BOX)
            assert x >= 0
            assert y >= 0
            assert width == height > 0.6 * min(size.values())
            assert x + width <= size["width"]
            assert y + height <= size["height"]
            boxes.append((x, y, width, height))
        page.unroute_all()
        page.locator("main .board .movable").first.wait_for()
        for size, box in zip(WINDOWS, boxes, strict=True):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            assert page.evaluate(MEN) == 24
            assert page.evaluate(BOX) == pytest.approx(box, abs=0.5)
        context.close()


def test_three_doors_and_nothing_else(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, WINDOWS[1], permissions=["clipboard-read", "clipboard-write"])
    welcome = page.locator(".welcome")
    page.locator(".welcome .today svg.mini use").first.wait_for()
    # nothing empty beside them, no second Analyse, and one button that is the first one to press
    assert not page.locator(".move-list, .said, .graph-place, .analysis").locator("visible=true").count()
    assert page.locator("main .primary:visible").count() == 1
    assert faults_in(page, ".welcome") == []
    for size in WINDOWS:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        needed = [".welcome .door", ".welcome .row > button:last-child", ".today svg", ".to-game .plain-link"]
        assert out_of_sight(page, needed) == []
    # a finger has no Space
    welcome.get_by_role("button", name="Analyse the start").click()
    page.locator(".lines .score").first.wait_for()
    page.get_by_role("button", name="Stop").click()
    with page.expect_file_chooser():
        welcome.get_by_role("button", name="Open a file").click()
    # what is on the clipboard, and else a field for it
    page.evaluate("navigator.clipboard.writeText('1. 9-14 22-18')")
    welcome.get_by_role("button", name="Paste").click()
    page.locator(".move-list button.move", has_text="22-18").wait_for()
    from_menu(page, "New game")
    page.evaluate("navigator.clipboard.writeText('')")
    welcome.get_by_role("button", name="Paste").click()
    page.locator("textarea:focus").wait_for()
    page.get_by_role("tab", name="Moves").click()
    # the puzzle of the day, which is one to win at first
    page.locator(".welcome .today button").click()
    page.locator("h2.title", has_text="Puzzle of the day").wait_for()
    daily = SHELF.daily(datetime.date.today(), beginner=True)
    assert page.url.endswith(f"#learn/{daily.id}")
    assert read_board(page) == meant_board(daily.fen)
    page.go_back()
    # one click begins a game, and a step back does not begin another
    welcome.get_by_role("button", name="Club player", exact=True).click()
    page.locator("main .board .movable").first.wait_for()
    page.locator(".acts button", has_text="Resign").wait_for()
    [game] = page.evaluate(KEPT)
    assert (game["settings"]["level"], game["settings"]["side"]) == (5, "black")
    page.go_back()
    welcome.wait_for()
    assert len(page.evaluate(KEPT)) == 1


def test_a_sample_leads_into_its_review_and_its_moments_are_links(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="A sample with its review").click()
    page.locator(".practice h2", has_text="Moment 1 of").wait_for()
    page.get_by_role("button", name="Show it").click()
    page.get_by_role("button", name="Next moment").click()
    page.locator(".practice h2", has_text="Moment 2 of").wait_for()
    question, board = page.locator(".practice p").first.inner_text(), read_board(page)
    page.get_by_role("button", name="Copy link", exact=True).click()
    page.get_by_text("Link copied").wait_for()
    other = opened(page.evaluate("navigator.clipboard.readText()"))
    other.locator(".practice h2", has_text="Moment 2 of").wait_for()
    assert other.locator(".practice p").first.inner_text() == question
    assert read_board(other) == board


@pytest.mark.soak
def test_the_welcome_is_gone_with_a_game_and_does_not_come_back_to_one(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    welcome = page.locator(".welcome")
    welcome.wait_for()
    page.locator("main .board .movable").first.wait_for()
    for square in (11, 15):
        click_square(page, square)
    page.locator(".move-list button.move").wait_for()
    assert not welcome.is_visible()
    wait_until(page, "() => localStorage.getItem('kr-game')?.includes('11-15')")
    seen = "new MutationObserver(() => { window.seen ||= document.querySelector('.welcome')?.checkVisibility(); })"
    page.add_init_script(f"{seen}.observe(document, {{subtree: true, childList: true, attributes: true}})")
    page.reload()
    page.locator(".move-list button.move").wait_for()
    assert page.evaluate("window.seen") is not True
    # another visit, in a tab of its own, begins with that game, and says what else there is
    assert not page.locator(".left-off").is_visible()
    other = page.context.new_page()
    other.goto(server.address)
    other.locator(".left-off").get_by_role("button", name="Last games").click()
    other.locator(".welcome .before li", has_text="1 move").wait_for()
    other.close()
    from_menu(page, "New game")
    welcome.wait_for()
