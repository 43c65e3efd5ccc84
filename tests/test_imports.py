"""The house: imports go down only, `import kr` is light, and every public name says what it is."""

import ast
import importlib
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

import kr

PACKAGE = Path(kr.__file__).parent
ARCHITECTURE = PACKAGE.parent / "docs" / "internals" / "architecture.md"

# From the top of the house down, each room on its own floor: a module may import from its room and those below.
FLOORS = [
    "__main__",
    "cli",
    "web",
    "page",
    # the public names of everything below; nothing below asks for more of it than the version
    "__init__",
    "studies",
    "problems",
    "learn",
    "ballots",
    "theory",
    "analysis",
    "proofs",
    "play",
    "match",
    "archives",
    "openings",
    "players",
    "protocols",
    "engine",
    "book",
    "policy",
    "evaluation",
    "egdb",
    "viewer",
    "pdn",
    "gif",
    "game",
    "svg",
    "language",
    "notation",
    "cluster",
    "jobs",
    "figures",
    "settings",
    "hdf5",
    "sqlite",
    "file_kinds",
    "storage",
    "threads",
    "system",
    "extras",
    "units",
    "text",
    "errors",
    "_learn",
    "_core",
    "_egdb",
]
LEVEL = {room: len(FLOORS) - i for i, room in enumerate(FLOORS)}
HEAVY = {
    "numpy", "scipy", "h5py", "rich", "matplotlib", "click", "sklearn", "jinja2", "starlette", "uvicorn", "websockets",
    "jax", "optax", "lightgbm", "pyarrow", "dask", "distributed", "PIL",
}  # fmt: skip


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "data" not in path.relative_to(PACKAGE).parts)


