"""`kr problem print`: problems as pages of HTML with `sheet.css`, which any browser prints as they are, to PDF too.

A page has rows of diagrams, each with number, title and author above it, and the side to move with the stipulation
below; behind them come the solutions, in two columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from math import ceil
from pathlib import Path
from typing import cast

from kr import svg
from kr.archives.archive import ReadSettings
from kr.errors import InvalidProblemError, InvalidSettingError, KrError
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.notation import SIDE_NAMES
from kr.pdn import Results
from kr.problems.problem import Problem, each_problem
from kr.settings import REQUIRED, Settings, option, same_option
from kr.storage import atomic_path, check_output
from kr.text import visible

PAPERS = {"a4": (595.28, 841.89), "letter": (612.0, 792.0)}
"""Width and height of papers in points, 1/72 inch."""
SHEET_MARGIN = 42.5
"""Points, 15 mm."""
LONGEST_WORDS = 400
"""Characters of a title or an author; what is longer is cut."""
SMALLEST_TEXT, LARGEST_TEXT = 5.5, 10.0
"""Sizes of the text at a diagram, in points."""
WIDEST = 0.85
"""Width of a character of a title at most, but for those of East Asia, as a multiple of its size."""
TITLE_HEIGHT = 24.0
"""Height of the title of a page, in points."""
PRINT_COLORS = {
    "light": "#ffffff", "dark": "#c9c9c9", "edge": "#000000", "number": "#000000", "black": "#000000",
    "black rim": "#ffffff", "white": "#ffffff", "white rim": "#000000", "black crown": "#ffffff",
    "white crown": "#000000",
}  # fmt: skip
"""Colours of boards for print, without any: on paper, copied or not, they stay apart."""


@dataclass(frozen=True)
class PrintSettings(Settings):
    """Problems to print, and the looks of the pages."""

    source: str = option(
        REQUIRED, "Problems: PDN, JSON lines, or one FEN in each line; or a built-in name, or a FEN.",
        metavar="FILE|NAME|FEN", argument=True,
    )  # fmt: skip
    out: Path = option(REQUIRED, "Page of HTML to write, a name that ends in .html.", metavar="FILE")
    results: str = same_option(ReadSettings, "results")
    title: str = option("", "Title at the head of each page.")
    columns: int = option(2, "Diagrams side by side, {allowed}.", low=1, high=6)
    rows: int = option(3, "Rows of diagrams on a page, {allowed}.", low=1, high=8)
    paper: str = option("a4", "Paper: {allowed}.", choices=tuple(PAPERS))
    numbers: bool = option(False, "Write the numbers of the squares.")
    solutions: bool = option(True, "Write the solutions at the end.")

    @property
    def diagrams(self) -> int:
        """Diagrams on a page."""
        return self.columns * self.rows

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.out.suffix.lower() != ".html":
            raise InvalidSettingError(
                f"--out {self.out}: expected a name that ends in .html; any browser prints it, to PDF too"
            )


@dataclass
class PrintReport:
    """What was printed."""

    problems: int
    without_solution: int
    lost: int
    """Problems that the side to move loses."""
    pages: int
    """Those of diagrams."""


@dataclass(frozen=True)
class SheetEntry:
    """A problem in words, each of one line without control characters."""

    number: int
    title: str
    """With its number before it."""
    author: str
    stipulation: str
    solution: str
    position: Position


def sheet_entry(number: int, problem: Problem) -> SheetEntry:
    """The words of a problem. number: from 1."""
    # the title of a position alone is what the diagram shows
    named = _cut(problem.title or problem.id)
    title = f"{number}. {named}" if named and named != problem.position.fen else f"{number}."
    return SheetEntry(
        number, title, _cut(problem.author), stipulation(problem), visible(solution_words(problem)), problem.position
    )


def _cut(text: str) -> str:
    words = visible(" ".join(text.split()))
    return words if len(words) <= LONGEST_WORDS else words[: LONGEST_WORDS - 1] + "…"


def stipulation(problem: Problem) -> str:
    """The side to move and what it is to reach: "White to play and win"."""
    side: Side = problem.position.side
    to_play = f"{SIDE_NAMES[side]} to play"
    match problem.published:
        case Value.WIN:
            return f"{to_play} and win"
        case Value.DRAW:
            return f"{to_play} and draw"
        case Value.LOSS:
            return f"{to_play}, {SIDE_NAMES[side.other]} wins"
    return to_play


def solution_words(problem: Problem) -> str:
    """The published solution with the numbers of its moves, or the moves that keep the result; "" if none is known."""
    moves = problem.solution.split() or ([str(problem.first_move)] if problem.first_move is not None else [])
    if not moves:
        return " or ".join(map(str, problem.keeping_moves))
    return " ".join(f"{ply // 2 + 1}. {move}" if ply % 2 == 0 else move for ply, move in enumerate(moves))


def print_problems(
    settings: PrintSettings, on_error: Callable[[KrError], None], on_problem: Callable[[], None] = lambda: None
) -> PrintReport:
    """Write the pages of the problems of a source.

    on_error: called for each problem that can't be read; on_problem: for each other. Raises what `each_problem` raises,
    and OSError.
    """
    check_output(settings.out)
    entries: list[SheetEntry] = []
    lost = 0
    for number, problem in enumerate(each_problem(settings.source, on_error, cast(Results, settings.results)), 1):
        entries.append(sheet_entry(number, problem))
        lost += problem.published is Value.LOSS
        on_problem()
    if not entries:
        raise InvalidProblemError(f"{settings.source}: none of its problems can be read, so nothing was printed")
    with atomic_path(settings.out) as path, path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(sheet_parts(entries, settings))
    return PrintReport(
        len(entries), sum(not each.solution for each in entries), lost, ceil(len(entries) / settings.diagrams)
    )


def sheet_parts(entries: Sequence[SheetEntry], settings: PrintSettings) -> Iterator[str]:
    """Parts of the page of HTML: the diagrams, and then the solutions if they are wanted and there are any."""
    from kr.viewer.bundle import page_policy

    style, title = _style(entries, settings), escape(_cut(settings.title))
    empty = svg.board(colors=PRINT_COLORS, coordinates=settings.numbers).strip()
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(page_policy("", style))}">\n'
        f"<title>{title or 'Problems'}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f'<svg class="empty"><defs><g id="empty">{empty}</g></defs></svg>\n'
    )
    for first in range(0, len(entries), settings.diagrams):
        diagrams = "\n".join(map(_diagram, entries[first : first + settings.diagrams]))
        number = first // settings.diagrams + 1
        yield f'<div class="page diagrams">\n<h1>{title}</h1>\n{diagrams}\n<footer>{number}</footer>\n</div>\n'
    if settings.solutions and any(each.solution for each in entries):
        yield '<div class="page solutions">\n<h2>Solutions</h2>\n<dl>\n'
        for each in entries:
            # a move is not broken at its hyphen
            words = " ".join(f"<span>{escape(word)}</span>" for word in each.solution.split())
            yield f"<dt>{escape(each.title)}</dt><dd>{words or 'no solution is given'}</dd>\n"
        yield "</dl>\n</div>\n"
    yield "</body>\n</html>\n"


def _style(entries: Sequence[SheetEntry], settings: PrintSettings) -> str:
    """The style sheet, with the sizes that all pages share. With most rows and columns a board has 40 points."""
    width, height = PAPERS[settings.paper]
    head = TITLE_HEIGHT if settings.title else 0
    column = (width - (2 + (settings.columns - 1) / 2) * SHEET_MARGIN) / settings.columns
    text = min(column, (height - 2 * SHEET_MARGIN - head) / settings.rows) / 16
    text = max(SMALLEST_TEXT, min(LARGEST_TEXT, text))
    lines = 1 + any(len(each.title) * text * WIDEST > column for each in entries) + any(each.author for each in entries)
    sizes = (
        f"--width: {width}pt; --height: {height}pt; --margin: {SHEET_MARGIN}pt; --columns: {settings.columns}; "
        f"--rows: {settings.rows}; --text: {text:g}pt; --lines: {lines}; --head: {head}pt;"
    )
    title = "".join(each if each.isalnum() else f"\\{ord(each):x} " for each in _cut(settings.title))
    papers = (
        f"@page {{ size: {settings.paper}; margin: 0 }}\n"
        f"@page solutions {{ margin: {SHEET_MARGIN}pt; "
        f'@top-center {{ font: bold 13pt sans-serif; content: "{title}" }} '
        "@bottom-center { font: 8.5pt sans-serif; content: counter(page) } }\n"
    )
    sheet = resources.files(__package__).joinpath("sheet.css").read_text("utf-8")
    return f"{papers}:root {{ {sizes} }}\n{sheet}"


def _diagram(entry: SheetEntry) -> str:
    author = f"<span>{escape(entry.author)}</span>" if entry.author else ""
    pieces = svg.board(entry.position, colors=PRINT_COLORS, backdrop=False).strip()
    board = pieces.replace("</title>", '</title><use href="#empty"/>', 1)
    return (
        f'<div class="diagram"><div><b>{escape(entry.title)}</b>{author}</div>{board}'
        f"<p>{escape(entry.stipulation)}</p></div>"
    )
