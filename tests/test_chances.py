"""Chances of a win, a draw and a loss from scores."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from kr import Engine
from kr.engine.result import SCORE_WIN
from kr.evaluation import kinds, weights
from kr.evaluation.chances import DRAW_SHARE, KNOWN, Chances, chances, format_score
from kr.evaluation.layouts import LAYOUTS
from kr.evaluation.manual import Manual
from kr.evaluation.regions import REGION_SCALE

SCORES = [*range(-400, 401, 7), -28000, 28000]


@pytest.mark.parametrize("score", SCORES)
def test_they_are_chances(score: int) -> None:
    found = chances(score, 43.0)
    assert min(found.win, found.draw, found.loss) >= 0
    assert found.win + found.draw + found.loss == pytest.approx(1)
    assert found.expected == pytest.approx(1 / (1 + math.exp(-score / 43.0)))
    worse = min(found.expected, 1 - found.expected)
    assert found.draw / 2 == pytest.approx(DRAW_SHARE * worse)
    other = chances(-score, 43.0)
    assert (found.win, found.draw, found.loss) == pytest.approx((other.loss, other.draw, other.win))


def test_they_grow_with_the_score() -> None:
    expected = [chances(score, 43.0).expected for score in range(-300, 301)]
    assert expected == sorted(expected)


@pytest.mark.parametrize(
    ("score", "value", "known"),
    [
        (SCORE_WIN - 5, None, "win"),
        (28_550, None, "win"),
        (-28_550, None, "loss"),
        (15, "draw", "draw"),
        (-3, "win", "win"),
        (40, "loss", "loss"),
    ],
)
def test_what_is_proved_is_certain(score: int, value: str | None, known: str) -> None:
    assert chances(score, 43.0, value) == KNOWN[known]


@pytest.mark.parametrize(
    ("found", "likeliest"),
    [
        (KNOWN["win"], "win"), (KNOWN["draw"], "draw"), (KNOWN["loss"], "loss"),
        (chances(0, 40.0), "draw"), (chances(30, 40.0), "draw"), (chances(-30, 40.0), "draw"),
        (chances(50, 40.0), "win"), (chances(-50, 40.0), "loss"), (chances(50, 60.0), "draw"),
    ],
)  # fmt: skip
def test_the_likeliest_result(found: Chances, likeliest: str) -> None:
    assert found.likeliest == likeliest


def save_empty(path: Path, attrs: dict[str, float]) -> Path:
    """Tables of zeros."""
    layout = LAYOUTS["small"]
    tables = [np.zeros(shape, dtype) for dtype, shape in weights.expected_shapes(layout).values()]
    weights.save_tables(path, layout, *tables, attrs=attrs)
    return path


@pytest.mark.slow
def test_each_evaluation_has_its_scale(tmp_path: Path) -> None:
    assert kinds.load_evaluation().scale == pytest.approx(REGION_SCALE, abs=1)
    assert Engine("manual", hash_mb=1).score_scale == Manual.scale
    assert Engine(save_empty(tmp_path / "none.h5", {}), hash_mb=1).score_scale == REGION_SCALE
    engine = Engine(save_empty(tmp_path / "own.h5", {"centimen_per_logit": 55.5}), hash_mb=1)
    assert engine.score_scale == 55.5
    assert engine.chances(55).expected == pytest.approx(1 / (1 + math.exp(-55 / 55.5)))
    assert engine.chances(55, "draw") == KNOWN["draw"]


@pytest.mark.parametrize(
    ("score", "text"), [(7, "+7"), (0, "0"), (-1234, "-1234"), (SCORE_WIN - 3, "win"), (3 - SCORE_WIN, "loss")]
)
def test_a_score_is_centi_men_with_a_sign(score: int, text: str) -> None:
    assert format_score(score) == text
