"""Attacks on the server over loopback, by raw sockets and WebSockets that send what no page sends.

Each is answered shortly or cut off. After each group of them the server answers a normal page, holds little more
memory, and has said nothing on its standard error.
"""

from __future__ import annotations

import json
import socket
import time
from contextlib import ExitStack, suppress
from itertools import product
from typing import Any

import pytest
from attacked import (
    SECONDS,
    UPGRADE,
    Attacked,
    connected,
    open_server,
    raw,
    request,
    rest,
    server,
    status,
    survives,
    trickle,
)  # fmt: skip
from english import english
from web_pages import finished

from kr.web import app, entry, guard
from kr.web.entry import KEY_SECONDS, Entry

__all__ = ["open_server", "server", "survives"]
pytestmark = [pytest.mark.slow, pytest.mark.posix("no /proc, by which a server's memory is watched")]

# --- who asks

HOSTS = [
    "evil.example:{port}", "127.0.0.1.nip.io:{port}", "localtest.me:{port}", "localhost.evil.example:{port}",
    "127.0.0.1:{port}, evil.example", "evil.example#127.0.0.1:{port}", "2130706433:{port}", "0x7f.1:{port}",
    "127.1:{port}", "0:{port}", "[::ffff:127.0.0.1]:{port}", "localhost:{port}0", "\xe9vil:{port}", "a" * 5000,
]  # fmt: skip
WAYS_IN = [("/", ()), ("/live", UPGRADE)]
"""As a page is loaded, and as its WebSocket is."""


def test_names_that_lead_here_are_not_its_own(server: Attacked) -> None:
    for host, (path, upgrade) in product(HOSTS, WAYS_IN):
        answer = raw(server, request(server, f"GET {path} HTTP/1.1", *upgrade, host=host.format(port=server.port)))
        assert status(answer) in (400, 403, 421), (host, path)
        assert b"<html" not in answer, (host, path)


def test_a_request_has_one_host(server: Attacked) -> None:
    own = f"Host: 127.0.0.1:{server.port}"
    for lines in (["Host: evil.example", own], [own, "Host: evil.example"], []):
        head = "".join(f"{line}\r\n" for line in lines)
        answer = raw(server, f"GET / HTTP/1.1\r\n{head}Connection: close\r\n\r\n".encode())
        assert status(answer) in (400, 421), lines


ORIGINS = [
    "http://evil.example", "null", "", "file://", "http://127.0.0.1", "http://127.0.0.1:{port}.evil.example",
    "http://127.0.0.1:{port}/", "https://127.0.0.1:{port}", "http://user@127.0.0.1:{port}",
]  # fmt: skip


def test_no_other_page_drives_it(server: Attacked) -> None:
    lines = [("POST /api/port/files HTTP/1.1", ()), ("GET /live HTTP/1.1", UPGRADE)]
    for origin, (line, upgrade) in product(ORIGINS, lines):
        headers = f"Origin: {origin.format(port=server.port)}", "Content-Type: application/json", "Content-Length: 0"
        assert status(raw(server, request(server, line, *upgrade, *headers))) == 403, (origin, line)


COOKIES = [
    "", "{name}=", "{name}=wrong", "{name}", "{name}={cut}", "{name}={token}x", '{name}="{token}"', "{name}x={token}",
    "kr-token={token}", "kr-token-{other}={token}", "{name} ={token}", "{name}=\xff\xfe", "other={token}",
    "; ;=;" * 1000, "{name}=" + "x" * 50_000,
]  # fmt: skip


def test_nobody_gets_in_by_another_cookie(open_server: Attacked) -> None:
    token = open_server.token or ""
    names = {"name": open_server.cookie, "other": open_server.port - 1}
    for cookie, (path, upgrade) in product(COOKIES, WAYS_IN):
        sent = cookie.format(token=token, cut=token[:-1], **names)
        answer = raw(open_server, request(open_server, f"GET {path} HTTP/1.1", *upgrade, f"Cookie: {sent}"))
        # a header too long for a handshake is not answered
        assert status(answer) in ((0, 400, 403) if upgrade else (401,)), (cookie[:100], path)
        assert b"<html" not in answer, (cookie[:100], path)


