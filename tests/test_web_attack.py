"""Attacks on the server over loopback, by raw sockets and WebSockets that send what no page sends.

Each is answered shortly or cut off. After each the server answers a normal page, holds little more memory, and has
said nothing on its standard error.
"""

from __future__ import annotations

import asyncio
import http.client
import inspect
import json
import os
import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from kr.web import app, guard, live

pytestmark = pytest.mark.slow

SECONDS = 10.0
"""Within which everything is answered or cut off here: less than any patience of the server."""
MOST_GROWTH = 48 << 20
"""Bytes that an attack may leave in use."""
PATIENCE = 1.5
"""Seconds in which a request must arrive."""
RUN = f"""
import sys
from kr.cli import main
from kr.web import links
links.ARRIVAL_SECONDS = {PATIENCE}
sys.exit(main(sys.argv[1:]))
"""


@dataclass
class Attacked:
    """A server in its own process."""

    process: subprocess.Popen[str]
    port: int
    token: str | None
    errors: Path

    @property
    def memory(self) -> int:
        """Bytes in use."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    @property
    def links(self) -> int:
        """Connections that it holds."""
        held = [os.readlink(each) for each in Path(f"/proc/{self.process.pid}/fd").iterdir()]
        return sum(each.startswith("socket:") for each in held)

    def headers(self) -> dict[str, str]:
        return {"Cookie": f"{guard.COOKIE}={self.token}"} if self.token else {}

    def works(self) -> bool:
        """True if a page, a request and a stream are answered as ever."""
        try:
            with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)) as link:
                link.request("GET", "/", headers=self.headers())
                page = link.getresponse()
                if page.status != 200 or b"<nav" not in page.read():
                    return False
                json_type = {"Content-Type": "application/json"}
                link.request("POST", "/api/position", '{"fen": "B:W18:B14"}', {**json_type, **self.headers()})
                answer = link.getresponse()
                if answer.status != 200 or json.loads(answer.read())["moves"][0]["text"] != "14x23":
                    return False
            with self.live() as page_socket:
                page_socket.send('{"id": 1, "do": "runs"}')
                return bool(json.loads(page_socket.recv(SECONDS)) == {"id": 1, "runs": [], "directories": 0})
        except (OSError, TimeoutError, ConnectionClosed, InvalidStatus, ValueError):
            return False

    def live(self, **others: Any) -> ClientConnection:
        """A WebSocket as a page opens it."""
        return connect(f"ws://127.0.0.1:{self.port}/live", additional_headers=self.headers(), open_timeout=SECONDS,
                       close_timeout=1, **others)  # fmt: skip


@contextmanager
def attacked_server(directory: Path, *arguments: str) -> Iterator[Attacked]:
    errors = directory / "errors"
    command = [sys.executable, "-c", RUN, "web", "--no-browser", "--json", "--quiet", "--hash", "4MB", *arguments]
    with errors.open("w") as file, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=file, text=True) as process:
        try:
            assert process.stdout
            told = json.loads(process.stdout.readline())
            yield Attacked(process, told["port"], told["token"], errors)
        finally:
            process.terminate()
            assert process.wait(20) == 0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    with attacked_server(tmp_path_factory.mktemp("server")) as server:
        assert server.works()
        # what is loaded once and kept
        with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as link:
            link.request("POST", "/api/regions", json.dumps(GOOD), {"Content-Type": "application/json"})
            assert link.getresponse().status == 200
        yield server


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    """One that other machines can reach."""
    with attacked_server(tmp_path_factory.mktemp("open"), "--host", "0.0.0.0") as server:
        assert server.works()
        yield server


@pytest.fixture(autouse=True)
def survives(request: pytest.FixtureRequest) -> Iterator[None]:
    """After the attack all is as before."""
    names = [name for name in ("server", "open_server") if name in request.fixturenames]
    servers: list[Attacked] = [request.getfixturevalue(name) for name in names]
    before = [server.memory for server in servers]
    yield
    for server, memory in zip(servers, before, strict=True):
        # what was spent of the rate comes back
        until = time.monotonic() + 2 * SECONDS
        while not server.works():
            assert time.monotonic() < until, "a normal page gets no answer"
        assert server.process.poll() is None
        assert server.memory - memory < MOST_GROWTH
        assert server.errors.read_text() == ""


def raw(server: Attacked, *parts: bytes, seconds: float = SECONDS) -> bytes:
    """What is answered to these bytes until the connection is closed, or for so many seconds after the last byte."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as link:
        try:
            for part in parts:
                link.sendall(part)
        except OSError:
            pass
        return rest(link)


