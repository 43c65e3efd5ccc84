"""One button of a screen leads, and it is the right one: what is drawn so, screen by screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from web_pages import WIDE, Opener, click_square, from_menu, open_panel, pick, show_setup, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from kr.web.serve import WebServer

pytestmark = pytest.mark.slow

LEADING = """() => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.background = "var(--accent)";
  const accent = getComputedStyle(probe).backgroundColor;
  probe.remove();
  const place = document.querySelector("dialog[open]") ?? document;
  return [...place.querySelectorAll(".primary")]
    .filter(each => each.checkVisibility() && getComputedStyle(each).backgroundColor === accent)
    .map(each => each.textContent.trim()).join(", ");
}"""


def leads(page: Page, name: str) -> None:
    """Wait until one button leads, or none for an empty name."""
    wait_until(page, f"name => ({LEADING})() === name", name)


def visit(page: Page, name: str) -> None:
    page.evaluate("name => { location.hash = name; }", name)


@pytest.mark.soak
def test_one_button_of_a_screen_leads(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, WIDE, empty=True)
    page.locator("main .board .grid [data-square='11']").wait_for()
    click_square(page, 11)
    click_square(page, 15)
    leads(page, "Review")
    open_panel(page, "Review")
    leads(page, "Review this game")
    open_panel(page, "Games")
    leads(page, "Open…")
    page.get_by_role("button", name="Paste…").click()
    leads(page, "Open this")
    open_panel(page, "Repertoire")
    leads(page, "Mark 11-15 as mine")
    open_panel(page, "People")
    leads(page, "Review")
    show_setup(page)
    page.get_by_role("button", name="Place pieces").click()
    leads(page, "Done")
    page.get_by_role("button", name="Cancel").click()
    from_menu(page, "Prove…")
    leads(page, "Prove")
    page.get_by_role("button", name="Settings").click()
    leads(page, "")
    page.keyboard.press("Escape")

    visit(page, "play")
    leads(page, "Play")
    pick(page, "mode", "match")
    leads(page, "Start the match")
    pick(page, "mode", "two")
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="Resign").wait_for()
    leads(page, "")
    click_square(page, 11, flipped=True)
    click_square(page, 15, flipped=True)
    page.get_by_role("button", name="Resign").click()
    leads(page, "Play on")
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    leads(page, "Review")

    visit(page, "learn")
    page.get_by_role("button", name="Solution").click()
    leads(page, "Next puzzle")
    # a slip: what is to be done about it leads, before the form of another ending
    visit(page, "endings/win/W:WK18,K19:BK11")
    page.get_by_role("button", name="Best move").wait_for()
    leads(page, "New ending")
    click_square(page, 18)
    click_square(page, 15)
    page.get_by_role("button", name="Play on").wait_for()
    leads(page, "Take back")
