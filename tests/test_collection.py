"""The collection of puzzles that comes with kr."""

from __future__ import annotations

import lzma
import time
from collections import Counter
from collections.abc import Callable
from importlib.resources import files

import pytest

from kr.egdb.database import load_database
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.game.value import Value
from kr.policy.policy import load_policy
from kr.problems.collection import COLLECTION, collection
from kr.problems.difficulty import rating_of, solving_share
from kr.problems.problem import PROVED_EVIDENCE, SEARCHED_EVIDENCE, Problem
from kr.problems.soundness import ProblemVerdict, check_problem
from kr.problems.themes import Theme, themes_of

FEWEST = 30
"""Puzzles of each theme."""
SAMPLE = 20


def test_puzzles_are_read_when_asked_for() -> None:
    puzzles = collection()
    assert collection() is puzzles
    assert puzzles[0] is puzzles[0] == Problem.from_object(puzzles.entries[0])
    assert puzzles[-1] == puzzles[len(puzzles) - 1] == puzzles[-2:][1]
    assert [problem.id for problem in puzzles[:3]] == [entry["id"] for entry in puzzles.entries[:3]]


def test_file_says_where_it_comes_from() -> None:
    packed = (files("kr.problems") / COLLECTION).read_bytes()
    assert len(packed) < 300_000
    lines = lzma.decompress(packed).decode().splitlines()
    assert lines[0].startswith("# ")
    assert len(collection()) == sum(not line.startswith("#") for line in lines)


def test_every_puzzle_is_valid() -> None:
    puzzles = collection()
    assert len(puzzles) >= 2_000
    assert len({problem.id for problem in puzzles}) == len(puzzles)
    positions = {problem.position for problem in puzzles}
    assert len(positions | {position.flipped() for position in positions}) == 2 * len(puzzles)
    ratings = [problem.rating or 0 for problem in puzzles]
    assert ratings == sorted(ratings)
    assert ratings[0] < 900
    assert ratings[-1] > 2300
    counts = Counter(theme for problem in puzzles for theme in problem.themes)
    assert {str(theme): counts[theme] >= FEWEST for theme in Theme} == {str(theme): True for theme in Theme}


def test_solutions_are_legal_and_their_themes_as_defined() -> None:
    for problem in collection():
        line, position = [], problem.position
        for text in problem.solution.split():
            line.append(position.parse_move(text))
            position = position.play(line[-1])
        # from the key to a move of the solver
        assert line[:1] == [problem.first_move] == list(problem.keeping_moves)
        assert len(line) % 2 == 1
        assert len(line) >= 3
        assert len(problem.position.legal_moves()) > 1
        assert problem.published in (Value.WIN, Value.DRAW)
        themes = themes_of(problem.position, line, problem.published, problem.keeping_moves)
        assert tuple(map(str, themes)) == problem.themes
        assert problem.themes
        assert problem.evidence in (PROVED_EVIDENCE, SEARCHED_EVIDENCE)
        assert problem.source


@pytest.mark.slow
def test_a_sample_is_checked_again() -> None:
    """Nothing is refuted, by the shipped database and certificates; with few pieces all is proved."""
    puzzles = collection()
    engine, policy = Engine(hash_mb=8, database=load_database("", 1 << 26)), load_policy()
    proved = 0
    for problem in puzzles[:: len(puzzles) // SAMPLE][:SAMPLE]:
        found = check_problem(problem, engine, Limits(nodes=30_000))
        assert found.verdict not in (ProblemVerdict.COOK, ProblemVerdict.UNSOUND), (problem.id, found.reason)
        assert found.keys[:1] in ([], [way for way in found.keys if way.move == str(problem.first_move)])
        proved += bool(found.keys)
        # its rating, up to the moves that only a bigger database knows to be the only ones
        assert problem.rating is not None
        key = solving_share([(problem.position, problem.keeping_moves, ())], policy)
        assert rating_of(key) <= problem.rating + 1
    assert proved > 0


def test_collection_is_loaded_quickly() -> None:
    # processor time, the best of a few
    best = min(_seconds(collection.__wrapped__) for _ in range(5))
    assert best < 0.05


def _seconds(load: Callable[[], object]) -> float:
    before = time.process_time()
    load()
    return time.process_time() - before
