"""Ways to ask a network, against plain recursion over the rules; what is counted, by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kr import _core
from kr.egdb.database import Database
from kr.egdb.sample_reader import SampleRows
from kr.errors import InvalidSettingError
from kr.proofs import rules as reference
from kr.studies.endings.asking import DIRECT_WAYS, QUIET_WAYS, WAYS, Asker, Blend, by_threshold
from kr.studies.endings.paper import PAPER_ROWS, PAPER_THRESHOLD, PAPER_THRESHOLD_PARTS, PaperRow
from kr.studies.endings.scores import CONFIDENCE_BINS, binomial_error, count_scores
from kr.studies.endings.table import THRESHOLDS

Boards = NDArray[np.uint32]
Chances = NDArray[np.float32]


def guess(boards: Boards) -> Chances:
    """Made-up probabilities, which follow from the position alone."""
    keys = boards.astype(np.uint64) @ np.array([2654435761, 40503, 2246822519], dtype=np.uint64)
    made = np.stack([(keys >> np.uint64(shift)) % np.uint64(997) + np.uint64(1) for shift in (3, 17, 29)], axis=1)
    return (made / made.sum(axis=1, keepdims=True)).astype(np.float32)


def random_endings(count: int, most: int = 7, seed: int = 3) -> Boards:
    """Boards (count, 3) of 2 to `most` pieces of both sides, Black to move, nothing to capture."""
    chance = np.random.default_rng(seed)
    boards = np.zeros((3 * count, 3), dtype=np.uint32)
    squares = np.argsort(chance.random((len(boards), 32)), axis=1)[:, :most]
    pieces = chance.integers(2, most + 1, len(boards))
    for number in range(most):
        bits = np.uint32(1) << squares[:, number].astype(np.uint32)
        side = number % 2
        crowned = (bits & (0xF0000000, 0xF)[side]) != 0
        there = number < pieces
        boards[:, side] |= np.where(there, bits, 0).astype(np.uint32)
        boards[:, 2] |= np.where(there & (crowned | (chance.random(len(boards)) < 0.5)), bits, 0).astype(np.uint32)
    return np.ascontiguousarray(boards[~_core.pending_captures(boards)][:count])


def any_endings(count: int, most: int = 5, seed: int = 3) -> Boards:
    """Endings with and without captures: quiet ones, and what their moves lead to."""
    quiet = random_endings(count, most, seed)
    children, _ = _core.successors(quiet)
    pending = children[_core.pending_captures(children)]
    return np.concatenate([quiet, pending[:count]])


# --- against plain recursion


def row_of(board: reference.PlainBoard, side: int) -> tuple[int, int, int]:
    """The board of the reference as a row, turned if White is to move."""
    black, white, kings = reference.to_bits(board)
    if side == reference.BLACK_SIDE:
        return black, white, kings
    turned = [int(f"{bits:032b}"[::-1], 2) for bits in (white, black, kings)]
    return turned[0], turned[1], turned[2]


def said_of(board: reference.PlainBoard, side: int) -> Chances:
    return guess(np.array([row_of(board, side)], dtype=np.uint32))[0]


def searched(board: reference.PlainBoard, side: int) -> int:
    """Algorithm 1 of the paper."""
    children = [reference.plain_after(board, move) for move in reference.legal_moves(board, side)]
    said = [
        int(said_of(child, 1 - side).argmax()) if any(reference.owner(p) != side for p in child.values()) else 0
        for child in children
    ]
    return 2 - min(said) if said else 0


def after_plies(board: reference.PlainBoard, side: int, plies: int) -> Chances:
    """All quiet moves some plies deep, captures resolved, expectation maximised."""
    moves = reference.legal_moves(board, side)
    if not moves:
        return np.array([1, 0, 0], dtype=np.float32)
    if all(reference.owner(piece) == side for piece in board.values()):
        return np.array([0, 0, 1], dtype=np.float32)
    if not moves[0][1] and plies == 0:
        return said_of(board, side)
    less = 0 if moves[0][1] else 1
    children = [after_plies(reference.plain_after(board, move), 1 - side, plies - less)[::-1] for move in moves]
    return max(children, key=lambda p: float(p[2] + p[1] / 2))


def test_search_is_the_algorithm_of_the_paper() -> None:
    boards = any_endings(150)
    found = Asker(guess, "all").ask(boards, "search")
    expected = [searched(reference.from_bits(*map(int, row)), reference.BLACK_SIDE) for row in boards]
    assert found.argmax(axis=1).tolist() == expected
    assert {0, 1, 2} == set(expected)


@pytest.mark.parametrize(("way", "plies"), [("rules", 0), ("plies1", 1), ("plies2", 2)])
def test_plies_are_a_recursion_over_the_rules(way: str, plies: int) -> None:
    boards = any_endings(12 if plies == 2 else 60, most=4)
    found = Asker(guess, "quiet").ask(boards, way)
    expected = [after_plies(reference.from_bits(*map(int, row)), reference.BLACK_SIDE, plies) for row in boards]
    np.testing.assert_allclose(found, expected, atol=1e-6)


# --- with exact values


@pytest.fixture(scope="module")
def exact(whole: Path) -> tuple[Boards, NDArray[np.uint8], Callable[[Boards], Chances]]:
    """Positions with up to 3 pieces, their values, and a network that knows everything."""
    opened = Database.open(whole)

    def predict(boards: Boards) -> Chances:
        return np.eye(3, dtype=np.float32)[opened.values(boards, workers=1)]

    boards = any_endings(2000, most=3)
    return boards, opened.values(boards, workers=1), predict


@pytest.mark.parametrize("way", WAYS)
def test_exact_values_stay_exact(
    exact: tuple[Boards, NDArray[np.uint8], Callable[[Boards], Chances]], way: str
) -> None:
    boards, values, predict = exact
    assert set(values) == {0, 1, 2}

    def quiet_only(asked: Boards) -> Chances:
        assert not _core.pending_captures(asked).any()
        assert asked[:, :2].all()
        return predict(asked)

    asker = Asker(quiet_only if way in QUIET_WAYS else predict, "quiet" if way in QUIET_WAYS else "all")
    if way == "best":
        asker.fit_best(boards[::2], values[::2])
    assert (asker.ask(boards, way).argmax(axis=1) == values).all()


def test_many_positions_are_asked_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    boards = any_endings(300)
    whole = Asker(guess, "all").ask_all(boards, ("search", "plies1"))
    monkeypatch.setattr("kr.studies.endings.asking.ASKED_AT_ONCE", 7)
    parts = Asker(guess, "all").ask_all(boards, ("search", "plies1"))
    for way, said in whole.items():
        np.testing.assert_array_equal(parts[way], said)


# --- thresholds, the regression, refusals


def test_the_threshold_takes_the_network_where_it_is_sure() -> None:
    net = np.array([[0.8, 0.1, 0.1], [0.79, 0.2, 0.01], [0, 0.1, 0.9]], dtype=np.float32)
    search = np.eye(3, dtype=np.float32)[[1, 1, 1]]
    assert by_threshold(net, search).argmax(axis=1).tolist() == [0, 1, 2]
    assert by_threshold(net, search, 0.9).argmax(axis=1).tolist() == [1, 1, 2]


def log_loss(said: Chances, values: NDArray[np.uint8]) -> float:
    return float(-np.log(said[np.arange(len(values)), values]).mean())


@pytest.mark.slow
def test_the_regression_is_better_than_what_it_is_made_of() -> None:
    chance = np.random.default_rng(5)
    values = chance.integers(0, 3, 4000).astype(np.uint8)
    said = []
    for certainty in (0.5, 1.5):
        logits = chance.normal(0, 1, (len(values), 3)) + certainty * np.eye(3)[values]
        powers = np.exp(logits)
        said.append((powers / powers.sum(axis=1, keepdims=True)).astype(np.float32))
    blend = Blend.fitted([part[:2000] for part in said], values[:2000])
    mixed = blend(*(part[2000:] for part in said))
    assert np.allclose(mixed.sum(axis=1), 1, atol=1e-5)
    assert log_loss(mixed, values[2000:]) < min(log_loss(part[2000:], values[2000:]) for part in said)


@pytest.mark.slow
def test_asked_together_is_asked_alone() -> None:
    boards = any_endings(50)
    asker = Asker(guess, "all")
    asker.fit_best(boards, guess(boards).argmax(axis=1).astype(np.uint8))
    together = asker.ask_all(boards, WAYS)
    assert list(together) == list(WAYS)
    for way, said in together.items():
        np.testing.assert_allclose(said, asker.ask(boards, way), atol=1e-6)


@pytest.mark.parametrize(
    ("asked", "way", "said"),
    [
        ("all", "guess", "'guess' is unknown; expected net, search"),
        ("quiet", "search", "a network for quiet positions can't be asked by 'search'"),
        ("all", "best", "best needs validation positions"),
    ],
)
def test_what_can_not_be_asked(asked: str, way: str, said: str) -> None:
    with pytest.raises(InvalidSettingError, match=said):
        Asker(guess, asked).ask(any_endings(3), way)


def test_no_positions() -> None:
    nothing = np.zeros((0, 3), dtype=np.uint32)
    for way in set(WAYS) - {"best"}:
        assert Asker(guess, "all").ask(nothing, way).shape == (0, 3)


# --- what is counted


@pytest.mark.parametrize(("right", "positions"), [(0, 10), (10, 10), (7, 10), (955, 1000)])
def test_errors_are_those_of_wilson(right: int, positions: int) -> None:
    """Half of the interval between the roots of (share - p)² = z² p (1 - p) / n."""
    share, square = right / positions, 1.96**2
    roots = np.roots([1 + square / positions, -(2 * share + square / positions), share**2])
    assert binomial_error(right, positions) == pytest.approx(float(abs(roots[0] - roots[1])) / 2)


def test_counts_are_those_of_plain_loops() -> None:
    boards = any_endings(400)
    values = np.random.default_rng(2).integers(0, 3, len(boards)).astype(np.uint8)
    asker = Asker(guess, "all")
    rows = [SampleRows(boards[first : first + 97], values[first : first + 97]) for first in range(0, len(boards), 97)]
    scores = count_scores(asker, rows, DIRECT_WAYS, (0.5, 0.8))
    said = {way: asker.ask(boards, way) for way in DIRECT_WAYS}
    right = {way: said[way].argmax(axis=1) == values for way in DIRECT_WAYS}
    for way, score in scores.ways.items():
        told = score.as_json()
        assert (told["positions"], told["right"]) == (len(boards), right[way].sum())
        assert told["accuracy"] == pytest.approx(right[way].mean())
        pieces = [bin(black | white).count("1") for black, white, _ in boards.tolist()]
        by_pieces = {
            str(n): [pieces.count(n), int(sum(right[way][i] for i, p in enumerate(pieces) if p == n))]
            for n in sorted(set(pieces))
        }
        assert told["by_pieces"] == by_pieces
        pending = _core.pending_captures(boards)
        assert told["captures"] == [pending.sum(), right[way][pending].sum()]
        for value in range(3):
            of_value = values == value
            assert told["recall"][value] == pytest.approx(right[way][of_value].mean())
            for wrong, name in ((True, "wrong"), (False, "right")):
                chosen = said[way].max(axis=1)[of_value & (right[way] != wrong)]
                mean = told[f"mean_confidence_{name}"][value]
                assert mean == pytest.approx(chosen.mean() if len(chosen) else 0, rel=1e-5)
        assert sum(count for count, _ in told["confidence"]) == len(boards)
    both = scores.correlation
    assert both is not None
    assert both.both == (right["net"] & right["search"]).sum()
    assert both.only_first == (right["net"] & ~right["search"]).sum()
    assert both.only_second == (~right["net"] & right["search"]).sum()
    assert both.neither == (~right["net"] & ~right["search"]).sum()
    for threshold, counted in scores.thresholds.items():
        expected = by_threshold(said["net"], said["search"], threshold).argmax(axis=1) == values
        assert counted == expected.sum()


def test_bins_of_the_confidence_begin_at_thresholds() -> None:
    assert all(round(threshold * CONFIDENCE_BINS) == threshold * CONFIDENCE_BINS for threshold in THRESHOLDS)


# --- the paper


@pytest.mark.parametrize("row", PAPER_ROWS.values(), ids=PAPER_ROWS)
def test_rows_of_the_paper_add_up(row: PaperRow) -> None:
    assert row.both + row.only_net + row.only_search + row.neither == pytest.approx(100, abs=0.025)
    assert row.both + row.only_net == pytest.approx(row.net, abs=0.025)
    assert row.both + row.only_search == pytest.approx(row.search, abs=0.025)


def test_the_parts_at_the_threshold_make_the_whole() -> None:
    above, net, below, search = PAPER_THRESHOLD_PARTS
    assert above + below == pytest.approx(100)
    assert (above * net + below * search) / 100 == pytest.approx(PAPER_THRESHOLD, abs=0.005)
