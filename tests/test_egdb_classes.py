"""Databases that have some classes alone of their largest number of pieces: what they know, and all that asks them."""

from __future__ import annotations

import random
import shutil
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from egdb_packs import encode_values
from endings import without
from refusals import check_refused

from kr import Engine, Limits, Position, cli, storage
from kr.analysis.analysis import analyze
from kr.analysis.annotation.annotation import signature
from kr.analysis.sources import Task
from kr.egdb import database as databases
from kr.egdb import files, slices, stats
from kr.egdb.database import UNKNOWN_VALUE, Database, decided
from kr.egdb.exact import exact_moves, exact_value
from kr.egdb.probe import probe
from kr.egdb.sample import random_positions
from kr.egdb.slices import Class, Shape
from kr.egdb.verify import PROOF_NAME, VerifySettings, verify_database
from kr.errors import InvalidSettingError
from kr.game.position import Side
from kr.studies.endings.exact_rival import open_exact

pytestmark = pytest.mark.core

SHIPPED = storage.data_path("egdb")
CASES: dict[str, tuple[set[Class], int, tuple[str, ...]]] = {
    "3v2 of 5": ({(4, 1)}, 4, ("3v2",)),
    "4v1 of 5": ({(3, 2)}, 4, ("4v1",)),
    # both classes of 5 pieces lead to 3v1, 3v2 to 2v2 as well
    "2v2 of 4": ({(3, 1)}, 3, ("2v2",)),
    "3v1 and 4v1": ({(2, 2)}, 3, ("3v1", "4v1")),
}
"""Classes that are left out of the shipped database; pieces up to which it is complete then; classes of more."""
THREE_KINGS: Shape = (0, 3, 0, 2)


@pytest.fixture(scope="module")
def full() -> Database:
    return Database.open(SHIPPED)


@pytest.fixture(params=CASES)
def part(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Database, int, tuple[str, ...]]:
    """A database, its pieces and its classes."""
    left_out, pieces, classes = CASES[request.param]
    return Database.open(without(SHIPPED, tmp_path / "egdb", left_out)), pieces, classes


