"""Runs the tests of what has changed since a commit: python tests/touched.py COMMIT [--list] (make touched)

These are changed tests, tests that import a changed module or one of the tests' own modules that does, and tests that
name a changed file. The scripts' own tests, which take seconds, run if any script has changed.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
TESTS = CHECKOUT / "tests"
NO_TESTS = 5
"""Exit code of pytest if it has run none."""


def changed(since: str) -> list[str]:
    """Files that differ from where this branch left a commit's history, and new ones."""
    git = ["git", "-C", str(CHECKOUT)]
    base = subprocess.run([*git, "merge-base", since, "HEAD"], capture_output=True, text=True)
    if base.returncode:
        sys.exit(f"kr: git knows no common commit with {since}")
    names = subprocess.run(
        [*git, "diff", "--name-only", base.stdout.strip()], check=True, capture_output=True, text=True
    )
    new = subprocess.run([*git, "ls-files", "-o", "--exclude-standard"], check=True, capture_output=True, text=True)
    return sorted({*names.stdout.splitlines(), *new.stdout.splitlines()})


@cache
def imports(path: Path) -> frozenset[str]:
    """Modules that a file imports, and what it takes from each; those of the tests' own modules too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update({node.module, *(f"{node.module}.{each.name}" for each in node.names)})
    own = [TESTS / f"{name}.py" for name in found if (TESTS / f"{name}.py").is_file()]
    return frozenset(found).union(*(imports(each) for each in own if each != path))


def concerned(files: list[str]) -> list[Path]:
    """The test files that these files concern."""
    modules = {name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in files}
    modules |= {name.rpartition(".")[2] for name in modules if name.startswith("tests.")}
    named = {Path(name).name for name in files} - {"__init__.py"}
    found = []
    for path in sorted(TESTS.glob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        is_changed = path.relative_to(CHECKOUT).as_posix() in files
        if is_changed or modules & imports(path) or any(name in text for name in named):
            found.append(path)
    return found


def main() -> None:
    since, *options = sys.argv[1:]
    files = changed(since)
    tests = concerned(files)
    if "--list" in options:
        print(*(path.name for path in tests), sep="\n")
        return
    if any(name.endswith(".js") for name in files):
        subprocess.run(["make", "scripts-test"], cwd=CHECKOUT, check=True)
    if not tests:
        print(f"kr: no test concerns the {len(files)} files that changed since {since}")
        return
    print(f"kr: {len(tests)} files of tests concern the {len(files)} files that changed since {since}", flush=True)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--dist", "worksteal", "-m", "not soak"]
    code = subprocess.run([*command, *map(str, tests)], cwd=CHECKOUT).returncode
    sys.exit(0 if code == NO_TESTS else code)


if __name__ == "__main__":
    main()
