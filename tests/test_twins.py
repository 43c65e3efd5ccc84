"""Each capability of the page is answered once: in its scripts, or by kr web for what only a machine can do.

What the command line needs stands in Python as well. The comment of such a script names its twin, and recorded cases in
tests/cases hold both sides; a new pair needs them, and a place here.
"""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path

import pytest

import kr
from kr.web import app

TESTS = Path(__file__).parent
ROOM = Path(kr.__file__).parent
SCRIPTS = {
    path.relative_to(folder).as_posix(): path
    for folder in (ROOM / "page" / "static", ROOM / "viewer" / "static")
    for path in sorted(folder.rglob("*.js"))
}

TWINS = {
    "boards": "answers/svg",
    "book": "answers/book answers/krb",
    "certificates": "answers/proofs/certificate answers/proofs/steps",
    "documents": "answers/document",
    "encodings": "answers/pdn/source",
    "game_text": "answers/game_text",
    "harder": "answers/harder",
    "judging": (
        "answers/chances answers/weighing answers/review/accuracy answers/review/annotation answers/review/coach "
        "answers/review/judging answers/review/marking answers/review/people answers/review/searches "
        "answers/review/story"
    ),
    "names": "answers/names answers/openings",
    "notation": "answers/notation answers/rules",
    "pdn": (
        "answers/pdn/commands answers/pdn/comments answers/pdn/drafts answers/pdn/grammar answers/pdn/headings "
        "answers/pdn/opening answers/pdn/reader answers/pdn/replay answers/pdn/tokens answers/pdn/tree"
    ),
    "people": "answers/calibration",
    "play": "answers/play/clock answers/play/game answers/play/levels answers/play/manners answers/play/record",
    "problem_files": "answers/problem_files answers/problems",
    "puzzles": "answers/exact answers/puzzle",
    "repertoire": "repertoire/lines",
    "requests": "answers/request",
    "sentences": "texts",
    "texts": "answers/durations answers/limits answers/text escapes",
    "training": "learn/boxes learn/state learn/training",
    "writing": "answers/pdn/writer",
}
"""By the file of their cases, scripts that say what Python says too."""
FILES = {f"{script}.js": cases for cases, scripts in TWINS.items() for script in scripts.split()}

MAKERS = ("kr/page/data.py", "kr/analysis/annotation/pages.py")
"""Modules whose data scripts read."""
TWIN = re.compile(rf"(?!{'|'.join(MAKERS)})\bkr(?:/\w+)+\.py\b|\bkr\.[a-z_]+\.[a-z_]+")

OF_SCRIPTS = re.compile(
    r"^(?:export )?(?:async )?(?:function\*?|class|const|let) (\w+)|^  ([A-Z][A-Z0-9_]+) = "
    r"|^  (?:async |get |static )?[_#]?(?!(?:constructor|for|if|while|switch)\b)(\w+)\(.*\{$",
    re.MULTILINE,
)
OF_MODULES = re.compile(r"^\s*(?:def|class) (\w+)|^([A-Z_][A-Z0-9_]+)\b.*= ", re.MULTILINE)


@cache
def names(path: Path) -> frozenset[str]:
    """What a script or a module defines, in Python's spelling."""
    pattern = OF_SCRIPTS if path.suffix == ".js" else OF_MODULES
    found = ("".join(groups).strip("_") for groups in pattern.findall(path.read_text("utf-8")))
    return frozenset(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower() for name in found)


def test_no_script_names_a_new_twin() -> None:
    named = {name for name, path in SCRIPTS.items() if TWIN.search(path.read_text("utf-8"))}
    assert sorted(named - FILES.keys()) == []
    assert sorted(FILES.keys() - SCRIPTS.keys()) == []


def test_no_script_repeats_a_module_unsaid() -> None:
    """One that does has half of its names from there."""
    modules = [names(path) for path in sorted(ROOM.rglob("*.py"))]
    alike = {
        script
        for script, path in SCRIPTS.items()
        for module in modules
        if len(common := names(path) & module) >= 5 and 2 * len(common) >= len(names(path))
    }
    assert "answers/notation.js" in alike
    assert sorted(alike - FILES.keys()) == []


@pytest.mark.parametrize("cases", TWINS)
def test_cases_are_read_in_both_languages(cases: str) -> None:
    assert (TESTS / "cases" / f"{cases}.json").is_file()
    # in test_cases.py and cases.test.js the readers stand by the names of files
    named = re.compile(rf'\b{cases}\.json\b|(?s:READERS.*^(?:    "| {{2}}){cases}"?: \{{)', re.MULTILINE)
    sources = [*TESTS.glob("*.py"), *TESTS.glob("scripts/*.js")]
    readers = [path.name for path in sources if named.search(path.read_text("utf-8"))]
    # tests of pages run the scripts in node
    by_scripts = [name for name in readers if name.endswith(".js") or name.startswith("test_page_")]
    assert by_scripts
    assert set(readers) - set(by_scripts)


def test_the_server_answers_nothing_that_the_page_answers_itself() -> None:
    answered = set(re.findall(r'"(\w+)"', SCRIPTS["answers/answered.js"].read_text("utf-8")))
    assert len(answered) > 10
    modules = [importlib.import_module(f"kr.web.{name}") for name in app.FEATURES]
    asked = {name for module in modules for name in (*module.ROUTES, *module.LIVE)}
    assert sorted(name for name in asked if name.partition("/")[0] in answered) == []
