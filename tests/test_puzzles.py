"""Puzzles: every answer judged, the reply, hints, the end; exact play."""

from __future__ import annotations

import datetime
import json
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from proved import shipped as database

from kr.analysis.analysis import Analysis, Line, analyze
from kr.analysis.sources import Task
from kr.egdb.exact import exact_moves, exact_value, hardest_move
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.errors import InvalidProblemError, InvalidSettingError, KrError
from kr.evaluation.chances import KNOWN, chances
from kr.game.board import Board
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.problems.problem import Problem, classics, each_problem
from kr.problems.puzzles import DATABASE, SEARCH, SOLUTION, Puzzle, Sight, daily, load_puzzles
from kr.problems.shelf import PuzzleShelf

CLASSICS = load_puzzles(())
SIX_PIECES = "W:WK22,27,30:BK9,20,21"


@cache
def engine() -> Engine:
    return Engine("manual", hash_mb=1)


@cache
def searched(position: Position, history: tuple[Position, ...]) -> Analysis:
    engine().new_game()
    return analyze(engine(), Task(position, history), Limits(nodes=20_000))


def no_search(position: Position, history: tuple[Position, ...]) -> Analysis:
    raise AssertionError(f"{position.fen} was searched")


def puzzle(name: str, search: Sight = searched) -> Puzzle:
    return Puzzle(CLASSICS[name], database(), search)


def judged(puzzle: Puzzle, *moves: str) -> tuple[bool | None, str]:
    board = puzzle.begin()
    for move in moves:
        board.play(move)
    verdict = puzzle.judge(board)
    return verdict.keeps, verdict.by


# --- exact play


@pytest.mark.parametrize(("fen", "move", "distance"), [("W:W13,14:B5", "13-9", 1), ("B:WK9:BK13", "13x6", 1)])
def test_a_win_is_the_quickest(fen: str, move: str, distance: int) -> None:
    found = hardest_move(database(), Position.from_fen(fen))
    assert found is not None
    assert (str(found.move), found.value, found.distance) == (move, Value.WIN, distance)


@pytest.mark.parametrize("fen", ["W:WK19,K23:B12,K28", "B:WK26,K27:B21,K25", "W:WK6,K9:BK15", "W:WK1:BK32,K2"])
def test_exact_moves_agree_with_the_database(fen: str) -> None:
    position = Position.from_fen(fen)
    moves = exact_moves(database(), position)
    assert {str(each.move) for each in moves} == {str(move) for move in position.legal_moves()}
    assert moves[0].value is database().value(position)
    if moves[0].value is not Value.DRAW:
        assert moves[0].distance == database().distance(position)
    hardest = hardest_move(database(), position)
    assert hardest is not None
    assert hardest.value is moves[0].value
    if hardest.value is Value.LOSS:
        assert hardest.distance == max(each.distance or 0 for each in moves)


def test_a_trap_is_set_in_a_draw_and_a_position_not_repeated() -> None:
    position = Position.from_fen("W:WK1,K2:BK31,K32")
    trap = hardest_move(database(), position)
    assert trap is not None

    def losing(after: Position) -> float:
        answers = exact_moves(database(), after)
        return sum(each.value is Value.LOSS for each in answers) / len(answers)

    draws = [each for each in exact_moves(database(), position) if each.value is Value.DRAW]
    assert losing(trap.after) == max(losing(each.after) for each in draws)
    new = hardest_move(database(), position, [trap.after])
    assert new is not None
    assert new.after != trap.after
    assert new.value is Value.DRAW


def test_what_is_not_known_is_not_played() -> None:
    assert exact_moves(database(), Position()) == []
    assert hardest_move(None, Position.from_fen("W:WK14:BK5")) is None
    assert exact_value(None, Position.from_fen("W:WK14:BK5")) is None
    assert exact_value(None, Position.from_fen("B:WK1:B")) is Value.LOSS


# --- puzzles


@pytest.mark.parametrize("name", [name for name in CLASSICS if CLASSICS[name].position.pieces <= 5])
def test_every_right_answer_of_an_exact_puzzle_is_accepted_and_no_other(name: str) -> None:
    exact = puzzle(name, no_search)
    board = exact.begin()
    assert board.side == exact.solver
    for each in exact_moves(database(), board.position):
        after = board.copy()
        after.play(each.move)
        verdict = exact.judge(after)
        assert verdict.by == DATABASE
        assert verdict.keeps is (each.value.sign >= exact.goal.sign)
        assert (verdict.reply is None) is (verdict.keeps is False or verdict.ended != "")


