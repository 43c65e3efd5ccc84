"""Region tables: the weights of the evaluation `regions`, with the layout they belong to, in memory and in their files.

A weights file (`kr.evaluation.files`) of region tables holds, in units of 1/16 centi-man,
 - `men_table` int16 (regions, 3^12, 2), `kings_table` int16 (regions, 5^8, 2): opening and ending weight of an entry
   without those of its parts; `men_parts`, `kings_parts` int16 (rows, 2): the weights of the parts, one part after the
   other. A whole table is the sum of both, modulo 2^16 (`kr.evaluation.parts`);
 - `men_material`, `kings_material` int32 (3, 2): a man, a king, having the move;
 - if they are known, how often its entries occur in games (`kr.evaluation.evidence`);
 - attributes: `layout` (JSON: name and squares of every region), `parts` (JSON: squares and home of every part); the
   `checksum` is over layout and whole tables.
Version 1 had no parts. `kr.evaluation.patterns` defines the region index and the interpolation of the two phases.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr import storage
from kr.errors import InvalidSettingError, InvalidWeightsError
from kr.evaluation import files
from kr.evaluation.files import SCALES, SHIPPED_TABLES, WeightsFile
from kr.evaluation.layouts import Layout, read_layout
from kr.evaluation.own_regions import built_tables
from kr.evaluation.parts import Windows
from kr.evaluation.patterns import (
    KINGS_ENTRIES,
    MATERIAL_RANGE,
    MATERIAL_ROWS,
    MAX_BOARD_PIECES,
    MEN_ENTRIES,
    PHASES,
    TABLE_UNITS,
    region_indices,
)
from kr.hdf5 import FINITE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kr.evaluation.evidence import Evidence

REGIONS_KIND = "regions"
REGION_SCALE = 40.0
"""Centi-men in a logit, that of the shipped tables, for tables without a scale."""
_TABLES = ("men_table", "kings_table", "men_material", "kings_material")
_GROUPS = ("men", "kings")


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
    """(3, 2): a man, a king, having the move; with a king on the board."""
    attrs: dict[str, Any]
    """Provenance and reports."""
    checksum: str
    """Identity of layout and tables."""
    men_parts: Parts | None = None
    """Parts that the tables contain; None without parts."""
    kings_parts: Parts | None = None

    @classmethod
    def from_tables(
        cls,
        men: object = (),
        kings: object = (),
        material: object = (100, 130, 0),
        kings_material: object = None,
        name: str = "own",
        centimen_per_logit: float = REGION_SCALE,
    ) -> Weights:
        """Tables of one's own, for an Engine or a file, from arrays of centi-men.

        men, kings: pairs of squares and table, or a mapping: regions used without a king on the board, of 1 to 12
        squares 0-31 in the frame of the side to move, which moves up the numbers, and with a king, of 1 to 8. A table
        has an entry for each way in which its squares can be occupied, (3^squares,) or with kings (5^squares,): that
        number with the first square's digit as the lowest, 0 empty, 1 own man, 2 opponent's man, 3 own king, 4
        opponent's king; or two columns, for opening and ending, which are mixed by the number of pieces. material: a
        man, a king, having the move, each a number or opening and ending; kings_material: with a king on the board,
        if it differs. centimen_per_logit: scale of the expected result. Regions of the full size are tables of the
        core, smaller ones are added into such tables. Raises InvalidSettingError for anything else.
        """
        regions, groups = built_tables(name, {"men": men, "kings": kings}, material, kings_material)
        attrs = {"centimen_per_logit": SCALES.check("centimen_per_logit", centimen_per_logit, whole=False)}
        built = [groups[group] for group in _GROUPS]
        tables, materials = [each.table for each in built], [each.material for each in built]
        arrays: list[NDArray[Any]] = [*tables, *materials]
        for array in arrays:
            array.setflags(write=False)
        parts = [Parts(each.windows, each.parts) if each.windows.parts else None for each in built]
        checksum = table_checksum(regions.layout, *arrays)
        return cls(
            regions.layout, tables[0], tables[1], materials[0], materials[1], attrs, checksum, parts[0], parts[1]
        )

    @classmethod
    def load(cls, path: Path | str = SHIPPED_TABLES) -> Weights:
        """The tables of a weights file; those of kr for "shipped". Raises InvalidWeightsError, naming the file."""
        return load_tables(files.shipped_path() if path == SHIPPED_TABLES else storage.as_path(path))

    def save(self, path: Path | str) -> None:
        """Write a weights file at once or not at all, which commands and engines take. Raises OSError."""
        target = storage.as_path(path)
        save_tables(
            target, self.layout, self.men_table, self.kings_table, self.men_material, self.kings_material,
            {**storage.provenance(), **self.attrs}, self.men_parts, self.kings_parts,
        )  # fmt: skip

    def __repr__(self) -> str:
        return (
            f"<weights {self.layout.name}: {len(self.layout.men)} and {len(self.layout.kings)} tables, {self.checksum}>"
        )

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
        for r, ids in enumerate(region_indices(boards, *self.layout.group(kings))):
            sums = sums + table[r, ids]
        n = counts.sum(axis=1)
        return (sums[:, 0] * n + sums[:, 1] * (MAX_BOARD_PIECES - n)) / (MAX_BOARD_PIECES * TABLE_UNITS)


@dataclass(frozen=True, eq=False)
class Parts:
    """The weights that the entries of a group of regions share, in units of 1/16 centi-man."""

    windows: Windows
    values: NDArray[np.int16]
    """(rows of all parts, 2)."""


def table_checksum(layout: Layout, *tables: NDArray[Any]) -> str:
    """The identity of weights: layout and tables alone, in the order of `Weights`."""
    return storage.checksum(layout.text().encode(), *tables)


def save_tables(
    path: Path | str,
    layout: Layout,
    men_table: NDArray[np.int16],
    kings_table: NDArray[np.int16],
    men_material: NDArray[np.int32],
    kings_material: NDArray[np.int32],
    attrs: dict[str, Any],
    men_parts: Parts | None = None,
    kings_parts: Parts | None = None,
    evidence: Evidence | None = None,
) -> str:
    """Write a weights file at once or not at all and return its checksum.

    Shapes and units as in `Weights`; `attrs` are strings and numbers. The parts only make the file smaller, and a
    later fit can start from them. evidence: how often the entries occur in games. Raises InvalidWeightsError for wrong
    shapes.
    """
    import numpy as np

    target = Path(path)
    ordered = (men_table, kings_table, men_material, kings_material)
    shapes = expected_shapes(layout)
    tables = dict(zip(_TABLES, (np.ascontiguousarray(a) for a in ordered), strict=True))
    for name, array in tables.items():
        _check_array(target, name, array.dtype, array.shape, *shapes[name])
    checksum = table_checksum(layout, *tables.values())
    described = {}
    for group, parts in zip(_GROUPS, (men_parts, kings_parts), strict=True):
        if parts:
            tables[f"{group}_table"] = tables[f"{group}_table"] - parts.windows.unfolded(parts.values)
            tables[f"{group}_parts"] = parts.values
            described[group] = [[list(part.squares), part.home] for part in parts.windows.parts]
    own = {"layout": layout.text(), "parts": json.dumps(described, separators=(",", ":"))}
    arrays: dict[str, NDArray[Any]] = tables
    if evidence:
        arrays, attrs = {**tables, **evidence.arrays()}, {**attrs, **evidence.attributes()}
    files.write(target, REGIONS_KIND, arrays, checksum, attrs, own)
    return checksum


def load_tables(path: Path | str) -> Weights:
    """Read and check a weights file of region tables.

    Raises InvalidWeightsError, naming the file, if it is missing, not a weights file, of another format version or
    damaged, or its shapes do not fit its layout.
    """
    with files.opened(path) as file:
        if file.evaluation != REGIONS_KIND:
            raise InvalidWeightsError(f"{path}: weights of the kind {file.evaluation!r:.40}; expected region tables")
        return read_tables(file)


def read_tables(file: WeightsFile) -> Weights:
    """The tables in an open weights file. Raises InvalidWeightsError as `load_tables` does."""
    layout = read_layout(file)
    shapes = expected_shapes(layout)
    text = file.text("parts", "{}")
    windows = [_read_windows(file, text, group, layout) for group in _GROUPS]
    men_table, kings_table, men_material, kings_material = (
        file.array(name, *shapes[name], MATERIAL_RANGE if name.endswith("material") else FINITE) for name in _TABLES
    )
    men_parts, kings_parts = (_read_parts(file, *each) for each in zip(_GROUPS, windows, strict=True))
    men_table, kings_table = _whole(men_table, men_parts), _whole(kings_table, kings_parts)
    tables = (men_table, kings_table, men_material, kings_material)
    checksum = file.verify(table_checksum(layout, *tables))
    for table in tables:
        table.setflags(write=False)
    return Weights(layout, *tables, file.attrs, checksum, men_parts, kings_parts)


def expected_shapes(layout: Layout) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Type and shape that each table must have under a layout."""
    return {
        "men_table": ("int16", (len(layout.men), MEN_ENTRIES, PHASES)),
        "kings_table": ("int16", (len(layout.kings), KINGS_ENTRIES, PHASES)),
        "men_material": ("int32", (len(MATERIAL_ROWS), PHASES)),
        "kings_material": ("int32", (len(MATERIAL_ROWS), PHASES)),
    }


