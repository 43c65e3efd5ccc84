"""An analysis as a notebook shows it: the board with the best moves as arrows, and the lines beside it.

Colours are those of the notebook, light or dark, but for the board's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from kr import svg
from kr.game.position import Move, Position

MOST_ARROWS = 3
SHOWN_MOVES = 8
"""Moves of a line that are shown."""
_CELL = 'style="text-align:{};padding:.15em .6em;white-space:{};background:none;color:inherit"'


class ShownLine(NamedTuple):
    """A line of an analysis as a row."""

    pv: tuple[Move, ...]
    score: str
    expected: float


def analysis_html(position: Position, lines: Sequence[ShownLine], note: str) -> str:
    """A position with its best lines as HTML. note: what else is to be said."""
    arrows = [svg.Arrow.of(line.pv[0], "drawn blue" if rank else "arrow") for rank, line in enumerate(lines)]
    # the best one above the others
    board = svg.board(position, arrows=arrows[:MOST_ARROWS][::-1], size=svg.SHOWN)
    rows = [_row("td", str(line.pv[0]), line.score, f"{line.expected:.2f}", _moves(line.pv)) for line in lines]
    head = _row("th", "move", "score", "expected", "line")
    style = 'style="border-collapse:collapse;background:none;color:inherit"'
    table = f"<table {style}><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>" if rows else ""
    return (
        '<div class="kr-analysis" style="display:flex;flex-wrap:wrap;gap:1em;color:inherit">'
        f'<div>{board}</div><div style="flex:1;min-width:20em">{table}<p>{escape(note)}</p></div></div>'
    )


def _moves(pv: Sequence[Move]) -> str:
    """The first moves, each of which stays in one line."""
    return " ".join(f'<span style="white-space:nowrap">{move}</span>' for move in pv[:SHOWN_MOVES])


def _row(cell: str, *contents: str) -> str:
    looks = (("left", "nowrap"), ("right", "nowrap"), ("right", "nowrap"), ("left", "normal"))
    cells = (f"<{cell} {_CELL.format(*look)}>{each}</{cell}>" for look, each in zip(looks, contents, strict=True))
    return f"<tr>{''.join(cells)}</tr>"
