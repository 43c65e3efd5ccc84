"""The panel Repertoire by clicks and keys: moves are marked, trained, missed and asked for again; PDN in and out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from web_pages import SIZES, Opener, click_square, faults_in, from_menu, open_panel, wait_for_board, wait_until

from kr.game.board import Board
from kr.game.position import Position
from kr.theory.repertoire import read_repertoires
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.slow
CAN_MOVE = "() => document.querySelectorAll('main .board .movable').length > 0"
SAID = "text => document.querySelector('.panel.repertoire').innerText.includes(text)"
FOCUSED = "name => [document.activeElement.ariaLabel, document.activeElement.textContent].includes(name)"
FILE = """[Event "Second Position"]
[Repertoire "White"]
1. 11-15 23-19 2. 8-11 22-17 (2... 22-18 {sharp}) 3. 4-8 17-13 *

[Event "Ballot"]
[Repertoire "White"]
[BallotMoves "3"]
1. 9-13 22-18 2. 10-15 25-22 {Suggestion (+4)} *
"""


def play(page: Page, moves: str, board: Board | None = None) -> Board:
    """Play moves on the board by clicks, from the start or a position."""
    board = board or Board()
    for text in moves.split():
        wait_until(page, CAN_MOVE)
        move = board.play(text)
        click_square(page, move.origin + 1)
        click_square(page, move.target + 1)
        wait_for_board(page, board.fen)
    return board


def answer(page: Page, squares: str) -> None:
    """Make a move in training, which may be answered at once. The board is seen from Black's side."""
    wait_until(page, CAN_MOVE)
    for square in squares.split("-"):
        click_square(page, int(square), flipped=True)


def panel(page: Page) -> Locator:
    return page.get_by_role("tabpanel", name="Repertoire")


def press(page: Page, name: str) -> None:
    panel(page).get_by_role("button", name=name, exact=True).click()


def says(page: Page, text: str) -> None:
    wait_until(page, SAID, text)


NEXT_DAY = """() => {
  const kept = JSON.parse(localStorage["kr-repertoire"]);
  for (const {boxes} of [kept.black, kept.white]) for (const box of Object.values(boxes)) box[1] -= 1;
  localStorage["kr-repertoire"] = JSON.stringify(kept);
}"""
"""What was missed is due a day earlier: as good as a day later, and the clock of the page goes on."""


def choose_side(page: Page, side: str) -> None:
    panel(page).get_by_label("Repertoire for").select_option(side)


@pytest.mark.parametrize("size", [pytest.param(SIZES[0], marks=pytest.mark.soak), SIZES[2]], ids=["wide", "phone"])
def test_mark_train_miss_and_come_back(server: WebServer, opened: Opener, size: dict[str, int]) -> None:
    page = opened(server.address, size)
    open_panel(page, "Repertoire")
    says(page, "Nothing for Black so far.")
    board = play(page, "11-15 23-19 8-11")
    press(page, "Mark 8-11 as mine")
    says(page, "2 positions with your move")
    assert panel(page).get_by_role("button", name="Unmark 8-11").is_visible()
    # what is to be done next stands out
    assert panel(page).locator(".primary:visible").all_text_contents() == ["Train"]
    # what people play without an answer
    says(page, "no answer")
    play(page, "22-17", board)
    says(page, "Your repertoire ends before 2... 22-17.")
    press(page, "Go back there")
    says(page, "Your line ends here.")
    page.keyboard.press("Home")
    says(page, "Your move here:")

    # trained from Black's side: a miss, the answer, and the reply in between
    page.keyboard.press("t")
    says(page, "Your move, with Black.")
    answer(page, "9-14")
    says(page, "9-14 is not your move here")
    wait_for_board(page, Position().fen)
    answer(page, "11-15")
    wait_for_board(page, line("11-15 23-19").fen)
    says(page, "23-19 was played. Your move, with Black.")
    says(page, "Training: Old Faithful")
    press(page, "Show the answer")
    says(page, "Your move here is 8-11.")
    answer(page, "8-11")
    says(page, "0 moves known, 2 missed; those come again tomorrow.")
    press(page, "Leave")
    wait_until(page, FOCUSED, "Train")
    # the game is as it was
    wait_for_board(page, Position().fen)
    assert "".join((page.locator(".moves").text_content() or "").split()) == "1.11-1523-192.8-1122-17"

    # both come again on the next day, and not on that day once more
    assert not panel(page).get_by_role("button", name="Missed").is_visible()
    page.evaluate(NEXT_DAY)
    page.reload()
    # the game from before comes back, and ends what was begun
    wait_until(page, "() => document.querySelector('.moves')?.textContent.includes('22-17')")
    press(page, "Missed: 2")
    says(page, "Your move, with Black.")
    answer(page, "11-15")
    press(page, "Next move")
    answer(page, "8-11")
    says(page, "2 moves known, none missed.")
    press(page, "Done")
    assert not panel(page).get_by_role("button", name="Missed").is_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def line(moves: str) -> Board:
    """The board after moves."""
    board = Board()
    for text in moves.split():
        board.play(text)
    return board


