"""`kr problem print`: what stands on the pages, and that no text in them can do harm."""

from __future__ import annotations

import json
import re
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kr.cli import main
from kr.game.position import Position
from kr.problems.problem import Problem
from kr.problems.sheet import (
    SHEET_MARGIN,
    PrintSettings,
    SheetEntry,
    sheet_entry,
    sheet_pages,
    solution_words,
    stipulation,
    text_width,
    wrapped,
)
from kr.problems.sheet_html import pages_html

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


def entries(count: int, title: str = "") -> list[SheetEntry]:
    return [sheet_entry(number, problem(title)) for number in range(1, count + 1)]


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


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("width", [30.0, 200.0])
def test_lines_are_as_wide_as_their_column(text: str, width: float) -> None:
    shown = sheet_entry(1, problem(text)).title
    lines = wrapped(shown, width, 9.0)
    assert all(text_width(line, 9.0) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == shown.replace(" ", "")
    cut = wrapped(shown, width, 9.0, most=1)
    assert len(cut) == 1
    assert cut[0] == lines[0] or cut[0].endswith("…")


@pytest.mark.smoke
def test_the_estimated_width_is_enough() -> None:
    """Beside that of the font that pages ask for first, which is a wide one."""
    pytest.importorskip("matplotlib")
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    for text in (
        "White to play and win",
        "1. The Doctor's Stroke",
        "12. WILLIAM PAYNE, MMM",
        "1. 10x17x26 31-22 2. 8-12",
    ):
        for bold in (False, True):
            font = FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")
            real = TextPath((0, 0), text, size=10, prop=font).get_extents().width
            assert real <= text_width(text, 10, bold) <= 1.45 * real, text


@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (2, 3), (3, 4), (4, 5), (6, 8)])
def test_nothing_overlaps_and_all_is_on_the_paper(paper: str, columns: int, rows: int) -> None:
    count = 2 * columns * rows + 1
    chosen = settings(paper=paper, columns=columns, rows=rows, title="A title")
    pages = list(sheet_pages(entries(count, "A title that is long enough for more than a line"), chosen))
    boards = [board for page in pages for board in page.boards]
    assert len(boards) == count
    assert [page.number for page in pages] == list(range(1, len(pages) + 1))
    for page in pages:
        boxes = [(board.x, board.y, board.x + board.side, board.y + board.side) for board in page.boards]
        for line in page.texts:
            width = text_width(line.text, line.size, line.bold)
            left = line.x - (width / 2 if line.anchor == "middle" else 0)
            boxes.append((left, line.y - 0.8 * line.size, left + width, line.y + 0.2 * line.size))
        for place, (left, top, right, bottom) in enumerate(boxes):
            assert left >= SHEET_MARGIN / 2
            assert top >= SHEET_MARGIN / 2
            assert right <= page.width - SHEET_MARGIN / 2
            assert bottom <= page.height - SHEET_MARGIN / 4
            for other in boxes[:place]:
                apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
                assert apart, (page.number, boxes[place], other)


def test_the_smallest_boards_are_readable() -> None:
    for paper, words in (("a4", "short"), ("letter", "long " * 90)):
        chosen = settings(columns=6, rows=8, paper=paper, title="x")
        assert min(board.side for page in sheet_pages(entries(48, words), chosen) for board in page.boards) >= 40


def test_solutions_can_be_left_out() -> None:
    def words(**others: bool) -> list[str]:
        return [line.text for page in sheet_pages(entries(1), settings(**others)) for line in page.texts]

    assert "Solutions" in words()
    assert "1. 23-27 28-32 2. 27-31" in words()
    assert "Solutions" not in words(solutions=False)


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
    assert printed(file, "--out", tmp_path / "sheet.html", "--numbers", "--json") == 1
    out, errors = capsys.readouterr()
    told = json.loads(out)
    assert (told["problems"], told["pages"], told["left_out"], told["without_solution"]) == (8, 2, 1, 8)
    assert f"problems.jsonl:{len(HOSTILE) + 1}" in errors
    pages = re.findall(r'<div class="sheet">\n(.*?)</div>', (tmp_path / "sheet.html").read_text(encoding="utf-8"), re.S)
    assert len(pages) == 2
    texts = []
    for page in pages:
        tree = ElementTree.fromstring(page)
        assert {each.tag.rpartition("}")[2] for each in tree.iter()} <= {
            "svg", "g", "defs", "use", "rect", "circle", "path", "text", "title",
        }  # fmt: skip
        texts += [each.text for each in tree.iter("{http://www.w3.org/2000/svg}text")]
    joined = " ".join(map(str, texts))
    assert "<script>" in joined
    assert "\\x1b[2J" in joined
    assert "\\u202e" in joined
    assert texts.count("White to play and win") == 8
    # the empty board stands once
    assert texts.count("32") == 1
    assert "".join(pages).count('<use href="#empty"/>') == 8


def test_html_runs_nothing_and_loads_nothing(file: Path, tmp_path: Path) -> None:
    assert printed(file, "--out", tmp_path / "sheet.html", "--title", "</title><script>alert(1)</script>") == 1
    text = (tmp_path / "sheet.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert text.count('<div class="sheet">') == 2
    assert "default-src &#x27;none&#x27;" in text
    assert "size: a4; margin: 0" in text


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        ([FEN, "--out", "sheet.pdf"], 2, "expected a name that ends in .html; any browser prints it, to PDF too"),
        ([FEN, "--out", "sheet.html", "--columns", "7"], 2, "expected 1 to 6"),
        (["nothere", "--out", "sheet.html"], 2, "is not a file"),
        (["W:W17-32:B1-16", "--out", "sheet.html"], 2, "at most 12"),
        ([FEN, "--out", "sheet.html", "--paper", "a9"], 2, "a4"),
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
    pages = sheet_pages([sheet_entry(1, Problem("", "", Position.from_fen("W:W32:BK1")))], chosen)
    text = "".join(pages_html(chosen, pages))
    number = re.search(r'<text class="number" x="([\d.]+)" y="([\d.]+)"[^>]*>1</text>', text)
    king = re.search(r'<g class="piece black king" transform="translate\(([\d.]+),([\d.]+)\)">', text)
    assert number
    assert king
    assert list(chain(number.groups(), king.groups())) == ["49.5", "11", "70.5", "25.5"]
