"""`kr web` as an app: its manifest and icons, the worker that keeps its files, and what it shows without a server."""

from __future__ import annotations

import gzip
import http.client
import importlib
import json
import re
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from page_host import bundled
from web_pages import Opener, meant_board, read_board, serving, wait_until

import kr
from kr.page import files
from kr.web import app, serve
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page


GONE = "The server is gone; start kr web again"
FAILED = r"net::ERR|WebSocket|Failed to load"


def get(server: WebServer, path: str, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    link.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = link.getresponse()
    return answer, answer.read()


def shell(server: WebServer) -> dict[str, Any]:
    """What the worker is told to keep."""
    _, body = get(server, "/worker.js")
    found: dict[str, Any] = json.loads(body.split(b"globalThis.SHELL = ")[1].split(b";\n")[0])
    return found


# --- the manifest


def test_the_manifest_names_what_is_there(server: WebServer) -> None:
    _, index = get(server, "/")
    (path,) = re.findall(rb'<link rel="manifest" href="([^"]+)" crossorigin="use-credentials">', index)
    answer, body = get(server, path.decode())
    manifest = json.loads(body)
    assert answer.headers["content-type"] == "application/manifest+json"
    assert (manifest["start_url"], manifest["scope"], manifest["display"]) == ("/", "/", "standalone")
    assert manifest["name"]
    assert manifest["short_name"] == "kr"
    sizes = set()
    for icon in manifest["icons"]:
        answer, body = get(server, f"{path.decode().rpartition('/')[0]}/{icon['src']}")
        assert (answer.status, answer.headers["content-type"]) == (200, icon["type"])
        if icon["type"] == "image/png":
            assert body.startswith(b"\x89PNG")
            width, height = (int.from_bytes(body[at : at + 4]) for at in (16, 20))
            assert icon["sizes"] == f"{width}x{height}"
            sizes.add((width, icon.get("purpose", "any")))
    assert sizes == {(192, "any"), (512, "any"), (512, "maskable")}


# --- versions


def test_all_that_the_worker_keeps_is_there_and_named_by_its_version(server: WebServer) -> None:
    kept = shell(server)
    assert "./" in kept["files"]
    for path in [*kept["files"], *kept["data"]]:
        answer, _ = get(server, f"/{path.removeprefix('./')}")
        assert answer.status == 200
        assert path == "./" or path in kept["data"] or path.startswith(f"static/{kept['build']}/")
    _, index = get(server, "/")
    named = re.findall(r'(?:href|src)="/([^"]+)"', index.decode())
    assert len(named) > 5
    assert set(named) <= set(kept["files"])
    scripts = {path.partition("/")[2].partition("/")[2] for path in kept["files"] if path.endswith(".js")}
    assert {"main.js", "answers/native.js"} <= scripts
    assert get(server, "/static/000000000000/main.js")[0].status == 404
    assert get(server, "/data/nothing.json")[0].status == 404


def test_any_change_is_another_version(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    first = shell(server)["build"]
    with serving() as same:
        assert shell(same)["build"] == first
    monkeypatch.setattr(files, "board_colors", lambda: ":root {}")
    with serving() as other:
        assert shell(other)["build"] != first
        assert get(other, f"/static/{first}/main.js")[0].status == 404


# --- the files


def test_files_come_packed_to_those_who_take_them_so(server: WebServer) -> None:
    plain, body = get(server, "/static/board.js")
    packed, content = get(server, "/static/board.js", accept_encoding="br, gzip")
    assert (plain.headers["content-encoding"], packed.headers["content-encoding"]) == (None, "gzip")
    assert gzip.decompress(content) == body
    assert len(content) < len(body) / 2
    assert plain.headers["etag"] != packed.headers["etag"]
    assert get(server, "/static/board.js", accept_encoding="gzip;q=0")[1] == body
    again, nothing = get(server, "/static/board.js", accept_encoding="gzip", if_none_match=packed.headers["etag"])
    assert (again.status, nothing) == (304, b"")
    assert get(server, "/static/icons/kr-192.png", accept_encoding="gzip")[1].startswith(b"\x89PNG")


def test_few_scripts_know_that_there_is_a_server() -> None:
    package = Path(serve.__file__).parents[1]
    network = re.compile(r"\b(?:fetch\(|WebSocket\b|XMLHttpRequest\b|EventSource\b|sendBeacon\b|importScripts\b)")
    found = {
        path.name
        for room in ("page", "viewer")
        for path in (package / room / "static").rglob("*.js")
        if network.search(re.sub(r"^\s*(?://|\*).*$", "", path.read_text("utf-8"), flags=re.MULTILINE))
    }
    # worker.js stands between the page and the server, and knows nothing of what is asked; the others load files
    assert found == {"machine.js", "worker.js", "store.js", "search-worker.js"}


def test_features_are_found_by_their_names() -> None:
    for module in app.FEATURES:
        feature = importlib.import_module(f"kr.web.{module}")
        assert {app.route_of(name) for name in feature.ROUTES} == {*feature.ROUTES.values()}
        assert {app.stream_of(name) for name in feature.LIVE} == {*feature.LIVE.values()}
    assert (app.route_of("nothing"), app.route_of("port"), app.stream_of("")) == (None, None, None)


# --- bundles


def test_a_bundle_of_these_scripts_is_served_and_no_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(files, "BUNDLE", bundled(tmp_path))
    found = files.files_to_serve()
    assert found.sheets == {"stylesheet": ["style-sheets.css"], "later": ["later.css"]}
    assert found.scripts[0] == "main.js"
    assert {"main.js", "answers/native.js", "worker.js", "icons/kr.svg"} <= {*found.files}
    assert "shell.js" not in found.files
    monkeypatch.setattr(files, "board_colors", lambda: ":root {}")
    edited = files.files_to_serve()
    assert "shell.js" in edited.files
    assert [each.has_old_bundle for each in (found, edited)] == [False, True]
    monkeypatch.setattr(files, "BUNDLE", tmp_path / "none")
    assert not files.files_to_serve().has_old_bundle


NEEDED = r"(/|\.js|/style-sheets\.css)$"
"""Page, scripts and styles of a board, but for the manifest and what comes later."""


@pytest.mark.slow
def test_little_comes_before_men_move(monkeypatch: pytest.MonkeyPatch, opened: Opener, tmp_path: Path) -> None:
    monkeypatch.setattr(files, "BUNDLE", bundled(tmp_path))
    with serving() as server:
        asked: list[Any] = []

        def before(page: Page) -> None:
            # which come once the board is there
            page.route(re.compile("/(panels|graph-drawing|english|en)-"), lambda route: None)
            page.on("requestfinished", lambda each: asked.append(each))

        page = opened(server.address, before=before)
        page.wait_for_selector("main .board .movable")
        sizes = {each.url: each.sizes()["responseBodySize"] for each in [*asked] if re.search(NEEDED, each.url)}
    assert len([url for url in sizes if url.endswith(".js")]) > 5
    assert sum(sizes.values()) < 60_000, sizes


# --- in the browser


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def wait_for_worker(page: Page, version: str) -> None:
    """Wait until the files of a version are kept, and the page is in the hands of its worker."""
    wait_until(page, "() => Boolean(navigator.serviceWorker.controller)")
    kept = "async name => (await caches.has(name)) && (await (await caches.open(name)).keys()).length > 40"
    wait_until(page, kept, f"kr-page / {version}")


@pytest.mark.slow
def test_it_opens_without_its_server_and_comes_back(opened: Opener) -> None:
    port = free_port()
    with serving(port=port, token=True) as server:
        page = opened(server.address, allowed=FAILED, app=True)
        version = shell_of(page)
        wait_for_worker(page, version)
        page.wait_for_selector("main .board .movable")
    page.reload()
    # the board goes on, and what needs the engine says that it is gone
    page.wait_for_selector("main .board .movable")
    page.keyboard.press("Space")
    wait_until(page, "text => document.querySelector('.offline')?.textContent === text", GONE)
    assert read_board(page) == meant_board(kr.Position().fen)
    # as an installed app does, at its start; a page that was never opened is there too
    again = page.context.new_page()
    again.goto(f"http://127.0.0.1:{port}/#learn")
    wait_until(again, "() => document.querySelector('nav [aria-current]')?.hash === '#learn'")
    again.wait_for_selector("h2.title")
    again.close()
    with serving(port=port, token=True) as server:
        wait_until(page, "() => document.querySelector('.offline').textContent.includes('open the address')")
        other = page.context.new_page()
        other.goto(server.address_to_open)
        wait_until(page, "() => document.querySelector('.offline').textContent === ''")
        other.close()


def shell_of(page: Page) -> str:
    """Version of the files of a page."""
    found = re.search(r"/static/(\w{12})/main\.js", page.content())
    assert found is not None
    return found[1]


LOADED = "() => performance.getEntriesByType('resource').map(each => each.name)"


@pytest.mark.soak
@pytest.mark.slow
def test_a_new_kr_shows_no_old_script(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    with serving(port=port) as server:
        page = opened(server.address, allowed=FAILED, app=True)
        first = shell_of(page)
        wait_for_worker(page, first)
    monkeypatch.setattr(files, "board_colors", lambda: ":root { --board-dark: #123456; }")
    with serving(port=port) as server:
        # a page that stays open goes on with its own files, those too that it fetches only now
        wait_until(page, "async () => (await fetch('/', {method: 'HEAD'}).catch(() => ({}))).ok")
        before = page.evaluate(LOADED)
        page.click("nav a[href='#runs']")
        wait_until(page, "() => document.querySelector('main').textContent.includes('--runs')")
        loaded = [name for name in page.evaluate(LOADED)[len(before) :] if name.endswith(".js")]
        assert loaded
        assert all(f"/static/{first}/" in name for name in loaded)
        page.reload()
        page.wait_for_selector("nav a[aria-current]")
        second = shell_of(page)
        assert second != first
        assert page.evaluate("getComputedStyle(document.body).getPropertyValue('--board-dark')").strip() == "#123456"
        wait_for_worker(page, second)
        names = page.evaluate("performance.getEntriesByType('resource').map(each => each.name)")
        assert not [name for name in names if f"/{first}/" in name]


@pytest.mark.soak
def test_it_can_be_installed(opened: Opener) -> None:
    with serving(token=True) as server:
        page = opened(server.address, app=True)
        wait_for_worker(page, shell_of(page))
        session = page.context.new_cdp_session(page)
        found = session.send("Page.getAppManifest")
        assert found["errors"] == []
        assert json.loads(found["data"])["short_name"] == "kr"
        # windows of tests keep nothing for the next one; a browser that installs nothing finds no fault at all
        errors = {error["errorId"] for error in session.send("Page.getInstallabilityErrors")["installabilityErrors"]}
        assert errors <= {"in-incognito"}
