"""`kr problem check --html`: a page of its own, a board beside each problem, and a line that is played on it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from web_pages import Opener

from kr.cli import main

if TYPE_CHECKING:
    from playwright.sync_api import Page


HOSTILE = "</script><script>alert(1)</script> \u202eright to left\x1b"
PROBLEMS = [
    {"id": "a cook", "fen": "W:WK19,K23:B12,K28", "result": "W-win", "solution": "23-27 28-32 27-31"},
    {"id": HOSTILE, "fen": "W:W21,K30:B1,2", "result": "W-win"},
    {"id": "a wrong draw", "fen": "W:W21,K30:B1,2", "result": "draw"},
    {"id": "a wrong move", "fen": "W:W21,K30:B1,2", "result": "W-win", "solution": "30-26 1-5 26-22"},
    {"id": "no move", "fen": "W:W21:B17,14", "result": "W-win"},
]
AFTER = {"23-27": "B:WK19,K27:B12,K28", "30-26": "B:W21,K26:B1,2", "9-5": "B:W5,K26:B17,K15"}


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of these problems."""
    folder = tmp_path_factory.mktemp("page")
    source, page = folder / "problems.jsonl", folder / "checked.html"
    source.write_text("".join(f"{json.dumps(line)}\n" for line in PROBLEMS))
    words = ["problem", "check", str(source), "--tc", "nodes=1k", "--all", "--html", str(page), "--quiet"]
    assert main(words) == 0
    return page


def test_a_page_without_scripts_tells_all(checked: Path) -> None:
    text = checked.read_text(encoding="utf-8")
    articles = text.split("<article ")[1:]
    assert [re.findall(r'data-verdict="(\w+)"', each)[0] for each in articles] == [
        "cook", "dual", "unsound", "unsound", "unsound",
    ]  # fmt: skip
    assert len(re.findall("<script>", text)) == 1
    assert "\\u202eright to left\\x1b" in articles[1]
    assert "alert(1)&lt;/script&gt;" in articles[1]
    cook, dual, draw, move, over = articles
    assert cook.count("move other") == 4
    assert re.search(r"30-26</span>\*", dual)
    assert "(or <span" in dual
    assert "<summary>All solutions</summary>" in dual
    assert "published draw, but White wins" in draw
    assert re.search(r"26-22</span>\?", move)
    assert "White has no move, and has lost" in over
    for shown in re.findall(r'data-fen="([^"]+)" data-path="[\d,]+">30-26<', text):
        assert shown == AFTER["30-26"]
    # nothing comes from elsewhere
    assert not re.findall(r"""(?:src|href)=["'](?!#)|url\(""", text.replace("href=${", ""))
    assert "default-src &#39;none&#39;" in text


def pieces(page: Page, number: int) -> list[int]:
    """Squares with a piece on the board of a problem, from 1."""
    found: list[int] = page.locator("article").nth(number).locator("use.piece").evaluate_all(
        "uses => uses.map(use => Number(use.dataset.square)).sort((a, b) => a - b)"
    )  # fmt: skip
    return found


@pytest.mark.slow
def test_lines_are_played_and_verdicts_chosen(checked: Path, opened_file: Opener) -> None:
    page = opened_file(checked.as_uri())
    first = page.locator("article").first
    assert pieces(page, 0) == [12, 19, 23, 28]
    first.get_by_role("button", name="Forward").click()
    assert pieces(page, 0) == [12, 19, 27, 28]
    assert first.locator("[aria-current]").inner_text() == "23-27"
    page.keyboard.press("End")
    assert pieces(page, 0) == [12, 19, 31, 32]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert pieces(page, 0) == [12, 19, 27, 32]
    first.get_by_role("button", name="23-18").click()
    assert pieces(page, 0) == [12, 18, 19, 28]
    page.keyboard.press("Home")
    assert pieces(page, 0) == [12, 19, 23, 28]
    second = page.locator("article").nth(1)
    second.get_by_role("button", name="9-5", exact=True).click()
    assert 5 in pieces(page, 1)
    draw = page.locator("article").nth(2)
    draw.get_by_role("button", name="30-26").click()
    assert pieces(page, 2) == [1, 2, 21, 26]
    page.get_by_role("button", name="unsound 3").click()
    assert page.locator("article:visible h2").all_inner_texts() == ["a wrong draw", "a wrong move", "no move"]
    page.get_by_role("button", name="all", exact=True).click()
    assert page.locator("article:visible").count() == 5
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_page_that_cant_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["problem", "check", "W:WK1:BK32", "--html", str(tmp_path), "--quiet"]) == 2
    assert "is a directory" in capsys.readouterr().err
