"""Pages of problems as SVG: one file a page, or all of them in one page of HTML that prints as they are."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from kr import svg
from kr.problems.sheet import SheetBoard, SheetPage, SheetText

PRINT_COLORS = {
    "light": "#ffffff", "dark": "#c9c9c9", "edge": "#000000", "number": "#000000", "black": "#000000",
    "black rim": "#ffffff", "white": "#ffffff", "white rim": "#000000", "black crown": "#ffffff",
    "white crown": "#000000",
}  # fmt: skip
"""Colours of boards for print, without any: on paper, copied or not, they stay apart."""
FONTS = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"


def page_svg(page: SheetPage, numbers: bool) -> str:
    """A page as an SVG document of the size of its paper. numbers: write those of the squares."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {page.width:g} {page.height:g}" '
        f'width="{page.width:g}pt" height="{page.height:g}pt" font-family="{FONTS}">',
        f'<rect width="{page.width:g}" height="{page.height:g}" fill="#fff"/>',
        *(_board(each, numbers) for each in page.boards),
        *(_text(each) for each in page.texts),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _board(board: SheetBoard, numbers: bool) -> str:
    drawn = svg.board(board.position, colors=PRINT_COLORS, coordinates=numbers, size=board.side)
    return f'<g transform="translate({board.x:.2f},{board.y:.2f})">{drawn.strip()}</g>'


def _text(line: SheetText) -> str:
    weight = ' font-weight="bold"' if line.bold else ""
    anchor = f' text-anchor="{line.anchor}"' if line.anchor != "start" else ""
    where = f'x="{line.x:.2f}" y="{line.y:.2f}" font-size="{line.size:.2f}"'
    return f"<text {where}{weight}{anchor}>{escape(line.text)}</text>"


def pages_html(title: str, paper: str, pages: Iterator[str]) -> Iterator[str]:
    """Parts of a page of HTML that holds SVG pages. paper: its name, as in PAPERS."""
    from kr.viewer.bundle import page_policy

    style = (
        f"@page {{ size: {paper}; margin: 0; }} body {{ margin: 0; background: #888; }} "
        "svg svg { overflow: visible; } .sheet { margin: 1rem auto; max-width: 100%; width: fit-content; } "
        ".sheet > svg { display: block; max-width: 100%; height: auto; } "
        "@media print { body { background: none; } .sheet { margin: 0; break-after: page; } "
        ".sheet:last-child { break-after: auto; } }"
    )
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(page_policy("", style))}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    )
    for page in pages:
        yield f'<div class="sheet">\n{page}</div>\n'
    yield "</body>\n</html>\n"
