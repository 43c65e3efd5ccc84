"""Compares kr compiled to WebAssembly with kr here: python packaging/library/try_wasm.py

Both search the positions of the bench and 200 of random games, and have to agree in nodes, scores and depths; node.js
runs the former. Prints the speeds, and ends with exit code 1 if they differ.
"""

import random
import shutil
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import kr
from kr.notation import fen_lines

SOURCES = Path(__file__).resolve().parent
BUILD = SOURCES.parents[1] / "build" / "library-wasm"
RANDOM = 200
DEPTH = 11
HASH_MB = 16


def positions() -> list[kr.Position]:
    """Those of the bench, and of random games."""
    text = (files("kr.engine") / "bench.txt").read_text(encoding="utf-8")
    found = [kr.Position.from_fen(fen) for _, fen in fen_lines(text.splitlines())]
    source = random.Random(1)
    played: list[kr.Position] = []
    while len(played) < 20 * RANDOM:
        position = kr.Position()
        while moves := position.legal_moves():
            played.append(position)
            position = position.play(source.choice(moves))
    return found + source.sample(played, RANDOM)


def main() -> None:
    if not shutil.which("node"):
        sys.exit("kr: the WebAssembly is tried by node.js: apt install nodejs")
    asked = positions()
    words: list[str | Path] = [
        "node",
        SOURCES / "search.mjs",
        BUILD / "kr.wasm",
        BUILD / "kr.krt",
        str(HASH_MB),
        str(DEPTH),
    ]
    fens = "".join(f"{position.fen}\n" for position in asked)
    done = subprocess.run(words, input=fens, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"kr: {done.stderr.strip()}")
    *lines, times = done.stdout.splitlines()
    reading, searching, memory = map(int, times.split())
    engine, nodes = kr.Engine(hash_mb=HASH_MB, database="none"), 0
    begin = time.perf_counter()
    for position, line in zip(asked, lines, strict=True):
        engine.new_game()
        result = engine.search(position, kr.Limits(depth=DEPTH))
        nodes += result.nodes
        if line != f"{result.nodes} {result.score} {result.depth}":
            sys.exit(f"kr: {position.fen}: {line}, not {result.nodes} {result.score} {result.depth}")
    seconds = time.perf_counter() - begin
    print(
        f"{len(asked)} positions the same, {nodes} nodes: {nodes / searching / 1000:.2f} million nodes/s, here "
        f"{nodes / seconds / 1e6:.2f}; tables read in {reading} ms, {memory} MB of memory"
    )


if __name__ == "__main__":
    main()
