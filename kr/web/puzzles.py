"""Puzzles for pages. The page keeps a puzzle's state: each request has its id and the moves so far.

puzzles/list {"date": "2026-11-22"} -> {"puzzles": [...], "daily": id}
puzzles/start {"id"} -> the puzzle's facts, its position, and the opponent's move if that is the first
puzzles/answer {"id", "moves"} -> the verdict on the last move, and the reply to it
puzzles/hint {"id", "moves", "whole": false} -> the square of a piece that can move well, or the whole move
puzzles/solution {"id", "moves"} -> a line from there on
"""

from __future__ import annotations

import datetime
import threading
from collections import OrderedDict
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

from kr.analysis.analysis import Analysis, Task, analyze
from kr.engine.limits import Limits
from kr.errors import InvalidSettingError
from kr.game.board import Board
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.problems.puzzles import Puzzle, daily, load_puzzles
from kr.viewer.positions import move_json, position_json, side_name
from kr.web.house import House
from kr.web.request import PageRequest

LIMITS = Limits(time=0.3, nodes=200_000)
"""Limits of a search; a verdict needs at most three."""
WAIT_SECONDS = 5.0
"""Time to wait for an engine."""
MOST_ANALYSES = 4096
"""Searches that are remembered, so that a position is not searched again when its puzzle is tried again."""
LONGEST_TRY = 300
"""Moves of a try."""


class Book:
    """The puzzles of a server, and the engine's analyses of their positions."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._analyses: OrderedDict[tuple[Position, ...], Analysis] = OrderedDict()
        self._lock = threading.Lock()
        self.puzzles = {name: Puzzle(problem, house.database, self._search) for name, problem in house.problems.items()}
        """By id."""

    def puzzle(self, request: PageRequest) -> Puzzle:
        """The puzzle that a page asks for. Raises InvalidSettingError."""
        name = request.text("id")
        if name not in self.puzzles:
            raise InvalidSettingError(f"there is no puzzle {name!r}")
        return self.puzzles[name]

    def _search(self, position: Position, history: tuple[Position, ...]) -> Analysis:
        line = (*history, position)
        with self._lock:
            if line in self._analyses:
                self._analyses.move_to_end(line)
                return self._analyses[line]
        with self._house.engines.own.ask() as loan:
            engine = loan.wait(WAIT_SECONDS)
            engine.new_game()
            analysis = analyze(engine, Task(position, history), LIMITS)
        with self._lock:
            # of two searches at once the first counts: the same line always has the same answer
            analysis = self._analyses.setdefault(line, analysis)
            while len(self._analyses) > MOST_ANALYSES:
                self._analyses.popitem(last=False)
        return analysis


_BOOKS: WeakKeyDictionary[House, Book] = WeakKeyDictionary()
_OPENING = threading.Lock()


def book_of(house: House) -> Book:
    """The puzzles of a server."""
    with _OPENING:
        if house not in _BOOKS:
            _BOOKS[house] = Book(house)
        return _BOOKS[house]


@cache
def _classic_ids() -> tuple[str, ...]:
    return tuple(load_puzzles(()))


def list_puzzles(house: House, request: PageRequest) -> dict[str, Any]:
    """All puzzles, and the one of the day: always a classic one, the same everywhere."""
    date = request.text("date", 10)
    try:
        day = datetime.date.fromisoformat(date)
    except ValueError:
        raise InvalidSettingError("date is not a day such as 2026-11-22") from None
    classic = _classic_ids()
    puzzles = [
        {
            "id": name,
            "title": puzzle.problem.title or name,
            "author": puzzle.problem.author,
            "classic": number < len(classic),
            "pieces": puzzle.problem.position.pieces,
            "fen": puzzle.problem.position.fen,
            "goal": _goal(puzzle.known[0]) if puzzle.known else None,
        }
        for number, (name, puzzle) in enumerate(book_of(house).puzzles.items())
    ]
    return {"puzzles": puzzles, "daily": classic[daily(len(classic), day)]}


def start_puzzle(house: House, request: PageRequest) -> dict[str, Any]:
    """A puzzle before the solver's first move."""
    puzzle = book_of(house).puzzle(request)
    board = puzzle.begin()
    problem = puzzle.problem
    return {
        "id": request.text("id"),
        "title": problem.title or problem.id,
        "author": problem.author,
        "source": problem.source,
        "goal": str(puzzle.goal),
        "goal_by": puzzle.goal_by,
        "goal_chance": None if puzzle.goal_chance is None else round(puzzle.goal_chance, 2),
        "solver": side_name(puzzle.solver),
        "published": bool(puzzle.published),
        "start": problem.position.fen,
        "moves": _line(problem.position, board.moves),
        "position": position_json(board.position),
    }


def answer_puzzle(house: House, request: PageRequest) -> dict[str, Any]:
    """The verdict on the solver's last move."""
    puzzle = book_of(house).puzzle(request)
    board = _board(puzzle, request)
    verdict = puzzle.judge(board)
    reply = None
    if verdict.reply is not None:
        before = board.position
        board.play(verdict.reply)
        reply = _line(before, [verdict.reply])[0]
    return {
        "kept": verdict.keeps,
        "by": verdict.by,
        "reply": reply,
        "position": position_json(board.position),
        "solved": verdict.solved,
        "ended": verdict.ended,
    }


def hint_puzzle(house: House, request: PageRequest) -> dict[str, Any]:
    """A right move, or only the piece that makes it."""
    puzzle = book_of(house).puzzle(request)
    board = _board(puzzle, request)
    if board.side != puzzle.solver or board.position.is_over:
        raise InvalidSettingError(f"it is not {side_name(puzzle.solver)}'s move")
    move, by = puzzle.best(board)
    whole = {"move": _line(board.position, [move])[0]} if request.flag("whole") else {}
    return {"square": move.origin + 1, "by": by, **whole}


def solve_puzzle(house: House, request: PageRequest) -> dict[str, Any]:
    """A line to the end, from the moves so far on."""
    puzzle = book_of(house).puzzle(request)
    board = _board(puzzle, request)
    moves, by = puzzle.solution(board)
    return {"moves": _line(board.position, moves), "by": by}


def _board(puzzle: Puzzle, request: PageRequest) -> Board:
    board = Board(puzzle.problem.position)
    for move in request.texts("moves", LONGEST_TRY, 100):
        board.play(move)
    return board


def _line(position: Position, moves: tuple[Move, ...] | list[Move]) -> list[dict[str, Any]]:
    """Moves as JSON, each with the position after it."""
    steps = []
    for move in moves:
        position = position.play(move)
        steps.append({**move_json(move), "fen": position.fen})
    return steps


def _goal(value: Value) -> str:
    return "draw" if value is Value.DRAW else "win"


ROUTES = {
    "puzzles/list": list_puzzles,
    "puzzles/start": start_puzzle,
    "puzzles/answer": answer_puzzle,
    "puzzles/hint": hint_puzzle,
    "puzzles/solution": solve_puzzle,
}
LIVE: dict[str, Any] = {}
