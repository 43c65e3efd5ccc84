"""What kind of file a file is, by its content."""

from __future__ import annotations

import bz2
import gzip
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from small_book import book_content
from small_graph import reached, searched, write_graph

from kr.evaluation.files import shipped_path
from kr.file_kinds import PACKED_BOOK, USER_BOOK, WORKING_BOOK, content_kind, file_kind
from kr.game.position import Position
from kr.storage import data_path
from kr.theory.userbook import userbook_entry

ENTRY = userbook_entry(Position(), Position().parse_move("9-14"))


def _sqlite(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE x (y)")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (book_content(), PACKED_BOOK),
        (lambda path: write_graph(path, [searched(Position(), {"9-14": 1})], {}, {"a": reached("")}), WORKING_BOOK),
        (_sqlite, "an SQLite file that is not of kr"),
        (ENTRY * 20, USER_BOOK),
        (ENTRY[:-1], "a file of an unknown kind"),
        (bytes(284), "a file of an unknown kind"),
        (shipped_path().read_bytes()[:9000], "an HDF5 file, such as weights or games of kr"),
        (data_path("egdb", "wld-0202.egdb").read_bytes(), "a file of an endgame database"),
        (b"\x89KRCERT\n.", "a certificate of kr prove"),
        (gzip.compress(b"x", mtime=0), "a gzip file"),
        (bz2.compress(b"x"), "a bzip2 file"),
        (b'\xef\xbb\xbf\n[Event "x"]\n1. 11-15 *\n', "a PDN file"),
        ('[Event "M\xfcnchen"]'.encode("latin-1"), "a PDN file"),
        ('[Event "x"]'.encode("utf-16"), "a PDN file"),
        (b'{"kind": 1}', "a JSON file"),
        (b"[1, 2]", "a JSON file"),
        (b"<!doctype html><p>", "a page or picture (HTML or SVG)"),
        ("1. 11-15 \N{EN DASH}".encode()[:-1] + b"\x93" * 5000, "a text file"),
        (b"", "an empty file"),
    ],
    ids=map(str, range(19)),
)  # fmt: skip
def test_kinds(tmp_path: Path, content: bytes | Callable[[Path], object], kind: str) -> None:
    path = tmp_path / "any.bin"
    if callable(content):
        content(path)
    else:
        path.write_bytes(content)
    assert file_kind(path) == content_kind(path.read_bytes()) == kind
