"""Attacks on the WebSocket of a page, and on every request and stream of every feature, as in test_web_attack."""

from __future__ import annotations

import asyncio
import http.client
import importlib
import inspect
import json
import re
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import product
from typing import Any

import pytest
from attacked import (
    GOOD,
    MOST_GROWTH,
    PATIENCE,
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
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from kr.web import app, live

__all__ = ["open_server", "server", "survives"]
pytestmark = [pytest.mark.slow, pytest.mark.posix("no /proc, by which a server's memory is watched")]

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


def test_messages_that_no_page_sends_end_the_connection(server: Attacked) -> None:
    for name, message in MESSAGES.items():
        with server.live() as link:
            link.send(message)
            assert closed_with(link) in (1000, 1003, live.POLICY_VIOLATION, 1007), name


UNKNOWN: list[Any] = [
    "nothing", "", "__class__", "../runs", "runs\x00", "x" * 100_000, 7, [], {}, True, 1e308, "\ud800",
]  # fmt: skip


def test_unknown_things_to_do_are_refused(server: Attacked) -> None:
    with server.live() as link:
        for id, do in enumerate(UNKNOWN):
            link.send(json.dumps({"id": id, "do": do}))
            told = json.loads(link.recv(SECONDS))
            assert set(told) == {"id", "error"}, str(do)[:100]
            assert len(english(told["error"])) < 600, str(do)[:100]


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


def test_a_flood_of_messages_ends_the_connection(server: Attacked) -> None:
    for message in ('{"id": 1, "stop": true}', '{"id": 1, "do": "nothing"}', '{"id": 9, "say": {}}'):
        with server.live() as link:
            with suppress(ConnectionClosed):
                for _ in range(20 * int(live.MESSAGE_BURST)):
                    link.send(message)
            assert closed_with(link) in (live.POLICY_VIOLATION, 1006), message


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


@contextmanager
def handshaken(server: Attacked) -> Iterator[socket.socket]:
    """A raw connection that has become a WebSocket."""
    with connected(server) as link:
        upgrade = request(server, "GET /live HTTP/1.1", *UPGRADE).replace(b"Connection: close\r\n", b"")
        link.sendall(upgrade)
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += link.recv(1)
        assert status(answer) == 101
        yield link


def test_frames_that_no_browser_sends(server: Attacked) -> None:
    for name, sent in FRAMES.items():
        with handshaken(server) as link:
            link.sendall(sent)
            answer = rest(link)
            # a frame that closes, or nothing
            assert not answer or answer[0] == 0x88, name


FLOODS: dict[str, tuple[bytes, bytes]] = {
    "pings": (b"", frame(9, b"x" * 125)),
    "parts of text": (frame(1, b"{", fin=False), frame(0, fin=False)),
    "parts of bytes": (frame(2, fin=False), frame(0, fin=False)),
}


def test_a_flood_of_frames_that_is_not_read(server: Attacked) -> None:
    """Output that waits for the client, or for the end of its message, is bounded: the client is cut off."""
    for name, (first, more) in FLOODS.items():
        before = server.memory
        with handshaken(server) as link:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            link.settimeout(SECONDS)
            with pytest.raises(ConnectionError):
                link.sendall(first)
                for _ in range(64):
                    link.sendall(more * 20_000)
        assert server.memory - before < MOST_GROWTH, name


def test_a_handshake_without_an_end(server: Attacked) -> None:
    with connected(server) as link:
        link.sendall(request(server, "GET /live HTTP/1.1", *UPGRADE)[:-2])
        trickle({link: b"X: y\r\n"})


HANDSHAKES = [
    {"Sec-WebSocket-Key": "short"}, {"Sec-WebSocket-Version": "99"}, {"Sec-WebSocket-Extensions": "x" * 5000},
    {"Sec-WebSocket-Extensions": "permessage-deflate; server_max_window_bits=99"}, {"Sec-WebSocket-Protocol": "a,b,c"},
    {"Sec-WebSocket-Protocol": "\xff"}, {"X": "\xe9"},
]  # fmt: skip


def test_handshakes_that_lie(server: Attacked) -> None:
    for headers in HANDSHAKES:
        lines = [line for line in UPGRADE if line.partition(":")[0] not in headers]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        sent = request(server, "GET /live HTTP/1.1", *lines).replace(b"Connection: close\r\n", b"")
        with connected(server) as link:
            link.sendall(sent)
            assert status(link.recv(4096)) in (0, 101, 400, 403, 426, 500), headers


def test_only_one_path_is_a_websocket(server: Attacked) -> None:
    for path in ("/", "/live/", "/live%2f..", "/api/port/files", "/nothing"):
        answer = raw(server, request(server, f"GET {path} HTTP/1.1", *UPGRADE))
        assert status(answer) in (400, 403, 404), path


def test_a_page_that_is_quiet_stays(server: Attacked) -> None:
    """Patience is for requests: a page may watch for long without saying anything."""
    with server.live() as link:
        link.send('{"id": 1, "do": "runs"}')
        link.recv(SECONDS)
        with pytest.raises(TimeoutError):
            link.recv(2.5 * PATIENCE)
        link.send('{"id": 2, "do": "runs"}')
        assert json.loads(link.recv(SECONDS))["id"] == 2


@pytest.mark.smoke
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

    finished(visits())


# --- every request and stream of every feature, with values of every wrong kind

WRONG: list[Any] = [
    None, True, 0, -1, 1.5, 10**400, float("nan"), float("inf"), "", "x", "\x00", "\ud800", "../../etc/passwd",
    "/etc/passwd", "B:W18:B14", "x" * 20_000, [], [[]], ["x"] * 1000, [1] * 1000, {}, {"fen": {}}, {"nodes": [{}]},
]  # fmt: skip


MODULES = [importlib.import_module(f"kr.web.{name}") for name in app.FEATURES]
REQUESTS: dict[str, Any] = {name: handler for module in MODULES for name, handler in module.ROUTES.items()}
STREAMS: dict[str, Any] = {name: handler for module in MODULES for name, handler in module.LIVE.items()}


def asked_fields(handler: Any) -> list[str]:
    """The fields that a handler asks for, by itself and by what it uses of kr.web."""
    sources: dict[Any, str] = {}
    waiting = [handler]
    while waiting:
        each = waiting.pop()
        if each in sources:
            continue
        sources[each] = source = inspect.getsource(each)
        used = (vars(inspect.getmodule(each)).get(word) for word in set(re.findall(r"(\w+)[(.,]", source)))
        waiting += [other for other in used if inspect.isfunction(other) or inspect.isclass(other)
                    if other.__module__.startswith("kr.web.")]  # fmt: skip
    text = "".join(sources.values())
    names = set(re.findall(r"(?:request|message|each)\.\w+\(\s*\"(\w+)\"", text))
    usual = {"position": ["fen"], "board": ["start", "moves"], "data": ["data"]}
    names.update(name for method in re.findall(r"request\.(\w+)\(\)", text) for name in usual.get(method, ()))
    return sorted(names or {"fen"})


def test_the_fields_of_requests_are_known() -> None:
    assert asked_fields(REQUESTS["port/people"]) == ["group", "positions"]
    assert asked_fields(STREAMS["match"]) == [
        "a", "b", "ballot", "do", "games", "match", "resume", "seconds", "tc"
    ]  # fmt: skip


def wrong_requests(handler: Any) -> Iterator[dict[str, Any]]:
    """All fields of one wrong kind, and each field of each kind among good ones: those that the handler asks for."""
    names = asked_fields(handler)
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
                assert len(english(json.loads(body)["error"])) <= 600, shown


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
                assert told.get("error") != live.BROKEN.as_object(), json.dumps(fields)[:300]
                link.send(json.dumps({"id": number, "stop": True}))
