"""A journey through both forms of the page in Chromium, Firefox and WebKit (make browsers)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers import BROWSERS, Browser
from sites import FORMS, site

pytestmark = [pytest.mark.soak, pytest.mark.posix("Debian's browsers")]
SECONDS = 120.0
LISTEN = """
const told = document.documentElement.dataset;
const tell = text => (told.faults = `${told.faults ?? ""}${text}; `);
addEventListener("error", event => tell(event.message));
addEventListener("unhandledrejection", event => tell(String(event.reason)));
"""
MOVABLE = "return document.querySelectorAll('main .board .movable').length > 0"
PLAYED = "return /11-15/.test(document.querySelector('main .moves')?.textContent ?? '')"
LINES = "return /depth \\\\d+ · [\\\\d.]+/.test(document.querySelector('.analysis')?.textContent ?? '')".replace(
    "\\\\", "\\"
)
SQUARE = """
const {{left, top, width}} = document.querySelector("main .board").getBoundingClientRect();
return [left + (width / 366) * (3 + 45 * ({column} + 0.5)), top + (width / 366) * (3 + 45 * ({row} + 0.5))];
"""
ANALYSE = """
const buttons = [...document.querySelectorAll(".analysis button")];
const button = buttons.find(each => each.textContent.trim() === "Analyse");
const {left, top, width, height} = button.getBoundingClientRect();
return [left + width / 2, top + height / 2];
"""


@pytest.fixture(params=BROWSERS)
def window(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """A window of each browser that is here."""
    opened, is_missing, package = BROWSERS[request.param]
    if is_missing():
        assert request.param not in os.environ.get("KR_BROWSERS", "").split(), f"no {request.param}"
        pytest.skip(f"no {request.param}: apt install {package}")
    with opened(*([request.getfixturevalue("browser")] if request.param == "chromium" else [])) as window:
        yield window


def until(browser: Browser, script: str) -> None:
    """Wait until a script returns something true."""
    end = time.monotonic() + SECONDS
    while not browser.run(script):
        assert time.monotonic() < end, browser.run("return document.body.innerText")
        time.sleep(0.1)


@pytest.mark.parametrize("form", FORMS)
def test_a_move_and_an_analysis(form: str, window: Browser, tmp_path: Path) -> None:
    with site(form, weights="manual") as address:
        window.open(address)
        window.run(LISTEN)
        until(window, MOVABLE)
        for column, row in ((5, 2), (4, 3)):
            window.click(*window.run(SQUARE.format(column=column, row=row)))
        until(window, PLAYED)
        window.click(*window.run(ANALYSE))
        until(window, LINES)
        (tmp_path / "window.png").write_bytes(window.picture())
        assert window.run("return document.documentElement.dataset.faults ?? ''") == ""
        # the browser keeps the game
        window.open("about:blank")
        window.open(address)
        until(window, PLAYED)
