"""Access to the server: by the token of this run, in the address or, from then on, in a cookie.

Every user of a machine can reach what listens on it, so that loopback asks for the token too. The address begins with
it, http://127.0.0.1:8128/TOKEN/: a browser that opens it gets the cookie and is sent to /, programs put what they ask
for behind it.

A token is for one run and written nowhere. If it stayed for the next run, another program that listens at the same
port in between would get it: pages that wait for their server send it the cookie. So an open page continues once the
new address has been opened in its browser, which `kr web` does when it starts.

A browser is started with a key in the address in place of the token, since other users see the command lines of
processes. It works once, within a short time.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable

KEY_SECONDS = 120.0
"""Time in which a key must be used: a browser may have to start first."""


class Entry:
    """The token of a server that listens at a port. now: the clock, in seconds, by which keys end."""

    def __init__(self, port: int, now: Callable[[], float] = time.monotonic) -> None:
        self.token = secrets.token_urlsafe(24)
        self.cookie = f"kr-token-{port}"
        """Name of the cookie: browsers send those of all ports of a host."""
        self._now = now
        self._keys: dict[str, float] = {}

    def make_key(self) -> str:
        """A key, which works once."""
        key = secrets.token_urlsafe(24)
        self._keys[key] = self._now() + KEY_SECONDS
        return key

    def takes_key(self, text: str) -> bool:
        """True if this is an unused key; it is used up."""
        matches = [key for key in list(self._keys) if _same(text, key)]
        return any(self._keys.pop(key, 0.0) >= self._now() for key in matches)

    def takes_token(self, text: str) -> bool:
        """True if this is the token."""
        return _same(text, self.token)

    def takes_cookies(self, header: str) -> bool:
        """True if the token is among the cookies of a request."""
        pairs = (each.strip().partition("=") for each in header.split(";"))
        return any(self.takes_token(value) for name, _, value in pairs if name == self.cookie)


def _same(text: str, secret: str) -> bool:
    return hmac.compare_digest(text.encode("utf-8", "surrogatepass"), secret.encode())
