"""The explorer of kr web: what its requests answer, and the panel by clicks and keys."""

from __future__ import annotations

import asyncio
import base64
import lzma
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from english import english
from systems import NO_FILE
from tree_pages import read
from web_pages import (
    PHONE,
    WIDE,
    Opener,
    faults_in,
    finished,
    in_view,
    meant_board,
    read_board,
    serving,
    wait_for_board,
    wait_until,
)

from kr.archives.index_build import index_path
from kr.errors import InvalidSettingError, KrError
from kr.game.position import Position
from kr.pdn import Game
from kr.storage import lock
from kr.web.archives import explorer
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.settings import WebSettings

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from kr.web.serve import WebServer


FIRST = """[Event "Glasgow"]
[Date "1901.05.01"]
[Black "Stewart, R."]
[White "Jordan, A."]
1. 9-13 22-18 2. 11-15 18x11 3. 8x15 21-17 1-0

[Event "London <b>"]
[Date "1955"]
[Black "Tinsley, M."]
[White "Stewart, R."]
1. 9-13 22-17 2. 13x22 26x17 0-1

[Event "Leeds"]
[Black "Jordan, A."]
[White "Tinsley, M."]
1. 11-15 22-18 2. 15x22 25x18 1/2-1/2

[Event "Broken"]
1. 11-32 *
"""
SECOND = f"""[Event "Second"]
[Date "1960"]
[Black "Long, A."]
[White "Tinsley, M."]
1. 9-13 22-18 1/2-1/2

[Event "Turned"]
[Date "1970"]
[Black "Long, A."]
[White "Tinsley, M."]
[FEN "{Position().flipped().fen}"]
1. 24-20 11-15 1-0
"""
START = Position()


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    one, two = tmp_path / "first.pdn", tmp_path / "second.pdn.xz"
    one.write_text(FIRST)
    two.write_bytes(lzma.compress(SECOND.encode()))
    return one, two


def house_of(**settings: Any) -> House:
    return House(WebSettings(egdb="none", hash=1 << 22, weights="material", **settings))


@pytest.fixture
def house(files: tuple[Path, Path]) -> Iterator[House]:
    """A house with both archives open."""
    made = house_of(archive=files)
    opened_all(made, [0, 1])
    yield made
    made.close()


async def listed(stream: Any) -> list[dict[str, Any]]:
    return [event async for event in stream]


def opened_all(house: House, numbers: list[int]) -> list[dict[str, Any]]:
    """Events of opening archives."""
    return finished(listed(explorer.opening(house, PageRequest({"archives": numbers}), asyncio.Queue())))


def ask(handler: Any, house: House, **fields: Any) -> dict[str, Any]:
    answer: dict[str, Any] = handler(house, PageRequest({"archives": [0, 1], "fen": START.fen, **fields}))
    return answer


def test_archives_are_opened_once_and_told(files: tuple[Path, Path]) -> None:
    house = house_of(archive=files[:1], files=files)
    with closing(house):
        state = explorer.archives(house, PageRequest({}))["archives"]
        assert [(each["name"], each["archive"], each["open"]) for each in state] == [
            ("first.pdn", True, False), ("second.pdn.xz", False, False),
        ]  # fmt: skip
        with pytest.raises(InvalidSettingError, match=r"first\.pdn is not open yet"):
            ask(explorer.moves, house, archives=[0])
        events = opened_all(house, [0])
        (first, second) = events[-1]["archives"]
        assert {**first, "complaints": 1} == {
            "number": 0, "name": "first.pdn", "archive": True, "added": False, "lasting": True, "open": True,
            "opening": False, "share": 1.0, "error": "", "games": 3, "left_out": 1, "complaints": 1,
        }  # fmt: skip
        assert "illegal move at ply 1" in english(first["complaints"][0])
        assert not second["open"]
        assert index_path(files[0]).exists()
        # another page finds it open at once
        assert len(opened_all(house, [0])) == 1


