"""Makes a Windows Python for wine, with the libraries that kr and its tests use, in build/windows/python.

No installer is needed: the wheel of panda3d for Windows carries python3xx.dll and the compiled part of the standard
library; the rest of it, of the same minor version, is that of the Python that runs this.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

from layout import BUILD, DOWNLOADS, MINOR, PREFIX, PYTHON, ROOT, TAG, compiler

LEFT_OUT = ["__pycache__", "config-*", "ensurepip", "idlelib", "lib-dynload", "lib2to3", "site-packages", "test", "tkinter",
            "turtledemo"]
EXTRAS = ["web", "train", "evolve"]
TESTS = ["pytest", "pytest-xdist", "hypothesis", "pydraughts"]
# wine 8, of Debian 12, lacks functions of the C runtime that later ones call
CONSTRAINTS = ["numpy<2.1", "h5py<3.12"]


def download(package: str) -> Path:
    """A package's wheel for Windows."""
    words = ["--no-deps", "--only-binary=:all:", "--platform=win_amd64", f"--python-version={MINOR}"]
    found = sorted(DOWNLOADS.glob(f"{package}-*-cp{TAG}-win_amd64.whl"))
    if not found:
        command = [sys.executable, "-m", "pip", "download", "-q", *words, "-d", str(DOWNLOADS), package]
        if subprocess.run(command).returncode:
            sys.exit(f"kr: pip could not download {package}")
        found = sorted(DOWNLOADS.glob(f"{package}-*-cp{TAG}-win_amd64.whl"))
    return found[-1]


def make_python() -> None:
    """The interpreter and the standard library."""
    shutil.copytree(
        sysconfig.get_path("stdlib"), PYTHON / "Lib", ignore=shutil.ignore_patterns(*LEFT_OUT), dirs_exist_ok=True
    )
    extensions = PYTHON / "DLLs"
    extensions.mkdir(exist_ok=True)
    with zipfile.ZipFile(download("panda3d")) as wheel:
        for name in wheel.namelist():
            folder, _, file = name.rpartition("/")
            if folder != "deploy_libs" or file.startswith("api-ms-") or not file.endswith((".dll", ".pyd")):
                continue
            beside = file.lower().startswith(("python", "vcruntime"))
            (PYTHON if beside else extensions).joinpath(file).write_bytes(wheel.read(name))
    launcher = Path(__file__).with_name("launcher.c")
    command = [*compiler(), "-O2", "-municode", "-s", str(launcher), f"-L{PYTHON}", f"-lpython{TAG}"]
    subprocess.run([*command, "-o", str(PYTHON / "python.exe")], check=True)


def install_libraries() -> None:
    """What kr and its tests need. uv knows what a package needs on another system than this one."""
    constraints = BUILD / "constraints.txt"
    constraints.write_text("\n".join(CONSTRAINTS) + "\n")
    command = [str(Path(sys.executable).with_name("uv")), "pip", "install", "-q", "--python-platform=x86_64-pc-windows-msvc",
               f"--python-version={MINOR}", "--only-binary=:all:", f"--target={PYTHON / 'Lib' / 'site-packages'}",
               f"--constraints={constraints}", "-r", "pyproject.toml", *(f"--extra={name}" for name in EXTRAS), *TESTS]
    if index := os.environ.get("PIP_INDEX_URL"):
        command += ["--index-url", index]
    if subprocess.run(command, cwd=ROOT, env=os.environ | {"UV_NATIVE_TLS": "1", "UV_SYSTEM_CERTS": "1"}).returncode:
        sys.exit("kr: the libraries for Windows could not be installed")


def make_prefix() -> None:
    """What wine shows as drive C."""
    environment = os.environ | {"WINEPREFIX": str(PREFIX), "WINEDEBUG": "-all", "DISPLAY": ""}
    subprocess.run(["wineboot", "--init"], env=environment, check=True, stdin=subprocess.DEVNULL, capture_output=True)


def main() -> None:
    BUILD.mkdir(parents=True, exist_ok=True)
    make_python()
    install_libraries()
    make_prefix()


if __name__ == "__main__":
    main()
