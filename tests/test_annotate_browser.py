"""Pages of annotated games in a browser: what is seen is the position that is meant, however one came to it."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import reference
from test_annotate import playout
from test_annotate_pages import GAME, WHITE_BEGINS

from kr import svg
from kr.analysis.annotation import pages
from kr.analysis.annotation.annotation import annotate
from kr.analysis.annotation.files import AnnotateSettings, annotate_files
from kr.analysis.annotation.judging import JudgeSettings
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.pdn import Game, read_game, read_games

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

PLAYOUT = 7
"""The seed of a game with kings and long captures."""
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
NAMES = {"b": "black man", "w": "white man", "B": "black king", "W": "white king"}

READ = """() => {
  const shown = element => element.checkVisibility({visibilityProperty: true, opacityProperty: true});
  document.querySelector(".stage .empty svg").scrollIntoView({block: "center"});
  const squares = Array.from(document.querySelectorAll(".stage .empty .square.dark"));
  const pieces = squares.map(square => {
    const box = square.getBoundingClientRect();
    const there = document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const found = new Set(there.map(element => element.closest(".stage .piece")).filter(Boolean));
    return Array.from(found, piece => piece.getAttribute("class").replace("piece ", ""));
  });
  const captions = Array.from(document.querySelectorAll(".stage figcaption")).filter(shown);
  const column = document.querySelector(`.graph a[href="#${captions[0].parentNode.id}"] rect`);
  const middle = element => { const box = element.getBoundingClientRect(); return box.x + box.width / 2; };
  return {
    pieces: pieces,
    boards: Array.from(document.querySelectorAll(".stage figure > svg")).filter(shown).map(each => each.parentNode.id),
    captions: captions.map(each => each.parentNode.id),
    label: captions.map(each => each.querySelector(".move").innerText).join(),
    text: captions.map(each => each.innerText).join(),
    hash: location.hash,
    current: Array.from(document.querySelectorAll(".sheet [aria-current]"), link => link.hash),
    cursor: Math.abs(middle(document.querySelector(".graph .cursor")) - middle(column)),
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  };
}"""


@dataclass
class Meant:
    """Expected content of a page after a ply, found without the code that makes pages."""

    board: dict[int, str]
    label: str
    marked: bool
    said: list[str] = field(default_factory=list)
    """Texts that are to be read beside the board."""


@dataclass
class Case:
    """A page and what is meant by it."""

    url: str
    plies: list[Meant]

    @property
    def last(self) -> int:
        return len(self.plies) - 1

    def after(self, ply: int, step: str) -> int:
        """Ply to which a key leads."""
        marks = [number for number, meant in enumerate(self.plies) if meant.marked]
        return {
            "ArrowRight": min(ply + 1, self.last),
            "ArrowLeft": max(ply - 1, 0),
            "Home": 0,
            "End": self.last,
            "n": min((mark for mark in marks if mark > ply), default=ply),
            "p": max((mark for mark in marks if mark < ply), default=ply),
        }[step]


def case_of(game: Game, directory: Path) -> Case:
    """A page in a directory. The game is replayed by the plain rules of the tests."""
    engine = Engine("manual", hash_mb=1)
    annotation = annotate(game, engine, JudgeSettings(tc=Limits(nodes=300)))
    page = directory / "page.html"
    page.write_text(pages.page(1, game, annotation, "kr"))
    board = reference.from_bits(game.start.black, game.start.white, game.start.kings)
    side = int(game.start.side)
    plies = [Meant(dict(board), "Start", marked=False)]
    for number, (node, judged) in enumerate(zip(game.mainline(), annotation.moves, strict=True), int(game.start.side)):
        path = judged.move.path
        (move,) = {
            (squares, taken)
            for squares, taken in reference.legal_moves(board, side)
            if squares == path and reference.bits_of(taken) == judged.move.captured
        }
        board = reference.played(board, move)
        side = 1 - side
        dots = "..." if number % 2 else "."
        meant = Meant(
            dict(board), f"{number // 2 + 1}{dots} {judged.move}{''.join(node.nags)}", marked=judged.mark != ""
        )
        if judged.expected is not None:
            black = judged.expected if side == reference.WHITE else 1 - judged.expected
            meant.said.append(f"Black expects {black:.2f}")
        if not judged.judged:
            meant.said.append("not judged" if judged.reason == "opening" else "Not judged")
        meant.said += [f"“{comment}”" for comment in node.comments if "[%" not in comment]
        plies.append(meant)
    return Case(page.as_uri(), plies)


def check(page: Page, case: Case, ply: int, scripts: bool = True) -> None:
    """The visible content is the position after a ply with its text, and nothing of another."""
    seen = page.evaluate(READ)
    meant = case.plies[ply]
    expected = [[NAMES[meant.board[square]]] if square in meant.board else [] for square in range(32)]
    assert seen["pieces"] == expected, ply
    assert (seen["boards"], seen["captions"]) == ([f"p{ply}"], [f"p{ply}"])
    assert seen["label"] == meant.label
    for text in meant.said:
        assert text in seen["text"]
    assert seen["hash"] == f"#p{ply}" or (seen["hash"] == "" and ply == 0)
    assert seen["wide"] <= 0
    if scripts:
        assert seen["current"] == ([f"#p{ply}"] if ply else [])
        assert seen["cursor"] < 1


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    made = case_of(playout(PLAYOUT, 30), tmp_path_factory.mktemp("case"))
    assert sum(meant.marked for meant in made.plies) > 3
    assert any(piece in "BW" for piece in made.plies[-1].board.values())
    assert any(len(before.board) - len(after.board) > 1 for before, after in pairwise(made.plies))
    return made


Opener = Callable[..., "Page"]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opener]:
    """Opens windows, with color_scheme and java_script_enabled as keywords. No script fails, nothing else is loaded."""
    contexts = []
    wrong: list[str] = []
    asked: list[str] = []

    def opening(url: str = "about:blank", size: dict[str, int] = WIDE, **others: Any) -> Page:
        context = browser.new_context(viewport=size, **others)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: asked.append(request.url.partition("#")[0]))
        page.goto(url)
        return page

    yield opening
    for context in contexts:
        context.close()
    assert wrong == []
    assert all(url.startswith("file:") and url.endswith(".html") for url in asked)


def middle_of(page: Page, selector: str) -> tuple[float, float]:
    """Point at which to click an element, which is scrolled into view."""
    x, y = page.evaluate(
        """selector => {
          const element = document.querySelector(selector);
          element.scrollIntoView({block: "center"});
          const box = element.getBoundingClientRect();
          return [box.x + box.width / 2, box.y + box.height / 2];
        }""",
        selector,
    )
    return x, y


@pytest.mark.parametrize("scripts", [True, False])
def test_the_address_says_which_board(case: Case, opened: Opener, scripts: bool) -> None:
    page = opened(java_script_enabled=scripts)
    for ply in (0, 1, 20, case.last):
        page.goto("about:blank")
        page.goto(f"{case.url}#p{ply}")
        check(page, case, ply, scripts)
    for ply in range(case.last, -1, -1):
        page.goto(f"{case.url}#p{ply}")
        check(page, case, ply, scripts)
    page.goto(f"{case.url}#p7")
    page.goto(f"{case.url}#p5")
    page.go_back()
    check(page, case, 7, scripts)
    page.go_forward()
    check(page, case, 5, scripts)


@pytest.mark.parametrize(("start", "size"), [(0, PHONE), (20, WIDE)])
def test_keys(case: Case, opened: Opener, start: int, size: dict[str, int]) -> None:
    page = opened(f"{case.url}#p{start}" if start else case.url, size)
    check(page, case, start)
    now = start
    for key in ["n"] * 4 + ["p"] * 2 + ["End", "ArrowRight", "ArrowLeft", "Home", "ArrowLeft"]:
        page.keyboard.press(key)
        now = case.after(now, key)
        check(page, case, now)
    for ply in range(1, case.last + 1):
        page.keyboard.press("ArrowRight")
        check(page, case, ply)
    page.keyboard.press("Home")
    check(page, case, 0)


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("where", [".sheet", ".graph"])
def test_clicks(case: Case, opened: Opener, where: str, scripts: bool) -> None:
    page = opened(case.url, java_script_enabled=scripts)
    # every one by the script; without it the browser does the same for all
    for ply in random.Random(1).sample(range(1, case.last + 1), case.last if scripts else 12):
        page.mouse.click(*middle_of(page, f'{where} a[href="#p{ply}"] {"rect" if where == ".graph" else "span"}'))
        check(page, case, ply, scripts)


@pytest.mark.parametrize("scripts", [True, False])
def test_links_beside_the_board_and_in_the_notes(case: Case, opened: Opener, scripts: bool) -> None:
    page = opened(case.url, PHONE, java_script_enabled=scripts)
    now = 0
    forward, back = "Forward (→)", "Back (←)"
    for title in [forward] * 5 + [back] * 2 + ["End (End)", forward, "Start (Home)", back, forward]:
        page.mouse.click(*middle_of(page, f'#p{now} [title="{title}"]'))
        key = title.split()[0]
        now = case.after(now, {"Forward": "ArrowRight", "Back": "ArrowLeft"}.get(key, {"Start": "Home"}.get(key, key)))
        check(page, case, now, scripts)
    for ply in [number for number, meant in enumerate(case.plies) if meant.marked]:
        page.mouse.click(*middle_of(page, f'.notes a[href="#p{ply}"]'))
        check(page, case, ply, scripts)


@pytest.mark.parametrize("size", [WIDE, PHONE])
@pytest.mark.parametrize("where", [".sheet", ".notes"])
def test_a_click_far_below_brings_the_board_into_view(
    case: Case, opened: Opener, size: dict[str, int], where: str
) -> None:
    page = opened(case.url, size)
    (*_, last) = [number for number, meant in enumerate(case.plies) if meant.marked]
    page.mouse.click(*middle_of(page, f'{where} a[href="#p{last}"]'))
    box = page.locator(".stage .empty").bounding_box()
    assert box is not None
    # scrolling stops at whole pixels
    assert box["y"] > -1
    assert box["y"] + box["height"] < size["height"] + 1
    check(page, case, last)
    # keys leave the page where it is
    page.evaluate("window.scrollTo(0, 40)")
    page.keyboard.press("Home")
    assert page.evaluate("window.scrollY") == 40


def test_the_index_is_sorted_by_a_click_and_leads_to_games(opened: Opener, tmp_path: Path) -> None:
    (tmp_path / "games.pdn").write_text(GAME + "\n" + WHITE_BEGINS)
    settings = AnnotateSettings(
        files=(tmp_path / "games.pdn",), html=tmp_path, tc=Limits(nodes=300), hash=1 << 20, weights="manual"
    )
    annotate_files(settings)
    page = opened((tmp_path / "index.html").as_uri(), PHONE)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    numbers = "Array.from(document.querySelectorAll('table')[1].tBodies[0].rows, row => row.cells[0].innerText).join()"
    assert page.evaluate(numbers) == "1,2"
    button = page.locator("table").nth(1).locator("th button").first
    button.click()
    assert page.evaluate(numbers) == "2,1"
    button.click()
    assert page.evaluate(numbers) == "1,2"
    page.locator("td.name a").nth(1).click()
    assert page.evaluate(READ)["boards"] == ["p0"]
    page.go_back()
    assert page.title() == "Annotated games"


def test_steps_leave_one_entry_in_the_history(case: Case, opened: Opener) -> None:
    page = opened(f"{case.url}#p9")
    page.keyboard.press("ArrowRight")
    page.mouse.click(*middle_of(page, '.sheet a[href="#p3"]'))
    check(page, case, 3)
    page.go_back()
    assert page.url == "about:blank"
    page.go_forward()
    check(page, case, 3)
    page.reload()
    check(page, case, 3)
    # an address that names no ply is that of the start
    for nowhere in ("#p999", "#", "#px"):
        page.goto(f"{case.url}#p4")
        check(page, case, 4)
        page.evaluate("hash => { location.hash = hash; }", nowhere)
        page.wait_for_function("document.querySelector('#p0').classList.contains('shown')")
        assert page.evaluate(READ)["boards"] == ["p0"]


def test_any_way_after_any_other(case: Case, opened: Opener) -> None:
    page = opened(f"{case.url}#p12")
    chance = random.Random(3)
    now = 12
    for _ in range(30):
        way = chance.choice(["key", "key", "address", ".sheet", ".graph", "reload"])
        if way == "key":
            key = chance.choice(["ArrowRight", "ArrowLeft", "Home", "End", "n", "p"])
            page.keyboard.press(key)
            now = case.after(now, key)
        elif way == "reload":
            page.reload()
        else:
            now = chance.randrange(1, case.last + 1)
            if way == "address":
                page.goto(f"{case.url}#p{now}")
            else:
                page.mouse.click(*middle_of(page, f'{way} a[href="#p{now}"] {"rect" if way == ".graph" else "span"}'))
        check(page, case, now)


@pytest.mark.parametrize("text", [GAME, WHITE_BEGINS])
def test_short_games(text: str, opened: Opener, tmp_path: Path) -> None:
    game = read_game(text)
    assert game is not None
    case = case_of(game, tmp_path)
    page = opened(case.url)
    for ply in range(1, case.last + 1):
        page.keyboard.press("ArrowRight")
        check(page, case, ply)


COLOURS = {svg.COLORS[name]: name for name in ("black", "white", "black crown", "white crown", "dark", "last move")}


def pixels(page: Page) -> tuple[dict[int, str], str]:
    """The pieces by the colours on the screen, and the colour of the paper."""
    import numpy as np
    from matplotlib.image import imread

    page.evaluate("document.querySelector('.stage .empty svg').scrollIntoView({block: 'center'})")
    box = page.locator(".stage .empty svg").bounding_box()
    assert box is not None
    image = (imread(io.BytesIO(page.screenshot()), format="png")[..., :3] * 255).round().astype(np.uint8)

    def colour(x: float, y: float) -> str:
        return "#" + bytes(image[round(y), round(x)]).hex()

    unit = box["width"] / (8 * svg.CELL + 2 * svg.EDGE)
    found = {}
    for square in range(32):
        row, column = reference.place(square)
        x = box["x"] + unit * (svg.EDGE + svg.CELL * (column + 0.5))
        y = box["y"] + unit * (svg.EDGE + svg.CELL * (row + 0.5))
        name = COLOURS[colour(x, y)]
        if name.endswith("crown"):
            found[square] = name[0].upper()
        elif name in ("black", "white"):
            found[square] = name[0]
    return found, colour(2, 2)


@pytest.mark.parametrize("size", [WIDE, PHONE])
@pytest.mark.parametrize(("scheme", "paper"), [("light", "#fcfcfb"), ("dark", "#16181b")])
def test_the_colours_on_the_screen(case: Case, opened: Opener, size: dict[str, int], scheme: str, paper: str) -> None:
    page = opened(case.url, size, color_scheme=scheme)
    page.keyboard.press("ArrowRight")
    assert pixels(page) == (case.plies[1].board, paper)
    plain = [ply for ply in range(case.last + 1) if not case.plies[ply].marked]  # arrows lie over pieces
    for ply in plain[:: len(plain) // 3]:
        page.evaluate("hash => { location.hash = hash; }", f"#p{ply}")
        assert pixels(page) == (case.plies[ply].board, paper)
    page.keyboard.press("Home")
    assert pixels(page) == (case.plies[0].board, paper)


@pytest.mark.parametrize(
    ("size", "scheme", "scripts"), [(WIDE, "light", True), (PHONE, "dark", True), (WIDE, "light", False)]
)
def test_an_archive_game(
    shared_data: Path, opened: Opener, tmp_path: Path, size: dict[str, int], scheme: str, scripts: bool
) -> None:
    """The longest of twenty games, at every ply."""
    games = islice(read_games(shared_data / "OCA_2.0.pdn.xz", errors=[]), 20)
    case = case_of(max(games, key=lambda game: len(game.moves)), tmp_path)
    page = opened(case.url, size, color_scheme=scheme, java_script_enabled=scripts)
    for ply in range(1, case.last + 1):
        if scripts:
            page.keyboard.press("ArrowRight")
        else:
            page.goto(f"{case.url}#p{ply}")
        check(page, case, ply, scripts)
    for ply in range(0, case.last, 9):
        page.goto(f"{case.url}#p{ply}")
        check(page, case, ply, scripts)
