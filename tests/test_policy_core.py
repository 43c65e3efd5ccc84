"""Policies in the core: choices, what sight tells of them, and the probabilities of nets and logits."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from policies import random_policy, random_positions

from kr import _core
from kr.evaluation.kinds import Evaluation, load_evaluation, load_scorer
from kr.evaluation.layouts import LAYOUTS
from kr.game.position import Position, Side
from kr.policy.policy import Policy, frame_of, moves_before
from kr.policy.shape import LOGIT_UNIT, PolicyShape, move_ids

pytestmark = pytest.mark.core

POSITIONS = random_positions(6, seed=3)
CAPTURES = [
    "B:W18,19,26,27:B14,15,K22",  # several captures of one and of two pieces
    "W:WK9:B6,7,14,15",  # a king that may capture in a circle
    "W:WK10:B14,15,22,23,K32",
]
SHAPES = [
    PolicyShape(hidden=(24, 8)),
    PolicyShape(hidden=(8, 16), sight="none"),
    PolicyShape(hidden=(16, 8), sight="reply", before=False),
    PolicyShape(hidden=(16, 8), strengths=(0.01, 0.02), years=(1900.0, 1950.0, 1980.0)),
    PolicyShape(hidden=(16, 8), sight="captures", strengths=(0.015,), best=(0.0,), behind=(0.1, 1.0)),
]


@cache
def shipped() -> Evaluation:
    return load_evaluation()


def reference_scores(position: Position, plies: int) -> list[int]:
    """Scores of the choices from the mover's view, by the rules of Python and the shipped tables."""
    evaluation = shipped()

    def ahead(at: Position, left: int) -> int:
        moves = at.legal_moves()
        if not moves:
            return -28000
        captures = moves[0].is_capture
        if not captures and left == 0:
            return evaluation.score(at)
        return max(-ahead(at.play(move), left - (not captures)) for move in moves)

    return [-ahead(position.play(move), plies) for move in position.legal_moves()]


@pytest.mark.parametrize("plies", [0, 1])
@pytest.mark.parametrize("fen", [*CAPTURES, *(each.fen for each in POSITIONS[::40])])
def test_scores_of_choices_are_those_of_a_plain_search(fen: str, plies: int) -> None:
    position = Position.from_fen(fen)
    boards = np.array([frame_of(position)], dtype=np.uint32)
    found = _core.choice_scores(boards, load_scorer().core, plies)
    first, origins, _, _ = _core.policy_choices(boards)
    assert first.tolist() == [0, len(found)]
    assert len(origins) == len(found)
    # paths to the same position are one choice
    assert sorted(set(found.tolist())) == sorted(set(reference_scores(position, plies)))


@pytest.mark.parametrize("position", POSITIONS[::7], ids=str)
def test_choices_are_the_legal_moves(position: Position) -> None:
    boards = np.array([frame_of(position)], dtype=np.uint32)
    _, origins, targets, captured = _core.policy_choices(boards)
    own = position if position.side is Side.BLACK else position.flipped()
    moves = {(move.origin, move.target, move.captured) for move in own.legal_moves()}
    assert set(zip(origins.tolist(), targets.tolist(), captured.tolist(), strict=True)) == moves
    after = _core.choice_boards(boards)
    for row, squares in zip(after, zip(origins, targets, captured, strict=True), strict=True):
        played = _core.play(*own.bits, *(int(each) for each in squares))
        assert tuple(row.tolist()) == frame_of(replace(Position.from_bits(played), side=Side.BLACK))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_net_is_the_sum_that_its_shape_says(shape: PolicyShape) -> None:
    policy = random_policy(shape)
    positions = [each for each in POSITIONS if each.legal_moves()]
    boards = np.array([frame_of(each) for each in positions], dtype=np.uint32)
    source = np.random.default_rng(5)
    before = source.integers(0, 33, (len(boards), 4)).astype(np.uint8)
    losses = source.choice([0.005, 0.015, 0.1, np.nan], len(boards))
    years = source.choice([1880, 1935, 2001, np.nan], len(boards))
    rows = policy.predict(boards, before, losses, years)
    for i in range(len(positions)):
        expected = plain_net(policy, boards[i], before[i], losses[i], years[i])
        assert rows.probability[rows.first[i] : rows.first[i + 1]] == pytest.approx(expected, abs=2e-5)


def plain_net(policy: Policy, board: np.ndarray, before: np.ndarray, loss: float, year: float) -> np.ndarray:
    """Probabilities of a position's choices, straight from the description of the shape."""
    shape, arrays = policy.shape, policy.model.arrays
    _, origins, targets, _ = _core.policy_choices(board[None])
    inputs = [(board[k] >> np.arange(32, dtype=np.uint32)) & 1 for k in range(4)]
    if shape.before:
        inputs += [np.arange(33) == before[k] for k in range(4)]
    bins = np.zeros(len(origins), dtype=int)
    if policy.eyes:
        scores = _core.choice_scores(board[None], policy.eyes.core, shape.plies) / policy.eyes.scale
        inputs.append(scores.max() > np.array(shape.best))
        bins = np.digitize(scores.max() - scores, shape.behind)
    for name, value in (("strengths", loss), ("years", year)):
        if edges := getattr(shape, name):
            bucket = len(edges) + 1 if np.isnan(value) else int(np.searchsorted(edges, value, side="right"))
            inputs.append(np.arange(len(edges) + 2) == bucket)
    x = np.concatenate(inputs).astype(np.float64)
    for i in (1, 2):
        x = np.maximum(x @ arrays[f"w{i}"] + arrays[f"b{i}"], 0)
    logits = sum(
        arrays[name][ids] @ x + arrays[f"{name}_b"][ids]
        for name, ids in (("move", move_ids()[origins, targets]), ("target", targets), ("behind", bins))
        if name != "behind" or policy.eyes
    )
    chances = np.exp(logits - logits.max())
    return chances / chances.sum()