@pytest.fixture(scope="module")
def three_two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of all positions with up to 4 pieces, and 3v2."""
    return without(SHIPPED, tmp_path_factory.mktemp("classes") / "egdb", {(4, 1)})


def some_positions(seed: int, count: int, most: int = 6) -> list[Position]:
    """Random positions of all numbers of pieces alike, with either side to move."""
    source = random.Random(seed)
    kinds = [random_positions(slices.shapes(pieces), source) for pieces in range(2, most + 1)]
    return [next(each) for each in islice(kinds * count, count)]


def is_known(position: Position, pieces: int, classes: tuple[str, ...]) -> bool:
    """True if a database with these has a position."""
    own, other = position.black.bit_count(), position.white.bit_count()
    return own + other <= pieces or f"{max(own, other)}v{min(own, other)}" in classes


# --- classes


def test_names_of_classes() -> None:
    assert [slices.class_name(cls) for cls in slices.classes(8)] == ["4v4", "5v3", "6v2", "7v1"]
    assert slices.classes(2) == ((1, 1),)
    for count in range(2, 9):
        pairs = [pair for cls in slices.classes(count) for pair in slices.class_pairs(cls)]
        assert sorted(pairs) == sorted(slices.pairs(count))
        assert all(slices.parse_class(slices.class_name(cls)) == cls for cls in slices.classes(count))
    assert slices.parse_class("3v4") == slices.class_of((1, 2, 4, 0)) == slices.class_of((4, 0, 1, 2)) == (4, 3)
    assert slices.parse_classes(" 4v4,3v5") == ((4, 4), (5, 3))


@pytest.mark.parametrize("text", ["", "x", "8", "4v", "v4", "0v4", "8v1", "9v9", "4v4v4", "44", "²v2"])
def test_what_is_no_class(text: str) -> None:
    with pytest.raises(ValueError, match="is not a class"):
        slices.parse_class(text)


@pytest.mark.parametrize("cls", [cls for count in range(2, 9) for cls in slices.classes(count)], ids=slices.class_name)
def test_smaller_classes_are_those_that_captures_lead_to(cls: Class) -> None:
    reached: set[Class] = set()
    waiting = list(slices.class_pairs(cls))
    seen = set(waiting)
    while waiting:
        for pair in slices.successors(waiting.pop()) - seen:
            seen.add(pair)
            waiting.append(pair)
            reached.add(slices.class_of(pair))
    assert reached - {cls} == slices.smaller_classes(cls)


def test_usable_classes() -> None:
    every = {cls for count in range(2, 6) for cls in slices.classes(count)}
    for left_out, pieces, classes in CASES.values():
        present = [pair for cls in every - left_out for pair in slices.class_pairs(cls)]
        usable = slices.usable_classes(present)
        assert slices.complete_pieces(present) == pieces
        assert tuple(slices.class_name(cls) for cls in usable if sum(cls) > pieces) == classes
        # one pair less of a class, and it is gone
        lacking = slices.class_pairs(usable[-1])[0]
        assert slices.usable_classes([pair for pair in present if pair != lacking]) == usable[:-1]


# --- values


def test_what_is_there_is_known(part: tuple[Database, int, tuple[str, ...]], full: Database) -> None:
    known, pieces, classes = part
    assert (known.pieces, known.classes) == (pieces, classes)
    assert known.reach == f"up to {pieces} pieces, and {', '.join(classes)}"
    assert full.classes == ()
    assert full.reach == "up to 5 pieces"
    had = 0
    for position in some_positions(1, 4000):
        has = is_known(position, pieces, classes)
        assert known.has(position) == has, position.fen
        assert known.value(position) == (full.value(position) if has else None), position.fen
        if has:
            assert exact_value(known, position) == exact_value(full, position)
            assert len(exact_moves(known, position)) == len(position.legal_moves())
            if not position.is_over and not position.legal_moves()[0].is_capture:
                assert decided(known, position) == full.value(position)
            had += 1
        else:
            assert known.distance(position) is None
            assert decided(known, position) is None
    assert 1000 < had < 3500


def test_arrays_have_values_of_what_is_there(part: tuple[Database, int, tuple[str, ...]], full: Database) -> None:
    known, pieces, classes = part
    positions = some_positions(2, 10_000)
    # sides without pieces have lost, as far as the database is complete
    positions += [Position(0, (1 << count) - 1 << 8, 0, side) for count in range(1, 6) for side in (0, 1)]
    boards = np.array([position.bits for position in positions], dtype=np.uint32)
    has = np.array([is_known(position, pieces, classes) for position in positions])
    right = np.where(has, full.values(boards), UNKNOWN_VALUE)
    assert np.array_equal(known.values(boards), right)
    assert np.array_equal(known.values(boards, workers=1), right)
    distances = known.distances(boards)
    few = np.array([position.pieces <= known.distance_pieces for position in positions])
    assert np.array_equal(distances[few], full.distances(boards)[few])
    assert (distances[~few] == -1).all()


@pytest.mark.parametrize("count", [50_000, pytest.param(200_000, marks=pytest.mark.soak)])
def test_positions_of_a_class_are_as_in_the_whole(three_two: Path, full: Database, count: int) -> None:
    known = Database.open(three_two, unpack_bytes=0)
    assert sorted({slices.class_of(file.header.pair) for file in known.files if sum(file.header.pair) > 4}) == [(3, 2)]
    for shape in (THREE_KINGS, slices.twin(THREE_KINGS)):
        source = random_positions([shape], random.Random(3))
        boards = np.array([position.bits for position in islice(source, count)], dtype=np.uint32)
        assert np.array_equal(known.values(boards), full.values(boards))


def test_files_of_classes_that_are_not_whole_are_left_out(three_two: Path, tmp_path: Path) -> None:
    # 4v1 without one of its pairs, and 3v3 with a single one
    for path in SHIPPED.glob("*.egdb"):
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / "wld-2210.egdb").unlink()
    shutil.copy(SHIPPED / "wld-0302.egdb", tmp_path / "wld-0303.egdb")
    known = Database.open(tmp_path)
    assert (known.pieces, known.classes) == (4, ("3v2",))
    assert not any(file.header.pair in slices.class_pairs((4, 1)) for file in known.files)
    assert known.value(Position.from_fen("B:WK1:BK30,K31,K32,K28")) is None
    # as many as are wanted, and no more
    assert Database.open(three_two, max_pieces=4).classes == ()
    assert Database.open(three_two, max_pieces=5).classes == ("3v2",)


def test_signature_and_search_for_a_database(three_two: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Database.open(three_two)
    assert opened.signature.startswith("4 pieces 3v2 ")
    assert opened.signature != Database.open(three_two, max_pieces=4).signature
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "kr").mkdir()
    mine = without(SHIPPED, tmp_path / "kr" / "egdb", {(4, 1)})
    # complete up to more pieces comes first
    assert databases.find() == SHIPPED
    monkeypatch.setattr(storage, "data_path", lambda name: without(SHIPPED, tmp_path / "egdb", {(4, 1), (3, 2)}))
    assert databases.find() == mine


# --- search


def known_ones(seed: int, count: int, cls: Class) -> list[Position]:
    """Random positions of a class that are not over."""
    shapes = [shape for shape in slices.shapes(sum(cls)) if slices.class_of(shape) == cls]
    source = random_positions(shapes, random.Random(seed))
    return list(islice((each for each in source if not each.is_over), count))


def is_tense(position: Position) -> bool:
    """True if either side can capture."""
    other = Position(position.black, position.white, position.kings, Side(1 - position.side))
    return any(move.is_capture for move in (*position.legal_moves(), *other.legal_moves()))


@pytest.mark.parametrize("depth", [1, 2, 8])
@pytest.mark.parametrize("threads", [1, 2])
def test_searches_keep_the_value_of_the_root(three_two: Path, full: Database, depth: int, threads: int) -> None:
    searcher = Engine("manual", hash_mb=1, threads=threads, database=Database.open(three_two))
    for position in known_ones(depth, 40, (3, 2)):
        found = searcher.search(position, Limits(depth=depth))
        assert found.value == full.value(position), position.fen
        assert full.value(position.play(found.move)).opposite == found.value, position.fen
        assert found.probes
    # of what is not there, a value is one that the search sees
    for position in (*known_ones(depth, 20, (4, 1)), *known_ones(depth, 20, (4, 2)), *known_ones(depth, 20, (3, 3))):
        found = searcher.search(position, Limits(depth=depth))
        assert found.move in position.legal_moves()
        if position.pieces == 5:
            assert found.value in (None, full.value(position)), position.fen


def test_classes_are_looked_up_near_the_root_alone(three_two: Path) -> None:
    """Never in quiescence: a search of one ply looks up the root and its moves."""
    options = {"shot_margin": 0}
    part = Engine("manual", hash_mb=1, options=options, database=Database.open(three_two))
    full = Engine("manual", hash_mb=1, options=options, database=Database.open(SHIPPED))
    alone = 0
    for position in known_ones(5, 500, (3, 2)):
        after = [position.play(move) for move in position.legal_moves()]
        if any(map(is_tense, [position, *after])) or any(each.is_over for each in after):
            continue
        assert part.search(position, Limits(depth=1)).probes == 1 + len(after), position.fen
        assert full.search(position, Limits(depth=1)).probes > 1 + len(after), position.fen
        alone += 1
    assert alone > 20


def test_wins_of_a_class_are_won(three_two: Path, full: Database) -> None:
    """No distance is known: the search makes progress towards fewer pieces."""
    winner = Engine("manual", hash_mb=4, database=Database.open(three_two))
    won = [each for each in known_ones(9, 80, (3, 2)) if full.value(each) == "win"][:12]
    for start in won:
        position, history = start, list[Position]()
        while not position.is_over and position.pieces == 5:
            if position.side == start.side:
                move = winner.search(position, Limits(nodes=20_000), history).move
                assert full.value(position.play(move)) == "loss"
            else:
                move = random.Random(position.key).choice(position.legal_moves())
            history.append(position)
            position = position.play(move)
            assert len(history) < 200, start.fen


def test_analysis_says_what_is_known(three_two: Path, full: Database) -> None:
    engine = Engine("manual", hash_mb=1, database=Database.open(three_two))
    assert signature(engine, Limits(depth=2)).endswith("endgames up to 4 pieces, and 3v2)")
    for position in known_ones(4, 20, (3, 2)):
        assert analyze(engine, Task(position), Limits(depth=2)).value == full.value(position)
    # unless the search sees the end
    unknown = [analyze(engine, Task(each), Limits(depth=1)) for each in known_ones(4, 20, (3, 3))]
    assert any(each.value is None for each in unknown)


# --- commands


def test_probe_says_what_the_database_has(three_two: Path, full: Database) -> None:
    known = Database.open(three_two)
    position = Position.from_fen("W:WK18,K22,K23:BK1,K5")
    assert probe(known, position).value == probe(full, position).value
    with pytest.raises(
        InvalidSettingError, match=r"4v1; the database in .* 4 pieces, and 3v2; `kr egdb build --pieces 5`"
    ):
        probe(known, Position.from_fen("W:WK18:B1,2,3,4"))
    # a capture may lead into it
    with pytest.raises(InvalidSettingError, match="has 8 pieces, 4v4"):
        probe(known, Position.from_fen("W:W29,30,31,32:B1,2,3,4"))


@pytest.mark.slow
def test_verification_goes_by_class(tmp_path: Path) -> None:
    """Of the classes that are proven in a second, 2v2 has the most pieces."""
    small = without(SHIPPED, tmp_path / "egdb", {(3, 1), (3, 2), (4, 1)})
    found = verify_database(VerifySettings(dir=small, workers=2))
    assert (found.wrong, found.pieces, found.classes, found.reach) == (0, 3, ("2v2",), "up to 3 pieces, and 2v2")
    assert list(found.verified) == ["2", "3", "2v2"]
    assert found.skipped == [path.name for path in sorted(small.glob("dtw-*")) if sum(map(int, path.stem[4:])) == 4]
    totals = stats.read_stats(small).totals
    assert [each.counts for each in found.verified.values()] == [each.both_sides for each in totals]
    assert (totals[-1].complete, totals[-1].classes, totals[-1].idle) == (False, ("2v2",), 0)
    assert not (small / PROOF_NAME.format("3-2v2")).exists()

    alone = verify_database(VerifySettings(dir=small, workers=2, classes="2v2"))
    assert (alone.pieces, alone.classes, alone.reach) == (0, ("2v2",), "2v2")
    assert alone.verified == {"2v2": found.verified["2v2"]}
    assert set(alone.skipped) == {path.name for path in small.glob("*.egdb")} - {
        f"wld-{slices.name(pair)}.egdb" for pair in slices.class_pairs((2, 2))
    }


@pytest.mark.slow
@pytest.mark.parametrize(("classes", "name"), [("", "3-2v2"), pytest.param("2v2", "2v2", marks=pytest.mark.soak)])
def test_a_proof_of_a_class_is_resumed(
    classes: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has a file of its own, which others don't replace."""
    monkeypatch.setattr("kr.egdb.verify.CHECKED_AT_ONCE", 50_000)
    small = without(SHIPPED, tmp_path / "egdb", {(3, 1), (3, 2), (4, 1)})
    settings = VerifySettings(dir=small, workers=1, classes=classes)
    told: list[float] = []

    def interrupt(what: str, done: float, total: float) -> None:
        if what == "positions":
            told.append(done)
            if len(told) == 9:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verify_database(settings, interrupt)
    proof = small / PROOF_NAME.format(name)
    assert proof.exists()
    assert verify_database(VerifySettings(dir=small, workers=1, pieces=2)).wrong == 0
    assert proof.exists()
    begun: list[float] = []
    found = verify_database(settings, lambda what, done, total: begun.append(done) if what == "positions" else None)
    assert begun[0] == told[-1] > 0
    assert found.wrong == 0
    assert not proof.exists()
    assert found.verified["2v2"].positions == sum(map(slices.pair_size, slices.class_pairs((2, 2))))


