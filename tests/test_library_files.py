"""Files that kr reads as a C library: those of kr, others, damaged ones."""

import ctypes as c
import os
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

import library as lib
import numpy as np
import pytest
from library import built, library
from policies import random_positions

import kr
from kr import cli
from kr.evaluation.layouts import Layout
from kr.evaluation.parts import with_parts
from kr.evaluation.weights import Parts, Weights, load_tables, save_tables
from kr.file_kinds import TABLES_MAGIC
from kr.storage import data_path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.posix("the library for Windows is built on Linux"),
    pytest.mark.skipif(not lib.BUILD.exists(), reason="the sources of the library are not here"),
]

EGDB = data_path("egdb")
SMALL = ("0101", "0110", "1010", "0201", "0210", "1101", "1110", "2001", "2010")
"""Pairs of the slices of two and three pieces that the shipped files have."""


def read_tables(content: bytes) -> tuple[int, str]:
    """Error and checksum of tables in memory."""
    tables = c.c_void_p()
    error = library().kr_read_tables(c.byref(tables), content, c.c_size_t(len(content)))
    assert (error == lib.OK) == bool(tables)
    checksum = library().kr_tables_checksum(tables).decode() if tables else ""
    library().kr_close_tables(tables)
    return error, checksum


def open_tables(path: Path) -> int:
    tables = c.c_void_p()
    error = library().kr_open_tables(c.byref(tables), os.fsencode(path))
    library().kr_close_tables(tables)
    return int(error)


def open_database(folder: Path) -> int:
    database = c.c_void_p()
    error = library().kr_open_database(c.byref(database), os.fsencode(folder), 0)
    library().kr_close_database(database)
    return int(error)


def sealed(body: bytes, version: int = 1, magic: bytes = TABLES_MAGIC) -> bytes:
    """A compact file with a right checksum."""
    return magic + struct.pack("<2I", version, zlib.crc32(body)) + body


@pytest.fixture(scope="module")
def shipped() -> bytes:
    return (built() / "kr.krt").read_bytes()


def test_tables_in_memory(shipped: bytes) -> None:
    assert read_tables(shipped) == (lib.OK, load_tables(data_path("weights") / "kr.h5").checksum)


def random_weights(path: Path, shapes: tuple[tuple[int, int], ...]) -> Weights:
    """Tables of a small layout, with random numbers in few entries, far apart, and in parts of these shapes."""
    layout = Layout.parse("small")
    source = np.random.default_rng(5)
    tables, every_part = [], []
    for regions, base, size in ((layout.men, 3, 3**12), (layout.kings, 5, 5**8)):
        windows = with_parts(regions, base, shapes)
        values = source.integers(-500, 500, (windows.starts[-1], 2)).astype(np.int16)
        table = np.zeros((len(regions), size, 2), dtype=np.int16)
        places = source.integers(len(regions), size=300), source.integers(size, size=300)
        table[places] = source.integers(-9999, 9999, (300, 2))
        table[0, 0], table[-1, -1], table[0, 255], table[0, 256] = (1, -1), (2, -2), (3, 0), (0, 3)
        tables.append(table + windows.unfolded(values))
        every_part.append(Parts(windows, values) if shapes else None)
    material = source.integers(-3000, 3000, (2, 3, 2)).astype(np.int32)
    save_tables(path, layout, *tables, *material, {}, *every_part)
    return load_tables(path)