def rest(link: socket.socket) -> bytes:
    """All that comes until the end. Raises TimeoutError if there is no end."""
    answer = b""
    try:
        while more := link.recv(1 << 16):
            answer += more
    except ConnectionError:
        pass
    return answer


def status(answer: bytes) -> int:
    """Status of the first answer; 0 if there is none."""
    found = re.match(rb"HTTP/1\.1 (\d{3})", answer)
    return int(found[1]) if found else 0


def request(server: Attacked, line: str = "GET / HTTP/1.1", *headers: str, host: str | None = None) -> bytes:
    """The text of a request after which the server is to close."""
    named = f"Host: {host if host is not None else f'127.0.0.1:{server.port}'}"
    return "\r\n".join([line, named, "Connection: close", *headers, "", ""]).encode("latin-1")


UPGRADE = (
    "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)  # fmt: skip

# --- who asks


@pytest.mark.parametrize(
    "host",
    ["evil.example:{port}", "127.0.0.1.nip.io:{port}", "localtest.me:{port}", "localhost.evil.example:{port}",
     "127.0.0.1:{port}, evil.example", "evil.example#127.0.0.1:{port}", "2130706433:{port}", "0x7f.1:{port}",
     "127.1:{port}", "0:{port}", "[::ffff:127.0.0.1]:{port}", "localhost:{port}0", "\xe9vil:{port}", "a" * 5000],
)  # fmt: skip
@pytest.mark.parametrize("upgrade", [(), UPGRADE])
def test_names_that_lead_here_are_not_its_own(server: Attacked, host: str, upgrade: Sequence[str]) -> None:
    path = "/live" if upgrade else "/"
    answer = raw(server, request(server, f"GET {path} HTTP/1.1", *upgrade, host=host.format(port=server.port)))
    assert status(answer) in (400, 403, 421)
    assert b"<html" not in answer


@pytest.mark.parametrize("lines", [["Host: evil.example", "Host: {own}"], ["Host: {own}", "Host: evil.example"], []])
def test_a_request_has_one_host(server: Attacked, lines: list[str]) -> None:
    own = f"127.0.0.1:{server.port}"
    head = "".join(f"{line.format(own=own)}\r\n" for line in lines)
    assert status(raw(server, f"GET / HTTP/1.1\r\n{head}Connection: close\r\n\r\n".encode())) in (400, 421)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "", "file://", "http://127.0.0.1", "http://127.0.0.1:{port}.evil.example",
               "http://127.0.0.1:{port}/", "https://127.0.0.1:{port}", "http://user@127.0.0.1:{port}"],
)  # fmt: skip
@pytest.mark.parametrize("upgrade", [(), UPGRADE])
def test_no_other_page_drives_it(server: Attacked, origin: str, upgrade: Sequence[str]) -> None:
    line = "GET /live HTTP/1.1" if upgrade else "POST /api/position HTTP/1.1"
    header = f"Origin: {origin.format(port=server.port)}"
    answer = raw(server, request(server, line, *upgrade, header, "Content-Type: application/json", "Content-Length: 0"))
    assert status(answer) == 403


@pytest.mark.parametrize(
    "cookie",
    ["", "kr-token=", "kr-token=wrong", "kr-token", "kr-token={cut}", "kr-token={token}x", 'kr-token="{cut}"',
     "kr-token=\xff\xfe", "other={token}", "; ;=;" * 1000, "kr-token=" + "x" * 50_000],
)  # fmt: skip
@pytest.mark.parametrize("upgrade", [(), UPGRADE])
def test_nobody_gets_in_by_another_cookie(open_server: Attacked, cookie: str, upgrade: Sequence[str]) -> None:
    token = open_server.token or ""
    line = "GET /live HTTP/1.1" if upgrade else "GET / HTTP/1.1"
    sent = cookie.format(token=token, cut=token[:-1])
    answer = raw(open_server, request(open_server, line, *upgrade, f"Cookie: {sent}"))
    # a header too long for a handshake is not answered
    assert status(answer) in ((0, 400, 403) if upgrade else (401,))
    assert b"<html" not in answer


