"""Makes a Windows Python for wine, with the libraries that kr and its tests use, in build/windows/python.

No installer is needed: the wheel of panda3d for Windows carries python3xx.dll and the compiled part of the standard
library. Its other part is that of the Python that runs this, of the same minor version. With --check nothing is made:
one line says what is missing for it, if anything is.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

from layout import (
    BUILD,
    DOWNLOADS,
    MINOR,
    PREFIX,
    PYTHON,
    ROOT,
    SOURCES,
    TAG,
    compiler,
    make_drive,
    object_dump,
    tool,
)

LEFT_OUT = [
    "config-*",
    "ensurepip",
    "idlelib",
    "lib-dynload",
    "lib2to3",
    "site-packages",
    "test",
    "tkinter",
    "turtledemo",
]
"""Parts of the standard library that aren't copied."""
EXTRAS = ["plots", "web", "nets", "evolve", "cluster", "parquet"]
TESTS = ["pytest", "pytest-xdist", "pytest-timeout", "hypothesis", "scikit-learn", "pydraughts", "tomlkit"]
FOR_WINE_8 = SOURCES / "wine-8.txt"
"""Versions of libraries that run there; it is that of Debian 12."""


def wine_version() -> int:
    """The number before the point."""
    version = subprocess.run(["wine", "--version"], check=True, capture_output=True, text=True).stdout
    return int(version.removeprefix("wine-").partition(".")[0])


def check_tools() -> None:
    """End with one line about what is missing, if anything is."""
    packages = ["wine"] * any(not shutil.which(name) for name in ("wine", "wineboot", "wineserver"))
    packages += ["gcc-mingw-w64-x86-64"] * (not tool("gcc"))
    if packages:
        sys.exit(f"kr: no wine or compiler for Windows: apt install {' '.join(packages)}")
    if wine_version() <= 8 and sys.version_info >= (3, 13):
        sys.exit("kr: wine 8 runs no numpy for Python 3.13 or newer: make windows PYTHON=python3.12, or a newer wine")


def downloaded(package: str) -> Path:
    """A package's wheel for Windows."""
    pattern = f"{package}-*-cp{TAG}-win_amd64.whl"
    if not any(DOWNLOADS.glob(pattern)):
        words = ["--no-deps", "--only-binary=:all:", "--platform=win_amd64", f"--python-version={MINOR}"]
        command = [sys.executable, "-m", "pip", "download", "-q", *words, "-d", str(DOWNLOADS), package]
        if subprocess.run(command).returncode:
            sys.exit(f"kr: pip could not download {package}")
    return max(DOWNLOADS.glob(pattern))


def compiled(target: str, *words: str) -> None:
    """Compile a program or a DLL into the Windows Python."""
    subprocess.run([*compiler(), "-O2", "-s", *words, "-o", str(PYTHON / target)], check=True)


def make_python() -> None:
    """The interpreter and the standard library."""
    ignore = shutil.ignore_patterns(*LEFT_OUT)
    shutil.copytree(sysconfig.get_path("stdlib"), PYTHON / "Lib", ignore=ignore, dirs_exist_ok=True)
    extensions = PYTHON / "DLLs"
    extensions.mkdir(exist_ok=True)
    with zipfile.ZipFile(downloaded("panda3d")) as wheel:
        for name in wheel.namelist():
            folder, _, file = name.rpartition("/")
            # wine has the C runtime; wine 8 crashes on questions about the machine (_wmi), which Python does without
            skipped = file.startswith(("api-ms-", "_wmi"))
            if folder == "deploy_libs" and file.endswith((".dll", ".pyd")) and not skipped:
                beside = file.lower().startswith(("python", "vcruntime"))
                (PYTHON if beside else extensions).joinpath(file).write_bytes(wheel.read(name))
    shutil.copy(SOURCES / "sitecustomize.py", PYTHON / "Lib")
    compiled("python.exe", "-municode", str(SOURCES / "launcher.c"), f"-L{PYTHON}", f"-lpython{TAG}")


def make_stable_library() -> None:
    """python3.dll, which modules with the limited API are linked to: each name stands for that of the whole library."""
    listing = object_dump(PYTHON / f"python{TAG}.dll")
    names = sorted(set(re.findall(r"^\t\[ *\d+\].* (_?Py\w+)$", listing, re.MULTILINE)))
    definition = BUILD / "python3.def"
    lines = [f"{name} = python{TAG}.{name}" for name in names]
    definition.write_text("\n".join(['LIBRARY "python3.dll"', "EXPORTS", *lines]) + "\n")
    compiled("python3.dll", "-shared", "-nostdlib", "-Wl,--entry=0", str(definition))


def install_libraries() -> None:
    """What kr and its tests need; uv knows what packages need on another system than this one."""
    command = [str(Path(sys.executable).with_name("uv")), "pip", "install", "-q", "--only-binary=:all:"]
    command += ["--python-platform=x86_64-pc-windows-msvc", f"--python-version={MINOR}"]
    command += [f"--target={PYTHON / 'Lib' / 'site-packages'}"]
    command += [f"--constraints={FOR_WINE_8}"] if wine_version() <= 8 else []
    if index := os.environ.get("PIP_INDEX_URL"):
        command += ["--index-url", index]
    command += ["-r", "pyproject.toml", *(f"--extra={name}" for name in EXTRAS), *TESTS]
    # certificates are those that the system trusts; later versions of uv know the other name of that
    trust = {"UV_NATIVE_TLS": "1", "UV_SYSTEM_CERTS": "1"}
    if subprocess.run(command, cwd=ROOT, env=os.environ | trust).returncode:
        sys.exit("kr: the libraries for Windows could not be installed")


def make_prefix() -> None:
    """What wine shows as drive C, with a library that it lacks."""
    make_drive()
    if not (PREFIX / "drive_c" / "windows" / "system32" / "bcryptprimitives.dll").exists():
        compiled("bcryptprimitives.dll", "-shared", str(SOURCES / "bcryptprimitives.c"), "-ladvapi32")


def main() -> None:
    check_tools()
    if sys.argv[1:] == ["--check"]:
        return
    # what an earlier version of this, or of Python, has left
    shutil.rmtree(PYTHON, ignore_errors=True)
    for folder in (BUILD, DOWNLOADS, PYTHON):
        folder.mkdir(parents=True, exist_ok=True)
    make_python()
    make_stable_library()
    install_libraries()
    make_prefix()


if __name__ == "__main__":
    main()
