"""Weights files: the tables of the evaluation with the layout they belong to and the story of how they were made.

An HDF5 file of format version 2 holds, in units of 1/16 centi-man,
 - `men_table` int16 (regions, 3^12, 2), `kings_table` int16 (regions, 5^8, 2): opening and ending weight of an entry
   without those of its parts; `men_parts`, `kings_parts` int16 (rows, 2): the weights of the parts, one part after the
   other. A whole table is the sum of both, modulo 2^16 (`kr.parts`);
 - `men_material`, `kings_material` int32 (3, 2): a man, a king, having the move;
 - attributes: `kind`, `format_version`, `layout` (JSON: name and squares of every region), `parts` (JSON: squares and
   home of every part), `checksum` (of layout and whole tables: the identity of the weights), `attributes_checksum`, and
   the provenance.
Version 1, which is read as well, had no parts. `kr.patterns` says what a region index is and how the two phases are
interpolated.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr import storage
from kr.errors import InvalidSettingError, InvalidWeightsError
from kr.parts import Part, Windows
from kr.patterns import (
    KINGS_BASE,
    KINGS_ENTRIES,
    MAX_PIECES,
    MEN_BASE,
    MEN_ENTRIES,
    PHASES,
    Layout,
    region_indices,
)

if TYPE_CHECKING:
    import h5py
    import numpy as np
    from numpy.typing import NDArray

KIND = "kr weights"
FORMAT_VERSION = 2
READABLE_VERSIONS = (1, 2)
UNITS = 16
"""Table units in a centi-man."""
MATERIAL_ROWS = ("man", "king", "move")

_TABLES = ("men_table", "kings_table", "men_material", "kings_material")
_GROUPS = ("men", "kings")
_HEADER = ("kind", "format_version", "layout", "checksum", "attributes_checksum")


@dataclass(frozen=True, eq=False)
class Weights:
    """The tables of an evaluation, in units of 1/16 centi-man. The arrays are read-only."""

    layout: Layout
    men_table: NDArray[np.int16]
    """(regions of 12 squares, 3^12, 2): opening and ending weight of every entry."""
    kings_table: NDArray[np.int16]
    """(regions of 8 squares, 5^8, 2)."""
    men_material: NDArray[np.int32]
    """(3, 2): a man, a king (unused), having the move; without kings on the board."""
    kings_material: NDArray[np.int32]
    """(3, 2): the same with a king on the board."""
    attrs: dict[str, Any]
    """Provenance and reports."""
    checksum: str
    """Identity of layout and tables."""
    men_parts: Parts | None = None
    """What the tables contain of parts; None for none."""
    kings_parts: Parts | None = None

    def scores(self, boards: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Scores in centi-men, not rounded, of (n, 4) positions in the mover's frame (`patterns.mover_frame`)."""
        import numpy as np

        crowned = (boards[:, 2] | boards[:, 3]) != 0
        out = np.empty(len(boards))
        for kings in (False, True):
            rows = np.flatnonzero(crowned == kings)
            out[rows] = self._scores_of(boards[rows], kings)
        return out

    def _scores_of(self, boards: NDArray[np.uint32], kings: bool) -> NDArray[np.float64]:
        import numpy as np

        table, material = (self.kings_table, self.kings_material) if kings else (self.men_table, self.men_material)
        counts = np.bitwise_count(boards).astype(np.int64)
        ones = np.ones(len(boards), dtype=np.int64)
        sums = np.stack([counts[:, 0] - counts[:, 1], counts[:, 2] - counts[:, 3], ones], axis=1) @ material
        for r, ids in enumerate(region_indices(boards, self.layout, kings)):
            sums = sums + table[r, ids]
        n = counts.sum(axis=1)
        return (sums[:, 0] * n + sums[:, 1] * (MAX_PIECES - n)) / (MAX_PIECES * UNITS)


@dataclass(frozen=True, eq=False)
class Parts:
    """The weights that the entries of a group of regions share, in units of 1/16 centi-man."""

    windows: Windows
    values: NDArray[np.int16]
    """(rows of all parts, 2)."""


def shipped_path() -> Path:
    """Where the tables that come with kr are."""
    return storage.data_path("weights", "kr.h5")


