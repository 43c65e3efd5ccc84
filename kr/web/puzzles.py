"""Puzzles for pages. The page keeps a puzzle's state: each request has its id and the moves so far.

puzzles/list {"date": "2026-11-22"} -> {"puzzles": [...], "collection": {...}, "courses": [...], "daily": id}
puzzles/boards {"ids": [...]} -> {"boards": [FEN, ...]}, of those of a list that are in sight
puzzles/start {"id"} -> the puzzle's facts, its position, and the opponent's move if that is the first
puzzles/answer {"id", "moves"} -> the verdict on the last move, and the reply to it
puzzles/hint {"id", "moves", "whole": false} -> the square of a piece that can move well, or the whole move
puzzles/solution {"id", "moves"} -> a line from there on
"""

from __future__ import annotations

import datetime
import threading
from collections import OrderedDict
from functools import cache, cached_property
from typing import Any
from weakref import WeakKeyDictionary

from kr.analysis.analysis import Analysis, Task, analyze
from kr.egdb.exact import exact_value
from kr.engine.limits import Limits
from kr.errors import InvalidSettingError
from kr.game.board import Board
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.problems.courses import load_courses
from kr.problems.puzzles import Puzzle, load_puzzles
from kr.problems.shelf import Origin, PuzzleShelf, ShelfPuzzle
from kr.problems.themes import Theme
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
MOST_BOARDS = 100
"""Boards of a request."""


class Book:
    """The puzzles of a server, and the engine's analyses of their positions."""

    def __init__(self, house: House) -> None:
        self._house = house
        self.database = house.database
        self._analyses: OrderedDict[tuple[Position, ...], Analysis] = OrderedDict()
        self._lock = threading.Lock()
        self.shelf = PuzzleShelf({name: each for name, each in house.problems.items() if name not in _classic_ids()})

    @cached_property
    def rows(self) -> list[list[Any]]:
        """The collection: id, goal, pieces, rating, numbers of the themes, side to move of each."""
        return [_row(each) for each in self.shelf.of(Origin.COLLECTION)]

    def puzzle(self, request: PageRequest) -> Puzzle:
        """The puzzle that a page asks for. Raises InvalidSettingError."""
        found = self.found(request.text("id"))
        return Puzzle(found.problem, self.database, self._search, found.enough)

    def found(self, name: str) -> ShelfPuzzle:
        """A puzzle on the shelf. Raises InvalidSettingError."""
        if name not in self.shelf.puzzles:
            raise InvalidSettingError(f"there is no puzzle {name!r}")
        return self.shelf.puzzles[name]

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


_THEMES = tuple(map(str, Theme))
_BOOKS: WeakKeyDictionary[House, Book] = WeakKeyDictionary()
_OPENING = threading.Lock()


def book_of(house: House) -> Book:
    """The puzzles of a server."""
    with _OPENING:
        if house not in _BOOKS:
            _BOOKS[house] = Book(house)
        return _BOOKS[house]


@cache
def _classic_ids() -> frozenset[str]:
    return frozenset(load_puzzles(()))


def list_puzzles(house: House, request: PageRequest) -> dict[str, Any]:
    """All puzzles, and the one of the day.

    Those of the collection, which are thousands, are rows of their id, goal, pieces, rating, numbers of their themes
    and side to move; their boards are asked for as they come into sight.
    """
    date = request.text("date", 10)
    try:
        day = datetime.date.fromisoformat(date)
    except ValueError:
        raise InvalidSettingError("date is not a day such as 2026-11-22") from None
    book = book_of(house)
    return {
        "puzzles": [_told(book, each) for each in book.shelf.of(Origin.CLASSIC, Origin.OWN)],
        "collection": {
            "themes": _THEMES,
            "rows": book.rows,
        },
        "courses": [
            {
                "id": course.id,
                "title": course.title,
                "idea": course.idea,
                "steps": [{"id": step.problem.id, "plan": step.plan} for step in course.steps],
            }
            for course in load_courses()
        ],
        "daily": book.shelf.daily(day).id,
    }


def _told(book: Book, each: ShelfPuzzle) -> dict[str, Any]:
    problem = each.problem
    value = exact_value(book.database, problem.position) or problem.published
    return {
        "id": each.id,
        "title": problem.title or each.id,
        "author": problem.author,
        "origin": each.origin,
        "pieces": problem.position.pieces,
        "fen": each.fen,
        "goal": _goal(value) if value else None,
        "themes": list(each.themes),
        "rating": each.rating,
    }


def _row(each: ShelfPuzzle) -> list[Any]:
    goal = "draw" if each.result == "draw" else "win"
    themes = [_THEMES.index(theme) for theme in each.themes]
    position = Position.from_fen(each.fen)
    return [each.id, goal, position.pieces, each.rating, themes, side_name(position.side)]


def show_boards(house: House, request: PageRequest) -> dict[str, Any]:
    """Positions of some puzzles."""
    book = book_of(house)
    return {"boards": [book.found(name).fen for name in request.texts("ids", MOST_BOARDS)]}


def start_puzzle(house: House, request: PageRequest) -> dict[str, Any]:
    """A puzzle before the solver's first move."""
    book = book_of(house)
    puzzle, found = book.puzzle(request), book.found(request.text("id"))
    board = puzzle.begin()
    problem = puzzle.problem
    return {
        "id": found.id,
        "key": found.key,
        "origin": found.origin,
        "themes": list(problem.themes),
        "rating": problem.rating,
        "evidence": problem.evidence,
        "title": problem.title if found.origin is Origin.COLLECTION else problem.title or problem.id,
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
    "puzzles/boards": show_boards,
    "puzzles/start": start_puzzle,
    "puzzles/answer": answer_puzzle,
    "puzzles/hint": hint_puzzle,
    "puzzles/solution": solve_puzzle,
}
LIVE: dict[str, Any] = {}
