"""Pages of problems as PDF: text is text, boards are vectors. The board and the four pieces are stored once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from kr import svg
from kr.figures import check_installed
from kr.notation import SIDE_NAMES, SQUARES, square_name
from kr.problems import pdf
from kr.problems.sheet import SheetBoard, SheetPage, SheetText
from kr.problems.sheet_svg import PRINT_COLORS

FONT_FILES = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
"""They come with matplotlib."""
RIM = 1.5
"""Width of the line around a piece, in units of a board."""
_BOARD_UNITS = 8 * svg.CELL + 2 * svg.EDGE
_BOARD = "board"
_NUMBER_SIZE = 8.0


def check_pdf() -> None:
    """Raise InvalidSettingError if matplotlib is missing."""
    check_installed("PDF needs", otherwise="; or write .svg, .html or .tex")


def write_pdf(path: Path, pages: Iterable[SheetPage], numbers: bool, title: str) -> set[str]:
    """Write pages to a file; returns the characters that its font lacks, which are printed as boxes.

    numbers: write those of the squares. The same pages give the same bytes.
    """
    from matplotlib import get_data_path

    fonts = [pdf.PdfFont(Path(get_data_path()) / "fonts" / "ttf" / name) for name in FONT_FILES]
    with path.open("wb") as file:
        made = pdf.PdfFile(file, fonts)
        made.add_drawing(_BOARD, (0, 0, _BOARD_UNITS, _BOARD_UNITS), _board(made, numbers))
        for king in (False, True):
            for name in SIDE_NAMES:
                around = svg.CELL / 2
                made.add_drawing(_piece_name(name, king), (-around, -around, around, around), _piece(name, king))
        for page in pages:
            made.add_page(page.width, page.height, _page(made, fonts, page))
        made.close(title)
    return fonts[0].missing | fonts[1].missing


def _page(made: pdf.PdfFile, fonts: list[pdf.PdfFont], page: SheetPage) -> Iterator[str]:
    for board in page.boards:
        scale = board.side / _BOARD_UNITS
        left, bottom = board.x, page.height - board.y - board.side
        yield f"q {scale:.6f} 0 0 {scale:.6f} {left:.3f} {bottom:.3f} cm /{_BOARD} Do"
        yield from _pieces(board)
        yield "Q"
    for line in page.texts:
        yield _text(made, fonts, page, line)


def _text(made: pdf.PdfFile, fonts: list[pdf.PdfFont], page: SheetPage, line: SheetText) -> str:
    x = line.x
    if line.anchor != "start":
        width = fonts[line.bold].width(line.text) * line.size
        x -= width / 2 if line.anchor == "middle" else width
    return made.text(x, page.height - line.y, line.size, line.text, int(line.bold))


def _pieces(board: SheetBoard) -> Iterator[str]:
    position = board.position
    for name, own in zip(SIDE_NAMES, (position.black, position.white), strict=True):
        for square in range(SQUARES):
            if own >> square & 1:
                x, y = _corner(square)
                drawing = _piece_name(name, bool(position.kings >> square & 1))
                yield f"q 1 0 0 1 {x + svg.CELL / 2:g} {y - svg.CELL / 2:g} cm /{drawing} Do Q"


def _board(made: pdf.PdfFile, numbers: bool) -> Iterator[str]:
    """An empty board in its units, from its bottom left."""
    yield f"{pdf.filled(_color('edge'))} {pdf.box(0, 0, _BOARD_UNITS, _BOARD_UNITS)} f"
    yield f"{pdf.filled(_color('light'))} {pdf.box(svg.EDGE, svg.EDGE, 8 * svg.CELL, 8 * svg.CELL)} f"
    yield pdf.filled(_color("dark"))
    for square in range(SQUARES):
        x, y = _corner(square)
        yield pdf.box(x, y - svg.CELL, svg.CELL, svg.CELL)
    yield "f"
    if numbers:
        yield pdf.filled(_color("number"))
        for square in range(SQUARES):
            x, y = _corner(square)
            yield made.text(x + 1.5, y - _NUMBER_SIZE, _NUMBER_SIZE, square_name(square))


def _piece_name(name: str, king: bool) -> str:
    return f"{name}{'king' if king else 'man'}"


def _piece(name: str, king: bool) -> Iterator[str]:
    """A piece around (0, 0)."""
    side = name.lower()
    fill, line = _color(side), _color(f"{side} rim")
    yield pdf.filled(fill)
    yield pdf.lined(line, RIM)
    if king:
        yield from (f"{pdf.circle(svg.DISC, -y)} B" for y in svg.KING_DISCS)
        top = svg.KING_DISCS[1]
        yield f"{pdf.filled(_color(f'{side} crown'))} {pdf.polygon([(x, -top - y) for x, y in svg.CROWN])} f"
    else:
        yield f"{pdf.circle(svg.DISC)} B"
        # the groove: half as strong as the rim
        yield pdf.lined([(a + b) / 2 for a, b in zip(fill, line, strict=True)], RIM)
        yield f"{pdf.circle(svg.GROOVE)} S"


def _color(name: str) -> tuple[float, float, float]:
    return pdf.color(PRINT_COLORS[name])


def _corner(square: int) -> tuple[float, float]:
    """Left and top of a square in units of a board, from its bottom left."""
    column, row = svg.place(square)
    return svg.EDGE + column * svg.CELL, svg.EDGE + (8 - row) * svg.CELL