@pytest.mark.parametrize(
    "query", ["token", "token=%00", "token=%ff", "a&" * 5000, "token=x&" * 100, "=&=&", "%", "token=" + "x" * 30_000]
)
def test_nobody_gets_in_by_another_token(open_server: Attacked, query: str) -> None:
    assert status(raw(open_server, request(open_server, f"GET /?{query} HTTP/1.1"))) == 401


def test_the_token_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """By time alone, this would be a test of the machine: each comparison must be the one that is made for secrets."""
    compared = []
    monkeypatch.setattr(guard.hmac, "compare_digest", lambda a, b: compared.append((a, b)) or False)
    door = guard.Guard(None, "0.0.0.0", 80, "secret")  # type: ignore[arg-type]
    scope = {"type": "http", "path": "/", "query_string": b"token=secret"}
    refusal = door._without_token(scope, {"cookie": f"{guard.COOKIE}=secret"})
    assert refusal is not None
    assert refusal.status_code == 401
    assert compared == [(b"secret", b"secret")] * 2


# --- what is asked for

WAYS_UP = [
    "..", "%2e%2e", "%2E.", "%252e%252e", "..%00", "..;", "\xc0\xae\xc0\xae", "%c0%ae%c0%ae", "%uff0e%uff0e", "....",
]  # fmt: skip
SLASHES = ["/", "%2f", "%5c", "\\", "//", "%252f"]


@pytest.mark.parametrize("prefix", ["/static/", "/", "/api/"])
def test_no_path_leads_out(server: Attacked, prefix: str) -> None:
    for way, slash in product(WAYS_UP, SLASHES):
        for goal in ("etc/passwd", "web/app.py", "proc/self/environ"):
            path = f"{prefix}{(way + slash) * 6}{goal}".replace("/", slash, 0)
            answer = raw(server, request(server, f"GET {path} HTTP/1.1"))
            assert status(answer) in (400, 404, 405), path
            assert b"root:" not in answer
            assert b"import" not in answer


@pytest.mark.parametrize(
    "line",
    ["GET /etc/passwd HTTP/1.1", "GET file:///etc/passwd HTTP/1.1", "GET http://evil.example/ HTTP/1.1",
     "CONNECT evil.example:80 HTTP/1.1", "TRACE / HTTP/1.1", "OPTIONS * HTTP/1.1", "PUT /static/main.js HTTP/1.1",
     "DELETE / HTTP/1.1", "PROPFIND / HTTP/1.1", "GET /live HTTP/1.1", "GET /api/position HTTP/1.1", "POST / HTTP/1.1",
     "GET  HTTP/1.1", "PRI * HTTP/2.0", "\x00\x01\x02", "\x16\x03\x01\x02\x00\x01",
     "GET /" + "a" * 60_000 + " HTTP/1.1", "GET /\xff HTTP/1.1", "A" * 40_000],
)  # fmt: skip
def test_odd_requests_are_refused(server: Attacked, line: str) -> None:
    answer = raw(server, request(server, line))
    assert 400 <= status(answer) < 500
    assert len(answer) < 2000


@pytest.mark.parametrize(
    "lines",
    [["Content-Length: -1"], ["Content-Length: 5", "Content-Length: 6"], ["Content-Length: 99999999999999999999"],
     ["Transfer-Encoding: chunked", "Content-Length: 5"], ["Transfer-Encoding: gzip, chunked"],
     ["Transfer-Encoding: chunked, chunked"], ["Content-Length: 0x10"], [" folded: header"], ["no colon"],
     ["X: " + "y" * 70_000], ["\xff: x"], ["Expect: 100-continue", "Content-Length: 5000000000"]],
)  # fmt: skip
def test_headers_that_lie(server: Attacked, lines: list[str]) -> None:
    answer = raw(server, request(server, "POST /api/position HTTP/1.1", "Content-Type: application/json", *lines))
    assert status(answer) in (0, 100, 400, 408, 413, 415, 501)
    assert b'"moves"' not in answer


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


