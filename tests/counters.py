"""Ways to count the leaves of a move tree, and a report on where two of them differ."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hypothesis import strategies as st

from kr import _core
from kr.game.position import Position
from kr.proofs import rules as reference

Bits = tuple[int, int, int, int]
"""Black, white, kings, side."""
Leap = tuple[tuple[int, ...], int]
"""A move: its squares from the origin on, and the captured ones as a bitboard."""


@dataclass(frozen=True)
class Counter:
    """A way to count leaves, and its rules."""

    name: str
    moves: Callable[[Bits], Iterable[Leap]]
    play: Callable[[Bits, Leap], Bits]
    counted: Callable[[Bits, int], int] | None = None

    def leaves(self, bits: Bits, depth: int) -> int:
        """The number of leaves at this depth, counted one by one if there is no faster way."""
        if self.counted:
            return self.counted(bits, depth)
        if depth == 0:
            return 1
        return sum(self.leaves(self.play(bits, move), depth - 1) for move in self.moves(bits))


def _core_play(bits: Bits, move: Leap) -> Bits:
    path, captured = move
    return _core.play(*bits, path[0], path[-1], captured)


def _reference_moves(bits: Bits) -> list[Leap]:
    moves = reference.legal_moves(reference.from_bits(*bits[:3]), bits[3])
    return [(path, reference.bits_of(taken)) for path, taken in moves]


def _reference_play(bits: Bits, move: Leap) -> Bits:
    path, captured = move
    taken = frozenset(square for square in range(32) if captured >> square & 1)
    return (*reference.to_bits(reference.plain_after(reference.from_bits(*bits[:3]), (path, taken))), 1 - bits[3])


def _core_moves(bits: Bits) -> list[Leap]:
    return _core.legal_moves(*bits)


FAST = Counter("fast", _core_moves, _core_play, lambda bits, depth: _core.perft(*bits, depth))
BY_MOVES = Counter("by moves", _core_moves, _core_play, lambda bits, depth: _core.perft_by_moves(*bits, depth))
REFERENCE = Counter("reference", _reference_moves, _reference_play)


def difference(one: Counter, other: Counter, bits: Bits, depth: int) -> str:
    """The divide of both: leaves below each move, moves that only one has, and the same below the first move where they
    differ."""
    here = f"depth {depth}: {one.name} {one.leaves(bits, depth)}, {other.name} {other.leaves(bits, depth)}"
    lines = [f"{Position(*bits).fen}, {here}"]
    both = [counter.moves(bits) for counter in (one, other)]
    follow = None
    for move in sorted({*both[0], *both[1]}):
        name = ("x" if move[1] else "-").join(str(square + 1) for square in move[0])
        if not all(move in moves for moves in both):
            lines.append(f"  {name}: only {(one if move in both[0] else other).name}")
            continue
        children = [counter.play(bits, move) for counter in (one, other)]
        counts = [counter.leaves(child, depth - 1) for counter, child in zip((one, other), children, strict=True)]
        lines.append(f"  {name}: {counts[0]} {counts[1]}")
        if children[0] != children[1]:
            lines[-1] += f", positions {children[0]} {children[1]}"
        elif counts[0] != counts[1]:
            lines[-1] += "  <--"
            follow = follow or children[0]
    if follow:
        lines.append(difference(one, other, follow, depth - 1))
    return "\n".join(lines)


@st.composite
def boards(draw: st.DrawFn) -> Bits:
    """Any possible board, reachable or not, with many kings and few empty rows or the other way round."""
    seed = draw(st.integers(0, 2**32))
    each = draw(st.tuples(st.integers(0, 12), st.integers(0, 12)))
    king_share = draw(st.sampled_from([0.0, 0.2, 0.6, 1.0]))
    chance = random.Random(seed)
    squares = chance.sample(range(32), sum(each))
    board: reference.PlainBoard = {}
    for index, square in enumerate(squares):
        piece = "b" if index < each[0] else "w"
        king = reference.crowned(piece, square) or chance.random() < king_share
        board[square] = piece.upper() if king else piece
    return (*reference.to_bits(board), chance.randrange(2))
