"""Layouts: the regions of a set of tables. Some are built in, others come from layout files.

A layout file is TOML. Squares have their numbers on the board, 1 to 32, seen from the side to move, which moves up the
numbers as Black does:

    name = "mine"
    men = [                    # without a king on the board: regions of 12 squares
        [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15],
        ...
    ]
    kings = [                  # with a king on the board: regions of 8 squares
        [1, 2, 5, 6, 9, 10, 13, 14],
        ...
    ]

`weights/example-layout.toml` is a whole one, and `kr weights layout` writes any layout as such a file.
"""

from __future__ import annotations

import json
import operator
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, SupportsIndex

from kr import storage
from kr.errors import InvalidSettingError
from kr.evaluation.files import WeightsFile
from kr.evaluation.patterns import (
    KINGS_BASE,
    KINGS_REGION_SQUARES,
    MAX_REGIONS,
    MEN_BASE,
    MEN_REGION_SQUARES,
    Region,
    windows,
)
from kr.notation import SQUARES
from kr.text import brief, file_text
from kr.units import counted

MAX_NAME = 100
"""Characters in the name of a layout."""
MAX_FILE = 1 << 20
"""Bytes of a layout file."""
_SIZES = {"men": MEN_REGION_SQUARES, "kings": KINGS_REGION_SQUARES}


@dataclass(frozen=True, init=False)
class Layout:
    """The regions of a set of tables: any 12 squares each without kings on the board, any 8 each with kings.

    Each group has 1 to 32 regions. Squares are 0 to 31, in the frame of the side to move (`kr.evaluation.patterns`);
    their order does not matter. Raises InvalidSettingError for other values.
    """

    men: tuple[Region, ...]
    """Regions of 12 ascending squares, used without a king on the board."""
    kings: tuple[Region, ...]
    """Regions of 8 ascending squares, used with a king on the board."""
    name: str

    def __init__(self, men: Iterable[Iterable[int]], kings: Iterable[Iterable[int]], name: str = "custom") -> None:
        check_name("layout", name)
        object.__setattr__(self, "name", name)
        for group, regions in (("men", men), ("kings", kings)):
            parsed = parse_regions(
                f"layout {name}: {group}", regions, exactly(_SIZES[group]), 0, range(1, MAX_REGIONS + 1)
            )
            object.__setattr__(self, group, parsed)

    @classmethod
    def parse(cls, text: str) -> Layout:
        """The layout that a text names: a built-in one, or a layout file. Raises InvalidSettingError."""
        if text in LAYOUTS:
            return LAYOUTS[text]
        if not Path(text).exists():
            raise InvalidSettingError(storage.no_file(text, f"a layout file or one of {', '.join(LAYOUTS)}"))
        return cls.read(text)

    @classmethod
    def read(cls, path: Path | str) -> Layout:
        """The layout in a file, named as the file if it has no name. Raises InvalidSettingError, naming the file."""
        try:
            fields = tomllib.loads(file_text(storage.read_regular(path, MAX_FILE)))
        except OSError as error:
            raise InvalidSettingError(f"{path}: can't be read: {error.strerror}") from error
        except (ValueError, RecursionError) as error:
            raise InvalidSettingError(f"{path}: not a layout file: {error}") from error
        if unknown := set(fields) - {"name", *_SIZES}:
            raise InvalidSettingError(f"{path}: unknown key {min(unknown)!r}; expected name, men and kings")
        if missing := [group for group in _SIZES if group not in fields]:
            raise InvalidSettingError(f"{path}: {missing[0]} is missing; expected name, men and kings")
        counts = range(1, MAX_REGIONS + 1)
        men, kings = (
            parse_regions(f"{path}: {group}", fields[group], exactly(size), 1, counts) for group, size in _SIZES.items()
        )
        return cls(men, kings, fields.get("name", Path(path).stem))

    @classmethod
    def from_dict(cls, fields: object) -> Layout:
        """The layout that `as_dict` described. Raises InvalidSettingError."""
        names = ("men", "kings", "name")
        if not isinstance(fields, dict) or not set(names) <= set(fields):
            raise InvalidSettingError(f"not a layout; expected {', '.join(names)}")
        men, kings, name = (fields[each] for each in names)
        return cls(men, kings, name)

    def group(self, kings: bool) -> tuple[tuple[Region, ...], int]:
        """The regions with or without a king on the board, and the digits of a square in their indices."""
        return (self.kings, KINGS_BASE) if kings else (self.men, MEN_BASE)

    def as_dict(self) -> dict[str, Any]:
        """Name and regions as plain lists, for JSON; squares 0 to 31."""
        return {"name": self.name, "men": [list(r) for r in self.men], "kings": [list(r) for r in self.kings]}

    def text(self) -> str:
        """Layout as JSON, as weights files have it."""
        return json.dumps(self.as_dict(), separators=(",", ":"))

    def toml(self) -> str:
        """The text of a layout file."""
        lines = [f"name = {json.dumps(self.name, ensure_ascii=False)}"]
        for group, regions in (("men", self.men), ("kings", self.kings)):
            rows = (f"    [{', '.join(str(square + 1) for square in region)}]," for region in regions)
            lines += [f"{group} = [", *rows, "]"]
        return "\n".join(lines) + "\n"

    def write(self, path: Path | str) -> None:
        """Write a layout file at once or not at all. Raises OSError."""
        storage.write_atomic(Path(path), self.toml())

    @property
    def warning(self) -> str:
        """Warning about squares that no region of a group has, or ""."""
        return squares_left_out(f"layout {self.name}", self.men, self.kings)


