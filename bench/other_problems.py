"""Problems of PDN collections that are not in another file: a test set that no tuning has used.

    python bench/other_problems.py FILE.pdn ... --without problems.jsonl > others.jsonl

A game that begins from a position of its own and has a result is a problem; its first position counts, each once. The
result is read by the English convention: 1-0 is a win of Black. `kr solve-problem others.jsonl` solves them.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import kr
from kr.pdn import read_games
from kr.problems.problem import load_problems

RESULTS = {"1-0": "B-win", "0-1": "W-win", "1/2-1/2": "draw"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--without", type=Path, help="file of problems that are left out")
    settings = parser.parse_args()
    others = {problem.position.fen for problem in load_problems(settings.without)} if settings.without else set()
    for path in settings.files:
        for number, game in enumerate(read_games(path), 1):
            result = RESULTS.get(game.headers.get("Result", ""))
            if result is None or "FEN" not in game.headers:
                continue
            try:
                fen = kr.Position.from_fen(game.headers["FEN"]).fen
            except ValueError as error:
                print(f"other_problems.py: {path}, game {number}: {error}", file=sys.stderr)
                continue
            if fen in others:
                continue
            others.add(fen)
            title = game.headers.get("Event", "")
            print(json.dumps({"id": f"{path.stem}-{number}", "title": title, "fen": fen, "result": result}))


if __name__ == "__main__":
    main()
