"""Every page for everyone: the rules of axe in light and dark, no sideways scrolling, a focus that is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from web_pages import Opener, opened, server, wait_until

from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["opened", "server"]
pytestmark = pytest.mark.slow

PAGES = ["analyse", "play", "learn", "endings", "runs"]
SIZES = [(320, 640), (768, 1024), (1280, 800), (2560, 1300)]


def show(page: Page, name: str) -> None:
    """Go to a page by its link, and open everything that is folded."""
    page.locator(f"nav a[href='#{name}']").click()
    wait_until(page, "name => document.querySelector('nav a[aria-current]').hash === '#' + name", name)
    page.evaluate("() => { for (const each of document.querySelectorAll('main details')) each.open = true; }")
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_the_rules_of_axe(server: WebServer, opened: Opener, name: str, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = opened(server.address, color_scheme=scheme)
    show(page, name)
    results = Axe().run(page)
    faults = [
        f"{fault['id']}: {fault['help']}: {node['html'][:150]} {node['any'][:1]}"
        for fault in results.response["violations"]
        for node in fault["nodes"][:5]
    ]
    assert faults == []
    assert len(results.response["passes"]) > 20


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_the_window(server: WebServer, opened: Opener, name: str) -> None:
    page = opened(server.address)
    show(page, name)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, width
        # the board can be seen whole
        boxes = page.locator("main .board").all()
        for box in (board.bounding_box() for board in boxes if board.is_visible()):
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["height"] <= height


@pytest.mark.parametrize("name", PAGES)
def test_the_focus_is_seen_wherever_tab_leads(server: WebServer, opened: Opener, name: str) -> None:
    page = opened(server.address)
    show(page, name)
    seen: set[int] = set()
    for _ in range(300):
        page.keyboard.press("Tab")
        found = page.evaluate("""() => {
          const element = document.activeElement;
          if (element === document.body) return null;
          const style = getComputedStyle(element), box = element.getBoundingClientRect();
          window.tabbed ??= new Map();
          if (!window.tabbed.has(element)) window.tabbed.set(element, window.tabbed.size);
          return [window.tabbed.get(element), element.outerHTML.slice(0, 120),
                  parseFloat(style.outlineWidth) > 0 && style.outlineStyle !== "none", box.width > 0 && box.height > 0];
        }""")
        if found is None:
            # once round: it began at the link that was clicked
            if len(seen) >= 5:
                break
            continue
        number, what, outlined, visible = found
        assert outlined, what
        assert visible, what
        seen.add(number)
    else:
        pytest.fail("Tab never leaves the page")
