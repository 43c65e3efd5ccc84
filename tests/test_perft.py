"""Leaves of the move tree: the fast counter and the search's moves against each other, the reference and tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from captures import POSITIONS
from counters import BY_MOVES, FAST, REFERENCE, Bits, Counter, Leap, boards, difference
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


def no_crowning(bits: Bits, move: Leap) -> Bits:
    black, white, kings, side = REFERENCE.play(bits, move)
    return black, white, kings & bits[2], side


# id, what is wrong, FEN, depth, and the report
FAULTS = [
    (
        "a move too few, two plies deep",
        replace(REFERENCE, name="faulty", moves=lambda bits: [m for m in REFERENCE.moves(bits) if m[0] != (20, 16)]),
        "B:W21,22:B1",
        2,
        """
B:W21,22:B1, depth 2: faulty 4, reference 6
  1-5: 2 3  <--
  1-6: 2 3  <--
W:W21,22:B5, depth 1: faulty 2, reference 3
  21-17: only reference
  22-17: 1 1
  22-18: 1 1
""",
    ),
    (
        "a move too many",
        replace(REFERENCE, name="faulty", moves=lambda bits: [*REFERENCE.moves(bits), ((0, 31), 0)]),
        "B:W21,22:B1",
        1,
        """
B:W21,22:B1, depth 1: faulty 3, reference 2
  1-5: 1 1
  1-6: 1 1
  1-32: only faulty
""",
    ),
    (
        "a man that is not crowned",
        replace(REFERENCE, name="faulty", play=no_crowning),
        "W:W6:B12",
        3,
        """
W:W6:B12, depth 3: faulty 0, reference 4
  6-1: 0 2, positions (2048, 1, 0, 0) (2048, 1, 1, 0)
  6-2: 0 2, positions (2048, 2, 0, 0) (2048, 2, 2, 0)
""",
    ),
    (
        "a wrong count of the right moves",
        replace(FAST, name="faulty", counted=lambda bits, depth: FAST.leaves(bits, depth) + (depth == 1)),
        "B:W21,22:B1",
        2,
        """
B:W21,22:B1, depth 2: faulty 6, reference 6
  1-5: 4 3  <--
  1-6: 4 3  <--
W:W21,22:B5, depth 1: faulty 4, reference 3
  21-17: 1 1
  22-17: 1 1
  22-18: 1 1
""",
    ),
]


@pytest.mark.parametrize(
    ("faulty", "fen", "depth", "report"), [case[1:] for case in FAULTS], ids=[case[0] for case in FAULTS]
)
def test_the_divide_says_where_two_counters_part(faulty: Counter, fen: str, depth: int, report: str) -> None:
    assert difference(faulty, REFERENCE, bits_of(Position.from_fen(fen)), depth) == report.strip()
