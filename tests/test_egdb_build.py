"""Endgame databases built from scratch: right in every position checked, reproducible, and resumed after a kill."""

import errno
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import egdb_reference
import numpy as np
import pytest
from egdb_reference import Shape
from numpy.typing import NDArray
from shortages import leave_on_disk
from systems import KILLED

import kr
from kr import _egdb, storage
from kr.egdb import build as building
from kr.egdb import files, slices
from kr.egdb.build import BuildProgress, BuildSettings, build_database
from kr.egdb.database import Database
from kr.errors import InvalidDatabaseError, InvalidSettingError, OutputBusyError
from kr.game.position import Position

pytestmark = pytest.mark.core

PIECES = 4
# Wins, losses and draws for the side to move, both sides present, by pieces; the same from three programs.
KNOWN = {2: (716, 402, 2_370), 3: (100_250, 87_305, 8_477), 4: (2_574_304, 1_917_090, 1_717_922)}
LONGEST = {2: (13, "B:W30:B25"), 3: (61, "B:WK10:B2,3"), 4: (109, "B:W29,30:B2,15")}
REFERENCE = json.loads((Path(__file__).parent / "data" / "egdb_reference.json").read_text())

# A second process that builds, and dies once a given number of pairs is done.
BUILD_AND = """
import os, sys
from pathlib import Path
from kr.egdb.build import BuildSettings, build_database

def on_progress(progress):
    if progress.pairs_done >= int(sys.argv[3]):
        os.kill(os.getpid(), 9)

build_database(BuildSettings(pieces=int(sys.argv[2]), dir=Path(sys.argv[1]), workers=1), on_progress)
"""


def settings(directory: Path, **changes: Any) -> BuildSettings:
    return BuildSettings(**{"pieces": PIECES, "dir": directory, "workers": 2, **changes})


def content(directory: Path) -> dict[str, bytes]:
    """Contents of all files of a directory by name, hidden ones included, but for the journal."""
    found = (path for path in directory.rglob("*") if path.is_file() and path.name != building.JOURNAL_NAME)
    return {str(path.relative_to(directory)): path.read_bytes() for path in found}


