"""An installed kr finds its version and its shipped data."""

import importlib.metadata
import itertools
import os
import platform
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib
from pathlib import Path

import pytest
from packaging.version import Version

import kr
from kr import _core, _egdb, _learn
from kr.storage import data_path

CHECKOUT = Path(__file__).parents[1]
CODE = (".py", ".pyc", ".pyx", ".pxd", ".pxi", ".h", ".c", ".so", ".pyd")
DATA = (
    "weights/*.h5",
    "weights/*.md",
    "selfplay/*.txt",
    "selfplay/*.sh",
    "egdb/*.egdb",
    "egdb/*.chances",
    "egdb/*.md",
    "books/*.krb",
    "books/*.md",
)
SOURCES = (
    *("kr/_*.p??", "kr/_*/**/*.pxi", "kr/_*/**/*.h", "Makefile", "mkdocs.yml", "docs/**/*.*"),
    *("bench/*.py", "tests/*.py", "tests/data/*"),
    *("packaging/**/*.*", "deploy/*", "requirements.lock"),
    *("package*.json", "tsconfig.json", "biome.json", "tests/scripts/*"),
)

in_checkout = pytest.mark.skipif(not (CHECKOUT / "setup.py").exists(), reason="the checkout is not here")


def test_one_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.?(a|b|rc|dev)\d+)?", kr.__version__)
    try:
        installed = importlib.metadata.version("kr-draughts")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("kr runs from its checkout without being installed")
    assert installed == kr.__version__


def test_shipped_files_come_from_clean_commits_of_no_named_machine() -> None:
    shipped = [path for kind in ("weights", "books") for path in data_path(kind).iterdir()]
    files = [path for path in shipped if path.suffix in (".h5", ".krb")]
    assert len(files) == 4
    for path in files:
        content = path.read_bytes()
        assert not re.search(rb"[0-9a-f]{40}-dirty", content), path
        assert not re.search(rb"(?:Linux|Windows|macOS|Darwin)-\d", content), path
        assert path.suffix == ".krb" or b"Linux x86_64" in content, path


@in_checkout
def test_the_data_found_are_those_of_the_checkout() -> None:
    for kind in ("weights", "egdb", "books", "selfplay"):
        for source in (CHECKOUT / kind).glob("*.*"):
            if source.suffix in (".egdb", ".chances", ".h5", ".md", ".txt", ".json", ".sh", ".toml"):
                assert data_path(kind, source.name).read_bytes() == source.read_bytes()


def files_named(patterns: tuple[str, ...]) -> set[str]:
    """The checkout's files of these patterns, of which every one is to find some."""
    found = {
        pattern: [path for path in CHECKOUT.glob(pattern) if path.is_file() and path.suffix not in (".pyc", ".pyd")]
        for pattern in patterns
    }
    assert all(found.values())
    return {path.relative_to(CHECKOUT).as_posix() for paths in found.values() for path in paths}


def data_beside_the_code() -> set[str]:
    """Whatever stands in the package and is no code."""
    paths = [path.relative_to(CHECKOUT) for path in (CHECKOUT / "kr").rglob("*") if path.is_file()]
    return {path.as_posix() for path in paths if path.suffix not in CODE and not path.name.startswith(".")}


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """The checkout once more, where building leaves nothing in the one in use."""
    for path in CHECKOUT.iterdir():
        if not path.name.startswith(".") and path.name not in ("build", "dist", "node_modules", "kr_draughts.egg-info"):
            (tmp_path / path.name).symlink_to(path)
    return tmp_path


