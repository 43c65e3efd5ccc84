"""The opening book of the page without a server, against that of kr web."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page import BOOK, Page, made, same, started, web_house
from small_book import book_content

from kr.book.book import OpeningBook
from kr.book.frame import position_of_key
from kr.book.krb import PackedBook
from kr.game.board import Board
from kr.game.position import Position
from kr.openings.decks import deck
from kr.web.house import House

Pair = tuple[Page, House, Path]

BOUNDS = {
    "": "11-15 10000 20 5, 9-14 9990 19 0, 12-16 none 0 2",
    "11-15": "22-18 -10000 1 0",
    "9-14 22-18": "5-9 -1 255 7, 11-15 -200 3 7",
}


@pytest.fixture(scope="module", params=["shipped", "small", "bounds"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """A page and a house with the same book."""
    path = BOOK
    if request.param != "shipped":
        path = tmp_path_factory.mktemp("book") / "book.krb"
        path.write_bytes(book_content(BOUNDS if request.param == "bounds" else None))
    for page in started(book=path):
        yield page, web_house(book=str(path)), path


def test_positions_of_the_book_and_others(pair: Pair) -> None:
    page, house, path = pair
    keys = list(PackedBook(path.read_bytes()).keys())
    source = random.Random(5)
    known = 0
    for key in source.sample(keys, min(len(keys), 120)):
        position = position_of_key(key)
        for each in (position, position.flipped(), position.play(source.choice(position.legal_moves()))):
            answer = same(page, house, "book/moves", {"fen": each.fen})
            known += any(row["book"] for row in answer["moves"])
    assert known >= 2 * min(len(keys), 120)


POSITIONS = ("B:W9,10,17,18:BK6", "B:W18:B3", "W:WK18,K19:BK3,5", "B:W:B1", "W:W32:B", "x", "", None, 7)


def test_positions_that_no_book_has(pair: Pair) -> None:
    page, house, _ = pair
    for fen in POSITIONS:
        same(page, house, "book/moves", {"fen": fen})


def test_where_games_leave_the_book(pair: Pair) -> None:
    page, house, path = pair
    book, start = OpeningBook(path), Position().fen
    source = random.Random(7)
    left = 0
    games: list[list[str]] = [opening.moves.split() for opening in deck("3move", playable_only=False)[::9]]
    for game in [*games, [], [], [], ["11-15", "21-17", "9-13"], ["12-16"], ["9-14", "22-18", "11-15"]]:
        board = Board()
        for move in game:
            board.play(move)
        while len(board.moves) < 30 and (legal := board.legal_moves()):
            known = book.moves(board.position)
            # along the book for a while, and then anywhere
            board.play(source.choice(known).move if known and source.random() < 0.9 else source.choice(legal))
        moves = [*map(str, board.moves)]
        for ply, position in enumerate(board.positions[:3]):
            left += bool(same(page, house, "book/path", {"start": position.fen, "moves": moves[ply:]})["left"])
    assert left
    for body in ({}, {"start": start, "moves": ["11-20"]}, {"start": "x"}, {"start": start, "moves": "11-15"}):
        same(page, house, "book/path", body)


BAD: tuple[tuple[str, Any], ...] = (
    ("not a packed book of kr; expected a .krb file", lambda content: b"kr books" + content[8:]),
    ("not a packed book of kr; expected a .krb file", lambda content: content[:20]),
    ("format version 2, this kr reads 1", lambda content: content[:8] + b"\2" + content[9:]),
    ("damaged: its checksum differs", lambda content: content[:-1] + bytes([content[-1] ^ 1])),
)


@pytest.mark.parametrize(("message", "change"), BAD)
def test_a_damaged_book(tmp_path: Path, message: str, change: Any) -> None:
    path = tmp_path / "bad.krb"
    path.write_bytes(change(book_content()))
    page = Page(*made(), book=path)
    try:
        assert page.ask("book/moves", {"fen": Position().fen}) == {"error": message}
        with pytest.raises(Exception, match=message):
            OpeningBook(path)
    finally:
        page.close()
