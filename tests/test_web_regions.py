"""Regions that speak: the static score on the board, and what the strongest regions rest on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import pytest
from web_pages import PHONE, WIDE, Opener, click_square, serving, wait_until

import kr
from kr.evaluation.kinds import load_evaluation
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

MINUS = "\N{MINUS SIGN}"
LINE = "11-15 23-19"


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with serving() as server:
        yield server


def shown(page: Page) -> list[list[str]]:
    """The rows of the regions."""
    rows = page.locator(".strongest tbody tr")
    found: list[list[str]] = rows.evaluate_all("rows => rows.map(row => [...row.cells].map(cell => cell.innerText))")
    return found


def labels(page: Page) -> list[str]:
    return page.locator("main .board .labels text").all_text_contents()


TABLES = cache(load_evaluation)


@cache
def meant(position: kr.Position) -> tuple[str, list[tuple[float, list[int]]]]:
    """Score and regions from Black's view, found without the page's code."""
    found = kr.explain(position, TABLES())
    sign = 1 if position.side is kr.Side.BLACK else -1
    regions = sorted(found.regions, key=lambda region: -abs(region.score))
    return f"{sign * found.score:+d}", [(sign * each.score, [s + 1 for s in each.squares]) for each in regions]


SCORED = """text => document.querySelector(".panel.regions [role=status]")?.textContent.startsWith(text)"""


STRONGEST = """regions => {
  const rows = [...document.querySelectorAll(".strongest tbody tr")];
  return rows.length > 0 && regions.every(([score, squares], number) => rows[number].cells[3].innerText === squares &&
    Math.abs(100 * Number(rows[number].cells[0].innerText.replace("\N{MINUS SIGN}", "-")) - score) <= 0.51);
}"""


def wait_for_score(page: Page, position: kr.Position) -> None:
    """Wait for the score of a position, which the position before may have had too, and for its strongest regions."""
    text, regions = meant(position)
    men = int(abs(float(text)) / 10 + 0.5) / 10
    side = "White" if text[0] == "-" else "Black"
    ahead = f"{side} is ahead by {men:.1f} of a man" if men else "the sides are equal"
    wait_until(page, SCORED, f"At a glance {ahead} (")
    wait_until(page, STRONGEST, [[score, " ".join(map(str, squares))] for score, squares in regions[:10]])


def told(opened: Opener, server: WebServer, size: dict[str, int] = WIDE) -> Page:
    """A window with the panel open."""
    page = opened(server.address, size)
    page.click(".tab-regions")
    return page


@pytest.mark.soak
def test_the_strongest_regions_follow_the_position(server: WebServer, opened: Opener) -> None:
    page = told(opened, server)
    board = kr.Board()
    for text in ["", *LINE.split()]:
        if text:
            wait_until(page, "() => document.querySelectorAll('main .board .movable').length > 0")
            move = board.play(text)
            click_square(page, move.origin + 1)
            click_square(page, move.target + 1)
        wait_for_score(page, board.position)
        rows, regions = shown(page), meant(board.position)[1]
        assert len(rows) == 10
        for row, (score, squares) in zip(rows, regions, strict=False):
            assert 100 * float(row[0].replace(MINUS, "-")) == pytest.approx(score, abs=0.51)
            assert row[1] == ("Black" if score > 0 else "White")
            assert row[3].split() == list(map(str, squares))
        # a number on each piece
        assert len(labels(page)) == board.position.pieces
    # the keyboard stays in the list
    page.locator(".strongest tbody tr").nth(3).focus()
    page.keyboard.press("ArrowLeft")
    board.undo()
    wait_for_score(page, board.position)
    assert page.evaluate("() => document.activeElement.sectionRowIndex") == 3
    assert page.locator(".board .region").count() > 0
    page.get_by_label("all regions").check()
    assert len(shown(page)) == len(meant(board.position)[1])
    # counts of the shipped tables
    seen = {row[2] for row in shown(page)}
    assert len(seen) > 5
    assert all(each == "never" or float(each.removesuffix(" thousand")) > 0 for each in seen)
    assert "games of self-play by these tables" in page.locator(".panel.regions").inner_text()


PICTURED = """row => row.querySelector(".mini path + path").getAttribute("d").match(/M\\d,\\d/g).map(each => {
  const [column, line] = each.slice(1).split(",").map(Number);
  return line * 4 + (column - (1 - line % 2)) / 2 + 1;
})"""
TURNED = """() => getComputedStyle(document.querySelector(".strongest .mini")).transform"""


@pytest.mark.soak
def test_a_region_is_outlined_on_the_board_and_in_a_picture(server: WebServer, opened: Opener) -> None:
    """On a phone, where the list stands below the board."""
    page = told(opened, server, PHONE)
    wait_for_score(page, kr.Position())
    for row, (_, squares) in zip(page.locator(".strongest tbody tr").all(), meant(kr.Position())[1], strict=False):
        assert row.evaluate(PICTURED) == squares
    row = page.locator(".strongest tbody tr").nth(1)
    squares = row.locator("td").nth(3).inner_text().split()
    row.hover()
    assert page.locator(".board .region").count() == len(squares)
    page.mouse.move(1, 1)
    assert page.locator(".board .region").count() == 0
    row.focus()
    assert page.locator(".board .region").count() == len(squares)
    # the pictures turn with the board
    assert page.evaluate(TURNED) == "none"
    page.keyboard.press("f")
    assert page.evaluate(TURNED).startswith("matrix(-1")


def test_colours_can_be_chosen_and_go_with_the_panel(server: WebServer, opened: Opener) -> None:
    page = told(opened, server)
    wait_for_score(page, kr.Position())
    coloured = ".board .heat :is(.helps-black, .helps-white)"
    assert page.locator(coloured).count() == 24
    page.get_by_label("Colours show").select_option("regions")
    assert page.locator(coloured).count() == 32
    page.get_by_label("Colours show").select_option("none")
    assert page.locator(coloured).count() == 0
    page.reload()
    wait_for_score(page, kr.Position())
    assert page.locator(coloured).count() == 0
    page.get_by_label("Colours show").select_option("pieces")
    page.click(".tab-regions")
    wait_until(page, "selector => document.querySelectorAll(selector).length === 0", coloured)


def test_evaluations_without_tables(opened: Opener) -> None:
    with serving(weights="manual") as server:
        page = told(opened, server)
        wait_until(page, SCORED, "At a glance ")
        assert not page.locator(".strongest").is_visible()
        assert len(labels(page)) == 24
