"""A page whose server ends and is started again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from web_pages import SILENT, Opener, click_square, free_port, meant_board, open_panel, read_board, serving, wait_until

import kr
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

GONE = "net::ERR_CONNECTION_REFUSED"


def play(page: Page, board: kr.Board, text: str) -> None:
    """Play a move by two clicks."""
    wait_until(page, "() => document.querySelectorAll('main .board .movable').length > 0")
    move = board.play(text)
    click_square(page, move.origin + 1)
    click_square(page, move.target + 1)
    wait_until(page, "fen => document.querySelector('input.fen').value === fen", board.fen)
    assert read_board(page) == meant_board(board.fen)


LINES = "() => document.querySelectorAll('.lines li:not([hidden]) .score').length"


def test_a_game_and_its_analysis_go_on_when_the_server_is_back(opened: Opener) -> None:
    port = free_port()
    board = kr.Board()
    with serving(port=port) as server:
        page = opened(server.address, allowed=GONE)
        page.keyboard.press("Space")
        play(page, board, "11-15")
        play(page, board, "23-19")
        wait_until(page, LINES)
    page.locator(".analysis .facts.failed").wait_for()
    assert not page.evaluate(LINES)
    # a move can still be made, since the legal ones are known here; what follows it is not
    wait_until(page, "() => document.querySelectorAll('main .board .movable').length > 0")
    move = board.play("8-11")
    click_square(page, move.origin + 1)
    click_square(page, move.target + 1)
    page.get_by_text("The server is gone; start kr web again").wait_for()
    assert read_board(page) == meant_board(board.fen)
    with serving(port=port):
        wait_until(page, LINES)
        play(page, board, "22-17")
        page.keyboard.press("Home")
        assert read_board(page) == meant_board(board.start.fen)


@pytest.mark.soak
def test_a_server_of_other_settings_takes_the_place_of_one(opened: Opener, tmp_path: Path) -> None:
    """While nothing is asked: the link tells. What the page offers is then what the new one has."""
    port, problems = free_port(), tmp_path / "mine.jsonl"
    problems.write_text('{"id": "mine", "title": "A find", "fen": "W:WK19,K23:B12,K28", "result": "W-win"}')
    with serving(port=port, egdb="none") as server:
        page = opened(server.address, allowed=GONE)
        open_panel(page, "Regions")
        page.get_by_text("At a glance").filter(has_text="(shipped)").wait_for()
        page.get_by_role("link", name="Play", exact=True).click()
        others = page.get_by_label("More opponents").locator("option")
        others.filter(has_text="an evolved player").wait_for(state="attached")
        page.get_by_role("link", name="Learn").click()
        page.get_by_role("button", name="Hint").wait_for()
        page.get_by_role("link", name="Endings").click()
        page.get_by_text("There is no endgame database here").wait_for()
    with serving(port=port, problems=(problems,), engines=(f"hub:{sys.executable}",), weights="manual"):
        page.get_by_role("button", name="New ending").and_(page.locator(":enabled")).first.wait_for()
        page.get_by_role("link", name="Learn").click()
        page.locator(".puzzles").get_by_text("A find").wait_for(state="attached")
        page.get_by_role("link", name="Play", exact=True).click()
        others.filter(has_text="python").wait_for(state="attached")
        page.get_by_role("link", name="Analyse").click()
        page.get_by_text("At a glance").filter(has_text="(manual)").wait_for()


def test_an_answer_that_is_cut_short_is_told_in_a_line(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    page.route("**/api/port/database", lambda route: route.fulfill(body='{"database": {"pie'))
    page.get_by_role("link", name="Endings").click()
    page.locator(".verdict").filter(has_text=SILENT).wait_for()
    page.unroute("**/api/port/database")
    page.get_by_text("to play and").first.wait_for()


@pytest.mark.soak
def test_an_open_page_goes_on_once_the_new_address_is_open(opened: Opener) -> None:
    """Each run of the server has a token of its own; the browser that kr starts brings its cookie to all windows."""
    port = free_port()
    board = kr.Board()
    with serving(port=port, token=True) as server:
        page = opened(server.address + "#analyse", allowed="ailed")
        assert page.url == f"http://127.0.0.1:{port}/#analyse"
        play(page, board, "11-15")
        wait_until(page, "() => document.querySelectorAll('main .board .movable').length > 0")
    move = board.play("23-19")
    click_square(page, move.origin + 1)
    click_square(page, move.target + 1)
    with serving(port=port, token=True) as server:
        wait_until(page, "() => document.querySelector('#status').textContent.includes('has been started again')")
        bookmark = page.context.new_page()
        bookmark.goto(f"http://127.0.0.1:{port}/")
        assert f"its address: http://127.0.0.1:{port}/" in bookmark.inner_text("body")
        bookmark.goto(server.address_to_open)
        assert bookmark.url == f"http://127.0.0.1:{port}/"
        # the page shows its position again then, without what was chosen on the board
        wait_until(page, "() => document.querySelector('.offline').textContent === ''")
        play(page, board, "8-11")
        bookmark.reload()
        bookmark.wait_for_selector("main .board")


@pytest.mark.soak
def test_a_link_from_another_page_opens_the_game(opened: Opener) -> None:
    """Though browsers do not send the cookie with the visit itself."""
    with serving(token=True) as server, serving(token=True) as elsewhere:
        page = opened(server.address)
        play(page, kr.Board(), "11-15")
        # another site for browsers, which has a link here
        other = page.context.new_page()
        other.goto(elsewhere.address.replace("127.0.0.1", "localhost"))
        other.evaluate("""address => {
          document.body.innerHTML = "<a id=there>there</a>";
          document.querySelector("#there").href = address;
        }""", f"http://127.0.0.1:{server.port}/#runs")  # fmt: skip
        other.click("#there")
        other.wait_for_selector("nav a[href='#runs'][aria-current]")
        wait_until(other, "() => document.querySelector('main').textContent.includes('--runs')")
        assert not other.is_visible(".shut")
