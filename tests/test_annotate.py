"""Annotated games: what is marked and how much it cost, marks in the tree, how well who played."""

import random
from itertools import pairwise

import pytest

from kr.analysis.annotation.annotation import Annotation, MoveTally, annotate
from kr.analysis.annotation.judgement import MARKS, JudgedMove
from kr.analysis.annotation.judging import JudgeSettings, judge_moves
from kr.analysis.annotation.marking import evaluation, pov, unmark_game
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.pdn import Game, read_game, write_game

BLUNDER = "11-15 24-20 8-11 28-24 9-13 22-18 15x22 25x18 3-8 20-16 12x28 23-19"
BLUNDER_PLY = 9
NODES = 3000
QUICK = JudgeSettings(tc=Limits(nodes=NODES))

PDN = """[Event "One"]
[Black "A"]
[White "B"]
[Result "1-0"]
[Annotator "Somebody"]

{About the game} 1. 11-15! {classic} 24-20 2. 8-11 28-24 (2... 22-18 {instead} 15x22 (2... 22-17))
3. 9-13 22-18 4. 15x22 25x18 5. 3-8? 20-16?? {throws it away} 6. 12x28 23-19 $6 {[%clk 0:04:59]} 1-0

[Event "Two"]
[Black "B"]
[White "C"]
[Result "1/2-1/2"]

1. 9-14 22-18 2. 5-9 24-19 3. 11-16 26-22 1/2-1/2

[Event "Bad"]
[Black "C"]

1. 11-15 11-15 1-0

[Event "Three"]
[Black "A"]
[White "C"]
[Result "0-1"]
[SetUp "1"]
[FEN "B:WK2,30:B7,10,17"]

1. 10-14 2-11 2. 17-21 30-26 0-1
"""


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(hash_mb=1)


def played(moves: str, fen: str = "") -> Game:
    return Game({}, Position.from_fen(fen) if fen else None, moves.split())


def playout(seed: int, plies: int) -> Game:
    """Random moves, with kings and long captures among them."""
    chance = random.Random(seed)
    position, moves = Position(), []
    while len(moves) < plies and not position.is_over:
        moves.append(chance.choice(position.legal_moves()))
        position = position.play(moves[-1])
    return Game({"Black": "Somebody", "White": "Somebody else"}, None, [str(move) for move in moves])


def turned(game: Game) -> Game:
    """A game with colours swapped and the board turned."""
    moves = ["x".join(str(32 - square) for square in move.path) for move in game.moves]
    return Game({}, game.start.flipped(), moves)


# --- judging


@pytest.mark.slow
def test_a_blunder_is_marked_with_the_better_move(engine: Engine) -> None:
    moves = judge_moves(played(BLUNDER), engine, QUICK)
    (blunder,) = (each for each in moves if each.mark == "??")
    assert blunder.ply == BLUNDER_PLY
    assert blunder.side == Side.WHITE
    assert (str(blunder.move), str(blunder.best)) == ("20-16", "26-22")
    assert blunder.best_expected is not None
    assert blunder.expected is not None
    assert blunder.loss == pytest.approx(blunder.best_expected - blunder.expected)
    assert blunder.loss > 0.4
    position = Position()
    for move in [*(each.move for each in moves[:BLUNDER_PLY]), *blunder.line]:
        position = position.play(move)


def test_the_moves_of_a_ballot_and_forced_ones_are_not_judged(engine: Engine) -> None:
    moves = judge_moves(played(BLUNDER), engine, QUICK)
    assert [each.ply for each in moves] == list(range(12))
    forced = {6}
    assert [each.ply for each in moves if not each.judged] == sorted({0, 1, 2} | forced)
    assert all(each.loss == 0 and not each.mark for each in moves if not each.judged)
    assert [each.ply for each in moves if each.expected is None] == [0, 1]
    late, early = (JudgeSettings(tc=Limits(nodes=300), from_ply=ply) for ply in (50, 0))
    for settings, first in ((early, 0), (late, 12)):
        judged = [each.ply for each in judge_moves(played(BLUNDER), engine, settings) if each.judged]
        assert judged == [ply for ply in range(first, 12) if ply not in forced]
    assert judge_moves(Game(), engine, QUICK) == ()


