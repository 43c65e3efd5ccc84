"""Who may ask, and how much: the first thing that every request and every WebSocket meets.

- Host must be a name of this server: a page elsewhere whose name is made to lead here (DNS rebinding) gets nothing.
- Origin, and what browsers say of where a request comes from, must be this server: no other page may drive it.
- On any address but this machine's own a token is needed, given once in the address and then kept in a cookie.
- Bodies are bounded in size and time, requests in rate.
- Every response carries the policy by which the browser loads and runs nothing from elsewhere.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlencode

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kr.web.live import POLICY_VIOLATION, Budget

COOKIE = "kr-token"
REQUEST_RATE, REQUEST_BURST = 400.0, 2000.0
"""Requests a second that one address may send for long, and at once: enough for twenty viewers behind one address."""
MOST_ADDRESSES = 1000
"""Addresses whose rate is remembered."""
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(host: str) -> bool:
    """True if an address to listen on lets in nobody but this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Guard:
    """The app behind its door.

    token: None where everyone who can connect may ask.
    now: the clock, in seconds, by which requests are counted.
    """

    def __init__(
        self, app: ASGIApp, host: str, port: int, token: str | None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._app, self._port, self._token, self._now = app, port, token, now
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
        refusal = self._refusal(scope, headers)
        if refusal is None:
            await self._app(scope, receive, _with_policy(send, headers["host"]))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": "refused"})
        else:
            await refusal(scope, receive, _with_policy(send, ""))

    def _refusal(self, scope: Scope, headers: Mapping[str, str]) -> Response | None:
        if not self._is_own(headers.get("host", "")):
            return _refused(421, "this server does not go by that name")
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"http://{headers['host'].lower()}":
            return _refused(403, "another page may not ask this server")
        comes_from = headers.get("sec-fetch-site", "same-origin")
        if comes_from not in ("same-origin", "none") and not _is_visit(scope, headers):
            return _refused(403, "another page may not ask this server")
        if not self._budget(str((scope.get("client") or ("",))[0])).take():
            return _refused(429, "too many requests; wait a second")
        return self._without_token(scope, headers) if self._token else None

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

    def _without_token(self, scope: Scope, headers: Mapping[str, str]) -> Response | None:
        """None if the token is in the cookie; it is put there if it is in the address."""
        assert self._token is not None
        try:
            kept = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            kept = None
        if kept is not None and _same(kept.value, self._token):
            return None
        try:
            query = parse_qs(scope.get("query_string", b"").decode("latin-1"), max_num_fields=20)
        except ValueError:
            query = {}
        given = query.pop("token", [""])[0]
        if scope["type"] == "http" and scope["path"] == "/" and _same(given, self._token):
            rest = urlencode(query, doseq=True)
            response = Response(status_code=303, headers={"location": "/" + (f"?{rest}" if rest else "")})
            response.set_cookie(COOKIE, self._token, httponly=True, samesite="strict")
            return response
        if scope["path"] != "/":
            return _refused(401, "the token is missing")
        return PlainTextResponse(
            "This is kr web. It is open to other machines, so it asks for the token in the address that it printed "
            "where it was started: http://.../?token=...\n", 401,
        )  # fmt: skip

    def _budget(self, address: str) -> Budget:
        if address not in self._budgets and len(self._budgets) >= MOST_ADDRESSES:
            self._budgets = {known: each for known, each in self._budgets.items() if not each.is_full}
            while len(self._budgets) >= MOST_ADDRESSES:
                self._budgets.pop(next(iter(self._budgets)))
        return self._budgets.setdefault(address, Budget(REQUEST_RATE, REQUEST_BURST, self._now))


def _refused(status: int, why: str) -> Response:
    return JSONResponse({"error": why}, status)


def _is_visit(scope: Scope, headers: Mapping[str, str]) -> bool:
    """True if a person follows a link to the page."""
    return (
        scope["type"] == "http" and scope["method"] == "GET" and scope["path"] == "/"
        and headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    )  # fmt: skip


def _same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(), token.encode())


def _with_policy(send: Send, host: str) -> Send:
    """Add the headers that every response has."""
    added = [(name.encode(), value.encode("latin-1")) for name, value in policy(host)]

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers: list[Any] = list(message.get("headers", ()))
            message = {**message, "headers": [*headers, *added]}
        await send(message)

    return sending


def policy(host: str) -> Iterable[tuple[str, str]]:
    """Headers that let a page load and run only what this server sends."""
    sources = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
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
