"""Each target of the Makefile installs what it runs, where nothing was installed before."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from itertools import pairwise
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CHECKOUT = Path(__file__).parents[1]
MAKEFILE = CHECKOUT / "Makefile"
SCRIPTS = {path.name: path for path in CHECKOUT.glob("packaging/*/*.py")}
PROGRAMS = {"uv", *SCRIPTS}
"""What scripts start by its name."""
WITH_PYTHON = {"pip", "kr"}
"""What each environment has."""

pytestmark = pytest.mark.skipif(not MAKEFILE.exists(), reason="the checkout is not here")


def targets() -> list[str]:
    """The targets that are no files, but for the one that removes everything."""
    if not MAKEFILE.exists():
        return []
    (text,) = re.findall(r"^\.PHONY: ((?:.*\\\n)*.*)$", MAKEFILE.read_text(encoding="utf-8"), re.MULTILINE)
    return [*sorted({*text.replace("\\", " ").split()} - {"clean", "tools"}), "library SYSTEM=wasm"]


@cache
def project() -> dict[str, list[str]]:
    """Distributions that are named by pyproject.toml, by extra; those without one by ""."""
    content = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {"": content["dependencies"], **content["optional-dependencies"]}
    return {name: [canonicalize_name(Requirement(each).name) for each in named] for name, named in extras.items()}


@cache
def with_all_it_needs(distribution: str) -> frozenset[str]:
    """A distribution, and those that come with it as far as they are installed here."""
    try:
        needed = [Requirement(each) for each in requires(distribution) or []]
    except PackageNotFoundError:
        needed = []
    names = {canonicalize_name(each.name) for each in needed if not each.marker or each.marker.evaluate({"extra": ""})}
    return frozenset({distribution}.union(*map(with_all_it_needs, names)))


def brought(commands: str) -> set[str]:
    """Distributions that the commands of a target install."""
    extras = {extra for text in re.findall(r"install .*-e '\.\[([\w,]+)\]'", commands) for extra in text.split(",")}
    assert extras, commands
    return set().union(*(with_all_it_needs(name) for extra in {"", *extras} for name in project()[extra]))


modules_here = cache(packages_distributions)


@cache
def needed_by(script: Path) -> frozenset[str]:
    """Distributions that a script imports or runs, and those of the scripts that it names."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        match node:
            case ast.Import():
                modules.update(each.name for each in node.names)
            case ast.ImportFrom(module=str(module), level=0):
                modules.add(module)
            case ast.Tuple(elts=words) | ast.List(elts=words):
                told = [str(each.value) if isinstance(each, ast.Constant) else "" for each in words]
                modules.update(name for word, name in pairwise(told) if word == "-m" and name.isidentifier())
            case ast.Constant(value=str(text)) if text in PROGRAMS:
                modules.add(text.removesuffix(".py"))
    return frozenset().union(*(needed_for(name.partition(".")[0], script.parent) for name in modules))


def needed_for(name: str, beside: Path) -> frozenset[str]:
    """Distributions for a module or program of this name: its own, or those that a script of this name needs."""
    if name in sys.stdlib_module_names or name in WITH_PYTHON:
        return frozenset()
    beside_it = beside / f"{name}.py"
    if script := beside_it if beside_it.is_file() else SCRIPTS.get(f"{name}.py"):
        return needed_by(script)
    return frozenset(canonicalize_name(each) for each in modules_here().get(name, [name]))


def run_by(commands: str) -> Iterator[tuple[str, frozenset[str]]]:
    """What the commands of a target run of the environment, each with the distributions that it needs."""
    for script in set(re.findall(r"\.venv/bin/python (?:-P )?([\w/]+\.py)", commands)):
        yield script, needed_by(CHECKOUT / script)
    programs = re.findall(r"\.venv/bin/(?:python (?:-P )?-m )?(\w+)", commands)
    for program in {*programs} - {"python"}:
        yield program, needed_for(program, CHECKOUT)


@pytest.mark.slow
@pytest.mark.posix("no make")
@pytest.mark.parametrize("target", targets())
def test_a_target_installs_what_it_runs(target: str, tmp_path: Path) -> None:
    for path in CHECKOUT.iterdir():
        if not path.name.startswith(".") and path.name not in ("build", "dist", "node_modules"):
            (tmp_path / path.name).symlink_to(path)
    # as where node is there, whether it is or not
    done = subprocess.run(["make", "-n", "NODE=1", *target.split()], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if ".venv/bin/" in done.stdout:
        installed = brought(done.stdout)
        missing = {what: sorted(needed - installed) for what, needed in run_by(done.stdout)}
        assert not {what: names for what, names in missing.items() if names}
    if "node_modules/.bin/" in done.stdout or "build_page.py" in done.stdout:
        assert "npm ci" in done.stdout
