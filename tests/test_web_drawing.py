"""The looks of the board in a browser: arrows and circles drawn on it, coordinates, styles, reminders, captures."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tree_pages import CLIPBOARD, opens, saved
from web_pages import Opener, click_square, faults_in, point_of, read_board, wait_until

import kr
from kr import svg
from kr.game.position import Position
from kr.viewer.positions import move_json, side_name
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

DESK, HAND = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
FORCED = Position.from_fen("B:W18,24,31:B4,8,9,10,15")
OWN = ".own .board"
MOUNT = """async position => {
  const {Board} = await import("/static/board.js");
  const {GameTree} = await import("/static/tree.js");
  const said = window.said = [], heard = window.heard = [], tree = window.tree = new GameTree();
  const board = window.board = new Board({label: "Own", say: text => said.push(text)});
  const place = document.createElement("div");
  place.className = "own";
  place.style.width = "366px";
  place.append(board.element);
  const heading = document.createElement("h1");
  heading.textContent = "Own";
  document.querySelector("main").replaceChildren(heading, place);
  tree.load({headers: {}, start: position.fen, result: "*", nodes: [{parent: null}]});
  tree.on("edit", () => board.drawings(tree.node));
  tree.on("node", () => board.drawings(tree.node));
  board.onmove = move => heard.push(move.text);
  board.ondraw = shapes => tree.annotate(tree.node, shapes);
  board.show(position.fen, {moves: position.moves});
}"""


def position_json(position: Position) -> dict[str, Any]:
    """A position as the page has it, with its legal moves."""
    moves = [{**move_json(move), "fen": position.play(move).fen} for move in position.legal_moves()]
    return {"fen": position.fen, "side": side_name(position.side), "moves": moves, "over": None}


def mounted(server: WebServer, opened: Opener, position: Position = FORCED, **window: Any) -> Page:
    """A page with a board of its own, which draws into a game."""
    page = opened(server.address, **window)
    page.evaluate(MOUNT, position_json(position))
    return page


def pull(page: Page, origin: int, target: int, *keys: str) -> None:
    """An arrow with the right button while keys are held, or a circle."""
    for key in keys:
        page.keyboard.down(key)
    page.mouse.move(*point_of(page, origin, OWN))
    page.mouse.down(button="right")
    if target != origin:
        page.mouse.move(*point_of(page, target, OWN), steps=3)
    page.mouse.up(button="right")
    for key in keys:
        page.keyboard.up(key)


def written(page: Page) -> str:
    """The commands that the game has of what was drawn."""
    document = json.loads(page.evaluate("JSON.stringify(tree.document())"))
    root = document["nodes"][0]
    commands = {
        "csl": [f"{each['colour']}{each['square']:02}" for each in root.get("circles", ())],
        "cal": [f"{each['colour']}{each['from']:02}{each['to']:02}" for each in root.get("arrows", ())],
    }
    return "".join(f"[%{name} {','.join(shapes)}]" for name, shapes in commands.items() if shapes)


def test_arrows_and_circles_are_drawn_by_the_right_button(server: WebServer, opened: Opener) -> None:
    page = mounted(server, opened, size=DESK)
    pull(page, 9, 14)
    pull(page, 10, 19, "Shift")
    pull(page, 24, 24, "Alt")
    pull(page, 18, 18, "Alt", "Shift")
    assert written(page) == "[%csl B24,Y18][%cal G0914,R1019]"
    drawn = page.locator(f"{OWN} .arrow.drawn")
    assert [each.get_attribute("class") for each in drawn.all()] == ["arrow drawn green", "arrow drawn red"]
    assert page.locator(f"{OWN} .ring").count() == 2
    label = page.locator(f"{OWN} .grid [data-square='18']").get_attribute("aria-label")
    assert label == "18, white man, circled"
    # again the same goes, another colour takes its place; a light square is no end
    pull(page, 9, 14)
    pull(page, 24, 24)
    x, y = point_of(page, 9, OWN)
    page.mouse.move(x, y)
    page.mouse.down(button="right")
    page.mouse.move(x + 45, y, steps=2)
    assert page.locator(f"{OWN} .arrow.drawn").count() == 1
    page.mouse.up(button="right")
    assert written(page) == "[%csl Y18,G24][%cal R1019]"
    # each is a change of the game that can be undone; no menu opens, and no move is made
    assert page.evaluate("() => tree.undo() && tree.undo()")
    assert written(page) == "[%csl B24,Y18][%cal G0914,R1019]"
    assert page.locator(f"{OWN} .arrow.drawn").count() == 2
    opens = """() => !document.querySelector('.own .grid').dispatchEvent(
      new Event('contextmenu', {cancelable: true}))"""
    assert page.evaluate(opens)
    assert page.evaluate("() => { board.ondraw = null; return heard.length; }") == 0
    assert not page.evaluate(opens)
    pull(page, 9, 13)
    assert page.locator(f"{OWN} .arrow.drawn").count() == 2


def test_arrows_and_circles_are_drawn_by_keys(server: WebServer, opened: Opener) -> None:
    page = mounted(server, opened, size=DESK)
    page.locator(f"{OWN} [tabindex='0']").focus()
    # 1, down to the square that is circled, down again
    for key in ("ArrowDown", "c", "a", "ArrowDown", "Shift+A"):
        page.keyboard.press(key)
    end = page.evaluate("document.activeElement.dataset.square")
    assert written(page) == f"[%csl G05][%cal R05{end:0>2}]"
    assert page.evaluate("said.splice(0)") == ["An arrow from 5: go to its end and press A"]
    # one that is given up leaves nothing: by Escape, by a click, by leaving the board
    for leave in (lambda: page.keyboard.press("Escape"), lambda: click_square(page, 28, OWN),
                  lambda: page.keyboard.press("Tab")):  # fmt: skip
        page.locator(f"{OWN} [tabindex='0']").focus()
        for key in ("a", "ArrowUp"):
            page.keyboard.press(key)
        leave()
        assert page.locator(f"{OWN} .arrow").count() == 1
    assert written(page) == f"[%csl G05][%cal R05{end:0>2}]"
    assert page.locator(f"{OWN} .arrow").count() == 1


def finger(page: Page, *steps: tuple[str, float, float]) -> None:
    """Events of a finger, as the browser sends them to a page."""
    link, rings = page.context.new_cdp_session(page), page.locator(f"{OWN} .ring").count()
    for kind, x, y in steps:
        points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
        link.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        if kind == "touchStart":
            # what a finger that stays draws first
            wait_until(page, "before => document.querySelectorAll('.own .ring').length !== before", rings)


def test_a_finger_that_stays_draws(server: WebServer, opened: Opener) -> None:
    page = mounted(server, opened, size=HAND, has_touch=True)
    # on a piece that can move, and on an empty square beside the way that pages scroll
    for origin, target in ((15, 24), (21, 14)):
        (x, y), end = point_of(page, origin, OWN), point_of(page, target, OWN)
        finger(page, ("touchStart", x, y), ("touchMove", *end), ("touchMove", *end), ("touchEnd", *end))
    x, y = point_of(page, 32, OWN)
    finger(page, ("touchStart", x, y), ("touchEnd", x, y))
    assert written(page) == "[%csl G32][%cal G1524,G2114]"
    assert read_board(page, OWN) == {4: "b", 8: "b", 9: "b", 10: "b", 15: "b", 18: "w", 24: "w", 31: "w"}
    assert page.locator(f"{OWN} .picked").count() == page.evaluate("heard.length") == 0
    # a short one chooses, as before
    page.touchscreen.tap(*point_of(page, 15, OWN))
    assert page.locator(f"{OWN} .target").count() == 1


def pieces_that_must_capture_are_marked_before_a_capture_is_missed(page: Page) -> None:
    marked = page.locator(f"{OWN} .forced rect")
    assert marked.count() == 0
    page.evaluate("board.forced(true)")
    assert marked.count() == 1
    click_square(page, 15, OWN)
    assert (marked.count(), page.locator(f"{OWN} .picked").count()) == (0, 1)
    click_square(page, 15, OWN)
    assert marked.count() == 1
    # a position without a capture, then none
    page.evaluate("position => board.show(position.fen, {moves: position.moves})", position_json(Position()))
    assert marked.count() == 0


SHOWN = """kind => {
  board.coordinates(kind);
  const texts = [...document.querySelectorAll(".own :is(.numbers, .letters) text")].filter(
    text => getComputedStyle(text.parentElement).display !== "none");
  return texts.map(text => [text.textContent, Math.floor((text.getBBox().x - 3) / 45),
    Math.floor((text.getBBox().y + 4 - 3) / 45)]);
}"""


def coordinates_are_numbers_letters_or_none(page: Page) -> None:
    for flipped in (False, True):
        page.evaluate("on => board.flip(on)", flipped)
        assert [text for text, *_ in page.evaluate(SHOWN, "numbers")] == [str(square) for square in range(1, 33)]
        letters = page.evaluate(SHOWN, "letters")
        columns = {column: text for text, column, row in letters if text.isalpha() and row == 7}
        rows = {row: text for text, column, row in letters if text.isdigit() and column == 0}
        assert len(columns) == len(rows) == 8
        for square in range(32):
            column, row = svg.place(square, flipped)
            assert kr.notation.letters_square(columns[column] + rows[row]) == square
        assert page.evaluate(SHOWN, "none") == []
    # a board without a choice of its own follows the page
    counted = "kind => { document.documentElement.dataset.coordinates = kind; return SHOWN(); }".replace(
        "SHOWN", f"({SHOWN})"
    )
    page.evaluate("() => { board.coordinates = () => {}; delete board.element.dataset.coordinates; }")
    for kind, count in (("letters", 16), ("none", 0), ("numbers", 32)):
        assert len(page.evaluate(counted, kind)) == count


def hexed(colour: str) -> str:
    """rgb(1, 2, 3) as #010203."""
    return "#" + "".join(f"{int(part):02x}" for part in colour[4:-1].split(","))


