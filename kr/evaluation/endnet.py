"""The evaluation `endnet`: a network that says loss, draw or win of an ending, in whole numbers.

Two hidden layers over 128 inputs, a bit for each kind of piece (own men, opponent's men, own kings, opponent's kings)
on each square 0-31, seen from the side to move; the activations of both are clipped to [0, 1]. `quantized` makes the
integers of the core from the floats of a fit (`kr.studies.endings`), which nothing here needs. By itself such a net
scores any position, far from well; it is made for endings, beside tables: the text `BASE+NET`
(`kr.evaluation.composite`).

A weights file (`kr.evaluation.files`) of the kind `endnet` holds the arrays of `NET_ARRAYS`, and the attributes
 - `pieces_low`, `pieces_high`: pieces of the positions that it was fitted to;
 - `use_pieces` (default: `pieces_high`), `draw_share` (1), `win_bonus` (100): how tables are changed by it; they may
   be missing.
Its `checksum` is over the arrays, in the order of their names, and the scale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from kr import _core, storage
from kr.errors import InvalidNumberError, InvalidWeightsError
from kr.evaluation import files
from kr.evaluation.files import WeightsFile
from kr.evaluation.kinds import FileEvaluation
from kr.evaluation.patterns import MAX_BOARD_PIECES
from kr.hdf5 import FINITE, number_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ENDNET_KIND = "endnet"
ENDNET_SCALE = 40.0
"""Centi-men in a logit for files without a scale: that of the shipped tables."""
NET_INPUTS = 128
FIRST_UNITS_MAX = 1024
"""Units of the first hidden layer; made a multiple of 32 with units that are always 0."""
SECOND_UNITS_MAX = 64
"""Units of the second; made a multiple of 16."""
NET_ARRAYS: dict[str, tuple[str, tuple[int | None, ...]]] = {
    "inputs": ("int16", (NET_INPUTS, None)),
    "inputs_start": ("int16", (None,)),
    "inputs_one": ("int32", (1,)),
    "hidden": ("int16", (None, None)),
    "hidden_start": ("int32", (None,)),
    "hidden_factors": ("float32", (None,)),
    "outputs": ("int16", (None, 3)),
    "outputs_start": ("int32", (3,)),
    "outputs_logit": ("float32", (1,)),
}
"""The numbers of a net: type and shape of each array.

A unit of the first layer is inputs_start and the rows of `inputs` that are set, in parts of 1 / inputs_one, clipped to
0 and inputs_one. One of the second is hidden_start and `hidden` times the first layer, times hidden_factors, clipped to
0 and 4095 and cut to a whole number. A logit is outputs_start and `outputs` times the second layer, times
outputs_logit.
"""

_SECOND_ONE = 4095
"""What stands for 1 in the second layer."""
_MOST_ONE = 2047
_LEAST_ONE = 127
"""What may stand for 1 in the first layer: the most that its sums allow."""
_SHORT = 32767.0
_ROUNDED = 2.0**31 - 2.0**22
"""Largest sum of 32 bits, less what rounding can add to it."""


@dataclass(frozen=True)
class NetUse:
    """How the scores of tables are changed by a net."""

    pieces: int
    """Most pieces of the positions in which it is asked."""
    bonus: float = 100.0
    """Centi-men for a sure win, from 0 to 10000."""
    share: float = 1.0
    """Share of the tables' score that a sure draw takes away, from 0 to 1."""

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("pieces", self.pieces, 0, MAX_BOARD_PIECES),
            ("bonus", self.bonus, 0, 10000),
            ("share", self.share, 0, 1),
        ):
            if not low <= value <= high:
                raise InvalidWeightsError(f"{name} is {value:g}; expected {low} to {high}")


