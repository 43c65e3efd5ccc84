"""`kr explain`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr.cli import console, options
from kr.evaluation.chances import format_score
from kr.evaluation.kinds import SHIPPED, weights_texts
from kr.game.position import Position, Side
from kr.notation import SIDE_NAMES, square_name
from kr.settings import option
from kr.units import format_count

if TYPE_CHECKING:
    from kr.evaluation.explanation import Explanation


@options.command
def command(
    fen: str | None = option(None, "Position; the start if not given.", argument=True, metavar="FEN"),
    moves: str = option("", "Moves to play first, such as '11-15 22-18'.", metavar="MOVES"),
    weights: str = option(SHIPPED, f"Evaluation: a {weights_texts(SHIPPED)}."),
    flip: bool = option(False, "Draw Black at the bottom."),
    svg: Path | None = option(None, "Write the board as SVG.", metavar="FILE"),
    png: Path | None = option(None, "Write the board as PNG (needs matplotlib).", metavar="FILE"),
    json: bool = options.JSON,
) -> None:
    """Explain a static score by regions, men and kings.

    The score is a sum: material, having the move, and a table entry for each region. The board shows each piece's share
    of the entries (Shapley values, so that the shares add up), blue if it helps Black, orange if it helps White.
    "worth" is the loss in score without the piece. All numbers are in centi-men for the side to move. "seen" is the
    number of positions in games where the region looked like this, within 9 %; an entry that was seldom seen says
    little. The evaluation "manual" has no tables; the board then shows the worth of each piece.

    Example:
        kr explain "B:W18,22,25,26,28,30,31,32:B1,3,5,8,11,12,13,19"
        kr explain --moves "11-15 22-18 15x22" --svg board.svg --png board.png
        kr explain "W:WK10,21,K30:B1,2,9,K23" --weights weights/mine.h5 --json
    """
    from kr import figures, storage
    from kr.evaluation import plot
    from kr.evaluation.kinds import explain

    position = Position() if fen is None else Position.from_fen(fen)
    for move in moves.split():
        position = position.play(move)
    if png is not None:
        figures.check_installed()
    for path in (svg, png):
        if path is not None:
            storage.check_output(path)
    explanation = explain(position, weights)
    if svg is not None:
        storage.write_atomic(svg, explanation.svg(flipped=flip))
        console.wrote(svg)
    if png is not None:
        plot.draw_explanation(explanation, png, flipped=flip)
        console.wrote(png)
    if json:
        console.emit_json(_object(explanation))
    else:
        _print(explanation, flip)


def _object(explanation: Explanation) -> dict[str, Any]:
    """Explanation as JSON types, with squares as in a FEN, 1-32."""
    return {
        "fen": explanation.position.fen,
        "weights": explanation.weights,
        "score": explanation.score,
        "tables": explanation.group or None,
        "material": explanation.material,
        "move": explanation.move,
        "regions": [
            {**console.plain(region), "squares": [square + 1 for square in region.squares]}
            for region in explanation.regions
        ],
        "pieces": [
            {**console.plain(piece), "square": piece.square + 1, "side": SIDE_NAMES[piece.side].lower()}
            for piece in explanation.pieces
        ],
        "empty": explanation.empty,
        "rounding": explanation.rounding,
        "note": explanation.note or None,
        "evidence": explanation.evidence and str(explanation.evidence),
    }


def _print(explanation: Explanation, flip: bool) -> None:
    from rich.console import Console

    from kr.cli import boards
    from kr.evaluation.picture import colours, format_share

    out = Console(highlight=False, soft_wrap=not sys.stdout.isatty())
    shares = explanation.shares
    out.print(
        boards.draw(
            explanation.position,
            colour=boards.has_colours(out),
            flipped=flip,
            fill={**dict.fromkeys(range(32), "#c3bfb2"), **colours(shares, explanation.position.side)},
            labels={square: format_share(share) for square, share in shares.items()},
        ),
        end="",
    )
    side = SIDE_NAMES[explanation.position.side]
    score = format_score(explanation.score)
    console.put(
        console.fold(f"{explanation.position.fen}, {side} to move: static score {score} ({explanation.weights})")
    )
    if explanation.note:
        console.put(console.fold(explanation.note))
    if explanation.material is not None:
        console.put(f"\n{_sum(explanation)}")
    console.put(f"\n{_pieces(explanation)}")
    if explanation.regions:
        console.put(f"\n{_regions(explanation)}")


def _sum(explanation: Explanation) -> str:
    """Table of the terms of the score."""
    places = [sum(piece.place or 0.0 for piece in explanation.pieces if piece.side == side) for side in Side]
    rows = [("material", explanation.material)]
    if explanation.regions or any(places):
        rows += [
            *([("having the move", explanation.move)] if explanation.regions else []),
            *((f"{SIDE_NAMES[side]}'s places", place) for side, place in zip(Side, places, strict=True)),
            *([("empty regions", explanation.empty)] if explanation.regions else []),
            ("rounding", explanation.rounding),
        ]
    rows.append(("static score", float(explanation.score)))
    return console.table(["sum", "centi-men"], [(name, f"{number:.2f}".rjust(9)) for name, number in rows])


def _pieces(explanation: Explanation) -> str:
    """Table of the pieces, the most helpful for the side to move first."""
    columns = ["piece", "square", *(["place", "material"] if explanation.material is not None else []), "worth"]
    rows = [
        (
            f"{SIDE_NAMES[piece.side]} {'king' if piece.king else 'man'}",
            *(piece.square + 1, *map(_tenths, (piece.place, piece.material)), piece.worth),
        )
        for piece in sorted(explanation.pieces, key=lambda piece: -explanation.shares[piece.square])
    ]
    return console.table(columns, [tuple(cell for cell in row if cell is not None) for row in rows])


def _regions(explanation: Explanation) -> str:
    """Table of the regions, the best for the side to move first."""
    rows = [
        (
            *map(_tenths, (region.score, region.own, region.opening, region.ending)),
            *([format_count(region.seen)] if region.seen is not None else []),
            " ".join(square_name(square) for square in region.squares),
        )
        for region in sorted(explanation.regions, key=lambda region: -region.score)
    ]
    columns = ["region", "own", "opening", "ending", *(["seen"] if explanation.evidence else []), "squares"]
    table = console.table(columns, rows)
    if not explanation.evidence:
        return table
    return f"{table}\n{console.fold(f'seen: number of positions, of {explanation.evidence}')}"


def _tenths(number: float | None) -> float | None:
    # never -0.0
    return None if number is None else round(number, 1) + 0.0
