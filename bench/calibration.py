"""People's chances: the fit of kr/policy/calibration.json, and its test on games that nothing was fitted to.

    python bench/calibration.py DIR scores OCA_2.0.pdn.xz --part training --nodes 20k --decisions 100000
    python bench/calibration.py DIR scores OCA_2.0.pdn.xz --part test --nodes 20k
    python bench/calibration.py DIR scores OCA_2.0.pdn.xz --part test --nodes 200k --decisions 15000
    python bench/calibration.py DIR fit OCA_2.0.pdn.xz      # writes DIR/calibration.json
    python bench/calibration.py DIR test OCA_2.0.pdn.xz [--write]   # the table, and exit code 1 where a goal is missed
    python bench/calibration.py OTHER test ACF_games.pdn.xz --others    # after its scores, with DIR/calibration.json

The archive is that of the policy's fit, and the parts are those of its split. `scores` searches unforced decisions, in
an order drawn once, each with all moves and an empty hash table, and resumes; several may run beside each other for
different parts. The fit is a conditional logit of the moves played; strengths are those of players by the losses of
their moves in the training part, the game at hand left out.

Goals, on the test part: FIRST of first choices; and of losing moves, by the search of JUDGE nodes, in each bin of the
chance with LEAST plays expected or made, in all, by pieces and by loss, as many are expected as are made, within the
factor RATIO. The chance of a losing move is that of one that somebody has judged (its loss is that of the judge, the
other moves' those of the short search), as in an annotated game. With --write the bins of calibration.json that held
are noted there: those with LEAST plays, within RATIO, and the first where fewer are made than its edge says; for moves
that don't lose the losses are those of the short search. With --others it is an archive that nothing was chosen by:
noted bins that have enough plays there, by pieces or in all, and don't hold are taken out of OTHER/calibration.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from kr.archives.archive import ReadSettings
from kr.egdb.exact import exact_moves
from kr.engine.engine import MAX_LINES, Engine
from kr.engine.limits import Limits
from kr.engine.result import SCORE_PROVED
from kr.engine.settings import MEBIBYTE
from kr.game.position import Position
from kr.policy import calibration
from kr.policy.calibration import Calibration
from kr.policy.policy import load_policy
from kr.storage import atomic_path, write_atomic
from kr.studies.people.decisions import Decisions, read_decisions
from kr.studies.people.splits import split_decisions
from kr.studies.people.strengths import strengths_of
from kr.units import parse_count
from kr.web.services.port import mean_loss

FIRST = 0.69
JUDGE = 200_000
LEAST, RATIO = 50, 1.25
LOSSES = (0, 0.05, 0.2, 1)
PIECES = (8, 16, 24)
NAMES = "8 pieces or fewer", "9 to 16 pieces", "17 or more"
CHANCES = (0, 0.01, 0.03, 0.1, 0.2)
STAKES = 0.15
LOSING = 0.15
LOSS_BINS = (LOSING, 0.25, 0.5, 1.01)
NODES, HASH = 20_000, 1 << 19
JUDGE_HASH = 16 << 20
BLOCK = 1000
Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Scored decisions of a part, with all their moves in a row: those of decision i from first[i] to first[i + 1]."""

    decisions: Decisions
    first: NDArray[np.int64]
    probability: Numbers
    """By the policy, for anyone."""
    loss: Numbers
    """Expected result that each move gives away, by a search; where the database has all moves, by their values."""
    exact: NDArray[np.bool_]
    """(decisions,) the losses are those of values."""
    played: NDArray[np.bool_]

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """(decisions,) number of moves."""
        return np.diff(self.first)

    @cached_property
    def pieces(self) -> NDArray[np.int64]:
        """(decisions,) number of the class of PIECES."""
        return np.searchsorted(PIECES, self.decisions.pieces)

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of decisions, for each of their moves."""
        return np.repeat(values, self.counts)

    def of(self, chosen: NDArray[np.bool_], probability: Numbers | None = None) -> Sample:
        """Some of the decisions. probability: for the group of their players."""
        rows = self.spread(chosen)
        return Sample(
            self.decisions.of(np.flatnonzero(chosen)), np.r_[0, np.cumsum(self.counts[chosen])],
            (self.probability if probability is None else probability)[rows], self.loss[rows], self.exact[chosen],
            self.played[rows],
        )  # fmt: skip

    def chances(self, numbers: Calibration, group: int = -1) -> Numbers:
        """The chances of all moves."""
        chances = [
            numbers.chances(
                self.probability[begin:end].tolist(),
                self.loss[begin:end].tolist(),
                int(pieces),
                group,
                exact=bool(exact),
            )
            for begin, end, pieces, exact in zip(
                self.first[:-1], self.first[1:], self.decisions.pieces, self.exact, strict=True
            )
        ]
        return np.concatenate(chances)


class Scores:
    """The scored decisions of an archive, in DIR."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.directory: Path = options.dir
        self.decisions = read_decisions(ReadSettings(files=tuple(options.files)))
        self.policy = load_policy()
        card = self.policy.card["split"]
        self.split = split_decisions(self.decisions, card["by"], card["seed"])
        self.engine = Engine(hash_mb=HASH / MEBIBYTE)

    def order(self, part: str) -> NDArray[np.int64]:
        """The unforced decisions of a part that somebody chose."""
        rows: NDArray[np.int64] = getattr(self.split, part)
        unforced = (self.decisions.choices[rows] > 1) & ~self.decisions.prescribed[rows]
        return np.random.default_rng(5).permutation(rows[unforced])

    def files(self, part: str, nodes: int) -> list[Path]:
        """The files of scores, in order."""
        return sorted(self.directory.glob(f"{part}-{nodes}-*.npz"))

    def search(self, part: str, nodes: int, most: int | None) -> None:
        """Score the decisions of a part that have no scores yet."""
        order = self.order(part)[:most]
        begin = sum(len(np.load(file)["rows"]) for file in self.files(part, nodes))
        if nodes >= JUDGE:
            self.engine = Engine(hash_mb=JUDGE_HASH / MEBIBYTE, database=self.engine.database)
        for at in range(begin, len(order), BLOCK):
            rows = order[at : at + BLOCK]
            scores = [score for row in rows for score in self._scores(int(row), nodes)]
            with atomic_path(self.directory / f"{part}-{nodes}-{at:07}.npz") as path, path.open("wb") as file:
                np.savez(file, rows=rows, score=np.array(scores, dtype=np.int16))
            print(f"{part}, {nodes} nodes: {at + len(rows)} of {len(order)}", flush=True)

    def _scores(self, row: int, nodes: int) -> Iterator[int]:
        """The scores of a decision's moves, in the order of the policy."""
        self.engine.new_game()
        lines = self.engine.search(self._position(row), Limits(nodes=nodes), multipv=MAX_LINES).lines
        scores: dict[tuple[int, int, int], int] = {}
        for line in lines:
            squares = line.pv[0].origin, line.pv[0].target, line.pv[0].captured
            scores[squares] = max(line.score, scores.get(squares, line.score))
        for squares in self._moves(row):
            yield scores[squares]

    def _position(self, row: int) -> Position:
        men, foes, kings, foe_kings = map(int, self.decisions.boards[row])
        return Position(men | kings, foes | foe_kings, kings | foe_kings)

    def _moves(self, row: int) -> list[tuple[int, int, int]]:
        choices = self.policy.predict(self.decisions.boards[[row]], self.decisions.before[[row]])
        columns = choices.origin.tolist(), choices.target.tolist(), choices.captured.tolist()
        return list(zip(*columns, strict=True))

    def sample(self, part: str, nodes: int) -> Sample:
        """The decisions with scores."""
        parts = [np.load(file) for file in self.files(part, nodes)]
        if not parts:
            sys.exit(f"{self.directory}: no scores of the part {part} with {nodes} nodes; make them by `scores`")
        rows, score = (np.concatenate([each[name] for each in parts]) for name in ("rows", "score"))
        return self._sample(rows, score.astype(np.float64))

    def known(self, part: str) -> Sample:
        """The decisions whose moves all have values."""
        order = self.order(part)
        return self._sample(order[self._is_known(self.decisions.of(order))])

    def _is_known(self, decisions: Decisions) -> NDArray[np.bool_]:
        database = self.engine.database
        return decisions.pieces <= (database.pieces if database else 0)

    def _sample(self, rows: NDArray[np.int64], score: Numbers | None = None) -> Sample:
        """score: of each move, unless they are all known."""
        decisions = self.decisions.of(rows)
        choices = self.policy.predict(decisions.boards, decisions.before)
        score = np.zeros(len(choices.origin)) if score is None else score
        expected = np.where(np.abs(score) > SCORE_PROVED, score > 0, expit(score / self.engine.score_scale))
        counts = np.diff(choices.first)
        loss = np.repeat(np.maximum.reduceat(expected, choices.first[:-1]), counts) - expected
        exact = self._is_known(decisions)
        for i in np.flatnonzero(exact):
            loss[choices.first[i] : choices.first[i + 1]] = self._exact_losses(int(rows[i]))
        own = (*decisions.moves.T, decisions.captured)
        played = np.logical_and.reduce([
            theirs == np.repeat(each, counts)
            for theirs, each in zip((choices.origin, choices.target, choices.captured), own, strict=True)
        ])  # fmt: skip
        return Sample(decisions, choices.first, choices.probability.astype(np.float64), loss, exact, played)

    def _exact_losses(self, row: int) -> list[float]:
        moves = exact_moves(self.engine.database, self._position(row))
        signs = {(each.move.origin, each.move.target, each.move.captured): each.value.sign for each in moves}
        return [(moves[0].value.sign - signs[squares]) / 2 for squares in self._moves(row)]

    def groups(self, sample: Sample) -> NDArray[np.int64]:
        """The group of the mover of each decision of the training part, 0 for the strongest; -1 for unknown."""
        loss = np.full(len(self.decisions), np.nan, dtype=np.float32)
        order = np.concatenate([np.load(file)["rows"] for file in self.files("training", NODES)])
        loss[order] = sample.loss[sample.played]
        strength = strengths_of(self.decisions, loss, order)[order]
        known = ~np.isnan(strength)
        shares = np.arange(1, len(self.policy.shape.strengths) + 1) / (len(self.policy.shape.strengths) + 1)
        return np.where(known, np.searchsorted(np.quantile(strength[known], shares), strength), -1)

    def probability_of(self, sample: Sample, group: int) -> Numbers:
        """The policy's probabilities for players of a group."""
        strength = np.full(len(sample.decisions), mean_loss(self.policy.shape, group), dtype=np.float32)
        decisions = sample.decisions
        return self.policy.predict(decisions.boards, decisions.before, strength).probability.astype(np.float64)


