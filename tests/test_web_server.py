"""`kr web` as a command, and the door of its server: who may ask, and what is answered to the rest."""

from __future__ import annotations

import http.client
import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from english import english
from systems import POSIX, interrupt, start
from web_pages import serving

import kr
from kr import cli
from kr.web import serve
from kr.web.guard import is_loopback
from kr.web.house import House
from kr.web.live import BROKEN, Budget
from kr.web.request import PageRequest
from kr.web.serve import WebServer

COMMAND = [sys.executable, "-m", "kr", "web", "--no-browser", "--hash", "4MB"]


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with serving() as server:
        yield server


@pytest.fixture(scope="module")
def open_server() -> Iterator[WebServer]:
    """A server that other machines can reach."""
    with serving(host="0.0.0.0", token=True) as server:
        yield server


@pytest.fixture(scope="module")
def closed_server() -> Iterator[WebServer]:
    """A server as the command starts it, which asks for its token."""
    with serving(token=True) as server:
        yield server


def asked(
    server: WebServer, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of an answer. Underscores in names of headers stand for hyphens."""
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        link.request(method, path, body, sent)
        answer = link.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        link.close()


def posted(server: WebServer, path: str, fields: Any, **headers: str) -> tuple[int, Any]:
    given = {"content_type": "application/json", **headers}
    status, _, body = asked(server, "POST", f"/api/{path}", json.dumps(fields).encode(), **given)
    return status, json.loads(body)


# --- the command


@pytest.mark.slow
@pytest.mark.posix("no SIGTERM")
def test_it_tells_its_address_and_ends_clean() -> None:
    """By the signal that others send; Ctrl-C is tested below, while somebody analyses."""
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        found = re.fullmatch(r"kr is at http://127\.0\.0\.1:(\d+)(/[\w-]{32}/)\n", process.stdout.readline())
        assert found
        link = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=60)
        link.request("GET", f"{found[2]}static/main.js")
        assert link.getresponse().status == 200
        process.terminate()
        rest, errors = process.communicate(timeout=60)
    assert (process.returncode, rest, errors) == (0, "", "Ctrl-C ends it\nended\n")


@pytest.mark.slow
def test_its_address_as_json() -> None:
    """As a program reads it."""
    command = [*COMMAND, "--json", "--host", "0.0.0.0", "--quiet"]
    with start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        told = json.loads(process.stdout.readline())
        assert told["address"] == f"http://localhost:{told['port']}/{told['token']}/"
        assert len(told["token"]) >= 32
        link = http.client.HTTPConnection("127.0.0.1", told["port"], timeout=60)
        link.request("POST", f"/{told['token']}/api/port/files", "{}", {"content-type": "application/json"})
        assert link.getresponse().status == 200
        interrupt(process)
        try:
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, errors) == (0, "ended\n")


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert cli.main(["web", "--no-browser", "--port", str(port)]) == 2
    reason = "Address already in use" if POSIX else ".+"
    assert re.fullmatch(f"kr: can't listen on 127.0.0.1 port {port}: {reason}\n", capsys.readouterr().err)


@pytest.mark.parametrize("host", ["256.1.1.1", "nowhere.invalid", "a b"])
def test_a_host_that_is_not_here(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["web", "--no-browser", "--host", host]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"kr: can't listen on {host}: ")
    assert error.count("\n") == 1


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("kr.extras.find_spec", lambda name: None if name != "uvicorn" else object())
    assert cli.main(["web", "--no-browser"]) == 2
    assert capsys.readouterr().err == "kr: kr web needs starlette and websockets: pip install starlette websockets\n"


# --- the door


@pytest.mark.smoke
def test_the_page_and_its_files(server: WebServer) -> None:
    status, headers, body = asked(server, "GET", "/")
    assert status == 200
    assert headers["content-type"] == "text/html; charset=utf-8"
    for file in re.findall(rb'(?:src|href)="(/static/[^"]+)"', body):
        assert asked(server, "GET", file.decode())[0] == 200
    assert b"style=" not in body
    assert not re.search(rb"<script[^>]*>[^<]", body)


def test_what_has_not_changed_is_not_sent_again(server: WebServer) -> None:
    # a path that names its version is not even asked for again
    _, headers, page = asked(server, "GET", "/")
    main = re.search(rb'src="(/static/\w{12}/main.js)"', page)
    assert main
    assert headers["cache-control"] == "no-cache"
    assert asked(server, "GET", main[1].decode())[1]["cache-control"] == "max-age=31536000, immutable"
    _, headers, body = asked(server, "GET", "/static/board.js")
    assert headers["cache-control"] == "no-cache"
    again = asked(server, "GET", "/static/board.js", if_none_match=headers["etag"])
    assert (again[0], again[2]) == (304, b"")
    assert asked(server, "GET", "/static/board.js", if_none_match='"other"')[2] == body


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/"), ("GET", "/nothing"), ("POST", "/api/port/files"), ("GET", "/api/port/files"), ("DELETE", "/")],
)
def test_every_answer_has_the_policy(server: WebServer, method: str, path: str) -> None:
    _, headers, _ = asked(server, method, path)
    policy = dict(each.split(" ", 1) for each in headers["content-security-policy"].split("; "))
    # a browser that doesn't know a directive says so on the console
    assert "manifest-src" not in policy
    assert policy["default-src"] == "'self'"
    assert not {"script-src", "style-src", "font-src", "media-src", "worker-src"} & policy.keys()
    for name in ("object-src", "frame-src", "frame-ancestors", "form-action", "base-uri"):
        assert policy[name] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{port}", "",
     "[::2]:{port}", "127.0.0.1:{port}@evil.example", "localhost.:{port}"],
)  # fmt: skip
def test_another_name_gets_nothing(server: WebServer, host: str) -> None:
    status, _, body = asked(server, "GET", "/", host=host.format(port=server.port))
    assert status in (400, 421)
    assert b"<html" not in body


@pytest.mark.parametrize("host", ["localhost:{port}", "127.0.0.1:{port}", "[::1]:{port}", "LOCALHOST:{port}"])
def test_its_own_names_are_answered(server: WebServer, host: str) -> None:
    assert asked(server, "GET", "/", host=host.format(port=server.port))[0] == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": "http://127.0.0.1:{port}"}, 200),
        ({"origin": "http://localhost:{port}"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "https://127.0.0.1:{port}"}, 403),
        ({"sec_fetch_site": "same-origin"}, 200),
        ({"sec_fetch_site": "none"}, 200),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
        ({"content_type": "text/plain"}, 415),
        ({"content_type": "application/x-www-form-urlencoded"}, 415),
        ({"content_type": "application/json; charset=utf-8"}, 200),
    ],
)
def test_no_other_page_may_ask(server: WebServer, headers: dict[str, str], status: int) -> None:
    filled = {name: value.format(port=server.port) for name, value in headers.items()}
    assert posted(server, "port/files", {}, **filled)[0] == status


def test_a_link_from_elsewhere_may_be_followed(server: WebServer) -> None:
    link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    assert asked(server, "GET", "/", **link)[0] == 200
    assert asked(server, "GET", "/", **{**link, "sec_fetch_dest": "iframe"})[0] == 403
    assert asked(server, "GET", "/static/main.js", **link)[0] == 403


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", "the request is not JSON"),
        (b"{", "the request is not JSON"),
        (b"\xff\xfe", "the request is not JSON"),
        (b"[" * 100_000, "the request is not JSON"),
        (b"[]", "expected a JSON object"),
        (b"{}", "fen is missing"),
        (b'{"fen": 7}', "fen is not text"),
        (b'{"fen": "%s"}' % (b"x" * 500), "fen has 500 characters; at most 400"),
        (b'{"fen": "B:W18,18:B14"}', None),
    ],
)
def test_bad_requests_get_a_short_error(server: WebServer, body: bytes, error: str | None) -> None:
    status, _, answer = asked(server, "POST", "/api/explorer/moves", body, content_type="application/json")
    assert status == 400
    told = json.loads(answer)
    assert list(told) == ["error"]
    assert error is None or english(told["error"]) == error
    assert len(english(told["error"])) < 600


def test_a_fault_of_kr_is_not_one_of_the_request(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(house: House, request: PageRequest) -> None:
        raise ValueError("no such number")

    monkeypatch.setattr("kr.web.app.route_of", lambda name: fails)
    assert posted(server, "port/files", {}) == (500, {"error": BROKEN.as_object()})


def test_a_body_that_is_too_large(server: WebServer) -> None:
    status, _, body = asked(server, "POST", "/api/port/files", b" " * (5 << 20), content_type="application/json")
    assert (status, json.loads(body)) == (413, {"error": {"say": "refused.too_large", "with": {"most": 4}}})


# --- with a token


@pytest.mark.parametrize(
    ("path", "words"),
    [("/", "It was printed"), ("/x", "token"), ("/static/main.js", "token"), ("/?token={token}", "It was printed"),
     ("/static/main.js?token={token}", "token"), ("/" + "x" * 32 + "/", "It was printed")],
)  # fmt: skip
@pytest.mark.parametrize("fixture", ["closed_server", "open_server"])
def test_nobody_gets_in_without_the_token(request: pytest.FixtureRequest, fixture: str, path: str, words: str) -> None:
    server: WebServer = request.getfixturevalue(fixture)
    assert server.token
    status, headers, body = asked(server, "GET", path.format(token=server.token))
    assert status == 401
    assert words in body.decode()
    assert "set-cookie" not in headers
    assert server.token not in body.decode()


@pytest.mark.parametrize("by_key", [False, True])
def test_the_address_gives_a_cookie(closed_server: WebServer, by_key: bool) -> None:
    address = closed_server.address_to_open if by_key else closed_server.address
    path = address.removeprefix(f"http://127.0.0.1:{closed_server.port}")
    assert (closed_server.token in path) != by_key
    status, headers, _ = asked(closed_server, "GET", f"{path}?a=b%26")
    assert (status, headers["location"]) == (303, "/?a=b%26")
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["set-cookie"] == (
        f"kr-token-{closed_server.port}={closed_server.token}; HttpOnly; Path=/; SameSite=strict"
    )
    kept = headers["set-cookie"].partition(";")[0]
    # cookies of other programs of this machine, as odd as they may be, and of another kr web
    others = f'x={{"a":1}}; kr-token-{closed_server.port - 1}=other; =; y'
    assert asked(closed_server, "GET", "/", cookie=f"{others}; {kept}")[0] == 200
    assert asked(closed_server, "GET", "/", cookie=kept[:-1])[0] == 401
    assert posted(closed_server, "port/files", {}, cookie=kept)[0] == 200
    assert posted(closed_server, "port/files", {})[0] == 401
    # a second time: the address opens, the key only for who is in already
    assert asked(closed_server, "GET", path)[0] == (401 if by_key else 303)
    assert asked(closed_server, "GET", path, cookie=kept)[0] == 303


def test_programs_put_what_they_ask_for_behind_the_address(closed_server: WebServer) -> None:
    from websockets.sync.client import connect

    status, _, body = asked(closed_server, "GET", f"/{closed_server.token}/static/main.js")
    assert (status, b"import" in body) == (200, True)
    json_type = {"content_type": "application/json"}
    path, key = f"/{closed_server.token}/api/port/files", closed_server.address_to_open.split("/")[3]
    assert asked(closed_server, "POST", path, b'{"fen": "B:W18:B14"}', **json_type)[0] == 200
    assert asked(closed_server, "POST", f"/{key}/api/port/files", b'{"fen": "B:W18:B14"}', **json_type)[0] == 401
    with connect(closed_server.address.replace("http", "ws") + "live") as link:
        link.send('{"id": 1, "do": "runs"}')
        assert json.loads(link.recv(60)) == {"id": 1, "runs": [], "directories": 0}


def test_a_link_from_elsewhere_leads_to_the_page_alone(closed_server: WebServer) -> None:
    """Browsers keep the cookie back from such a visit; what the page loads is asked with it."""
    link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    status, _, body = asked(closed_server, "GET", "/", **link)
    assert (status, b"open the address that kr web printed" in body) == (200, True)
    assert asked(closed_server, "GET", f"/{closed_server.token}/", **link)[0] == 303
    assert asked(closed_server, "GET", f"/{closed_server.token}/", **{**link, "sec_fetch_dest": "image"})[0] == 403
    assert asked(closed_server, "GET", "/static/main.js", **link)[0] == 403
    assert asked(closed_server, "GET", "/static/main.js")[0] == 401


def test_no_token_is_for_this_machine_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["web", "--no-browser", "--no-token", "--host", "0.0.0.0"]) == 2
    assert capsys.readouterr().err == (
        "kr: --no-token would open 0.0.0.0 to everyone; only with an address of this machine's own, such as "
        "--host 127.0.0.1\n"
    )


def test_a_browser_is_started_without_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other users see the command lines of processes."""
    opened: list[str] = []
    monkeypatch.setattr(serve.webbrowser, "open", lambda address: opened.append(address) or True)
    monkeypatch.setattr(WebServer, "run", lambda server, ready, *says: (ready(), server.house.close()))
    assert cli.main(["web", "--json", "--weights", "material"]) == 0
    (address,) = opened
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", address)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("[::1]", True), ("localhost", True), ("0.0.0.0", False),
     ("::", False), ("192.168.1.2", False), ("example.org", False), ("", False)],
)  # fmt: skip
def test_hosts_that_let_nobody_else_in(host: str, loopback: bool) -> None:
    assert is_loopback(host) == loopback