@pytest.mark.parametrize(
    ("name", "moves", "verdict"),
    [
        ("hundred-years", ["8-11"], (True, SOLUTION)),
        ("hundred-years", ["32-27"], (False, SEARCH)),
        ("phantom-fox-den", ["23-18"], (False, SEARCH)),
        ("mcmillan", ["14-10"], (True, SOLUTION)),
        ("mcmillan", ["2-7"], (False, SOLUTION)),
        # the published line leads into the database
        ("greys-draw", ["25-22"], (True, DATABASE)),
        ("greys-draw", ["25-21"], (False, DATABASE)),
        # the solver wins after the opponent's first move
        ("paynes-single-corner-black-to-play", ["27-23"], (True, DATABASE)),
    ],
)
def test_verdicts(name: str, moves: list[str], verdict: tuple[bool, str]) -> None:
    assert judged(puzzle(name), *moves) == verdict


def fake(scores: dict[str, int], values: dict[str, Value] | None = None) -> Sight:
    """A search that has these scores, for the side to move, and these values."""

    def search(position: Position, history: tuple[Position, ...]) -> Analysis:
        score, value = scores.get(position.fen, 0), (values or {}).get(position.fen)
        found = KNOWN[value] if value is not None else chances(score, 100.0)
        line = Line(1, score, value, None, found, (position.legal_moves()[0],))
        return Analysis(Task(position), (line,), value, None, 9, 1, 0.1, 0, 0, final=True, scale=100.0)

    return search


def six(goal: str, search: Sight, **fields: object) -> Puzzle:
    entry = {"fen": SIX_PIECES, "result": {"win": "W-win", "draw": "draw", "loss": "B-win", "": ""}[goal], **fields}
    return Puzzle(Problem.from_object(entry), database(), search)


PLAYED, OTHER = "30-26", "27-23"
START = Position.from_fen(SIX_PIECES)
AFTER, AFTER_OTHER = START.play(PLAYED).fen, START.play(OTHER).fen
ANSWERED = START.play(PLAYED).play(START.play(PLAYED).legal_moves()[0]).fen


@pytest.mark.parametrize(
    ("goal", "scores", "values", "kept"),
    [
        # as good as the best, and likely a win
        ("win", {SIX_PIECES: 400, AFTER: -400, ANSWERED: 400}, {}, True),
        # a second search, after the best answer, does not say so
        ("win", {SIX_PIECES: 400, AFTER: -400}, {}, None),
        # gives away half of a point
        ("win", {SIX_PIECES: 400, AFTER: 0}, {}, False),
        # as good as the best, but nobody sees a win: undecided
        ("win", {SIX_PIECES: 20, AFTER: -20}, {}, None),
        ("win", {SIX_PIECES: 400}, {AFTER: Value.LOSS}, True),
        ("win", {SIX_PIECES: 0}, {AFTER: Value.DRAW}, False),
        ("draw", {SIX_PIECES: 0, AFTER: 0}, {}, True),
        ("draw", {SIX_PIECES: 0, AFTER: 35}, {}, None),
        ("draw", {SIX_PIECES: 0, AFTER: 400}, {}, False),
        ("draw", {SIX_PIECES: -400, AFTER: 400, AFTER_OTHER: 400}, {}, None),
        ("draw", {}, {AFTER: Value.WIN}, False),
        ("draw", {SIX_PIECES: -400}, {AFTER: Value.DRAW}, True),
        # the published move is better than the search's best one: the other one is measured against it
        ("draw", {SIX_PIECES: -150, AFTER: 150, AFTER_OTHER: 0}, {}, False),
    ],
)
def test_a_search_accepts_by_a_margin(
    goal: str, scores: dict[str, int], values: dict[str, Value], kept: bool | None
) -> None:
    published = {"solution": f"{OTHER} 20-24"}
    assert judged(six(goal, fake(scores, values), **published), PLAYED) == (kept, SEARCH)
    assert judged(six(goal, no_search, **published), OTHER) == (True, SOLUTION)


@pytest.mark.parametrize(
    ("solution", "legal"), [(f"{OTHER} 20-24 1-2 30-26", [OTHER, "20-24"]), ("1. 30-26", []), ("", [])]
)
def test_a_published_line_ends_where_it_is_not_legal(solution: str, legal: list[str]) -> None:
    found = six("win", no_search, solution=solution, first_move=OTHER)
    assert list(map(str, found.published)) == (legal or [OTHER])
    assert judged(found, OTHER) == (True, SOLUTION)


