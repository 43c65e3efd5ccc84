"""Endgame databases that are missing, foreign, old, cut short or damaged: refused in one line, never used silently."""

import json
import shutil
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import egdb_reference
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kr import _core
from kr.egdb import files
from kr.egdb.build import BuildSettings, build
from kr.egdb.database import Database
from kr.errors import InvalidDatabaseError

pytestmark = pytest.mark.core

KEPT = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)

# The beginning of a file: magic, version, bytes of the header's JSON text, CRC-32 of the text and what precedes.
FIXED = struct.Struct("<8sIII")
MAGIC = b"\x89KREGDB\n"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All positions of 2 pieces, with distances."""
    directory = tmp_path_factory.mktemp("whole")
    build(BuildSettings(pieces=2, dir=directory, jobs=1))
    return directory


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """A database to do harm to."""
    return shutil.copytree(whole, tmp_path / "egdb")


def _expected() -> tuple[NDArray[np.uint32], NDArray[np.uint8], list[int]]:
    shapes = egdb_reference.shapes(2)
    distances = egdb_reference.solve(bits for shape in shapes for bits in egdb_reference.positions(shape))
    known = {bits: plies for bits, plies in distances.items() if bits[0] and bits[1]}
    boards = [egdb_reference.bits_with_side(bits, side) for bits in known for side in (0, 1)]
    twice = [plies for plies in known.values() for _ in (0, 1)]
    values = np.array([egdb_reference.value(plies) for plies in twice], dtype=np.uint8)
    return np.array(boards, dtype=np.uint32), values, [-1 if plies is None else plies for plies in twice]


BOARDS, VALUES, PLIES = _expected()


def is_refused(directory: Path) -> bool:
    """Whether a harmed database is refused, at the latest by its check. What it says before that must be right."""
    try:
        database = Database.open(directory)
    except InvalidDatabaseError as error:
        check_message(error, directory)
        return True
    values = np.empty(len(BOARDS), dtype=np.uint8)
    database.core.probe_batch(BOARDS, values)
    told = values != _core.VALUE_UNKNOWN
    assert (values[told] == VALUES[told]).all()
    plies = np.array([database.core.distance(*board) for board in BOARDS[::7].tolist()])
    assert ((plies == PLIES[::7]) | (plies == -1)).all()
    try:
        database.raise_damage()
    except InvalidDatabaseError as error:
        check_message(error, directory)
        return True
    assert told.all()
    assert (plies == PLIES[::7]).all()
    return False


def check_message(error: InvalidDatabaseError, directory: Path) -> None:
    assert str(directory) in str(error)
    assert "\n" not in str(error)


def paths(directory: Path) -> list[Path]:
    return sorted(directory.glob("*" + files.SUFFIX))


def test_a_whole_database_is_not_refused(whole: Path) -> None:
    assert not is_refused(whole)
    assert len(paths(whole)) == 6


@pytest.mark.parametrize("kind", files.KINDS)
def test_any_byte_that_is_changed(copy: Path, kind: str) -> None:
    """Each byte of a file in turn. Only bytes that nothing reads, between the sections, may go unnoticed."""
    path = copy / f"{kind}-1010.egdb"
    good = path.read_bytes()
    header = files.read_header(path)
    read = FIXED.size + FIXED.unpack_from(good)[2] + header.index_bytes + header.data_bytes
    unnoticed = 0
    for at in range(len(good)):
        path.write_bytes(good[:at] + bytes([good[at] ^ 1 << at % 8]) + good[at + 1 :])
        unnoticed += not is_refused(copy)
    assert unnoticed <= len(good) - read


@KEPT
@given(data=st.data())
def test_bits_that_are_flipped(copy: Path, whole: Path, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(paths(copy)))
    good = (whole / path.name).read_bytes()
    bits = data.draw(st.sets(st.integers(0, 8 * len(good) - 1), min_size=1, max_size=20))
    bad = bytearray(good)
    for bit in bits:
        bad[bit // 8] ^= 1 << bit % 8
    path.write_bytes(bad)
    is_refused(copy)
    path.write_bytes(good)


@KEPT
@given(data=st.data())
def test_stretches_that_are_lost(copy: Path, whole: Path, data: st.DataObject) -> None:
    """A hole of zeros, a stretch cut out, one that is there twice, an end cut off or added to."""
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
    entries = body(good[start : start + header["index_bytes"] + header["data_bytes"] + _core.CODE_PAD])
    text = json.dumps(header | changes).encode()
    check = zlib.crc32(text, zlib.crc32(FIXED.pack(MAGIC, version, len(text), 0)[:-4]))
    begin = FIXED.pack(MAGIC, version, len(text), check) + text
    checks = [zlib.crc32(entries[at : at + _core.CODE_CHUNK]) for at in range(0, len(entries), _core.CODE_CHUNK)]
    padded = [part.ljust(-(-len(part) // 64) * 64, b"\0") for part in (begin, entries)]
    return b"".join(padded) + struct.pack(f"<{len(checks)}I", *checks)


def use(directory: Path) -> None:
    """Read what a database with false contents says. That may be wrong, but nothing worse may happen."""
    try:
        database = Database.open(directory)
        database.core.probe_batch(BOARDS, np.empty(len(BOARDS), dtype=np.uint8))
        for board in BOARDS[::50].tolist():
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


@KEPT
@given(data=st.data())
def test_headers_that_lie(copy: Path, whole: Path, data: st.DataObject) -> None:
    """With right checksums: only a malicious or mistaken program writes those."""
    path = data.draw(st.sampled_from(paths(copy)))
    good = (whole / path.name).read_bytes()
    near = st.sampled_from(["wld", "dtw", "0101", "1010", "9999", "", ["1"], ["01", "2", "11"], 7, 15, 16, 992, 24, 0])
    changes = data.draw(st.dictionaries(st.sampled_from(FIELDS), near | ANY_JSON, min_size=1, max_size=3))
    path.write_bytes(remade(good, changes))
    use(copy)
    path.write_bytes(good)


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
        (b"hello\n" * 100, "no endgame database"),
        (b"\x89HDF\r\n\x1a\n" + bytes(500), "no endgame database"),
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
