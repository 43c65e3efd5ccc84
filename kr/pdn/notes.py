"""What stands between the moves of a game, as one list for each line; `Game.notes` gives it, and `Game` takes it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Comment:
    """A text between braces, after a ``;`` or on a ``%`` line."""

    ply: int
    """How many moves of its line stand before it."""
    text: str


@dataclass(frozen=True, slots=True)
class Nag:
    """A judgement of the move before it: ``$3``, ``!?``, ``(!)`` or ``*``."""

    ply: int
    """How many moves of its line stand before it."""
    text: str


@dataclass(frozen=True, slots=True)
class Variation:
    """Moves that could have been played instead of the move before them, as text."""

    ply: int
    """How many moves of its line stand before it; the variation replaces the last of them."""
    moves: tuple[str, ...]
    notes: tuple[Note, ...] = ()


Note = Comment | Nag | Variation
