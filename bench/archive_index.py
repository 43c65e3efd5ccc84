"""Speed and size of an archive's index: making, opening and searching it.

    python bench/archive_index.py FILE.pdn.xz [--games 1e6] [--dir DIR] [--json]

With --games the file is repeated until there are that many games, from the second time on with other events and years,
and with moves by chance from somewhere in the game on, so that most positions are new. DIR keeps the archive and its
index, in place of a temporary directory.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from timing import Spent, timed

from kr import _core
from kr.archives.index import open_index
from kr.archives.index_build import index_path, remove_index
from kr.archives.search import SearchSettings
from kr.game.position import Position
from kr.notation import format_path
from kr.pdn import Reader
from kr.system import memory_peak

QUESTIONS = 20
MOST_KEPT = 40
"""Moves of a repeated game that are those of the original, at most."""


def repeated(source: Path, count: int) -> Iterator[str]:
    """Texts of games: those of a file again and again, from the second time on with other ends, tags and years."""
    dice = random.Random(1)
    games = [
        (game.headers, str(game.result), list(game.mainline_bits()), list(map(str, game.mainline_moves())))
        for game in Reader(source, on_error=lambda error: None)
        if game.start == Position()
    ]
    for number in range(count):
        headers, result, boards, moves = games[number % len(games)]
        if turn := number // len(games):
            cut = dice.randrange(min(MOST_KEPT, len(moves)) + 1)
            board, texts = boards[cut], moves[:cut]
            while len(texts) < len(moves) and (legal := _core.legal_moves(*board)):
                path, captured = dice.choice(legal)
                texts.append(format_path(path, captured != 0))
                board = _core.play(*board, path[0], path[-1], captured)
            event = f"{headers.get('Event', '')} {turn}"
            headers = {**headers, "Date": f"{dice.randrange(1850, 2026)}.??.??", "Event": event}
            moves = texts
        tags = "".join(f'[{name} "{value}"]\n' for name, value in headers.items())
        yield f"{tags}{textwrap.fill(' '.join((*moves, result)), 79)}\n\n"


def measured(path: Path) -> dict[str, Any]:
    """Times in seconds, wall and processor, and sizes."""
    remove_index(index_path(path))
    steps = {name: Spent() for name in ("make", "open", "position", "reversed", "search", "game", "names")}
    with timed(steps["make"]):
        open_index(path).close()
    with timed(steps["open"]):
        index = open_index(path)
    positions = [Position()]
    with index:
        for _ in range(QUESTIONS - 1):
            matches = index.find(SearchSettings(files=(path,), position=positions[-1].fen))
            if not (moves := index.moves(positions[-1], matches)):
                break
            positions.append(positions[-1].play(moves[0][0]))
        for name, turned in (("position", False), ("reversed", True)):
            for position in positions:
                with timed(steps[name]):
                    matches = index.find(SearchSettings(files=(path,), position=position.fen, reversed=turned))
                    index.moves(position, matches)
                    index.record(matches)
        with timed(steps["search"]):
            matches = index.find(SearchSettings(files=(path,), player=("tinsley",), year="1950-1960", result="1-0"))
        with timed(steps["names"]):
            index.players("ti", 12)
        for number in range(0, len(index), max(1, len(index) // QUESTIONS)):
            with timed(steps["game"]):
                index.game(number)
        games = len(index)
    return {
        "games": games,
        "found by a search": len(matches),
        "seconds": {name: round(spent.wall, 4) for name, spent in steps.items()},
        "processor seconds": {name: round(spent.processor, 4) for name, spent in steps.items()},
        "questions": {"position": len(positions), "reversed": len(positions), "game": QUESTIONS},
        "archive, MB": round(path.stat().st_size / 1e6, 1),
        "index, MB": round(index_path(path).stat().st_size / 1e6, 1),
        "peak memory, MB": memory_peak() >> 20,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="PDN file, which may be compressed by gzip, xz or bzip2")
    parser.add_argument("--games", type=float, default=0, help="games to make of it (default: its own)")
    parser.add_argument("--dir", type=Path, help="directory to work in (default: a temporary one)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.dir or Path(temporary)
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / options.file.name
        if options.games:
            path = directory / f"repeated-{options.games:.0f}.pdn"
            if not path.exists():
                with path.open("w", encoding="utf-8") as file:
                    file.writelines(repeated(options.file, int(options.games)))
        elif not path.exists():
            shutil.copyfile(options.file, path)
        figures = measured(path)
    if options.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        text = ", ".join(f"{key} {each}" for key, each in value.items()) if isinstance(value, dict) else value
        print(f"{name:20}{text}")


if __name__ == "__main__":
    main()
