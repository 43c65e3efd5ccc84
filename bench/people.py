"""Likeness of the levels of `kr play` to people: the probability with which a level makes the person's move.

    python bench/people.py OCA_2.0.pdn.xz [--policy policy.h5] [--decisions 4000] [--workers 2]

Makes the figures of docs/lab/games.md. The decisions are drawn from the test part of the policy's split, which it has
not learned from; prescribed moves of openings are left out. For each level, by chance alone and with the policy, the
table has the mean probability of the person's move, on all decisions and on unforced ones, and the cross entropy of the
unforced ones, in nats, with 1% of the probability given to all legal moves alike: a level that never plays some moves
would have an infinite one otherwise. Errors are 95% intervals. The probabilities are exact: a sum over all sets of
moves that a level may see; where there are too many, 2,000 draws.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kr.archives.archive import ReadSettings
from kr.engine.engine import MAX_LINES, Engine
from kr.engine.limits import Limits
from kr.game.position import Position
from kr.match.elo import CONFIDENCE_95
from kr.players.levels import AS_GOOD_AS_WON, LEVELS, LEVELS_BY_CHANCE, Level, choose
from kr.policy.policy import load_policy
from kr.studies.people.decisions import Decisions, read_decisions
from kr.studies.people.splits import split_decisions
from kr.units import parse_count

ENUMERATED = 12
"""Moves of which all sets are summed over."""
DRAWS = 2000
UNIFORM = 0.01


class Question(NamedTuple):
    """A decision: its position, the likely moves of people there, and the number of the move that was played."""

    board: tuple[int, int, int]
    """Black, to move, White and kings."""
    moves: tuple[tuple[int, int, int], ...]
    likely: tuple[float, ...]
    played: int


def drawn(options: argparse.Namespace) -> list[Question]:
    """Decisions of the test part."""
    policy = load_policy(options.policy)
    card = policy.card.get("split", {})
    by, seed = str(card.get("by", "games")), int(card.get("seed", 1))
    decisions = read_decisions(ReadSettings(files=options.files))
    rows = split_decisions(decisions, by, seed).test
    rows = rows[~decisions.prescribed[rows]]
    rows = np.random.default_rng(options.seed).permutation(rows)[: options.decisions]
    print(f"{len(rows)} decisions of {decisions.games.year.size} games, split by {by}, seed {seed}; {policy}")
    return _questions(decisions.of(np.sort(rows)), options.policy)


def _questions(decisions: Decisions, policy: str) -> list[Question]:
    predictions = load_policy(policy).predict(decisions.boards, decisions.before)
    questions = []
    for i, (men, foes, kings, foe_kings) in enumerate(decisions.boards.tolist()):
        rows = slice(predictions.first[i], predictions.first[i + 1])
        columns = (
            predictions.origin[rows].tolist(),
            predictions.target[rows].tolist(),
            predictions.captured[rows].tolist(),
        )
        moves = tuple(zip(*columns, strict=True))
        played = moves.index((*decisions.moves[i].tolist(), int(decisions.captured[i])))
        board = men | kings, foes | foe_kings, kings | foe_kings
        questions.append(Question(board, moves, tuple(predictions.probability[rows].tolist()), played))
    return questions


def chances(level: Level, expected: Sequence[float], likely: Sequence[float] | None) -> np.ndarray:
    """Probability that a level plays each move; expected, likely: as for kr.players.levels.choose."""
    count = len(expected)
    results = np.array(expected)
    if count > ENUMERATED and level.overlook:
        source = random.Random(1)
        draws = [choose(level, expected, source, likely) for _ in range(DRAWS)]
        return np.bincount(draws, minlength=count) / DRAWS
    sets = np.ones((1, count), dtype=bool)
    if level.overlook:
        sets = (np.arange(1, 1 << count)[:, None] >> np.arange(count) & 1).astype(bool)
    size = sets.sum(axis=1)
    share = (1 - level.overlook) ** size * level.overlook ** (count - size)
    if level.overlook:
        # if all are overlooked, one of them is seen after all
        share[size == 1] += level.overlook**count / count
    best = sets.argmax(axis=1)
    if level.temperature:
        weights = sets * np.exp((results - results[best][:, None]) / level.temperature)
        if likely is not None:
            weights = weights * np.array(likely) ** level.likeness
        total = weights.sum(axis=1, keepdims=True)
        none = total[:, 0] == 0
        weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
        weights[none, best[none]] = 1.0
    else:
        weights = np.zeros(sets.shape)
        weights[np.arange(len(sets)), best] = 1.0
    # a won game is not thrown away
    good = (weights * (results >= AS_GOOD_AS_WON)).sum(axis=1)
    weights[:, results >= AS_GOOD_AS_WON] = 0.0
    weights[np.arange(len(sets)), best] += good
    return share @ weights


def measure(questions: Sequence[Question], levels: Sequence[Level]) -> np.ndarray:
    """Probability of the person's move by decision and level, and with 1% given to all moves: (n, levels, 2)."""
    engine = Engine(hash_mb=1)
    probabilities = np.ones((len(questions), len(levels), 2))
    for row, each in enumerate(questions):
        if len(each.moves) == 1:
            continue
        searched: dict[int, tuple[list[int], list[float]]] = {}
        for column, level in enumerate(levels):
            assert level.nodes is not None
            if level.nodes not in searched:
                engine.new_game()
                position = Position(*each.board)
                unsorted = engine.search(position, Limits(nodes=level.nodes), (), multipv=MAX_LINES).lines
                lines = sorted(unsorted, key=lambda line: line.score, reverse=True)
                squares = [(line.pv[0].origin, line.pv[0].target, line.pv[0].captured) for line in lines]
                expected = [engine.chances(line.score).expected for line in lines]
                searched[level.nodes] = [each.moves.index(move) for move in squares], expected
            order, expected = searched[level.nodes]
            likely = [each.likely[index] for index in order] if level.likeness else None
            shares = np.zeros(len(each.moves))
            shares[order] = chances(level, expected, likely)
            own = shares[each.played]
            probabilities[row, column] = own, (1 - UNIFORM) * own + UNIFORM / len(each.moves)
    return probabilities


