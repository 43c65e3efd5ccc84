"""How well a book's values tell the barred three-move ballots from the others. No book was told which they are.

    python bench/ballots.py [BOOK] [--least .98]

Printed is the share of pairs of a barred and another ballot where the barred one is further from a draw by the book,
ties counting half (the area under the curve). It fails where that is less than --least.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path

from kr.book.book import SHIPPED_BOOK
from kr.openings.decks import deck
from kr.theory.contents import open_contents


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("book", nargs="?", type=Path, default=Path(SHIPPED_BOOK), help="a book in any form with values")
    parser.add_argument("--least", type=float, default=0.98, help="least share of pairs")
    settings = parser.parse_args()
    book = open_contents(settings.book)
    barred: list[int] = []
    others: list[int] = []
    for ballot in deck("3move", playable_only=False):
        best = book.best(book.moves(ballot.position))
        if best is not None and best.value is not None:
            (others if ballot.playable else barred).append(abs(best.value))
    if not barred or not others:
        sys.exit(f"{settings.book} has no ballots to compare")
    share = sum((one > other) + (one == other) / 2 for one, other in product(barred, others)) / (
        len(barred) * len(others)
    )
    print(f"{len(barred)} barred ballots, {min(barred)} to {max(barred)} centi-men from a draw")
    print(f"{len(others)} others, {min(others)} to {max(others)}")
    print(f"pairs where the barred one is further: {share:.3f}; goal {settings.least:g}")
    sys.exit(share < settings.least)


if __name__ == "__main__":
    main()
