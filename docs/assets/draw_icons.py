"""Icons of the app `kr web`, from the drawings of kr.svg.

    python docs/assets/draw_icons.py

Writes kr/page/static/icons: a king of kr on the dark squares of a board, as SVG and in pixels. The maskable one has its
piece in the middle four fifths, since devices cut off the rest as they like.
"""

from __future__ import annotations

from pathlib import Path

from kr import svg
from kr.gif import painted

ICONS = Path(__file__).parents[2] / "kr" / "page" / "static" / "icons"
COLORS = 64


def icon(piece: float, corner: float) -> str:
    """An icon of 90 units. piece: how large the piece is, as a share of the icon; corner: radius of the corners."""
    scale = 2 * piece
    king = svg.piece(0, king=True).split("\n")[1]
    return (
        f'{svg.opening(90, None)}<rect width="90" height="90" rx="{corner:g}" fill="{svg.COLORS["dark"]}"/>'
        f'<g transform="translate({45 - 22.5 * scale:g},{45 - 22.5 * scale:g}) scale({scale:g})">{king}</g></svg>\n'
    )


def main() -> None:
    """Write all icons."""
    ICONS.mkdir(exist_ok=True)
    (ICONS / "kr.svg").write_text(icon(1.2, 18))
    for name, size, drawing in (
        ("kr-192", 192, icon(1.2, 0)),
        ("kr-512", 512, icon(1.2, 0)),
        ("kr-maskable-512", 512, icon(0.95, 0)),
    ):
        painted(drawing, size).quantize(COLORS).save(ICONS / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
