"""What is proved about a position: the claims that make its value, and how far each has come."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kr.game.position import Move, Position
from kr.game.value import Value
from kr.proofs.certificate import Certificate, Claim

GOALS = ("value", "win", "draw", "loss")


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
        return max((as_value(each, self.position) for each in self._proved(own=True)), default=Value.LOSS, key=_sign)

    @property
    def most(self) -> Value:
        """The best value for the side to move that is not excluded."""
        return min((as_value(each, self.position) for each in self._proved(own=False)), default=Value.WIN, key=_sign)

    @property
    def value(self) -> Value | None:
        """The proved value for the side to move; None if several are left."""
        return self.least if self.least is self.most else None

    @property
    def answered(self) -> bool:
        """True if the question of the goal is answered."""
        least, most = self.least, self.most
        if self.goal == "win":
            return least is Value.WIN or most is not Value.WIN
        if self.goal == "loss":
            return most is Value.LOSS or least is not Value.LOSS
        return least is most or (self.goal == "draw" and (least is Value.WIN or most is Value.LOSS))

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

    def _proved(self, own: bool) -> list[Claim]:
        return [each.claim for each in self.claims if each.holds and (each.claim.side == self.position.side) is own]


def _sign(value: Value) -> int:
    return value.sign


def as_value(claim: Claim, position: Position) -> Value:
    """The bound that a claim sets to the value for the side to move."""
    return claim.goal if claim.side == position.side else claim.goal.opposite


def claims_for(position: Position, goal: str) -> list[Claim]:
    """The claims one of which answers a goal, or, for a value or a draw, two."""
    own, other = position.side, position.side.other
    claims = {
        "win": [Claim(position, own, Value.WIN), Claim(position, other, Value.DRAW)],
        "loss": [Claim(position, other, Value.WIN), Claim(position, own, Value.DRAW)],
    }
    return claims.get(goal) or [*claims["win"], *claims["loss"]]
