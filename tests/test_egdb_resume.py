"""Builds of some classes, with checkpoints, kept values and little memory: the same files as a build of all at once."""

import gc
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shortages import leave_on_disk
from systems import KILLED
from test_egdb_build import content, in_a_second_process, settings

from kr import storage, system
from kr.egdb import build as building
from kr.egdb import encoding, files, slices, solving, values
from kr.egdb.build import JOURNAL_NAME, BuildProgress, build_database, wanted_pairs
from kr.egdb.slices import Shape
from kr.errors import InvalidDatabaseError, InvalidSettingError, OutputBusyError

pytestmark = [pytest.mark.core, pytest.mark.slow]

PAIR = (0, 2, 1, 0)
"""A pair of the tests of single files."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Files of all positions with up to 4 pieces."""
    directory = tmp_path_factory.mktemp("egdb")
    build_database(settings(directory))
    return content(directory)


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Those of up to 3 pieces."""
    directory = tmp_path_factory.mktemp("few")
    build_database(settings(directory, pieces=3))
    return content(directory)


@pytest.fixture
def checkpoints(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Steps that each pair was taken up at, where a checkpoint is written after each step."""
    monkeypatch.setattr(solving, "CHECKPOINT_SECONDS", 0.0)
    begun: list[int] = []
    begin = solving._Solving._first_values

    def noted(self: solving._Solving) -> dict[Shape, values.SliceValues]:
        found = begin(self)
        begun.append(self.step_count)
        return found

    monkeypatch.setattr(solving._Solving, "_first_values", noted)
    return begun


def names_of(classes: list[tuple[int, int]]) -> set[str]:
    """Files of classes, with distances."""
    pairs = [pair for each in classes for pair in slices.class_pairs(each)]
    return {files.file_name(kind, pair) for kind in files.FILE_KINDS for pair in pairs}


CLASSES = {
    "3v1": [(1, 1), (2, 1), (3, 1)],
    "2v2": [(1, 1), (2, 1), (2, 2)],
    "2v2,3v1": [(1, 1), (2, 1), (2, 2), (3, 1)],
}


@pytest.mark.parametrize(
    "classes", ["3v1", *(pytest.param(each, marks=pytest.mark.soak) for each in CLASSES if each != "3v1")]
)
def test_classes_have_the_files_of_a_whole_build(whole: dict[str, bytes], tmp_path: Path, classes: str) -> None:
    progress = build_database(settings(tmp_path, classes=classes))
    made = content(tmp_path)
    assert made.items() <= whole.items()
    assert made.keys() == names_of(CLASSES[classes])
    assert progress.positions == sum(map(slices.pair_size, wanted_pairs(settings(tmp_path, classes=classes))))


def test_a_database_grows_by_classes(whole: dict[str, bytes], tmp_path: Path) -> None:
    build_database(settings(tmp_path, classes="2v2"))
    build_database(settings(tmp_path, classes="3v1"))
    assert content(tmp_path) == whole


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"classes": "4x4"}, "'4x4' is not a class"),
        ({"classes": "4v"}, "'4v' is not a class"),
        ({"classes": "0v4"}, "'0v4' is not a class"),
        ({"classes": "5v4"}, "'5v4' is not a class"),
        ({"classes": "3v2"}, "3v2 has 5 pieces, but --pieces is 4"),
    ],
    ids=str,
)
def test_classes_that_no_build_has(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidSettingError, match=f"--classes {changes['classes']}: {message}"):
        build_database(settings(tmp_path, **changes))
    assert content(tmp_path) == {}


# Little memory


@pytest.mark.parametrize(
    ("memory", "expected"),
    [pytest.param(0, {"_Mapped"}, marks=pytest.mark.soak), (20_000, {"_Mapped", "_Read"})],
)
def test_values_that_do_not_fit_are_mapped(
    few: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: int, expected: set[str]
) -> None:
    ways: list[str] = []

    class Room(values.ValuesRoom):
        def enter(self, *arguments: Any) -> list[Any]:
            found = super().enter(*arguments)
            ways.extend(type(each).__name__ for each in found)
            self.drop()
            return list(found)

    monkeypatch.setattr(building, "ValuesRoom", lambda _: Room(memory))
    build_database(settings(tmp_path, pieces=3, workers=1))
    assert content(tmp_path) == few
    assert set(ways) == expected


