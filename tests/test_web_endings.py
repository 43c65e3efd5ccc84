"""Endings against exact play: the server's database for the page, and endings won and lost by clicks and keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from web_pages import (
    PHONE,
    SILENT,
    SIZES,
    SMALL,
    Opener,
    click_square,
    faults_in,
    from_menu,
    meant_board,
    no_answers,
    open_panel,
    out_of_sight,
    read_board,
    serving,
    wait_until,
)

from kr.egdb.exact import exact_moves, hardest_move
from kr.errors import InvalidSettingError
from kr.game.board import Board
from kr.game.position import Position
from kr.game.value import Value
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.serve import WebServer
from kr.web.services import port
from kr.web.settings import WebSettings

if TYPE_CHECKING:
    from playwright.sync_api import Page

WON = "W:WK18,K22:BK5"
DRAWN = "W:WK1,K2:BK31,K32"


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    house = House(WebSettings(weights="manual", hash=SMALL))
    yield house
    house.close()


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with serving(weights="manual") as server:
        yield server


# --- the database for the page


SHAPE = {"men": 1, "kings": 1, "otherMen": 1, "otherKings": 0, "value": "win", "count": 4096, "seed": 5}


def test_positions_are_drawn(house: House) -> None:
    assert house.database is not None
    drawn = port.draw_from_shape(house, PageRequest(SHAPE))["positions"]
    assert drawn == port.draw_from_shape(house, PageRequest(SHAPE))["positions"]
    assert len(set(drawn)) == 300
    for position in (Position(*bits) for bits in drawn):
        assert house.database.value(position) is Value.WIN
        assert not position.legal_moves()[0].is_capture
        assert [each.bit_count() for each in position.bits] == [2, 1, 1, 0]
    assert port.draw_from_shape(house, PageRequest(SHAPE | {"seed": 6}))["positions"] != drawn


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"men": 5}, "6 v 1: the database has positions with up to 5 pieces"),
        ({"otherMen": 0}, "2 v 0"),
        ({"kings": -1}, "kings"),
        ({"value": "lost"}, "value"),
        ({"count": 1 << 18}, "count"),
        ({"seed": None}, "seed"),
    ],
)
def test_shapes_that_cannot_be_drawn(house: House, changed: dict[str, Any], why: str) -> None:
    with pytest.raises(InvalidSettingError, match=why):
        port.draw_from_shape(house, PageRequest(SHAPE | changed))


# --- by clicks and keys


class Player:
    """A person with an ending. The game is played on a kr.Board beside it, which what is shown must agree with."""

    def __init__(self, page: Page, start: str) -> None:
        self.page, self.board = page, Board(start)
        self.flipped = self.board.side == 0

    def said(self) -> str:
        return self.page.locator(".verdict").text_content() or ""

    def counts(self) -> str:
        return " ".join(self.page.locator(".counts div").all_text_contents())

    def play(self, text: str) -> str:
        """Play a move by clicks; returns what is said when kr has replied, or waits."""
        before = self.page.locator(".line li").count()
        self.click(text)
        self.board.play(text)
        return self.heard(before + 1)

    def click(self, text: str) -> None:
        move = self.board.position.parse_move(text)
        for square in (move.origin, move.target):
            click_square(self.page, square + 1, flipped=self.flipped)

    def heard(self, length: int) -> str:
        wait_until(self.page, """length => document.querySelectorAll(".line li").length > length ||
          /^[✓✗]/.test(document.querySelector(".verdict").textContent)""", length)  # fmt: skip
        wait_until(self.page, "() => !document.querySelector('.verdict').textContent.startsWith('…')")
        said = self.said()
        if "kr plays " in said:
            self.board.play(said.split("kr plays ")[1].split(".")[0])
        self.check()
        return said

    def check(self) -> None:
        assert read_board(self.page) == meant_board(self.board.fen)

    def press(self, name: str) -> None:
        self.page.locator("main").get_by_role("button", name=name, exact=True).click()

    def stats(self) -> Any:
        return json.loads(self.page.evaluate("() => localStorage.getItem('kr-endings-stats') || '{}'"))


def start(opened: Opener, server: WebServer, goal: str, fen: str, **others: Any) -> Player:
    page = opened(f"{server.address}#endings/{goal}/{fen}", **others)
    wait_until(page, "() => document.querySelector('.endings .task .words').textContent")
    player = Player(page, fen)
    player.check()
    return player


def best(house: House, board: Board) -> str:
    assert house.database is not None
    return str(exact_moves(house.database, board.position)[0].move)


@pytest.mark.slow
def test_an_ending_is_won_by_the_moves_of_the_database(server: WebServer, opened: Opener, house: House) -> None:
    fen = "W:W20,K10:BK3"
    player = start(opened, server, "win", fen)
    assert house.database is not None
    distance = house.database.distance(player.board.position)
    assert distance is not None
    moves = f"{(distance + 1) // 2} move{'' if distance == 1 else 's'}"
    asked: list[str] = []
    player.page.on("request", lambda request: "/api/" in request.url and asked.append(request.url))
    while True:
        assert f"Win in{(distance + 1) // 2} move" in player.counts()
        asked.clear()
        said = player.play(best(house, player.board))
        assert len(asked) <= 3
        if said.startswith("✓"):
            break
        distance -= 2
    assert f"won in {moves}: " in said
    assert f"best play takes {moves}." in said
    assert "Given awaynothing" in player.counts()
    assert player.stats() == {"win": {"tried": 1, "done": 1, "clean": 1}}
    open_panel(player.page, "Your endings")
    assert player.page.get_by_text("1 of 1 win won, 1 without a slip").is_visible()
    from_menu(player.page, "Same again")
    player.board = Board(fen)
    wait_until(player.page, "() => !document.querySelector('.line li')")
    player.check()


@pytest.mark.slow
def test_a_draw_is_held_for_mistakes(server: WebServer, opened: Opener, house: House) -> None:
    assert house.database is not None
    assert house.practical is not None
    replies = []
    for fen in ("B:WK14,K26:BK13,K20", "B:W6,16:B3,9"):
        player = start(opened, server, "draw", fen)
        text = best(house, player.board)
        board = Board(fen)
        board.play(text)
        chosen = house.practical.best(board.position, board.positions[:-1])
        hardest = hardest_move(house.database, board.position, board.positions[:-1])
        assert chosen is not None
        assert hardest is not None
        assert f"kr plays {chosen.move}." in player.play(text)
        replies.append(chosen.move == hardest.move)
    assert not all(replies)


@pytest.mark.slow
def test_a_wrong_move_is_told_at_once_and_taken_back(server: WebServer, opened: Opener, house: House) -> None:
    fen = "W:WK19,K23:B12,K28"
    player = start(opened, server, "win", fen)
    # exact values on demand, until a move is made
    assert player.page.locator(".values li").count() == 0
    open_panel(player.page, "Exact values")
    player.press("Show the exact values")
    player.page.wait_for_selector(".values li")
    assert house.database is not None
    shown = [text.split()[:2] for text in player.page.locator(".values li").all_text_contents()]
    assert shown == [[str(each.move), str(each.value)] for each in exact_moves(house.database, Position.from_fen(fen))]
    assert player.page.locator(".arrow").count() == 3
    said = player.play("19-16")
    assert player.page.locator(".values li, .arrow").count() == 0
    assert said.startswith("✗ 19-16 gives the win away")
    assert "4 other moves keep the win" in said
    player.press("Take back")
    player.board.undo()
    wait_until(player.page, "() => !document.querySelector('.line li')")
    player.check()
    assert player.play("23-27").startswith("kr plays")
    player.press("Take back")
    player.board.undo(2)
    wait_until(player.page, "() => !document.querySelector('.line li')")
    player.check()
    assert not player.counts().startswith("Played")
    assert player.play("23-18").startswith("kr plays")
    assert player.stats() == {"win": {"tried": 1, "done": 0, "clean": 0}}


@pytest.mark.slow
def test_a_move_without_an_answer_can_be_made_again(server: WebServer, opened: Opener, house: House) -> None:
    player = start(opened, server, "win", "W:WK19,K23:B12,K28", allowed="Failed to load resource")
    assert player.play("23-27").startswith("kr plays")
    counts, text = player.counts(), best(house, player.board)
    with no_answers(player.page) as lost:
        for number in (1, 2):
            player.click(text)
            wait_until(player.page, "() => document.querySelectorAll('.line li').length === 2")
            wait_until(player.page, f"() => document.querySelector('.verdict').textContent === {SILENT!r}")
            player.check()
            assert player.counts() == counts
            assert lost == [f"{server.address}api/port/look"] * number
    assert player.play(text).startswith("kr plays")


@pytest.mark.soak
def test_playing_on_after_a_wrong_move_loses(server: WebServer, opened: Opener, house: House) -> None:
    player = start(opened, server, "draw", DRAWN)
    assert house.database is not None
    database = house.database
    while "gives the" not in player.play(str(exact_moves(database, player.board.position)[-1].move)):
        assert len(player.board.moves) < 60
    player.press("Play on")
    wait_until(player.page, "() => !document.querySelector('.verdict').textContent.includes('gives the')")
    said = player.heard(len(player.board.moves))
    while "You have" not in said:
        said = player.play(str(exact_moves(database, player.board.position)[-1].move))
        assert len(player.board.moves) < 60
    assert "You have lost" in said


@pytest.mark.slow
def test_a_new_ending_has_what_was_chosen(server: WebServer, opened: Opener, house: House) -> None:
    page = opened(f"{server.address}#endings")
    wait_until(page, "() => location.hash.includes('/win/')")
    page.get_by_label("Task", exact=True).select_option("draw")
    page.get_by_label("Pieces", exact=True).select_option("own")
    page.get_by_label("Your pieces").select_option("2")
    page.get_by_label("Your kings").select_option("1")
    page.get_by_label("kr's pieces").select_option("2")
    page.get_by_label("kr's kings").select_option("2")
    page.get_by_label("Difficulty", exact=True).select_option("hard")
    page.get_by_label("You play").select_option("white")
    page.locator("form").get_by_role("button", name="New ending").click()
    wait_until(page, "() => document.querySelector('.endings .task .words').textContent.includes('hold the draw')")
    fen = page.url.split("/draw/")[1]
    position = Position.from_fen(fen)
    assert read_board(page) == meant_board(fen)
    assert sorted(read_board(page).values()) == ["B", "B", "W", "w"]
    assert house.database is not None
    kept = [each for each in exact_moves(house.database, position) if each.value is Value.DRAW]
    assert len(kept) == 1
    page.get_by_label("Task", exact=True).select_option("win")
    page.get_by_label("Your pieces").select_option("1")
    page.get_by_label("Your kings").select_option("0")
    page.get_by_label("kr's pieces").select_option("4")
    page.get_by_label("kr's kings").select_option("4")
    page.locator("form").get_by_role("button", name="New ending").click()
    wait_until(page, "() => document.querySelector('[role=alert]').textContent.includes('No such ending')")


@pytest.mark.slow
def test_without_a_database_the_page_says_how_to_make_one(opened: Opener) -> None:
    with serving(weights="manual", egdb="none") as server:
        page = opened(f"{server.address}#endings")
        wait_until(page, "() => document.querySelector('.endings .task .words').textContent.includes('kr egdb build')")


# --- on one screen

NEEDED = ["main .board", ".task", ".verdict p", ".counts div", ".controls .icon-button:not([hidden])"]


@pytest.mark.slow
def test_all_that_an_ending_needs_is_in_sight(server: WebServer, opened: Opener, house: House) -> None:
    """In every window, one after the other, after a reply and after a slip."""
    player = start(opened, server, "win", "W:WK19,K23:B12,K28")
    page = player.page

    def look() -> None:
        for size in (*SIZES, PHONE, SIZES[0]):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            panel = "ending" if size["width"] < 700 else "begin"
            wait_until(page, "name => document.querySelector(`.tab-${name}`).ariaSelected === 'true'", panel)
            assert out_of_sight(page, NEEDED) == [], size
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), size

    assert player.play("23-27").startswith("kr plays")
    look()
    player.play(str(exact_moves(house.database, player.board.position)[-1].move))
    assert "gives the win away" in player.said()
    look()
    assert faults_in(page, passes=20) == []


@pytest.mark.slow
def test_a_newcomer_wins_by_what_the_page_says(server: WebServer, opened: Opener, house: House) -> None:
    """From the link to the win by keys alone: the first ending is an easy one, and each move can be asked for."""
    page = opened(server.address)
    page.get_by_role("link", name="Endings").click()
    wait_until(page, "() => location.hash.includes('/win/')")
    wait_until(page, "() => document.querySelector('main .board .movable') !== null")
    pieces = sorted(read_board(page).values())
    assert pieces in (["B", "B", "W"], ["B", "W", "W"])
    count = 0
    while True:
        said = page.locator(".verdict").text_content() or ""
        assert "Your move" in said
        page.keyboard.press("h")
        wait_until(page, "() => document.querySelector('.verdict').textContent.includes(' is best.')")
        text = (page.locator(".verdict").text_content() or "").split()[0]
        squares = text.replace("x", "-").split("-")
        for square in (squares[0], squares[-1]):
            page.locator(f".endings .grid [data-square='{square}']").focus()
            page.keyboard.press("Enter")
        wait_until(page, "() => /^(✓|kr plays)/.test(document.querySelector('.verdict').textContent)")
        count += 1
        if (page.locator(".verdict").text_content() or "").startswith("✓"):
            break
        assert count < 20
    assert "You have won" in (page.locator(".verdict").text_content() or "")


@pytest.mark.soak
def test_the_panels_of_endings_for_everyone(server: WebServer, opened: Opener) -> None:
    player = start(opened, server, "win", WON)
    for name in ("Choose", "Exact values", "Your endings"):
        open_panel(player.page, name)
        if name == "Exact values":
            player.press("Show the exact values")
            player.page.wait_for_selector(".values li")
        assert faults_in(player.page, ".endings .panels") == [], name