def in_a_second_process(directory: Path, pieces: int, pairs: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-P", "-c", BUILD_AND, str(directory), str(pieces), str(pairs)]
    # -P: the kr under test, not one in the current directory
    environment = os.environ | {"PYTHONPATH": str(Path(kr.__file__).parents[1])}
    return subprocess.Popen(command, text=True, env=environment)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("egdb") / "new"
    build_database(settings(directory))
    return directory


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All positions of up to 3 pieces."""
    directory = tmp_path_factory.mktemp("egdb") / "small"
    build_database(settings(directory, pieces=3))
    return directory


@pytest.fixture(scope="module")
def database(built: Path) -> Database:
    return Database.open(built)


def boards_of(shape: Shape) -> NDArray[np.uint32]:
    """Every position of a slice with Black to move, as (black, white, kings, side)."""
    bits = np.array(egdb_reference.positions(shape), dtype=np.uint32)
    return np.column_stack([bits, np.zeros(len(bits), dtype=np.uint32)])


def flipped(boards: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Positions with White to move instead: turned by 180 degrees, colours swapped."""
    octets = np.ascontiguousarray(boards[:, [1, 0, 2]]).view(np.uint8).reshape(len(boards), 3, 4)
    bits = np.unpackbits(octets, axis=2, bitorder="little")[:, :, ::-1]
    turned = np.packbits(bits, axis=2, bitorder="little").view(np.uint32).reshape(len(boards), 3)
    return np.column_stack([turned, np.ones(len(boards), dtype=np.uint32)])


@pytest.mark.slow
def test_there_is_a_file_for_each_pair_and_nothing_else(built: Path) -> None:
    pairs = [pair for count in range(2, PIECES + 1) for pair in slices.pairs(count)]
    assert set(content(built)) == {files.file_name(kind, pair) for kind in files.FILE_KINDS for pair in pairs}
    assert {shape for pair in pairs for shape in slices.members(pair)} == {
        shape for count in range(2, PIECES + 1) for shape in egdb_reference.shapes(count)
    }


@pytest.mark.parametrize("pieces", KNOWN)
def test_counts_are_the_known_ones(built: Path, pieces: int) -> None:
    for kind in files.FILE_KINDS:
        counts = [
            files.read_header(built / files.file_name(kind, pair)).facts["counts"][slices.name(shape)]
            for pair in slices.pairs(pieces)
            for shape in slices.members(pair)
        ]
        losses, draws, wins = np.sum(counts, axis=0)
        assert (wins, losses, draws) == KNOWN[pieces]


@pytest.mark.slow
@pytest.mark.parametrize("name", REFERENCE)
def test_every_value_is_that_of_the_reference(built: Path, name: str) -> None:
    """All positions of 2 and 3 pieces and some slices of 4, with either side to move, from files and unpacked."""
    boards = boards_of(tuple(map(int, name)))
    ways = list(itertools.product((0, 1 << 30), (boards, flipped(boards))))
    # of the large slices one side from files, the other unpacked
    for unpack_bytes, side_to_move in ways if len(boards) < 100_000 else (ways[0], ways[-1]):
        values = np.empty(len(boards), dtype=np.uint8)
        Database.open(built, unpack_bytes=unpack_bytes).core.probe_batch(side_to_move, values)
        assert hashlib.sha256(values).hexdigest() == REFERENCE[name]["values"]


@pytest.mark.parametrize("name", [name for name in REFERENCE if sum(map(int, name)) <= 3])
def test_every_distance_is_that_of_the_reference(database: Database, name: str) -> None:
    boards = boards_of(tuple(map(int, name))).tolist()
    plies = np.array([database.core.distance(*board) for board in boards])
    plies = np.where(plies < 0, egdb_reference.DRAW_BYTE, plies).astype(np.uint8)
    assert hashlib.sha256(plies).hexdigest() == REFERENCE[name]["distances"]


@pytest.mark.parametrize("shape", egdb_reference.shapes(PIECES), ids=str)
def test_four_pieces_follow_from_their_successors(database: Database, shape: Shape) -> None:
    def distance(bits: tuple[int, int, int], side: int) -> int | None:
        board = egdb_reference.bits_with_side(bits, side)
        value, plies = database.core.probe(*board), database.core.distance(*board)
        assert (value == egdb_reference.DRAW) == (plies < 0)
        assert value == egdb_reference.DRAW or plies % 2 == (value == egdb_reference.WIN)
        return None if plies < 0 else int(plies)

    chance = np.random.default_rng(sum(digit << 4 * i for i, digit in enumerate(shape)))
    for index in chance.integers(slices.size(shape), size=60).tolist():
        bits = _egdb.egdb_position(shape, index)[:3]
        for side in (0, 1):
            after = [distance(child, 1 - side) for child in egdb_reference.successors(bits)]
            assert distance(bits, side) == egdb_reference.best(after), (shape, index)


@pytest.mark.parametrize("pieces", LONGEST)
def test_longest_wins_are_the_known_ones(built: Path, database: Database, pieces: int) -> None:
    plies, fen = LONGEST[pieces]
    position = Position.from_fen(fen)
    assert database.core.distance(position.black, position.white, position.kings, position.side) == plies
    found = {}
    for pair in slices.pairs(pieces):
        longest = files.read_header(built / files.file_name("dtw", pair)).facts["longest"]
        found |= {tuple(map(int, name)): tuple(each) for name, each in longest.items()}
    shape, (longest, number) = max(found.items(), key=lambda each: each[1][0])
    assert longest == plies
    assert database.core.distance(*_egdb.egdb_position(shape, number)) == plies


@pytest.mark.slow
@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.soak), 5])
def test_the_files_do_not_depend_on_the_threads(built: Path, tmp_path: Path, workers: int) -> None:
    """They don't depend on the distances wanted either."""
    build_database(settings(tmp_path, workers=workers, distances=2))
    whole = content(built)
    assert content(tmp_path).items() <= whole.items()
    assert {name for name in whole if name.startswith("wld-")} <= content(tmp_path).keys()


def test_a_finished_build_is_left_as_it_is(built: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in built.iterdir()}
    progress = build_database(settings(built))
    assert (progress.earlier, progress.written) == (progress.positions, [])
    assert {path: path.stat().st_mtime_ns for path in built.iterdir()} == before


def test_a_database_grows_by_pieces_and_by_distances(small: Path, tmp_path: Path) -> None:
    build_database(settings(tmp_path, pieces=2, distances=0))
    assert all(name.startswith("wld-") for name in content(tmp_path))
    build_database(settings(tmp_path, pieces=3, distances=2))
    build_database(settings(tmp_path, pieces=3))
    assert content(tmp_path) == content(small)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pieces", "pairs"),
    [pytest.param(4, 1, marks=pytest.mark.soak), (3, 6), pytest.param(4, 20, marks=pytest.mark.soak)],
)
def test_a_killed_build_goes_on(request: pytest.FixtureRequest, tmp_path: Path, pieces: int, pairs: int) -> None:
    killed = in_a_second_process(tmp_path, pieces, pairs)
    killed.communicate()
    assert killed.returncode == KILLED
    whole = content(request.getfixturevalue("built" if pieces == PIECES else "small"))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*" + files.SUFFIX)}
    assert before
    assert all(whole[path.name] == path.read_bytes() for path in before)
    progress = build_database(settings(tmp_path, pieces=pieces))
    assert content(tmp_path) == whole
    assert progress.earlier > 0
    assert progress.solved == pytest.approx(progress.positions - progress.earlier)
    assert {path: path.stat().st_mtime_ns for path in before} == before


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """Directory of a build of up to 3 pieces that was killed halfway."""
    in_a_second_process(tmp_path / "egdb", 3, 5).communicate()
    return tmp_path / "egdb"


