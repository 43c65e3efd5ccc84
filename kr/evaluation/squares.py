"""The evaluation `squares`: a man or a king is worth what a table says for its square.

The smallest evaluation that games can teach: a baseline for larger ones, and the one to read first. Its core keeps its
sums from ply to ply.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from kr import _core, storage
from kr.errors import InvalidWeightsError
from kr.evaluation import files
from kr.evaluation.explanation import Explanation, note, occupied, piece_share, sign
from kr.evaluation.files import WeightsFile
from kr.evaluation.kinds import FileEvaluation
from kr.evaluation.patterns import MAX_BOARD_PIECES, PHASES, TABLE_UNITS
from kr.game.position import Position
from kr.notation import SQUARES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SQUARES_KIND = "squares"
SHAPE = (2, SQUARES, PHASES)
"""Of the table: man and king, on squares 0-31 as Black sees them, opening and ending; White's board is turned."""
SQUARE_SCALE = 58.0
"""Centi-men in a logit for files without a scale: that of the evaluation `material`."""


class Squares(FileEvaluation):
    """A piece-square table, from a file or in memory."""

    def __init__(self, table: NDArray[np.int16], attrs: dict[str, Any] | None = None) -> None:
        self.name = SQUARES_KIND
        self.table = table
        self.attrs = attrs or {}
        self.signature = storage.checksum(table)
        self.scale = float(self.attrs.get("centimen_per_logit", SQUARE_SCALE))

    @classmethod
    def read(cls, file: WeightsFile) -> Self:
        made = cls(file.array("table", "int16", SHAPE), file.attrs)
        file.verify(made.signature)
        return made

    def evaluator(self) -> _core.Evaluator:
        return _core.EVALUATORS[SQUARES_KIND](self.table)

    def facts(self) -> list[tuple[str, str]]:
        return [*super().facts(), ("table", "a man and a king on each of 32 squares, opening and ending")]

    def explanation(self, position: Position, score: int, worth: dict[int, int]) -> Explanation:
        """A sum over the pieces: the mean of their kind, and what the square adds to it."""
        shares = (position.pieces, MAX_BOARD_PIECES - position.pieces)
        values = (self.table.astype(float) @ shares) / (MAX_BOARD_PIECES * TABLE_UNITS)
        pieces = []
        for square in occupied(position):
            kind = values[int(position.kings >> square & 1)]
            own_view = SQUARES - 1 - square if position.white >> square & 1 else square
            material = sign(position, square) * float(kind.mean())
            place = sign(position, square) * float(kind[own_view] - kind.mean())
            pieces.append(piece_share(position, square, material, place, worth[square]))
        material = sum(piece.material or 0.0 for piece in pieces)
        rounding = score - material - sum(piece.place or 0.0 for piece in pieces)
        return Explanation(position, self.name, score, "", material, 0.0, (), tuple(pieces), rounding, note(position))


def save_squares(path: Path | str, table: NDArray[np.int16], attrs: dict[str, Any]) -> str:
    """Write a weights file at once or not at all and return its checksum.

    attrs: the provenance, strings and numbers. Raises InvalidWeightsError for a wrong shape.
    """
    if table.dtype != "int16" or table.shape != SHAPE:
        raise InvalidWeightsError(f"{path}: the table is {table.dtype} {table.shape}; expected int16 {SHAPE}")
    checksum = storage.checksum(table)
    files.write(path, SQUARES_KIND, {"table": table}, checksum, attrs)
    return checksum


KIND = Squares
