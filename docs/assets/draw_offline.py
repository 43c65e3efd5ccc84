"""Draws docs/assets/page-phone.png, the page without a server on a phone without a network, after `make page`: `python
docs/assets/draw_offline.py`.

The game is that of the tutorial. Needs playwright and Debian's chromium.
"""

import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from chromium import launched  # noqa: E402

PAGE = HERE.parents[1] / "build" / "page"
PLY = 20
LOOKING_MS = 6000
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844}, "device_scale_factor": 1.25, "is_mobile": True, "has_touch": True,
    "permissions": ["clipboard-read", "clipboard-write"],
}  # fmt: skip
IS_KEPT = """async count => navigator.serviceWorker?.controller !== null &&
  (await (await caches.open("kr-files")).keys()).length === count"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and says nothing."""

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


def main() -> None:
    """Visit the page, end its server, and take the picture."""
    text = (HERE.parent / "start" / "tutorial.py").read_text(encoding="utf-8")
    game = text.partition('PDN = """\n')[2].partition('"""')[0]
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(PAGE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = launched(playwright)
        tab = browser.new_context(**PHONE).new_page()
        tab.goto(f"http://127.0.0.1:{server.server_port}/")
        count = len([*PAGE.glob("*.gz")])
        while not tab.evaluate(IS_KEPT, count):
            tab.wait_for_timeout(100)
        server.shutdown()
        server.server_close()
        tab.reload()
        tab.locator("main .board .movable").first.wait_for()
        tab.evaluate("text => navigator.clipboard.writeText(text)", game)
        tab.locator("body").press("Control+V")
        tab.locator(".move-list button.move").first.wait_for()
        tab.keyboard.press("Home")
        for _ in range(PLY):
            tab.keyboard.press("ArrowRight")
        tab.get_by_role("button", name="Analyse", exact=True).click()
        tab.wait_for_timeout(LOOKING_MS)
        tab.screenshot(path=str(HERE / "page-phone.png"))
        browser.close()


if __name__ == "__main__":
    main()