def test_moves_of_all_archives_are_counted_together(house: House) -> None:
    found = ask(explorer.moves, house)
    assert (found["side"], found["total"]["games"]) == ("black", 4)
    rows = [(row["text"], row["games"], row["black"], row["draws"], row["white"]) for row in found["moves"]]
    assert rows[:2] == [("9-13", 3, 1, 1, 1), ("11-15", 1, 0, 1, 0)]
    # moves that nobody played stand there too
    assert {row[0] for row in rows} == {str(move) for move in START.legal_moves()}
    assert (found["moves"][0]["first"], found["moves"][0]["last"], found["moves"][0]["average"]) == (1901, 1960, 0.5)
    assert found["moves"][0]["fen"] == START.play("9-13").fen
    after = ask(explorer.moves, house, fen=START.play("9-13").fen, reversed=True)
    rows = [(row["text"], row["games"], row["white"]) for row in after["moves"][:2]]
    assert rows == [("22-18", 3, 1), ("22-17", 1, 1)]


CONDITIONS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["Glasgow", "London <b>", "Leeds", "Second"]),
    ({"here": False}, ["Glasgow", "London <b>", "Leeds", "Second", "Turned"]),
    ({"players": ["tinsley", "long"]}, ["Second"]),
    ({"black": "jordan"}, ["Leeds"]),
    ({"white": "jordan"}, ["Glasgow"]),
    ({"event": "LOND"}, ["London <b>"]),
    ({"year": "1950-"}, ["London <b>", "Second"]),
    ({"result": "1/2-1/2"}, ["Leeds", "Second"]),
    ({"opening": "11-15 22-18"}, ["Leeds"]),
    ({"opening": "single corner"}, ["Leeds"]),
    ({"opening": "Edinburgh Single"}, ["Glasgow"]),
    ({"opening": "edinburgh"}, ["Glasgow", "London <b>", "Second"]),
    ({"order": "newest"}, ["Second", "London <b>", "Glasgow", "Leeds"]),
    ({"order": "oldest", "archives": [0]}, ["Glasgow", "London <b>", "Leeds"]),
    ({"fen": START.play("9-13").fen, "reversed": True}, ["Glasgow", "London <b>", "Second", "Turned"]),
    ({"start": 3}, ["Second"]),
    ({"start": 100}, []),
    ({"players": ["nobody"]}, []),
]


def test_games_are_found(house: House) -> None:
    for fields, events in CONDITIONS:
        assert [game["event"] for game in ask(explorer.games, house, **fields)["games"]] == events, fields


def test_a_game_is_opened_by_its_number(house: House) -> None:
    (game,) = ask(explorer.games, house, players=["long"], fen=START.play("9-13").fen)["games"]
    assert (game["archive"], game["number"], game["ply"], game["turned"], game["moves"]) == (1, 0, 1, False, 2)
    found = explorer.game(house, PageRequest({"archive": game["archive"], "number": game["number"]}))
    assert (found["archive"], found["line"]) == ("second.pdn.xz", 1)
    assert [str(move) for move in read(found["pdn"]).mainline_moves()] == ["9-13", "22-18"]


def test_moves_and_positions_have_names_of_openings(house: House) -> None:
    answer = ask(explorer.moves, house, fen=START.play("9-13").play("22-18").fen)
    assert {move["text"]: move["opening"] for move in answer["moves"]} == {
        "5-9": "", "6-9": "Dreaded Edinburgh", "10-14": "Inferno", "10-15": "", "11-15": "Edinburgh Single",
        "11-16": "Wilderness I", "12-16": "", "13-17": "",
    }  # fmt: skip
    assert answer["opening"] == ""
    assert ask(explorer.moves, house, fen=START.play("9-13").fen)["opening"] == "Edinburgh"


def test_names_are_completed(house: House) -> None:
    found = explorer.players(house, PageRequest({"archives": [0, 1], "wanted": "TIN"}))
    assert found == {"players": [{"name": "Tinsley, M.", "games": 4}]}


