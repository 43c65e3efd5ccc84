"""Whole games judged while one watches, by clicks and keys."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from test_annotate import BLUNDER, BLUNDER_PLY, played
from tree_pages import CLIPBOARD, opens, paste
from web_pages import (
    SIZES,
    SMALL,
    Opener,
    click_square,
    faults_in,
    meant_board,
    open_panel,
    out_of_sight,
    read_board,
    serving,
    wait_for,
    wait_until,
)

from kr.analysis.annotation.annotation import annotate
from kr.analysis.annotation.judging import JudgeSettings
from kr.analysis.annotation.marking import pov
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.pdn import Game
from kr.web.serve import WebServer
from kr.web.services.engines import MOST_ENGINES

if TYPE_CHECKING:
    from playwright.sync_api import Page


LONG = "9-14 22-18 5-9 24-19 11-16 26-22 8-11 28-24 16-20 31-26 11-16 18-15"


QUICK = 50_000
"""Nodes of the shortest limit in the panel."""
GRAPH = """() => {
  const frames = document.querySelectorAll(".side .graph .frame");
  const lines = Array.from(frames, line => Number(line.getAttribute("y1")));
  const level = y => (lines[2] - y) / (lines[2] - lines[0]);
  return {
    marks: Array.from(document.querySelectorAll(".side .graph .shape"), shape =>
      [Number(shape.dataset.ply), shape.getAttribute("class").split(" ")[1]]),
    ends: Array.from(document.querySelectorAll(".side .graph .curve"), line => level(line.getAttribute("y2"))),
  };
}"""
LOST = f"""[BlackPlayer "shipped,level=3"]
[WhitePlayer "human"]
[Result "1-0"]

