"""The panel Analysis in a browser, by real clicks and keys."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from web_pages import (
    Opener,
    choose_option,
    click_square,
    faults_in,
    from_menu,
    meant_board,
    read_board,
    serving,
    type_fen,
    wait_for,
    wait_until,
)

import kr
from kr.players.people import People
from kr.policy.policy import load_policy
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.slow

START = kr.Position()
KR_HUB = f"hub:{sys.executable} -m kr hub --weights material --hash 1MB --egdb none"
FAULTY = f"hub:{sys.executable} -IS {Path(__file__).parent / 'hub_engines' / 'faulty.py'} crash"
MINUS = "\N{MINUS SIGN}"
SHOWN = "fen => document.querySelector('input.fen').value === fen"
WORDS = re.compile(rf"[+{MINUS}]\d+\.\d\d|0|(win|loss)( in \d+ pl(y|ies))?|draw")


def rows(page: Page, number: int = 0) -> Locator:
    return page.locator(".analysis .engine").nth(number).locator(".lines > li:visible")


READY = "() => !document.querySelector('.engine:not([hidden]).old') && document.querySelector('.arrow')"


def ready(page: Page, lines: int = 3) -> None:
    """Wait until the lines of the position on the board are there."""
    wait_until(page, READY)
    wait_for(page, lambda: rows(page).count() == lines)


def moves(row: Locator) -> list[str]:
    # in one call: all_text_contents takes two, and a line that gets shorter between them keeps its old end
    shown: list[str] = row.locator(".pv").evaluate(
        "pv => [...pv.querySelectorAll('button:not([hidden])')].map(move => move.textContent)"
    )
    return shown


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def set_up(page: Page, fen: str) -> None:
    type_fen(page, fen)
    # the field has it already, the board once the server has answered
    wait_for(page, lambda: read_board(page) == meant_board(kr.Position.from_fen(fen).fen))


def fen_of(page: Page) -> str:
    return page.locator("input.fen").input_value()


def limit(page: Page, value: str) -> None:
    choose_option(page, "Until", value)


def finished(page: Page, depth: int) -> None:
    wait_until(
        page,
        "depth => !document.querySelector('.engine.old:not([hidden])') && "
        "document.querySelector('.facts').textContent.match(`^depth ${depth} .*finished$`)",
        depth,
    )


def test_lines_of_the_position_on_the_board(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    assert page.locator(".arrow").count() == 0
    page.keyboard.press("Space")
    ready(page)
    assert page.get_by_role("button", name="Stop").count() == 1
    for row in rows(page).all():
        assert WORDS.fullmatch(row.locator(".score").inner_text())
        shown = row.locator(".numbers").inner_text()
        found = re.fullmatch(r"W (\d+)\s+D (\d+)\s+L (\d+)", shown)
        assert found, shown
        assert 98 <= sum(map(int, found.groups())) <= 102
    assert page.locator("main .board .arrow.best").count() == 1
    assert page.locator("main .board .arrow.other").count() == 2
    # it goes on with the game
    click_square(page, 11)
    click_square(page, 15)
    after = START.play("11-15")
    wait_until(page, SHOWN, after.fen)
    ready(page)
    for row in rows(page).all():
        line = moves(row)
        assert line
        position = after
        for move in line:
            position = position.play(move)
    page.keyboard.press("Space")
    wait_for(page, lambda: server.house.engines.own.lent == 0)
    assert page.get_by_role("button", name="Go on").count() == 1
    # what was found stays with its position
    assert rows(page).count() == 3
    page.keyboard.press("ArrowLeft")
    wait_for(page, lambda: rows(page).count() == 0)
    assert page.get_by_role("button", name="Analyse", exact=True).count() == 1


def clicks_on_a_line_play_its_moves(page: Page) -> None:
    for count in (1, 3):
        finished(page, 10)
        line = moves(rows(page).nth(1))[:count]
        rows(page).nth(1).locator(".pv button").nth(count - 1).click()
        board = kr.Board()
        for move in line:
            board.play(move)
        wait_until(page, SHOWN, board.fen)
        assert read_board(page) == meant_board(board.fen)
        finished(page, 10)
        for _ in line:
            page.keyboard.press("ArrowLeft")
        assert fen_of(page) == START.fen
    # lines of the position before are not played: the second click comes before there are lines of the new position
    finished(page, 10)
    first = moves(rows(page).first)[0]
    page.evaluate("() => { const move = document.querySelector('.pv button'); move.click(); move.click(); }")
    wait_until(page, SHOWN, START.play(first).fen)
    finished(page, 10)
    assert fen_of(page) == START.play(first).fen


def test_the_board_after_a_move_of_a_line(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    page.keyboard.press("Space")
    limit(page, "depth=10")
    clicks_on_a_line_play_its_moves(page)
    page.mouse.move(5, 5)
    line = moves(rows(page).first)
    preview = page.locator(".preview")
    assert not preview.is_visible()
    board = kr.Board(fen_of(page))
    for number in range(3):
        board.play(line[number])
        rows(page).first.locator(".pv button").nth(number).hover()
        wait_for(page, lambda: preview.is_visible() and read_board(page, ".preview .board") == meant_board(board.fen))
    page.mouse.move(5, 5)
    assert not preview.is_visible()
    # by keys: the first move of a line is reached by Tab, the others by arrows, which step through no game
    rows(page).first.locator(".pv button").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    wait_for(page, lambda: preview.is_visible() and read_board(page, ".preview .board") == meant_board(board.fen))
    page.keyboard.press("Enter")
    wait_until(page, SHOWN, board.fen)
    assert not preview.is_visible()


def test_as_many_lines_as_wanted(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    page.keyboard.press("Space")
    limit(page, "depth=10")
    for count in (7, 10, 1, 5):
        choose_option(page, "Lines", str(count))
        wait_for(page, lambda count=count: rows(page).count() == min(count, 7))
        finished(page, 10)
    firsts = [moves(row)[0] for row in rows(page).all()]
    assert len(set(firsts)) == 5
    page.reload()
    assert page.locator(".analysis").get_by_label("Lines").input_value() == "5"
    # it was going on, so it goes on
    wait_for(page, lambda: rows(page).count() == 5)


@pytest.mark.soak
def test_exact_values_for_everyone(server: WebServer, opened: Opener) -> None:
    position = kr.Position.from_fen("W:WK6,K15:B2,K3")
    database = kr.load_database()
    assert database is not None
    known = kr.probe(database, position)
    page = opened(server.address)
    page.keyboard.press("Space")
    limit(page, "depth=10")
    set_up(page, position.fen)
    wait_until(page, "() => document.querySelector('.exact:not([hidden])')")
    text = page.locator(".exact").inner_text()
    assert text.startswith("Exact: draw; ")
    wanted = {}
    for move in known.moves:
        moves = None if move.distance is None else (move.distance + 1) // 2
        told = move.value if moves is None else f"{move.value} in {moves} move"
        assert f"{move.move} {told}" in text
        wanted.setdefault(move.move.split("-")[1], "D" if move.value == "draw" else f"L {moves}")
    labels = page.locator("main .board .labels text").all_text_contents()
    assert sorted(labels) == sorted(wanted.values())
    wait_until(page, "() => document.querySelector('.exact').textContent.endsWith('harder for people comes first.')")
    draws = re.findall(r"(\d+-\d+) draw", page.locator(".exact").inner_text())
    assert draws == [str(move) for move in People(load_policy(), database).harder_first(position)]
    ready(page)
    assert rows(page).first.locator(".score").inner_text() == "draw"
    finished(page, 10)
    assert faults_in(page, ".analysis") == []
    # the best line is told as text of its own
    assert re.fullmatch(r"Best: 6-\d+, draw", page.locator(".analysis [role=status]").inner_text())
    # Tab stops at one move of each line
    assert page.locator(".pv button[tabindex='0']:visible").count() == rows(page).count() == 3
    # not with a position that no database has
    from_menu(page, "New game")
    wait_until(page, "() => document.querySelector('.exact[hidden]')")
    assert page.locator("main .board .labels text").count() == 0


def test_the_threat(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    set_up(page, "B:W18,26:B1,11")
    limit(page, "depth=10")
    press(page, "Threat")
    finished(page, 10)
    wait_until(page, "() => document.querySelector('.arrow.threat')")
    white = kr.Position.from_fen("W:W18,26:B1,11")
    assert {moves(row)[0] for row in rows(page).all()} <= {str(move) for move in white.legal_moves()}
    # a line of the other side is no continuation of the game
    rows(page).first.locator(".pv button").first.click()
    assert fen_of(page) == "B:W18,26:B1,11"
    press(page, "Threat")
    finished(page, 10)
    assert page.locator(".arrow.threat").count() == 0
    # White's man has no move
    set_up(page, "B:W5:B1,9,14")
    press(page, "Threat")
    wait_until(page, "() => document.querySelector('.facts.failed')")
    assert page.locator(".facts").first.inner_text() == "no threat: White could not move"
    assert rows(page).count() == page.locator(".arrow").count() == 0


def test_scores_for_either_side(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    page.keyboard.press("Space")
    limit(page, "depth=10")
    set_up(page, "W:W31,30,28,27:B1,2,3")
    finished(page, 10)
    mover = rows(page).first.inner_text().split("\n")[:2]
    choose_option(page, "Score for", "black")
    # in the next frame
    wait_for(page, lambda: rows(page).first.inner_text().startswith(MINUS))
    black = rows(page).first.inner_text().split("\n")[:2]
    assert (mover[0][0], black[0][0]) == ("+", MINUS)
    assert mover[0][1:] == black[0][1:]
    assert re.findall(r"\d+", mover[1]) == re.findall(r"\d+", black[1])[::-1]
    assert int(re.findall(r"\d+", mover[1])[0]) > 4


def test_a_page_that_is_left_does_no_work(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    lent = server.house.engines.own
    page.keyboard.press("Space")
    ready(page)
    assert lent.lent == 1
    page.locator("nav a", has_text="Play").click()
    wait_for(page, lambda: lent.lent == 0)
    page.locator("nav a", has_text="Analyse").click()
    ready(page)
    other = page.context.new_page()
    page.close()
    wait_for(other, lambda: lent.lent == 0)


# --- other engines


@pytest.fixture(scope="module")
def several() -> Iterator[WebServer]:
    """A server with another engine, and one that crashes."""
    with serving(weights="material", engines=(KR_HUB, FAULTY)) as server:
        yield server


@pytest.mark.soak
def test_two_engines_side_by_side(several: WebServer, opened: Opener) -> None:
    page = opened(several.address)
    # no search of another limit fills a hash table first
    for square in (11, 15):
        click_square(page, square)
    limit(page, "depth=10")
    choose_option(page, "Beside it", "1")
    press(page, "Analyse")
    facts = page.locator(".facts")
    wait_for(page, lambda: all(re.search(r"depth 10 .*finished$", text) for text in facts.all_text_contents()))
    names = [text.partition(":")[0] for text in facts.all_text_contents()]
    assert names == ["kr (material)", f"kr {kr.__version__}"]
    # the same evaluation, to the same depth
    assert [moves(row) for row in rows(page, 0).all()] == [moves(row) for row in rows(page, 1).all()]
    assert rows(page, 1).first.locator(".odds").is_hidden()
    assert page.locator(".arrow.better").count() == 1
    # each of them goes on with the game
    rows(page, 1).first.locator(".pv button").first.click()
    wait_until(page, "() => document.querySelectorAll('.engine.old').length === 0")
    wait_for(page, lambda: all(re.search(r"depth 10 .*finished$", text) for text in facts.all_text_contents()))
    choose_option(page, "Beside it", "2")
    wait_for(page, lambda: "signal 11" in facts.nth(1).inner_text())
    assert rows(page, 0).count() == 3
    choose_option(page, "Beside it", "-1")
    wait_for(page, lambda: rows(page, 1).count() == 0)


@pytest.mark.soak
def test_a_game_that_can_be_claimed_drawn_says_so(server: WebServer, opened: Opener) -> None:
    """Beside what the position is worth; and a line that makes the draw is one."""
    page = opened(server.address)
    page.keyboard.press("Space")
    limit(page, "depth=10")
    set_up(page, "W:WK19,K23:B12,K28")
    position = kr.Position.from_fen("W:WK19,K23:B12,K28")
    for move in "23-18 28-32 18-23 32-28 23-18 28-32 18-23".split():
        wait_until(page, "() => document.querySelector('main .board .movable') !== null")
        for square in map(int, move.split("-")):
            click_square(page, square)
        position = position.play(move)
        wait_until(page, SHOWN, position.fen)
    ready(page)
    assert rows(page).locator(".score").first.inner_text() == "draw by repetition"
    exact = page.locator(".analysis .exact")
    assert "loss in 31 moves" in exact.inner_text()
    assert "claimed" not in exact.inner_text()
    click_square(page, 32)
    click_square(page, 28)
    wait_until(
        page, "() => document.querySelector('.analysis .exact').textContent.startsWith('The game can be claimed')"
    )
    assert "The game can be claimed a draw by repetition here." in exact.inner_text()
    assert "win in 31 moves" in exact.inner_text()
