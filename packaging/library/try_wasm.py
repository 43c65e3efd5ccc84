"""Compares kr compiled to WebAssembly with kr here: python packaging/library/try_wasm.py

Both search the positions of the bench and 200 of random games, and have to agree in nodes, scores and depths, and in
the moves that people play there, in each claim of a proof, and in the signature of the bench; node.js runs the
former. A search there is stopped by its clock. Prints the speeds, and ends with exit code 1 if they differ.
"""

import random
import shutil
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import kr
from kr.engine.bench import BenchSettings, run_bench
from kr.notation import fen_lines
from kr.policy.policy import Policy, load_policy
from kr.proofs.prover import ProveSettings, prove

SOURCES = Path(__file__).resolve().parent
BUILD = SOURCES.parents[1] / "build" / "library-wasm"
RANDOM = 200
DEPTH = 11
HASH_MB = 16
STOP_NODES = 1024
"""Of a search once it was told to stop, at most."""
PROOF_NODES = 500_000
CLOSE = 1e-6
"""Difference of probabilities that the C libraries' exponential functions make, at most."""


def positions() -> list[kr.Position]:
    """Those of the bench, and of random games."""
    text = (files("kr.engine") / "bench.txt").read_text(encoding="utf-8")
    positions = [kr.Position.from_fen(fen) for _, fen in fen_lines(text.splitlines())]
    source = random.Random(1)
    game: list[kr.Position] = []
    while len(game) < 20 * RANDOM:
        position = kr.Position()
        while moves := position.legal_moves():
            game.append(position)
            position = position.play(source.choice(moves))
    return positions + source.sample(game, RANDOM)


def check_people(policy: Policy, position: kr.Position, answers: list[str]) -> None:
    """End the program if the moves that people play, as FROM,TO,CAPTURED,PROBABILITY, are not those of kr."""
    expected = {(each.move.origin, each.move.target, each.move.captured): each for each in policy.choices(position)}
    rows = [tuple(map(float, word.split(","))) for word in answers]
    for origin, target, captured, probability in rows:
        likely = expected.pop((int(origin) - 1, int(target) - 1, int(captured)), None)
        if likely is None or abs(likely.probability - probability) > CLOSE:
            sys.exit(f"kr: {position.fen}: {answers}, not {likely}")
    if expected or rows != sorted(rows, key=lambda row: -row[3]):
        sys.exit(f"kr: {position.fen}: {answers}, which are not all, or not in order")


def proved(engine: kr.Engine, position: kr.Position) -> str:
    """The values that a proof leaves, and of each claim nodes and searches."""
    engine.new_game()
    proof = prove(ProveSettings(fen=position.fen, tc=kr.Limits(nodes=PROOF_NODES), workers=1), engine=engine)
    counts = [number for each in proof.claims for number in (each.nodes, each.leaves)]
    return " ".join(map(str, [1 + proof.least.sign, 1 + proof.most.sign, *counts]))


def main() -> None:
    if not shutil.which("node"):
        sys.exit("kr: the WebAssembly is tried by node.js: apt install nodejs")
    asked = positions()
    words: list[str | Path] = [
        "node",
        SOURCES / "search.mjs",
        BUILD / "kr.wasm",
        BUILD / "kr.krt",
        BUILD / "people.krp",
        str(HASH_MB),
        str(DEPTH),
        str(PROOF_NODES),
    ]
    fens = "".join(f"{position.fen}\n" for position in asked)
    process = subprocess.run(words, input=fens, capture_output=True, text=True)
    if process.returncode:
        sys.exit(f"kr: {process.stderr.strip()}")
    *lines, stop, proof, signature, times = process.stdout.splitlines()
    stopped, ended = map(int, stop.split())
    if not 0 < stopped <= ended <= stopped + STOP_NODES:
        sys.exit(f"kr: told to stop at {stopped} nodes, a search ended at {ended}")
    if int(signature) != (own := run_bench(BenchSettings()).signature):
        sys.exit(f"kr: its signature is {signature}, not {own}")
    reading, searching, memory = map(int, times.split())
    engine, nodes, found, policy = kr.Engine(hash_mb=HASH_MB, database="none"), 0, [], load_policy()
    begin = time.perf_counter()
    for position in asked:
        engine.new_game()
        result = engine.search(position, kr.Limits(depth=DEPTH))
        nodes += result.nodes
        found.append(f"{result.nodes} {result.score} {result.depth} {result.depth}".split())
    seconds = time.perf_counter() - begin
    for position, line, expected in zip(asked, lines, found, strict=True):
        facts, people = line.split()[:4], line.split()[4:]
        if facts != expected:
            sys.exit(f"kr: {position.fen}: {facts}, not {expected}")
        check_people(policy, position, people)
    if (own_proof := proved(engine, asked[0])) != proof:
        sys.exit(f"kr: {asked[0].fen}: a proof ends with {proof}, not {own_proof}")
    print(
        f"{len(asked)} positions and the signature {signature} the same, {nodes} nodes: "
        f"{nodes / searching / 1000:.2f} million nodes/s, here {nodes / seconds / 1e6:.2f}; "
        f"tables read in {reading} ms, {memory} MB of memory"
    )


if __name__ == "__main__":
    main()
