"""The game object: moves, undo, the questions it answers, and outcomes by the rules."""

import copy
import pickle
from collections import Counter
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kr
from kr.errors import IllegalMoveError, InvalidFenError, InvalidSettingError
from kr.game.board import NO_PROGRESS_PLIES, REPETITIONS, Board, draw_by_rule, quiet_plies
from kr.game.outcome import NO_MOVE, NO_PIECES, NO_PROGRESS, REPETITION, Outcome
from kr.game.position import Move, Piece, Position, Side
from kr.game.value import Result, Value
from kr.proofs import rules as reference

pytestmark = pytest.mark.core
KINGS = "B:WK32:BK1"
# the kings come back to where they began after four plies
SHUFFLE = ["1-6", "32-27", "6-1", "27-32"]

choices_of_moves = st.lists(st.integers(0, 50), max_size=160)
starts = st.sampled_from(["W:W21-32:B1-12", "B:W21-32:B1-12", KINGS, "B:WK31,K32,21:BK1,K2,12", "W:WK14,22:B1,2,K29"])


def played(board: Board, choices: list[int]) -> None:
    for choice in choices:
        if moves := board.legal_moves():
            board.play(moves[choice % len(moves)])


@settings(max_examples=40)
@given(starts, choices_of_moves)
def test_a_game_against_the_reference(start: str, choices: list[int]) -> None:
    """Moves, pieces, turns and outcomes are those of the plain rules, however long the game."""
    board = Board(start)
    squares = reference.from_bits(*board.position.bits[:3])
    seen = Counter([(*reference.to_bits(squares), board.side)])
    quiet = 0
    for choice in choices:
        legal = reference.legal_moves(squares, board.side)
        assert sorted((move.path, move.captured) for move in board.legal_moves()) == sorted(
            (path, sum(1 << square for square in taken)) for path, taken in legal
        )
        assert {square: squares.get(square) for square in range(32)} == {s: board.piece_at(s) for s in range(32)}
        outcome = board.outcome()
        assert board.is_over == (outcome is not None)
        # the same from the positions alone
        *earlier, position = board.positions
        assert quiet_plies(position, earlier) == len(board.history)
        drawn = outcome.reason if outcome is not None and outcome.winner is None else ""
        assert draw_by_rule(position, earlier) == drawn or not legal
        if not legal:
            own = any(piece.lower() == "bw"[board.side] for piece in squares.values())
            assert outcome == Outcome(board.side.other, NO_MOVE if own else NO_PIECES)
            return
        if seen[*reference.to_bits(squares), board.side] >= REPETITIONS:
            assert outcome == Outcome(None, REPETITION)
        elif quiet >= NO_PROGRESS_PLIES:
            assert outcome == Outcome(None, NO_PROGRESS)
        else:
            assert outcome is None
        path, taken = legal[choice % len(legal)]
        quiet = quiet + 1 if squares[path[0]] in "BW" and not taken else 0
        squares = reference.plain_after(squares, (path, taken))
        board.play(board.position.find_move(path[0], path[-1], sum(1 << square for square in taken)))
        seen[*reference.to_bits(squares), board.side] += 1
        assert board.position.bits == (*reference.to_bits(squares), board.side)


@settings(max_examples=30)
@given(choices_of_moves, st.data())
def test_undo_is_never_having_played(choices: list[int], data: st.DataObject) -> None:
    board, again = Board(), Board()
    played(board, choices)
    moves = board.moves
    ply = data.draw(st.integers(0, len(moves)))
    played(again, choices[:ply])
    if ply < len(moves):
        assert board.undo(len(moves) - ply) == moves[ply]
    assert board == again
    assert (board.position, board.moves, board.history) == (again.position, again.moves, again.history)
    assert board.outcome() == again.outcome()
    assert (board.start, board.positions[-1], len(board.positions)) == (Position(), board.position, ply + 1)


@settings(max_examples=30)
@given(choices_of_moves)
def test_history_holds_positions_that_can_be_repeated(choices: list[int]) -> None:
    board = Board()
    played(board, choices)
    for before in board.history:
        assert before.pieces == board.position.pieces
        assert before.black & ~before.kings == board.position.black & ~board.position.kings
        assert before.white & ~before.kings == board.position.white & ~board.position.kings


@settings(max_examples=10)
@given(choices_of_moves)
def test_a_copy_is_a_game_of_its_own(choices: list[int]) -> None:
    board = Board()
    played(board, choices)
    for other in (board.copy(), copy.deepcopy(board), pickle.loads(pickle.dumps(board))):
        assert other == board
        assert other.history == board.history
        if board.moves:
            other.undo()
            assert other != board


