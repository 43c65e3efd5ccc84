"""make install: a program finds the library by pkg-config's file, and what it needs below the prefix."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from library import ROOT, built

INSTALL = ROOT / "packaging" / "library" / "install.py"

pytestmark = [pytest.mark.skipif(not INSTALL.is_file(), reason="the checkout is not here"), pytest.mark.posix("cc")]


def flags(prefix: Path, name: str) -> list[str]:
    """What kr.pc has for a compiler, with its variables told."""
    lines = (prefix / "lib" / "pkgconfig" / "kr.pc").read_text().splitlines()
    known = dict(line.split("=", 1) for line in lines if re.match(r"\w+=", line))
    (found,) = (line.removeprefix(f"{name}: ") for line in lines if line.startswith(f"{name}: "))
    while "${" in found:
        found = re.sub(r"\$\{(\w+)\}", lambda each: known[each[1]], found)
    return found.split()


@pytest.mark.slow
def test_a_program_is_compiled_and_runs(tmp_path: Path) -> None:
    if built() != ROOT / "build" / "library":
        pytest.skip("another build of the library is tested")
    prefix = tmp_path / ".local"
    told = subprocess.run([sys.executable, INSTALL, "--prefix", prefix], check=True, capture_output=True, text=True)
    assert told.stdout.startswith("kr: installed ")
    page = (ROOT / "docs" / "reference" / "c-library.md").read_text(encoding="utf-8")
    ((asked, commands),) = re.findall(r"^make install PREFIX=(.*)\n([^`]+)^```", page, re.MULTILINE)
    assert asked == "$HOME/.local"
    if not shutil.which("pkg-config"):
        found = " ".join(flags(prefix, "Cflags") + flags(prefix, "Libs"))
        commands = commands.replace("$(pkg-config --cflags --libs kr)", found)
    (tmp_path / "build" / "library").mkdir(parents=True)
    # of the checkout nothing else is needed
    shutil.copy(built() / "example.c", tmp_path / "build" / "library")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run(["sh", "-ec", commands], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert b"libkr.so.0" in (tmp_path / "build" / "example").read_bytes()


def test_a_package_names_its_prefix(tmp_path: Path) -> None:
    built()
    subprocess.run([sys.executable, INSTALL, "--prefix", "/opt/kr", "--destdir", tmp_path], check=True)
    assert flags(tmp_path / "opt" / "kr", "Libs") == ["-L/opt/kr/lib", "-lkr"]
    assert (tmp_path / "opt/kr/lib/libkr.so").readlink() == Path("libkr.so.0")


def test_a_place_that_is_closed_is_one_line(tmp_path: Path) -> None:
    built()
    (tmp_path / "file").touch()
    done = subprocess.run([sys.executable, INSTALL, "--prefix", tmp_path / "file"], capture_output=True, text=True)
    assert done.returncode == 1
    assert re.fullmatch(r"kr: .*file.*: Not a directory\n", done.stderr)
