"""Every command of README and of the guides runs, one after the other in an empty folder, as a reader types them."""

from __future__ import annotations

import glob
import io
import re
import shlex
import subprocess
import threading
from pathlib import Path

import pytest
from guides import ELSEWHERE, LESS, LONG, OTHERS, PAGES, SHELL, STANDS_FOR, commands, short
from tables import TINY

from kr.cli import main

pytestmark = [
    pytest.mark.skipif(not PAGES[-1].is_file(), reason="the checkout is not here"),
    pytest.mark.posix("a shell"),
]
WITH_LONG = {page for page in PAGES if any(re.match(LONG, command) for command in commands(page))}
SESSIONS = [
    *(
        pytest.param(page, LONG, marks=[pytest.mark.slow, pytest.mark.costly], id=page.stem)
        for page in PAGES
        if page.stem == "README" or page not in WITH_LONG
    ),
    *(
        pytest.param(page, None, marks=pytest.mark.soak, id=f"all of {page.stem}")
        for page in PAGES
        if page in WITH_LONG
    ),
]
"""A page, and the commands that are left out there."""
LEAVE = "11-15\n" + "quit\n" * 3
"""What is typed where a command asks."""


def run(command: str, number: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Run a command line of kr here; its files are found, and it does its work."""
    line, _, target = short(command, number).partition(" > ")
    words = [name for word in shlex.split(line)[1:] for name in (sorted(glob.glob(word)) if "*" in word else [word])]
    code = main(words)
    said = capsys.readouterr()
    if target:
        Path(target.strip()).write_text(said.out)
    assert code == 0, f"{command}: {code}\n{said.out[-1000:]}\n{said.err[-1000:]}"


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """`kr web` ends when its page could be opened."""
    from kr.web.serve import WebServer

    begin = WebServer.run

    def run_and_stop(self: WebServer, on_ready: object, *says: object) -> None:
        def ready() -> None:
            on_ready()  # type: ignore[operator]
            self.stop()

        # in a thread of its own: this one may have the loop of a browser
        running = threading.Thread(target=begin, args=(self, ready, *says))
        running.start()
        running.join()

    monkeypatch.setattr(WebServer, "run", run_and_stop)


@pytest.mark.usefixtures("stopped")
@pytest.mark.parametrize(("page", "left_out"), SESSIONS)
def test_commands_run(
    page: Path,
    left_out: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    Path("tiny.toml").write_text(TINY.toml())
    for number, command in enumerate(commands(page)):
        program = command.split()[0]
        if program in SHELL:
            subprocess.run(command, shell=True, check=True, capture_output=True)
        elif program not in ELSEWHERE and not re.search(OTHERS, command) and not re.match(left_out or "$", command):
            assert program == "kr", command
            monkeypatch.setattr("sys.stdin", io.StringIO(LEAVE))
            run(command, number, capsys)


def test_what_makes_commands_short_is_needed() -> None:
    everything = [command for page in PAGES for command in commands(page)]
    assert len(everything) > 100
    assert [name for name in STANDS_FOR if not any(name in command for command in everything)] == []
    assert [each for each in (*LESS, LONG[3:]) if not any(re.match(f"kr ({each})", line) for line in everything)] == []
