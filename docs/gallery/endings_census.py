"""How many positions of an ending are won, drawn and lost, and the longest win: every position, by the database.

python endings_census.py --black KK --white K
"""

import argparse
from itertools import combinations

import numpy as np

import kr

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--black", default="KK", help="pieces of the side to move: M for a man, K for a king")
parser.add_argument("--white", default="K")
options = parser.parse_args()


def placements(pieces, home):
    """All ways to place men and kings: bitboards of pieces and of kings. home: squares on which a man is crowned."""
    men, kings = pieces.upper().count("M"), pieces.upper().count("K")
    for men_squares in combinations([square for square in range(32) if square not in home], men):
        for king_squares in combinations([square for square in range(32) if square not in men_squares], kings):
            crowned = sum(1 << square for square in king_squares)
            yield crowned | sum(1 << square for square in men_squares), crowned


white = list(placements(options.white, home=range(4)))
boards = np.array(
    [(a, b, p | q) for a, p in placements(options.black, home=range(28, 32)) for b, q in white if not a & b],
    dtype=np.uint32,
)
database = kr.load_database()
values, distances = database.values(boards), database.distances(boards)
print(f"{len(boards):,} positions, Black to move with {options.black} against {options.white}")
for code, name in enumerate(("lost", "drawn", "won")):
    count = int((values == code).sum())
    print(f"{name:6}{count:12,}{100 * count / len(boards):8.2f}%")
if (values == 255).any():
    print(f"unknown{int((values == 255).sum()):11,}: the database has up to {database.pieces} pieces")
longest = np.where(values == 2, distances, -1).argmax()
if values[longest] == 2 and distances[longest] > 0:
    position = kr.Position(*map(int, boards[longest]))
    print(f"the longest win takes {distances[longest]} plies: {position.fen}\n{position.diagram()}")