@pytest.mark.posix("files that are cut short while they are mapped")
@pytest.mark.parametrize(
    "left", [pytest.param(0, marks=pytest.mark.soak), pytest.param(64, marks=pytest.mark.soak), 5000, -3]
)
def test_values_that_are_cut_short_while_they_are_mapped(
    few: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: int
) -> None:
    class Room(values.ValuesRoom):
        def enter(self, pair: Shape, own: int, wanted: Any) -> list[Any]:
            found = super().enter(pair, own, wanted)
            for path, _ in wanted.values():
                if sum(pair) == 3:
                    os.truncate(path, left if left >= 0 else path.stat().st_size + left)
            return list(found)

    with monkeypatch.context() as patch:
        patch.setattr(building, "ValuesRoom", lambda _: Room(0))
        with pytest.raises(InvalidDatabaseError, match=r"values-.*\.bin was cut short by another program"):
            build_database(settings(tmp_path, pieces=3, workers=1))
    # the error's frames have the mappings
    gc.collect()
    build_database(settings(tmp_path, pieces=3))
    assert content(tmp_path) == few


BUS_ERROR = """
import faulthandler, mmap, os, sys, numpy
from pathlib import Path
from kr import _egdb
if sys.argv[1] == "before":
    faulthandler.enable(open(os.devnull, "w"))
maps = []
for number in range(2):
    path = Path(sys.argv[2]) / str(number)
    path.write_bytes(bytes([7]) * 100_000)
    maps.append(mmap.mmap(os.open(path, os.O_RDONLY), 0, access=mmap.ACCESS_READ))
    os.truncate(path, 0)
file = _egdb.MappedFile(maps[0])
assert not file.was_cut
assert maps[0][50_000] == 0 and file.was_cut
assert maps[0][99_999] == 0 and maps[0][0] == 0
if sys.argv[1] == "after":
    faulthandler.enable(open(os.devnull, "w"))
maps[1][0]
"""


@pytest.mark.core
@pytest.mark.posix("files that are cut short while they are mapped")
@pytest.mark.parametrize("other", ["none", "before", "after"])
def test_other_bus_errors_end_the_process(tmp_path: Path, other: str) -> None:
    """Those of a mapping that is not watched, whoever else has a handler."""
    # sanitizers end it in their own way
    own = os.environ | {"ASAN_OPTIONS": "detect_leaks=0:handle_sigbus=0"}
    done = subprocess.run([sys.executable, "-c", BUS_ERROR, other, tmp_path], capture_output=True, env=own, timeout=60)
    assert (done.returncode, done.stderr) == (-signal.SIGBUS, b"")


@pytest.mark.parametrize("size", [0, 3])
def test_values_that_were_cut_short_before_they_are_read(tmp_path: Path, size: int) -> None:
    pair, path = (0, 1, 0, 1), tmp_path / "values"
    values.write_values(path, pair, values.empty_values(pair, False))
    path.write_bytes(path.read_bytes()[:size])
    for memory in (0, 1 << 30):
        with pytest.raises(InvalidDatabaseError, match="values was cut short"):
            values.ValuesRoom(memory).enter((1, 1, 0, 1), 0, {pair: (path, False)})


def test_a_room_lets_go_what_was_used_longest_ago(tmp_path: Path) -> None:
    """What is in memory needs its file no more."""
    first, second, third = sorted(slices.pairs(3), key=slices.pair_size)[-3:]
    files_of_values = {}
    for pair in (first, second, third):
        files_of_values[pair] = tmp_path / slices.name(pair), False
        values.write_values(files_of_values[pair][0], pair, values.empty_values(pair, False))
    room = values.ValuesRoom(values.file_bytes(first, False) + values.file_bytes(third, False))

    def look_up(pair: Shape) -> None:
        room.enter((0, 4, 0, 4), 0, {pair: files_of_values[pair]})
        room.leave((0, 4, 0, 4))

    for pair in (first, second, first, third):
        look_up(pair)
    for path, _ in files_of_values.values():
        path.unlink()
    look_up(first)
    look_up(third)
    with pytest.raises(FileNotFoundError):
        look_up(second)
    # memory of its own takes the place of values that nobody else looks up, also of those that it looks up itself
    with pytest.raises(FileNotFoundError):
        room.enter((0, 4, 0, 4), values.file_bytes(first, False), {third: files_of_values[third]})
    room.leave((0, 4, 0, 4))
    with pytest.raises(FileNotFoundError):
        look_up(first)


