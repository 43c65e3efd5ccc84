"""Sheets of problems for print: what stands where on each page, in points from its top left corner.

A page has rows of diagrams, each with number, title and author above it, and the side to move with the stipulation
below; behind them come the solutions, in two columns. `kr.problems.sheet_html` draws the pages.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

from kr.archives.archive import ReadSettings
from kr.errors import InvalidSettingError
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.notation import SIDE_NAMES
from kr.problems.problem import Problem
from kr.settings import REQUIRED, Settings, option, same_option
from kr.text import visible

PAPERS = {"a4": (595.28, 841.89), "letter": (612.0, 792.0)}
"""Width and height of papers in points, 1/72 inch."""
SHEET_MARGIN = 42.5
"""Points, 15 mm."""
LONGEST_WORDS = 400
"""Characters of a title or an author; what is longer is cut."""
LINE = 1.25
"""Height of a line of text, as a multiple of its size."""
SMALLEST_TEXT, LARGEST_TEXT = 5.5, 10.0
"""Sizes of the text at a diagram, in points."""
SOLUTION_SIZE = 8.5
HEAD_SIZE = 13.0
MORE = "…"


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

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.out.suffix.lower() != ".html":
            raise InvalidSettingError(
                f"--out {self.out}: expected a name that ends in .html; any browser prints it, to PDF too"
            )


@dataclass(frozen=True)
class SheetText:
    """A line of text on a page."""

    x: float
    y: float
    """Of its base line."""
    size: float
    text: str
    bold: bool = False
    anchor: str = "start"
    """What x is of it: start, middle or end."""


@dataclass(frozen=True)
class SheetBoard:
    """A diagram on a page, by its top left corner and its side."""

    x: float
    y: float
    side: float
    position: Position


@dataclass
class SheetPage:
    """A page."""

    number: int
    width: float
    height: float
    texts: list[SheetText] = field(default_factory=list)
    boards: list[SheetBoard] = field(default_factory=list)


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
    return words if len(words) <= LONGEST_WORDS else words[: LONGEST_WORDS - 1] + MORE


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


# the room that text takes

_NARROW = dict.fromkeys("ijl.,:;'|!I ", 0.34) | dict.fromkeys('frt()[]/\\-"', 0.46)
_WIDE = dict.fromkeys("mwMW@%", 1.0) | dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&+=<>~#", 0.8)
_WIDTHS = _NARROW | _WIDE


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Points that a text takes at most in the usual fonts without serifs, whichever is there: an estimate."""
    width = 0.0
    for each in text:
        share = _WIDTHS.get(each)
        if share is None:
            share = 0.65 if each.isascii() else 1.05 if unicodedata.east_asian_width(each) in "WF" else 0.8
        width += share
    return width * size * (1.12 if bold else 1.0)


def wrapped(text: str, width: float, size: float, bold: bool = False, most: int = 0) -> list[str]:
    """Lines of a text that are no wider than so many points, broken at blanks, or within a word that is wider.

    most: lines, 0 for any number; what is left then ends with an ellipsis.
    """
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if text_width(longer, size, bold) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        while text_width(word, size, bold) > width and len(word) > 1:
            head = _fitting(word, width, size, bold)
            lines.append(word[:head])
            word = word[head:]
        line = word
    lines += [line] if line else []
    if most and len(lines) > most:
        last = lines[most - 1]
        while last and text_width(last + MORE, size, bold) > width:
            last = last[:-1]
        lines[most - 1 :] = [last.rstrip() + MORE]
    return lines


def _fitting(word: str, width: float, size: float, bold: bool) -> int:
    """Number of characters of a word that fit, one at least."""
    count = 1
    while count < len(word) and text_width(word[: count + 1], size, bold) <= width:
        count += 1
    return count


# pages


@dataclass(frozen=True)
class SheetForm:
    """Sizes that all pages share, in points."""

    width: float
    height: float
    top: float
    """Where the diagrams begin, below the title."""
    column: float
    gap: float
    row: float
    size: float
    """Of the text at a diagram."""
    title_lines: int
    author: bool
    board: float
    """Side of a board."""

    @property
    def above(self) -> float:
        """Height of the texts above a board."""
        return LINE * self.size * (self.title_lines + self.author) + 0.3 * self.size


