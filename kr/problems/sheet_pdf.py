"""Pages of problems as PDF by matplotlib: text is text, boards are vectors.

Shapes of one colour are one path a page, which is many times faster than a piece at a time.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr import svg
from kr.figures import check_installed
from kr.notation import SIDE_NAMES, SQUARES, square_name
from kr.problems.sheet import SheetBoard, SheetPage, SheetText
from kr.problems.sheet_svg import PRINT_COLORS

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.path import Path as Outline

FONT = "DejaVu Sans"
"""It comes with matplotlib."""
POINTS = 72.0
"""Points of an inch."""
_BOARD_UNITS = 8 * svg.CELL + 2 * svg.EDGE
_FORMATS: dict[Any, Any] = {
    # text stays text that can be searched and copied, in TrueType; nothing but paths and text
    "pdf.fonttype": 42, "pdf.compression": 6, "font.family": [FONT], "text.usetex": False, "axes.unicode_minus": False,
}  # fmt: skip


def check_pdf() -> None:
    """Raise InvalidSettingError if matplotlib is missing."""
    check_installed("PDF needs", otherwise="; or write .svg, .html or .tex")


def write_pdf(path: Path, pages: Iterable[SheetPage], numbers: bool, title: str) -> set[str]:
    """Write pages to a file; returns the characters that its font lacks, which are printed as boxes.

    numbers: write those of the squares. The same pages give the same bytes.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_pdf import PdfPages
    from matplotlib.figure import Figure

    about = {"Title": title, "Creator": "kr", "Producer": "matplotlib", "CreationDate": None}
    shown: set[str] = set()
    with rc_context(_FORMATS), warnings.catch_warnings():
        # they are told once, by the caller
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        with PdfPages(path, metadata=about) as file:
            for page in pages:
                figure = Figure(figsize=(page.width / POINTS, page.height / POINTS))
                _draw_boards(figure, page)
                texts = [*page.texts, *(_numbers(page) if numbers else ())]
                figure.add_artist(_texts_artist()(page, texts))
                shown.update(*(each.text for each in texts))
                file.savefig(figure)
    return _missing(shown)


def _missing(characters: set[str]) -> set[str]:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    font = get_font(findfont(FontProperties(family=FONT)))
    return {each for each in characters if not font.get_char_index(ord(each))}


@cache
def _texts_artist() -> Any:
    """The class of all texts of a page, made late, as its base is of matplotlib."""
    from matplotlib.artist import Artist

    class Texts(Artist):
        """Lines of text that are handed to the renderer as they are: matplotlib's own texts take four times as long."""

        def __init__(self, page: SheetPage, lines: Sequence[SheetText]) -> None:
            super().__init__()
            self.page, self.lines = page, lines
            # above the squares
            self.set_zorder(3)

        def draw(self, renderer: Any) -> None:
            """Draw them."""
            context = renderer.new_gc()
            for line in self.lines:
                font = _font(line.size, line.bold)
                x = line.x
                if line.anchor != "start":
                    width, _, _ = renderer.get_text_width_height_descent(line.text, font, False)
                    x -= width / 2 if line.anchor == "middle" else width
                renderer.draw_text(context, x, self.page.height - line.y, line.text, font, 0)
            context.restore()

    return Texts


@cache
def _font(size: float, bold: bool) -> FontProperties:
    from matplotlib.font_manager import FontProperties

    return FontProperties(family=FONT, size=size, weight="bold" if bold else "normal")


def _numbers(page: SheetPage) -> Iterator[SheetText]:
    """Those of the squares on a page's boards."""
    for board in page.boards:
        scale = board.side / _BOARD_UNITS
        for square in range(SQUARES):
            x, y = _corner(square)
            yield SheetText(board.x + (x + 1.5) * scale, board.y + (y + 8) * scale, 8 * scale, square_name(square))


