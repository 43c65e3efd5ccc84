"""A server in its own process to be attacked, and the means: raw sockets, and WebSockets that say anything."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

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


FEN = "W:W21,22,23:B1,2,3"
GOOD: dict[str, Any] = {
    "fen": FEN, "start": FEN, "name": "x", "lines": 1, "size": 5, "a": "random", "b": "random",
    "positions": [[8192, 131072, 0, 0]],
    "document": {"start": FEN, "nodes": [{"parent": None}, {"parent": 0, "text": "21-17"}]},
}  # fmt: skip
"""Fields of a good request."""
STATIC = json.dumps({"positions": GOOD["positions"]})
"""A request for the static score of a position, or for people's moves there."""


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

    @property
    def cookie(self) -> str:
        """Name of the cookie with the token."""
        return f"kr-token-{self.port}"

    def headers(self) -> dict[str, str]:
        return {"Cookie": f"{self.cookie}={self.token}"} if self.token else {}

    def works(self) -> bool:
        """True if a page, a request and a stream are answered as ever."""
        try:
            with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)) as link:
                link.request("GET", "/", headers=self.headers())
                page = link.getresponse()
                if page.status != 200 or b"<nav" not in page.read():
                    return False
                json_type = {"Content-Type": "application/json"}
                link.request("POST", "/api/port/evaluate", STATIC, {**json_type, **self.headers()})
                answer = link.getresponse()
                if answer.status != 200 or "score" not in json.loads(answer.read()):
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
    command = [sys.executable, "-c", RUN, "web", "--no-browser", "--json", "--quiet", "--hash", "1MB", *arguments]
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
    with attacked_server(tmp_path_factory.mktemp("server"), "--no-token") as server:
        assert server.works()
        # what is loaded once and kept
        with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as link:
            link.request("POST", "/api/port/people", STATIC, {"Content-Type": "application/json"})
            assert link.getresponse().status == 200
        with server.live() as page_socket:
            page_socket.send(json.dumps({**GOOD, "id": 1, "do": "match", "games": 2, "ballot": "B:W14:B10"}))
            page_socket.send('{"id": 1, "say": {"do": "pace", "seconds": 0}}')
            while not (told := json.loads(page_socket.recv(60))).get("end"):
                assert "error" not in told, told
        yield server


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    """One that other machines can reach."""
    with attacked_server(tmp_path_factory.mktemp("open"), "--host", "0.0.0.0") as server:
        assert server.works()
        yield server


@pytest.fixture(autouse=True)
def survives(request: pytest.FixtureRequest) -> Iterator[None]:
    """After the attacks of a test all is as before."""
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
        # what an attack began may still be ending
        while server.memory - memory >= MOST_GROWTH:
            assert time.monotonic() < until, f"{(server.memory - memory) >> 20} MiB more in use"
            time.sleep(0.1)
        assert server.errors.read_text() == ""


def connected(server: Attacked, seconds: float = SECONDS) -> socket.socket:
    """A connection that sends what it likes."""
    return socket.create_connection(("127.0.0.1", server.port), timeout=seconds)


def raw(server: Attacked, *parts: bytes, seconds: float = SECONDS) -> bytes:
    """Answer to these bytes until the connection is closed, or until `seconds` after the last byte."""
    with connected(server, seconds) as link:
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


def trickle(links: dict[socket.socket, bytes]) -> None:
    """Send a piece on each connection now and then until all are closed."""
    until = time.monotonic() + SECONDS
    for link in links:
        link.setblocking(False)
    left = dict(links)
    while left:
        assert time.monotonic() < until, f"{len(left)} connections are still open: {[*left.values()]}"
        for link, piece in [*left.items()]:
            try:
                link.send(piece)
                if not link.recv(1 << 16):
                    del left[link]
            except BlockingIOError:
                continue
            except OSError:
                del left[link]
        time.sleep(0.05)
