"""Deciders of the core from their descriptions: plain values, as runs and files of champions have them.

- `{"kind": "minimax", "plies": 4, "extend": true}`: with an evaluation;
- `{"kind": "mcts", "rounds": 1800, "playout_plies": 6}`: with an evaluation, or, without the second number, pure;
- `{"kind": "random"}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kr import _core
from kr.errors import InvalidSettingError
from kr.units import counted

DECIDER_KINDS = ("minimax", "mcts", "random")


def make_decider(description: Mapping[str, Any], evaluator: _core.Evaluator | None, seed: int = 0) -> _core.Decider:
    """A new decider. seed: of random choices. Raises InvalidSettingError."""
    kind = description.get("kind")
    try:
        if kind == "minimax" and evaluator is not None:
            return _core.MinimaxDecider(evaluator, description["plies"], bool(description.get("extend")))
        if kind == "mcts":
            playout = description.get("playout_plies", 0)
            return _core.MctsDecider(description["rounds"], seed, evaluator if playout else None, playout)
        if kind == "random":
            return _core.RandomDecider(seed)
    except (LookupError, TypeError, ValueError) as error:
        raise InvalidSettingError(f"decider {dict(description)}: {error}") from None
    raise InvalidSettingError(f"decider {dict(description)}; one of {', '.join(DECIDER_KINDS)}, with an evaluation")


def describe_decider(description: Mapping[str, Any]) -> str:
    """In a few words."""
    if description["kind"] == "minimax":
        extended = ", captures extended" * bool(description.get("extend"))
        return f"minimax of {counted(description['plies'], 'ply')}{extended}"
    if description["kind"] == "mcts":
        playout = description.get("playout_plies")
        tail = f" cut off after {counted(playout, 'ply')}" if playout else " to the end"
        return f"MCTS of {counted(description['rounds'], 'play-out')}{tail}"
    return "chance"
