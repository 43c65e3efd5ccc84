"""The game as a tree in a browser, by real clicks and keys: its moves, stepping through them, changing them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tree_pages import CLIPBOARD, TREE, current, move, on_board, opens, plain, read, saved, shows
from web_pages import (
    PHONE,
    Opener,
    click_square,
    from_menu,
    open_panel,
    wait_until,
)

from kr.viewer.document import game_document
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow


def test_moves_variations_comments_and_marks_are_written(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    opens(page, TREE)
    lines = [" ".join(line.split()) for line in page.locator(".moves > *").all_inner_texts()]
    assert lines == [
        "An old opening.",
        "1. 11-15! 23-19 4:59 left",
        "usual",
        "2. 8-11 22-17",
        "(2... 22-18 3. 15x22 25x18 fine)",
        "3. 11-16?",
        "3. 4-8 17-13 4. 9-14",
        "4. 15-18 also 4... 24-20 (4... 26-23 5. 9-14) 5. 9-14",
        "4... 25-22 5. 6-9 13x6 a long line 6. 2x9",
        "3. 24-20",
        "3... 25-22 4. 16x23 (4. 4-8 1-2)",
        "4. 16x23 27x11??",
        "1-0",
    ]
    assert page.locator(".players").inner_text() == "Ann \u2013 Bob · Example · 1-0"
    assert page.locator(".moves .illegal").all_inner_texts() == ["4-8", "1-2"]
    # the space bar presses a button in focus
    move(page, "2. 8-11").focus()
    page.keyboard.press("Space")
    assert current(page) == "2. 8-11"
    # times on the clock are short
    opens(page, "1. 11-15 {[%emt 0:00:01.294]} 23-19 {[%clk 0:10:05.2]} 2. 8-11 {[%clk 1:02:03]} 22-17 {[%emt soon]} *")
    shows(page, "took soon")
    text = " ".join(page.locator(".moves > *").all_inner_texts())
    assert " ".join(text.split()) == "1. 11-15 took 1.3 s 23-19 10:05 left 2. 8-11 1:02:03 left 22-17 took soon"


def test_a_new_game_says_how_the_former_one_comes_back(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    from_menu(page, "New game")
    assert page.locator("#status").inner_text() == "", "there was no move to lose"
    opens(page, "1. 11-15 23-19 *")
    from_menu(page, "New game")
    wait_until(page, "() => document.querySelector('#status').textContent === 'Undo brings the former game back'")
    from_menu(page, "Undo")
    shows(page, "1. 11-15 23-19")


def test_keys_step_through_the_tree(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, reduced_motion="no-preference", **CLIPBOARD)
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


def test_moves_on_the_board_grow_the_tree(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    # there is nothing to undo yet
    page.get_by_role("button", name="More", exact=True).click()
    for name in ("Undo", "Redo"):
        assert page.get_by_role("menuitem", name=name).is_disabled()
    page.keyboard.press("Escape")
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
            from_menu(page, "Mark or comment")
    found = page.get_by_role("dialog")
    found.wait_for()
    return found


def test_marks_and_comments_by_mouse_keys_and_fingers(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, PHONE, has_touch=True, **CLIPBOARD)
    game = opens(page, TREE)
    line = list(game.mainline())
    box = sheet(page, "2. 8-11", "touch")
    box.get_by_role("button", name="good move", exact=True).click()
    box.get_by_label("Comment", exact=True).fill("Not } bad\n<b>at all</b>")
    box.get_by_role("button", name="Done").click()
    line[2].nags, line[2].comment = ["!"], "Not } bad <b>at all</b>"
    assert page.locator(".moves .comment b").count() == 0
    assert plain(saved(page)) == plain(game)
    # another mark takes the place of the first; the same once more takes it away; what is said by tags stays
    box = sheet(page, "2. 8-11, good move", "keys")
    box.get_by_role("button", name="blunder").click()
    page.keyboard.press("Escape")
    line[2].nags = ["??"]
    assert plain(saved(page)) == plain(game)
    box = sheet(page, "2. 8-11, blunder", "mouse")
    box.get_by_role("button", name="blunder").click()
    box.get_by_role("button", name="Done").click()
    line[2].nags = []
    box = sheet(page, "1... 23-19", "keys")
    assert box.get_by_label("Comment", exact=True).input_value() == "usual"
    box.get_by_label("Comment", exact=True).fill("so it is")
    box.get_by_role("button", name="Done").click()
    line[1].comments = ["[%clk 0:04:59] so it is"]
    assert plain(saved(page)) == plain(game)
    sheet(page, "1. 11-15, good move", "touch").get_by_role("button", name="Clear").click()
    line[0].nags = []
    assert plain(saved(page)) == plain(game)


def test_promote_and_delete_undone_and_redone(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    game = opens(page, TREE)
    states = [plain(game)]
    # Escape leaves a comment as it was
    sheet(page, "2. 8-11", "mouse").get_by_label("Comment", exact=True).fill("no")
    page.keyboard.press("Escape")
    assert plain(saved(page)) == states[0]
    fourth = list(game.mainline())[3]
    assert fourth.parent is not None
    sheet(page, "3. 15x22", "mouse").get_by_role("button", name="Promote").click()
    fourth.parent.promote(1)
    states.append(plain(game))
    assert plain(saved(page)) == states[-1]
    sheet(page, "4. 15-18", "keys").get_by_role("button", name="Delete from here").click()
    (found,) = [each for each in game.descendants() if each.text == "15-18" and each.is_legal]
    assert found.parent is not None
    found.parent.remove_variation(found)
    states.append(plain(game))
    assert plain(saved(page)) == states[-1]
    from_menu(page, "Undo")
    assert plain(saved(page)) == states[-2]
    from_menu(page, "Redo")
    assert plain(saved(page)) == states[-1]


def test_an_illegal_variation_never_becomes_the_game(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    text = "1. 11-15 23-19 (1... 23-18 12-9) 2. 8-11 *"
    opens(page, text)
    sheet(page, "1... 23-18", "mouse").get_by_role("button", name="Make it the game").click()
    wait_until(page, "() => document.querySelector('#status').textContent.startsWith('That is not possible')")
    assert plain(saved(page)) == plain(read(text))
    # players and the result are changed
    opens(page, TREE)
    open_panel(page, "Games")
    page.get_by_text("Players and result").click()
    page.locator(".fields").get_by_label("White", exact=True).fill('Zoë "Z" <i>')
    page.locator(".panel.game .fields").get_by_label("Result", exact=True).select_option("0-1")
    game = saved(page)
    assert (game.headers["White"], game.headers["Result"], game.result) == ('Zoë "Z" <i>', "0-1", "0-1")
    assert page.locator(".players").inner_text() == 'Ann \u2013 Zoë "Z" <i> · Example · 0-1'


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
