"""Elo, its error and the sequential test, against numbers worked out by hand and against simulated matches."""

import math
import random
from collections import Counter

import pytest

from kr.errors import InvalidSettingError
from kr.match.elo import PAIR_SCORES, Sprt, elo_of_score, estimate, score_of_elo

MATCH = (5, 40, 300, 80, 20)


@pytest.mark.parametrize(("score", "elo"), [(0.5, 0.0), (10 / 11, 400.0), (1 / 11, -400.0), (0.64, 99.9510)])
def test_elo_and_score_are_inverse(score, elo):
    assert elo_of_score(score) == pytest.approx(elo, abs=1e-3)
    assert score_of_elo(elo) == pytest.approx(score, abs=1e-6)


def test_estimate_by_hand():
    # 445 pairs, 240 points of a pair's mean: .25 * 40 + .5 * 300 + .75 * 80 + 20
    score = 240 / 445
    # sum of squares 2.5 + 75 + 45 + 20 = 142.5; one imagined pair of variance 1/8 is added
    variance = (142.5 - 240**2 / 445 + 0.125) / 446
    found = estimate(MATCH)
    assert found.elo == pytest.approx(27.383, abs=1e-3)
    assert found.elo_error == pytest.approx(11.174, abs=1e-3)
    assert found.normalized_elo == pytest.approx((score - 0.5) / math.sqrt(2 * variance) * 347.4356, abs=1e-3)
    assert found.normalized_elo_error == pytest.approx(1.959964 * 347.4356 / math.sqrt(2 * 445), abs=1e-3)
    assert found.los == pytest.approx(0.9999993, abs=1e-7)


@pytest.mark.parametrize("counts", [MATCH, (0, 0, 0, 0, 7), (0, 0, 0, 3, 1), (1, 0, 0, 0, 0)])
def test_seen_by_the_other_player_all_signs_turn(counts):
    mine, other = estimate(counts), estimate(counts[::-1])
    assert other.elo == pytest.approx(-mine.elo)
    assert other.elo_error == pytest.approx(mine.elo_error)
    assert other.normalized_elo == pytest.approx(-mine.normalized_elo)
    assert other.los == pytest.approx(1 - mine.los)


def test_without_pairs_nothing_is_known():
    found = estimate((0, 0, 0, 0, 0))
    assert (found.elo, found.elo_error, found.los) == (0.0, math.inf, 0.5)
    assert Sprt(0, 5).llr((0, 0, 0, 0, 0)) == 0.0


@pytest.mark.parametrize(("counts", "elo"), [((0, 0, 20, 0, 0), 0.0), ((0, 0, 0, 0, 20), 763.4)])
def test_equal_results_are_not_certain(counts, elo):
    found = estimate(counts)
    # 20 pairs of equal results: +40 =0 -0 is 40.5 points of 41
    assert found.elo == pytest.approx(elo, abs=0.1)
    assert 0 < found.elo_error < math.inf
    assert 0 < found.los <= 1
    assert math.isfinite(Sprt(0, 5).llr(counts))


def test_more_pairs_narrow_the_error():
    errors = [estimate([count * times for count in MATCH]).elo_error for times in (1, 4)]
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.01)


def test_llr_of_two_outcomes_by_hand():
    # with wins and losses only, the likeliest outcomes of mean s are s and 1 - s
    sprt = Sprt(0, 100)
    s0, s1 = 0.5, score_of_elo(100)
    by_hand = 120 * math.log(s1 / s0) + 80 * math.log((1 - s1) / (1 - s0))
    assert sprt.llr((80, 0, 0, 0, 120)) == pytest.approx(by_hand, abs=0.01)


