"""Indices of endgame positions: a bijection, the same for both colours, as documented, of the known sizes."""

from collections.abc import Iterable
from functools import cache
from itertools import accumulate, combinations
from math import comb

import egdb_reference
import pytest
from egdb_reference import Shape
from hypothesis import given
from hypothesis import strategies as st

from kr import _egdb
from kr.egdb.stats import TABLE_I
from kr.game.position import Position, Side

pytestmark = pytest.mark.core

# Positions with pieces on both sides.
TOTALS = {2: 3_488, 3: 196_032, 4: 6_209_316, 5: 139_450_808, 6: 2_426_085_676, 7: 34_243_113_624}
SHAPES = [shape for pieces in range(2, 9) for shape in egdb_reference.shapes(pieces)]
FULL_BOARD = (1 << 32) - 1


def placements(own_men: int, own_kings: int, men: int, kings: int) -> int:
    """Number of placements of pieces, summed over the men on the four squares that only own men may use."""
    arrangements = sum(
        comb(4, at_home) * comb(24, own_men - at_home) * comb(4, far) * comb(24 - (own_men - at_home), men - far)
        for at_home in range(own_men + 1)
        for far in range(men + 1)
    )
    free = 32 - own_men - men
    return arrangements * comb(free, own_kings) * comb(free - own_kings, kings)


@cache
def men_before(own_men: int, men: int) -> dict[int, int]:
    """For each set of own men, the number of arrangements with an earlier set."""
    sets = sorted(combinations(range(28), own_men), key=lambda some: some[::-1])
    # the opponent's men stand off their last row, the lowest four squares, and off own men
    counts = [comb(28 - sum(square >= 4 for square in some), men) for some in sets]
    return {bits(some): before for some, before in zip(sets, accumulate(counts, initial=0), strict=False)}


def bits(squares: Iterable[int]) -> int:
    return sum(1 << square for square in squares)


def rank(pieces: int, allowed: int) -> int:
    """Rank of a set of squares in colexicographic order, counted among the allowed squares."""
    places = [i for i, square in enumerate(s for s in range(32) if allowed >> s & 1) if pieces >> square & 1]
    return sum(comb(place, i + 1) for i, place in enumerate(places))


def number(black: int, white: int, kings: int) -> int:
    """Index of a position with Black to move, by the definition."""
    own_men, own_kings, men, others = black & ~kings, black & kings, white & ~kings, white & kings
    before = men_before(own_men.bit_count(), men.bit_count())[own_men]
    arrangement = before + rank(men, FULL_BOARD & ~15 & ~own_men)
    free = FULL_BOARD & ~own_men & ~men
    sets = comb(free.bit_count(), others.bit_count())
    own_sets = comb(free.bit_count() - others.bit_count(), own_kings.bit_count())
    return (arrangement * sets + rank(others, free)) * own_sets + rank(own_kings, free & ~others)


@st.composite
def numbered(draw: st.DrawFn, own_men: int = 7) -> tuple[Shape, int]:
    """A slice with at most this many own men and an index in it; the first and last indices are drawn more often."""
    shape = draw(st.sampled_from([shape for shape in SHAPES if shape[0] <= own_men]))
    size = _egdb.egdb_slice_size(*shape)
    return shape, draw(st.integers(0, size - 1) | st.sampled_from([0, size - 1]))


def test_slices_have_the_known_sizes() -> None:
    for pieces, total in TOTALS.items():
        sizes = {shape: _egdb.egdb_slice_size(*shape) for shape in egdb_reference.shapes(pieces)}
        assert sizes == {shape: placements(*shape) for shape in sizes}
        assert sum(sizes.values()) == total, f"{pieces} pieces"


def test_sizes_with_one_sided_positions_are_those_of_table_1() -> None:
    for pieces in range(1, 9):
        both = sum(placements(*shape) for shape in egdb_reference.shapes(pieces))
        one_sided = sum(
            placements(men, pieces - men, 0, 0) + placements(0, 0, men, pieces - men) for men in range(pieces + 1)
        )
        assert both + one_sided == TABLE_I[pieces], f"{pieces} pieces"