@pytest.mark.parametrize(
    ("fen", "move", "before", "after", "loss", "mark"),
    [
        ("B:W12,K18:B8,K17,27", "8-11", "win", "win", 0.0, None),
        ("B:W12,K18:B8,K17,27", "17-21", "win", "draw", 0.5, "??"),
        ("B:WK20,30:BK1,K2,16", "2-7", "win", "loss", 1.0, "??"),
        ("B:WK2,30:B7,10,17", "10-14", "draw", "loss", 0.5, "??"),
        ("B:WK1,K6:BK8,K13", "13-17", "draw", "draw", 0.0, None),
    ],
)  # fmt: skip
def test_verdicts_of_the_endgame_database_are_exact(
    engine: Engine, fen: str, move: str, before: str, after: str, loss: float, mark: str | None
) -> None:
    for game in (played(move, fen), turned(played(move, fen))):
        (judged,) = judge_moves(game, engine, QUICK)
        assert (judged.value_before, judged.value, judged.loss) == (before, after, loss)
        assert judged.mark in (("", "!") if mark is None else (mark,))
        assert (judged.best == judged.move) == (loss == 0)


@pytest.mark.parametrize(
    ("fen", "move", "mark"),
    [
        # five plies show another move as better
        ("B:W19,K21,28:BK8,K29,K30", "8-11", "!"),
        # wins by giving a man, which the search sees at once
        ("B:WK8,12,17:B3,K9,K15", "9-13", ""),
        ("B:W12,K18:B8,K17,27", "8-11", ""),
    ],
)
def test_the_only_move_is_marked_unless_it_is_seen_at_a_glance(engine: Engine, fen: str, move: str, mark: str) -> None:
    (judged,) = judge_moves(played(move, fen), engine, QUICK)
    assert (judged.mark, judged.best, judged.expected) == (mark, judged.move, 1)
    assert judged.others_expected < 0.8


def test_a_game_with_colours_swapped_gives_the_same_away(engine: Engine) -> None:
    game = played(BLUNDER)
    settings = JudgeSettings(tc=Limits(nodes=30_000), from_ply=0)
    one, other = judge_moves(game, engine, settings), judge_moves(turned(game), engine, settings)
    assert [each.side.other for each in one] == [each.side for each in other]
    assert [each.judged for each in one] == [each.judged for each in other]
    assert [each.mark == "??" for each in one] == [each.mark == "??" for each in other]
    # single ones differ: the search looks at moves of equal promise in the order of their squares
    differences = [mine.loss - others.loss for mine, others in zip(one, other, strict=True)]
    assert sum(map(abs, differences)) / len(differences) < 0.02


def test_earlier_searches_do_not_change_the_marks(engine: Engine) -> None:
    first = judge_moves(played(BLUNDER), engine, QUICK)
    judge_moves(played("9-14 22-18"), engine, JudgeSettings(tc=Limits(nodes=NODES), from_ply=0))
    assert judge_moves(played(BLUNDER), engine, QUICK) == first


def test_a_search_that_sees_one_move_only_judges_nothing(engine: Engine) -> None:
    assert len(judge_moves(played(BLUNDER), engine, JudgeSettings(tc=Limits(nodes=1)))) == 12


@pytest.mark.parametrize(
    ("loss", "mark"), [(0, ""), (0.0799, ""), (0.08, "?!"), (0.1499, "?!"), (0.15, "?"), (0.25, "??"), (1, "??")]
)
def test_thresholds(loss: float, mark: str) -> None:
    assert JudgeSettings().mark(loss) == mark


def expectations(moves: tuple[JudgedMove, ...]) -> list[float | None]:
    """Black's expected result at the start and after each move, as pages draw it."""
    return [None, *(None if each.expected is None else pov(each.side, each.expected) for each in moves)]


# the searches of most of them disagree with those after them
SAMPLE = {
    "a blunder": played(BLUNDER),
    "an ending": played("17-21 12-3 21-25", "B:W12,K18:B8,K17,27"),
    **{f"random game {seed}": playout(seed, 40) for seed in range(8)},
}