def room_of(name: str) -> str:
    """The room of a module or of something in it; a public name such as kr.Engine is of kr/__init__.py."""
    room = [*name.split("."), "__init__"][1]
    return room if room in LEVEL or (PACKAGE / room).exists() or (PACKAGE / f"{room}.py").exists() else "__init__"


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imports(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and full name of each kr module, or name of one, that a module imports anywhere.

    At its top, in functions, for type checkers only, or by import_module with the name as a literal.
    """
    for node in ast.walk(module):
        match node:
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom():
                names = [f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names]
            case ast.Call(
                func=ast.Name("import_module") | ast.Attribute(attr="import_module"), args=[ast.Constant(str(name))]
            ):
                names = [name]
            case _:
                continue
        yield from ((node.lineno, name) for name in names if name.split(".")[0] in ("kr", ""))


@pytest.mark.costly
def test_imports_go_down_only() -> None:
    faults = []
    for path in modules():
        here = room_of(name_of(path))
        assert here in LEVEL, f"{path}: {here} has no floor yet: add it to FLOORS"
        for line, target in imports(parsed(path)):
            place, room = f"{path.relative_to(PACKAGE.parent)}:{line}", room_of(target)
            if target.startswith("."):
                faults.append(f"{place}: imports are written from kr down, never relative")
            elif room not in LEVEL:
                faults.append(f"{place}: {target} has no floor")
            elif LEVEL[room] > LEVEL[here] and target != "kr.__version__":
                faults.append(f"{place}: {here} may not import {target} from above")
    assert not faults, "\n".join(faults)


@pytest.mark.skipif(not ARCHITECTURE.exists(), reason="the checkout is not here")
def test_the_map_shows_the_floors() -> None:
    """The first table of docs/internals/architecture.md has the rooms from the top down."""
    table = ARCHITECTURE.read_text("utf-8").partition("| room |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == FLOORS


def test_no_module_imports_itself_by_way_of_others() -> None:
    known = {name_of(path): path for path in modules()}
    places: dict[str, dict[str, str]] = {name: {} for name in known}
    for name, path in known.items():
        for line, target in imports(parsed(path)):
            # a name is a module, or something that stands in one
            module = target if target in known else target.rpartition(".")[0]
            if module in known and module != name:
                places[name].setdefault(module, f"{path.relative_to(PACKAGE.parent)}:{line}: {name} imports {module}")
    try:
        TopologicalSorter(places).prepare()
    except CycleError as error:
        _, circle = error.args
        pytest.fail("import circle:\n" + "\n".join(places[one][other] for other, one in pairwise(circle)))


def listed_names() -> list[tuple[str, str]]:
    """Module and name of each public name, as kr/__init__.pyi lists them."""
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text("utf-8"))
    lines = [node for node in stub.body if isinstance(node, ast.ImportFrom) and node.module]
    return [(f"kr.{node.module}", alias.name) for node in lines for alias in node.names]


def test_public_names_are_defined_where_they_are_listed() -> None:
    for module, name in listed_names():
        member = getattr(importlib.import_module(module), name)
        assert getattr(kr, name) is member, f"kr.{name} is not that of {module}"
        home = getattr(member, "__module__", module)
        assert home in (module, "kr._core"), f"kr.{name} comes from {home}: list it there"


def loaded_after(*statements: str) -> list[set[str]]:
    """Modules that are loaded after each of several statements in one new process."""
    script = "".join(f"{statement}\nimport sys; print(*sys.modules)\n" for statement in statements)
    environment = {"PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    return [set(line.split()) for line in done.stdout.splitlines()]


def test_nothing_is_loaded_before_it_is_asked_for() -> None:
    """Not for a public name, nor before a Ctrl-C is heard, nor for a command that is not called."""
    before, package, main, name, analysis, commands = loaded_after(
        "import ast, lazy_loader", "import kr", "import kr.__main__", "kr.Position",
        "import kr.analysis.analysis, kr.analysis.annotation.story", "import kr.cli",
    )  # fmt: skip
    assert package - before == {"kr"}
    assert main - package == {"kr.__main__"}
    assert not name & HEAVY
    assert not analysis & HEAVY, "numpy is for arrays"
    assert not commands & (HEAVY - {"click"})


# Names that several modules define, each its own.
SHARED = {
    "FORMAT_VERSION": "of each kind of file",
    "KIND": "the kind that a module registers: of files, evaluations and players",
    "LIVE": "the streams of a feature of kr web",
    "ROUTES": "the requests of a feature of kr web",
    "R": "type variables",
    "T": "type variables",
    "main": "python -m kr, and the command line inside it",
}


def public_names(path: Path) -> Iterator[str]:
    """Classes, functions and constants that a module defines, but for commands: they have the names that users type."""
    for node in parsed(path).body:
        match node:
            case ast.ClassDef(name=name):
                yield name
            case ast.FunctionDef(name=name) if "options.command" not in map(ast.unparse, node.decorator_list):
                yield name
            case ast.Assign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = (each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))
                yield from (name for name in names if name[0].isupper())


def test_one_name_has_one_meaning() -> None:
    """No two modules define a public class, function or constant of the same name."""
    places = defaultdict(set)
    # kr.system has the same names for each system
    for path in set(modules()) - {PACKAGE / "system" / "windows.py"}:
        for name in public_names(path):
            if not name.startswith("_"):
                places[name].add(name_of(path))
    assert len(places) > 500
    several = {name: sorted(found) for name, found in places.items() if len(found) > 1}
    assert several.keys() >= SHARED.keys()
    assert not [f"{name} in {', '.join(found)}" for name, found in several.items() if name not in SHARED]


# --- docstrings

Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | Function


def has_docstring(node: Documented) -> bool:
    return ast.get_docstring(node, clean=False) is not None


def is_setter(method: Function) -> bool:
    """True for the second half of a property, whose first half has the docstring."""
    return any(isinstance(each, ast.Attribute) and each.attr == "setter" for each in method.decorator_list)


def is_documented(name: str, owner: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    """True if a method of this name has a docstring in a class or in one above it."""
    own = [each for each in owner.body if isinstance(each, Function) and each.name == name]
    bases = [ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in owner.bases]
    return any(map(has_docstring, own)) or any(
        is_documented(name, classes[base], classes) for base in bases if base in classes and base != owner.name
    )


def undocumented(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Places and names of public modules, classes, functions and methods that nothing documents."""
    classes = {node.name: node for tree in trees.values() for node in tree.body if isinstance(node, ast.ClassDef)}
    for place, tree in trees.items():
        if not has_docstring(tree):
            yield place
        for node in tree.body:
            if not isinstance(node, Function | ast.ClassDef) or node.name.startswith("_"):
                continue
            if not has_docstring(node):
                yield f"{place}:{node.lineno}: {node.name}"
            for method in node.body if isinstance(node, ast.ClassDef) else ():
                if not isinstance(method, Function | ast.ClassDef) or method.name.startswith("_"):
                    continue
                if isinstance(method, ast.ClassDef) or is_setter(method):
                    known = isinstance(method, Function) or has_docstring(method)
                else:
                    known = has_docstring(method) or is_documented(method.name, node, classes)
                if not known:
                    yield f"{place}:{method.lineno}: {node.name}.{method.name}"


def test_public_names_are_documented() -> None:
    trees = {path.relative_to(PACKAGE.parent).as_posix(): parsed(path) for path in modules()}
    assert len(trees) > 300
    assert list(undocumented(trees)) == []
