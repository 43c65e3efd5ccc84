"""A game as it is played: moves, going back, and draws by rule."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kr.errors import IllegalMoveError, InvalidSettingError
from kr.game.board import NO_PROGRESS, NO_PROGRESS_PLIES, REPETITION, Board
from kr.game.position import Position

pytestmark = pytest.mark.core
KINGS = "B:WK32:BK1"
# the kings come back to where they began after four plies
SHUFFLE = ["1-6", "32-27", "6-1", "27-32"]


def played(board: Board, choices: list[int]) -> None:
    for choice in choices:
        if moves := board.position.legal_moves():
            board.play(moves[choice % len(moves)])


@settings(max_examples=30)
@given(st.lists(st.integers(0, 50), max_size=120), st.data())
def test_going_back_is_never_having_played(choices: list[int], data: st.DataObject) -> None:
    board, again = Board(), Board()
    played(board, choices)
    ply = data.draw(st.integers(0, len(board.moves)))
    played(again, choices[:ply])
    board.take_back(ply)
    assert (board.position, board.moves, board.history) == (again.position, again.moves, again.history)
    assert board.drawn() == again.drawn()
    assert board.start == Position()


@settings(max_examples=30)
@given(st.lists(st.integers(0, 50), max_size=120))
def test_history_holds_what_can_come_again(choices: list[int]) -> None:
    board = Board()
    played(board, choices)
    for before in board.history:
        assert before.pieces == board.position.pieces
        assert before.black & ~before.kings == board.position.black & ~board.position.kings
        assert before.white & ~before.kings == board.position.white & ~board.position.kings


def test_repetition() -> None:
    board = Board(Position.from_fen(KINGS))
    for move in SHUFFLE * 2:
        assert board.drawn() is None
        board.play(move)
    assert board.drawn() == REPETITION
    assert len(board.history) == 8
    board.take_back(7)
    assert board.drawn() is None


def test_no_progress() -> None:
    board = Board(Position.from_fen("B:WK31,K32:BK1,K2"))
    seen: Counter[Position] = Counter()
    while len(board.moves) < NO_PROGRESS_PLIES:
        assert board.drawn() is None
        # the kings stay in the two rows behind, and go where they were least often
        moves = [move for move in board.position.legal_moves() if not 8 <= move.target < 24]
        board.play(min(moves, key=lambda move: seen[board.position.play(move)]))
        seen[board.position] += 1
    assert board.drawn() == NO_PROGRESS


def test_a_man_moves_and_the_past_is_gone() -> None:
    board = Board(Position.from_fen("B:WK32:BK1,12"))
    for move in ["1-6", "32-27", "12-16"]:
        board.play(move)
    assert board.history == ()
    board.take_back(2)
    assert len(board.history) == 2


def test_refusals() -> None:
    board = Board()
    with pytest.raises(IllegalMoveError):
        board.play("11-20")
    for ply in (-1, 1):
        with pytest.raises(InvalidSettingError, match="no position after"):
            board.take_back(ply)
    assert board.moves == ()
