"""What an evaluation misses: static scores and short searches beside long ones, on positions of self-play. Minutes.

    kr selfplay --games 2000 --leaf-nodes 2000 --out games
    python bench/ceiling.py games --count 1500 --limits depth=1,nodes=2000,nodes=20000,nodes=300000

Positions are quiet ones of the games and leaves of their searches, as many of each. Each is scored statically and by
searches with an empty table; a score stands for an expected result (kr.evaluation.chances). The number is the mean
Kullback-Leibler divergence in nats from the last search, and the share of its sum that a row has: so what the labels of
a fit miss is seen apart from what its tables miss. `worst 5%`: the share of the sum of these positions alone. Unseen
entries: the share of those looked up in these positions that occurred in no game that the tables were fitted to.
"""

from __future__ import annotations

import argparse
import itertools
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from kr import Engine, Position, _learn
from kr.engine.limits import Limits
from kr.engine.result import SCORE_PROVED
from kr.evaluation import kinds
from kr.evaluation.evidence import Evidence
from kr.evaluation.patterns import mover_frame, region_indices
from kr.evaluation.regions import Regions
from kr.game.position import Side
from kr.learn import games
from kr.threads import core_count

PIECES = ((20, 24), (16, 19), (12, 15), (8, 11), (2, 7))
HASH_MB = 16
LOW = 1e-6
"""Expectations are at least this far from 0 and 1."""


@dataclass(frozen=True, eq=False)
class Found:
    """Positions and what is known of them."""

    boards: NDArray[np.uint32]
    """(n, 4) black, white, kings, side to move."""
    leaf: NDArray[np.bool_]
    """(n,) True for leaves."""
    shot: NDArray[np.bool_]
    """(n,) True where a side could capture, the mover in his next turn or the opponent now if it were his."""
    scores: dict[str, NDArray[np.int64]]
    """(n,) by method: "static" and limits of searches."""


def chosen(directory: Path, count: int, seed: int) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Positions (n, 4) of black, white, kings, side: quiet ones of the games, then leaves, `count` of each."""
    run = games.read_game_arrays(directory)
    random = np.random.default_rng(seed)
    *_, ply, game = _learn.quiet_positions(run.start, run.side, run.first, run.result, run.move, run.score)
    of_games = run.positions()[run.first[game] + ply]
    leaves = run.leaf[run.leaf_score != games.NO_SCORE] if len(run.leaf) else run.leaf
    picked = [np.unique(each, axis=0) for each in (of_games, leaves)]
    picked = [each[random.permutation(len(each))[:count]] for each in picked]
    return np.concatenate(picked), np.arange(sum(map(len, picked))) >= len(picked[0])


def can_capture(boards: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """(n,) True where the side that is not to move could capture if it were its turn."""
    turned = [Position(b, w, k, Side(1 - s)) for b, w, k, s in boards.tolist()]
    return np.array([any(move.is_capture for move in each.legal_moves()) for each in turned])


def searched(boards: NDArray[np.uint32], weights: str, limits: Limits, egdb: str) -> NDArray[np.int64]:
    """(n,) scores of searches with an empty table, from the side to move."""
    engines: SimpleQueue[Engine] = SimpleQueue()
    for _ in range(core_count()):
        engines.put(Engine(weights or None, hash_mb=HASH_MB, database=egdb))

    def score(row: list[int]) -> int:
        engine = engines.get()
        engine.new_game()
        result = engine.search(Position(row[0], row[1], row[2], Side(row[3])), limits)
        engines.put(engine)
        return result.score

    with ThreadPoolExecutor(core_count()) as pool:
        return np.array(list(pool.map(score, boards.tolist())))


def divergence(truth: NDArray[np.float64], guess: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) nats from the expectation `truth` to `guess`."""
    p, q = (np.clip(each, LOW, 1 - LOW) for each in (truth, guess))
    return np.asarray(p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q)))


def expectation(scores: NDArray[np.int64], scale: float) -> NDArray[np.float64]:
    """(n,) expected results behind scores; proved ones are won or lost."""
    return np.asarray(expit(np.where(np.abs(scores) > SCORE_PROVED, np.sign(scores) * 100.0, scores / scale)))


