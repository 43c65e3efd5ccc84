"""Tries kr on 64-bit Arm, on a machine of another kind: python packaging/arm.py [--quick] [ARGUMENTS OF PYTEST]

An arm64 Python of the distribution runs under qemu, with the libraries' own wheels for arm64. It builds the wheel of kr
by itself: the cross compiler that it calls runs at full speed. The wheel is checked as those of a release are, and has
to give the results of this machine; then the tests marked `core`, but for slow ones, have to pass, unless others are
named. --quick leaves out the tests.

Everything is kept in build/arm, and what is there is not made again. build/arm/venv/bin/python is the Arm Python, with
kr in it, for whatever else is to be tried.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "arm"
SYSROOT = BUILD / "sysroot"
"""Where the distribution's packages are unpacked."""
VENV = BUILD / "venv"
PYTHON = VENV / "bin" / "python"
UV = (sys.executable, "-m", "uv", "pip", "install", "-q", "--python", str(PYTHON), "--only-binary", ":all:")
PACKAGES = ("python3", "libpython3-dev", "libstdc++6", "libgomp1")
"""What Python and the libraries' wheels need, with what that needs."""
EXTRAS = ("evolve", "plots", "web")
TESTING = ("pytest", "pytest-xdist", "pytest-timeout", "hypothesis", "scikit-learn", "setuptools")
"""What the build and tests of compiled code need; not all that other tests need has wheels for arm64."""
EMULATORS = ("qemu-aarch64-static", "qemu-aarch64")
COMPILER = "aarch64-linux-gnu-gcc"
"""The compiler by which the arm64 Python was built, and so the one that it asks for."""


def emulator() -> str:
    """Path of qemu."""
    return next(filter(None, map(shutil.which, EMULATORS)), "")


def missing_package() -> str:
    """The package to install next, "" if nothing is missing."""
    if not emulator():
        return "qemu-user-static"
    if not shutil.which(COMPILER):
        return "gcc-aarch64-linux-gnu"
    probe = subprocess.run([COMPILER, "-E", "-x", "c", "-"], input=b"#include <stdlib.h>", capture_output=True)
    return "libc6-dev-arm64-cross" if probe.returncode else ""


def run(command: Sequence[str | Path], failed: str, quiet: bool = False, **variables: str) -> None:
    """Run a command in the checkout. failed: message if it fails. quiet: its output is shown only then."""
    process = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | variables,
        stdout=subprocess.PIPE if quiet else None,
        stderr=subprocess.STDOUT if quiet else None,
    )
    if process.returncode:
        sys.stdout.buffer.write(process.stdout or b"")
        sys.exit(f"kr: {failed}")


def base_python() -> Path:
    """The Python of the distribution, such as .../python3.11."""
    return (SYSROOT / "usr" / "bin" / "python3").resolve()


def unpack_system() -> None:
    """Download arm64 packages of this distribution, and unpack them without installing anything."""
    if SYSROOT.exists():
        return
    print("kr: downloading an arm64 Python ...", flush=True)
    state, archives = BUILD / "apt", BUILD / "apt" / "archives"
    for folder in (state / "lists" / "partial", archives / "partial"):
        folder.mkdir(parents=True, exist_ok=True)
    # a system of its own, on which nothing is installed yet
    (state / "status").touch()
    options = (
        *("APT::Architecture=arm64", "APT::Architectures::=arm64", "APT::Install-Recommends=0", "APT::Sandbox::User="),
        *(f"Dir::State={state}", f"Dir::State::status={state / 'status'}", f"Dir::Cache={state}"),
        *("Debug::NoLocking=1", "Acquire::Languages=none"),
    )
    command = ["apt-get", "-qq", *(word for option in options for word in ("-o", option))]
    failed = "no arm64 packages from the sources of apt; Debian's archive has them beside those of other machines"
    run([*command, "update"], failed)
    run([*command, "install", "--download-only", "-y", *PACKAGES], failed)
    part = SYSROOT.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    for package in sorted(archives.glob("*.deb")):
        run(["dpkg-deb", "-x", package, part], f"can't unpack {package.name}")
    part.rename(SYSROOT)