class Endnet(FileEvaluation):
    """A network for endings, from a file or in memory.

    arrays: as `NET_ARRAYS` says; attrs: provenance, with `pieces_low` and `pieces_high`. Raises InvalidWeightsError.
    """

    use: NetUse
    """How tables are changed by it."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], attrs: Mapping[str, Any]) -> None:
        self.name = ENDNET_KIND
        self.arrays = dict(arrays)
        self.attrs = dict(attrs)
        self.scale = float(self.attrs.get("centimen_per_logit", ENDNET_SCALE))
        self.signature = net_checksum(arrays, self.scale)
        self.pieces = _pieces(self.attrs)
        self.use = NetUse(
            _number(self.attrs, "use_pieces", self.pieces[1], whole=True),
            _number(self.attrs, "win_bonus", NetUse.bonus),
            _number(self.attrs, "draw_share", NetUse.share),
        )
        self._net = self.evaluator()

    @classmethod
    def read(cls, file: WeightsFile) -> Self:
        arrays = {name: file.array(name, *expected) for name, expected in NET_ARRAYS.items()}
        try:
            made = cls(arrays, file.attrs)
        except InvalidWeightsError as error:
            raise file.damaged(str(error)) from error
        file.verify(made.signature)
        return made

    def evaluator(self) -> _core.EndNetEvaluator:
        found = self.arrays
        try:
            return _core.EndNetEvaluator(
                found["inputs"],
                found["inputs_start"],
                int(found["inputs_one"][0]),
                found["hidden"],
                found["hidden_start"],
                found["hidden_factors"],
                found["outputs"],
                found["outputs_start"],
                float(found["outputs_logit"][0]),
                self.scale,
            )
        except ValueError as error:
            raise InvalidWeightsError(str(error)) from error

    def predict(self, boards: NDArray[np.uint32]) -> NDArray[np.float32]:
        """Probabilities (n, 3) of loss, draw and win for the side to move.

        boards: (n, 3), black, white and kings, Black to move; for a net that was fitted to quiet positions, without
        captures (`_core.capture_leaves` resolves them). Raises ValueError for what is not boards.
        """
        return self._net.predict(boards)

    @property
    def shape(self) -> tuple[int, int]:
        """Units of the hidden layers."""
        units, hidden = self.arrays["hidden"].shape
        return units, hidden

    def details(self) -> dict[str, Any]:
        return {**super().details(), "hidden": list(self.shape), "use": vars(self.use)}

    def facts(self) -> list[tuple[str, str]]:
        low, high = self.pieces
        use = f"in endings of up to {self.use.pieces} pieces, a draw for {self.use.share:.0%} of the score, a win for"
        return [
            *super().facts(),
            ("net", f"{NET_INPUTS} - {self.shape[0]} - {self.shape[1]} - 3, fitted to {low} to {high} pieces"),
            ("use", f"{use} {self.use.bonus:g} centi-men, beside tables: TABLES+{self.path or 'NET'}"),
        ]


def net_checksum(arrays: Mapping[str, NDArray[Any]], scale: float = ENDNET_SCALE) -> str:
    """Identity of a net's scores."""
    return storage.checksum(*(arrays[name] for name in sorted(NET_ARRAYS)), f"{scale!r}".encode())


def save_endnet(path: Path | str, arrays: Mapping[str, NDArray[Any]], attrs: Mapping[str, Any]) -> str:
    """Write a weights file at once or not at all and return its checksum.

    arrays: of `quantized`; attrs: texts and numbers, with `pieces_low` and `pieces_high`. Raises InvalidWeightsError,
    naming the file, if they are not those of a net.
    """
    for name, (dtype, shape) in NET_ARRAYS.items():
        array = arrays.get(name)
        if array is None or array.dtype != dtype or array.ndim != len(shape):
            raise InvalidWeightsError(f"{path}: {name} is not an array {dtype} of {len(shape)} dimensions")
    try:
        checksum = Endnet(arrays, attrs).signature
    except InvalidWeightsError as error:
        raise InvalidWeightsError(f"{path}: {error}") from error
    files.write(path, ENDNET_KIND, {name: arrays[name] for name in NET_ARRAYS}, checksum, attrs)
    return checksum


