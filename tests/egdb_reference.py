"""A plain and slow solver of endgames, using the rules of kr/proofs/rules.py, to check the compiled one.

A position is seen with Black to move, as its three bitboards (black, white, kings); one with White to move is its
colour-flipped twin. Its distance is the number of plies to the end under best play: 0 where the side to move has no
move, odd where it wins, even where it loses, None where neither can.

    python tests/egdb_reference.py 3 0202 0211 1102 1111 > tests/data/egdb_reference.json

solves everything up to so many pieces, and the slices named, and prints a digest of each (two minutes; 3 GB).
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping

import numpy as np

from kr.proofs import rules as reference

Bits = tuple[int, int, int]
Shape = tuple[int, int, int, int]
"""Men and kings of the side to move, then of its opponent."""
Distances = Mapping[Bits, int | None]

OTHER_COLOUR = {"b": "w", "w": "b", "B": "W", "W": "B"}
LOSS, DRAW, WIN = 0, 1, 2
DRAW_BYTE = 255


def flipped(board: reference.PlainBoard) -> reference.PlainBoard:
    """The board turned by 180 degrees, colours swapped."""
    return {31 - square: OTHER_COLOUR[piece] for square, piece in board.items()}


def bits_with_side(bits: Bits, side: int) -> tuple[int, int, int, int]:
    """A position as the core takes it, with this side to move: itself, or with colours flipped."""
    if side == reference.BLACK_SIDE:
        return (*bits, side)
    return (*reference.to_bits(flipped(reference.from_bits(*bits))), side)


def shapes(pieces: int) -> list[Shape]:
    """Every slice with this many pieces, both sides having some."""
    counts = range(pieces + 1)
    every = [(a, b, c, pieces - a - b - c) for a in counts for b in counts for c in counts if a + b + c <= pieces]
    return [shape for shape in every if shape[0] + shape[1] and shape[2] + shape[3]]


def positions(shape: Shape) -> list[Bits]:
    """Every position of a slice in ascending order: no man on its last row, no two pieces on one square."""
    kinds = np.repeat(["b", "B", "w", "W"], shape)
    squares = np.indices((32,) * len(kinds)).reshape(len(kinds), -1)
    possible = np.ones(squares.shape[1], dtype=bool)
    for i, kind in enumerate(kinds):
        possible &= (kind != "b") | (squares[i] < 28)
        possible &= (kind != "w") | (squares[i] >= 4)
        for j in range(i):
            # pieces of a kind in ascending order, so that each set of squares occurs once
            possible &= squares[j] < squares[i] if kinds[j] == kind else squares[j] != squares[i]
    bits = 1 << squares[:, possible]
    black, white, crowned = (bits[np.isin(kinds, list(some))].sum(axis=0) for some in ("bB", "wW", "BW"))
    return sorted(zip(black.tolist(), white.tolist(), crowned.tolist(), strict=True))


def successors(bits: Bits) -> set[Bits]:
    """Positions after one move, seen by the side then to move."""
    board = reference.from_bits(*bits)
    after = (reference.plain_after(board, move) for move in reference.legal_moves(board, reference.BLACK_SIDE))
    return {reference.to_bits(flipped(child)) for child in after}


def must_capture(bits: Bits) -> bool:
    """True if the side to move has a capture."""
    board = reference.from_bits(*bits)
    return any(taken for _, taken in reference.legal_moves(board, reference.BLACK_SIDE))


def closure(starts: Iterable[Bits]) -> dict[Bits, set[Bits]]:
    """The successors of some positions, of their successors, and so on."""
    graph: dict[Bits, set[Bits]] = {}
    waiting = list(starts)
    while waiting:
        bits = waiting.pop()
        if bits not in graph:
            graph[bits] = successors(bits)
            waiting.extend(graph[bits])
    return graph


def solve(starts: Iterable[Bits]) -> dict[Bits, int | None]:
    """Distances of these positions and of all that follow from them.

    Distances are found in rising order. A position is won as soon as one successor is known to be lost, by the
    shortest way; it is lost when all are known to be won, by the longest. What is never reached is drawn.
    """
    graph = closure(starts)
    predecessors = defaultdict(list)
    for bits, after in graph.items():
        for child in after:
            predecessors[child].append(bits)
    not_yet_won = {bits: len(after) for bits, after in graph.items()}
    distances: dict[Bits, int | None] = dict.fromkeys(graph)
    waiting = deque(bits for bits, after in graph.items() if not after)
    distances.update(dict.fromkeys(waiting, 0))
    while waiting:
        child = waiting.popleft()
        distance = distances[child]
        assert distance is not None
        for bits in predecessors[child]:
            if distances[bits] is not None:
                continue
            not_yet_won[bits] -= distance % 2
            if distance % 2 == 0 or not_yet_won[bits] == 0:
                distances[bits] = distance + 1
                waiting.append(bits)
    return distances


def value(distance: int | None) -> int:
    """Loss, draw or win for the side to move."""
    if distance is None:
        return DRAW
    return WIN if distance % 2 else LOSS


def best(after: Iterable[int | None]) -> int | None:
    """The distance of a position from those of all its successors."""
    known = list(after)
    losses = [distance for distance in known if distance is not None and distance % 2 == 0]
    if losses:
        return 1 + min(losses)
    wins = [distance for distance in known if distance is not None]
    if len(wins) == len(known):
        return 1 + max(wins, default=-1)
    return None


def digest(shape: Shape, distances: Distances) -> dict[str, object]:
    """Digest of a slice: numbers of wins, losses and draws, the longest win, and checksums of all positions.

    The checksums are over one byte a position, value and distance (255: drawn), in rising order of (black, white,
    kings).
    """
    found = [distances[bits] for bits in positions(shape)]
    values = bytes(value(distance) for distance in found)
    plies = bytes(DRAW_BYTE if distance is None else distance for distance in found)
    return {
        "wins": values.count(WIN),
        "losses": values.count(LOSS),
        "draws": values.count(DRAW),
        "longest": max((ply for ply in plies if ply % 2 and ply != DRAW_BYTE), default=0),
        "values": hashlib.sha256(values).hexdigest(),
        "distances": hashlib.sha256(plies).hexdigest(),
    }


def main(pieces: int, named: list[str]) -> None:
    """Print digests as JSON, of all slices with up to the given number of pieces and of those named."""
    names = ["".join(map(str, shape)) for count in range(2, pieces + 1) for shape in shapes(count)] + named
    wanted = {name: (int(name[0]), int(name[1]), int(name[2]), int(name[3])) for name in names}
    distances = solve(bits for shape in wanted.values() for bits in positions(shape))
    lines = [f"{json.dumps(name)}: {json.dumps(digest(shape, distances))}" for name, shape in wanted.items()]
    print("{", ",\n".join(lines), "}", sep="\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
