"""Puzzles on the page without a server, against those of kr web: lists, replies, verdicts, hints and solutions."""

import datetime
import random
from collections.abc import Iterator
from typing import Any

import pytest
from page import Page, same, web_house

from kr.engine.limits import Limits
from kr.game.board import Board
from kr.problems.puzzles import load_puzzles
from kr.problems.shelf import Origin, PuzzleShelf
from kr.web import puzzles
from kr.web.house import House

pytestmark = pytest.mark.slow

PROBLEMS = load_puzzles(())
SHELF = PuzzleShelf()
WITH_MANY_PIECES = [name for name, problem in PROBLEMS.items() if problem.position.pieces > 9 and problem.solution]
"""Puzzles in which tries that leave the published line are searched."""


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    # both end the same search at the same node, whatever the time
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(puzzles, "LIMITS", Limits(nodes=puzzles.LIMITS.nodes))
        yield web_house()


def texts(steps: Any) -> list[str]:
    """Moves as JSON, in texts."""
    return [step["text"] for step in steps]


def test_each_day_has_its_puzzle(page: Page, house: House) -> None:
    first = datetime.date(2026, 11, 20)
    days = [first + datetime.timedelta(days=number) for number in range(8)]
    days += [datetime.date(1, 1, 1), datetime.date(2000, 2, 29), datetime.date(9999, 12, 31)]
    for day in days:
        assert same(page, house, "puzzles/list", {"date": day.isoformat()})["daily"] == SHELF.daily(day).id


def test_boards_of_the_list(page: Page, house: House) -> None:
    names = [each.id for each in random.Random(1).sample(list(SHELF.puzzles.values()), 20)]
    boards = same(page, house, "puzzles/boards", {"ids": names})["boards"]
    assert boards == [SHELF.puzzles[name].fen for name in names]


def test_steps_of_courses(page: Page, house: House) -> None:
    """Each is solved by hints, and a wrong first move is told."""
    wrong = 0
    for each in SHELF.of(Origin.COURSE):
        if each.problem.position.pieces > 5:
            continue
        position, moves = each.problem.position, texts(same(page, house, "puzzles/start", {"id": each.id})["moves"])
        for move in position.legal_moves()[:2]:
            wrong += same(page, house, "puzzles/answer", {"id": each.id, "moves": [str(move)]})["kept"] is False
        for _ in range(9):
            hint = same(page, house, "puzzles/hint", {"id": each.id, "moves": moves, "whole": True})
            moves.append(hint["move"]["text"])
            answer = same(page, house, "puzzles/answer", {"id": each.id, "moves": moves})
            if answer["ended"]:
                assert answer["solved"]
                break
            moves.append(answer["reply"]["text"])
    assert wrong > 10


@pytest.mark.parametrize(
    "date", ["", "2026-13-01", "2026-02-29", "0000-01-01", "2026-1-1", "26-01-01", "2026-01-010", 1]
)
def test_what_is_no_day(page: Page, house: House, date: Any) -> None:
    assert "error" in same(page, house, "puzzles/list", {"date": date})


def test_all_puzzles_begin(page: Page, house: House) -> None:
    for name in PROBLEMS:
        start = same(page, house, "puzzles/start", {"id": name})
        same(page, house, "puzzles/hint", {"id": name, "moves": texts(start["moves"])})


def test_published_lines(page: Page, house: House) -> None:
    """Each is followed by the solver to its end, or that of the puzzle, whatever the replies are."""
    endings = set()
    for name, problem in PROBLEMS.items():
        line, moves = problem.solution.split(), texts(same(page, house, "puzzles/start", {"id": name})["moves"])
        while len(moves) < len(line):
            same(page, house, "puzzles/hint", {"id": name, "moves": moves, "whole": True})
            board = Board(problem.position)
            for move in moves:
                board.play(move)
            if not board.position.is_legal(line[len(moves)]):
                break
            moves.append(line[len(moves)])
            answer = same(page, house, "puzzles/answer", {"id": name, "moves": moves})
            if answer["ended"] or not answer["kept"]:
                endings.add(answer["ended"])
                break
            moves.append(answer["reply"]["text"])
    assert {"the solution is complete", "the draw is held", ""} <= endings