def emptied(found: bytes) -> bytes:
    return b""


def shortened(found: bytes) -> bytes:
    return found[:-1]


def flipped_bit(found: bytes) -> bytes:
    middle = len(found) // 2
    return found[:middle] + bytes([found[middle] ^ 4]) + found[middle + 1 :]


@pytest.mark.slow
@pytest.mark.parametrize("harm", [emptied, pytest.param(shortened, marks=pytest.mark.soak), flipped_bit])
def test_kept_values_that_are_damaged_are_made_again(small: Path, killed: Path, harm: Callable[[bytes], bytes]) -> None:
    kept = list((killed / building.VALUES_FOLDER).iterdir())
    assert kept
    for path in kept:
        path.write_bytes(harm(path.read_bytes()))
    build_database(settings(killed, pieces=3))
    assert content(killed) == content(small)


def test_kept_values_that_are_gone_are_made_again(small: Path, killed: Path) -> None:
    shutil.rmtree(killed / building.VALUES_FOLDER)
    build_database(settings(killed, pieces=3))
    assert content(killed) == content(small)


def test_kept_values_without_distances_are_made_again(small: Path, tmp_path: Path) -> None:
    def interrupted(progress: BuildProgress) -> None:
        if progress.pairs_done >= 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_database(settings(tmp_path, pieces=3, distances=0, workers=1), interrupted)
    build_database(settings(tmp_path, pieces=3))
    assert content(tmp_path) == content(small)


def test_two_builds_into_one_directory(tmp_path: Path) -> None:
    with storage.lock(tmp_path), pytest.raises(OutputBusyError, match=re.escape(str(tmp_path))):
        build_database(settings(tmp_path, pieces=3))
    build_database(settings(tmp_path, pieces=3))


def test_a_build_that_needs_too_much_memory(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettingError, match="of memory"):
        build_database(settings(tmp_path, memory=100_000))
    assert content(tmp_path) == {}


def test_a_build_that_needs_too_much_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_on_disk(monkeypatch, 9999)
    with pytest.raises(InvalidSettingError, match="of disk"):
        build_database(settings(tmp_path))
    assert content(tmp_path) == {}


def test_a_file_that_can_not_be_written(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = storage.write_atomic

    def full(path: Path, content: bytes) -> None:
        if path.name == "wld-1101.egdb":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        write(path, content)

    monkeypatch.setattr(storage, "write_atomic", full)
    with pytest.raises(OSError, match="wld-1101"):
        build_database(settings(tmp_path, pieces=3))
    left = {name: found for name, found in content(tmp_path).items() if name.endswith(files.SUFFIX)}
    assert left.items() < content(small).items()
    monkeypatch.undo()
    build_database(settings(tmp_path, pieces=3))
    assert content(tmp_path) == content(small)


def test_a_damaged_file_stops_the_build_before_it_begins(tmp_path: Path) -> None:
    build_database(settings(tmp_path, pieces=3))
    damaged = tmp_path / "wld-1101.egdb"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    before = content(tmp_path)
    with pytest.raises(InvalidDatabaseError, match="wld-1101.egdb"):
        build_database(settings(tmp_path))
    assert content(tmp_path) == before


def test_an_interrupted_build_goes_on(small: Path, tmp_path: Path) -> None:
    def on_progress(progress: BuildProgress) -> None:
        if progress.pairs_done >= 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_database(settings(tmp_path, pieces=3), on_progress)
    assert content(tmp_path).items() != content(small).items()
    progress = build_database(settings(tmp_path, pieces=3))
    assert progress.earlier > 0
    assert content(tmp_path) == content(small)


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[int, float]] = []
    build_database(settings(tmp_path, pieces=3), lambda progress: told.append((progress.pairs_done, progress.solved)))
    assert told == sorted(told)
    total = sum(slices.pair_size(pair) for count in (2, 3) for pair in slices.pairs(count))
    assert told[-1] == (len(slices.pairs(2)) + len(slices.pairs(3)), pytest.approx(total))