def test_a_budget_is_spent_and_comes_back() -> None:
    now = 0.0
    budget = Budget(10, 3, lambda: now)
    assert [budget.take() for _ in range(4)] == [True, True, True, False]
    now = 0.1
    assert [budget.take() for _ in range(2)] == [True, False]
    assert not budget.is_full
    now = 100.0
    assert budget.is_full
    assert [budget.take() for _ in range(4)] == [True, True, True, False]


@pytest.mark.slow
def test_it_ends_at_once_while_somebody_analyses() -> None:
    from websockets.sync.client import connect

    with start(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        port, path = re.findall(r":(\d+)(/\S+/)", process.stdout.readline())[0]
        with connect(f"ws://127.0.0.1:{port}{path}live", origin=f"http://127.0.0.1:{port}") as socket:  # type: ignore[arg-type]
            socket.send(json.dumps({"id": 1, "do": "analysis", "start": kr.Position().fen, "lines": 2}))
            assert json.loads(socket.recv(60))["id"] == 1
            interrupt(process)
            rest, errors = process.communicate(timeout=60)
    assert (process.returncode, rest, errors) == (0, "", "Ctrl-C ends it\nended\n")


@pytest.mark.slow
def test_the_usual_port_is_taken_if_it_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        free = probe.getsockname()[1]
    monkeypatch.setattr(serve, "USUAL_PORT", free)
    with serving(weights="material") as first, serving(weights="material") as second:
        assert first.port == free
        assert second.port not in (free, 0)
        assert asked(second, "GET", "/")[0] == 200
    # what a browser keeps for the address is found again
    with serving(weights="material") as again:
        assert again.port == free


OF_ALL = {"style.css", "forms.css", "panels.css", "screen.css", "viewer.css", "graph.css"}
"""Style sheets whose classes any page may use, and adapt within its own."""


def test_style_sheets_of_pages_share_no_class() -> None:
    """All of them are loaded together: a class that two of them style at the top looks right on one page at most."""
    owners: dict[str, set[str]] = {}
    for room in ("page", "viewer"):
        for path in (Path(serve.__file__).parents[1] / room / "static").glob("*.css"):
            sheet = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)
            for selectors in re.findall(r"([^{}]+)\{", sheet):
                for selector in selectors.split(","):
                    if first := re.match(r"\s*\.([\w-]+)", selector):
                        owners.setdefault(first[1], set()).add(path.name)
    shared = {name: sheets for name, sheets in owners.items() if len(sheets) > 1 and not sheets & OF_ALL}
    assert shared == {}
