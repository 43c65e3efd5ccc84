"""Parts: small windows inside the regions, whose weights every table entry that shows them shares.

Most entries of a region are rare or never seen in training, but the smaller windows in it are seen often. A fit
therefore gives weights to those too: an entry's weight is its own plus those of its parts, so that a rare entry falls
back on the weights of its pieces. Afterwards the parts are added into the tables, and the engine never sees them. A
weights file keeps the parts, and the tables without them, which are zero for entries that were never seen.

Each part has one home, a region or a larger part that holds its squares. Windows are numbered, regions first, then
parts from large to small, so that adding every part into its home from the last to the first fills the tables.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from kr.errors import InvalidSettingError
from kr.evaluation.patterns import BOARD_COLUMNS, BOARD_ROWS, Region, parse_region, windows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MEN_SHAPES = ((4, 2), (2, 4), (3, 2), (2, 3), (2, 2), (1, 1))
KINGS_SHAPES = ((3, 2), (2, 3), (2, 2), (2, 1), (1, 2), (1, 1))
"""Rows and columns of the parts, without and with kings on the board."""
MAX_PARTS = 160
"""Limit for a group; the largest layout has 137."""


@dataclass(frozen=True)
class Part:
    """A small window."""

    squares: Region
    home: int
    """Number of the window that it is added into."""


@dataclass(frozen=True)
class Windows:
    """The regions of one group with their parts.

    Raises InvalidSettingError unless every part is listed once and lies in its home, which comes before it.
    """

    regions: tuple[Region, ...]
    base: int
    """Digits of a square: 3 without kings, 5 with kings."""
    parts: tuple[Part, ...] = ()
    shells: frozenset[int] = field(default=frozenset(), compare=False)
    """Numbers of the regions without weights of their own, which only hold parts (`kr.evaluation.own_regions`)."""

    @classmethod
    def described(cls, regions: tuple[Region, ...], base: int, entries: object) -> Windows:
        """Regions with the parts that JSON describes as `[squares, home]`. Raises InvalidSettingError."""
        if not isinstance(entries, list) or len(entries) > MAX_PARTS:
            raise InvalidSettingError(f"expected a list of at most {MAX_PARTS} parts")
        if not all(isinstance(each, list) and len(each) == 2 and type(each[1]) is int for each in entries):
            raise InvalidSettingError("a part is not a pair of squares and home")
        return cls(regions, base, tuple(Part(parse_region(squares), home) for squares, home in entries))

    def with_shapes(self, shapes: Iterable[tuple[int, int]]) -> Windows:
        """These with more parts: all windows of the shapes (rows, columns), large to small, that lie in one of them.

        A window that lies in a shell alone is not among them.
        """
        parts = list(self.parts)
        there = {*self.regions, *(part.squares for part in parts)}
        for rows, columns in shapes:
            for squares in windows(rows, columns, range(BOARD_ROWS - rows + 1), range(BOARD_COLUMNS - columns + 1)):
                all_regions: Sequence[Region] = (*self.regions, *(part.squares for part in parts))
                homes = [i for i, home in enumerate(all_regions) if i not in self.shells and set(squares) < set(home)]
                if homes and squares not in there:
                    # the smallest, so that the tables of the regions are gone through as seldom as possible
                    parts.append(Part(squares, min(homes, key=lambda i: (len(all_regions[i]), i))))
        return replace(self, parts=tuple(parts))

    def __post_init__(self) -> None:
        if len({part.squares for part in self.parts}) < len(self.parts):
            raise InvalidSettingError("a part is listed twice")
        for number, part in enumerate(self.parts, len(self.regions)):
            if not part.squares or list(part.squares) != sorted(set(part.squares)):
                raise InvalidSettingError(f"the part {part.squares} is not a list of ascending squares")
            if not 0 <= part.home < number or not set(part.squares) < set(self.squares(part.home)):
                raise InvalidSettingError(f"the part {part.squares} does not lie in window {part.home}")

    @property
    def starts(self) -> tuple[int, ...]:
        """The first row of each part among the weights of all parts, and their number."""
        starts = [0]
        for part in self.parts:
            starts.append(starts[-1] + self.base ** len(part.squares))
        return tuple(starts)

    @property
    def table_size(self) -> int:
        """Entries of a region."""
        return int(self.base ** len(self.regions[0]))

    def squares(self, window: int) -> Region:
        """The squares of a region or part by its number."""
        regions = len(self.regions)
        return self.regions[window] if window < regions else self.parts[window - regions].squares

    def indices(self, part: Part, home_indices: NDArray[Any]) -> NDArray[np.int64]:
        """The entries of a part that entries of its home show."""
        import numpy as np

        home, at = home_indices.astype(np.int64), self.squares(part.home).index
        digits = (home // self.base ** at(s) % self.base * self.base**i for i, s in enumerate(part.squares))
        return np.asarray(sum(digits), dtype=np.int64)

    def totals(self, weights: NDArray[Any]) -> list[NDArray[Any]]:
        """Weights of each part with those of the parts in it: (rows, phases) -> (entries, phases) each."""
        starts = self.starts
        totals = [weights[a:b].copy() for a, b in itertools.pairwise(starts)]
        for i in reversed(range(len(self.parts))):
            home = self.parts[i].home - len(self.regions)
            if home >= 0:
                self._add(totals[home], self.parts[i], totals[i])
        return totals

    def unfolded(self, weights: NDArray[Any]) -> NDArray[Any]:
        """Contribution of the parts to every entry of every region: (rows, phases) -> (regions, entries, phases)."""
        import numpy as np

        tables = np.zeros((len(self.regions), self.table_size, weights.shape[1]), dtype=weights.dtype)
        for part, total in zip(self.parts, self.totals(weights), strict=True):
            if part.home < len(self.regions):
                self._add(tables[part.home], part, total)
        return tables

    def gathered(self, from_region: Callable[[int, Part], NDArray[Any]]) -> list[NDArray[Any]]:
        """The reverse: for each part the sums over the entries that show each of its own, (entries, phases) each.

        from_region(i, part) gives those of part i, whose home is a region.
        """
        sums: list[NDArray[Any]] = []
        for i, part in enumerate(self.parts):
            home = part.home - len(self.regions)
            sums.append(from_region(i, part) if home < 0 else self._sums(part, sums[home]))
        return sums

    def _digits(self, part: Part) -> tuple[list[int], list[int]]:
        """Shapes of the tables of a part's home and, to go with it, of the part, an axis for each square.

        The first square's digit is the lowest, so that its axis is the last.
        """
        squares = tuple(reversed(self.squares(part.home)))
        return [self.base] * len(squares), [self.base if s in part.squares else 1 for s in squares]

    def _add(self, home_table: NDArray[Any], part: Part, table: NDArray[Any]) -> None:
        """Add a part's table into that of its home."""
        whole, shown = self._digits(part)
        home_table.reshape([*whole, table.shape[1]])[...] += table.reshape([*shown, table.shape[1]])

    def _sums(self, part: Part, home_table: NDArray[Any]) -> NDArray[Any]:
        """Sum up the table of a part's home over the squares outside the part."""
        whole, shown = self._digits(part)
        unseen = tuple(axis for axis, digits in enumerate(shown) if digits == 1)
        return home_table.reshape([*whole, home_table.shape[1]]).sum(axis=unseen).reshape(-1, home_table.shape[1])


def with_parts(regions: tuple[Region, ...], base: int, shapes: Iterable[tuple[int, int]]) -> Windows:
    """The regions with all windows of the shapes (rows, columns), large to small, that lie in one of them."""
    return Windows(regions, base).with_shapes(shapes)
