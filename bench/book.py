"""Processor times of a packed opening book: opening it, and looking positions up. Seconds.

    python bench/book.py [FILE.krb] [--positions 1e5] [--rounds 9] [--json]

Without a file it is the book of kr. --positions N: instead a book of N positions that random games reach, with four
moves each, such as one of some days of building. The kinds of look-up take turns in each round, on the same positions,
half of them with White to move, so that other work of the machine slows all of them alike.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from timing import show_range

from kr.book.book import SHIPPED_BOOK, OpeningBook, load_book
from kr.book.frame import BookKey, book_key
from kr.book.krb import PackedMove, krb_bytes
from kr.game.position import Position
from kr.units import parse_count

GOALS = {"opening, ms": 5.0, "look-up, us": 20.0}
LOOKED_UP = 2000
"""Positions of a round."""
LONGEST_GAME = 24
MOVES = 4


def random_book(positions: int) -> bytes:
    """A book of positions of random games."""
    source = random.Random(1)
    entries: dict[BookKey, list[PackedMove]] = {}
    while len(entries) < positions:
        position = Position()
        for _ in range(LONGEST_GAME):
            moves = position.legal_moves()
            if not moves:
                break
            numbers = range(min(MOVES, len(moves)))
            entries[book_key(position)] = [PackedMove(number, -3 * number, 18, 3) for number in numbers]
            position = position.play(source.choice(moves))
    return krb_bytes(entries, {"positions": len(entries)})


def microseconds(work: Callable[[Position], object], positions: list[Position]) -> float:
    """Mean processor time of a call."""
    start = time.process_time()
    for position in positions:
        work(position)
    return 1e6 * (time.process_time() - start) / len(positions)


def opening_time(book: OpeningBook) -> float:
    """Milliseconds of opening the file anew."""
    start = time.process_time()
    OpeningBook(book.path)
    return 1e3 * (time.process_time() - start)


def measured(book: OpeningBook, rounds: int) -> dict[str, list[float]]:
    """Each figure once a round."""
    source = random.Random(1)
    places = source.sample(list(book.positions()), min(LOOKED_UP, len(book)))
    places = [position.flipped() if number % 2 else position for number, position in enumerate(places)]
    # with kings alone, as in no book
    strange = [Position(each.black, each.white, each.black | each.white, each.side) for each in places]
    chance = random.Random(2)
    kinds: dict[str, Callable[[], float]] = {
        "opening, ms": lambda: opening_time(book),
        "look-up, us": lambda: microseconds(book.moves, places),
        "look-up of another position, us": lambda: microseconds(book.moves, strange),
        "best move, us": lambda: microseconds(book.choice, places),
        "varied move, us": lambda: microseconds(lambda position: book.choice(position, chance), places),
        "legal moves alone, us": lambda: microseconds(Position.legal_moves, places),
    }
    figures: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(rounds):
        for name, measure in kinds.items():
            figures[name].append(measure())
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", default=SHIPPED_BOOK, help="a .krb file")
    parser.add_argument("--positions", type=parse_count, default=0, help="positions of a random book in its place")
    parser.add_argument("--rounds", type=parse_count, default=9)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = args.file
        if args.positions:
            file = str(Path(folder, "random.krb"))
            Path(file).write_bytes(random_book(args.positions))
        book = load_book(file)
        if book is None:
            parser.error("expected a book")
        figures = {
            name: {"median": sorted(times)[len(times) // 2], "least": min(times), "most": max(times)}
            for name, times in measured(book, max(args.rounds, 1)).items()
        }
        size = book.path.stat().st_size
    if args.json:
        facts: dict[str, Any] = {"positions": len(book), "bytes": size, **figures}
        print(json.dumps(facts))
        return
    print(f"{len(book):,} positions, {size / 1e6:.2f} MB")
    for name, times in figures.items():
        goal = f"; goal {GOALS[name]:g}" if name in GOALS else ""
        show_range(name + goal, times)


if __name__ == "__main__":
    main()
