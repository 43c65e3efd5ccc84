"""Model files: the arrays of a trained network, with the record of its training. Reading one needs no JAX.

An HDF5 file with the attributes `kind` ("kr endnet"), `format_version`, `shape` (JSON, `NetShape`), `curve` (JSON:
figures after each epoch), `report` (JSON: counts, best epoch), `arrays` (JSON: shape of each), `checksum` over
shape and arrays, `attributes_checksum` over the others, and the provenance. Datasets: float32 `p_NAME` for parameters,
`s_NAME` for the running means of batch norms.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import storage
from kr.egdb.sample_file import UNREAD
from kr.errors import InvalidModelError
from kr.hdf5 import FINITE, Hdf5Source, number_in, reading, write_hdf5
from kr.studies.descent import check_jax
from kr.studies.endings.shape import NetShape
from kr.units import Range

KIND = "kr endnet"
CLASSES = ("loss", "draw", "win")
"""Values of a position for the side to move, in the order of values and probabilities."""
FORMAT_VERSION = 1
NUMBERS = Range(-1_000_000, 1_000_000)
"""Range of a network's weights: with larger ones its sums would not be finite."""
PREDICTED_AT_ONCE = 4096
"""Positions; the last batch is filled up, so that one size is compiled."""


@dataclass(frozen=True, eq=False)
class EndnetModel:
    """A network with its numbers."""

    shape: NetShape
    parameters: Mapping[str, NDArray[np.float32]]
    state: Mapping[str, NDArray[np.float32]]
    curve: Sequence[Mapping[str, Any]] = ()
    """Figures after each epoch."""
    report: Mapping[str, Any] = field(default_factory=dict)
    attrs: Mapping[str, Any] = field(default_factory=dict)
    """The provenance."""
    path: Path | None = None
    earlier: bool = False
    """True if an earlier start had finished its training."""

    @property
    def weights(self) -> int:
        """Numbers of the network."""
        return sum(array.size for array in self.parameters.values())

    @property
    def checksum(self) -> str:
        """Identity of its answers."""
        arrays = [array for part in (self.parameters, self.state) for _, array in sorted(part.items())]
        return storage.checksum(self.shape.json().encode(), *arrays)

    def predict(self, boards: NDArray[np.uint32]) -> NDArray[np.float32]:
        """Probabilities (n, 3) of loss, draw and win for the side to move.

        boards: (n, 3) black, white, kings, Black to move. Raises InvalidSettingError without JAX.
        """
        probabilities = np.empty((len(boards), 3), dtype=np.float32)
        for first in range(0, len(boards), PREDICTED_AT_ONCE):
            part = boards[first : first + PREDICTED_AT_ONCE]
            filled = np.zeros((PREDICTED_AT_ONCE, 3), dtype=np.uint32)
            filled[: len(part)] = part
            probabilities[first : first + len(part)] = np.asarray(self._predicted(filled))[: len(part)]
        return probabilities

    @cached_property
    def _predicted(self) -> Callable[[NDArray[np.uint32]], Any]:
        check_jax()
        import jax

        ask = _asker(self.shape)
        parameters, state = jax.device_put((dict(self.parameters), dict(self.state)))
        return lambda boards: ask(parameters, state, boards)


@cache
def _asker(shape: NetShape) -> Callable[[Any, Any, NDArray[np.uint32]], Any]:
    """Function of parameters, state and boards that gives probabilities, compiled once for networks of a shape."""
    import jax

    from kr.studies.endings.nets import Net

    net = Net(shape)
    return jax.jit(lambda parameters, state, boards: jax.nn.softmax(net.logits(parameters, state, boards, False)[0]))


