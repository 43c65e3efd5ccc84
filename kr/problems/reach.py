"""Second ways that transpose: whatever the opponent replies, they come to positions that the first way leads to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kr import _core
from kr.game.position import Bits, Position, Side
from kr.game.value import Value
from kr.problems.ways import Way
from kr.proofs.certificate import Claim
from kr.proofs.decider import Decider

TRANSPOSED_PLIES = 5
"""Plies, from the position with both ways on, within which these come together if one transposes to the other."""


class Reach:
    """The positions that one leads to, by any moves of both sides."""

    def __init__(self, position: Position) -> None:
        self._newest, self._all, self._plies = {position.bits}, set[Bits](), 0

    def within(self, plies: int) -> set[Bits]:
        """Those with the same side to move, after two plies or more and up to so many; asked for in rising order."""
        while self._plies < plies:
            self._newest = {after for bits in self._newest for reply in bits_after(bits) for after in bits_after(reply)}
            self._all |= self._newest
            self._plies += 2
        return self._all


def bits_after(bits: Bits) -> set[Bits]:
    """The positions that the moves of one lead to; without `Position` for speed."""
    return {_core.play(*bits, path[0], path[-1], captured) for path, captured in _core.legal_moves(*bits)}


class Transpositions:
    """Finds the ways that transpose, for a solver who is to reach a goal."""

    def __init__(self, decider: Decider, solver: Side, goal: Value) -> None:
        self._decider, self._solver, self._goal = decider, solver, goal
        self._unclear = False

    def marked(self, ways: list[Way], after: Sequence[Position]) -> list[Way]:
        """Ways at a position, with marks of those that transpose to the first; after: the positions they lead to."""
        if not ways[0].keeps or not any(way.keeps for way in ways[1:]):
            return ways
        reach = Reach(after[0])
        marks = [bool(way.keeps) and self._transposes(reach, one) for way, one in zip(ways, after, strict=True)]
        return [ways[0], *(replace(way, transposes=mark) for way, mark in zip(ways[1:], marks[1:], strict=True))]

    def _transposes(self, reach: Reach, other: Position) -> bool | None:
        """True if the solver can bring the position after another way to one that the first way leads to as well."""
        self._unclear = False
        for plies in range(2, TRANSPOSED_PLIES, 2):
            if self._forced(other.bits, plies, reach.within(plies)):
                return True
        return None if self._unclear else False

    def _forced(self, bits: Bits, plies: int, reached: set[Bits]) -> bool:
        """True if, the opponent to move, the solver comes to one of these positions within some plies, by ways."""
        if bits in reached:
            return True
        if plies == 0:
            return False
        replies = bits_after(bits)
        return bool(replies) and all(
            any(self._forced(after, plies - 2, reached) and self._is_way(after) for after in bits_after(reply))
            for reply in replies
        )

    def _is_way(self, bits: Bits) -> bool:
        claim = Claim(Position.from_bits(bits), self._solver, self._goal)
        self._decider.decide([claim])
        decision = self._decider.decision_of(claim)
        self._unclear |= decision is None
        return decision is not None and decision.holds
