"""Where `make windows` keeps its things, the compiler that it uses, and the environment of Windows programs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parent
ROOT = SOURCES.parents[1]
BUILD = ROOT / "build" / "windows"
DOWNLOADS = BUILD / "downloads"
CROSS = BUILD / "cross"
"""What a compiler for Windows needs of Python: headers, import library, settings."""
PYTHON = BUILD / "python"
"""The Windows Python, with python.exe in it."""
PREFIX = BUILD / "prefix"
"""What wine shows as drive C."""

MINOR = f"{sys.version_info.major}.{sys.version_info.minor}"
TAG = MINOR.replace(".", "")


def wine_environment() -> dict[str, str]:
    """The environment of a Windows program: this one, without what concerns the Python that runs this."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV", "WINE"))}
    # without a display wine starts no desktop
    kept.pop("DISPLAY", None)
    return kept | {"WINEPREFIX": str(PREFIX), "WINEDEBUG": "-all"}


def make_drive() -> None:
    """Make what wine shows as drive C. Once it came to an end before it had a system there, and never mended that."""
    for _ in range(2):
        PREFIX.parent.mkdir(parents=True, exist_ok=True)
        with open(os.devnull, "r+b") as null:
            command = ["wineboot", "--init"]
            subprocess.run(command, env=wine_environment(), check=False, stdin=null, stdout=null, stderr=null)
        if (PREFIX / "drive_c" / "windows" / "system32" / "kernel32.dll").exists():
            return
        shutil.rmtree(PREFIX, ignore_errors=True)
    sys.exit("kr: wine could not be set up: WINEPREFIX=FOLDER wineboot --init says why")


def tool(name: str) -> str:
    """Path of a program of mingw-w64, empty if there is none. Debian 13 has one whose C runtime is that of Python."""
    names = (f"x86_64-w64-mingw32ucrt-{name}", f"x86_64-w64-mingw32-{name}")
    return next(filter(None, map(shutil.which, names)), "")


def compiler() -> list[str]:
    """The first words of a command that compiles for Windows, with the C runtime that Python uses there, the universal
    one: descriptors belong to it."""
    gcc = tool("gcc")
    if Path(gcc).name.startswith("x86_64-w64-mingw32ucrt"):
        return [gcc]
    specs = CROSS / "ucrt.specs"
    if not specs.exists():
        text = subprocess.run([gcc, "-dumpspecs"], check=True, capture_output=True, text=True).stdout
        specs.parent.mkdir(parents=True, exist_ok=True)
        specs.write_text(text.replace("-lmsvcrt", "-lucrt").replace("*cpp:\n", "*cpp:\n-D_UCRT "))
    return [gcc, f"-specs={specs}"]


def object_dump(path: Path) -> str:
    """What is told of a DLL: the libraries that it needs, the names that it offers."""
    return subprocess.run([tool("objdump"), "-p", str(path)], check=True, capture_output=True, text=True).stdout