@pytest.mark.parametrize("nodes", [300, NODES])
@pytest.mark.parametrize("name", SAMPLE)
def test_the_graph_steps_where_a_mark_stands_and_nowhere_else(engine: Engine, name: str, nodes: int) -> None:
    settings = JudgeSettings(tc=Limits(nodes=nodes))
    moves = judge_moves(SAMPLE[name], engine, settings)
    # behind a mark that longer searches did not uphold the graph is thin
    upheld = [True, *(each.confirmed for each in moves)]
    for judged, (before, after), is_firm in zip(moves, pairwise(expectations(moves)), upheld[:-1], strict=True):
        if before is not None and is_firm:
            assert after is not None
            given = before - after if judged.side == Side.BLACK else after - before
            if judged.mark in MARKS:
                assert given == pytest.approx(judged.loss)
            else:
                assert settings.mark(abs(given)) == "", judged.ply


@pytest.mark.parametrize(
    ("game", "from_ply", "reasons"),
    [
        (played(BLUNDER), None, {0: "opening", 1: "opening", 2: "opening", 6: "forced"}),
        (played(BLUNDER), 0, {6: "forced"}),
        (played("17-21 12-3 21-25", "B:W12,K18:B8,K17,27"), None, {1: "forced"}),
    ],
)
def test_a_move_that_is_not_judged_says_why(
    engine: Engine, game: Game, from_ply: int | None, reasons: dict[int, str]
) -> None:
    moves = judge_moves(game, engine, JudgeSettings(tc=Limits(nodes=NODES), from_ply=from_ply))
    assert {each.ply: each.reason for each in moves if each.reason} == reasons
    assert {each.ply for each in moves if not each.judged} == set(reasons)
    shallow = judge_moves(game, engine, JudgeSettings(tc=Limits(nodes=1), from_ply=from_ply))
    assert {each.reason for each in shallow if not each.judged and each.ply not in reasons} <= {"unsearched"}
    assert all(bool(each.reason) != each.judged for each in (*moves, *shallow))


@pytest.mark.parametrize(
    ("game", "confirmed"),
    [
        # the last position has one search, that before a forced move what is confirmed after it
        (played(BLUNDER), [False, False, True, True, True, True, True, True, True, True, True, False]),
        # an unjudged opening, and nothing after it
        (played("11-15 22-18 15x22"), [False, False, False]),
        # a forced move has no search of its own: one search in all for the position before it and that after it
        (played("11-15 24-20 8-11 28-24 9-13 22-18 15x22"), [False, False, True, True, True, False, False]),
        # exact at the end
        (played("17-21 12-3 21-25", "B:W12,K18:B8,K17,27"), [True, True, True]),
    ],
)
def test_an_expected_result_is_confirmed_by_searches_further_on_or_exact(game: Game, confirmed: list[bool]) -> None:
    moves = judge_moves(game, Engine(hash_mb=1), QUICK)
    assert [each.confirmed for each in moves] == confirmed


def test_moves_are_told_as_they_are_judged_until_it_is_stopped(engine: Engine) -> None:
    told: list[JudgedMove] = []
    moves = judge_moves(played(BLUNDER), engine, QUICK, on_move=told.append)
    assert told == [*reversed(moves)]
    stop, told = Stop(), []

    def enough(judged: JudgedMove) -> None:
        told.append(judged)
        if judged.ply == BLUNDER_PLY:
            stop.set()

    judge_moves(played(BLUNDER), engine, QUICK, stop, enough)
    assert told == [*moves[: BLUNDER_PLY - 1 : -1]]


# --- marks in the tree


