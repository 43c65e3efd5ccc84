"""Journeys of a new user, from the first page to the end, by mouse and by finger.

They run against both forms of the page. Each one counts the presses on what is not the board, so that none is added
unseen, and each press is on something that is wholly inside the window. Moves are on squares of the board, and not
counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from page import Page as Answers
from page import started
from sites import EVERYWHERE, PLACES, address, site, without_chance
from web_pages import SIZES, Opener, out_of_sight, wait_for_board, wait_until

import kr

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Locator, Page

__all__ = ["address"]
pytestmark = pytest.mark.slow

PHONE = SIZES[2]
ARCHIVE = """[Event "Glasgow"]
[Black "Stewart, R."]
[White "Jordan, A."]
1. 11-15 23-19 2. 8-11 22-17 3. 4-8 17-13 4. 15-18 24-20 1-0

[Event "Leeds"]
[Black "Jordan, A."]
[White "Tinsley, M."]
1. 11-15 23-19 2. 8-11 22-17 3. 4-8 25-22 1/2-1/2

[Event "London"]
[Black "Long, A."]
[White "Tinsley, M."]
1. 9-13 22-18 1/2-1/2
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of kr web with an archive."""
    path = tmp_path_factory.mktemp("journeys") / "archive.pdn"
    path.write_text(ARCHIVE)
    with site("kr web", weights="manual", archive=(path,)) as address:
        yield address


@pytest.fixture(scope="module")
def answers() -> Iterator[Answers]:
    """The answers of the page in another process, which know what a person plays."""
    yield from started()


class Mouse:
    """A person with a mouse, or a finger where the window is a phone's."""

    def __init__(self, page: Page, touch: bool) -> None:
        self.page = page
        self.presses = 0
        """On what is not the board."""
        self._touch = touch

    def press(self, what: Locator) -> None:
        """Press something that is in sight."""
        what.wait_for()
        self._in_sight(what)
        self._act(what)
        self.presses += 1

    def write(self, field: Locator, text: str) -> None:
        """Go to a field and type."""
        self.press(field)
        self.page.keyboard.type(text)

    def square(self, number: int) -> None:
        """Choose a square of the board."""
        square = self.page.locator(f"main .board .grid [data-square='{number}']")
        self._in_sight(square)
        self._act(square)

    def _act(self, what: Locator) -> None:
        if self._touch:
            what.tap()
        else:
            what.click()

    def _in_sight(self, what: Locator) -> None:
        what.evaluate("each => each.setAttribute('data-next', '')")
        assert out_of_sight(self.page, ["[data-next]"]) == [], what
        what.evaluate("each => each.removeAttribute('data-next')")


def begin(address: str, opened: Opener, size: dict[str, int]) -> Mouse:
    """A person at the first page."""
    touch = size == PHONE
    return Mouse(opened(address, size, has_touch=touch, before=without_chance), touch)


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def link(page: Page, name: str) -> Locator:
    return page.get_by_role("link", name=name, exact=True)


def move(person: Mouse, board: kr.Board, move: kr.Move) -> None:
    """Choose the squares of a move until it is the only one meant."""
    left = board.legal_moves()
    for count, square in enumerate(move.path):
        left = [each for each in left if each.path[count] == square]
        person.square(square + 1)
        if count and len({board.position.play(each) for each in left}) == 1:
            break
    board.play(move)


# --- a first game, its review, and a page of it for a friend


TURN = """moves => document.querySelectorAll('main .board .movable').length > 0 &&
  document.querySelector('.turn').textContent.includes('Your move') &&
  [...document.querySelectorAll('.played li')].flatMap(row => row.textContent.trim().split(/ +/)).length >= moves"""
PLAYED = "() => [...document.querySelectorAll('.played li')].flatMap(row => row.textContent.trim().split(/ +/))"


