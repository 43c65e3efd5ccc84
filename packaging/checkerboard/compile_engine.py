"""Builds kr for CheckerBoard: python packaging/checkerboard/compile_engine.py

Makes dist/kr-checkerboard-VERSION.zip with the engine for the 64-bit and, where its compiler is there, the 32-bit
CheckerBoard, tables, opening book, the endgame database of the checkout and a help file; and
build/checkerboard/host.exe, which plays games through the same interface (host.c).
"""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parent
ROOT = SOURCES.parents[1]
BUILD = ROOT / "build" / "checkerboard"
LIBRARY = ROOT / "packaging" / "library" / "compile_library.py"
COMPILERS = {64: ("windows", "x86_64-w64-mingw32-gcc"), 32: ("windows32", "i686-w64-mingw32-gcc")}
FLAGS = ("-std=gnu11", "-O2", "-s", "-Wall", "-Wextra", "-Werror", "-static-libgcc")
ALLOWED = {"kernel32.dll", "msvcrt.dll"}
"""What every Windows has."""


def run(command: list[str | Path]) -> str:
    """Run a program, and return what it said; that is shown if it fails."""
    process = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if process.returncode:
        sys.stderr.write(process.stdout)
        sys.exit(f"kr: {Path(command[0]).name} failed")
    return process.stdout


def needed(dll: Path, compiler: str) -> set[str]:
    """DLLs that a DLL needs."""
    headers = run([compiler.replace("gcc", "objdump"), "-p", dll])
    return {line.split()[-1].lower() for line in headers.splitlines() if "DLL Name:" in line}


def compile_engine(bits: int) -> Path:
    """Compile the DLL for CheckerBoard of 64 or 32 bits."""
    system, compiler = COMPILERS[bits]
    run([sys.executable, LIBRARY, "--system", system])
    library, target = ROOT / "build" / f"library-{system}", BUILD / f"kr{bits}.dll"
    # the names without the decorations of 32-bit calls, as CheckerBoard looks for them
    link: list[str | Path] = ["-shared", "-Wl,--kill-at", f"-I{library}", f"-I{LIBRARY.parent}"]
    link += [SOURCES / "checkerboard.c", library / "libkr.a"]
    run([compiler, *FLAGS, *link, "-o", target])
    if strange := needed(target, compiler) - ALLOWED:
        sys.exit(f"kr: {target.name} needs {', '.join(sorted(strange))}")
    return target


def compile_host(bits: int) -> Path:
    """Compile the program that loads DLLs of 64 or 32 bits for kr."""
    compiler, target = COMPILERS[bits][1], BUILD / f"kr-host{bits}.exe"
    run([compiler, *FLAGS, SOURCES / "engine_host.c", "-o", target])
    if strange := needed(target, compiler) - ALLOWED:
        sys.exit(f"kr: {target.name} needs {', '.join(sorted(strange))}")
    return target


def main() -> None:
    if not shutil.which(COMPILERS[64][1]):
        sys.exit(f"kr: {COMPILERS[64][1]} was not found; try apt install gcc-mingw-w64-x86-64")
    BUILD.mkdir(parents=True, exist_ok=True)
    made = [compile_engine(bits) for bits, (_, compiler) in COMPILERS.items() if shutil.which(compiler)]
    if len(made) < len(COMPILERS):
        print("kr: no engine for 32 bits: apt install gcc-mingw-w64-i686")
    library = ROOT / "build" / "library-windows"
    run([COMPILERS[64][1], *FLAGS, f"-I{library}", SOURCES / "host.c", library / "libkr.a", "-o", BUILD / "host.exe"])
    made += [compile_host(bits) for bits, (_, compiler) in COMPILERS.items() if shutil.which(compiler)]
    shutil.copy(library / "kr.krt", BUILD)
    shutil.copy(SOURCES / "kr.htm", BUILD)
    shutil.copy(ROOT / "books" / "kr.krb", BUILD)
    shutil.copytree(ROOT / "egdb", BUILD / "kr-egdb", dirs_exist_ok=True)
    version = (library / "version").read_text()
    archive = ROOT / "dist" / f"kr-checkerboard-{version}.zip"
    archive.parent.mkdir(exist_ok=True)
    files = [*made, BUILD / "kr.krt", BUILD / "kr.krb", BUILD / "kr.htm", *sorted((BUILD / "kr-egdb").glob("*.egdb"))]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as content:
        for file in files:
            content.write(file, file.relative_to(BUILD))
        content.write(ROOT / "LICENSE", "kr-license.txt")
    print(f"kr: wrote {archive.relative_to(ROOT)}, {archive.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
