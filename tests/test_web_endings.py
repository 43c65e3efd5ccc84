"""Endings against exact play: the requests, and endings won, held and lost by clicks and keys."""

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
    opened,
    out_of_sight,
    read_board,
    serving,
    wait_until,
)

from kr.egdb.exact import exact_moves
from kr.errors import KrError
from kr.game.board import Board
from kr.game.position import Position
from kr.game.value import Value
from kr.web import endings
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.serve import WebServer
from kr.web.settings import WebSettings

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["opened"]
WON = "W:WK18,K22:BK5"
DRAWN = "W:WK1,K2:BK31,K32"
TWO_ONE = {"own": 2, "other": 1, "goal": "win", "side": "black", "seed": 5}


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    house = House(WebSettings(weights="manual", hash=SMALL))
    yield house
    house.close()


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with serving(weights="manual") as server:
        yield server


def ask(house: House, name: str, **fields: Any) -> dict[str, Any]:
    answer = endings.ROUTES[f"endings/{name}"](house, PageRequest(fields))
    return json.loads(json.dumps(answer))  # type: ignore[no-any-return]


def test_new_endings(house: House) -> None:
    known = ask(house, "known")
    assert (known["pieces"], known["distance_pieces"]) == (5, 4)
    found = ask(house, "new", **TWO_ONE)
    position = Position.from_fen(found["position"]["fen"])
    assert house.database is not None
    assert house.database.value(position) is Value.WIN
    assert found["distance"] == house.database.distance(position)
    assert found == ask(house, "new", **TWO_ONE)
    kings = ask(house, "new", **TWO_ONE | {"own_kings": 2, "other_kings": 1, "side": "white"})
    assert kings["position"]["fen"].count("K") == 3
    assert kings["position"]["side"] == "white"
    assert ask(house, "new", **TWO_ONE | {"own": 1, "own_kings": 0, "other": 3, "other_kings": 3})["position"] is None


def played(house: House, start: str, *, person_wins: bool) -> dict[str, Any]:
    """Play an ending out against kr by moves that keep the value, the quickest or the first."""
    board = Board(start)
    database = house.database
    assert database is not None
    while True:
        moves = exact_moves(database, board.position)
        kept = [each for each in moves if each.value is moves[0].value]
        board.play(kept[0].move)
        goal = "win" if person_wins else "draw"
        answer = ask(house, "move", start=start, moves=list(map(str, board.moves)), goal=goal)
        assert answer["kept"]
        assert answer["distance"] == (None if not person_wins else (moves[0].distance or 0) - 1)
        if answer["over"]:
            return answer
        board.play(answer["reply"]["text"])
        assert board.fen == answer["position"]["fen"]
        assert answer["quiet"] == len(board.history)


def test_a_win_takes_as_long_as_the_database_says(house: House) -> None:
    assert played(house, WON, person_wins=True)["over"] == {"result": "won", "why": "no pieces left"}


