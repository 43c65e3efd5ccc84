"""The folder for Windows that needs no Python: unpacked, started from elsewhere, moved, and left as it was."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from systems import interrupt, start
from test_bench import SIGNATURES

CHECKOUT = Path(__file__).parents[1]
ZIPS = sorted((CHECKOUT / "dist").glob("kr-draughts-*-windows.zip"))

Run = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(os.name != "nt", reason="a program for Windows: make windows runs these tests under wine"),
    pytest.mark.skipif(not ZIPS, reason="no folder has been packed: make windows does that"),
]


def state(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of each file."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns) for path in paths}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The unpacked folder, in which nothing may be written. Its path has spaces and accents."""
    place = tmp_path_factory.mktemp("désk") / "with spaces & ñ"
    with zipfile.ZipFile(ZIPS[-1]) as archive:
        archive.extractall(place)
    (found,) = place.iterdir()
    before = state(found)
    yield found
    assert state(found) == before


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment with nothing of this Python but what would mislead the one in the folder."""
    kept = ("SYSTEMROOT", "SYSTEMDRIVE", "PATH", "PATHEXT", "COMSPEC", "TEMP", "TMP", "USERPROFILE", "WINDIR")
    misleading = {"PYTHONHOME": str(tmp_path / "nowhere"), "PYTHONPATH": str(CHECKOUT), "PYTHONSTARTUP": "none.py"}
    own = {name: value for name, value in os.environ.items() if name.upper() in kept}
    return own | misleading | {"LOCALAPPDATA": str(tmp_path / "user")}


@pytest.fixture
def kr(folder: Path, environment: dict[str, str], tmp_path: Path) -> Run:
    """Runs kr.exe elsewhere than in its folder."""

    def run(*words: str, said: str = "", program: Path = folder / "kr.exe") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(program), *words], cwd=tmp_path, env=environment, input=said, capture_output=True, encoding="utf-8",
            timeout=120,
        )  # fmt: skip

    return run


def test_it_is_this_version(kr: Run, folder: Path) -> None:
    done = kr("--version")
    assert (done.returncode, done.stderr) == (0, "")
    version = done.stdout.removeprefix("kr ").rstrip()
    assert folder.name == f"kr-draughts-{version}"
    readme = (folder / "README.txt").read_bytes()
    assert readme.startswith(f"kr {version} for Windows\r\n====".encode())
    assert b"\n" not in readme.replace(b"\r\n", b"")
    assert b"\nnumpy " in (folder / "LICENSES.txt").read_bytes()


def test_its_search_is_that_of_every_system(kr: Run) -> None:
    done = kr("bench", "--depth", "7", "--rounds", "1")
    assert f"signature {SIGNATURES['shipped', '']} nodes" in done.stdout


def test_errors_and_arguments_arrive(kr: Run, tmp_path: Path) -> None:
    done = kr("bensch")
    assert (done.returncode, done.stderr) == (2, "kr: No such command 'bensch'; did you mean bench? (see kr --help)\n")
    name = "Øystein's first & only game.pdn"
    (tmp_path / name).write_text("1. 11-15 23-19 *\n")
    done = kr("pdn", "check", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{name}: 1 game")


def test_weights_are_read_in_a_process_of_their_own(kr: Run, folder: Path, tmp_path: Path) -> None:
    shutil.copy(next(folder.rglob("kr.h5")), tmp_path / "copy.h5")
    done = kr("weights", "show", "copy.h5")
    assert (done.returncode, done.stderr) == (0, "")


def test_hub_plays_a_move(kr: Run) -> None:
    lines = ["hub", "init", "pos pos=Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww", "level depth=3", "go think", "quit", ""]
    done = kr("hub", said="\n".join(lines))
    assert re.search(r"^done move=\d+-\d+", done.stdout, re.MULTILINE), done.stdout + done.stderr
    assert done.returncode == 0


def test_the_page_is_served_until_ctrl_c(folder: Path, environment: dict[str, str], tmp_path: Path) -> None:
    with start(
        [str(folder / "kr.exe"), "web", "--no-browser", "--json", "--quiet"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=environment,
        encoding="utf-8",
    ) as process:  # fmt: skip
        try:
            address = json.loads(process.stdout.readline())["address"]
            cookies = urllib.request.HTTPCookieProcessor()
            browser = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies)
            assert b"<title>kr" in browser.open(address, timeout=60).read()
            interrupt(process)
            assert process.communicate(timeout=30) == ("", "ended\n")
        finally:
            process.kill()
    assert process.returncode == 0


def test_it_can_be_moved_and_started_in_place(kr: Run, folder: Path) -> None:
    moved = folder.parents[1] / "moved"
    shutil.move(folder, moved)
    try:
        assert kr("--version", program=moved / "kr.exe").returncode == 0
        done = subprocess.run("kr.exe --version", cwd=moved, capture_output=True, shell=True, text=True)
        assert done.stdout.startswith("kr ")
    finally:
        shutil.move(moved, folder)


def test_alone_it_says_what_is_missing(kr: Run, folder: Path, tmp_path: Path) -> None:
    """As if it was started inside of the zip file, from which Windows unpacks it alone."""
    alone = Path(shutil.copy(folder / "kr.exe", tmp_path))
    done = kr("--version", program=alone)
    assert done.returncode == 1
    assert "Unpack the whole zip file" in done.stderr
