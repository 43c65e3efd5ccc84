"""`kr problem print`: what stands on the pages, and that no text in them can do harm."""

from __future__ import annotations

import json
import re
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree

import pytest
from web_pages import Opener

from kr.cli import main
from kr.game.position import Position
from kr.problems.problem import Problem
from kr.problems.sheet import PrintSettings, sheet_entry, sheet_parts, solution_words, stipulation

FEN = "W:WK19,K23:B12,K28"
HOSTILE = {
    "TeX": r"\input{/etc/passwd} $x_1^2$ 50% #1 & ~ {open \write18{rm}",
    "HTML": "</text></svg><script>alert(1)</script> & \"quoted\" 'so'",
    "control": "a\x1b[2Jb\x00c\nd\te",
    "direction": "\u202eesrever\u2066 \u200b",
    "ligatures": "?` !` ,, -- --- << >> `` ''",
    "an option": "[6cm] * @@ ^^41",
    "others": "\u0414\u0443 国際 שלום é ţ İ \U0001f600",
    "long": "Wwwwwwwwww" * 80,
}


def problem(title: str = "", result: str = "W-win", solution: str = "23-27 28-32 27-31", fen: str = FEN) -> Problem:
    return Problem.from_object({"fen": fen, "title": title, "author": title, "result": result, "solution": solution})


def settings(**others: object) -> PrintSettings:
    return PrintSettings(source="x", out=Path("sheet.html"), **others)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fen", "result", "told"),
    [
        (FEN, "W-win", "White to play and win"),
        (FEN, "draw", "White to play and draw"),
        (FEN, "B-win", "White to play, Black wins"),
        (FEN, "", "White to play"),
        ("B:WK19,K23:B12,K28", "B-win", "Black to play and win"),
    ],
)
def test_stipulations(fen: str, result: str, told: str) -> None:
    assert stipulation(problem(result=result, solution="", fen=fen)) == told


def test_solutions_have_numbers() -> None:
    assert solution_words(problem()) == "1. 23-27 28-32 2. 27-31"
    assert solution_words(problem(solution="")) == ""
    keeping = Problem.from_object({"fen": FEN, "keeping_moves": ["23-27", "23-26"]})
    assert solution_words(keeping) == "23-27 or 23-26"


# files


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "problems.jsonl"
    lines = [json.dumps({"fen": FEN, "title": title, "author": title, "result": "W-win"}) for title in HOSTILE.values()]
    path.write_text("\n".join([*lines, "no problem", ""]), encoding="utf-8")
    return path


def printed(*words: object) -> int:
    return main(["problem", "print", *map(str, words), "--quiet"])