def test_a_block_is_one_arrangement_of_men() -> None:
    for shape in SHAPES:
        size, block = _egdb.egdb_slice_size(*shape), _egdb.egdb_slice_block(*shape)
        assert size == placements(shape[0], 0, shape[2], 0) * block, shape
        for first in {0, size // block // 2 * block, size - block}:
            ends = [_egdb.egdb_position(shape, index) for index in (first, first + block - 1)]
            men = [(black & ~kings, white & ~kings) for black, white, kings, _ in ends]
            assert men[0] == men[1], (shape, first)


def test_every_position_of_a_small_slice_has_its_own_number() -> None:
    for shape in (shape for shape in SHAPES if sum(shape) <= 3):
        positions = egdb_reference.positions(shape)
        numbers = [_egdb.egdb_index(*position, 0) for position in positions]
        assert {own for own, _ in numbers} == {shape}
        assert sorted(index for _, index in numbers) == list(range(_egdb.egdb_slice_size(*shape))), shape
        back = [_egdb.egdb_position(shape, index) for _, index in numbers]
        assert back == [(*position, 0) for position in positions], shape


@given(numbered())
def test_numbers_and_positions_go_round(case: tuple[Shape, int]) -> None:
    shape, index = case
    position = Position(*_egdb.egdb_position(shape, index))
    assert position.side == Side.BLACK
    assert _egdb.egdb_index(position.black, position.white, position.kings, Side.BLACK) == (shape, index)


@given(numbered())
def test_a_position_and_its_flipped_twin_have_the_same_number(case: tuple[Shape, int]) -> None:
    shape, index = case
    twin = Position(*_egdb.egdb_position(shape, index)).flipped()
    assert _egdb.egdb_index(twin.black, twin.white, twin.kings, Side.WHITE) == (shape, index)


@pytest.mark.slow
@given(numbered(own_men=4))
def test_numbers_are_those_of_the_definition(case: tuple[Shape, int]) -> None:
    shape, index = case
    black, white, kings, _ = _egdb.egdb_position(shape, index)
    assert number(black, white, kings) == index


@pytest.mark.parametrize(
    "shape",
    [
        (0, 0, 0, 0),
        (1, 0, 0, 0),
        (0, 0, 0, 1),
        (5, 0, 4, 0),
        (0, 8, 0, 1),
        (-1, 2, 1, 0),
        (1, 1, -1, 2),
        (2**31 - 1, 1, 0, 1),
    ],
)
def test_shapes_that_no_slice_has(shape: Shape) -> None:
    for refused in (
        lambda: _egdb.egdb_slice_size(*shape),
        lambda: _egdb.egdb_slice_block(*shape),
        lambda: _egdb.egdb_position(shape, 0),
    ):
        with pytest.raises(ValueError, match="no slice of"):
            refused()


@pytest.mark.parametrize("shape", [(), (1,), (1, 0, 1), (1, 0, 1, 0, 0)])
def test_a_shape_has_four_counts(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="unpack"):
        _egdb.egdb_position(shape, 0)


@pytest.mark.parametrize("shape", [(0, 1, 0, 1), (1, 0, 1, 0), (4, 0, 4, 0)])
def test_numbers_beyond_the_slice(shape: Shape) -> None:
    size = _egdb.egdb_slice_size(*shape)
    for index in (size, size + 1, 2**63):
        with pytest.raises(ValueError, match=f"{size} positions"):
            _egdb.egdb_position(shape, index)
    with pytest.raises(OverflowError):
        _egdb.egdb_position(shape, -1)


@pytest.mark.parametrize(
    "board", [(0, 0, 0, 0), (1, 0, 0, 0), (0, 1 << 9, 0, 1), (0x1F, 0xF0000000, 0, 0), (0xFFF, 0xFFF00000, 0, 1)]
)
def test_positions_in_no_slice(board: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="no slice of"):
        _egdb.egdb_index(*board)
