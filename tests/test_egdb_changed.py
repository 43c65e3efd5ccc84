"""Files of an endgame database that change, shrink or vanish while they are open: no value becomes wrong."""

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from egdb_packs import encode_values
from systems import make_fifo

from kr import _egdb, storage
from kr.egdb import files, slices
from kr.egdb.database import Database
from kr.errors import InvalidDatabaseError
from kr.game.position import Position

pytestmark = pytest.mark.core

SHAPE = (1, 1, 1, 2)
"""Enough positions for a file that is not read at once."""
NAME = files.file_name("wld", slices.pair_of(SHAPE))


def noise(seed: int) -> np.ndarray:
    """Values that hardly compress, at two bits each."""
    values = np.random.default_rng(seed).integers(0, 3, (-(-slices.size(SHAPE) // 32), 32), dtype=np.uint64)
    return np.bitwise_or.reduce(values << np.arange(0, 64, 2, dtype=np.uint64), axis=1)


def values_of(packed: np.ndarray, indices: np.ndarray) -> np.ndarray:
    return (packed[indices // 32] >> (2 * (indices % 32)).astype(np.uint64) & np.uint64(3)).astype(np.int16)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, np.ndarray]:
    """A large file, and the values in it."""
    path = tmp_path_factory.mktemp("large") / NAME
    packed = noise(1)
    storage.write_atomic(path, files.values_file(encode_values({SHAPE: packed}), {}))
    assert path.stat().st_size > _egdb.SMALL_FILE
    return path, packed


@pytest.fixture
def large(written: tuple[Path, np.ndarray], tmp_path: Path) -> Path:
    """A copy to be damaged."""
    return Path(shutil.copy(written[0], tmp_path / NAME))


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def shortened(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def zeroed(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(bytes(path.stat().st_size))


def written_over_by_another(path: Path) -> None:
    """Overwrite a file with other values and their checksums."""
    other = path.with_name("other")
    storage.write_atomic(other, files.values_file(encode_values({SHAPE: noise(2)}), {}))
    with path.open("r+b") as file:
        file.write(other.read_bytes())


def removed(path: Path) -> None:
    path.unlink()


def replaced(path: Path) -> None:
    storage.write_atomic(path, files.values_file(encode_values({SHAPE: noise(2)}), {}))


@pytest.mark.slow
@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(emptied, marks=pytest.mark.soak),
        shortened,
        pytest.param(zeroed, marks=pytest.mark.soak),
        written_over_by_another,
        pytest.param(removed, marks=pytest.mark.soak),
        pytest.param(replaced, marks=pytest.mark.posix("no replacing of open files")),
    ],
)
def test_no_value_becomes_wrong(written: tuple[Path, np.ndarray], large: Path, harm: Callable[[Path], None]) -> None:
    packed = written[1]
    early, late = np.array_split(np.random.default_rng(3).permutation(slices.size(SHAPE))[:4000].astype(np.uint64), 2)
    early = early[early < slices.size(SHAPE) // 8]
    file = files.open_slice(large)
    assert (file.coded.read(early) == values_of(packed, early)).all()
    harm(large)
    assert (file.coded.read(early) == values_of(packed, early)).all()
    found, right = file.coded.read(late), values_of(packed, late)
    told = found != _egdb.VALUE_UNKNOWN
    assert (found[told] == right[told]).all()
    if harm in (removed, replaced):
        assert told.all()
        file.raise_damage()
    else:
        assert not told.all()
        with pytest.raises(InvalidDatabaseError, match=f"{NAME}: .* was changed while it was in use"):
            file.raise_damage()


@pytest.mark.parametrize("harm", [emptied, zeroed, removed])
def test_small_files_are_read_when_they_are_opened(copy: Path, harm: Callable[[Path], None]) -> None:
    database = Database.open(copy, unpack_bytes=0)
    for path in copy.glob("*" + files.SUFFIX):
        harm(path)
    assert database.value(Position.from_fen("B:W30:B25")) == "win"
    assert database.distance(Position.from_fen("B:W30:B25")) == 13
    assert database.value(Position.from_fen("B:WK1:BK32")) == "draw"
    database.raise_damage()


@pytest.mark.slow
@pytest.mark.parametrize("whole", [True, False])
def test_threads_take_up_a_file_together(written: tuple[Path, np.ndarray], large: Path, whole: bool) -> None:
    if not whole:
        shortened(large)
        with pytest.raises(InvalidDatabaseError):
            files.open_slice(large)
        shutil.copy(written[0], large)
    file = files.open_slice(large)
    if not whole:
        shortened(large)
    size = slices.size(SHAPE)
    orders = [np.random.default_rng(seed).integers(0, size, 1500, dtype=np.uint64) for seed in range(4)]
    with ThreadPoolExecutor(len(orders)) as pool:
        for indices, found in zip(orders, pool.map(file.coded.read, orders), strict=True):
            right = values_of(written[1], indices)
            told = found != _egdb.VALUE_UNKNOWN
            assert (found[told] == right[told]).all()
            assert told.all() == whole


@pytest.mark.posix("no /proc")
def test_files_kept_open_are_closed_with_their_database(large: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))
    file = files.open_slice(large)
    assert len(set(os.listdir("/proc/self/fd")) - before) == 1
    del file
    assert set(os.listdir("/proc/self/fd")) <= before


@pytest.mark.parametrize("make", [make_fifo, os.mkdir])
def test_what_is_no_file_is_refused(copy: Path, make: Callable[[Path], None]) -> None:
    path = copy / "wld-0101.egdb"
    path.unlink()
    make(path)
    with pytest.raises(InvalidDatabaseError, match=r"wld-0101\.egdb: can't read .*: not a regular file"):
        Database.open(copy)
