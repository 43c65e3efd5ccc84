"""The format of docs/reference/egdb-format.md: a reader written from that text alone agrees with kr."""

import random
from pathlib import Path

import numpy as np
import pytest
from egdb_file_reader import EgdbFile, Pieces, Reader, is_stored, pieces_of, position_number, slice_size
from egdb_reference import Bits, Shape

from kr import _egdb, storage
from kr.egdb import files, slices
from kr.egdb.database import Database

pytestmark = pytest.mark.core

SHIPPED = storage.data_path("egdb")
WHOLE = [
    path
    for path in sorted(SHIPPED.glob("*" + files.SUFFIX))
    if sum(map(int, path.stem[4:])) <= 3 or path.stem in ("wld-1111", "wld-2110", "dtw-2020", "dtw-0202")
]
"""Files that are read completely: those of up to 3 pieces, and a few with 4."""
ENTRIES = 8
"""Entries read one by one from each file."""
POSITIONS = {2: 20, 3: 8, 4: 2}
"""Positions probed in each slice, by number of pieces."""


def randoms(name: str) -> random.Random:
    return random.Random(f"egdb format {name}")


def positions(shape: Shape, count: int) -> list[Bits]:
    numbers = randoms(slices.name(shape)).sample(range(slices.size(shape)), count)
    return [_egdb.egdb_position(shape, number)[:3] for number in numbers]


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_every_entry_is_what_kr_reads(path: Path) -> None:
    plain, opened = EgdbFile(path), files.open_slice(path)
    assert (plain.kind, plain.stored, plain.entries) == (path.stem[:3], opened.header.stored, opened.coded.entries)
    read = opened.coded.read(np.arange(plain.entries, dtype=np.uint64))
    np.testing.assert_array_equal(np.array(plain.all_entries()), read)


@pytest.mark.slow
def test_single_entries_of_all_files() -> None:
    paths = sorted(SHIPPED.glob("*" + files.SUFFIX))
    assert {path.stem[:3] for path in paths} == set(files.FILE_KINDS)
    for path in paths:
        plain, opened = EgdbFile(path), files.open_slice(path)
        numbers = [0, plain.entries - 1, *randoms(path.stem).sample(range(plain.entries), ENTRIES)]
        read = opened.coded.read(np.array(numbers, dtype=np.uint64))
        assert [plain.entry(number) for number in numbers] == read.tolist(), path.name


@pytest.mark.parametrize("count", POSITIONS)
def test_numbers_of_positions(count: int) -> None:
    for shape in slices.shapes(count):
        assert slice_size(shape) == slices.size(shape)
        for bits in positions(shape, 4):
            assert position_number(pieces_of(bits)) == _egdb.egdb_index(*bits, 0)[1]


def test_of_two_flipped_arrangements_one_is_stored() -> None:
    """Unless they are the same."""
    for bits in positions((2, 0, 2, 0), 50) + positions((1, 1, 1, 1), 50):
        own_men, own_kings, opponent_men, opponent_kings = pieces_of(bits)
        flipped = Pieces(
            *([31 - square for square in reversed(kind)] for kind in (opponent_men, opponent_kings, own_men, own_kings))
        )
        stored = [is_stored(each, each.shape) for each in (pieces_of(bits), flipped)]
        same = (own_men, opponent_men) == (flipped.own_men, flipped.opponent_men)
        assert stored.count(True) == (2 if same else 1)


@pytest.mark.slow
@pytest.mark.parametrize("count", POSITIONS)
def test_probes_find_what_kr_finds(count: int) -> None:
    reader, database = Reader(SHIPPED), Database.open(SHIPPED)
    for shape in slices.shapes(count):
        for bits in positions(shape, POSITIONS[count]):
            assert reader.value(bits) == database.core.probe(*bits, 0), (shape, bits)
            plies = database.core.distance(*bits, 0)
            assert reader.distance(bits) == (None if plies < 0 else plies), (shape, bits)
