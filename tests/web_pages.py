"""Pages of kr web for tests: a server in a thread, windows that must not err, and what stands on a board."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from kr.errors import InvalidSettingError
from kr.web.serve import WebServer
from kr.web.settings import WebSettings

if TYPE_CHECKING:
    from kept_pages import KeptPages
    from playwright.sync_api import Page, Route
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

T = TypeVar("T")

WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 320, "height": 640}
SECONDS = 60.0
"""Time in which what a test waits for must have come, on a busy machine too."""
SMALL = 1 << 22
"""Hash of a search in tests."""

READ_BOARD = """selector => {
  const board = document.querySelector(selector), found = {};
  for (const piece of board.querySelectorAll(".pieces > use")) {
    const [side, size] = [...piece.classList].slice(1);
    const letter = side === "black" ? "b" : "w";
    // where it is drawn, not what it is called
    const column = Math.round((piece.x.baseVal.value - 3) / 45), row = Math.round((piece.y.baseVal.value - 3) / 45);
    found[[column, row]] = size === "king" ? letter.toUpperCase() : letter;
  }
  return [found, board.querySelector(".grid [data-square]").dataset.square === "32"];
}"""

KEPT = """async () => {
  const done = ask => new Promise((yes, no) => Object.assign(ask, {onsuccess: () => yes(ask.result), onerror: no})),
    games = new Map(Object.keys(localStorage).filter(name => name.startsWith("kr-game-"))
      .map(name => JSON.parse(localStorage[name]).game).map(game => [game.id, game]));
  if (!(await indexedDB.databases()).some(({name}) => name === "kr-library")) return [...games.values()];
  const library = await done(indexedDB.open("kr-library"));
  for (const {play} of await done(library.transaction("bodies").objectStore("bodies").getAll()))
    if (play && !games.has(play.game.id)) games.set(play.game.id, play.game);
  library.close();
  return [...games.values()];
}"""
"""The games on Play that a browser keeps."""


PORTS = [0]
"""The port of the servers of this process, once there was one."""
ENDED: set[str] = set()
"""Addresses at which a server has ended. What a page that was open then says of that is no fault, even if it
says it when the next server is there."""
NOTHING_ANSWERS = re.compile("ERR_CONNECTION_REFUSED|Failed to fetch dynamically imported module")


def usual_port() -> int:
    """The port of the server before, or any while that is there: a browser that comes back has the scripts already."""
    with suppress(OSError), socket.create_server(("127.0.0.1", PORTS[0])):
        return PORTS[0]
    return 0


@contextmanager
def serving(**settings: Any) -> Iterator[WebServer]:
    """A server in a thread of this process."""
    settings = {"browser": False, "token": False, "hash": SMALL, **settings}
    try:
        server = WebServer(WebSettings(**{"port": usual_port(), **settings}))
    except InvalidSettingError as error:
        # another process of the tests was there first
        if "port" in settings or "in use" not in str(error):
            raise
        server = WebServer(WebSettings(**settings, port=0))
    PORTS[0] = PORTS[0] or server.port
    thread = threading.Thread(target=server.run)
    place = f"127.0.0.1:{server.port}/"
    thread.start()
    try:
        yield server
    finally:
        ENDED.add(place)
        server.stop()
        thread.join(SECONDS)
        assert not thread.is_alive()


def free_port() -> int:
    """A port at which a server can be started again: the usual one may be another test's by then."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def finished(story: Coroutine[Any, Any, T]) -> T:
    """Result of a coroutine, in a loop of its own thread: that of the tests is busy once a browser is open."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, story).result()


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    """One server for the tests of a module."""
    with serving() as server:
        yield server


Opener = Callable[..., "Page"]


@pytest.fixture
def opened(request: pytest.FixtureRequest, kept_pages: KeptPages) -> Iterator[Opener]:
    """Opens windows at addresses, with size, color_scheme and the like as keywords. No script may fail, nothing may be
    told to the console but what the expression `allowed` finds, and nothing may be loaded from elsewhere. app: the
    browser keeps the files of the page, as it does for people; before: called with the page that is still empty. With
    app, before or empty nothing is in the browser's memory. Pieces glide only where reduced_motion is "no-preference":
    each frame is drawn by the processor."""
    pages: list[Page] = []
    wrong: list[str] = []
    asked: list[str] = []
    homes: set[str] = set()
    failed = request.session.testsfailed

    def hear(allowed: str, name: str, told: Any) -> None:
        if name == "request":
            asked.append(told.url)
            return
        text, at = (told.text, told.location["url"]) if name == "console" else (str(told), "")
        is_ended = NOTHING_ANSWERS.search(text) and any(each in at or each in text for each in ENDED)
        if name == "pageerror" or (not is_ended and not (allowed and re.search(allowed, text))):
            wrong.append(text)

    def opening(
        address: str,
        size: dict[str, int] = WIDE,
        allowed: str = "",
        app: bool = False,
        before: Callable[[Page], object] | None = None,
        empty: bool = False,
        **others: Any,
    ) -> Page:
        homes.add(address.split("/")[2])
        others = {"reduced_motion": "reduce", **others}
        page = kept_pages.take(partial(hear, allowed), others, app=app, empty=bool(before or empty))
        pages.append(page)
        page.set_viewport_size(size)  # type: ignore[arg-type]
        page.set_default_timeout(1000 * SECONDS)
        if before:
            before(page)
        page.goto(address)
        # not what the page shows until its scripts have come
        page.wait_for_selector("main:not(:has(> .first)) > *")
        return page

    yield opening
    is_failed = request.session.testsfailed > failed
    for page in pages:
        kept_pages.give_back(page, [f"http://{home}" for home in homes], is_spoilt=is_failed)
    assert wrong == [], wrong
    assert [url for url in asked if not url.startswith("data:") and url.split("/")[2] not in homes] == []


@pytest.fixture
def opened_file(request: pytest.FixtureRequest, kept_pages: KeptPages) -> Iterator[Opener]:
    """Opens windows at pages that are files, with size, java_script_enabled and the like as keywords. No script may
    fail, nothing may be told to the console, and nothing but such files may be loaded. A piece that glides is not yet
    where it is meant to be: motion is reduced."""
    pages: list[Page] = []
    wrong: list[str] = []
    asked: list[str] = []
    failed = request.session.testsfailed

    def hear(name: str, told: Any) -> None:
        if name == "request":
            asked.append(told.url.partition("#")[0])
        else:
            wrong.append(told.text if name == "console" else str(told))

    def opening(url: str = "about:blank", size: dict[str, int] = WIDE, **others: Any) -> Page:
        page = kept_pages.take(hear, {"reduced_motion": "reduce", **others})
        pages.append(page)
        page.set_viewport_size(size)  # type: ignore[arg-type]
        page.goto(url)
        return page

    yield opening
    is_failed = request.session.testsfailed > failed
    for page in pages:
        kept_pages.give_back(page, [], is_spoilt=is_failed)
    assert wrong == []
    assert [url for url in asked if not (url.startswith("file:") and url.endswith(".html"))] == []


def read_board(page: Page, selector: str = "main .board") -> dict[int, str]:
    """Pieces by square 1-32, as b, B, w and W, by where they are drawn; on a board that is flipped too."""
    return board_of(*page.evaluate(READ_BOARD, selector))


def board_of(found: dict[str, str], flipped: bool) -> dict[int, str]:
    """Pieces by square from what READ_BOARD gives."""
    pieces = {}
    for place, piece in found.items():
        column, row = map(int, place.split(","))
        square = row * 4 + column // 2 + 1
        pieces[33 - square if flipped else square] = piece
    return pieces


def meant_board(fen: str) -> dict[int, str]:
    """Pieces by square of a canonical FEN."""
    pieces = {}
    for part in fen.split(":")[1:]:
        for name in filter(None, part[1:].split(",")):
            letter = part[0].lower()
            pieces[int(name.lstrip("K"))] = letter.upper() if name.startswith("K") else letter
    return pieces


def point_of(page: Page, square: int, selector: str = "main .board", flipped: bool = False) -> tuple[float, float]:
    """The middle of a square, scrolled into view."""
    board = page.locator(selector)
    board.scroll_into_view_if_needed()
    box = board.bounding_box()
    assert box is not None
    row, pair = divmod(square - 1, 4)
    column = 2 * pair + 1 - row % 2
    if flipped:
        column, row = 7 - column, 7 - row
    unit = box["width"] / 366
    return box["x"] + unit * (3 + 45 * (column + 0.5)), box["y"] + unit * (3 + 45 * (row + 0.5))


SIZES: list[dict[str, int]] = [
    {"width": 1280, "height": 800},
    {"width": 1366, "height": 768},
    {"width": 390, "height": 844},
]
"""Windows in which everything that is needed at each move must be in sight."""


SETTLED_SECONDS = 10.0
OUT_OF_SIGHT = """selectors => selectors.filter(selector => {
  const shown = [...document.querySelectorAll(selector)].filter(each => each.checkVisibility());
  return !shown.length || shown.some(each => {
    const box = each.getBoundingClientRect(), middle = [box.x + box.width / 2, box.y + box.height / 2];
    const top = document.elementFromPoint(...middle);
    return box.width < 1 || box.height < 1 || box.top < -1 || box.left < -1 || box.bottom > innerHeight + 1 ||
      box.right > innerWidth + 1 || !top || !(each.contains(top) || top.contains(each));
  });
})"""


def out_of_sight(page: Page, selectors: list[str]) -> list[str]:
    """Those of the selectors of which something is not wholly inside the window, or is covered by something else, and
    stays so: what has just arrived may move things for a frame."""
    until = time.monotonic() + SETTLED_SECONDS
    found: list[str] = page.evaluate(OUT_OF_SIGHT, selectors)
    while found and time.monotonic() < until:
        page.wait_for_timeout(20)
        found = page.evaluate(OUT_OF_SIGHT, selectors)
    return found


def open_panel(page: Page, name: str) -> None:
    """Open a panel of Analyse by its tab; Moves is all that stands beside the board anyway."""
    page.get_by_role("tab", name=name, exact=True).click()


def from_menu(page: Page, name: str) -> None:
    """Choose an action of the menu below the board."""
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name=name).click()


def from_send_menu(page: Page, name: str) -> None:
    """Choose a way to send the game or the position."""
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_role("menuitem", name=name, exact=True).click()


def pick(page: Page, name: str, value: str) -> None:
    """Choose one of several buttons that stand in a row, by a click on its label, once it stands still."""
    page.locator("label", has=page.locator(f"input[type=radio][name={name}][value='{value}']")).click()


def show_setup(page: Page) -> None:
    """Open the panel Set up."""
    if not page.locator(".panel.setup").is_visible():
        page.get_by_role("button", name="Set up", exact=True).click()


def type_fen(page: Page, fen: str) -> None:
    """Type a FEN into its field, and set it."""
    show_setup(page)
    page.get_by_label("FEN", exact=True).fill(fen)
    page.get_by_role("button", name="Set", exact=True).click()


def choose_option(page: Page, label: str, value: str) -> None:
    """Choose in a list among the options of the analysis."""
    if not page.locator(".analysis .options").is_visible():
        page.get_by_role("button", name="Options of the analysis").click()
    page.locator(".analysis .options").get_by_label(label).select_option(value)


def wait_until(page: Page, function: str, arg: Any = None) -> None:
    """Wait until a function of JavaScript gives something true. The page itself looks, so that waiting costs one call;
    Playwright's own way evaluates text in the page, which the policy of these pages forbids."""
    from playwright.sync_api import Error

    # counted, since the clock of a page may stand still; what it looks at may not be there yet
    waiting = f"""async ([arg, looks]) => {{
      const look = {function};
      for (let fault = "false"; ; ) {{
        try {{
          if (await look(arg)) return "";
        }} catch (error) {{
          fault = String(error);
        }}
        if (!looks--) return fault;
        await new Promise(resolve => setTimeout(resolve, 20));
      }}
    }}"""
    until = time.time() + SECONDS
    while True:
        try:
            fault = page.evaluate(waiting, [arg, 50 * SECONDS])
            assert not fault, f"never true: {function} of {arg}: {fault}"
            return
        except Error as error:
            # the page was loaded again meanwhile
            if "context was destroyed" not in str(error) or time.time() > until:
                raise


