"""Packed databases that are damaged, cut short or lie: one line each, and nothing is written but whole good files."""

import hashlib
import json
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from egdb_pack_reader import read_pack
from egdb_packs import HARMS, Change, Entries, content, grown, renamed, resized, text_of, unpack, with_files, with_text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kr.egdb.packing import Unpacked
from kr.errors import KrError

KEPT = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)


def spoilt(bad: bytes, good: bytes, directory: Path) -> Unpacked | str:
    """Unpack a spoilt packed database into a new directory: only good files may come of it, and one line.

    Returns the result, or the error.
    """
    path = directory / "bad.kregdb"
    path.write_bytes(bad)
    target = directory / "new"
    shutil.rmtree(target, ignore_errors=True)
    result: Unpacked | str
    try:
        result = unpack(path, target)
    except KrError as error:
        result = str(error)
    there = content(target)
    assert there.items() <= read_pack(good).items()
    said = result if isinstance(result, str) else result.problem
    if said:
        assert said.startswith(f"{path}: ")
        assert "\n" not in said
    if isinstance(result, str):
        assert said
        assert there == {}
    else:
        assert bool(said) == bool(result.missing or result.damaged)
        assert len(there) == result.written == result.files - len(result.missing) - len(result.damaged)
        assert not {*there, *result.missing} & {*result.damaged}
    return result


@pytest.mark.slow
@KEPT
@given(data=st.data())
def test_bits_that_are_flipped(packed: Path, tmp_path: Path, data: st.DataObject) -> None:
    good = packed.read_bytes()
    start = 48 + len(text_of(good))
    # the header is a small part of the whole
    places = st.integers(0, start - 1) | st.integers(start, len(good) - 1)
    bits = data.draw(st.dictionaries(places, st.integers(0, 7), min_size=1, max_size=5))
    bad = bytearray(good)
    for at, bit in bits.items():
        bad[at] ^= 1 << bit
    result = spoilt(bytes(bad), good, tmp_path)
    if min(bits) < start:
        assert isinstance(result, str)
        return
    assert isinstance(result, Unpacked)
    begin, hit = start, []
    for name, each in read_pack(good).items():
        if any(begin <= at < begin + len(each) for at in bits):
            hit.append(name)
        begin += len(each)
    assert (result.damaged, result.missing) == (hit, [])
    assert f"damaged: {hit[0]}" in result.problem


@pytest.mark.slow
@KEPT
@given(data=st.data())
def test_packed_files_that_are_cut_short(packed: Path, tmp_path: Path, data: st.DataObject) -> None:
    good = packed.read_bytes()
    start = 48 + len(text_of(good))
    end = data.draw(st.integers(0, start - 1) | st.integers(start, len(good) - 1))
    result = spoilt(good[:end], good, tmp_path)
    if end < start:
        assert isinstance(result, str)
        assert "empty" in result if end == 0 else "ends in its header" in result
        return
    assert isinstance(result, Unpacked)
    whole_ones = list(read_pack(good[:end]))
    assert list(read_pack(good)) == whole_ones + result.missing
    assert result.damaged == []
    assert f"cut short after {end:,} of {len(good):,} bytes: {result.missing[0]}" in result.problem
    # with the whole file it goes on
    after = unpack(packed, result.directory)
    assert (after.kept, after.written, after.problem) == (len(whole_ones), len(result.missing), "")
    assert content(result.directory) == read_pack(good)


NO_NAMES = [
    "../wld-0101.egdb", "/tmp/wld-0101.egdb", "C:wld-0101.egdb", "C:\\wld-0101.egdb", "a/wld-0101.egdb",
    "a\\wld-0101.egdb", "wld-0101.egdb/", "./wld-0101.egdb", "..", ".", "", "x", "wld-0101", "wld-0101.egdb.txt",
    "wld-0101.egdb ", "wld-0101.egdb\0", "wld-0101.egdb\n", "WLD-0101.EGDB", "wld-0000.egdb", "wld-0110.egdb:x",
    "wld-1001.egdb", "wld-9900.egdb", "abc-0101.egdb", ".lock", ".unpacking", "con", "wld-\u0660101.egdb", None, 7, 1.5,
    True, [], ["wld-0101.egdb"], {}, "x" * 10_000,
]  # fmt: skip
# Files of the header changed, and a part of the message.
LIES: dict[str, tuple[Change, str]] = {
    **{f"name {str(name)[:20]!r}": (renamed(name), "is not the name of a file of a database") for name in NO_NAMES},
    **{
        f"size {size!r}": (resized(size), "the size of wld-0101.egdb is")
        for size in (0, -1, -(10**30), 2**63, 10**30, True, 516.0, "516", None, [], float("nan"))
    },
    "huge size": (resized(2**61), "bytes: wld-0101.egdb and 17 other files are missing"),
    "sum too large": (grown(1), "damaged: wld-0101.egdb (does not match its checksum) and 16 other files"),
    "sum too small": (grown(-1), "bytes instead of"),
    "two sizes": (grown(-1, 1), "damaged: wld-0101.egdb (does not match its checksum) and 1 other file"),
    "twice": (lambda each: each.append(each[0]), "wld-0101.egdb is in it twice"),
    "no files": (lambda each: each.clear(), "no files"),
    "one file less": (lambda each: each.pop(), "bytes instead of"),
    "other order": (lambda each: each.reverse(), "does not match its checksum"),
    "a text": (lambda each: each.append("wld-0101.egdb"), "invalid header"),
    "a number": (lambda each: each.append(1), "invalid header"),
    "without name": (lambda each: each[0].pop("name"), "'name'"),
    "without size": (lambda each: each[0].pop("bytes"), "'bytes'"),
    "without checksum": (lambda each: each[0].pop("sha256"), "'sha256'"),
    "other checksum": (lambda each: each[0].update(sha256="0" * 64), "wld-0101.egdb (does not match its checksum)"),
    **{
        f"checksum {str(text)[:8]!r}": (lambda each, text=text: each[0].update(sha256=text), "the checksum of wld-0101")
        for text in ("", "0" * 63, "0" * 65, "A" * 64, "g" * 64, 7, None, ["0"] * 64, "\u0660" * 64)
    },
}  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_headers_that_lie(packed: Path, tmp_path: Path, lie: str) -> None:
    """Their checksum is right, as a malicious or faulty program writes it."""
    change, said = LIES[lie]
    good = packed.read_bytes()
    result = spoilt(with_files(good, change), good, tmp_path)
    assert said in (result if isinstance(result, str) else result.problem)
    assert {path.name for path in tmp_path.iterdir()} <= {"bad.kregdb", "new"}


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)


