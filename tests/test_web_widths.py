"""Every page at every width, of a phone upright and held sideways, of a tablet and of a desktop: nothing is cut off."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from web_pages import SETTLED_SECONDS, Opener, wait_until

from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

PAGES = ["analyse", "play", "learn", "endings", "runs"]
SIZES = [
    *((width, 640) for width in range(320, 641, 40)),
    *((width, 800) for width in range(320, 1401, 40)),
    *((width, 320 if width < 640 else 360) for width in range(568, 961, 40)),
    (390, 844), (844, 390), (932, 430), (768, 1024), (2560, 1300),
]  # fmt: skip
"""Low phones; all widths at a desktop's height; phones held sideways; a few others."""

WRONG = """([width, height]) => {
  const wrong = [], header = document.querySelector("header"), seen = each => each.checkVisibility(),
    shown = selector => [...document.querySelectorAll(selector)].filter(seen), board = shown("main .board")[0],
    {scrollWidth, scrollHeight} = document.documentElement;
  if (innerWidth !== width || innerHeight !== height) return ["the window has another size"];
  if (scrollWidth > width) wrong.push(`the document is ${scrollWidth} wide`);
  if (document.querySelector(".screen") && scrollHeight > height) wrong.push(`the document is ${scrollHeight} high`);
  const needed = shown("nav a, header button, main .board, main .controls button, main [role=tab], main .begin button");
  for (const each of needed) {
    const box = each.getBoundingClientRect(), name = each.ariaLabel || each.textContent || each.className,
      top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const inside = box.left >= 0 && box.top >= -.5 && box.right <= width + .5 && box.bottom <= height + .5;
    if (!inside) wrong.push(`${name} is cut`);
    else if (!top || !each.contains(top)) wrong.push(`${name} is covered`);
    if (each.closest("header, .tabs") && each.scrollWidth > each.clientWidth + 1) wrong.push(`${name} has no room`);
  }
  for (const each of shown(".task .words")) {
    if (each.scrollWidth > each.clientWidth) wrong.push(`${each.textContent} has no room`);
  }
  for (const each of shown("nav a")) {
    const {left, right, bottom} = each.getBoundingClientRect(), row = each.parentElement.getBoundingClientRect();
    if (left < row.left - .5 || right > row.right + .5 || bottom > header.getBoundingClientRect().bottom) {
      wrong.push(`${each.textContent} is cut off in the header`);
    }
  }
  if (board) {
    const {width: size} = board.getBoundingClientRect();
    if (height <= 400 ? size < .9 * height : size < .42 * Math.min(width, height)) wrong.push(`a board of ${size}`);
  }
  return wrong;
}"""


CUT_ENTRIES = """() => {
  const cut = [], openers = document.querySelectorAll("main [aria-haspopup=menu]:not(:disabled)");
  for (const opener of [...openers].filter(each => each.checkVisibility())) {
    opener.click();
    const menu = document.getElementById(opener.getAttribute("aria-controls")), around = menu.getBoundingClientRect();
    for (const entry of menu.querySelectorAll("[role=menuitem]")) {
      const {left, top, right, bottom} = entry.getBoundingClientRect();
      if (left < Math.max(0, around.left) || right > Math.min(innerWidth, around.right) ||
          top < Math.max(0, around.top) || bottom > Math.min(innerHeight, around.bottom) ||
          entry.scrollWidth > entry.clientWidth) cut.push(`${entry.textContent} is cut in the menu`);
    }
    opener.click();
  }
  return cut;
}"""
"""Entries of menus that are not wholly in sight once their menu is open."""


def show(page: Page, name: str) -> None:
    """Go to a page; on Play begin a game, on Analyse an analysis."""
    page.evaluate("name => { location.hash = name; }", name)
    if name == "play":
        page.locator(".begin .primary").wait_for()
        check(page, "play, before a game", SIZES[::5])
        page.set_viewport_size({"width": 1280, "height": 800})
        page.locator(".begin .primary").click()
    ready = {"analyse": ".welcome", "play": ".acts button", "runs": ".runs"}.get(name, f".{name} .board .movable")
    page.locator(ready).first.wait_for()
    page.evaluate("() => { for (const each of document.querySelectorAll('main details')) each.open = true; }")
    if name == "analyse":
        page.keyboard.press("Space")
        wait_until(page, "() => document.querySelectorAll('.lines li:not([hidden]) .score').length > 0")


def check(page: Page, name: str, sizes: list[tuple[int, int]]) -> None:
    wrong = {}
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        until = time.monotonic() + SETTLED_SECONDS
        # what has just arrived may move things for a frame
        while (faults := page.evaluate(WRONG, [width, height])) and time.monotonic() < until:
            page.wait_for_timeout(20)
        faults = faults or page.evaluate(CUT_ENTRIES)
        if faults:
            wrong[width, height] = faults
    assert wrong == {}, name


# the longer language first
@pytest.mark.parametrize(
    ("locale", "sizes"),
    [
        ("it-IT", [*SIZES[:-5:4], *SIZES[-5:]]),
        *(pytest.param(locale, SIZES, marks=pytest.mark.soak) for locale in ("it-IT", "en-US")),
    ],
    ids=["some", "it", "en"],
)
def test_nothing_is_cut_off_at_any_width(
    server: WebServer, opened: Opener, locale: str, sizes: list[tuple[int, int]]
) -> None:
    page = opened(server.address, locale=locale)
    for name in PAGES:
        show(page, name)
        check(page, name, sizes)
