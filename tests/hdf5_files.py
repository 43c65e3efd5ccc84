"""Good HDF5 files, changed copies of them, and the answer that each reader must have for a bad one."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tables import TINY as LAYOUT

from kr import storage
from kr.egdb.sample import SampleSettings, write_sample
from kr.egdb.sample_reader import SampleFile
from kr.errors import InvalidGamesError, InvalidSampleError, InvalidWeightsError, KrError
from kr.evaluation import weights
from kr.hdf5 import process
from kr.learn import games
from kr.learn.games import StoredGame

STARTS = (0x0000_0FFF, 0xFFF0_0000, 0, 0)
SECONDS = process.READ_SECONDS
"""What HDF5 is given: a hostile file is refused without it."""


def write_weights(path: Path) -> None:
    tables = [np.zeros(shape, dtype) for dtype, shape in weights.expected_shapes(LAYOUT).values()]
    weights.save_tables(path, LAYOUT, *tables, attrs={"seed": "3", "centimen_per_logit": 61.25})


def write_games(path: Path) -> None:
    codes = np.array([8 | 12 << 5, 21 | 17 << 5], dtype=np.uint16)
    record = StoredGame(0, STARTS, 0, 0, 5, codes, np.zeros(2, np.int16))
    games.write_shard(path, [record] * 50, {"seed": "1", "decks": '[["start", 1]]', "games_per_second": 2.0})


def write_positions(path: Path) -> None:
    shipped = storage.data_path("egdb")
    write_sample(SampleSettings(out=path, pieces="2", fraction=1.0, planes=False, workers=1, dir=shipped))


def read_positions(path: Path) -> None:
    with SampleFile(path, verify=True):
        pass


# Writer of a good file, reader, its error, a dataset.
READERS: dict[str, tuple[Callable[[Path], None], Callable[[Path], Any], type[KrError], str]] = {
    "weights": (write_weights, weights.load_tables, InvalidWeightsError, "men_material"),
    "games": (write_games, games.read_shard, InvalidGamesError, "start"),
    "positions": (write_positions, read_positions, InvalidSampleError, "training/board"),
}

IN_PLACE = ("positions",)
"""Readers that don't read the whole file first, and are as strict about chunks."""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    paths = {}
    for name, (write, read, *_) in READERS.items():
        paths[name] = tmp_path_factory.mktemp("good") / "good.h5"
        write(paths[name])
        read(paths[name])
    return paths


def check_refused(reader: str, path: Path, said: str = "") -> None:
    _, read, error, _ = READERS[reader]
    began = time.monotonic()
    with pytest.raises(error, match=said or None) as caught:
        read(path)
    assert time.monotonic() - began < SECONDS
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def edited(good: Path, path: Path, edit: Callable[[h5py.File], None]) -> Path:
    path.write_bytes(good.read_bytes())
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        edit(file)
    return path
