"""Builds the Cython extensions of kr, and includes weights/, egdb/, books/ and selfplay/ in wheels as kr/data.

In a checkout (`make`, `pip install -e .`) the extensions are built for this machine's instruction set. Wheels may be
used on other machines: `pip wheel .`, and `pip install .`, which makes a wheel too, build for all of them.

KR_ARCH=LEVEL     another instruction set: "native" is this machine's; "portable" is x86-64-v2 (Intel since 2008) or
                  plain arm64; any other text is passed to the compiler as -march. A wheel that is not portable says so
                  by its build tag (kr_draughts-0.2.0-1native-...)
KR_DEBUG=1        C asserts and bounds checks, for `make debug-test`
KR_SANITIZE=LIST  gcc's sanitizers, such as address,undefined; run with LD_PRELOAD=$(gcc -print-file-name=libasan.so)
"""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

from setuptools import Distribution, Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from setuptools.errors import CompileError
from setuptools.modified import newer_group

DATA_SUFFIXES = {".egdb", ".chances", ".krb", ".h5", ".md", ".txt", ".json", ".sh", ".toml"}
DEBUG = os.environ.get("KR_DEBUG", "0") not in ("", "0")
SANITIZE = os.environ.get("KR_SANITIZE", "")
# of the system to build for, as the instruction set below: a cross build replaces the settings of this Python
WINDOWS = sysconfig.get_platform().startswith("win")
# Compiled once, for this and all later versions of Python (docs/internals/architecture.md says what that costs); Python
# without the global interpreter lock has no such interface yet.
LIMITED_API = {} if sysconfig.get_config_var("Py_GIL_DISABLED") else {"Py_LIMITED_API": "0x030B0000"}


def arch_flags(arch: str) -> list[str]:
    """Compiler flags for an instruction set, named as in KR_ARCH."""
    system = sysconfig.get_platform()
    if system.endswith("universal2"):
        # both machines of macOS in one file, of which only one takes a flag; that one's portable set is meant
        return ["-Xarch_x86_64", "-march=x86-64-v2"]
    x86 = system.endswith(("x86_64", "amd64"))
    if arch == "portable":
        arch = "x86-64-v2" if x86 else "armv8-a"
    return [f"-mcpu={arch}" if arch == "native" and not x86 else f"-march={arch}"]


def missing_tool() -> str | None:
    """One line about a tool that the build needs and this machine lacks; None if nothing is missing."""
    if sys.platform == "win32":
        # its compiler is Visual C++, and kr's C is GNU's: packaging/windows compiles for it on Linux
        return "kr can't be built on Windows; install its wheel for Windows, with a 64-bit Python"
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    if not shutil.which(compiler[0]):
        source = "xcode-select --install" if sys.platform == "darwin" else "apt install gcc libc6-dev"
        return f"building kr needs a C compiler, but {compiler[0]} was not found; try {source}"
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        return f"building kr needs Python's headers, but {header} was not found; try apt install python3-dev"
    probe = subprocess.run([*compiler, "-E", "-x", "c", "-"], input=b"#include <stdlib.h>", capture_output=True)
    if probe.returncode:
        return "building kr needs the C library's headers, but stdlib.h was not found; try apt install libc6-dev"
    return None


def flags_stamp(place: str, flags: list[str]) -> str:
    """Path of a file that is written, and so newer than the extensions, when the flags of this place have changed."""
    stamp = Path(f"build/flags-{place}.txt")
    text = " ".join(flags) + "\n"
    if not stamp.exists() or stamp.read_text() != text:
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(text)
    return str(stamp)


UNITS = sorted({path.stem for path in Path("kr").glob("_*.pyx")} - {"_engine"})
"""The compiled units that Python imports. Each has its parts in a folder of its name; all include the parts of _rules.
_engine, a C library made of the same parts, is compiled by packaging/library."""


def parts(unit: str) -> list[Path]:
    """The parts of a unit and their headers."""
    return [path for path in Path("kr", unit).rglob("*.*") if path.suffix in (".pxi", ".h")]