def test_solutions(page: Page, house: House) -> None:
    for name in PROBLEMS:
        if PROBLEMS[name].position.pieces <= 5 or PROBLEMS[name].solution:
            start = same(page, house, "puzzles/start", {"id": name})
            assert same(page, house, "puzzles/solution", {"id": name, "moves": texts(start["moves"])})["moves"]


@pytest.mark.parametrize("seed", range(3))
def test_tries_in_the_database(page: Page, house: House, seed: int) -> None:
    """Right and wrong moves in any order, hints followed or not, until the puzzle ends."""
    source, seen = random.Random(seed), set()
    for name in (name for name, problem in PROBLEMS.items() if problem.position.pieces <= 5):
        moves = texts(same(page, house, "puzzles/start", {"id": name})["moves"])
        for _ in range(30):
            hint = same(page, house, "puzzles/hint", {"id": name, "moves": moves, "whole": True})
            if source.random() < 0.2:
                same(page, house, "puzzles/solution", {"id": name, "moves": moves})
            board = Board(PROBLEMS[name].position)
            for move in moves:
                board.play(move)
            tried = hint["move"]["text"] if source.random() < 0.8 else str(source.choice(board.position.legal_moves()))
            answer = same(page, house, "puzzles/answer", {"id": name, "moves": [*moves, tried]})
            seen |= {answer["kept"], answer["ended"]}
            if answer["ended"]:
                break
            if answer["kept"]:
                moves += [tried, answer["reply"]["text"]]
    assert {True, False, "the win is plain"} <= seen


def test_tries_that_are_searched(page: Page, house: House) -> None:
    """Moves that leave the published line, and hints and solutions from there on."""
    source, seen = random.Random(3), set()
    for name in WITH_MANY_PIECES:
        board, line = Board(PROBLEMS[name].position), PROBLEMS[name].solution.split()
        first = len(same(page, house, "puzzles/start", {"id": name})["moves"])
        for text in line[: first + 2 * source.randrange(min(3, len(line[first:]) // 2))]:
            board.play(text)
        board.play(source.choice(board.position.legal_moves()))
        answer = same(page, house, "puzzles/answer", {"id": name, "moves": list(map(str, board.moves))})
        seen.add((answer["by"], answer["kept"]))
        if answer["reply"] and not answer["ended"]:
            board.play(answer["reply"]["text"])
            body = {"id": name, "moves": list(map(str, board.moves))}
            same(page, house, "puzzles/hint", body)
            same(page, house, "puzzles/solution", body)
    assert {("search", True), ("search", False), ("solution", True)} <= seen


BAD: tuple[tuple[str, dict[str, Any]], ...] = (
    ("puzzles/list", {}), ("puzzles/start", {}), ("puzzles/start", {"id": "none"}),
    ("puzzles/start", {"id": "o'clock"}), ("puzzles/boards", {}), ("puzzles/boards", {"ids": ["none"]}),
    ("puzzles/boards", {"ids": ["pask"] * 101}), ("puzzles/start", {"id": "first-position/99"}),
    ("puzzles/start", {"id": "x" * 201}), ("puzzles/start", {"id": 5}), ("puzzles/start", {"id": "toString"}),
    ("puzzles/answer", {"id": "pask"}), ("puzzles/answer", {"id": "pask", "moves": []}),
    ("puzzles/answer", {"id": "pask", "moves": ["19x12", "3-8"]}),
    ("puzzles/answer", {"id": "pask", "moves": ["9-13"]}), ("puzzles/answer", {"id": "pask", "moves": ["19x12"] * 301}),
    ("puzzles/answer", {"id": "pask", "moves": [3]}),
    ("puzzles/hint", {"id": "pask", "moves": ["19x12"]}), ("puzzles/hint", {"id": "pask", "moves": [], "whole": 1}),
    ("puzzles/solution", {"id": "pask", "moves": "19x12"}), ("puzzles/solution", {"id": "pask", "moves": ["x"]}),
)  # fmt: skip


@pytest.mark.parametrize(("path", "body"), BAD)
def test_bad_requests(page: Page, house: House, path: str, body: Any) -> None:
    assert "error" in same(page, house, path, body)
