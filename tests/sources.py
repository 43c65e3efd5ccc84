"""The sources of kr, each parsed once a process."""

import ast
from functools import cache
from pathlib import Path

import kr

PACKAGE = Path(kr.__file__).parent


def modules() -> list[Path]:
    """All modules of kr."""
    return sorted(path for path in PACKAGE.rglob("*.py") if "data" not in path.relative_to(PACKAGE).parts)


@cache
def parsed(path: Path) -> ast.Module:
    """The tree of a module."""
    return ast.parse(path.read_text("utf-8"))
