"""The format of docs/reference/egdb-format.md: the reader beside it, written from that text alone, agrees with kr."""

import random
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from egdb_reference import Bits, Shape

from kr import _egdb, storage
from kr.egdb import files, slices
from kr.egdb.database import Database

pytestmark = pytest.mark.core

reader = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "docs" / "reference" / "egdb_reader.py")))
SHIPPED = storage.data_path("egdb")
WHOLE = [
    path
    for path in sorted(SHIPPED.glob("*" + files.SUFFIX))
    if sum(map(int, path.stem[4:])) <= 3 or path.stem in ("wld-1111", "wld-2110", "dtw-2020", "dtw-0202")
]
"""Files that are read completely: those of up to 3 pieces, and a few with 4."""
ENTRIES = 8
"""Entries read one by one from each file."""
POSITIONS = {2: 20, 3: 8, 4: 2, 5: 1}
"""Positions probed in each slice, by number of pieces."""


def randoms(name: str) -> random.Random:
    return random.Random(f"egdb format {name}")


def positions(shape: Shape, count: int) -> list[Bits]:
    numbers = randoms(slices.name(shape)).sample(range(slices.size(shape)), count)
    return [_egdb.egdb_position(shape, number)[:3] for number in numbers]


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_every_entry_is_what_kr_reads(path: Path) -> None:
    plain, opened = reader.EgdbFile(path), files.open_slice(path)
    kind = "dtw" if plain.distances else "wld"
    assert (kind, plain.stored, plain.entries) == (path.stem[:3], opened.header.stored, opened.coded.entries)
    read = opened.coded.read(np.arange(plain.entries, dtype=np.uint64))
    blocks = -(-plain.entries // plain.block_entries)
    np.testing.assert_array_equal([entry for number in range(blocks) for entry in plain.block(number)], read)


@pytest.mark.slow
def test_single_entries_of_all_files() -> None:
    paths = sorted(SHIPPED.glob("*" + files.SUFFIX))
    assert {path.stem[:3] for path in paths} == set(files.FILE_KINDS)
    for path in paths:
        plain, opened = reader.EgdbFile(path), files.open_slice(path)
        numbers = [0, plain.entries - 1, *randoms(path.stem).sample(range(plain.entries), ENTRIES)]
        read = opened.coded.read(np.array(numbers, dtype=np.uint64))
        assert [plain.entry(number) for number in numbers] == read.tolist(), path.name


@pytest.mark.parametrize("count", POSITIONS)
def test_numbers_of_positions(count: int) -> None:
    for shape in slices.shapes(count):
        for bits in positions(shape, 4):
            assert reader.position_number(*bits) == _egdb.egdb_index(*bits, 0)[1]


def test_of_two_flipped_arrangements_one_is_stored() -> None:
    """Unless they are the same."""
    for own, other, kings in positions((2, 0, 2, 0), 50) + positions((1, 1, 1, 1), 50):
        flip = tuple(map(reader.turned, (other, own, kings)))
        stored = [reader.is_stored(*each, reader.shape(*each)) for each in ((own, other, kings), flip)]
        men = own & ~kings, other & ~kings
        assert stored.count(True) == (2 if men == (flip[0] & ~flip[2], flip[1] & ~flip[2]) else 1)


@pytest.mark.slow
@pytest.mark.parametrize("count", POSITIONS)
def test_probes_find_what_kr_finds(count: int) -> None:
    plain, database = reader.Database(SHIPPED), Database.open(SHIPPED)
    for shape in slices.shapes(count):
        for bits in positions(shape, POSITIONS[count]):
            assert plain.value(*bits) == database.core.probe(*bits, 0), (shape, bits)
            if count <= database.distance_pieces:
                plies = database.core.distance(*bits, 0)
                assert plain.distance(*bits) == (None if plies < 0 else plies), (shape, bits)
