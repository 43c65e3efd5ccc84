"""make install: a program finds the library by pkg-config's file, and what it needs below the prefix."""

from __future__ import annotations

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
    prefix = tmp_path / "usr"
    told = subprocess.run([sys.executable, INSTALL, "--prefix", prefix], check=True, capture_output=True, text=True)
    assert told.stdout.startswith("kr: installed ")
    example, program = built() / "example.c", tmp_path / "example"
    command = [
        "cc",
        example,
        *flags(prefix, "Cflags"),
        *flags(prefix, "Libs"),
        f"-Wl,-rpath,{prefix}/lib",
        "-o",
        program,
    ]
    subprocess.run(command, check=True)
    assert b"libkr.so.0" in program.read_bytes()
    # nothing of the checkout is needed
    shutil.copy(prefix / "share" / "kr" / "kr.krt", tmp_path / "tables.krt")
    done = subprocess.run(
        [program, "tables.krt", prefix / "share" / "kr" / "egdb"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


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
