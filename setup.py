"""Builds the Cython extensions of kr, and puts weights/, egdb/ and selfplay/ into wheels as kr/data.

In a checkout (`make`, `pip install -e .`) the core is built for this machine's own instruction set. Wheels may go to
other machines: `pip wheel .`, and `pip install .`, which makes a wheel on its way, build for any.

KR_ARCH=LEVEL     another instruction set: "native" is this machine's own; "portable" is x86-64-v2, every x86 since
                  2009, or plain arm64; or what the compiler takes as -march. A wheel for less than all says so by its
                  build tag (kr_draughts-0.2.0-1native-...)
KR_DEBUG=1        C asserts and bounds checks, for `make debug-test`
KR_SANITIZE=LIST  gcc's sanitizers, such as address,undefined; run with LD_PRELOAD=$(gcc -print-file-name=libasan.so)
"""

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Distribution, Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import CompileError
from setuptools.modified import newer_group

DATA_SUFFIXES = {".egdb", ".h5", ".md", ".txt", ".json", ".sh", ".toml"}
DEBUG = os.environ.get("KR_DEBUG", "0") not in ("", "0")
SANITIZE = os.environ.get("KR_SANITIZE", "")


def arch_flag(arch: str) -> str:
    """The compiler's flag for an instruction set as KR_ARCH names it."""
    x86 = platform.machine().lower() in ("x86_64", "amd64")
    if arch == "portable":
        arch = "x86-64-v2" if x86 else "armv8-a"
    return f"-mcpu={arch}" if arch == "native" and not x86 else f"-march={arch}"


def missing_tool() -> str | None:
    """One line on what the build lacks on this machine, None if nothing."""
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if not shutil.which(compiler):
        return f"no C compiler ({compiler}) to build kr._core with: apt install gcc libc6-dev"
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        return f"no {header} to build kr._core with: apt install python3-dev"
    probe = subprocess.run([compiler, "-E", "-x", "c", "-"], input=b"#include <stdlib.h>", capture_output=True)
    return "no C library headers to build kr._core with: apt install libc6-dev" if probe.returncode else None


def flags_stamp(place: str, flags: list[str]) -> str:
    """A file that is newer than the extensions built into this place last, where that was with other flags."""
    stamp = Path(f"build/flags-{place}.txt")
    text = " ".join(flags) + "\n"
    if not stamp.exists() or stamp.read_text() != text:
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(text)
    return str(stamp)


UNITS = sorted(path.stem for path in Path("kr").glob("_*.pyx"))
"""The compiled units; each has its parts in a folder of its name, and compiles those of _rules into itself."""