def _draw_boards(figure: Figure, page: SheetPage) -> None:
    """All boards of a page, layer by layer."""
    if not page.boards:
        return
    scale = page.boards[0].side / _BOARD_UNITS
    rim = 1.5 * scale
    squares = [(board, square) for board in page.boards for square in range(SQUARES)]
    frames = [_box(page, board, 0, 0, _BOARD_UNITS) for board in page.boards]
    _draw(figure, frames, PRINT_COLORS["edge"])
    _draw(figure, [_box(page, board, svg.EDGE, svg.EDGE, 8 * svg.CELL) for board in page.boards], PRINT_COLORS["light"])
    _draw(figure, [_box(page, board, *_corner(square), svg.CELL) for board, square in squares], PRINT_COLORS["dark"])
    for side, name in enumerate(each.lower() for each in SIDE_NAMES):
        fill, line = PRINT_COLORS[name], PRINT_COLORS[f"{name} rim"]
        own = [(board, square) for board, square in squares if _side(board, square) == side]
        men = [each for each in own if not _is_king(*each)]
        kings = [each for each in own if _is_king(*each)]
        _draw(figure, [_circle(page, *each, svg.DISC) for each in men], fill, line, rim)
        _draw(figure, [_circle(page, *each, svg.GROOVE) for each in men], "none", line, rim, 0.5)
        for y in svg.KING_DISCS:
            _draw(figure, [_circle(page, *each, svg.DISC, y) for each in kings], fill, line, rim)
        _draw(figure, [_crown(page, *each) for each in kings], PRINT_COLORS[f"{name} crown"])


def _draw(
    figure: Figure, outlines: Sequence[Outline], fill: str, line: str = "none", width: float = 0.0, alpha: float = 1.0
) -> None:
    """Draw outlines, given in points, as one shape. width: of their line, in points."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline
    from matplotlib.transforms import Affine2D

    if outlines:
        points = Affine2D().scale(1 / POINTS) + figure.dpi_scale_trans
        whole = Outline.make_compound_path(*outlines)
        drawn = PathPatch(whole, facecolor=fill, edgecolor=line, linewidth=width, alpha=alpha, transform=points)
        figure.add_artist(drawn)


def _corner(square: int) -> tuple[float, float]:
    """Left and top of a square in units of a board."""
    column, row = svg.place(square)
    return svg.EDGE + column * svg.CELL, svg.EDGE + row * svg.CELL


def _side(board: SheetBoard, square: int) -> int | None:
    position = board.position
    if position.black >> square & 1:
        return 0
    return 1 if position.white >> square & 1 else None


def _is_king(board: SheetBoard, square: int) -> bool:
    return bool(board.position.kings >> square & 1)


def _placed(page: SheetPage, board: SheetBoard, x: float, y: float) -> tuple[float, float]:
    """A place on a board, in its units, as points from the page's bottom left."""
    scale = board.side / _BOARD_UNITS
    return board.x + x * scale, page.height - board.y - y * scale


def _box(page: SheetPage, board: SheetBoard, x: float, y: float, side: float) -> Outline:
    from matplotlib.path import Path as Outline

    corners = [(x, y), (x + side, y), (x + side, y + side), (x, y + side), (x, y)]
    return Outline([_placed(page, board, *each) for each in corners], closed=True)


def _circle(page: SheetPage, board: SheetBoard, square: int, radius: float, y: float = 0.0) -> Outline:
    from matplotlib.path import Path as Outline

    left, top = _corner(square)
    centre = _placed(page, board, left + svg.CELL / 2, top + svg.CELL / 2 + y)
    return Outline.circle(centre, radius * board.side / _BOARD_UNITS)


def _crown(page: SheetPage, board: SheetBoard, square: int) -> Outline:
    from matplotlib.path import Path as Outline

    left, top = _corner(square)
    x, y = left + svg.CELL / 2, top + svg.CELL / 2 + svg.KING_DISCS[1]
    corners = [_placed(page, board, x + right, y + down) for right, down in (*svg.CROWN, svg.CROWN[0])]
    return Outline(corners, closed=True)