@pytest.mark.parametrize("name", BODIES)
def test_bodies_that_no_page_sends(server: Attacked, name: str) -> None:
    body = BODIES[name]
    begun = time.monotonic()
    head = request(server, "POST /api/position HTTP/1.1", "Content-Type: application/json",
                   f"Content-Length: {len(body)}")  # fmt: skip
    answer = raw(server, head + body)
    assert status(answer) == 400
    told = json.loads(answer.partition(b"\r\n\r\n")[2])
    assert list(told) == ["error"]
    assert len(told["error"]) <= 600
    assert time.monotonic() - begun < SECONDS


def test_a_body_without_end_is_cut_off(server: Attacked) -> None:
    lines = ["Content-Type: application/json", "Transfer-Encoding: chunked"]
    head = request(server, "POST /api/position HTTP/1.1", *lines)
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    answer = raw(server, head, *[chunk] * (4 * app.MOST_BODY // 0x10000))
    assert status(answer) in (0, 413)


@pytest.mark.parametrize("path", ["/api/position", "/api/nothing", "/", "/static/main.js"])
@pytest.mark.parametrize("encoding", ["Content-Length: 4000000", "Transfer-Encoding: chunked"])
def test_a_body_that_trickles_is_cut_off(server: Attacked, path: str, encoding: str) -> None:
    """Also after its answer: nobody keeps a connection by sending on."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS) as link:
        link.sendall(request(server, f"POST {path} HTTP/1.1", "Content-Type: application/json", encoding))
        trickle(link, b"1\r\n \r\n" if "chunked" in encoding else b" ")


def trickle(link: socket.socket, piece: bytes) -> None:
    """Send a piece now and then until the connection is closed."""
    link.settimeout(0.05)
    until = time.monotonic() + SECONDS
    while True:
        assert time.monotonic() < until, "the connection is still open"
        try:
            link.sendall(piece)
            if not link.recv(1 << 16):
                return
        except TimeoutError:
            continue
        except OSError:
            return


# --- many and slow


@pytest.mark.parametrize("begun", [b"", b"G", b"GET / HTTP/1.1\r\nHost: ", b"\r\n"])
def test_a_request_that_trickles_is_cut_off(server: Attacked, begun: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS) as link:
        link.sendall(begun)
        trickle(link, b"x" if begun else b"")


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\n", b"POST /api/position HTTP/1.1\r\nContent-Length: 5\r\n"])
def test_a_thousand_idle_connections_keep_nobody_out(server: Attacked, begun: bytes) -> None:
    with ExitStack() as stack:
        for _ in range(1000):
            link = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS))
            link.sendall(begun)
        assert server.works()


def test_a_thousand_connections_that_ask_keep_nobody_out(server: Attacked) -> None:
    """They stay open after their answers."""
    asked = f"GET /static/main.js HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    with ExitStack() as stack:
        for _ in range(1000):
            link = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS))
            link.sendall(asked)
        assert server.works()


def test_answers_that_nobody_takes(server: Attacked) -> None:
    """Requests one after the other whose answers are never read: the connections are given up."""
    asked = f"GET /static/board.js HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode() * 500
    before = server.links
    with ExitStack() as stack:
        for _ in range(3):
            link = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS))
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            link.sendall(asked)
        until = time.monotonic() + SECONDS
        while server.links > before:
            assert time.monotonic() < until
            time.sleep(0.05)


def test_too_many_requests_are_told_to_wait() -> None:
    """Of one address; another is answered meanwhile."""
    answers: list[int] = []

    async def answered(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})

    async def hear(message: Any) -> None:
        if message["type"] == "http.response.start":
            answers.append(message["status"])

    door = guard.Guard(answered, "127.0.0.1", 80, None)
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"localhost")]}

    async def ask(address: str, count: int) -> list[int]:
        answers.clear()
        for _ in range(count):
            await door({**scope, "client": (address, 1)}, None, hear)  # type: ignore[arg-type]
        return list(answers)

    many = asyncio.run(ask("10.0.0.1", 2 * int(guard.REQUEST_BURST)))
    assert set(many) == {200, 429}
    assert many[-1] == 429
    assert asyncio.run(ask("10.0.0.2", 10)) == [200] * 10
    # and nobody fills the memory by coming from many addresses

    async def crowd() -> None:
        for number in range(2 * guard.MOST_ADDRESSES):
            await ask(f"10.1.{number >> 8}.{number & 255}", 1)

    asyncio.run(crowd())
    assert len(door._budgets) <= guard.MOST_ADDRESSES


# --- the WebSocket


def closed_with(link: ClientConnection) -> int:
    """Code with which the server closes. Raises TimeoutError if it does not."""
    try:
        while True:
            link.recv(SECONDS)
    except ConnectionClosed as error:
        return error.rcvd.code if error.rcvd else 1006


MESSAGES: dict[str, str | bytes] = {
    "nothing": "",
    "not JSON": "{",
    "a list": "[]",
    "a number": "7",
    "NaN": "NaN",
    "no id": '{"do": "runs"}',
    "a text id": '{"id": "1", "do": "runs"}',
    "a broken id": '{"id": 1.5, "do": "runs"}',
    "true": '{"id": true, "do": "runs"}',
    "NaN as id": '{"id": NaN, "do": "runs"}',
    "a negative id": '{"id": -1, "do": "runs"}',
    "a huge id": '{"id": %s, "do": "runs"}' % ("9" * 4000),
    "a larger id": '{"id": %s, "do": "runs"}' % ("9" * 400_000),
    "deep": '{"id": 1, "do": ' + "[" * 400_000,
    "deep and whole": '{"id": ' + "[" * 400_000 + "]" * 400_000 + "}",
    "bytes": b"\x00\xff",
    "bytes of JSON": b'{"id": 1, "do": "runs"}',
    "no bytes": b"",
}


@pytest.mark.parametrize("name", MESSAGES)
def test_messages_that_no_page_sends_end_the_connection(server: Attacked, name: str) -> None:
    with server.live() as link:
        link.send(MESSAGES[name])
        assert closed_with(link) in (1000, 1003, live.POLICY_VIOLATION, 1007)


@pytest.mark.parametrize(
    "do", ["nothing", "", "__class__", "../runs", "runs\x00", "x" * 100_000, 7, [], {}, True, 1e308, "\ud800"]
)
def test_unknown_things_to_do_are_refused(server: Attacked, do: Any) -> None:
    with server.live() as link:
        link.send(json.dumps({"id": 1, "do": do}))
        told = json.loads(link.recv(SECONDS))
        assert set(told) == {"id", "error"}
        assert len(told["error"]) < 600


def test_unknown_ids_are_passed_over(server: Attacked) -> None:
    with server.live() as link:
        for text in ('{"id": 5, "stop": true}', '{"id": 6, "say": {"x": 1}}', '{"id": 7}'):
            link.send(text)
        link.send('{"id": 1, "do": "runs"}')
        assert json.loads(link.recv(SECONDS))["id"] == 1


def test_an_id_is_used_once(server: Attacked) -> None:
    with server.live() as link:
        link.send('{"id": 1, "do": "runs"}')
        link.send('{"id": 1, "do": "runs"}')
        assert closed_with(link) == live.POLICY_VIOLATION


def test_streams_are_bounded(server: Attacked) -> None:
    with server.live() as link:
        for id in range(live.MOST_STREAMS + 5):
            link.send(json.dumps({"id": id, "do": "runs"}))
        told = [json.loads(link.recv(SECONDS)) for _ in range(live.MOST_STREAMS + 5)]
        assert sum("error" in each for each in told) == 5


@pytest.mark.parametrize("message", ['{"id": 1, "stop": true}', '{"id": 1, "do": "nothing"}', '{"id": 9, "say": {}}'])
def test_a_flood_of_messages_ends_the_connection(server: Attacked, message: str) -> None:
    with server.live() as link:
        try:
            for _ in range(20 * int(live.MESSAGE_BURST)):
                link.send(message)
        except ConnectionClosed:
            pass
        assert closed_with(link) in (live.POLICY_VIOLATION, 1006)


def test_a_message_that_is_too_large(server: Attacked) -> None:
    with server.live() as link:
        try:
            link.send('{"id": 1, "do": "' + "x" * live.MOST_MESSAGE + '"}')
            assert closed_with(link) in (live.TOO_BIG, 1006)
        except ConnectionClosed:
            pass


def test_a_message_that_unpacks_to_much(server: Attacked) -> None:
    """A million bytes for each thousand sent."""
    with server.live(compression="deflate") as link:
        try:
            link.send(" " * (64 << 20))
            assert closed_with(link) in (live.TOO_BIG, 1006)
        except ConnectionClosed:
            pass


def frame(opcode: int, content: bytes = b"", fin: bool = True, masked: bool = True) -> bytes:
    """A frame as a client sends it, with a mask of zeros."""
    head = bytes([0x80 * fin | opcode])
    mask = 0x80 * masked
    if len(content) < 126:
        head += bytes([mask | len(content)])
    else:
        head += bytes([mask | 126]) + struct.pack("!H", len(content))
    return head + bytes(4 * masked) + content


FRAMES: dict[str, bytes] = {
    "no mask": frame(1, b"{}", masked=False),
    "an unknown kind": frame(3),
    "a reserved bit": b"\xf1\x80\0\0\0\0",
    "bad UTF-8": frame(1, b'{"id": 1, "do": "\xff"}'),
    "half a character": frame(1, b'{"id": 1, "do": "\xed\xa0\x80"}'),
    "a part of nothing": frame(0, b"x"),
    "text within text": frame(1, b"x", fin=False) + frame(1, b"y"),
    "a ping in parts": frame(9, b"x", fin=False),
    "a long ping": frame(9, b"x" * 126),
    "a length of 2^63": b"\x81\xff" + b"\xff" * 8 + bytes(4),
    "a length of 2^40": b"\x81\xff" + struct.pack("!Q", 1 << 40) + bytes(4),
    "a bad close": frame(8, b"\x00"),
    "a close of 999": frame(8, struct.pack("!H", 999)),
    "noise": bytes(range(256)) * 64,
}


@pytest.fixture
def handshaken(server: Attacked) -> Iterator[socket.socket]:
    """A raw connection that has become a WebSocket."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS) as link:
        upgrade = request(server, "GET /live HTTP/1.1", *UPGRADE).replace(b"Connection: close\r\n", b"")
        link.sendall(upgrade)
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += link.recv(1)
        assert status(answer) == 101
        yield link


@pytest.mark.parametrize("name", FRAMES)
def test_frames_that_no_browser_sends(handshaken: socket.socket, name: str) -> None:
    handshaken.sendall(FRAMES[name])
    answer = rest(handshaken)
    # a frame that closes, or nothing
    assert not answer or answer[0] == 0x88


@pytest.mark.parametrize(
    ("first", "more"),
    [
        (b"", frame(9, b"x" * 125)),
        (frame(1, b"{", fin=False), frame(0, fin=False)),
        (frame(2, fin=False), frame(0, fin=False)),
    ],
    ids=["pings", "parts of text", "parts of bytes"],
)
def test_a_flood_of_frames_that_is_not_read(
    server: Attacked, handshaken: socket.socket, first: bytes, more: bytes
) -> None:
    """What waits for the client, or for the end of its message, is bounded: it is cut off."""
    handshaken.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    handshaken.settimeout(SECONDS)
    before = server.memory
    with pytest.raises(ConnectionError):
        handshaken.sendall(first)
        for _ in range(64):
            handshaken.sendall(more * 20_000)
    assert server.memory - before < MOST_GROWTH


def test_a_handshake_without_an_end(server: Attacked) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS) as link:
        link.sendall(request(server, "GET /live HTTP/1.1", *UPGRADE)[:-2])
        trickle(link, b"X: y\r\n")


@pytest.mark.parametrize(
    "headers",
    [{"Sec-WebSocket-Key": "short"}, {"Sec-WebSocket-Version": "99"}, {"Sec-WebSocket-Extensions": "x" * 5000},
     {"Sec-WebSocket-Extensions": "permessage-deflate; server_max_window_bits=99"}, {"Sec-WebSocket-Protocol": "a,b,c"},
     {"Sec-WebSocket-Protocol": "\xff"}, {"X": "\xe9"}],
)  # fmt: skip
def test_handshakes_that_lie(server: Attacked, headers: dict[str, str]) -> None:
    lines = [line for line in UPGRADE if line.partition(":")[0] not in headers]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    sent = request(server, "GET /live HTTP/1.1", *lines).replace(b"Connection: close\r\n", b"")
    with socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS) as link:
        link.sendall(sent)
        answer = link.recv(4096)
        assert status(answer) in (0, 101, 400, 403, 426, 500)


