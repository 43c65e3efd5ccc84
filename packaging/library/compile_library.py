"""Builds kr as a C library: python packaging/library/compile_library.py [--system SYSTEM] [--arch ARCH]

SYSTEM is linux (if not given), windows or windows32, by mingw-w64, or wasm, by zig, which uv downloads. Into
build/library, or build/library-SYSTEM for another, go

    libkr.so, libkr.a (kr.dll, libkr.dll.a)    the engine, which needs the C library alone; libkr.so is a
                                               link to libkr.so.0, the name that programs look for
    kr.wasm                                    the same as WebAssembly, which needs a clock and a listener
    kr.h                                       its interface
    kr.krt                                     the tables of kr, compact
    people.krp                                 the moves that people play, compact
    example.c                                  a first program
    krb.h, kr.krb                              a reader of opening books, and the shipped one
    version                                    the version of kr

ARCH is as KR_ARCH in setup.py: portable if not given. What is up to date is not made again. Of two builds at once the
second waits; files are replaced as a whole, so that programs that use them go on with the old ones.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from kr.engine.bench import POSITIONS, BenchSettings, load_positions
from kr.errors import OutputBusyError
from kr.storage import lock, write_atomic

SOURCES = Path(__file__).resolve().parent
ROOT = SOURCES.parents[1]
HEADER = ROOT / "kr" / "_engine" / "kr.h"
BENCH = (ROOT / "kr" / "engine" / "bench.py", ROOT / "kr" / "engine" / POSITIONS)
CODE = ROOT / "build" / "library-c"
"""Where the C code goes, whatever the system; locked during a build."""
WAIT = 0.2
"""Seconds between looks at the lock of another build."""
COMPILERS = {"linux": "cc", "windows": "x86_64-w64-mingw32-gcc", "windows32": "i686-w64-mingw32-gcc"}
PACKAGES = {"linux": "gcc", "windows": "gcc-mingw-w64-x86-64", "windows32": "gcc-mingw-w64-i686"}
PORTABLE = {"linux": "x86-64-v2", "windows": "x86-64-v2", "windows32": "pentium4"}
WASM = "wasm"
ZIG = (sys.executable, "-m", "uv", "tool", "run", "-q", "--from", "ziglang", "python-zig", "cc")
SONAME = "libkr.so.0"
"""The name that programs linked with the library look for: a change of kr.h that breaks them counts its number up."""
STACK = 4 << 20
"""Bytes of the stack of WebAssembly."""
DIRECTIVES = ("boundscheck=False", "wraparound=False", "cdivision=True", "initializedcheck=False")
# as setup.py has them for the units; what Cython makes has unused functions
FLAGS = (
    *("-O3", "-DNDEBUG", "-ffp-contract=off", "-fvisibility=hidden", "-DPy_LIMITED_API=0x030B0000"),
    *("-Wall", "-Werror", "-Wno-unused-function", "-Wno-unused-variable", "-Wno-maybe-uninitialized"),
)


def run(command: list[str | Path]) -> None:
    """Run a program; what it says is shown if it fails."""
    environment = os.environ | {"UV_NATIVE_TLS": "1", "UV_SYSTEM_CERTS": "1"}
    if index := os.environ.get("PIP_INDEX_URL"):
        environment.setdefault("UV_DEFAULT_INDEX", index)
    # which Python's own settings for another system would disturb
    environment.pop("_PYTHON_HOST_PLATFORM", None)
    process = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if process.returncode:
        sys.stderr.buffer.write(process.stdout)
        sys.exit(f"kr: {Path(command[0]).name} failed")


def sources() -> list[Path]:
    """All that the library is made of."""
    kr = ROOT / "kr"
    units = [*kr.glob("_*.p[xy][xdi]"), *kr.glob("_*/**/*.pxi"), *kr.glob("_*/**/*.h")]
    return [*units, *BENCH, *(path for path in SOURCES.iterdir() if path.is_file())]


@contextmanager
def alone() -> Iterator[None]:
    """Wait until no other process builds, and keep others from it for this block."""
    CODE.mkdir(parents=True, exist_ok=True)
    has_waited = False
    with ExitStack() as held:
        while True:
            try:
                held.enter_context(lock(CODE))
                break
            except OutputBusyError:
                if not has_waited:
                    print("kr: another build is at work; waiting for it", file=sys.stderr, flush=True)
                has_waited = True
                time.sleep(WAIT)
        yield


def is_fresh(target: Path, made_of: list[Path]) -> bool:
    """True if a file is newer than all that it is made of."""
    return target.exists() and target.stat().st_mtime > max(path.stat().st_mtime for path in made_of)


def translate() -> Path:
    """The C code of the engine, by Cython."""
    target = CODE / "_engine.c"
    if not is_fresh(target, sources()):
        write_atomic(CODE / "kr_bench.h", bench_header())
        part = target.with_suffix(".part.c")
        options = [word for directive in DIRECTIVES for word in ("-X", directive)]
        run([sys.executable, "-m", "cython", "-3", *options, "-o", part, ROOT / "kr" / "_engine.pyx"])
        part.replace(target)
    return target


def bench_header() -> str:
    """What kr_signature searches, as C."""
    settings, positions = BenchSettings(), load_positions(BENCH[1])
    rows = (f"    {{{black:#x}, {white:#x}, {kings:#x}, {side}}},\n" for black, white, kings, side in
            (position.bits for position in positions))  # fmt: skip
    return (
        '/* The bench of kr, from kr/engine/bench.txt. */\n\n#pragma once\n\n#include "_engine/kr.h"\n\n'
        f"enum {{ KR_BENCH_DEPTH = {settings.depth}, KR_BENCH_HASH = {settings.hash}, "
        f"KR_BENCH_COUNT = {len(positions)} }};\n\n"
        f"static const kr_position KR_BENCH[KR_BENCH_COUNT] = {{\n{''.join(rows)}}};\n"
    )


def python_headers() -> Path:
    """Python's headers, with sizes that the compiler knows; no function of Python is used."""
    headers, own = CODE / "python", SOURCES / "pyconfig.h"
    include = Path(sysconfig.get_path("include"))
    # a test may be compiling with them
    if not is_fresh(headers / own.name, [own, include / "Python.h"]):
        shutil.copytree(include, headers, dirs_exist_ok=True)
        shutil.copy(own, headers)
    return headers