LOOKS = """([board, pieces]) => {
  Object.assign(document.documentElement.dataset, {board, pieces});
  const colour = (selector, name) => getComputedStyle(document.querySelector(selector))[name];
  const form = name => getComputedStyle(document.querySelector(".own .piece")).getPropertyValue(name).trim();
  return [colour(".own .dark", "fill"), colour(".own .edge", "fill"), form("--carved-piece"), form("--flat-piece")];
}"""


def styles_are_attributes_of_the_page(page: Page) -> None:
    pictures = set()
    for style, colours in svg.STYLES.items():
        for pieces in svg.PIECES:
            dark, edge, carved, flat = page.evaluate(LOOKS, [style, pieces])
            assert (hexed(dark), hexed(edge)) == (colours["dark"], colours["edge"])
            assert (carved, flat) == (("inline", "none") if pieces == "carved" else ("none", "inline"))
            pictures.add(page.locator(OWN).screenshot())
    assert len(pictures) == 6
    assert faults_in(page) == []


FADING = "() => document.querySelectorAll('.own .captured').length"


def test_captured_pieces_fade_unless_motion_is_unwanted(server: WebServer, opened: Opener) -> None:
    capture = "10x19x26x17"
    start = Position.from_fen("B:W15,23,22,K32:BK10")
    after = start.play(capture)
    path = [int(square) for square in capture.split("x")]
    show = "([fen, last]) => board.show(fen, {last, animate: true})"
    for motion, gone in (("no-preference", 3), ("reduce", 0)):
        page = mounted(server, opened, start, size=DESK, reduced_motion=motion)
        # at once: they are gone in a moment
        assert page.evaluate(f"asked => {{ ({show})(asked); return ({FADING})(); }}", [after.fen, path]) == gone
        assert len(read_board(page, OWN)) == 2
        wait_until(page, f"() => ({FADING})() === 0")
        # a step back, and a leap to a position that no move led to, show nothing that goes
        for fen in (start.fen, "B:W32:B1"):
            page.evaluate(show, [fen, path])
            assert page.locator(f"{OWN} .captured").count() == 0


