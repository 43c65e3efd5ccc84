"""Games against kr in a browser, by real clicks and keys; what stands on the board compared with the rules."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sites import without_chance
from watched_games import ID, TWO_KINGS_EACH, noted_document
from web_pages import (
    KEPT,
    PHONE,
    WIDE,
    Opener,
    click_square,
    faults_in,
    free_port,
    meant_board,
    out_of_sight,
    pick,
    read_board,
    serving,
    wait_for,
    wait_until,
)

import kr
from kr.evaluation.evolved import load_runs
from kr.openings.decks import deck
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

MOVES = """() => [...document.querySelectorAll('.played li')]
  .flatMap(row => row.textContent.replace('…', '').trim().split(/ +/))"""
ROWS = "count => document.querySelectorAll('.played li').length >= count"
TURN = """rows => {
  const turn = document.querySelector('.turn')?.textContent ?? '';
  if (/ wins?:|A draw:/.test(turn)) return true;
  return turn.includes('Your move') && document.querySelectorAll('main .board .movable').length > 0 &&
    document.querySelectorAll('.played li').length >= rows;
}"""
SAID = "text => document.querySelector('.turn')?.textContent.includes(text)"
ONE_EACH = "B:W32:B1"
KINGS = "B:WK29,K30,K31:BK2,K3,K4"
GONE = "net::ERR_CONNECTION_REFUSED"


KEEP = """game => {
  localStorage[`kr-game-${game.id}`] = JSON.stringify({game});
  localStorage["kr-games"] = JSON.stringify([game.id]);
}"""


@pytest.fixture
def start(opened: Opener) -> Iterator[object]:
    """Opens the page Play and begins a game."""

    def begin(server: WebServer, before: Callable[[Page], object] | None = None, **form: str) -> Page:
        size, allowed = PHONE if form.pop("phone", "") else WIDE, form.pop("allowed", "")
        page = opened(server.address + "#play", size, allowed=allowed, before=before)
        fill(page, **form)
        return page

    return begin


CARDS = ("1", "3", "5", "7", "9", "10")


def fill(
    page: Page, level: str = "1", side: str = "black", fen: str = "", clock: str = "", casual: str = "yes"
) -> None:
    if level in CARDS:
        pick(page, "opponent", level)
    else:
        page.get_by_label("More opponents").select_option(level)
    pick(page, "side", side)
    if fen or not casual:
        page.locator(".options").evaluate("options => { options.open = true; }")
    if fen:
        page.get_by_label("From", exact=True).select_option("fen")
        page.get_by_label("FEN of the position", exact=True).fill(fen)
    if clock:
        pick(page, "clock", "other")
        page.get_by_label("Minutes + seconds a move").fill(clock)
    if not casual:
        page.get_by_label("Hints and taking").uncheck()
    page.get_by_role("button", name="Play", exact=True).click()


def resign(page: Page) -> None:
    """Resign, and say yes."""
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()


def line(page: Page) -> list[str]:
    found: list[str] = page.evaluate(MOVES)
    return found


def turn_of(page: Page, board: kr.Board, rows: int = 0) -> bool:
    """Wait until the person is to move, or the game is over; the board by the rules follows. True while it goes on."""
    wait_until(page, TURN, rows)
    moves = line(page)
    assert moves[: len(board.moves)] == [str(move) for move in board.moves]
    for text in moves[len(board.moves) :]:
        board.play(text)
    assert read_board(page) == meant_board(board.fen)
    return "Your move" in said(page)


def said(page: Page) -> str:
    return page.locator(".turn").inner_text()


def move_by_clicks(page: Page, board: kr.Board, move: kr.Move, flipped: bool) -> None:
    """Click through a move until it is the only one meant, and play it on the board of the rules."""
    wanted = [square + 1 for square in move.path]
    left = [(each.path, board.position.play(each)) for each in board.legal_moves()]
    for count, square in enumerate(wanted):
        left = [(path, after) for path, after in left if path[count] == square - 1]
        click_square(page, square, flipped=flipped)
        if count and len({after for _, after in left}) == 1:
            break
    board.play(move)


def play_on(page: Page, board: kr.Board, side: str, plies: int = 400, chance: random.Random | None = None) -> None:
    """Play at random until the game is over, or some plies have been made and the person is to move."""
    chance = chance or random.Random(2)
    until = len(board.moves) + plies
    while turn_of(page, board, len(board.moves) // 2) and len(board.moves) < until:
        move_by_clicks(page, board, chance.choice(board.legal_moves()), side == "black")
        wait_until(page, ROWS, (len(board.moves) + 1) // 2)


@pytest.mark.parametrize(
    ("side", "fen", "phone", "seed", "score"),
    [
        pytest.param("black", "", "", 5, "0-1", marks=pytest.mark.soak),
        pytest.param("black", "B:W18:B14", "", 5, "1-0", marks=pytest.mark.soak),
        ("white", "B:WK32:BK1", "yes", 7, "1/2-1/2"),
    ],
)
def test_whole_games_by_clicks(server, start, side, fen, phone, seed, score):
    page = start(server, without_chance, side=side, fen=fen, phone=phone)
    board = kr.Board(fen or None)
    play_on(page, board, side, chance=random.Random(seed))
    (game,) = page.evaluate(KEPT)
    moves = [node["text"] for node in game["document"]["nodes"][1:]]
    assert moves == [str(move) for move in board.moves] == line(page)
    ending, result = said(page), game["over"]["result"]
    assert ending.endswith(result)
    assert result == score, "games of each result are played"
    won = {"1-0": "black", "0-1": "white"}.get(result)
    assert ending.startswith("A draw: " if won is None else "You win: " if won == side else "kr wins: ")
    if outcome := board.outcome():
        assert outcome.result == result
    # at once on the page Analyse
    page.get_by_role("button", name="Analyse").click()
    wait_until(page, "() => location.hash === '#analyse' && document.querySelector('main .analyse .board') !== null")
    assert read_board(page) == meant_board(board.fen)
    assert bool(page.locator("main .board.flipped").count()) == (side == "black"), "the board turned"


def test_hints_taking_back_and_draws(server, start):
    page = start(server)
    board = kr.Board()
    play_on(page, board, "black", 4)
    page.get_by_role("button", name="Hint").click()
    page.wait_for_selector("main .arrow")
    hint = page.locator(".note").inner_text()
    assert str(board.parse_move(hint.split()[1].rstrip("."))) in hint
    assert "Of a hundred such games you win" in hint or "only legal move" in hint
    page.get_by_role("button", name="Take back").click()
    page.get_by_text("2 moves taken back.").wait_for()
    board.undo(2)
    wait_until(page, "() => document.querySelectorAll('.played li').length === 1")
    assert page.locator("main .arrow").count() == 0
    assert turn_of(page, board)
    page.get_by_role("button", name="Take back").click()
    wait_until(page, "() => document.querySelectorAll('.played li').length === 0")
    board.undo(2)
    assert turn_of(page, board)
    # before the first move there is nothing to take back
    assert page.get_by_role("button", name="Take back").is_disabled()
    page.get_by_role("button", name="Offer a draw").click()
    page.get_by_text("kr declines the draw: it accepts none before").wait_for()
    assert turn_of(page, board)
    play_on(page, board, "black", 2)


def test_resigning_is_confirmed_and_a_rematch_swaps_colours(server, start):
    page = start(server, level="2")
    board = kr.Board()
    play_on(page, board, "black", 2)
    resign(page)
    wait_until(page, SAID, "kr wins: you resigned. 0-1")
    page.get_by_role("button", name="Rematch").click()
    wait_until(page, SAID, "Your move")
    board = kr.Board()
    assert turn_of(page, board, 1)
    assert len(board.moves) == 1
    names = page.locator(".seat .name").all_inner_texts()
    assert names == ["kr, level 2", "You"]
    play_on(page, board, "white", 2)
    assert len(page.evaluate(KEPT)) == 2


def test_a_known_draw_for_mistakes(server, opened):
    fen = "B:WK2,5,25:BK17,18"
    best = server.house.practical.best(kr.Position.from_fen(fen))
    page = opened(server.address + "#play", WIDE)
    pick(page, "opponent", "5")
    mistakes = page.get_by_label("Plays for your mistakes in drawn endings")
    assert not mistakes.is_visible()
    pick(page, "opponent", "9")
    mistakes.check()
    fill(page, "9", "white", fen)
    wait_until(page, ROWS, 1)
    assert page.evaluate(MOVES)[0] == str(best.move)
    assert faults_in(page) == []


@pytest.mark.soak
def test_people_without_search(server, start):
    page = start(server, level="0", side="white")
    board = kr.Board()
    play_on(page, board, "white", 4)
    assert page.locator(".seat .name").all_inner_texts() == ["kr, like people", "You"]
    page.reload()
    wait_until(page, SAID, "Your move")
    assert turn_of(page, board, 2)
    assert said(page).startswith(f"Human-like kr plays {board.moves[-1]}. Your move.")
    resign(page)
    wait_until(page, SAID, "Human-like kr wins: you resigned. 1-0")
    page.get_by_role("button", name="New game").click()
    words = page.locator("#level-words")
    assert "people of recorded games" in words.inner_text()
    page.get_by_label("More opponents").select_option("4")
    assert words.inner_text().startswith("Level 4 of 10, 557")
    assert page.locator("input[name=opponent]:checked").count() == 0


def test_looking_back_at_the_game(server, start):
    page = start(server)
    board = kr.Board()
    play_on(page, board, "black", 6)
    focus = page.locator("main .board [tabindex='0']")
    for key, ply in (("ArrowLeft", 5), ("ArrowLeft", 4), ("Home", 0), ("ArrowLeft", 0), ("ArrowRight", 1), ("End", 6),
                     ("ArrowRight", 6)):  # fmt: skip
        focus.evaluate("() => document.activeElement.blur()")
        page.keyboard.press(key)
        assert read_board(page) == meant_board(board.positions[ply].fen)
    assert "Your move" in said(page)
    page.locator(".played span").nth(2).click()
    assert read_board(page) == meant_board(board.positions[3].fen)
    assert said(page) == f"After {board.moves[2]}, 3 of 6 moves."
    assert page.locator(".played [aria-current]").inner_text() == str(board.moves[2])
    # nothing can be moved there
    assert page.locator("main .board .movable").count() == 0
    page.get_by_role("button", name="End", exact=True).click()
    play_on(page, board, "black", 2)
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("button", name="Forward").click()
    assert read_board(page) == meant_board(board.positions[1].fen)
    page.get_by_role("button", name="Take back").click()
    board.undo(2)
    wait_until(page, "() => document.querySelectorAll('.played li').length === 3")
    assert turn_of(page, board)


def test_a_draw_that_kr_offers(server, opened):
    page = opened(server.address + "#play")
    settings = {"level": 8, "side": "black", "ballot": "", "clock": ""}
    document = noted_document(TWO_KINGS_EACH, 62, 0.0)
    page.evaluate(KEEP, {"id": ID, "settings": settings, "over": None, "document": document})
    page.reload()
    board = kr.Board(TWO_KINGS_EACH)
    assert turn_of(page, board, 31)
    play_on(page, board, "black", 2)
    assert "kr offers a draw: accept it, or play on" in said(page)
    page.get_by_role("button", name="Accept the draw").click()
    wait_until(page, SAID, "A draw: agreed. 1/2-1/2")


def test_the_clock_of_who_is_to_move_runs(server, opened):
    page = opened(server.address + "#play")
    # the page's own time stands still but for what the test adds, so that no machine is too slow to see each tenth
    page.clock.install(time=0)
    page.reload()
    page.clock.pause_at(100)
    fill(page, clock="1+0")
    clocks = [page.get_by_role("timer", name=f"{side}'s clock") for side in ("Black", "White")]
    # the timers of the page stand still too
    page.locator(".turn").get_by_text("Your move").wait_for()
    assert [clock.inner_text() for clock in clocks] == ["1:00", "1:00"]
    page.clock.run_for(51_000)
    left = float(clocks[0].inner_text())
    assert 5 < left <= 9
    for tenths in range(1, 20):
        page.clock.run_for(100)
        assert float(clocks[0].inner_text()) == pytest.approx(left - tenths / 10)
    # who answers ends the game, not the clock that is shown
    page.clock.run_for(20_000)
    assert [clock.inner_text() for clock in clocks] == ["0.0", "1:00"]
    assert "Your move" in said(page)


def test_two_windows_and_a_reload(server, start):
    """One of them has the game, the one that the person is at; the other shows what it does."""
    page = start(server, side="white", level="2")
    board = kr.Board()
    play_on(page, board, "white", 4)
    other = page.context.new_page()
    other.goto(page.url)
    assert turn_of(other, board.copy(), len(board.moves) // 2)
    page.get_by_text("This game goes on in another window").wait_for()
    assert page.locator("main .board .movable").count() == 0
    play_on(other, board, "white", 2)
    # a window in the background gets little time
    page.bring_to_front()
    wait_until(page, ROWS, (len(board.moves) + 1) // 2)
    assert read_board(page) == meant_board(board.fen)
    page.locator("main .board").click()
    assert turn_of(page, board, (len(board.moves) + 1) // 2)
    other.get_by_text("This game goes on in another window").wait_for()
    page.reload()
    assert turn_of(page, board, (len(board.moves) + 1) // 2)
    play_on(page, board, "white", 2)
    # without the address too: the game is where one left it
    page.goto(server.address)
    page.get_by_role("link", name="Play").click()
    assert turn_of(page, board, (len(board.moves) + 1) // 2)
    # a game of another window's own leaves this one alone
    other.get_by_role("button", name="More").click()
    other.get_by_role("menuitem", name="New game").click()
    fill(other)
    assert turn_of(other, kr.Board())
    assert turn_of(page, board)
    resign(page)
    wait_until(page, SAID, "kr wins: you resigned. 1-0")
    page.reload()
    wait_until(page, SAID, "kr wins: you resigned. 1-0")
    assert read_board(page) == meant_board(board.fen)
    assert len(page.evaluate(KEPT)) == 2


@pytest.mark.soak
def test_a_clock_runs_on_while_the_page_is_closed(server, start):
    page = start(server, clock="5+0")
    clock = page.get_by_role("timer", name="Black's clock")
    assert turn_of(page, kr.Board())
    address, now = page.url, page.evaluate("Date.now() / 1000")
    page.goto("about:blank")
    # a hundred seconds later by the machine's clock
    page.clock.set_fixed_time(now + 100)
    page.goto(address)
    wait_until(page, SAID, "Your move")
    minutes, seconds = map(int, clock.inner_text().split(":"))
    assert 180 < 60 * minutes + seconds <= 201
    page.goto("about:blank")
    page.clock.set_fixed_time(now + 1000)
    page.goto(address)
    wait_until(page, SAID, "kr wins: your time is up. 0-1")


@pytest.mark.soak
def test_a_server_that_starts_again(start):
    with serving(port=free_port()) as server:
        page = start(server, fen=KINGS, allowed=GONE)
        board = kr.Board(KINGS)
        play_on(page, board, "black", 2)
    # the page knows the rules; what kr plays it does not
    move_by_clicks(page, board, board.legal_moves()[0], True)
    wait_until(page, SAID, "The game goes on when the server answers again.")
    assert page.locator("main .board .movable").count() == 0
    with serving(port=server.port):
        assert turn_of(page, board, 2)
        assert len(board.moves) == 4
    # another server, another page: the browser has the game
    with serving(port=server.port):
        page.reload()
        assert turn_of(page, board, 2)
        play_on(page, board, "black", 2)


def test_a_game_by_keys_alone(server, opened):
    page = opened(server.address + "#play")
    page.locator("input[name=opponent]:checked").focus()
    page.keyboard.press("ArrowUp")
    assert page.locator("input[name=opponent]:checked").get_attribute("value") == "1"
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type === 'submit'"):
            break
    page.keyboard.press("Enter")
    board = kr.Board()
    assert turn_of(page, board)
    page.locator("main .board [tabindex='0']").focus()
    focused = "document.activeElement.getAttribute('aria-label')"
    # the board is seen from Black's side: from 1, up to 6, then 9 or 10, then to 11 or 12
    for _ in range(12):
        if page.evaluate(focused).endswith("can move"):
            break
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    assert page.evaluate(focused).endswith("can be moved to")
    page.keyboard.press("Enter")
    wait_until(page, "() => document.querySelectorAll('.played li').length === 1 && "
                     "document.querySelector('.turn').textContent.includes('Your move')")  # fmt: skip
    assert turn_of(page, board, 1)
    assert len(board.moves) == 2
    # what is heard
    assert page.locator(".turn").get_attribute("role") == "status"
    assert said(page).startswith(f"kr plays {board.moves[-1]}. Your move.")


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_form_stays_where_it_is_as_answers_come(server, opened, size):
    held = []
    page = opened(
        server.address + "#play",
        size,
        before=lambda page: page.route("**/data/levels.json", lambda route: held.append(route)),
    )
    places = """() => [...document.querySelectorAll(".new-game :is(label, select, button, summary, legend)")]
      .filter(each => each.checkVisibility()).map(each => JSON.stringify(each.getBoundingClientRect()))"""
    wait_for(page, lambda: held)
    before = page.evaluate(places)
    held.pop().continue_()
    page.get_by_text("Level 3 of 10").wait_for()
    assert page.locator(".elo", has_text="Elo").count() == len(CARDS) - 1
    assert page.evaluate(places) == before


def test_the_form(server, opened):
    page = opened(server.address + "#play")
    pick(page, "opponent", "7")
    page.get_by_text("Level 7 of 10, 1339 ± 100 Elo above the first").wait_for()
    assert "middle fifth of the players of 22,000 recorded games" in page.locator("#level-words").inner_text()
    page.locator(".options summary").click()
    page.get_by_label("From", exact=True).select_option("fen")
    page.get_by_label("FEN of the position", exact=True).fill("W:W40:B1")
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("alert").get_by_text("40").wait_for()
    page.get_by_label("From", exact=True).select_option("")
    pick(page, "clock", "other")
    page.get_by_label("Minutes + seconds").fill("soon")
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("alert").get_by_text("'soon' is not a time control").wait_for()
    pick(page, "clock", "5+3")
    page.get_by_label("From", exact=True).select_option("ballot")
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("alert").get_by_text("Choose a ballot").wait_for()
    page.get_by_label("Find a ballot").fill("white doctor")
    page.locator(".found button").get_by_text("68.").click()
    page.get_by_role("button", name="Play", exact=True).click()
    (doctor,) = (opening for opening in deck("3move") if opening.number == 68)
    board = kr.Board()
    assert turn_of(page, board, 2)
    assert " ".join(str(move) for move in board.moves[:3]) == doctor.moves
    assert page.get_by_text(f"3move 68: {doctor.moves}").is_visible()
    # White has made its first move; its clock has the seconds for the next one already
    assert page.get_by_role("timer", name="White's clock").inner_text() == "5:06"
    # the game goes on behind the form
    page.get_by_role("button", name="New game").click()
    page.get_by_role("button", name="Back to the game").click()
    assert turn_of(page, board, 2)
    # a serious game: no hints
    page.get_by_role("button", name="New game").click()
    page.get_by_label("From", exact=True).select_option("")
    fill(page, casual="")
    wait_until(page, "() => document.querySelectorAll('.played li').length === 0")
    assert turn_of(page, kr.Board())
    assert not page.get_by_role("button", name="Hint").is_visible()
    assert not page.get_by_role("button", name="Take back").is_visible()
    assert not page.get_by_role("button", name="Analyse").is_visible()


@pytest.mark.soak
def test_a_game_for_everyone(server, opened):
    """The rules of axe while a game is played and when it is over; nothing is wider than a small window."""
    page = opened(server.address + "#play", PHONE)
    # the form has the window to itself where there is no room for both
    assert not page.locator("main .board").is_visible()
    assert out_of_sight(page, [".modes label", ".begin button"]) == []
    fill(page, clock="0:19+9")
    play_on(page, kr.Board(), "black", 2)
    page.get_by_role("button", name="Hint").click()
    page.wait_for_selector("main .arrow")

    def check() -> None:
        assert faults_in(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]

    check()
    resign(page)
    wait_until(page, SAID, "kr wins")
    check()


@pytest.mark.soak
def test_impatient_clicks_are_harmless(server, start):
    page = start(server)
    board = kr.Board()
    assert turn_of(page, board)
    chance = random.Random(5)
    for _ in range(40):
        click_square(page, chance.randint(1, 32), flipped=True)
    wait_until(page, TURN, 0)
    for text in line(page):
        board.play(text)
    if "Your move" in said(page):
        page.reload()
    wait_until(page, TURN, 0)
    assert read_board(page) == meant_board(board.fen)
    assert [str(move) for move in board.moves] == line(page)


@pytest.mark.soak
def test_another_program(opened):
    command = f"hub:{sys.executable} -m kr hub --weights material --hash 1MB --egdb none"
    name = Path(sys.executable).name
    with serving(port=free_port(), engines=(command,)) as server:
        page = opened(server.address + "#play", allowed=GONE)
        wait_until(page, "() => document.querySelector('option[value=\"engine:1\"]')")
        page.get_by_label("More opponents").select_option(name)
        page.get_by_text("The engine of another program").wait_for()
        pick(page, "clock", "other")
        page.get_by_label("Minutes + seconds a move").fill("0:05+0.1")
        page.get_by_role("button", name="Play", exact=True).click()
        board = kr.Board()
        play_on(page, board, "black", 4)
        assert page.locator(".seat .name").all_inner_texts() == [name, "You"]
        assert said(page).startswith(f"{name} plays {board.moves[-1]}. Your move.")
        page.reload()
        assert turn_of(page, board, 2)
        resign(page)
        wait_until(page, SAID, f"{name} wins: you resigned. 0-1")
        # it is offered again, by the name under which it was chosen
        page.get_by_role("button", name="Rematch").click()
        wait_until(page, ROWS, 1)
    # a server that was started without it: the game waits for one that has it
    with serving(port=server.port):
        page.reload()
        page.get_by_text(f"the engine {name} is not here").wait_for()
    with serving(port=server.port, engines=(command,)):
        wait_until(page, ROWS, 1)


@pytest.mark.slow
def test_an_evolved_player(server, opened):
    generations = [int(each) for each in load_runs("shipped")[0].generations]
    page = opened(server.address + "#play")
    assert page.get_by_label("Generation").is_hidden()
    page.get_by_label("More opponents").select_option("evolved")
    wait_until(page, "() => document.querySelector('[aria-label=Generation]').length")
    offered = page.get_by_label("Generation").locator("option").all_inner_texts()
    assert offered == [f"generation {each}" for each in generations]
    page.get_by_label("Generation").select_option(str(generations[1]))
    page.get_by_text("by nothing but who won").wait_for()
    pick(page, "side", "white")
    page.get_by_role("button", name="Play", exact=True).click()
    wait_until(page, "() => document.querySelectorAll('.played li').length === 1")
    assert page.get_by_text(f"evolved, generation {generations[1]}", exact=True).is_visible()
    # the game is found again
    page.reload()
    page.get_by_text(f"evolved, generation {generations[1]}", exact=True).wait_for()