def shown(values: np.ndarray, digits: int = 3) -> str:
    """Mean with its 95% error."""
    return f"{values.mean():.{digits}f} ± {CONFIDENCE_95 * values.std(ddof=1) / np.sqrt(len(values)):.{digits}f}"


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="PDN files that the policy was fitted to")
    parser.add_argument("--policy", default="shipped", help="policy file, fitted with a test part (default: shipped)")
    parser.add_argument("--decisions", type=parse_count, default=4000, help="how many (default: 4000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw (default: 1)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: 2)")
    options = parser.parse_args()
    options.files = tuple(options.files)

    questions = drawn(options)
    levels = [*LEVELS_BY_CHANCE[:-1], *LEVELS[:-1]]
    parts = [questions[start::20] for start in range(20)]
    with ProcessPoolExecutor(options.workers) as pool:
        probabilities = np.concatenate(list(pool.map(partial(measure, levels=levels), parts)))
    unforced = np.array([len(each.moves) > 1 for part in parts for each in part])
    own = np.array([each.likely[each.played] for part in parts for each in part])
    print("\nlevel          all moves       unforced        cross entropy")
    for column, level in enumerate(levels):
        kind = "people" if level.likeness else "chance"
        mean, floored = probabilities[:, column].T
        columns = shown(mean), shown(mean[unforced]), shown(-np.log(floored[unforced]))
        print(f"{level.number:5}  {kind}  {'   '.join(columns)}")
    print(f"policy alone   {shown(own)}   {shown(own[unforced])}   {shown(-np.log(own[unforced]))}")


if __name__ == "__main__":
    main()
