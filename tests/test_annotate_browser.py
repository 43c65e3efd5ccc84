"""Pages of annotated games in a browser: what is seen is the position that is meant, however one came to it."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from test_annotate import playout
from test_annotate_pages import GAME, HOSTILE, WHITE_BEGINS
from web_pages import PHONE, SIZES, Opener, faults_in, in_view

from kr.analysis.annotation import pages
from kr.analysis.annotation.annotation import annotate
from kr.analysis.annotation.files import AnnotateSettings, annotate_files
from kr.analysis.annotation.judging import JudgeSettings
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.pdn import ChildNode, Game, GameNode, read_game
from kr.pdn.writer import SIGNS
from kr.proofs import rules as reference

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

PLAYOUT = 4
"""The seed of a game with kings and long captures."""
TALL = {"width": 390, "height": 844}
NAMES = {"b": "black man", "w": "white man", "B": "black king", "W": "white king"}

READ = """() => {
  const board = document.querySelector(".stage .board");
  board.scrollIntoView({block: "center"});
  const middle = element => { const box = element.getBoundingClientRect(); return box.x + box.width / 2; };
  const pieces = [];
  for (let square = 1; square <= 32; square++) {
    const box = board.querySelector(`.grid [data-square="${square}"]`).getBoundingClientRect();
    const there = document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const found = new Set(there.map(element => element.closest(".piece")).filter(Boolean));
    pieces.push(Array.from(found, piece => piece.getAttribute("class").replace("piece ", "")));
  }
  const frame = document.querySelector(".graph .frame").getBoundingClientRect();
  const said = document.querySelector(".said .turn").innerText;
  return {
    pieces: pieces,
    label: said.includes(" · ") ? said.split(" · ")[0] : "Start",
    text: document.querySelector(".said").innerText,
    hash: location.hash,
    current: Array.from(document.querySelectorAll(".moves [aria-current]"), move => move.innerText),
    // a low phone has no room for the graph
    cursor: frame.width ? (middle(document.querySelector(".graph .cursor")) - frame.x) / frame.width : null,
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  };
}"""
GRAPH_POINT = """at => {
  document.querySelector(".graph").scrollIntoView({block: "center"});
  const frames = Array.from(document.querySelectorAll(".graph .frame"), line => line.getBoundingClientRect());
  const x = frames[0].x + frames[0].width * at, [top, , bottom] = frames.map(box => box.y);
  // beside the marks, which are clicked for themselves
  for (let y = top + 3; y < bottom; y += 5) {
    if (document.elementFromPoint(x, y).closest("[data-ply]") === null) return [x, y];
  }
}"""
MARKS = """() => {
  document.querySelector(".graph").scrollIntoView({block: "center"});
  return Array.from(document.querySelectorAll(".graph .shape"), shape => {
    const box = shape.getBoundingClientRect();
    return [Number(shape.dataset.ply), box.x + box.width / 2, box.y + box.height / 2];
  });
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
    game: Game

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

    def place(self, ply: int) -> int:
        """Number of a move of the game among all moves of the page, which stand as PDN has them."""
        return written(self.game).index(list(self.game.mainline())[ply - 1])


def written(node: GameNode) -> list[ChildNode]:
    """Moves after a node in the order in which they are written."""
    found: list[ChildNode] = []
    while node.variations:
        node, *others = node.variations
        found.append(node)
        for other in others:
            found += [other, *written(other)]
    return found


def signs(node: ChildNode) -> str:
    """Judgements of a move as they are shown."""
    return "".join(SIGNS.get(nag, nag) for nag in node.nags)


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
        board = reference.plain_after(board, move)
        side = 1 - side
        dots = "..." if number % 2 else "."
        meant = Meant(dict(board), f"{number // 2 + 1}{dots} {judged.move}{signs(node)}", marked=judged.mark != "")
        if judged.expected is None:
            meant.said.append("Not searched.")
        else:
            black = judged.expected if side == reference.WHITE_SIDE else 1 - judged.expected
            meant.said.append(f"Black's chances: {round(100 * black)} in 100")
            meant.said += ["Not judged"] * (not judged.judged) + ["Seen by one search only."] * (not judged.confirmed)
        meant.said += [comment for comment in node.comments if "[%" not in comment]
        plies.append(meant)
    return Case(page.as_uri(), plies, game)


def check(page: Page, case: Case, ply: int) -> None:
    """The visible content is the position after a ply with its text, and nothing of another."""
    seen = page.evaluate(READ)
    meant = case.plies[ply]
    assert seen["pieces"] == shown(meant.board), ply
    assert seen["label"] == meant.label
    for text in meant.said:
        assert text in seen["text"]
    assert seen["hash"] == f"#p{ply}" or (seen["hash"] == "" and ply == 0)
    assert seen["current"] == meant.label.split()[1:]
    assert seen["cursor"] is None or seen["cursor"] == pytest.approx(ply / case.last, abs=0.004)
    assert seen["wide"] <= 0


def shown(board: dict[int, str]) -> list[list[str]]:
    """Pieces to be seen on each square of a board."""
    return [[NAMES[board[square]]] if square in board else [] for square in range(32)]


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    made = case_of(playout(PLAYOUT, 30), tmp_path_factory.mktemp("case"))
    assert sum(meant.marked for meant in made.plies) > 3
    assert any(piece in "BW" for piece in made.plies[-1].board.values())
    assert any(len(before.board) - len(after.board) > 1 for before, after in pairwise(made.plies))
    return made


def test_the_address_says_which_board(case: Case, opened_file: Opener) -> None:
    page = opened_file()
    for ply in (0, 1, 20, case.last):
        page.goto("about:blank")
        page.goto(f"{case.url}#p{ply}")
        check(page, case, ply)
    for ply in range(case.last, -1, -4):
        page.goto(f"{case.url}#p{ply}")
        check(page, case, ply)
    page.goto(f"{case.url}#p7")
    page.goto(f"{case.url}#p5")
    page.go_back()
    check(page, case, 7)
    page.go_forward()
    check(page, case, 5)


@pytest.mark.soak
def test_keys_and_buttons(case: Case, opened_file: Opener) -> None:
    page = opened_file(size=PHONE)
    for start in (20, 0):
        page.goto("about:blank")
        page.goto(f"{case.url}#p{start}" if start else case.url)
        check(page, case, start)
        now = start
        for key in ["n"] * 4 + ["p"] * 2 + ["End", "ArrowRight", "ArrowLeft", "Home", "ArrowLeft"]:
            page.keyboard.press(key)
            now = case.after(now, key)
            check(page, case, now)
    for ply in range(1, case.last + 1):
        page.keyboard.press("ArrowRight")
        check(page, case, ply)
    now = case.last
    buttons = {"Forward": "ArrowRight", "Back": "ArrowLeft", "Start": "Home", "Next mark": "n", "Mark before": "p"}
    for name in ("Start", "Forward", "Forward", "Back", "Next mark", "Next mark", "Mark before", "End", "Forward"):
        page.get_by_role("button", name=name, exact=True).click()
        now = case.after(now, buttons.get(name, name))
        check(page, case, now)


def click_move(page: Page, case: Case, ply: int) -> None:
    page.locator(".moves button.move").nth(case.place(ply)).click()


def click_graph(page: Page, case: Case, ply: int) -> None:
    page.mouse.click(*page.evaluate(GRAPH_POINT, ply / case.last))


def test_clicks(case: Case, opened_file: Opener) -> None:
    page = opened_file(case.url)
    plies = random.Random(1).sample(range(1, case.last + 1), case.last // 2)
    for number, ply in enumerate(plies):
        (click_graph if number % 2 else click_move)(page, case, ply)
        check(page, case, ply)
    marks = [ply for ply, meant in enumerate(case.plies) if meant.marked]
    assert [ply for ply, *_ in page.evaluate(MARKS)] == marks
    for number in range(len(marks)):
        ply, x, y = page.evaluate(MARKS)[number]
        page.mouse.click(x, y)
        check(page, case, ply)


def test_the_graph_swings_at_marks_and_draws_thin_what_one_search_has_seen(case: Case, opened_file: Opener) -> None:
    page = opened_file(case.url)
    lines = page.evaluate("""() => {
      const frames = Array.from(document.querySelectorAll(".graph .frame"), line => Number(line.getAttribute("y1")));
      const [top, , bottom] = frames, level = text => (bottom - Number(text)) / (bottom - top);
      return Array.from(document.querySelectorAll(".graph .curve"), line =>
        [level(line.getAttribute("y1")), level(line.getAttribute("y2")), line.classList.contains("once")]);
    }""")
    first = next(ply for ply, meant in enumerate(case.plies) if "Not searched." not in meant.said and ply)
    assert len(lines) == case.last - first
    for ply, (before, after, thin) in enumerate(lines, start=first + 1):
        assert f"Black's chances: {round(100 * after)} in 100" in case.plies[ply].said
        bad = case.plies[ply].label.endswith("?") or case.plies[ply].label.endswith("?!")
        # behind a mark that longer searches did not uphold there is a thin swing
        assert abs(after - before) >= 0.07 if bad else thin or abs(after - before) < 0.09
        assert thin == any("Seen by one search only." in case.plies[each].said for each in (ply - 1, ply))
    assert any(thin for *_, thin in lines)
    assert page.locator(".graph [data-ply].once").count() == sum(
        "Seen by one search only." in meant.said and not meant.marked for meant in case.plies
    )


@pytest.mark.soak
def test_better_lines_are_played_on_the_board(case: Case, opened_file: Opener) -> None:
    """At each marked move its better line, by clicks on squares, in the list, and by the arrow."""
    page = opened_file(case.url)
    lines = [(ply, node.parent.variations[1]) for ply, node in enumerate(case.game.mainline(), start=1)
             if node.parent is not None and len(node.parent.variations) > 1
             and not any("[%kr refutation" in comment for comment in node.parent.variations[1].comments)]  # fmt: skip
    assert lines
    for ply, head in lines:
        click_move(page, case, ply)
        arrow = page.locator(".stage .arrow.better polyline").get_attribute("points")
        assert arrow is not None
        assert len(arrow.split()) == len(head.move.path)
        page.keyboard.press("ArrowLeft")
        assert page.locator(".stage .arrow").count() == any(other == ply - 1 for other, _ in lines)
        for square in head.move.path:
            page.locator(f'.stage .grid [data-square="{square + 1}"]').click()
        node: ChildNode | None = head
        while node is not None:
            board = reference.from_bits(node.position.black, node.position.white, node.position.kings)
            seen = page.evaluate(READ)
            assert seen["pieces"] == shown(board)
            assert seen["current"] == [f"{node.text}{signs(node)}"]
            assert seen["hash"] == f"#p{ply - 1}"
            assert seen["cursor"] == pytest.approx((ply - 1) / case.last, abs=0.004)
            page.keyboard.press("ArrowRight")
            node = node.next()


def test_the_board_turns_and_has_other_looks(case: Case, opened_file: Opener) -> None:
    page = opened_file(f"{case.url}#p9")
    first = page.locator('.stage .grid [data-square="1"]').bounding_box()
    page.keyboard.press("f")
    check(page, case, 9)
    assert page.locator('.stage .grid [data-square="32"]').bounding_box() == first
    page.get_by_role("button", name="Turn the board").click()
    assert page.locator('.stage .grid [data-square="1"]').bounding_box() == first
    # by keys, which do not move the game
    page.get_by_role("tab", name="Game").click()
    page.get_by_role("radio", name="green").press("ArrowRight")
    assert page.locator("html").get_attribute("data-board") == "wood"
    page.get_by_text("carved", exact=True).click()
    assert page.locator("html").get_attribute("data-pieces") == "carved"
    check(page, case, 9)


def test_without_scripts_it_is_text_beside_the_start(case: Case, opened_file: Opener) -> None:
    page = opened_file(f"{case.url}#p9", PHONE, java_script_enabled=False)
    text = " ".join(page.inner_text("main").split())
    for meant in case.plies[1:]:
        label, move = meant.label.split()
        assert f" {move}" in text
        assert not meant.marked or f"{label} {move}" in text
    assert page.locator(".start .piece").count() == 24
    assert page.locator(".board").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


@pytest.mark.parametrize("size", [SIZES[0], *(pytest.param(each, marks=pytest.mark.soak) for each in SIZES[1:]), PHONE])
def test_board_moves_graph_and_steps_are_on_one_screen(case: Case, opened_file: Opener, size: dict[str, int]) -> None:
    page = opened_file(case.url, size)
    parts = (".board", ".move-list", ".said", ".graph > svg", ".controls", ".tabs", ".moves [aria-current]")
    for click in (click_move, click_graph):
        click(page, case, case.last)
        check(page, case, case.last)
        for selector in parts:
            assert in_view(page, selector), selector
        assert page.evaluate("document.documentElement.scrollHeight") <= size["height"]
        # a press at the thumb, and the moves have gone along
        page.get_by_role("button", name="Start", exact=True).click()
        check(page, case, 0)


def test_the_story_is_told_above_the_moves_and_on_a_phone_at_the_start(opened_file: Opener, tmp_path: Path) -> None:
    game = read_game(GAME)
    assert game is not None
    url = case_of(game, tmp_path).url
    page = opened_file(url)
    story = page.locator(".review .story").all_inner_texts()
    assert story[0] == "White lost in a worse position."
    assert story[1].startswith("White came into a worse position at 5... 20-16")
    assert "Accuracy:" in page.inner_text(".review")
    assert page.locator(".review .count tbody tr").count() == 2
    for selector in (".review .story", ".review .accuracies", ".board", ".move-list", ".said", ".graph > svg"):
        assert in_view(page, selector), selector
    phone = opened_file(url, TALL)
    assert phone.inner_text(".said").count(" ".join(story)) == 1
    phone.get_by_role("tab", name="Review").click()
    assert in_view(phone, ".review .story")
    assert in_view(phone, ".board")
    phone.get_by_role("tab", name="Game").click()
    assert "Annotated by" in phone.inner_text(".about")


def test_hostile_text_is_only_text(opened_file: Opener, tmp_path: Path) -> None:
    """Text of a PDN file runs nothing and is not an element, in a page whose policy would not allow it either."""
    page = opened_file()
    said: list[str] = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    for text in (WHITE_BEGINS, HOSTILE):
        game = read_game(text)
        assert game is not None
        case = case_of(game, tmp_path)
        page.goto("about:blank")
        page.goto(case.url)
        for ply in range(1, case.last + 1):
            page.keyboard.press("ArrowRight")
            check(page, case, ply)
    text = page.inner_text("body")
    for hostile in ("<img src=x onerror=alert(2)>", "</script><script>alert(5)</script>", "<svg onload=alert(6)>"):
        assert hostile in text
    assert page.locator("main script, main img, main b, .moves a, .moves svg").count() == 0
    assert said == []


def test_the_rules_of_axe(case: Case, opened_file: Opener) -> None:
    assert faults_in(opened_file(f"{case.url}#p9"), passes=11) == []
    phone = opened_file(f"{case.url}#p9", TALL)
    for tab in ("Review", "Game"):
        phone.get_by_role("tab", name=tab).click()
        assert faults_in(phone, passes=11) == [], tab


def test_the_index_is_sorted_by_a_click_and_leads_to_games(opened_file: Opener, tmp_path: Path) -> None:
    (tmp_path / "games.pdn").write_text(GAME + "\n" + WHITE_BEGINS)
    settings = AnnotateSettings(
        files=(tmp_path / "games.pdn",), html=tmp_path, tc=Limits(nodes=300), hash=1 << 20, weights="manual"
    )
    annotate_files(settings)
    page = opened_file((tmp_path / "index.html").as_uri(), PHONE)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert faults_in(page, passes=11) == []
    numbers = "Array.from(document.querySelectorAll('table')[1].tBodies[0].rows, row => row.cells[0].innerText).join()"
    assert page.evaluate(numbers) == "1,2"
    button = page.locator("table").nth(1).locator("th button").first
    button.click()
    assert page.evaluate(numbers) == "2,1"
    button.click()
    assert page.evaluate(numbers) == "1,2"
    page.locator("td.name a").nth(1).click()
    assert page.evaluate(READ)["label"] == "Start"
    page.go_back()
    assert page.title() == "Annotated games"


def test_steps_leave_one_entry_in_the_history(case: Case, opened_file: Opener) -> None:
    page = opened_file(f"{case.url}#p9")
    page.keyboard.press("ArrowRight")
    click_move(page, case, 3)
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
        page.wait_for_function("document.querySelector('.said .turn').innerText === 'Black to move'")
        assert page.evaluate(READ)["pieces"] == shown(case.plies[0].board)
