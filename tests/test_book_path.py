"""Where games leave a book, in Python and as pages of kr web are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_book import book_file

from kr.book.book import OpeningBook, cooked
from kr.book.path import BookPath, book_path
from kr.errors import IllegalMoveError, InvalidBookError, InvalidSettingError, KrError
from kr.game.board import Board
from kr.game.position import Position
from kr.web import book as web_book
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.settings import WebSettings


def as_path(moves: str, book: OpeningBook | None, given: int = 0) -> BookPath:
    board = Board()
    for move in moves.split():
        board.play(move)
    return book_path(board.positions, board.moves, book, given)


GAMES: tuple[tuple[str, int, int, tuple[Any, ...] | None], ...] = (
    # the book has all of it, and of what comes then nothing
    ("11-15 23-19 8-11 22-17 11-16 24-20", 0, 6, None),
    ("11-15 23-19 8-11 22-17 11-16 24-20 16x23 27x11", 0, 6, None),
    ("", 0, 0, None),
    # a move that it has, yet 14 worse; one that is 18 worse; one without a value; one that it does not know
    ("9-14", 0, 1, None),
    ("10-15", 0, 1, (0, "black", "10-15", "11-15", 18)),
    ("12-16 22-18", 0, 1, (0, "black", "12-16", "11-15", None)),
    ("11-15 22-17", 0, 2, (1, "white", "22-17", "22-18", None)),
    ("11-15 21-17 9-13", 0, 2, (1, "white", "21-17", "22-18", 37)),
    # the first such move counts, and not those that were drawn by lot
    ("11-15 22-18 15x22 26x17", 0, 4, (3, "white", "26x17", "25x18", None)),
    ("11-15 22-18 15x22 26x17", 4, 4, None),
    ("12-16 22-18", 1, 1, None),
)


@pytest.mark.parametrize(("moves", "given", "plies", "left"), GAMES)
def test_the_first_move_that_the_book_would_not_play(
    tmp_path: Path, moves: str, given: int, plies: int, left: tuple[Any, ...] | None
) -> None:
    book = OpeningBook(book_file(tmp_path))
    path = as_path(moves, book, given)
    found = path.departure
    assert path.plies == plies
    told = found and (found.ply, found.side.name.lower(), str(found.move), str(found.best.move), found.loss)
    assert told == left
    # with colours reversed it is the same
    turned = Board(Position().flipped())
    for move in moves.split():
        origin, *others = [33 - int(square) for square in move.replace("x", "-").split("-")]
        turned.play("-".join(map(str, (origin, *others))))
    again = book_path(turned.positions, turned.moves, book, given)
    assert (again.plies, again.departure and (again.departure.ply, again.departure.loss)) == (
        plies, left and (left[0], left[-1]),
    )  # fmt: skip
    assert as_path(moves, None) == BookPath(0, None)


def house_of(**settings: Any) -> House:
    return House(WebSettings(egdb="none", hash=1 << 22, weights="material", **settings))


def ask(house: House, handler: Any, **fields: Any) -> dict[str, Any]:
    answer: dict[str, Any] = handler(house, PageRequest(fields))
    return answer


def test_moves_of_a_position_for_a_page(tmp_path: Path) -> None:
    house = house_of(book=book_file(tmp_path))
    start = ask(house, web_book.book_rows, fen=Position().fen)
    assert [(row["text"], row["book"]) for row in start["moves"][:4]] == [
        ("11-15", {"value": 6, "loss": 0, "depth": 20, "games": 256}),
        ("9-14", {"value": 2, "loss": 4, "depth": 19, "games": 16}),
        ("10-15", {"value": -12, "loss": 18, "depth": 19, "games": 4}),
        ("12-16", {"value": None, "loss": None, "depth": 0, "games": 4}),
    ]
    # all others stand there too
    assert {row["text"] for row in start["moves"]} == set(map(str, Position().legal_moves()))
    assert all(row["book"] is None for row in start["moves"][4:])
    assert (start["book"], start["side"], start["cook"], start["moves"][0]["opening"]) == (
        True, "black", None, "Old Faithful",
    )  # fmt: skip
    after = ask(house, web_book.book_rows, fen=Position().play("11-15").fen)
    assert (after["side"], after["cook"], after["cooked"], after["moves"][2]["book"]["loss"]) == (
        "white", "22-18", "21-17", 37,
    )  # fmt: skip
    # the same with colours reversed
    turned = ask(house, web_book.book_rows, fen=Position().flipped().fen)
    assert turned["moves"][0]["text"] == "22-18"
    none = ask(house_of(book="none"), web_book.book_rows, fen=Position().fen)
    assert (none["book"], none["cook"], {row["book"] is None for row in none["moves"]}) == (False, None, {True})


def test_captures_by_several_ways_stand_once() -> None:
    house = house_of(book="none")
    position = Position.from_fen("B:W9,10,17,18:BK6")
    rows = ask(house, web_book.book_rows, fen=position.fen)["moves"]
    assert len(rows) == len({row["fen"] for row in rows}) < len(position.legal_moves())


def test_the_path_of_a_game_for_a_page(tmp_path: Path) -> None:
    house = house_of(book=book_file(tmp_path))
    start = Position().fen
    found = ask(house, web_book.path_of_game, start=start, moves="11-15 23-19 8-11 22-17 3-8".split())
    assert found == {
        "plies": 5,
        "left": {"ply": 4, "side": "black", "move": "3-8", "best": "11-16", "value": 6, "loss": None},
    }
    # the moves of a ballot were drawn
    for moves in ("11-15 21-17 9-13", "12-16 22-18"):
        left = ask(house, web_book.path_of_game, start=start, moves=moves.split())["left"]
        assert (left is None) == (len(moves.split()) == 3)
    with pytest.raises(IllegalMoveError):
        ask(house, web_book.path_of_game, start=start, moves=["11-20"])


BAD: tuple[tuple[str, type[KrError], str], ...] = (
    ("nowhere.krb", InvalidSettingError, r"book: nowhere\.krb: no such file"),
    (__file__, InvalidBookError, r"test_book_path\.py: not a packed book of kr"),
)


@pytest.mark.parametrize(("name", "error", "message"), BAD)
def test_a_bad_book_is_told_at_once(name: str, error: type[KrError], message: str) -> None:
    with pytest.raises(error, match=message):
        house_of(book=name)


def test_the_shipped_book_has_the_start() -> None:
    house = house_of()
    start = ask(house, web_book.book_rows, fen=Position().fen)
    assert start["moves"][0]["book"]["value"] is not None
    assert house.book is not None
    assert cooked(house.book.moves(Position())) is None or start["cook"]