def test_beyond_what_is_published_the_best_move_of_the_search_is_right() -> None:
    first = START.legal_moves()[0]
    found = six("win", fake({}))
    assert judged(found, str(first)) == (True, SEARCH)
    assert judged(found, str(START.legal_moves()[1])) == (None, SEARCH)


@pytest.mark.parametrize(
    ("score", "reply", "goal", "solver"),
    [
        (400, -390, "win", Side.WHITE),
        (0, 3, "draw", Side.WHITE),
        (-400, 390, "win", Side.BLACK),
        # the two searches don't say the same, but it is a problem
        (400, 0, "win", Side.WHITE),
        (60, -60, "win", Side.WHITE),
        (-400, 0, "draw", Side.WHITE),
    ],
)
def test_a_problem_without_a_result_gets_one_from_searches(score: int, reply: int, goal: str, solver: Side) -> None:
    after = START.play(START.legal_moves()[0])
    found = six("", fake({SIX_PIECES: score, after.fen: reply}))
    assert found.certainty is None
    assert (found.goal, found.goal_by, found.solver) == (goal, SEARCH, solver)


def solved(puzzle: Puzzle) -> tuple[Board, str]:
    """Solve a puzzle by its own hints."""
    board = puzzle.begin()
    while True:
        move, _ = puzzle.best(board)
        board.play(move)
        verdict = puzzle.judge(board)
        assert verdict.keeps
        if verdict.reply is not None:
            board.play(verdict.reply)
        if verdict.ended:
            assert verdict.solved
            return board, verdict.ended


EXACT = [name for name in CLASSICS if CLASSICS[name].position.pieces <= 5]


@pytest.mark.parametrize("name", EXACT)
def test_hints_solve_an_exact_puzzle(name: str) -> None:
    board, _ = solved(puzzle(name, no_search))
    assert len(board.moves) < 90


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CLASSICS if name not in EXACT])
def test_hints_solve_every_classic(name: str) -> None:
    board, ended = solved(puzzle(name))
    assert ended
    assert len(board.moves) < 110


@pytest.mark.parametrize("name", list(CLASSICS))
def test_the_published_line_is_right_until_the_end(name: str) -> None:
    found = puzzle(name)
    board = Board(CLASSICS[name].position)
    for number, text in enumerate(CLASSICS[name].solution.split()):
        board.play(text)
        if board.side != found.solver and number > 0:
            verdict = found.judge(board)
            assert verdict.keeps, f"{number}: {text}"
            if verdict.ended:
                assert verdict.solved
                return


@pytest.mark.parametrize("name", ["first-position", "pask", "mcmillan", "fourth-position-lasker", "bowens-twins-clark"])
def test_a_solution_is_a_line_of_legal_moves(name: str) -> None:
    found = puzzle(name)
    board = found.begin()
    moves, by = found.solution(board)
    for move in moves:
        board.play(move)
    assert len(moves) > 1
    assert by == (SOLUTION if CLASSICS[name].solution else SEARCH)


def test_the_solution_after_a_move_of_ones_own_is_by_the_database() -> None:
    found = puzzle("first-position", no_search)
    board = found.begin()
    board.play("23-26")
    reply = found.judge(board).reply
    assert reply is not None
    board.play(reply)
    moves, by = found.solution(board)
    assert by == DATABASE
    assert len(moves) > 5


def test_a_win_that_is_repeated_away_is_not_solved() -> None:
    found = puzzle("first-position", no_search)
    board = found.begin()
    for text in "23-18 28-32 18-23 32-28 23-18 28-32 18-23 32-28".split():
        board.play(text)
    assert board.outcome() is not None
    board.undo()
    # the opponent will gladly repeat
    verdict = found.judge(board)
    assert (verdict.keeps, verdict.solved, verdict.ended) == (True, False, "drawn: repetition")


def test_a_draw_by_repetition_is_a_draw() -> None:
    found = Puzzle(Problem.from_object({"fen": "W:WK1,K2:BK31,K32", "result": "draw"}), database(), no_search)
    board = found.begin()
    for text in "1-6 32-28 6-1 28-32 1-6 32-28 6-1 28-32 1-6".split():
        board.play(text)
    verdict = found.judge(board)
    assert (verdict.solved, verdict.ended) == (True, "drawn: repetition")


def test_the_wrong_side_is_not_judged() -> None:
    found = puzzle("first-position", no_search)
    board = found.begin()
    with pytest.raises(InvalidSettingError, match="White"):
        found.judge(board)


