"""Serving the pages: the socket, the printed address, the browser, and a clean end."""

from __future__ import annotations

import errno
import logging
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kr.errors import InvalidSettingError, KrError
from kr.extras import check_packages
from kr.protocols.dxp_link import LOOPBACK
from kr.threads import join
from kr.web.settings import USUAL_PORT, WebSettings

if TYPE_CHECKING:
    import uvicorn

NEEDED = ("starlette", "uvicorn", "websockets")
PREPARE_SECONDS = 0.5
"""Time that the first page has for itself before the first engine is made."""
END_SECONDS = 3
"""Time that connections have to end in once the server stops."""


def check_web_installed() -> None:
    """Raise InvalidSettingError if a library of the server is missing."""
    check_packages("kr web needs", *NEEDED)


class WebServer:
    """A server that listens from the start. `run` serves until `stop` or Ctrl-C.

    Raises InvalidSettingError for an address that can't be listened on, and what House raises.
    """

    def __init__(self, settings: WebSettings) -> None:
        check_web_installed()
        from kr.page.files import files_to_serve
        from kr.web.app import make_app
        from kr.web.entry import Entry
        from kr.web.guard import is_loopback
        from kr.web.house import House

        if not settings.token and not is_loopback(settings.host):
            raise InvalidSettingError(
                f"--no-token would open {settings.host} to everyone; only with an address of this machine's own, such "
                f"as --host {LOOPBACK}"
            )
        self.house = house = House(settings)
        try:
            self._socket = _listening(settings.host, settings.port)
        except OSError as error:
            house.close()
            where = f"{settings.host} port {settings.port}" if settings.port else settings.host
            raise InvalidSettingError(f"can't listen on {where}: {_reason(error)}") from None
        self.port: int = self._socket.getsockname()[1]
        self.entry = Entry(self.port) if settings.token else None
        page = files_to_serve()
        self.has_old_bundle = page.has_old_bundle
        """True if scripts have been edited since they were bundled, so that browsers load them one by one."""
        self._server = _server(make_app(house, page, settings.host, self.port, self.entry))
        self._host = settings.host
        self._ready, self._ending = threading.Event(), threading.Event()

    @property
    def token(self) -> str | None:
        """The token of the server; None if it needs none."""
        return self.entry.token if self.entry else None

    @property
    def address(self) -> str:
        """Address of the page, with the token if one is needed."""
        return self._address(self.token)

    @property
    def address_to_open(self) -> str:
        """Address that a browser may be started with, for all users to see: another one each time."""
        return self._address(self.entry.make_key() if self.entry else None)

    def _address(self, first: str | None) -> str:
        host = "localhost" if self._host in ("", "0.0.0.0", "::") else self._host
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{self.port}/" + (f"{first}/" if first else "")

    def run(self, on_ready: Callable[[], None] = lambda: None, tell: Callable[[str], None] = lambda _: None) -> None:
        """Serve until `stop`, Ctrl-C or SIGTERM. on_ready: called once pages can be opened; tell: hears of faults."""
        engines = self.house.engines
        # the socket listens already: the first visitor waits until the server takes it up
        threading.Thread(target=self._begin, args=(on_ready,), daemon=True).start()
        preparing = threading.Thread(target=self._prepare)
        preparing.start()
        if engines.others:
            # it is not waited for at the end: one that hangs takes half a minute
            threading.Thread(target=engines.greet, args=(tell,), daemon=True).start()
        try:
            self._server.run(sockets=[self._socket])
        except KeyboardInterrupt:
            # uvicorn ends in good order on a signal, and then raises it again
            pass
        finally:
            self._ending.set()
            self._ready.set()
            self.house.visited.set()
            # Python may not end while a file is read
            join(preparing)

    def _begin(self, on_ready: Callable[[], None]) -> None:
        try:
            on_ready()
        finally:
            self._ready.set()

    def _prepare(self) -> None:
        """Make the first engine once a page is there."""
        self._ready.wait()
        self.house.visited.wait()
        if not self._ending.wait(PREPARE_SECONDS):
            # the first search reports a fault in it
            with suppress(KrError):
                self.house.engines.prepare()

    def stop(self) -> None:
        """End `run`, from any thread."""
        self._server.should_exit = True


def open_browser(address: str) -> bool:
    """Open an address in the user's browser; False if there is none."""
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False


def _reason(error: OSError) -> str:
    """Reason why an address can't be listened on, without Python's additions."""
    return (error.strerror or str(error)).partition(" (while attempting")[0]


def _listening(host: str, port: int) -> socket.socket:
    if port:
        listening = _bound(host, port)
    else:
        try:
            listening = _bound(host, USUAL_PORT)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            listening = _bound(host, 0)
    # of the connections too: two short events in a row would be 40 ms apart
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
    return listening


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host.strip("[]"), port), family=family, backlog=128)


def _server(app: Any) -> uvicorn.Server:
    import uvicorn

    from kr.web.links import HttpLink, LiveLink
    from kr.web.live import MOST_MESSAGE

    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    # its own configuration of logging closes the handlers that others have, and with some of them standard error
    return uvicorn.Server(uvicorn.Config(
        app, log_config=None, log_level="critical", access_log=False, http=HttpLink, ws=LiveLink,
        ws_max_size=MOST_MESSAGE, ws_ping_interval=20.0, ws_ping_timeout=20.0, lifespan="on", server_header=False,
        date_header=False, limit_concurrency=500, timeout_keep_alive=15, timeout_graceful_shutdown=END_SECONDS,
    ))  # fmt: skip
