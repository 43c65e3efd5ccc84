"""bench/ladder.py: the scale that is fitted to matches, and intervals over seeds."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import pytest

LADDER = runpy.run_path(str(Path(__file__).parent.parent / "bench" / "ladder.py"))
Met, elo_scale, interval = LADDER["Met"], LADDER["elo_scale"], LADDER["interval"]


def match(a: str, b: str, elo: float, pairs: int = 20_000):
    """A match of drawn and one-sided pairs in which A scores what its lead in Elo promises."""
    score = 1 / (1 + 10 ** (-elo / 400))
    won = round(pairs * (2 * score - 1))
    return Met(a, b, (4,) * won + (2,) * (pairs - won))


def test_the_scale_finds_the_ratings_that_results_follow() -> None:
    true = {"random": 0.0, "low": 120.0, "middle": 260.0, "high": 400.0}
    names = list(true)
    met = [match(b, a, true[b] - true[a]) for i, a in enumerate(names) for b in names[i + 1 :]]
    found = elo_scale(met, "random", samples=5)
    assert {name: found[name].elo for name in true} == pytest.approx(true, abs=1.0)
    assert found["random"].elo == found["random"].error == 0
    assert all(found[name].games == 3 * 40_000 for name in true)


def test_the_scale_does_not_depend_on_who_is_called_first() -> None:
    met = [Met("a", "b", (4, 3, 2, 1)), Met("b", "c", (4, 4, 2)), Met("a", "c", (4, 2, 1, 0))]
    turned = [Met(each.b, each.a, tuple(4 - pair for pair in each.pairs)) for each in met]
    one, two = elo_scale(met, "c", samples=0), elo_scale(turned, "c", samples=0)
    assert [one[name].elo for name in "abc"] == pytest.approx([two[name].elo for name in "abc"])


def test_a_player_without_a_loss_has_a_finite_rating_and_more_games_say_more() -> None:
    few, many = (elo_scale([Met("a", "b", (4,) * pairs)], "b", samples=0)["a"].elo for pairs in (5, 50))
    assert 400 < few < many < math.inf
    wide, narrow = (
        elo_scale([Met("a", "b", (4, 2, 2, 0, 3) * times)], "b", samples=200)["a"].error for times in (2, 40)
    )
    assert wide == pytest.approx(narrow * math.sqrt(20), rel=0.3)


@pytest.mark.parametrize(
    ("values", "mean", "half"), [([1, 2, 3], 2, 4.303 / math.sqrt(3)), ([0.5] * 10, 0.5, 0), ([7], 7, math.nan)]
)
def test_interval_over_seeds(values: list[float], mean: float, half: float) -> None:
    assert interval(values) == pytest.approx((mean, half), abs=1e-3, nan_ok=True)