def test_repetition() -> None:
    board = Board(KINGS)
    for move in SHUFFLE * 2:
        assert board.outcome() is None
        board.play(move)
    assert board.outcome() == Outcome(None, REPETITION)
    assert len(board.history) == 8
    assert str(board.undo(7)) == SHUFFLE[1]
    assert not board.is_over


def test_no_progress() -> None:
    board = Board("B:WK31,K32:BK1,K2")
    seen: Counter[Position] = Counter()
    while len(board.moves) < NO_PROGRESS_PLIES:
        assert board.outcome() is None
        # the kings stay in the two rows behind, and go where they were least often
        moves = [move for move in board.legal_moves() if not 8 <= move.target < 24]
        board.play(min(moves, key=lambda move: seen[board.position.play(move)]))
        seen[board.position] += 1
    assert board.outcome() == Outcome(None, NO_PROGRESS)


@pytest.mark.parametrize(
    ("fen", "winner", "reason"),
    [
        ("W:W:B1", Side.BLACK, NO_PIECES),
        ("B:WK32:B", Side.WHITE, NO_PIECES),
        ("W:W5:B1,K10", Side.BLACK, NO_MOVE),
        ("B:W10,17,18:B9,13,14", Side.WHITE, None),
    ],
)
def test_a_side_that_cannot_move_has_lost(fen: str, winner: Side, reason: str | None) -> None:
    assert Board(fen).outcome() == (None if reason is None else Outcome(winner, reason))


def test_an_outcome_in_words_and_values() -> None:
    won = Outcome(Side.WHITE, NO_MOVE)
    assert (str(won), won.result) == ("White wins (no legal move), 0-1", Result.WHITE_WON)
    assert (won.value_for(Side.WHITE), won.value_for(Side.BLACK)) == (Value.WIN, Value.LOSS)
    drawn = Outcome(None, REPETITION)
    assert (str(drawn), drawn.value_for(Side.BLACK)) == ("a draw (repetition), 1/2-1/2", Value.DRAW)


def test_a_man_move_empties_the_history() -> None:
    board = Board("B:WK32:BK1,12")
    for move in ["1-6", "32-27", "12-16"]:
        board.play(move)
    assert board.history == ()
    board.undo()
    assert len(board.history) == 2


def test_questions_to_a_board() -> None:
    board = kr.Board("B:W22,K30:B15,K6")
    assert (board.fen, board.side) == ("B:W22,K30:BK6,15", Side.BLACK)
    assert [board.piece_at(square) for square in ("22", "30", "15", "6", "1")] == ["w", "W", "b", "B", None]
    king = board.piece_at(5)
    assert king is Piece.BLACK_KING
    assert (king.side, king.is_king, Piece.WHITE_MAN.side, Piece.WHITE_MAN.is_king) == (
        Side.BLACK, True, Side.WHITE, False,
    )  # fmt: skip
    assert board.is_legal("15-18")
    assert board.is_legal(board.parse_move("15-18"))
    assert not board.is_legal("15-22")
    assert not board.is_legal("what?")
    assert not board.is_legal(Move((14, 21)))
    assert board.diagram() == board.position.diagram()
    before = board._repr_svg_()
    board.play("15-18")
    assert before.startswith("<svg")
    assert board._repr_svg_() == kr.svg.board(board.position, last_move="15-18", size=kr.svg.SHOWN)
    assert repr(board) == "<Board W:W22,K30:BK6,18, 1 move played>"


def test_an_ambiguous_text_is_not_a_legal_move() -> None:
    board = Board("W:W30:B17,18,25,26")
    assert not board.is_legal("30x14")
    assert board.is_legal("30x23x14")
    assert all(board.is_legal(move) for move in board.legal_moves())


def test_refusals() -> None:
    board = Board()
    with pytest.raises(IllegalMoveError):
        board.play("11-20")
    for plies in (-1, 0, 1):
        with pytest.raises(InvalidSettingError, match="^cannot take back"):
            board.undo(plies)
    for square in (-1, 32, "0", "33", "x", None, 1.5):
        with pytest.raises(InvalidSettingError, match="does not exist: give 0 to 31"):
            board.piece_at(square)  # type: ignore[arg-type]
    with pytest.raises(InvalidFenError):
        Board("nonsense")
    with pytest.raises(TypeError):
        hash(board)
    assert board.moves == ()


