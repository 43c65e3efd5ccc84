"""Values and distances of arrays of boards: those of single positions, whatever the form of the array."""

import random
import shutil
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kr import storage
from kr.egdb import database, slices
from kr.egdb.build import BuildSettings, build_database
from kr.egdb.database import UNKNOWN_VALUE, VALUES, Database
from kr.egdb.sample import random_positions
from kr.errors import InvalidDatabaseError, InvalidSettingError
from kr.game.position import Position

pytestmark = pytest.mark.core


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("egdb")
    build_database(BuildSettings(pieces=3, distances=2, dir=directory))
    return directory


@pytest.fixture(scope="module")
def positions() -> list[Position]:
    """Positions with 2 to 4 pieces, either side to move, and the start."""
    shapes = [shape for count in (2, 3, 4) for shape in slices.shapes(count)]
    source = random.Random(7)
    few = [position for count in (2, 3) for position in islice(random_positions(slices.shapes(count), source), 400)]
    return [*few, *islice(random_positions(shapes, source), 100), Position()]


def rows(positions: list[Position]) -> NDArray[np.uint32]:
    return np.array([position.bits for position in positions], dtype=np.uint32)


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_arrays_say_what_single_positions_say(
    built: Path, positions: list[Position], monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    monkeypatch.setattr(database, "ROWS_AT_ONCE", 100)
    # from the files many are looked up in another order
    opened = Database.open(built, unpack_bytes=0 if workers else 1 << 20)
    values = opened.values(rows(positions), workers=workers)
    distances = opened.distances(rows(positions), workers=workers)
    assert (values.dtype, distances.dtype) == (np.uint8, np.int16)
    single = [opened.value(position) for position in positions]
    assert [None if value == UNKNOWN_VALUE else VALUES[value] for value in values] == single
    plies = [opened.distance(position) for position in positions]
    assert [None if plies < 0 else plies for plies in distances.tolist()] == plies
    assert None in single
    assert len(set(single)) == 4
    assert len({each for each in plies if each is not None}) > 10


@pytest.mark.parametrize("dtype", [np.uint32, np.int64, np.uint64, object], ids=str)
def test_forms_of_arrays(built: Path, positions: list[Position], dtype: Any) -> None:
    opened = Database.open(built)
    expected = opened.values(rows(positions))
    given: Any = rows(positions).tolist() if dtype is object else rows(positions).astype(dtype)
    assert (opened.values(given) == expected).all()
    # with Black to move, the fourth column may be left out; a column apart is not contiguous
    flipped = [position if position.side == 0 else position.flipped() for position in positions]
    assert (opened.values(rows(flipped)[:, :3]) == expected).all()
    assert (opened.values(np.asfortranarray(rows(flipped)[:, :3])) == expected).all()


def test_arrays_without_rows(built: Path) -> None:
    opened = Database.open(built)
    assert opened.values(np.empty((0, 3), dtype=np.uint32)).shape == (0,)
    assert opened.distances(np.empty((0, 4), dtype=np.uint32)).shape == (0,)


def test_sides_without_pieces_have_lost(built: Path) -> None:
    opened = Database.open(built)
    assert opened.values(np.array([[1, 0, 0, 0], [1, 0, 0, 1], [0, 1 << 31, 0, 0]])).tolist() == [2, 0, 0]


GOOD = [1, 1 << 31, 0, 0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([[1, 2]], r"int64 \(1, 2\); expected whole numbers of shape \(n, 3\)"),
        ([1, 2, 0], r"int64 \(3,\); expected"),
        (np.zeros((1, 3)), "float64"),
        (np.zeros((1, 3), dtype=bool), "bool"),
        (np.zeros((1, 3, 1), dtype=int), r"int64 \(1, 3, 1\); expected"),
        ([GOOD, [3, 2, 0, 0]], "row 1, .3, 2, 0, 0., is not a position: square 2 holds both"),
        ([GOOD, GOOD, [1, 2, 4, 0]], "row 2, .1, 2, 4, 0., is not a position: square 3 is marked as a king"),
        ([GOOD, [1 << 31, 1, 0, 0]], "row 1, .* is not a position: a Black man stands on its king row"),
        ([[0x1FFF, 1 << 31, 0, 0]], "row 0, .* is not a position: Black has 13 pieces"),
        ([GOOD, [1, 1 << 31, 0, 2]], "row 1, .* is not a position: the side to move is 2"),
        ([GOOD, [-1, 1 << 31, 0, 1]], "row 1, .* is not a position: its numbers are not bitboards of 32 bits"),
        ([GOOD, [1 << 32, 1 << 31, 0, 1]], "row 1, .* is not a position: its numbers are not bitboards of 32 bits"),
    ],
)
def test_what_is_no_array_of_boards(built: Path, given: Any, said: str) -> None:
    opened = Database.open(built)
    for look_up in (opened.values, opened.distances):
        with pytest.raises(InvalidSettingError, match=f"^boards: {said}") as caught:
            look_up(given)
        assert "\n" not in str(caught.value)


def test_threads_are_checked(built: Path) -> None:
    with pytest.raises(InvalidSettingError, match="workers: -1"):
        Database.open(built).values(np.array([GOOD]), workers=-1)


def test_damage_is_told(built: Path, positions: list[Position], tmp_path: Path) -> None:
    copy = shutil.copytree(built, tmp_path / "egdb")
    for name in ("wld-0201.egdb", "wld-1101.egdb"):
        content = bytearray((copy / name).read_bytes())
        content[-1] ^= 1
        (copy / name).write_bytes(content)
    with pytest.raises(InvalidDatabaseError, match=r"wld-\d\d01"):
        Database.open(copy, unpack_bytes=0).values(rows(positions))


def test_shipped_distances_come_as_an_array() -> None:
    opened = Database.open(storage.data_path("egdb"))
    board = Position.from_fen("B:WK1,K5:BK32,K28")
    assert opened.distances([board.bits]).tolist() == [opened.distance(board) or -1]