def quantized(layers: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """The whole numbers of a net from the floats of its layers.

    layers: weights (inputs, units) and biases (units,) of the three layers, 128 to 3; activations of the hidden layers
    are clipped to [0, 1], the outputs are logits of loss, draw and win. What the numbers then say differs little from
    the floats: at most .002 in any probability for nets whose weights are of usual size (docs/internals/evaluation.md).
    Raises InvalidWeightsError for layers that the core can't hold.
    """
    import numpy as np

    found = [(np.asarray(w, dtype=np.float64), np.asarray(b, dtype=np.float64)) for w, b in layers]
    _check_layers([(w.shape, b.shape) for w, b in found])
    for number, (w, b) in enumerate(found, 1):
        if not (np.isfinite(w).all() and np.isfinite(b).all()):
            raise InvalidWeightsError(f"layer {number} has numbers that are not finite")
    (w1, b1), (w2, b2), (w3, b3) = found
    units, hidden = -len(b1) % 32, -len(b2) % 16
    w1, b1 = np.pad(w1, ((0, 0), (0, units))), np.pad(b1, (0, units))
    w2, b2 = np.pad(w2, ((0, units), (0, hidden))), np.pad(b2, (0, hidden))
    w3 = np.pad(w3, ((0, hidden), (0, 0)))
    # a square has one piece, a board 24
    squares = np.sort(np.abs(w1).reshape(4, 32, -1).max(axis=0), axis=0)
    most = (squares[-MAX_BOARD_PIECES:].sum(axis=0) + np.abs(b1)).max()
    one = min(_MOST_ONE, int((_SHORT - MAX_BOARD_PIECES) / max(most, 1.0)))
    if one < _LEAST_ONE:
        largest = (_SHORT - MAX_BOARD_PIECES) / _LEAST_ONE
        raise InvalidWeightsError(f"layer 1 has sums of up to {most:.0f}; the core holds {largest:.0f}")
    # each unit of the second layer has its own scale; half a unit is added, so that cutting rounds
    sums = one * (np.abs(w2).sum(axis=0) + np.abs(b2) + 0.5 / _SECOND_ONE)
    scale2 = np.minimum(_SHORT / np.maximum(np.abs(w2).max(axis=0), 1e-30), _ROUNDED / sums)
    scale3 = min(_SHORT / max(np.abs(w3).max(), 1e-30), _ROUNDED / (_SECOND_ONE * max(1e-30, _largest_sum(w3, b3))))
    return {
        "inputs": _rounded(w1 * one, np.int16),
        "inputs_start": _rounded(b1 * one, np.int16),
        "inputs_one": np.array([one], dtype=np.int32),
        "hidden": _rounded(w2 * scale2, np.int16),
        "hidden_start": _rounded((b2 + 0.5 / _SECOND_ONE) * one * scale2, np.int32),
        "hidden_factors": (_SECOND_ONE / (one * scale2)).astype(np.float32),
        "outputs": _rounded(w3 * scale3, np.int16),
        "outputs_start": _rounded(b3 * scale3 * _SECOND_ONE, np.int32),
        "outputs_logit": np.array([1 / (scale3 * _SECOND_ONE)], dtype=np.float32),
    }


def _check_layers(shapes: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> None:
    if len(shapes) != 3:
        raise InvalidWeightsError(f"a net of {len(shapes)} layers; the core has 3")
    before = NET_INPUTS
    for number, ((w, b), most) in enumerate(zip(shapes, (FIRST_UNITS_MAX, SECOND_UNITS_MAX, 3), strict=True), 1):
        if len(w) != 2 or w[0] != before or b != w[1:] or not 1 <= w[1] <= most or (number == 3 and w[1] != 3):
            units = "3" if number == 3 else f"1 to {most}"
            raise InvalidWeightsError(
                f"layer {number} has weights {w} and biases {b}; expected ({before}, n) and (n,), n {units}"
            )
        before = w[1]


def _largest_sum(weights: NDArray[Any], biases: NDArray[Any]) -> float:
    import numpy as np

    return float((np.abs(weights).sum(axis=0) + np.abs(biases)).max())


def _rounded(array: NDArray[Any], dtype: Any) -> NDArray[Any]:
    import numpy as np

    return np.ascontiguousarray(np.rint(array).astype(dtype))


def _number(attrs: Mapping[str, Any], name: str, default: float | None = None, *, whole: bool = False) -> Any:
    """A number of the attributes. Raises InvalidWeightsError."""
    try:
        return number_in(f"the attribute {name}", attrs.get(name, default), FINITE, whole=whole)
    except InvalidNumberError as error:
        raise InvalidWeightsError(str(error)) from error


def _pieces(attrs: Mapping[str, Any]) -> tuple[int, int]:
    """Fewest and most pieces that a net was fitted to. Raises InvalidWeightsError."""
    low, high = (_number(attrs, name, whole=True) for name in ("pieces_low", "pieces_high"))
    if not 2 <= low <= high <= MAX_BOARD_PIECES:
        raise InvalidWeightsError(f"pieces from {low} to {high}; expected 2 to {MAX_BOARD_PIECES}")
    return low, high


KIND = Endnet
