"""The demo: its commands with another `kr` in the place of kr, and its sentences."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
DEMO = CHECKOUT / "selfplay" / "demo.sh"
OTHER_KR = """#!/bin/sh
case "$*" in
*--json*) echo '{"wins": 218, "draws": 59, "losses": 23, "elo": 269.4, "elo_error": 41.6}' ;;
*) echo "did: $*" ;;
esac
"""

pytestmark = [pytest.mark.skipif(not DEMO.is_file(), reason="the checkout is not here"), pytest.mark.posix("a shell")]


def demo(place: Path, out: str) -> subprocess.CompletedProcess[str]:
    (place / "kr").write_text(OTHER_KR)
    (place / "kr").chmod(0o755)
    path = f"{place}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["sh", DEMO, out], cwd=place, env=os.environ | {"PATH": path}, capture_output=True, text=True, encoding="utf-8"
    )


def test_it_ends_with_its_result(tmp_path: Path) -> None:
    done = demo(tmp_path, "there")
    assert done.returncode == 0, done.stderr
    steps = re.findall(r"^== (\d+) of (\d+): ", done.stdout, re.MULTILINE)
    assert [int(number) for number, _ in steps] == [*range(1, len(steps) + 1)]
    assert {int(count) for _, count in steps} == {len(steps)}
    last = done.stdout[done.stdout.rindex("did: ") :]
    result = r"218 won, 59 drawn and 23 lost of 300 games, \+269 ± 42 Elo\."
    assert re.search(rf"just learned, from 32,000 games, against .* started from: {result}", last)
    assert re.search(rf"shipped tables against the same: {result}", last)
    for word in ("tables", "generation", "quiet", "nodes", "Elo"):
        assert re.search(rf"^  {word} {{2,}}\w", done.stdout, re.MULTILINE), word


def test_its_counts_of_games_are_right(tmp_path: Path) -> None:
    said = demo(tmp_path, "there").stdout
    played = re.findall(r"^\$ kr selfplay .*--games (\d+) .*--out (\S+)$", said, re.MULTILINE)
    of_run = {out: int(count) for count, out in played}
    (fit,) = re.findall(r"^\$ kr fit (.*) --layout base --out there/g3\.h5", said, re.MULTILINE)
    learned_from = sum(of_run[run] for run in fit.split())
    assert f"from {learned_from:,} games" in said
    figures = tomllib.loads((CHECKOUT / "docs" / "measurements.toml").read_text(encoding="utf-8"))["figure"]
    (shipped,) = (each["numbers"]["games"] for each in figures if each["what"].startswith("The shipped tables: games"))
    assert f"from {int(shipped.replace(',', '')) / learned_from:.0f} times as many games" in said


def test_a_name_with_a_blank_is_refused(tmp_path: Path) -> None:
    done = demo(tmp_path, "two words")
    assert (done.returncode, done.stderr) == (2, "kr: the name of the directory has a blank\n")