def test_llr_is_near_its_normal_approximation():
    pairs = sum(MATCH)
    score = sum(count * value for count, value in zip(MATCH, PAIR_SCORES, strict=True)) / pairs
    variance = sum(count * (value - score) ** 2 for count, value in zip(MATCH, PAIR_SCORES, strict=True)) / pairs
    s0, s1 = score_of_elo(0), score_of_elo(5)
    approximation = pairs * (s1 - s0) * (2 * score - s0 - s1) / (2 * variance)
    assert Sprt(0, 5).llr(MATCH) == pytest.approx(approximation, rel=0.05)


@pytest.mark.parametrize("counts", [MATCH, MATCH[::-1], (1, 20, 3000, 60, 2)])
def test_normalized_llr_is_near_its_normal_approximation(counts):
    found, pairs = estimate(counts), sum(counts)
    truth, ratio = found.normalized_elo, math.sqrt(2) / 347.4356
    approximation = pairs * ratio**2 * 5 * (2 * truth - 5) / 2
    assert Sprt(0, 5, normalized=True).llr(counts) == pytest.approx(approximation, rel=0.05)


@pytest.mark.parametrize("counts", [(0, 0, 20, 0, 0), (0, 0, 0, 0, 100_000), (500, 0, 0, 0, 500), (1, 0, 0, 0, 0)])
@pytest.mark.parametrize("bounds", [(-200, 200), (0, 5)])
def test_normalized_llr_of_few_outcomes_is_finite(counts, bounds):
    mine, other = (Sprt(*pair, normalized=True).llr(each)
                   for pair, each in ((bounds, counts), ((-bounds[1], -bounds[0]), counts[::-1])))  # fmt: skip
    assert math.isfinite(mine)
    assert other == pytest.approx(-mine, abs=1e-6)


def test_sprt_bounds_and_decisions():
    sprt = Sprt(0, 10)
    assert sprt.upper == pytest.approx(math.log(19))
    assert sprt.lower == pytest.approx(-math.log(19))
    assert sprt.decision((0, 0, 10, 0, 0)) is None
    assert sprt.decision((5, 40, 3000, 800, 20)) == "H1"
    assert sprt.decision((20, 800, 3000, 40, 5)) == "H0"


@pytest.mark.parametrize("wrong", [(5, 0), (3, 3), (0, 5, 0.0), (0, 5, 0.05, 0.7)])
def test_sprt_refuses(wrong):
    with pytest.raises(InvalidSettingError):
        Sprt(*wrong)


def simulated(source, elo, pairs):
    """Pairs of games between players `elo` apart, 60% of the games drawn."""
    wins = score_of_elo(elo) - 0.3
    odds = (0.4 - wins, 0.6, wins)
    games = source.choices((0, 1, 2), odds, k=2 * pairs)
    counts = Counter(a + b for a, b in zip(games[::2], games[1::2], strict=True))
    return [counts[points] for points in range(len(PAIR_SCORES))]


def test_intervals_hold_the_truth_as_often_as_they_say():
    source = random.Random(1)
    hits = 0
    for _ in range(1000):
        found = estimate(simulated(source, 30, 150))
        hits += abs(found.elo - 30) <= found.elo_error
    assert 0.93 <= hits / 1000 <= 0.97


# with 60% draws a score of 58.55%, +60 Elo, is .0855 / .305 deviations of a game
@pytest.mark.parametrize(
    ("sprt", "truth", "expected"),
    [
        (Sprt(0, 60), 0, "H0"),
        pytest.param(Sprt(0, 60), 60, "H1", marks=pytest.mark.soak),
        pytest.param(Sprt(0, 97.4, normalized=True), 0, "H0", marks=pytest.mark.soak),
        (Sprt(0, 97.4, normalized=True), 60, "H1"),
    ],
)
def test_sprt_errs_as_rarely_as_it_says(sprt, truth, expected):
    source = random.Random(2)
    right = 0
    for _ in range(200):
        counts = (0, 0, 0, 0, 0)
        while (decision := sprt.decision(counts)) is None:
            counts = tuple(a + b for a, b in zip(counts, simulated(source, truth, 5), strict=True))
        right += decision == expected
    assert right / 200 >= 0.93
