"""Which Chromium shows pages to tests, measurements and drawings, and how it is started."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

NAMES = ("chromium-headless-shell", "chromium")
"""Debian's, the first one on the PATH: without windows of its own the same engine has a third less to do."""
OTHER_MACHINE = "kr.test"
"""A name of this machine that browsers don't trust as they do 127.0.0.1."""
ARGUMENTS = (
    "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", f"--host-resolver-rules=MAP {OTHER_MACHINE} 127.0.0.1",
)  # fmt: skip
START_MS = 120_000


def chromium() -> str | None:
    """The program that KR_CHROMIUM names, none if it is empty; without it the first one on the PATH."""
    chosen = os.environ.get("KR_CHROMIUM")
    if chosen is None:
        return next(filter(None, map(shutil.which, NAMES)), None)
    return (shutil.which(chosen) or chosen) if chosen else None


def launched(playwright: Playwright) -> Browser:
    """The browser."""
    return playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS, timeout=START_MS)