@in_checkout
@pytest.mark.smoke
def test_the_oldest_versions_are_those_that_are_named() -> None:
    """A package has one bound, whoever needs it; `make oldest` has just these where there are wheels of them."""
    with open(CHECKOUT / "pyproject.toml", "rb") as file:
        content = tomllib.load(file)
    project = content["project"]
    tools = ("docs", "notebook", "release")
    extras = (each for name, each in project["optional-dependencies"].items() if name not in tools)
    named = [*project["dependencies"], *content["build-system"]["requires"], *itertools.chain.from_iterable(extras)]
    bounds: dict[str, str] = {}
    for package, bound in (text.split(">=") for text in named):
        assert bounds.setdefault(package, bound) == bound, package
    if "KR_OLDEST" in os.environ and sys.version_info < (3, 12):
        installed = {package: importlib.metadata.version(package) for package in bounds}
        assert not {name: found for name, found in installed.items() if Version(found) != Version(bounds[name])}


@pytest.mark.slow
@in_checkout
@pytest.mark.posix("no links without rights")
def test_wheels_carry_all_data(linked: Path) -> None:
    pytest.importorskip("setuptools")
    command = [sys.executable, "setup.py", "-q", "build_py", "--build-lib", "wheel"]
    subprocess.run(command, cwd=linked, check=True, capture_output=True)
    beside = data_beside_the_code()
    assert beside >= {"kr/engine/bench.txt", "kr/problems/classics.jsonl", "kr/py.typed", "kr/_core.pyi"}
    assert {path.suffix for path in (linked / "wheel" / "kr").rglob("*") if path.is_file()} & {*CODE} == {".py"}
    for name, carried in [(n, n) for n in beside] + [(n, f"kr/data/{n}") for n in files_named(DATA)]:
        assert (linked / "wheel" / carried).read_bytes() == (CHECKOUT / name).read_bytes()


