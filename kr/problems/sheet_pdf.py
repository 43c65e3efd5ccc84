"""Pages of problems as PDF: text is text, boards are vectors. The board and the four pieces are stored once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kr import svg
from kr.extras import check_packages
from kr.notation import SIDE_NAMES, SQUARES, square_name
from kr.problems.sheet import SheetBoard, SheetPage, SheetText
from kr.problems.sheet_svg import PRINT_COLORS

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas

_FONTS = ("DejaVuSans", "DejaVuSans-Bold")
"""They come with matplotlib."""
RIM = 1.5
"""Width of the line around a piece, in units of a board."""
_BOARD_UNITS = 8 * svg.CELL + 2 * svg.EDGE
_BOARD = "board"
_NUMBER_SIZE = 8.0


def check_pdf() -> None:
    """Raise InvalidSettingError if a library is missing that PDF needs."""
    check_packages("PDF needs", "matplotlib", "reportlab", otherwise="; or write .svg, .html or .tex")


def write_pdf(path: Path, pages: Iterable[SheetPage], numbers: bool, title: str) -> set[str]:
    """Write pages to a file; returns the characters that its font lacks, which are printed as boxes.

    numbers: write those of the squares. The same pages give the same bytes.
    """
    from reportlab.pdfgen.canvas import Canvas

    known = [_registered_font(name) for name in _FONTS]
    used: list[set[str]] = [set() for _ in _FONTS]
    made = Canvas(str(path), pageCompression=1, invariant=1, initialFontName=_FONTS[0])
    made.setTitle(title)
    made.setCreator("kr")
    made.beginForm(_BOARD, 0, 0, _BOARD_UNITS, _BOARD_UNITS)
    _draw_board(made, numbers)
    made.endForm()
    for king in (False, True):
        for name in SIDE_NAMES:
            around = svg.CELL / 2
            made.beginForm(_piece_name(name, king), -around, -around, around, around)
            _draw_piece(made, name, king)
            made.endForm()
    for page in pages:
        made.setPageSize((page.width, page.height))
        for board in page.boards:
            _place_board(made, page, board)
        for line in page.texts:
            _draw_text(made, page, line)
            used[line.bold].update(line.text)
        made.showPage()
    made.save()
    return {each for texts, font in zip(used, known, strict=True) for each in texts if ord(each) not in font}


def _registered_font(name: str) -> dict[int, int]:
    """Make a font known to reportlab; returns the glyphs of its characters."""
    from matplotlib import get_data_path
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    font = TTFont(name, str(Path(get_data_path()) / "fonts" / "ttf" / f"{name}.ttf"))
    pdfmetrics.registerFont(font)
    return font.face.charToGlyph


def _draw_text(made: Canvas, page: SheetPage, line: SheetText) -> None:
    draw = {"start": made.drawString, "middle": made.drawCentredString, "end": made.drawRightString}[line.anchor]
    made.setFont(_FONTS[line.bold], line.size)
    draw(line.x, page.height - line.y, line.text)


def _place_board(made: Canvas, page: SheetPage, board: SheetBoard) -> None:
    scale = board.side / _BOARD_UNITS
    made.saveState()
    made.transform(scale, 0, 0, scale, board.x, page.height - board.y - board.side)
    made.doForm(_BOARD)
    for name, x, y in _pieces(board):
        made.saveState()
        made.translate(x, y)
        made.doForm(name)
        made.restoreState()
    made.restoreState()


def _pieces(board: SheetBoard) -> Iterator[tuple[str, float, float]]:
    """The drawings of the pieces, and their places in units of the board."""
    position = board.position
    for name, own in zip(SIDE_NAMES, (position.black, position.white), strict=True):
        for square in range(SQUARES):
            if own >> square & 1:
                x, y = _corner(square)
                yield _piece_name(name, bool(position.kings >> square & 1)), x + svg.CELL / 2, y - svg.CELL / 2


def _draw_board(made: Canvas, numbers: bool) -> None:
    """An empty board in its units, from its bottom left."""
    made.setFillColorRGB(*_color("edge"))
    made.rect(0, 0, _BOARD_UNITS, _BOARD_UNITS, stroke=0, fill=1)
    made.setFillColorRGB(*_color("light"))
    made.rect(svg.EDGE, svg.EDGE, 8 * svg.CELL, 8 * svg.CELL, stroke=0, fill=1)
    made.setFillColorRGB(*_color("dark"))
    for square in range(SQUARES):
        x, y = _corner(square)
        made.rect(x, y - svg.CELL, svg.CELL, svg.CELL, stroke=0, fill=1)
    if numbers:
        made.setFillColorRGB(*_color("number"))
        made.setFont(_FONTS[0], _NUMBER_SIZE)
        for square in range(SQUARES):
            x, y = _corner(square)
            made.drawString(x + 1.5, y - _NUMBER_SIZE, square_name(square))


def _piece_name(name: str, king: bool) -> str:
    return f"{name}{'king' if king else 'man'}"


def _draw_piece(made: Canvas, name: str, king: bool) -> None:
    """A piece around (0, 0)."""
    side = name.lower()
    fill, line = _color(side), _color(f"{side} rim")
    made.setFillColorRGB(*fill)
    made.setStrokeColorRGB(*line)
    made.setLineWidth(RIM)
    if king:
        for height in svg.KING_DISCS:
            made.circle(0, -height, svg.DISC, fill=1)
        top = svg.KING_DISCS[1]
        crown = made.beginPath()
        for place, (x, y) in enumerate(svg.CROWN):
            (crown.lineTo if place else crown.moveTo)(x, -top - y)
        crown.close()
        made.setFillColorRGB(*_color(f"{side} crown"))
        made.drawPath(crown, stroke=0, fill=1)
    else:
        made.circle(0, 0, svg.DISC, fill=1)
        # the groove: half as strong as the rim
        made.setStrokeColorRGB(*((a + b) / 2 for a, b in zip(fill, line, strict=True)))
        made.circle(0, 0, svg.GROOVE)


def _color(name: str) -> tuple[float, float, float]:
    """Red, green and blue, each 0 to 1."""
    red, green, blue = bytes.fromhex(PRINT_COLORS[name].removeprefix("#"))
    return red / 255, green / 255, blue / 255


def _corner(square: int) -> tuple[float, float]:
    """Left and top of a square in units of a board, from its bottom left."""
    column, row = svg.place(square)
    return svg.EDGE + column * svg.CELL, svg.EDGE + (8 - row) * svg.CELL
