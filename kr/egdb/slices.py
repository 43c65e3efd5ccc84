"""Slices of an endgame database: which there are, what they are called, which lead to which.

A slice has a shape, the numbers of (own men, own kings, opponent's men, opponent's kings) of the side to move. A slice
and its twin, the same pieces with the other side to move, are a pair: they are solved together and share a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import comb

from kr import _egdb

Shape = tuple[int, int, int, int]

EGDB_MAX_PIECES: int = _egdb.EGDB_MAX_PIECES
"""More than the numbering of positions can take."""


def pieces(shape: Shape) -> int:
    """Pieces of both sides."""
    return sum(shape)


def twin(shape: Shape) -> Shape:
    """The same pieces with the other side to move."""
    return shape[2], shape[3], shape[0], shape[1]


def named_view(shape: Shape) -> Shape:
    """The view of a pair that names it: own pieces are more, or as many and more of them kings."""
    return max(shape, twin(shape), key=lambda view: (view[0] + view[1], view[1]))


def is_symmetric(shape: Shape) -> bool:
    """Whether a slice is its own twin."""
    return shape == twin(shape)


def views(pair: Shape) -> tuple[Shape, ...]:
    """The pair's slices: two, or one that is its own twin."""
    return (pair,) if is_symmetric(pair) else (pair, twin(pair))


def name(shape: Shape) -> str:
    """The four digits of a shape."""
    return "".join(map(str, shape))


def shape_named(digits: str) -> Shape:
    """The shape with this name. Raises ValueError."""
    own_men, own_kings, opponent_men, opponent_kings = map(int, digits)
    return own_men, own_kings, opponent_men, opponent_kings


def describe(shape: Shape) -> str:
    """A shape in words: "1 man, 2 kings v 3 kings"."""

    def side(men: int, kings: int) -> str:
        parts = [f"{men} {'man' if men == 1 else 'men'}"] * bool(men)
        parts += [f"{kings} {'king' if kings == 1 else 'kings'}"] * bool(kings)
        return ", ".join(parts)

    return f"{side(*shape[:2])} v {side(*shape[2:])}"


@cache
def size(shape: Shape) -> int:
    """Positions of a slice. Raises ValueError for a shape that is none."""
    return _egdb.egdb_slice_size(*shape)


@cache
def block(shape: Shape) -> int:
    """Positions of a slice with the same arrangement of men."""
    return _egdb.egdb_slice_block(*shape)


def pair_size(pair: Shape) -> int:
    """Positions of a pair."""
    return sum(map(size, views(pair)))


@cache
def shapes(count: int) -> tuple[Shape, ...]:
    """Every slice with so many pieces, both sides present."""
    return tuple(
        (men, own - men, other_men, count - own - other_men)
        for own in range(1, count)
        for men in range(own + 1)
        for other_men in range(count - own + 1)
    )


@cache
def pairs(count: int) -> tuple[Shape, ...]:
    """Every pair with so many pieces, by its name; what promotions lead to comes first."""
    return tuple(sorted({named_view(shape) for shape in shapes(count)}, key=lambda pair: (pair[0] + pair[2], pair)))


def pairs_up_to(count: int) -> Iterator[Shape]:
    """Every pair with so many pieces or fewer, the fewest first."""
    return (pair for pieces in range(2, count + 1) for pair in pairs(pieces))


@cache
def promotions(pair: Shape) -> frozenset[Shape]:
    """The pairs that a man's promotion without a capture leads to."""
    found = set()
    for men, kings, other_men, other_kings in views(pair):
        if men:
            found.add(named_view((men - 1, kings + 1, other_men, other_kings)))
        if other_men:
            found.add(named_view((men, kings, other_men - 1, other_kings + 1)))
    return frozenset(found)


@cache
def captures(pair: Shape) -> frozenset[Shape]:
    """The pairs that a capture leads to, of any number of pieces, with a promotion or without."""
    found = set()
    for men, kings, other_men, other_kings in views(pair):
        for men_left in range(other_men + 1):
            for kings_left in range(other_kings + 1):
                if 0 < men_left + kings_left < other_men + other_kings:
                    found.add(named_view((men, kings, men_left, kings_left)))
                    if men:
                        found.add(named_view((men - 1, kings + 1, men_left, kings_left)))
    return frozenset(found)


def successors(pair: Shape) -> frozenset[Shape]:
    """The other pairs that a move can lead to."""
    return promotions(pair) | captures(pair)


def placements(men: int, kings: int, other_men: int, other_kings: int) -> int:
    """Positions with these pieces and one given side to move, either side possibly without pieces.

    The closed formula: own men stand on 28 squares, r of them on the row where the opponent's men can't.
    """
    total = 0
    for back in range(min(men, 4) + 1):
        own = comb(4, back) * comb(24, men - back)
        total += own * comb(28 - (men - back), other_men)
    free = 32 - men - other_men
    return total * comb(free, kings) * comb(free - kings, other_kings)


def all_placements(count: int) -> int:
    """Every placement of so many pieces, of one side only ones too: Table I of Wang, Mueller and Schaeffer."""
    return sum(
        placements(men, own - men, other_men, count - own - other_men)
        for own in range(count + 1)
        for men in range(own + 1)
        for other_men in range(count - own + 1)
    )
