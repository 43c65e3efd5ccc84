"""Decisions of people in archives, scored by searches, for `calibration.py`.

Each archive has a folder with files PART-NODES-NUMBER.npz, of at most BLOCK decisions: their rows, and the scores of
their moves in the policy's order.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
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
from kr.game.position import Position
from kr.openings.decks import BALLOT_PLIES
from kr.policy.calibration import Calibration
from kr.policy.policy import load_policy
from kr.storage import atomic_path
from kr.studies.people.decisions import Decisions, read_decisions
from kr.studies.people.splits import split_decisions
from kr.studies.people.strengths import strengths_of
from kr.units import MEBIBYTE
from kr.web.services.port import mean_loss

JUDGE = 200_000
OPENING = 30
PIECES = (8, 16, 24)
LOSING = 0.15
NODES, HASH = 20_000, 1 << 19
JUDGE_HASH = 16 << 20
BLOCK = 1000
Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Sample:
    """Scored decisions of a part, with all their moves in a row: those of decision i from first[i] to first[i + 1]."""

    rows: NDArray[np.int64]
    """(decisions,) in the archive."""
    pieces: NDArray[np.int64]
    """(decisions,) on the board."""
    chosen: Mask
    """(decisions,) no ply of a ballot, which is drawn."""
    exact: Mask
    """(decisions,) the losses are those of values."""
    first: NDArray[np.int64]
    probability: Numbers
    """By the policy, for anyone."""
    loss: Numbers
    """Expected result that each move gives away, by a search; where the database has all moves, by their values."""
    played: Mask

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """(decisions,) number of moves."""
        return np.diff(self.first)

    @cached_property
    def kinds(self) -> NDArray[np.int64]:
        """Of each move the class of PIECES."""
        return self.spread(np.searchsorted(PIECES, self.pieces))

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of decisions, for each of their moves."""
        return np.repeat(values, self.counts)

    def of(self, chosen: Mask) -> Sample:
        """Some of the decisions."""
        rows = self.spread(chosen)
        return Sample(
            self.rows[chosen], self.pieces[chosen], self.chosen[chosen], self.exact[chosen],
            np.r_[0, np.cumsum(self.counts[chosen])], self.probability[rows], self.loss[rows], self.played[rows],
        )  # fmt: skip

    def chances(self, numbers: Calibration) -> Numbers:
        """The chances of all moves."""
        decisions = zip(self.first[:-1], self.first[1:], self.pieces, self.exact, strict=True)
        chances = [
            numbers.chances(
                self.probability[begin:end].tolist(), self.loss[begin:end].tolist(), int(pieces), exact=bool(exact)
            )
            for begin, end, pieces, exact in decisions
        ]
        return np.concatenate(chances)


def joined(samples: Sequence[Sample]) -> Sample:
    """Samples as one."""
    rows, pieces, chosen, exact, counts, probability, loss, played = (
        np.concatenate([getattr(each, name) for each in samples])
        for name in ("rows", "pieces", "chosen", "exact", "counts", "probability", "loss", "played")
    )
    return Sample(rows, pieces, chosen, exact, np.r_[0, np.cumsum(counts)], probability, loss, played)


@dataclass(frozen=True, eq=False)
class Judged:
    """Decisions that the judge has looked at: the sample by the short search, and the losses by the judge."""

    sample: Sample
    loss: Numbers

    @cached_property
    def losing(self) -> Mask:
        """The losing moves."""
        return (self.loss >= LOSING) & self.sample.spread(self.sample.chosen & ~self.sample.exact)

    def corrected(self, numbers: Calibration, chances: Numbers) -> Numbers:
        """The chances of the sample, those of losing moves as the judge's loss corrects them."""
        corrected = chances.copy()
        for row in np.flatnonzero(self.losing):
            corrected[row] = numbers.corrected_chance(
                *map(float, (chances[row], self.sample.loss[row], self.loss[row]))
            )
        return corrected