def rows_of(found: Found) -> dict[str, NDArray[np.bool_]]:
    """The rows of the table: positions by where they come from, kings, threats, and pieces."""
    kings = found.boards[:, 2] != 0
    pieces = np.bitwise_count(found.boards[:, :2]).sum(axis=1)
    rows = {"all": np.ones(len(kings), dtype=bool)}
    for origin, chosen_rows in (("games", ~found.leaf), ("leaves", found.leaf)):
        rows[origin] = chosen_rows
        rows[f"{origin}, no kings"] = chosen_rows & ~kings
        rows[f"{origin}, kings"] = chosen_rows & kings
    rows["leaves, a capture threatens"] = found.leaf & found.shot
    rows["leaves, quiet"] = found.leaf & ~found.shot
    for (low, high), has_kings in itertools.product(PIECES, (False, True)):
        name = f"{low} to {high} pieces, {'kings' if has_kings else 'no kings'}"
        rows[name] = (pieces >= low) & (pieces <= high) & (kings == has_kings)
    return {name: row for name, row in rows.items() if row.any()}


def table(found: Found, scale: float) -> list[dict[str, Any]]:
    """Divergences of all methods from the last, by row, and the share of static scores in their sum."""
    *shallow, deepest = found.scores
    truth = expectation(found.scores[deepest], scale)
    expected = {name: expectation(found.scores[name], scale) for name in shallow}
    misses = {name: divergence(truth, each) for name, each in expected.items()}
    static = misses["static"]
    found_rows = []
    for name, row in rows_of(found).items():
        values = {method: float(miss[row].mean()) for method, miss in misses.items()}
        worst = np.sort(static[row])[::-1][: max(1, int(row.sum()) // 20)].sum() / static[row].sum()
        share = float(static[row].sum() / static.sum())
        found_rows.append(
            {"row": name, "positions": int(row.sum()), **values, "worst 5%": float(worst), "share": share}
        )
    return found_rows


def unseen(
    boards: NDArray[np.uint32], leaf: NDArray[np.bool_], evaluation: Regions, evidence: Evidence
) -> dict[str, float]:
    """Share of the entries looked up that occurred in none of the games of the fit."""
    framed = mover_frame(boards)
    found = {}
    for has_kings, codes in ((False, evidence.men), (True, evidence.kings)):
        regions, base = evaluation.weights.layout.group(has_kings)
        for origin, rows in (("games", ~leaf), ("leaves", leaf)):
            used = rows & ((boards[:, 2] != 0) == has_kings)
            indices = region_indices(framed[used], regions, base)
            counts = np.take_along_axis(codes, indices.astype(np.int64), axis=1)
            found[f"{origin}, {'kings' if has_kings else 'no kings'}"] = float((counts == 0).mean())
    return found


def main() -> None:
    """Search and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--weights", default="")
    parser.add_argument("--count", type=int, default=1500, help="positions of games, and as many leaves")
    parser.add_argument(
        "--limits", default="depth=1,nodes=2000,nodes=20000,nodes=300000", help="of the searches; the last is the truth"
    )
    parser.add_argument("--egdb", default="", help="as for kr analyze")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path, help="positions and scores as .npz")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    evaluation = kinds.load_evaluation(asked.weights or None)
    boards, leaf = chosen(asked.directory, asked.count, asked.seed)
    static = np.empty(len(boards), dtype=np.int16)
    evaluation.core.evaluate_batch(np.ascontiguousarray(boards), static)
    scores = {"static": static.astype(np.int64)}
    for text in asked.limits.split(","):
        scores[text] = searched(boards, asked.weights, Limits.parse(text), asked.egdb)
    found = Found(boards, leaf, can_capture(boards), scores)
    if asked.save:
        columns: dict[str, Any] = {"boards": boards, "leaf": leaf, "shot": found.shot, **scores}
        np.savez_compressed(asked.save, **columns)
    rows = table(found, evaluation.scale)
    misses = {}
    if isinstance(evaluation, Regions) and evaluation.evidence is not None:
        misses = unseen(boards, leaf, evaluation, evaluation.evidence)
    if asked.json:
        print(json.dumps({"rows": rows, "unseen": misses}))
        return
    names = list(scores)[:-1]
    print(f"{'':30} {'n':>5} " + " ".join(f"{name:>11}" for name in names) + " worst 5%  share")
    for row in rows:
        figures = " ".join(f"{row[name]:11.4f}" for name in names)
        print(
            f"{row['row']:30} {row['positions']:5} {figures} {100 * row['worst 5%']:7.0f}% {100 * row['share']:5.0f}%"
        )
    for name, share in misses.items():
        print(f"unseen entries, {name}: {100 * share:.2f}%")


if __name__ == "__main__":
    main()
