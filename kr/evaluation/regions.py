"""The evaluation `regions`: tables learned from games (`kr.evaluation.weights`), and each piece's share of a score.

The score of region tables is a sum: an entry for each region, material, and having the move. An entry belongs to
all the pieces in its region together. It is shared out among them by Shapley values: the contribution of a piece to the
entry as it joins the others, averaged over all orders in which they could come onto the region's squares. This is the
one division without a remainder that treats equal contributions alike and gives nothing to a piece that contributes
nothing. The entry of the empty region belongs to no piece. Each share comes with the loss of score if the piece were
taken off the board (`worth`): a plainer measure, but these losses don't add up to the score, because pieces work
together, and the piece's absence changes phase and, with the last king, the tables. Sums are exact: the core adds up
integers, and here these integers are shared out as fractions.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from kr import _core
from kr.evaluation.evidence import EVIDENCE, Evidence, load_evidence
from kr.evaluation.explanation import Explanation, RegionShare, note, occupied, piece_share, sign
from kr.evaluation.files import WeightsFile
from kr.evaluation.kinds import FileEvaluation
from kr.evaluation.patterns import GROUPS, MAX_BOARD_PIECES, TABLE_UNITS, Region
from kr.evaluation.weights import REGION_SCALE, REGIONS_KIND, Parts, Weights, read_tables
from kr.game.position import Position, Side
from kr.notation import SQUARES
from kr.units import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCORE_UNITS = MAX_BOARD_PIECES * TABLE_UNITS
"""Parts of a centi-man that the core adds up: table units times shares of the phases."""


class Regions(FileEvaluation):
    """Region tables, from a file or in memory."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.name = weights.layout.name
        self.signature = weights.checksum
        self.attrs = {name: value for name, value in weights.attrs.items() if name != EVIDENCE}
        self._counted = EVIDENCE in weights.attrs
        self.scale = float(weights.attrs.get("centimen_per_logit", REGION_SCALE))

    @classmethod
    def read(cls, file: WeightsFile) -> Self:
        return cls(read_tables(file))

    def evaluator(self) -> _core.Evaluator:
        weights = self.weights
        return _core.EVALUATORS[REGIONS_KIND](
            weights.layout.men,
            weights.layout.kings,
            weights.men_table,
            weights.kings_table,
            weights.men_material,
            weights.kings_material,
        )

    def scores(self, boards: NDArray[np.uint32]) -> NDArray[np.float64]:
        return self.weights.scores(boards)

    def details(self) -> dict[str, Any]:
        about = self.evidence and self.evidence.about()
        return {**super().details(), "layout": self.weights.layout.as_dict(), "evidence": about}

    def facts(self) -> list[tuple[str, str]]:
        layout = self.weights.layout
        about = (
            f"{layout.name}, {counted(len(layout.men), 'region')} of 12 squares without kings on the board, "
            f"{len(layout.kings)} of 8 with kings"
        )
        evidence = [("evidence", str(self.evidence))] if self.evidence else []
        return [*super().facts(), ("layout", about), *evidence]

    def explanation(self, position: Position, score: int, worth: dict[int, int]) -> Explanation:
        return _from_tables(position, self.name, score, worth, self.weights, self.evidence)

    @cached_property
    def evidence(self) -> Evidence | None:
        """Number of times that the entries occur in games, read when first used; None if unknown."""
        return load_evidence(self.path, self.signature) if self.path and self._counted else None


KIND = Regions


