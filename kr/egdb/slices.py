"""Slices of an endgame database: names, sizes and the moves between them.

A slice is the set of all positions in which the side to move has a given number of men and kings, and its opponent a
given number of men and kings. These four numbers, in this order, are its shape. Its twin is the slice of the same
pieces with the other side to move; it may be the slice itself. A slice and its twin form a pair, which is solved as a
whole and has its files in common. The shape of one of the two names the pair (see `pair_of`). All pairs with the same
numbers of pieces of the two sides form a class.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from math import comb

from kr import _egdb

Shape = tuple[int, int, int, int]
"""Own men, own kings, opponent's men, opponent's kings; "own" are those of the side to move."""

Class = tuple[int, int]
"""Pieces of the two sides, the larger number first: all slices in which one side has these and the other those."""

EGDB_MAX_PIECES: int = _egdb.EGDB_MAX_PIECES
"""Pieces of both sides that a position with an index can have."""


def pieces(shape: Shape) -> int:
    """Pieces of both sides."""
    return sum(shape)


def twin(shape: Shape) -> Shape:
    """Shape of the slice with the same pieces and the other side to move."""
    return shape[2], shape[3], shape[0], shape[1]


def pair_of(shape: Shape) -> Shape:
    """The pair that a slice belongs to, as the shape of that slice of the two that names it.

    It is the one in which the side to move has more pieces, or as many pieces and more kings.
    """
    return max(shape, twin(shape), key=lambda each: (each[0] + each[1], each[1]))


def is_symmetric(shape: Shape) -> bool:
    """True if a slice is its own twin."""
    return shape == twin(shape)


def members(pair: Shape) -> tuple[Shape, ...]:
    """The slices of a pair: two, or one that is its own twin."""
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
    """Positions of a slice. Raises ValueError for a shape without a slice."""
    return _egdb.egdb_slice_size(*shape)


@cache
def block(shape: Shape) -> int:
    """Positions of a slice that have the same arrangement of men."""
    return _egdb.egdb_slice_block(*shape)


def pair_size(pair: Shape) -> int:
    """Positions of a pair."""
    return sum(map(size, members(pair)))


@cache
def shapes(count: int) -> tuple[Shape, ...]:
    """Every slice with `count` pieces, both sides having at least one."""
    return tuple(
        (men, own - men, other_men, count - own - other_men)
        for own in range(1, count)
        for men in range(own + 1)
        for other_men in range(count - own + 1)
    )


@cache
def pairs(count: int) -> tuple[Shape, ...]:
    """Every pair with `count` pieces, in an order in which promotions lead to earlier ones."""
    return tuple(sorted({pair_of(shape) for shape in shapes(count)}, key=lambda pair: (pair[0] + pair[2], pair)))


def class_of(shape: Shape) -> Class:
    """The class of a slice or a pair."""
    own, other = shape[0] + shape[1], shape[2] + shape[3]
    return max(own, other), min(own, other)


def class_name(cls: Class) -> str:
    """The name of a class: (4, 3) -> "4v3"."""
    return f"{cls[0]}v{cls[1]}"


def parse_class(text: str) -> Class:
    """The class with this name, "4v3" or "3v4". Raises ValueError."""
    numbers = re.fullmatch(r"([1-9])v([1-9])", text.strip())
    own, other = map(int, numbers.groups()) if numbers else (0, 0)
    if not 2 <= own + other <= EGDB_MAX_PIECES:
        raise ValueError(
            f'{text!r} is not a class such as "4v3", the pieces of the two sides, from 2 to {EGDB_MAX_PIECES} together'
        )
    return max(own, other), min(own, other)


def parse_classes(text: str) -> tuple[Class, ...]:
    """The classes of a list with commas, each once; none for "". Raises ValueError."""
    return tuple(dict.fromkeys(parse_class(part) for part in text.split(",") if text.strip()))


def classes(count: int) -> tuple[Class, ...]:
    """Every class with `count` pieces, the most even one first: 4v4, 5v3, 6v2, 7v1."""
    return tuple((own, count - own) for own in range((count + 1) // 2, count))


@cache
def class_pairs(cls: Class) -> tuple[Shape, ...]:
    """The pairs of a class, in the order of `pairs`."""
    return tuple(pair for pair in pairs(sum(cls)) if class_of(pair) == cls)


@cache
def smaller_classes(cls: Class) -> frozenset[Class]:
    """The classes that captures lead to, the one itself left out."""
    own, other = cls
    reached = {(max(a, b), min(a, b)) for a in range(1, own + 1) for b in range(1, other + 1)}
    return frozenset(reached - {cls})


def pairs_up_to(count: int) -> Iterator[Shape]:
    """Every pair with at most `count` pieces, the fewest pieces first."""
    return (pair for pieces in range(2, count + 1) for pair in pairs(pieces))


def complete_pieces(present: Collection[Shape]) -> int:
    """Most pieces up to which every pair is among those present; 1 if not even those with 2 pieces are."""
    count = 1
    while count < EGDB_MAX_PIECES and all(pair in present for pair in pairs(count + 1)):
        count += 1
    return count


def usable_classes(present: Collection[Shape]) -> tuple[Class, ...]:
    """The classes whose pairs are all among those present, with those of all smaller classes; the fewest pieces first.

    Values of other pairs are of no use: a probe follows captures into the smaller classes.
    """
    whole: list[Class] = []
    for count in range(2, EGDB_MAX_PIECES + 1):
        for cls in classes(count):
            if smaller_classes(cls) <= set(whole) and all(pair in present for pair in class_pairs(cls)):
                whole.append(cls)
    return tuple(whole)


def reach_in_words(count: int, more: Collection[str]) -> str:
    """What a database has: "up to 7 pieces", or "up to 7 pieces, and 4v4" with classes of more."""
    text = f"up to {count} pieces"
    return f"{text}, and {', '.join(more)}" if more else text


def parse_reach(text: str) -> frozenset[Class]:
    """The classes that a database has, from `reach_in_words`. Raises ValueError."""
    complete, _, more = text.partition(", and ")
    for count in range(2, EGDB_MAX_PIECES + 1):
        if complete == reach_in_words(count, ()):
            named = [parse_class(name) for name in more.split(", ")] if more else []
            if text == reach_in_words(count, [class_name(cls) for cls in named]):
                return frozenset(named).union(*(classes(pieces) for pieces in range(2, count + 1)))
    raise ValueError(f'{text!r} is not the reach of a database such as "up to 7 pieces, and 4v4"')


@cache
def promotions(pair: Shape) -> frozenset[Shape]:
    """The pairs reached by promoting a man without a capture."""
    reached = set()
    for men, kings, other_men, other_kings in members(pair):
        if men:
            reached.add(pair_of((men - 1, kings + 1, other_men, other_kings)))
        if other_men:
            reached.add(pair_of((men, kings, other_men - 1, other_kings + 1)))
    return frozenset(reached)


@cache
def captures(pair: Shape) -> frozenset[Shape]:
    """The pairs reached by a capture of any number of pieces, with or without a promotion."""
    reached = set()
    for men, kings, other_men, other_kings in members(pair):
        for men_left in range(other_men + 1):
            for kings_left in range(other_kings + 1):
                if 0 < men_left + kings_left < other_men + other_kings:
                    reached.add(pair_of((men, kings, men_left, kings_left)))
                    if men:
                        reached.add(pair_of((men - 1, kings + 1, men_left, kings_left)))
    return frozenset(reached)


def successors(pair: Shape) -> frozenset[Shape]:
    """The other pairs reached by a move."""
    return promotions(pair) | captures(pair)


def placements(men: int, kings: int, other_men: int, other_kings: int) -> int:
    """Positions with these pieces and a given side to move, by a closed formula; either side may have no pieces.

    Own men stand on 28 squares; those of them on the row where the opponent's men can't stand leave that row's squares
    out of the opponent's choice.
    """
    total = 0
    for back in range(min(men, 4) + 1):
        own = comb(4, back) * comb(24, men - back)
        total += own * comb(28 - (men - back), other_men)
    free = 32 - men - other_men
    return total * comb(free, kings) * comb(free - kings, other_kings)


def all_placements(count: int) -> int:
    """Positions with `count` pieces, one-sided ones included: Table I of Wang, Müller and Schaeffer (2023)."""
    return sum(
        placements(men, own - men, other_men, count - own - other_men)
        for own in range(count + 1)
        for men in range(own + 1)
        for other_men in range(count - own + 1)
    )
