"""The game as a tree in a browser, by real clicks and keys: its moves, changing them, opening, saving, sharing."""

from __future__ import annotations

import lzma
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from web_pages import PHONE, WIDE, Opener, click_square, meant_board, opened, read_board, server, serving, wait_until

import kr
from kr.pdn import Game, GameNode, StringExporter, read_game
from kr.viewer.document import game_document
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["opened", "server"]
pytestmark = pytest.mark.slow

CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
REFUSED = "status of 400"
TREE = """[Event "Example"]
[Black "Ann"]
[White "Bob"]
[Result "1-0"]

{An old opening.} 1. 11-15! 23-19 {[%clk 0:04:59] usual} 2. 8-11 22-17 (2... 22-18 3. 15x22
25x18 {fine}) 3. 11-16? (3. 4-8 17-13 4. 9-14 (4. 15-18 {also} 24-20 (4... 26-23 9-14) 9-14)
25-22 5. 6-9 13x6 {a long line} 6. 2x9) 3... 24-20 (3... 25-22 16x23 (3... 4-8 1-2)) 4. 16x23 27x11?? 1-0
"""


def read(text: str) -> Game:
    game = read_game(text)
    assert game is not None
    return game


def plain(game: Game) -> str:
    """The moves of a game with all that is said of them."""
    return " ".join(game.accept(StringExporter(headers=False)).split())


def paste(page: Page, text: str) -> None:
    """Paste a text anywhere on the page."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.locator("body").press("Control+V")


def shows(page: Page, text: str) -> None:
    """Wait until the move list has these words, whatever the blanks between them."""
    wait_until(page, "wanted => document.querySelector('.moves').textContent.replace(/\\s+/g, '').includes(wanted)",
               re.sub(r"\s+", "", text))  # fmt: skip


def opens(page: Page, text: str) -> Game:
    """Paste one game and wait until it is shown."""
    game = read(text)
    paste(page, text)
    last = list(game.mainline())[-1]
    shows(page, f"{last.text}{''.join(last.nags)}")
    return game


def saved(page: Page) -> Game:
    """The game as `Save PDN` gives it."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Save PDN").click()
    return read(Path(download.value.path()).read_text())


def current(page: Page) -> str:
    """Name of the move that is marked as the current one, "" at the start."""
    marked = page.locator(".moves [aria-current]")
    return str(marked.get_attribute("aria-label")) if marked.count() else ""


def fen(page: Page) -> str:
    return page.get_by_label("FEN", exact=True).input_value()


def on_board(page: Page, wanted: kr.Position) -> None:
    """Wait for a position, and look at what stands on the board."""
    wait_until(page, "fen => document.querySelector('input.fen').value === fen", wanted.fen)
    assert read_board(page) == meant_board(wanted.fen)


def move(page: Page, name: str) -> Any:
    """The button of a move, by its name such as "2... 22-18"."""
    return page.locator(".moves").get_by_role("button", name=name, exact=True)