def units(distribution: Distribution) -> list[Extension]:
    """The extensions; an edit of a part rebuilds its unit, and one of a contract all of them."""
    # Python's own flags ask for -g, which makes the release five times as large
    level = ["-O1", "-g", "-UNDEBUG"] if DEBUG else ["-O3", "-g0", "-DNDEBUG"]
    # what gcc takes for uninitialized is filled by functions whose failure is checked, or is Cython's own
    warnings = ["-Wno-unused-function", "-Wno-maybe-uninitialized"]
    compile_args = [*level, arch_flag(chosen_arch(distribution)), *warnings]
    sanitize = [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer", "-fno-sanitize-recover=undefined"] * bool(SANITIZE)
    # setup.py has what Cython is told
    contracts = [Path("setup.py"), *Path("kr").glob("_*.pxd"), *Path("kr/_rules").rglob("*.pxi")]
    return [
        Extension(
            f"kr.{name}",
            [f"kr/{name}.pyx"],
            depends=sorted(map(str, [*contracts, *Path("kr", name).rglob("*.pxi")])),
            extra_compile_args=compile_args + sanitize,
            extra_link_args=sanitize,
        )
        for name in UNITS
    ]


def chosen_arch(distribution: Distribution) -> str:
    """The instruction set to build for, as KR_ARCH names it."""
    return os.environ.get("KR_ARCH") or ("portable" if is_wheel(distribution) else "native")


def is_wheel(distribution: Distribution) -> bool:
    """Whether what is built is a wheel, which may go elsewhere, and not the checkout's own core."""
    return "bdist_wheel" in distribution.commands


class BuildCore(build_ext):
    """Builds the units side by side; says in one line what the machine lacks before anything is compiled."""

    def run(self) -> None:
        if lack := missing_tool():
            sys.exit(f"kr: {lack}")
        # wheels and the checkout's units are built in one place, build/lib.*, and those of `make debug-test` elsewhere
        folder = Path(self.build_lib).name
        place = "lib" if self.editable_mode or folder.startswith("lib.") else folder
        unit = self.extensions[0]
        self.stamp = flags_stamp(place, [*unit.extra_compile_args, *unit.extra_link_args])
        super().run()

    def finalize_options(self) -> None:
        self.distribution.ext_modules = units(self.distribution)
        super().finalize_options()
        # a thread for each core
        self.parallel = self.parallel or True

    def build_extension(self, ext: Extension) -> None:
        """Compile, but take the unit of the checkout where nothing has changed since: pip builds in new directories."""
        built = Path(*ext.name.split(".")[:-1], Path(self.get_ext_filename(ext.name)).name)
        if self.editable_mode and not newer_group([*ext.sources, *ext.depends, self.stamp], str(built)):
            target = Path(self.get_ext_fullpath(ext.name))
            target.parent.mkdir(parents=True, exist_ok=True)
            self.copy_file(str(built), str(target))
            return
        ext.sources = [self._translated(ext)]
        ext.depends = [*ext.depends, self.stamp]
        super().build_extension(ext)

    def _translated(self, ext: Extension) -> str:
        """The C of a unit. By a process of its own: Cython would keep the other units' threads waiting."""
        directives = {
            "boundscheck": DEBUG,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "nonecheck": False,
            # the debug build is to check bounds
            "show_performance_hints": not DEBUG,
        }
        # A changed KR_DEBUG changes the C, which an unchanged pyx would not.
        target = Path("build", f"{'debug' if DEBUG else 'release'}-c", f"{ext.name.split('.')[-1]}.c")
        if self.force or newer_group([*ext.sources, *ext.depends], str(target)):
            target.parent.mkdir(parents=True, exist_ok=True)
            options = [word for name, value in directives.items() for word in ("-X", f"{name}={value}")]
            # under its name once it is whole, whatever happens on the way
            part = target.with_suffix(".part")
            command = [sys.executable, "-m", "cython", "-3", *options, "-o", str(part), *ext.sources]
            if subprocess.run(command).returncode:
                raise CompileError(f"{ext.sources[0]} is not translated to C")
            part.replace(target)
        return str(target)


class BuildWheel(bdist_wheel):
    """Wheels for some machines of a platform only are not called like those for all."""

    def finalize_options(self) -> None:
        arch = chosen_arch(self.distribution)
        if arch != "portable" and not self.build_number:
            self.build_number = f"1{arch.replace('-', '_')}"
        super().finalize_options()


class BuildPackage(build_py):
    """Copies the shipped data of the checkout's top into kr/data of what is installed."""

    def _data(self) -> list[tuple[Path, Path]]:
        if self.editable_mode:
            return []
        return [
            (source, Path(self.build_lib) / "kr" / "data" / source)
            for kind in ("weights", "selfplay", "egdb")
            for source in sorted(Path(kind).glob("*"))
            if source.is_file() and source.suffix in DATA_SUFFIXES
        ]

    def run(self) -> None:
        super().run()
        for source, target in self._data():
            self.mkpath(str(target.parent))
            self.copy_file(str(source), str(target))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return [*super().get_outputs(include_bytecode), *(str(target) for _, target in self._data())]


setup(
    # known in full once the command is
    ext_modules=[Extension(f"kr.{name}", [f"kr/{name}.pyx"]) for name in UNITS],
    cmdclass={"build_ext": BuildCore, "build_py": BuildPackage, "bdist_wheel": BuildWheel},
)
