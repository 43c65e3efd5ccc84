"""Lessons in the browser: the rules by moving men, then a structure against exact play."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from sites import PLACES, site
from web_pages import Opener, click_square, faults_in, meant_board, read_board, wait_until

from kr.problems.courses import load_courses

if TYPE_CHECKING:
    from playwright.sync_api import Page


def said(page: Page, words: str) -> None:
    wait_until(page, "words => document.querySelector('.lessons .verdict')?.textContent.includes(words)", words)


def move(page: Page, origin: int, target: int) -> None:
    wait_until(page, "() => document.querySelector('.lessons .board .movable') !== null")
    for square in (origin, target):
        click_square(page, square)


@pytest.mark.slow
@pytest.mark.parametrize(("form", "size"), [pytest.param(*PLACES[0], marks=pytest.mark.soak), PLACES[1]])
def test_lessons_are_taken(opened: Opener, form: str, size: dict[str, int]) -> None:
    """From the first screen: a move that can't be, one that is wrong, the right one; the next step by one click; then
    the steps of a course, by keys, with the reply and what is proved."""
    with site(form) as address:
        page = opened(address, size)
        page.get_by_role("button", name="Never played?").click()
        said(page, "move it to the star. ★ 18")
        move(page, 22, 26)
        said(page, "Not that way. A man never goes back: 22 can go to 18 or 17")
        move(page, 22, 17)
        said(page, "the star is on the other square. Try again")
        assert read_board(page) == meant_board("W:W22:B")
        move(page, 22, 18)
        said(page, "✓ Well done!")
        page.get_by_role("button", name="Next step").click()
        wait_until(page, "() => document.querySelector('.task').textContent === 'Moving: 2 of 3'")
        for words in ("The piece on 31 can make a right move.", "31-27 is right. By the rules."):
            page.keyboard.press("h")
            said(page, words)
        move(page, 31, 27)
        said(page, "✓ 31-27: good, go on.")
        assert faults_in(page, passes=20) == []
        page.goto(f"{address}#lessons/third-position/1")
        course = next(each for each in load_courses() if each.id == "third-position")
        said(page, course.steps[0].plan)
        assert page.locator(".about").text_content() == "Black to play and win"
        for text, answer in (("26-31", "✗ 26-31 does not win"), ("24-27", "✓ 24-27 is right"), ("27x18", "✓ Solved!")):
            wait_until(page, "() => document.querySelector('main .board .movable') !== null")
            for square in text.replace("x", "-").split("-"):
                page.locator(f".lessons .grid [data-square='{square}']").focus()
                page.keyboard.press("Enter")
            said(page, answer)
        page.keyboard.press("n")
        said(page, course.steps[1].plan)
        kept = json.loads(page.evaluate("() => localStorage.getItem('kr-training')"))
        assert kept["steps"] == ["moving/1", "third-position/1"]
        assert (kept["rating"], kept["boxes"]) == (1500, {})
        page.goto(f"{address}#lessons/the-move/1")
        if page.locator(".tab-lessons").is_visible():
            page.click(".tab-lessons")
        page.get_by_text("the side to move wins 66, and it has the move in every one of them.").wait_for()
        assert faults_in(page, passes=20) == []
