"""One screen for a game: what is needed at each move is inside the window, at a desktop's and a phone's size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tree_pages import CLIPBOARD, opens
from web_pages import (
    PHONE,
    SIZES,
    Opener,
    faults_in,
    from_menu,
    open_panel,
    out_of_sight,
    show_setup,
    type_fen,
    wait_until,
)

from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

# reviewed by hand: a mark with its better line, and a graph
GAME = """[Black "Ann"]
[White "Bob"]

1. 11-15 {[%clk 0:04:59] [%kr exp=0.50]} 23-19 {[%clk 0:04:50] [%kr exp=0.50]} 2. 8-11 {[%kr exp=0.48]}
22-17 {[%kr exp=0.51]} 3. 15-18 $2 {a slip [%kr exp=0.21 nag=?]} (3. 4-8 {[%kr line exp=0.50]} 17-13 4. 15-18)
19-15 {[%kr exp=0.24]} 1-0
"""
ALWAYS = [
    ".board", ".seat .name", ".steps button", ".controls .icon-button", ".move-list [aria-current]", ".said .turn",
    ".graph-place svg.graph, .graph-place .graph > svg", ".analysis .go", ".lines li:first-child .score", "[role=tab]",
    "nav a",
]  # fmt: skip
"""What is in sight at each move, whatever is done."""


SELECTED_LINE = """() => {
  const {borderTopColor, borderTopWidth, borderBottomColor, borderBottomWidth} =
    getComputedStyle(document.querySelector("[role=tab][aria-selected=true]"));
  const shown = [[borderTopColor, borderTopWidth], [borderBottomColor, borderBottomWidth]];
  return Math.max(...shown.filter(([colour]) => colour !== "rgba(0, 0, 0, 0)").map(([, width]) => parseFloat(width)));
}"""
"""Thickness of the line that marks the chosen tab."""
SIDEWAYS = {"width": 844, "height": 390}
PANELS = ["Review", "Explorer", "People", "Regions", "Repertoire", "Games", "Set up"]


def fits(page: Page) -> bool:
    """True if neither the document nor its width is longer than the window."""
    return bool(
        page.evaluate(
            "document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth"
        )
    )


def analysed(page: Page) -> None:
    page.get_by_role("button", name="Analyse", exact=True).click()
    wait_until(page, "() => document.querySelectorAll('.lines li:not([hidden]) .score').length > 0")


def test_a_game_is_on_one_screen(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    opens(page, GAME)
    analysed(page)
    for size in SIZES:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        for key in ("End", "ArrowLeft", "ArrowLeft", "ArrowLeft"):
            page.keyboard.press(key)
            assert out_of_sight(page, ALWAYS) == [], size
        page.get_by_role("button", name="3. 15-18").click()
        assert out_of_sight(page, [*ALWAYS, ".said .better"]) == [], size
        assert "Better: 4-8 17-13 15-18" in page.locator(".said").inner_text()
        assert page.locator("main .board .arrow.better").count() == 1
        assert page.locator(".seat.white .clock").inner_text() == "4:50"
        assert fits(page), size
    # by a finger, not under a pointer that stays there
    page.get_by_role("tab", name="Review", exact=True).dispatch_event("click")
    for size in SIZES:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        wait_until(page, f"() => ({SELECTED_LINE})() === 3")


WINDOWS = [(320, 568), (390, 844), (844, 390), (768, 1024), (1280, 800)]
WITH_BOARD = {
    "analyse": ".welcome button", "play/new": ".begin .primary", "play": ".acts button",
    **{name: f".{name} .board .movable" for name in ("learn", "lessons", "endings")},
}  # fmt: skip
"""Pages with a board, and what they have once they are there; a game is begun in between."""
BOARD = """() => {
  const board = [...document.querySelectorAll("main .board")].find(each => each.checkVisibility());
  const {left, top, width} = board?.getBoundingClientRect() ?? {};
  return board ? [left, top, width].map(Math.round) : null;
}"""


def test_the_board_stays_where_it_is(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    places: dict[tuple[int, int], dict[str, list[int]]] = {size: {} for size in WINDOWS}

    def look(name: str) -> None:
        for size, boards in places.items():
            page.set_viewport_size({"width": size[0], "height": size[1]})
            # a phone shows the form of a game alone
            if board := page.evaluate(BOARD):
                boards[name] = board

    for name, ready in WITH_BOARD.items():
        if name == "play":
            page.locator(".begin .primary").click()
        else:
            page.evaluate("name => { location.hash = name; }", name)
        page.locator(ready).first.wait_for()
        look(name)
        if name == "analyse":
            open_panel(page, "Explorer")
            look("a panel")
    for size, boards in places.items():
        assert len({tuple(each) for each in boards.values()}) == 1, (size, boards)
        assert len(boards) >= len(WITH_BOARD), (size, boards)


@pytest.mark.soak
@pytest.mark.parametrize("sizes", [[SIZES[0], PHONE], [SIZES[1], SIDEWAYS]])
def test_a_panel_pushes_nothing_away(server: WebServer, opened: Opener, sizes: list[dict[str, int]]) -> None:
    page = opened(server.address, **CLIPBOARD)
    opens(page, GAME)
    for size in sizes:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        if (moves := page.get_by_role("tab", name="Moves", exact=True)).is_visible():
            moves.click()
        before = page.locator("main .board").bounding_box()
        wide = size["width"] > 1000
        kept = [".board", ".seat .name", ".steps button", ".panels", "[role=tab]"]
        kept += [".move-list", ".said .turn", ".graph-place"] if wide else []
        for name in PANELS:
            if name == "Set up":
                show_setup(page)
            else:
                open_panel(page, name)
            page.get_by_role("tabpanel", name=name).wait_for()
            page.wait_for_timeout(200)
            assert page.locator("main .board").bounding_box() == before
            assert out_of_sight(page, kept) == [], (size, name)
            height, beside = page.evaluate(
                "['.panels', '.side'].map(name => document.querySelector(name).getBoundingClientRect().height)"
            )
            assert height >= (beside / 2 if wide else 90), (size, name)
            assert fits(page), (size, name)


def test_a_phone_held_sideways_tells_what_went_wrong(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, SIDEWAYS)
    type_fen(page, "B:W5:B1")
    open_panel(page, "Moves")
    page.get_by_role("button", name="Threat").click()
    page.get_by_text("no threat: White could not move").wait_for()
    page.get_by_role("button", name="Threat").click()
    # depth and speed have no room here
    wait_until(page, "() => !document.querySelector('.facts').classList.contains('failed')")
    assert not page.locator(".facts").first.is_visible()


def test_a_tab_leads_back_to_the_moves_on_a_phone(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, SIZES[2], has_touch=True, **CLIPBOARD)
    opens(page, GAME)
    page.get_by_role("tab", name="People").tap()
    assert not page.locator(".move-list").is_visible()
    page.get_by_role("tab", name="Moves").tap()
    assert page.locator(".move-list").is_visible()
    # a second press closes a panel as well, and the choice outlives the page
    page.get_by_role("tab", name="Regions").tap()
    page.get_by_role("tab", name="Regions").tap()
    assert page.locator(".move-list").is_visible()
    page.get_by_role("tab", name="People").tap()
    page.reload()
    page.get_by_role("tabpanel", name="People").wait_for()


def test_the_bar_shows_chances_of_the_review_then_of_the_engine(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    bar = page.locator(".evaluation")
    assert bar.get_attribute("aria-label") == "Evaluation: not analysed"
    opens(page, GAME)
    page.get_by_role("button", name="3. 15-18").click()
    assert bar.get_attribute("aria-label") == "Evaluation: Black wins 21, draw 0, White wins 79 in a hundred"
    analysed(page)
    wait_until(page, "() => !document.querySelector('.evaluation').ariaLabel.includes('draw 0,')")


def test_captured_men_and_who_is_to_move(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    opens(page, "1. 11-15 22-18 2. 15x22 25x18 3. 12-16 *")
    seats = {side: page.locator(f".seat.{side}") for side in ("black", "white")}
    page.keyboard.press("End")
    for side in seats:
        assert seats[side].locator(".captured").get_attribute("aria-label") == "captured 1 piece"
    for key, mover in (("End", "white"), ("ArrowLeft", "black")):
        page.keyboard.press(key)
        assert page.locator(".seat.turn-to-move").get_attribute("class") == f"seat {mover} turn-to-move"
    page.keyboard.press("Home")
    assert seats["black"].locator(".captured").get_attribute("aria-label") == "nothing captured"
    # since the last position that was set up
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    opens(page, f'[Black "{"W" * 60}"]\n\n1. 11-15 23-19 /FEN "B:W25,29:B1,15"/ 2. 15-18 25-21 *\n')
    captured = page.locator(".analyse .seat.black .captured")
    page.keyboard.press("End")
    assert page.locator("input.fen").input_value() == "B:W21,29:B1,18"
    assert captured.locator("i").count() == 0
    # a long name leaves the disc of its side round
    box = page.locator(".analyse .seat.black > .disc").bounding_box()
    assert box is not None
    assert box["width"] == pytest.approx(box["height"], abs=0.5)


@pytest.mark.soak
def test_keys_are_listed_and_open_menus(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    opens(page, GAME)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    dialog.wait_for()
    assert "begin or stop the analysis" in dialog.inner_text()
    assert faults_in(page, "dialog") == []
    page.keyboard.press("Escape")
    assert dialog.count() == 0
    # not while a text is written
    show_setup(page)
    page.get_by_label("FEN", exact=True).press("?")
    assert dialog.count() == 0
    # a menu by keys
    page.get_by_role("button", name="More", exact=True).press("Enter")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "Undo"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "More"
    assert page.get_by_role("menu").count() == 0
    from_menu(page, "New game")
    assert page.locator(".move-list button.move").count() == 0


SETTINGS = [
    ("Board", "wood", "board", "wood"), ("Board", "high contrast", "board", "contrast"),
    ("Pieces", "carved", "pieces", "carved"), ("Squares", "letters", "coordinates", "letters"),
    ("Colours", "dark", "theme", "dark"),
]  # fmt: skip


def test_settings_are_seen_at_once_and_kept(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    page.get_by_role("button", name="Settings").click()
    dialog = page.get_by_role("dialog", name="Settings")
    for group, choice, attribute, value in SETTINGS:
        dialog.get_by_role("group", name=group, exact=True).get_by_text(choice, exact=True).click()
        assert page.evaluate("name => document.documentElement.dataset[name]", attribute) == value
        assert page.evaluate("name => JSON.parse(localStorage.getItem('kr-' + name))", attribute) == value
    assert faults_in(page, "dialog") == []
    width = page.locator("main .board").bounding_box()["width"]  # type: ignore[index]
    dialog.get_by_text("small", exact=True).click()
    assert page.locator("main .board").bounding_box()["width"] < 0.8 * width  # type: ignore[index]
    page.reload()
    assert page.evaluate("document.documentElement.dataset.pieces") == "carved"


ALONE = """async () => {
  const script = document.createElement("script"), {style} = document.documentElement;
  script.src = document.querySelector("head > script:not([type])").src;
  style.cssText = "";
  await new Promise(done => { script.onload = done; document.head.append(script); });
  return Number(style.getPropertyValue("--board-size"));
}"""
"""Runs the script of the first HTML without the others; gives the size of the board."""


@pytest.mark.soak
def test_the_board_is_dragged_by_its_corner(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    opens(page, GAME)
    page.keyboard.press("End")
    corner = page.get_by_role("slider", name="Size of the board")

    def width() -> float:
        return float(page.locator("main .board").bounding_box()["width"])  # type: ignore[index]

    def drag(right: int, down: int) -> None:
        box = corner.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + right, y + down)
        page.mouse.up()

    usual = width()
    drag(-40, -100)
    assert width() == pytest.approx(usual - 100, abs=1)
    page.reload()
    corner.wait_for()
    assert width() == pytest.approx(usual - 100, abs=1)
    assert page.evaluate(ALONE) == pytest.approx((usual - 100) / usual, abs=0.002)
    now = corner.get_attribute("aria-valuenow")
    # the keys are not those of the game
    wait_until(page, "() => document.querySelector('.move-list [aria-current]')?.textContent.includes('19-15')")
    corner.press("ArrowLeft")
    assert width() == pytest.approx(usual * (int(now or 0) - 5) / 100, abs=2)
    assert "19-15" in page.locator(".move-list [aria-current]").inner_text()
    page.locator("nav a[href='#learn']").click()
    page.locator(".learn .corner").wait_for()
    # as much as there is room for; on less nobody can play
    drag(2000, 2000)
    assert width() > usual
    assert fits(page)
    drag(-2000, -2000)
    assert width() == pytest.approx(usual / 2, abs=1)
    assert out_of_sight(page, [".controls .icon-button", "[role=tab]"]) == []
    corner.dblclick()
    assert width() == pytest.approx(usual, abs=1)


CRAMPED = """() => [...document.querySelectorAll(".controls, .controls button, .tab")]
  .filter(each => each.checkVisibility())
  .filter(each => each.scrollWidth > each.clientWidth + 1 || each.clientHeight > 60)
  .map(each => each.textContent)"""


@pytest.mark.soak
def test_names_of_buttons_have_room(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    for size in ("large", "small"):
        page.get_by_role("button", name="Settings").click()
        page.get_by_role("dialog").get_by_text(size, exact=True).click()
        page.keyboard.press("Escape")
        for name in ("analyse", "learn", "endings"):
            page.locator(f"nav a[href='#{name}']").click()
            page.locator(f".screen.{name} .controls").wait_for()
            for width, height in ((1280, 800), (1024, 768), (768, 1024)):
                page.set_viewport_size({"width": width, "height": height})
                assert page.evaluate(CRAMPED) == [], (size, name, width)