def test_pages_have_all_texts_as_text(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, title = tmp_path / "sheet.html", "</title><script>alert(1)</script>"
    assert printed(file, "--out", out, "--numbers", "--json", "--title", title) == 1
    shown, errors = capsys.readouterr()
    told = json.loads(shown)
    assert (told["problems"], told["pages"], told["left_out"], told["without_solution"]) == (8, 2, 1, 8)
    assert f"problems.jsonl:{len(HOSTILE) + 1}" in errors
    text = out.read_text(encoding="utf-8")
    # it runs nothing and loads nothing
    assert "<script" not in text
    assert "default-src &#x27;none&#x27;" in text
    assert "size: a4; margin: 0" in text
    pages = re.findall(r'<div class="page diagrams">.*?</footer>\n</div>', text, re.S)
    assert len(pages) == 2
    trees = list(map(ElementTree.fromstring, pages))
    names = {each.tag.rpartition("}")[2] for tree in trees for each in tree.iter()}
    assert names <= {"div", "h1", "footer", "b", "span", "p", "svg", "g", "use", "rect", "circle", "path", "title"}
    joined = " ".join(str(each.text) for tree in trees for each in tree.iter())
    assert joined.count(title) == 2
    assert "\\x1b[2J" in joined
    assert "\\u202e" in joined
    assert joined.count("White to play and win") == 8
    # the empty board stands once
    assert text.count(">32</text>") == 1
    assert text.count('<use href="#empty"/>') == 8


def test_solutions_stand_at_the_end_or_are_left_out(tmp_path: Path) -> None:
    path, out = tmp_path / "problems.jsonl", tmp_path / "sheet.html"
    line = {"fen": FEN, "result": "W-win"}
    path.write_text(f"{json.dumps(line)}\n{json.dumps(line | {'solution': '23-27 28-32 27-31', 'title': 'A'})}\n")
    assert printed(path, "--out", out) == 0
    _, solutions = out.read_text().split("<h2>Solutions</h2>")
    assert "<dt>1. line 1</dt><dd>no solution is given</dd>" in solutions
    assert "<dt>2. A</dt><dd><span>1.</span> <span>23-27</span> <span>28-32</span> <span>2.</span>" in solutions
    assert printed(path, "--out", out, "--no-solutions") == 0
    assert "no solution is given" not in out.read_text()


OUTSIDE = """() => {
    const box = (each) => each.getBoundingClientRect();
    const told = [];
    for (const page of document.querySelectorAll(".diagrams")) {
        const paper = box(page), parts = [...page.querySelectorAll("h1, b, span, .diagram > svg, p, footer")];
        for (const [i, part] of parts.entries()) {
            const {left, top, right, bottom} = box(part), words = `${part.tagName} ${part.textContent}`;
            if (part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX === "visible")
                told.push(`wider than its place: ${words}`);
            if (Math.min(left - paper.left, paper.right - right, top - paper.top) < 28 || bottom > paper.bottom - 14)
                told.push(`off the paper: ${words}`);
            for (const its of parts.slice(0, i).map(box))
                if (left < its.right - 1 && its.left < right - 1 && top < its.bottom - 1 && its.top < bottom - 1)
                    told.push(`over another: ${words}`);
        }
    }
    const solutions = document.querySelector(".solutions");
    if (solutions.scrollWidth > solutions.clientWidth) told.push("wide solutions");
    return {told, side: Math.min(...[...document.querySelectorAll(".diagram > svg")].map((each) => box(each).width))};
}"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("paper", "columns", "rows", "least"),
    [("a4", 1, 1, 500), ("letter", 2, 3, 160), ("a4", 3, 4, 110), ("letter", 6, 8, 40)],
)
def test_nothing_overlaps_and_all_is_on_the_paper(
    paper: str, columns: int, rows: int, least: float, file: Path, tmp_path: Path, opened_file: Opener
) -> None:
    path, out = tmp_path / "many.jsonl", tmp_path / "sheet.html"
    lines = file.read_text("utf-8").split("\n")[: len(HOSTILE)]
    lines = [json.dumps(json.loads(line) | {"solution": "23-27 28-32 27-31"}) for line in lines]
    path.write_text("\n".join((lines * columns * rows)[: columns * rows + 1]))
    words = ("--title", "A title", "--paper", paper, "--columns", columns, "--rows", rows)
    assert printed(path, "--out", out, *words) == 0
    page = opened_file(out.as_uri())
    found = page.evaluate(OUTSIDE)
    assert found["told"] == []
    # points, as 3/4 of a pixel each
    assert found["side"] * 0.75 >= least
    pages = page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n")
    assert pages == 3 if columns * rows < 40 else pages > 3


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        ([FEN, "--out", "sheet.pdf"], 2, "expected a name that ends in .html; any browser prints it, to PDF too"),
        (["nothere", "--out", "sheet.html"], 2, "nothere: no such file"),
        (["W:W17-32:B1-16", "--out", "sheet.html"], 2, "at most 12"),
    ],
)
def test_what_cant_be_printed(
    words: list[str], code: int, part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert printed(*words) == code
    assert part in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_nothing_is_written_where_no_problem_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "bad.jsonl", tmp_path / "sheet.html"
    source.write_text("not json\n")
    assert printed(source, "--out", out) == 1
    assert "none of its problems can be read, so nothing was printed" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [source]


def test_squares_stand_where_they_are_named() -> None:
    """Of a page: the numbers of the squares, and the pieces on them, by their places."""
    chosen = settings(numbers=True)
    text = "".join(sheet_parts([sheet_entry(1, Problem("", "", Position.from_fen("W:W32:BK1")))], chosen))
    number = re.search(r'<text class="number" x="([\d.]+)" y="([\d.]+)"[^>]*>1</text>', text)
    king = re.search(r'<g class="piece black king" transform="translate\(([\d.]+),([\d.]+)\)">', text)
    assert number
    assert king
    assert list(chain(number.groups(), king.groups())) == ["49.5", "11", "70.5", "25.5"]
