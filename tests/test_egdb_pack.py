"""Databases that travel as one file: packed, unpacked, resumed, and refused where they are not as they were packed."""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from egdb_pack_reader import read_pack
from egdb_packs import (
    HARMS,
    content,
    emptied,
    flipped_first_bit,
    flipped_last_bit,
    lengthened,
    pack,
    renamed,
    shortened,
    unpack,
    with_files,
)
from refusals import check_refused
from shortages import leave_on_disk
from systems import DEVICE, KILLED, make_fifo

import kr
from kr import cli, system
from kr.egdb import files, slices
from kr.egdb.database import Database
from kr.egdb.packing import PackSettings, pack_database
from kr.errors import InvalidDatabaseError, InvalidSettingError, OutputBusyError

PIECES = 3

# A second process that packs or unpacks, and dies or waits once it has done a given share of a stage.
WORK_AND = """
import os, sys
from pathlib import Path
from kr.egdb import packing
from kr.egdb.packing import PackSettings, UnpackSettings, pack_database, unpack_database

# less than a file
packing.COPIED_AT_ONCE = 200
what, source, target, action, at_stage, share = sys.argv[1:]

def on_progress(stage, done, total):
    if stage != at_stage or done < float(share) * total:
        return
    if action == "die":
        os.kill(os.getpid(), 9)
    print("working", flush=True)
    sys.stdin.read()

if what == "pack":
    pack_database(PackSettings(out=Path(target), dir=Path(source)), on_progress)
else:
    unpack_database(UnpackSettings(file=Path(source), dir=Path(target)), on_progress)
"""


def in_a_second_process(*words: object) -> subprocess.Popen[str]:
    """Run WORK_AND with these words."""
    command = [sys.executable, "-P", "-c", WORK_AND, *map(str, words)]
    # -P: the kr under test, not one in the current directory
    environment = os.environ | {"PYTHONPATH": str(Path(kr.__file__).parents[1])}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def times(directory: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in directory.iterdir()}


# Packing


def test_what_was_packed_is_unpacked(whole: Path, packed: Path, tmp_path: Path) -> None:
    result = unpack(packed, tmp_path / "new" / "egdb")
    assert content(result.directory) == content(whole)
    assert (result.written, result.kept, result.problem) == (len(content(whole)), 0, "")
    assert result.bytes == sum(map(len, content(whole).values()))
    assert Database.open(result.directory).pieces == PIECES


def test_a_reader_by_the_text_alone(whole: Path, packed: Path) -> None:
    found = read_pack(packed.read_bytes())
    assert found == content(whole)
    pairs = list(slices.pairs_up_to(PIECES))
    # values first, fewest pieces first
    assert list(found) == [files.file_name(kind, pair) for kind in files.FILE_KINDS for pair in pairs]


def test_the_same_files_give_the_same_bytes(whole: Path, packed: Path, tmp_path: Path) -> None:
    elsewhere = shutil.copytree(whole, tmp_path / "elsewhere")
    (elsewhere / "notes.txt").write_text("not part of the database\n")
    again = pack(elsewhere, tmp_path / "again.kregdb")
    assert again.out.read_bytes() == packed.read_bytes()
    assert again.checksum == unpack(packed, tmp_path / "new").checksum
    assert again.bytes == packed.stat().st_size


@pytest.mark.parametrize(
    ("changes", "pieces", "kinds"),
    [
        ({}, 3, ("wld", "dtw")),
        ({"pieces": 3}, 3, ("wld", "dtw")),
        ({"pieces": 2}, 2, ("wld", "dtw")),
        ({"distances": False}, 3, ("wld",)),
        ({"pieces": 2, "distances": False}, 2, ("wld",)),
    ],
    ids=str,
)
def test_parts_of_a_database(
    whole: Path, tmp_path: Path, changes: dict[str, Any], pieces: int, kinds: tuple[str, ...]
) -> None:
    result = pack(whole, tmp_path / "part.kregdb", **changes)
    wanted = [files.file_name(kind, pair) for kind in kinds for pair in slices.pairs_up_to(pieces)]
    assert read_pack(result.out.read_bytes()) == {name: content(whole)[name] for name in wanted}
    assert sum(each.files for each in result.contents.values()) == result.files == len(wanted)
    assert list(result.contents) == list(range(2, pieces + 1))
    assert all(each.complete and bool(each.distances) == ("dtw" in kinds) for each in result.contents.values())