PATHS = [
    "/?{token}", "/?token={token}", "//{token}/", "//{token}/live", "/./{token}/live", "/x/../{token}/live", "/{cut}/",
    "/{cut}/live", "/{token}x/live", "/{upper}/live", "/{token}%2Flive", "/{token}%2F", "/%{hex}/live",
    "/live/{token}/", "/live?/{token}/", "/%00{token}/live", "/ {token}/live", "/{token}%00/live", "/{token}\\live",
    "/{token};/live", "/live#/{token}/", "http://127.0.0.1/{token}/live", "/" + "x" * 30_000, "/{token}" * 2000 + "x",
    "*", "",
]  # fmt: skip


def test_nobody_gets_in_by_another_path(open_server: Attacked) -> None:
    token = open_server.token or ""
    escaped = f"{ord(token[0]):02x}{token[1:]}"
    for path, upgrade in product(PATHS, ((), UPGRADE)):
        sent = path.format(token=token, cut=token[:-1], upper=token.swapcase(), hex=escaped)
        answer = raw(open_server, request(open_server, f"GET {sent} HTTP/1.1", *upgrade))
        case = path[:100], bool(upgrade)
        assert status(answer) in (0, 400, 401, 403, 404), case
        assert b"<html" not in answer, case
        assert b"set-cookie" not in answer.lower(), case
        if status(answer) == 404:
            # behind the token, where there is nothing
            assert path.startswith("/{token}"), case


def test_a_key_opens_the_door_once_and_not_for_long() -> None:
    now = 0.0
    guarded = Entry(80, lambda: now)
    keys = [guarded.make_key() for _ in range(3)]
    assert len({*keys, guarded.token}) == 4
    assert not guarded.takes_key(guarded.token)
    assert not guarded.takes_token(keys[0])
    assert [guarded.takes_key(keys[0]) for _ in range(2)] == [True, False]
    now = KEY_SECONDS
    assert guarded.takes_key(keys[1])
    now = KEY_SECONDS + 0.1
    assert not guarded.takes_key(keys[2])


def test_the_token_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """By time alone, this would be a test of the machine: each comparison must be the one that is made for secrets."""
    guarded = Entry(80)
    token, key = guarded.token.encode(), guarded.make_key().encode()
    compared = []
    monkeypatch.setattr(entry.hmac, "compare_digest", lambda a, b: compared.append((a, b)) or False)
    assert not guarded.takes_token("given")
    assert not guarded.takes_key("given")
    assert not guarded.takes_cookies("a=b; kr-token-80=given; kr-token-81=c")
    assert compared == [(b"given", token), (b"given", key), (b"given", token)]


def test_strangers_do_not_spend_what_its_user_may_ask() -> None:
    answers: list[int] = []
    guarded = Entry(80)

    async def answered(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})

    async def hear(message: Any) -> None:
        if message["type"] == "http.response.start":
            answers.append(message["status"])

    door = guard.Guard(answered, "127.0.0.1", 80, guarded, lambda: 0.0)

    async def ask(path: str, count: int) -> list[int]:
        answers.clear()
        scope = {"type": "http", "method": "POST", "path": path, "headers": [(b"host", b"localhost")]}
        for _ in range(count):
            await door({**scope, "client": ("127.0.0.1", 1)}, None, hear)  # type: ignore[arg-type]
        return list(answers)

    burst = int(guard.REQUEST_BURST)
    assert finished(ask("/api/port/files", burst + 10)) == [401] * burst + [429] * 10
    assert finished(ask(f"/{guarded.token}/api/port/files", 10)) == [200] * 10


# --- what is asked for

WAYS_UP = [
    "..", "%2e%2e", "%2E.", "%252e%252e", "..%00", "..;", "\xc0\xae\xc0\xae", "%c0%ae%c0%ae", "%uff0e%uff0e", "....",
]  # fmt: skip
SLASHES = ["/", "%2f", "%5c", "\\", "//", "%252f"]


GOALS = ["etc/passwd", "web/app.py", "proc/self/environ"]


def test_no_path_leads_out(server: Attacked) -> None:
    for prefix, way, slash, goal in product(["/static/", "/", "/api/"], WAYS_UP, SLASHES, GOALS):
        path = f"{prefix}{(way + slash) * 6}{goal}".replace("/", slash, 0)
        answer = raw(server, request(server, f"GET {path} HTTP/1.1"))
        assert status(answer) in (400, 404, 405), path
        assert b"root:" not in answer, path
        assert b"import" not in answer, path


