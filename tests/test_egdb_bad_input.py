"""Endgame databases that are missing, foreign, old, truncated or damaged are refused in one line, and never used."""

import errno
import json
import os
import shutil
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import egdb_reference
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from refusals import check_refused
from shortages import leave_on_disk
from systems import POSIX, interrupt, start

import kr
from kr import _egdb, cli
from kr.egdb import files
from kr.egdb.build import JOURNAL_NAME, VALUES_FOLDER, BuildSettings, build_database
from kr.egdb.database import Database
from kr.errors import InvalidDatabaseError
from kr.game.position import Position

pytestmark = pytest.mark.core

KEPT = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)

# Start of a file: magic, version, bytes of the header's JSON text, CRC-32 of these numbers and the text.
FIXED = struct.Struct("<8sIII")
MAGIC = b"\x89KREGDB\n"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All positions of 2 pieces, with distances."""
    directory = tmp_path_factory.mktemp("whole")
    build_database(BuildSettings(pieces=2, dir=directory, workers=1))
    return directory


@cache
def expected() -> tuple[NDArray[np.uint32], NDArray[np.uint8], list[int]]:
    """The positions of 2 pieces, with values and distances by the reference."""
    shapes = egdb_reference.shapes(2)
    distances = egdb_reference.solve(bits for shape in shapes for bits in egdb_reference.positions(shape))
    known = {bits: plies for bits, plies in distances.items() if bits[0] and bits[1]}
    boards = [egdb_reference.bits_with_side(bits, side) for bits in known for side in (0, 1)]
    twice = [plies for plies in known.values() for _ in (0, 1)]
    values = np.array([egdb_reference.value(plies) for plies in twice], dtype=np.uint8)
    return np.array(boards, dtype=np.uint32), values, [-1 if plies is None else plies for plies in twice]


def is_refused(directory: Path, *, step: int = 1) -> bool:
    """True if a damaged database is refused, at the latest when it is read; its answers before that must be right.

    step: distances are asked for in every so manieth position.
    """
    try:
        database = Database.open(directory)
    except InvalidDatabaseError as error:
        check_message(error, directory)
        return True
    boards, right, right_plies = expected()
    values = np.empty(len(boards), dtype=np.uint8)
    database.core.probe_batch(boards, values)
    told = values != _egdb.VALUE_UNKNOWN
    assert (values[told] == right[told]).all()
    plies = [database.core.distance(*board) for board in boards[::step].tolist()]
    assert all(found in (known, -1) for found, known in zip(plies, right_plies[::step], strict=True))
    try:
        database.raise_damage()
    except InvalidDatabaseError as error:
        check_message(error, directory)
        return True
    assert told.all()
    assert plies == right_plies[::step] or database.distance_pieces < 2
    return False


def check_message(error: InvalidDatabaseError, directory: Path) -> None:
    assert str(directory) in str(error)
    assert "\n" not in str(error)


def paths(directory: Path) -> list[Path]:
    return sorted(directory.glob("*" + files.SUFFIX))


def test_a_whole_database_is_not_refused(whole: Path) -> None:
    assert not is_refused(whole)
    assert Database.open(whole).distance_pieces == 2
    assert len(paths(whole)) == 6


@pytest.mark.slow
@pytest.mark.parametrize("kind", files.FILE_KINDS)
def test_any_byte_that_is_changed(copy: Path, kind: str) -> None:
    """Damage to each byte of a file in turn. Only padding between the parts may go unnoticed."""
    path = copy / f"{kind}-1010.egdb"
    good = path.read_bytes()
    header = files.read_header(path)
    read = FIXED.size + FIXED.unpack_from(good)[2] + header.index_bytes + header.data_bytes
    unnoticed = 0
    for at in range(len(good)):
        path.write_bytes(good[:at] + bytes([good[at] ^ 1 << at % 8]) + good[at + 1 :])
        unnoticed += not is_refused(copy, step=50)
    assert unnoticed <= len(good) - read


@pytest.mark.slow
@KEPT
@given(data=st.data())
def test_stretches_that_are_lost(copy: Path, whole: Path, data: st.DataObject) -> None:
    """A stretch of zeros, a stretch removed or repeated, an end truncated or extended."""
    path = data.draw(st.sampled_from(paths(copy)))
    good = (whole / path.name).read_bytes()
    begin = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(begin, len(good)))
    harmed = data.draw(
        st.sampled_from(
            [
                good[:begin] + bytes(end - begin) + good[end:],
                good[:begin] + good[end:],
                good[:end] + good[begin:],
                good[:begin],
                good + good[begin:end],
            ]
        )
    )
    path.write_bytes(harmed)
    refused = is_refused(copy)
    assert refused or len(harmed) == len(good)
    path.write_bytes(good)


def test_files_under_the_name_of_another(copy: Path, whole: Path) -> None:
    for path in paths(whole):
        for other in paths(whole):
            if other != path:
                shutil.copy(other, copy / path.name)
                assert is_refused(copy)
        shutil.copy(path, copy)


def remade(good: bytes, changes: dict[str, Any], body: Callable[[bytes], bytes] = bytes) -> bytes:
    """A file with other header fields and entries, and the checksums that these need."""
    _, version, size, _ = FIXED.unpack_from(good)
    header = json.loads(good[FIXED.size : FIXED.size + size])
    start = -(-(FIXED.size + size) // 64) * 64
    entries = body(good[start : start + header["index_bytes"] + header["data_bytes"] + _egdb.CODE_PAD])
    text = json.dumps(header | changes).encode()
    check = zlib.crc32(text, zlib.crc32(FIXED.pack(MAGIC, version, len(text), 0)[:-4]))
    begin = FIXED.pack(MAGIC, version, len(text), check) + text
    checks = [zlib.crc32(entries[at : at + _egdb.CODE_CHUNK]) for at in range(0, len(entries), _egdb.CODE_CHUNK)]
    padded = [part.ljust(-(-len(part) // 64) * 64, b"\0") for part in (begin, entries)]
    return b"".join(padded) + struct.pack(f"<{len(checks)}I", *checks)


def use(directory: Path) -> None:
    """Read a database with false contents. Its answers may be wrong, but nothing worse may happen."""
    try:
        database = Database.open(directory)
        boards, *_ = expected()
        database.core.probe_batch(boards, np.empty(len(boards), dtype=np.uint8))
        for board in boards[::50].tolist():
            database.core.distance(*board)
        Database.open(directory, unpack_bytes=0)
    except InvalidDatabaseError as error:
        check_message(error, directory)


def test_a_file_is_remade_as_it_was(whole: Path) -> None:
    for path in paths(whole):
        header = json.loads(path.read_bytes()[FIXED.size :].split(b"\0")[0])
        assert len(remade(path.read_bytes(), {})) >= len(path.read_bytes())
        assert files.read_header(path).entries == header["entries"]


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)
FIELDS = ["kind", "stored", "entries", "block_bits", "index_bytes", "data_bytes", "codes", "facts", "made", "more"]


@pytest.mark.slow
@KEPT
@given(data=st.data())
def test_headers_that_lie(copy: Path, whole: Path, data: st.DataObject) -> None:
    """Damage with right checksums, which only a malicious or faulty program writes."""
    path = data.draw(st.sampled_from(paths(copy)))
    good = (whole / path.name).read_bytes()
    near = st.sampled_from(["wld", "dtw", "0101", "1010", "9999", "", ["1"], ["01", "2", "11"], 7, 15, 16, 992, 24, 0])
    changes = data.draw(st.dictionaries(st.sampled_from(FIELDS), near | ANY_JSON, min_size=1, max_size=3))
    path.write_bytes(remade(good, changes))
    use(copy)
    path.write_bytes(good)


@pytest.mark.slow
@KEPT
@given(data=st.data())
def test_entries_that_lie(copy: Path, whole: Path, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(paths(copy)))
    good = (whole / path.name).read_bytes()
    seed = data.draw(st.integers(0, 2**32))
    share = data.draw(st.sampled_from([0.01, 0.1, 1.0]))

    def noise(entries: bytes) -> bytes:
        chance = np.random.default_rng(seed)
        hit = chance.random(len(entries)) < share
        old = np.frombuffer(entries, dtype=np.uint8)
        return np.where(hit, chance.integers(0, 256, len(entries)), old).astype(np.uint8).tobytes()

    path.write_bytes(remade(good, {}, noise))
    use(copy)
    path.write_bytes(good)


def test_the_kinds_of_damage_are_named(copy: Path) -> None:
    path = copy / "wld-0101.egdb"
    good = path.read_bytes()
    for bad, said in [
        (b"", "the file is empty"),
        (b"hello\n" * 100, "not a kr endgame database"),
        (b"\x89HDF\r\n\x1a\n" + bytes(500), "not a kr endgame database"),
        (good[:10], "10 bytes"),
        (good[:100], "header"),
        (good[:-1], f"{len(good) - 1} bytes instead of {len(good)}"),
        (good + b"\0", f"{len(good) + 1} bytes instead of {len(good)}"),
        (good[:8] + struct.pack("<I", 0) + good[12:], "format version 0"),
        (good[:8] + struct.pack("<I", 99) + good[12:], "format version 99"),
        (good[:30] + b"?" + good[31:], "checksum"),
    ]:
        path.write_bytes(bad)
        with pytest.raises(InvalidDatabaseError, match=f"wld-0101.egdb: .*{said}"):
            Database.open(copy)


def test_of_a_pair_both_kinds_may_be_missing(copy: Path) -> None:
    (copy / "dtw-0110.egdb").unlink()
    assert not is_refused(copy)
    (copy / "wld-0110.egdb").unlink()
    assert is_refused(copy)


def test_damage_that_is_found_while_probing(copy: Path) -> None:
    """Chunks are checked when they are read: a damaged one gives no value, and the error names the file."""
    path = copy / "wld-0101.egdb"
    good = path.read_bytes()
    path.write_bytes(good[:-70] + bytes([good[-70] ^ 1]) + good[-69:])
    database = Database.open(copy, unpack_bytes=0)
    position = Position.from_fen("B:WK1:BK32")
    for _ in range(2):
        with pytest.raises(InvalidDatabaseError, match="wld-0101.egdb: .*1 king v 1 king"):
            database.value(position)
    assert database.value(Position.from_fen("B:W30:B25")) == "win"


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory, whole: Path) -> Path:
    """Working directory of the commands, with good and bad databases."""
    directory = tmp_path_factory.mktemp("places")
    good = (whole / "wld-0101.egdb").read_bytes()
    shutil.copytree(whole, directory / "good")
    for name, bad in {
        "foreign": b"hello\n" * 100,
        "empty": b"",
        "older": good[:8] + b"\0" + good[9:],
        "truncated": good[:-40],
        "flipped": good[:-70] + bytes([good[-70] ^ 1]) + good[-69:],
        "header": good[:60] + bytes([good[60] ^ 1]) + good[61:],
    }.items():
        shutil.copytree(whole, directory / name)
        (directory / name / "wld-0101.egdb").write_bytes(bad)
    shutil.copytree(whole, directory / "part")
    (directory / "part" / "wld-0101.egdb").unlink()
    (directory / "nofiles").mkdir()
    (directory / "text").write_text("hello\n")
    return directory


FEN = "W:WK30:BK1"
HARMED = {
    "foreign": "wld-0101.egdb: not a kr endgame database",
    "empty": "wld-0101.egdb: not a kr endgame database",
    "older": "wld-0101.egdb: endgame database of format version 0",
    "truncated": "wld-0101.egdb: damaged",
    "flipped": "wld-0101.egdb: damaged",
    "header": "wld-0101.egdb: damaged",
    "part": "part: ",
    "nofiles": "nofiles: ",
    "text": "text: ",
    "nothere": "nothere: ",
}
# Command line, exit code, part of the line on stderr.
CASES = [
    *[(f"egdb probe {FEN} --dir {name}", 1, said) for name, said in HARMED.items()],
    *[(f"egdb sample --pieces 2 --dir {name} --out new.h5", 1, said) for name, said in HARMED.items()],
    # stats reads headers only, and shows incomplete piece counts too
    *[(f"egdb stats --dir {name}", 1, HARMED[name]) for name in HARMED if name not in ("flipped", "part")],
    *[(f"egdb build --pieces 3 --dir {name}", 1, HARMED[name]) for name in ("foreign", "empty", "older", "truncated")],
    ("egdb probe rubbish --dir good", 2, "three fields"),
    ("egdb probe W:W21,K33:B1 --dir good", 2, "'33' does not exist"),
    ("egdb probe W:W1:B2 --dir good", 2, "king row"),
    ("egdb probe B:W21:B30 --dir good", 2, "king row"),
    ("egdb probe W:W21,K21:B1 --dir good", 2, "21"),
    ("egdb probe W:W21,K30:B1,2 --dir good", 2, "4 pieces"),
    ("egdb build --pieces 3 --dir new --memory 1", 2, "memory"),
    ("egdb build --pieces 8 --dir nofiles --memory 1GB", 2, "of memory"),
    ("egdb build --pieces 2 --dir text", 2, "text is not a directory"),
    ("egdb build --pieces 2 --dir text/new", 2, "text is not a directory"),
    ("egdb sample --dir good --out new.h5 --pieces 2-9", 2, "pieces"),
    ("egdb sample --dir good --out new.h5 --pieces 3", 2, "pieces"),
    ("egdb sample --dir good --out new.h5 --pieces 2 --fraction nan", 2, "fraction"),
    ("egdb sample --dir good --out new.h5 --pieces 2v9", 2, "pieces"),
    ("egdb sample --dir good --out new.h5 --pieces 2 --count 1e9", 2, "count"),
    ("egdb sample --dir good --out new.h5 --pieces 2 --count 9 --fraction 0.1", 2, "count, fraction: both"),
    ("egdb sample --dir good --out new.h5 --pieces 2 --stratify value", 2, "stratify"),
    ("egdb export text --out new.npz", 1, "text: not a file of sampled positions"),
    ("egdb export text --out new.csv", 2, "new.csv"),
    ("egdb sample --dir good --out nofiles --pieces 2", 2, "nofiles is a directory"),
    ("egdb sample --dir good --out text/new.h5 --pieces 2", 2, "text is not a directory"),
]


PROC = "egdb build --pieces 2 --dir /proc/new", 1, "/proc/new"


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [*(pytest.param(*case, id=case[0]) for case in CASES), pytest.param(*PROC, marks=pytest.mark.posix("no /proc"))],
)
def test_bad_input_is_one_line(
    places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, line: str, code: int, said: str
) -> None:
    monkeypatch.chdir(places)
    before = {path: path.read_bytes() for path in places.rglob("*") if path.is_file()}
    check_refused(capsys, line, code, said)
    assert {path: path.read_bytes() for path in places.rglob("*") if path.is_file()} == before
    assert not (places / "new").exists()


@pytest.mark.parametrize("name", HARMED)
def test_verify_names_what_is_wrong(
    places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, name: str
) -> None:
    """It continues after a bad file, and prints a line for each problem."""
    monkeypatch.chdir(places)
    assert cli.main(["egdb", "verify", "--dir", name]) in (1, 2)
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("kr: ") for line in lines)
    assert any(HARMED[name] in line for line in lines)


def kr_command(*words: object, **more: Any) -> subprocess.Popen[str]:
    """`kr` in another process."""
    # -P: the kr under test, not one in the current directory
    environment = os.environ | {"PYTHONPATH": str(Path(kr.__file__).parents[1])}
    command = [sys.executable, "-P", "-m", "kr", *map(str, words)]
    return start(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def check_only_whole_files(directory: Path) -> int:
    """Check that all files of pairs are complete and nothing else is there but the values and the journal of a build;
    returns their number."""
    found = paths(directory)
    for path in found:
        files.open_slice(path).check()
    assert {path for path in directory.iterdir() if path not in found} <= {
        directory / VALUES_FOLDER, directory / JOURNAL_NAME,
    }  # fmt: skip
    return len(found)


@pytest.mark.slow
def test_a_build_that_is_told_to_end(tmp_path: Path) -> None:
    process = kr_command("egdb", "build", "--pieces", 5, "--dir", tmp_path, "--workers", 1)
    while not paths(tmp_path):
        assert process.poll() is None
        time.sleep(0.01)
    interrupt(process)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (1, "")
    assert err.splitlines()[-1] == "kr: interrupted"
    check_only_whole_files(tmp_path)


def test_a_build_beside_another(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    process = kr_command("egdb", "build", "--pieces", 5, "--dir", tmp_path, "--workers", 1)
    while not paths(tmp_path):
        assert process.poll() is None
        time.sleep(0.01)
    assert cli.main(["egdb", "build", "--pieces", "2", "--dir", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert (
        err
        == f"kr: {tmp_path} is being written by another process ({process.pid}); wait for it or choose another output\n"
    )
    process.kill()
    process.communicate()
    assert cli.main(["egdb", "build", "--pieces", "2", "--dir", str(tmp_path)]) == 0


@pytest.mark.slow
@pytest.mark.posix("no setrlimit")
@pytest.mark.parametrize("limit", [3000, *(pytest.param(each, marks=pytest.mark.soak) for each in (100, 20_000))])
def test_a_build_whose_files_can_not_grow(tmp_path: Path, limit: int) -> None:
    def few_bytes() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    process = kr_command("egdb", "build", "--pieces", 4, "--dir", tmp_path / "egdb", preexec_fn=few_bytes)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (1, "")
    assert err.startswith(f"kr: {tmp_path / 'egdb'}")
    assert err.endswith(": File too large\n")
    assert err.count("\n") == 1
    check_only_whole_files(tmp_path / "egdb")


@contextmanager
def mounted(directory: Path, options: str) -> Iterator[None]:
    """Mount a small file system in memory at the directory; skips the test where that isn't allowed."""
    if not POSIX:
        pytest.skip("not at Windows: no mount")
    directory.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", options, "none", str(directory)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(directory)], check=True)


