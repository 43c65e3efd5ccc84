"""Chances of drawn endings against the moves of people in archives.

    python bench/ending_chances.py OCA_2.0.pdn.xz ACF_games.pdn.xz

For each decision in a draw that the database knows, with a move that loses, the chance that people lose it by this one,
as the calibrated policy has it, expected / made (decisions). The first archive is that of the policy's fit: unseen are
its test and validation parts, and unseen of the others are games that open like none of the first for 30 plies. Behind
them the share of pairs, of a draw that was lost and one that was held, where the former had the higher chance: a half
if the chances don't order them; with its 95% interval, by drawing both anew.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scored import Scores

from kr import _core
from kr.egdb.database import VALUES
from kr.game.value import Value
from kr.policy.policy import load_policy
from kr.policy.practical import PracticalChances

EDGES = (0, 0.01, 0.03, 0.1, 0.2, 1.01)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="archives, PDN: first that of the policy")
    parser.add_argument("--dir", type=Path, default=Path("/tmp"), help="any directory")
    options = parser.parse_args()
    first: Scores | None = None
    lots = []
    for file in options.files:
        archive = Scores(options.dir, file, first)
        unseen = np.zeros(len(archive.decisions), dtype=bool)
        parts = ("fit", "test") if first is None else ("test",)
        for part in parts:
            unseen[archive.order(part)] = True
        lots.append((archive.name, *tested(archive, unseen)))
        first = first or archive
    print(f"{'':24}{'decisions':>10}" + "".join(f"{f'from {edge}':>16}" for edge in EDGES[:-1]))
    rows = [
        (f"{name}, {what}", *(each[is_unseen == whether] for each in (chance, lost)))
        for name, chance, lost, is_unseen in lots
        for whether, what in ((True, "unseen"), (False, "others"))
    ]
    rows += [
        (f"all {what}", *(np.concatenate([lot[i][lot[3] == whether] for lot in lots]) for i in (1, 2)))
        for whether, what in ((True, "unseen"), (False, "others"))
    ]
    rows.append(("all", *(np.concatenate([lot[i] for lot in lots]) for i in (1, 2))))
    for name, chance, lost in rows:
        bins = np.digitize(chance, EDGES) - 1
        cells = [
            f"{chance[bins == i].sum():.1f} / {int(lost[bins == i].sum())} ({(bins == i).sum()})" for i in range(5)
        ]
        print(
            f"{name:24}{len(chance):10}"
            + "".join(f"{cell:>16}" for cell in cells)
            + f"   all {chance.sum():.1f} / {int(lost.sum())}   {ordered(chance, lost)}",
            flush=True,
        )


def ordered(chance: np.ndarray, lost: np.ndarray) -> str:
    """The share of pairs in their order, ties counting half, with its interval."""
    own, others = chance[lost], np.sort(chance[~lost])
    if not len(own):
        return "-"

    def share(own: np.ndarray, others: np.ndarray) -> float:
        places = np.searchsorted(others, own, "left") + np.searchsorted(others, own, "right")
        return float(places.mean() / (2 * len(others)))

    draws = np.random.default_rng(1)
    shares = [share(draws.choice(own, len(own)), np.sort(draws.choice(others, len(others)))) for _ in range(1000)]
    low, high = np.percentile(shares, [2.5, 97.5])
    return f"{share(own, others):.2f} ({low:.2f} to {high:.2f})"


def tested(archive: Scores, unseen: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Chance to lose, whether lost, and whether the game is unseen, of each decision."""
    database, decisions = archive.engine.database, archive.decisions
    assert database is not None
    practical = PracticalChances(load_policy(), database)
    counted = (
        ~decisions.games.duplicate[decisions.game] & (decisions.pieces <= database.pieces) & (decisions.choices > 1)
    )
    chosen = np.flatnonzero(counted & ~decisions.prescribed)
    men, foes, kings, foe_kings = decisions.boards[chosen].T
    boards = np.ascontiguousarray(np.stack([men | kings, foes | foe_kings, kings | foe_kings], axis=1))
    there = (boards[:, 0] != 0) & (boards[:, 1] != 0)
    chosen, boards = chosen[there], boards[there]
    drawn = database.values(boards) == VALUES.index(Value.DRAW)
    chosen, boards = chosen[drawn], boards[drawn]
    children, first = _core.successors(boards)
    loses = practical.values(children) == VALUES.index(Value.WIN)
    probabilities = practical.probabilities(boards, first, loses, decisions.before[chosen])
    expected = np.add.reduceat(probabilities * loses, first[:-1])
    frames = decisions.boards[chosen]
    _, origin, target, captured = _core.policy_choices(np.ascontiguousarray(frames))
    counts = np.diff(first)
    played = np.logical_and.reduce([
        theirs == np.repeat(own, counts)
        for theirs, own in (
            (origin, decisions.moves[chosen, 0]), (target, decisions.moves[chosen, 1]),
            (captured, decisions.captured[chosen]),
        )
    ])  # fmt: skip
    lost = np.add.reduceat((played & loses).astype(int), first[:-1])
    some = np.add.reduceat(loses.astype(int), first[:-1]) > 0
    return expected[some], lost[some] > 0, unseen[chosen[some]]


if __name__ == "__main__":
    main()