def version() -> str:
    """Version of kr."""
    version = re.search(r'^__version__ = "(.+)"', (ROOT / "kr" / "__init__.py").read_text(), re.MULTILINE)
    assert version
    return version[1]


def python_symbols(built: Path, system: str) -> list[str]:
    """Names of Python's that an object file needs: none, or it would need Python."""
    tool = COMPILERS[system].replace("gcc", "nm") if "gcc" in COMPILERS[system] else "nm"
    listed = subprocess.run([tool, "-u", built], check=True, capture_output=True, text=True).stdout
    return re.findall(r"\b_*Py\w+", listed)


def compile_library(out: Path, system: str, arch: str) -> None:
    """Compile and link."""
    code = translate()
    compiler = COMPILERS[system]
    built = out / "kr.o"
    machine = [f"-march={PORTABLE[system] if arch == 'portable' else arch}"]
    if system == "windows32":
        machine += ["-mfpmath=sse", "-mstackrealign"]
    if system != "linux":
        # gcc takes the stack there for aligned to 32 bytes, while it is to 16 (gcc bug 54412)
        machine += ["-Wa,-muse-unaligned-vector-move"]
    position = ["-fPIC"] if system == "linux" else []
    include = [f"-I{path}" for path in (code.parent, ROOT / "kr", python_headers())]
    offered = '__attribute__((visibility("default")))' if system == "linux" else "__declspec(dllexport)"
    define = [f'-DKR_VERSION="{version()}"', f"-DKR_API={offered}"]
    run([compiler, *FLAGS, *machine, *position, *define, *include, "-c", SOURCES / "unit.c", "-o", built])
    if names := python_symbols(built, system):
        sys.exit(f"kr: the library would need Python: {', '.join(sorted(set(names)))}")
    if system == "linux":
        run(
            [compiler, "-shared", "-s", built, "-lm", "-Wl,--no-undefined", f"-Wl,-soname,{SONAME}", "-o", out / SONAME]
        )
        (out / "libkr.so").symlink_to(SONAME)
        archive, tool = out / "libkr.a", "ar"
    else:
        link = ["-shared", "-s", "-static-libgcc", f"-Wl,--out-implib,{out / 'libkr.dll.a'}"]
        run([compiler, *link, built, "-o", out / "kr.dll"])
        archive, tool = out / "libkr.a", compiler.replace("gcc", "ar")
    run([tool, "rcs", archive, built])
    built.unlink()


