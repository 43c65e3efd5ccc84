"""Books in other forms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_book import build

from kr.book.book import OpeningBook
from kr.book.frame import position_of_key
from kr.cli import main
from kr.errors import InvalidBookError, InvalidSettingError
from kr.theory.exporting import BookExportSettings, export_book
from kr.theory.store import book_for_reading, book_for_writing


@pytest.fixture
def book(tmp_path: Path) -> Path:
    build(tmp_path / "book.sqlite", positions=30)
    return tmp_path / "book.sqlite"


def test_a_packed_book_has_what_the_working_file_has(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = book.with_name("book.KRB")
    assert main(["book", "export", str(book), "--out", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    packed = OpeningBook(out)
    with book_for_reading(book) as store:
        graph, settings = store.graph(), store.settings()
    assert (told["positions"], told["bytes"]) == (len(packed), out.stat().st_size)
    for key, node in graph.nodes.items():
        moves = packed.moves(position_of_key(key))
        assert [move.value for move in moves] == [graph.move_worth(move) for move in graph.ranked(node)]
    facts = packed.facts
    assert [facts[name] for name in ("nodes", "within", "weights")] == [300, 25, settings["weights"]]
    assert facts["positions"] == len(packed)
    assert str(book.parent) not in json.dumps(facts)


@pytest.mark.parametrize(
    ("name", "settings", "told"),
    [
        ("book.zip", {}, "suffix is not one of .krb"),
        ("book", {}, "suffix is not one of"),
        ("book.sqlite", {"format": "krb"}, "is read too"),
        ("book.krb", {"format": "zip"}, "'zip' is unknown"),
    ],
)
def test_exports_that_are_refused(book: Path, name: str, settings: dict[str, str], told: str) -> None:
    before = book.read_bytes()
    with pytest.raises(InvalidSettingError, match=told):
        export_book(BookExportSettings(book=book, out=book.with_name(name), **settings))
    assert book.read_bytes() == before


def test_a_book_without_positions(tmp_path: Path) -> None:
    with book_for_writing(tmp_path / "book") as store:
        store.begin({"nodes": 1}, {}, {})
    with pytest.raises(InvalidBookError, match="has no positions yet"):
        export_book(BookExportSettings(book=tmp_path / "book", out=tmp_path / "book.krb"))
    assert not (tmp_path / "book.krb").exists()
