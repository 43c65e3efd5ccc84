"""Static scores of the core against plain numpy, and symmetric in the colours."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tables import random_weights

from kr import _core
from kr.evaluation import kinds, patterns
from kr.evaluation.regions import Regions
from kr.game.position import Position, Side

pytestmark = pytest.mark.core


def playout_positions(count: int, seed: int = 5) -> list[Position]:
    """Positions of random games, all phases among them."""
    chooser = random.Random(seed)
    positions: list[Position] = []
    while len(positions) < count:
        position = Position()
        while not position.is_over and len(positions) < count and chooser.random() > 0.005:
            positions.append(position)
            position = position.play(chooser.choice(position.legal_moves()))
    return positions


def evaluator_of(layout: str) -> _core.Evaluator:
    return Regions(random_weights(layout)).core


POSITIONS = playout_positions(600)
ROWS = np.array([(p.black, p.white, p.kings, p.side) for p in POSITIONS], dtype=np.uint32)


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["small", "base", "wide", "full"])
def test_region_scores_are_those_of_numpy(layout: str) -> None:
    scores = np.empty(len(ROWS), dtype=np.int16)
    evaluator_of(layout).evaluate_batch(ROWS, scores)
    expected = random_weights(layout).scores(patterns.mover_frame(ROWS))
    assert {bool(position.kings) for position in POSITIONS} == {False, True}
    np.testing.assert_array_equal(scores, np.trunc(expected).astype(np.int16))


def test_material() -> None:
    position = Position.from_fen("B:W21,K30:B1,2,K3,K4")
    bits = (position.black, position.white, position.kings)
    assert kinds.load_evaluation("material").core.evaluate(*bits, Side.BLACK) == 230
    assert kinds.load_evaluation("material").core.evaluate(*bits, Side.WHITE) == -230


WRONG_TABLES = {
    "no regions": lambda made: ((), made.layout.kings, made.men_table, made.kings_table),
    "a region too small": lambda made: (
        (made.layout.men[0][:11], *made.layout.men[1:]),
        made.layout.kings,
        made.men_table,
        made.kings_table,
    ),
    "a square off the board": lambda made: (
        made.layout.men,
        ((0, 1, 2, 3, 4, 5, 6, 32), *made.layout.kings[1:]),
        made.men_table,
        made.kings_table,
    ),
    "too few tables": lambda made: (made.layout.men, made.layout.kings, made.men_table[1:], made.kings_table),
    "too short tables": lambda made: (
        made.layout.men,
        made.layout.kings,
        np.ascontiguousarray(made.men_table[:, :100]),
        made.kings_table,
    ),
}


@pytest.mark.parametrize("case", WRONG_TABLES)
def test_tables_that_do_not_belong_together(case: str) -> None:
    made = random_weights("small")
    with pytest.raises(ValueError, match="region|table"):
        _core.EVALUATORS["regions"](*WRONG_TABLES[case](made), made.men_material, made.kings_material)
