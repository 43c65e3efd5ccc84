"""A small fit: its games, samples, settings and tables, as fixtures."""

from pathlib import Path

import pytest
from playouts import write_run
from tables import TINY

from kr.learn.fitting.dataset import Dataset, Label, read_samples
from kr.learn.fitting.settings import FitSettings


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("games")
    write_run(directory, 120)
    return directory


@pytest.fixture(scope="module")
def dataset(run: Path) -> Dataset:
    return read_samples([run], Label(0.6), 0.2, 1)


@pytest.fixture
def settings(run: Path, tmp_path: Path) -> FitSettings:
    return FitSettings(
        directories=(run,), out=tmp_path / "made.h5", layout=TINY, holdout=0.2, max_iter=4, tolerance=0.0
    )
