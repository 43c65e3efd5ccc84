"""Verdicts on problems: against their definitions, and by certificates where the database has not all values."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest
from proved import shipped
from soundness_reference import WINS, expected, moves_of, transposes, worth

from kr.egdb import slices
from kr.egdb.sample import random_positions
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.game.position import Move, Position, Side
from kr.game.value import Value
from kr.problems.plain import is_plain
from kr.problems.problem import Problem
from kr.problems.soundness import ProblemVerdict, Soundness, check_problem
from kr.problems.stars import StarVerdict, check_star
from kr.problems.ways import Way
from kr.proofs.decider import Decider

RESULTS = {(Side.WHITE, Value.WIN): "W-win", (Side.BLACK, Value.WIN): "B-win"}
SAMPLE = 1_000
"""Positions of the large sample (`pytest -m soak`): half a minute. docs/measurements.toml has a figure of 20,000."""


@cache
def engine(pieces: int = 5) -> Engine:
    """An engine with the shipped database up to some pieces."""
    return Engine(hash_mb=4, database=shipped(pieces))


def result(value: Value, side: Side) -> str:
    """A published result by its value for a side."""
    if value is Value.DRAW:
        return "draw"
    return RESULTS[side if value is Value.WIN else side.other, Value.WIN]


def problems(seed: int) -> Iterator[tuple[Problem, list[Move]]]:
    """Endless random problems of two to five pieces: some without a result, some with a wrong one, and some with a
    solution, which may fail, or end early."""
    source = random.Random(seed)
    shapes = [shape for count in (2, 3, 4, 5) for shape in slices.shapes(count)]
    few = [shape for count in (2, 3, 4) for shape in slices.shapes(count)]
    of_all, of_few = random_positions(shapes, source), random_positions(few, source)
    for number in range(1 << 62):
        position = next(of_few if source.random() < 0.5 else of_all)
        value = (Value.LOSS, Value.DRAW, Value.WIN)[worth(position, position.side)]
        published = ""
        if source.random() < 0.7:
            right = source.random() < 0.8
            published = result(value if right else source.choice(list(Value)), position.side)
        solution: list[Move] = []
        if source.random() < 0.5:
            solution = list(_solution(position, source, source.randint(1, 9)))
        text = " ".join(map(str, solution))
        yield Problem(str(number), "", position, published, solution=text), solution


def _solution(position: Position, source: random.Random, length: int) -> Iterator[Move]:
    """Moves that mostly keep the value for both sides."""
    for _ in range(length):
        moves = position.legal_moves()
        if not moves:
            return
        value = worth(position, position.side)
        keeping = [move for move in moves if worth(position.play(move), position.side) == value]
        move = source.choice(keeping if source.random() < 0.97 else moves)
        yield move
        position = position.play(move)


def agrees(problem: Problem, solution: list[Move], strict: bool) -> Soundness:
    """Check a problem, and compare all of the answer with the reference."""
    found = check_problem(problem, engine(), Limits(nodes=1 << 40), strict)
    wanted = expected(problem.position, problem.published, solution, found.line, strict)
    where = f"{problem.position.fen} {problem.result} {problem.solution} strict={strict}: {found.reason}"
    assert (found.verdict, found.move_number) == (wanted.verdict, wanted.move_number), where
    assert [way.move for way in found.keys] == wanted.keys or not wanted.keys, where
    assert found.line == wanted.line, where
    check_ways(found, problem, strict, where)
    return found


def check_ways(found: Soundness, problem: Problem, strict: bool, where: str) -> None:
    """Every answer to a move is true, and the verdict follows from them."""
    position, side = problem.position, problem.position.side
    value = (Value.LOSS, Value.DRAW, Value.WIN)[worth(position, side)]
    assert found.value in (None, value), where
    goal = WINS if value is not Value.DRAW else 1
    solver = side.other if value is Value.LOSS else side
    for way in found.keys:
        assert worth(position.play(way.move), solver) >= goal, where
    for step in found.steps:
        at = Position.from_fen(step.fen)
        ways = [step.played, *step.others]
        after = [at.play(way.move) for way in ways]
        assert len(set(after)) == len(after) == len(moves_of(at)), where
        for way, reached in zip(ways, after, strict=True):
            assert way.keeps in (None, worth(reached, solver) >= goal), f"{where} {way}"
            if way.keeps and way.transposes is not None and step.played.keeps and way is not step.played:
                assert way.transposes == transposes(after[0], reached, goal), f"{where} {way}"
    alone = [all(way.keeps is False for way in step.others) or _excused(step.others, strict) for step in found.steps]
    fails = any(step.played.keeps is False for step in found.steps)
    true = {
        ProblemVerdict.UNDECIDED: True,
        ProblemVerdict.UNSOUND: problem.published not in (None, value)
        or fails
        or found.move_number == 1
        or position.is_over,
        ProblemVerdict.COOK: len(found.keys) > 1,
        ProblemVerdict.DUAL: len(found.keys) == (value is not Value.LOSS) and not all(alone[value is not Value.LOSS :]),
        ProblemVerdict.SOUND: len(found.keys) == (value is not Value.LOSS) and not fails,
    }
    assert true[found.verdict], where
    if found.verdict is ProblemVerdict.SOUND:
        assert all(one or step.plain for one, step in zip(alone, found.steps, strict=True)) or strict, where


def _excused(ways: tuple[Way, ...], strict: bool) -> bool:
    return not strict and all(way.keeps is False or (way.keeps and way.transposes) for way in ways)


@pytest.mark.core
@pytest.mark.parametrize(
    ("seed", "count"),
    [
        (2, 40),
        pytest.param(3, SAMPLE, marks=pytest.mark.soak),
    ],
)
def test_verdicts_agree_with_their_definitions(seed: int, count: int) -> None:
    counts: Counter[str] = Counter()
    for number, (problem, solution) in zip(range(count), problems(seed), strict=False):
        counts[agrees(problem, solution, strict=number % 4 == 0).verdict] += 1
    print(dict(counts))
    assert min(counts[verdict] for verdict in ProblemVerdict if verdict is not ProblemVerdict.UNDECIDED) > count / 50, (
        counts
    )
    # wins that come back to a position, for want of distances
    assert counts[ProblemVerdict.UNDECIDED] <= count / 100


@pytest.mark.core
@pytest.mark.slow
def test_verdicts_by_certificates_are_true() -> None:
    """With values of three pieces only, the rest is proved; nothing that is said is wrong."""
    counts: Counter[str] = Counter()
    for number, (problem, _) in zip(range(40), problems(3), strict=False):
        strict = number % 4 == 0
        found = check_problem(problem, engine(3), Limits(nodes=60_000), strict)
        check_ways(found, problem, strict, f"{problem.position.fen} {problem.result} {problem.solution} {found.reason}")
        counts[found.verdict] += 1
        counts["certificates"] += "certificate" in found.reason or "certificate" in found.by
    assert counts["certificates"] > 5
    assert counts[ProblemVerdict.UNDECIDED] < 30, counts


@pytest.mark.core
@pytest.mark.parametrize("pieces", [5, pytest.param(3, marks=pytest.mark.slow)])
def test_stars_are_right_where_no_other_move_is_as_good(pieces: int) -> None:
    source, counts = random.Random(pieces), Counter[str]()
    for _, (problem, _) in zip(range(150 if pieces == 5 else 60), problems(7), strict=False):
        position = problem.position
        if position.is_over:
            continue
        moves = moves_of(position)
        move, after = source.choice(moves)
        own = worth(after, position.side)
        others = [worth(other, position.side) for _, other in moves if other != after]
        with Decider(engine(pieces), Limits(nodes=40_000)) as decider:
            found = check_star(position, move, decider)
        right = all(other < own for other in others)
        where = f"{position.fen} {move}: {found}"
        if pieces == 5 or found.verdict is not StarVerdict.UNDECIDED:
            assert found.verdict is (StarVerdict.RIGHT if right else StarVerdict.WRONG), where
            assert found.value in (None, (Value.LOSS, Value.DRAW, Value.WIN)[own]) or found.value is Value.DRAW, where
        for way in found.others if found.verdict is StarVerdict.WRONG else ():
            assert way.keeps, where
            assert worth(position.play(way.move), position.side) >= own, where
        counts[found.verdict] += 1
    assert min(counts[StarVerdict.RIGHT], counts[StarVerdict.WRONG]) > 4, counts


PLAIN = {
    # id: FEN, solver, goal, plain
    "two men up": ("W:W21,22,23:B1", Side.WHITE, Value.WIN, True),
    "one up": ("W:W21,22:B1", Side.WHITE, Value.WIN, False),
    "a capture to come": ("W:W21,22,23:B18", Side.WHITE, Value.WIN, False),
    "a capture threatened": ("W:W14,31,32:B10,K20", Side.WHITE, Value.WIN, False),
    "two up, the loser to move": ("B:W21,22,23:B1", Side.WHITE, Value.WIN, True),
    "kings, as many": ("W:WK1:BK32", Side.WHITE, Value.DRAW, True),
    "kings, fewer": ("W:WK1:BK32,K31", Side.WHITE, Value.DRAW, False),
    "a man left": ("W:WK1,30:BK32,K3", Side.WHITE, Value.DRAW, False),
}


@pytest.mark.parametrize(("fen", "solver", "goal", "plain"), PLAIN.values(), ids=PLAIN)
def test_plain_results(fen: str, solver: Side, goal: Value, plain: bool) -> None:
    assert is_plain(Position.from_fen(fen), solver, goal) is plain