def wait_for(page: Page, true: Callable[[], Any]) -> None:
    """Wait for something outside the page, which goes on meanwhile."""
    until = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < until, "never true"
        page.wait_for_timeout(20)


def wait_for_board(page: Page, fen: str, selector: str = "main .board") -> None:
    """Wait until a board shows a position."""
    until = time.monotonic() + SECONDS
    while (shown := read_board(page, selector)) != meant_board(fen):
        assert time.monotonic() < until, f"{shown} in place of {fen}"
        page.wait_for_timeout(20)


def late(app: ASGIApp, seconds: float) -> ASGIApp:
    """A server whose answers to requests arrive so much later, each of its messages half as much."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_late(message: Message) -> None:
            if message["type"] == "http.response.start":
                await asyncio.sleep(seconds)
            elif message["type"] == "websocket.send":
                await asyncio.sleep(seconds / 2)
            await send(message)

        delayed = scope["type"] == "websocket" or scope.get("path", "").startswith("/api/")
        await app(scope, receive, send_late if delayed else send)

    return answer


def axe_report(page: Page, place: str | None = None, **options: Any) -> dict[str, Any]:
    """What axe says of a page or a place in it, without what nobody reads here."""
    from axe_playwright_python.sync_playwright import Axe

    # half a megabyte, which a page has once
    axe = Axe("0") if page.evaluate("'axe' in window") else Axe()
    usual = {"resultTypes": ["violations"], "selectors": False, "preload": False}
    report: dict[str, Any] = axe.run(page, place, options={**usual, **options}).response
    return report


def faults_in(page: Page, place: str | None = None, passes: int = 1) -> list[str]:
    """Faults that axe sees in light, where it must have some rules to follow, and those of colours in dark."""
    faults = []
    for scheme, only in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        report = axe_report(page, place, **only)
        assert len(report["passes"]) >= (1 if only else passes)
        faults += [
            f"{scheme}: {fault['id']}: {fault['help']}: {node['html'][:150]} {node['any'][:1]}"
            for fault in report["violations"]
            for node in fault["nodes"][:5]
        ]
    return faults


def in_view(page: Page, selector: str) -> bool:
    """True if the first element that matches is in sight as a whole: within the window and all that clips it."""
    found = page.evaluate("""selector => {
      const element = document.querySelector(selector), box = element?.getBoundingClientRect();
      if (!box?.width || !box.height || !element.checkVisibility()) return false;
      const inside = ({top, left, right, bottom}) =>
        box.top > top - 1 && box.left > left - 1 && box.right < right + 1 && box.bottom < bottom + 1;
      for (let around = element.parentElement; around; around = around.parentElement) {
        const {overflowX, overflowY} = getComputedStyle(around);
        if (overflowX + overflowY !== "visiblevisible" && !inside(around.getBoundingClientRect())) return false;
      }
      return inside({top: 0, left: 0, right: innerWidth, bottom: innerHeight});
    }""", selector)  # fmt: skip
    return bool(found)


SILENT = "The server does not answer. Is kr web still running?"


@contextmanager
def no_answers(page: Page) -> Iterator[list[str]]:
    """Requests of a page, other than for its files, fail as they do when the server is gone. Gives what was asked."""
    lost: list[str] = []

    def lose(route: Route) -> None:
        lost.append(route.request.url)
        route.abort()

    page.route("**/api/**", lose)
    yield lost
    page.unroute("**/api/**")


def click_square(page: Page, square: int, selector: str = "main .board", flipped: bool = False) -> None:
    """Click a square as a person would."""
    page.mouse.click(*point_of(page, square, selector, flipped))
