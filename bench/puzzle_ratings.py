"""Ratings of puzzles against what people played in the games that they are from. A minute for 10,000 games.

    kr problem find archive.pdn.xz --share 0.3 --out found.jsonl
    python bench/puzzle_ratings.py found.jsonl archive.pdn.xz

For each step of ratings: how often the positions arose, the share of games in which the key was played, and the share
that the model of people's moves gives it. The model has no moves before the position, as in a puzzle. Errors are 95% of
a binomial share.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from pathlib import Path

from kr.archives.archive import Archive, ReadSettings
from kr.game.position import Move, Position
from kr.policy.policy import load_policy
from kr.problems.difficulty import solving_share
from kr.problems.problem import Problem, same_move

RATING_STEP = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("found", type=Path)
    parser.add_argument("archive", type=Path, nargs="+")
    given = parser.parse_args()
    policy = load_policy()
    puzzles: dict[Position, tuple[Move, Problem, float]] = {}
    for number, line in enumerate(given.found.read_text("utf-8").splitlines(), 1):
        problem = Problem.from_object(json.loads(line), number)
        if problem.first_move is not None and problem.rating is not None:
            share = solving_share([(problem.position, (problem.first_move,), ())], policy)
            puzzles[problem.position] = problem.first_move, problem, share
    bands: dict[int, list[tuple[bool, float]]] = defaultdict(list)
    for _, game in Archive(ReadSettings(tuple(given.archive))):
        position = game.start
        for move in next(game.stretches())[1]:
            if position in puzzles:
                key, problem, share = puzzles[position]
                band = (problem.rating or 0) // RATING_STEP * RATING_STEP
                bands[band].append((same_move(move, key), share))
            position = position.play(move)
    print(f"{'rating':>11} {'arose':>6} {'key played':>14} {'by the model':>12}")
    total = [each for band in bands.values() for each in band]
    for name, cases in [*((f"{band}-{band + RATING_STEP - 1}", bands[band]) for band in sorted(bands)), ("all", total)]:
        rate = sum(right for right, _ in cases) / len(cases)
        error = 1.96 * math.sqrt(rate * (1 - rate) / len(cases))
        expected = sum(share for _, share in cases) / len(cases)
        print(f"{name:>11} {len(cases):>6} {rate:>7.1%} ± {error:>4.1%} {expected:>12.1%}")


if __name__ == "__main__":
    main()
