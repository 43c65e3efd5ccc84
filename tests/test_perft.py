"""Leaves of the move tree: the fast counter and the search's moves against each other, the reference and tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from captures import POSITIONS
from counters import BY_MOVES, FAST, REFERENCE, Bits, Counter, boards, difference
from hypothesis import given

from kr.game.position import Position

pytestmark = pytest.mark.core

PERFT = [
    (name.strip(), fen.strip(), [int(count) for count in counts.split()])
    for name, fen, counts in (
        line.split("|")
        for line in (Path(__file__).parent / "data" / "perft.txt").read_text().splitlines()
        if not line.startswith("#")
    )
]


def bits_of(position: Position) -> Bits:
    return position.black, position.white, position.kings, int(position.side)


@pytest.mark.parametrize(("counter", "most"), [(FAST, 5_000_000), (BY_MOVES, 500_000), (REFERENCE, 2_000)])
@pytest.mark.parametrize(("fen", "counts"), [case[1:] for case in PERFT], ids=[case[0] for case in PERFT])
def test_counts_are_the_known_ones(fen: str, counts: list[int], counter: Counter, most: int) -> None:
    position = Position.from_fen(fen)
    for depth, count in enumerate(counts, start=1):
        if count > most:
            break
        for bits in (bits_of(position), bits_of(position.flipped())):
            assert counter.leaves(bits, depth) == count, difference(counter, REFERENCE, bits, depth)


@given(boards() | POSITIONS.map(bits_of))
def test_both_counters_agree_on_random_boards(bits: Bits) -> None:
    for depth in range(4):
        assert FAST.leaves(bits, depth) == BY_MOVES.leaves(bits, depth), difference(FAST, BY_MOVES, bits, depth)