def table_checksum(layout: Layout, *tables: NDArray[Any]) -> str:
    """The identity of weights: layout and tables, in the order of `Weights`, and nothing else."""
    return storage.checksum(_layout_text(layout).encode(), *tables)


def save(
    path: Path | str,
    layout: Layout,
    men_table: NDArray[np.int16],
    kings_table: NDArray[np.int16],
    men_material: NDArray[np.int32],
    kings_material: NDArray[np.int32],
    attrs: dict[str, Any],
    men_parts: Parts | None = None,
    kings_parts: Parts | None = None,
) -> str:
    """Write a weights file at once or not at all and return its checksum.

    Shapes and units as in `Weights`; `attrs` are strings and numbers. The parts only make the file smaller, and a
    later fit can start from them. Raises InvalidWeightsError for wrong shapes.
    """
    import numpy as np

    target = Path(path)
    given = (men_table, kings_table, men_material, kings_material)
    shapes = expected_shapes(layout)
    tables = dict(zip(_TABLES, (np.ascontiguousarray(a) for a in given), strict=True))
    for name, array in tables.items():
        _check_array(target, name, array.dtype, array.shape, *shapes[name])
    header = {
        "kind": KIND,
        "format_version": FORMAT_VERSION,
        "layout": _layout_text(layout),
        "checksum": table_checksum(layout, *tables.values()),
        "attributes_checksum": _attributes_checksum(attrs),
    }
    described = {}
    for group, parts in zip(_GROUPS, (men_parts, kings_parts), strict=True):
        if parts:
            tables[f"{group}_table"] = tables[f"{group}_table"] - parts.windows.unfolded(parts.values)
            tables[f"{group}_parts"] = parts.values
            described[group] = [[list(part.squares), part.home] for part in parts.windows.parts]
    with storage.hdf5_file(target) as file:
        for name, array in tables.items():
            chunks = (1, *array.shape[1:]) if array.ndim == 3 else array.shape
            file.create_dataset(name, data=array, chunks=chunks, compression="gzip", shuffle=True)
        file.attrs.update({**attrs, **header, "parts": json.dumps(described, separators=(",", ":"))})
    return str(header["checksum"])


def load(path: Path | str) -> Weights:
    """Read and check a weights file.

    Raises InvalidWeightsError, naming the file, when it is missing, no weights file, of another format version,
    damaged, or its shapes do not fit its layout.
    """
    import h5py

    with _opened(path) as file:
        header, attrs = _read_attributes(file, path)
        layout = _read_layout(header["layout"], path)
        shapes = expected_shapes(layout)
        for name in _TABLES:
            if not isinstance(file.get(name), h5py.Dataset):
                raise InvalidWeightsError(f"{path}: damaged weights file: {name} is missing")
            _check_array(path, name, file[name].dtype, file[name].shape, *shapes[name])
        men_table, kings_table, men_material, kings_material = (_read_array(file, name, path) for name in _TABLES)
        men_parts, kings_parts = _read_parts(file, header["parts"], layout, path)
    tables = (_whole(men_table, men_parts), _whole(kings_table, kings_parts), men_material, kings_material)
    checksum = table_checksum(layout, *tables)
    if checksum != header["checksum"]:
        raise InvalidWeightsError(f"{path}: damaged weights file: the tables do not match their checksum")
    return Weights(layout, *tables, attrs, checksum, men_parts, kings_parts)


def read_attributes(path: Path | str) -> dict[str, Any]:
    """Provenance and reports of a weights file without its tables. Raises InvalidWeightsError as `load` does."""
    with _opened(path) as file:
        return _read_attributes(file, path)[1]


