"""Policies of random numbers, and positions of random games to ask them about."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np

from kr import storage
from kr.evaluation.kinds import load_scorer
from kr.game.position import Position
from kr.policy.model_file import PolicyModel
from kr.policy.policy import Policy
from kr.policy.shape import PolicyShape


def random_policy_model(shape: PolicyShape, seed: int = 1, **changed: Any) -> PolicyModel:
    """A model of random numbers, as if it had been fitted."""
    source = np.random.default_rng(seed)
    arrays = {
        name: (source.integers(-30, 30, size) if kind.startswith("int") else source.normal(0, 0.5, size)).astype(kind)
        for name, (kind, size) in shape.array_sizes.items()
    }
    eyes = load_scorer()
    seen = {"evaluation": eyes.signature, "scale": eyes.scale} if shape.plies >= 0 else {}
    fields = {"card": {"data": "random numbers"}, "attrs": storage.provenance("kr policy fit", seed=seed)}
    return PolicyModel(shape, arrays, **{**seen, **fields, **changed})


@cache
def random_policy(shape: PolicyShape, seed: int = 1) -> Policy:
    """Policy of a random model."""
    return Policy(random_policy_model(shape, seed))


def random_positions(games: int, seed: int = 1, plies: int = 90) -> list[Position]:
    """The positions of random games, in their order, each with a legal move."""
    source = random.Random(seed)
    found = []
    for _ in range(games):
        position = Position()
        for _ in range(plies):
            moves = position.legal_moves()
            if not moves:
                break
            found.append(position)
            position = position.play(source.choice(moves))
    return found