def test_a_draw_is_held_or_ends_by_rule(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    over = played(house, DRAWN, person_wins=False)["over"]
    assert over in ({"result": "held", "why": "20 moves"}, {"result": "drawn", "why": "repetition"})
    monkeypatch.setattr(endings, "HOLD_MOVES", 2)
    assert played(house, DRAWN, person_wins=False)["over"] == {"result": "held", "why": "2 moves"}


def test_a_move_that_gives_the_win_away_is_told_and_kr_waits(house: House) -> None:
    start = "W:WK19,K23:B12,K28"
    answer = ask(house, "move", start=start, moves=["19-16"], goal="win")
    assert (answer["kept"], answer["was"], answer["reply"], answer["over"]) == (False, "win", None, None)
    assert {move["text"] for move in answer["better"]} == {"23-18", "23-27", "23-26", "19-15"}
    assert answer["value"] in ("draw", "loss")
    on = ask(house, "move", start=start, moves=["19-16"], goal="win", on=True)
    assert on["reply"] is not None
    assert on["kept"] is False


@pytest.mark.parametrize(
    ("start", "move", "cost", "reasons"),
    [
        # one king to keep at bay: the quickest move, a slow one, and kr's flight
        (WON, "18-15", 0, {"choice": 2, "capture": False, "value": "loss", "distance": 22}),
        (WON, "22-25", 4, {"choice": 2, "capture": False, "value": "loss", "distance": 26}),
        # kr must take
        ("W:WK8,K25,K30:BK29", "8-11", 6, {"choice": 1, "capture": True, "distance": 8}),
        # nothing is slow in a draw; what remains is how many answers keep it
        (DRAWN, "2-6", None, {"value": "draw", "distance": None}),
    ],
)
def test_the_cost_of_a_move_and_the_reasons_of_a_reply(
    house: House, start: str, move: str, cost: int | None, reasons: dict[str, Any]
) -> None:
    answer = ask(house, "move", start=start, moves=[move], goal="win")
    before, after = (exact_moves(house.database, Position.from_fen(fen)) for fen in (start, answer["position"]["fen"]))
    assert (answer["best"]["text"], answer["best"]["distance"]) == (str(before[0].move), before[0].distance)
    if cost is not None:
        assert answer["cost"] == cost
    assert answer["reasons"].items() >= reasons.items()
    right = sum(each.value.opposite == Value(answer["reasons"]["value"]) for each in after)
    assert (answer["reasons"]["right"], answer["reasons"]["answers"]) == (right, len(after))


def test_kr_wins_what_is_given_to_it(house: House) -> None:
    """Without a distance too, where it takes a search."""
    start = "B:WK18,K22,K15:BK5,K32"
    board = Board(start)
    assert house.database is not None
    for _ in range(60):
        # the person helps: any move, the first
        board.play(board.legal_moves()[0])
        answer = ask(house, "move", start=start, moves=list(map(str, board.moves)), goal="draw", on=True)
        if answer["over"]:
            assert answer["over"]["result"] == "lost"
            return
        board.play(answer["reply"]["text"])
    raise AssertionError("kr does not win")


def test_values_of_every_move(house: House) -> None:
    found = ask(house, "values", fen="W:WK19,K23:B12,K28")
    assert [move["value"] for move in found["moves"]] == sorted(
        (move["value"] for move in found["moves"]), key=["win", "draw", "loss"].index
    )
    assert found["moves"][0]["distance"] % 2 == 1
    assert ask(house, "values", fen=Position().fen)["moves"] == []


@pytest.mark.parametrize(
    ("name", "fields", "word"),
    [
        ("new", TWO_ONE | {"own": 5}, "1 to 4"),
        ("new", TWO_ONE | {"own": 4, "other": 4}, "up to 5"),
        ("new", TWO_ONE | {"own_kings": 3}, "0 to 2"),
        ("new", TWO_ONE | {"goal": "loss"}, "goal"),
        ("new", TWO_ONE | {"difficulty": "harder"}, "difficulty"),
        ("move", {"start": WON, "moves": [], "goal": "win"}, "person"),
        ("move", {"start": Position().fen, "moves": ["11-15"], "goal": "win"}, "database"),
        ("move", {"start": WON, "moves": ["1-32"], "goal": "win"}, "legal"),
        ("values", {"fen": "nonsense"}, "FEN"),
    ],
)
def test_bad_requests(house: House, name: str, fields: dict[str, Any], word: str) -> None:
    with pytest.raises(KrError, match=word):
        ask(house, name, **fields)


def test_without_a_database_it_is_said() -> None:
    house = House(WebSettings(weights="manual", hash=SMALL, egdb="none"))
    try:
        assert ask(house, "known")["pieces"] == 0
        with pytest.raises(KrError, match="kr egdb build"):
            ask(house, "new", **TWO_ONE)
    finally:
        house.close()


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
    page = opened(f"{server.address}#endings/{goal}/{fen}", reduced_motion="reduce", **others)
    wait_until(page, "() => document.querySelector('.endings .task .words').textContent")
    player = Player(page, fen)
    player.check()
    return player


def best(house: House, board: Board) -> str:
    assert house.database is not None
    return str(exact_moves(house.database, board.position)[0].move)


@pytest.mark.slow
@pytest.mark.parametrize("fen", [WON, "B:WK5:BK14,K18", "W:W20,K10:BK3"])
def test_an_ending_is_won_by_the_moves_of_the_database(
    server: WebServer, opened: Opener, house: House, fen: str
) -> None:
    player = start(opened, server, "win", fen)
    assert house.database is not None
    distance = house.database.distance(player.board.position)
    assert distance is not None
    plies = f"{distance} pl{'y' if distance == 1 else 'ies'}"
    while True:
        assert f"Win in{distance} pl" in player.counts()
        said = player.play(best(house, player.board))
        if said.startswith("✓"):
            break
        distance -= 2
    assert f"won in {plies}: " in said
    assert f"best play takes {plies}." in said
    assert "Given away0 plies" in player.counts()
    assert player.stats() == {"win": {"tried": 1, "done": 1, "clean": 1}}
    open_panel(player.page, "Your endings")
    assert player.page.get_by_text("1 of 1 win won, 1 without a slip").is_visible()
    from_menu(player.page, "Same again")
    player.board = Board(fen)
    wait_until(player.page, "() => !document.querySelector('.line li')")
    player.check()


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
    assert player.counts().startswith("Played0 plies")
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
            assert lost == [f"{server.address}api/endings/move"] * number
    assert player.play(text).startswith("kr plays")


@pytest.mark.slow
def test_playing_on_after_a_wrong_move_loses(server: WebServer, opened: Opener, house: House) -> None:
    player = start(opened, server, "draw", DRAWN)
    assert house.database is not None
    while True:
        worst = str(exact_moves(house.database, player.board.position)[-1].move)
        said = player.play(worst)
        if "gives the" in said:
            player.press("Play on")
            wait_until(player.page, "() => !document.querySelector('.verdict').textContent.includes('gives the')")
            said = player.heard(len(player.board.moves))
        if "You have" in said:
            break
        assert len(player.board.moves) < 60
    assert "You have lost" in said


@pytest.mark.slow
def test_a_draw_is_held(server: WebServer, opened: Opener, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endings, "HOLD_MOVES", 3)
    player = start(opened, server, "draw", DRAWN)
    assert "hold the draw for 3 moves" in (player.page.locator(".endings .task .words").text_content() or "")
    for _ in range(3):
        said = player.play(best(house, player.board))
    assert said.startswith("✓ You have held: 3 moves")
    assert player.stats()["draw"] == {"tried": 1, "done": 1, "clean": 1}


@pytest.mark.slow
def test_a_new_ending_has_what_was_chosen(server: WebServer, opened: Opener, house: House) -> None:
    page = opened(f"{server.address}#endings", reduced_motion="reduce")
    wait_until(page, "() => location.hash.includes('/win/')")
    page.get_by_label("Task").select_option("draw")
    page.get_by_label("Pieces", exact=True).select_option("own")
    page.get_by_label("Your pieces").select_option("2")
    page.get_by_label("Your kings").select_option("1")
    page.get_by_label("kr's pieces").select_option("2")
    page.get_by_label("kr's kings").select_option("2")
    page.get_by_label("Difficulty").select_option("hard")
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
    page.get_by_label("Task").select_option("win")
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
            if size is PHONE:
                assert faults_in(page, passes=20) == []

    assert player.play("23-27").startswith("kr plays")
    look()
    player.play(str(exact_moves(house.database, player.board.position)[-1].move))
    assert "gives the win away" in player.said()
    look()


@pytest.mark.slow
def test_a_newcomer_wins_by_what_the_page_says(server: WebServer, opened: Opener, house: House) -> None:
    """From the link to the win by keys alone: the first ending is an easy one, and each move can be asked for."""
    page = opened(server.address, reduced_motion="reduce")
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


@pytest.mark.slow
def test_a_capture_that_must_be_made_is_marked_and_said(server: WebServer, opened: Opener) -> None:
    page = start(opened, server, "win", "W:WK18,K30:BK15").page
    assert "You must capture: 18x11." in (page.locator(".verdict").text_content() or "")
    assert page.locator(".board .forced > *").count() == 1


@pytest.mark.slow
def test_the_panels_of_endings_for_everyone(server: WebServer, opened: Opener) -> None:
    player = start(opened, server, "win", WON)
    for name in ("Choose", "Exact values", "Your endings"):
        open_panel(player.page, name)
        if name == "Exact values":
            player.press("Show the exact values")
            player.page.wait_for_selector(".values li")
        assert faults_in(player.page, passes=20) == [], name
