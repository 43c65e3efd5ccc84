"""Weights files: the form that the files of all kinds of evaluations have in common.

An HDF5 file whose attributes are a header, the kind's additions to it, and the provenance:
 - `kind`: "kr weights"; `format_version`;
 - `evaluation`: the kind of evaluation (`kr.evaluation.kinds`);
 - `checksum`: the identity of the weights, by the kind's own sum over them;
 - `attributes_checksum`: over all attributes but these others of the header;
 - the provenance: texts and numbers, among them `centimen_per_logit`, the scale of the scores, if known.
Version 3 is the first for other evaluations than region tables, which are written as version 2 still, so that an older
kr reads them: to that the name of the evaluation is one more detail of their provenance. There, and in version 1, the
sum over the attributes leaves out what describes the tables, and a file that names no evaluation holds region tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr import storage
from kr.errors import InvalidWeightsError
from kr.hdf5 import FINITE, Attribute, Hdf5Source, reading, write_hdf5
from kr.units import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

KIND = "kr weights"
SHIPPED_TABLES = "shipped"
"""Name of the tables that come with kr."""
FITTED = Path("fitted.h5")
"""Default output of `kr fit`: replaced only by a fit of the same run directories with the same settings."""
FORMAT_VERSION = 3
FIRST_EVALUATION = "regions"
"""The kind of the files of versions 1 and 2."""
FIRST_VERSION = 2
"""Version that those files are written as."""
READABLE_VERSIONS = (1, 2, 3)
KINDS_TAKEN_OUT = {
    "net": "networks on top of tables won no match (docs/lab/evaluation.md)",
    "endnet": "networks for endings won no match beside tables (docs/lab/endnets.md)",
    "squares": "no command made piece-square tables",
}
"""Kinds of earlier versions, each with the reason why it was taken out. kr at the commit d35c85d reads them."""
SCALES = Range(above=0, high=1_000_000)
"""Centi-men in a logit."""

_FIRST_OWN = ("layout", "parts")
"""Attributes of region tables that the attributes_checksum of those files leaves out."""
_HEADER = ("kind", "format_version", "checksum", "attributes_checksum")


def shipped_path() -> Path:
    """Path of the tables that come with kr."""
    return storage.data_path("weights", "kr.h5")


def write(
    path: Path | str,
    evaluation: str,
    arrays: Mapping[str, NDArray[Any]],
    checksum: str,
    attrs: Mapping[str, Any],
    own: Mapping[str, str] | None = None,
) -> None:
    """Write a weights file at once or not at all.

    checksum: the identity of the weights; attrs: the provenance, strings and numbers; own: texts that the kind needs to
    read its weights.
    """
    named, own = {**attrs, "evaluation": evaluation}, own or {}
    first = evaluation == FIRST_EVALUATION
    header = {
        "kind": KIND,
        "format_version": FIRST_VERSION if first else FORMAT_VERSION,
        "checksum": checksum,
        "attributes_checksum": _attributes_checksum(named if first else {**named, **own}),
    }
    packing = {}
    for name, array in arrays.items():
        # a region at a time
        chunks = (1, *array.shape[1:]) if array.ndim == 3 or name.endswith("_seen") else array.shape
        packing[name] = {"chunks": chunks, "compression": "gzip", "shuffle": True}
    write_hdf5(path, arrays, {**named, **header, **own}, packing)


class WeightsFile:
    """An open weights file whose header and attributes have been checked. What is read raises InvalidWeightsError."""

    path: Path | str
    evaluation: str
    """The kind of evaluation that it holds."""
    attrs: dict[str, Attribute]
    """The provenance, once the kind has taken its own texts."""

    def __init__(self, path: Path | str, source: Hdf5Source) -> None:
        self.path = path
        self._source = source
        self.attrs = dict(source.attributes)
        if self.attrs.get("kind") != KIND:
            raise InvalidWeightsError(f"{path}: an HDF5 file, but not one of kr's weights")
        version = self.attrs.get("format_version")
        if wrong := storage.check_version(version, READABLE_VERSIONS):
            raise InvalidWeightsError(f"{path}: {wrong}")
        if missing := [name for name in _HEADER if name not in self.attrs]:
            raise self.damaged(f"the attribute {missing[0]} is missing")
        for name in ("kind", "format_version"):
            del self.attrs[name]
        self._checksum, checksum = self.text("checksum"), self.text("attributes_checksum")
        covered = self.attrs
        if version != FORMAT_VERSION:
            if version == 1:
                # checksum of the float weights that version 1 also had
                self.attrs.pop("fitted_checksum", None)
            covered = {name: value for name, value in self.attrs.items() if name not in _FIRST_OWN}
        if _attributes_checksum(covered) != checksum:
            raise self.damaged("the attributes do not match their checksum")
        self.evaluation = self.text("evaluation", None if version == FORMAT_VERSION else FIRST_EVALUATION)
        source.number("centimen_per_logit", SCALES, 1.0)
        if self.evaluation in KINDS_TAKEN_OUT:
            raise InvalidWeightsError(
                f"{path}: weights of the kind {self.evaluation!r}, which was taken out: "
                f"{KINDS_TAKEN_OUT[self.evaluation]}; kr at commit d35c85d reads them"
            )

    @property
    def identity(self) -> str:
        """Checksum of the weights, as the file states it."""
        return self._checksum

    def text(self, name: str, default: str | None = None) -> str:
        """Take a text out of the attributes."""
        value = self.attrs.pop(name, default)
        if value is None:
            raise self.damaged(f"the attribute {name} is missing")
        if not isinstance(value, str):
            raise self.damaged(f"the attribute {name} is not text")
        return value

    def array(self, name: str, dtype: str, shape: Sequence[int | None], allowed: Range = FINITE) -> NDArray[Any]:
        """A dataset of this type and shape, None for any length, whose numbers are allowed."""
        return self._source.array(name, dtype, shape, allowed)

    def verify(self, checksum: str) -> str:
        """Hold the sum over the weights that were read against the file's; returns it."""
        if checksum != self._checksum:
            raise self.damaged("the tables do not match their checksum")
        return checksum

    def damaged(self, what: str) -> InvalidWeightsError:
        """The error to raise for a file that is damaged in this way."""
        return InvalidWeightsError(f"{self.path}: damaged weights file: {what}")


@contextmanager
def opened(path: Path | str) -> Iterator[WeightsFile]:
    """Open a weights file of any kind.

    Raises InvalidWeightsError, naming the file, if it is missing, not a weights file, of another format version, or
    has a damaged header.
    """
    with reading(path, InvalidWeightsError, "weights file") as source:
        yield WeightsFile(path, source)


def _attributes_checksum(attrs: Mapping[str, Any]) -> str:
    """Over the attributes as a file gives them back: plain strings and numbers, in order of name."""
    return storage.checksum(json.dumps({name: _plain(value) for name, value in attrs.items()}, sort_keys=True).encode())


def _plain(value: Any) -> Any:
    """An attribute as a Python string or number."""
    return value.item() if hasattr(value, "item") else value
