"""Chances of drawn endings in files: each follows from those after it; resumed builds; play by them."""

import json
import random
import zlib

import numpy as np
import pytest
from test_against_people import answers_of, drawn_after

from kr import Position
from kr.egdb import slices
from kr.egdb.database import Database, directory_for
from kr.egdb.sample import random_positions
from kr.errors import InvalidDatabaseError
from kr.file_kinds import CHANCES_MAGIC
from kr.game.value import Value
from kr.policy import ending_chances
from kr.policy.chances_build import ChancesSettings, build_chances
from kr.policy.ending_chances import EndingChances, people_of
from kr.policy.policy import load_policy
from kr.policy.practical import DISCOUNT, PracticalChances, key_of


@pytest.fixture(scope="module")
def database():
    return Database.open(directory_for(None))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    directory = tmp_path_factory.mktemp("chances")
    build_chances(ChancesSettings(3, directory))
    return directory


def chances_in(directory):
    return EndingChances([directory], people_of(load_policy(), DISCOUNT))


def theirs(chances, position):
    return float(chances.theirs(np.array([key_of(position)], dtype=np.uint32))[0])


def test_a_chance_follows_from_those_after_it(database, built):
    chances, source = chances_in(built), random_positions(slices.shapes(3), random.Random(1))
    drawn = [next(each for each in source if database.value(each) is Value.DRAW) for _ in range(60)]
    expected = [
        sum(
            chance
            * (1.0 if our is None else DISCOUNT * max(theirs(chances, each) for each in drawn_after(database, our)))
            for our, chance in answers_of(database, position)
        )
        for position in drawn
    ]
    stated = [theirs(chances, position) for position in drawn]
    assert stated == pytest.approx(expected, abs=0.04)
    assert max(stated) > 0.2
    ours = chances.ours(np.array(list(map(key_of, drawn)), dtype=np.uint32))
    best = [max(theirs(chances, each) for each in drawn_after(database, position)) for position in drawn]
    assert ours == pytest.approx(best)


def test_only_draws_are_known(built):
    chances = chances_in(built)
    for fen in ("W:WK32:B1", "B:WK25:B1", "B:W21,22,23:B1,2"):
        assert np.isnan(theirs(chances, Position.from_fen(fen)))


def test_a_build_is_resumed_and_repaired(built, tmp_path):
    names = [path.name for path in built.iterdir() if path.suffix == ".chances"]
    before = {name: (built / name).read_bytes() for name in names}
    assert len(before) == len(list(slices.pairs_up_to(3)))
    for name, content in before.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "people-2010.chances").unlink()
    (tmp_path / "people-1110.chances").write_bytes(before["people-1110.chances"][:-1])
    progress = build_chances(ChancesSettings(3, tmp_path))
    assert sorted(each["pair"] for each in progress.written) == ["1110", "2010"]
    assert {name: (tmp_path / name).read_bytes() for name in names} == before


def test_damage_is_told_and_files_of_others_are_not_used(built, tmp_path):
    path = tmp_path / "people-2010.chances"
    content = (built / path.name).read_bytes()
    path.write_bytes(content)
    board = np.array([key_of(Position.from_fen("B:W21:B1,2"))], dtype=np.uint32)
    others = EndingChances([tmp_path], people_of(load_policy(), 0.5))
    assert np.isnan(others.theirs(board)).all()
    path.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
    with pytest.raises(InvalidDatabaseError, match=r"people-2010.chances: damaged file of chances: its checksum"):
        chances_in(tmp_path).theirs(board)


@pytest.mark.parametrize(
    ("slice_name", "draws", "message"),
    [("2010", 10_000, "10000 draws of slice 2010"), ("1020", 9_000, "packed in"), ("4040", 1, "it has slice 4040")],
)
def test_files_that_would_unpack_to_more_than_a_slice(built, tmp_path, slice_name, draws, message):
    path = tmp_path / "people-2010.chances"
    header, _ = ending_chances._read((built / path.name).read_bytes())
    header["slices"] = {slice_name: {"draws": draws, "long": 0}}
    text, body = json.dumps(header).encode(), zlib.compress(bytes(2 * draws))
    check = ending_chances._check(text, body)
    path.write_bytes(ending_chances._FIXED.pack(CHANCES_MAGIC, 1, len(text), check) + text + body)
    board = np.array([key_of(Position.from_fen("B:W21:B1,2"))], dtype=np.uint32)
    with pytest.raises(InvalidDatabaseError, match=message):
        chances_in(tmp_path).theirs(board)


def test_play_by_files_sees_farther_than_the_graph(database, built):
    chances = chances_in(built)
    position = next(
        each
        for each in random_positions([(0, 2, 1, 0), (0, 2, 0, 1)], random.Random(2))
        if database.value(each) is Value.DRAW and len(drawn_after(database, each)) > 1
    )
    small = PracticalChances(load_policy(), database, endings=chances)
    large = PracticalChances(load_policy(), database, positions=100_000)
    expected = {each.move: each.chance for each in large.moves(position)}
    for each in small.moves(position):
        assert each.chance == pytest.approx(expected[each.move], abs=0.04)