class Scores:
    """The scored decisions of an archive, in a directory. known: games of another one, which are left out."""

    def __init__(self, directory: Path, file: Path, known: Scores | None = None) -> None:
        self.name = file.name.split(".pdn")[0]
        self._directory = directory / self.name
        self._directory.mkdir(parents=True, exist_ok=True)
        self.decisions = read_decisions(ReadSettings(files=(file,)))
        self.policy = load_policy()
        card = self.policy.card["split"]
        split = split_decisions(self.decisions, card["by"], card["seed"])
        self._parts = {
            "training": (split.training,),
            "fit": (split.test,),
            "test": (split.validation, *([] if known is None else [split.training])),
        }
        self.training = split.training
        seen = set() if known is None else set(known.openings())
        self._is_new = np.array([opening not in seen for opening in self.openings()])
        self.engine = Engine(hash_mb=HASH / MEBIBYTE)

    def openings(self) -> list[bytes]:
        """The first plies of each game."""
        decisions, games = self.decisions, np.arange(len(self.decisions.games.year) + 1)
        begins = np.searchsorted(decisions.game, games)
        return [
            b"".join(part.tobytes() for part in (
                decisions.boards[begin : begin + 1], decisions.moves[begin:end], decisions.captured[begin:end]
            ))
            for begin, end in zip(begins[:-1], np.minimum(begins[1:], begins[:-1] + OPENING), strict=True)
        ]  # fmt: skip

    def order(self, part: str) -> NDArray[np.int64]:
        """The unforced decisions of a part that somebody chose, as drawn."""
        return np.concatenate([self._drawn(rows) for rows in self._parts[part]])

    def _drawn(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        unforced = (self.decisions.choices[rows] > 1) & ~self.decisions.prescribed[rows]
        drawn = np.random.default_rng(5).permutation(rows[unforced])
        return drawn[self._is_new[self.decisions.game[drawn]]]

    def _read(self, part: str, nodes: int) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
        """The decisions with scores, and the scores of their moves."""
        files = [np.load(file) for file in sorted(self._directory.glob(f"{part}-{nodes}-*.npz"))]
        rows, scores = ([file[name] for file in files] for name in ("rows", "score"))
        return np.concatenate([np.empty(0, np.int64), *rows]), np.concatenate([np.empty(0, np.int16), *scores])

    def search(self, part: str, nodes: int, most: int | None) -> None:
        """Score the decisions of a part that have no scores yet, of the first `most`."""
        rows_there = self._read(part, nodes)[0]
        order = self.order(part)[:most]
        remaining = order[~np.isin(order, rows_there)]
        self.engine = Engine(hash_mb=(JUDGE_HASH if nodes >= JUDGE else HASH) / MEBIBYTE, database=self.engine.database)
        for at in range(0, len(remaining), BLOCK):
            rows = remaining[at : at + BLOCK]
            scores = [score for row in rows for score in self._scores(int(row), nodes)]
            file = self._directory / f"{part}-{nodes}-{len(rows_there) + at:07}.npz"
            with atomic_path(file) as path, path.open("wb") as target:
                np.savez(target, rows=rows, score=np.array(scores, dtype=np.int16))
            print(
                f"{self.name}, {part}, {nodes} nodes: {len(remaining) - at - len(rows)} of {len(order)} left",
                flush=True,
            )

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

    def sample(self, part: str) -> Sample:
        """The decisions with scores of the short search."""
        rows, score = self._read(part, NODES)
        if not len(rows):
            sys.exit(f"{self._directory}: no scores of the part {part} with {NODES} nodes; make them by `scores`")
        sample = self._sample(rows, score.astype(np.float64))
        return sample.of(np.isin(rows, self.order(part)))

    def judged(self, part: str, sample: Sample) -> Judged:
        """Those of the sample's decisions that the judge has looked at."""
        rows, score = self._read(part, JUDGE)
        judged = self._sample(rows, score.astype(np.float64))
        judged = judged.of(np.isin(rows, sample.rows))
        seen = sample.of(np.isin(sample.rows, judged.rows))
        if not np.array_equal(seen.rows, judged.rows):
            sys.exit(
                f"{self.name}: the decisions searched with {JUDGE} nodes are not among those with {NODES}, in order"
            )
        return Judged(seen, judged.loss)

    def known(self, rows: NDArray[np.int64]) -> Sample:
        """The unforced decisions among rows whose moves all have values."""
        order = self._drawn(rows)
        return self._sample(order[self._is_known(self.decisions.of(order))])

    @property
    def unseen(self) -> NDArray[np.int64]:
        """All decisions of the part to test on."""
        return np.concatenate(self._parts["test"])

    def _is_known(self, decisions: Decisions) -> Mask:
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
        return Sample(
            rows, decisions.pieces, decisions.ply >= BALLOT_PLIES, exact, choices.first,
            choices.probability.astype(np.float64), loss, played,
        )  # fmt: skip

    def _exact_losses(self, row: int) -> list[float]:
        moves = exact_moves(self.engine.database, self._position(row))
        signs = {(each.move.origin, each.move.target, each.move.captured): each.value.sign for each in moves}
        return [(moves[0].value.sign - signs[squares]) / 2 for squares in self._moves(row)]

    def strengths(self) -> NDArray[np.float32]:
        """Of all decisions the strength of the mover, by the scored ones of the training part; NaN for unknown."""
        rows, score = self._read("training", NODES)
        sample = self._sample(rows, score.astype(np.float64))
        loss = np.full(len(self.decisions), np.nan, dtype=np.float32)
        loss[rows] = sample.loss[sample.played]
        return strengths_of(self.decisions, loss, rows)

    def of_group(self, sample: Sample, group: int) -> Sample:
        """A sample with the policy's probabilities for players of a group."""
        decisions = self.decisions.of(sample.rows)
        strength = np.full(len(decisions), mean_loss(self.policy.shape, group), dtype=np.float32)
        probability = self.policy.predict(decisions.boards, decisions.before, strength).probability
        return replace(sample, probability=probability.astype(np.float64))
