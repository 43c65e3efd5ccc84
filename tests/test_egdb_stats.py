"""Counts of a database: closed formulas, Table I, and known totals."""

import itertools
from pathlib import Path

import pytest

from kr import storage
from kr.egdb import files, slices, stats
from kr.egdb.build import BuildSettings, build_database
from kr.egdb.stats import Counts, LongestWin


@pytest.mark.parametrize(("pieces", "positions"), stats.TABLE_I.items())
def test_all_placements_are_those_of_table_1(pieces: int, positions: int) -> None:
    assert slices.all_placements(pieces) == positions


@pytest.mark.parametrize("pieces", range(1, 3))
def test_placements_are_what_counting_them_gives(pieces: int) -> None:
    """All placements of men and kings of both colours on different squares, men outside their last rows."""
    places = {"black man": range(28), "black king": range(32), "white man": range(4, 32), "white king": range(32)}
    for kinds in itertools.combinations_with_replacement(places, pieces):
        boards = {
            frozenset(zip(kinds, squares, strict=True))
            for squares in itertools.product(*(places[kind] for kind in kinds))
            if len(set(squares)) == pieces
        }
        assert slices.placements(*(kinds.count(kind) for kind in places)) == len(boards)


@pytest.mark.parametrize("pieces", range(2, 9))
def test_slices_and_one_sided_placements_make_table_1(pieces: int) -> None:
    both_sides = sum(slices.size(shape) for shape in slices.shapes(pieces))
    assert both_sides + stats.one_sided(pieces).positions == stats.TABLE_I[pieces]


def test_one_sided_placements_are_won_with_pieces_and_lost_without() -> None:
    assert stats.one_sided(1) == Counts(wins=60, losses=60)


def test_earlier_builds_had_all_up_to_7_pieces_and_4v4() -> None:
    known = stats.known_counts()
    shapes = [shape for pieces in range(2, 8) for shape in slices.shapes(pieces)]
    shapes_4v4 = [shape for pair in slices.class_pairs((4, 4)) for shape in slices.members(pair)]
    assert set(known) == {*shapes, *shapes_4v4}
    assert all(known[shape].positions == slices.size(shape) for shape in known)
    for pieces in range(2, 8):
        both_sides = sum(known[shape].positions for shape in slices.shapes(pieces))
        assert both_sides + stats.one_sided(pieces).positions == stats.TABLE_I[pieces]
    assert sum(known[shape].positions for shape in shapes_4v4) == 111_378_534_401


def test_the_shipped_database_has_the_counts_of_earlier_builds() -> None:
    known = stats.known_counts()
    shipped = files.listing(storage.data_path("egdb")).paths["wld"]
    for pair, path in shipped.items():
        header = files.read_header(path)
        for shape in slices.members(pair):
            assert stats.counts_of(header, shape) == known[shape]
    assert len(shipped) == len(list(slices.pairs_up_to(5)))


KNOWN = {2: Counts(716, 402, 2_370), 3: Counts(100_250, 87_305, 8_477)}
LONGEST = {2: LongestWin(13, "B:W30:B25"), 3: LongestWin(61, "B:WK10:B2,3")}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """All positions with up to 3 pieces, with distances."""
    build_database(BuildSettings(pieces=3, dir=tmp_path, distances=3))
    return tmp_path


@pytest.mark.core
def test_what_a_database_holds(built: Path) -> None:
    found = stats.read_stats(built)
    assert {each.pieces: each.both_sides for each in found.totals} == KNOWN
    assert {each.pieces: each.longest for each in found.totals} == LONGEST
    assert all(each.complete for each in found.totals)
    for each in found.totals:
        assert each.all_placements is not None
        assert each.all_placements.positions == stats.TABLE_I[each.pieces]
        assert each.bits == pytest.approx(8 * each.bytes / each.both_sides.positions)
    assert sum(each.bytes + each.distance_bytes for each in found.totals) == sum(
        path.stat().st_size for path in built.glob("*.egdb")
    )
    assert sum(pair.positions for pair in found.pairs) == 3_488 + 196_032

    (built / "dtw-0201.egdb").unlink()
    (built / "wld-1110.egdb").unlink()
    three = stats.read_stats(built).totals[1]
    assert (three.complete, three.all_placements) == (False, None)
    assert three.both_sides.positions < 196_032
