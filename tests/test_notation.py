"""FEN and move text, well formed and not."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kr.errors import IllegalMoveError, InvalidFenError
from kr.game.position import Position, Side
from kr.notation import (
    BLACK_KING_ROW,
    WHITE_KING_ROW,
    fen_lines,
    format_fen,
    format_path,
    looks_like_fen,
    parse_fen,
    parse_path,
    parse_square,
    square_name,
)

START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"

# text, canonical form
FENS = [
    ("B:W18,24,K10:B12,K22", "B:WK10,18,24:B12,K22"),
    ("W:B1,2:W21,K30", "W:W21,K30:B1,2"),
    ("W:W21,K30:B1,2.", "W:W21,K30:B1,2"),
    (" w : w 21 , k30 :\tb1, 2 . ", "W:W21,K30:B1,2"),
    ("B:W21-32:B1-12", START),
    ("B:WK1-4:BK29-K32,5-6", "B:WK1,K2,K3,K4:B5,6,K29,K30,K31,K32"),
    ("W:W:B1", "W:W:B1"),
    ("W:WK1:B", "W:WK1:B"),
    ("B::B1", "B:W:B1"),
    ("B:B1:", "B:W:B1"),
    ("W::.", "W:W:B"),
    ("W:W11,20,K21:B2,3:H0:F1", "W:W11,20,K21:B2,3"),
    ("w:w21.:b1,2.:f12:h30.", "W:W21:B1,2"),
    ("B:Wa7,c7:Bb2,Kd2", "B:W27,28:BK7,8"),
    ("B:WKa1,h8:Bc3,12:H0:F1", "B:WK4,29:B11,12"),
    ('"W:W21,K30:B1,2"', "W:W21,K30:B1,2"),
    (" \u201cW:W21,K30:B1,2\u201d", "W:W21,K30:B1,2"),
    ("[B:W23,22,15,14:B11,10.]", "B:W14,15,22,23:B10,11"),
    ("(W:W21,K30:B1,2.)", "W:W21,K30:B1,2"),
    ('[FEN "W:W21,K30:B1,2"]', "W:W21,K30:B1,2"),
    ("[fen 'W:Wb6:Ba1:H0:F1']", "W:W24:B4"),
    ("FEN: W:W21,K30:B1,2", "W:W21,K30:B1,2"),
]

BAD_FENS = [
    ("", "three fields"),
    ("B", "three fields"),
    ("B:W18:B1:Q0", "three fields, as in B:W18,24,K10:B12,K22; only counters such as :H0:F1 may follow"),
    ("B:W18:H0:F1", "side of a list of pieces is 'H'"),
    ("B:Wa2:B1", "White's square 'a2' is a light one: pieces stand on the dark ones, such as a1"),
    ("B:Wj10:B1", "White's square 'j10' does not exist: the board has squares from a1 to h8"),
    ("W:Wa1,c1:Bh8", "a Black man stands on its king row, square 29.*with letters, a1 is at the left hand of Black"),
    ("B:Wa1-c1:B1", "White's 'A1-C1' is not a square such as 18"),
    ('[FEN "W:W21,K30:B1,2', "side to move is '\\[FEN"),
    ("X:W18:B2", "side to move is 'X'"),
    ("?:W18:B2", "side to move is '\\?'"),
    (":W18:B2", "side to move is ''"),
    ("B:Z18:B2", "side of a list of pieces is 'Z'"),
    ("B:18:2", "side of a list of pieces is '1'"),
    ("B:W18:W19", "White's pieces are listed twice"),
    ("B:W33:B1", "White's square '33' does not exist: squares are numbered 1 to 32"),
    ("B:W18:B0", "Black's square '0' does not exist"),
    ("B:W18:B18", "square 18 holds both a Black and a White piece"),
    ("B:W18,K18:B3", "White's square 18 is listed twice"),
    ("B:W18,17-19:B3", "White's square 18 is listed twice"),
    ("B:W20-18:B3", "White's range '20-18' runs down: write 18-20"),
    ("B:W18-K20:B3", "White's range '18-K20' must begin with a king"),
    ("B:W18-:B3", "White's '18-' is not a square"),
    ("B:W18,:B3", "White's '' is not a square"),
    ("B:WQ18:B3", "White's 'Q18' is not a square"),
    ("B:W18 K19:B3", "White's '18K19' is not a square"),
    ("BW:W18:B12", "the side to move is 'BW', not B or W"),
    ("WB:W18:B12", "the side to move is 'WB', not B or W"),
    ("B:W1 8:B12", "a comma is missing in '1 8'"),
    ("B:W18,2\n4:B12", "a comma is missing in"),
    ("B:W\u0661\u0668:B12", "is not a square"),
    ("B:W0000000000000018:B12", "does not exist"),
    ("B:W1:B2", "a White man stands on its king row, square 1: make it a king, K1"),
    ("B:W18:B30", "a Black man stands on its king row, square 30: make it a king, K30"),
    ("B:W20-32:B1", "White has 13 pieces: a side has at most 12"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "three fields"),
]


@pytest.mark.parametrize(("text", "canonical"), FENS)
def test_every_form_of_fen_is_read_and_one_is_written(text: str, canonical: str) -> None:
    assert format_fen(*parse_fen(text)) == canonical
    assert Position.from_fen(text).fen == canonical


@pytest.mark.parametrize(("text", "message"), BAD_FENS)
def test_a_bad_fen_gives_one_clear_line(text: str, message: str) -> None:
    with pytest.raises(InvalidFenError, match=message) as caught:
        parse_fen(text)
    line = str(caught.value)
    assert line.startswith(f"FEN {text.strip()!r}: ")
    assert "\n" not in line


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("W:W21,K30:B1,2", True), ('[FEN "W:W33:B1"]', True), (" b : w 99", True), ("W::", True),
        ("9-14 22-18", False), ("decks/games.pdn:8", False), ("B:/games/w.txt", False), ("3move 68", False),
        ("", False),
        ('[Event "B:W1:B2"]\n1. 9-14', False),
    ],
)  # fmt: skip
def test_a_fen_is_told_from_names_files_and_moves(text: str, looks: bool) -> None:
    assert looks_like_fen(text) == looks


def test_lines_of_fens_have_comments() -> None:
    assert list(fen_lines(["# old", "W:W21:B1 # won", "", "B:W21:B1\n"])) == [(2, "W:W21:B1"), (4, "B:W21:B1")]


def test_a_man_on_its_king_row_is_crowned_on_request() -> None:
    assert format_fen(*parse_fen("B:W1,18:B12,30", crown=True)) == "B:WK1,18:B12,K30"
    with pytest.raises(InvalidFenError, match="both a Black and a White piece"):
        parse_fen("B:W1:B1", crown=True)


def test_the_default_position_is_the_start() -> None:
    assert Position().fen == START
    assert Position(side=Side.WHITE).fen == "W" + START[1:]


@pytest.mark.parametrize(
    ("fields", "fen"),
    [
        ({"black": 1}, "B:W:B1"),
        ({"white": 1 << 31}, "B:W32:B"),
        ({"black": 0}, "B:W:B"),
        ({"white": 0}, "B:W:B"),
        ({"black": 3, "kings": 2, "side": 1}, "W:W:B1,K2"),
        ({"black": np.uint32(1), "white": np.uint32(1 << 31), "side": np.uint8(1)}, "W:W32:B1"),
    ],
)
def test_a_position_is_made_of_the_bitboards_that_are_given(fields: dict[str, Any], fen: str) -> None:
    position = Position(**fields)
    assert position.fen == fen
    assert position == Position.from_fen(fen)
    assert type(position.black) is type(position.white) is type(position.kings) is int


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"black": "W:W1"}, r"black is 'W:W1', .*Position\.from_fen"),
        ({"white": 1.5}, "white is 1.5"),
        ({"black": 1, "kings": []}, "kings is "),
        ({"black": -1}, "outside squares 1 to 32"),
        ({"white": 1 << 32}, "outside squares 1 to 32"),
        ({"kings": 1}, "square 1 is marked as a king but holds no piece"),
        ({"side": "W"}, "the side to move is 'W'"),
        ({"side": None}, "the side to move is None"),
    ],
)
def test_impossible_boards_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidFenError, match=message):
        Position(**fields)


@pytest.mark.parametrize("text", [None, 5, b"W:W21:B1", Position()])
def test_a_fen_is_text(text: Any) -> None:
    with pytest.raises(InvalidFenError, match="a FEN is text such as"):
        Position.from_fen(text)


@pytest.mark.parametrize("move", [None, 5, (10, 14), "", "\u0661\u0661-15", b"11-15"])
def test_text_that_is_not_a_move_is_refused(move: Any) -> None:
    with pytest.raises(IllegalMoveError):
        Position().play(move)
    with pytest.raises(IllegalMoveError):
        Position().parse_move(move)


@given(st.data())
def test_any_board_survives_the_round_trip(data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(32)))
    counts = data.draw(st.tuples(st.integers(0, 12), st.integers(0, 12)))
    black = sum(1 << square for square in order[: counts[0]])
    white = sum(1 << square for square in order[counts[0] : sum(counts)])
    forced = black & BLACK_KING_ROW | white & WHITE_KING_ROW
    kings = (data.draw(st.integers(0, 2**32 - 1)) & (black | white)) | forced
    side = data.draw(st.integers(0, 1))
    assert parse_fen(format_fen(black, white, kings, side)) == (black, white, kings, side)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("11-15", (10, 14)),
        ("22x15", (21, 14)),
        ("22:15", (21, 14)),
        ("22X15", (21, 14)),
        (" 9 - 13 ", (8, 12)),
        ("1- 7", (0, 6)),
        ("10x19x26", (9, 18, 25)),
        ("10-19-26", (9, 18, 25)),
        ("01-05", (0, 4)),
    ],
)
def test_move_text_is_read(text: str, path: tuple[int, ...]) -> None:
    assert parse_path(text) == path


@pytest.mark.parametrize(
    "text", ["", "11", "11-", "-15", "11-15-", "33-29", "0-5", "11 15", "a3-b4", "11--15", "11-15!"]
)
def test_other_text_is_no_move(text: str) -> None:
    with pytest.raises(IllegalMoveError, match="is not a move: ") as caught:
        parse_path(text)
    assert "\n" not in str(caught.value)


def test_moves_are_written_with_a_dash_or_an_x() -> None:
    assert format_path((10, 14), capture=False) == "11-15"
    assert format_path((9, 18, 25), capture=True) == "10x19x26"


@pytest.mark.parametrize("text", ["11-15", "11x15", "11:15", " 11 - 15 "])
def test_the_separator_does_not_matter(text: str) -> None:
    assert str(Position().play(text).play("22-18").parse_move("15-22")) == "15x22"


def test_squares_are_numbered_from_one() -> None:
    assert [square_name(square) for square in (0, 31)] == ["1", "32"]
    assert [parse_square(name) for name in ("1", " 32 ")] == [0, 31]
    for wrong in ("0", "33", "-1", "", "K1", "1.0"):
        with pytest.raises(ValueError, match="squares are numbered 1 to 32"):
            parse_square(wrong)