{BLUNDER} 1-0
"""
"""A game that a person has lost against kr."""
STORY = (
    "You lost in a worse position. You came into a worse position at 5... 20-16, an oversight that hardly anyone makes."
)


def play(page: Page, game: Game) -> None:
    """Play a game from the start by clicks on squares."""
    for move in game.moves:
        origin = f"main .board .grid [data-square='{move.origin + 1}'].movable"
        page.locator(origin).wait_for()
        click_square(page, move.origin + 1)
        click_square(page, move.target + 1)
        page.locator(origin).wait_for(state="detached")


def begin(page: Page, limit: str = f"nodes={QUICK}") -> None:
    """Review the game on the board."""
    open_panel(page, "Review")
    page.locator(".review .options > summary").click()
    page.get_by_label("Limit of each search").select_option(limit)
    page.locator(".review .options > summary").click()
    press_start(page)


def press_start(page: Page) -> None:
    page.get_by_role("button", name="Review this game").click()


def wait_for_status(page: Page, text: str) -> None:
    wait_until(page, "text => document.querySelector('.review .status-line').textContent.includes(text)", text)


def words(page: Page, place: str) -> str:
    return " ".join(page.locator(place).inner_text().split())


@pytest.mark.slow
def test_a_game_is_reviewed_and_its_marks_are_gone_to(server: WebServer, opened: Opener) -> None:
    game = played(BLUNDER)
    page = opened(server.address)
    play(page, game)
    before = page.evaluate("() => document.querySelector('input.fen').value")
    begin(page)
    wait_for_status(page, "12 of 12 moves, 1 blunder. Undo")
    # where one was, one still is
    assert page.evaluate("() => document.querySelector('input.fen').value") == before
    engine = Engine(hash_mb=SMALL / (1 << 20))
    annotation = annotate(game, engine, JudgeSettings(tc=Limits(nodes=QUICK)))
    seen = page.evaluate(GRAPH)
    assert seen["marks"] == [[BLUNDER_PLY + 1, "blunder"]]
    meant = [pov(each.side, each.expected) for each in annotation.moves if each.expected is not None]
    assert seen["ends"] == pytest.approx(meant[1:], abs=0.006)
    black, white = annotation.black.accuracy, annotation.white.accuracy
    accuracy = f"Accuracy: Black {black:.0f}, White {white:.0f}."
    assert accuracy in words(page, ".review .summary")
    page.get_by_text("The whole story and all figures").click()
    rows = [row.split() for row in page.locator(".review table").inner_text().splitlines()]
    assert [row[-1] for row in rows[1:]] == ["0", "0"]
    assert [row[-2] for row in rows[1:]] == ["0", "1"]
    # to the mark, by its shape, by its name and by the buttons; the better line is played on the board
    page.keyboard.press("Home")
    page.locator(".side .graph .blunder.shape").click()
    assert read_board(page) == meant_board(list(game.positions())[BLUNDER_PLY + 1].fen)
    for name in ("Next mark", "5... 20-16, blunder"):
        page.keyboard.press("ArrowLeft")
        page.locator(".review").get_by_role("button", name=name, exact=True).click()
        assert read_board(page) == meant_board(list(game.positions())[BLUNDER_PLY + 1].fen)
    better = annotation.moves[BLUNDER_PLY].line
    wait_until(page, "() => document.querySelector('.mark-facts .people-say')")
    said = words(page, ".review .mark-facts")
    line = " ".join(map(str, better[:12]))
    assert said.startswith(f"5... 20-16?? blunder, comes into a worse position. Better: {line}")
    assert "This gives up 2 pieces: 20-16 12x28." in said
    assert "Hardly anyone plays 20-16 here; most play" in said
    assert f"Fairly firm: two searches of {QUICK:,} positions agree." in said
    assert page.locator("main .board .arrows .better").count() > 0
    # its lines are stepped through, and what is said of it stays
    page.locator(".mark-facts .variations button").nth(1).click()
    after = list(game.positions())[BLUNDER_PLY].play(better[0]).play(better[1])
    assert read_board(page) == meant_board(after.fen)
    assert words(page, ".review .mark-facts").startswith("5... 20-16?? blunder")
    assert page.locator(".mark-facts [aria-current]").inner_text() == str(better[1])
    page.locator(".review").get_by_role("button", name=name, exact=True).click()
    page.keyboard.press("ArrowLeft")
    page.locator(f"main .board .grid [data-square='{better[0].origin + 1}'].movable").wait_for()
    click_square(page, better[0].origin + 1)
    click_square(page, better[0].target + 1)
    position = list(game.positions())[BLUNDER_PLY].play(better[0])
    for move in better[1:3]:
        assert read_board(page) == meant_board(position.fen)
        position = position.play(move)
        page.keyboard.press("ArrowRight")
    # undone, and done again: the table is not kept, the words and figures are
    page.keyboard.press("Control+z")
    assert page.evaluate(GRAPH) == {"marks": [], "ends": []}
    assert words(page, ".review .summary") == ""
    page.keyboard.press("Control+y")
    assert page.evaluate(GRAPH) == seen
    assert page.locator(".review table").count() == 0
    assert f"White: {annotation.white}" in page.locator(".review").inner_text()
    assert accuracy in words(page, ".review .summary")


@pytest.mark.soak
def test_from_a_pasted_game_through_its_moment_by_keyboard_alone(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, SIZES[0], **CLIPBOARD)
    game = opens(page, LOST)
    begin(page)
    wait_for_status(page, "Undo takes the marks out")
    summary = words(page, ".review .summary")
    assert summary.startswith("You lost; the game turned at 5... 20-16. Accuracy: Black ")
    assert summary.endswith("train openings.")
    page.get_by_text("The whole story and all figures").click()
    assert words(page, ".review .story").startswith(STORY)
    # once: not also where there is room for a part of it
    page.keyboard.press("Home")
    assert STORY not in words(page, ".said")
    moves = page.locator(".moves").inner_text()
    page.keyboard.press("f")
    assert faults_in(page, ".review") == []
    page.keyboard.press("r")
    before = list(game.positions())[BLUNDER_PLY]
    assert read_board(page) == meant_board(before.fen)
    says = ".practice [role=status]"
    assert words(page, says) == "You played 20-16 here and came into a worse position. Find a better move."
    assert faults_in(page, ".review") == []
    # nothing beside the board gives it away
    assert not page.locator(".move-list").is_visible()
    assert page.locator("main .board .arrows > *").count() == 0
    # a person may draw while looking for a move
    page.locator("main .board .grid [data-square='18']").focus()
    page.keyboard.press("c")
    circled = page.locator("main .board .grid [aria-label*=circled]")
    assert circled.count() == 1
    assert page.locator(".practice").is_visible()

    def attempt(origin: int, target: int, said: str) -> None:
        page.locator(f"main .board .grid [data-square='{origin}'].movable").wait_for()
        for square in (origin, target):
            page.locator(f"main .board .grid [data-square='{square}']").focus()
            page.keyboard.press("Enter")
        wait_until(page, f"text => document.querySelector('{says}').textContent.includes(text)", said)

    attempt(20, 16, "Not that: 20-16 is what was played; ")
    # the answer to it stands on the board
    assert page.locator(".variations [aria-current]").inner_text() in words(page, says)
    page.keyboard.press("Enter")
    assert read_board(page) == meant_board(before.fen)
    # a move that is searched: it throws a man away
    attempt(18, 15, "Not that: 18-15 gives away")
    page.keyboard.press("Enter")
    attempt(26, 22, "Right")
    wait_until(page, "() => document.querySelectorAll('.variations p').length > 1")
    page.keyboard.press("ArrowRight")
    assert read_board(page) != meant_board(before.play(before.parse_move("26-22")).fen)
    page.keyboard.press("ArrowLeft")
    assert read_board(page) == meant_board(before.play(before.parse_move("26-22")).fen)
    page.keyboard.press("n")
    assert words(page, says) == "You found 0 of 1 at the first try, 1 later."
    assert words(page, ".practice").endswith(summary)
    page.keyboard.press("Enter")
    # the game is what it was, and so is the board
    page.locator("main .board.flipped").wait_for()
    assert read_board(page) == meant_board(game.start.fen)
    assert page.locator(".move-list").is_visible()
    assert page.locator(".moves").inner_text() == moves
    assert circled.count() == 0
    assert words(page, ".review .summary") == summary


@pytest.mark.soak
def test_a_moment_is_two_clicks_from_a_pasted_game(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    opens(page, LOST)
    page.get_by_role("button", name="Review", exact=True).click()
    wait_for_status(page, "Undo takes the marks out")
    page.get_by_role("button", name="Next moment (1)").click()
    for size in SIZES:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert not out_of_sight(page, ["main .board", ".practice [role=status]", ".practice button"])
    page.get_by_role("button", name="Show it").click()
    wait_until(page, "() => document.querySelectorAll('.variations p').length === 2")
    for size in SIZES:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert not out_of_sight(page, ["main .board", ".practice .primary"])
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    # at the move that was the moment; a step through the game leaves it as well
    page.get_by_role("button", name="Leave", exact=True).click()
    assert page.locator(".stepper [aria-current]").inner_text() == "5... 20-16??"
    for size in SIZES:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        page.get_by_role("button", name="Start", exact=True).click()
        page.locator(".review .summary").scroll_into_view_if_needed()
        assert not out_of_sight(page, ["main .board", ".review .summary", ".review .moments .primary"])
        page.get_by_role("button", name="Next mark").click()
        assert not out_of_sight(page, ["main .board", ".review .mark-facts", ".tabs", ".steps"])
        page.get_by_role("button", name="Next moment (1)").click()
        page.get_by_role("button", name="Back", exact=True).click()
        page.locator(".review .summary").wait_for()
        assert not page.locator(".practice").is_visible()


@pytest.mark.slow
def test_judging_is_stopped_by_its_button_and_by_another_game(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    opens(page, LONG)
    begin(page, "seconds=3")
    wait_for_status(page, "Judging")
    page.get_by_role("button", name="Stop", exact=True).click()
    wait_for_status(page, "Stopped. 0 of")
    press_start(page)
    paste(page, "B:W12,K18:B8,K17,27")
    page.get_by_role("button", name="Review this game").wait_for()
    press_start(page)
    wait_for_status(page, "the game has no moves to judge")


@pytest.mark.slow
def test_it_waits_for_its_turn(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    opens(page, BLUNDER)
    lender = server.house.engines.own
    with ExitStack() as loans:
        while lender.lent < MOST_ENGINES:
            loans.enter_context(lender.ask())
        begin(page)
        wait_for_status(page, "All engines are busy; waiting for one.")
    wait_for_status(page, "Undo takes the marks out")
    # the review has had one engine, and has given it back
    wait_for(page, lambda: lender.lent == 0)


@pytest.mark.slow
def test_the_judging_of_moves_that_change_ends_but_not_that_of_variations(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    opens(page, BLUNDER)
    begin(page, "seconds=0.3")
    page.keyboard.press("Home")
    page.locator("main .board .grid [data-square='9'].movable").wait_for()
    click_square(page, 9)
    click_square(page, 14)
    assert page.get_by_role("button", name="Stop", exact=True).is_visible()
    page.keyboard.press("Home")
    page.keyboard.press("End")
    page.locator("main .board .grid .movable").first.wait_for()
    last = list(played(BLUNDER).positions())[-1]
    play(page, Game({}, last, [last.legal_moves()[0]]))
    wait_for_status(page, "The moves of the game were changed.")


@pytest.mark.slow
def test_a_server_that_ends_while_a_game_is_judged_is_told(opened: Opener) -> None:
    with serving() as server:
        page = opened(server.address, allowed="ERR_CONNECTION_REFUSED", **CLIPBOARD)
        opens(page, LONG)
        begin(page, "seconds=3")
        wait_for(page, lambda: server.house.engines.own.lent == 1)
    wait_for_status(page, "The server does not answer")
    assert page.get_by_role("button", name="Review this game").is_visible()
    assert len(page.locator(".moves button.move").all()) == 12
