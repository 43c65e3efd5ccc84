"""A person who solves puzzles on the page Learn."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from web_pages import Opener, click_square, from_menu, meant_board, read_board, wait_until

from kr.game.board import Board
from kr.problems.puzzles import load_puzzles
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

CLASSICS = load_puzzles(())


class Learner:
    """A person with a puzzle. The game is played on a kr.Board beside it, which what is shown must agree with."""

    def __init__(self, page: Page, name: str) -> None:
        self.page = page
        self.meet(name)

    def meet(self, name: str) -> None:
        """Take the puzzle on the page for this one."""
        self.name = name
        self.board = Board(CLASSICS[name].position)
        self.flipped = self.shown("task").startswith("Black")

    def begin(self, name: str) -> None:
        """Go to a puzzle, without loading the page again."""
        self.page.evaluate("name => { location.hash = `learn/${name}`; }", name)
        wait_for_title(self.page, CLASSICS[name].title)
        self.meet(name)

    def shown(self, what: str) -> str:
        place = {"task": ".task", "title": "h2.title"}.get(what, f".{what}")
        text = self.page.locator(f"main .learn {place}").text_content()
        assert text is not None
        return text

    def play(self, text: str) -> str:
        """Play a move square by square; returns the verdict."""
        move = self.board.position.parse_move(text)
        for square in (move.origin, move.target):
            click_square(self.page, square + 1, flipped=self.flipped)
        return self.verdict(text)

    def verdict(self, text: str) -> str:
        wait_until(self.page, """text => {
          const said = document.querySelector(".verdict").textContent;
          return said.includes(text) && /^[✓✗?]/.test(said) && !said.endsWith("…");
        }""", text)  # fmt: skip
        verdict = self.shown("verdict")
        if verdict.startswith("✓"):
            self.board.play(text)
            if "Reply: " in verdict:
                self.board.play(verdict.split("Reply: ")[1].split(".")[0])
        self.check()
        return verdict

    def check(self) -> None:
        assert read_board(self.page) == meant_board(self.board.fen)

    def press(self, name: str) -> None:
        self.page.locator("main").get_by_role("button", name=name, exact=True).click()

    def choose(self, name: str) -> None:
        from_menu(self.page, name)

    def progress(self) -> dict[str, Any]:
        kept = self.training().get("puzzles", {})
        return kept.get(CLASSICS[self.name].position.fen, {})  # type: ignore[no-any-return]

    def training(self) -> dict[str, Any]:
        return json.loads(self.page.evaluate("() => localStorage.getItem('kr-training') || '{}'"))  # type: ignore[no-any-return]


def start(opened: Opener, server: WebServer, name: str, **others: Any) -> Learner:
    page = opened(f"{server.address}#learn/{name}", **others)
    wait_for_title(page, CLASSICS[name].title)
    return Learner(page, name)


def wait_for_title(page: Page, title: str) -> None:
    wait_until(page, "title => document.querySelector('h2.title')?.textContent.endsWith(title)", title)
