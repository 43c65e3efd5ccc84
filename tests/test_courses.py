"""The courses: positions, values and lines are right, and each step can be solved."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from proved import shipped as database

from kr import _core
from kr.analysis.analysis import Analysis, analyze
from kr.analysis.sources import Task
from kr.egdb.exact import exact_moves, exact_value
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.page.data import rules
from kr.problems.courses import CourseStep, load_courses
from kr.problems.puzzles import Puzzle

STEPS = {step.problem.id: step for course in load_courses() for step in course.steps}


@cache
def engine() -> Engine:
    return Engine("manual", hash_mb=1, database=database())


def searched(position: Position, history: tuple[Position, ...]) -> Analysis:
    engine().new_game()
    return analyze(engine(), Task(position, history), Limits(nodes=5000))


def puzzle_of(step: CourseStep) -> Puzzle:
    return Puzzle(step.problem, database(), searched, step.moves)


def test_the_courses() -> None:
    assert [course.id for course in load_courses()] == [
        "the-move", "two-kings-double-corner", "two-kings-open", "three-against-two", "first-position", "bridge",
        "dog-hole", "second-position", "third-position", "fourth-position",
    ]  # fmt: skip
    for course in load_courses():
        assert 4 <= len(course.steps) <= 10
        assert len({step.problem.position for step in course.steps}) == len(course.steps)
        assert all(step.plan.endswith(".") and len(step.plan) < 140 for step in course.steps)


CLAIMS = [(course.id, claim) for course in load_courses() for claim in course.proved]


@pytest.mark.parametrize(("name", "claim"), CLAIMS, ids=[f"{name}-{i}" for i, (name, _) in enumerate(CLAIMS)])
def test_what_is_proved_of_a_course(name: str, claim: dict[str, Any]) -> None:
    """By the shipped database, from each position that the claim is about; its numbers stand in no other words."""
    assert not re.search(r"[0-9]", claim["text"])
    if "fen" in claim:
        position = Position.from_fen(claim["fen"])
        assert (exact_value(database(), position), database().distance(position)) == (
            claim["value"],
            claim.get("plies"),
        )
        return
    boards = [
        board
        for board in arranged(claim["white"], claim["black"], claim["add"], int(claim["side"] == "W"))
        if not claim.get("quiet") or not can_capture(board)
    ]
    values, plies = database().values(boards), database().distances(boards)
    assert dict(zip(("loss", "draw", "win"), np.bincount(values, minlength=3).tolist(), strict=True)) == claim["counts"]
    if "plies" in claim:
        assert plies[values == 2].max() == claim["plies"]
    if "only" in claim:
        assert all(has_the_move(board) for board, value in zip(boards, values, strict=True) if value == 2)


def arranged(white: list[int], black: list[int], add: list[int], side: int) -> Iterator[tuple[int, int, int, int]]:
    """Boards of men on these squares and so many more: White's men and kings, then Black's."""
    rooms = (range(4, 32), range(32), range(28), range(32))
    for chosen in itertools.product(*map(itertools.combinations, rooms, add)):
        own = [frozenset(square - 1 for square in squares) for squares in (white, black)]
        groups = [*own, *map(frozenset, chosen)]
        if len(frozenset().union(*groups)) == sum(map(len, groups)):
            bits = [sum(1 << square for square in group) for group in groups]
            yield bits[1] | bits[4] | bits[5], bits[0] | bits[2] | bits[3], bits[3] | bits[5], side


def can_capture(board: tuple[int, int, int, int]) -> bool:
    moves = _core.legal_moves(*board)
    return bool(moves) and bool(moves[0][1])


def has_the_move(board: tuple[int, int, int, int]) -> bool:
    """True if the pieces on the columns that begin on the back row of the side to move are an odd number."""
    black, white, _, side = board
    columns = [2 * (square % 4) + (square // 4 % 2 == 0) for square in range(32) if (black | white) >> square & 1]
    return sum(column % 2 != side for column in columns) % 2 == 1


def test_who_has_the_move() -> None:
    """In the steps of that course the winner has it at the start, and the one that only draws has it not."""
    course = load_courses()[0]
    for step in course.steps:
        position = step.problem.position
        assert has_the_move(position.bits) == (step.problem.published is Value.WIN), position.fen


def test_the_lessons_by_the_rules() -> None:
    """The goals are what kr's core makes of them; the drawn one is a draw by the database too."""
    lessons = rules()["lessons"]
    assert [lesson["id"] for lesson in lessons] == [
        "moving", "capturing", "must", "jumps", "crowning", "kings", "winning", "draw",
    ]  # fmt: skip
    for lesson in lessons:
        for task in lesson["tasks"]:
            position = Position.from_fen(task["fen"])
            moves = position.legal_moves()
            assert position.side is Side.WHITE
            assert moves
            if task["goal"] == "take" and task["moves"] == 1:
                assert max(move.captured.bit_count() for move in moves) == task["take"]
            if task["goal"] == "win":
                assert database().distance(position) == 2 * task["moves"] - 1
            if lesson["id"] == "draw":
                assert exact_value(database(), position) is Value.DRAW


@pytest.mark.parametrize("name", STEPS)
def test_a_step_is_what_it_says(name: str) -> None:
    """By the shipped database; beyond it the right moves and the line are given."""
    problem = STEPS[name].problem
    value = exact_value(database(), problem.position)
    assert value in (None, problem.published)
    assert problem.published is not Value.LOSS
    assert value or (problem.keeping_moves and problem.solution)
    if problem.solution:
        assert [str(move) for move in puzzle_of(STEPS[name]).published] == problem.solution.split()
    position, solver = problem.position, problem.position.side
    for text in problem.solution.split():
        move = position.parse_move(text)
        after = position.play(move)
        exact = exact_value(database(), after)
        if position.side == solver and exact is not None:
            assert exact.opposite is problem.published, f"{text} in {position.fen}"
        position = after


@pytest.mark.parametrize("name", STEPS)
def test_a_step_is_solved_by_its_hints(name: str) -> None:
    step = STEPS[name]
    puzzle = puzzle_of(step)
    board = puzzle.begin()
    for _ in range(40):
        move, _by = puzzle.best(board)
        board.play(move)
        verdict = puzzle.judge(board)
        assert verdict.keeps
        if verdict.ended:
            assert verdict.solved, verdict.ended
            break
        assert verdict.reply is not None
        board.play(verdict.reply)
    else:
        raise AssertionError("it does not end")
    assert step.moves is None or len(board.moves) <= 2 * step.moves - 1


def test_wrong_moves_are_known() -> None:
    """Nearly every step has a first move that gives the value away, and it is told."""
    told = 0
    for step in STEPS.values():
        puzzle, position = puzzle_of(step), step.problem.position
        wrong = [each.move for each in exact_moves(database(), position) if each.value is not step.problem.published]
        for move in wrong[:1]:
            board = puzzle.begin()
            board.play(move)
            assert puzzle.judge(board).keeps is False
            told += 1
    assert told >= 25