ODD_LINES = [
    "GET /etc/passwd HTTP/1.1", "GET file:///etc/passwd HTTP/1.1", "GET http://evil.example/ HTTP/1.1",
    "CONNECT evil.example:80 HTTP/1.1", "TRACE / HTTP/1.1", "OPTIONS * HTTP/1.1", "PUT /static/main.js HTTP/1.1",
    "DELETE / HTTP/1.1", "PROPFIND / HTTP/1.1", "GET /live HTTP/1.1", "GET /api/port/files HTTP/1.1", "POST / HTTP/1.1",
    "GET  HTTP/1.1", "PRI * HTTP/2.0", "\x00\x01\x02", "\x16\x03\x01\x02\x00\x01",
    "GET /" + "a" * 60_000 + " HTTP/1.1", "GET /\xff HTTP/1.1", "A" * 40_000,
]  # fmt: skip


def test_odd_requests_are_refused(server: Attacked) -> None:
    for line in ODD_LINES:
        answer = raw(server, request(server, line))
        assert 400 <= status(answer) < 500, line[:100]
        assert len(answer) < 2000, line[:100]


FALSE_HEADERS = [
    ["Content-Length: -1"], ["Content-Length: 5", "Content-Length: 6"], ["Content-Length: 99999999999999999999"],
    ["Transfer-Encoding: chunked", "Content-Length: 5"], ["Transfer-Encoding: gzip, chunked"],
    ["Transfer-Encoding: chunked, chunked"], ["Content-Length: 0x10"], [" folded: header"], ["no colon"],
    ["X: " + "y" * 70_000], ["\xff: x"], ["Expect: 100-continue", "Content-Length: 5000000000"],
]  # fmt: skip


def test_headers_that_lie(server: Attacked) -> None:
    # at once: some are answered only when no more has come for a while
    with ExitStack() as stack:
        links = [stack.enter_context(connected(server)) for _ in FALSE_HEADERS]
        for link, lines in zip(links, FALSE_HEADERS, strict=True):
            line = "POST /api/port/files HTTP/1.1"
            sent = request(server, line, "Content-Type: application/json", *lines)
            with suppress(OSError):
                link.sendall(sent)
        for link, lines in zip(links, FALSE_HEADERS, strict=True):
            answer = rest(link)
            assert status(answer) in (0, 100, 400, 408, 413, 415, 501), lines[0][:100]
            assert b'"moves"' not in answer, lines[0][:100]


def test_many_headers_are_not_kept(server: Attacked) -> None:
    """Headers without end: cut off, not gathered."""
    begun = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n".encode()
    answer = raw(server, begun, *(b"X-%d: %s\r\n" % (i, b"y" * 1000) for i in range(20_000)))
    assert status(answer) in (0, 400)


# --- bodies

BODIES: dict[str, bytes] = {
    "deep lists": b"[" * 1_000_000,
    "deep objects": b'{"a":' * 200_000 + b"1" + b"}" * 200_000,
    "deep within": b'{"fen": %s}' % (b"[" * 50_000 + b"]" * 50_000),
    "not a number": b'{"fen": NaN}',
    "infinity": b'{"fen": -Infinity}',
    "huge exponent": b'{"fen": 1e999999999}',
    "huge number": b'{"fen": %s}' % (b"9" * 1_000_000),
    "bad UTF-8": b'{"fen": "\xff\xfe\xc3("}',
    "half a character": b'{"fen": "\\ud800"}',
    "zero bytes": b'{"fen": "\x00"}',
    "many fields": b"{%s}" % b",".join(b'"k%d": 1' % i for i in range(200_000)),
    "one field often": b'{"fen": 1%s}' % (b', "fen": 2' * 200_000),
    "long text": b'{"fen": "%s"}' % (b"W" * 3_900_000),
    "many pieces": b'{"fen": "B:W%s:B1"}' % b",".join([b"18"] * 100),
    "a list": b"[1, 2]",
    "nothing": b"",
}