def the_board_is_as_large_as_its_place(page: Page) -> None:
    for width in (120, 300, 700):
        page.locator(OWN).evaluate("(board, width) => { board.parentElement.style.width = `${width}px`; }", width)
        box = page.locator(OWN).bounding_box()
        assert box is not None
        assert (box["width"], box["height"]) == (width, width)


@pytest.mark.soak
def test_the_looks_of_a_board(server: WebServer, opened: Opener) -> None:
    page = mounted(server, opened, size=DESK)
    pieces_that_must_capture_are_marked_before_a_capture_is_missed(page)
    for looks in (coordinates_are_numbers_letters_or_none, the_board_is_as_large_as_its_place):
        page.evaluate(MOUNT, position_json(FORCED))
        looks(page)
    page.evaluate(MOUNT, position_json(Position.from_fen("W:W22,K31:B1,K10")))
    styles_are_attributes_of_the_page(page)


def test_drawings_on_analyse_are_saved_with_the_game(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, DESK, **CLIPBOARD)
    opens(page, "1. 11-15 {so} 23-19 *")
    page.keyboard.press("ArrowRight")
    for origin, target in ((15, 19), (22, 22)):
        page.mouse.move(*point_of(page, origin))
        page.mouse.down(button="right")
        page.mouse.move(*point_of(page, target), steps=2)
        page.mouse.up(button="right")
    game = saved(page)
    assert next(game.mainline()).comments == ["so", "[%csl G22][%cal G1519]"]
    page.keyboard.press("Control+z")
    assert page.locator("main .ring").count() == 0
    assert page.locator("main .arrow.drawn").count() == 1
