"""Mishaps of people at a page: moves that are not possible, errors, games lost on the way, late answers."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tree_pages import CLIPBOARD, REFUSED, fen, paste, saved, show_games, shows
from web_pages import (
    Opener,
    click_square,
    from_menu,
    meant_board,
    point_of,
    read_board,
    serving,
    show_setup,
    type_fen,
    wait_for_board,
    wait_until,
)

import kr
from kr.game.position import Position
from kr.pdn import Game
from kr.viewer.document import game_document
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

DESK, HAND = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
FORCED = Position().play("11-15").play("22-18")
SAID = "wanted => document.querySelector('#status').textContent.includes(wanted)"
# an element inside the window, and inside the list that it stands in
IN_SIGHT = """([item, list]) => {
  const all = [...document.querySelectorAll(item)], own = all.at(-1)?.getBoundingClientRect();
  const box = list ? document.querySelector(list)?.getBoundingClientRect() : own;
  return Boolean(own && box && own.height > 0 && own.top >= Math.max(0, box.top - 1) && own.left >= 0 &&
    own.right <= innerWidth && own.bottom <= Math.min(innerHeight, box.bottom + 1));
}"""


def said(page: Page, text: str) -> None:
    wait_until(page, SAID, text)


def set_up(page: Page, position: Position) -> None:
    type_fen(page, position.fen)
    wait_for_board(page, position.fen)
    wait_until(page, "() => document.querySelector('main .board .movable') !== null")


# --- moves that are not possible


def drag(page: Page, origin: int, target: int) -> None:
    page.mouse.move(*point_of(page, origin))
    page.mouse.down()
    page.mouse.move(*point_of(page, target), steps=4)
    page.mouse.up()


# a position, what somebody does there, what is then said, and the arrows that show captures
IMPOSSIBLE: list[tuple[Position, Callable[[Page], Any], str, int]] = [
    (FORCED, lambda page: [click_square(page, each) for each in (9, 14)], "9-14 isn't possible: you must", 1),
    (Position(), lambda page: drag(page, 11, 18), "11-18 isn't possible: 11 can go to 15 or 16", 0),
]


def test_a_move_that_is_not_possible_is_explained(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, DESK)
    for position, act, why, captures in IMPOSSIBLE:
        set_up(page, position)
        act(page)
        said(page, why)
        assert page.locator("main .arrow.must").count() == captures, why
        assert read_board(page) == meant_board(position.fen), why
        # the next move takes it away
        move = position.legal_moves()[0]
        for square in (move.origin + 1, move.target + 1):
            click_square(page, square)
        wait_for_board(page, position.play(move).fen)
        assert page.locator("main .arrow.must").count() == 0, why
        assert page.locator("#status").inner_text() == "", why


def test_a_forced_capture_is_explained_to_keys_fingers_and_in_a_game(server: WebServer, opened: Opener) -> None:
    page = opened(server.address + "#play", HAND, has_touch=True)
    page.locator(".options summary").click()
    page.get_by_label("From", exact=True).select_option("fen")
    page.get_by_label("FEN of the position").fill(FORCED.fen)
    page.get_by_role("button", name="Play", exact=True).click()
    wait_until(page, "() => document.querySelector('.turn')?.textContent.includes('Your move')")
    page.touchscreen.tap(*point_of(page, 9, flipped=True))
    said(page, "9-13 and 9-14 aren't possible: you must capture, 15x22")
    assert page.evaluate(IN_SIGHT, ["#status", ""])
    cell = page.locator("main .grid [data-square='10']")
    assert page.locator("main .grid [data-square='15']").get_attribute("aria-label") == "15, black man, must capture"
    cell.focus()
    page.keyboard.press("Enter")
    # what screen readers speak
    said(page, "10-14 isn't possible: you must capture, 15x22")
    assert page.locator("#status").get_attribute("role") == "status"
    assert page.locator("main .arrow.must").count() == 1


def test_an_error_is_gone_with_the_next_act(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, DESK, allowed=REFUSED)
    for act in (
        lambda: from_menu(page, "New game"),
        lambda: page.get_by_role("link", name="Learn").click(),
    ):
        type_fen(page, "rubbish")
        said(page, "FEN 'rubbish'")
        # not by its own time
        page.evaluate("() => { for (let timer = setTimeout(() => {}); timer; timer--) clearTimeout(timer); }")
        act()
        wait_until(page, "() => !document.querySelector('#status').textContent.includes('rubbish')")


# --- games that are lost on the way


def test_what_could_not_be_read_is_said_and_stays(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, DESK, **CLIPBOARD)
    text = "\n\n".join(f'[Event "E{i}"]\n\n1. {"22-18" if i % 2 else "11-15"} {{game {i}}} *' for i in range(4))
    paste(page, text)
    shows(page, "game 0")
    said(page, "2 games, 2 could not be read")
    lost = page.locator(".lost")
    for _ in range(2):
        assert lost.inner_text().startswith("2 games could not be read")
        assert [item.split(",")[0] for item in lost.locator("li").all_inner_texts()] == ["line 7", "line 15"]
        page.get_by_role("button", name="Next game").click()
        shows(page, "game 2")
    paste(page, "1. 9-14 *")
    shows(page, "9-14")
    assert not lost.is_visible()


def test_a_large_file_is_whole_and_its_list_is_short(server: WebServer, opened: Opener, tmp_path: Path) -> None:
    path = tmp_path / "large.pdn"
    comment = "x" * 1000
    path.write_text("".join(f'[Event "E{i}"]\n\n1. 11-15 {{game {i} {comment}}} *\n\n' for i in range(3000)))
    assert path.stat().st_size > 3_000_000
    page = opened(server.address, DESK)
    show_games(page)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open…").click()
    chooser.value.set_files(path)
    shows(page, "game 0 ")
    wait_until(page, "() => document.querySelector('main').textContent.includes('large.pdn: 3,000 games')")
    rows = page.locator(".games li")
    assert rows.count() < 40
    rows.first.locator("button").focus()
    page.keyboard.press("End")
    last = page.locator(".games").get_by_title("E2999 ")
    last.wait_for()
    assert page.evaluate("document.activeElement.closest('li').dataset.index") == "2999"
    page.keyboard.press("Enter")
    shows(page, "game 2999 ")
    page.get_by_role("button", name="Previous game").click()
    shows(page, "game 2998 ")


# --- answers that come late


HOLD = """path => {
    const {prototype} = Worker, {postMessage} = prototype;
    const held = globalThis.held = [];
    prototype.postMessage = function (message, ...rest) {
        const send = () => postMessage.call(this, message, ...rest);
        if (message.ask === path) held.push(send); else send();
    };
    globalThis.release = () => { prototype.postMessage = postMessage; for (const send of held) send(); };
}"""


@contextmanager
def held(page: Page, path: str) -> Iterator[Callable[[], None]]:
    """Requests that are answered at the end of the block; yields what waits for one."""
    page.evaluate(HOLD, path)
    yield lambda: wait_until(page, "() => held.length")
    page.evaluate("release()")


def moved(page: Page) -> None:
    for square in (9, 14):
        click_square(page, square)


ACTS: dict[str, Callable[[Page], Any]] = {
    "a move": moved,
    "a new game": lambda page: from_menu(page, "New game"),
    "set-up": lambda page: (show_setup(page), page.get_by_role("button", name="Place pieces").click()),
    "a comment": lambda page: (
        from_menu(page, "Mark or comment"),
        page.get_by_label("Comment", exact=True).fill("mine"),
    ),
    "another page": lambda page: page.get_by_role("link", name="Learn").click(),
}


@pytest.mark.soak
def test_a_late_game_does_not_overwrite_what_was_done_since(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, DESK, **CLIPBOARD)
    for act, done in ACTS.items():
        set_up(page, Position())
        with held(page, "games/read") as waiting:
            paste(page, f'[Event "Late for {act}"]\n\n1. 10-15 *')
            page.get_by_text("Reading Pasted text").wait_for()
            waiting()
            done(page)
            page.wait_for_timeout(50)
        said(page, "Pasted text is read; its games are listed")
        if act == "another page":
            assert page.evaluate("location.hash").startswith("#learn")
            page.get_by_role("link", name="Analyse").click()
        elif act == "set-up":
            assert page.get_by_role("button", name="Done").is_visible()
            page.get_by_role("button", name="Cancel").click()
        elif act == "a comment":
            page.get_by_role("button", name="Done").click()
            shows(page, "mine")
        show_games(page)
        assert fen(page) == (Position().play("9-14") if act == "a move" else Position()).fen, act
        # it is not lost
        page.locator(".games").get_by_title(f"Late for {act}").click()
        shows(page, "10-15")
    # a text that is being read can be given up
    set_up(page, Position())
    with held(page, "games/read"):
        paste(page, "1. 10-15 *")
        page.get_by_role("button", name="Cancel").click()
        page.get_by_text("Reading Pasted text").wait_for(state="hidden")
    page.wait_for_timeout(300)
    assert fen(page) == Position().fen


def test_a_late_ending_does_not_come_to_another_page(server: WebServer, opened: Opener) -> None:
    page = opened(server.address + "#endings/win/W:WK19,K23:B12,K28", DESK)
    page.get_by_text("White to play and win").wait_for()
    with held(page, "endings/new") as waiting:
        page.locator(".controls").get_by_role("button", name="New ending").click()
        waiting()
        page.get_by_role("link", name="Play", exact=True).click()
    page.wait_for_timeout(300)
    assert page.evaluate("location.hash").startswith("#play")


def test_a_late_solution_is_not_put_behind_a_move_made_since(server: WebServer, opened: Opener) -> None:
    page = opened(server.address + "#learn/first-position", DESK)
    wait_until(page, "() => document.querySelector('main .board .movable') !== null")
    with held(page, "puzzles/solution") as waiting:
        page.get_by_role("button", name="Solution").click()
        waiting()
        flipped = bool(page.locator("main .board.flipped").count())
        for square in (23, 27):
            click_square(page, square, flipped=flipped)
    wait_until(page, "() => document.querySelector('.verdict').textContent.startsWith('✓')")
    # the answer to what was held comes after that to the move
    page.wait_for_timeout(300)
    line = [text.strip() for text in page.locator(".line li").all_inner_texts()]
    assert line[0] == "23-27"
    assert len(line) == 2


def test_an_address_that_names_a_page_counts_more_than_a_file(opened: Opener, tmp_path: Path) -> None:
    path = tmp_path / "a.pdn"
    path.write_text("1. 9-14 22-18 *\n")
    with serving(files=(path,)) as server:
        page = opened(server.address + "#learn", DESK)
        said(page, "a.pdn is open on the page Analyse")
        assert page.locator(".learn").is_visible()
        page.get_by_role("link", name="Analyse").click()
        page.locator(".moves").wait_for()
        shows(page, "1. 9-14 22-18")


# --- what is in sight


def long_game() -> Game:
    """70 plies by chance."""
    board, chance = kr.Board(), random.Random(8)
    while len(board.moves) < 70 and board.legal_moves():
        board.play(chance.choice(board.legal_moves()))
    return Game(moves=board.moves)


@pytest.mark.parametrize("size", [DESK, pytest.param(HAND, marks=pytest.mark.soak)])
def test_the_newest_move_is_in_sight(server: WebServer, opened: Opener, size: dict[str, int]) -> None:
    game = long_game()
    count = len(game.moves)
    assert count > 50
    kept = {
        "id": "long", "settings": {"level": 1, "side": "black"}, "document": game_document(game),
        "over": {"winner": "white", "reason": "resignation", "result": "0-1"},
    }  # fmt: skip
    page = opened(server.address, size, **CLIPBOARD)
    page.evaluate("kept => localStorage.setItem('kr-play', JSON.stringify({game: kept, casual: true}))", kept)
    page.get_by_role("link", name="Play", exact=True).click()
    wait_until(page, "count => document.querySelectorAll('.played span').length === count", count)
    wait_until(page, IN_SIGHT, [".played span", ".played"])
    # also after another page, and of an earlier move that is looked at
    page.get_by_role("link", name="Learn").click()
    page.get_by_role("link", name="Play", exact=True).click()
    wait_until(page, IN_SIGHT, [".played span", ".played"])
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("button", name="Forward", exact=True).click()
    assert page.evaluate(IN_SIGHT, [".played .at", ".played"])

    page.get_by_role("link", name="Analyse").click()
    page.locator(".welcome").wait_for()
    paste(page, " ".join(map(str, game.moves)))
    shows(page, str(game.moves[-1]))
    page.get_by_role("button", name="End", exact=True).click()
    # by the board, wherever the list of moves is; in a wide window the list too
    last = f"{(count + 1) // 2}{'...' if count % 2 == 0 else '.'} {game.moves[-1]}"
    wait_until(page, "last => document.querySelector('.analyse .turn').textContent.startsWith(last)", last)
    assert page.evaluate(IN_SIGHT, [".analyse .turn", ""])
    if size is DESK:
        # the name of the opening arrives above the list, which is lower then until the next frame
        wait_until(page, IN_SIGHT, [".moves [aria-current]", ".moves"])


@pytest.mark.parametrize("size", [pytest.param(DESK, marks=pytest.mark.soak), HAND])
def test_the_line_of_a_puzzle_is_in_sight_and_its_source_comes_last(
    server: WebServer, opened: Opener, size: dict[str, int]
) -> None:
    page = opened(server.address + "#learn/phantom-fox-den", size)
    page.get_by_text("Phantom Fox Den").first.wait_for()
    wait_until(page, "() => document.querySelector('main .board .movable') !== null")
    assert "22-17" not in page.locator("main").inner_text()
    page.get_by_role("button", name="Solution").click()
    page.get_by_text("taken at 22-17").wait_for()
    forward = page.get_by_role("button", name="Forward", exact=True)
    forward.evaluate("(button, count) => { for (; count; count--) button.click(); }", page.locator(".line li").count())
    assert page.evaluate(IN_SIGHT, [".line [aria-current]", ".line"])
    assert page.locator(".line li").last.locator("[aria-current]").count() == 1


def test_what_the_author_drew_is_on_the_board(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, DESK, **CLIPBOARD)
    paste(page, "1. 11-15 {[%cal G23-19,R0914] [%csl Y18] Look} 23-19 *")
    shows(page, "11-15 Look")
    assert page.locator("main .arrow.drawn, main .ring").count() == 0
    page.keyboard.press("ArrowRight")
    wait_until(page, "() => document.querySelectorAll('main .arrow.drawn').length === 2")
    assert page.locator("main .ring.yellow").count() == 1
    assert page.locator("main .arrow.green, main .arrow.red").count() == 2
    assert not re.search("%|cal|csl", page.locator(".moves").inner_text())
    page.keyboard.press("ArrowRight")
    wait_until(page, "() => document.querySelectorAll('main .arrow.drawn, main .ring').length === 0")
    assert "[%csl Y18][%cal G2319,R0914]" in saved(page).next().comment