def test_a_disk_that_is_too_small(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    with mounted(tmp_path / "disk", "size=64k"):
        assert cli.main(["egdb", "build", "--pieces", "4", "--dir", str(tmp_path / "disk")]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"kr: {tmp_path / 'disk'}: ")
        assert "of disk" in err
        assert list((tmp_path / "disk").iterdir()) == []


@pytest.mark.slow
def test_a_disk_that_fills_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    """Other programs may fill it after the estimate. Written files stay, and the build resumes once there is room."""
    disk = tmp_path / "disk"
    with mounted(disk, "size=128k"):
        leave_on_disk(monkeypatch, 10**9)
        assert cli.main(["egdb", "build", "--pieces", "4", "--dir", str(disk)]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"kr: {disk}")
        assert err.endswith(f": {os.strerror(errno.ENOSPC)}\n")
        assert err.count("\n") == 1
        there = check_only_whole_files(disk)
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        assert cli.main(["egdb", "build", "--pieces", "4", "--dir", str(disk)]) == 0
        assert check_only_whole_files(disk) > there
        assert Database.open(disk).pieces == 4


def test_a_directory_that_can_only_be_read(tmp_path: Path, whole: Path, capsys: pytest.CaptureFixture) -> None:
    directory = tmp_path / "read"
    with mounted(directory, "size=1m"):
        shutil.copytree(whole, directory, dirs_exist_ok=True)
        subprocess.run(["mount", "-o", "remount,ro", str(directory)], check=True)
        assert not is_refused(directory, step=50)
        assert cli.main(["egdb", "build", "--pieces", "3", "--dir", str(directory)]) == 1
        assert capsys.readouterr() == ("", f"kr: {directory}/.lock: {os.strerror(errno.EROFS)}\n")
