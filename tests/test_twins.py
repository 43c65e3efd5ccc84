"""Each capability of the page is answered once: in its scripts, or by kr web for what only a machine can do.

What the command line needs stands in Python as well. These pairs name each other, and recorded cases in tests/cases
hold both sides; a new pair needs them, and a line here.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import kr
from kr.web import app

STATIC = Path(kr.__file__).parent / "page" / "static"
TWIN = re.compile(r"\b\w+\.py\b|\bkr\.[a-z_]+\.[a-z_]+")

TWINS = {
    # positions, moves, games as text and as documents
    *(
        f"pdn/{name}"
        for name in ("commands", "comments", "drafts", "grammar", "headings", "opening", "reader", "replay")
    ),
    *(f"pdn/{name}" for name in ("replay", "source", "tokens", "tree", "writer")),
    *("document", "durations", "notation", "text"),
    # games that are judged and told
    *(f"review/{name}" for name in ("accuracy", "annotation", "judging", "marking", "policy", "searches")),
    *("book", "chances", "game_text", "names", "svg", "weighing"),
    # problems
    *("problem_files", "problems", "puzzle"),
}
"""Scripts below answers/."""
TWINS_OF_PANELS = {"learn/boxes.js", "learn/training.js", "repertoire/lines.js"}
"""Of `kr learn` and `kr repertoire`."""


def head(script: Path) -> str:
    """The comment with which a script begins."""
    found = re.match(r"(?://.*\n|/\*(?:.|\n)*?\*/\n)*", script.read_text("utf-8"))
    return found[0] if found else ""


def test_no_script_names_a_new_twin() -> None:
    allowed = {f"answers/{name}.js" for name in TWINS} | TWINS_OF_PANELS
    named = {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js") if TWIN.search(head(path))}
    assert sorted(named - allowed) == []
    assert sorted(name for name in allowed if not (STATIC / name).exists()) == []


def test_the_server_answers_nothing_that_the_page_answers_itself() -> None:
    names = set(re.findall(r'"(\w+)"', (STATIC / "answers" / "answered.js").read_text("utf-8")))
    assert len(names) > 10
    modules = [importlib.import_module(f"kr.web.{name}") for name in app.FEATURES]
    asked = {name for module in modules for name in (*module.ROUTES, *module.LIVE)}
    assert sorted(name for name in asked if name.partition("/")[0] in names) == []
