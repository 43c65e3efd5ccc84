"""Random region tables for tests: small random numbers, so that every region and phase matters."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from kr.evaluation import weights
from kr.evaluation.layouts import LAYOUTS, Layout
from kr.evaluation.patterns import KINGS_ENTRIES, MEN_ENTRIES

TINY = Layout([range(i, i + 12) for i in (0, 12, 20)], [range(i, i + 8) for i in (0, 8, 16, 24)], "tiny")
"""All squares in whole rows, in as few regions as can be: for fits of which it only matters that they are fits."""


@pytest.fixture(scope="session")
def tiny_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Layout file of TINY."""
    path = tmp_path_factory.mktemp("layout") / "tiny.toml"
    path.write_text(TINY.toml())
    return path


@cache
def random_weights(name: str = "base", seed: int = 1) -> weights.Weights:
    """Tables of a layout with entries within a third of a man."""
    layout = LAYOUTS.get(name, TINY)
    # again and again, as files that can be packed are written and read much faster
    numbers = np.random.default_rng(seed).integers(-500, 500, 4099, dtype=np.int16)
    return weights.Weights(
        layout=layout,
        men_table=np.resize(numbers, (len(layout.men), MEN_ENTRIES, 2)),
        kings_table=np.resize(numbers, (len(layout.kings), KINGS_ENTRIES, 2)),
        men_material=np.array([[1600, 1500], [0, 0], [40, 80]], dtype=np.int32),
        kings_material=np.array([[1500, 1400], [2100, 2000], [30, 60]], dtype=np.int32),
        attrs={},
        checksum="random",
    )


def save_random(path: Path, name: str = TINY.name, seed: int = 1) -> Path:
    """Save such tables in a weights file."""
    made = random_weights(name, seed)
    tables = (made.men_table, made.kings_table, made.men_material, made.kings_material)
    weights.save_tables(path, made.layout, *tables, attrs={})
    return path
