"""What a page shows at first: the board before any script has come, and what can be done before there is a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sites import FORMS, site
from web_pages import WIDE, Opener, click_square, faults_in, from_menu, wait_until

from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

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
        page.unroute("**/*.js")
        page.locator("main .board .movable").first.wait_for()
        for size, box in zip(WINDOWS, boxes, strict=True):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            assert page.evaluate(MEN) == 24
            assert page.evaluate(BOX) == pytest.approx(box, abs=0.5)
        context.close()


WAYS = {
    "a game as text": "textarea:focus", "an opening": ".panel.explorer", "a position": ".panel.setup .found button",
    "a game against kr": ".new-game .begin",
}  # fmt: skip


def test_what_can_be_done_where_there_is_no_game(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, WINDOWS[1])
    welcome, ways = page.locator(".welcome"), page.locator(".welcome button")
    assert "Black to move: drag a man" in welcome.inner_text()
    # nothing empty beside it
    assert not page.locator(".move-list, .said, .graph-place").locator("visible=true").count()
    assert faults_in(page, ".welcome") == []
    with page.expect_file_chooser():
        ways.filter(has_text="a file of games").click()
    for name, shown in WAYS.items():
        page.get_by_role("tab", name="Moves").click()
        ways.filter(has_text=name).click()
        page.locator(shown).first.wait_for()
        assert not welcome.is_visible()


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
    from_menu(page, "New game")
    welcome.wait_for()
