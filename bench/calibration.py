"""People's chances: the fit of kr/policy/calibration.json, and its test on games that nothing was fitted to.

    python bench/calibration.py DIR scores OCA_2.0.pdn.xz ACF_games.pdn.xz --part fit
    python bench/calibration.py DIR scores OCA_2.0.pdn.xz --part fit --nodes 200k --decisions 23k
    python bench/calibration.py DIR scores OCA_2.0.pdn.xz ACF_games.pdn.xz --part fit --nodes 200k --decisions 2990
    python bench/calibration.py DIR scores OCA_2.0.pdn.xz --part test
    python bench/calibration.py DIR scores OCA_2.0.pdn.xz ACF_games.pdn.xz --part test --decisions 11k
    python bench/calibration.py DIR scores OCA_2.0.pdn.xz ACF_games.pdn.xz --part test --nodes 200k --decisions 11k
    python bench/calibration.py DIR fit OCA_2.0.pdn.xz ACF_games.pdn.xz     # writes DIR/calibration.json
    python bench/calibration.py DIR test OCA_2.0.pdn.xz ACF_games.pdn.xz    # the tables; exit code 1 for a missed goal

The first archive is that of the policy's fit, of which its test part is here to fit to, and its validation part to test
on: in games that it was fitted to a policy is too sure. The others have the same split, and all but the test part is
here to test on; their games that open as one of the first archive does for OPENING plies are left out. `scores`
searches unforced decisions, in an order drawn once, each with all moves and an empty hash table, and resumes.

A losing move is one that loses LOSING of expected result or more by the judge, a search of JUDGE nodes. Decisions of a
ballot's plies, which nobody takes, don't count where losing moves do. Goals: of the first archive FIRST of first
choices in all games that the policy has not seen, those to fit to by numbers of their other half and the rest; and of
losing moves, in each bin of the chance with LEAST plays expected or made, in all, by pieces and by loss, as many are
expected as are made, within the factor RATIO. Of all archives: what `holds` in the file, so that it is told as a
number, does hold, in bins with LEAST plays; and of bins below .01, told as fewer than 1 of 100, fewer are made. `fit`
notes as `holds` what held in the games that it fits to; what `test` contradicts is taken out by --write. `strengths`
shows what is expected and made of players of each group, with scores of the training part (--decisions 40k) too.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit, logit
from scored import HASH, LOSING, NODES, PIECES, Judged, Mask, Numbers, Sample, Scores, joined

from kr.policy import calibration
from kr.policy.calibration import Calibration
from kr.storage import write_atomic
from kr.units import parse_count

FIRST = 0.69
LEAST, RATIO = 50, 1.25
LOSSES = (0, 0.05, 0.2, 1)
NAMES = "8 pieces or fewer", "9 to 16 pieces", "17 or more"
KINDS = "judged", "seen", "others"
CHANCES = (0, 0.01, 0.03, 0.1, 0.2)
LOSS_BINS = (LOSING, 0.25, 0.5, 1.01)
MOST = 0.3


# --- the tables


@dataclass(frozen=True)
class Bin:
    """A bin of chances of some moves. is_rare: the first one, told as fewer than its upper edge."""

    is_rare: bool
    moves: int
    expected: float
    made: int

    def __add__(self, other: Bin) -> Bin:
        return Bin(self.is_rare, self.moves + other.moves, self.expected + other.expected, self.made + other.made)

    @property
    def counts(self) -> bool:
        """True if there are enough plays."""
        return max(self.expected, self.made) >= LEAST

    @property
    def misses(self) -> bool:
        """True if others than expected are made."""
        return self.counts and not 1 / RATIO <= self.expected / max(self.made, 1e-9) <= RATIO

    @property
    def is_known(self) -> bool:
        """True if there is enough of it to be told."""
        return self.moves >= LEAST if self.is_rare else self.counts

    @property
    def is_contradicted(self) -> bool:
        """True if what is told of it is wrong."""
        return self.is_known and self.made >= CHANCES[1] * self.moves if self.is_rare else self.misses


def bins(chance: Numbers, played: Mask, moves: Mask) -> list[Bin]:
    """The bins of CHANCES of some moves."""
    number = np.searchsorted(CHANCES, chance, side="right") - 1
    rows = [moves & (number == each) for each in range(len(CHANCES))]
    return [
        Bin(each == 0, int(own.sum()), float(chance[own].sum()), int(played[own].sum()))
        for each, own in enumerate(rows)
    ]


class Tables:
    """Expected and made plays of a part of an archive, by some numbers."""

    def __init__(self, numbers: Calibration, sample: Sample, judged: Judged) -> None:
        self.sample, self.judged = sample, judged
        self.chances = sample.chances(numbers)
        by_judge = judged.corrected(numbers, judged.sample.chances(numbers))
        searched = sample.spread(sample.chosen & ~sample.exact)
        losing, seen = judged.losing, sample.loss >= LOSING
        self.losing = self._table(by_judge, judged.sample.played, {
            "losing moves": losing,
            **{f"losing, {name}": losing & (judged.sample.kinds == i) for i, name in enumerate(NAMES)},
            **{
                f"losing {low:.2f} to {min(high, 1):.2f}": losing & (judged.loss >= low) & (judged.loss < high)
                for low, high in pairwise(LOSS_BINS)
            },
        })  # fmt: skip
        self.seen = self._by_pieces("seen losing", searched & seen)
        self.others = self._by_pieces("others", searched & ~seen)

    def _by_pieces(self, kind: str, moves: Mask) -> dict[str, list[Bin]]:
        rows = {f"{kind}, {name}": moves & (self.sample.kinds == i) for i, name in enumerate(NAMES)}
        return self._table(self.chances, self.sample.played, rows)

    def _table(self, chance: Numbers, played: Mask, rows: dict[str, Mask]) -> dict[str, list[Bin]]:
        return {name: bins(chance, played, moves) for name, moves in rows.items()}

    def told(self, kind: str, pieces: int) -> list[Bin]:
        """The bins of a kind of KINDS and a class of pieces, on which it rests whether they are told as numbers."""
        table = {"judged": self.losing, "seen": self.seen, "others": self.others}[kind]
        return next(own for name, own in table.items() if name.endswith(NAMES[pieces]))


def evidence(tables: Sequence[Tables], kind: str, pieces: int) -> list[list[Bin]]:
    """Of each bin of a kind and a class of pieces: all archives together, and each of them."""
    rows = [table.told(kind, pieces) for table in tables]
    return [[sum(own[1:], own[0]), *own] for own in zip(*rows, strict=True)]


# --- the fit


def fitted(sample: Sample, columns: Numbers, given: Numbers | float = 0.0) -> Numbers:
    """Factors of most likelihood of the terms of a conditional logit, by Newton's steps.

    columns: (moves, factors); given: what is added to each logit.
    """
    factors, begins = np.zeros(columns.shape[1]), sample.first[:-1]
    for _ in range(50):
        logits = given + columns @ factors
        weights = np.exp(logits - sample.spread(np.maximum.reduceat(logits, begins)))
        shares = weights / sample.spread(np.add.reduceat(weights, begins))
        centred = columns - np.repeat(np.add.reduceat(columns * shares[:, None], begins), sample.counts, axis=0)
        slope = centred[sample.played].sum(axis=0)
        step = np.linalg.solve((centred * shares[:, None]).T @ centred, slope)
        factors += step
        if np.abs(step).max() < 1e-6:
            break
    return factors


def terms(sample: Sample) -> Numbers:
    """What the numbers of a search multiply: log p, then the pieces of `odds`."""
    pieces = [np.minimum(sample.loss, high) - np.minimum(sample.loss, low) for low, high in pairwise(LOSSES)]
    return np.column_stack([np.log(np.maximum(sample.probability, 1e-9)), *(-piece for piece in pieces)])


def corrected(judged: Judged, chances: Numbers) -> Numbers:
    """Factors of the terms by which the log odds of losing moves change, of most likelihood, by Newton's steps."""
    rows = judged.losing
    odds, played = logit(chances[rows]), judged.sample.played[rows]
    columns = np.column_stack([
        np.ones(len(odds)), np.maximum(0, odds - logit(CHANCES[-1])),
        np.minimum(judged.sample.loss[rows], MOST), -np.minimum(judged.loss[rows], MOST),
    ])  # fmt: skip
    factors = np.zeros(columns.shape[1])
    for _ in range(50):
        chance = expit(odds + columns @ factors)
        slope = columns.T @ (played - chance)
        factors += np.linalg.solve((columns * (chance * (1 - chance))[:, None]).T @ columns, slope)
    return factors


