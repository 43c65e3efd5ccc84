"""Every legal move can be written, and is read back as that move, by everything that reads moves."""

import pytest
from captures import PART_OF_ANOTHER, POSITIONS
from hypothesis import example, given, settings

from kr.errors import IllegalMoveError
from kr.game.board import Board
from kr.game.position import Move, Position
from kr.notation import format_path, parse_path, square_name
from kr.pdn import Game, read_game, write_game
from kr.play.input import next_squares, read_move
from kr.protocols import hub_text

# position, text, the squares of the move that is meant
EXACT = [
    (PART_OF_ANOTHER, "15x6", "15x6"),
    (PART_OF_ANOTHER, "15-6", "15x6"),
    (PART_OF_ANOTHER, "15x22x31x24x15x6", "15x22x31x24x15x6"),
    (PART_OF_ANOTHER, "15x24x31x22x15x6", "15x24x31x22x15x6"),
    ("B:W8,9,11,13,15,17,18,19,20,25,26:BK1,K30,K31,K32", "30x23x16x7", "30x23x16x7"),
    ("B:BK2:W6,7,14,15", "2x11x18x9x2", "2x11x18x9x2"),
    ("B:BK2:W6,7,14,15", "2x9x18x11x2", "2x9x18x11x2"),
]

# position, text, what is to be written instead
AMBIGUOUS = [
    ("W:W32:B27,18,19,10,11", "32x7", ["32x23x14x7", "32x23x16x7"]),
    ("W:W30:B17,18,25,26", "30x14", ["30x21x14", "30x23x14"]),
]


@pytest.mark.parametrize(("fen", "text", "path"), EXACT)
def test_a_path_written_in_full_means_itself(fen: str, text: str, path: str) -> None:
    position = Position.from_fen(fen)
    move = position.parse_move(text)
    assert move.path == parse_path(path)
    assert position.play(text) == position.play(move)
    assert str(move) == path


@pytest.mark.parametrize(("fen", "text", "choices"), AMBIGUOUS)
def test_an_ambiguous_text_is_refused(fen: str, text: str, choices: list[str]) -> None:
    with pytest.raises(IllegalMoveError, match="is ambiguous: write ") as caught:
        Position.from_fen(fen).parse_move(text)
    assert all(choice in str(caught.value) for choice in choices)


@pytest.mark.parametrize("text", ["32\n-\n7", "32\t-\n5"])
def test_a_text_of_several_lines_is_refused_in_one(text: str) -> None:
    with pytest.raises(IllegalMoveError) as caught:
        Position.from_fen("W:W32:B27,18,19,10,11").parse_move(text)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.slow
@given(POSITIONS)
@example(Position.from_fen(PART_OF_ANOTHER))
@settings(max_examples=400)
def test_every_move_is_read_back_as_itself(position: Position) -> None:
    for move in position.legal_moves():
        assert position.parse_move(str(move)) == move
        assert position.parse_move(format_path(move.path, move.is_capture)) == move
        assert position.play(str(move)) == position.play(move)
        board = Board(position)
        assert board.play(str(move)) == move
        # DXP and the Hub name the men taken, not the way
        assert position.play(position.find_move(move.origin, move.target, move.captured)) == position.play(move)
        back = hub_text.parse_hub_move(hub_text.format_hub_move(move), position)
        assert position.play(back) == position.play(move)


@given(POSITIONS)
@example(Position.from_fen("W:W32:B27,18,19,10,11"))
@settings(max_examples=200)
def test_origin_and_target_alone_mean_one_position_or_are_refused(position: Position) -> None:
    legal = position.legal_moves()
    for ends in {(move.origin, move.target) for move in legal}:
        text = format_path(ends, True)
        alike = [move for move in legal if (move.origin, move.target) == ends]
        outcomes = {position.play(move) for move in alike if move.path == ends or ends not in [m.path for m in alike]}
        if len(outcomes) == 1:
            assert {position.play(text)} == outcomes
        else:
            with pytest.raises(IllegalMoveError, match=f"{text} is ambiguous: write "):
                position.play(text)


@given(POSITIONS)
@example(Position.from_fen(PART_OF_ANOTHER))
@settings(max_examples=200)
def test_a_game_that_ends_with_any_capture_is_read_back(position: Position) -> None:
    for move in position.legal_moves():
        game = Game({}, position, [move])
        game.add_variation(position.legal_moves()[0])
        back = read_game(write_game(game))
        assert back == game
        assert back.warnings == ()
        assert Game(game.headers, position, game.moves, "*", game.notes) == game


@given(POSITIONS)
@example(Position.from_fen(PART_OF_ANOTHER))
@settings(max_examples=200)
def test_every_move_can_be_typed_at_the_board(position: Position) -> None:
    for move in position.legal_moves():
        assert read_move(str(move), position) == move
        begun: tuple[int, ...] = ()
        for number, square in enumerate(move.path, start=1):
            if begun:
                assert square in next_squares(position, begun)
            found = read_move(square_name(square), position, begun)
            if isinstance(found, Move):
                # the path is complete, or the rest makes no difference
                assert number == len(move.path)
                assert found == move
                break
            begun = found
        else:
            raise AssertionError(f"{move} was never completed")