@pytest.mark.slow
@KEPT
@given(header=ANY_JSON | st.fixed_dictionaries({"files": ANY_JSON}))
def test_headers_of_another_kind(packed: Path, tmp_path: Path, header: object) -> None:
    good = packed.read_bytes()
    result = spoilt(with_text(good, json.dumps(header).encode()), good, tmp_path)
    assert isinstance(result, str)
    assert "invalid header" in result


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda good: b"", "not a packed endgame database: the file is empty"),
        (lambda good: b"hello\n" * 100, "not a packed endgame database"),
        (lambda good: read_pack(good)["wld-0101.egdb"], "not a packed endgame database, but a single file of one"),
        (lambda good: good[:5], "it ends in its header, after 5 bytes"),
        (lambda good: good[:8] + struct.pack("<I", 2) + good[12:], "format version 2, this kr reads 1: a newer kr"),
        (lambda good: good[:8] + struct.pack("<I", 0) + good[12:], "format version 0"),
        (lambda good: good[:12] + b"\xff" * 4 + good[16:], "its header does not match its checksum"),
        (lambda good: good[:16] + bytes(32) + good[48:], "its header does not match its checksum"),
        (lambda good: good + b"\0", "bytes instead of"),
        (lambda good: with_text(good, b"{"), "invalid header"),
        (lambda good: with_text(good, b"\xff"), "invalid header"),
        (lambda good: with_text(good, b"[" * 100_000), "invalid header: nested too deeply"),
    ],
)
def test_the_kinds_of_damage_are_named(packed: Path, tmp_path: Path, harm: Callable[[bytes], bytes], said: str) -> None:
    good = packed.read_bytes()
    result = spoilt(harm(good), good, tmp_path)
    assert isinstance(result, str)
    assert said in result


def test_fields_of_later_versions_are_ignored(packed: Path, tmp_path: Path) -> None:
    good = packed.read_bytes()
    header = json.loads(text_of(good)) | {"made": "by another program"}
    for each in header["files"]:
        each["positions"] = 7
    result = spoilt(with_text(good, json.dumps(header, indent=2).encode()), good, tmp_path)
    assert isinstance(result, Unpacked)
    assert result.problem == ""


@pytest.mark.parametrize("harm", HARMS[1:])
def test_unsound_files_with_right_checksums(packed: Path, tmp_path: Path, harm: Callable[[bytes], bytes]) -> None:
    """Whoever packed them did not check them."""
    good = packed.read_bytes()
    last = list(read_pack(good).values())[-1]
    bad = harm(last)

    def describe(entries: Entries) -> None:
        entries[-1].update(bytes=len(bad), sha256=hashlib.sha256(bad).hexdigest())

    result = spoilt(with_files(good, describe)[: -len(last)] + bad, good, tmp_path)
    assert isinstance(result, Unpacked)
    assert result.damaged == [list(read_pack(good))[-1]]
    assert "is not a sound file of a database" in result.problem


def test_a_file_under_the_name_of_another(packed: Path, tmp_path: Path) -> None:
    """A sound file of other pieces, with a right checksum."""
    good = packed.read_bytes()

    def swap(entries: Entries) -> None:
        entries[0]["name"], entries[1]["name"] = entries[1]["name"], entries[0]["name"]

    result = spoilt(with_files(good, swap), good, tmp_path)
    assert isinstance(result, Unpacked)
    assert len(result.damaged) == 2


def test_damaged_and_cut_short(packed: Path, tmp_path: Path) -> None:
    good = packed.read_bytes()
    at = 48 + len(text_of(good))
    result = spoilt(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 : -1], good, tmp_path)
    assert isinstance(result, Unpacked)
    assert "damaged: wld-0101.egdb (does not match its checksum); cut short after" in result.problem
    assert (len(result.damaged), len(result.missing)) == (1, 1)
