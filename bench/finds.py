"""Puzzles of `kr problem find` that are not proved, looked at again with more nodes: are result and key the same?

    kr problem find OCA_2.0.pdn.xz --share 0.1 --seed 11 --rating 0 --out found.jsonl
    python bench/finds.py found.jsonl --nodes 1M

Each is searched from an empty hash table with the shipped database, and judged as `kr problem find` judges. A result is
the same, unclear (scores between won and not won) or another one. Exit code 1 where fewer than LEAST are the same, of
those that are clear, or where another move is best, for each kind of evidence with CASES puzzles.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from kr.egdb.database import load_database
from kr.engine.engine import Engine
from kr.policy.policy import load_policy
from kr.problems.finding import Finder, PuzzleChoice
from kr.problems.problem import LIKELY_EVIDENCE, SEARCHED_EVIDENCE, Problem, read_problems
from kr.units import parse_count

LEAST, CASES = 0.91, 20


def looked_at(problem: Problem, finder: Finder, nodes: int) -> tuple[str, str]:
    """What a search says of a result, and of the key."""
    finder.engine.new_game()
    judgement = finder.judge(problem.position, nodes)
    if judgement is None:
        return "unclear", "unclear"
    is_same = judgement.value is problem.published
    is_key = judgement.right[0] == problem.first_move
    return "the same" if is_same else "another", "the same" if is_key else "another"


def main() -> None:
    """Look at the puzzles, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="file of kr problem find")
    parser.add_argument("--nodes", type=parse_count, default=1_000_000, help="of each search (default: 1M)")
    options = parser.parse_args()
    finder = Finder(Engine(hash_mb=64, database=load_database()), load_policy(), PuzzleChoice(proof_nodes=0))
    missed = []
    problems = read_problems(options.file)
    for evidence in (LIKELY_EVIDENCE, SEARCHED_EVIDENCE):
        own = [looked_at(each, finder, options.nodes) for each in problems if each.evidence == evidence]
        results, keys = (Counter(each) for each in zip(*own, strict=True)) if own else (Counter(), Counter())
        print(f"{evidence}: {len(own)} puzzles; result {dict(results)}, key {dict(keys)}")
        for name, counts in (("results", results), ("keys", keys)):
            clear = counts["the same"] + counts["another"]
            if len(own) >= CASES and counts["the same"] < LEAST * clear:
                missed.append(f"{evidence}: {counts['the same']} of {clear} {name} are the same")
    sys.exit("\n".join(missed) if missed else 0)


if __name__ == "__main__":
    main()
