"""The evaluation `net`: a network with one hidden layer, by itself or on top of tables, in whole numbers.

128 inputs, a bit for each kind of piece (own men, opponent's men, own kings, opponent's kings) on each square 0-31,
seen from the side to move; a layer of units clipped to [0, 1]; one output, with weights of their own for each band of
three numbers of pieces. Positions without and with kings have nets of their own. `quantized_layer` makes the whole
numbers of the core from the floats of a fit (`kr fit --kind net`).

A net that was fitted on top of tables only says what is to be added to their score, in positions of `least` pieces or
more: the text `TABLES+NET` (`kr.evaluation.composite`). With other tables than those it is refused.

A weights file (`kr.evaluation.files`) of the kind `net` holds the arrays of `GROUP_ARRAYS` for each group that has a
net, their names after "men_" or "kings_", and the attributes
 - `base`: the name of the tables, `base_checksum`: their identity; both empty for a net by itself;
 - `least`: the fewest pieces for which it scores.
Its `checksum` is over the arrays, in the order of their names, these attributes and the scale.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from kr import _core, storage
from kr.errors import InvalidNumberError, InvalidWeightsError
from kr.evaluation import files
from kr.evaluation.files import WeightsFile
from kr.evaluation.kinds import FileEvaluation
from kr.evaluation.patterns import GROUPS, MAX_BOARD_PIECES, TABLE_UNITS
from kr.hdf5 import number_in
from kr.notation import SQUARES
from kr.units import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

NET_KIND = "net"
NET_SCALE = 40.0
"""Centi-men in a logit for files without a scale: that of the shipped tables."""
UNIT_BLOCK = 128
"""Units are a multiple of this."""
UNITS_MAX = 1024
UNIT_ONE = 512
"""What stands for 1 in a unit."""
PIECE_BANDS = 8
"""Sets of output weights: for 1 to 3 pieces, 4 to 6, and so on, the last from 22 on."""
GROUP_ARRAYS: dict[str, tuple[str, tuple[int | None, ...]]] = {
    "rows": ("int16", (4, SQUARES, None)),
    "start": ("int16", (None,)),
    "weights": ("int16", (PIECE_BANDS, None)),
    "last": ("int32", (PIECE_BANDS,)),
}
"""The numbers of a net: type and shape of each array.

A unit is `start` and the `rows` of the pieces, in parts of 1 / UNIT_ONE, clipped to 0 and UNIT_ONE. The output is the
band's `last` and `weights` times the units, in units of 1/16 centi-man.
"""

_SHORT = 32767


class LayerNet(FileEvaluation):
    """A network, from a file or in memory.

    arrays: of `GROUP_ARRAYS` by group, "men" or "kings"; attrs: provenance, with `base`, `base_checksum` and `least`.
    Raises InvalidWeightsError.
    """

    report: str
    """Of the fit, as JSON; empty if there is none."""

    def __init__(self, arrays: Mapping[str, Mapping[str, NDArray[Any]]], attrs: Mapping[str, Any]) -> None:
        self.name = NET_KIND
        self.arrays = {group: dict(found) for group, found in arrays.items()}
        self.attrs = dict(attrs)
        self.report = str(self.attrs.pop("report", ""))
        self.scale = float(self.attrs.get("centimen_per_logit", NET_SCALE))
        self.base, self.base_checksum = (str(self.attrs.get(name, "")) for name in ("base", "base_checksum"))
        try:
            self.least = number_in("least", self.attrs.get("least", 0), Range(0, MAX_BOARD_PIECES), whole=True)
        except InvalidNumberError as error:
            raise InvalidWeightsError(str(error)) from error
        self.signature = _checksum(self.arrays, self.base_checksum, self.least, self.scale)
        if not self.arrays:
            raise InvalidWeightsError("a net without numbers")
        for group, found in self.arrays.items():
            _check_sums(group, found)
        self.adder = self._adder()

    @classmethod
    def read(cls, file: WeightsFile) -> Self:
        told = file.text("groups")
        if set(groups := told.split()) - set(GROUPS.values()):
            raise file.damaged(f"groups are {told!r:.40}")
        arrays = {
            group: {name: file.array(f"{group}_{name}", *expected) for name, expected in GROUP_ARRAYS.items()}
            for group in groups
        }
        try:
            made = cls(arrays, file.attrs)
        except InvalidWeightsError as error:
            raise file.damaged(str(error)) from error
        file.verify(made.signature)
        return made

    def _adder(self) -> _core.Evaluator:
        """The core's net, which scores what it adds."""
        groups = [self.arrays.get(name) for name in GROUPS.values()]
        try:
            return _core.EVALUATORS[NET_KIND](
                [found and tuple(found[name] for name in GROUP_ARRAYS) for found in groups], self.least
            )
        except ValueError as error:
            raise InvalidWeightsError(str(error)) from error

    def evaluator(self) -> _core.Evaluator:
        if self.base_checksum:
            where = self.path or "NET"
            raise InvalidWeightsError(f"{where}: a net that adds to tables; expected {self.base}+{where}")
        return self.adder

    @property
    def units(self) -> dict[str, int]:
        """Units of the hidden layer, by group."""
        return {group: len(found["start"]) for group, found in self.arrays.items()}

    def details(self) -> dict[str, Any]:
        told = {"units": self.units, "least": self.least}
        return {**super().details(), **told, "report": self._read_report()}

    def facts(self) -> list[tuple[str, str]]:
        units = ", ".join(f"{group} {count}" for group, count in self.units.items())
        use = f"on top of tables: {self.base}+{self.path or 'NET'}, from {self.least} pieces on"
        return [
            *super().facts(),
            ("net", f"one hidden layer; units: {units}"),
            ("use", use if self.base_checksum else "by itself"),
            *((f"{group} held out", text) for group, text in self._held_out()),
        ]

    def _held_out(self) -> list[tuple[str, str]]:
        """Losses on the held-out positions of the fit, by group."""
        rows = self._read_report().get("loss", [])
        try:
            return [
                (
                    str(row["group"]),
                    f"loss {row['loss']:.4f}, of the tables {row['tables']:.4f}, at least {row['floor']:.4f} "
                    f"({row['positions']:,} positions)",
                )
                for row in rows
                if row["set"] == "held_out"
            ]
        except (LookupError, TypeError, ValueError) as error:
            raise InvalidWeightsError(f"{self.path}: damaged weights file: its report makes no sense") from error

    def _read_report(self) -> dict[str, Any]:
        """The report of the fit; empty if there is none."""
        try:
            found = storage.parse_json(self.report) if self.report else {}
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise InvalidWeightsError(f"{self.path}: damaged weights file: its report makes no sense")
        return found