def fitted(sample: Sample, columns: Numbers, given: Numbers | float = 0.0) -> Numbers:
    """Factors of most likelihood of the terms of a conditional logit, by Newton's steps.

    columns: (moves, factors); given: what is added to each logit.
    """
    factors = np.zeros(columns.shape[1])
    begins = sample.first[:-1]
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
    """What the numbers of a search multiply: log p, the pieces of `odds`, then the two of the stakes."""
    loss, logs = sample.loss, _logs(sample)
    odds = [np.minimum(loss, high) - np.minimum(loss, low) for low, high in pairwise(LOSSES)]
    expected = np.add.reduceat(sample.probability * loss, sample.first[:-1])
    stakes = sample.spread(np.minimum(STAKES, expected))
    return np.column_stack([logs, *(-piece for piece in odds), logs * stakes, -loss * stakes])


def fit(scores: Scores) -> dict[str, Any]:
    """The numbers of calibration.json, but for the bins that held."""
    everything = scores.sample("training", NODES)
    searched, known = everything.of(~everything.exact), scores.known("training")
    search = []
    for number, most in enumerate(PIECES):
        part = searched.of(searched.pieces == number)
        power, *slopes, of_power, of_odds = fitted(part, terms(part)).tolist()
        search.append({
            "most": most, "power": round(power, 3), "odds": [round(slope, 2) for slope in slopes],
            "stakes": {"power": round(of_power, 2), "odds": round(of_odds, 1)},
        })  # fmt: skip
    power, odds = fitted(known, np.column_stack([_logs(known), -(known.loss > 0).astype(float)]))
    numbers = {
        "policy": scores.policy.model.checksum, "nodes": NODES, "hash": HASH, "losses": LOSSES, "search": search,
        "stakes": STAKES, "exact": {"power": round(power, 3), "odds": round(odds, 2)}, "strengths": [1.0],
        "losing": LOSING, "chances": CHANCES,
    }  # fmt: skip
    numbers["strengths"] = strength_factors(scores, everything, numbers)
    print(f"{len(searched.decisions)} decisions searched, {len(known.decisions)} known")
    return numbers


