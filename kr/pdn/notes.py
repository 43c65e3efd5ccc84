"""Notes: comments, judgements, setups and variations of a line as one list, as in `Game.notes`; `Game` accepts them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Comment:
    """Text in braces, after a ``;``, or on a ``%`` line."""

    ply: int
    """Number of moves of its line before it."""
    text: str


@dataclass(frozen=True, slots=True)
class Nag:
    """A judgement of the move before it: ``$3``, ``!?``, ``(!)`` or ``*``."""

    ply: int
    """Number of moves of its line before it."""
    text: str


@dataclass(frozen=True, slots=True)
class Variation:
    """Moves, as text, that could have been played instead of the move before them."""

    ply: int
    """Number of moves of its line before it; the variation replaces the last of them."""
    moves: tuple[str, ...]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Setup:
    """A position set up after a move, in place of the one that the move leads to: ``/FEN "B:W18:B10"/``."""

    ply: int
    """Number of moves of its line before it."""
    fen: str


Note = Comment | Nag | Variation | Setup