def squares_left_out(where: str, men: Iterable[Region], kings: Iterable[Region]) -> str:
    """Warning about squares that no region of a group has, or "". where: what has these regions."""
    gaps = []
    for group, regions in (("men", men), ("kings", kings)):
        if missing := set(range(SQUARES)) - set(chain.from_iterable(regions)):
            squares = ", ".join(str(square + 1) for square in sorted(missing))
            gaps.append(f"no region of {group} has the {'squares' if len(missing) > 1 else 'square'} {squares}")
    return f"{where}: {' and '.join(gaps)}; pieces there count as material only" if gaps else ""


def read_layout(file: WeightsFile) -> Layout:
    """Take the layout out of the attributes of an open file. Raises InvalidWeightsError."""
    text = file.text("layout")
    try:
        return Layout.from_dict(storage.parse_json(text))
    except ValueError as error:
        raise file.damaged(f"invalid layout: {error}") from error


def check_name(what: str, name: object) -> None:
    """Raise InvalidSettingError unless this can be the name of regions."""
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or not name.isprintable():
        raise InvalidSettingError(f"{what}: its name is {brief(name)}; expected 1 to {MAX_NAME} printable characters")


def exactly(number: int) -> range:
    """The range of one number."""
    return range(number, number + 1)


def parse_regions(where: str, value: object, sizes: range, first: int, counts: range) -> tuple[Region, ...]:
    """The regions of a group as ascending squares 0-31, in their order.

    sizes: squares of a region; first: the number of the first square in `value`; counts: numbers of regions. Raises
    InvalidSettingError.
    """
    expected = f"{_span(sizes)} squares"
    listed = listed_values(value)
    if listed is None:
        raise InvalidSettingError(f"{where} is {brief(value)}; expected lists of {expected}")
    if len(listed) not in counts:
        have = counted(len(listed), "region")
        raise InvalidSettingError(f"{where} has {have}; from {counts.start} to {counts.stop - 1}")
    numbers: dict[Region, int] = {}
    for number, region in enumerate(listed, 1):
        squares = parse_squares(f"{where}, region {number}", region, sizes, first)
        if squares in numbers:
            raise InvalidSettingError(f"{where}, region {number}: the same squares as region {numbers[squares]}")
        numbers[squares] = number
    return tuple(numbers)


def listed_values(value: object) -> list[Any] | None:
    """What a list, an array or the like holds; None for anything else, texts and mappings among it."""
    if isinstance(value, str | bytes | Mapping):
        return None
    try:
        return list(value)  # type: ignore[call-overload]
    except TypeError:
        return None


def parse_squares(where: str, value: object, sizes: range, first: int) -> Region:
    """The squares of a region as ascending squares 0-31, as for `parse_regions`. Raises InvalidSettingError."""
    expected = _span(sizes)
    try:
        squares = [_number(each) for each in islice(value, SQUARES + 1)]  # type: ignore[call-overload]
    except TypeError:
        raise InvalidSettingError(f"{where} is {brief(value)}; expected a list of {expected} squares") from None
    for place, square in enumerate(squares):
        if not first <= square < first + SQUARES:
            last = first + SQUARES - 1
            raise InvalidSettingError(f"{where}: no square {square!s:.20}; squares are {first} to {last}")
        if square in squares[:place]:
            raise InvalidSettingError(f"{where}: the square {square} is listed twice")
    if len(squares) not in sizes:
        raise InvalidSettingError(f"{where} has {counted(len(squares), 'square')}; expected {expected}")
    return tuple(sorted(square - first for square in squares))


def _span(numbers: range) -> str:
    return str(numbers.start) if len(numbers) == 1 else f"{numbers.start} to {numbers.stop - 1}"


def _number(square: SupportsIndex) -> int:
    """An integer, numpy's too. Raises TypeError for other values, True and False among them."""
    if isinstance(square, bool):
        raise TypeError
    return operator.index(square)


_MEN_4X3 = windows(4, 3, (0, 2, 4), (0, 1))
_MEN_6X2 = windows(6, 2, (0, 2), (0, 1, 2))
_MEN_4X3_ALL = windows(4, 3, range(5), (0, 1))
_MEN_6X2_ALL = windows(6, 2, range(3), (0, 1, 2))
_MEN_3X4 = windows(3, 4, range(6), (0,))
_KINGS_4X2 = windows(4, 2, (0, 2, 4), (0, 1, 2))
_KINGS_4X2_ALL = windows(4, 2, range(5), (0, 1, 2))
_KINGS_2X4 = windows(2, 4, range(7), (0,))
_KINGS_8X1 = windows(8, 1, (0,), range(4))

LAYOUTS: dict[str, Layout] = {
    layout.name: layout
    for layout in (
        Layout(_MEN_4X3, _KINGS_4X2, "small"),
        Layout(_MEN_6X2_ALL, _KINGS_4X2_ALL, "tall"),
        Layout(_MEN_4X3 + _MEN_3X4, _KINGS_4X2 + _KINGS_2X4, "broad"),
        Layout(_MEN_4X3 + _MEN_6X2, _KINGS_4X2 + _KINGS_2X4, "base"),
        Layout(_MEN_4X3_ALL + _MEN_6X2, _KINGS_4X2_ALL + _KINGS_2X4, "wide"),
        Layout(_MEN_4X3_ALL + _MEN_6X2_ALL + _MEN_3X4, _KINGS_4X2_ALL + _KINGS_2X4 + _KINGS_8X1, "full"),
    )
}
"""The built-in layouts. Numbers of regions, men / kings: small 6 / 9, tall 9 / 15, broad 12 / 16, base 12 / 16,
wide 16 / 22, full 25 / 26."""
DEFAULT_LAYOUT = LAYOUTS["full"]
