"""The house: imports go down only, and `import kr` is light."""

import ast
import importlib
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
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
    # the public names of everything below; nothing below asks for more of it than the version
    "__init__",
    "studies",
    "learn",
    "analysis",
    "play",
    "match",
    "archives",
    "openings",
    "players",
    "protocols",
    "engine",
    "policy",
    "evaluation",
    "egdb",
    "viewer",
    "pdn",
    "game",
    "svg",
    "notation",
    "cluster",
    "jobs",
    "figures",
    "settings",
    "hdf5",
    "storage",
    "threads",
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
    "jax", "optax", "lightgbm", "pyarrow", "dask", "distributed",
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


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of each kr module or name of one that a file imports, at its top or inside functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name.split(".")[0] == "kr")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are written from kr down, never relative"
            if node.module and node.module.split(".")[0] == "kr":
                yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_imports_go_down_only(path: Path) -> None:
    here = room_of(name_of(path))
    assert here in LEVEL, f"{here} has no floor yet: add it to FLOORS"
    for line, target in imports(path):
        room = room_of(target)
        if target == "kr.__version__":
            continue
        assert room in LEVEL, f"{path.name}:{line}: {target} has no floor"
        assert LEVEL[room] <= LEVEL[here], f"{path.name}:{line}: {here} may not import {target} from above"


@pytest.mark.skipif(not ARCHITECTURE.exists(), reason="the checkout is not here")
def test_the_map_shows_the_floors() -> None:
    """The first table of docs/internals/architecture.md has the rooms from the top down."""
    table = ARCHITECTURE.read_text().partition("| room |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == FLOORS


def runtime_imports(node: ast.AST) -> Iterator[str]:
    """Names of kr that a module asks for when it runs, also inside functions; not those for type checkers only."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        yield from runtime_imports(child)


def test_no_module_imports_itself_by_way_of_others() -> None:
    known = {name_of(path): path for path in modules()}
    graph = {}
    for name, path in known.items():
        targets = runtime_imports(ast.parse(path.read_text()))
        # a name is a module, or something that stands in one
        found = {target if target in known else target.rpartition(".")[0] for target in targets}
        graph[name] = found & known.keys() - {name}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"import circle: {' <- '.join(error.args[1])}")


def listed_names() -> list[tuple[str, str]]:
    """Module and name of each public name, as kr/__init__.pyi lists them."""
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text())
    lines = [node for node in stub.body if isinstance(node, ast.ImportFrom) and node.module]
    return [(f"kr.{node.module}", alias.name) for node in lines for alias in node.names]


@pytest.mark.parametrize(("module", "name"), listed_names())
def test_public_names_are_defined_where_they_are_listed(module: str, name: str) -> None:
    found = getattr(importlib.import_module(module), name)
    assert getattr(kr, name) is found
    home = getattr(found, "__module__", module)
    assert home in (module, "kr._core"), f"kr.{name} comes from {home}: list it there"


def loaded_by(statement: str) -> set[str]:
    script = f"{statement}\nimport sys; print(*sys.modules)"
    environment = {"PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    return set(done.stdout.split())


@pytest.mark.parametrize("statement", ["import kr", "import kr.__main__"])
def test_import_kr_is_light(statement: str) -> None:
    """Nothing is imported before a name is asked for, nor before a Ctrl-C is heard."""
    assert loaded_by(statement) - loaded_by("import ast, lazy_loader") == {"kr", statement.split()[1]}
    assert not loaded_by("import kr; kr.Position") & HEAVY


def test_the_command_line_loads_no_command_before_it_is_called() -> None:
    assert not loaded_by("import kr.cli") & (HEAVY - {"click"})


# Names that several modules define, each its own.
SHARED = {
    "FORMAT_VERSION": "of each kind of file",
    "KIND": "the kind that a module registers: of files, evaluations and players",
    "LIVE": "the streams of a feature of kr web",
    "ROUTES": "the requests of a feature of kr web",
    "T": "type variables",
    "main": "python -m kr, and the command line inside it",
}


def public_names(path: Path) -> Iterator[str]:
    """Classes, functions and constants that a module defines, but for commands: they have the names that users type."""
    for node in ast.parse(path.read_text()).body:
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
    for path in modules():
        for name in public_names(path):
            if not name.startswith("_"):
                places[name].add(name_of(path))
    assert len(places) > 500
    several = {name: sorted(found) for name, found in places.items() if len(found) > 1}
    assert several.keys() >= SHARED.keys()
    assert not [f"{name} in {', '.join(found)}" for name, found in several.items() if name not in SHARED]