def search_numbers(samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """The numbers of the short search."""
    searched = joined([each.of(each.chosen & ~each.exact) for each in samples])
    search = []
    for number, most in enumerate(PIECES):
        part = searched.of(np.searchsorted(PIECES, searched.pieces) == number)
        power, *slopes = fitted(part, terms(part)).tolist()
        search.append({"most": most, "power": round(power, 3), "odds": [round(slope, 2) for slope in slopes]})
    return search


def fit(archives: Sequence[Scores]) -> dict[str, Any]:
    """The numbers of calibration.json."""
    samples = [each.sample("fit") for each in archives]
    search = search_numbers(samples)
    # of the games that the policy was fitted to, as elsewhere few values are lost
    known = archives[0].known(archives[0].training)
    habit = search[0]["power"] * np.log(np.maximum(known.probability, 1e-9))
    [odds] = fitted(known, -(known.loss > 0).astype(float)[:, None], habit).tolist()
    names = "constant", "likely", "seen", "judged"
    numbers = {
        "policy": archives[0].policy.model.checksum, "nodes": NODES, "hash": HASH, "losses": LOSSES, "search": search,
        "exact": round(odds, 2), "correction": {"most": MOST, **dict.fromkeys(names, 0.0)}, "losing": LOSING,
        "chances": CHANCES, "holds": {},
    }  # fmt: skip
    judged = [each.judged("fit", sample) for each, sample in zip(archives, samples, strict=True)]
    of_all = Judged(joined([each.sample for each in judged]), np.concatenate([each.loss for each in judged]))
    factors = corrected(of_all, of_all.sample.chances(Calibration(numbers))).tolist()
    numbers["correction"] |= {name: round(each, 2) for name, each in zip(names, factors, strict=True)}
    counts = sum(int((each.chosen & ~each.exact).sum()) for each in samples)
    print(f"{counts} decisions searched, {len(of_all.sample.pieces)} judged, {len(known.pieces)} known")
    tables = [Tables(Calibration(numbers), *each) for each in zip(samples, judged, strict=True)]
    holds = {
        kind: [
            [own[0].is_known and not any(each.is_contradicted for each in own) for own in evidence(tables, kind, i)]
            for i in range(len(PIECES))
        ]
        for kind in KINDS
    }
    return numbers | {"holds": holds}


# --- the test


def test(archives: Sequence[Scores], numbers: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """Print the tables; returns the goals that were missed, and the numbers without the bins that are contradicted."""
    rule, missed = Calibration(numbers), list[str]()
    tables, crossed = [], crossed_halves(archives, numbers)
    print(f"{archives[0].name}, the part to fit to, each half by numbers fitted to all but that half")
    firsts = [first_choices(*crossed)]
    for archive in archives:
        sample = archive.sample("test")
        own = Tables(rule, sample, archive.judged("test", sample))
        tables.append(own)
        print(f"\n{archive.name}: {len(sample.pieces)} decisions, {len(own.judged.sample.pieces)} judged")
        first = first_choices(sample, own.chances)
        show(own.losing | own.seen | own.others)
        endings(archive.known(archive.unseen), rule)
        if archive is archives[0]:
            share = np.average([*firsts, first], weights=[len(crossed[0].pieces), len(sample.pieces)])
            print(f"first choice in all its unseen games {share:.4f}")
            missed += [f"{archive.name}: first choice below {FIRST}"] if share < FIRST else []
            missed += [
                f"{archive.name}: {name}, from {edge}"
                for name, row in own.losing.items()
                for edge, each in zip(CHANCES, row, strict=True)
                if each.misses
            ]
    holds = {kind: [list(noted) for noted in rows] for kind, rows in numbers["holds"].items()}
    for kind, rows in holds.items():
        for i, noted in enumerate(rows):
            for number, seen in enumerate(evidence(tables, kind, i)):
                if noted[number] and any(each.is_contradicted for each in seen):
                    noted[number] = False
                    plays = ", ".join(f"{each.expected:.1f} / {each.made}" for each in seen)
                    missed.append(f"told as a number, {kind}, {NAMES[i]}, from {CHANCES[number]}: {plays}")
    return missed, numbers | {"holds": holds}


def crossed_halves(archives: Sequence[Scores], numbers: dict[str, Any]) -> tuple[Sample, Numbers]:
    """The part of the first archive to fit to, and its chances: of each half of its games by numbers of all but it."""
    own, *others = (each.sample("fit") for each in archives)
    half = archives[0].decisions.game[own.rows] % 2 == 0
    parts = own.of(half), own.of(~half)
    chances = [
        part.chances(Calibration(numbers | {"search": search_numbers([other, *others])}))
        for part, other in zip(parts, reversed(parts), strict=True)
    ]
    return joined(parts), np.concatenate(chances)


def endings(sample: Sample, numbers: Calibration) -> None:
    """Print how often values are lost in positions that the database has."""
    lost, count = sample.loss > 0, len(sample.pieces)
    expected, by_policy = sample.chances(numbers)[lost].sum(), sample.probability[lost].sum()
    print(
        f"{count} decisions with known values: {expected:.1f} values lost expected, {sample.played[lost].sum()} made; "
        f"by the policy {by_policy:.1f}"
    )


def first_choices(sample: Sample, chances: Numbers) -> float:
    """Print how the moves played are predicted; the share of first choices, with losses."""
    begins, share = sample.first[:-1], 0.0
    for name, given in (("policy", sample.probability), ("with losses", chances)):
        own = given[sample.played]
        share = float((own == np.maximum.reduceat(given, begins)).mean())
        error = 1.96 * np.sqrt(share * (1 - share) / len(own))
        print(f"{name:12} first choice {share:.4f} ± {error:.4f}, {-np.log(own).mean():.4f} nats")
    return share


def show(table: dict[str, list[Bin]]) -> None:
    """Print bins of moves, expected and made plays."""
    print(f"{'':30}" + "".join(f"{f'from {edge}':>20}" for edge in CHANCES))
    for name, row in table.items():
        cells = [
            f"{each.expected:7.1f} /{each.made:5}"
            + (f" {each.expected / max(each.made, 1):5.2f}" if each.counts else " " * 6)
            for each in row
        ]
        print(f"{name:30}" + "".join(f"{cell:>20}" for cell in cells))


def strengths(archive: Scores, numbers: dict[str, Any]) -> None:
    """Print what is expected of players of each group of strength, and made, in games that the policy has not seen."""
    strength = archive.strengths()
    sample = joined([archive.sample(part) for part in ("fit", "test")])
    own, groups = strength[sample.rows], len(archive.policy.shape.strengths) + 1
    known = strength[archive.training]
    edges = np.quantile(known[~np.isnan(known)], np.arange(1, groups) / groups)
    for group in range(groups):
        anyone = sample.of((np.searchsorted(edges, own) == group) & ~np.isnan(own))
        for name, each in (("anyone", anyone), (f"group {group + 1}", archive.of_group(anyone, group))):
            chances = each.chances(Calibration(numbers))
            print(f"\n{len(each.pieces)} decisions of group {group + 1} as of {name}", end=", ")
            print(f"{-np.log(chances[each.played]).mean():.4f} nats")
            searched, seen = each.spread(each.chosen & ~each.exact), each.loss >= LOSING
            rows = {"seen losing": searched & seen, "others": searched & ~seen}
            show({kind: bins(chances, each.played, moves) for kind, moves in rows.items()})


def main() -> None:
    """Search, fit or test."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=Path, help="directory of the scores, and of calibration.json")
    parser.add_argument("do", choices=("scores", "fit", "test", "strengths"))
    parser.add_argument("files", nargs="+", type=Path, help="archives, PDN: first that of the policy")
    parser.add_argument("--part", choices=("training", "fit", "test"), default="test", help="of scores (default: test)")
    parser.add_argument("--nodes", type=parse_count, default=NODES, help=f"of each search (default: {NODES})")
    parser.add_argument("--decisions", type=parse_count, help="most of each archive (default: all)")
    parser.add_argument("--write", action="store_true", help="take out of calibration.json what the test contradicts")
    options = parser.parse_args()
    archives: list[Scores] = []
    for file in options.files:
        archives.append(Scores(options.dir, file, archives[0] if archives else None))
    path = options.dir / "calibration.json"
    numbers = json.loads(path.read_text()) if path.exists() else calibration.CALIBRATION
    if options.do == "scores":
        for archive in archives:
            archive.search(options.part, options.nodes, options.decisions)
    elif options.do == "fit":
        write_atomic(path, f"{json.dumps(fit(archives), indent=2)}\n")
        print(f"wrote {path}")
    elif options.do == "strengths":
        strengths(archives[0], numbers)
    else:
        missed, numbers = test(archives, numbers)
        if options.write:
            write_atomic(path, f"{json.dumps(numbers, indent=2)}\n")
        sys.exit("\n".join(["", *(f"missed: {each}" for each in missed)]) if missed else 0)


if __name__ == "__main__":
    main()
