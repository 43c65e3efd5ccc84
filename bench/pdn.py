"""How fast and how truly PDN is read and written: every game of a file is read, replayed, written, and read back.

    python bench/pdn.py FILE.pdn.xz [--fuzz 1000] [--seed 1] [--json]

Counts the games that come back equal, in themselves and as text, and the time of each step, by the clock and of the
processor alone. With --fuzz so many pieces of the file are damaged at random and read: what is left must be readable,
writable and come back equal too, and nothing may take long.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kr.errors import InvalidPdnError
from kr.pdn import Reader, read_game, read_games, write_game
from kr.pdn.source import Text

PIECE = 20_000
"""Letters of the file that are damaged at once."""
SIGNS = ["", "", '"', "[", "]", "{", "}", "(", ")", "*", "1-0", "\n\n", ";", "%", "$", "!", "x", "-", "9", "½", "\\"]


class Clock:
    """Seconds of each step, by the clock and of the processor."""

    def __init__(self) -> None:
        self.wall: defaultdict[str, float] = defaultdict(float)
        self.processor: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def running(self, step: str) -> Iterator[None]:
        """Add the time of this block to a step."""
        wall, processor = time.perf_counter(), time.process_time()
        yield
        self.wall[step] += time.perf_counter() - wall
        self.processor[step] += time.process_time() - processor


def round_trip(path: Path) -> dict[str, Any]:
    """Read, write and read back every game."""
    clock = Clock()
    errors: list[InvalidPdnError] = []
    reader = Reader(path, on_error=errors.append)
    games = plies = equal = warned = 0
    results: Counter[str] = Counter()
    while True:
        with clock.running("read and replay"):
            game = reader.read_game()
        if game is None:
            break
        with clock.running("write"):
            text = write_game(game)
        with clock.running("read back"):
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
        "seconds": {step: round(clock.wall[step], 2) for step in clock.wall},
        "processor seconds": {step: round(clock.processor[step], 2) for step in clock.processor},
        "peak memory, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def fuzz(path: Path, times: int, seed: int) -> dict[str, Any]:
    """Damage pieces of a file and read them."""
    source = Text(path)
    text = "".join(iter(source.read, ""))
    dice = random.Random(seed)
    games = faults = 0
    slowest = 0.0
    for _ in range(times):
        at = dice.randrange(max(1, len(text) - PIECE))
        letters = list(text[at : at + PIECE])
        for _ in range(dice.randrange(1, 200)):
            where = dice.randrange(len(letters))
            letters[where : where + dice.choice([0, 1, 1, 2, 30])] = dice.choice(SIGNS)
        began = time.process_time()
        errors: list[InvalidPdnError] = []
        for game in read_games("".join(letters), errors=errors):
            assert read_game(write_game(game)) == game, write_game(game)
            games += 1
        slowest = max(slowest, time.process_time() - began)
        faults += len(errors)
    return {"pieces": times, "games read": games, "games refused": faults, "slowest piece, s": round(slowest, 3)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="PDN, also packed by gzip, xz or bzip2")
    parser.add_argument("--fuzz", type=int, default=0, help="pieces to damage and read")
    parser.add_argument("--seed", type=int, default=1, help="of the damage")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    found = round_trip(arguments.file)
    if arguments.fuzz:
        found["fuzz"] = fuzz(arguments.file, arguments.fuzz, arguments.seed)
    if arguments.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        shown = ", ".join(f"{key} {each}" for key, each in value.items()) if isinstance(value, dict) else value
        print(f"{name:20}{shown}")


if __name__ == "__main__":
    main()
