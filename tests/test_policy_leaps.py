"""Leaps of moves, and the post's network, which answers with them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from policies import random_policy_model, random_positions
from recorded import write_archive

from kr import _core
from kr.archives.archive import ReadSettings
from kr.errors import InvalidPolicyError
from kr.policy.model_file import PolicyModel
from kr.policy.policy import frame_of
from kr.policy.shape import MOVES, PolicyShape, move_ids
from kr.studies.people.decisions import Decisions, read_decisions
from kr.studies.people.leaps import LeapTree, between, played_leaps
from kr.studies.people.post_net import PostPolicy, legal_leaps, post_sizes, post_start

POSITIONS = random_positions(12, seed=5)
CAPTURES = [(each, move) for each in POSITIONS for move in each.legal_moves() if len(move.path) > 2]
SHAPE = PolicyShape("post", "none", (8, 16), before=False)


@pytest.fixture(scope="module")
def decisions(tmp_path_factory: pytest.TempPathFactory) -> Decisions:
    path = tmp_path_factory.mktemp("archive") / "games.pdn"
    write_archive(path, 30)
    return read_decisions(ReadSettings((path,)))


@pytest.fixture(scope="module")
def post() -> PostPolicy:
    return PostPolicy(PolicyModel(SHAPE, post_start(SHAPE, 3)))


def boards_of(positions: list) -> np.ndarray:
    return np.array([frame_of(each) for each in positions], dtype=np.uint32)


def test_a_piece_jumps_over_what_is_captured() -> None:
    assert len(CAPTURES) > 10
    for _, move in CAPTURES:
        jumped = [between(*leap) for leap in pairwise(move.path)]
        assert len(set(jumped)) == len(jumped)
        assert sum(1 << square for square in jumped) == move.captured


def test_leaps_of_a_move_join(decisions: Decisions) -> None:
    """A leap begins where the one before it ended, with a piece less to capture."""
    leaps = played_leaps(decisions)
    counts = np.maximum(1, np.bitwise_count(decisions.captured))
    assert len(leaps) == counts.sum()
    assert (counts > 1).any()
    begins = np.cumsum(counts) - counts
    assert leaps.first.tolist() == [*begins, len(leaps)]
    ids = move_ids()
    assert (leaps.boards[begins] == decisions.boards).all()
    single = counts == 1
    assert (leaps.label[begins[single]] == ids[decisions.moves[single, 0], decisions.moves[single, 1]]).all()
    for row in np.flatnonzero(counts > 1):
        origin, pieces = int(decisions.moves[row, 0]), None
        for leap in range(begins[row], begins[row] + counts[row]):
            own = leaps.boards[leap, 0] | leaps.boards[leap, 2]
            assert leaps.label[leap] // 4 == origin
            assert own >> origin & 1
            foes = np.bitwise_count(leaps.boards[leap, 1] | leaps.boards[leap, 3])
            assert pieces is None or foes == pieces - 1
            pieces = foes
            # where that leap ends
            (origin,) = (
                square for square in range(32)
                if ids[origin, square] == leaps.label[leap] and abs(square // 4 - origin // 4) == 2
                and abs(square % 4 - origin % 4) == 1
            )  # fmt: skip
        assert origin == decisions.moves[row, 1]


def test_what_is_made_is_legal(decisions: Decisions) -> None:
    leaps = played_leaps(decisions)
    allowed = legal_leaps(leaps)
    assert allowed[np.arange(len(leaps)), leaps.label].all()
    # exactly the first leaps of the legal moves
    for row in range(0, len(leaps), 37):
        own_men, foe_men, own_kings, foe_kings = leaps.boards[row].tolist()
        moves = _core.legal_moves(own_men | own_kings, foe_men | foe_kings, own_kings | foe_kings, 0)
        labels = {int(move_ids()[path[0], path[1]]) for path, _ in moves}
        assert set(np.flatnonzero(allowed[row]).tolist()) == labels


def test_probabilities_of_whole_moves_are_products_of_leaps() -> None:
    """By hand, with a different logit on every node and leap."""
    boards = boards_of([position for position, _ in CAPTURES])
    tree = LeapTree(boards)
    logits = np.random.default_rng(1).normal(0, 2, (len(tree.boards), MOVES)).astype(np.float32)
    found = tree.of_choices(logits)
    assert np.add.reduceat(found, tree.first[:-1]) == pytest.approx(np.ones(len(boards)), abs=1e-5)
    powers = np.where(tree.legal, np.exp(logits.astype(float)), 0)
    shares = powers / powers.sum(axis=1, keepdims=True)
    nodes = {tuple(board): number for number, board in enumerate(tree.boards.tolist())}
    assert len(nodes) > len(np.unique(boards, axis=0))
    for number in np.unique(boards, axis=0, return_index=True)[1]:
        start, end = tree.first[number : number + 2]
        root = tree.roots[number]
        # the choices that begin with a leap have its share together
        own_men, foe_men, own_kings, foe_kings = boards[number].tolist()
        moves = _core.legal_moves(own_men | own_kings, foe_men | foe_kings, own_kings | foe_kings, 0)
        first = {(path[0], path[-1], captured): move_ids()[path[0], path[1]] for path, captured in moves}
        if len(moves) > len(first):
            continue
        told = np.zeros(MOVES)
        for i in range(start, end):
            told[first[int(tree.origin[i]), int(tree.target[i]), int(tree.captured[i])]] += found[i]
        assert told == pytest.approx(shares[root], abs=1e-5)


@pytest.mark.slow
def test_a_turned_board_gets_the_turned_answer_and_the_sum_is_one(post: PostPolicy) -> None:
    some = POSITIONS[::9]
    found, turned = (post.predict(boards_of(each)) for each in (some, [each.flipped() for each in some]))
    assert (found.probability == turned.probability).all()
    assert np.add.reduceat(found.probability, found.first[:-1]) == pytest.approx(np.ones(len(some)), abs=1e-5)
    first, origin, target, captured = _core.policy_choices(boards_of(some))
    for mine, rules in zip(found[:4], (first, origin, target, captured), strict=True):
        assert (mine == rules).all()


@pytest.mark.slow
def test_scores_of_leaps(post: PostPolicy, decisions: Decisions) -> None:
    leaps = played_leaps(decisions)
    scores = post.leap_scores(leaps)
    assert scores["leaps"] == len(leaps)
    # an untrained network mostly wants what is illegal
    assert scores["illegal"] > 0.5
    logits, allowed = post.logits(leaps.boards), legal_leaps(leaps)
    rows = np.arange(len(leaps))
    assert scores["top_raw"]["1"] == pytest.approx((logits.argmax(axis=1) == leaps.label).mean())
    masked = np.where(allowed, logits, -np.inf)
    assert scores["top_masked"]["1"] == pytest.approx((masked.argmax(axis=1) == leaps.label).mean())
    whole = [(logits.argmax(axis=1) == leaps.label)[start:end].all() for start, end in pairwise(leaps.first.tolist())]
    assert scores["moves_raw"] == pytest.approx(np.mean(whole))
    third = np.sort(masked, axis=1)[:, -3]
    assert scores["top_masked"]["3"] == pytest.approx((masked[rows, leaps.label] >= third).mean())


def test_the_published_size() -> None:
    """Without the change, some 58 million weights, as counted from the published code."""
    published = PolicyShape("post", "none", (24, 3072), before=False)
    sizes = post_sizes(published)
    assert not any(name.startswith("narrow") for name in sizes)
    assert 57e6 < sum(int(np.prod(size)) for size in sizes.values()) < 59e6


@pytest.mark.parametrize("wrong", ["net", "arrays"])
def test_another_model_is_refused(wrong: str, tmp_path: Path) -> None:
    arrays = post_start(SHAPE, 1)
    arrays["out_b"] = arrays["out_b"][:5]
    models = {"net": random_policy_model(PolicyShape(hidden=(8, 8))), "arrays": PolicyModel(SHAPE, arrays)}
    with pytest.raises(InvalidPolicyError, match="expected the post's network|are not those of the post"):
        PostPolicy(models[wrong])
