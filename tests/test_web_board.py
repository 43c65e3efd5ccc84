"""The board in a browser, by real clicks, drags and keys: setting up, moving, editing."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from web_pages import (
    Opener,
    click_square,
    meant_board,
    point_of,
    read_board,
    show_setup,
    type_fen,
    wait_for_board,
    wait_until,
)

import kr
from kr.openings.lines import named_lines
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

START = kr.Position().fen
SHOWN = "fen => document.querySelector('input.fen').value === fen"


def ready(page: Page) -> None:
    """Wait until the board can be moved on: some piece can."""
    wait_until(page, "() => document.querySelectorAll('main .board .movable').length > 0")


def set_up(page: Page, fen: str) -> None:
    """Type a FEN into its field."""
    type_fen(page, fen)
    wanted = kr.Position.from_fen(fen)
    # the field shows it already: only the board tells when it is there
    wait_for_board(page, wanted.fen)
    if not wanted.is_over:
        ready(page)


def wait_for_fen(page: Page, fen: str) -> None:
    wait_until(page, SHOWN, fen)
    assert read_board(page) == meant_board(fen)


def test_moves_by_two_clicks_and_by_dragging(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, reduced_motion="no-preference")
    board = kr.Board()
    assert read_board(page) == meant_board(START)
    chance = random.Random(1)
    for ply in range(6):
        ready(page)
        move = chance.choice([each for each in board.legal_moves() if len(each.path) == 2])
        origin, target = move.origin + 1, move.target + 1
        board.play(move)
        if ply % 2:
            click_square(page, origin)
            click_square(page, target)
        else:
            page.mouse.move(*point_of(page, origin))
            page.mouse.down()
            page.mouse.move(*point_of(page, (origin + target) // 2), steps=3)
            page.mouse.move(*point_of(page, target), steps=3)
            page.mouse.up()
        wait_for_fen(page, board.fen)


def targets(page: Page) -> int:
    return page.locator("main .board .target").count()


def test_a_piece_in_the_hand_goes_with_its_position(server: WebServer, opened: Opener) -> None:
    page, moved = opened(server.address, reduced_motion="no-preference"), kr.Position().play("11-15")
    ready(page)
    click_square(page, 11)
    click_square(page, 15)
    wait_for_fen(page, moved.fen)
    ready(page)
    for key, shown in (("f", moved.fen), ("Home", START)):
        page.mouse.move(*point_of(page, 24, flipped=key != "f"))
        page.mouse.down()
        page.mouse.move(*point_of(page, 20, flipped=key != "f"), steps=4)
        page.keyboard.press(key)
        page.mouse.move(*point_of(page, 19, flipped=True), steps=4)
        page.mouse.up()
        assert read_board(page) == meant_board(shown)
        assert page.evaluate("document.querySelectorAll('main .board .pieces > use').length") == 24


def test_targets_are_shown_and_wrong_clicks_do_nothing(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    ready(page)
    for square in (1, 18, 25, 4):
        click_square(page, square)
        assert targets(page) == 0
    click_square(page, 11)
    assert targets(page) == 2
    click_square(page, 11)
    assert targets(page) == 0
    click_square(page, 11)
    click_square(page, 9)
    assert targets(page) == 2
    click_square(page, 30)
    assert targets(page) == 0
    wait_for_fen(page, START)
    for square in (11, 15, 11, 15, 22, 18, 15):
        # faster than the server answers: what is too early is lost, never misunderstood
        click_square(page, square)
    text = page.get_by_label("FEN", exact=True).input_value()
    assert kr.Position.from_fen(text).pieces in (23, 24)
    assert read_board(page) == meant_board(text)


STAR = "B:W6,7,14,15,22,23:BK2"
"""Six captures, with two ways to each target; two of them lead back to where they begin."""


# squares that are clicked, and the capture that is meant
CHOICES = [
    # step by step
    ([2, 11, 18, 25], [2, 11, 18, 25]),
    # the target first, then the way to it
    ([2, 25, 9], [2, 9, 18, 25]),
    # a change of mind, a click beside it
    ([2, 25, 30, 2, 9, 18, 27], [2, 9, 18, 27]),
]


def test_ambiguous_captures_are_chosen_by_their_jumps(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    set_up(page, STAR)
    start = kr.Position.from_fen(STAR)
    for flipped, choices in ((False, CHOICES), (True, CHOICES[1:2])):
        for clicks, path in choices:
            for square in clicks:
                click_square(page, square, flipped=flipped)
            (move,) = (each for each in start.legal_moves() if [square + 1 for square in each.path] == path)
            wait_for_fen(page, start.play(move).fen)
            page.keyboard.press("ArrowLeft")
            wait_for_fen(page, start.fen)
        page.keyboard.press("f")


def test_a_board_is_played_on_by_keys_alone(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    ready(page)
    page.locator("main .board [tabindex='0']").focus()
    focused = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(focused) == "1, black man"
    # down from 1 to 6, 9 or 10, ...: every square can be reached
    seen = set()
    for key in ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft"]:
        page.keyboard.press(key)
        seen.add(page.evaluate("Number(document.activeElement.dataset.square)"))
    assert len(seen) >= 5
    while "11," not in page.evaluate(focused):
        page.keyboard.press("ArrowRight" if page.evaluate("Number(document.activeElement.dataset.square)") in (9, 10)
                            else "ArrowDown" if page.evaluate("Number(document.activeElement.dataset.square)") < 9
                            else "ArrowUp")  # fmt: skip
    assert page.evaluate(focused) == "11, black man, can move"
    page.keyboard.press("Enter")
    assert page.evaluate(focused) == "11, black man, chosen"
    assert targets(page) == 2
    page.keyboard.press("Escape")
    assert targets(page) == 0
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) in ("15, empty, can be moved to", "16, empty, can be moved to")
    target = page.evaluate("Number(document.activeElement.dataset.square)")
    page.keyboard.press("Enter")
    wait_for_fen(page, kr.Position().play(f"11-{target}").fen)
    assert page.locator("#spoken").text_content() == f"11 to {target}"


def test_the_editor(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    show_setup(page)
    page.get_by_role("button", name="Place pieces").click()
    # an impossible position is refused and can be mended: a black man on White's king row, and nothing to undo
    page.get_by_role("button", name="Black man").click()
    page.get_by_role("button", name="Clear", exact=True).click()
    click_square(page, 30)
    page.get_by_role("button", name="Done").click()
    wait_until(page, "() => document.querySelector('#status').textContent.includes('30')")
    # what stands beside the editor is of the position in it
    page.get_by_label("Side to move").select_option("W")
    assert page.locator(".said .turn").text_content() == "White to move"
    page.get_by_role("button", name="Cancel").click()
    wait_for_fen(page, START)
    assert page.locator(".said .turn").text_content() == "Black to move"
    page.get_by_role("button", name="Place pieces").click()
    page.get_by_role("button", name="Clear", exact=True).click()
    assert read_board(page) == {}
    # an empty board is no position, and can be filled on
    page.get_by_role("button", name="Done").click()
    page.get_by_text("The board is empty: a position needs pieces").wait_for()
    assert page.locator(".editor").is_visible()
    for name, squares in (("White king", (18,)), ("Black man", (1, 14)), ("Black king", (29, 30)), ("White man", (5,))):
        page.get_by_role("button", name=name).click()
        for square in squares:
            click_square(page, square)
    assert read_board(page) == {18: "W", 1: "b", 14: "b", 29: "B", 30: "B", 5: "w"}
    # a second click takes a piece off, a drag moves it, off the board it goes
    click_square(page, 5)
    page.mouse.move(*point_of(page, 1))
    page.mouse.down()
    page.mouse.move(*point_of(page, 10), steps=4)
    page.mouse.up()
    page.mouse.move(*point_of(page, 30))
    page.mouse.down()
    x, y = point_of(page, 32)
    page.mouse.move(x + 300, y, steps=4)
    page.mouse.up()
    page.get_by_role("button", name="White man").click()
    click_square(page, 9)
    click_square(page, 9)
    page.get_by_label("Side to move", exact=True).select_option("White to move")
    page.get_by_role("button", name="Done").click()
    # the editor shows all this already
    wait_until(page, "() => document.querySelector('.editor').hidden")
    wait_for_fen(page, "W:WK18:B10,14,K29")
    ready(page)
    click_square(page, 18)
    click_square(page, 9)
    wait_for_fen(page, kr.Position.from_fen("W:WK18:B10,14,K29").play("18x9").fen)


BAD_FENS = ["", "<img src=x onerror=alert(1)>", "B" * 5000]


# a deck, what is looked for in it, the button that is clicked, and what is then the event
BALLOTS = [
    ("3move", "skunk", "174.", "Three-move ballot 174: Skunk"),
    ("3move", "9-13 21-17 5-9", "1.", "Three-move ballot 1"),
    ("11man", "2500", "2500.", "11-man ballot 2500"),
]


def test_bad_fens_and_ballots_by_name_and_moves(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    ready(page)
    show_setup(page)
    for text in BAD_FENS:
        page.get_by_label("FEN", exact=True).fill(text)
        page.evaluate("document.querySelector('#status').textContent = ''")
        page.get_by_role("button", name="Set", exact=True).click()
        wait_until(page, "text => document.querySelector('#status').textContent !== ''", text[:50])
        assert read_board(page) == meant_board(START), text[:50]
    for deck, wanted, chosen, event in BALLOTS:
        page.get_by_label("Ballots", exact=True).select_option(deck)
        page.get_by_label("Find a ballot", exact=True).fill(wanted)
        page.locator(".found button", has_text=chosen).first.click()
        wait_until(page, "text => document.querySelector('#status').textContent === text", event)
        number = int(event.split()[-1] if ":" not in event else event.split(":")[0].split()[-1])
        (opening,) = (each for each in kr.openings.deck(deck, playable_only=False) if each.number == number)
        wait_for_fen(page, opening.position.fen)
        start, moves = opening.begin()
        for _ in moves:
            page.keyboard.press("ArrowLeft")
        wait_for_fen(page, start.fen)
    # a name that no ballot has is found where all names are; a number is one of the deck
    page.get_by_label("Find a ballot", exact=True).fill("2501")
    page.get_by_text("No opening is called so.").wait_for()
    page.get_by_role("button", name="Take off the filter Find a ballot: 2501").click()
    assert page.get_by_label("Find a ballot", exact=True).input_value() == ""
    page.get_by_label("Find a ballot", exact=True).fill("Laird and Lady Refused")
    page.get_by_text("Not among these, but among the openings with a name:").wait_for()
    page.locator(".found").get_by_role("button").click()
    (line,) = (each for each in named_lines() if each.name == "Laird and Lady Refused")
    wait_for_fen(page, kr.Position.from_bits(line.board).fen)
