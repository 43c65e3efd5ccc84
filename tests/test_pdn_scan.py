"""The scanner, which finds the games of large files fast: the same games and errors as a reader."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from kr import _core
from kr.archives.index import headers_of, move_codes
from kr.errors import InvalidPdnError
from kr.game.position import Position
from kr.pdn import Game, Reader, read_game
from kr.pdn.grammar import RESULTS
from kr.pdn.scan import NO_CODE, Scanner

ODD = [
    "",
    "1. 11-15 *",
    '[Event "a"]\n1. 11-15 23-19 1-0',
    '[Event "a"]\n1. 11-15 23-19 1-0 {said afterwards}\n\n[Event "b"]\n1. 9-13 0-1\n',
    '[Event "a"]\n1. 11-15 23-19 1-0 ; said\n[Event "b"]\n1. 9-13 0-1 % no\n% said\n',
    '[Event "a"]\n[Result "1-0"]\n1. 11-15 *\n\n[Event "b"]\n[Result "0-1"]\n11-15 1-0\n\n[Result "2-0"]\n*\n',
    '[Event "a"]\n11-15 23-19* 8-11\n[Event "b"]\n11-15 23-19 *\n[Event "c"]\n11-15 23-19 1-1\n',
    '[Event "a"]\n1. 11-15 22-18 2. 15x22 25x18\n1. 9-13 *\n',
    '[Event "a"]\n1.11-15 22-18 2.15-22 26-17 1/2-1/2\n[Event "b"]\n1. 11 - 15 22-18 *\n[Event "c"]\n11-15 0-0\n',
    '[Event "a"]\n[Event "b"]\n1. 9-13 *\n\n[Site "c"]\n\n[Date "1900"]\n1. 9-13 *\n',
    '[Event "a"]\n1. 9-13 23-18 2. 13-31 *\n[Event "b"]\n1. 9-13 *\n',
    '[GameType "20"]\n1. 9-13 *\n[GameType "21"]\n1. 9-13 *\n[GameType "21,W"]\n1. 9-13 *\n',
    '[FEN "W:W21,22:BK10,14,15,7"]\n1. 21-17 1-0\n\n[FEN ""]\n9-13 *\n[FEN "W:W1:B4"]\n1. 1-6 *\n[FEN "rubbish"]\n*\n',
    '[FEN "B:W9,10,17,18,26:BK6,1"]\n1. 6x13x22x31 *\n[FEN "B:W9,10,17,18:BK6"]\n1. 6-13 *\n',
    '[Event "a{"]\n1. 9-13 {never closed\n\n[Event "b"]\n[Site "c"]\n1. 9-13 *\n',
    '[Event "\\"quoted\\" \\\\"]\n9-13 22-18 (22-17 13x22) *\n[Event "½ é 日本"]\n9-13 22-18 *\n',
    '[Event "a"]\n9-13\t22-18, 6-9 *\n[Event "b"]\r\n9-13 22-18\r\n6-9 *\r\n',
    '[Event "a"]\n10 9-13 2 22-18 *\n[Event "b"]\n1. 9-13 1... 22-18 *\n[Event "c"]\n1000. 9-13 *\n',
    '[Event "a"]\n0-1\n[Event "b"]\n1-0 1-0\n[Event "c"]\n1/2\n[Event "d"]\n11-15 1-0-\n',
    '[Event "a"]\n11-15 23-19 /FEN "B:W18:B10"/ 10-14 18-9 *\n[Event "b"]\n11-15 /FEN "W:W18:B10"/ *\n9-13 *\n',
    '[Event "a"]\n11-15 23-19 /FEN "W:W18:B10"/ 10-14 *\n/FEN "W:W18:B10"/ 18-14 /FEN "B:W18:B10"/ 10-15 *\n',
    '[Event "a"]\n9-13 24-19 8-11? 19-15 $4 10x19! 23x16x7 (!) 2x11 *',
]
"""Texts that a reader for plain games alone would get wrong."""

FORMS = ["1. 9-13 22-18 *", "[Event \"x\"]\n", "[Site \"y\"]\n", "1-0", " 2. ", "11-15 ", "{c}", "\n\n", "*", "(9-14)",
         "0-1\n", "\n", ";", "%", "1.", "1/2-1/2 ", "22x15", "[FEN \"B:W21:BK1\"]\n", "words ",
         '/FEN "B:W21:B1"/ ']  # fmt: skip


def scanned(text: str, **options: Any) -> tuple[list[tuple[Game, int, str]], list[str]]:
    """Games, lines, results and errors as a Scanner finds them; keys and codes are compared with the moves."""
    errors: list[InvalidPdnError] = []
    scanner = Scanner(text, on_error=errors.append, **options)
    found = []
    used = 0
    while (each := scanner.scan()) is not None:
        game = read_game(each.text + "\n")
        assert game is not None
        assert each.headers == headers_of(each.text)
        assert each.start == game.start.bits
        boards = list(game.mainline_bits())
        assert scanner.keys[used : scanner.used].tolist() == [_core.position_key(*board) for board in boards]
        codes = scanner.codes[used : scanner.used].tolist()
        assert codes.pop() == NO_CODE
        moves = [move_codes(Position.from_bits(board))[code] for board, code in zip(boards, codes, strict=False)]
        assert [(move.origin, move.target, move.captured) for move in moves] == [
            (move.origin, move.target, move.captured) for move in game.mainline_moves()
        ]
        assert each.plies == len(codes)
        used = scanner.used
        found.append((game, each.line, RESULTS[each.result]))
    return found, [str(error) for error in errors]


def as_read(text: str) -> tuple[list[tuple[Game, int, str]], list[str]]:
    """Games with their lines and results, and errors, as a Reader has them."""
    errors: list[InvalidPdnError] = []
    games = [(game, game.line or 0, str(game.result)) for game in Reader(text, on_error=errors.append)]
    return games, [str(error) for error in errors]


@pytest.mark.core
@pytest.mark.parametrize("text", ODD)
def test_a_scanner_finds_the_games_of_a_reader(text: str) -> None:
    assert scanned(text) == as_read(text)


@pytest.mark.core
def test_a_scanner_finds_the_games_of_a_reader_in_scrambled_texts() -> None:
    dice = random.Random(7)
    for _ in range(400):
        text = "".join(dice.choices(FORMS, k=dice.randrange(1, 14)))
        assert scanned(text) == as_read(text), text


@pytest.mark.slow
def test_a_scanner_finds_the_games_of_a_reader_in_public_collections(shared_data: Path) -> None:
    for path in sorted((shared_data / "pdn-corpus").glob("*.pdn")):
        errors: list[InvalidPdnError] = []
        expected = [(game.line, game.headers, str(game.result)) for game in Reader(path, on_error=errors.append)]
        others: list[InvalidPdnError] = []
        scanner = Scanner(path, on_error=others.append)
        found = [(each.line, each.headers, RESULTS[each.result]) for each in iter(scanner.scan, None)]
        assert found == expected, path.name
        assert [str(error) for error in others] == [str(error) for error in errors], path.name
