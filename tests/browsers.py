"""Other browsers than the tests' own, with nothing between but their protocols.

Firefox speaks Marionette, WebKit (Debian's webkit2gtk-driver) the WebDriver of the W3C: the same commands, one by
messages over a socket, one by HTTP. Chromium is there as the tests of pages have it.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

from chromium import chromium
from web_pages import free_port

T = TypeVar("T")
START_SECONDS = 120.0
SCREEN = {"width": 1280, "height": 800}
MINI_BROWSERS = "/usr/lib/*/webkit2gtk-4.1/MiniBrowser"


class Browser(Protocol):
    """A window of a browser."""

    def open(self, address: str) -> None:
        """Go to an address, and wait until it is loaded."""

    def run(self, script: str) -> Any:
        """What the body of a function of JavaScript returns in the page."""

    def click(self, x: float, y: float) -> None:
        """Press and release at a point of the window."""

    def picture(self) -> bytes:
        """The window as PNG."""


class Chromium:
    """By Playwright."""

    def __init__(self, page: Any) -> None:
        self._page = page

    def open(self, address: str) -> None:
        self._page.goto(address)

    def run(self, script: str) -> Any:
        return self._page.evaluate(f"() => {{{script}}}")

    def click(self, x: float, y: float) -> None:
        self._page.mouse.click(x, y)

    def picture(self) -> bytes:
        shown: bytes = self._page.screenshot()
        return shown


class Remote:
    """By the commands that Marionette and WebDriver share. ask: sends one, by its name and its path, and its answer."""

    def __init__(self, ask: Callable[[str, str, dict[str, Any]], Any]) -> None:
        self._ask = ask

    def open(self, address: str) -> None:
        self._ask("Navigate", "url", {"url": address})

    def run(self, script: str) -> Any:
        return self._ask("ExecuteScript", "execute/sync", {"script": script, "args": []})

    def click(self, x: float, y: float) -> None:
        steps = [
            {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0, "origin": "viewport"},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}
        self._ask("PerformActions", "actions", {"actions": [mouse]})

    def picture(self) -> bytes:
        return base64.b64decode(self._ask("TakeScreenshot", "screenshot", {}))


def patiently(attempt: Callable[[], T]) -> T:
    """The result of what works once another process is ready."""
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            return attempt()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


@contextmanager
def running(command: list[str], **environment: str) -> Iterator[None]:
    """A process that ends with this block, with all that it has started."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | environment,
        start_new_session=True,
    )
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, 15)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()


@contextmanager
def in_chromium(browser: Any) -> Iterator[Browser]:
    """A window of a Chromium of Playwright, which a process can start only once."""
    with closing(browser.new_page(viewport=SCREEN)) as page:
        yield Chromium(page)


@contextmanager
def in_firefox() -> Iterator[Browser]:
    """A window of Firefox."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="kr-firefox-", ignore_cleanup_errors=True) as profile:
        settings = {
            "marionette.port": port,
            # nothing is asked of the net
            "browser.aboutwelcome.enabled": False,
            "datareporting.policy.dataSubmissionEnabled": False,
            "network.captive-portal-service.enabled": False,
            "network.connectivity-service.enabled": False,
            "app.update.enabled": False,
            "intl.accept_languages": "en",
        }
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in settings.items())
        Path(profile, "user.js").write_text("".join(lines), encoding="utf-8")
        size = f"--width={SCREEN['width']}", f"--height={SCREEN['height']}"
        command = ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", profile, *size]
        with running(command, HOME=profile):
            line = patiently(lambda: socket.create_connection(("127.0.0.1", port)))
            with line, line.makefile("rb") as answers:

                def answer() -> Any:
                    count = b""
                    while not count.endswith(b":"):
                        count += answers.read(1)
                    return json.loads(answers.read(int(count[:-1])))

                def ask(name: str, _: str, given: dict[str, Any]) -> Any:
                    message = json.dumps([0, 1, f"WebDriver:{name}", given]).encode()
                    line.sendall(f"{len(message)}:".encode() + message)
                    _, _, error, result = answer()
                    assert error is None, f"{name}: {error}"
                    return result["value"] if result and "value" in result else result

                assert answer()["marionetteProtocol"] == 3
                ask("NewSession", "", {"capabilities": {"alwaysMatch": {}}})
                yield Remote(ask)


@contextmanager
def in_webkit() -> Iterator[Browser]:
    """A window of WebKit, on a screen that nobody sees."""
    port = free_port()
    (mini,) = Path("/").glob(MINI_BROWSERS.removeprefix("/"))
    with tempfile.TemporaryDirectory(prefix="kr-webkit-", ignore_cleanup_errors=True) as home:
        screen = ["xvfb-run", "-a", "-s", f"-screen 0 {SCREEN['width']}x{SCREEN['height'] + 100}x24"]
        # root has no sandbox of its own to put pages into
        alone = {"HOME": home, "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "LIBGL_ALWAYS_SOFTWARE": "1"}
        with running([*screen, "WebKitWebDriver", f"--port={port}"], LANG="C.UTF-8", **alone):
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            place = f"http://127.0.0.1:{port}/session"

            def send(path: str, given: dict[str, Any], method: str = "POST") -> Any:
                content = json.dumps(given).encode() if method == "POST" else None
                request = urllib.request.Request(
                    place + path, content, {"content-type": "application/json"}, method=method
                )
                with opener.open(request, timeout=START_SECONDS) as reply:
                    return json.load(reply)["value"]

            options = {"binary": str(mini), "args": ["--automation"]}
            begun = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
            session = patiently(lambda: send("", begun))["sessionId"]

            def ask(_: str, path: str, given: dict[str, Any]) -> Any:
                return send(f"/{session}/{path}", given, "POST" if given else "GET")

            send(f"/{session}/window/rect", {"x": 0, "y": 0, "width": SCREEN["width"], "height": SCREEN["height"]})
            try:
                yield Remote(ask)
            finally:
                with suppress(OSError):
                    send(f"/{session}", {}, "DELETE")


def no_webkit() -> bool:
    """True without the programs that WebKit needs here."""
    return not (shutil.which("WebKitWebDriver") and shutil.which("xvfb-run"))


BROWSERS: dict[str, tuple[Callable[..., AbstractContextManager[Browser]], Callable[[], bool], str]] = {
    "chromium": (in_chromium, lambda: chromium() is None, "chromium"),
    "firefox": (in_firefox, lambda: shutil.which("firefox-esr") is None, "firefox-esr"),
    "webkit": (in_webkit, no_webkit, "webkit2gtk-driver xvfb xauth"),
}
"""How each is opened, whether it is missing, and what Debian calls it."""