def save_model(path: Path, model: EndnetModel) -> None:
    """Write a model file at once or not at all. Raises OSError."""
    parts = {"p": model.parameters, "s": model.state}
    arrays = {f"{prefix}_{name}": np.asarray(part[name], np.float32) for prefix, part in parts.items() for name in part}
    texts = {"shape": model.shape.json(), "curve": json.dumps(model.curve), "report": json.dumps(model.report)}
    attrs = {**model.attrs, **texts, "arrays": json.dumps(_sizes(model))}
    header = {"kind": KIND, "format_version": FORMAT_VERSION, "checksum": model.checksum}
    write_hdf5(path, arrays, {**attrs, **header, "attributes_checksum": _attributes_checksum(attrs)})


def load_model(path: Path | str) -> EndnetModel:
    """Read a model file. Raises InvalidModelError, naming the file, if it is missing, foreign, damaged or newer."""
    # so that samples are named as foreign, not as damaged
    with reading(path, InvalidModelError, "model file", UNREAD) as source:
        return _read(source, Path(path))


def _read(source: Hdf5Source, path: Path) -> EndnetModel:
    attrs = dict(source.attributes)
    if attrs.pop("kind", None) != KIND:
        raise InvalidModelError(f"{path}: an HDF5 file, but not a model of `kr endnet fit`")
    if wrong := storage.check_version(attrs.pop("format_version", None), (FORMAT_VERSION,)):
        raise InvalidModelError(f"{path}: {wrong}")
    checksum, attributes_checksum = attrs.pop("checksum", None), attrs.pop("attributes_checksum", None)
    if _attributes_checksum(attrs) != attributes_checksum:
        raise source.refusal("the attributes do not match their checksum")
    try:
        shape = NetShape.from_json(str(attrs.pop("shape", None)))
    except InvalidModelError as error:
        raise source.refusal(str(error)) from error
    sizes = {"p": shape.parameter_sizes, "s": shape.state_sizes}
    try:
        curve, report = (storage.parse_json(str(attrs.pop(name))) for name in ("curve", "report"))
        check_curve(curve)
        _check_report(report, curve)
        named = storage.parse_json(str(attrs.pop("arrays")))
    except (KeyError, ValueError, TypeError) as error:
        raise source.refusal("invalid parts") from error
    if named != {prefix: {name: list(size) for name, size in part.items()} for prefix, part in sizes.items()}:
        raise source.refusal("arrays of other sizes than those of its network")
    parts = {
        prefix: {name: source.array(f"{prefix}_{name}", "float32", size, NUMBERS) for name, size in part.items()}
        for prefix, part in sizes.items()
    }
    model = EndnetModel(shape, parts["p"], parts["s"], curve, report, attrs, path)
    if model.checksum != checksum:
        raise source.refusal("the arrays do not match their checksum")
    return model


def check_curve(curve: Any) -> None:
    """Check a learning curve from a file: a list of points. Raises ValueError, KeyError or TypeError."""
    if not isinstance(curve, list):
        raise TypeError("a curve is a list")
    for point in curve:
        shares = [point["accuracy"], *(point["recall"][name] for name in CLASSES)]
        _check_numbers(point["epoch"], point["loss"], point["validation_loss"], point["seconds"], point["accuracy"])
        _check_numbers(*(share for share in shares if share is not None))


def _check_report(report: Any, curve: Sequence[Any]) -> None:
    _check_numbers(*(report[name] for name in ("training_positions", "best_epoch", "epochs", "accuracy")))
    if not curve or not all(isinstance(pieces, str) for pieces in [*report["pieces"]]):
        raise ValueError("no curve, or pieces that are not texts")


def _check_numbers(*numbers: Any) -> None:
    for number in numbers:
        number_in("a number", number, FINITE)


def _sizes(model: EndnetModel) -> dict[str, dict[str, list[int]]]:
    parts = (("p", model.parameters), ("s", model.state))
    return {prefix: {name: list(array.shape) for name, array in part.items()} for prefix, part in parts}


def _attributes_checksum(attrs: Mapping[str, Any]) -> str:
    return storage.checksum(json.dumps({name: str(value) for name, value in attrs.items()}, sort_keys=True).encode())
