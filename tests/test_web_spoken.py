"""What screen readers tell: each thing once, whatever is done, and nothing that only shows how far work is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from sites import FORMS, site
from tree_pages import CLIPBOARD, opens
from web_pages import Opener, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

LOST = "1. 11-15 24-20 2. 8-11 28-24 3. 9-13 22-18 4. 15x22 25x18 5. 3-8 20-16 6. 12x28 23-19 1-0"
RECORD = """
window.heard = [];
const LIVE = "[aria-live=polite], [aria-live=assertive], [role=status], [role=alert], [role=log], output";
new MutationObserver(records => {
  const near = ({target}) => (target.nodeType === 1 ? target : target.parentElement)?.closest(LIVE),
    places = new Set(records.map(near));
  for (const place of places) {
    if (!place?.isConnected || !place.checkVisibility()) continue;
    const told = place.cloneNode(true);
    for (const each of told.querySelectorAll("[aria-hidden=true], [hidden]")) each.remove();
    if (told.textContent.trim()) heard.push(told.textContent.trim());
  }
}).observe(document, {subtree: true, childList: true, characterData: true});
"""


def step(page: Page, square: int) -> None:
    page.locator(f"main .board .grid [data-square='{square}']").focus()
    page.keyboard.press("Enter")


def heard(page: Page, last: str) -> list[str]:
    """What was told since the last time, once the last of it is there."""
    wait_until(page, "last => heard.some(text => new RegExp(last).test(text))", arg=last)
    return page.evaluate("() => heard.splice(0)")  # type: ignore[no-any-return]


@pytest.mark.soak
@pytest.mark.parametrize("form", FORMS[:1])
def test_each_thing_is_told_once(form: str, opened: Opener) -> None:
    with site(form) as address:
        page = opened(address, before=lambda page: page.add_init_script(RECORD), **CLIPBOARD)
        page.locator(".board .movable").first.wait_for()
        page.evaluate("() => heard.splice(0)")
        step(page, 11)
        step(page, 15)
        assert heard(page, "11 to 15") == ["11 to 15"]
        page.evaluate("() => document.activeElement.blur()")
        for key, told in (("ArrowLeft", "The start."), ("ArrowRight", "11 to 15")):
            page.keyboard.press(key)
            assert heard(page, told) == [told]
        opens(page, LOST)
        page.evaluate("() => heard.splice(0)")
        page.get_by_role("tab", name="Review").click()
        page.get_by_role("button", name="Review this game").click()
        (told,) = heard(page, "is reviewed")
        assert re.fullmatch(r"The game is reviewed\. 12 of 12 moves, .* Undo takes the marks out\.", told)
        page.evaluate("() => document.activeElement.blur()")
        page.keyboard.press("n")
        (told,) = heard(page, "blunder|mistake|inaccuracy")
        assert re.match(r"\d+ (to|takes) \d+, (blunder|mistake|inaccuracy)\. Better: ", told)

        page.evaluate("() => { location.hash = 'learn/first-position'; }")
        assert heard(page, "Any move that wins") == ["White to play and win", "Your move. Any move that wins is right."]
        step(page, 23)
        step(page, 27)
        (told,) = heard(page, "27 is right")
        assert told.startswith("✓ 23-27 is right.")

        page.evaluate("() => { location.hash = 'play'; }")
        page.get_by_role("button", name="Play", exact=True).click()
        assert heard(page, "Your move")[-1] == "Your move."
        step(page, 11)
        step(page, 15)
        assert heard(page, "kr plays") == [
            "You play 11-15. kr is thinking …",
            page.locator(".screen.play .turn").inner_text(),
        ]