BAD: list[tuple[Any, dict[str, Any], str]] = [
    (explorer.moves, {"archives": []}, "archives is not a list"),
    (explorer.moves, {"archives": [2]}, "archives is not a list|there is no archive 2"),
    (explorer.moves, {"archives": ["/etc/passwd"]}, "there is no archive /etc/passwd"),
    (explorer.moves, {"archives": [True]}, "there is no archive True"),
    (explorer.moves, {"fen": "rubbish"}, "FEN"),
    (explorer.games, {"year": "then"}, "is not a year or a span"),
    (explorer.games, {"result": "won"}, "is not one of"),
    (explorer.games, {"opening": "the best one"}, "no ballot"),
    (explorer.games, {"order": "best"}, "order is not one of"),
    (explorer.games, {"players": ["a"] * 5}, "players is not a list of at most 4"),
    (explorer.games, {"start": -1}, "start is not a whole number"),
    (explorer.game, {"archive": 7, "number": 0}, "there is no archive 7"),
    (explorer.game, {"archive": 0, "number": 3}, "there is no game 4: the archive has 3"),
]


def test_bad_requests_are_refused(house: House) -> None:
    for handler, fields, said in BAD:
        with pytest.raises(KrError, match=said):
            ask(handler, house, **fields)


def test_an_archive_that_is_missing_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettingError, match=r"no\.pdn: no such file"):
        house_of(archive=(tmp_path / "no.pdn",))


def test_an_index_that_another_process_writes_is_told(files: tuple[Path, Path]) -> None:
    with closing(house_of(archive=files)) as house:
        with lock(index_path(files[0])):
            state = opened_all(house, [0])[-1]["archives"][0]
        assert "is being written by another process" in state["error"]
        assert opened_all(house, [0])[-1]["archives"][0]["open"]


def test_a_changed_archive_is_read_again_when_a_page_opens_it(house: House, files: tuple[Path, Path]) -> None:
    with files[0].open("a") as file:
        file.write('\n[Event "Added"]\n1. 9-13 *\n')
    opened_all(house, [0, 1])
    assert ask(explorer.moves, house)["moves"][0]["games"] == 4


def test_a_removed_archive_is_told(house: House, files: tuple[Path, Path]) -> None:
    files[0].unlink()
    state = opened_all(house, [0, 1])[-1]["archives"][0]
    assert re.match(NO_FILE, state["error"])


def test_a_damaged_index_is_made_anew(files: tuple[Path, Path]) -> None:
    with closing(house_of(archive=files)) as house:
        opened_all(house, [0])
        with closing(sqlite3.connect(index_path(files[0]), isolation_level=None)) as connection:
            connection.execute("UPDATE positions SET content = x'00'")
        with pytest.raises(InvalidSettingError, match=r"the index of first\.pdn was damaged and is being made anew"):
            ask(explorer.moves, house, archives=[0])
        opened_all(house, [0])
        assert ask(explorer.moves, house, archives=[0])["total"]["games"] == 3


# --- the panel


@pytest.fixture
def server(files: tuple[Path, Path]) -> Iterator[WebServer]:
    with serving(archive=files, weights="material", egdb="none", book="none") as server:
        yield server


ROWS = """() => [...document.querySelectorAll(".explorer .tally tbody tr")].map(
    row => [...row.cells].slice(0, 2).map(cell => cell.firstChild ? cell.firstChild.textContent : ""))"""
GAMES = '() => [...document.querySelectorAll(".explorer .behind button")].map(each => each.textContent)'


def unfold(page: Page) -> None:
    """Open the panel, and wait for its games."""
    page.click(".tab-explorer")
    wait_until(page, "() => document.querySelector('.explorer .behind li')?.checkVisibility()")


def rows_are(page: Page, *rows: list[str]) -> None:
    wait_until(page, f"rows => JSON.stringify(({ROWS})().slice(0, rows.length)) === JSON.stringify(rows)", list(rows))