def units(distribution: Distribution) -> list[Extension]:
    """The extensions. A changed part or header (.pxi, .h) rebuilds its unit, a changed contract (.pxd) all units."""
    # Python's own flags include -g, which makes the files five times as large
    # the lines of a trace are enough of those for a debug build: with all, it takes twice as long to compile
    level = ["-Og", "-g1", "-UNDEBUG"] if DEBUG else ["-O3", "-g0", "-DNDEBUG"]
    # products that are fused into sums, where the machine can, are rounded differently: numbers would depend on it
    arithmetic = ["-ffp-contract=off"]
    # gcc warns of variables that are filled by functions whose failure is checked, and of Cython's own; clang doesn't
    # know that warning
    warnings = ["-Wno-unused-function", "-Wno-maybe-uninitialized", "-Wno-unknown-warning-option"]
    compile_args = [*level, *arch_flags(chosen_arch(distribution)), *arithmetic, *warnings]
    if WINDOWS:
        # gcc takes the stack there for aligned to 32 bytes, while it is to 16 (gcc bug 54412)
        compile_args.append("-Wa,-muse-unaligned-vector-move")
    sanitize = [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer", "-fno-sanitize-recover=undefined"] * bool(SANITIZE)
    # setup.py has Cython's options
    contracts = [Path("setup.py"), *Path("kr").glob("_*.pxd"), *parts("_rules")]
    return [
        Extension(
            f"kr.{name}",
            # the C code, which is known once it is made
            [],
            # headers are named from here, as parts are: "_rules/memory.h" is not the system's memory.h
            include_dirs=["kr"],
            # log2, tanhf and others, which Windows has in its C library
            libraries=[] if WINDOWS else ["m"],
            define_macros=[*LIMITED_API.items()],
            py_limited_api=bool(LIMITED_API),
            depends=sorted(map(str, [Path("kr", f"{name}.pyx"), *contracts, *parts(name)])),
            extra_compile_args=compile_args + sanitize,
            extra_link_args=sanitize,
        )
        for name in UNITS
    ]


def chosen_arch(distribution: Distribution) -> str:
    """Instruction set to build for, named as in KR_ARCH."""
    return os.environ.get("KR_ARCH") or ("portable" if is_wheel(distribution) else "native")


def is_wheel(distribution: Distribution) -> bool:
    """True for the build of a wheel, which may be used on other machines."""
    return "bdist_wheel" in distribution.commands


class BuildCore(build_ext):
    """Builds the units in parallel, after a check that the machine has the tools for it."""

    def run(self) -> None:
        if lack := missing_tool():
            sys.exit(f"kr: {lack}")
        # wheels and the checkout's units share build/lib.*; `make debug-test` builds elsewhere
        folder = Path(self.build_lib).name
        place = "lib" if self.editable_mode or folder.startswith("lib.") else folder
        unit = self.extensions[0]
        macros = [f"-D{name}={value}" for name, value in unit.define_macros]
        self.stamp = flags_stamp(place, [*macros, *unit.extra_compile_args, *unit.extra_link_args])
        super().run()
        if self.inplace:
            self._remove_other_names()

    def _remove_other_names(self) -> None:
        """Remove units that an older setup.py named by the version of Python, which would be imported first."""
        for ext in self.extensions:
            built = Path(self.get_ext_fullpath(ext.name))
            for other in {*built.parent.glob(f"{built.name.split('.')[0]}.*{built.suffix}")} - {built}:
                other.unlink()

    def finalize_options(self) -> None:
        self.distribution.ext_modules = units(self.distribution)
        super().finalize_options()
        # a thread for each core
        self.parallel = self.parallel or True

    def get_ext_filename(self, name: str) -> str:
        """Path of a unit: for Windows its name has no ABI, which setuptools takes from the Python that runs this."""
        path: str = super().get_ext_filename(name)
        return path.replace(".abi3.so", ".pyd") if WINDOWS else path

    def build_extension(self, ext: Extension) -> None:
        """Compile a unit, or copy that of the checkout if it is up to date: pip builds in new directories."""
        built = Path(*ext.name.split(".")[:-1], Path(self.get_ext_filename(ext.name)).name)
        if self.editable_mode and not newer_group([*ext.depends, self.stamp], str(built)):
            target = Path(self.get_ext_fullpath(ext.name))
            target.parent.mkdir(parents=True, exist_ok=True)
            self.copy_file(str(built), str(target))
            return
        ext.sources = [str(translated(ext))]
        ext.depends = [*ext.depends, self.stamp]
        super().build_extension(ext)


def translated(ext: Extension) -> Path:
    """The C code of a unit, translated unless it is there and made of the same sources, as it is in source archives."""
    directives = {
        "boundscheck": DEBUG,
        "wraparound": False,
        "cdivision": True,
        "initializedcheck": False,
        "nonecheck": False,
        # of bounds checks, which the debug build wants
        "show_performance_hints": not DEBUG,
    }
    unit = ext.name.split(".")[-1]
    # apart by KR_DEBUG, since a change of it changes the C code of an unchanged unit
    target = Path("build", f"{'debug' if DEBUG else 'release'}-c", f"{unit}.c")
    digest = hashlib.sha256()
    for path in ext.depends:
        digest.update(Path(path).read_bytes())
    made_of = f"/* made of {digest.hexdigest()} */\n".encode()
    if target.exists() and target.read_bytes().endswith(made_of):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    options = [word for name, value in directives.items() for word in ("-X", f"{name}={value}")]
    # renamed once complete, so that an interrupted translation leaves no bad file
    part = target.with_suffix(".part")
    # in another process: threads would wait for each other
    command = [sys.executable, "-m", "cython", "-3", *options, "-o", str(part), f"kr/{unit}.pyx"]
    if subprocess.run(command).returncode:
        raise CompileError(f"Cython could not translate kr/{unit}.pyx")
    with part.open("ab") as file:
        file.write(made_of)
    part.replace(target)
    return target


class BuildWheel(bdist_wheel):
    """Names wheels by their instruction set, unless they are portable."""

    def finalize_options(self) -> None:
        arch = chosen_arch(self.distribution)
        if arch != "portable" and not self.build_number:
            self.build_number = f"1{arch.replace('-', '_')}"
        super().finalize_options()


class BuildPackage(build_py):
    """Copies shipped data from the top of the checkout into kr/data of the installed package."""

    def _data(self) -> list[tuple[Path, Path]]:
        if self.editable_mode:
            return []
        return [
            (source, Path(self.build_lib) / "kr" / "data" / source)
            for kind in ("weights", "selfplay", "egdb", "books")
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


class BuildSourceArchive(sdist):
    """Adds the C code of the units, so that a build needs no Cython."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        for ext in self.get_finalized_command("build_ext").extensions:
            source = translated(ext)
            target = Path(base_dir, source)
            self.mkpath(str(target.parent))
            self.copy_file(str(source), str(target))


PUBLISHED = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["tool"]["kr"]


def addresses(repository: str, page: str, site: str) -> dict[str, str]:
    """The addresses that the index shows, by their names there; none of what is not published."""
    named = {"Page": page, "Documentation": site}
    if repository:
        changelog = f"{repository}/blob/HEAD/CHANGELOG.md"
        named |= {"Source": repository, "Changelog": changelog, "Issues": f"{repository}/issues"}
    return {name: address for name, address in named.items() if address}


def readme_for_index(text: str, repository: str) -> str:
    """README.md with links from the index into the repository; where that is not published, with their words alone."""

    def link(found: re.Match[str]) -> str:
        picture, words, target = found[1], found[2], found[3]
        if re.match("https?:", target):
            return found[0]
        if not repository:
            return "" if picture else words
        return f"{picture}[{words}]({repository}/{'raw' if picture else 'blob'}/HEAD/{target})"

    return re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", link, text)


setup(
    long_description=readme_for_index(Path("README.md").read_text(encoding="utf-8"), PUBLISHED["repository"]),
    long_description_content_type="text/markdown",
    project_urls=addresses(**PUBLISHED),
    # completed in BuildCore.finalize_options, where the command is known
    ext_modules=[Extension(f"kr.{name}", []) for name in UNITS],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if LIMITED_API else {},
    cmdclass={"build_ext": BuildCore, "build_py": BuildPackage, "bdist_wheel": BuildWheel, "sdist": BuildSourceArchive},
)
