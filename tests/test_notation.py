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
    parse_fen,
    parse_square,
    square_name,
)

START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"


def test_lines_of_fens_have_comments() -> None:
    assert list(fen_lines(["# old", "W:W21:B1 # won", "", "B:W21:B1\n"])) == [(2, "W:W21:B1"), (4, "B:W21:B1")]


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


def test_moves_are_written_with_a_dash_or_an_x() -> None:
    assert format_path((10, 14), capture=False) == "11-15"
    assert format_path((9, 18, 25), capture=True) == "10x19x26"


def test_squares_are_numbered_from_one() -> None:
    assert [square_name(square) for square in (0, 31)] == ["1", "32"]
    assert [parse_square(name) for name in ("1", " 32 ")] == [0, 31]
    for wrong in ("0", "33", "-1", "", "K1", "1.0"):
        with pytest.raises(ValueError, match="squares are numbered 1 to 32"):
            parse_square(wrong)