@pytest.mark.parametrize("path", ["/", "/live/", "/live%2f..", "/api/position", "/nothing"])
def test_only_one_path_is_a_websocket(server: Attacked, path: str) -> None:
    answer = raw(server, request(server, f"GET {path} HTTP/1.1", *UPGRADE))
    assert status(answer) in (400, 403, 404)


def test_a_page_that_is_quiet_stays(server: Attacked) -> None:
    """Patience is for requests: a page may watch for long without saying anything."""
    with server.live() as link:
        link.send('{"id": 1, "do": "runs"}')
        link.recv(SECONDS)
        with pytest.raises(TimeoutError):
            link.recv(2.5 * PATIENCE)
        link.send('{"id": 2, "do": "runs"}')
        assert json.loads(link.recv(SECONDS))["id"] == 2


def test_many_pages_that_come_and_go(server: Attacked) -> None:
    """Streams end with their pages, however these leave."""

    async def visit(number: int) -> None:
        from websockets.asyncio.client import connect as connected

        link = await connected(f"ws://127.0.0.1:{server.port}/live", open_timeout=SECONDS)
        await link.send('{"id": 1, "do": "runs"}')
        if number % 2:
            await link.recv()
            await link.close()
        else:
            link.transport.abort()

    async def visits() -> None:
        for first in range(0, 300, 50):
            await asyncio.gather(*(visit(number) for number in range(first, first + 50)))

    asyncio.run(visits())


