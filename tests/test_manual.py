"""The hand-built evaluation: symmetry, bounds, and every term in the direction that a player expects."""

import random
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np
import pytest

from kr.engine.engine import Engine
from kr.engine.result import SCORE_DECIDED
from kr.game.position import Position, Side

pytestmark = pytest.mark.core

Source = Callable[[int], Iterator[Position]]

# what is better, a position, and another one that is worse for the side to move
BETTER_AND_WORSE = [
    ("a man more", "B:B1,6,10:W22,28", "B:B1,10:W22,28"),
    ("a king rather than a man", "B:BK10,6:W22,27", "B:B10,6:W22,27"),
    ("a lead with fewer pieces", "B:B5,10,15:W23,24", "B:B1,2,3,5,10,15:W23,24,30,31,32"),
    ("the only king", "B:B1,K15:W28,32", "B:B1,K15:WK28,32"),
    ("the move", "B:BK15:WK27", "B:BK15:WK23"),
    ("a man at home on 2", "B:B2,4,5,18:W10,11,32", "B:B2,4,5,18:W10,11,31"),
    ("an opponent without the bridge", "B:B1,23,K24:W17,K7,30,31", "B:B1,23,K24:W17,K7,30,32"),
    ("bridge", "B:B1,3,14:W21,24,29", "B:B1,4,14:W21,24,29"),
    ("oreo triangle", "B:B2,3,7,13:W20,26,30,31", "B:B2,4,7,13:W20,26,30,31"),
    ("single corner kept in an ending", "B:B4,8,14:W22,30,31", "B:B4,7,14:W22,30,31"),
    ("centre", "B:B1-8,10,11,12,14:W21-32", "B:B1-8,10-13:W21-32"),
    ("towards the centre", "B:BK19,20:WK1,8", "B:BK19,20:WK1,7"),
    ("moves kept in the opening", "B:B1-12:W21-32", "B:B1-7,9-12,16:W21-32"),
    ("rows gained in the ending", "B:B1,21:W8,28", "B:B1,13:W8,28"),
    ("a man on the sixth row", "B:B3,K15,21,K27:W6,12,20,K22", "B:B3,13,K15,K27:W6,12,20,K22"),
    ("balance", "B:B3,K14,K18,22:W12,21,K5", "B:B3,K14,K18,23:W12,21,K5"),
    ("grounded men", "B:B16,23,K29:W11,15,K24", "B:B16,23,K29:W12,15,K24"),
    ("an opponent's man with an open back", "B:BK1,K14:W11,K15,K16", "B:BK1,K14:W11,K15,K23"),
    ("fewer safe moves for the opponent", "B:BK14,22,K23:WK5,K32", "B:BK14,22,K26:WK5,K32"),
    ("an opponent's man held", "B:B12,21,K25,K32:W30,K15", "B:B12,21,K24,K32:W30,K15"),
    ("an opponent out of safe moves", "B:B5,K7,26:W14,17", "B:B5,K7,26:W14,22"),
    ("three lock four", "B:B5,9,13:W14,17,18,22", "B:B5,9,12:W14,17,18,22"),
    ("20 holds 24", "B:B1,2,3,20:W24,27,30,31", "B:B1,2,3,20:W23,27,30,31"),
    ("strong double corner", "B:B1,2,3,K27:W5,15,17,21", "B:B1,2,3,K27:W5,15,17,20"),
    ("an opponent's man in the dog-hole", "B:B3,15,22,K7:W5,12,31", "B:B3,15,22,K7:W5,21,31"),
    ("no man in the far dog-hole", "B:B1,2,6,20,28:W21,22,29,30,31", "B:B1,2,6,20,28:W21,22,29,30,32"),
    ("a runaway", "B:B16,K10,K12:W5,K2,K25", "B:B16,K10,K12:W5,K2,K27"),
    ("a nearer runaway", "B:B1,2,3,4,22:W5,12,13,20,24", "B:B1,2,3,4,18:W5,12,13,20,24"),
    ("a king in the centre", "B:B1,2,3,K15:WK29,30,31,32", "B:B1,2,3,K16:WK29,30,31,32"),
    ("a king off the rim", "B:B1,K19:WK13,32", "B:B1,K20:WK13,32"),
    ("kings that can move", "B:B22,K8,K26,K31:WK5,K16", "B:B22,K23,K26,K31:WK5,K16"),
    ("an opponent's king cornered", "B:BK2:WK27", "B:BK28:WK27"),
    ("a king not trapped behind its own man", "B:B28,K30:W18,K23", "B:B28,K31:W18,K23"),
    ("refuge in the double corner", "B:BK1:WK14,K15", "B:BK29:WK14,K15"),
    ("an opponent's king not hooked to a tail", "B:B9,13,K27,K31:W7,21,22,26,K10", "B:B9,13,K27,K31:W7,21,22,26,K6"),
    ("a king behind men", "B:B1,2,3,K23:W14,15,29,30", "B:B1,2,3,K23:W13,20,29,30"),
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine("manual", hash_mb=1)


def playouts(seed: int) -> Iterator[Position]:
    """The positions of random games, one after the other."""
    chance = random.Random(seed)
    while True:
        position = Position()
        while not position.is_over and chance.random() > 0.005:
            yield position
            position = position.play(chance.choice(position.legal_moves()))


def random_boards(seed: int) -> Iterator[Position]:
    """Boards with any number of men and kings, most of them not to be reached in a game."""
    chance = random.Random(seed)
    while True:
        squares = [1 << square for square in chance.sample(range(32), 24)]
        black = sum(squares[: chance.randint(1, 12)])
        white = sum(squares[12 : 12 + chance.randint(1, 12)])
        kings = (black | white) & chance.getrandbits(32) & chance.getrandbits(32)
        kings |= black & 0xF0000000 | white & 0xF
        yield Position(black, white, kings, Side(chance.randrange(2)))


@pytest.mark.parametrize("source", [playouts, random_boards])
def test_scores_are_the_same_with_colours_swapped(engine: Engine, source: Source) -> None:
    for position in islice(source(1), 3000):
        assert engine.evaluate(position) == engine.evaluate(position.flipped()), position.fen


@pytest.mark.parametrize("source", [playouts, random_boards])
def test_scores_stay_far_from_decided(engine: Engine, source: Source) -> None:
    positions = list(islice(source(2), 3000))
    rows = np.array([(p.black, p.white, p.kings, p.side) for p in positions], dtype=np.uint32)
    scores = engine.evaluate_batch(rows)
    assert np.abs(scores.astype(int)).max() < SCORE_DECIDED // 4
    assert scores.tolist() == [engine.evaluate(position) for position in positions]


def test_the_start_is_worth_having_the_turn(engine: Engine) -> None:
    assert 0 < engine.evaluate(Position()) < 20


@pytest.mark.parametrize(("name", "better", "worse"), BETTER_AND_WORSE)
def test_terms_point_the_way_of_the_books(engine: Engine, name: str, better: str, worse: str) -> None:
    assert engine.evaluate(Position.from_fen(better)) > engine.evaluate(Position.from_fen(worse)), name


def test_the_term_examples_have_nothing_to_capture() -> None:
    for name, *fens in BETTER_AND_WORSE:
        for fen in fens:
            position = Position.from_fen(fen)
            assert not any(move.is_capture for move in position.legal_moves()), name
