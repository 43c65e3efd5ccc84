"""A random walk through the pages: no error, no wrong board and no illegal move, whatever is clicked and pressed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from web_pages import PHONE, READ_BOARD, WIDE, Opener, board_of, meant_board

import kr
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "f", "n", "p", " ", "Tab", "Enter", "Escape"]
BOARD = ".analyse .board"

STATE = """() => {
  const board = document.querySelector(".analyse .board"), field = document.querySelector("input.fen");
  // the panels come after the board
  if (!field || !board?.checkVisibility()) return null;
  board.scrollIntoView({block: "nearest"});
  const box = board.getBoundingClientRect();
  return {
    fen: field.value, editing: !document.querySelector(".editor").hidden, x: box.x, y: box.y, width: box.width,
    practising: Boolean(document.querySelector(".practising")),
    flipped: board.querySelector(".grid [data-square]").dataset.square === "32",
  };
}"""
TYPING = "() => document.activeElement.matches('input:not([type=checkbox]), textarea')"
CONTROLS = """() => [...document.querySelectorAll("main :is(button, summary, select, input[type=checkbox])")]
  .filter(each => !each.disabled && each.checkVisibility()).length"""
PRESS = """([number, choice]) => {
  const found = [...document.querySelectorAll("main :is(button, summary, select, input[type=checkbox])")]
    .filter(each => !each.disabled && each.checkVisibility());
  // a page that is just being drawn may have none
  if (!found.length) return ["nothing to press", null];
  const each = found[number % found.length], what = each.outerHTML.slice(0, 150);
  if (each.tagName === "SELECT") {
    each.selectedIndex = choice % each.options.length;
    each.dispatchEvent(new Event("input", {bubbles: true}));
    each.dispatchEvent(new Event("change", {bubbles: true}));
    return [what, null];
  }
  each.scrollIntoView({block: "nearest"});
  const box = each.getBoundingClientRect();
  return [what, [box.x + box.width / 2, box.y + box.height / 2]];
}"""


class Walk:
    """A person who knows the rules, is often careless, and presses everything."""

    def __init__(self, page: Page, seed: int) -> None:
        self.page, self.chance = page, random.Random(seed)
        self.legal = 0
        """Legal moves that were tried."""

    def step(self) -> str:
        """Do something; returns what it was."""
        state = self.page.evaluate(STATE)
        ways = ["move", "square", "drag", "key", "control", "page"]
        way = self.chance.choices(ways, [8, 3, 2, 5, 4, 0.15] if state else [0, 0, 0, 2, 3, 4])[0]
        match way:
            case "move":
                moves = [] if state["editing"] else kr.Position.from_fen(state["fen"]).legal_moves()
                path = self.chance.choice(moves).path if moves else (self.chance.randrange(32),)
                self.legal += bool(moves)
                for square in path:
                    self.page.mouse.click(*self.point(state, square))
                return f"move {path}"
            case "square":
                self.page.mouse.click(*self.point(state, self.chance.randrange(32)))
            case "drag":
                self.page.mouse.move(*self.point(state, self.chance.randrange(32)))
                self.page.mouse.down()
                self.page.mouse.move(*self.point(state, self.chance.randrange(32)), steps=2)
                self.page.mouse.up()
            case "key":
                way = self.chance.choice(KEYS)
                # what is typed into a field is no position of the board
                if self.page.evaluate(TYPING):
                    way = "Tab"
                self.page.keyboard.press(way)
            case "control":
                if self.page.evaluate(CONTROLS):
                    given = [self.chance.randrange(10**6), self.chance.randrange(10**6)]
                    way, point = self.page.evaluate(PRESS, given)
                    if point:
                        self.page.mouse.click(*point)
            case "page":
                # a dialog has the window for itself
                self.page.keyboard.press("Escape")
                links = self.page.locator("nav a").all()
                self.chance.choice(links).click()
        return way

    def point(self, state: dict[str, float], square: int) -> tuple[float, float]:
        """The middle of a square 0-31."""
        row, pair = divmod(31 - square if state["flipped"] else square, 4)
        unit = state["width"] / 366
        return state["x"] + unit * (48 + 90 * pair - 45 * (row % 2) + 22.5), state["y"] + unit * (25.5 + 45 * row)

    def check(self, what: str) -> None:
        """The board shows the position whose FEN stands beside it."""
        # both at one moment: what was asked of the server may be answered between two
        state, board = self.page.evaluate(f"selector => {{ const state = ({STATE})(); "
                                          f"return [state, state && ({READ_BOARD})(selector)]; }}", BOARD)  # fmt: skip
        if not state:
            return
        # a move that is tried as the answer to a mistake is on the board, not in the game
        if state["practising"]:
            return
        assert board_of(*board) == meant_board(state["fen"]), what
        if not state["editing"]:
            assert kr.Position.from_fen(state["fen"]).fen == state["fen"], what


def walked(server: WebServer, opened: Opener, seed: int, size: dict[str, int], steps: int) -> None:
    # a position that can't be is refused by the server, and the browser tells its console so
    page = opened(server.address, size, allowed="status of 400")
    walk = Walk(page, seed)
    last: list[str] = []
    for _ in range(steps):
        last = [*last[-5:], walk.step()]
        walk.check("; ".join(last))
    assert walk.legal > steps / 20


@pytest.mark.soak
@pytest.mark.parametrize(("seed", "size"), [(3, WIDE), (4, PHONE)])
def test_a_long_random_walk(server: WebServer, opened: Opener, seed: int, size: dict[str, int]) -> None:
    walked(server, opened, seed, size, 1000)