def test_some_pairs_beyond_the_complete_ones_are_packed_too(copy: Path, tmp_path: Path) -> None:
    (copy / "wld-2001.egdb").unlink()
    (copy / "dtw-2001.egdb").unlink()
    result = pack(copy, tmp_path / "part.kregdb")
    assert read_pack(result.out.read_bytes()) == content(copy)
    assert [each.complete for each in result.contents.values()] == [True, False]


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("name", ["wld-0101.egdb", "dtw-2010.egdb"])
def test_a_damaged_database_is_not_packed(
    copy: Path, tmp_path: Path, name: str, harm: Callable[[bytes], bytes]
) -> None:
    (copy / name).write_bytes(harm((copy / name).read_bytes()))
    with pytest.raises(InvalidDatabaseError, match=re.escape(str(copy / name))):
        pack(copy, tmp_path / "new" / "three.kregdb")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("harm", [shortened, lengthened, flipped_first_bit])
def test_a_file_that_changes_while_it_is_packed(
    copy: Path, packed: Path, tmp_path: Path, harm: Callable[[bytes], bytes]
) -> None:
    changed = copy / "dtw-2010.egdb"
    good = changed.read_bytes()

    def change(stage: str, done: int, total: int) -> None:
        if stage == "packing":
            changed.write_bytes(harm(good))

    out = tmp_path / "three.kregdb"
    with pytest.raises(InvalidDatabaseError, match=r"dtw-2010\.egdb: changed while"):
        pack_database(PackSettings(out=out, dir=copy), change)
    assert not out.exists()
    changed.write_bytes(good)
    pack(copy, out)
    assert out.read_bytes() == packed.read_bytes()


def test_a_finished_packed_file_is_left_as_it_is(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "three.kregdb"
    assert pack(whole, out).earlier == 0
    before = times(tmp_path)
    assert pack(whole, out).earlier == out.stat().st_size
    assert times(tmp_path) == before


@pytest.mark.parametrize("harm", HARMS)
def test_another_file_of_the_name_is_replaced(
    whole: Path, packed: Path, tmp_path: Path, harm: Callable[[bytes], bytes]
) -> None:
    out = tmp_path / "three.kregdb"
    out.write_bytes(harm(packed.read_bytes()))
    assert pack(whole, out).earlier == 0
    assert content(tmp_path) == {out.name: packed.read_bytes()}


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.01, 0.4, 0.9])
def test_a_killed_pack_goes_on(whole: Path, packed: Path, tmp_path: Path, share: float) -> None:
    out = tmp_path / "three.kregdb"
    process = in_a_second_process("pack", whole, out, "die", "packing", share)
    process.communicate()
    assert process.returncode == KILLED
    assert not out.exists()
    part = (tmp_path / "three.kregdb.part").read_bytes()
    assert packed.read_bytes().startswith(part)
    result = pack(whole, out)
    assert content(tmp_path) == {out.name: packed.read_bytes()}
    assert result.earlier <= len(part) < result.bytes
    assert (result.earlier > 0) == (share > 0.1)


