"""Engines against each other, two people at one board, and what stands around a game, in a browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from web_pages import (
    KEPT,
    SIZES,
    Opener,
    click_square,
    faults_in,
    meant_board,
    out_of_sight,
    pick,
    read_board,
    serving,
    wait_for_board,
    wait_until,
)

import kr
from kr.pdn import read_games
from kr.web.matches import live_match

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

NEEDED = ["main .board", ".seat.black", ".seat.white", ".played", ".saying", ".acts > :not([hidden])", ".steps button"]
"""What is needed at each move."""
SAID = "text => document.querySelector('.saying')?.textContent.includes(text)"
ROWS = "count => document.querySelectorAll('.games-of-match tbody tr').length >= count"
GONE = "net::ERR_CONNECTION_REFUSED"


@pytest.fixture(autouse=True)
def data_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where matches are kept."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "kr"


def begin_match(page: Page, a: str = "level:2", b: str = "level:1", games: str = "2", pace: str = "0") -> None:
    """Fill the form of a match and start it."""
    pick(page, "mode", "match")
    wait_until(page, "() => document.querySelectorAll('.match-form option').length > 20")
    page.get_by_label("First player").select_option(a)
    page.get_by_label("Second player").select_option(b)
    pick(page, "games", games)
    pick(page, "tc", "0.1s")
    page.evaluate("pace => localStorage.setItem('kr-pace', JSON.stringify(pace))", pace)
    page.get_by_role("button", name="Start the match").click()
    page.get_by_label("Pace").select_option(pace)


def begin_two(page: Page) -> None:
    """Two people, one of whom is called Ann."""
    pick(page, "mode", "two")
    page.get_by_label("Black's name").fill("Ann")
    page.get_by_role("button", name="Play", exact=True).click()
    wait_until(page, SAID, "to move")


def test_a_match_is_watched_opened_and_saved(server, opened, data_directory):
    page = opened(server.address + "#play")
    begin_match(page)
    wait_until(page, "() => document.querySelectorAll('.played span').length > 4")
    wait_until(page, SAID, "The match is over: 2 games")
    (file,) = (data_directory / "matches").glob("*.pdn")
    games = list(read_games(file))
    rows = page.locator(".games-of-match tbody tr").all_inner_texts()
    results = {"1-0": "1–0", "0-1": "0–1", "1/2-1/2": "½–½"}  # noqa: RUF001
    assert [results[game.result] in row for game, row in zip(games, reversed(rows), strict=True)] == [True, True]
    said = page.locator(".saying").inner_text()
    assert re.search(r"\d ± \d+ Elo", said)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as PDN").click()
    assert download.value.path().read_text("utf-8") == file.read_text()
    page.get_by_role("button", name="Open game 1 in Analyse").click()
    wait_until(page, "() => location.hash === '#analyse'")
    page.keyboard.press("End")
    wait_until(page, "() => document.querySelectorAll('main .moves').length")
    board = kr.Board()
    for move in games[0].moves:
        board.play(move)
    assert read_board(page) == meant_board(board.fen)
    page.goto(server.address + "#play/match")
    wait_until(page, "() => document.activeElement.value === 'match'")
    page.get_by_role("link", name="To the last match").click()
    wait_until(page, SAID, "The match is over: 2 games")


def test_a_match_is_stopped_resumed_and_found_again(opened):
    with serving() as server:
        page = opened(server.address + "#play", allowed=GONE)
        begin_match(page, games="200")
        wait_until(page, ROWS, 2)
        page.get_by_role("button", name="Stop").click()
        wait_until(page, SAID, "Stopped after")
        count = page.locator(".games-of-match tbody tr").count()
        page.reload()
        wait_until(page, SAID, f"Stopped after {count} of 200 games")
        page.get_by_role("button", name="Resume").click()
        wait_until(page, ROWS, count + 1)
        # another page in between
        page.get_by_role("link", name="Analyse").click()
        page.get_by_role("link", name="Play").click()
        wait_until(page, SAID, "Game ")
    wait_until(page, SAID, "The match goes on when it does.")
    with serving(port=server.port):
        wait_until(page, SAID, "Game ")
        wait_until(page, ROWS, count + 2)


@pytest.mark.soak
def test_the_pace_and_clocks_of_a_match(server, opened, monkeypatch):
    monkeypatch.setattr(live_match, "LONGEST_PACE", 30.0)
    page = opened(server.address + "#play")
    pick(page, "mode", "match")
    # the form is drawn anew as its players come
    wait_until(page, "() => document.querySelectorAll('.match-form option').length > 20")
    pick(page, "tc", "3+2")
    begin = "() => document.querySelectorAll('.played span').length"
    page.get_by_role("button", name="Start the match").click()
    page.get_by_label("Pace").select_option("3")
    wait_until(page, begin)
    for side in ("Black", "White"):
        wait_until(page, f"() => document.querySelector('[aria-label=\"{side}\\'s clock\"]').textContent >= '2:5'")
    # an earlier position stays on the board as moves come in
    page.get_by_role("button", name="Start", exact=True).click()
    assert len(read_board(page)) == 24
    page.get_by_label("Pace").select_option("0.4")
    moves = page.evaluate(begin)
    wait_until(page, f"count => ({begin})() > count", moves)
    assert read_board(page) == meant_board(kr.Position().fen)
    page.get_by_role("button", name="Stop").click()
    wait_until(page, SAID, "Stopped after")


@pytest.mark.soak
def test_two_people_at_one_board(server, opened):
    page = opened(server.address + "#play")
    begin_two(page)
    assert page.locator(".seat .name").all_inner_texts() == ["White", "Ann"]
    board = kr.Board()
    for text in ("11-15", "22-18", "15x22"):
        for square in board.parse_move(text).path:
            click_square(page, square + 1, flipped=True)
        board.play(text)
        wait_until(page, "count => document.querySelectorAll('.played span').length === count", len(board.moves))
        assert read_board(page) == meant_board(board.fen)
    wait_until(page, SAID, "Ann plays 15x22. White to move. You must capture: 25x18, 26x17.")
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Don't show what must capture").click()
    assert "You must capture" not in page.locator(".turn").inner_text()
    page.get_by_role("button", name="Take back").click()
    wait_until(page, SAID, "White plays 22-18. Ann to move.")
    page.get_by_role("button", name="Agree to a draw").click()
    page.get_by_role("button", name="Play on").click()
    assert "Ann to move" in page.locator(".turn").inner_text()
    page.reload()
    wait_until(page, SAID, "Ann to move")
    page.get_by_role("button", name="Agree to a draw").click()
    page.get_by_role("dialog").get_by_role("button", name="Agree to a draw").click()
    wait_until(page, SAID, "A draw: agreed. 1/2-1/2")
    (game,) = page.evaluate(KEPT)
    assert (game["document"]["headers"]["Black"], game["document"]["result"]) == ("Ann", "1/2-1/2")
    page.get_by_role("button", name="Rematch").click()
    wait_until(page, SAID, "Black to move")
    assert page.locator(".seat .name").all_inner_texts() == ["Ann", "Black"]


@pytest.mark.soak
def test_the_rules_are_on_one_page_and_the_board_turns_to_whoever_moves(server, opened):
    page = opened(server.address + "#play")
    page.get_by_role("button", name="Rules").click()
    rules = page.get_by_role("dialog", name="Rules of English draughts")
    assert rules.locator(".board").count() == 6
    assert "you must" in rules.inner_text()
    assert faults_in(page, "dialog") == []
    page.keyboard.press("Escape")
    rules.wait_for(state="detached")
    pick(page, "mode", "two")
    assert faults_in(page, ".new-game") == []
    page.get_by_role("checkbox", name="Turn the board").check()
    page.get_by_role("button", name="Play", exact=True).click()
    wait_until(page, SAID, "Black to move")
    click_square(page, 11, flipped=True)
    click_square(page, 15, flipped=True)
    wait_until(page, SAID, "White to move")
    assert page.locator("main .board.flipped").count() == 0
    # resigning asks
    page.get_by_role("button", name="Resign").click()
    dialog = page.get_by_role("dialog", name="White resigns?")
    # no key says yes that was meant for something else
    page.keyboard.press("Enter")
    dialog.wait_for(state="detached")
    page.get_by_role("button", name="Resign").click()
    assert faults_in(page, "dialog") == []
    dialog.get_by_role("button", name="Resign").click()
    wait_until(page, SAID, "Black wins: White resigns. 1-0")


def test_play_from_a_position_of_analyse(server, opened):
    page = opened(server.address)
    click_square(page, 11)
    click_square(page, 15)
    wait_for_board(page, kr.Position().play("11-15").fen)
    page.get_by_role("button", name="Play from here").click()
    fen = page.get_by_label("FEN of the position", exact=True)
    fen.wait_for()
    assert fen.input_value() == kr.Position().play("11-15").fen
    pick(page, "side", "white")
    page.get_by_role("button", name="Play", exact=True).click()
    wait_until(page, SAID, "Your move")
    assert read_board(page) == meant_board(kr.Position().play("11-15").fen)


def test_what_is_needed_at_each_move_is_in_sight(server, opened: Opener):
    page = opened(server.address + "#play")

    def check(needed: list[str]) -> None:
        for size in SIZES:
            page.set_viewport_size(size)  # type: ignore[arg-type]
            assert out_of_sight(page, needed) == [], size
            width, height = page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
            )
            assert (width, height) == (size["width"], size["height"])

    check([".modes label", ".cards label", ".begin button:not([hidden])"])
    begin_match(page, pace="0.4")
    wait_until(page, "() => document.querySelectorAll('.played span').length > 4")
    check([*NEEDED, ".games-of-match"])
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="New match").click()
    pick(page, "mode", "kr")
    pick(page, "clock", "5+3")
    page.get_by_role("button", name="Play", exact=True).click()
    wait_until(page, SAID, "Your move")
    page.get_by_role("button", name="Hint").click()
    wait_until(page, SAID, "Hint: ")
    check([*NEEDED, ".seat .clock"])


@pytest.mark.soak
def test_a_match_for_everyone(server, opened):
    page = opened(server.address + "#play", SIZES[2])
    pick(page, "mode", "match")
    assert faults_in(page) == []
    begin_match(page)
    wait_until(page, SAID, "The match is over")
    assert faults_in(page) == []