def play_and_resign(person: Mouse, moves: int) -> None:
    """A game against the beginner, given up after some moves."""
    page = person.page
    person.press(link(page, "Play"))
    person.press(page.locator(".new-game label", has_text="Beginner"))
    person.press(button(page, "Play"))
    board = kr.Board()
    for number in range(moves):
        wait_until(page, TURN, 2 * number)
        for text in page.evaluate(PLAYED)[len(board.moves) :]:
            board.play(text)
        # careless: the last of the legal moves
        move(person, board, board.legal_moves()[-1])
    wait_until(page, TURN, 2 * moves)
    person.press(button(page, "Resign"))
    person.press(page.get_by_role("dialog").get_by_role("button", name="Resign"))
    wait_until(page, "() => document.querySelector('.turn').textContent === 'kr wins: you resigned. 0-1'")
    assert page.locator(".seat.turn-to-move").count() == 0


def review_and_send(person: Mouse, file: Path) -> None:
    """The review of the game that is over, its first mark, and a page of it."""
    page = person.page
    person.press(button(page, "Review"))
    button(page, "Review it again").wait_for()
    assert out_of_sight(page, [".review .summary"]) == []
    person.press(button(page, "Next mark"))
    assert out_of_sight(page, [".stepper > button", ".stepper [aria-current]"]) == []
    wait_until(page, "() => document.querySelector('.mark-facts').textContent.includes('Better: ')")
    assert out_of_sight(page, [".mark-facts b"]) == []
    assert page.locator("main .board .arrow.better").count() == 1
    with page.expect_download() as download:
        # what is said of the mark has taken the place of the button
        person.press(button(page, "Send"))
        person.press(page.get_by_role("menuitem", name="Send as page"))
    download.value.save_as(file)
    assert "You lost" in page.locator(".review .summary").inner_text()
    assert "resigned" in file.read_text()


@pytest.mark.parametrize(("address", "size"), EVERYWHERE, indirect=["address"])
def test_a_first_game_its_review_and_a_page_for_a_friend(
    address: str, opened: Opener, tmp_path: Path, size: dict[str, int]
) -> None:
    person = begin(address, opened, size)
    play_and_resign(person, 4)
    assert person.presses == 5
    review_and_send(person, tmp_path / "game.html")
    assert person.presses == 5 + 4


# --- what people play in an opening


def explore(person: Mouse) -> None:
    """What was played in the Old Fourteenth."""
    page = person.page
    person.press(page.get_by_role("tab", name="Explorer"))
    person.press(button(page, "Search"))
    person.write(page.get_by_label("Opening", exact=True), "old fo")
    person.press(button(page, "Old Fourteenth"))
    # of the archive, once it is read; until then the book's own counts are there
    wait_until(
        page,
        """() => [...document.querySelectorAll(".tally tbody tr:not(.unplayed)")].slice(0, 2)
          .map(each => each.querySelectorAll("td")[1].innerText).join() === "1,1" """,
    )
    assert out_of_sight(page, [".explorer .opening", ".tally tbody tr:nth-child(-n+3)"]) == []
    assert page.locator(".explorer .opening").inner_text().startswith("Old Fourteenth")


@pytest.mark.soak
@pytest.mark.parametrize("size", [SIZES[0], SIZES[2]])
def test_what_people_play_in_the_old_fourteenth(archive: str, opened: Opener, size: dict[str, int]) -> None:
    person = begin(archive, opened, size)
    explore(person)
    assert person.presses == 4


# --- puzzles

HEAR_PUZZLE = """() => { const send = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...rest) {
  if (message.ask === "puzzles/start") window.puzzle = message.body.id;
  return send.call(this, message, ...rest);
}; }"""
"""Has a page know the name of its puzzle."""