def test_moves_variations_comments_and_marks_are_written(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    opens(page, TREE)
    lines = [" ".join(line.split()) for line in page.locator(".moves > p").all_inner_texts()]
    assert lines == [
        "An old opening. 1. 11-15! 23-19 4:59 left usual 2. 8-11 22-17 (2... 22-18 3. 15x22 25x18 fine) 3. 11-16?",
        "3. 4-8 17-13 4. 9-14",
        "4. 15-18 also 4... 24-20 (4... 26-23 5. 9-14) 5. 9-14",
        "4... 25-22 5. 6-9 13x6 a long line 6. 2x9",
        "3... 24-20",
        "3... 25-22 4. 16x23 (4. 4-8 1-2)",
        "4. 16x23 27x11?? 1-0",
    ]
    assert page.locator(".players").inner_text() == "Ann \u2013 Bob · Example · 1-0"
    assert page.locator(".moves .illegal").all_inner_texts() == ["4-8", "1-2"]


def test_times_on_the_clock_are_short(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    opens(page, "1. 11-15 {[%emt 0:00:01.294]} 23-19 {[%clk 0:10:05.2]} 2. 8-11 {[%clk 1:02:03]} 22-17 {[%emt soon]} *")
    text = " ".join(page.locator(".moves > p").all_inner_texts())
    assert " ".join(text.split()) == "1. 11-15 took 1.3 s 23-19 10:05 left 2. 8-11 1:02:03 left 22-17 took soon"


def test_nothing_to_undo_is_said(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    for name in ("Undo", "Redo"):
        page.get_by_role("button", name=name).click()
        page.get_by_text(f"Nothing to {name.lower()}").wait_for()


def test_a_new_game_says_how_the_former_one_comes_back(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    said = page.locator("#status")
    page.get_by_role("button", name="New game").click()
    assert said.inner_text() == "", "there was no move to lose"
    opens(page, "1. 11-15 23-19 *")
    page.get_by_role("button", name="New game").click()
    wait_until(page, "() => document.querySelector('#status').textContent === 'Undo brings the former game back'")
    page.get_by_role("button", name="Undo").click()
    shows(page, "1. 11-15 23-19")


def test_a_file_of_one_game_is_counted_so(opened: Opener, tmp_path: Path) -> None:
    file = tmp_path / "one.pdn"
    file.write_text("1. 11-15 *\n")
    with serving(files=(file,)) as server:
        page = opened(server.address)
        page.get_by_text("one.pdn: 1 game", exact=True).wait_for()
        page.close()


def test_the_pages_stand_in_one_row_on_a_phone(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, {"width": 360, "height": 740})
    assert len({link.bounding_box()["y"] for link in page.locator("nav a").all()}) == 1  # type: ignore[index]


def all_nodes(game: Game) -> list[GameNode]:
    return [game, *(node for node in game.descendants() if node.is_legal)]


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_a_click_on_any_move_shows_its_position(server: WebServer, opened: Opener, size: dict[str, int]) -> None:
    page = opened(server.address, size, **CLIPBOARD)
    game = opens(page, TREE)
    nodes = all_nodes(game)[1:]
    buttons = page.locator(".moves button.move")
    assert buttons.count() == len(nodes)
    # in the text a variation stands after the move that it replaces, in the tree after what follows that move
    names = page.evaluate(
        "[...document.querySelectorAll('.moves button.move')].map(each => each.firstChild.textContent)"
    )
    assert sorted(names) == sorted(node.text for node in nodes)
    order = list(range(len(names)))
    random.Random(3).shuffle(order)
    for number in order:
        buttons.nth(number).click()
        (marked,) = page.locator(".moves [aria-current=step]").all()
        shown = fen(page)
        matching = [str(node) for node in nodes if node.position.fen == shown and node.text == names[number]]
        assert any(each in current(page) for each in matching)
        assert marked.inner_text().startswith(names[number])
        assert read_board(page) == meant_board(shown)


def test_keys_step_through_the_tree(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    game = opens(page, TREE)
    main = [game, *game.mainline()]
    for node in main[1:]:
        page.keyboard.press("ArrowRight")
        on_board(page, node.position)
        assert str(node) in current(page)
    page.keyboard.press("ArrowRight")
    on_board(page, main[-1].position)
    page.keyboard.press("Home")
    on_board(page, game.start)
    assert current(page) == ""
    page.keyboard.press("End")
    on_board(page, main[-1].position)
    page.keyboard.press("ArrowLeft")
    on_board(page, main[-2].position)
    # marks: from the start 1. 11-15!, 3. 11-16?, 4... 27x11??, and back
    page.keyboard.press("Home")
    for key, name in [
        ("n", "1. 11-15"),
        ("n", "3. 11-16"),
        ("n", "4... 27x11"),
        ("n", "4... 27x11"),
        ("p", "3. 11-16"),
        ("p", "1. 11-15"),
        ("p", "1. 11-15"),
    ]:
        page.keyboard.press(key)
        assert current(page).startswith(name)
    # variations side by side
    page.keyboard.press("Home")
    for key in ["ArrowRight"] * 5:
        page.keyboard.press(key)
    assert current(page).startswith("3. 11-16")
    for key, name in [("Down", "3. 4-8"), ("Down", "3. 4-8"), ("Up", "3. 11-16"), ("Up", "3. 11-16")]:
        page.keyboard.press(f"Arrow{key}")
        assert current(page).startswith(name)
    board = page.locator(".board .pieces > use").first
    before = board.get_attribute("x"), board.get_attribute("y")
    page.keyboard.press("f")
    turned = page.locator(".board .pieces > use").first
    assert (turned.get_attribute("x"), turned.get_attribute("y")) != before


def test_space_starts_what_listens_for_it_and_presses_a_button_in_focus(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    opens(page, TREE)
    move(page, "2. 8-11").focus()
    page.keyboard.press("Space")
    assert current(page) == "2. 8-11"


def test_moves_on_the_board_grow_the_tree(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    game = opens(page, "1. 11-15 23-19 2. 8-11 *")
    page.keyboard.press("ArrowRight")

    def play(origin: int, target: int) -> None:
        wait_until(page, "() => document.querySelectorAll('main .board .movable').length > 0")
        click_square(page, origin)
        click_square(page, target)

    # the move that is there already is gone along, another is a variation
    play(23, 19)
    shows(page, "1. 11-15 23-19 2. 8-11")
    assert current(page) == "1... 23-19"
    page.keyboard.press("ArrowLeft")
    play(22, 17)
    wait_until(page, "() => document.querySelector('.moves [aria-current]').textContent === '22-17'")
    first = game.next()
    assert first is not None
    first.add_variation("22-17")
    assert plain(saved(page)) == plain(game)
    page.keyboard.press("Control+z")
    assert plain(saved(page)) == "1. 11-15 23-19 2. 8-11 *"
    assert current(page) == "1. 11-15"
    page.keyboard.press("Control+y")
    assert plain(saved(page)) == plain(game)
    assert current(page) == "1... 22-17"


def sheet(page: Page, name: str, way: str) -> Any:
    """The sheet of a move, opened by mouse, keys or the button for fingers."""
    if way == "mouse":
        move(page, name).click(button="right")
    else:
        move(page, name).click()
        if way == "keys":
            page.keyboard.press("Shift+F10")
        else:
            page.get_by_role("button", name="Mark or comment").tap()
    found = page.get_by_role("dialog")
    found.wait_for()
    return found


@pytest.mark.parametrize("way", ["mouse", "keys", "touch"])
def test_marks_and_comments(server: WebServer, opened: Opener, way: str) -> None:
    page = opened(server.address, PHONE if way == "touch" else WIDE, has_touch=way == "touch", **CLIPBOARD)
    game = opens(page, TREE)
    line = list(game.mainline())
    box = sheet(page, "2. 8-11", way)
    box.get_by_role("button", name="good move", exact=True).click()
    box.get_by_label("Comment", exact=True).fill("Not } bad\n<b>at all</b>")
    box.get_by_role("button", name="Done").click()
    line[2].nags, line[2].comment = ["!"], "Not } bad <b>at all</b>"
    assert page.locator(".moves .comment b").count() == 0
    assert plain(saved(page)) == plain(game)
    # another mark takes the place of the first; the same once more takes it away; what is said by tags stays
    box = sheet(page, "2. 8-11, good move", way)
    box.get_by_role("button", name="blunder").click()
    page.keyboard.press("Escape")
    line[2].nags = ["??"]
    assert plain(saved(page)) == plain(game)
    box = sheet(page, "2. 8-11, blunder", way)
    box.get_by_role("button", name="blunder").click()
    box.get_by_role("button", name="Done").click()
    line[2].nags = []
    box = sheet(page, "1... 23-19", way)
    assert box.get_by_label("Comment", exact=True).input_value() == "usual"
    box.get_by_label("Comment", exact=True).fill("so it is")
    box.get_by_role("button", name="Done").click()
    line[1].comments = ["[%clk 0:04:59] so it is"]
    assert plain(saved(page)) == plain(game)
    sheet(page, "1. 11-15, good move", way).get_by_role("button", name="Clear").click()
    line[0].nags = []
    assert plain(saved(page)) == plain(game)


def test_escape_leaves_a_comment_as_it_was(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    game = opens(page, TREE)
    sheet(page, "2. 8-11", "mouse").get_by_label("Comment", exact=True).fill("no")
    page.keyboard.press("Escape")
    assert plain(saved(page)) == plain(game)


def test_promote_and_delete_undone_and_redone(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    game = opens(page, TREE)
    states = [plain(game)]
    fourth = list(game.mainline())[3]
    assert fourth.parent is not None
    # one variation up, in it another
    sheet(page, "3. 15x22", "mouse").get_by_role("button", name="Promote").click()
    fourth.parent.promote(1)
    states.append(plain(game))
    assert plain(saved(page)) == states[-1]
    sheet(page, "4... 26-23", "mouse").get_by_role("button", name="Make it the game").click()
    node: GameNode = next(each for each in game.descendants() if each.text == "26-23")
    while node.parent is not None:
        node.parent.promote_to_main(node)
        node = node.parent
    states.append(plain(game))
    assert plain(saved(page)) == states[-1]
    sheet(page, "4. 15-18", "keys").get_by_role("button", name="Delete from here").click()
    (found,) = [each for each in game.descendants() if each.text == "15-18" and each.is_legal]
    assert found.parent is not None
    found.parent.remove_variation(found)
    states.append(plain(game))
    assert plain(saved(page)) == states[-1]
    for state in states[-2::-1]:
        page.get_by_role("button", name="Undo").click()
        assert plain(saved(page)) == state
    for state in states[1:]:
        page.get_by_role("button", name="Redo").click()
        assert plain(saved(page)) == state


def test_an_illegal_variation_never_becomes_the_game(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    text = "1. 11-15 23-19 (1... 23-18 12-9) 2. 8-11 *"
    opens(page, text)
    sheet(page, "1... 23-18", "mouse").get_by_role("button", name="Make it the game").click()
    wait_until(page, "() => document.querySelector('#status').textContent.startsWith('That is not possible')")
    assert plain(saved(page)) == plain(read(text))


def test_players_and_result_are_changed(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    opens(page, TREE)
    page.get_by_text("Players and result").click()
    page.locator(".fields").get_by_label("White", exact=True).fill('Zoë "Z" <i>')
    page.locator(".fields").get_by_label("Result", exact=True).select_option("0-1")
    game = saved(page)
    assert (game.headers["White"], game.headers["Result"], game.result) == ('Zoë "Z" <i>', "0-1", "0-1")
    assert page.locator(".players").inner_text() == 'Ann \u2013 Zoë "Z" <i> · Example · 0-1'


# --- opening


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("11-15 23-19 8-11", "1. 11-15 23-19 2. 8-11 *"),
        ("Bob said: 1.11-15, 23x19; and then?\n2. 8-11 1/2", "1. 11-15 23-19 {and then?} 2. 8-11 1/2-1/2"),
    ],
)
def test_forgiving_paste(server: WebServer, opened: Opener, text: str, moves: str) -> None:
    page = opened(server.address, **CLIPBOARD)
    page.get_by_role("button", name="Paste").click()
    page.get_by_label("PDN, moves, a FEN or a link").fill(text)
    page.get_by_role("button", name="Open this").click()
    shows(page, "8-11")
    assert plain(saved(page)).removeprefix("{Bob said:} ") == moves


def test_a_fen_alone_is_pasted(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    paste(page, "w:bk5:w30,K32.")
    on_board(page, kr.Position.from_fen("W:W30,K32:BK5"))


def test_what_is_no_game_is_said_and_the_game_stays(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, allowed=REFUSED, **CLIPBOARD)
    game = opens(page, TREE)
    paste(page, "Nothing <b>here</b>")
    wait_until(page, "() => document.querySelector('#status').textContent.startsWith('no game found')")
    assert plain(saved(page)) == plain(game)


def test_a_game_with_an_illegal_move_is_shown_up_to_there_with_line_and_column(
    server: WebServer, opened: Opener
) -> None:
    page = opened(server.address, **CLIPBOARD)
    paste(page, "1. 11-15 23-19\n2. 11-20 9-13 0-1")
    shows(page, "1. 11-15 23-19 Not legal from here: 11-20 9-13 0-1")
    assert "line 2, column 4: illegal move at ply 3: 11-20 is not legal" in page.locator(".faults").inner_text()


def several(count: int) -> str:
    return "\n".join(
        f'[Event "E{i}"]\n[Black "{"Ann" if i % 3 else "Zoë"}"]\n[Date "19{i:02}.??.??"]\n\n1. 11-15 {{game {i}}} *\n'
        for i in range(1, count + 1)
    )


@pytest.mark.parametrize("kind", ["latin-1", "utf-8", "xz"])
def test_a_file_of_several_games_is_listed(server: WebServer, opened: Opener, tmp_path: Path, kind: str) -> None:
    content = lzma.compress(several(30).encode()) if kind == "xz" else several(30).encode(kind)
    path = tmp_path / ("games.pdn.xz" if kind == "xz" else "games.pdn")
    path.write_bytes(content)
    page = opened(server.address)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open").click()
    chooser.value.set_files(path)
    shows(page, "game 1")
    rows = page.locator(".games button")
    assert rows.count() == 30
    assert rows.nth(2).inner_text() == "Zoë \u2013 ? · E3 · 1903 · 1 move"
    page.get_by_role("button", name="Next game").click()
    shows(page, "game 2")
    assert page.locator(".games [aria-current]").inner_text().startswith("Ann \u2013 ? · E2")
    page.get_by_label("Find games").fill("zoë 192")
    wait_until(page, "() => document.querySelectorAll('.games button').length === 3")
    rows.nth(1).click()
    shows(page, "game 24")
    page.get_by_role("button", name="Game before").click()
    shows(page, "game 21")
    assert saved(page).headers["Event"] == "E21"


def test_a_file_is_dropped_on_the_page(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    data = page.evaluate_handle(
        "text => { const data = new DataTransfer(); data.items.add(new File([text], 'a.pdn')); return data; }", TREE
    )
    page.dispatch_event("main", "dragover", {"dataTransfer": data})
    page.dispatch_event("main", "drop", {"dataTransfer": data})
    shows(page, "27x11??")
    assert plain(saved(page)) == plain(read(TREE))


def test_files_of_the_command_line(opened: Opener, tmp_path: Path) -> None:
    many, other = tmp_path / "many.pdn", tmp_path / "other.pdn"
    many.write_text(several(250) + "\n1. 22-18 *\n")
    other.write_text(TREE)
    with serving(files=(many, other)) as server:
        page = opened(server.address)
        shows(page, "game 1")
        rows = page.locator(".games button")
        wait_until(page, "() => document.querySelectorAll('.games button').length === 101")
        page.get_by_role("button", name="More").click()
        wait_until(page, "() => document.querySelectorAll('.games button').length === 201")
        rows.nth(170).click()
        shows(page, "game 171")
        # the page stays where it is when it is loaded again
        page.reload()
        shows(page, "game 171")
        page.get_by_label("Find games").fill("e249")
        wait_until(page, "() => document.querySelectorAll('.games button').length === 1")
        assert "250 games, 1 can't be read" in page.locator("main").inner_text()
        page.get_by_label("Files", exact=True).select_option("other.pdn")
        wait_until(page, "() => document.querySelector('.games button')?.textContent.startsWith('Ann \u2013 Bob 1-0')")
        rows.first.click()
        shows(page, "27x11??")
        page.get_by_label("Results in files").select_option("white")
        wait_until(page, "() => document.querySelector('.games button')?.textContent.startsWith('Ann \u2013 Bob 0-1')")


# --- saving and sharing


def test_copies(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    game = opens(page, TREE)
    page.keyboard.press("ArrowRight")

    def copied(name: str, told: str) -> str:
        page.get_by_role("button", name=name).click()
        wait_until(page, "told => document.querySelector('#status').textContent.startsWith(told)", told)
        return str(page.evaluate("navigator.clipboard.readText()"))

    position = game.start.play("11-15")
    assert copied("Copy FEN", "FEN copied") == position.fen
    assert plain(read(copied("Copy PDN", "PDN copied"))) == plain(game)
    assert copied("Copy SVG", "SVG copied") == kr.svg.board(position, last_move="11-15")
    page.keyboard.press("f")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save SVG").click()
    assert download.value.suggested_filename == "Ann-Bob.svg"
    assert Path(download.value.path()).read_text() == kr.svg.board(position, last_move="11-15", flipped=True)


def link_of(page: Page) -> str:
    page.evaluate("navigator.clipboard.writeText('')")
    page.get_by_role("button", name="Copy link").click()
    wait_until(page, "async () => (await navigator.clipboard.readText()).includes('#analyse/g/')")
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_a_link_holds_the_whole_game_and_the_place_in_it(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    game = opens(page, TREE)
    move(page, "4. 15-18").click()
    there = fen(page)
    link = link_of(page)
    assert len(link) < 700
    with serving() as another:
        # the same game on another server, opened by its address or pasted
        address = link.replace(server.address.rstrip("/"), another.address.rstrip("/"))
        other = opened(address, **CLIPBOARD)
        shows(other, "27x11??")
        assert fen(other) == there
        assert current(other).startswith("4. 15-18")
        assert plain(saved(other)) == plain(game)
        third = opened(another.address, **CLIPBOARD)
        paste(third, link)
        shows(third, "27x11??")
        assert fen(third) == there
        # a new link in the address of a page that is open
        third.evaluate("location.hash = '#analyse'")
        page.keyboard.press("Home")
        page.keyboard.press("End")
        third.evaluate("hash => { location.hash = hash; }", link_of(page).partition("#")[2])
        on_board(third, [*game.positions()][-1])


@pytest.mark.parametrize("data", ["!", "A", "AAAA", "x" * 100_001, "S0tKBgA"])
def test_damaged_links_are_said(server: WebServer, opened: Opener, data: str) -> None:
    page = opened(server.address, allowed=REFUSED)
    page.evaluate("hash => { location.hash = hash; }", f"analyse/g/{data}/3")
    if data != "!":
        wait_until(page, "() => /link|no game found/.test(document.querySelector('#status').textContent)")
    assert fen(page) == kr.Position().fen


def test_the_game_outlives_the_page_and_the_server(opened: Opener) -> None:
    with serving() as server:
        page = opened(server.address, allowed="Failed to load|WebSocket|ERR_", **CLIPBOARD)
        game = opens(page, TREE)
        move(page, "4. 15-18").click()
        there, port = fen(page), server.port
        page.reload()
        shows(page, "27x11??")
        assert fen(page) == there
        assert plain(saved(page)) == plain(game)
    with serving(port=port):
        page.reload()
        shows(page, "27x11??")
        assert fen(page) == there


def test_a_new_server_shows_its_file_in_a_new_window_only(opened: Opener, tmp_path: Path) -> None:
    path = tmp_path / "a.pdn"
    path.write_text("1. 9-14 22-18 *\n")
    with serving() as server:
        page = opened(server.address, allowed="Failed to load|WebSocket|ERR_", **CLIPBOARD)
        opens(page, TREE)
        wait_until(page, "() => localStorage.getItem('kr-game')?.includes('27x11')")
        port = server.port
    with serving(port=port, files=(path,)):
        page.reload()
        shows(page, "27x11??")
        fresh = page.context.new_page()
        fresh.goto(page.url)
        shows(fresh, "1. 9-14 22-18")
        fresh.get_by_role("button", name="Undo").click()
        shows(fresh, "27x11??")


def test_two_tabs_have_two_games(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    opens(page, TREE)
    wait_until(page, "() => sessionStorage.getItem('kr-game')?.includes('27x11')")
    other = page.context.new_page()
    other.goto(server.address)
    shows(other, "27x11??")
    paste(other, "1. 9-14 22-18")
    shows(other, "1. 9-14 22-18")
    wait_until(other, "() => sessionStorage.getItem('kr-game')?.includes('9-14')")
    page.reload()
    shows(page, "27x11??")
    other.reload()
    shows(other, "1. 9-14 22-18")


# --- hostile text

MARKUP = "<script>window.hit=1</script><img src=x onerror=window.hit=1><svg onload=window.hit=1>"
COMBINING = "\u0300"
HOSTILE = {
    "markup": f"""[Event '{MARKUP}']
[Black '{MARKUP}']
[White 'javascript:hit()']

{{{MARKUP}}} 1. 11-15 {{{MARKUP}}} (1. 1-2 {{{MARKUP}}}) 23-19 *""".replace("'", '"'),
    "bidi": '[Black "\u202eannA\u2066"]\n[Event "\u200f\u202dE"]\n\n1. 11-15 {\u202egood} 23-19 *',
    "controls": '[Black "A\x07\x1b[31m"]\n\n1. 11-15 {\x08\x7f\x9b} 23-19 *',
    "long words": "\n".join(
        [f'[Black "{5000 * "W"}"]', f'[Event "{3000 * COMBINING}"]', "", f"1. 11-15 {{{50_000 * 'M'}}} 23-19 *"]
    ),
    "many comments": '[Black "A"]\n\n1. 11-15 ' + "{x} " * 3000 + "23-19 *",
    "prototype": '[__proto__ "x"]\n[constructor "y"]\n[toString "z"]\n\n1. 11-15 23-19 *',
    "deep": "1. 11-15 " + "(1. 9-13 22-18 " * 400 + ")" * 400 + " 23-19 *",
}


@pytest.mark.parametrize("size", [WIDE, PHONE])
@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_in_a_game_becomes_markup(server: WebServer, opened: Opener, name: str, size: dict[str, int]) -> None:
    page = opened(server.address, size, **CLIPBOARD)
    before = page.evaluate("document.querySelectorAll('script, img, iframe, object, style').length")
    text = HOSTILE[name]
    game = opens(page, text)
    # the same as one of several games in a list
    assert plain(saved(page)) == plain(game)
    paste(page, f"{text}\n\n{text}")
    wait_until(page, "() => document.querySelectorAll('.games button').length === 2")
    assert page.evaluate("document.querySelectorAll('script, img, iframe, object, style').length") == before
    assert page.evaluate("window.hit") is None
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shown = page.locator("main").inner_text()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", shown)
    if name == "markup":
        assert shown.count("onerror=window.hit=1") >= 6


def test_a_thousand_plies_with_variations(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    texts = []
    for number, _ in enumerate(range(250)):
        texts.append(f"{2 * number + 1}. 31-26 (31-27 2-6) 2-7 {2 * number + 2}. 26-31 7-2")
    text = f'[FEN "W:WK31:BK2"]\n\n{" ".join(texts)} *'
    game = opens(page, text)
    assert len(game_document(game)["nodes"]) == 1501
    page.keyboard.press("End")
    on_board(page, game.end().position)
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    wait_until(page, "() => document.querySelector('.moves [aria-current]').ariaLabel.startsWith('491.')")
    shown = page.evaluate(
        """() => {
          const list = document.querySelector('.moves').getBoundingClientRect();
          const now = document.querySelector('.moves [aria-current]').getBoundingClientRect();
          return list.top <= now.top && now.bottom <= list.bottom && scrollY === 0;
        }"""
    )
    assert shown
