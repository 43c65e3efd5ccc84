"""kr in a window of its own, as a double-click on Windows opens it: the page, errors that stay until read."""

import http.client
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from systems import POSIX, interrupt, start

from kr import cli, system

DOUBLE_CLICKED = "from kr import system; system.has_own_window = lambda: True\nfrom kr.__main__ import main\n"
END = "raise SystemExit(main())"
PRESS = "press Enter to close this window\n"


@contextmanager
def window(*words: str, before: str = "") -> Iterator[subprocess.Popen[str]]:
    """A kr that takes its terminal for a window of its own."""
    command = [sys.executable, "-c", DOUBLE_CLICKED + before + END, *words]
    with start(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        try:
            yield process
        finally:
            process.kill()


NO_BROWSER = (
    "from kr.web import serve; serve.open_browser = lambda address: print('opened', address, flush=True) or True\n"
)


@pytest.mark.slow
def test_a_double_click_opens_the_page(tmp_path: Path) -> None:
    """With files that were dropped on the program as well."""
    game = tmp_path / "game.pdn"
    game.write_text('[Event "Dropped"]\n[Result "*"]\n\n1. 11-15 *\n')
    with window(str(game), before=NO_BROWSER) as process:
        port, home = re.fullmatch(r"kr is at http://127\.0\.0\.1:(\d+)(/[\w-]+/)\n", process.stdout.readline()).groups()
        assert process.stdout.readline().startswith(f"opened http://127.0.0.1:{port}/")
        link = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
        link.request("POST", f"{home}api/port/files", "{}", {"content-type": "application/json"})
        assert b"game.pdn" in link.getresponse().read()
        interrupt(process)
        errors = process.communicate(timeout=60)[1]
    assert process.returncode == 0
    assert re.fullmatch(
        r"kr [\d.\w]+: English draughts in your browser; starting \.\.\.\nleave this window open: closing it ends kr\n"
        r"ended\n", errors,
    )  # fmt: skip


FAULT = "from kr.web import serve\ndef fail(settings): raise RuntimeError('a fault of kr')\nserve.WebServer = fail\n"
MISSING = "import kr.extras; kr.extras.find_spec = lambda name: None\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "words", "error", "status"),
    [
        ("", ["web", "--port", "TAKEN"], "kr: can't listen on 127.0.0.1 port", 2),
        ("", ["bensch"], "kr: No such command 'bensch'; did you mean bench?", 2),
        (MISSING, [], "kr: kr web needs starlette", 2),
        (FAULT, [], "RuntimeError: a fault of kr", 1),
    ],
)
def test_an_error_can_be_read(before: str, words: list[str], error: str, status: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with window(*(port if word == "TAKEN" else word for word in words), before=before) as process:
            lines = []
            while not lines or lines[-1] != PRESS:
                lines.append(process.stderr.readline())
                assert lines[-1], "it has ended"
            assert any(line.startswith(error) for line in lines)
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(timeout=0.2)
            process.communicate("\n", timeout=20)
    assert process.returncode == status


def test_what_went_well_closes_its_window() -> None:
    with window("--version") as process:
        said, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    assert said.startswith("kr ")


ASKED = "import sys; from kr import system; open(sys.argv[1], 'w').write(str(system.has_own_window()))"


@pytest.mark.skipif(POSIX, reason="at Windows only: a console is made for a process")
@pytest.mark.parametrize(("shell", "own"), [([], "True"), (["cmd", "/c"], "False")])
def test_a_window_is_its_own_unless_a_shell_has_it(shell: list[str], own: str, tmp_path: Path) -> None:
    answer = tmp_path / "answer"
    with start([*shell, sys.executable, "-c", ASKED, str(answer)]) as process:
        process.wait(timeout=60)
    assert answer.read_text() == own


def test_elsewhere_kr_alone_is_its_help(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["kr"])
    assert not system.has_own_window()
    assert cli.main() == 0
    assert "Usage: kr [OPTIONS] COMMAND" in capsys.readouterr().out
