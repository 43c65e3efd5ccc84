"""Moves of a side, and what is proved of each: whether it keeps a win, or does not lose."""

from __future__ import annotations

from dataclasses import dataclass

from kr.game.position import Move, Position
from kr.game.value import Value
from kr.proofs.certificate import Claim
from kr.proofs.decider import Decider, after_moves


@dataclass(frozen=True)
class Way:
    """A move of the solver, and whether it keeps what is to be reached."""

    move: str
    keeps: bool | None
    """None if that is open."""
    by: str = ""
    """What proves it: "the rules", "the database" or "a certificate of 12 positions"."""
    transposes: bool | None = False
    """True if it comes to a position that the move played leads to as well, within TRANSPOSED_PLIES and whatever the
    opponent replies; None if that is open."""

    def __str__(self) -> str:
        words = ["open"] if self.keeps is None else [self.by, *(["transposes"] if self.transposes else [])]
        return f"{self.move} ({', '.join(words)})"


def ways_at(
    decider: Decider, position: Position, goal: Value, first: Move | None = None, root: bool = False
) -> list[tuple[Move, Position, Way]]:
    """The moves of the side to move, the played one first, each with the position after it and what is proved of it.

    goal: WIN, or DRAW for "does not lose". root: prove the position itself beside its moves, and leave them once it is
    refuted.
    """
    side = position.side
    moves = after_moves(position)
    if first is not None:
        reached = position.play(first)
        moves = [(first, reached), *((move, after) for move, after in moves if after != reached)]
    claims = [Claim(after, side, goal) for _, after in moves]
    own = Claim(position, side, goal)

    def refuted() -> bool:
        decision = decider.decision_of(own)
        return decision is not None and not decision.holds

    if root and decider.decision_of(own) is None:
        decider.decide([own, *claims], refuted)
    elif not refuted():
        decider.decide(claims)
    ways = []
    for (move, after), claim in zip(moves, claims, strict=True):
        decision = decider.decision_of(claim)
        if decision is None and refuted():
            # no move does better than the position
            decision = decider.decision_of(own)
        way = Way(str(move), None) if decision is None else Way(str(move), decision.holds, decision.by)
        ways.append((move, after, way))
    return ways
