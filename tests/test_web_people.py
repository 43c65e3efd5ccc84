"""The moves that people play: those of players of a strength, and the panel by real clicks and keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from policies import random_policy
from web_pages import PHONE, SMALL, Opener, click_square, read_board, serving, type_fen, wait_until

from kr.egdb.database import load_database
from kr.errors import KrError
from kr.game.board import Board
from kr.game.position import Position
from kr.players.people import People
from kr.policy.policy import load_policy
from kr.policy.shape import PolicyShape
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.serve import WebServer
from kr.web.services import port
from kr.web.settings import WebSettings

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with serving() as server:
        yield server


def test_players_of_other_strength_play_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    house = House(WebSettings(weights="manual", hash=SMALL))
    policy = random_policy(PolicyShape(hidden=(16, 8), strengths=(0.01, 0.014, 0.02)))
    monkeypatch.setattr(house, "_policy", policy)
    start = [[*Position().bits]]
    found = [port.moves_of_people(house, PageRequest({"positions": start, "group": group})) for group in range(-1, 4)]
    assert len({json.dumps(each["moves"]) for each in found}) == 5
    losses = [port.mean_loss(policy.shape, group) for group in range(4)]
    assert [policy.shape.bucket("strengths", loss) for loss in losses] == [0, 1, 2, 3]
    with pytest.raises(KrError, match="group is not a whole number from -1 to 3"):
        port.moves_of_people(house, PageRequest({"positions": start, "group": 4}))
    house.close()


def listed(page: Page) -> list[tuple[str, str]]:
    """Moves and shares of the panel."""
    rows: list[list[str]] = page.locator(".likely tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.innerText))"
    )
    return [(row[0], row[1]) for row in rows]


def meant(board: Board) -> list[tuple[str, str]]:
    def people(share: float, holds: bool) -> str:
        if not holds:
            return "many" if share >= 0.25 else "few" if share < 0.05 else "some"
        return (
            "all" if share >= 0.995 else "fewer than 1 of 100" if share < 0.01 else f"{int(100 * share + 0.5)} of 100"
        )

    found = People(load_policy(), load_database()).moves(board.position, board.recent)
    return [(str(each.move), people(round(each.probability, 4), each.holds)) for each in found]


LISTED = """moves => [...document.querySelectorAll(".likely tbody button")].map(b => b.textContent).join() === moves"""


def wait_for_moves(page: Page, board: Board, most: int = 8) -> None:
    wait_until(page, LISTED, ",".join(move for move, _ in meant(board)[:most]))


@pytest.mark.slow
def test_the_panel_follows_and_plays(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, PHONE)
    board = Board()
    page.click(".tab-people")
    wait_for_moves(page, board)
    assert listed(page) == meant(board)[:8]
    # by the board
    wait_until(page, "() => document.querySelectorAll('main .board .movable').length > 0")
    move = board.play("11-15")
    click_square(page, move.origin + 1)
    click_square(page, move.target + 1)
    wait_for_moves(page, board)
    assert listed(page) == meant(board)[:8]
    # by a click in the list, which shows the squares first
    likeliest = meant(board)[0][0]
    row = page.locator(".likely tbody button").first
    row.hover()
    row.click()
    board.play(likeliest)
    wait_for_moves(page, board)
    assert read_board(page) == {
        square + 1: str(board.position.piece_at(square)) for square in range(32) if board.position.piece_at(square)
    }
    # by keys
    second = meant(board)[1][0]
    page.locator(".likely tbody button").nth(1).focus()
    page.keyboard.press("Enter")
    board.play(second)
    wait_for_moves(page, board)
    assert page.locator(".likely tbody button").nth(1).evaluate("button => button === document.activeElement")
    page.keyboard.press("Home")
    wait_for_moves(page, Board())
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_many_moves_and_no_moves(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    for fen, moves in (("B:W5,K6:BK14,K18,K23,K27", 8), ("B:W5:B", 0)):
        type_fen(page, fen)
        page.click(".tab-people")
        board = Board(fen)
        wait_for_moves(page, board)
        assert len(listed(page)) == moves
    assert page.get_by_text("The game is over here.").is_visible()
    assert page.get_by_text("what is usual, not what is good").is_visible()


@pytest.mark.slow
def test_a_refusal_leaves_nothing_to_press(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, allowed="status of 400")
    panel = page.locator(".panel.people")
    answers: list[str] = ["hold"]

    def answer(route: Route) -> None:
        if answers[0] == "refuse":
            route.fulfill(status=400, json={"error": "This position is not for people."})
        elif answers[0] == "pass":
            route.continue_()

    page.route("**/people", answer)
    # before the first answer, and after a refusal that follows a list with more moves than are shown
    with page.expect_request("**/people"):
        page.click(".tab-people")
    assert panel.get_by_role("button").all() == []
    answers[0] = "pass"
    board = Board("B:W5,K6:BK14,K18,K23,K27")
    type_fen(page, board.fen)
    page.click(".tab-people")
    wait_for_moves(page, board)
    assert panel.get_by_role("button", name="more").is_visible()
    answers[0] = "refuse"
    type_fen(page, "B:W5:BK14")
    page.click(".tab-people")
    page.get_by_text("This position is not for people.").wait_for()
    assert panel.get_by_role("button").all() == []
