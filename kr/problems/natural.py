"""The first move that fails although it looks natural: of the wrong moves of a problem the one that people most likely
play, and why it fails. Nothing where only a search says that a move is wrong, or no fact of its line tells why.
"""

from __future__ import annotations

from dataclasses import dataclass

from kr.analysis.analysis import Analysis, analyze
from kr.analysis.sources import Task
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.game.board import Board
from kr.game.position import Move, Position
from kr.language.sentences import Sentence
from kr.policy.policy import Policy
from kr.problems.problem import Problem
from kr.problems.puzzles import SEARCH, Puzzle

LIMITS = Limits(nodes=200_000)
"""Of the searches for lines that tell why."""
LEAST_NATURAL = 0.1
"""Least probability by the policy. It orders moves and is not told: it holds in games, not in positions set up."""


@dataclass(frozen=True)
class NaturalMistake:
    """A wrong first move that looks natural."""

    move: Move
    by: str
    """What says that it is wrong, as in `kr.problems.puzzles`: the database or the solution."""
    why: Sentence


def natural_mistake(problem: Problem, engine: Engine, policy: Policy) -> NaturalMistake | None:
    """The likeliest wrong move of the solver, who is to move, that is known to be wrong, with the reason."""
    searched: dict[tuple[Position, ...], Analysis] = {}

    def search(position: Position, history: tuple[Position, ...]) -> Analysis:
        line = (*history, position)
        if line not in searched:
            engine.new_game()
            searched[line] = analyze(engine, Task(position, history), LIMITS)
        return searched[line]

    if problem.position.is_over:
        return None
    puzzle = Puzzle(problem, engine.database, search)
    if puzzle.certainty is None or puzzle.solver is not problem.position.side:
        return None
    for each in policy.choices(problem.position):
        if each.probability < LEAST_NATURAL:
            break
        board = Board(problem.position)
        board.play(each.move)
        # a search would take its time, and prove nothing
        known = engine.database is not None and engine.database.has(board.position)
        if not known and not problem.keeping_moves:
            continue
        verdict = puzzle.judge(board)
        if verdict.keeps is False and verdict.by != SEARCH and (why := puzzle.why(board, verdict)) is not None:
            return NaturalMistake(each.move, verdict.by, why)
    return None