@pytest.mark.soak
def test_files_in_and_out(server: WebServer, opened: Opener, tmp_path: Path) -> None:
    page = opened(server.address)
    open_panel(page, "Repertoire")
    chosen = {"name": "white.pdn", "mimeType": "text/plain", "buffer": FILE.encode()}
    panel(page).locator("input[type=file]").set_input_files({**chosen})  # type: ignore[arg-type]
    page.get_by_text("white.pdn: 2 openings").wait_for()
    # the side is that of the file
    says(page, "3 positions with your move")
    play(page, "11-15")
    says(page, "23-19")
    # two moves, of which one is taken out and put back
    play(page, "23-19 8-11", line("11-15"))
    says(page, "Your moves here: 22-17 and 22-18. One is enough")
    press(page, "Unmark 22-18")
    says(page, "Your move here:")
    # the focus stays near what was pressed, for those with a keyboard
    wait_until(page, FOCUSED, "Unmark 22-17")
    press(page, "Undo")
    says(page, "One is enough")
    wait_until(page, FOCUSED, "Unmark 23-19")
    # a suggestion is no move of one's own until it is taken over
    from_menu(page, "New game")
    play(page, "9-13 22-18 10-15")
    says(page, "The book suggests a move here:")
    press(page, "Take 25-22 over")
    says(page, "4 positions with your move")

    with page.expect_download() as saved:
        press(page, "Save PDN")
    assert saved.value.suggested_filename == "kr-repertoire-white.pdn"
    path = tmp_path / "out.pdn"
    saved.value.save_as(path)
    source = tmp_path / "in.pdn"
    source.write_text(FILE)
    (whole,), (again,) = read_repertoires([source]).values(), read_repertoires([path]).values()
    assert set(again.roots) == set(whole.roots)
    assert {board: set(moves) for board, moves in again.moves.items()} == {
        board: set(moves) for board, moves in whole.moves.items()
    }
    assert not any(each.is_suggested for moves in again.moves.values() for each in moves.values())

    # an opening is a game to be looked through
    press(page, "Second Position")
    wait_until(page, "() => document.querySelector('.moves').innerText.includes('17-13')")
    # what is dropped there is a repertoire, what can't be read is told
    page.locator(".panel.repertoire").evaluate("""(element, text) => {
      const carried = new DataTransfer();
      carried.items.add(new File([text], "dropped.pdn"));
      element.dispatchEvent(new DragEvent("drop", {dataTransfer: carried, bubbles: true, cancelable: true}));
    }""", '[Repertoire "Black"]\n1. 9-14 22-18 2. 5-9 *')  # fmt: skip
    says(page, "2 positions with your move")
    assert panel(page).get_by_label("Repertoire for").input_value() == "black"