def test_samples_of_classes(three_two: Path) -> None:
    found = verify_database(VerifySettings(dir=three_two, workers=2, sample=500))
    assert (found.wrong, found.sampled, found.classes) == (0, True, ("3v2",))
    assert list(found.verified) == ["2", "3", "4", "3v2"]
    for name, each in found.verified.items():
        most = sum(min(500, slices.size(shape)) for shape in group_slices()[name])
        assert 0.9 * most < each.positions < 1.1 * most, name
    again = verify_database(VerifySettings(dir=three_two, workers=1, sample=500))
    assert again.verified == found.verified
    alone = verify_database(VerifySettings(dir=three_two, workers=2, sample=500, classes="3v2"))
    assert alone.verified == {"3v2": found.verified["3v2"]}
    whole = verify_database(VerifySettings(dir=three_two, workers=2, sample=1e9, pieces=2))
    assert whole.verified["2"].positions == 3_488


def group_slices() -> dict[str, list[Shape]]:
    """Slices by the names of a verification of `three_two`."""
    groups = {str(count): list(slices.shapes(count)) for count in range(2, 5)}
    return groups | {"3v2": [shape for shape in slices.shapes(5) if slices.class_of(shape) == (3, 2)]}


@pytest.mark.slow
def test_a_wrong_value_of_a_class_is_found(tmp_path: Path) -> None:
    small = without(SHIPPED, tmp_path / "egdb", {(3, 1), (3, 2), (4, 1)})
    # two kings against two, all drawn
    two_kings, positions = (0, 2, 0, 2), slices.size((0, 2, 0, 2))
    path = small / files.file_name("wld", two_kings)
    path.unlink()
    drawn = np.full(-(-positions // 32), 0x5555555555555555, dtype=np.uint64)
    path.write_bytes(files.values_file(encode_values({two_kings: drawn}), {"counts": {"0202": [0, positions, 0]}}))
    for changes in ({}, {"sample": 2000}, {"sample": 0.5, "classes": "2v2"}):
        found = verify_database(VerifySettings(**{"dir": small, "workers": 2, **changes}))  # type: ignore[arg-type]
        assert found.wrong, changes
        assert all("wld-" in problem for problem in found.problems)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"classes": "5v5"}, "is not a class"),
        ({"classes": "4v1", "pieces": 4}, "both are given"),
        ({"sample": 2.5}, "neither a fraction nor a whole number"),
    ],
)
def test_settings_of_a_verification(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidSettingError, match=message):
        VerifySettings(**changes)