@pytest.mark.parametrize("sight", ["none", "captures"])
def test_a_logit_is_the_sum_that_its_shape_says(sight: str) -> None:
    shape = PolicyShape("logit", sight=sight, layout="small")
    policy = random_policy(shape)
    arrays = policy.model.arrays
    layout = LAYOUTS["small"]
    tables = (arrays[f"{group}_{what}"] for what in ("table", "material") for group in ("men", "kings"))
    regions = _core.EVALUATORS["regions"](layout.men, layout.kings, *tables)
    for position in POSITIONS[::25]:
        boards = np.array([frame_of(position)], dtype=np.uint32)
        _, origins, targets, _ = _core.policy_choices(boards)
        after = _core.choice_boards(boards)
        rows = np.stack([after[:, 0] | after[:, 2], after[:, 1] | after[:, 3], after[:, 2] | after[:, 3]], axis=1)
        logits = np.array([regions.evaluate(*map(int, row), 0) for row in rows]) / LOGIT_UNIT
        logits += arrays["move"][move_ids()[origins, targets]] + arrays["target"][targets]
        if policy.eyes:
            scores = _core.choice_scores(boards, policy.eyes.core) / policy.eyes.scale
            logits += arrays["behind"][np.digitize(scores.max() - scores, shape.behind)]
        chances = np.exp(logits - logits.max())
        found = policy.predict(boards, np.full((1, 4), 32, dtype=np.uint8)).probability
        assert found == pytest.approx(chances / chances.sum(), abs=1e-5)


@pytest.mark.parametrize("shape", [*SHAPES, PolicyShape("logit", layout="small")], ids=str)
def test_probabilities_are_of_all_legal_moves_and_sum_to_one(shape: PolicyShape) -> None:
    policy = random_policy(shape)
    for position in [*POSITIONS[::30], *map(Position.from_fen, CAPTURES)]:
        found = policy.choices(position, strength=0.012, year=1931)
        moves = {(each.move.origin, each.move.target, each.move.captured) for each in found}
        assert moves == {(move.origin, move.target, move.captured) for move in position.legal_moves()}
        assert sum(each.probability for each in found) == pytest.approx(1, abs=1e-5)
        assert [each.probability for each in found] == sorted((each.probability for each in found), reverse=True)


@given(st.integers(1, len(POSITIONS) - 1))
def test_a_turned_board_gives_the_turned_move(index: int) -> None:
    policy = random_policy(SHAPES[0])
    position, history = POSITIONS[index], POSITIONS[max(0, index - 2) : index]
    found = policy.choices(position, history)
    turned = policy.choices(position.flipped(), [each.flipped() for each in history])
    expected = {(31 - each.move.origin, 31 - each.move.target): each.probability for each in found}
    assert {(each.move.origin, each.move.target): each.probability for each in turned} == pytest.approx(expected)


def test_the_moves_before_are_told_in_the_movers_frame() -> None:
    start = Position()
    one = start.play("11-15")
    two = one.play("23-18")
    assert moves_before(start, []) == (32, 32, 32, 32)
    # White's frame: square s is 31 - s, both from 0
    assert moves_before(one, [start]) == (31 - 10, 31 - 14, 32, 32)
    assert moves_before(two, [start, one]) == (22, 17, 10, 14)
    assert moves_before(two, [start]) == (32, 32, 32, 32), "no move leads from the start to the second ply"
    circle = Position.from_fen("W:WK9:B6,7,14,15")
    around, _ = circle.legal_moves()
    assert around.origin == around.target == 8
    assert moves_before(circle.play(around), [circle]) == (8, 8, 32, 32)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"boards": np.zeros((1, 3), np.uint32)}, r"shape \(n, 4\)"),
        ({"boards": np.array([[1, 1, 0, 0]], np.uint32)}, "row 0: two pieces on one square"),
        ({"before": np.full((1, 4), 33, np.uint8)}, "row 0: a square above 32"),
        ({"before": np.zeros((2, 4), np.uint8)}, "do not belong together"),
        ({"strength": np.array([7], np.uint8)}, "a bucket that the model doesn't have"),
        ({"first": np.array([0, 3], np.int64)}, "row 0: the offsets are not those of its choices"),
        ({"first": np.array([-4, 7], np.int64)}, "row 0: the offsets are not those of its choices"),
    ],
)
def test_arrays_that_do_not_belong_together_are_refused(arrays: dict[str, np.ndarray], message: str) -> None:
    boards = np.array([frame_of(Position())], dtype=np.uint32)
    given = {
        "boards": boards, "before": np.full((1, 4), 32, np.uint8), "strength": np.zeros(1, np.uint8),
        "year": np.zeros(1, np.uint8), "first": np.array([0, 7], np.int64), **arrays,
    }  # fmt: skip
    with pytest.raises(ValueError, match=message):
        random_policy(SHAPES[0]).core.predict(**given)


def test_a_net_refuses_arrays_of_other_sizes() -> None:
    policy = random_policy(SHAPES[0])
    arrays = dict(policy.model.arrays)
    arrays["w2"] = arrays["w2"][:-1].copy()
    with pytest.raises(ValueError, match="do not belong together"):
        _core.PolicyNet(arrays, move_ids(), True, 0, 0, None, 0, 1.0, (), ())


def test_an_ended_game_has_no_choices() -> None:
    assert random_policy(SHAPES[0]).choices(Position.from_fen("B:W5:B")) == []
