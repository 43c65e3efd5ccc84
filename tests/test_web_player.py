"""Games reviewed in the background, and the page of one player: by clicks, in both forms of the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sites import address
from web_pages import PHONE, WIDE, Opener, faults_in, open_panel, wait_for, wait_until

import kr

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["address"]
GAMES = Path(kr.__file__).parent / "archives" / "samples" / "my-games.pdn"
DASH = "\N{EN DASH}"
SHORT = (6, 7, 0)
"""Games of the file, the shortest first."""


def some_games() -> bytes:
    """Three games of the person, in one of which another spelling stands, and one whose moves can't be reviewed."""
    games = ["[Event" + text for text in GAMES.read_text().split("[Event")[1:]]
    first, second, third = (games[number] for number in SHORT)
    second = second.replace("Smith, J", "Smith, John")
    bare = '[Event "Set up"]\n[Black "Smith, J"]\n[White "Kim"]\n[FEN "B:W30:B1"]\n[Result "*"]\n\n*\n\n'
    return "".join((first, second, bare, third)).encode()


def kept(page: Page) -> Any:
    """The batch that the browser keeps."""
    return json.loads(page.evaluate("localStorage['kr-reviews'] ?? 'null'"))


def left(page: Page) -> int:
    batch = kept(page)
    return len(batch["waiting"]) if batch else -1


@pytest.mark.slow
def test_a_file_reviewed_in_the_background_and_what_it_shows_of_a_player(address: str, opened: Opener) -> None:
    page = opened(address, WIDE)
    page.evaluate("localStorage['kr-judge-limit'] = '\"nodes=1000\"'")
    open_panel(page, "Games")
    chosen = page.get_by_role("tabpanel", name="Games").locator("input[type=file]")
    chosen.set_input_files({"name": "club.pdn", "mimeType": "text/plain", "buffer": some_games()})
    page.get_by_role("button", name="Review all…").click()
    wait_for(page, lambda: left(page) in range(1, 4))
    # a page that is left and comes again goes on with the rest
    page.goto("about:blank")
    page.goto(f"{address}#player/Smith%2C%20J")
    progress = page.get_by_role("region", name="Reviews in the background")
    progress.wait_for()
    wait_for(page, lambda: left(page) == 0)
    assert [fault["name"] for fault in kept(page)["faults"]] == [f"Smith, J {DASH} Kim"]
    progress.get_by_text("1 game could not be reviewed").click()
    assert f"Smith, J {DASH} Kim: the game has no moves" in progress.inner_text()
    summary = page.locator(".player-page .summary")
    wait_for(page, lambda: "2 of them reviewed" in summary.inner_text())
    assert summary.inner_text().startswith("3 games: 1 won, 0 drawn, 1 lost")
    # nothing is told of so few
    assert page.get_by_role("region", name="Results").locator("tr").last.inner_text().endswith(DASH)
    page.get_by_text("Other names of this player").click()
    page.get_by_label("Smith, John").check()
    wait_for(page, lambda: summary.inner_text().startswith("4 games: 2 won, 0 drawn, 1 lost, 3 of them reviewed"))
    for size in (WIDE, PHONE):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert faults_in(page, ".player-page") == []

    # a mistake is tried again in its game, and counts as found or not
    again = page.get_by_role("button", name="Try again: in the middle game")
    wanted = int(again.get_attribute("aria-label").split(" of ")[1].split()[0])  # type: ignore[union-attr]
    assert wanted > 1
    again.click()
    heading = page.locator(".practice h2")
    wait_for(page, lambda: heading.inner_text() == f"Moment 1 of {min(wanted, 10)}")
    assert page.locator(".practice [role=status]").inner_text().startswith("You played ")
    # nothing beside the board gives it away, though one comes from another page
    assert not page.locator(".analysis").is_visible()
    page.get_by_role("button", name="Show it").click()
    wait_until(page, "() => document.querySelectorAll('.variations p').length === 2")
    page.get_by_role("button", name="Next moment").click()
    wait_for(page, lambda: heading.inner_text() == f"Moment 2 of {min(wanted, 10)}")
    page.get_by_role("button", name="Leave", exact=True).click()
    page.locator(".player-page .figures").wait_for()
    assert len(json.loads(page.evaluate("localStorage['kr-own-mistakes']"))["boxes"]) == 1
