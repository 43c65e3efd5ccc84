"""The collection of puzzles that comes with kr."""

from __future__ import annotations

import lzma
from importlib.resources import files

from kr.problems.collection import COLLECTION, collection
from kr.problems.problem import Problem


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
    puzzles = list(collection())
    assert len({problem.id for problem in puzzles}) == len(puzzles)
    positions = {problem.position for problem in puzzles}
    assert len(positions | {position.flipped() for position in positions}) == 2 * len(puzzles)
    ratings = [problem.rating for problem in puzzles]
    assert None not in ratings
    assert ratings == sorted(ratings, key=lambda rating: rating or 0)
