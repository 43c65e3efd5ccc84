"""Where a static score comes from: the share of each piece, and the strongest regions with what they rest on."""

from __future__ import annotations

from typing import Any

from kr.evaluation.explanation import Explanation
from kr.game.position import Side
from kr.viewer.positions import side_name
from kr.web.asked import Asked
from kr.web.house import House


def explain_position(house: House, asked: Asked) -> dict[str, Any]:
    """The static score of a position and its parts, in centi-men from Black's view."""
    return explanation_json(house.evaluation.explain(asked.position()))


def explanation_json(found: Explanation) -> dict[str, Any]:
    """An explanation for a page. Squares are 1-32, centi-men those of Black."""
    sign = 1 if found.position.side is Side.BLACK else -1

    def black(centimen: float | None) -> float | None:
        return None if centimen is None else round(sign * centimen, 2) + 0.0

    regions = sorted(found.regions, key=lambda region: -abs(region.score))
    return {
        "fen": found.position.fen,
        "weights": found.weights,
        "score": black(found.score),
        "material": black(found.material),
        "move": black(found.move),
        "empty": black(found.empty),
        "shares": {square + 1: black(share) for square, share in found.shares.items()},
        "shared": bool(found.regions),
        "pieces": [
            {"square": piece.square + 1, "side": side_name(piece.side), "king": piece.king, "worth": black(piece.worth)}
            for piece in found.pieces
        ],
        "regions": [
            {
                "squares": [square + 1 for square in region.squares],
                "score": black(region.score),
                "own": black(region.own),
                "seen": region.seen,
            }
            for region in regions
        ],
        "evidence": found.evidence,
        "note": found.note,
    }


ROUTES = {"regions": explain_position}
LIVE: dict[str, Any] = {}
