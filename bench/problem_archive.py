"""A file of random problems for `kr problem check` and `kr problem print`: the same file from the same options.

    python bench/problem_archive.py archive.txt --problems 100000 --broken 10
    python bench/problem_archive.py sheet.jsonl --problems 2000 --told

Positions of 2 and 3 pieces, a FEN in each line; with --told JSON lines with title, author, result and a line of moves.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

from kr.egdb import slices
from kr.egdb.sample import random_positions
from kr.game.position import Position

BROKEN = (
    "no json", '{"fen": "W:WK1:BK32"', "[1, 2]", '{"fen": "W:W1-13:BK32"}', "W:W1:B1", "WB:WK1:B2",
    '{"fen": "W:WK1:BK32", "result": "W wins"}', ":W1:B3", '{"title": "none"}', "W:W33:B1",
)  # fmt: skip
WORDS = "Prize Stroke Great Black Doctor Union Match Corner Bridge King's Ending Star Shot Cross".split()


def told(position: Position, source: random.Random) -> str:
    """A problem as JSON, with the first moves that come to mind."""
    moves: list[str] = []
    at = position
    while not at.is_over and len(moves) < 15:
        move = source.choice(at.legal_moves())
        moves.append(str(move))
        at = at.play(move)
    title = " ".join(source.sample(WORDS, source.randint(1, 4)))
    problem = {"fen": position.fen, "title": title, "author": "A. N. Author", "result": "draw"}
    return json.dumps(problem | {"solution": " ".join(moves)})


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--problems", type=int, default=2000)
    parser.add_argument("--broken", type=int, default=0, help=f"lines that are no problems, up to {len(BROKEN)}")
    parser.add_argument("--told", action="store_true", help="JSON with titles and lines of moves")
    options = parser.parse_args()
    source = random.Random(1)
    shapes = [shape for count in (2, 3) for shape in slices.shapes(count)]
    positions = random_positions(shapes, source)
    places = source.sample(range(options.problems), options.broken)
    broken = dict(zip(places, BROKEN[: options.broken], strict=True))
    with options.file.open("w", encoding="utf-8") as file:
        for number in range(options.problems):
            line = broken.get(number)
            if line is None:
                position = next(positions)
                line = told(position, source) if options.told else position.fen
            file.write(f"{line}\n")


if __name__ == "__main__":
    main()
