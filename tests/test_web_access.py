"""Every page for everyone: the rules of axe in light and dark, a focus that is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from web_pages import Opener, faults_in, open_panel, show_setup, wait_until

from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

PAGES = ["analyse", "play", "learn", "endings", "runs"]


def show(page: Page, name: str) -> None:
    """Go to a page by its link, and open everything that is folded."""
    page.locator(f"nav a[href='#{name}']").click()
    wait_until(page, "name => document.querySelector('nav a[aria-current]').hash === '#' + name", name)
    page.evaluate("() => { for (const each of document.querySelectorAll('main details')) each.open = true; }")
    page.wait_for_load_state("networkidle")
    # a puzzle, which is asked for when the page has come
    wait_until(page, "() => document.querySelector('h2.title')?.textContent !== ''")


@pytest.mark.soak
@pytest.mark.parametrize("width", [1280, 390])
def test_the_rules_of_axe_in_panels_and_menus(server: WebServer, opened: Opener, width: int) -> None:
    """Review, Explorer, Learn, Endings and matches have such a test beside what they do."""
    page = opened(server.address, {"width": width, "height": 844})
    for name in ("People", "Regions", "Games", "Set up"):
        if name == "Set up":
            show_setup(page)
            page.get_by_label("Find a ballot").fill("68")
            wait_until(page, "() => document.querySelectorAll('.found button').length === 1")
        else:
            open_panel(page, name)
        page.wait_for_load_state("networkidle")
        assert faults_in(page, ".side") == [], name
    page.get_by_role("button", name="Place pieces").click()
    assert faults_in(page, ".side") == []
    for name in ("Send", "More"):
        page.get_by_role("button", name=name, exact=True).click()
        assert faults_in(page, ".menu:not([hidden])") == [], name
        page.keyboard.press("Escape")


TABBED = """() => {
  const element = document.activeElement;
  if (element === document.body) return null;
  const style = getComputedStyle(element), box = element.getBoundingClientRect();
  window.tabbed ??= new Map();
  if (!window.tabbed.has(element)) window.tabbed.set(element, window.tabbed.size);
  return [window.tabbed.get(element), element.outerHTML.slice(0, 120),
          parseFloat(style.outlineWidth) > 0 && style.outlineStyle !== "none", box.width > 0 && box.height > 0];
}"""


def test_the_rules_of_axe_and_the_focus_wherever_tab_leads(server: WebServer, opened: Opener) -> None:
    """Learn, Endings, Lessons, Runs, games and matches have a test of axe beside what they do."""
    page = opened(server.address)
    for name in PAGES:
        show(page, name)
        if name in ("analyse", "play"):
            assert faults_in(page, passes=21) == [], name
            # the focus begins where the page was chosen
            page.locator(f"nav a[href='#{name}']").focus()
        seen: set[int] = set()
        for _ in range(300):
            page.keyboard.press("Tab")
            found = page.evaluate(TABBED)
            if found is None:
                # once round: it began at the link that was clicked
                if len(seen) >= 5:
                    break
                continue
            number, what, outlined, visible = found
            assert outlined, (name, what)
            assert visible, (name, what)
            seen.add(number)
        else:
            pytest.fail(f"Tab never leaves the page {name}")


@pytest.mark.soak
def test_the_rules_of_axe_while_answers_are_awaited(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, before=lambda page: page.route("**/api/**", lambda route: None))
    for name in ("analyse", "play", "learn", "lessons", "endings", "library", "player", "runs"):
        page.evaluate("name => { location.hash = name; }", name)
        page.locator(f":is(.screen.{name}:not(.first), .{name}-page, .{name}):visible").first.wait_for()
        assert faults_in(page) == [], name
