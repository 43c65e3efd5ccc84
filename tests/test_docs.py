"""The documentation is true: its examples run, here, on small searches and with nothing but the checkout."""

import contextlib
import doctest
import io
import json
import lzma
import re
import runpy
import tomllib
from pathlib import Path

import pytest
from playouts import write_run
from systems import RUNS_JAX

import kr

CHECKOUT = Path(__file__).parents[1]
DOCS = CHECKOUT / "docs"
PAGES = [CHECKOUT / "README.md", *sorted(DOCS.rglob("*.md"))]
GAME = '[Event "Example"]\n[Black "One"]\n[White "Two"]\n[Result "*"]\n\n1. 11-15 23-19 {usual} *\n'
OTHERS = ("import draughts", "import torch", "from dask_jobqueue", "from dask_kubernetes")
"""Examples that need another program; tests/test_pydraughts.py and tests/test_sample_reader.py run what is in them, but
for those that need a batch system or Kubernetes."""

SITE = (CHECKOUT / "mkdocs.yml").read_text(encoding="utf-8") if DOCS.is_dir() else ""
API = [DOCS / path for path in re.findall(r"reference/api/\w+\.md$", SITE, re.MULTILINE)]
"""The reference of Python, in its order."""

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the checkout is not here")


def blocks(page: Path, language: str) -> list[str]:
    """The page's fenced code in a language, as often as it has some."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


SESSIONS = [
    [page for page in pages if blocks(page, "pycon")]
    for pages in (API, *([page] for page in PAGES if page not in API and blocks(page, "pycon")))
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the files that examples read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.pdn").write_text(GAME)
    (tmp_path / "archive.pdn.xz").write_bytes(lzma.compress(GAME.encode()))
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name)
def test_examples_run(page: Path, place: Path) -> None:
    """No example raises. What commands of a page make before it is there."""
    write_run(place / "games", 10)
    names: dict[str, object] = {}
    for block in blocks(page, "python"):
        if not any(other in block for other in OTHERS):
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block, str(page), "exec"), names)


@pytest.mark.soak
@RUNS_JAX
@pytest.mark.parametrize("pages", SESSIONS, ids=lambda pages: pages[0].parent.name)
def test_sessions_show_what_comes_out(pages: list[Path], place: Path) -> None:
    """The pages of a folder are one session."""
    names: dict[str, object] = {}
    examples = 0
    for page in pages:
        test = doctest.DocTestParser().get_doctest("\n".join(blocks(page, "pycon")), names, page.name, str(page), 0)
        test.globs = names
        examples += len(test.examples)
        told = io.StringIO()
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        doctest.DocTestRunner(optionflags=flags).run(test, out=told.write, clear_globs=False)
        assert not told.getvalue(), told.getvalue()
    assert examples > 20


def test_the_search_has_the_steps_of_its_page() -> None:
    source = (CHECKOUT / "kr" / "_core" / "search" / "search.pxi").read_text(encoding="utf-8")
    steps = re.findall(r"# step (\d+): ([\w -]*\w)", source)
    listed = re.findall(
        r"^(\d+)\. \*\*(.+?)\.\*\*", (DOCS / "internals" / "search.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted((int(number), title.lower()) for number, title in steps) == [
        (int(number), title.lower()) for number, title in listed
    ]


def test_what_the_search_says_of_its_worth_is_documented() -> None:
    pages = " ".join(page.read_text(encoding="utf-8") for page in (*DOCS.rglob("*.md"), DOCS / "measurements.toml"))
    parts = (CHECKOUT / "kr" / "_core" / "search").glob("*.pxi")
    figures = re.findall(r"[+-]?[\d.]+ ± [\d.]*\d", " ".join(part.read_text(encoding="utf-8") for part in parts))
    assert len(figures) > 10
    assert [figure for figure in figures if figure not in pages] == []


def test_sources_name_pages_that_exist() -> None:
    sources = [CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", CHECKOUT / "Makefile"]
    patterns = {"kr": "*.p*", "tests": "*.py", "bench": "*.py", "selfplay": "*.sh", "docs": "*.md"}
    for folder, pattern in patterns.items():
        sources += [path for path in (CHECKOUT / folder).rglob(pattern) if "data" not in path.parts]
    sources = [path for path in sources if path.suffix not in (".pyc", ".pyd", ".png", ".pdn", ".xz")]
    named = {
        name
        for path in sources
        for name in re.findall(r"\bdocs/[\w/-]+\.(?:md|py|toml)\b", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 10
    assert sorted(name for name in named if not (CHECKOUT / name).is_file()) == []


def test_pages_name_sources_that_exist() -> None:
    named = {
        (page.name, path)
        for page in PAGES
        for path in re.findall(r"`(kr/[\w./]+\.\w+)`", page.read_text(encoding="utf-8"))
    }
    assert len(named) > 20
    examples = ("NAME.py", "NAME.pyx", "/net.py", "/net.pxi")
    assert [path for _, path in sorted(named) if not path.endswith(examples) and not (CHECKOUT / path).is_file()] == []


def test_links_of_the_front_pages_lead_somewhere() -> None:
    """mkdocs checks those of the site; these pages stand outside it."""
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "weights/README.md", "egdb/README.md"):
        page = CHECKOUT / name
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{name}: {target}"


@pytest.mark.parametrize("page", sorted((DOCS / "lab").glob("*.md")), ids=lambda page: page.name)
def test_lab_notes_open_with_their_result(page: Path) -> None:
    """The first screen has figures, before any section tells how they came about."""
    opening = page.read_text(encoding="utf-8").partition("\n## ")[0]
    assert len(opening.splitlines()) <= 40
    assert len(re.findall(r"\d", opening)) >= 15


def test_sections_are_named_by_nouns() -> None:
    """Recipes may say how to do something."""
    headings = {
        (page.name, line)
        for page in PAGES
        for line in re.findall(r"^#+ .+", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(headings) > 100
    assert [each for each in sorted(headings) if re.match(r"#+ (What|How(?! to )|Who|Whether)\b", each[1])] == []


FIGURES = runpy.run_path(str(CHECKOUT / "bench" / "figures.py")) if DOCS.is_dir() else {}
MEASURED = tomllib.loads((DOCS / "measurements.toml").read_text(encoding="utf-8")) if DOCS.is_dir() else {}
FRONT_PAGES = [
    *("README.md", "weights/README.md", "egdb/README.md", "docs/index.md"),
    *sorted(
        page.relative_to(CHECKOUT).as_posix() for part in ("start", "guides") for page in (DOCS / part).glob("*.md")
    ),
]
RESULT = re.compile(r"(?<![\w-])\d+-\d+-\d+(?![\w-])|[+-]?\d[\d.]*\s±\s[\d.]*\d")
"""Wins, draws and losses, and figures with their errors."""


def test_pages_quote_what_was_measured() -> None:
    """make figures repeats what can be."""
    assert "\n".join(map(str, FIGURES["misquotes"](MEASURED["figure"]))) == ""


@pytest.mark.parametrize("page", FRONT_PAGES)
def test_results_on_the_front_pages_are_measurements(page: str) -> None:
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    spans = FIGURES["quoted_spans"](MEASURED["figure"], page, text)
    found = [match for match in RESULT.finditer(text) if not any(a <= match.start() < b for a, b in spans)]
    assert [match[0] for match in found] == [], "name them in `quoted` of a figure in docs/measurements.toml"


def test_the_figures_table_quotes_measurements() -> None:
    text = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    spans = FIGURES["quoted_spans"](MEASURED["figure"], "README.md", text)
    rows = list(re.finditer(r"^\| .*\| (.+) \|$", text[text.index("## Figures") :], re.MULTILINE))
    assert len(rows) > 5
    begin = text.index("## Figures")
    assert [row[1] for row in rows if not any(begin + row.start(1) <= a < begin + row.end(1) for a, _ in spans)] == []


def test_each_measurement_says_when_and_how() -> None:
    data = MEASURED
    for figure in data["figure"]:
        assert ("repeat" in figure) != ("unrepeated" in figure), figure["what"]
        assert figure.get("unrepeated", "timed") in ("timed", "needs data", "takes hours"), figure["what"]
        assert figure.get("repeat", {}).keys() <= figure.get("numbers", {}).keys(), figure["what"]
        assert not re.search(r"[{}]", figure["value"].format_map(figure.get("numbers", {}))), figure["what"]
        assert {"what", "value", "command", "date", "commit"} <= figure.keys(), figure
        assert figure["subject"] in data["subjects"], figure["what"]
        assert figure["machine"] in data["machines"], figure["what"]
        assert re.fullmatch(r"[0-9a-f]{7,40}", figure["commit"]), figure["what"]


@pytest.mark.costly
@pytest.mark.slow
def test_rooms_stand_above_what_they_import() -> None:
    names = runpy.run_path(str(DOCS / "internals" / "draw_rooms.py"))
    edges = names["graph"]()
    level = names["levels"](edges)
    assert edges["_core"] == {"_rules", "_egdb"}
    assert {"cli", "engine", "game"} <= edges.keys()
    assert all(level[below] < level[room] for room, targets in edges.items() for below in targets)
    picture = names["draw"]()
    assert [room for room in edges if f">{room}</text>" not in picture] == []
    with pytest.raises(ValueError, match="circle: a, b"):
        names["levels"]({"a": {"b"}, "b": {"a"}})


def test_the_reference_has_every_public_name() -> None:
    texts = [page.read_text(encoding="utf-8") for page in API]
    named = [
        name for text in texts for found in re.findall(r"<!-- names: (.+) -->", text) for name in found.split(", ")
    ]
    assert [name for name in named if named.count(name) > 1] == []
    modules = {*re.findall(r"`(\w+)`", texts[0])}
    assert modules.isdisjoint(named)
    assert {*kr.__all__} - {*named} - modules == set()
    assert {*named} <= {*kr.__all__}


def test_the_site_has_every_page_of_the_reference() -> None:
    assert {*API} == {*(DOCS / "reference" / "api").glob("*.md")}


@pytest.mark.slow
def test_the_tutorial(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = runpy.run_path(str(DOCS / "start" / "tutorial.py"))
    said = capsys.readouterr().out
    assert names["game"].moves[names["ply"]] == names["move"]
    assert "11. 6-10 by Black gave away" in said
    assert names["solution"].agrees
    assert "win proved" in said
    assert (place / "turning-point.svg").read_text(encoding="utf-8") == names["board"]
    assert names["played"].result != "*"


def script_cells(text: str) -> list[tuple[str, str]]:
    """Kind and text of the cells of a script in the percent format."""
    cells = []
    for part in re.split(r"^# %%", text, flags=re.MULTILINE)[1:]:
        kind, _, body = part.partition("\n")
        markdown = kind.strip() == "[markdown]"
        if markdown:
            body = "\n".join(line[2:] for line in body.splitlines())
        cells.append(("markdown" if markdown else "code", body.strip()))
    return cells


def test_the_notebook_is_the_tutorial() -> None:
    """Its cells show the output of the tables it was made with (make tutorial)."""
    book = json.loads((DOCS / "start" / "tutorial.ipynb").read_text(encoding="utf-8"))
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in book["cells"]]
    assert cells == script_cells((DOCS / "start" / "tutorial.py").read_text(encoding="utf-8")), "make tutorial"
    shown = [output for cell in book["cells"] for output in cell.get("outputs", ())]
    assert not [output for output in shown if output["output_type"] == "error"]
    assert sum("image/svg+xml" in output.get("data", ()) for output in shown) == 3