CHIPS = '() => [...document.querySelectorAll(".explorer .chip")].map(each => each.textContent.slice(0, -2))'
TOLD = "text => document.querySelector('#status').textContent.includes(text)"
OPEN = """() => [...document.querySelectorAll(".opened > span > button:first-child")].map(
    each => (each.getAttribute("aria-current") ? "*" : "") + each.textContent)"""


def open_games_are(page: Page, *names: str) -> None:
    """Wait for the names in the strip of open games; the one on the board has a star."""
    wait_until(page, f"names => JSON.stringify(({OPEN})()) === JSON.stringify(names)", list(names))


@pytest.mark.slow
def test_moves_are_clicked_and_games_opened_beside_ones_own(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    unfold(page)
    rows_are(page, ["9-13", "3"], ["11-15", "1"])
    assert page.locator(".tally .results").first.get_attribute("aria-label") == (
        "Black won 34 %, drawn 33 %, White won 33 %"
    )
    page.get_by_role("button", name="Archives").click()
    rows = page.locator(".explorer .archive")
    assert [row.inner_text().strip().split("\n")[:2] for row in rows.all()] == [
        ["first.pdn", "3 games"], ["second.pdn.xz", "2 games"],
    ]  # fmt: skip
    page.click("text=1 game could not be read")
    assert "illegal move at ply 1" in page.locator(".explorer .archive li").inner_text()
    page.click("text=/^9-13$/")
    rows_are(page, ["22-18", "2"], ["22-17", "1"])
    assert read_board(page) == meant_board(START.play("9-13").fen)
    page.get_by_role("button", name="Search").click()
    page.check("text=also reversed colours")
    rows_are(page, ["22-18", "3"], ["22-17", "1"])
    wait_until(page, f"() => ({GAMES})().length === 4")
    assert page.evaluate(GAMES)[0].startswith("Stewart, R. \u2013 Jordan, A.")
    assert page.locator(".explorer .behind li .muted").first.inner_text().endswith("· 6 moves")
    # a game opens at this position, and one can go on in it
    page.locator(".explorer .behind button").first.focus()
    page.keyboard.press("Enter")
    wait_until(page, TOLD, "Stewart, R. \u2013 Jordan, A., 1901")
    assert read_board(page) == meant_board(START.play("9-13").fen)
    open_games_are(page, "My game", "*Stewart, R. \u2013 Jordan, A. 1901")
    page.locator(".explorer .folds").first.focus()
    page.keyboard.press("ArrowRight")
    rows_are(page, ["11-15", "1"])
    assert read_board(page) == meant_board(START.play("9-13").play("22-18").fen)
    # one's own game is where it was, with what can be undone in it
    page.get_by_role("button", name="My game").click()
    open_games_are(page, "*My game", "Stewart, R. \u2013 Jordan, A. 1901")
    assert read_board(page) == meant_board(START.play("9-13").fen)
    page.keyboard.press("Control+z")
    assert read_board(page) == meant_board(START.fen)


@pytest.mark.soak
def test_open_games_outlive_the_page_and_are_closed(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    unfold(page)
    for number in (1, 0, 1):
        wait_until(page, f"() => ({GAMES})().length === 4")
        page.locator(".explorer .behind button").nth(number).click()
    one, two = "Tinsley, M. \u2013 Stewart, R. 1955", "Stewart, R. \u2013 Jordan, A. 1901"
    open_games_are(page, "My game", f"*{one}", two)
    page.keyboard.press("End")
    wait_until(page, "() => sessionStorage.getItem('kr-game')?.includes('\"path\":[0,0,0,0]')")
    page.reload()
    open_games_are(page, "My game", f"*{one}", two)
    last = list(ask_game(server, 1).positions())[-1]
    wait_for_board(page, last.fen)
    # in sight on each screen, also on a phone whose panel is open
    for width, height in ((390, 844), (1366, 768), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        for place in (".opened .now", ".opened .now .close", ".explorer .head", ".tally tbody tr", "main .board"):
            wait_until(page, "place => document.querySelector(place)?.checkVisibility()", place)
            assert in_view(page, place), (width, place)
    page.get_by_role("button", name=f"Close {one}").click()
    open_games_are(page, "*My game", two)
    wait_for_board(page, START.fen)
    # from the library it comes back
    page.click(".tab-game")
    page.get_by_role("button", name="Library").click()
    page.locator(".kept-games li", has_text="Tinsley").get_by_role("button").click()
    open_games_are(page, f"*{one}", two)


def ask_game(server: WebServer, number: int) -> Game:
    return read(explorer.game(server.house, PageRequest({"archive": 0, "number": number}))["pdn"])


@pytest.mark.slow
def test_a_search_by_hand(server: WebServer, opened: Opener) -> None:
    # browsers tell the console of each request that is refused
    page = opened(server.address, allowed="400")
    unfold(page)
    page.get_by_role("button", name="Search").click()
    page.get_by_label("Player", exact=True).press_sequentially("tin")
    wait_until(page, "() => document.querySelector('.explorer datalist option')")
    assert page.evaluate("() => document.querySelector('.explorer datalist option').value") == "Tinsley, M."
    rows_are(page, ["9-13", "2"], ["11-15", "1"])
    page.get_by_label("Side", exact=True).select_option("black")
    rows_are(page, ["9-13", "1"])
    # what a file says is text
    wait_until(page, f"() => ({GAMES})().length === 1")
    assert "London <b>" in page.locator(".explorer .behind li").inner_text()
    # closed away, what is on stands beside the results, also on a phone, where the form is not in their way
    page.locator(".explorer").get_by_label("Event", exact=True).fill("London")
    wait_until(page, f"names => JSON.stringify(({CHIPS})()) === JSON.stringify(names)",
               ["Player: tin", "Event: London", "as Black"])  # fmt: skip
    page.set_viewport_size({"width": 390, "height": 844})
    for place in (".explorer .chips", ".explorer .total", ".tally tbody tr"):
        assert in_view(page, place), place
    page.set_viewport_size(WIDE)
    page.get_by_role("button", name="Search").click()
    page.click("text=/^9-13$/")
    page.click("text=/^22-18$/")
    page.locator(".filters-on", has_text="No game came to this position with:").wait_for()
    page.get_by_role("button", name="Take off the filter Player: tin").click()
    wait_until(page, f"() => ({CHIPS})().join() === 'Event: London'")
    page.get_by_role("button", name="Take off the filter Event: London").click()
    rows_are(page, ["11-15", "1"])
    assert page.locator(".filters-on").first.is_hidden()
    page.keyboard.press("Home")
    # an opening by its name: its games, and itself beside one's own game
    page.get_by_role("button", name="Search").click()
    page.get_by_label("Side", exact=True).select_option("")
    page.get_by_label("Opening", exact=True).press_sequentially("edinburgh single")
    rows_are(page, ["9-13", "1"])
    wait_until(page, "() => document.querySelector('.explorer datalist [value=\"Edinburgh Single\"]')")
    page.get_by_role("button", name="Edinburgh Single", exact=True).click()
    open_games_are(page, "My game", "*Edinburgh Single")
    wait_for_board(page, START.play("9-13").play("22-18").play("11-15").fen)
    wait_until(page, "() => document.querySelector('.explorer .opening').textContent.startsWith('Edinburgh Single')")
    page.get_by_role("button", name="My game").click()
    page.get_by_role("button", name="Search").click()
    page.get_by_label("Years").fill("nonsense")
    wait_until(page, "() => document.querySelector('.explorer [role=alert]').textContent.includes('not a year')")
    page.locator(".explorer").get_by_label("Result", exact=True).select_option("*")
    page.get_by_role("button", name="All off").click()
    rows_are(page, ["9-13", "3"], ["11-15", "1"])
    page.get_by_label("at this position only").uncheck()
    wait_until(page, f"() => ({GAMES})().length === 5")


DEPTHS = """() => [...document.querySelectorAll(".explorer .score")].map(
    each => Number(/depth (\\d+)/.exec(each.title)?.[1] ?? 0))"""

NO_SEARCH = """() => {
  const {send} = WebSocket.prototype;
  WebSocket.prototype.send = function (text) { if (!text.includes('"search"')) send.call(this, text); };
}"""


@pytest.mark.slow
def test_scores_deepen_while_one_stays_and_are_there_when_one_comes_back(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    unfold(page)
    wait_until(page, f"() => ({DEPTHS})().length === 7 && ({DEPTHS})().every(each => each >= 6)")
    score = page.locator(".explorer .score").first
    assert re.fullmatch(r"0|[+\u2212]\d\.\d\d", score.inner_text().split("\n")[0].split("depth")[0].strip())
    assert re.fullmatch(r"(?:0|[+\u2212]\d\.\d\d) \(depth \d+\)", score.get_attribute("title") or "")
    page.click("text=/^9-13$/")
    rows_are(page, ["22-18", "2"])
    # back, and after the page is loaded again, they are there though nothing more is searched
    page.evaluate(NO_SEARCH)
    page.add_init_script(f"({NO_SEARCH})()")
    page.keyboard.press("ArrowLeft")
    rows_are(page, ["9-13", "3"])
    wait_until(page, f"() => ({DEPTHS})().every(each => each >= 6)")
    page.reload()
    rows_are(page, ["9-13", "3"])
    wait_until(page, f"() => ({DEPTHS})().every(each => each >= 6)")
    page.get_by_role("button", name="Search").click()
    page.uncheck("text=kr's scores")
    assert page.locator(".explorer .score").all_inner_texts() == [""] * 7


def drop(page: Page, files: dict[str, bytes]) -> None:
    """Drop files on the panel."""
    data = page.evaluate_handle(
        """files => { const data = new DataTransfer(); for (const [name, bytes] of Object.entries(files))
            data.items.add(new File([Uint8Array.from(atob(bytes), each => each.charCodeAt(0))], name));
            return data; }""",
        {name: base64.b64encode(content).decode() for name, content in files.items()},
    )
    for event in ("dragover", "drop"):
        page.dispatch_event(".panel.explorer", event, {"dataTransfer": data})


@pytest.mark.soak
def test_an_archive_is_added_kept_and_removed_in_two_windows(
    opened: Opener, files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with serving(weights="material", egdb="none", book="none") as server:
        page = opened(server.address, allowed="400")
        page.click(".tab-explorer")
        with page.expect_file_chooser() as chooser:
            page.locator(".explorer .empty").get_by_role("button", name="Add an archive").click()
        chooser.value.set_files(files[1])
        rows_are(page, ["9-13", "1"])
        # the other window, which is open already, hears of it
        other = page.context.new_page()
        other.goto(server.address)
        rows_are(other, ["9-13", "1"])
        drop(page, {"first.pdn": files[0].read_bytes(), "picture.png": b"\x89PNG\x00\x00"})
        wait_until(page, TOLD, "picture.png is not a text")
        rows_are(page, ["9-13", "3"])
        rows_are(other, ["9-13", "3"])
        # the file was not opened as a game
        assert read_board(page) == meant_board(START.fen)
        page.get_by_role("button", name="Archives").click()
        assert page.locator(".explorer .archive .muted").first.inner_text() == "2 games, until kr web ends"
        page.get_by_role("button", name="Keep first.pdn").click()
        wait_until(page, TOLD, "first.pdn is kept for the next time")
        other.get_by_role("button", name="Archives").click()
        other.get_by_role("button", name="Remove second.pdn.xz").click()
        rows_are(other, ["9-13", "2"])
        rows_are(page, ["9-13", "2"])
        page.context.close()
    with serving(weights="material", egdb="none", book="none") as server:
        page = opened(server.address)
        unfold(page)
        rows_are(page, ["9-13", "2"])
        page.get_by_role("button", name="Archives").click()
        page.get_by_role("button", name="Remove first.pdn").click()
        page.locator(".explorer .empty").wait_for()


@pytest.mark.slow
def test_a_piece_that_is_lost_on_the_way_is_sent_again(
    opened: Opener, files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with serving(weights="material", egdb="none", book="none") as server:
        page = opened(server.address, allowed="Failed to load")
        page.click(".tab-explorer")
        page.locator(".explorer .empty").wait_for()
        pieces: list[str] = []

        def lose(route: Route) -> None:
            if '"data"' in (route.request.post_data or ""):
                pieces.append(route.request.url)
            if len(pieces) == 1:
                route.abort()
            else:
                route.continue_()

        page.route("**/explorer/upload", lose)
        drop(page, {"first.pdn": files[0].read_bytes()})
        rows_are(page, ["9-13", "2"])
        assert len(pieces) == 2


@pytest.mark.soak
def test_files_of_the_command_line_are_chosen_to_be_explored(opened: Opener, files: tuple[Path, Path]) -> None:
    with serving(weights="material", egdb="none", book="none", files=files) as server:
        page = opened(server.address)
        page.click(".tab-explorer")
        page.get_by_role("button", name="Archives").click()
        page.check(".explorer label:has-text('second.pdn.xz') input")
        rows_are(page, ["9-13", "1"])
        page.check(".explorer label:has-text('first.pdn') input")
        rows_are(page, ["9-13", "3"])
        # the choice is kept
        page.reload()
        rows_are(page, ["9-13", "3"])


@pytest.mark.soak
@pytest.mark.parametrize(
    ("size", "room"),
    [(WIDE, (520, 420)), (PHONE, (390, 330))],
    ids=["wide", "phone"],
)
def test_eight_moves_and_the_first_games_fit_into_a_small_panel(
    opened: Opener, tmp_path: Path, size: dict[str, int], room: tuple[int, int]
) -> None:
    path, position = tmp_path / "eight.pdn", START.play("9-13").play("22-18")
    games = [f'[Black "A"]\n[White "B"]\n[Date "1900"]\n\n1. 9-13 22-18 2. {move} *' for move in position.legal_moves()]
    path.write_text("\n\n".join(games))
    with serving(archive=(path,), weights="material", egdb="none", book="none") as server:
        page = opened(server.address, {**size, "width": max(size["width"], 390)})
        unfold(page)
        for text in ("9-13", "22-18"):
            page.locator(".tally").get_by_role("button", name=f"Play {text}").click()
        # a depth, or that a move is worse
        told = "[...document.querySelectorAll('.explorer .score')].filter(each => each.title)"
        wait_until(page, f"() => {told}.length === 8")
        wait_until(page, f"() => ({GAMES})().length === 8")
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        boxes = page.evaluate(
            """([width, height]) => {
                Object.assign(document.querySelector(".panels").style,
                    {width: `${width}px`, height: `${height}px`, flex: "none", position: "fixed", top: 0, left: 0});
                return [".tally button, .tally .results, .tally .score", ".behind li"].map(
                    each => [...document.querySelectorAll(each)].map(element => element.getBoundingClientRect()).map(
                        ({left, right, bottom}) => [left, right, bottom]));
            }""",
            room,
        )
        assert all(0 <= left < right <= room[0] for left, right, _ in boxes[0] + boxes[1])
        assert len(boxes[0]) == 3 * 8
        # two games stand below the moves
        assert max(bottom for _, _, bottom in boxes[0]) < boxes[1][1][2] <= room[1]
        page.evaluate("() => document.querySelector('.panels').removeAttribute('style')")
        for name in ("Archives", "Search"):
            page.get_by_role("button", name=name, exact=True).click()
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        assert faults_in(page, ".panel.explorer") == []