def make_environment() -> None:
    """A virtual environment whose Python is a script that starts qemu, with the libraries of kr and its tests."""
    stamp = VENV / "installed"
    if stamp.exists() and stamp.stat().st_mtime > (ROOT / "pyproject.toml").stat().st_mtime:
        return
    print("kr: installing the libraries for arm64 ...", flush=True)
    python = base_python()
    (VENV / "lib" / python.name / "site-packages").mkdir(parents=True, exist_ok=True)
    PYTHON.parent.mkdir(exist_ok=True)
    (VENV / "pyvenv.cfg").write_text(f"home = {python.parent}\ninclude-system-site-packages = false\n")
    # named as the program, the script is what Python takes for itself: sys.executable
    PYTHON.write_text(f'#!/bin/sh\nexec {emulator()} -0 "$0" -L "{SYSROOT}" "{python}" "$@"\n')
    PYTHON.chmod(0o755)
    index = ["--index-url", os.environ["PIP_INDEX_URL"]] if "PIP_INDEX_URL" in os.environ else []
    requirements = ["-r", "pyproject.toml", *(f"--extra={extra}" for extra in EXTRAS), *TESTING]
    run([*UV, *index, *requirements], "can't install the libraries for arm64", UV_NATIVE_TLS="1", UV_SYSTEM_CERTS="1")
    stamp.touch()


def install() -> None:
    """Let the Arm Python build the wheel, for all machines of its kind, and install it."""
    print("kr: compiling for arm64 ...", flush=True)
    lib, wheels = BUILD / "lib", BUILD / "dist"
    # a module that was taken out of the checkout is no part of the wheel
    for file in lib.rglob("*"):
        if file.is_file() and file.suffix != ".so":
            file.unlink()
    headers = SYSROOT / "usr" / "include"
    flags = f"-I{headers / base_python().name} -idirafter {headers}"
    build = ["build", f"--build-lib={lib}", f"--build-temp={BUILD / 'objects'}"]
    pack = ["bdist_wheel", f"--bdist-dir={BUILD / 'wheel'}", f"--dist-dir={wheels}"]
    run([PYTHON, "setup.py", "-q", *build, *pack], "the build for arm64 failed", quiet=True, CFLAGS=flags)
    wheel = max(wheels.glob("*.whl"), key=lambda path: path.stat().st_mtime)
    run([*UV, "--no-deps", "--reinstall", wheel], "can't install the wheel for arm64")


def compare() -> None:
    """End unless results here and there are the same."""
    here, there = BUILD / "results-here.txt", BUILD / "results-arm64.txt"
    script = ROOT / "packaging" / "results.py"
    run([sys.executable, "-P", script, here], "no results of this machine")
    print("kr: the same on arm64 ...", flush=True)
    run([PYTHON, "-P", script, there], "no results on arm64")
    pairs = zip(here.read_text().splitlines(), there.read_text().splitlines(), strict=True)
    if different := [pair for pair in pairs if len(set(pair)) > 1]:
        sys.exit("\n".join(f"kr: {ours} here, but {theirs} on arm64" for ours, theirs in different))


def test(chosen: Sequence[str]) -> None:
    """Run tests on arm64: those chosen, or the quick ones of compiled code."""
    if not chosen:
        files = [path for path in sorted(ROOT.glob("tests/test_*.py")) if "mark.core" in path.read_text()]
        chosen = ["-m", "core and not slow and not soak", *(str(path.relative_to(ROOT)) for path in files)]
    jobs = str(len(os.sched_getaffinity(0)))
    options = ["-q", "-p", "no:cacheprovider", "-n", jobs, "--dist", "worksteal", "--timeout=600"]
    run([PYTHON, "-P", "-m", "pytest", *options, *chosen], "tests failed on arm64")


def main() -> None:
    quick, chosen = "--quick" in sys.argv, [word for word in sys.argv[1:] if word != "--quick"]
    if package := missing_package():
        sys.exit(f"kr: trying kr on arm64 needs {package}: apt install {package}")
    unpack_system()
    make_environment()
    install()
    run([PYTHON, "-P", ROOT / "packaging" / "check.py"], "the wheel for arm64 fails its check")
    compare()
    if chosen or not quick:
        test(chosen)


if __name__ == "__main__":
    main()