def test_mapped_pages_are_given_back_beyond_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dropped: list[int] = []
    resident = iter([1 << 20, 1 << 40])
    monkeypatch.setattr(system, "resident_memory", lambda: next(resident, 1 << 20))
    monkeypatch.setattr(building, "MEMORY_LOOK_SECONDS", 0.001)
    monkeypatch.setattr(values.ValuesRoom, "drop", lambda self: dropped.append(1))
    build_database(settings(tmp_path, pieces=3))
    assert dropped == [1]


# Kept values


def test_kept_values_serve_other_builds(few: dict[str, bytes], tmp_path: Path) -> None:
    kept = tmp_path / "values"
    build_database(settings(tmp_path / "first", pieces=2, keep_values=kept))
    stamps = {path: path.stat().st_mtime_ns for path in kept.iterdir()}
    assert len(stamps) == sum(1 for _ in slices.pairs_up_to(2))
    second = tmp_path / "second"
    second.mkdir()
    for path in (tmp_path / "first").glob("*" + files.SUFFIX):
        shutil.copy(path, second)
    progress = build_database(settings(second, pieces=3, keep_values=kept))
    assert {each["pair"] for each in progress.written} == {slices.name(pair) for pair in slices.pairs(3)}
    assert content(second) == few
    assert {path: path.stat().st_mtime_ns for path in stamps} == stamps


@pytest.mark.costly
def test_kept_values_are_not_solved_again(few: dict[str, bytes], tmp_path: Path, checkpoints: list[int]) -> None:
    kept = tmp_path / "values"
    build_database(settings(tmp_path / "first", pieces=3, keep_values=kept))
    stamps = {path: path.stat().st_mtime_ns for path in kept.iterdir()}
    checkpoints.clear()
    progress = build_database(settings(tmp_path / "second", pieces=3, keep_values=kept))
    # what was found done is no part of the rate, neither of the progress nor of the next estimate
    assert (progress.earlier, round(progress.solved)) == (progress.positions, 0)
    entries = [json.loads(line) for line in (tmp_path / "second" / JOURNAL_NAME).read_text().splitlines()]
    assert all(each["earlier"] == each["positions"] for each in entries)
    assert len(checkpoints) == len(list(slices.pairs_up_to(3)))
    assert all(checkpoints)
    assert content(tmp_path / "second") == few
    assert {path: path.stat().st_mtime_ns for path in kept.iterdir()} == stamps


def test_a_pair_interrupted_while_its_file_is_encoded(
    few: dict[str, bytes], tmp_path: Path, checkpoints: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: encoding.ValuesEncoding) -> Iterator[list[encoding.EncodingTask]]:
        raise KeyboardInterrupt
        yield []

    with monkeypatch.context() as changed:
        changed.setattr(encoding.ValuesEncoding, "steps", interrupt)
        with pytest.raises(KeyboardInterrupt):
            build_database(settings(tmp_path, pieces=3, workers=1))
    checkpoints.clear()
    build_database(settings(tmp_path, pieces=3, workers=1))
    assert checkpoints[0] > 0
    assert content(tmp_path) == few


def test_two_builds_keep_values_in_one_directory(tmp_path: Path) -> None:
    kept = tmp_path / "values"
    with storage.lock(kept), pytest.raises(OutputBusyError, match=re.escape(str(kept))):
        build_database(settings(tmp_path / "egdb", pieces=3, keep_values=kept))
    assert content(tmp_path / "egdb") == {}


@pytest.fixture
def one_file(tmp_path: Path) -> Path:
    path = tmp_path / "values.bin"
    own = values.empty_values(PAIR, True)
    for each in own.values():
        each.values[:] = 0x123456789ABCDEF0
    values.write_values(path, PAIR, own)
    return path


@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_flipped_bit_is_seen(tmp_path_factory: pytest.TempPathFactory, place: float, bit: int) -> None:
    path = tmp_path_factory.mktemp("values") / "values.bin"
    values.write_values(path, PAIR, values.empty_values(PAIR, True))
    assert values.is_good(path, PAIR, True)
    found = bytearray(path.read_bytes())
    found[int(place * len(found))] ^= 1 << bit
    path.write_bytes(found)
    assert not values.is_good(path, PAIR, True)


def test_what_is_not_a_file_of_values(one_file: Path, tmp_path: Path) -> None:
    assert values.is_good(one_file, PAIR, True)
    assert not values.is_good(one_file, PAIR, False)
    assert not values.is_good(one_file, (1, 1, 1, 0), True)
    assert not values.is_good(tmp_path / "none", PAIR, True)
    (tmp_path / "short").write_bytes(one_file.read_bytes()[:40])
    assert not values.is_good(tmp_path / "short", PAIR, True)
    read = values.read_values(one_file, PAIR, True)
    assert [each.values.tolist() for each in read.values()] == [
        [0x123456789ABCDEF0] * values.words(shape) for shape in slices.members(PAIR)
    ]


