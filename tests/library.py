"""kr as a C library, for tests: built once, and called through ctypes."""

import ctypes as c
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

import kr
from kr.storage import data_path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "packaging" / "library" / "compile_library.py"
OK, NO_MEMORY, NO_FILE, NOT_KR, DAMAGED, NEWER, ILLEGAL, BAD_VALUE, BUSY = range(0, -9, -1)
MAX_MOVES, MAX_PATH, FEN_BYTES = 128, 10, 160
FACT_NUMBERS = "better", "plies", "count", "given", "taken", "square", "origin"


@cache
def built() -> Path:
    """The folder of the library, which is built unless it is up to date."""
    subprocess.run([sys.executable, BUILD], check=True)
    return ROOT / "build" / "library"


def compile_against(program: Path, out: Path) -> Path:
    """Compile a program of tests, which has the library in it, by the compiler of Python."""
    compiler = sysconfig.get_config_var("CC").split()[0]
    words = [compiler, "-O1", "-w", f"-I{built()}", program, built() / "libkr.a", "-lm", "-o", out / program.stem]
    subprocess.run(words, check=True)
    return out / program.stem


def compile_with(program: Path, *options: str, out: Path) -> Path:
    """Compile a program of tests with the library's own code."""
    own, code = ROOT / "kr", built().with_name("library-c")
    sources = [ROOT / "packaging" / "library" / "unit.c", program]
    include = [f"-I{path}" for path in (code, code / "python", own, own / "_engine")]
    define = ['-DKR_VERSION="0"', "-DPy_LIMITED_API=0x030B0000"]
    compiler = sysconfig.get_config_var("CC").split()[0]
    words = [compiler, *options, "-O1", "-g1", "-w", *define, *include, *sources, "-lm", "-o", out / program.stem]
    subprocess.run(words, check=True)
    return out / program.stem


class CPosition(c.Structure):
    _fields_ = [("black", c.c_uint32), ("white", c.c_uint32), ("kings", c.c_uint32), ("side", c.c_int32)]


class CMove(c.Structure):
    _fields_ = [("origin", c.c_uint8), ("to", c.c_uint8), ("unused", c.c_uint16), ("captured", c.c_uint32)]


class CLimits(c.Structure):
    _fields_ = [
        ("seconds", c.c_double), ("usual_seconds", c.c_double), ("nodes", c.c_uint64), ("depth", c.c_int),
        ("lines", c.c_int), ("forced_at_once", c.c_int), ("within", c.c_int),
    ]  # fmt: skip


class CLine(c.Structure):
    _fields_ = [("score", c.c_int), ("length", c.c_int), ("moves", c.POINTER(CMove))]


class CResult(c.Structure):
    _fields_ = [
        ("depth", c.c_int), ("line_count", c.c_int), ("lines", c.POINTER(CLine)), ("nodes", c.c_uint64),
        ("probes", c.c_uint64), ("hits", c.c_uint64), ("seconds", c.c_double), ("value", c.c_int),
    ]  # fmt: skip


class CShare(c.Structure):
    _fields_ = [("squares", c.c_uint32), ("score", c.c_double)]


class CEvaluation(c.Structure):
    _fields_ = [
        ("score", c.c_int), ("material", c.c_double), ("turn", c.c_double), ("count", c.c_int),
        ("regions", CShare * 32),
    ]  # fmt: skip


class CProgress(c.Structure):
    _fields_ = [("depth", c.c_int), ("nodes", c.c_uint64), ("seconds", c.c_double)]


class CChoice(c.Structure):
    _fields_ = [("move", CMove), ("probability", c.c_float)]


class CFact(c.Structure):
    _fields_ = [("kind", c.c_char_p), *((name, c.c_int) for name in FACT_NUMBERS)]


class CShares(c.Structure):
    _fields_ = [("places", c.c_double * 32), ("empty", c.c_double), ("worths", c.c_int * 32)]


LISTENER = c.CFUNCTYPE(c.c_int, c.POINTER(CResult), c.c_void_p)


