"""The pages of kr theory in a browser: they fit, sort, filter, lead to each other and to the board, for everyone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from theory_book import GAMES, LINE, after, small_book
from web_pages import PHONE, Opener, faults_in, wait_for_board

from kr.cli import main
from kr.openings.decks import deck
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

SIZES = [(1280, 800), (390, 844)]
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, server: WebServer) -> Path:
    """Three-move ballots, whose board is that of a server; those of 11 men are beside them."""
    folder = tmp_path_factory.mktemp("pages")
    book, games, grades = small_book(folder / "book.sqlite"), folder / "games.pdn", folder / "grades.jsonl"
    games.write_text(GAMES)
    words = ["--tc", "nodes=300", "--sample", "40", "--workers", "1", "--hash", "1MB", "--out", str(grades)]
    assert main(["theory", "grade", *words, "--quiet"]) == 0
    words = ["--people", str(games), "--page", server.address, "--quiet"]
    assert main(["theory", str(book), "--out", str(folder / "site"), *words]) == 1
    words = ["--deck", "11man", "--grades", str(grades), "--page", server.address, "--quiet"]
    assert main(["theory", str(book), "--out", str(folder / "11man"), *words]) == 0
    return folder / "site"


def shown_rows(page: Page) -> list[str]:
    """Numbers of the ballots in sight, in order."""
    found: list[str] = page.locator("table.ballots tbody tr:visible td:first-child").all_inner_texts()
    return found


@pytest.mark.soak
def test_pages_fit_and_follow_the_rules_of_axe(site: Path, opened_file: Opener) -> None:
    page = opened_file()
    eleven = site.parent / "11man"
    group = next(eleven.glob("removed-*.html"))
    for file in (site / "index.html", site / "ballot-001.html", site / "cooks.html", eleven / "index.html", group):
        page.goto(file.as_uri())
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate(WIDER) <= 0, (file.name, width)
        # of hundreds of rows alike axe looks at a few
        page.evaluate(
            "() => { for (const each of document.querySelectorAll('tbody tr:nth-child(n+9)')) each.remove(); }"
        )
        page.evaluate("() => { for (const each of document.querySelectorAll('details')) each.open = true; }")
        assert faults_in(page, passes=12) == [], file.name


@pytest.mark.soak
def test_the_index_sorts_and_filters(site: Path, opened_file: Opener) -> None:
    page = opened_file()
    page.goto((site / "index.html").as_uri())
    assert shown_rows(page)[:3] == ["1", "2", "3"]
    page.get_by_role("button", name="No.").click()
    assert shown_rows(page)[0] == "174"
    page.get_by_role("button", name="Games").click()
    assert shown_rows(page)[0] == "1"
    data = json.loads((site / "data.json").read_text())
    page.get_by_role("button", name="Ballot").dblclick()
    by_moves = sorted(data["ballots"], key=lambda entry: [int(number) for number in re.findall(r"\d+", entry["moves"])])
    assert shown_rows(page) == [str(entry["number"]) for entry in by_moves]
    page.set_viewport_size({"width": 320, "height": 640})
    # no line ends within a move
    assert page.locator(".ballots a > span").evaluate_all(
        "each => each.every(move => move.getClientRects().length === 1)"
    )
    page.get_by_label("First move").select_option("12-16")
    counts = page.locator(".filter output").inner_text()
    numbers = {str(entry["number"]) for entry in data["ballots"] if entry["moves"].startswith("12-16 ")}
    assert set(shown_rows(page)) == numbers
    assert counts == f"{len(numbers)} of 174"
    page.get_by_label("First move").select_option("")
    page.get_by_label("Words").fill("white doc")
    assert shown_rows(page) == ["68"]
    page.get_by_label("Words").fill("")
    page.get_by_label("Cooks").select_option("with")
    page.get_by_label("games").fill("3")
    assert shown_rows(page) == ["1"]
    page.get_by_role("link", name=LINE).first.click()
    assert page.locator("h1").inner_text() == f"1: {LINE}"
    page.get_by_role("link", name="Next: 2").click()
    assert page.locator("h1").inner_text().startswith("2: ")
    page.get_by_role("link", name="All ballots").click()
    assert page.locator("h1").inner_text() == "Theory of the 174 ballots"


def test_lines_are_played_on_the_board(site: Path, opened_file: Opener) -> None:
    page = opened_file()
    page.goto((site / "ballot-001.html").as_uri())
    page.get_by_role("button", name="Forward").click()
    assert page.locator("[aria-current=true]").inner_text() == "25-21"
    pieces = "uses => uses.map(use => Number(use.dataset.square)).sort((a, b) => a - b)"
    position = after(f"{LINE} 25-21")
    squares = [square + 1 for square in range(32) if (position.black | position.white) >> square & 1]
    assert page.locator("use.piece").evaluate_all(pieces) == squares
    assert page.locator(".diagram").is_hidden()


def first_link(file: Path) -> str:
    """Address to which a page leads first."""
    return "http" + file.read_text().partition('<a href="http')[2].partition('"')[0]


def test_a_ballot_opens_on_the_board(site: Path, opened: Opener) -> None:
    page = opened(first_link(site / "ballot-001.html"))
    wait_for_board(page, after(LINE).fen)
    page.keyboard.press("ArrowRight")
    wait_for_board(page, after(f"{LINE} 25-21").fen)
    eleven = opened(first_link(site.parent / "11man" / "removed-5-28.html"))
    wait_for_board(eleven, deck("11man", playable_only=False)[0].position.fen)


def test_all_is_there_without_scripts(site: Path, opened_file: Opener) -> None:
    page = opened_file((site / "index.html").as_uri(), PHONE, java_script_enabled=False)
    assert page.locator("table.ballots tbody tr:visible").count() == 174
    assert page.locator(".filter").is_hidden()
    page.get_by_role("link", name=LINE).first.click()
    assert page.locator(".diagram svg").is_visible()
    assert "25-21" in page.locator(".line").first.inner_text()
