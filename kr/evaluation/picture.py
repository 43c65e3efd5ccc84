"""The board of an explanation as SVG, and what its pictures have in common: colours, title, legend."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from kr.evaluation.chances import format_score
from kr.notation import SIDE_NAMES

if TYPE_CHECKING:
    from kr.evaluation.explanation import Explanation
    from kr.svg import Svg

GOOD, BAD, NEUTRAL = (42, 120, 214), (235, 104, 52), (222, 219, 208)
HEAD, FOOT = 26, 40
"""Units above and below the board of a picture, for title and legend."""
INK, PAPER = "#0b0b0b", "#fcfcfb"
LEAST_MOST = 15.0
"""Centi-men: no smaller share gets the full colour."""


def colours(shares: dict[int, float]) -> dict[int, str]:
    """A colour of each share, by square: blue for the side to move, orange against it, the stronger the larger."""
    most = max(LEAST_MOST, *map(abs, shares.values()))
    shown = {}
    for square, share in shares.items():
        strength = min(abs(share) / most, 1.0) ** 0.8
        end = GOOD if share > 0 else BAD
        shown[square] = "#" + "".join(f"{round(a + (b - a) * strength):02x}" for a, b in zip(NEUTRAL, end, strict=True))
    return shown


def title(explanation: Explanation) -> str:
    """The score in words."""
    side = SIDE_NAMES[explanation.position.side]
    return f"{side} to move: static score {format_score(explanation.score)} centi-men"


def legend(explanation: Explanation) -> tuple[str, str, str]:
    """What the numbers on a board are, whom blue and whom orange squares help."""
    side = explanation.position.side
    numbers = (
        "each piece's share of the table entries" if explanation.regions else "what the score loses without the piece"
    )
    return f"{numbers}, in centi-men", f"helps {SIDE_NAMES[side]}", f"helps {SIDE_NAMES[side.other]}"


def picture(explanation: Explanation, *, flipped: bool = False, size: float | None = None) -> Svg:
    """A board as SVG with title and legend, each piece with its share and its square in the share's colour.

    size: width in pixels; None to leave that to where it is shown.
    """
    from kr import svg

    shares = explanation.shares
    width = 8 * svg.CELL + 2 * svg.EDGE
    height = width + HEAD + FOOT
    board = svg.board(
        explanation.position,
        flipped=flipped,
        fill=colours(shares),
        labels={square: format_share(share) for square, share in shares.items()},
        size=width,
        colors={"dark": "#c3bfb2", "light": "#f4f1ea"},
    )
    numbers, good, bad = legend(explanation)
    key = [
        f'<rect x="{x}" y="{HEAD + width + 7}" width="11" height="11" rx="2" fill="rgb{colour}"/>'
        f'<text x="{x + 15}" y="{HEAD + width + 16.5}" font-size="11">{escape(text)}</text>'
        for x, colour, text in ((svg.EDGE, GOOD, good), (svg.EDGE + 90, BAD, bad))
    ]
    return svg.Svg(
        f"{svg.opening(width, size, height)}\n"
        f"<title>{escape(f'{explanation.position.fen}: {title(explanation)}')}</title>\n"
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>\n'
        f'<g font-family="sans-serif" fill="{INK}"><text class="title" x="{svg.EDGE}" y="17" font-size="13" '
        f'font-weight="bold">{escape(title(explanation))}</text>\n<g transform="translate(0,{HEAD})">\n{board}</g>\n'
        f'<g class="legend">{"".join(key)}<text x="{width - svg.EDGE}" y="{HEAD + width + 16.5}" font-size="11" '
        f'text-anchor="end">{escape(f"weights: {explanation.weights:.20}")}</text>'
        f'<text x="{svg.EDGE}" y="{HEAD + width + 32}" font-size="11">{escape(numbers)}</text></g></g>\n</svg>\n'
    )


def format_share(share: float) -> str:
    """A share as text, centi-men."""
    text = f"{share:+.1f}"
    return "0" if text in ("+0.0", "-0.0") else text
