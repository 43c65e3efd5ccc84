"""Sending from the page: files that are downloaded, copied or shared, and the page that somebody else opens."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tree_pages import CLIPBOARD, TREE, opens
from web_pages import Opener, from_send_menu, in_view, read_board, wait_until

import kr
from kr.analysis.annotation.annotation import annotate
from kr.analysis.annotation.judging import JudgeSettings
from kr.pdn import read_game
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

PHONE = {"width": 390, "height": 844}
LOST = "1. 11-15 24-20 2. 8-11 28-24 3. 9-13 22-18 4. 15x22 25x18 5. 3-8 20-16 6. 12x28 23-19 1-0"


def sent(page: Page, name: str) -> Any:
    """What an entry of the menu gives as a download."""
    with page.expect_download() as download:
        from_send_menu(page, name)
    return download.value


def reviewed() -> str:
    """A game with kr's marks and story, as PDN."""
    game = read_game(f'[Black "Ann"]\n[White "Bob"]\n[Result "1-0"]\n\n{LOST}\n')
    assert game is not None
    annotate(game, kr.Engine("manual", hash_mb=1), JudgeSettings(tc=kr.Limits(nodes=3000)))
    return str(game)


@pytest.mark.soak
def test_a_friend_opens_the_page_on_a_phone(
    server: WebServer, opened: Opener, browser: Browser, tmp_path: Path
) -> None:
    page = opened(server.address, **CLIPBOARD)
    game = opens(page, reviewed())
    page.evaluate("localStorage.setItem('kr-board', '\"wood\"')")
    page.reload()
    page.wait_for_selector(".moves button.move")
    page.keyboard.press("f")
    file = sent(page, "Send as page")
    assert file.suggested_filename == "Ann-Bob.html"
    path = tmp_path / "sent.html"
    file.save_as(path)
    # no network, no server, another language
    context = browser.new_context(viewport=PHONE, offline=True, locale="de-DE", reduced_motion="reduce")
    try:
        friend = context.new_page()
        wrong: list[str] = []
        friend.on("console", lambda message: wrong.append(message.text))
        friend.on("pageerror", lambda error: wrong.append(str(error)))
        friend.goto(path.as_uri())
        assert friend.locator("html").get_attribute("data-board") == "wood"
        assert friend.locator(".moves button.move").count() > 12
        assert "White came into a worse position at 5... 20-16" in friend.inner_text(".said")
        for selector in (".board", ".move-list", ".said", ".graph > svg", ".controls"):
            assert in_view(friend, selector), selector
        friend.get_by_role("button", name="Next mark").click()
        assert "?" in friend.inner_text(".said .turn")
        friend.get_by_role("button", name="End", exact=True).click()
        # as the sender saw it: Black below
        end = [*game.positions()][-1]
        shown = read_board(friend, ".board")
        assert {square: piece.lower() for square, piece in shown.items()} == {
            **{square + 1: "b" for square in range(32) if end.black >> square & 1},
            **{square + 1: "w" for square in range(32) if end.white >> square & 1},
        }
        assert friend.locator(".board.flipped").count() == 1
        friend.get_by_role("tab", name="Review").click()
        assert in_view(friend, ".review .accuracies")
        assert wrong == []
    finally:
        context.close()


def test_pictures(server: WebServer, opened: Opener) -> None:
    image = pytest.importorskip("PIL.Image")
    page = opened(server.address, **CLIPBOARD)
    opens(page, f"{{[%csl R18]}} {LOST}")
    file = sent(page, "Save picture")
    assert file.suggested_filename == "game.png"
    with image.open(io.BytesIO(Path(file.path()).read_bytes())) as picture:
        assert (picture.format, picture.size) == ("PNG", (732, 732))
        colours = {colour for _, colour in picture.convert("RGB").getcolors(1 << 20)}
        # the dark squares, a black piece
        assert {(0x86, 0xA0, 0x73), (0x2D, 0x2B, 0x2B)} <= colours
        # the circle round square 18, above which nothing stands
        x, y = (2 * (3 + 45 * (column + 0.5)) for column in (3, 4))
        red, green, _ = picture.convert("RGB").getpixel((int(x), int(y - 2 * 45 * 0.43)))
        assert red > green + 40
    from_send_menu(page, "Copy picture")
    wait_until(page, "() => document.querySelector('#status').textContent === 'Picture copied'")
    kinds = "async () => (await navigator.clipboard.read()).flatMap(each => each.types)"
    assert page.evaluate(f"({kinds})()") == ["image/png"]


def test_animated_pictures_of_the_game_and_of_what_follows(server: WebServer, opened: Opener) -> None:
    image = pytest.importorskip("PIL.Image")
    page = opened(server.address, **CLIPBOARD)
    opens(page, TREE)

    def frames(name: str) -> int:
        file = sent(page, name)
        assert file.suggested_filename == "Ann-Bob.gif"
        with image.open(file.path()) as picture:
            return int(picture.n_frames)

    # eight moves; the last takes two pieces
    assert frames("Save GIF of the game") == 10
    page.locator(".moves button.move").nth(5).click()
    page.keyboard.press("End")
    from_send_menu(page, "Save GIF from here")
    wait_until(page, "() => document.querySelector('#status').textContent === 'No move follows this position'")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert frames("Save GIF from here") == 3


SHARE = """
  window.shared = [];
  Object.defineProperty(Navigator.prototype, "canShare", {value: ({files}) => !/pdn$/.test(files[0].name)});
  Object.defineProperty(Navigator.prototype, "share", {value: async ({files: [{name, type, size}]}) => {
    window.shared.push([name, type, size > 1000]);
    if (name.endsWith(".png")) throw new DOMException("changed their mind", "AbortError");
    if (name.endsWith(".svg")) throw new DOMException("too late", "NotAllowedError");
  }});
"""


def test_a_phone_shares_the_file_or_downloads_it(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, PHONE, is_mobile=True, has_touch=True, **CLIPBOARD)
    page.context.add_init_script(SHARE)
    page.reload()
    page.wait_for_selector("main .board .movable")
    opens(page, LOST)
    from_send_menu(page, "Send as page")
    wait_until(page, "() => window.shared.length === 1")
    assert page.evaluate("window.shared") == [["game.html", "text/html", True]]
    # the person changed their mind: nothing else happens
    from_send_menu(page, "Save picture")
    wait_until(page, "() => window.shared.length === 2")
    # the browser would not, or can't share such a file
    assert sent(page, "Save SVG").suggested_filename == "game.svg"
    assert sent(page, "Save PDN").suggested_filename == "game.pdn"
    assert [name for name, *_ in page.evaluate("window.shared")] == ["game.html", "game.png", "game.svg"]
