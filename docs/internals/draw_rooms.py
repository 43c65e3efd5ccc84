"""The rooms of kr and what they import, as SVG: `python docs/internals/draw_rooms.py > rooms.svg`.

Each room stands above all that it imports. Only imports that do not follow from others are
drawn.
"""

import ast
import re
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "kr"
WIDTH, ROW, BOX, GAP = 1000, 96, 46, 14
STYLE = """
.room rect { fill: var(--room, #e6f2f0); stroke: currentColor; stroke-width: 1 }
.compiled rect { fill: var(--compiled, #fde3d3) }
.room text { fill: currentColor; text-anchor: middle; font: 600 15px system-ui, sans-serif }
.room .size { font-weight: 400; font-size: 12px; opacity: .75 }
.import { fill: none; stroke: currentColor; stroke-width: 1.1; opacity: .4 }
"""


def rooms() -> dict[str, list[Path]]:
    """The files of each room: a package, a module, or a compiled unit with its parts."""
    found: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.iterdir()):
        if path.is_dir() and (path / "__init__.py").is_file():
            found[path.name] = sorted(path.rglob("*.py"))
        elif path.suffix == ".py":
            found[path.stem] = [path]
        elif path.suffix == ".pyx":
            found[path.stem] = [path, *sorted((PACKAGE / path.stem).rglob("*.pxi"))]
    found["_rules"] = [PACKAGE / "_rules.pxd", *sorted((PACKAGE / "_rules").glob("*.pxi"))]
    return found


def imports(files: list[Path], known: set[str]) -> set[str]:
    """The rooms that some files import, those of the compiled units by cimport and include."""
    found = set()
    for path in files:
        text = path.read_text(encoding="utf-8")
        if path.suffix != ".py":
            found |= set(re.findall(r"^\s*(?:from|cimport|from kr cimport) kr\.(\w+)", text, re.MULTILINE))
            found |= set(re.findall(r"\b(_rules|_egdb|_core)\b(?= cimport)", text))
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module == "kr":
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kr."):
                found.add(str(node.module).split(".")[1])
            elif isinstance(node, ast.Import):
                found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("kr.")}
    return found & known


@cache
def graph() -> dict[str, set[str]]:
    """What each room imports, `__init__` being the public names and not drawn."""
    files = {name: paths for name, paths in rooms().items() if name != "__init__"}
    return {name: imports(paths, set(files)) - {name} for name, paths in files.items()}


def levels(edges: dict[str, set[str]]) -> dict[str, int]:
    """How far above the ground each room stands: one above the highest that it imports. Raises for a circle."""
    found: dict[str, int] = {}
    while len(found) < len(edges):
        ready = [name for name in edges if name not in found and edges[name] <= found.keys()]
        if not ready:
            raise ValueError(f"rooms import each other in a circle: {', '.join(sorted(edges.keys() - found.keys()))}")
        for name in ready:
            found[name] = 1 + max((found[below] for below in edges[name]), default=-1)
    return found


def reduced(edges: dict[str, set[str]], level: dict[str, int]) -> dict[str, set[str]]:
    """The imports that do not follow from others."""
    reach: dict[str, set[str]] = {}
    kept = {}
    for name in sorted(edges, key=level.__getitem__):
        below = edges[name].union(*(reach[other] for other in edges[name]))
        kept[name] = {other for other in edges[name] if not any(other in reach[near] for near in edges[name])}
        reach[name] = below
    return kept


def ordered(edges: dict[str, set[str]], level: dict[str, int]) -> list[list[str]]:
    """The rows from the ground up, each room near those that it is joined to."""
    rows = [sorted(name for name in edges if level[name] == row) for row in range(max(level.values()) + 1)]
    joined = {name: edges[name] | {other for other in edges if name in edges[other]} for name in edges}
    for sweep in range(12):
        place = {name: (i + 0.5) / len(row) for row in rows for i, name in enumerate(row)}
        for row in rows if sweep % 2 else reversed(rows):
            row.sort(key=lambda name: sum(place[other] for other in joined[name]) / max(len(joined[name]), 1))
            place |= {name: (i + 0.5) / len(row) for i, name in enumerate(row)}
    return rows


def routed(edges: dict[str, set[str]], level: dict[str, int]) -> list[list[str]]:
    """Each import as the way it takes from row to row: the room, a bend named for the import in each row between, the
    room that is imported. `level` gets the rows of the bends.
    """
    ways = []
    for name, targets in sorted(edges.items()):
        for target in sorted(targets):
            bends = {f"{name} {target} {row}": row for row in range(level[name] - 1, level[target], -1)}
            level |= bends
            ways.append([name, *bends, target])
    return ways


def draw() -> str:
    """The picture; a page can set the colours --room and --compiled, and the colour of text."""
    edges = graph()
    level = levels(edges)
    rooms_drawn = list(edges)
    ways = routed(reduced(edges, level), level)
    steps = {name: {after for way in ways for here, after in pairwise(way) if here == name} for name in level}
    rows = ordered(steps, level)
    lines = {
        name: sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)
        for name, paths in rooms().items()
    }
    height = ROW * len(rows) - (ROW - BOX) + 2 * GAP
    boxes = {}
    for number, row in enumerate(rows):
        # a bend takes a fifth of the room of a box
        shares = [1.0 if name in lines else 0.2 for name in row]
        step = WIDTH / max(sum(shares), 2)
        left = (WIDTH - step * sum(shares)) / 2
        top = height - GAP - BOX - number * ROW
        for name, share in zip(row, shares, strict=True):
            boxes[name] = (left + step * share / 2, top, min(step - GAP, 150))
            left += step * share
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>The rooms of kr and their imports</title><style>{STYLE}</style>",
    ]
    for way in ways:
        x, y, _ = boxes[way[0]]
        path = f"M{x:.0f} {y + BOX}"
        y += BOX
        for name in way[1:]:
            below, top, _ = boxes[name]
            bend = (top - y) / 2
            path += f"C{x:.0f} {y + bend:.0f} {below:.0f} {top - bend:.0f} {below:.0f} {top}"
            x, y = below, top
            if name != way[-1]:
                y += BOX
                path += f"V{y}"
        parts.append(f'<path class="import" d="{path}"/>')
    for name in sorted(rooms_drawn):
        x, y, width = boxes[name]
        kind = "room compiled" if name in ("_core", "_egdb", "_learn", "_rules") else "room"
        parts.append(
            f'<g class="{kind}"><rect x="{x - width / 2:.0f}" y="{y}" width="{width:.0f}" height="{BOX}" rx="6"/>'
            f'<text x="{x:.0f}" y="{y + 21}">{escape(name)}</text>'
            f'<text class="size" x="{x:.0f}" y="{y + 38}">{lines[name]:,} lines</text></g>'
        )
    return "".join([*parts, "</svg>"])


if __name__ == "__main__":
    print(draw())
