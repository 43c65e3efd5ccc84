"""Draws docs/assets/annotated.png, the page of an annotated game: `python docs/assets/draw_page.py`.

The game is that of the tutorial, at the move that lost it. Needs playwright and Debian's chromium.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from chromium import launched  # noqa: E402

PLY = 21


def main() -> None:
    """Annotate the game, open its page at the losing move and take a picture of it."""
    text = (HERE.parent / "start" / "tutorial.py").read_text(encoding="utf-8")
    game = text.partition('PDN = """\n')[2].partition('"""')[0]
    with TemporaryDirectory() as directory:
        pdn, pages = Path(directory, "game.pdn"), Path(directory, "pages")
        pdn.write_text(game)
        command = [sys.executable, "-m", "kr", "annotate", str(pdn), "--html", str(pages), "--quiet"]
        subprocess.run(command, check=True, capture_output=True)
        (page,) = pages.glob("0*.html")
        with sync_playwright() as playwright:
            browser = launched(playwright)
            tab = browser.new_page(
                viewport={"width": 1120, "height": 720}, device_scale_factor=1.5, reduced_motion="reduce"
            )
            tab.goto(f"{page.as_uri()}#p{PLY}")
            # the bar fills
            tab.wait_for_timeout(500)
            tab.screenshot(path=str(HERE / "annotated.png"))
            browser.close()


if __name__ == "__main__":
    main()
