"""The browser of tests: which one it is, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from chromium import chromium
from conftest import NO_BROWSER, pytest_terminal_summary

SHELL, WHOLE = "chromium-headless-shell", "chromium"


@pytest.mark.posix("Debian's browsers")
@pytest.mark.parametrize(
    ("chosen", "there", "found"),
    [
        (None, [WHOLE, SHELL], SHELL),
        (None, [WHOLE], WHOLE),
        (None, [], None),
        ("", [WHOLE, SHELL], None),
        (WHOLE, [WHOLE, SHELL], WHOLE),
        # what is not there fails as it is started: it was asked for
        ("/nowhere/else", [WHOLE], "/nowhere/else"),
    ],
)
def test_the_browser_is_the_one_chosen_or_the_first_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen: str | None, there: list[str], found: str | None
) -> None:
    for name in there:
        (tmp_path / name).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("KR_CHROMIUM", raising=False)
    if chosen is not None:
        monkeypatch.setenv("KR_CHROMIUM", chosen)
    assert chromium() == (found and str(tmp_path / found))


@pytest.mark.parametrize(
    ("why", "lines"),
    [([], []), (["no node"], []), ([NO_BROWSER, "no node", NO_BROWSER], [f"2 tests were left out: {NO_BROWSER}"])],
)
def test_what_was_left_out_for_want_of_a_browser_is_said(why: list[str], lines: list[str]) -> None:
    said: list[str] = []
    skipped = [SimpleNamespace(longrepr=("test.py", 1, f"Skipped: {each}")) for each in why]
    reporter = SimpleNamespace(stats={"skipped": skipped}, write_line=lambda line, **look: said.append(line))
    pytest_terminal_summary(reporter)  # type: ignore[arg-type]
    assert said == lines
