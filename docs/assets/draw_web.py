"""Draws the pictures of `kr web`: docs/assets/web-light.png, web-dark.png and web-phone.png: `python
docs/assets/draw_web.py`.

The game is that of the tutorial, before the move that lost it. Needs playwright and Debian's chromium.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from chromium import launched  # noqa: E402

PLY = 20
LOOKING_MS = 9000
WINDOWS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}
OPEN = {"light": "Review", "dark": "People", "phone": "Moves"}
"""Panels that are open beside the moves."""
REVIEW_MS = 120_000


def main() -> None:
    """Serve the game, open it before the losing move and take pictures of it."""
    text = (HERE.parent / "start" / "tutorial.py").read_text(encoding="utf-8")
    game = text.partition('PDN = """\n')[2].partition('"""')[0]
    with TemporaryDirectory() as directory:
        pdn = Path(directory, "game.pdn")
        pdn.write_text(game)
        command = [sys.executable, "-m", "kr", "web", str(pdn), "--no-browser", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
            assert server.stdout
            address = json.loads(server.stdout.readline())["address"]
            with sync_playwright() as playwright:
                browser = launched(playwright)
                for name, window in WINDOWS.items():
                    tab = browser.new_page(device_scale_factor=1.25, **window)
                    draw(tab, address, name)
                browser.close()
            server.terminate()


def draw(tab: Any, address: str, name: str) -> None:
    """Take one picture."""
    tab.goto(address)
    # the first game of the file stands on the board
    tab.locator(".move-list button.move").first.wait_for()
    tab.get_by_role("tab", name=OPEN[name], exact=True).click()
    if OPEN[name] == "Review":
        tab.get_by_role("button", name="Review this game").click()
        tab.locator(".review .summary span").first.wait_for(timeout=REVIEW_MS)
    tab.keyboard.press("Home")
    for _ in range(PLY):
        tab.keyboard.press("ArrowRight")
    tab.get_by_role("button", name="Analyse", exact=True).click()
    tab.wait_for_timeout(LOOKING_MS)
    tab.screenshot(path=str(HERE / f"web-{name}.png"))


if __name__ == "__main__":
    main()
