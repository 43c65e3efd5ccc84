"""`kr problem print`: what stands on the pages, and that no text in them can do harm."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import zlib
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
from kr.problems.sheet_tex import tex_document, tex_text

FEN = "W:WK19,K23:B12,K28"
HOSTILE = {
    "LaTeX": r"\input{/etc/passwd} $x_1^2$ 50% #1 & ~ {open \write18{rm}",
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


def settings(name: str = "sheet.svg", **others: object) -> PrintSettings:
    return PrintSettings(source="x", out=Path(name), **others)  # type: ignore[arg-type]


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
    """Beside that of the font of a PDF, which is a wide one."""
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


def test_svg_is_a_file_a_page(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(file, "--out", tmp_path / "sheet.svg", "--numbers", "--json") == 1
    out, errors = capsys.readouterr()
    told = json.loads(out)
    assert (told["problems"], told["pages"], told["left_out"], told["without_solution"]) == (8, 2, 1, 8)
    assert f"problems.jsonl:{len(HOSTILE) + 1}" in errors
    pages = [tmp_path / f"sheet-{number}.svg" for number in (1, 2)]
    assert told["files"] == list(map(str, pages))
    texts = []
    for page in pages:
        tree = ElementTree.fromstring(page.read_text(encoding="utf-8"))
        assert {each.tag.rpartition("}")[2] for each in tree.iter()} <= {
            "svg", "g", "rect", "circle", "path", "text", "title",
        }  # fmt: skip
        texts += [each.text for each in tree.iter("{http://www.w3.org/2000/svg}text")]
    joined = " ".join(map(str, texts))
    assert "<script>" in joined
    assert "\\x1b[2J" in joined
    assert "\\u202e" in joined
    assert texts.count("White to play and win") == 8
    assert joined.count(" 32 ") == 8
    assert printed(FEN, "--out", tmp_path / "one.svg") == 0
    assert (tmp_path / "one.svg").exists()


def test_html_runs_nothing_and_loads_nothing(file: Path, tmp_path: Path) -> None:
    assert printed(file, "--out", tmp_path / "sheet.html", "--title", "</title><script>alert(1)</script>") == 1
    text = (tmp_path / "sheet.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert text.count('<div class="sheet">') == 2
    assert "default-src &#x27;none&#x27;" in text
    assert "size: a4; margin: 0" in text


@pytest.mark.slow
@pytest.mark.smoke
def test_pdf_has_text_and_vectors(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("reportlab")
    path = tmp_path / "sheet.pdf"
    assert printed(file, "--out", path, "--title", "Nine $problems$", "--numbers") == 1
    errors = capsys.readouterr().err
    assert re.search(r"the font of the PDF lacks 2 characters, printed as boxes: 国際", errors)
    assert "Traceback" not in errors
    content = path.read_bytes()
    assert len(re.findall(rb"/Type /Page\b", content)) == 2
    assert b"/Subtype /Image" not in content
    assert b"/JavaScript" not in content
    assert set(re.findall(rb"/FontName /\w+\+([\w-]+)", content)) == {b"DejaVuSans", b"DejaVuSans-Bold"}
    assert content.count(b"/FontFile2") == content.count(b"/FontDescriptor ")
    packed = [each.strip() for each in re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL)]
    streams = [zlib.decompress(base64.a85decode(each, adobe=True) if each.endswith(b"~>") else each) for each in packed]
    # the board with its numbers is stored once; text is text, in fonts that say which characters its glyphs are
    assert sorted(each.count(b".board Do") for each in streams)[-3:] == [0, 2, 6]
    assert max(each.count(b" Tj") for each in streams if b" Do" not in each) == 32
    named = {chr(int(each, 16)) for stream in streams
             for each in re.findall(rb"^<[0-9A-F]{2}> <([0-9A-F]+)>$", stream, re.MULTILINE)}  # fmt: skip
    assert set("уשţ$32") <= named
    before = content
    assert printed(file, "--out", path, "--title", "Nine $problems$", "--numbers") == 1
    assert path.read_bytes() == before


COMMANDS = set(
    """
    documentclass usepackage ifPDFTeX IfFileExists else fi setlength parindent parskip renewcommand familydefault
    sfdefault makeatletter makeatother newcommand ps oddhead oddfoot hfil textbf large sheettitle thepage
    othercharacter footnotesize symbol problemsize solutionsize squaresize fontsize selectfont newlength boardcell
    placewidth rowheight titleheight definecolor tikzset path draw fill node man king blackman whiteman blackking
    whiteking newsavebox emptyboard problem begin end centering parbox par vspace usebox emptyplace strut solution
    pagestyle sbox hfill newpage raggedright textbackslash textasciicircum textasciitilde textless textgreater
    textbar textquotedbl textasciigrave textendash textemdash textquoteleft textquoteright textquotedblleft
    textquotedblright quotedblbase textellipsis mbox
    """.split()
)
"""Commands of LaTeX and TikZ, and those that the document defines, in it."""


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_texts_mean_nothing_to_latex(text: str) -> None:
    given = sheet_entry(1, problem(text)).title
    made = tex_text(given)
    bare = re.sub(
        r"\\([A-Za-z]+|[{}$&#_%])", lambda found: "" if found[1] in COMMANDS or len(found[1]) == 1 else "!!", made
    )
    assert "!!" not in bare
    assert not set(bare) & set('\\$&#_%^~<>|"`*[]') - set("[]*")
    # brackets and stars only between braces
    assert not re.search(r"(?<!\{)[\[\]*]", bare)
    assert not re.search(r"--|''|``|,,|\?`", bare)
    depth = [0]
    for each in bare:
        depth.append(depth[-1] + (each == "{") - (each == "}"))
    assert min(depth) == depth[-1] == 0


def test_a_document_of_latex_uses_known_commands_alone() -> None:
    wanted = settings("x.tex", columns=3, rows=2, numbers=True, title=HOSTILE["LaTeX"])
    given = [sheet_entry(number, problem(text)) for number, text in enumerate(HOSTILE.values(), 1)]
    text = "".join(tex_document(given, wanted))
    plain = re.sub(r"(?<!\\)%.*", "", text)
    used = set(re.findall(r"\\([A-Za-z]+)", plain.replace("\\\\", "")))
    assert used <= COMMANDS, used - COMMANDS
    # none of LaTeX's own is defined again
    defined = set(re.findall(r"\\new(?:command|length|savebox)\{\\([A-Za-z@]+)\}", text))
    assert defined & used == used & {
        "sheettitle", "othercharacter", "problemsize", "solutionsize", "squaresize", "boardcell", "placewidth",
        "rowheight", "titleheight", "man", "king", "blackman", "whiteman", "blackking", "whiteking", "emptyboard",
        "problem", "emptyplace", "solution",
    }  # fmt: skip
    bare = re.sub(r"\\[\\{}]", "", plain)
    assert bare.count("{") == bare.count("}")
    assert text.count("\\begin{") == text.count("\\end{")
    assert len(re.findall(r"^\\problem\{", text, re.MULTILINE)) == len(HOSTILE)
    assert text.count("\\newpage") == 2
    assert len(re.findall(r"\\whiteking\{5\.5\}\{3\.5\}", text)) == len(HOSTILE)


@pytest.mark.slow
def test_latex_compiles(file: Path, tmp_path: Path) -> None:
    if not shutil.which("pdflatex"):
        pytest.skip("no pdflatex: apt install texlive-latex-extra")
    assert printed(file, "--out", tmp_path / "sheet.tex", "--numbers", "--title", HOSTILE["LaTeX"]) == 1
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "sheet.tex"], cwd=tmp_path, capture_output=True,
        text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        ([FEN, "--out", "sheet.doc"], 2, "expected a name that ends in .pdf, .svg, .html or .tex"),
        ([FEN, "--out", "sheet.svg", "--columns", "7"], 2, "expected 1 to 6"),
        (["nothere", "--out", "sheet.svg"], 2, "is not a file"),
        (["W:W17-32:B1-16", "--out", "sheet.svg"], 2, "at most 12"),
        ([FEN, "--out", "sheet.svg", "--paper", "a9"], 2, "a4"),
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


@pytest.mark.parametrize("kind", ["pdf", "svg", "html", "tex"])
def test_nothing_is_written_where_no_problem_can_be_read(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "bad.jsonl", tmp_path / f"sheet.{kind}"
    source.write_text("not json\n")
    assert printed(source, "--out", out) == 1
    assert "none of its problems can be read, so nothing was printed" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [source]


def test_without_its_libraries_a_pdf_names_the_other_kinds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kr.extras.find_spec", lambda name: None)
    assert printed(FEN, "--out", tmp_path / "sheet.pdf") == 2
    assert (
        "PDF needs matplotlib and reportlab: pip install matplotlib reportlab; or write .svg" in capsys.readouterr().err
    )


def test_squares_stand_where_they_are_named() -> None:
    """Of a page: the numbers of the squares, and the pieces on them, by their places."""
    from kr.problems.sheet_svg import page_svg

    (page,) = sheet_pages([sheet_entry(1, Problem("", "", Position.from_fen("W:W32:BK1")))], settings())
    text = page_svg(page, numbers=True)
    number = re.search(r'<text class="number" x="([\d.]+)" y="([\d.]+)"[^>]*>1</text>', text)
    king = re.search(r'<g class="piece black king" transform="translate\(([\d.]+),([\d.]+)\)">', text)
    assert number
    assert king
    assert list(chain(number.groups(), king.groups())) == ["49.5", "11", "70.5", "25.5"]