# --- every request and stream of every feature, with values of every wrong kind

WRONG: list[Any] = [
    None, True, 0, -1, 1.5, 10**30, float("nan"), float("inf"), "", "x", "\x00", "\ud800", "../../etc/passwd",
    "/etc/passwd", "B:W18:B14", "x" * 20_000, [], [[]], ["x"] * 1000, [1] * 1000, {}, {"fen": {}}, {"nodes": [{}]},
]  # fmt: skip
GOOD: dict[str, Any] = {"fen": "W:W21,22,23:B1,2,3", "start": "W:W21,22,23:B1,2,3", "name": "x", "lines": 1}


REQUESTS: dict[str, Any] = {name: handler for feature in app.FEATURES for name, handler in feature.ROUTES.items()}
STREAMS: dict[str, Any] = {name: handler for feature in app.FEATURES for name, handler in feature.LIVE.items()}


def wrong_requests(handler: Any) -> Iterator[dict[str, Any]]:
    """All fields of one wrong kind, and each field of each kind among good ones: those that the module asks for."""
    source = Path(inspect.getfile(handler)).read_text()
    names = sorted(set(re.findall(r"asked\.\w+\(\s*\"(\w+)\"", source)) | {"fen"})
    for value in WRONG:
        yield dict.fromkeys(names, value)
    for name, value in product(names, WRONG):
        yield {**GOOD, name: value}


