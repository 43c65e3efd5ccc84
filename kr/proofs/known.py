"""What is known for certain of a position: by the rules, the endgame database or certificates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kr.egdb.database import Database
from kr.evaluation.chances import Chances
from kr.game.position import Move, Position
from kr.game.value import Value

KNOWN_BY_RULES, KNOWN_BY_DATABASE, KNOWN_BY_SEARCH = "the rules", "the database", "the search"
"""What proves a value, besides certificates."""
CERTIFICATE_WORD = "certificate"
"""First word of what names certificates."""


@dataclass(frozen=True)
class KnownValue:
    """What is known for certain of a position, for its side to move, whatever the history of the game."""

    least: Value = Value.LOSS
    """The worst value that is not excluded."""
    most: Value = Value.WIN
    """The best value that is not excluded."""
    plies: int | None = None
    """Plies to the end of a win or loss by the database; None if unknown."""
    by: str = ""
    """What proves it: KNOWN_BY_RULES, KNOWN_BY_DATABASE, or "certificate NAME"; "" if nothing is known."""
    move: Move | None = None
    """Move by which a certificate's strategy has `least`; None if there is none."""
    certificates: tuple[str, ...] = ()
    """Names of the certificates that prove it."""

    @property
    def value(self) -> Value | None:
        """The value; None if several are left."""
        return self.least if self.least is self.most else None

    @property
    def excludes(self) -> Value | None:
        """The value that is excluded, WIN or LOSS, of a half that is known; None for a value, or nothing."""
        if self.value is not None:
            return None
        return Value.LOSS if self.least.sign == 0 else Value.WIN if self.most.sign == 0 else None

    @property
    def bound(self) -> str:
        """Half of a value in words: "does not lose", "does not win"; "" for a value, or nothing."""
        return {Value.LOSS: "does not lose", Value.WIN: "does not win"}.get(self.excludes or Value.DRAW, "")

    def one_move_earlier(self) -> KnownValue:
        """The same for the side whose move led here."""
        plies = None if self.plies is None else self.plies + 1
        return KnownValue(self.most.opposite, self.least.opposite, plies, self.by, None, self.certificates)

    def allows(self, value: Value) -> bool:
        """True if a value is not excluded."""
        return self.least.sign <= value.sign <= self.most.sign

    def limited(self, score: int, chances: Chances) -> tuple[int, Chances]:
        """A score and chances without the values that are excluded: those of a draw take their place."""
        win, draw, loss = chances.win, chances.draw, chances.loss
        if self.least.sign >= 0:
            score, draw, loss = max(score, 0), draw + loss, 0.0
        if self.most.sign <= 0:
            score, draw, win = min(score, 0), draw + win, 0.0
        return score, Chances(win, draw, loss)


NOTHING_KNOWN = KnownValue()


class ValueSource(Protocol):
    """What knows values by position, as `kr.proofs.library.ProofLibrary` does."""

    def look_up(self, position: Position) -> KnownValue:
        """What it knows of a position; NOTHING_KNOWN if that is nothing."""


def known_value(position: Position, database: Database | None, proofs: ValueSource | None) -> KnownValue:
    """What the rules, the database or certificates say of a position. Raises InvalidDatabaseError."""
    if position.is_over:
        return KnownValue(Value.LOSS, Value.LOSS, 0, KNOWN_BY_RULES)
    if database is not None and database.has(position) and (value := database.value(position)) is not None:
        return KnownValue(value, value, database.distance(position), KNOWN_BY_DATABASE)
    return NOTHING_KNOWN if proofs is None else proofs.look_up(position)
