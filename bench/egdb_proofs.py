"""Values of a class of a database against proofs that use the smaller classes alone.

    python bench/egdb_proofs.py DIR [--class 4v4] [--positions 100k] [--nodes 20k] [--seed 1] [--workers N] [--json]

Positions are drawn from all of the class, each as likely as any other, with either side to move. For each, the claims
that its value would make true and those that it would make false are tried to be proved by `kr.proofs`, with the
database cut off below the class: a strategy whose every line ends by the rules or in a smaller class. A proof that
contradicts the value of the database is an error of one of them, and named. What no proof decides within the nodes is
counted as open.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

import numpy as np

from kr import _core, _egdb
from kr.egdb import slices
from kr.egdb.database import Database
from kr.egdb.sample import survival
from kr.engine.engine import Engine
from kr.game.position import Position
from kr.game.value import Value
from kr.proofs.certificate import Claim, certificate_of
from kr.proofs.leaves import answer_leaf
from kr.proofs.proof import GOALS, claims_for
from kr.threads import worker_count
from kr.units import parse_count

AT_ONCE = 250
"""Positions of a task of a worker process."""
LEAF_NODES = (2_000, 20_000)

Bits = tuple[int, int, int, int]


def drawn(cls: slices.Class, count: int, seed: int) -> list[Bits]:
    """About `count` positions of a class, those with White to move with colours turned from ones with Black to move."""
    shapes = [shape for pair in slices.class_pairs(cls) for shape in slices.members(pair)]
    chances = survival(min(1.0, count / sum(map(slices.size, shapes))))
    found: list[Bits] = []
    for shape in shapes:
        sampler = _egdb.EndgameSampler(None, shape, 0, slices.size(shape), chances, seed, False)
        boards = np.empty((2 * count + 100, 3), dtype=np.uint32)
        size = sampler.next(boards, np.empty(len(boards), np.uint8), np.empty(len(boards), np.uint64))
        found += [(black, white, kings, 0) for black, white, kings in boards[:size].tolist()]
    order = np.random.default_rng(seed).permutation(len(found))
    positions = [found[i] for i in order[:count]]
    return [Position.from_bits(bits).flipped().bits if number % 2 else bits for number, bits in enumerate(positions)]


def proved(claim: Claim, engine: Engine, nodes: int) -> bool:
    """True if a strategy for the claim was found, and holds."""
    engine.new_game()
    root, side, goal = claim.bits
    prover = _core.ClaimProver(root, GOALS.index("value"), engine.database.core if engine.database else None)
    question, used = prover.questions[_core.claims_of(GOALS.index("value"), root).index((side, goal))], 0
    known, searched = _core.ProvedMoves(), Counter[Bits]()
    while question.holds is None and used < nodes:
        task = question.next_leaf()
        if task is None:
            break
        leaf = Position.from_bits(task.position)
        answer = answer_leaf(claim, leaf, engine, LEAF_NODES[min(searched[leaf.bits], 1)], known)
        searched[leaf.bits] += 1
        used += answer.nodes
        strategy = _core.ProvedMoves(answer.strategy.items())
        question.enter(task, answer.score, answer.move, answer.nodes, strategy)
    if question.holds is not True:
        return False
    if claim.root.side != claim.side or root[:3] in question.strategy:
        # raises an error if a line is not answered, or a win comes back to itself
        certificate_of(claim, question.strategy, engine.database, {})
    return True


def decided(position: Position, engine: Engine, nodes: int) -> tuple[Value, Value]:
    """The worst and the best value for the side to move that the proofs leave."""
    least, most = Value.LOSS, Value.WIN
    claims = {(claim.side == position.side, claim.goal): claim for claim in claims_for(position, "value")}
    for own, goal in ((True, Value.WIN), (True, Value.DRAW), (False, Value.WIN), (False, Value.DRAW)):
        bound = goal if own else goal.opposite
        tells = least.sign < bound.sign <= most.sign if own else least.sign <= bound.sign < most.sign
        if tells and proved(claims[own, goal], engine, nodes):
            least, most = (bound, most) if own else (least, bound)
    return least, most


@cache
def opened(directory: str, pieces: int) -> tuple[Database, Engine]:
    """The whole database, and an engine with the one below the class, once for each process."""
    return Database.open(directory), Engine(hash_mb=8, database=Database.open(directory, max_pieces=pieces))


def compare(directory: str, pieces: int, nodes: int, boards: list[Bits]) -> tuple[Counter[str], list[str]]:
    """Outcomes for some positions, and those that contradict each other."""
    whole, engine = opened(directory, pieces)
    outcomes: Counter[str] = Counter()
    wrong = []
    for bits in boards:
        position = Position.from_bits(bits)
        value = whole.value(position)
        assert value is not None
        least, most = decided(position, engine, nodes)
        if not least.sign <= value.sign <= most.sign:
            wrong.append(f"{position.fen}: {value} by the database, {least} to {most} by proofs")
        outcomes[f"{value}, {'decided' if least is most else 'open' if least.sign < 0 < most.sign else 'half'}"] += 1
    return outcomes, wrong


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=Path, help="directory of the database")
    parser.add_argument("--class", dest="cls", default="4v4", help="class to compare (default: 4v4)")
    parser.add_argument("--positions", type=parse_count, default=100_000, help="positions (default: 100k)")
    parser.add_argument("--nodes", type=parse_count, default=20_000, help="nodes for each claim (default: 20k)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the positions (default: 1)")
    parser.add_argument("--workers", type=int, default=0, help="processes (default: one per core)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    (cls,) = slices.parse_classes(options.cls)
    boards = drawn(cls, options.positions, options.seed)
    parts = [boards[first : first + AT_ONCE] for first in range(0, len(boards), AT_ONCE)]
    outcomes: Counter[str] = Counter()
    wrong: list[str] = []
    began = time.monotonic()
    work = partial(compare, str(options.dir), sum(cls) - 1, options.nodes)
    with ProcessPoolExecutor(worker_count(options.workers)) as pool:
        for number, (counts, contradicted) in enumerate(pool.map(work, parts), 1):
            outcomes += counts
            wrong += contradicted
            if not options.json and number % 20 == 0:
                print(f"{sum(outcomes.values()):,} positions", file=sys.stderr, flush=True)
    seconds = time.monotonic() - began
    if options.json:
        print(json.dumps({"positions": len(boards), "seconds": seconds, "outcomes": outcomes, "wrong": wrong}))
        return
    print(f"{len(boards):,} positions of {options.cls} in {seconds:.0f} s")
    for name, count in sorted(outcomes.items()):
        print(f"  {name:16} {count:9,}")
    print(f"{len(wrong)} contradicted")
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
