"""The compiled rules against the plain reference, known counts, and their symmetries."""

import copy
import pickle
import random

import pytest
from counters import REFERENCE, Bits, Leap, boards
from hypothesis import given

from kr import _core
from kr.errors import IllegalMoveError, InvalidFenError
from kr.game.position import Move, Position, Side

pytestmark = pytest.mark.core

START_BITS = (0x00000FFF, 0xFFF00000, 0, 0)


def check_against_reference(bits: Bits) -> list[Leap]:
    """Check that a position has the moves of the reference, and the same positions after them; returns the moves."""
    moves = _core.legal_moves(*bits)
    assert sorted(moves) == sorted(REFERENCE.moves(bits)), Position(*bits)
    for path, captured in moves:
        after = _core.play(*bits, path[0], path[-1], captured)
        assert after == REFERENCE.play(bits, (path, captured)), Position(*bits).diagram()
    return moves


@given(boards())
def test_random_boards_have_the_reference_moves(bits: Bits) -> None:
    check_against_reference(bits)


@pytest.mark.parametrize("seed", range(25))
def test_random_games_follow_the_reference(seed: int) -> None:
    chance = random.Random(seed)
    bits: Bits = START_BITS
    for _ in range(120):
        moves = check_against_reference(bits)
        if not moves:
            break
        path, captured = chance.choice(moves)
        bits = _core.play(*bits, path[0], path[-1], captured)


@given(boards())
def test_turning_the_board_turns_the_moves(bits: Bits) -> None:
    position = Position(*bits)
    twin = position.flipped()
    assert twin.flipped() == position
    turned = {(tuple(31 - square for square in move.path), move.captured.bit_count()) for move in twin.legal_moves()}
    assert turned == {(move.path, move.captured.bit_count()) for move in position.legal_moves()}
    after = {position.play(move).flipped() for move in position.legal_moves()}
    assert after == {twin.play(move) for move in twin.legal_moves()}


def test_keys_differ_between_positions_and_not_between_ways_to_them() -> None:
    seen: dict[int, Position] = {}
    chance = random.Random(7)
    for _ in range(40):
        position = Position()
        while not position.is_over and len(seen) < 4_000:
            assert seen.setdefault(position.key, position) == position
            assert Position.from_fen(position.fen).key == position.key
            position = position.play(chance.choice(position.legal_moves()))
    assert len(seen) > 1_500
    one = Position().play("11-15").play("24-20").play("9-14")
    other = Position().play("9-14").play("24-20").play("11-15")
    assert one.key == other.key
    assert one.key != Position(one.black, one.white, one.kings, Side.BLACK).key


# id, FEN, text of the legal moves
MOVE_LISTS = [
    ("start", "B:W21-32:B1-12", "9-13 9-14 10-14 10-15 11-15 11-16 12-16"),
    ("capture is compulsory", "W:W22,31:B17,1", "22x13"),
    ("any capture, not the longest", "B:B11,12:W15,16,24", "11x18 11x27 12x28"),
    ("a man captures forward only", "B:B18:W14,15", "18-22 18-23"),
    ("a king captures both ways", "B:BK18:W14,23", "18x9 18x27"),
    ("crowning ends the move", "B:B21:W25,26", "21x30"),
    ("a king jumps a piece once", "B:BK2:W6,7,14,15", "2x9x18x11x2 2x11x18x9x2"),
    ("a started capture is completed", "W:W32:B27,18", "32x14"),
    ("kings step one square", "W:WK18:B1", "18-14 18-15 18-22 18-23"),
    ("no move", "B:B5:W9,14", ""),
    ("no pieces", "W:W:B1", ""),
]


@pytest.mark.parametrize(("fen", "text"), [case[1:] for case in MOVE_LISTS], ids=[case[0] for case in MOVE_LISTS])
def test_legal_moves_of_known_positions(fen: str, text: str) -> None:
    position = Position.from_fen(fen)
    assert sorted(map(str, position.legal_moves())) == sorted(text.split())
    assert position.is_over is (text == "")