def compile_wasm(out: Path) -> None:
    """Compile and link for WebAssembly: the functions of the header and of wasm.c, and what gives memory."""
    code = translate()
    machine = ["-target", "wasm32-wasi", "-mcpu=generic+simd128+bulk_memory", "-mexec-model=reactor"]
    include = [f"-I{path}" for path in (code.parent, ROOT / "kr", python_headers())]
    define = [f'-DKR_VERSION="{version()}"', '-DKR_API=__attribute__((visibility("default"),used))']
    link = ["-s", "-Wl,--export-dynamic", "-Wl,--export=malloc,--export=free", f"-Wl,-z,stack-size={STACK}"]
    # clang warns of what Cython writes
    units = [SOURCES / "unit.c", SOURCES / "wasm.c"]
    run([*ZIG, *machine, *FLAGS, "-w", *define, *include, f"-I{HEADER.parent}", *units, *link, "-o", out / "kr.wasm"])


def build(system: str, arch: str, chosen_out: Path | None) -> None:
    """Make what is not up to date."""
    suffix = "" if system == "linux" else f"-{system}"
    out = chosen_out or ROOT / "build" / f"library{suffix}"
    out.mkdir(parents=True, exist_ok=True)
    made = out / {"linux": "libkr.so", WASM: "kr.wasm"}.get(system, "kr.dll")
    stamp = out / f".{arch}"
    if not is_fresh(made, sources()) or not stamp.exists():
        for old in out.glob(".*"):
            # of a build that was killed
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        # beside it by their own names, since a library for Windows knows its name
        with tempfile.TemporaryDirectory(prefix=".", dir=out) as folder:
            if system == WASM:
                compile_wasm(Path(folder))
            else:
                compile_library(Path(folder), system, arch)
            for path in Path(folder).iterdir():
                path.replace(out / path.name)
        stamp.touch()
    write_atomic(out / "version", version())
    for source in (HEADER, SOURCES / "example.c", SOURCES / "krb.h", ROOT / "books" / "kr.krb"):
        write_atomic(out / source.name, source.read_bytes())
    tables, weights = out / "kr.krt", ROOT / "weights" / "kr.h5"
    if not is_fresh(tables, [weights]):
        run([sys.executable, "-m", "kr", "weights", "compact", "--out", tables])
    people, policy = out / "people.krp", ROOT / "weights" / "people.h5"
    # it names the tables that it looks with
    if not is_fresh(people, [weights, policy]):
        run([sys.executable, "-m", "kr", "policy", "compact", "--out", people])
    print(f"kr: wrote {out.relative_to(ROOT) if out.is_relative_to(ROOT) else out}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", choices=[*COMPILERS, WASM], default="linux")
    parser.add_argument("--arch", default="portable")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    if chosen.system != WASM and not shutil.which(COMPILERS[chosen.system]):
        sys.exit(f"kr: {COMPILERS[chosen.system]} was not found; try apt install {PACKAGES[chosen.system]}")
    with alone():
        build(chosen.system, chosen.arch, chosen.out)


if __name__ == "__main__":
    main()
