"""The public facade: limits as text, settings out of range, evaluation files, batches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tables import save_random

from kr import Engine, InvalidSettingError, InvalidWeightsError, Limits, Position

pytestmark = pytest.mark.core

LIMITS = {
    "0.3s": Limits(time=0.3),
    "20ms": Limits(time=0.02),
    "nodes=2000": Limits(nodes=2000),
    "nodes=2k": Limits(nodes=2000),
    "depth=8": Limits(depth=8),
    "1s,depth=8": Limits(time=1.0, depth=8),
    "5ms,nodes=100,depth=3": Limits(time=0.005, nodes=100, depth=3),
}


@pytest.mark.parametrize("text", LIMITS)
def test_limits_are_read_and_written(text: str) -> None:
    assert Limits.parse(text) == LIMITS[text]
    assert Limits.parse(str(LIMITS[text])) == LIMITS[text]


@pytest.mark.parametrize("text", ["", "fast", "depth", "plies=3", "nodes=-1", "nodes=0", "0s", "1s,2s", "depth=1.5"])
def test_bad_limits(text: str) -> None:
    with pytest.raises(InvalidSettingError):
        Limits.parse(text)


@pytest.mark.parametrize("settings", [{"hash_mb": 0}, {"hash_mb": -5}, {"hash_mb": 1e9}, {"threads": 0}])
def test_settings_out_of_range(settings: dict[str, float]) -> None:
    with pytest.raises(InvalidSettingError):
        Engine("material", **settings)  # type: ignore[arg-type]


def test_weights_from_a_file(tmp_path: Path) -> None:
    engine = Engine(save_random(tmp_path / "mine.h5"), hash_mb=1)
    assert engine.name == "mine"
    assert engine.search(Position(), Limits(nodes=2000)).nodes == 2000


def test_no_such_weights(tmp_path: Path) -> None:
    with pytest.raises(InvalidWeightsError, match=r"none\.h5"):
        Engine(tmp_path / "none.h5")


def test_a_batch_is_many_single_scores() -> None:
    engine = Engine("manual", hash_mb=1)
    positions = [Position(), Position().play("11-15"), Position.from_fen("W:W21,K30:B1,2")]
    rows = np.array([(p.black, p.white, p.kings, p.side) for p in positions])
    assert engine.evaluate_batch(rows).tolist() == [engine.evaluate(p) for p in positions]
    assert engine.evaluate_batch(np.zeros((0, 4))).shape == (0,)


@pytest.mark.parametrize("rows", [[[1, 2, 0]], [[1, 1, 0, 0]], [[1, 2, 4, 0]], [[1, 2, 0, 2]]])
def test_batches_that_are_no_positions(rows: list[list[int]]) -> None:
    with pytest.raises(InvalidSettingError):
        Engine("material", hash_mb=1).evaluate_batch(np.array(rows, dtype=np.uint32))
