"""A page with the tree of a game: pasting into it, what it shows, and the game as it saves it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from web_pages import from_send_menu, meant_board, read_board, wait_until

import kr
from kr.pdn import Game, StringExporter, read_game

if TYPE_CHECKING:
    from playwright.sync_api import Page

CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
REFUSED = "status of 400"
TREE = """[Event "Example"]
[Black "Ann"]
[White "Bob"]
[Result "1-0"]

{An old opening.} 1. 11-15! 23-19 {[%clk 0:04:59] usual} 2. 8-11 22-17 (2... 22-18 3. 15x22
25x18 {fine}) 3. 11-16? (3. 4-8 17-13 4. 9-14 (4. 15-18 {also} 24-20 (4... 26-23 9-14) 9-14)
25-22 5. 6-9 13x6 {a long line} 6. 2x9) 3... 24-20 (3... 25-22 16x23 (3... 4-8 1-2)) 4. 16x23 27x11?? 1-0
"""


def read(text: str) -> Game:
    game = read_game(text)
    assert game is not None
    return game


def plain(game: Game) -> str:
    """The moves of a game with all that is said of them."""
    return " ".join(game.accept(StringExporter(headers=False)).split())


def paste(page: Page, text: str) -> None:
    """Paste a text anywhere on the page."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.locator("body").press("Control+V")


def shows(page: Page, text: str) -> None:
    """Wait until the move list has these words, whatever the blanks between them."""
    wait_until(page, "wanted => document.querySelector('.moves')?.textContent.replace(/\\s+/g, '').includes(wanted)",
               re.sub(r"\s+", "", text))  # fmt: skip


def opens(page: Page, text: str) -> Game:
    """Paste one game and wait until it is shown."""
    game = read(text)
    paste(page, text)
    last = list(game.mainline())[-1]
    shows(page, f"{last.text}{''.join(last.nags)}")
    return game


def saved(page: Page) -> Game:
    """The game as `Save PDN` gives it."""
    with page.expect_download() as download:
        from_send_menu(page, "Save PDN")
    return read(Path(download.value.path()).read_text())


def show_games(page: Page) -> None:
    """Open the panel Games."""
    if not page.locator(".panel.game").is_visible():
        page.click(".tab-game")


def current(page: Page) -> str:
    """Name of the move that is marked as the current one, "" at the start."""
    marked = page.locator(".moves [aria-current]")
    return str(marked.get_attribute("aria-label")) if marked.count() else ""


def fen(page: Page) -> str:
    return page.get_by_label("FEN", exact=True).input_value()


def on_board(page: Page, wanted: kr.Position) -> None:
    """Wait for a position, and look at what stands on the board."""
    wait_until(page, "fen => document.querySelector('input.fen').value === fen", wanted.fen)
    assert read_board(page) == meant_board(wanted.fen)


def move(page: Page, name: str) -> Any:
    """The button of a move, by its name such as "2... 22-18"."""
    return page.locator(".moves").get_by_role("button", name=name, exact=True)