def _read_windows(file: WeightsFile, text: str, group: str, layout: Layout) -> Windows | None:
    """Parts of a group; None without parts."""
    regions, base = layout.group(group == "kings")
    try:
        described = storage.parse_json(text)
        if not isinstance(described, dict):
            raise InvalidSettingError("not a JSON object")
        return None if described.get(group) is None else Windows.described(regions, base, described[group])
    except ValueError as error:
        raise file.damaged(f"invalid parts: {error}") from error


def _read_parts(file: WeightsFile, group: str, windows: Windows | None) -> Parts | None:
    if windows is None:
        return None
    values = file.array(f"{group}_parts", "int16", (windows.starts[-1], PHASES))
    values.setflags(write=False)
    return Parts(windows, values)


def _whole(table: NDArray[np.int16], parts: Parts | None) -> NDArray[np.int16]:
    """A table with its parts added, modulo 2^16."""
    return table if parts is None else parts.windows.unfolded(parts.values) + table


def _check_array(
    path: Path | str, name: str, dtype: Any, shape: tuple[int, ...], right_dtype: str, right_shape: tuple[int, ...]
) -> None:
    if dtype != right_dtype or shape != right_shape:
        raise InvalidWeightsError(
            f"{path}: {name} is {dtype} {tuple(shape)}, its layout needs {right_dtype} {right_shape}"
        )