@pytest.mark.parametrize("path", REQUESTS)
def test_no_request_breaks_a_feature(server: Attacked, path: str) -> None:
    """A short error or an answer, never an error in kr."""
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as link:
        for fields in wrong_requests(REQUESTS[path]):
            for _ in range(50):
                link.request("POST", f"/api/{path}", json.dumps(fields), {"Content-Type": "application/json"})
                answer = link.getresponse()
                body = answer.read()
                if answer.status != 429:
                    break
                time.sleep(0.1)
            shown = json.dumps(fields)[:300]
            assert answer.status in (200, 400), (shown, body[:300])
            if answer.status == 400:
                assert len(json.loads(body)["error"]) <= 600, shown


@pytest.mark.parametrize("do", STREAMS)
def test_no_message_breaks_a_stream(server: Attacked, do: str) -> None:
    """Each stream tells something or ends: a page never waits for one that has broken."""
    every = list(wrong_requests(STREAMS[do]))
    for first in range(0, len(every), 40):
        with server.live() as link:
            for number, fields in enumerate(every[first : first + 40]):
                asked = {name: value for name, value in fields.items() if name not in ("do", "id")}
                link.send(json.dumps({**asked, "id": number, "do": do}))
                link.send(json.dumps({"id": number, "say": fields.get("say", fields)}))
                while (told := json.loads(link.recv(30)))["id"] != number:
                    continue
                assert told.get("error") != live.BROKEN, json.dumps(fields)[:300]
                link.send(json.dumps({"id": number, "stop": True}))