def solve(person: Mouse, answers: Answers, count: int) -> None:
    """Some puzzles, one after the other."""
    page = person.page
    name = None
    for number in range(count):
        person.press(button(page, "Next puzzle") if number else link(page, "Learn"))
        # two in a row may have one title
        wait_until(page, "name => (window.puzzle ?? name) !== name", name)
        name = page.evaluate("puzzle")
        begun = answers.ask("puzzles/start", {"id": name})
        board = kr.Board(begun["start"])
        for each in begun["moves"]:
            board.play(each["text"])
        wait_for_board(page, board.fen)
        while True:
            wait_until(page, "() => document.querySelectorAll('main .board .movable').length > 0")
            texts = [str(each) for each in board.moves]
            best = answers.ask("puzzles/hint", {"id": name, "moves": texts, "whole": True})["move"]["text"]
            answer = answers.ask("puzzles/answer", {"id": name, "moves": [*texts, best]})
            move(person, board, board.parse_move(best))
            if answer["ended"]:
                break
            board.play(answer["reply"]["text"])
            wait_until(page, "count => document.querySelectorAll('main .line li').length === count", len(board.moves))
        wait_until(page, "() => document.querySelector('.verdict').textContent.includes('Solved!')")
        assert out_of_sight(page, [".verdict"]) == []


@pytest.mark.soak
@pytest.mark.parametrize(
    ("address", "size", "count"),
    [(*PLACES[0], 2), (*PLACES[1], 1)],
    indirect=["address"],
)
def test_puzzles_in_a_row(address: str, answers: Answers, opened: Opener, size: dict[str, int], count: int) -> None:
    person = begin(address, opened, size)
    person.page.evaluate(HEAR_PUZZLE)
    solve(person, answers, count)
    assert person.presses == count


# --- an ending


def win(person: Mouse, answers: Answers) -> None:
    """Two kings against one, the first ending that is offered."""
    page = person.page
    page.evaluate("() => { Math.random = () => 0.25; }")
    person.press(link(page, "Endings"))
    wait_until(page, "() => location.hash.startsWith('#endings/win/')")
    fen: str = page.evaluate("() => decodeURIComponent(location.hash).split('/').slice(2).join('/')")
    board = kr.Board(fen)
    assert board.position.pieces == 3
    while not board.outcome():
        wait_until(page, "() => document.querySelectorAll('main .board .movable').length > 0")
        best = answers.ask("endings/values", {"fen": board.fen})["moves"][0]["text"]
        move(person, board, board.parse_move(best))
        if board.outcome():
            break
        wait_until(page, "count => document.querySelectorAll('main .line li').length === count", len(board.moves) + 1)
        board.play(page.locator("main .line li").last.inner_text())
        assert len(board.moves) < 60
    wait_until(page, "() => document.querySelector('.verdict').textContent.includes('You have won')")
    assert out_of_sight(page, [".verdict"]) == []


@pytest.mark.parametrize(("address", "size"), EVERYWHERE, indirect=["address"])
def test_two_kings_win_against_one(address: str, answers: Answers, opened: Opener, size: dict[str, int]) -> None:
    person = begin(address, opened, size)
    win(person, answers)
    assert person.presses == 1


# --- stepping


@pytest.mark.soak
def test_a_step_takes_little_of_a_script(archive: str, opened: Opener) -> None:
    """Through a game with the engine on and a panel open, in processor time, so that others' work does not count."""
    person = begin(archive, opened, SIZES[0])
    page = person.page
    person.press(page.get_by_role("tab", name="Explorer"))
    person.press(button(page, "Search"))
    person.write(page.get_by_label("Opening", exact=True), "old fo")
    person.press(button(page, "Old Fourteenth"))
    wait_until(page, "() => document.querySelectorAll('.moves button.move').length === 5")
    person.press(button(page, "Analyse"))
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable", {"timeDomain": "threadTicks"})
    took = []
    for key in ("ArrowLeft", "ArrowRight") * 6:
        before = script_seconds(client)
        page.keyboard.press(key)
        page.wait_for_timeout(100)
        took.append(script_seconds(client) - before)
    assert max(took) < 0.016


def script_seconds(client: CDPSession) -> float:
    metrics = client.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "ScriptDuration"))
