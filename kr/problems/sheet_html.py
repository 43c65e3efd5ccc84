"""Pages of problems as SVG in one page of HTML, which any browser prints as they are, to PDF too."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from kr import svg
from kr.problems.sheet import PrintSettings, SheetBoard, SheetPage, SheetText
from kr.text import visible

PRINT_COLORS = {
    "light": "#ffffff", "dark": "#c9c9c9", "edge": "#000000", "number": "#000000", "black": "#000000",
    "black rim": "#ffffff", "white": "#ffffff", "white rim": "#000000", "black crown": "#ffffff",
    "white crown": "#000000",
}  # fmt: skip
"""Colours of boards for print, without any: on paper, copied or not, they stay apart."""
FONTS = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"


def _page(page: SheetPage, empty: str) -> str:
    """A page as SVG of the size of its paper. empty: the empty board, if other pages are to find it here."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {page.width:g} {page.height:g}" '
        f'width="{page.width:g}pt" height="{page.height:g}pt" font-family="{FONTS}">',
        f'<defs><g id="empty">{empty}</g></defs>' if empty else "",
        f'<rect width="{page.width:g}" height="{page.height:g}" fill="#fff"/>',
        *map(_board, page.boards),
        *(_text(each) for each in page.texts),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _board(board: SheetBoard) -> str:
    pieces = svg.board(board.position, colors=PRINT_COLORS, backdrop=False, size=board.side)
    return f'<g transform="translate({board.x:.2f},{board.y:.2f})"><use href="#empty"/>{pieces.strip()}</g>'


def _text(line: SheetText) -> str:
    weight = ' font-weight="bold"' if line.bold else ""
    anchor = f' text-anchor="{line.anchor}"' if line.anchor != "start" else ""
    where = f'x="{line.x:.2f}" y="{line.y:.2f}" font-size="{line.size:.2f}"'
    return f"<text {where}{weight}{anchor}>{escape(line.text)}</text>"


def pages_html(settings: PrintSettings, pages: Iterator[SheetPage]) -> Iterator[str]:
    """Parts of a page of HTML that holds these pages."""
    from kr.viewer.bundle import page_policy

    style = (
        f"@page {{ size: {settings.paper}; margin: 0; }} body {{ margin: 0; background: #888; }} "
        "svg svg { overflow: visible; } .sheet { margin: 1rem auto; max-width: 100%; width: fit-content; } "
        ".sheet > svg { display: block; max-width: 100%; height: auto; } "
        "@media print { body { background: none; } .sheet { margin: 0; break-after: page; } "
        ".sheet:last-child { break-after: auto; } }"
    )
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(page_policy("", style))}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(visible(settings.title) or 'Problems')}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    )
    for page in pages:
        empty = ""
        if page.number == 1:
            side = page.boards[0].side
            empty = svg.board(colors=PRINT_COLORS, coordinates=settings.numbers, size=side).strip()
        yield f'<div class="sheet">\n{_page(page, empty)}</div>\n'
    yield "</body>\n</html>\n"