def test_bodies_that_no_page_sends(server: Attacked) -> None:
    for name, body in BODIES.items():
        begun = time.monotonic()
        head = request(server, "POST /api/port/evaluate HTTP/1.1", "Content-Type: application/json",
                       f"Content-Length: {len(body)}")  # fmt: skip
        answer = raw(server, head + body)
        assert status(answer) == 400, name
        told = json.loads(answer.partition(b"\r\n\r\n")[2])
        assert list(told) == ["error"], name
        assert len(english(told["error"])) <= 600, name
        assert time.monotonic() - begun < SECONDS, name


def test_a_body_without_end_is_cut_off(server: Attacked) -> None:
    lines = ["Content-Type: application/json", "Transfer-Encoding: chunked"]
    head = request(server, "POST /api/port/files HTTP/1.1", *lines)
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    answer = raw(server, head, *[chunk] * (4 * app.MOST_BODY // 0x10000))
    assert status(answer) in (0, 413)


def test_what_trickles_is_cut_off(server: Attacked) -> None:
    """Requests, and bodies also after their answers: nobody keeps a connection by sending on. All at the same time."""
    trickles: list[tuple[bytes, bytes]] = [
        (begun, b"x" if begun else b"") for begun in (b"", b"G", b"GET / HTTP/1.1\r\nHost: ", b"\r\n")
    ]
    for path in ("/api/port/files", "/api/nothing", "/", "/static/main.js"):
        for encoding, piece in (("Content-Length: 4000000", b" "), ("Transfer-Encoding: chunked", b"1\r\n \r\n")):
            head = request(server, f"POST {path} HTTP/1.1", "Content-Type: application/json", encoding)
            trickles.append((head, piece))
    with ExitStack() as stack:
        links = {}
        for begun, piece in trickles:
            link = stack.enter_context(connected(server))
            link.sendall(begun)
            links[link] = piece
        trickle(links)


# --- many and slow


def test_a_thousand_idle_connections_keep_nobody_out(server: Attacked) -> None:
    for begun in (b"", b"GET / HTTP/1.1\r\n", b"POST /api/port/files HTTP/1.1\r\nContent-Length: 5\r\n"):
        with ExitStack() as stack:
            for _ in range(1000):
                stack.enter_context(connected(server)).sendall(begun)
            assert server.works(), begun


def test_a_thousand_connections_that_ask_keep_nobody_out(server: Attacked) -> None:
    """They stay open after their answers."""
    asked = f"GET /static/main.js HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    with ExitStack() as stack:
        for _ in range(1000):
            stack.enter_context(connected(server)).sendall(asked)
        assert server.works()


def test_answers_that_nobody_takes(server: Attacked) -> None:
    """Requests one after the other whose answers are never read: the connections are given up."""
    asked = f"GET /static/board.js HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode() * 500
    before = server.links
    with ExitStack() as stack:
        for _ in range(3):
            link = stack.enter_context(connected(server))
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            link.sendall(asked)
        until = time.monotonic() + SECONDS
        while server.links > before:
            assert time.monotonic() < until
            time.sleep(0.05)


def test_too_many_requests_are_told_to_wait() -> None:
    """Of one address; another is answered meanwhile."""
    answers: list[int] = []
    now = 0.0

    async def answered(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})

    async def hear(message: Any) -> None:
        if message["type"] == "http.response.start":
            answers.append(message["status"])

    door = guard.Guard(answered, "127.0.0.1", 80, None, lambda: now)
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"localhost")]}

    async def ask(address: str, count: int) -> list[int]:
        answers.clear()
        for _ in range(count):
            await door({**scope, "client": (address, 1)}, None, hear)  # type: ignore[arg-type]
        return list(answers)

    burst, rate = int(guard.REQUEST_BURST), int(guard.REQUEST_RATE)
    assert finished(ask("10.0.0.1", burst + 10)) == [200] * burst + [429] * 10
    assert finished(ask("10.0.0.2", 10)) == [200] * 10
    now = 1.0
    assert finished(ask("10.0.0.1", rate + 10)) == [200] * rate + [429] * 10
    # and nobody fills the memory by coming from many addresses

    async def crowd() -> None:
        for number in range(2 * guard.MOST_ADDRESSES):
            await ask(f"10.1.{number >> 8}.{number & 255}", 1)

    finished(crowd())
    assert len(door._budgets) <= guard.MOST_ADDRESSES