@in_checkout
@pytest.mark.posix("no links without rights")
def test_source_archives_carry_all_that_a_build_and_its_tests_need(
    linked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    egg_info = pytest.importorskip("setuptools.command.egg_info")
    monkeypatch.chdir(linked)
    listed = egg_info.FileList()
    for line in (CHECKOUT / "MANIFEST.in").read_text().splitlines():
        listed.process_template_line(line)
    assert data_beside_the_code() | files_named(DATA) | files_named(SOURCES) <= set(listed.files)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A checkout with one small unit, whose part and header are to be written."""
    pytest.importorskip("Cython")
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(CHECKOUT / name, tmp_path)
    (tmp_path / "kr" / "_core").mkdir(parents=True)
    (tmp_path / "kr" / "__init__.py").write_text('__version__ = "1.0"')
    (tmp_path / "kr" / "_core.pyx").write_text('include "_core/part.pxi"')
    return tmp_path


ASKED = """
import sys
import setuptools
from distutils.core import run_setup
found = run_setup("setup.py", sys.argv[1:], stop_after="commandline")
build, wheel = found.get_command_obj("build_ext"), found.get_command_obj("bdist_wheel")
build.ensure_finalized()
wheel.ensure_finalized()
(arch,) = {flag for unit in found.ext_modules for flag in unit.extra_compile_args if flag.startswith("-m")}
print(arch, wheel.build_number or "")
"""


@pytest.mark.slow
@in_checkout
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the levels are those of x86")
@pytest.mark.parametrize(
    ("command", "arch", "built"),
    [
        ("bdist_wheel", None, "-march=x86-64-v2 "),
        ("bdist_wheel", "native", "-march=native 1native"),
        ("bdist_wheel", "x86-64-v3", "-march=x86-64-v3 1x86_64_v3"),
        ("bdist_wheel", "portable", "-march=x86-64-v2 "),
        ("editable_wheel", None, "-march=native 1native"),
        ("build_ext", None, "-march=native 1native"),
        ("build_ext", "portable", "-march=x86-64-v2 "),
    ],
)
def test_wheels_run_on_any_machine_of_their_name(
    small: Path, monkeypatch: pytest.MonkeyPatch, command: str, arch: str | None, built: str
) -> None:
    monkeypatch.delenv("KR_ARCH", raising=False)
    if arch:
        monkeypatch.setenv("KR_ARCH", arch)
    done = subprocess.run([sys.executable, "-c", ASKED, command], cwd=small, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == built


CROSS = """
import sys
import setuptools
from distutils.core import run_setup
found = run_setup("setup.py", ["bdist_wheel"], stop_after="commandline")
build = found.get_command_obj("build_ext")
build.ensure_finalized()
(unit,) = found.ext_modules
arch = [flag for flag in unit.extra_compile_args if flag.startswith(("-m", "-X"))]
print(*arch, *unit.libraries, build.get_ext_filename(unit.name).rpartition(".")[2])
"""


@pytest.mark.slow
@in_checkout
@pytest.mark.parametrize(
    ("system", "built"),
    [
        ("linux-x86_64", "-march=x86-64-v2 m so"),
        ("linux-aarch64", "-march=armv8-a m so"),
        ("macosx-11.0-arm64", "-march=armv8-a m so"),
        ("macosx-11.0-universal2", "-Xarch_x86_64 -march=x86-64-v2 m so"),
        ("win-amd64", "-march=x86-64-v2 pyd"),
    ],
)
def test_a_cross_build_is_for_the_other_system(
    small: Path, monkeypatch: pytest.MonkeyPatch, system: str, built: str
) -> None:
    monkeypatch.delenv("KR_ARCH", raising=False)
    monkeypatch.setenv("_PYTHON_HOST_PLATFORM", system)
    done = subprocess.run([sys.executable, "-c", CROSS], cwd=small, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == built


def test_the_release_carries_no_debug_information() -> None:
    for unit in (_core, _egdb, _learn):
        if "build/debug" in unit.__file__:
            pytest.skip("this is a debug build")
        assert b".debug_info" not in Path(unit.__file__).read_bytes()


EDITABLE = """
import sys
import setuptools
from distutils.core import run_setup
build = run_setup("setup.py", ["build_ext"], stop_after="commandline").get_command_obj("build_ext")
build.editable_mode, build.build_lib, build.build_temp = True, sys.argv[1], sys.argv[1] + "-objects"
build.ensure_finalized()
build.run()
"""


@pytest.mark.soak
@in_checkout
def test_an_unchanged_core_is_compiled_once(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = small / "kr" / "_core"
    (folder / "part.pxi").write_text('cdef extern from "_core/answer.h":\n    int THE_ANSWER\n\nANSWER = THE_ANSWER\n')
    (folder / "answer.h").write_text("#define THE_ANSWER 42\n")

    def build(to: str) -> bool:
        done = subprocess.run([sys.executable, "-c", EDITABLE, to], cwd=small, capture_output=True, check=False)
        return done.returncode == 0 and any((small / to / "kr").glob("_core*.so"))

    assert build("first")
    (so,) = (small / "first" / "kr").glob("_core*.so")
    shutil.copy(so, small / "kr")
    # from here on no compilation succeeds
    monkeypatch.setenv("CFLAGS", "-include no_such_header.h")
    assert build("second")
    now = time.time()
    for edited in (folder / "part.pxi", folder / "answer.h"):
        os.utime(edited, (now + 60, now + 60))
        assert not build(edited.stem), edited
        os.utime(edited, (now - 60, now - 60))


NO_COMPILER = "building kr needs a C compiler, but nowhere was not found; try "


@in_checkout
@pytest.mark.parametrize(
    ("system", "message"),
    [
        ("linux", NO_COMPILER + "apt install gcc libc6-dev"),
        ("darwin", NO_COMPILER + "xcode-select --install"),
        ("win32", "kr can't be built on Windows; install its wheel for Windows, with a 64-bit Python"),
    ],
)
def test_a_missing_compiler_is_told(system: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("setuptools")
    monkeypatch.setattr("setuptools.setup", lambda **settings: None)
    monkeypatch.chdir(CHECKOUT)
    names = runpy.run_path("setup.py")
    monkeypatch.setenv("CC", "nowhere -m64")
    monkeypatch.setattr(sys, "platform", system)
    assert names["missing_tool"]() == message


FLAVOUR = '''
cdef extern from *:
    """
    #ifdef NDEBUG
    #define KR_FLAVOUR "release"
    #else
    #define KR_FLAVOUR "debug"
    #endif
    """
    const char* KR_FLAVOUR
FLAVOUR = KR_FLAVOUR.decode()
'''


def built_in_place(checkout: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """The Python of an environment with setuptools and nothing else."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    (packages,) = (tmp_path / "bare").glob("lib/python3*/site-packages")
    source = Path(pytest.importorskip("setuptools").__file__).parents[1]
    for path in (*source.glob("setuptools*"), source / "_distutils_hack"):
        (packages / path.name).symlink_to(path)
    return tmp_path / "bare" / "bin" / "python"


@pytest.mark.soak
@in_checkout
def test_a_source_archive_is_built_without_cython(small: Path, bare: Path) -> None:
    pytest.importorskip("pip")
    (small / "kr" / "_core" / "part.pxi").write_text("ANSWER = 42")
    subprocess.run([sys.executable, "setup.py", "-q", "sdist"], cwd=small, check=True, capture_output=True)
    (archive,) = (small / "dist").iterdir()
    options = ["--no-build-isolation", "--no-deps", "--no-index", "--disable-pip-version-check"]
    install = [sys.executable, "-m", "pip", "--python", str(bare), "install", *options]

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, cwd=small / "dist", env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False
        )

    assert run(str(bare), "-c", "import Cython").returncode
    done = run(*install, archive.name)
    assert done.returncode == 0, done.stdout + done.stderr
    assert run(str(bare), "-c", "import kr._core; print(kr._core.ANSWER)").stdout == "42\n"
    # C code that is not of these sources is not built
    shutil.unpack_archive(archive, small / "dist")
    unpacked = archive.with_suffix("").with_suffix("")
    (unpacked / "kr" / "_core" / "part.pxi").write_text("ANSWER = 43")
    done = run(*install, f"./{unpacked.name}")
    assert done.returncode
    assert "No module named cython" in done.stdout + done.stderr