@pytest.mark.parametrize("shapes", [(), ((3, 2), (2, 2), (1, 1))])
def test_other_tables(shapes: tuple[tuple[int, int], ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A small layout, without parts and with parts in parts: every score is that of Python."""
    weights = random_weights(tmp_path / "own.h5", shapes)
    assert cli.main(["weights", "compact", str(tmp_path / "own.h5"), "--out", str(tmp_path / "own.krt")]) == 0
    assert weights.checksum in capsys.readouterr().out
    content = (tmp_path / "own.krt").read_bytes()
    assert len(content) < (2_000_000 if shapes else 100_000)
    assert read_tables(content) == (lib.OK, weights.checksum)
    tables, own = c.c_void_p(), kr.Engine(tmp_path / "own.h5", hash_mb=1, database="none")
    assert library().kr_read_tables(c.byref(tables), content, c.c_size_t(len(content))) == lib.OK
    engine, found = lib.CEngine(tables, None, 1 << 20), lib.CEvaluation()
    for position in random_positions(8):
        assert library().kr_evaluate(engine.handle, c.byref(lib.position_of(position)), c.byref(found)) == lib.OK
        assert found.score == own.evaluate(position)
    engine.close()
    library().kr_close_tables(tables)


WRONG = {
    "empty": (b"", lib.NOT_KR),
    "another kind": (b"\x89HDF\r\n\x1a\n" + bytes(100), lib.NOT_KR),
    "a magic alone": (TABLES_MAGIC, lib.DAMAGED),
    "a later version": (sealed(bytes(200), version=2), lib.NEWER),
    "another checksum": (TABLES_MAGIC + struct.pack("<2I", 1, 5) + bytes(200), lib.DAMAGED),
    "no regions": (sealed(bytes(300)), lib.DAMAGED),
    "too many regions": (sealed(bytes(32) + struct.pack("<4I", 33, 1, 0, 0) + bytes(2000)), lib.DAMAGED),
    "squares that don't ascend": (sealed(bytes(32) + struct.pack("<4I", 1, 1, 0, 0) + bytes(2000)), lib.DAMAGED),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_tables_are_refused(name: str, tmp_path: Path) -> None:
    content, error = WRONG[name]
    (tmp_path / "wrong.krt").write_bytes(content)
    assert read_tables(content) == (error, "")
    assert open_tables(tmp_path / "wrong.krt") == error


def test_a_flipped_bit_anywhere_is_found(shipped: bytes) -> None:
    for at in [*range(0, 200, 7), len(shipped) // 2, len(shipped) - 1]:
        changed = bytearray(shipped)
        changed[at] ^= 16
        assert read_tables(bytes(changed))[0] in (lib.NOT_KR, lib.NEWER, lib.DAMAGED)
    assert read_tables(shipped[:-1])[0] == lib.DAMAGED
    assert read_tables(shipped + b"\0")[0] == lib.DAMAGED


def test_what_is_no_file(tmp_path: Path) -> None:
    assert open_tables(tmp_path / "none.krt") == lib.NO_FILE
    assert open_tables(tmp_path) == lib.NO_FILE
    os.mkfifo(tmp_path / "pipe")
    assert open_tables(tmp_path / "pipe") == lib.NO_FILE
    for folder in (tmp_path, tmp_path / "none", tmp_path / ("x" * 5000)):
        assert open_database(folder) == lib.NO_FILE


def test_a_database_without_all_its_files(tmp_path: Path) -> None:
    """It has as many pieces as all files are there for; another file there is no reason to refuse it."""
    for name in SMALL:
        shutil.copy(EGDB / f"wld-{name}.egdb", tmp_path)
    (tmp_path / "README.md").write_text("x")
    for opened in lib.open_database(tmp_path, 5):
        assert (library().kr_database_pieces(opened), library().kr_distance_pieces(opened)) == (3, 1)
    (tmp_path / "wld-0210.egdb").unlink()
    for opened in lib.open_database(tmp_path, 0):
        assert library().kr_database_pieces(opened) == 2
    (tmp_path / "wld-0101.egdb").unlink()
    assert open_database(tmp_path) == lib.NO_FILE


@pytest.mark.parametrize(("at", "error"), [(3, lib.NOT_KR), (8, lib.NEWER), (14, lib.DAMAGED), (30, lib.DAMAGED)])
def test_a_damaged_header_is_told(at: int, error: int, tmp_path: Path) -> None:
    for name in SMALL:
        shutil.copy(EGDB / f"wld-{name}.egdb", tmp_path)
    content = bytearray((tmp_path / "wld-2010.egdb").read_bytes())
    content[at] ^= 16
    (tmp_path / "wld-2010.egdb").write_bytes(content)
    assert open_database(tmp_path) == error


@pytest.mark.parametrize("stored", ["8000", "0008", "0080", "0201", "0001", "0100", "7777", "01:1", "010"])
def test_a_slice_that_can_not_be_is_refused(stored: str, tmp_path: Path) -> None:
    """A header with a right checksum, in which another slice stands."""
    for name in SMALL:
        shutil.copy(EGDB / f"wld-{name}.egdb", tmp_path)
    content = bytearray((tmp_path / "wld-0101.egdb").read_bytes())
    (size,) = struct.unpack_from("<I", content, 12)
    text = bytes(content[20 : 20 + size]).replace(b'"stored":"0101"', f'"stored":"{stored}"'.encode())
    text = text.ljust(size)[:size]
    content[20 : 20 + size] = text
    struct.pack_into("<I", content, 16, zlib.crc32(text, zlib.crc32(content[:16])))
    (tmp_path / "wld-0101.egdb").write_bytes(content)
    assert open_database(tmp_path) == (lib.NO_FILE if stored == "0201" else lib.DAMAGED)


def test_a_damaged_body_has_no_values(tmp_path: Path) -> None:
    shutil.copytree(EGDB, tmp_path / "egdb")
    path = tmp_path / "egdb" / "wld-0101.egdb"
    content = bytearray(path.read_bytes())
    # the body begins behind the fixed part and the text, at a multiple of 64
    (text,) = struct.unpack_from("<I", content, 12)
    content[-(-(20 + text) // 64) * 64] ^= 255
    path.write_bytes(content)
    kings = lib.CPosition(1, 1 << 30, 1 | 1 << 30, 0)
    for unpacked in (0, 5):
        for opened in lib.open_database(tmp_path / "egdb", unpacked):
            assert library().kr_value(opened, c.byref(kings)) == 3
            assert library().kr_distance(opened, c.byref(kings)) == -1


def test_a_file_that_another_replaces_stays_as_it_was(tmp_path: Path) -> None:
    shutil.copytree(EGDB, tmp_path / "egdb")
    kings = lib.CPosition(1, 1 << 30, 1 | 1 << 30, 0)
    for opened in lib.open_database(tmp_path / "egdb", 0):
        shutil.rmtree(tmp_path / "egdb")
        assert library().kr_value(opened, c.byref(kings)) in (0, 1, 2)


@pytest.mark.costly
@pytest.mark.parametrize(("rounds", "sanitized"), [(200, False), pytest.param(600, True, marks=pytest.mark.soak)])
def test_damaged_files_do_no_harm(shipped: bytes, tmp_path: Path, rounds: int, sanitized: bool) -> None:
    """Hundreds of damaged files, read by the library as it is, and more by one with sanitizers."""
    program = Path(__file__).with_name("library_fuzz.c")
    if sanitized:
        sanitize = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
        fuzz = lib.compile_with(program, *sanitize, out=tmp_path)
    else:
        fuzz = lib.compile_against(program, tmp_path)
    files = [EGDB / f"{kind}-{name}.egdb" for name in SMALL for kind in ("wld", "dtw")]
    given = [built() / "kr.krt", built() / "people.krp", *files]
    done = subprocess.run([fuzz, "1", str(rounds), *given], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr[-3000:])
    refused_tables, refused_policies, refused_databases = map(int, done.stdout.split())
    # some are harmless, most are not
    assert 2 / 3 <= refused_tables / (rounds / 20) <= 1
    assert 0.6 <= refused_policies / (rounds / 4) < 1
    assert 0.5 < refused_databases / rounds < 0.98