def strength_factors(scores: Scores, sample: Sample, numbers: dict[str, Any]) -> list[float]:
    """Factors of the losses for each group of players, and for anyone."""
    groups = scores.groups(sample)
    factors = []
    for group in range(len(scores.policy.shape.strengths) + 1):
        own = sample.of(groups == group, scores.probability_of(sample, group))
        own = own.of(~own.exact)
        rules = [
            [rule["power"], *rule["odds"], rule["stakes"]["power"], rule["stakes"]["odds"]]
            for rule in numbers["search"]
        ]
        weighed = terms(own) * np.repeat(np.array(rules)[own.pieces], own.counts, axis=0)
        is_power = np.isin(np.arange(weighed.shape[1]), (0, len(LOSSES)))
        [factor] = fitted(own, weighed[:, ~is_power].sum(axis=1)[:, None], weighed[:, is_power].sum(axis=1))
        print(f"group {group}: {len(own.decisions)} decisions, losses times {factor:.2f}")
        factors.append(round(factor, 2))
    return [*factors, 1.0]


def _logs(sample: Sample) -> Numbers:
    return np.log(np.maximum(sample.probability, 1e-9))


@dataclass
class Bin:
    """A bin of chances of some moves."""

    moves: int
    expected: float
    made: int

    @property
    def counts(self) -> bool:
        """True if there are enough plays."""
        return max(self.expected, self.made) >= LEAST

    @property
    def holds(self) -> bool:
        """True if as many are expected as are made."""
        return self.counts and 1 / RATIO <= self.expected / max(self.made, 1e-9) <= RATIO


