"""The collection of puzzles that comes with kr, of files that `kr problem find` has written.

    python bench/puzzle_collection.py FOUND.jsonl... --out kr/problems/puzzles.jsonl.xz --most 2400 --egdb DIR

Puzzles without a theme are left out. Those that rest on searches are looked at again with more nodes, and kept if they
are found again. From each theme and rating in steps of 200 one is taken in turn, the best first, until there are
enough; the rarest themes begin. The first lines of the file, comments, are those of --about.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kr.egdb.database import load_database
from kr.engine.engine import Engine
from kr.game.position import Position
from kr.policy.policy import load_policy
from kr.problems.finding import Finder, PuzzleChoice
from kr.problems.problem import SEARCHED_EVIDENCE
from kr.storage import write_atomic

RATING_STEP = 200
KEYS = ("id", "fen", "result", "solution", "keeping_moves", "themes", "rating", "evidence", "source")


def read(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """The records of the files with a theme, each once."""
    puzzles: dict[str, dict[str, Any]] = {}
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            record = json.loads(line)
            # a journal has lots of puzzles
            for each in record.get("puzzles", [record] if "fen" in record else []):
                if each.get("themes"):
                    puzzles.setdefault(each["id"], each)
    return list(puzzles.values())


def checked(records: Sequence[dict[str, Any]], nodes: int, egdb: str) -> Iterator[dict[str, Any]]:
    """The records, those that rest on searches only if searches with so many nodes find them again."""
    engine = Engine(hash_mb=64, database=load_database(egdb, 1 << 29))
    finder = Finder(engine, load_policy(), PuzzleChoice(lowest=0, first_nodes=nodes, nodes=nodes, proof_nodes=0))
    for number, record in enumerate(records, 1):
        if record["evidence"] != SEARCHED_EVIDENCE:
            yield record
            continue
        engine.new_game()
        again = finder.find(Position.from_fen(record["fen"]))
        if again is not None and again[0].themes and str(again[0].first_move) == record["first_move"]:
            problem, merit = again
            kept = {name: value for name, value in problem.as_object().items() if value not in ("", [])}
            yield kept | {"id": record["id"], "source": record["source"], "merit": merit.score}
        print(f"\r{number} of {len(records)}", end="", flush=True)
    print()


def chosen(records: Sequence[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """The best of each theme and rating in turn, up to so many in all, in the order of their ratings."""
    cells: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for record in sorted(records, key=lambda each: (-each["merit"], each["id"])):
        for theme in record["themes"]:
            cells[theme, record["rating"] // RATING_STEP].append(record)
    counts = Counter(theme for record in records for theme in record["themes"])
    order = sorted(cells, key=lambda cell: (counts[cell[0]], cell))
    taken: dict[str, dict[str, Any]] = {}
    while len(taken) < most and any(cells.values()):
        for cell in order:
            while cells[cell] and cells[cell][0]["id"] in taken:
                cells[cell].pop(0)
            if cells[cell] and len(taken) < most:
                record = cells[cell].pop(0)
                taken[record["id"]] = record
    return sorted(taken.values(), key=lambda each: (each["rating"], each["id"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--most", type=int, default=2400)
    parser.add_argument("--nodes", type=int, default=200_000, help="nodes of each search that looks again")
    parser.add_argument("--egdb", default="", help="endgame database for these searches")
    parser.add_argument("--about", type=Path, help="text for the comments at the beginning")
    given = parser.parse_args()
    records = chosen(list(checked(read(given.files), given.nodes, given.egdb)), given.most)
    about = given.about.read_text("utf-8").splitlines() if given.about else ["Puzzles found by kr problem find."]
    lines = [f"# {line}".rstrip() for line in about]
    lines += [
        json.dumps({key: record[key] for key in KEYS if key in record}, ensure_ascii=False, separators=(",", ":"))
        for record in records
    ]
    packed = lzma.compress(("\n".join(lines) + "\n").encode(), preset=9 | lzma.PRESET_EXTREME)
    write_atomic(given.out, packed)
    themes = Counter(theme for record in records for theme in record["themes"])
    bands = Counter(record["rating"] // RATING_STEP * RATING_STEP for record in records)
    evidence = Counter(record["evidence"] for record in records)
    print(f"{len(records)} puzzles, {len(packed):,} bytes: {dict(themes)}, {dict(evidence)}, {sorted(bands.items())}")


if __name__ == "__main__":
    main()
