"""Resignation and draw offers of an engine that plays against people, judged by its scores so far.

Scores are in centi-men from the engine's view, one for each search of the game, oldest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from kr.match.settings import MatchSettings

# the terms by which matches are adjudicated
_TERMS: dict[str, Any] = {field.name: field.default for field in fields(MatchSettings)}
RESIGN_SCORE: int = _TERMS["win_score"]
"""Least deficit in centi-men."""
RESIGN_MOVES: int = _TERMS["win_moves"]
"""Consecutive moves of the engine with that deficit."""
OFFER_SCORE: int = _TERMS["draw_score"]
"""Centi-men that no score exceeds in either direction."""
OFFER_MOVES: int = _TERMS["draw_moves"]
OFFER_AFTER: int = _TERMS["draw_after"]
"""Plies before the first offer."""
ACCEPT_SCORE = 15
"""Largest score, in centi-men, with which an engine accepts a draw."""
ACCEPT_MOVES = 5
"""Number of its last moves whose scores must not exceed it."""
ACCEPT_AFTER = 40
"""Plies before it accepts a draw in an even game."""
WORSE_SCORE = 50
"""Deficit in centi-men, over the same moves, with which it accepts a draw at any time."""
OFFER_AGAIN = 20
"""Plies after a declined offer before the same side may make another."""


def gives_up(scores: Sequence[int]) -> bool:
    """True if the engine resigns."""
    recent = scores[-RESIGN_MOVES:]
    return len(recent) == RESIGN_MOVES and max(recent) <= -RESIGN_SCORE


def offers_draw(scores: Sequence[int], plies: int) -> bool:
    """True if the engine offers a draw with its move."""
    recent = scores[-OFFER_MOVES:]
    even = len(recent) == OFFER_MOVES and max(map(abs, recent)) <= OFFER_SCORE
    return even and plies >= OFFER_AFTER


def refusal(scores: Sequence[int], plies: int) -> str | None:
    """Reason for which the engine declines a draw; None if it accepts."""
    recent = scores[-ACCEPT_MOVES:]
    if recent and recent[-1] > ACCEPT_SCORE:
        return "it sees itself ahead"
    if len(recent) < ACCEPT_MOVES:
        return f"it accepts no draw before it has searched for {ACCEPT_MOVES} moves"
    if max(recent) > ACCEPT_SCORE:
        return f"it saw itself ahead in one of its last {ACCEPT_MOVES} moves"
    if max(recent) > -WORSE_SCORE and plies < ACCEPT_AFTER:
        return f"it accepts no draw in an even game before ply {ACCEPT_AFTER}"
    return None
