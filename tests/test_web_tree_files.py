"""The game of the page in a browser, by real clicks and keys: opening it, saving, sharing, hostile text."""

from __future__ import annotations

import base64
import gzip
import lzma
import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tree_pages import (
    CLIPBOARD,
    REFUSED,
    TREE,
    current,
    fen,
    move,
    on_board,
    opens,
    paste,
    plain,
    read,
    saved,
    show_games,
    shows,
)
from web_pages import PHONE, WIDE, Opener, from_menu, from_send_menu, serving, wait_until

import kr
from kr.pdn import Game
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

# --- opening


# what is put into the field, what is then shown, and the game that it is
FORGIVEN = [
    ("11-15 23-19 8-11", "8-11", "1. 11-15 23-19 2. 8-11 *"),
    ("Bob said: 1.11-15, 23x19; and then?\n2. 8-11 1/2", "and then?", "1. 11-15 23-19 {and then?} 2. 8-11 1/2-1/2"),
]


def test_forgiving_paste(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, allowed=REFUSED, **CLIPBOARD)
    for text, word, moves in FORGIVEN:
        field = page.get_by_label("PDN, moves, a FEN or a link")
        if not field.is_visible():
            show_games(page)
            page.get_by_role("button", name="Paste").click()
        field.fill(text)
        page.get_by_role("button", name="Open this").click()
        shows(page, word)
        assert plain(saved(page)).removeprefix("{Bob said:} ") == moves
    # a FEN alone
    paste(page, "w:bk5:w30,K32.")
    on_board(page, kr.Position.from_fen("W:W30,K32:BK5"))
    # a game with an illegal move is shown up to there, with line and column
    paste(page, "1. 11-15 23-19\n2. 11-20 9-13 0-1")
    shows(page, "1. 11-15 23-19 Not legal from here: 11-20 9-13 0-1")
    assert "line 2, column 4: illegal move at ply 3: 11-20 is not legal" in page.locator(".faults").inner_text()
    # a chapter for Black turns the board, the next game turns it back
    flipped = page.locator(".screen.analyse .board.flipped")
    opens(page, '[Orientation "black"]\n1. 9-14 22-18 *')
    assert flipped.count() == 1
    # what is no game is said, and the game stays
    game = opens(page, TREE)
    assert flipped.count() == 0
    paste(page, "Nothing <b>here</b>")
    wait_until(page, "() => document.querySelector('#status').textContent.startsWith('no game found')")
    assert plain(saved(page)) == plain(game)


def several(count: int) -> str:
    return "\n".join(
        f'[Event "E{i}"]\n[Black "{"Ann" if i % 3 else "Zoë"}"]\n[Date "19{i:02}.??.??"]\n\n1. 11-15 {{game {i}}} *\n'
        for i in range(1, count + 1)
    )


def choose(page: Page, *paths: Path) -> None:
    """Open files by the button."""
    show_games(page)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open").click()
    chooser.value.set_files(paths)


def test_several_files_are_one_list(server: WebServer, opened: Opener, tmp_path: Path) -> None:
    page = opened(server.address)
    paths = [tmp_path / name for name in ("one.pdn", "two.PDN", "packed.gz")]
    for path in paths:
        path.write_text("1. 11-15 23-19 *")
    choose(page, *paths)
    wait_until(page, "() => document.querySelector('#status').textContent.includes('can only be')")
    choose(page, *paths[:2])
    wait_until(page, "() => document.querySelector('.games li')?.getAttribute('aria-setsize') === '2'")


def test_a_file_of_several_games_is_listed(server: WebServer, opened: Opener, tmp_path: Path) -> None:
    page = opened(server.address)
    rows = page.locator(".games button")
    path = tmp_path / "several.pdn"
    path.write_bytes(gzip.compress(several(30).encode()))
    choose(page, path)
    wait_until(page, "() => document.querySelector('.games li')?.getAttribute('aria-setsize') === '30'")
    assert rows.nth(2).inner_text() == "Zoë \u2013 ? · E3 · 1903 · 1 move"
    shows(page, "game 1")
    page.get_by_role("button", name="Next game").click()
    shows(page, "game 2")
    assert page.locator(".games [aria-current]").inner_text().startswith("Ann \u2013 ? · E2")
    page.get_by_label("Find games").fill("zoë 192")
    wait_until(page, "() => document.querySelectorAll('.games button').length === 3")
    rows.nth(1).click()
    shows(page, "game 24")
    page.get_by_role("button", name="Previous game").click()
    shows(page, "game 21")
    assert saved(page).headers["Event"] == "E21"
    page.get_by_label("Find games", exact=True).fill("nobody")
    page.locator(".panel.game .filters-on", has_text="No game with:").wait_for()
    page.get_by_role("button", name="Take off the filter Find games: nobody").click()
    wait_until(page, "() => document.querySelectorAll('.games button').length > 3")


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
    many, other = tmp_path / "many.pdn.xz", tmp_path / "other.pdn"
    many.write_bytes(lzma.compress(f"{several(250)}\n1. 22-18 *\n".encode()))
    other.write_text(TREE)
    with serving(files=(many, other)) as server:
        page = opened(server.address)
        shows(page, "game 1")
        show_games(page)
        rows = page.locator(".games button")
        wait_until(page, "() => document.querySelector('.games li')?.getAttribute('aria-setsize') === '250'")
        page.locator(".games").evaluate("list => { list.scrollTop = list.scrollHeight * 0.68; }")
        page.locator(".games").get_by_title("E171 ").click()
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


