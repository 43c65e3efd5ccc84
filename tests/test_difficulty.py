"""Ratings of puzzles, the order of problems, and what a problem file says of both."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter
from itertools import accumulate

import pytest
from playouts import moves_of
from proved import shipped

from kr.egdb import slices
from kr.egdb.exact import exact_value
from kr.egdb.sample import random_positions
from kr.errors import InvalidProblemError
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.policy.policy import load_policy
from kr.problems.difficulty import HIGHEST_RATING, LOWEST_RATING, rating_of, solving_share
from kr.problems.problem import Problem
from kr.problems.ranking import Merit, merit_of, near_misses_of
from kr.proofs.decider import after_moves

START = "W:WK19,K23:B12,K28"
LINE = "23-27 28-32 19-23 32-28 27-32"


@pytest.mark.parametrize(
    ("share", "rating"),
    [(0.5, 1500), (1 / 11, 1900), (10 / 11, 1100), (0.01, 2298), (0, HIGHEST_RATING), (1, LOWEST_RATING), (1e-9, 2800)],
)
def test_rating_of_a_share(share: float, rating: int) -> None:
    assert rating_of(share) == rating


def test_share_is_the_product_over_the_moves_of_the_solver() -> None:
    start, policy = Position.from_fen(START), load_policy()
    line = moves_of(start, LINE)
    positions = list(accumulate(line, Position.play, initial=start))
    choices = [(positions[ply], (line[ply],), tuple(positions[:ply])) for ply in (0, 2, 4)]
    product = 1.0
    for position, right, history in choices:
        likely = {str(each.move): each.probability for each in policy.choices(position, history)}
        product *= likely[str(right[0])]
    assert solving_share(choices, policy) == pytest.approx(product)
    assert solving_share(choices[:1], policy) >= product
    # each further right move can only help
    every = [(position, position.legal_moves(), history) for position, _, history in choices]
    assert solving_share(every, policy) == pytest.approx(1, abs=1e-4)


def test_rating_is_that_of_the_turned_board() -> None:
    start, policy = Position.from_fen(START), load_policy()
    first = start.parse_move("23-27")
    turned = start.flipped()
    same = next(move for move in turned.legal_moves() if turned.play(move) == start.play(first).flipped())
    one = solving_share([(start, (first,), ())], policy)
    assert solving_share([(turned, (same,), ())], policy) == pytest.approx(one)


GOOD = {"fen": START, "themes": ["only-move"], "rating": 1650, "evidence": "proved"}


def test_fields_come_back() -> None:
    problem = Problem.from_object(GOOD)
    assert (problem.themes, problem.rating, problem.evidence) == (("only-move",), 1650, "proved")
    assert Problem.from_object(json.loads(json.dumps(problem.as_object()))) == problem
    plain = Problem.from_object({"fen": START})
    assert (plain.themes, plain.rating, plain.evidence) == ((), None, "")
    assert not {"themes", "rating", "evidence"} & set(plain.as_object())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"themes": ["shots"]}, '"themes" is ["shots"]; it must be a list of shot, two-for-one, '),
        ({"themes": "shot"}, '"themes" is "shot"; it must be a list of shot, '),
        ({"themes": [["shot"]]}, "it must be a list of shot, "),
        ({"rating": 1650.5}, '"rating" must be a whole number from 0 to 4000, not 1650.5'),
        ({"rating": True}, '"rating" must be a whole number from 0 to 4000, not true'),
        ({"rating": 4001}, '"rating" must be a whole number from 0 to 4000, not 4001'),
        ({"evidence": "sure"}, "\"evidence\" is 'sure'; it must be proved, likely or searched"),
    ],
)
def test_wrong_fields_are_told(change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidProblemError, match=re.escape(message)):
        Problem.from_object(GOOD | change)


def test_merit_counts_what_it_says() -> None:
    start = Position.from_fen("B:W6,24,26,K32:B4,K17,K25")
    line = moves_of(start, "25-22 26-23 22-18 23x14 17x1")
    merit = merit_of(start, line, Side.BLACK, stars=2, near_misses=1)
    assert merit == Merit(stars=2, given=1, near_misses=1, pieces=7, ahead=-1, unnatural=0)
    assert merit.score == 20 + 12 + 8 - 14 + 4
    # the same for the other colour
    flipped = start.flipped()
    assert merit_of(flipped, [], Side.WHITE, 2, 1).ahead == -1
    # two kings beyond two, and two pieces that could be captured
    crowded = Position.from_fen("W:WK1,K2,K3,K32:BK28,K18,27")
    assert merit_of(crowded, [], Side.WHITE, 0, 0).unnatural == 4


def test_near_misses_fail_to_one_reply() -> None:
    database, counts = shipped(), Counter[int]()
    for position in itertools.islice(random_positions(slices.shapes(4), random.Random(1)), 300):
        signs = {}
        for move, after in after_moves(position):
            replies = [exact_value(database, reached) for _, reached in after_moves(after)]
            signs[move] = [reply.sign for reply in replies if reply is not None]
        if not signs:
            continue
        key = next(iter(signs))
        for goal in (Value.WIN, Value.DRAW):
            others = [replies for move, replies in signs.items() if move != key and len(replies) > 1]
            wanted = sum(sum(sign < goal.sign for sign in replies) == 1 for replies in others)
            assert near_misses_of(position, [key], goal, database) == wanted, position.fen
            counts[wanted] += 1
        assert near_misses_of(position, [key], Value.WIN, None) == 0
    assert min(counts[0], counts[1]) > 10
    assert counts[2] > 0
