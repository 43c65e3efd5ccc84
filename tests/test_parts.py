"""Parts: their homes, adding them into the tables, and the reverse."""

import numpy as np
import pytest

from kr.errors import InvalidSettingError
from kr.evaluation.layouts import LAYOUTS
from kr.evaluation.parts import KINGS_SHAPES, MEN_SHAPES, Part, Windows, with_parts
from kr.evaluation.patterns import windows

WIDE = LAYOUTS["wide"]
GROUPS = {
    "men": with_parts(WIDE.men, 3, MEN_SHAPES),
    "kings": with_parts(WIDE.kings, 5, KINGS_SHAPES),
    "one by hand": Windows(((0, 1, 2, 5), (4, 5, 6, 7)), 3, (Part((0, 2, 5), 0), Part((5, 7), 1), Part((2,), 2))),
}


def digit(index: int, squares: tuple[int, ...], square: int, base: int) -> int:
    return index // base ** squares.index(square) % base


@pytest.mark.parametrize("name", GROUPS)
def test_an_entry_is_the_sum_of_its_parts(name: str) -> None:
    group = GROUPS[name]
    rng = np.random.default_rng(1)
    weights = rng.integers(-900, 900, (group.starts[-1], 2)).astype(np.int16)
    tables = group.unfolded(weights)
    assert tables.shape == (len(group.regions), group.table_size, 2)
    assert tables.dtype == np.int16
    home_region = {i: i for i in range(len(group.regions))}
    for number, part in enumerate(group.parts, len(group.regions)):
        home_region[number] = home_region[part.home]
    for index in rng.integers(0, group.table_size, 5).tolist():
        expected = np.zeros((len(group.regions), 2), dtype=int)
        for i, part in enumerate(group.parts):
            region = home_region[len(group.regions) + i]
            digits = [digit(index, group.regions[region], s, group.base) for s in part.squares]
            expected[region] += weights[group.starts[i] + sum(d * group.base**k for k, d in enumerate(digits))]
        assert (tables[:, index] == expected).all()


@pytest.mark.parametrize("name", GROUPS)
def test_gathering_is_the_transpose(name: str) -> None:
    group = GROUPS[name]
    rng = np.random.default_rng(2)
    weights = rng.normal(size=(group.starts[-1], 2))
    # a few entries of every region
    shown = rng.integers(0, group.table_size, (len(group.regions), 6))
    slopes = rng.normal(size=(*shown.shape, 2))

    def from_region(i: int, part: Part) -> np.ndarray:
        out = np.zeros((group.base ** len(part.squares), 2))
        np.add.at(out, group.indices(part, shown[part.home]), slopes[part.home])
        return out

    tables = group.unfolded(weights)
    forward = sum(float((tables[r, entries] * slopes[r]).sum()) for r, entries in enumerate(shown))
    assert forward == pytest.approx(float((np.concatenate(group.gathered(from_region)) * weights).sum()))


def test_every_small_window_of_a_region_is_a_part() -> None:
    men = GROUPS["men"]
    squares = [part.squares for part in men.parts]
    assert len(set(squares)) == len(squares) == 100
    assert sum(len(s) == 1 for s in squares) == 32
    assert set(windows(4, 2, range(5), range(3))) < set(squares)
    # 2 x 4 squares lie in no region of 4 x 3 or 6 x 2
    assert not set(windows(2, 4, range(7), (0,))) & set(squares)
    assert with_parts(WIDE.men, 3, ()).parts == ()


@pytest.mark.parametrize("part", [Part((0, 3), 0), Part((0, 1), 1), Part((0, 1), -1), Part((0, 1, 2, 5), 0)])
def test_a_part_lies_in_a_window_before_it(part: Part) -> None:
    with pytest.raises(InvalidSettingError, match="does not lie in window"):
        Windows(((0, 1, 2, 5),), 3, (part,))
