"""Policy files: the numbers of a policy, with the provenance of its fit and a card of its data and scores.

An HDF5 file with the attributes `kind` ("kr policy"), `format_version`, `shape` (JSON, `PolicyShape`), `card` (JSON:
data, splits, scores), `evaluation` and `scale` (the tables that sight looks with, by signature, and their centi-men in
a logit; "" and 1 without sight), `arrays` (JSON: type and size of each), `checksum` over shape, evaluation, scale and
arrays, `attributes_checksum` over the others, and the provenance. Datasets: one for each array, floats as float16.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr import storage
from kr.errors import InvalidPolicyError
from kr.evaluation.patterns import MATERIAL_RANGE
from kr.hdf5 import FINITE, Hdf5Source, reading, write_hdf5
from kr.policy.shape import PolicyShape
from kr.units import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

POLICY_KIND = "kr policy"
POLICY_FORMAT_VERSION = 1
MOST_ARRAYS = 200
_TYPES = ("float32", "int16", "int32")


@dataclass(frozen=True, eq=False)
class PolicyModel:
    """The numbers of a policy. Floats are rounded to what a file holds."""

    shape: PolicyShape
    arrays: Mapping[str, NDArray[Any]]
    evaluation: str = ""
    """Signature of the evaluation that sight looks with; "" without sight."""
    scale: float = 1.0
    """Its centi-men in a logit."""
    card: Mapping[str, Any] = field(default_factory=dict)
    """Data, splits and scores, as plain JSON."""
    attrs: Mapping[str, Any] = field(default_factory=dict)
    """The provenance."""
    path: Path | None = None

    def __post_init__(self) -> None:
        import numpy as np

        # numbers that are too large become infinite
        with np.errstate(over="ignore"):
            rounded = {
                name: array.astype(np.float16).astype(np.float32) if array.dtype.kind == "f" else array
                for name, array in self.arrays.items()
            }
        rounded = {name: np.ascontiguousarray(array) for name, array in rounded.items()}
        object.__setattr__(self, "arrays", rounded)
        if _sizes(self) != self.shape.array_sizes:
            raise InvalidPolicyError(f"the arrays are not those of a policy {self.shape}")
        if not all(np.isfinite(array).all() for array in rounded.values()):
            raise InvalidPolicyError("a policy with numbers that are not finite, or above 65504")
        if not (math.isfinite(self.scale) and self.scale > 0):
            raise InvalidPolicyError(f"a scale of {self.scale} centi-men in a logit; expected more than 0")

    @property
    def checksum(self) -> str:
        """Identity of its predictions."""
        head = json.dumps([self.shape.json(), self.evaluation, self.scale])
        return storage.checksum(head.encode(), *(array for _, array in sorted(self.arrays.items())))

    @property
    def numbers(self) -> int:
        """Number of its parameters."""
        return sum(array.size for array in self.arrays.values())


def save_policy(path: Path | str, model: PolicyModel) -> None:
    """Write a policy file at once or not at all. Raises OSError."""
    import numpy as np

    arrays, packing = {}, {}
    for name, array in model.arrays.items():
        arrays[name] = array.astype(np.float16) if array.dtype.kind == "f" else array
        # by region, as the tables of weights files
        chunks = (1, *array.shape[1:]) if array.ndim == 3 else None
        packing[name] = {"compression": "gzip", "shuffle": True, "chunks": chunks}
    attrs = {**model.attrs, **_texts(model), "arrays": json.dumps(_listed(_sizes(model)))}
    header = {"kind": POLICY_KIND, "format_version": POLICY_FORMAT_VERSION, "checksum": model.checksum}
    attrs |= {**header, "attributes_checksum": _attributes_checksum(attrs)}
    write_hdf5(path, arrays, attrs, packing)


def read_policy(path: Path | str) -> PolicyModel:
    """Read a policy file. Raises InvalidPolicyError, naming the file, if it is missing, foreign, damaged or newer."""
    with reading(path, InvalidPolicyError, "policy file") as source:
        return _read(source, Path(path))


def _read(source: Hdf5Source, path: Path) -> PolicyModel:
    attrs = dict(source.attributes)
    if attrs.pop("kind", None) != POLICY_KIND:
        raise InvalidPolicyError(f"{path}: an HDF5 file, but not a policy of `kr policy fit`")
    if wrong := storage.check_version(attrs.pop("format_version", None), (POLICY_FORMAT_VERSION,)):
        raise InvalidPolicyError(f"{path}: {wrong}")
    checksum, attributes_checksum = attrs.pop("checksum", None), attrs.pop("attributes_checksum", None)
    if _attributes_checksum(attrs) != attributes_checksum:
        raise source.refusal("the attributes do not match their checksum")
    try:
        shape = PolicyShape.from_json(str(attrs.pop("shape", None)))
        card = storage.parse_json(str(attrs.pop("card")))
        sizes = _parsed_sizes(storage.parse_json(str(attrs.pop("arrays"))))
        evaluation = attrs.pop("evaluation")
        if not isinstance(evaluation, str):
            raise TypeError("a signature is a text")
        del attrs["scale"]
        if not isinstance(card, dict):
            raise TypeError("a card is an object")
    except (KeyError, ValueError, TypeError) as error:
        raise source.refusal("invalid parts") from error
    scale = source.number("scale", Range(above=0))
    if sizes != shape.array_sizes:
        raise source.refusal("arrays of other sizes than those of its policy")
    arrays = {}
    for name, (kind, size) in sizes.items():
        allowed = MATERIAL_RANGE if name.endswith("_material") else FINITE
        arrays[name] = source.array(name, "float16" if kind == "float32" else kind, size, allowed)
    try:
        model = PolicyModel(shape, _widened(arrays), evaluation, scale, card, attrs, path)
    except InvalidPolicyError as error:
        raise source.refusal(str(error)) from error
    if model.checksum != checksum:
        raise source.refusal("the arrays do not match their checksum")
    return model


def _texts(model: PolicyModel) -> dict[str, Any]:
    return {
        "shape": model.shape.json(),
        "card": json.dumps(model.card),
        "evaluation": model.evaluation,
        "scale": model.scale,
    }


def _widened(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    import numpy as np

    return {name: array.astype(np.float32) if array.dtype == np.float16 else array for name, array in arrays.items()}


def _sizes(model: PolicyModel) -> dict[str, tuple[str, tuple[int, ...]]]:
    return {name: (str(array.dtype), array.shape) for name, array in model.arrays.items()}


def _listed(sizes: Mapping[str, tuple[str, tuple[int, ...]]]) -> dict[str, list[Any]]:
    return {name: [kind, list(size)] for name, (kind, size) in sizes.items()}


def _parsed_sizes(listing: Any) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Types and sizes as `_listed` has them. Raises ValueError, TypeError or KeyError."""
    if not isinstance(listing, dict) or len(listing) > MOST_ARRAYS:
        raise TypeError("arrays are an object")
    sizes = {}
    for name, (kind, size) in listing.items():
        if kind not in _TYPES or not isinstance(size, list) or not all(type(n) is int and n >= 0 for n in size):
            raise ValueError(f"an array {name!r:.40} of an unknown type")
        sizes[name] = kind, tuple(size)
    return sizes


def _attributes_checksum(attrs: Mapping[str, Any]) -> str:
    return storage.checksum(json.dumps({name: str(value) for name, value in attrs.items()}, sort_keys=True).encode())