# --- what the page must answer too


CASES = json.loads((Path(__file__).with_name("cases") / "puzzles.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", ["verdicts", "hints", "solutions"])
def test_recorded_cases(kind: str) -> None:
    shelf = PuzzleShelf()
    for case in CASES[kind]:
        each = shelf.puzzles[case["id"]]
        found, board = Puzzle(each.problem, database(), no_search, each.enough), Board(each.problem.position)
        for move in case["moves"]:
            board.play(move)
        told: dict[str, object]
        if kind == "verdicts":
            verdict = found.judge(board)
            told = {"kept": verdict.keeps, "by": verdict.by, "reply": verdict.reply and str(verdict.reply)}
            told |= {"solved": verdict.solved, "ended": verdict.ended}
        elif kind == "hints":
            move, by = found.best(board)
            told = {"move": str(move), "by": by}
        else:
            line, by = found.solution(board)
            told = {"line": list(map(str, line)), "by": by}
        assert {"id": case["id"], "moves": case["moves"], **told} == case


@pytest.mark.slow
def test_recorded_reasons() -> None:
    engine = Engine(hash_mb=16, database=database())

    def search(position: Position, history: tuple[Position, ...]) -> Analysis:
        engine.new_game()
        return analyze(engine, Task(position, history), Limits(nodes=200_000))

    shelf = PuzzleShelf()
    for case in CASES["reasons"]:
        each = shelf.puzzles[case["id"]]
        found = Puzzle(each.problem, database(), search, each.enough)
        board = found.begin()
        for move in case["moves"]:
            board.play(move)
        assert str(found.why(board, found.judge(board)) or "") == case["why"], case


def test_recorded_days() -> None:
    for name, beginner in (("days", False), ("easy_days", True)):
        days = {day: PuzzleShelf.daily(datetime.date.fromisoformat(day), beginner).id for day in CASES[name]}
        assert days == CASES[name]


# --- sets of puzzles


FILES = json.loads((Path(__file__).with_name("cases") / "problem_files.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", FILES, ids=lambda case: f"{case['name']}-{case['results']}")
def test_recorded_files(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / case["name"]
    path.write_text(case["text"], encoding="utf-8")
    faults: list[KrError] = []
    found = list(each_problem(str(path), faults.append, case["results"]))
    assert [{name: value for name, value in each.as_object().items() if value} for each in found] == case["problems"]
    assert len(faults) == len(case["faults"])
    for fault, (line, words) in zip(faults, case["faults"], strict=True):
        assert re.search(rf"{case['name']}(:|, line ){line}\b.*{re.escape(words)}", str(fault))


def test_each_day_has_its_puzzle_and_none_comes_again_too_soon() -> None:
    for count in (1, 2, 49, 610):
        days = [datetime.date(2026, 11, 22) + datetime.timedelta(days=day) for day in range(count)]
        numbers = [daily((), range(count), day) for day in days]
        assert numbers == [daily(range(count), (), day) for day in days]
        assert sorted(numbers) == list(range(count))
    assert min(abs(one - other) for one, other in pairwise(numbers)) > 200


def test_files_are_added_and_names_differ(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    lines = [
        {"id": "pask", "fen": SIX_PIECES}, {"id": "pask", "fen": SIX_PIECES}, {"id": "mine", "fen": "W:WK14:BK5"},
        {"id": "over", "fen": "B:WK1:B"}, {"id": "wrong", "fen": "W:WK14:BK5", "result": "draw", "disproved": True},
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)))
    found = load_puzzles([path])
    assert len(found) == len(CLASSICS) + 3 == len(classics()) + 2
    assert list(found)[-3:] == ["pask (2)", "pask (3)", "mine"]
    assert found["pask"].author == "Richard Pask"


def test_a_bad_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text('{"fen": "W:WK14:BK5"}\n{"fen": 3}\n')
    with pytest.raises(InvalidProblemError, match=r"own\.jsonl:2"):
        load_puzzles([path])
    path.write_text('{"fen": "W:WK14:BK5"}\n' * 60)
    monkeypatch.setattr("kr.problems.puzzles.MOST_PROBLEMS", 59)
    with pytest.raises(InvalidSettingError, match="60 problems"):
        load_puzzles([path])


def test_a_game_that_is_over_is_no_puzzle() -> None:
    with pytest.raises(InvalidSettingError, match="over"):
        Puzzle(Problem.from_object({"fen": "B:WK1:B"}), database(), no_search)
