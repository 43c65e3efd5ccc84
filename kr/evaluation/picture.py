"""A board as SVG whose pieces have shares of a score, and the colours of shares."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kr.game.position import Position
    from kr.svg import Svg

NEUTRAL = (222, 219, 208)
HEAD, FOOT = 26, 40
"""Units above and below the board of a picture, for title and legend."""
TEXT, BACKGROUND = "#0b0b0b", "#fcfcfb"
FULL_COLOUR = 15.0
"""Centi-men: no smaller share gets the full colour."""


HELPS = ("helps Black", "helps White")
"""Meaning of blue and of orange squares, here and on pages."""


def colours(shares: dict[int, float], side: int) -> dict[int, str]:
    """Colour of each share, by square: blue if it helps Black, orange if White, the stronger the larger.

    side: 0 or 1, the one from whose view the shares are, that to move.
    """
    from kr.svg import COLORS

    ends = [bytes.fromhex(COLORS[name.lower()][1:]) for name in HELPS]
    most = max(FULL_COLOUR, *map(abs, shares.values()))
    by_square = {}
    for square, share in shares.items():
        strength = min(abs(share) / most, 1.0) ** 0.8
        end = ends[(share < 0) ^ side]
        by_square[square] = "#" + "".join(
            f"{round(a + (b - a) * strength):02x}" for a, b in zip(NEUTRAL, end, strict=True)
        )
    return by_square


def picture(
    position: Position,
    shares: dict[int, float],
    title: str,
    numbers: str,
    weights: str,
    *,
    flipped: bool = False,
    size: float | None = None,
) -> Svg:
    """A board as SVG with title and legend, each piece with its share and its square in the share's colour.

    shares: centi-men by square, for the side to move; numbers: their meaning; weights: name of the evaluation; size:
    width in pixels, None to leave that to where it is shown.
    """
    from kr import svg

    width = 8 * svg.CELL + 2 * svg.EDGE
    height = width + HEAD + FOOT
    board = svg.board(
        position,
        flipped=flipped,
        fill=colours(shares, position.side),
        labels={square: format_share(share) for square, share in shares.items()},
        size=width,
        colors={"dark": "#c3bfb2", "light": "#f4f1ea"},
    )
    key = [
        f'<rect x="{x}" y="{HEAD + width + 7}" width="11" height="11" rx="2" fill="{svg.COLORS[text.lower()]}"/>'
        f'<text x="{x + 15}" y="{HEAD + width + 16.5}" font-size="11">{escape(text)}</text>'
        for x, text in zip((svg.EDGE, svg.EDGE + 90), HELPS, strict=True)
    ]
    return svg.Svg(
        f"{svg.opening(width, size, height)}\n"
        f"<title>{escape(f'{position.fen}: {title}')}</title>\n"
        f'<rect width="{width}" height="{height}" fill="{BACKGROUND}"/>\n'
        f'<g font-family="sans-serif" fill="{TEXT}"><text class="title" x="{svg.EDGE}" y="17" font-size="13" '
        f'font-weight="bold">{escape(title)}</text>\n<g transform="translate(0,{HEAD})">\n{board}</g>\n'
        f'<g class="legend">{"".join(key)}<text x="{width - svg.EDGE}" y="{HEAD + width + 16.5}" font-size="11" '
        f'text-anchor="end">{escape(f"weights: {weights:.20}")}</text>'
        f'<text x="{svg.EDGE}" y="{HEAD + width + 32}" font-size="11">{escape(numbers)}</text></g></g>\n</svg>\n'
    )


def format_share(share: float) -> str:
    """A share as text, centi-men."""
    text = f"{share:+.1f}"
    return "0" if text in ("+0.0", "-0.0") else text
