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


def compiler() -> list[str]:
    """The first words of a command that compiles for Windows, with the C runtime that Python uses there, the universal
    one: descriptors belong to it."""
    if path := shutil.which("x86_64-w64-mingw32ucrt-gcc"):
        return [path]
    if path := shutil.which("x86_64-w64-mingw32-gcc"):
        specs = CROSS / "ucrt.specs"
        if not specs.exists():
            text = subprocess.run([path, "-dumpspecs"], check=True, capture_output=True, text=True).stdout
            specs.parent.mkdir(parents=True, exist_ok=True)
            specs.write_text(text.replace("-lmsvcrt", "-lucrt").replace("*cpp:\n", "*cpp:\n-D_UCRT "))
        return [path, f"-specs={specs}"]
    sys.exit("kr: no compiler for Windows: apt install gcc-mingw-w64-x86-64")
