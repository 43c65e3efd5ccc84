"""The courses: positions, values and lines are right, and each step can be solved."""

from __future__ import annotations

from functools import cache

import pytest

from kr.analysis.analysis import Analysis, analyze
from kr.analysis.sources import Task
from kr.egdb.database import Database
from kr.egdb.exact import exact_moves, exact_value
from kr.engine.database import load_database
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.game.position import Position
from kr.game.value import Value
from kr.problems.courses import CourseStep, load_courses
from kr.problems.puzzles import Puzzle

STEPS = {step.problem.id: step for course in load_courses() for step in course.steps}


@cache
def database() -> Database:
    found = load_database()
    assert found is not None
    return found


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
        "two-kings-double-corner", "two-kings-open", "three-against-two", "first-position", "second-position",
        "third-position", "fourth-position",
    ]  # fmt: skip
    for course in load_courses():
        assert 4 <= len(course.steps) <= 10
        assert len({step.problem.position for step in course.steps}) == len(course.steps)
        assert all(step.plan.endswith(".") and len(step.plan) < 140 for step in course.steps)


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
