"""Certificates: files, which show every damage, and how they are made of strategies."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counters import boards
from hypothesis import given, settings
from hypothesis import strategies as st
from proved import CASES, case, core_after, core_moves, shipped, strategy_for

from kr.egdb import slices
from kr.errors import InvalidCertificateError, InvalidSettingError, StrategyCycleError, StrategyGapError
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.proofs.certificate import (
    Certificate,
    Claim,
    Strategy,
    certificate_of,
    packed_certificate,
    read_certificate,
    strategy_of,
    unpacked_certificate,
    write_certificate,
)

pytestmark = pytest.mark.core

COLUMNS = ("boards", "moves", "ranks")
FIELDS = ("root", "side", "goal", "positions", *COLUMNS, "database", "reach", "provenance")


def check_equal(one: Certificate, other: Certificate) -> None:
    for name in COLUMNS:
        assert getattr(one, name).dtype == getattr(other, name).dtype
        assert np.array_equal(getattr(one, name), getattr(other, name))
    for name in ("claim", "database", "reach", "provenance"):
        assert getattr(one, name) == getattr(other, name)


@pytest.mark.parametrize("name", CASES)
def test_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / "here" / "one.krproof"
    write_certificate(path, case(name))
    check_equal(read_certificate(path), case(name))
    assert path.read_bytes() == packed_certificate(read_certificate(path))


ROW = st.builds(lambda bits, *numbers: (*bits[:3], *numbers), boards(), st.integers(0, 255), st.integers(0, 65535))
CLAIMS = st.builds(
    Claim, st.sampled_from([Position(), Position.from_fen("W:WK32:B1,K9")]), st.sampled_from(Side),
    st.sampled_from([Value.WIN, Value.DRAW]),
)  # fmt: skip
PRINTED = st.text("5 pieces, é漢")
STORY = st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3)


@settings(max_examples=50)
@given(
    CLAIMS,
    st.lists(ROW, max_size=30, unique_by=lambda row: row[:3]),
    PRINTED,
    st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3),
)
def test_files_of_any_content(
    claim: Claim, rows: list[tuple[int, ...]], database: str, provenance: dict[str, str]
) -> None:
    table = np.array(sorted(rows), dtype=np.int64).reshape(-1, 5)
    certificate = Certificate(
        claim,
        table[:, :3].astype(np.uint32),
        table[:, 3].astype(np.uint8),
        table[:, 4].astype(np.uint16),
        database,
        "up to 7 pieces, and 5v3, 4v4",
        provenance,
    )
    check_equal(unpacked_certificate(packed_certificate(certificate)), certificate)


@pytest.mark.parametrize("name", ["a win in four", "a leaf at once"])
def test_every_changed_byte_is_seen(name: str) -> None:
    """Each bit of each byte, and all of a byte."""
    content = packed_certificate(case(name))
    for at in range(len(content)):
        for mask in (1, 2, 4, 8, 16, 32, 64, 128, 255):
            damaged = bytearray(content)
            damaged[at] ^= mask
            with pytest.raises(InvalidCertificateError):
                unpacked_certificate(bytes(damaged))


def test_every_other_length_is_seen() -> None:
    content = packed_certificate(case("three men against one"))
    for size in range(len(content)):
        with pytest.raises(InvalidCertificateError):
            unpacked_certificate(content[:size])
    for more in (b"\0", content):
        with pytest.raises(InvalidCertificateError):
            unpacked_certificate(content + more)


def signed(fixed: bytes, body: bytes) -> bytes:
    """A file with a right checksum."""
    return fixed + hashlib.sha256(fixed + body).digest() + body


def mended(change: Callable[[dict[str, Any]], object], columns: dict[str, bytes] | None = None) -> bytes:
    """A file with another header or other columns, and right lengths and checksum."""
    content = packed_certificate(case("a win in four"))
    header_bytes = struct.unpack_from("<I", content, 12)[0]
    header, at = json.loads(content[48 : 48 + header_bytes]), 48 + header_bytes
    found = {}
    for name in COLUMNS:
        found[name] = (columns or {}).get(name, content[at : at + header[name]])
        at += header[name]
        header[name] = len(found[name])
    changed = change(header)
    text = json.dumps(header if changed is None else changed).encode()
    return signed(struct.pack("<8s2I", b"\x89KRCERT\n", 1, len(text)), text + b"".join(found.values()))


def packed(width: int, rows: int, byte: bytes = b"\0") -> bytes:
    return zlib.compress(byte * (width * rows), 9)


ONE_FULL = {"boards": zlib.compress(b"\xff" * 4 + b"\0" * 8), "moves": packed(1, 1), "ranks": packed(2, 1)}
PLAIN = packed_certificate(case("a win in four"))
DAMAGES = {
    "nothing": (b"", "not a certificate of kr, or only the beginning of one"),
    "something else": (b"%PDF-1.7" + PLAIN[8:], "not a certificate of kr"),
    "a newer version": (
        signed(PLAIN[:8] + struct.pack("<2I", 2, 9), b""),
        "version 2, this kr reads 1: a newer",
    ),
    "a long header": (signed(PLAIN[:8] + struct.pack("<2I", 1, 2**32 - 1), b"{}"), "a header of 4294967295 bytes"),
    "no header": (signed(PLAIN[:8] + struct.pack("<2I", 1, 2), b"{]"), "its header is not JSON"),
    "deep brackets": (signed(PLAIN[:8] + struct.pack("<2I", 1, 99999), b"[" * 99999), "its header is not JSON"),
    "a list": (mended(list), "its header must have exactly root, side"),
    "a field missing": (mended(lambda header: header.pop("goal") and None), "must have exactly"),
    "one too many": (mended(lambda header: header.update(more=1)), "must have exactly"),
    "a text for a number": (mended(lambda header: header.update(positions="8")), "positions is '8'"),
    "below zero": (mended(lambda header: header.update(positions=-1)), "positions is -1"),
    "true": (mended(lambda header: header.update(positions=True)), "positions is True"),
    "hidden characters": (mended(lambda header: header.update(database="\x1b[2J")), r"database is '\x1b[2J'"),
    "numbers of provenance": (mended(lambda header: header.update(provenance={"a": 1})), "its provenance is not text"),
    "no position": (
        mended(lambda header: header.update(root="W:W1:B1")),
        "square 1 holds both",
    ),
    "no side": (mended(lambda header: header.update(side="green")), "invalid claim: 'green'"),
    "no goal": (mended(lambda header: header.update(goal="loss")), "invalid claim: 'loss'"),
    "no reach": (mended(lambda header: header.update(reach="all")), "'all' is not the reach of a database"),
    "another reach": (mended(lambda header: header.update(reach="up to 3 pieces, and ")), "is not the reach"),
    "more positions": (mended(lambda header: header.update(positions=9)), "the column boards is not of 9 positions"),
    "fewer": (mended(lambda header: header.update(positions=7)), "the column boards is not of 7 positions"),
    "very many": (mended(lambda header: header.update(positions=10**15)), "at most 8,388,608 are read here"),
    "more than fit": (mended(lambda header: header.update(positions=10**6)), "1000000 positions in"),
    "many zeros": (
        mended(lambda header: header.update(positions=10**5), {"boards": packed(12, 10**5)}),
        "not in rising",
    ),
    "a long column": (mended(lambda header: header.update(ranks=999)), "the column ranks ends beyond the file"),
    "a short column": (mended(lambda header: header.update(ranks=1)), "the column ranks is not of 8 positions"),
    "not deflated": (mended(lambda header: None, {"moves": b"\0" * 20}), "moves is not of 8 positions: Error -3"),
    "more behind": (mended(lambda header: None, {"ranks": packed(2, 8) + b"\0"}), "ranks is not of 8 positions"),
    "a bomb": (mended(lambda header: None, {"moves": packed(1, 10**8)}), "the column moves is not of 8 positions"),
    "the same position": (mended(lambda header: None, {"boards": packed(12, 8)}), "not in rising order"),
    "impossible": (mended(lambda header: header.update(positions=1), ONE_FULL), "[4294967295, 0, 0], is impossible"),
    "out of order": (mended(lambda header: None, {"boards": packed(12, 8, b"\1")}), "not in rising order"),
}


@pytest.mark.parametrize(("content", "words"), DAMAGES.values(), ids=DAMAGES)
def test_damage_under_a_right_checksum(content: bytes, words: str, tmp_path: Path) -> None:
    """One line that names the file; no memory for what the header promises."""
    path = tmp_path / "one.krproof"
    path.write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidCertificateError) as caught:
            read_certificate(path)
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
    assert str(caught.value).startswith(f"{path}: ")
    assert words in str(caught.value)
    assert str(caught.value).isprintable()


def test_positions_are_counted_before_they_are_unpacked() -> None:
    content = mended(lambda header: None, {"boards": b"?"})
    with pytest.raises(InvalidCertificateError, match="of 8 positions; at most 7"):
        unpacked_certificate(content, 7)


def test_what_is_not_a_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.krproof"):
        with pytest.raises(InvalidCertificateError, match="a directory, not a file|no such file"):
            read_certificate(path)
    with pytest.raises(InvalidSettingError, match="is not the name of a file"):
        read_certificate(tmp_path / "a\0b")


@pytest.mark.posix("FIFOs")
def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidCertificateError, match="not a regular file"):
        read_certificate(tmp_path / "pipe")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"moves": np.zeros(7, np.uint8)}, r"moves of a certificate: uint8 \(7,\); expected uint8 \(8,\)"),
        ({"ranks": np.zeros(8, np.int64)}, r"ranks of a certificate: int64 \(8,\); expected uint16 \(8,\)"),
        ({"boards": np.zeros((8, 4), np.uint32)}, r"boards of a certificate: uint32 \(8, 4\)"),
        ({"reach": "up to 99 pieces"}, "'up to 99 pieces' is not the reach"),
    ],
)
def test_arrays_of_another_form(columns: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidCertificateError, match=words):
        replace(case("a win in four"), **columns)


def test_claims() -> None:
    assert str(Claim(Position(), Side.WHITE, Value.WIN)) == "White wins"
    assert str(Claim(Position(), Side.BLACK, Value.DRAW)) == "Black does not lose"
    with pytest.raises(InvalidCertificateError, match="a claim of loss"):
        Claim(Position(), Side.BLACK, Value.LOSS)


# making


@pytest.mark.parametrize("name", CASES)
def test_strategies_come_back(name: str) -> None:
    certificate, leaves = case(name), shipped(CASES[name][3])
    strategy = strategy_of(certificate)
    assert strategy == strategy_for(certificate.claim, leaves)
    again = certificate_of(certificate.claim, strategy, leaves, certificate.provenance)
    check_equal(again, certificate)
    assert (again.database, again.reach) == (leaves.signature, leaves.reach)


def test_what_the_root_does_not_lead_to_is_left_out() -> None:
    one, other = case("three men against one"), case("a win in four")
    merged = strategy_of(one) | strategy_of(other)
    check_equal(certificate_of(one.claim, merged, shipped(2), one.provenance), one)


def test_provenance_is_that_of_the_process() -> None:
    certificate = certificate_of(case("a leaf at once").claim, {}, shipped(2))
    assert {"command", "kr", "created"} <= certificate.provenance.keys()


def test_a_missing_position_is_named() -> None:
    certificate = case("three men against one")
    strategy = strategy_of(certificate)
    for board in list(strategy)[:20]:
        rest = {each: move for each, move in strategy.items() if each != board}
        with pytest.raises(StrategyGapError) as caught:
            certificate_of(certificate.claim, rest, shipped(2))
        assert caught.value.board == board
        fen = Position(*board, Side.WHITE).fen
        assert str(caught.value) == f"{fen}: the strategy has no move here, and the database no value"


def test_without_a_database() -> None:
    claim = case("a win in four").claim
    certificate = certificate_of(claim, strategy_of(case("a win in four")), None)
    assert (certificate.database, certificate.reach) == ("", "")
    with pytest.raises(StrategyGapError):
        certificate_of(case("three men against one").claim, strategy_of(case("three men against one")), None)


class Nothing:
    """A database without positions."""

    def has(self, position: Position) -> bool:
        return False


@pytest.mark.parametrize("fen", ["W:WK1:BK32", "B:WK1:BK32"])
def test_a_circle_is_named(fen: str) -> None:
    """Each position of it leads to the next, the last one to the first: a king that holds out wins nothing."""
    root, side = Position.from_fen(fen), Side.WHITE
    strategy = strategy_for(Claim(root, side, Value.DRAW), Nothing())  # type: ignore[arg-type]
    with pytest.raises(StrategyCycleError) as caught:
        certificate_of(Claim(root, side, Value.WIN), strategy, None)
    cycle = caught.value.cycle
    assert caught.value.board == cycle[0]
    assert Position(*cycle[0], side).fen in str(caught.value)
    for board, then in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
        after = core_after(board, side, strategy[board])
        assert then in [core_after(after, side.other, move) for move in core_moves(after, side.other)]


def test_a_value_against_the_claim_is_refused() -> None:
    draw = case("a draw of five")
    claim = Claim(draw.claim.root, draw.claim.side, Value.WIN)
    with pytest.raises(InvalidCertificateError, match="draw by the database, against the claim: White wins"):
        certificate_of(claim, strategy_of(draw), shipped(4))


def test_an_illegal_move_is_refused() -> None:
    claim = Claim(Position.from_fen("W:W19:B15"), Side.WHITE, Value.WIN)
    strategy: Strategy = {claim.root.bits[:3]: (18, 10, 1 << 14)}
    with pytest.raises(InvalidCertificateError, match=r"W:W19:B15: the strategy's move \(18, 10, 16384\) is not legal"):
        certificate_of(claim, strategy, None)
    with pytest.raises(InvalidCertificateError, match="move number 9 of 1 legal moves"):
        right = certificate_of(claim, {claim.root.bits[:3]: core_moves(claim.root.bits[:3], Side.WHITE)[0]}, None)
        strategy_of(replace(right, moves=np.array([9], np.uint8)))


def test_a_long_line_takes_no_recursion() -> None:
    """The longest win of four pieces that is stored, with a certificate that ends at two."""
    root = Position.from_fen("W:WK15:B7,23")
    claim = Claim(root, Side.BLACK, Value.WIN)
    certificate = certificate_of(claim, strategy_for(claim, shipped(2)), shipped(2))
    assert certificate.ranks.max() > 20


@pytest.mark.parametrize(
    ("words", "most", "more"),
    [("up to 2 pieces", 2, []), ("up to 7 pieces", 7, []), ("up to 6 pieces, and 5v2, 4v4", 6, [(5, 2), (4, 4)])],
)
def test_reach_in_words_is_read_back(words: str, most: int, more: list[slices.Class]) -> None:
    assert slices.reach_in_words(most, [slices.class_name(cls) for cls in more]) == words
    complete = {(own, other) for own in range(8) for other in range(1, own + 1) if own + other <= most}
    assert slices.parse_reach(words) == complete | set(more)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "7 pieces",
        "up to 1 pieces",
        "up to 9 pieces",
        "up to 07 pieces",
        "up to 7 pieces, and 3v4",
        "up to 7 pieces ",
    ],
)
def test_other_words_are_no_reach(words: str) -> None:
    with pytest.raises(ValueError, match="is not the reach|is not a class"):
        slices.parse_reach(words)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("W:W1-99:BK"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=200)
@given(st.sampled_from([*FIELDS, "other"]), JSON, st.sampled_from(COLUMNS), st.binary(max_size=99), st.booleans())
def test_any_header_and_column_is_read_or_refused(
    field: str, value: object, column: str, content: bytes, deflated: bool
) -> None:
    """Nothing but InvalidCertificateError comes of a file with a right checksum."""
    columns = {column: zlib.compress(content) if deflated else content}
    for damaged in (mended(lambda header: header.update({field: value})), mended(lambda header: None, columns)):
        with suppress(InvalidCertificateError):
            read = unpacked_certificate(damaged)
            assert len(read.boards) == len(read.moves) == len(read.ranks) == 8