@cache
def library() -> c.CDLL:
    """The library, with the types of what its functions return."""
    found = c.CDLL(str(built() / "libkr.so"))
    found.kr_start.restype = CPosition
    for name in ("kr_version", "kr_error_text", "kr_tables_checksum", "kr_policy_checksum"):
        getattr(found, name).restype = c.c_char_p
    for name in ("tables", "database", "policy", "engine", "proof"):
        getattr(found, f"kr_close_{name}").restype = None
    for name in ("kr_stop", "kr_values"):
        getattr(found, name).restype = None
    for name in ("kr_tables_checksum", "kr_policy_checksum", "kr_signature"):
        getattr(found, name).argtypes = [c.c_void_p]
    found.kr_signature.restype = c.c_uint64
    return found


def position_of(position: kr.Position) -> CPosition:
    return CPosition(*position.bits)


def text_of(move: CMove, position: kr.Position) -> str:
    """Text of a move as kr writes it."""
    squares = (c.c_uint8 * MAX_PATH)()
    count = library().kr_path(c.byref(position_of(position)), c.byref(move), squares)
    assert 2 <= count <= MAX_PATH
    return ("x" if move.captured else "-").join(map(str, squares[:count]))


def legal_moves(position: kr.Position) -> list[CMove]:
    moves = (CMove * MAX_MOVES)()
    count = library().kr_moves(c.byref(position_of(position)), moves)
    assert 0 <= count <= MAX_MOVES
    return list(moves[:count])


def key(move: CMove) -> tuple[int, int, int]:
    """Squares 0-31 and captured squares of a move."""
    return move.origin - 1, move.to - 1, move.captured


class CEngine:
    """An engine of the library."""

    def __init__(self, tables: c.c_void_p | None, database: c.c_void_p | None, hash_bytes: int) -> None:
        self.handle = c.c_void_p()
        error = library().kr_open_engine(c.byref(self.handle), tables, database, c.c_size_t(hash_bytes))
        assert error == OK

    def close(self) -> None:
        library().kr_close_engine(self.handle)

    def search(
        self, game: Sequence[kr.Position], listener: object = None, **limits: float
    ) -> tuple[CResult, list[tuple[int, list[tuple[int, int, int]]]]]:
        """Result, and score and moves of each line."""
        positions = (CPosition * len(game))(*map(position_of, game))
        assert library().kr_set_game(self.handle, positions, len(game)) == OK
        result = CResult()
        called = LISTENER(listener) if listener else None
        error = library().kr_search(self.handle, c.byref(CLimits(**limits)), called, None, c.byref(result))
        assert error == OK
        return result, lines_of(result)


def lines_of(result: CResult) -> list[tuple[int, list[tuple[int, int, int]]]]:
    lines = result.lines[: result.line_count]
    return [(line.score, [key(move) for move in line.moves[: line.length]]) for line in lines]


def open_tables() -> Iterator[c.c_void_p]:
    """The tables of kr; closed at the end."""
    tables = c.c_void_p()
    assert library().kr_open_tables(c.byref(tables), str(built() / "kr.krt").encode()) == OK
    yield tables
    library().kr_close_tables(tables)


def open_database(folder: Path, unpacked: int) -> Iterator[c.c_void_p]:
    """A database; closed at the end."""
    database = c.c_void_p()
    assert library().kr_open_database(c.byref(database), str(folder).encode(), unpacked) == OK
    yield database
    library().kr_close_database(database)


@pytest.fixture(scope="module")
def tables() -> Iterator[c.c_void_p]:
    """Those of all tests of a file."""
    yield from open_tables()


@pytest.fixture(scope="module")
def database() -> Iterator[c.c_void_p]:
    yield from open_database(data_path("egdb"), 5)


@pytest.fixture
def engine(tables: c.c_void_p, database: c.c_void_p) -> Iterator[CEngine]:
    engine = CEngine(tables, database, 16 << 20)
    yield engine
    engine.close()