def test_what_is_no_repertoire_changes_nothing(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, allowed="status of 400")
    open_panel(page, "Repertoire")
    for content, said in ((b"hello", "no game found"), (b"x" * 2_000_000, "too large for a repertoire")):
        chosen = {"name": "x.pdn", "mimeType": "text/plain", "buffer": content}
        panel(page).locator("input[type=file]").set_input_files({**chosen})  # type: ignore[arg-type]
        wait_until(page, "said => document.querySelector('#status').textContent.includes(said)", said)
    says(page, "Nothing for Black so far.")


FULL = """() => Object.defineProperty(Storage.prototype, "setItem", {value(key, text) {
  if (key === "kr-repertoire") throw new DOMException("full", "QuotaExceededError");
}})"""
FORBIDDEN = """() => {
  for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, {get() { throw new DOMException("denied", "SecurityError"); }});
}"""


@pytest.mark.parametrize("why", [FULL, pytest.param(FORBIDDEN, marks=pytest.mark.soak)], ids=["full", "forbidden"])
def test_a_browser_that_keeps_nothing(server: WebServer, opened: Opener, why: str) -> None:
    page = opened(server.address)
    open_panel(page, "Repertoire")
    page.evaluate(why)
    play(page, "11-15")
    # the game on the board is kept, too
    page.evaluate("() => dispatchEvent(new Event('pagehide'))")
    chosen = {"name": "white.pdn", "mimeType": "text/plain", "buffer": FILE.encode()}
    for act in (
        lambda: press(page, "Mark 11-15 as mine"),
        lambda: panel(page).locator("input[type=file]").set_input_files({**chosen}),  # type: ignore[arg-type]
    ):
        page.evaluate("() => document.querySelector('#status').replaceChildren()")
        act()
        # what is said last stays
        wait_until(page, "() => document.querySelector('#status').textContent.includes('keeps no more')")
    says(page, "Nothing for Black so far.")


@pytest.mark.soak
def test_two_tabs_keep_what_each_other_marks(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    open_panel(page, "Repertoire")
    other = page.context.new_page()
    other.goto(server.address)
    # the panel that was open is open in another tab
    other.get_by_role("tabpanel", name="Repertoire").wait_for()
    play(other, "9-14")
    press(other, "Mark 9-14 as mine")
    # the first one hears of it
    says(page, "1 position with your move")
    play(page, "11-15 23-19 8-11")
    page.keyboard.press("m")
    says(other, "2 positions with your move")
    other.keyboard.press("Home")
    says(other, "Your moves here: 9-14 and 11-15.")
    stored = page.evaluate("() => JSON.parse(localStorage['kr-repertoire']).black.moves")
    assert {each["text"] for moves in stored.values() for each in moves.values()} == {"9-14", "11-15", "23-19", "8-11"}


@pytest.mark.soak
def test_a_line_by_lot_and_for_everyone(server: WebServer, opened: Opener) -> None:
    """Moves that are drawn by lot are not trained; the rules of axe hold before, with moves, and in training."""
    page = opened(server.address)
    open_panel(page, "Repertoire")
    assert faults_in(page, ".panels") == []
    choose_side(page, "white")
    panel(page).get_by_label("The first three moves are a ballot").check()
    play(page, "9-13 22-18")
    press(page, "Mark 22-18 as mine")
    page.get_by_text("22-18 is yours").wait_for()
    press(page, "Undo")
    play(page, "10-15 25-22", line("9-13 22-18"))
    press(page, "Mark 25-22 as mine")
    says(page, "1 position with your move")
    assert panel(page).get_by_role("button", name=re.compile("^Ballot")).is_visible()
    page.keyboard.press("ArrowLeft")
    says(page, "Your move here:")
    assert faults_in(page, ".panels") == []
    page.keyboard.press("t")
    says(page, "Your move, with White.")
    wait_for_board(page, line("9-13 22-18 10-15").fen)
    assert faults_in(page, ".panels") == []
    # a step through the game leaves it
    page.get_by_role("button", name="Back", exact=True).click()
    says(page, "Repertoire for")
