"""The positions that one leads to by any moves, as bitboards: what second ways that transpose are compared with."""

from __future__ import annotations

from kr import _core
from kr.game.position import Bits, Position

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