def sheet_form(entries: Sequence[SheetEntry], settings: PrintSettings) -> SheetForm:
    """Sizes for these problems. With the most rows and columns a board has 40 points, which is readable."""
    width, height = PAPERS[settings.paper]
    top = SHEET_MARGIN + (1.8 * HEAD_SIZE if settings.title else 0)
    gap = SHEET_MARGIN / 2
    column = (width - 2 * SHEET_MARGIN - (settings.columns - 1) * gap) / settings.columns
    # the number of the page is within the margin
    row = (height - top - SHEET_MARGIN) / settings.rows
    size = max(SMALLEST_TEXT, min(LARGEST_TEXT, min(column, row) / 16))
    lines = max((len(wrapped(each.title, column, size, bold=True, most=2)) for each in entries), default=1)
    author = any(each.author for each in entries)
    around = LINE * size * (lines + author + 1) + 0.3 * size + 1.2 * size
    board = min(column, row - around)
    return SheetForm(width, height, top, column, gap, row, size, lines, author, board)


def sheet_pages(entries: Sequence[SheetEntry], settings: PrintSettings) -> Iterator[SheetPage]:
    """The pages: the diagrams, and then the solutions if they are wanted and there are any."""
    form = sheet_form(entries, settings)
    each_page = settings.rows * settings.columns
    count = ceil(len(entries) / each_page)
    for number in range(count):
        page = _new_page(number + 1, form, settings.title)
        for place, entry in enumerate(entries[number * each_page : (number + 1) * each_page]):
            row, column = divmod(place, settings.columns)
            x = SHEET_MARGIN + column * (form.column + form.gap)
            _add_entry(page, entry, x, form.top + row * form.row, form)
        yield page
    if settings.solutions and any(each.solution for each in entries):
        yield from _solution_pages(entries, form, settings.title, count)


def _new_page(number: int, form: SheetForm, title: str) -> SheetPage:
    page = SheetPage(number, form.width, form.height)
    if title:
        (line,) = wrapped(_cut(title) or " ", form.width - 2 * SHEET_MARGIN, HEAD_SIZE, bold=True, most=1) or [""]
        page.texts.append(SheetText(form.width / 2, SHEET_MARGIN + HEAD_SIZE * 0.8, HEAD_SIZE, line, True, "middle"))
    page.texts.append(
        SheetText(form.width / 2, form.height - SHEET_MARGIN / 2, SOLUTION_SIZE, str(number), False, "middle")
    )
    return page


def _add_entry(page: SheetPage, entry: SheetEntry, x: float, y: float, form: SheetForm) -> None:
    """Put a problem on a page, its column and row beginning at x and y."""
    middle, size = x + form.column / 2, form.size
    titles = wrapped(entry.title, form.column, size, bold=True, most=form.title_lines)
    authors = wrapped(entry.author, form.column, size, most=1) if form.author else []
    # just above the board, whatever other problems have there
    base = y + form.above - 0.3 * size - 0.25 * size - LINE * size * (len(titles) + len(authors) - 1)
    for text, bold in [*((each, True) for each in titles), *((each, False) for each in authors)]:
        page.texts.append(SheetText(middle, base, size, text, bold, "middle"))
        base += LINE * size
    top = y + form.above
    page.boards.append(SheetBoard(middle - form.board / 2, top, form.board, entry.position))
    (words,) = wrapped(entry.stipulation, form.column, size, most=1)
    page.texts.append(SheetText(middle, top + form.board + 1.15 * size, size, words, False, "middle"))


def _solution_pages(entries: Iterable[SheetEntry], form: SheetForm, title: str, before: int) -> Iterator[SheetPage]:
    """Pages of solutions in two columns. before: pages so far."""
    size, step = SOLUTION_SIZE, LINE * SOLUTION_SIZE
    width = (form.width - 2 * SHEET_MARGIN - form.gap) / 2
    page = _new_page(before + 1, form, title)
    page.texts.append(SheetText(SHEET_MARGIN, form.top + LARGEST_TEXT, LARGEST_TEXT + 1, "Solutions", bold=True))
    first = top = form.top + 2.6 * LARGEST_TEXT
    x, y = SHEET_MARGIN, top + size
    for entry in entries:
        words = entry.solution or "no solution is given"
        lines = [(each, True) for each in wrapped(entry.title, width, size, bold=True)]
        lines += [(each, False) for each in wrapped(words, width, size)]
        for place, (text, bold) in enumerate(lines):
            # a title does not stand alone at the end of a column
            rest = 2 if bold and place + 1 < len(lines) else 1
            if y + (rest - 1) * step > form.height - SHEET_MARGIN:
                if x > SHEET_MARGIN:
                    yield page
                    page = _new_page(page.number + 1, form, title)
                    first = form.top
                    x = SHEET_MARGIN
                else:
                    x += width + form.gap
                y = first + size
            page.texts.append(SheetText(x, y, size, text, bold))
            y += step
        y += 0.4 * step
    yield page