def test_classes_that_are_not_there(three_two: Path) -> None:
    for changes, message in (
        ({"classes": "4v1"}, r"wld-0401.egdb is missing; 4v1 needs it"),
        ({"classes": "3v2,3v3"}, r"is missing; 3v3 needs it"),
        ({"pieces": 6}, r"is missing; `kr egdb build --pieces 6` makes it"),
    ):
        with pytest.raises(InvalidSettingError, match=message):
            verify_database(VerifySettings(**{"dir": three_two, **changes}))  # type: ignore[arg-type]


def test_commands_show_classes(
    three_two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def printed(*words: object) -> str:
        assert cli.main(["egdb", *map(str, words)]) == 0
        return capsys.readouterr().out

    told = printed("stats", "--dir", three_two)
    assert "5 (3v2)" in told
    assert "of no use" not in told
    idle = without(SHIPPED, tmp_path / "egdb", {(3, 1)})
    told = printed("stats", "--dir", idle)
    assert "4 (2v2)" in told
    assert " 5 " in told
    # all pairs of 5 pieces
    assert f"The files of {len(slices.pairs(5))} pairs are of no use yet" in told.replace("\n", " ")
    assert "up to 4 pieces, and 3v2" in printed("verify", "--dir", three_two, "--sample", 10).replace("\n  ", " ")
    sampled = tmp_path / "x.h5"
    told = printed("sample", "--dir", three_two, "--pieces", "2-4,3v2", "--count", "2k", "--out", sampled, "--quiet")
    assert "2,000 positions" in told
    line = f"egdb sample --dir {three_two} --out {sampled} --pieces"
    for pieces in ("4v1", "2-5", "3v3"):
        check_refused(capsys, f"{line} {pieces}", 2, "has values of positions with up to 4 pieces, and 3v2")
    check_refused(capsys, f"{line} 3v2 --distances", 2, "has distances of positions with up to 4 pieces")


def test_exact_files_of_a_class(three_two: Path) -> None:
    size = sum(
        (SHIPPED / f"wld-{slices.name(pair)}.egdb").stat().st_size
        for cls in {(3, 2), *product((1, 2, 3), (1, 2))}
        for pair in slices.class_pairs((max(cls), min(cls)))
        if cls[0] >= cls[1]
    )
    assert open_exact(three_two, "3v2").packed_bytes == size
