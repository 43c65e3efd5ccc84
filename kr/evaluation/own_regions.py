"""Regions of any size, and tables made of them: an evaluation of one's own without a line of the core.

The core adds up an entry of each of at most 32 regions of 12 squares without kings on the board, of 8 with them.
Smaller regions are parts (`kr.evaluation.parts`) of such ones: of regions of this size that a set has itself, and of
others, its shells, whose entries are nothing but the sum of their parts. So a search is as fast as with the tables of
kr, whatever the number of regions.

A file of regions is JSON. Squares are numbered as on the board, 1 to 32, seen from the side to move, which moves up the
numbers:

    {"name": "mine", "men": [[1, 2, 5, 6], [6, 7, 10, 11, 14, 15]], "kings": [[1, 5, 9, 14, 18, 23, 27, 32]]}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr import storage
from kr.errors import InvalidSettingError
from kr.evaluation.layouts import MAX_FILE, Layout, check_name, listed_values, parse_regions, squares_left_out
from kr.evaluation.parts import MAX_PARTS, Part, Windows
from kr.evaluation.patterns import (
    KINGS_BASE,
    KINGS_REGION_SQUARES,
    MATERIAL_RANGE,
    MATERIAL_ROWS,
    MAX_REGIONS,
    MEN_BASE,
    MEN_REGION_SQUARES,
    PHASES,
    TABLE_UNITS,
    Region,
)
from kr.notation import SQUARES
from kr.text import brief, file_text
from kr.units import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_GROUPS = {"men": (MEN_REGION_SQUARES, MEN_BASE), "kings": (KINGS_REGION_SQUARES, KINGS_BASE)}
"""For each group the most squares of a region, and the digits of a square."""
MOST_OWN_REGIONS = MAX_PARTS
"""Regions of a group."""
LARGEST_ENTRY = (1 << 15) - 1
"""Largest entry of a table."""


@dataclass(frozen=True, init=False)
class RegionSet:
    """Regions of any size: 1 to 12 squares without kings on the board, 1 to 8 with; at most 160 of each group.

    Squares are 0 to 31, in the frame of the side to move; their order does not matter. A group may be empty: then
    material alone counts there. Raises InvalidSettingError for other values, and for more than 32 tables of the core
    hold.
    """

    men: tuple[Region, ...]
    """Regions used without a king on the board, each with ascending squares."""
    kings: tuple[Region, ...]
    """Regions used with a king on the board."""
    name: str

    def __init__(
        self, men: Iterable[Iterable[int]] = (), kings: Iterable[Iterable[int]] = (), name: str = "own"
    ) -> None:
        check_name("regions", name)
        object.__setattr__(self, "name", name)
        for group, regions in (("men", men), ("kings", kings)):
            sizes = range(1, _GROUPS[group][0] + 1)
            parsed = parse_regions(f"regions {name}: {group}", regions, sizes, 0, range(MOST_OWN_REGIONS + 1))
            object.__setattr__(self, group, parsed)
        if not self.men and not self.kings:
            raise InvalidSettingError(f"regions {name}: none at all; expected lists of squares for men or kings")
        _ = self.layout  # which raises if there are too many

    @classmethod
    def read(cls, path: Path | str) -> RegionSet:
        """The regions of a JSON file, named as the file if it has no name. Raises InvalidSettingError, naming it."""
        try:
            fields = storage.parse_json(file_text(storage.read_regular(path, MAX_FILE)))
        except FileNotFoundError as error:
            raise InvalidSettingError(storage.no_file(path, "a JSON file of regions")) from error
        except OSError as error:
            raise InvalidSettingError(f"{path}: can't be read: {error.strerror}") from error
        except ValueError as error:
            raise InvalidSettingError(f"{path}: not a JSON file of regions: {error}") from error
        if not isinstance(fields, dict) or not set(fields) <= {"name", *_GROUPS}:
            raise InvalidSettingError(f"{path}: expected one JSON object with name, men and kings")
        men, kings = (
            parse_regions(f"{path}: {group}", fields.get(group, []), range(1, size + 1), 1, range(MOST_OWN_REGIONS + 1))
            for group, (size, _) in _GROUPS.items()
        )
        name = fields.get("name", Path(path).stem)
        check_name(f"{path}: regions", name)
        return cls(men, kings, name)

    def as_dict(self) -> dict[str, Any]:
        """Name and regions as plain lists; squares 0 to 31."""
        return {"name": self.name, "men": [list(r) for r in self.men], "kings": [list(r) for r in self.kings]}

    def text(self) -> str:
        """The content of a file of regions, a region in a line."""
        lists = [
            f'"{group}": [\n ' + ",\n ".join(str([square + 1 for square in r]) for r in getattr(self, group)) + "\n]"
            for group in _GROUPS
        ]
        return f'{{"name": {json.dumps(self.name, ensure_ascii=False)},\n' + ",\n".join(lists) + "}\n"

    def write(self, path: Path | str) -> None:
        """Write a file of regions at once or not at all. Raises OSError."""
        storage.write_atomic(Path(path), self.text())

    @cached_property
    def layout(self) -> Layout:
        """The regions of the core that hold these."""
        men, kings = (_hosts(f"regions {self.name}: {group}", getattr(self, group), group) for group in _GROUPS)
        return Layout(men, kings, self.name)

    def windows(self, kings: bool, shapes: Iterable[tuple[int, int]] = ()) -> Windows:
        """The regions of a group as the core and a fit have them; shapes: of further parts within regions.

        Raises InvalidSettingError for more parts than tables can have.
        """
        own: tuple[Region, ...] = self.kings if kings else self.men
        hosts, base = self.layout.group(kings)
        parts = tuple(
            Part(region, next(i for i, host in enumerate(hosts) if set(region) < set(host)))
            for region in own
            if region not in hosts
        )
        shells = frozenset(i for i, host in enumerate(hosts) if host not in own)
        windows = Windows(hosts, base, parts, shells).with_shapes(shapes)
        if len(windows.parts) > MAX_PARTS:
            more = counted(len(windows.parts), "part")
            raise InvalidSettingError(
                f"regions {self.name}: with the smaller windows in them they are {more}; at most {MAX_PARTS}: "
                "fit with --no-parts"
            )
        return windows

    @property
    def warning(self) -> str:
        """Warning about squares that no region of a group has, or ""."""
        return squares_left_out(f"regions {self.name}", self.men, self.kings)


def _hosts(where: str, regions: Sequence[Region], group: str) -> list[Region]:
    """Regions of the full size such that each given one is one of them or lies in one."""
    size, _ = _GROUPS[group]
    hosts: list[set[int]] = []
    for region in sorted(map(set, regions), key=len, reverse=True):
        room = [host for host in hosts if len(host | region) <= size]
        if room:
            # where it needs the fewest squares more
            min(room, key=lambda host: len(host | region)).update(region)
        else:
            hosts.append(set(region))
    if len(hosts) > MAX_REGIONS:
        raise InvalidSettingError(
            f"{where}: {counted(len(regions), 'region')} need {len(hosts)} tables of {size} squares each; "
            f"at most {MAX_REGIONS}"
        )
    hosts = hosts or [set()]
    for host in hosts:
        host.update([square for square in range(SQUARES) if square not in host][: size - len(host)])
    return [tuple(sorted(host)) for host in hosts]


@dataclass(frozen=True, eq=False)
class GroupTables:
    """The tables of a group as the core has them, in units of 1/16 centi-man."""

    table: NDArray[np.int16]
    """(tables, entries, 2)."""
    windows: Windows
    parts: NDArray[np.int16]
    """(rows, 2): weights of the parts, which the tables contain."""
    material: NDArray[np.int32]
    """(3, 2): a man, a king, having the move."""


def built_tables(
    name: str, given: Mapping[str, object], material: object, kings_material: object
) -> tuple[RegionSet, dict[str, GroupTables]]:
    """Regions and the tables of both groups, from what `Weights.from_tables` takes. Raises InvalidSettingError."""
    regions, tables = _parsed(name, given)
    weights = {"men": material, "kings": material if kings_material is None else kings_material}
    return regions, {group: _built(regions, group, tables[group], weights[group]) for group in _GROUPS}


def _built(regions: RegionSet, group: str, tables: Mapping[Region, NDArray[np.int16]], material: object) -> GroupTables:
    import numpy as np

    windows = regions.windows(group == "kings")
    values = [tables[part.squares] for part in windows.parts]
    parts = np.concatenate([np.zeros((0, PHASES), dtype=np.int16), *values])
    whole = windows.unfolded(parts.astype(np.int32))
    for number, region in enumerate(windows.regions):
        if number not in windows.shells:
            whole[number] += tables[region]
    if np.abs(whole).max() > LARGEST_ENTRY:
        raise InvalidSettingError(
            f"{group}: regions in one table of the core add up to more than {LARGEST_ENTRY // TABLE_UNITS:,} centi-men"
        )
    material_units = _material(f"material of {group}", material)
    return GroupTables(whole.astype(np.int16), windows, parts, material_units)


def _material(where: str, given: object) -> NDArray[np.int32]:
    """Weights of material in units, (3, 2)."""
    import numpy as np

    rows = [centimen(where, row) for row in listed_values(given) or ()]
    if len(rows) != len(MATERIAL_ROWS) or not all(row.shape in ((), (PHASES,)) for row in rows):
        expected = "a man, a king and having the move, each a number, or opening and ending"
        raise InvalidSettingError(f"{where}: {brief(given)}; expected {expected}")
    whole = np.stack([np.broadcast_to(row, (PHASES,)) for row in rows])
    return units(where, whole, int(MATERIAL_RANGE.high or 0)).astype(np.int32)


def _parsed(name: str, given: Mapping[str, object]) -> tuple[RegionSet, dict[str, dict[Region, NDArray[np.int16]]]]:
    """Regions, and the table of each in units of 1/16 centi-man, (entries, 2), by group and squares.

    given: for men and kings the pairs of squares and table in centi-men, or a mapping. Raises InvalidSettingError.
    """
    pairs = {group: _pairs(group, each) for group, each in given.items()}
    men, kings = ([squares for squares, _ in pairs[group]] for group in _GROUPS)
    regions = RegionSet(men, kings, name)
    tables: dict[str, dict[Region, NDArray[np.int16]]] = {}
    for group, (_, base) in _GROUPS.items():
        tables[group] = {
            region: _table(f"{group}, region {number}", tuple(squares), table, base)
            for number, (region, (squares, table)) in enumerate(
                zip(getattr(regions, group), pairs[group], strict=True), 1
            )
        }
    return regions, tables


def _pairs(group: str, given: object) -> list[tuple[Any, Any]]:
    listed: Any = given.items() if isinstance(given, Mapping) else given
    try:
        return [(list(squares), table) for squares, table in listed]
    except (TypeError, ValueError):
        raise InvalidSettingError(
            f"{group}: {brief(given)}; expected pairs of a list of squares and its table"
        ) from None


def _table(where: str, squares: Sequence[Any], given: object, base: int) -> NDArray[np.int16]:
    """A table in units, its index by ascending squares; in `given` the first square listed has the lowest digit."""
    import numpy as np

    count, entries = len(squares), base ** len(squares)
    table = centimen(where, given)
    if table.shape not in ((entries,), (entries, PHASES)):
        raise InvalidSettingError(
            f"{where}: its table has the shape {table.shape}; for {counted(count, 'square')} expected ({entries},), or "
            f"({entries}, 2) for opening and ending"
        )
    table = np.broadcast_to(table.reshape(entries, -1), (entries, PHASES))
    # the axis of the first square is the last
    order = [count - 1 - place for place in np.argsort(squares)[::-1]]
    table = table.reshape([base] * count + [PHASES]).transpose([*order, count]).reshape(entries, PHASES)
    return units(where, table, LARGEST_ENTRY).astype(np.int16)


def centimen(where: str, given: object) -> NDArray[np.float64]:
    """Numbers as an array. Raises InvalidSettingError for anything else, and for those that are not finite."""
    import numpy as np

    try:
        # no copy of a large array of numbers, and no text that numpy would take for numbers
        array = np.asarray(given)
        numbers = array.astype(np.float64) if array.dtype.kind in "iuf" else None
    except (TypeError, ValueError):
        numbers = None
    if numbers is None:
        raise InvalidSettingError(f"{where}: {brief(given)} is not an array of numbers")
    if not np.isfinite(numbers).all():
        raise InvalidSettingError(f"{where}: numbers that are not finite; expected centi-men")
    return numbers


def units(where: str, numbers: NDArray[np.float64], most: int) -> NDArray[np.int64]:
    """Centi-men in units of 1/16. most: units, beyond which InvalidSettingError is raised."""
    import numpy as np

    rounded = np.rint(numbers * TABLE_UNITS)
    if (np.abs(rounded) > most).any():
        largest = float(np.abs(numbers).max())
        raise InvalidSettingError(f"{where}: {largest:g} centi-men; at most {most // TABLE_UNITS:,}")
    return rounded.astype(np.int64)