def save_net(path: Path | str, arrays: Mapping[str, Mapping[str, NDArray[Any]]], attrs: Mapping[str, Any]) -> str:
    """Write a weights file at once or not at all and return its checksum.

    arrays: of `quantized_layer` by group, "men" or "kings"; attrs: texts and numbers, with `base`, `base_checksum` and
    `least`. Raises InvalidWeightsError, naming the file, if they are not those of a net.
    """
    for group, found in arrays.items():
        for name, (dtype, shape) in GROUP_ARRAYS.items():
            array = found.get(name)
            if group not in GROUPS.values() or array is None or array.dtype != dtype or array.ndim != len(shape):
                raise InvalidWeightsError(f"{path}: {group} {name} is not an array {dtype} of {len(shape)} dimensions")
    try:
        checksum = LayerNet(arrays, attrs).signature
    except InvalidWeightsError as error:
        raise InvalidWeightsError(f"{path}: {error}") from error
    flat = {f"{group}_{name}": found[name] for group, found in arrays.items() for name in GROUP_ARRAYS}
    files.write(path, NET_KIND, flat, checksum, attrs, {"groups": " ".join(arrays)})
    return checksum


def quantized_layer(
    rows: NDArray[Any], start: NDArray[Any], weights: NDArray[Any], last: NDArray[Any], scale: float
) -> dict[str, NDArray[Any]]:
    """The whole numbers of a net from the floats of a fit.

    rows: (4, 32, units), start: (units,); weights: (8, units) and last: (8,), in logits; scale: centi-men in a logit.
    Raises InvalidWeightsError for numbers that the core can't hold.
    """
    import numpy as np

    count = start.shape[0]
    # units that are always 0 fill the last block
    fill = -count % UNIT_BLOCK
    if not 1 <= count <= UNITS_MAX:
        raise InvalidWeightsError(f"{count} units; expected 1 to {UNITS_MAX}")
    units = scale * TABLE_UNITS
    whole = {
        "rows": np.rint(np.pad(rows, ((0, 0), (0, 0), (0, fill))) * UNIT_ONE),
        "start": np.rint(np.pad(start, (0, fill)) * UNIT_ONE),
        "weights": np.rint(np.pad(weights, ((0, 0), (0, fill))) * units),
        "last": np.rint(last * units),
    }
    for name, array in whole.items():
        most = np.iinfo(GROUP_ARRAYS[name][0]).max
        if not np.isfinite(array).all() or np.abs(array).max() > most:
            raise InvalidWeightsError(f"{name} of a net are larger than the core holds")
    made = {name: np.ascontiguousarray(array.astype(GROUP_ARRAYS[name][0])) for name, array in whole.items()}
    _check_sums("net", made)
    return made


def _check_sums(group: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise InvalidWeightsError if a sum could be too large for the core: a square has one piece, a board 24."""
    import numpy as np

    if len({arrays[name].shape[-1] for name in ("rows", "start", "weights")}) > 1:
        raise InvalidWeightsError(f"{group}: arrays of different numbers of units")
    squares = np.sort(np.abs(arrays["rows"].astype(np.int64)).max(axis=0), axis=0)
    sums = squares[-MAX_BOARD_PIECES:].sum(axis=0) + np.abs(arrays["start"].astype(np.int64))
    outputs = np.abs(arrays["weights"].astype(np.int64)).sum(axis=1) * UNIT_ONE
    score = outputs // UNIT_ONE + np.abs(arrays["last"].astype(np.int64))
    if sums.max(initial=0) > _SHORT:
        raise InvalidWeightsError(f"{group}: units add up to {sums.max()}; the core holds {_SHORT}")
    if max(outputs.max(initial=0), score.max(initial=0)) > np.iinfo(np.int32).max:
        raise InvalidWeightsError(f"{group}: outputs add up to more than the core holds")


def _checksum(arrays: Mapping[str, Mapping[str, NDArray[Any]]], base_checksum: str, least: int, scale: float) -> str:
    """Identity of a net's scores."""
    flat = [found[name] for _, found in sorted(arrays.items()) for name in sorted(GROUP_ARRAYS)]
    groups = " ".join(sorted(arrays))
    return storage.checksum(*flat, f"{groups} {base_checksum} {least} {scale!r}".encode())


KIND = LayerNet
