"""Puzzles in the browser, solved by clicks and keys."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest
from learner import CLASSICS, Learner, start, wait_for_title
from sites import FORMS, PLACES, site
from web_pages import (
    PHONE,
    SILENT,
    SIZES,
    SMALL,
    Opener,
    click_square,
    faults_in,
    from_menu,
    meant_board,
    no_answers,
    open_panel,
    out_of_sight,
    read_board,
    serving,
    wait_for,
    wait_until,
)

from kr.errors import InvalidProblemError
from kr.game.board import Board
from kr.game.value import Value
from kr.problems.lessons import WINS_FIRST
from kr.problems.shelf import Origin, PuzzleShelf
from kr.problems.training import Training
from kr.web.house import House
from kr.web.serve import WebServer
from kr.web.settings import WebSettings

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

SHELF = PuzzleShelf()
LISTED = len(SHELF.of(Origin.CLASSIC, Origin.COLLECTION)) + 2
"""Puzzles of the list: those of kr, and two of a file."""
OWN = [
    {"id": "mine", "title": "<b>Two kings</b>", "fen": "W:WK6,K9:BK15", "result": "W-win"},
    {"id": "over", "fen": "B:WK1:B"},
    {"id": "unknown", "fen": "W:W21,22,23,24:B9,10,11,12"},
]


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("problems") / "own.jsonl"
    path.write_text("\n".join(map(json.dumps, OWN)))
    return path


@pytest.fixture(scope="module")
def house(problems: Path) -> Iterator[House]:
    house = House(WebSettings(weights="manual", hash=SMALL, problems=(problems,)))
    yield house
    house.close()


@pytest.fixture(scope="module")
def server(problems: Path) -> Iterator[WebServer]:
    with serving(weights="manual", problems=(problems,)) as server:
        yield server


# --- the files of the server


def test_a_bad_file_of_problems_is_named_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text("[]\n")
    with pytest.raises(InvalidProblemError, match=r"bad\.jsonl:1"):
        House(WebSettings(weights="manual", hash=SMALL, problems=(path,)))


# --- by clicks and keys


@pytest.mark.slow
def test_a_wrong_answer_is_told_and_taken_back(server: WebServer, opened: Opener) -> None:
    learner = start(opened, server, "barkers-triangle")
    # one that can't be judged does not count
    assert learner.play("22-17").startswith("? 22-17 may keep the draw. kr can't tell.")
    assert learner.progress() == {}
    # the opponent begins where the solver is not to move
    learner.begin("paynes-single-corner-black-to-play")
    assert learner.shown("task") == "White to play and win"
    learner.board.play(learner.shown("verdict").split()[-1].rstrip("."))
    learner.check()
    assert learner.play("27-23").startswith("✓")
    learner.begin("first-position")
    assert learner.play("19-16") == (
        "✗ 19-16 does not win. By the endgame database. This gives up 2 pieces: 19-16 12x26. Try another move."
    )
    assert learner.board.moves == ()
    assert learner.progress() == {"tries": 1, "hints": 0, "solved": False}
    assert learner.play("23-27").startswith("✓")
    # the puzzle goes to the analysis
    learner.choose("Analyse")
    wait_until(learner.page, "() => document.querySelector('.analyse .board')")
    learner.check()


@pytest.mark.slow
def test_a_puzzle_is_solved_by_hints_and_stays_solved(server: WebServer, opened: Opener) -> None:
    learner = start(opened, server, "paynes-single-corner")
    while True:
        learner.press("Hint")
        wait_until(learner.page, "() => document.querySelector('.board .region')")
        assert "The piece on" in learner.shown("verdict")
        learner.press("Show the move")
        wait_until(learner.page, "() => document.querySelector('.arrow.best')")
        verdict = learner.play(learner.shown("verdict").split()[0])
        assert verdict.startswith("✓")
        assert learner.page.locator(".arrow").count() == 0
        if "Solved" in verdict:
            break
        assert len(learner.board.moves) < 40
    assert learner.progress()["solved"]
    assert learner.progress()["hints"] > 0
    learner.page.reload()
    wait_for_title(learner.page, CLASSICS["paynes-single-corner"].title)
    item = learner.page.get_by_role("button", name="↻ " + CLASSICS["paynes-single-corner"].title)
    assert "solved, missed" in (item.text_content() or "")
    open_panel(learner.page, "Progress")
    assert learner.page.get_by_text(f"1 of {LISTED:,} puzzles solved, 0 of them").is_visible()


@pytest.mark.slow
def test_the_solution_is_stepped_through(server: WebServer, opened: Opener) -> None:
    learner = start(opened, server, "first-position")
    learner.press("Solution")
    moves = CLASSICS["first-position"].solution.split()
    wait_until(learner.page, "count => document.querySelectorAll('.line li').length === count", len(moves))
    learner.check()
    for move in moves[:5]:
        learner.press("Forward")
        learner.board.play(move)
        learner.check()
    learner.page.locator(".line button").nth(9).click()
    for move in moves[5:10]:
        learner.board.play(move)
    learner.check()
    # no move can be made in a solution that is shown, and it does not count
    click_square(learner.page, learner.board.legal_moves()[0].origin + 1)
    assert learner.page.locator(".board .target").count() == 0
    assert learner.progress() == {"tries": 0, "hints": 1, "solved": False}
    learner.choose("Start again")
    learner.board = Board(CLASSICS["first-position"].position)
    wait_until(learner.page, "() => !document.querySelector('.line li')")
    assert learner.play("23-27").startswith("✓")


@pytest.mark.slow
def test_the_daily_puzzle_and_the_next_one(server: WebServer, opened: Opener) -> None:
    # who has solved few gets one to win in place of a draw
    page = opened(f"{server.address}#learn", before=has_solved_ten)
    wait_until(page, "() => document.querySelector('h2.title')?.textContent.startsWith('Puzzle of the day')")
    daily = SHELF.daily(datetime.date.today())
    assert read_board(page) == meant_board(daily.fen) or not daily.problem.published
    open_panel(page, "Progress")
    assert page.get_by_text(f"None of {LISTED:,} puzzles solved so far.").is_visible()
    # the next one is near the rating that everybody has at first
    page.get_by_role("button", name="Next puzzle").click()
    wait_until(page, "() => !document.querySelector('h2.title').textContent.startsWith('Puzzle of the day')")
    others = [each for each in SHELF.of(Origin.CLASSIC, Origin.COLLECTION) if each.rating and each is not daily]
    # two to win come before one to draw
    nearest = min(abs((each.rating or 0) - 1500) for each in others if each.result != "draw")
    following = SHELF.puzzles[unquote(page.url.partition("#learn/")[2])]
    assert abs((following.rating or 0) - 1500) == nearest
    # each step back and forward has its puzzle
    page.go_back()
    wait_until(page, "() => document.querySelector('h2.title').textContent.startsWith('Puzzle of the day')")
    page.go_forward()
    wait_until(page, "() => !document.querySelector('h2.title').textContent.startsWith('Puzzle of the day')")
    from_menu(page, "Puzzle of the day")
    wait_until(page, "() => document.querySelector('h2.title').textContent.startsWith('Puzzle of the day')")
    # past midnight the page, left open, has the next day's
    day = datetime.datetime.now() + datetime.timedelta(days=1)
    page.clock.set_fixed_time(day)
    from_menu(page, "Puzzle of the day")
    daily = SHELF.daily(day.date())
    page.locator("h2.title", has_text=f"Puzzle of the day, {day:%A %-d %B}").wait_for()
    assert page.url.endswith(f"#learn/{daily.id}")


def has_solved_ten(page: Page) -> None:
    """Give the person a past with the first rating."""
    training = Training()
    for number in range(WINS_FIRST):
        training.solve(f"old {number}", None, 1, clean=False)
    kept = json.dumps(json.dumps(training.as_object()))
    page.add_init_script(f"localStorage['kr-training'] ??= {kept};")


def choose_filter(page: Page, label: str, value: str) -> None:
    """Choose in a list above the puzzles."""
    page.locator(".learn .filters").get_by_label(label, exact=True).select_option(value)


@pytest.mark.slow
def test_the_list_is_filtered_and_own_problems_are_text(server: WebServer, opened: Opener) -> None:
    page = opened(f"{server.address}#learn")
    count = page.locator(".learn .panel.list .counted > p")
    wait_until(page, "() => document.querySelectorAll('.puzzles li').length > 30")
    assert count.text_content() == f"{LISTED:,} of {LISTED:,}"
    choose_filter(page, "Origin", "classic")
    choose_filter(page, "Goal", "draw")
    choose_filter(page, "Pieces", "2-5")
    draws = [
        problem.title
        for problem in CLASSICS.values()
        if problem.published is Value.DRAW and problem.position.pieces <= 5
    ]
    assert page.locator(".puzzles .name").all_text_contents() == draws
    for label, value in (("Goal", ""), ("Pieces", "2-32"), ("Origin", ""), ("Theme", "bridge")):
        choose_filter(page, label, value)
    bridges = [each for each in SHELF.of(Origin.CLASSIC, Origin.COLLECTION) if "bridge" in each.themes]
    assert count.text_content() == f"{len(bridges):,} of {LISTED:,}"
    choose_filter(page, "Difficulty", "2000-4000")
    assert count.text_content() == f"{sum((each.rating or 0) >= 2000 for each in bridges):,} of {LISTED:,}"
    for label, value in (("Theme", ""), ("Difficulty", ""), ("Origin", "own")):
        choose_filter(page, label, value)
    assert page.locator(".puzzles li").count() == 2
    choose_filter(page, "Progress", "yes")
    assert page.locator(".puzzles li").count() == 0
    # what leaves nothing is named, here and where the next puzzle is asked for, and can be taken off there
    assert page.locator(".panel.list .filters-on").inner_text().startswith("No puzzle with:")
    page.click(".tab-lessons")
    page.keyboard.press("n")
    page.get_by_text("Nothing unsolved is left with these filters.").wait_for()
    assert page.locator(".verdict .why").inner_text() == "Progress: Solved, Origin: Problem files"
    page.locator(".name-row").get_by_role("button", name="Take off the filter Progress: Solved").click()
    page.click(".tab-list")
    assert page.locator(".puzzles li").count() == 2
    choose_filter(page, "Progress", "no")
    page.locator(".puzzles button").first.click()
    wait_for_title(page, "<b>Two kings</b>")
    # those who choose by keys go on from there
    assert page.evaluate("() => document.activeElement.matches('.puzzles [aria-current]')")
    assert read_board(page) == meant_board(OWN[0]["fen"])


@pytest.mark.slow
def test_boards_come_as_they_come_into_sight(server: WebServer, opened: Opener) -> None:
    """Thousands of puzzles are a list of their facts; forty are drawn at first, and boards come for those in sight."""
    page = opened(f"{server.address}#learn/pask")
    wait_for_title(page, CLASSICS["pask"].title)
    choose_filter(page, "Origin", "collection")
    drawn = "() => [...document.querySelectorAll('.puzzles .mini')].filter(each => each.querySelector('use')).length"
    wait_until(page, f"() => ({drawn})() > 5")
    assert page.locator(".puzzles li").count() <= 120
    assert page.evaluate(drawn) < 60
    page.evaluate("() => document.querySelector('.learn .panels').scrollTo(0, 1e6)")
    wait_until(page, "() => document.querySelectorAll('.puzzles li').length > 79")


@pytest.mark.soak
@pytest.mark.parametrize("size", [SIZES[0], SIZES[2]])
def test_a_miss_is_due_tomorrow_and_the_rating_follows(server: WebServer, opened: Opener, size: dict[str, int]) -> None:
    now = datetime.datetime.now()
    before = now - datetime.timedelta(days=1)
    learner = start(opened, server, "first-position", size=size)
    page = learner.page
    page.clock.set_fixed_time(before)
    assert learner.play("19-16").startswith("✗")
    missed = learner.training()
    assert missed["rating"] < 1500
    assert missed["boxes"] == {CLASSICS["first-position"].position.fen: [0, now.toordinal()]}
    # by keys alone to the list of what was missed, which nothing of is due yet
    open_panel(page, "All puzzles")
    choose_filter(page, "Progress", "due")
    assert page.locator(".puzzles li").count() == 0
    page.clock.set_fixed_time(now)
    page.reload()
    wait_for_title(page, "First Position")
    open_panel(page, "All puzzles")
    due = page.get_by_role("button", name="Due today: 1 puzzle")
    due.focus()
    page.keyboard.press("Enter")
    open_panel(page, "Progress")
    assert page.get_by_text("Your rating 1").is_visible()
    assert f"{missed['rating']:.0f} ± " in (page.locator(".own-rating").text_content() or "")
    # another file of progress takes its place, and what is none does not
    path = {"name": "mine.json", "mimeType": "application/json"}
    kept = {**missed, "rating": 1777.0, "deviation": 50.0}
    for content, shown in (("[]", f"{missed['rating']:.0f} ± "), (json.dumps(kept), "1777 ± ")):
        page.locator(".panel.progress input[type=file]").set_input_files({**path, "buffer": content.encode()})
        wait_until(page, "() => document.querySelector('#status').textContent.includes('mine.json')")
        assert shown in (page.locator(".own-rating").text_content() or "")
        page.evaluate("() => { document.querySelector('#status').textContent = ''; }")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save progress").click()
    assert json.loads(Path(saved.value.path()).read_text())["rating"] == 1777


@pytest.mark.slow
def test_an_answer_that_is_lost_can_be_given_again(server: WebServer, opened: Opener) -> None:
    learner = start(opened, server, "first-position", allowed="Failed to load resource")
    asked = f"{server.address}api/port/database"
    with no_answers(learner.page) as lost:
        for number in (1, 2):
            for square in (23, 27):
                click_square(learner.page, square)
            # what is said is the same as at the first time
            wait_for(learner.page, lambda count=number: lost.count(asked) == count)
            wait_until(learner.page, "() => !document.querySelector('.line li')")
            wait_until(learner.page, f"() => document.querySelector('.verdict').textContent === {SILENT!r}")
            learner.check()
            assert lost.count(asked) == number, lost
    assert learner.play("23-27").startswith("✓")


@pytest.mark.slow
def test_a_puzzle_that_comes_late_brings_nobody_back(server: WebServer, opened: Opener) -> None:
    """The person is on the way to another page then, whose scripts are still to come."""
    held: list[Route] = []

    def hold(page: Page) -> None:
        page.route("**/data/collection.json", lambda route: held.append(route))

    page = opened(server.address, before=hold)
    with page.expect_request("**/data/collection.json"):
        page.get_by_role("link", name="Learn").click()
    page.get_by_role("button", name="Hint").wait_for()
    page.route("**/page-*.js", lambda route: held.append(route))
    page.get_by_role("link", name="Endings").click()
    page.wait_for_url("**/#endings")
    held.pop(0).continue_()
    page.locator(".puzzles li").first.wait_for(state="attached")
    for script in held:
        script.continue_()
    page.get_by_role("button", name="New ending").first.wait_for()
    assert "#endings" in page.url


# --- on one screen


NEEDED = ["main .board", ".task", ".verdict p", ".title", ".controls .icon-button"]


@pytest.mark.slow
def test_all_that_a_puzzle_needs_is_in_sight(server: WebServer, opened: Opener) -> None:
    """In every window, one after the other: the panel beside the puzzle in a wide one is not in its way on a phone."""
    learner = start(opened, server, "first-position")
    page = learner.page

    def look() -> None:
        for size in (*SIZES, PHONE, SIZES[0]):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            panel = "puzzle" if size["width"] < 700 else "list"
            wait_until(page, "name => document.querySelector(`.tab-${name}`).ariaSelected === 'true'", panel)
            assert out_of_sight(page, NEEDED) == [], size
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), size

    look()
    assert learner.play("19-16").startswith("✗")
    # a phone held sideways has room for the task alone
    page.set_viewport_size({"width": 844, "height": 390})
    assert out_of_sight(page, ["main .board", ".verdict", ".tab-puzzle"]) == []
    page.set_viewport_size(SIZES[0])  # type: ignore[arg-type]
    learner.press("Solution")
    wait_until(page, "() => document.querySelectorAll('.line li').length > 9")
    look()


MINE = """# three that can be read
W:WK6,K9:BK15
{"fen": "W:WK18,K22:BK5", "title": "Mine", "result": "W-win", "solution": "18-15"}
{"fen": "W:W21,22,23,24:B9,10,11,12"}
{"fen": "W:W32:B1", "result": "white"}
nonsense
B:WK1:B
"""
PDN = """[Event "Of a book"]
[FEN "W:WK6,K9:BK15"]
[Result "1-0"]
1-0
"""


def open_problems(page: Page, name: str, text: str) -> None:
    page.locator(".own input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": text.encode()}  # type: ignore[arg-type]
    )


@pytest.mark.soak
@pytest.mark.parametrize(("form", "size"), PLACES, ids=FORMS)
def test_own_files_of_problems(form: str, problems: Path, opened: Opener, size: dict[str, int]) -> None:
    with site(form, weights="manual", problems=(problems,)) as address:
        served = ["<b>Two kings</b>", "unknown"] if form == "kr web" else []
        page = opened(f"{address}#learn/first-position", size)
        open_and_remove(page, served)


def open_and_remove(page: Page, served: list[str]) -> None:
    """Files opened, listed, told of what is wrong, solved, kept over a reload, removed; served: those of the server."""
    wait_for_title(page, "First Position")
    open_problems(page, "mine.txt", MINE)
    wait_until(page, "() => document.querySelector('#status').textContent === 'mine.txt: 3 puzzles'")
    assert page.locator(".own .faults li").all_text_contents() == [
        "line 5: \"result\" is 'white'; it must be W-win, B-win or draw",
        "line 6: FEN 'nonsense': it must have three fields, as in B:W18,24,K10:B12,K22",
        "line 7: the game is over",
    ]
    # the list comes after what is said of the file
    wait_until(
        page,
        "names => [...document.querySelectorAll('.puzzles .name')].map(each => each.textContent).join('|') === names",
        "|".join([*served, "line 2", "Mine", "line 4"]),
    )
    names = page.locator(".puzzles .name")
    names.nth(len(served) + 1).click()
    wait_for_title(page, "Mine")
    assert page.locator(".task").text_content() == "White to play and win"
    page.reload()
    wait_for_title(page, "Mine")
    learner = Learner(page, "first-position")
    learner.board = Board("W:WK18,K22:BK5")
    assert learner.play("18-15").startswith("✓ 18-15 is right.")
    open_panel(page, "All puzzles")
    page.locator(".own summary").click()
    # another meaning of results, and a file that can't be read
    page.get_by_label("Results in files").locator("visible=true").select_option("white")
    open_problems(page, "book.pdn", PDN)
    wait_until(page, "() => document.querySelectorAll('.own-files li').length === 2")
    page.get_by_text("Of a book").click()
    wait_for_title(page, "Of a book")
    assert page.locator(".task").text_content() == "White to play and win"
    open_panel(page, "All puzzles")
    open_problems(page, "none.pdn", "1. 11-15 *")
    page.locator("#status", has_text="none.pdn: no game has a FEN tag").wait_for()
    # the puzzle on the board goes with its file
    page.get_by_role("button", name="Remove book.pdn").click()
    wait_until(page, "() => !document.querySelector('h2.title').textContent.includes('Of a book')")
    open_panel(page, "All puzzles")
    page.get_by_role("button", name="Remove mine.txt").click()
    wait_until(page, "count => document.querySelectorAll('.puzzles li').length === count", len(served))
    assert page.evaluate("() => localStorage.getItem('kr-problem-files')") == "[]"


@pytest.mark.soak
def test_the_panels_of_puzzles_for_everyone(server: WebServer, opened: Opener) -> None:
    page = opened(f"{server.address}#learn/first-position")
    wait_for_title(page, CLASSICS["first-position"].title)
    for name in ("All puzzles", "Lessons", "Progress"):
        open_panel(page, name)
        if name == "All puzzles":
            # two rows of thousands, at which axe would look for a second
            choose_filter(page, "Origin", "own")
        assert faults_in(page, ".learn .panels") == [], name
    page.keyboard.press("s")
    page.wait_for_selector(".acts .primary")
    assert faults_in(page, passes=20) == []


@pytest.mark.slow
def test_the_list_is_one_stop_of_tab(server: WebServer, opened: Opener) -> None:
    page = opened(f"{server.address}#learn/first-position")
    wait_for_title(page, CLASSICS["first-position"].title)
    open_panel(page, "All puzzles")
    assert page.locator(".puzzles [tabindex='0']").count() == 1
    page.locator(".puzzles [tabindex='0']").focus()
    names = page.locator(".puzzles .name").all_text_contents()
    focused = "() => document.activeElement.querySelector('.name').textContent"
    for key, expected in (("Home", 0), ("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1)):
        page.keyboard.press(key)
        assert page.evaluate(focused) == names[expected]
    page.keyboard.press("Enter")
    wait_for_title(page, names[1].strip())