def bins(chance: Numbers, played: NDArray[np.bool_], chosen: NDArray[np.bool_]) -> list[Bin]:
    """The bins of CHANCES of the chosen moves."""
    number = np.searchsorted(CHANCES, chance, side="right") - 1
    rows = [chosen & (number == each) for each in range(len(CHANCES))]
    return [Bin(int(each.sum()), float(chance[each].sum()), int(played[each].sum())) for each in rows]


def told_bins(own: Sequence[Bin]) -> list[bool]:
    """Bins that may be told. The first is told as fewer than its upper edge, and fewer must be made."""
    rare, *others = own
    return [rare.moves >= LEAST and rare.made < CHANCES[1] * rare.moves, *(each.holds for each in others)]


def still_told(noted: Sequence[bool], held: Sequence[bool], own: Sequence[Bin]) -> list[bool]:
    """Noted bins that games of another archive don't contradict."""
    return [was and (now or not each.counts) for was, now, each in zip(noted, held, own, strict=True)]


def judged_chances(sample: Sample, chances: Numbers, judged: Numbers, numbers: Calibration) -> Numbers:
    """The chances of losing moves, the loss of each as somebody has judged it, those of others by the short search."""
    chances = chances.copy()
    move = np.repeat(np.arange(len(sample.decisions)), sample.counts)
    for row in np.flatnonzero((judged >= LOSING) & ~sample.spread(sample.exact)):
        i = move[row]
        begin, end = sample.first[i], sample.first[i + 1]
        losses = sample.loss[begin:end].copy()
        losses[row - begin] = judged[row]
        pieces = int(sample.decisions.pieces[i])
        chances[row] = numbers.chances(sample.probability[begin:end].tolist(), losses.tolist(), pieces)[row - begin]
    return chances


def test(scores: Scores, numbers: dict[str, Any], write: Path | None, is_other: bool) -> list[str]:
    """Print the tables; returns the goals that were missed. write: the file for the bins that held; is_other: those
    noted before that don't hold here are taken out."""
    rule = Calibration(numbers)
    sample, judge = scores.sample("test", numbers["nodes"]), scores.sample("test", JUDGE)
    chances = sample.chances(rule)
    missed = first_choices(sample, chances)
    count = len(judge.decisions)
    if not np.array_equal(sample.decisions.boards[:count], judge.decisions.boards):
        sys.exit(f"the decisions searched with {JUDGE} nodes are not the first of those with {numbers['nodes']}")
    seen = sample.of(np.arange(len(sample.decisions)) < count)
    told, losing = judged_chances(seen, chances[: seen.first[-1]], judge.loss, rule), judge.loss >= LOSING
    pieces = seen.spread(seen.pieces)
    table = {"losing moves": losing}
    table |= {f"losing, {name}": losing & (pieces == i) for i, name in enumerate(NAMES)}
    table |= {
        f"losing {low:.2f} to {min(high, 1):.2f}": losing & (judge.loss >= low) & (judge.loss < high)
        for low, high in pairwise(LOSS_BINS)
    }
    print(f"\n{count} decisions judged with {JUDGE} nodes")
    missed += show(table, told, seen.played)
    print("\nthe policy by itself")
    show({"losing moves": losing}, seen.probability, seen.played)
    missed += endings(scores.known("test"), rule)
    quiet = sample.loss < LOSING
    classes = sample.spread(sample.pieces)
    print("\nmoves that don't lose, by the short search")
    others = {f"others, {name}": quiet & (classes == i) for i, name in enumerate(NAMES)}
    show(others, chances, sample.played)
    if write:
        parts = [losing & (pieces == i) for i in range(len(PIECES))]
        found = {
            "losing": [bins(told, seen.played, part) for part in parts],
            "others": [bins(chances, sample.played, part) for part in others.values()],
        }
        held = {kind: [told_bins(own) for own in rows] for kind, rows in found.items()}
        if is_other:
            of_all = {"losing": bins(told, seen.played, losing), "others": bins(chances, sample.played, quiet)}
            held = {
                kind: [
                    still_told(still_told(was, told_bins(own), own), told_bins(of_all[kind]), of_all[kind])
                    for was, own in zip(numbers["holds"][kind], rows, strict=True)
                ]
                for kind, rows in found.items()
            }
        write_atomic(write, f"{json.dumps(numbers | {'holds': held}, indent=2)}\n")
    return missed


