"""Moves that people play in a position, with their probabilities by the shipped policy.

people {"fen", "before": ["fen", ...], "group": 2} -> the moves, the likeliest first; the name of the policy; how many
    groups of players it distinguishes by their strength. before: the positions before this one, oldest first, of which
    the policy takes the last two; group: of the mover, 0 for the strongest; left out for any player.
"""

from __future__ import annotations

from typing import Any

from kr.game.position import Position
from kr.policy.shape import PolicyShape
from kr.viewer.positions import move_json
from kr.web.house import House
from kr.web.request import LONGEST_FEN, PageRequest

MOST_BEFORE = 2
"""Earlier positions that the policy takes."""


def people_moves(house: House, request: PageRequest) -> dict[str, Any]:
    """The moves of a position as people play them."""
    policy = house.policy
    position = request.position()
    before = [Position.from_fen(fen) for fen in request.texts("before", MOST_BEFORE, LONGEST_FEN, ())]
    groups = len(policy.shape.strengths) + 1 if policy.shape.strengths else 0
    group = request.number("group", 0, groups - 1) if groups and request.has("group") else None
    strength = None if group is None else mean_loss(policy.shape, group)
    choices = policy.choices(position, before, strength=strength)
    return {
        "fen": position.fen,
        "policy": policy.name,
        "groups": groups,
        "moves": [
            {**move_json(each.move), "fen": position.play(each.move).fen, "people": round(each.probability, 4)}
            for each in choices
        ],
    }


def mean_loss(shape: PolicyShape, group: int) -> float:
    """A mean loss in a group of players of a policy, 0 for the strongest."""
    edges = shape.strengths
    if group == 0:
        return edges[0] / 2
    return edges[-1] * 1.5 if group == len(edges) else (edges[group - 1] + edges[group]) / 2


ROUTES = {"people": people_moves}
LIVE: dict[str, Any] = {}
