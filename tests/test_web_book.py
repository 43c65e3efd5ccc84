"""The book on pages of kr web: its moves and cooks in the explorer, and where a game leaves it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from small_book import book_file
from test_web_explorer import FIRST, rows_are
from web_pages import WIDE, Opener, faults_in, out_of_sight, serving, show_setup, wait_for, wait_for_board, wait_until

from kr.game.position import Position
from kr.page import data

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from kr.web.serve import WebServer

pytestmark = pytest.mark.slow
OWN = {"games": 90, "nodes": 2000, "positions": {"4095,4293918720,0,0": [0, 1, 2, 1, 4, 10, 20, 10]}}
"""Games of kr against itself: 4 with 9-13, 40 with 11-15."""
ROWS = """() => [...document.querySelectorAll(".tally tbody tr:not(.unplayed)")].map(
    row => [...row.cells].map(cell => [...cell.childNodes].map(node => node.textContent).filter(Boolean).join(" ")))"""
NONE = "\u2013"
"""Stands for no games."""
LEFT = "() => document.querySelector('.departure:not([hidden])')?.textContent ?? ''"


@pytest.fixture(scope="module", autouse=True)
def _few_games_of_kr() -> Iterator[None]:
    """The page has those of OWN."""
    data.made.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(data.DATA, "self-play", lambda: OWN)
        yield
    data.made.cache_clear()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """A server with the small book and without an archive."""
    with serving(weights="material", egdb="none", book=book_file(tmp_path_factory.mktemp("book"))) as server:
        yield server


def play(page: Page, move: str) -> None:
    page.locator(".tally").get_by_role("button", name=f"Play {move}").click()


def shown(page: Page, *rows: list[str]) -> None:
    """Wait until the first cells of the table's rows are these; the last has kr's score."""
    wait_until(page, f"expected => JSON.stringify(({ROWS})().map(row => row.slice(0, -1))) === expected",
               json.dumps(rows, ensure_ascii=False, separators=(",", ":")))  # fmt: skip


def test_book_moves_and_cooks_without_an_archive(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    page.click(".tab-explorer")
    shown(
        page,
        ["11-15 Old Faithful", "256+", "25%50%25%", "+0.06 depth 20"],
        ["9-14 Double Corner", "16+", "", "+0.02 depth 19"],
        ["10-15 Kelso", "4+", "", "\u22120.12 depth 19"],
        ["12-16 Dundee", "4+", "", "worse"],
        ["9-13 Edinburgh", "", "25%50%25%", ""],
    )
    assert page.locator(".explorer .total").inner_text() == "44 games of kr against itself"
    assert "not people's" in page.locator(".explorer .source").inner_text()
    play(page, "11-15")
    wait_for_board(page, Position().play("11-15").fen)
    shown(
        page,
        ["22-18 ★ cook Single Corner", "64+", "\u22120.03 depth 18"],
        ["23-19", "4+", "\u22120.06 depth 19"],
        ["21-17 ✗ cooked Switcher", "1,024+", "\u22120.40 depth 12"],
    )
    # in words for those who don't see it
    cooked = page.locator(".tally").get_by_role("button", name="Play 21-17")
    assert "cooked: people play it most, and 22-18 is 0.37 better" in (cooked.get_attribute("aria-label") or "")
    assert page.locator(".unplayed").inner_text().startswith("Not in the book:")
    for size in (WIDE, {"width": 390, "height": 844}):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert out_of_sight(page, [".tally tbody tr:nth-child(-n+3)", ".explorer .opening"]) == []
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert faults_in(page, ".panel.explorer") == []
    play(page, "24-20")
    page.get_by_text("The book does not have this position.").wait_for()


FITTING = """() => {
  const {left, right} = document.querySelector(".panel.explorer").getBoundingClientRect();
  return [...document.querySelectorAll(".tally td, .tally th")].every(each => {
    const box = each.getBoundingClientRect();
    return box.width > 0 && box.left >= left - 1 && box.right <= right + 1;
  });
}"""


@pytest.mark.soak
def test_all_columns_fit_in_the_longer_language(opened: Opener, tmp_path: Path) -> None:
    archive = tmp_path / "first.pdn"
    archive.write_text(FIRST)
    with serving(archive=(archive,), weights="material", egdb="none", book=book_file(tmp_path)) as server:
        page = opened(server.address, locale="it")
        page.click(".tab-explorer")
        page.locator(".tally").get_by_role("button", name="Gioca 11-15").click()
        wait_until(page, "() => document.querySelector('.tally .mark.cooked')?.textContent === '\u2717 confutata'")
        wait_until(page, "() => document.querySelector('.tally .score:not(.book)')?.textContent.length > 3")
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            wait_until(page, FITTING)


@pytest.mark.soak
def test_games_of_an_archive_and_the_book_in_one_table(opened: Opener, tmp_path: Path) -> None:
    archive = tmp_path / "first.pdn"
    archive.write_text(FIRST)
    with serving(archive=(archive,), weights="material", egdb="none", book=book_file(tmp_path)) as server:
        page = opened(server.address)
        page.click(".tab-explorer")
        rows_are(page, ["9-13", "2"], ["11-15", "1"], *([move, NONE] for move in ("9-14", "10-15", "12-16")))
        assert page.locator(".tally th").all_inner_texts() == ["Move", "Games", "Results", "Book", "kr"]
        assert page.evaluate(ROWS)[1][3].startswith("+0.06")
        # its games are left out, the book stays
        page.get_by_role("button", name="Archives").click()
        page.uncheck(".explorer .archive input")
        wait_until(page, f"() => ({ROWS})()[0][1] === '256+'")
        # also where the page is loaded again, which does not wait for the archives to show the book
        held: list[Route] = []
        page.route("**/explorer/archives", lambda route: held.append(route))
        page.reload()
        wait_until(page, f"() => ({ROWS})()[0]?.[1] === '256+'")
        wait_for(page, lambda: held)
        held[0].continue_()
        page.get_by_text("Choose what to explore under Archives.").wait_for()
        assert page.evaluate(ROWS)[0][1] == "256+"


@pytest.mark.soak
def test_who_left_the_book_and_with_which_move(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    page.click(".tab-explorer")
    for move in ("11-15", "23-19", "8-11", "22-17"):
        play(page, move)
        wait_until(page, f"() => document.querySelector('.moves [aria-current]')?.textContent.includes('{move}')")
    assert not page.evaluate(LEFT)
    play(page, "3-8")
    wait_until(page, f"() => ({LEFT})() === 'Black left the book with 3. 3-8: the book plays 11-16 (+0.06)'")
    # it is told of the whole game, and a click goes there
    page.keyboard.press("Home")
    page.get_by_role("button", name="Black left the book").click()
    wait_until(page, "() => document.querySelector('.moves [aria-current]')?.textContent.includes('3-8')")
    assert faults_in(page, ".move-list") == []
    # on a low phone it leaves room for a whole line of moves
    page.set_viewport_size({"width": 320, "height": 640})
    page.click(".tab-notation")
    lines = "() => document.querySelector('.moves').clientHeight / document.querySelector('.pair').clientHeight"
    assert page.evaluate(lines) >= 1
    page.set_viewport_size({"width": 1280, "height": 900})
    page.click(".tab-explorer")
    # along another line nobody left it
    page.keyboard.press("ArrowLeft")
    for move in ("11-16", "24-20", "16x23"):
        play(page, move)
    wait_until(page, f"() => ({LEFT})() === 'The book ends after 3... 24-20'")


def test_without_a_book_and_an_archive_the_explorer_has_games_of_kr(opened: Opener) -> None:
    with serving(weights="material", egdb="none", book="none") as server:
        page = opened(server.address)
        page.click(".tab-explorer")
        page.locator(".explorer .empty").wait_for()
        shown(page, ["9-13 Edinburgh", "25%50%25%"], ["11-15 Old Faithful", "25%50%25%"])
        assert not page.evaluate(LEFT)


OPENINGS = (
    ("laird and lady", "Laird and Lady", "11-15 23-19 8-11 22-17 9-13"),
    ("11-15 23-19 8-11", "11-15 23-19 8-11", "11-15 23-19 8-11"),
    ("1. 11-15 23-19 2. 8-11 22-17 9-13 17-14", "11-15 23-19 8-11 22-17 9-13 17-14",
     "11-15 23-19 8-11 22-17 9-13 17-14"),
)  # fmt: skip


def test_openings_are_found_and_opened(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    page.click(".tab-explorer")
    for wanted, name, moves in OPENINGS:
        page.get_by_role("button", name="Search").click()
        page.get_by_label("Opening", exact=True).fill(wanted)
        page.get_by_role("button", name=name, exact=True).click()
        position = Position()
        for move in moves.split():
            position = position.play(move)
        wait_for_board(page, position.fen)
    # and among the ballots: the opening itself above those that lead through it
    show_setup(page)
    titles = ("Laird and Lady", "126. 11-15 23-19 8-11")
    for (wanted, *_), title in zip(OPENINGS, titles, strict=False):
        page.get_by_label("Find a ballot").fill(wanted)
        wait_until(page, "title => document.querySelector('.found button')?.textContent.includes(title)", title)
    page.locator(".found button").first.click()
    wait_for_board(page, Position().play("11-15").play("23-19").play("8-11").fen)
