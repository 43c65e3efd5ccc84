"""The library of a person's games: kept by themselves, found, put in order, saved and opened again, in both forms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sites import address
from web_pages import KEPT, PHONE, WIDE, Opener, click_square, faults_in, from_menu, open_panel, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["address"]

PASTE = """text => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  document.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data}));
}"""
ANN = '[Event "Club"]\n[Black "Ann"]\n[White "Bob"]\n[Result "1-0"]\n\n1. 11-15 23-18 2. 8-11 {a quiet plan} 1-0\n\n'
EVE = '[Event "Club"]\n[Black "Eve"]\n[White "Ann"]\n[Result "1/2-1/2"]\n\n1. 9-13 22-18 1/2-1/2\n\n'
DASH = "\N{EN DASH}"
FORBIDDEN = "IDBFactory.prototype.open = () => { throw new DOMException('not here', 'SecurityError'); };"
LATE = """const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...rest) {
  setTimeout(() => post.call(this, message, ...rest), message.ask === "games/check" ? 1000 : 0);
};"""
"""What checks a game is slow to come."""


def paste(page: Page, text: str, name: str) -> None:
    """Open a game, and wait until it is on the board."""
    page.evaluate(PASTE, text)
    page.locator(".seat .name", has_text=name).first.wait_for()


def rows(page: Page) -> list[str]:
    return page.locator(".kept-games .who").all_inner_texts()


def rows_are(page: Page, *expected: str) -> None:
    wait_for(page, lambda: rows(page) == list(expected))


def to_library(page: Page) -> None:
    page.get_by_role("link", name="Library").click()
    page.locator(".library-page").wait_for()


def choose(page: Page, name: str) -> None:
    page.locator(".kept-games li", has_text=name).get_by_role("checkbox").check()


@pytest.mark.slow
def test_games_are_kept_found_put_in_order_saved_and_come_back(address: str, opened: Opener, tmp_path: Path) -> None:
    page = opened(address, WIDE, empty=True)
    page.locator("main .board .movable").first.wait_for()
    to_library(page)
    page.get_by_text("Games that you play, or open and look at, are kept here").wait_for()
    page.get_by_role("link", name="Analyse").click()
    for square in (11, 15):
        click_square(page, square)
    # each stays as another takes its place at once
    paste(page, ANN, "Ann")
    paste(page, EVE, "Eve")
    from_menu(page, "New game")
    page.locator(".welcome .before li", has_text=f"Eve {DASH} Ann").wait_for()
    assert page.locator(".welcome .before li").count() == 3
    page.locator(".welcome .before").get_by_role("button", name="Library").click()
    rows_are(page, f"Eve {DASH} Ann 1/2-1/2", f"Ann {DASH} Bob 1-0", "A game")

    # found by words of a comment, moved, and given a tag
    page.get_by_label("Find games").fill("quiet")
    rows_are(page, f"Ann {DASH} Bob 1-0")
    choose(page, "Bob")
    page.get_by_role("button", name="Move…").click()
    page.get_by_role("dialog").get_by_label("Folder").fill("Club/2024")
    page.keyboard.press("Enter")
    page.locator(".kept-games", has_text="▸ Club/2024").wait_for()
    page.get_by_role("button", name="Tags…").click()
    page.get_by_role("dialog").get_by_label("Tags").fill("sharp; to learn")
    page.keyboard.press("Enter")
    page.locator(".kept-games", has_text="#sharp · #to learn").wait_for()
    page.get_by_role("button", name="Take off the filter Find games: quiet").click()
    page.get_by_role("button", name="Filters").click()
    page.get_by_label("Folder").select_option("Club")
    rows_are(page, f"Ann {DASH} Bob 1-0")

    # saved, deleted for good, and back from the file with folder and tags
    with page.expect_download() as download:
        page.get_by_role("button", name="Save 1 game as PDN").click()
    saved = tmp_path / "club.pdn"
    download.value.save_as(saved)
    assert '[Folder "Club/2024"]' in saved.read_text()
    page.keyboard.press("Escape")
    page.locator(".kept-games li button").first.focus()
    page.keyboard.press("Delete")
    rows_are(page)
    page.get_by_role("button", name="Undo").click()
    rows_are(page, f"Ann {DASH} Bob 1-0")
    choose(page, "Bob")
    page.get_by_role("button", name="Delete", exact=True).click()
    rows_are(page)
    page.get_by_role("button", name="Take off the filter Folder").click()
    rows_are(page, f"Eve {DASH} Ann 1/2-1/2", "A game")
    page.get_by_role("checkbox", name="Deleted games").check()
    rows_are(page, f"Ann {DASH} Bob 1-0")
    choose(page, "Bob")
    page.get_by_role("button", name="Delete for good…").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete for good").click()
    rows_are(page)
    page.get_by_role("link", name="Analyse").click()
    open_panel(page, "Games")
    chosen = page.get_by_role("tabpanel", name="Games").locator("input[type=file]")
    both = {"name": "both.pdn", "mimeType": "text/plain", "buffer": saved.read_bytes() + EVE.encode()}
    chosen.set_input_files(both)  # type: ignore[arg-type]
    page.get_by_role("button", name="Keep all").click()
    page.get_by_text("In the library: 2 games; already there: ").wait_for()
    to_library(page)
    page.get_by_role("checkbox", name="Deleted games").uncheck()
    page.locator(".kept-games li", has_text="▸ Club/2024 · #sharp · #to learn").wait_for()
    assert sorted(rows(page)) == sorted(["A game", f"Ann {DASH} Bob 1-0", f"Eve {DASH} Ann 1/2-1/2"])

    # what they come to, and no fault at any size
    page.locator(".figures summary").click()
    page.locator(".figures").get_by_label("Player").select_option("Ann")
    opponents = page.get_by_role("region", name="By opponent").locator("tbody tr")
    wait_for(page, lambda: opponents.count() == 2)
    assert sorted(opponents.all_inner_texts()) == [
        f"Bob\t1\t1 {DASH} 0 {DASH} 0\t100%\t1 / 0",
        f"Eve\t1\t0 {DASH} 1 {DASH} 0\t50%\t0 / 1",
    ]
    for size in (WIDE, PHONE):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert faults_in(page, ".library-page") == []


@pytest.mark.slow
def test_a_game_against_kr_is_kept_while_it_goes_on_and_once_it_is_over(address: str, opened: Opener) -> None:
    page = opened(address, WIDE, empty=True)
    page.get_by_role("button", name="Beginner", exact=True).click()
    page.locator(".acts button", has_text="Resign").wait_for()
    page.locator("main .board .movable").first.wait_for()
    for square in (11, 15):
        click_square(page, square, flipped=True)
    wait_for(page, lambda: page.locator(".played li").count() == 1 and page.locator("main .board .movable").count() > 0)
    to_library(page)
    rows_are(page, f"You {DASH} kr level 1 · unfinished")
    page.locator(".kept-games li button").click()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Rematch").wait_for()
    # what is made of it in Analyse stays with it
    page.get_by_role("button", name="Analyse", exact=True).click()
    page.locator(".move-list button.move").nth(1).wait_for()
    page.keyboard.press("Home")
    for square in (9, 13):
        click_square(page, square, flipped=True)
    to_library(page)
    rows_are(page, f"You {DASH} kr level 1 0-1")
    # the game itself is on Play as it was, and its person has a page
    page.go_back()
    page.get_by_role("link", name="Play", exact=True).click()
    page.locator(".turn", has_text="kr wins: you resigned").wait_for()
    assert len(page.evaluate(KEPT)) == 1
    page.goto(f"{address}#player")
    page.locator(".player-page .summary", has_text="1 game: 0 won, 0 drawn, 1 lost").wait_for()


@pytest.mark.soak
def test_windows_share_games_and_both_versions_stay(address: str, opened: Opener) -> None:
    page = opened(address, WIDE, empty=True)
    page.locator("main .board .movable").first.wait_for()
    paste(page, ANN, "Ann")
    to_library(page)
    rows_are(page, f"Ann {DASH} Bob 1-0")
    other = page.context.new_page()
    # a game is opened before the game from before is there
    other.add_init_script(LATE)
    other.goto(f"{address}#library")
    other.locator(".kept-games li button").first.click()
    other.locator(".seat .name", has_text="Ann").first.wait_for()
    page.locator(".kept-games li button").first.click()
    page.locator(".move-list button.move").first.wait_for()
    for each, move in ((other, (11, 16)), (page, (9, 13))):
        each.keyboard.press("Home")
        for square in move:
            click_square(each, square)
        to_library(each)
    # the game as one of them has it, and as the other one has it
    for each in (page, other):
        wait_for(each, lambda each=each: rows(each) == 2 * [f"Ann {DASH} Bob 1-0"])  # type: ignore[misc]
    other.close()


def test_without_a_store_games_stay_as_long_as_the_page(address: str, opened: Opener) -> None:
    page = opened(address, WIDE, before=lambda page: page.add_init_script(FORBIDDEN))
    page.locator("main .board .movable").first.wait_for()
    paste(page, ANN, "Ann")
    page.get_by_text("This browser keeps no games").wait_for()
    paste(page, EVE, "Eve")
    to_library(page)
    rows_are(page, f"Eve {DASH} Ann 1/2-1/2", f"Ann {DASH} Bob 1-0")
    page.locator(".kept-games li button").last.click()
    page.locator(".move-list", has_text="a quiet plan").wait_for()
