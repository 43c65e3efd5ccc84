"""What is proved about a position: the claims that make its value, and how far each has come."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kr import _core
from kr.game.position import Move, Position, Side
from kr.game.value import Value
from kr.proofs.certificate import Certificate, Claim

GOALS = ("value", "win", "draw", "loss")
"""What is to be proved for the side to move, in the order of the core."""


@dataclass
class ClaimProgress:
    """A claim, and how far its proof has come."""

    claim: Claim
    holds: bool | None = None
    """True once proved, False once the tree disproved it; None while it is open."""
    proof: float = 1.0
    """Proof number: about the number of leaves that are left to prove."""
    disproof: float = 1.0
    nodes: int = 0
    """Nodes of its searches."""
    leaves: int = 0
    """Searches."""
    tree: int = 0
    """Positions of the tree."""
    positions: int = 0
    """Positions whose move is proved."""
    resists: tuple[Move, ...] = ()
    """The line that the claim has most trouble with, as far as the tree goes."""
    certificate: Certificate | None = None
    path: Path | None = None
    """File of the certificate."""


@dataclass
class Proof:
    """What was proved about a position, or has been so far."""

    position: Position
    goal: str
    claims: list[ClaimProgress]
    seconds: float = 0.0
    resumed: int = 0
    """Searches taken from an earlier run."""

    @property
    def least(self) -> Value:
        """The worst value for the side to move that is not excluded."""
        return self._bounds[0]

    @property
    def most(self) -> Value:
        """The best value for the side to move that is not excluded."""
        return self._bounds[1]

    @property
    def value(self) -> Value | None:
        """The proved value for the side to move; None if several are left."""
        return self.least if self.least is self.most else None

    @property
    def answered(self) -> bool:
        """True if the question of the goal is answered."""
        return self._bounds[2]

    @property
    def reached(self) -> bool:
        """True if the goal is proved: the value is the one that was asked for."""
        return self.value is not None and self.goal in ("value", self.value)

    @property
    def telling(self) -> list[ClaimProgress]:
        """The proved claims that the others follow from: the win, or what each side has at least."""
        proved = [each for each in self.claims if each.holds]
        wins = [each for each in proved if each.claim.goal is Value.WIN]
        return wins or proved

    @property
    def _bounds(self) -> tuple[Value, Value, bool]:
        proved = [each.claim.bits[1:] for each in self.claims if each.holds]
        least, most, answered = _core.value_bounds(GOALS.index(self.goal), self.position.bits, proved)
        return Value.from_sign(least - 1), Value.from_sign(most - 1), answered


def claims_for(position: Position, goal: str) -> list[Claim]:
    """The claims one of which answers a goal, or, for a value or a draw, two."""
    claims = _core.claims_of(GOALS.index(goal), position.bits)
    return [Claim(position, Side(side), Value.from_sign(of - 1)) for side, of in claims]
