"""A board as SVG whose pieces have shares of a score, and the colours of shares."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kr.game.position import Position
    from kr.svg import Svg

GOOD, BAD, NEUTRAL = (42, 120, 214), (235, 104, 52), (222, 219, 208)
HEAD, FOOT = 26, 40
"""Units above and below the board of a picture, for title and legend."""
TEXT, BACKGROUND = "#0b0b0b", "#fcfcfb"
FULL_COLOUR = 15.0
"""Centi-men: no smaller share gets the full colour."""


class Legend(NamedTuple):
    """Texts beside a board of shares."""

    numbers: str
    """Meaning of the numbers."""
    good: str
    """Meaning of blue squares."""
    bad: str
    """Meaning of orange squares."""


def colours(shares: dict[int, float]) -> dict[int, str]:
    """Colour of each share, by square: blue for the side to move, orange against it, the stronger the larger."""
    most = max(FULL_COLOUR, *map(abs, shares.values()))
    shown = {}
    for square, share in shares.items():
        strength = min(abs(share) / most, 1.0) ** 0.8
        end = GOOD if share > 0 else BAD
        shown[square] = "#" + "".join(f"{round(a + (b - a) * strength):02x}" for a, b in zip(NEUTRAL, end, strict=True))
    return shown


def picture(
    position: Position,
    shares: dict[int, float],
    title: str,
    legend: Legend,
    weights: str,
    *,
    flipped: bool = False,
    size: float | None = None,
) -> Svg:
    """A board as SVG with title and legend, each piece with its share and its square in the share's colour.

    shares: centi-men by square; weights: name of the evaluation; size: width in pixels, None to leave that to where it
    is shown.
    """
    from kr import svg

    width = 8 * svg.CELL + 2 * svg.EDGE
    height = width + HEAD + FOOT
    board = svg.board(
        position,
        flipped=flipped,
        fill=colours(shares),
        labels={square: format_share(share) for square, share in shares.items()},
        size=width,
        colors={"dark": "#c3bfb2", "light": "#f4f1ea"},
    )
    key = [
        f'<rect x="{x}" y="{HEAD + width + 7}" width="11" height="11" rx="2" fill="rgb{colour}"/>'
        f'<text x="{x + 15}" y="{HEAD + width + 16.5}" font-size="11">{escape(text)}</text>'
        for x, colour, text in ((svg.EDGE, GOOD, legend.good), (svg.EDGE + 90, BAD, legend.bad))
    ]
    return svg.Svg(
        f"{svg.opening(width, size, height)}\n"
        f"<title>{escape(f'{position.fen}: {title}')}</title>\n"
        f'<rect width="{width}" height="{height}" fill="{BACKGROUND}"/>\n'
        f'<g font-family="sans-serif" fill="{TEXT}"><text class="title" x="{svg.EDGE}" y="17" font-size="13" '
        f'font-weight="bold">{escape(title)}</text>\n<g transform="translate(0,{HEAD})">\n{board}</g>\n'
        f'<g class="legend">{"".join(key)}<text x="{width - svg.EDGE}" y="{HEAD + width + 16.5}" font-size="11" '
        f'text-anchor="end">{escape(f"weights: {weights:.20}")}</text>'
        f'<text x="{svg.EDGE}" y="{HEAD + width + 32}" font-size="11">{escape(legend.numbers)}</text></g></g>\n</svg>\n'
    )


def format_share(share: float) -> str:
    """A share as text, centi-men."""
    text = f"{share:+.1f}"
    return "0" if text in ("+0.0", "-0.0") else text
