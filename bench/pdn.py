"""Speed and accuracy of reading and writing PDN: all games of a file are read, replayed, written and read back.

    python bench/pdn.py FILE.pdn.xz [--fuzz 1000] [--seed 1] [--json]

Counts the games that come back equal, as games and as text, and times each step. With --fuzz, that many pieces of the
file are damaged at random and read: the games that remain must come back equal too, and no piece may take long. About
20 seconds for 20,000 games.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from timing import Spent, timed

from kr.errors import InvalidPdnError
from kr.pdn import Reader, read_game, read_games, write_game
from kr.pdn.source import Text
from kr.system import memory_peak

PIECE = 20_000
"""Characters of a damaged piece."""
SIGNS = ["", "", '"', "[", "]", "{", "}", "(", ")", "*", "1-0", "\n\n", ";", "%", "$", "!", "x", "-", "9", "½", "\\"]


def round_trip(path: Path) -> dict[str, Any]:
    """Read, write and read back every game."""
    steps: defaultdict[str, Spent] = defaultdict(Spent)
    errors: list[InvalidPdnError] = []
    reader = Reader(path, on_error=errors.append)
    games = plies = equal = warned = 0
    results: Counter[str] = Counter()
    while True:
        with timed(steps["read and replay"]):
            game = reader.read_game()
        if game is None:
            break
        with timed(steps["write"]):
            text = write_game(game)
        with timed(steps["read back"]):
            again = read_game(text)
        assert again is not None
        games += 1
        plies += sum(1 for _ in game.mainline())
        equal += again == game and write_game(again) == text
        warned += bool(game.warnings)
        results[game.result] += 1
    return {
        "games": games,
        "plies": plies,
        "results": dict(results),
        "come back equal": equal,
        "with warnings": warned,
        "left out": list(map(str, errors)),
        "encoding": reader.encoding,
        "seconds": {step: round(spent.wall, 2) for step, spent in steps.items()},
        "processor seconds": {step: round(spent.processor, 2) for step, spent in steps.items()},
        "peak memory, MB": memory_peak() >> 20,
    }


def fuzz(path: Path, times: int, seed: int) -> dict[str, Any]:
    """Damage pieces of a file and read them."""
    source = Text(path)
    text = "".join(iter(source.read, ""))
    dice = random.Random(seed)
    games = refused = 0
    slowest = 0.0
    for _ in range(times):
        at = dice.randrange(max(1, len(text) - PIECE))
        characters = list(text[at : at + PIECE])
        for _ in range(dice.randrange(1, 200)):
            where = dice.randrange(len(characters))
            characters[where : where + dice.choice([0, 1, 1, 2, 30])] = dice.choice(SIGNS)
        errors: list[InvalidPdnError] = []
        spent = Spent()
        with timed(spent):
            for game in read_games("".join(characters), errors=errors):
                assert read_game(write_game(game)) == game, write_game(game)
                games += 1
        slowest = max(slowest, spent.processor)
        refused += len(errors)
    return {"pieces": times, "games read": games, "games refused": refused, "slowest piece, s": round(slowest, 3)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="PDN file, which may be compressed by gzip, xz or bzip2")
    parser.add_argument("--fuzz", type=int, default=0, help="pieces to damage and read (default: none)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the damage (default: 1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    figures = round_trip(options.file)
    if options.fuzz:
        figures["fuzz"] = fuzz(options.file, options.fuzz, options.seed)
    if options.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        text = ", ".join(f"{key} {each}" for key, each in value.items()) if isinstance(value, dict) else value
        print(f"{name:20}{text}")


if __name__ == "__main__":
    main()