def test_an_engine_takes_a_board_with_its_history() -> None:
    """A winning side that has only moves to positions seen twice sees the draw."""
    engine = kr.Engine("material", hash_mb=1, database=None)
    board = Board(KINGS)
    for move in SHUFFLE[:3]:
        board.play(move)
    limits = kr.Limits(nodes=2000)
    found = engine.search(board, limits)
    engine.new_game()
    assert found.score == engine.search(board.position, limits, board.history).score
    engine.new_game()
    with engine.start(board, limits) as search:
        assert search.result().move == found.move
    assert kr.analyze(engine, board, limits).task.history == board.history
    with pytest.raises(InvalidSettingError, match="a Board has its history"):
        engine.search(board, limits, board.history)


@pytest.fixture(scope="module")
def opened() -> SimpleNamespace:
    return SimpleNamespace(
        engine=kr.Engine("material", hash_mb=1, database=None),
        database=kr.load_database(),
        book=kr.load_book(),
        policy=kr.load_policy(),
    )


TAKING_A_POSITION = {
    "search": lambda opened, given: opened.engine.search(given, "depth=1").move,
    "start": lambda opened, given: opened.engine.start(given, "depth=1").result().move,
    "evaluate": lambda opened, given: opened.engine.evaluate(given),
    "analyze": lambda opened, given: kr.analyze(opened.engine, given, "depth=1").lines[0].pv,
    "explain": lambda opened, given: kr.explain(given, "material"),
    "perft": lambda opened, given: kr.perft(given, 2),
    "divide": lambda opened, given: kr.divide(given, 2),
    "Board": lambda opened, given: Board(given).position,
    "set up": lambda opened, given: Board(POSITION.flipped().fen.replace("B:", "W:", 1)).set_up(given),
    "Task": lambda opened, given: kr.Task(given).position,
    "Claim": lambda opened, given: kr.Claim(given, Side.BLACK, Value.DRAW),
    "Game": lambda opened, given: kr.pdn.Game(start=given),
    "setup": lambda opened, given: kr.pdn.Game().add_variation("11-15", setup=given).bits,
    "value": lambda opened, given: opened.database.value(given),
    "distance": lambda opened, given: opened.database.distance(given),
    "has": lambda opened, given: opened.database.has(given),
    "probe": lambda opened, given: kr.probe(opened.database, given),
    "book's moves": lambda opened, given: opened.book.moves(given),
    "book's choice": lambda opened, given: opened.book.choice(given),
    "book's line": lambda opened, given: opened.book.line(given, "27-23", most=2),
    "policy": lambda opened, given: opened.policy.choices(given),
    "player": lambda opened, given: kr.player_from_spec("random:1").search(given, kr.Limits(depth=1), ()).move,
    "policy's player": lambda opened, given: kr.player_from_spec("policy:shipped").search(given, None, ()).move,
    "svg": lambda opened, given: kr.svg.board(given),
}
POSITION = Position.from_fen("W:WK27,K30:BK1,2")


@pytest.mark.parametrize("name", TAKING_A_POSITION)
def test_a_position_is_given_as_such_as_a_board_or_as_a_fen(name: str, opened: SimpleNamespace) -> None:
    call = TAKING_A_POSITION[name]
    expected = call(opened, POSITION)
    assert call(opened, Board(POSITION)) == call(opened, POSITION.fen) == expected
    assert call(opened, kr.Opening("2 kings each", POSITION)) == expected
    with pytest.raises(InvalidFenError, match="FEN '11-15': it must have three fields"):
        call(opened, "11-15")
    for other in (5, ["start"]):
        with pytest.raises(InvalidSettingError, match=r"^the position is .*; expected a Position, a Board or a FEN$"):
            call(opened, other)


def test_a_board_gives_a_book_and_a_policy_the_moves_before(opened: SimpleNamespace) -> None:
    board = Board()
    board.play("11-15")
    assert opened.policy.choices(board) == opened.policy.choices(board.position, board.positions[:-1])
    assert opened.policy.choices(board) != opened.policy.choices(board.position)
    [known, *_] = opened.book.moves(board)
    assert opened.book.line(board, known) == opened.book.line(board, known.move) == opened.book.line(board, "23-19")
    for call in (opened.book.choice, opened.policy.choices):
        with pytest.raises(InvalidSettingError, match="a Board has its history"):
            call(board, history=board.positions)
        with pytest.raises(InvalidSettingError, match="a position of the history is 5"):
            call(board.position, history=[5])
    with pytest.raises(IllegalMoveError, match="11-15 is not legal"):
        opened.book.line(board, "11-15")
    with pytest.raises(IllegalMoveError, match="5 is not a move"):
        opened.book.line(board, 5)