def test_a_man_is_crowned_and_a_captured_king_is_lifted() -> None:
    assert Position.from_fen("B:B25:W32").play("25-29").fen == "W:W32:BK29"
    assert Position.from_fen("W:W6:BK9,K32").play("6-2").fen == "B:WK2:BK9,K32"
    assert Position.from_fen("B:B14:WK18").play("14x23").fen == "W:W:B23"


def test_an_ambiguous_capture_needs_its_whole_path() -> None:
    position = Position.from_fen("W:W32:B27,18,19,10,11")
    moves = [move for move in position.legal_moves() if (move.origin, move.target) == (31, 6)]
    assert sorted(map(str, moves)) == ["32x23x14x7", "32x23x16x7"]
    with pytest.raises(IllegalMoveError, match=r"^32x7 is ambiguous: write 32x23x1\dx7 or 32x23x1\dx7$"):
        position.play("32x7")
    assert position.play("32x23x14x7").fen == "B:W7:B11,19"
    assert position.play("32x16x7").fen == "B:W7:B10,18"


def test_captures_of_the_same_pieces_by_two_ways_need_no_path() -> None:
    position = Position.from_fen("B:BK2:W6,7,14,15")
    assert {position.play(move) for move in position.legal_moves()} == {position.play("2x2")}


def test_play_takes_a_move_of_the_position_and_no_other() -> None:
    position = Position()
    for move in position.legal_moves():
        assert position.play(move) == position.play(str(move))
        assert position.find_move(move.origin, move.target) == move
    for stranger in (Move((10, 18)), Move((10, 14), 1 << 12), Move((23, 19))):
        with pytest.raises(IllegalMoveError, match="is not legal: Black's legal moves are "):
            position.play(stranger)
    with pytest.raises(IllegalMoveError, match="^11-19 is not legal: Black's legal moves are "):
        position.find_move(10, 18)


def test_a_finished_game_says_so() -> None:
    with pytest.raises(IllegalMoveError, match="^5-9 is not legal: Black has no legal move, the game is over$"):
        Position.from_fen("B:B5:W9,14").play("5-9")


def test_positions_are_immutable_values() -> None:
    position = Position.from_fen("W:W21,K30:B1,2")
    assert position == Position(position.black, position.white, position.kings, Side.WHITE)
    assert len({position, Position.from_fen("W:B2,1:WK30,21"), Position()}) == 2
    assert pickle.loads(pickle.dumps(position)) == position == copy.deepcopy(position)
    assert repr(position) == "Position.from_fen('W:W21,K30:B1,2')"
    assert repr(position.legal_moves()[0]) == "<Move 21-17>"
    assert position.side is Side.WHITE
    assert position.side.other is Side.BLACK
    assert position.pieces == 4
    with pytest.raises(AttributeError):
        position.black = 0  # type: ignore[misc]
    move = position.legal_moves()[0]
    assert pickle.loads(pickle.dumps(move)) == move


@pytest.mark.parametrize(
    ("bits", "message"),
    [
        ((1, 1, 0, 0), "holds both a Black and a White piece"),
        ((1 << 32, 0, 0, 0), "outside squares 1 to 32"),
        ((-1, 0, 0, 0), "outside squares 1 to 32"),
        ((1, 2, 4, 0), "square 3 is marked as a king but holds no piece"),
        ((1 << 31, 0, 0, 0), "a Black man stands on its king row, square 32"),
        ((0x1FFF, 0, 0, 0), "Black has 13 pieces"),
        ((1, 1 << 20, 0, 2), "side to move is 2"),
    ],
)
def test_impossible_boards_are_refused(bits: Bits, message: str) -> None:
    with pytest.raises(InvalidFenError, match=message):
        Position(*bits)


def test_diagram_shows_pieces_numbers_and_side() -> None:
    lines = Position.from_fen("W:W21,K30:B1,K32").diagram().splitlines()
    assert lines[1] == "|       1 b         2           3           4    |"
    assert lines[6] == "|21 w        22          23          24          |"
    assert lines[8] == "|29          30 W        31          32 B        |"
    assert lines[-1] == "White to move"
    assert len(lines) == 11