@pytest.mark.parametrize("harm", HARMS)
def test_a_part_that_is_damaged_is_written_again(
    whole: Path, packed: Path, tmp_path: Path, harm: Callable[[bytes], bytes]
) -> None:
    """As far as it is sound it stays."""
    good = packed.read_bytes()
    part = tmp_path / "three.kregdb.part"
    part.write_bytes(harm(good[: len(good) // 2]))
    result = pack(whole, tmp_path / "three.kregdb")
    assert content(tmp_path) == {"three.kregdb": good}
    assert (result.earlier == 0) == (harm in (emptied, flipped_first_bit))
    assert result.earlier <= len(good) // 2


def test_a_whole_part_only_needs_its_name(whole: Path, packed: Path, tmp_path: Path) -> None:
    (tmp_path / "three.kregdb.part").write_bytes(packed.read_bytes() + b"more")
    result = pack(whole, tmp_path / "three.kregdb")
    assert result.earlier == result.bytes
    assert content(tmp_path) == {"three.kregdb": packed.read_bytes()}


def test_a_disk_that_is_full(whole: Path, packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written stays, and the same call goes on once there is room."""
    out = tmp_path / "three.kregdb"

    def full(path: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(system, "flush_file", full)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)) as caught:
        pack(whole, out)
    assert caught.value.filename == str(out)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)) as caught:
        unpack(packed, tmp_path / "new")
    assert caught.value.filename == str(tmp_path / "new")
    assert list(content(tmp_path)) == ["three.kregdb.part"]
    monkeypatch.undo()
    assert pack(whole, out).earlier == packed.stat().st_size
    assert unpack(packed, tmp_path / "new").problem == ""


def test_a_disk_that_is_too_small(whole: Path, packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = packed.stat().st_size
    leave_on_disk(monkeypatch, size - 1)
    with pytest.raises(InvalidSettingError, match=f"needs {size:,} bytes of disk space, {size - 1:,} are free"):
        pack(whole, tmp_path / "three.kregdb")
    (tmp_path / "three.kregdb.part").write_bytes(packed.read_bytes()[:-1])
    pack(whole, tmp_path / "three.kregdb")
    assert content(tmp_path) == {"three.kregdb": packed.read_bytes()}
    need = sum(map(len, content(whole).values()))
    leave_on_disk(monkeypatch, need - 1)
    (tmp_path / "new" / ".unpacking").mkdir(parents=True)
    (tmp_path / "new" / ".unpacking" / "wld-0101.egdb").write_bytes(b"left by a killed run")
    with pytest.raises(InvalidSettingError, match=f"new: this needs {need:,} bytes of disk space"):
        unpack(packed, tmp_path / "new")
    assert content(tmp_path / "new") == {}
    shutil.copy(whole / "wld-0101.egdb", tmp_path / "new")
    assert unpack(packed, tmp_path / "new").kept == 1


@pytest.mark.slow
def test_two_writers(whole: Path, packed: Path, tmp_path: Path) -> None:
    packing_elsewhere = in_a_second_process("pack", whole, tmp_path / "three.kregdb", "wait", "packing", 0.5)
    unpacking_elsewhere = in_a_second_process("unpack", packed, tmp_path / "new", "wait", "unpacking", 0.5)
    for process in (packing_elsewhere, unpacking_elsewhere):
        assert process.stdout is not None
        assert process.stdout.readline() == "working\n"
    with pytest.raises(OutputBusyError, match=r"three\.kregdb is being written"):
        pack(whole, tmp_path / "three.kregdb")
    with pytest.raises(OutputBusyError, match="new is being written"):
        unpack(packed, tmp_path / "new")
    for process in (packing_elsewhere, unpacking_elsewhere):
        process.communicate("")
        assert process.returncode == 0
    assert (tmp_path / "three.kregdb").read_bytes() == packed.read_bytes()
    assert content(tmp_path / "new") == content(whole)


# Unpacking


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_killed_unpack_goes_on(whole: Path, packed: Path, tmp_path: Path, share: float) -> None:
    process = in_a_second_process("unpack", packed, tmp_path, "die", "unpacking", share)
    process.communicate()
    assert process.returncode == KILLED
    before = {name: time for name, time in times(tmp_path).items() if name.endswith(files.SUFFIX)}
    assert all((tmp_path / name).read_bytes() == content(whole)[name] for name in before)
    assert bool(before) == (share > 0)
    result = unpack(packed, tmp_path)
    assert content(tmp_path) == content(whole)
    assert (result.kept, result.written) == (len(before), len(content(whole)) - len(before))
    assert before.items() <= times(tmp_path).items()


def test_files_that_are_there_are_kept(whole: Path, packed: Path, tmp_path: Path) -> None:
    unpack(packed, tmp_path)
    (tmp_path / "dtw-2010.egdb").unlink()
    (tmp_path / "notes.txt").write_text("mine\n")
    before = times(tmp_path)
    result = unpack(packed, tmp_path)
    assert (result.written, result.kept) == (1, len(content(whole)) - 1)
    assert before.items() <= times(tmp_path).items()
    assert content(tmp_path) == content(whole) | {"notes.txt": b"mine\n"}


@pytest.mark.parametrize("harm", HARMS)
def test_a_different_file_is_not_replaced(
    packed: Path, tmp_path: Path, whole: Path, harm: Callable[[bytes], bytes]
) -> None:
    for name in ("wld-1010.egdb", "dtw-2010.egdb"):
        (tmp_path / name).write_bytes(harm(content(whole)[name]))
    before = content(tmp_path)
    with pytest.raises(InvalidDatabaseError, match=r"wld-1010\.egdb: differs .* \(and 1 other file too\)"):
        unpack(packed, tmp_path)
    assert content(tmp_path) == before


def test_a_folder_with_the_name_of_a_file(packed: Path, tmp_path: Path) -> None:
    (tmp_path / "wld-1010.egdb").mkdir()
    with pytest.raises(OSError, match="not a regular file"):
        unpack(packed, tmp_path)
    assert content(tmp_path) == {}


# Commands


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory, whole: Path, packed: Path) -> Path:
    """Working directory of the commands, with good and bad databases."""
    directory = tmp_path_factory.mktemp("places")
    good = packed.read_bytes()
    shutil.copytree(whole, directory / "good")
    for name, bad in {
        "good": good,
        "empty": b"",
        "text": b"hello\n" * 100,
        "newer": good[:8] + b"\2" + good[9:],
        "header": good[:60] + bytes([good[60] ^ 1]) + good[61:],
        "path": with_files(good, renamed("../wld-0101.egdb")),
        "longer": good + good,
    }.items():
        (directory / f"{name}.kregdb").write_bytes(bad)
    shutil.copytree(whole, directory / "damaged")
    (directory / "damaged" / "wld-0101.egdb").write_bytes(flipped_last_bit(content(whole)["wld-0101.egdb"]))
    (directory / "nofiles").mkdir()
    return directory


# Command line, exit code, part of the line on stderr.
CASES = [
    ("egdb unpack nothere.kregdb --dir new", 1, "nothere.kregdb"),
    ("egdb unpack good --dir new", 1, "good: not a regular file"),
    ("egdb unpack empty.kregdb --dir new", 1, "empty.kregdb: not a packed endgame database: the file is empty"),
    ("egdb unpack text.kregdb --dir new", 1, "text.kregdb: not a packed endgame database"),
    ("egdb unpack newer.kregdb --dir new", 1, "newer.kregdb: packed endgame database: format version 2"),
    ("egdb unpack header.kregdb --dir new", 1, "header.kregdb: damaged packed endgame database: its header"),
    ("egdb unpack path.kregdb --dir new", 1, "path.kregdb: damaged packed endgame database: invalid header: '../wld"),
    ("egdb unpack longer.kregdb --dir new", 1, "longer.kregdb: damaged packed endgame database: it has"),
    ("egdb unpack good.kregdb --dir damaged", 1, "wld-0101.egdb: differs from the file of this name in good.kregdb; "),
    ("egdb unpack good.kregdb --dir text.kregdb", 2, "text.kregdb is not a directory"),
    ("egdb unpack --dir new", 2, "FILE"),
    ("egdb pack --dir good", 2, "--out"),
    ("egdb pack --dir good --out nofiles", 2, "nofiles is a directory"),
    ("egdb pack --dir good --out text.kregdb/new", 2, "text.kregdb is not a directory"),
    ("egdb pack --dir good --out good/wld-0101.egdb", 2, "wld-0101.egdb is the name of a file of a database"),
    ("egdb pack --dir good --out new.kregdb --pieces 4", 2, "good has files of at most 3 pieces"),
    ("egdb pack --dir damaged --out new.kregdb", 1, "wld-0101.egdb: damaged"),
    ("egdb pack --dir nofiles --out new.kregdb", 1, "nofiles: no endgame database here"),
    ("egdb pack --dir nothere --out new.kregdb", 1, "nothere: "),
    ("egdb pack --dir text.kregdb --out new.kregdb", 1, "text.kregdb: "),
    (f"egdb pack --dir good --out {DEVICE}", 2, "not a regular file"),
]


@pytest.mark.parametrize(("line", "code", "said"), CASES, ids=[case[0] for case in CASES])
def test_bad_input_is_one_line(
    places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, code: int, said: str
) -> None:
    monkeypatch.chdir(places)
    before = content(places)
    check_refused(capsys, line, code, said)
    assert content(places) == before
    assert not (places / "new").exists()


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    make_fifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        unpack(tmp_path / "pipe", tmp_path / "new")


def run(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> tuple[str, str]:
    """Output of a command on stdout and stderr."""
    assert cli.main(["egdb", *map(str, words)]) == code
    out, err = capsys.readouterr()
    return out, err


def test_commands(
    whole: Path, packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    checksum = packed.read_bytes()[16:48].hex()
    out, err = run(capsys, "pack", "--dir", whole, "--out", tmp_path / "three.kregdb")
    assert err == f"wrote {tmp_path / 'three.kregdb'}: 18 files\n"
    assert checksum in out
    out, err = run(capsys, "unpack", tmp_path / "three.kregdb", "--dir", tmp_path / "new", "--json")
    found = json.loads(out)
    assert (found["written"], found["checksum"], found["problem"], err) == (18, checksum, "", "")
    assert found["contents"]["3"]["complete"] is True
    out, err = run(capsys, "unpack", tmp_path / "three.kregdb", "--dir", tmp_path / "new")
    assert "0 files written" in out
    assert "18 files there before" in out
    assert err == ""
    out, err = run(capsys, "pack", "--dir", whole, "--pieces", 2, "--no-distances", "--out", tmp_path / "x", "--json")
    assert json.loads(out)["contents"].keys() == {"2"}


def test_a_packed_file_that_is_cut_short_is_1(packed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = packed.read_bytes()
    path = tmp_path / "three.kregdb"
    path.write_bytes(good[:-1])
    for words in ((), ("--json",)):
        out, err = run(capsys, "unpack", path, "--dir", tmp_path / "new", *words, code=1)
        assert out
        assert err == (
            f"kr: {path}: cut short after {len(good) - 1:,} of {len(good):,} bytes: {list(read_pack(good))[-1]} is "
            "missing; run the same command with a sound copy to resume\n"
        )
    path.write_bytes(good)
    assert "1 file written" in " ".join(run(capsys, "unpack", path, "--dir", tmp_path / "new")[0].split())