def expected_shapes(layout: Layout) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Type and shape that each table must have under a layout."""
    return {
        "men_table": ("int16", (len(layout.men), MEN_ENTRIES, PHASES)),
        "kings_table": ("int16", (len(layout.kings), KINGS_ENTRIES, PHASES)),
        "men_material": ("int32", (len(MATERIAL_ROWS), PHASES)),
        "kings_material": ("int32", (len(MATERIAL_ROWS), PHASES)),
    }


def _opened(path: Path | str) -> h5py.File:
    import h5py

    if not Path(path).is_file():
        raise InvalidWeightsError(f"{path}: no such weights file")
    try:
        return h5py.File(path, "r")
    except (OSError, RuntimeError) as error:
        raise InvalidWeightsError(f"{path}: not a weights file (no readable HDF5 in it)") from error


def _read_attributes(file: h5py.File, path: Path | str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The header and the other attributes of a weights file, both checked."""
    try:
        attrs = {name: _plain(value) for name, value in file.attrs.items()}
    except (OSError, RuntimeError, KeyError, ValueError) as error:
        raise InvalidWeightsError(f"{path}: damaged weights file: unreadable attributes") from error
    if attrs.get("kind") != KIND:
        raise InvalidWeightsError(f"{path}: an HDF5 file, but not one of kr's weights")
    version = attrs.get("format_version")
    if version not in READABLE_VERSIONS:
        advice = "a newer kr wrote it" if isinstance(version, int) and version > FORMAT_VERSION else "fit it again"
        raise InvalidWeightsError(f"{path}: format version {version}, this kr reads {FORMAT_VERSION}: {advice}")
    missing = [name for name in _HEADER if name not in attrs]
    if missing:
        raise InvalidWeightsError(f"{path}: damaged weights file: the attribute {missing[0]} is missing")
    header = {name: attrs.pop(name) for name in _HEADER}
    header["parts"] = attrs.pop("parts", "{}")
    if version == 1:
        # the sum over float weights that were kept besides
        attrs.pop("fitted_checksum", None)
    if _attributes_checksum(attrs) != header["attributes_checksum"]:
        raise InvalidWeightsError(f"{path}: damaged weights file: the attributes do not match their checksum")
    return header, attrs


def _read_layout(text: str, path: Path | str) -> Layout:
    try:
        return Layout.from_dict(json.loads(text))
    except (json.JSONDecodeError, TypeError, InvalidSettingError) as error:
        raise InvalidWeightsError(f"{path}: damaged weights file: its layout is not one: {error}") from error


def _read_parts(file: h5py.File, text: str, layout: Layout, path: Path | str) -> list[Parts | None]:
    """The parts of both groups."""
    groups = zip(_GROUPS, (layout.men, layout.kings), (MEN_BASE, KINGS_BASE), strict=True)
    found: list[Parts | None] = []
    for group, regions, base in groups:
        try:
            described = json.loads(text).get(group)
            parts = tuple(Part(tuple(squares), home) for squares, home in described or ())
            windows = Windows(regions, base, parts)
        except (json.JSONDecodeError, AttributeError, TypeError, ValueError) as error:
            raise InvalidWeightsError(f"{path}: damaged weights file: its parts are none: {error}") from error
        if described is None:
            found.append(None)
            continue
        values = _read_array(file, f"{group}_parts", path)
        _check_array(path, f"{group}_parts", values.dtype, values.shape, "int16", (windows.starts[-1], PHASES))
        found.append(Parts(windows, values))
    return found


def _whole(table: NDArray[np.int16], parts: Parts | None) -> NDArray[np.int16]:
    """A table with its parts added, modulo 2^16."""
    if parts is None:
        return table
    whole = parts.windows.unfolded(parts.values)
    whole += table
    whole.setflags(write=False)
    return whole


def _read_array(file: h5py.File, name: str, path: Path | str) -> NDArray[Any]:
    try:
        array: NDArray[Any] = file[name][()]
        array.setflags(write=False)
        return array
    except (OSError, RuntimeError, KeyError, ValueError, AttributeError) as error:
        raise InvalidWeightsError(f"{path}: damaged weights file: {name} cannot be read") from error


def _check_array(
    path: Path | str, name: str, dtype: Any, shape: tuple[int, ...], right_dtype: str, right_shape: tuple[int, ...]
) -> None:
    if dtype != right_dtype or shape != right_shape:
        raise InvalidWeightsError(
            f"{path}: {name} is {dtype} {tuple(shape)}, its layout needs {right_dtype} {right_shape}"
        )


def _layout_text(layout: Layout) -> str:
    return json.dumps(layout.as_dict(), separators=(",", ":"))


def _attributes_checksum(attrs: dict[str, Any]) -> str:
    """Over the attributes as a file gives them back: plain strings and numbers, in order of name."""
    return storage.checksum(json.dumps({name: _plain(value) for name, value in attrs.items()}, sort_keys=True).encode())


def _plain(value: Any) -> Any:
    """An attribute as a Python string or number."""
    return value.item() if hasattr(value, "item") else value