def endings(sample: Sample, numbers: Calibration) -> list[str]:
    """Print how often values are lost in positions that the database has; the goal, if it is missed."""
    lost = sample.loss > 0
    chances = sample.chances(numbers)
    of_all = Bin(int(lost.sum()), float(chances[lost].sum()), int(sample.played[lost].sum()))
    count = len(sample.decisions)
    print(
        f"\n{count} decisions with known values: value lost in {of_all.expected / count:.2%} expected, "
        f"{of_all.made / count:.2%} made; by the policy {sample.probability[lost].sum() / count:.2%}"
    )
    return ["values lost in endings"] if of_all.counts and not of_all.holds else []


def first_choices(sample: Sample, chances: Numbers) -> list[str]:
    """Print how the moves played are predicted; the goal, if it is missed."""
    begins = sample.first[:-1]
    shares = {}
    for name, given in (("policy", sample.probability), ("with losses", chances)):
        own = given[sample.played]
        shares[name] = float((own == np.maximum.reduceat(given, begins)).mean())
        error = 1.96 * np.sqrt(shares[name] * (1 - shares[name]) / len(own))
        print(f"{name:12} first choice {shares[name]:.4f} ± {error:.4f}, {-np.log(own).mean():.4f} nats")
    return [] if shares["with losses"] >= FIRST else [f"first choice below {FIRST}"]


def show(table: dict[str, NDArray[np.bool_]], chance: Numbers, played: NDArray[np.bool_]) -> list[str]:
    """Print bins of moves, expected and made plays; the bins that count and did not hold."""
    missed = []
    print(f"{'':26}" + "".join(f"{f'from {edge}':>22}" for edge in CHANCES))
    for name, chosen in table.items():
        own = bins(chance, played, chosen)
        cells = [
            f"{each.expected:8.1f} /{each.made:5}"
            + (f" {each.expected / max(each.made, 1):5.2f}" if each.counts else " " * 6)
            for each in own
        ]
        print(f"{name:26}" + "".join(f"{cell:>22}" for cell in cells))
        missed += [
            f"{name}, from {edge}" for edge, each in zip(CHANCES, own, strict=True) if each.counts and not each.holds
        ]
    return missed


def main() -> None:
    """Search, fit or test."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=Path, help="directory of the scores")
    parser.add_argument("do", choices=("scores", "fit", "test"))
    parser.add_argument("files", nargs="+", type=Path, help="PDN files that the policy was fitted to")
    parser.add_argument("--part", choices=("training", "test"), default="test", help="of the split (default: test)")
    parser.add_argument("--nodes", type=parse_count, default=NODES, help=f"of each search (default: {NODES})")
    parser.add_argument("--decisions", type=parse_count, help="most of them (default: all)")
    parser.add_argument("--write", action="store_true", help="note the bins that held")
    parser.add_argument("--others", action="store_true", help="take out noted bins that these other games contradict")
    options = parser.parse_args()
    options.dir.mkdir(parents=True, exist_ok=True)
    scores, path = Scores(options), options.dir / "calibration.json"
    if options.do == "scores":
        scores.search(options.part, options.nodes, options.decisions)
    elif options.do == "fit":
        write_atomic(path, f"{json.dumps(fit(scores), indent=2)}\n")
        print(f"wrote {path}")
    else:
        numbers = json.loads(path.read_text()) if path.exists() else calibration.CALIBRATION
        is_written = options.write or options.others
        missed = test(scores, numbers, path if is_written else None, options.others)
        sys.exit("\n".join(["", *(f"missed: {each}" for each in missed)]) if missed else 0)


if __name__ == "__main__":
    main()
