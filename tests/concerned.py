"""Names the files of tests that `make check` and `make touched` run: `python tests/concerned.py [BRANCH]` writes them.

A file is named if it has changed since the branch (main), names a file that has and is no module of kr or the tests, or
imports a module that has: by itself or by a module of `tests/`. An import of a package is one of the modules that the
package's own `__init__.py` imports; `kr` itself offers all of them, and counts as none. A module that no test imports
counts as those that import it. What is not Python counts as the modules of its folder: sentences as those of
`kr.language`. SMOKE is always named: a little of everything.

Compiled code is what tests with the mark core run: of a changed part (.pxi, or its header) those that reach a name of
it, by statements of the units, by modules of kr that use these, and by what imports such a module, however far away; of
another file all of them.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from core_parts import PACKAGE, blocks, defined, parts_of, used

COMPILED = {".pyx", ".pxi", ".pxd", ".h"}
ROOT = Path(__file__).resolve().parents[1]
UNITS = ("_rules.pxd", "_egdb.pyx", "_core.pyx", "_learn.pyx")
SMOKE = ["test_api.py", "test_imports.py", "test_make_targets.py", "test_notation.py", "test_perft.py", "test_twins.py"]


def changed(branch: str) -> set[Path]:
    """Files that differ from where this branch left that one, with those that git doesn't know yet."""

    def git(*words: str) -> list[str]:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()

    (start,) = git("merge-base", "HEAD", branch)
    names = [*git("diff", "--name-only", start), *git("ls-files", "--others", "--exclude-standard")]
    return {ROOT / name for name in names}


def modules(path: Path) -> set[str]:
    """The modules that a file of kr or of the tests stands for."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    if path.suffix == ".py" or parts[0] != "kr":
        return {".".join(parts[1:] if parts[0] == "tests" else parts).removesuffix(".__init__")}
    folder = next(folder for folder in path.parents if any(folder.glob("*.py")))
    return {module for each in folder.glob("*.py") for module in modules(each)}


IMPORT = re.compile(r"^[ \t]*(?:from ([\w.]+) import (\([^)]*\)|.+)|import (.+))", re.MULTILINE)


@cache
def imported(path: Path) -> frozenset[str]:
    """The modules of kr and of the tests that a file imports, by its words: its tree would take ten times as long."""
    found: set[str] = set()
    for module, names, modules_alone in IMPORT.findall(path.read_text(encoding="utf-8")):
        if module:
            found |= {module, *(f"{module}.{name}" for name in re.findall(r"\w+", names))}
        else:
            found |= {each.split()[0] for each in modules_alone.split(",") if each.strip()}
    return frozenset(found - {"kr"})


def reached(path: Path) -> Iterator[str]:
    """What a file of tests imports, by modules of the tests and by packages of kr too."""
    left, seen = [path], {path}
    while left:
        for name in imported(left.pop()):
            yield name
            own = ROOT / "tests" / f"{name}.py"
            package = ROOT.joinpath(*name.split("."), "__init__.py")
            for each in (own, package):
                if each not in seen and each.exists():
                    seen.add(each)
                    left.append(each)


@cache
def imports_here() -> tuple[dict[Path, set[str]], dict[str, set[str]]]:
    """What each file of tests imports, and the modules of kr that import a name."""
    tests = {file: set(reached(file)) for file in sorted((ROOT / "tests").glob("test_*.py"))}
    importing: defaultdict[str, set[str]] = defaultdict(set)
    for file in (ROOT / "kr").rglob("*.py"):
        for name in imported(file):
            importing[name] |= modules(file)
    return tests, importing


def compiled_names(changed_parts: set[Path]) -> set[str]:
    """The names that parts of the compiled units define, and those of all statements that use these, by others too."""
    statements = [
        (part, defined(*block), used(*block))
        for part in dict.fromkeys(part for unit in UNITS for part in parts_of(unit))
        for block in blocks(part.read_text(encoding="utf-8"))
    ]
    names: set[str] = set()
    more = set[str]().union(*(own for part, own, _ in statements if part in changed_parts))
    while not more <= names:
        names |= more
        more = set[str]().union(*(own for _, own, others in statements if not names.isdisjoint(others)))
    return names


def names_of_units(text: str) -> set[str]:
    """The names of compiled units that a file of Python uses."""
    units = "|".join(Path(unit).stem for unit in UNITS)
    lists = re.findall(rf"from kr\.(?:{units}) import (\([^)]*\)|.+)", text)
    return {*re.findall(rf"\b(?:{units})\.(\w+)", text), *re.findall(r"\w+", " ".join(lists))}


@cache
def public() -> dict[str, str]:
    """The module of each public name of kr."""
    lines = (PACKAGE / "__init__.pyi").read_text(encoding="utf-8")
    return {name: f"kr.{module}" for module, name in re.findall(r"^from \.([\w.]+) import (\w+)", lines, re.MULTILINE)}


def reaching(parts: set[Path]) -> set[Path]:
    """The files of tests that reach what has changed in these parts of the compiled units."""
    tests, importing = imports_here()
    names, modules_reached = compiled_names(parts), set[str]()
    left = {
        module
        for file in PACKAGE.rglob("*.py")
        if not names.isdisjoint(names_of_units(file.read_text(encoding="utf-8")))
        for module in modules(file)
    }
    while left:
        module = left.pop()
        modules_reached.add(module)
        left |= importing[module] - modules_reached

    def reaches(file: Path) -> bool:
        text = file.read_text(encoding="utf-8")
        asked = {public().get(name.removeprefix("kr."), name) for name in tests[file]}
        asked |= {public().get(name, "") for name in re.findall(r"\bkr\.(\w+)", text)}
        return not (names.isdisjoint(names_of_units(text)) and modules_reached.isdisjoint(asked))

    return {file for file in tests if reaches(file)}


def concerned(paths: set[Path]) -> list[str]:
    """The files of tests that import what has changed."""
    tests, importing = imports_here()
    tested = set[str]().union(*tests.values())
    named = {
        path.name for path in paths if path.suffix != ".py" or path.relative_to(ROOT).parts[0] not in ("kr", "tests")
    }
    compiled = {path for path in paths if path.suffix in COMPILED}
    names, left = set[str](), {name for path in paths - compiled for name in modules(path)}
    while left:
        name = left.pop()
        names.add(name)
        if name not in tested:
            left |= importing[name] - names
    parts = {path.with_suffix(".pxi") for path in compiled}
    of_units = set(parts_of("_rules.pxd")).union(*map(parts_of, UNITS))
    reached_by = (reaching(parts) if parts <= of_units else set(tests)) if compiled else set()

    def is_concerned(file: Path) -> bool:
        text = file.read_text(encoding="utf-8")
        return (
            file in paths
            or not names.isdisjoint(tests[file])
            or any(word in text for word in named)
            or (file in reached_by and "mark.core" in text)
        )

    return [file.name for file in tests if is_concerned(file)]


def main() -> None:
    """Write the names, and say how many there are."""
    branch = sys.argv[1] if len(sys.argv) > 1 else "main"
    try:
        paths = changed(branch)
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        paths = set()
        print(f"kr: no changes since {branch} are known: {error}", file=sys.stderr)
    found = concerned(paths)
    print(
        f"kr: {len(found)} files of tests import what has changed since {branch}, in {len(paths)} files; "
        f"with {len(SMOKE)} that are always run. make test runs all.",
        file=sys.stderr,
    )
    print("\n".join(f"tests/{name}" for name in sorted({*found, *SMOKE})))


if __name__ == "__main__":
    main()
