"""When an engine that plays against people gives up, offers a draw and accepts one: by its scores so far.

Scores are centi-men from the engine's view, one for each search of the game, oldest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from kr.match.match import MatchSettings

# the same terms by which matches are adjudicated
_TERMS: dict[str, Any] = {field.name: field.default for field in fields(MatchSettings)}
RESIGN_SCORE: int = _TERMS["win_score"]
"""Centi-men behind."""
RESIGN_MOVES: int = _TERMS["win_moves"]
"""For so many of its moves in a row."""
OFFER_SCORE: int = _TERMS["draw_score"]
"""Centi-men that no score exceeds either way."""
OFFER_MOVES: int = _TERMS["draw_moves"]
OFFER_AFTER: int = _TERMS["draw_after"]
"""Plies of the game."""
ACCEPT_SCORE = 15
"""An engine accepts a draw while it holds itself no further ahead, in centi-men,"""
ACCEPT_MOVES = 5
"""for so many of its moves,"""
ACCEPT_AFTER = 40
"""after so many plies; or at any time"""
WORSE_SCORE = 50
"""if it has held itself so many centi-men behind for as long."""
OFFER_AGAIN = 20
"""Plies after a refused offer before the same side may make another."""


def gives_up(scores: Sequence[int]) -> bool:
    """Whether the engine resigns."""
    recent = scores[-RESIGN_MOVES:]
    return len(recent) == RESIGN_MOVES and max(recent) <= -RESIGN_SCORE


def offers_draw(scores: Sequence[int], plies: int) -> bool:
    """Whether the engine offers a draw with its move."""
    recent = scores[-OFFER_MOVES:]
    even = len(recent) == OFFER_MOVES and max(map(abs, recent)) <= OFFER_SCORE
    return even and plies >= OFFER_AFTER


def refusal(scores: Sequence[int], plies: int) -> str | None:
    """Why the engine declines a draw; None where it accepts."""
    recent = scores[-ACCEPT_MOVES:]
    if recent and recent[-1] > ACCEPT_SCORE:
        return "it holds itself ahead"
    if len(recent) < ACCEPT_MOVES:
        return f"it accepts no draw before it has thought about {ACCEPT_MOVES} moves"
    if max(recent) > ACCEPT_SCORE:
        return f"it held itself ahead in one of its last {ACCEPT_MOVES} moves"
    if max(recent) > -WORSE_SCORE and plies < ACCEPT_AFTER:
        return f"it accepts no draw in an even game before ply {ACCEPT_AFTER}"
    return None