# Checkpoints

BUILD_WITH_CHECKPOINTS = """
from kr.egdb import solving
solving.CHECKPOINT_SECONDS = 0.0
"""


@pytest.mark.parametrize(
    ("pieces", "parts"),
    [pytest.param(4, 40, marks=pytest.mark.soak), (3, 30), pytest.param(4, 160, marks=pytest.mark.soak)],
)
def test_a_pair_goes_on_from_its_checkpoint(
    request: pytest.FixtureRequest, tmp_path: Path, checkpoints: list[int], pieces: int, parts: int
) -> None:
    seen = 0

    def interrupt(progress: BuildProgress) -> None:
        nonlocal seen
        seen += 1
        if seen == parts:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_database(settings(tmp_path, pieces=pieces, workers=1), interrupt)
    assert list((tmp_path / building.VALUES_FOLDER).glob("solved-*.bin"))
    checkpoints.clear()
    progress = build_database(settings(tmp_path, pieces=pieces, workers=1))
    assert any(checkpoints)
    assert content(tmp_path) == request.getfixturevalue("whole" if pieces == 4 else "few")
    assert progress.solved == pytest.approx(progress.positions - progress.earlier)


def test_a_killed_pair_goes_on(
    few: dict[str, bytes], tmp_path: Path, checkpoints: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    import test_egdb_build

    script = BUILD_WITH_CHECKPOINTS + test_egdb_build.BUILD_AND.replace("progress.pairs_done", "progress.solved / 1e4")
    monkeypatch.setattr(test_egdb_build, "BUILD_AND", script)
    killed = in_a_second_process(tmp_path, 3, 12)
    killed.communicate()
    assert killed.returncode == KILLED
    assert list((tmp_path / building.VALUES_FOLDER).glob("solved-*.bin"))
    build_database(settings(tmp_path, pieces=3, workers=1))
    assert any(checkpoints)
    assert content(tmp_path) == few


def test_a_damaged_checkpoint_is_left(few: dict[str, bytes], tmp_path: Path, checkpoints: list[int]) -> None:
    pair = slices.pairs(3)[-1]

    def interrupt(progress: BuildProgress) -> None:
        if path.exists():
            raise KeyboardInterrupt

    path = tmp_path / building.VALUES_FOLDER / f"solved-{slices.name(pair)}.bin"
    with pytest.raises(KeyboardInterrupt):
        build_database(settings(tmp_path, pieces=3, workers=1), interrupt)
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    checkpoints.clear()
    build_database(settings(tmp_path, pieces=3, workers=1))
    assert 0 in checkpoints
    assert content(tmp_path) == few


# Files


def test_the_parts_of_an_encoding_make_no_difference(
    few: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding, "PART_ENTRIES", 1 << 12)
    monkeypatch.setattr(solving, "MARKED_AT_ONCE", 5000)
    build_database(settings(tmp_path, pieces=3))
    assert content(tmp_path) == few


# Disk


def test_disk_that_runs_out_amid_a_build(
    few: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(progress: BuildProgress) -> None:
        if progress.pairs_done == 4:
            leave_on_disk(monkeypatch, 99)

    with pytest.raises(InvalidSettingError, match="of disk space"):
        build_database(settings(tmp_path, pieces=3), fill)
    monkeypatch.undo()
    assert {name for name in content(tmp_path) if name.endswith(files.SUFFIX)} <= few.keys()
    progress = build_database(settings(tmp_path, pieces=3))
    assert progress.earlier > 0
    assert content(tmp_path) == few


def test_a_journal_has_a_line_for_each_pair(tmp_path: Path) -> None:
    build_database(settings(tmp_path, pieces=3, workers=1))
    lines = [json.loads(line) for line in (tmp_path / building.JOURNAL_NAME).read_text().splitlines()]
    assert {each["pair"] for each in lines} == {slices.name(pair) for pair in slices.pairs_up_to(3)}
    assert sum(each["positions"] for each in lines) == sum(map(slices.pair_size, slices.pairs_up_to(3)))
    assert all(each["bytes"] > 0 and each["seconds"] > 0 and each["workers"] == 1 for each in lines)
    assert os.name == "nt" or all(each["resident"] > 1 << 20 for each in lines)