@pytest.mark.soak
@in_checkout
def test_a_compiler_may_have_arguments(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (small / "kr" / "_core" / "part.pxi").write_text("ANSWER = 42")
    monkeypatch.setenv("CC", f"env {sysconfig.get_config_var('CC')}")
    done = built_in_place(small)
    assert done.returncode == 0, done.stderr


@pytest.mark.soak
@pytest.mark.slow
@in_checkout
def test_the_units_are_those_of_the_flavour_asked_for_last(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (small / "kr" / "_core" / "part.pxi").write_text(FLAVOUR)
    # those that an older setup.py left would be imported first
    older = small / "kr" / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    older.write_bytes(b"")
    for debug, flavour in (("0", "release"), ("1", "debug"), ("0", "release"), ("1", "debug")):
        monkeypatch.setenv("KR_DEBUG", debug)
        assert built_in_place(small).returncode == 0
        command = [sys.executable, "-P", "-c", "import kr._core; print(kr._core.FLAVOUR)"]
        done = subprocess.run(command, env={"PYTHONPATH": str(small)}, capture_output=True, text=True, check=True)
        assert done.stdout.split() == [flavour]
        assert not older.exists()


@pytest.mark.soak
@pytest.mark.slow
@in_checkout
def test_a_part_that_is_no_cython_is_named_and_leaves_nothing(small: Path) -> None:
    part = small / "kr" / "_core" / "part.pxi"
    part.write_text("ANSWER = = 42")
    failed = built_in_place(small)
    assert failed.returncode
    assert "part.pxi:1:9" in failed.stderr
    assert "Cython could not translate kr/_core.pyx" in failed.stderr
    assert not [*small.rglob("*.c"), *small.rglob("*.so")]
    part.write_text("ANSWER = 42")
    assert built_in_place(small).returncode == 0
