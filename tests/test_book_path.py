"""Books and where games leave them, by recorded cases, which the page's own scripts are held to as well."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from kr.book.book import OpeningBook
from kr.book.path import departure_from
from kr.errors import InvalidBookError, InvalidSettingError, KrError
from kr.game.board import Board
from kr.game.position import Position
from kr.web.house import House
from kr.web.settings import WebSettings

CASES = json.loads((Path(__file__).with_name("cases") / "book.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> dict[str, OpeningBook]:
    folder = tmp_path_factory.mktemp("books")
    for name, content in CASES["books"].items():
        (folder / f"{name}.krb").write_bytes(base64.b64decode(content))
    return {name: OpeningBook(folder / f"{name}.krb") for name in CASES["books"]}


def test_moves_that_a_book_knows(books: dict[str, OpeningBook]) -> None:
    for case in CASES["known"]:
        known = books[case["book"]].moves(Position.from_fen(case["fen"]))
        assert [[str(each.move), each.value, each.depth, each.weight] for each in known] == case["moves"], case


def test_the_move_of_people_that_is_a_cook(books: dict[str, OpeningBook]) -> None:
    for case in CASES["cooked"]:
        cook = books[case["book"]].cook(Position.from_fen(case["fen"]))
        assert (None if cook is None else str(cook.move)) == case["move"], case


@pytest.mark.parametrize("case", CASES["paths"], ids=lambda case: case["moves"])
def test_the_first_move_that_the_book_would_not_play(books: dict[str, OpeningBook], case: dict[str, Any]) -> None:
    board = Board(Position.from_fen(case["start"])) if "start" in case else Board()
    for move in case["moves"].split():
        board.play(move)
    found = departure_from(board.positions, board.moves, books["small"], case["given"])
    told = found and {
        "ply": found.ply,
        "side": found.side.name.lower(),
        "move": str(found.move),
        "best": str(found.best.move),
        "loss": found.loss,
    }
    assert told == case["left"]
    assert departure_from(board.positions, board.moves, None) is None


BAD: tuple[tuple[str, type[KrError], str], ...] = (
    ("nowhere.krb", InvalidSettingError, r"book: nowhere\.krb: no such file"),
    (__file__, InvalidBookError, r"test_book_path\.py: not a packed book of kr"),
)


@pytest.mark.parametrize(("name", "error", "message"), BAD)
def test_a_bad_book_is_told_at_once(name: str, error: type[KrError], message: str) -> None:
    with pytest.raises(error, match=message):
        House(WebSettings(egdb="none", hash=1 << 22, weights="material", book=name))
