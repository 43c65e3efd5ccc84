"""Access control and rate limits, before every request and every WebSocket.

- Host must be a name of this server: a page elsewhere whose name is made to lead here (DNS rebinding) gets nothing.
- Origin, and what browsers say of where a request comes from, must be this server: no other page may drive it.
- A token is needed, in the address or in a cookie (kr.web.entry).
- Bodies are bounded in size and time, requests in rate.
- Every response carries the policy by which the browser loads and runs nothing from elsewhere.
"""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kr.language.sentences import Told, as_json, sentence
from kr.web.entry import Entry
from kr.web.live import POLICY_VIOLATION, Budget

REQUEST_RATE, REQUEST_BURST = 400.0, 2000.0
"""Requests a second that one address may send for long, and at once: enough for twenty viewers behind one address."""
MOST_ADDRESSES = 1000
"""Addresses whose rate is remembered."""
CLOSED = """\
This is kr web, which shows its pages only to those who have its address: http://{host}/, and behind that a token.

It was printed where kr web was started. Open it once in this browser; then this page opens too, and pages that were
open go on.
"""
"""Page for visitors without the token."""
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(host: str) -> bool:
    """True if an address to listen on accepts only this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Guard:
    """The app behind its access control.

    entry: None if everyone who can connect may send requests.
    now: the clock, in seconds, by which requests are counted.
    """

    def __init__(
        self, app: ASGIApp, host: str, port: int, entry: Entry | None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._app, self._port, self._entry, self._now = app, port, entry, now
        self._loopback = is_loopback(host)
        self._names = {*LOOPBACK_NAMES, host.lower(), f"[{host.lower()}]"}
        if not self._loopback:
            self._names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
        self._budgets: dict[str, Budget] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            key = name.decode("latin-1").lower()
            # two of these would be a trick
            headers[key] = value.decode("latin-1") if key not in headers else "twice"
        segment, inside = self._parted(scope)
        answer = self._answer(inside, segment, headers)
        if answer is None:
            await self._app(inside, receive, _with_policy(send, headers["host"]))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": "refused"})
        else:
            await answer(scope, receive, _with_policy(send, ""))

    def _parted(self, scope: Scope) -> tuple[str, Scope]:
        """The first part of the path, and the request without it if that is the token."""
        # raw: an escaped character is neither part of a token nor the slash behind one
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        segment = raw[1:].decode("latin-1").partition("/")[0]
        if self._entry is None or raw[:1] != b"/" or not self._entry.takes_token(segment):
            return segment, scope
        rest = len(segment) + 1
        return segment, {**scope, "path": scope["path"][rest:] or "/", "raw_path": raw[rest:] or b"/"}

    def _answer(self, scope: Scope, segment: str, headers: Mapping[str, str]) -> Response | None:
        """Answer given here, without the app: a refusal, or a cookie for a visit by the address with the token."""
        if not self._is_own(headers.get("host", "")):
            return _refused(421, sentence("refused.other_name"))
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"http://{headers['host'].lower()}":
            return _refused(403, sentence("refused.other_page"))
        from_elsewhere = headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")
        if from_elsewhere and not _is_visit(scope, headers):
            return _refused(403, sentence("refused.other_page"))
        entry = self._entry
        by_token = entry is None or entry.takes_token(segment)
        by_cookie = entry is not None and entry.takes_cookies(headers.get("cookie", ""))
        # strangers can't spend what those with the token may ask: all users of a machine have one address here
        address = str((scope.get("client") or ("",))[0])
        if not self._budget(f"{address} {by_token or by_cookie}").take():
            return _refused(429, sentence("refused.requests"))
        if entry is None:
            return None
        opens = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        address_path = (
            opens and len(segment) == len(entry.token) and scope["path"] in ("/", f"/{segment}", f"/{segment}/")
        )
        if address_path and (by_token or by_cookie or entry.takes_key(segment)):
            return self._welcome(scope, entry)
        # browsers keep the cookie back from a visit that begins elsewhere; the page has nothing of anybody's in it
        if by_token or by_cookie or from_elsewhere:
            return None
        if address_path or (opens and scope["path"] == "/"):
            return PlainTextResponse(CLOSED.format(host=headers["host"]), 401)
        return _refused(401, sentence("refused.no_token"))

    def _welcome(self, scope: Scope, entry: Entry) -> Response:
        query = scope.get("query_string", b"").decode("latin-1")
        # without a fragment, so that browsers keep that of the address
        response = Response(status_code=303, headers={"location": "/" + (f"?{query}" if query else "")})
        response.set_cookie(entry.cookie, entry.token, httponly=True, samesite="strict")
        return response

    def _is_own(self, host: str) -> bool:
        name, colon, port = host.lower().rpartition(":")
        if not colon or not port.isdecimal() or name.endswith(":"):
            name, port = host.lower(), "80"
        if port != str(self._port):
            return False
        if name in self._names:
            return True
        if self._loopback:
            return False
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True

    def _budget(self, address: str) -> Budget:
        if address not in self._budgets and len(self._budgets) >= MOST_ADDRESSES:
            self._budgets = {other: each for other, each in self._budgets.items() if not each.is_full}
            while len(self._budgets) >= MOST_ADDRESSES:
                self._budgets.pop(next(iter(self._budgets)))
        return self._budgets.setdefault(address, Budget(REQUEST_RATE, REQUEST_BURST, self._now))


def _refused(status: int, why: Told) -> Response:
    return JSONResponse({"error": as_json(why)}, status)


def _is_visit(scope: Scope, headers: Mapping[str, str]) -> bool:
    """True if a person follows a link to the page."""
    return (
        scope["type"] == "http" and scope["method"] == "GET" and scope["path"] == "/"
        and headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    )  # fmt: skip


def _with_policy(send: Send, host: str) -> Send:
    """Add the headers that every response has, unless it has its own."""
    added = [(name.encode(), value.encode("latin-1")) for name, value in policy(host)]

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers: list[Any] = list(message.get("headers", ()))
            own = {name for name, _ in headers}
            message = {**message, "headers": [*headers, *(each for each in added if each[0] not in own)]}
        await send(message)

    return sending


def policy(host: str) -> Iterable[tuple[str, str]]:
    """Headers that let a page load and run only what this server sends."""
    sources = {
        # scripts, styles, workers and the manifest, for which some browsers know no name of its own
        "default-src": "'self'",
        "object-src": "'none'",
        "frame-src": "'none'",
        "img-src": "'self' data: blob:",
        # some browsers don't count a WebSocket as 'self'
        "connect-src": f"'self' ws://{host}" if host else "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return (
        ("content-security-policy", "; ".join(f"{name} {value}" for name, value in sources.items())),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-cache"),
    )