@pytest.mark.soak
def test_the_files_of_the_command_line_stay_at_hand_whatever_is_opened(opened: Opener, tmp_path: Path) -> None:
    paths = tmp_path / "one.pdn", tmp_path / "two.pdn"
    for path in paths:
        path.write_text(several(2).replace("game", path.stem))
    with serving(files=paths[:1]) as alone, serving(files=paths) as both:
        for server, text in ((alone, "1. 9-14 {mine} *"), (both, several(3).replace("game", "mine"))):
            page = opened(server.address, **CLIPBOARD)
            shows(page, "one 1")
            paste(page, text)
            shows(page, "mine")
            show_games(page)
            # chosen again, though it was the last one chosen
            page.get_by_label("Files", exact=True).select_option("one.pdn")
            page.locator(".games").get_by_title("E2").click()
            shows(page, "one 2")


# --- saving and sharing


def test_copies(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    game = opens(page, TREE)
    page.keyboard.press("ArrowRight")

    def copied(name: str, told: str) -> str:
        from_send_menu(page, name)
        wait_until(page, "told => document.querySelector('#status').textContent.startsWith(told)", told)
        return str(page.evaluate("navigator.clipboard.readText()"))

    position = game.start.play("11-15")
    assert copied("Copy FEN", "FEN copied") == position.fen
    assert plain(read(copied("Copy PDN", "PDN copied"))) == plain(game)
    assert copied("Copy SVG", "SVG copied") == kr.svg.board(position, last_move="11-15")
    page.keyboard.press("f")
    with page.expect_download() as download:
        from_send_menu(page, "Save SVG")
    assert download.value.suggested_filename == "Ann-Bob.svg"
    assert Path(download.value.path()).read_text("utf-8") == kr.svg.board(position, last_move="11-15", flipped=True)


def link_to(server: WebServer, game: Game, place: str) -> str:
    """A link as kr made them once: the game in PDN, packed, and a place in it."""
    packing = zlib.compressobj(wbits=-15)
    packed = packing.compress(str(game).encode()) + packing.flush()
    data = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    return f"{server.address}#analyse/g/{data}/{place}"


@pytest.mark.soak
def test_links_of_earlier_versions_open_the_game(server: WebServer, opened: Opener) -> None:
    game = read(TREE)
    link = link_to(server, game, "0.0.0.0.1.0.1.")
    page = opened(link, **CLIPBOARD)
    shows(page, "27x11??")
    assert current(page).startswith("4. 15-18")
    assert plain(saved(page)) == plain(game)
    page.reload()
    shows(page, "27x11??")
    assert current(page).startswith("4. 15-18")
    other = opened(server.address, **CLIPBOARD)
    paste(other, link)
    shows(other, "27x11??")
    assert current(other).startswith("4. 15-18")
    # another link in the address of a page that is open
    other.evaluate("hash => { location.hash = hash; }", link_to(server, game, "8").partition("#")[2])
    on_board(other, [*game.positions()][-1])


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("analyse/g/AAAA/3", "The link is damaged"),
        ("analyse/fen/B:W1,99:B3", "'99' does not exist"),
        ("nowhere/3", "no page of kr: nowhere"),
        *(
            pytest.param(*each, marks=pytest.mark.soak)
            for each in (
                (f"analyse/g/{'x' * 100_001}/3", "The link is too long"),
                ("analyse/g/S0tKBgA/3", "no game found"),
                ("analyse/nothing", "The link is damaged"),
                (f"analyse/fen/{'x' * 5000}", "at most 400"),
                ("analyse/fen/B:W:B", "The board is empty"),
            )
        ),
    ],
    ids=lambda text: text[:20],
)
def test_damaged_links_are_said(server: WebServer, opened: Opener, place: str, why: str) -> None:
    page = opened(f"{server.address}#{place}", allowed=REFUSED)
    wait_until(page, "why => document.querySelector('#status').textContent.includes(why)", why)
    assert fen(page) == kr.Position().fen


def test_the_game_outlives_the_page_and_the_server(opened: Opener, tmp_path: Path) -> None:
    path = tmp_path / "a.pdn"
    path.write_text("1. 9-14 22-18 *\n")
    with serving() as server:
        page = opened(server.address, allowed="Failed to load|WebSocket|ERR_", **CLIPBOARD)
        game = opens(page, TREE)
        move(page, "4. 15-18").click()
        there, port = fen(page), server.port
        page.reload()
        shows(page, "27x11??")
        assert fen(page) == there
        assert plain(saved(page)) == plain(game)
    with serving(port=port, files=(path,)):
        page.reload()
        shows(page, "27x11??")
        assert fen(page) == there
        # its file is for a new window
        fresh = page.context.new_page()
        fresh.goto(page.url)
        shows(fresh, "1. 9-14 22-18")
        from_menu(fresh, "Undo")
        shows(fresh, "27x11??")


@pytest.mark.soak
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
    "prototype": '[__proto__ "x"]\n[constructor "y"]\n[toString "z"]\n\n1. 11-15 23-19 *',
}


def test_nothing_in_a_game_becomes_markup(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **CLIPBOARD)
    before = page.evaluate("document.querySelectorAll('script, img, iframe, object, style').length")
    for name, text in HOSTILE.items():
        paste(page, "1. 9-14")
        shows(page, "9-14")
        game = opens(page, text)
        # the same as one of several games in a list
        assert plain(saved(page)) == plain(game), name
        paste(page, f"{text}\n\n{text}")
        wait_until(page, "name => document.querySelectorAll('.games button').length === 2", name)
        assert page.evaluate("document.querySelectorAll('script, img, iframe, object, style').length") == before, name
        assert page.evaluate("window.hit") is None, name
        for size in (PHONE, WIDE):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, size)
        shown = page.locator("main").inner_text()
        controls = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
        assert not re.search(controls, shown), name
        if name == "markup":
            assert shown.count("onerror=window.hit=1") >= 6