def _from_tables(
    position: Position, name: str, score: int, worth: dict[int, int], weights: Weights, evidence: Evidence | None
) -> Explanation:
    kings = position.kings != 0
    regions, base = weights.layout.group(kings)
    table, material, parts = (
        (weights.kings_table, weights.kings_material, weights.kings_parts)
        if kings
        else (weights.men_table, weights.men_material, weights.men_parts)
    )
    digits = _digits(position)
    mix = _Mix(position.pieces)
    man, king, move = (int(each) for each in mix(material))
    entries, total = [], 0
    shares = dict.fromkeys(occupied(position), Fraction(0))
    for number, region in enumerate(regions):
        shared = None if parts is None else _of_parts(parts, number, digits)
        here, region_total, empty = _shared_out(table[number], region, digits, base, mix)
        index = _index(region, digits, base)
        entry = table[number, index]
        total += region_total
        for square, share in here.items():
            shares[_on_board(position, square)] += share
        opening, ending = (float(each) / TABLE_UNITS for each in entry)
        entries.append(
            RegionShare(
                tuple(sorted(_on_board(position, square) for square in region)),
                region_total / SCORE_UNITS,
                opening,
                ending,
                None if shared is None else int(mix(_wrapped(entry - shared))) / SCORE_UNITS,
                empty / SCORE_UNITS,
                None if evidence is None else evidence.seen(kings, number, index),
            )
        )
    pieces, balance = [], 0
    for square, share in shares.items():
        crowned = bool(position.kings >> square & 1)
        counts = sign(position, square) * (king if crowned else man)
        balance += counts
        pieces.append(piece_share(position, square, counts / SCORE_UNITS, float(share / SCORE_UNITS), worth[square]))
    return Explanation(
        position, name, score, GROUPS[kings], balance / SCORE_UNITS, move / SCORE_UNITS, tuple(entries), tuple(pieces),
        float(score - Fraction(total + balance + move, SCORE_UNITS)), note(position),
        None if evidence is None else evidence.sentence,
    )  # fmt: skip


class _Mix:
    """Weights of opening and ending mixed by a number of pieces on the board, in SCORE_UNITS of a centi-man."""

    def __init__(self, pieces: int) -> None:
        self._opening, self._ending = pieces, MAX_BOARD_PIECES - pieces

    def __call__(self, weights: NDArray[Any]) -> NDArray[np.int64]:
        """(..., 2) -> (...)."""
        import numpy as np

        wide = weights.astype(np.int64)
        return np.asarray(wide[..., 0] * self._opening + wide[..., 1] * self._ending)


def _on_board(position: Position, square: int) -> int:
    """The square of the board behind a square of the mover's frame, and the reverse."""
    return SQUARES - 1 - square if position.side == Side.WHITE else square


def _digits(position: Position) -> list[int]:
    """Digit of each square in the mover's frame (kr.evaluation.patterns)."""
    digits = [0] * SQUARES
    for square in occupied(position):
        digit = (1 if sign(position, square) > 0 else 2) + 2 * (position.kings >> square & 1)
        digits[_on_board(position, square)] = digit
    return digits


def _index(window: Region, digits: list[int], base: int) -> int:
    return sum(base**i * digits[square] for i, square in enumerate(window))


def _of_parts(parts: Parts, number: int, digits: list[int]) -> NDArray[Any]:
    """Contribution of the parts to the entry of a region: the sum over those whose home it is, directly or not."""
    import numpy as np

    windows = parts.windows
    total = np.zeros(2, dtype=np.int64)
    for i, part in enumerate(windows.parts):
        home = part.home
        while home >= len(windows.regions):
            home = windows.parts[home - len(windows.regions)].home
        if home == number:
            total += parts.values[windows.starts[i] + _index(part.squares, digits, windows.base)]
    return total


def _wrapped(entry: NDArray[Any]) -> NDArray[Any]:
    """Modulo 2^16, as tables and parts are added."""
    import numpy as np

    return entry.astype(np.int64).astype(np.int16)


def _shared_out(
    table: NDArray[np.int16], region: Region, digits: list[int], base: int, mix: _Mix
) -> tuple[dict[int, Fraction], int, int]:
    """The share of each occupied square of a region (Shapley values), the sum, and the share of the empty region."""
    import numpy as np

    occupied = [(base**i * digits[square], square) for i, square in enumerate(region) if digits[square]]
    # the entries of all sets of these pieces; bit j of a set's number stands for piece j
    indices = np.zeros(1, dtype=np.int64)
    for step, _ in occupied:
        indices = np.concatenate([indices, indices + step])
    scores = mix(table[indices])
    count = len(occupied)
    sets = np.arange(1 << count)
    orders = np.array([math.factorial(n) * math.factorial(max(count - 1 - n, 0)) for n in range(count + 1)])
    shares = {}
    for j, (_, square) in enumerate(occupied):
        before = sets[sets >> j & 1 == 0]
        gains = scores[before | 1 << j] - scores[before]
        shares[square] = Fraction(int((gains * orders[np.bitwise_count(before)]).sum()), math.factorial(count))
    return shares, int(scores[-1]), int(scores[0])