def test_marks_stand_in_the_tree_and_all_else_stays(engine: Engine) -> None:
    game, original = read_game(PDN), read_game(PDN)
    assert game is not None
    assert original is not None
    annotation = annotate(game, engine, QUICK)
    assert game.moves == original.moves
    blunder = list(game.mainline())[BLUNDER_PLY]
    # the sign was there already
    assert blunder.nags == ["??"]
    assert blunder.comments[0] == "throws it away"
    assert "[%eval " in blunder.comments[1]
    assert "Blunder: White expects" in blunder.comments[1]
    assert blunder.parent is not None
    better = blunder.parent.variations[1]
    assert better.move == annotation.moves[BLUNDER_PLY].best
    assert better.comment.startswith("[%eval ")
    assert game.headers["Annotator"].startswith("Somebody; kr ")
    again = read_game(write_game(game))
    assert again == game
    assert again.warnings == original.warnings
    unmark_game(again)
    assert again == original


def test_annotating_again_changes_nothing(engine: Engine) -> None:
    game = read_game(PDN)
    assert game is not None
    annotate(game, engine, QUICK)
    once = write_game(game)
    again = read_game(once)
    assert again is not None
    annotate(again, engine, QUICK)
    assert write_game(again) == once
    unmark_game(again)
    assert "kr" not in write_game(again)


def test_no_lines_are_added_with_line_plies_0(engine: Engine) -> None:
    game = played(BLUNDER)
    annotate(game, engine, QUICK, line_plies=0)
    assert all(len(node.variations) < 2 for node in [game, *game.descendants()])
    annotate(game, engine, QUICK, line_plies=2)
    assert max(len(node.variations) for node in game.mainline()) == 2


@pytest.mark.parametrize(
    ("side", "score", "value", "plies", "shown"),
    [
        (Side.BLACK, 35, None, None, "0.35"),
        (Side.WHITE, 35, None, None, "-0.35"),
        (Side.WHITE, 60, Value.DRAW, None, "0.00"),
        (Side.BLACK, 28990, Value.WIN, 12, "#6"),
        (Side.WHITE, 28990, Value.WIN, 11, "#-6"),
        (Side.WHITE, -28990, Value.LOSS, 11, "#6"),
        (Side.BLACK, -28500, Value.LOSS, None, "-285.00"),
    ],
)
def test_scores_as_other_programs_have_them(
    side: Side, score: int, value: Value | None, plies: int | None, shown: str
) -> None:
    assert evaluation(side, score, value, plies) == shown


# --- summaries


def test_a_summary_tells_best_moves_from_unmarked_ones(engine: Engine) -> None:
    assert str(MoveTally(1, 10, 9, 0.05)) == (
        "9 of 10 judged moves best, 100.0% without a mark, loss 0.005, no inaccuracies, no mistakes, no blunders"
    )
    assert str(MoveTally(1, 1, 1)).startswith("1 of 1 judged move best, 100.0%")
    assert str(MoveTally(1)) == "no move judged"
    game = played(BLUNDER)
    annotate(game, engine, QUICK)
    assert game.comment.endswith("The first 3 moves are not judged.")
    ending = played("17-21 12-3 21-25", "B:W12,K18:B8,K17,27")
    annotate(ending, engine, QUICK)
    assert "not judged" not in ending.comment


def test_tallies_add_up() -> None:
    position = Position()
    first, second = position.legal_moves()[:2]

    def judged(ply: int, loss: float = 0.0, mark: str = "", counts: bool = True) -> JudgedMove:
        best = first if loss == 0 else second
        return JudgedMove(ply, Side(ply % 2), first, counts, best=best, loss=loss, mark=mark)

    moves = [judged(0, 0.3, "??"), judged(1), judged(2, 0.1, "?!"), judged(3, counts=False), judged(4, 0.05)]
    annotation = Annotation((*moves, judged(6, 0, "!")))
    black = annotation.black
    assert black == MoveTally(1, 4, 1, pytest.approx(0.45), 1, 0, 1, 1)
    assert black.unmarked == pytest.approx(50)
    assert black.loss == pytest.approx(0.1125)
    assert annotation.white == MoveTally(1, 1, 1)
    assert annotation.white.unmarked == 100
    both = black + annotation.white
    assert (both.games, both.moves, both.unmarked, both.loss) == (2, 5, 60, pytest.approx(0.09))
    assert (MoveTally().accuracy, MoveTally().unmarked, MoveTally().loss) == (None, 100, 0)
