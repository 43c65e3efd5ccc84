"""Parts of a static score: the share of each piece, and the strongest regions with their evidence."""

from __future__ import annotations

from typing import Any

from kr.evaluation.explanation import Explanation
from kr.game.position import Side
from kr.viewer.positions import side_name
from kr.web.house import House
from kr.web.request import PageRequest


def explain_position(house: House, request: PageRequest) -> dict[str, Any]:
    """The static score of a position and its parts, in centi-men from Black's view."""
    return explanation_json(house.evaluation.explain(request.position()))


def explanation_json(explanation: Explanation) -> dict[str, Any]:
    """An explanation for a page. Squares are 1-32, centi-men those of Black."""
    sign = 1 if explanation.position.side is Side.BLACK else -1

    def black(centimen: float | None) -> float | None:
        return None if centimen is None else round(sign * centimen, 2) + 0.0

    regions = sorted(explanation.regions, key=lambda region: -abs(region.score))
    return {
        "fen": explanation.position.fen,
        "weights": explanation.weights,
        "score": black(explanation.score),
        "material": black(explanation.material),
        "move": black(explanation.move),
        "empty": black(explanation.empty),
        "shares": {square + 1: black(share) for square, share in explanation.shares.items()},
        "shared": bool(explanation.regions),
        "pieces": [
            {"square": piece.square + 1, "side": side_name(piece.side), "king": piece.king, "worth": black(piece.worth)}
            for piece in explanation.pieces
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
        "evidence": explanation.evidence,
        "note": explanation.note,
    }


ROUTES = {"regions": explain_position}
LIVE: dict[str, Any] = {}
