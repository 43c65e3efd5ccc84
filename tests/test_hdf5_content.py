"""Hostile HDF5 files whose checksums are right: each reader refuses what they say in one line."""

import json
import signal
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hdf5_files import LAYOUT, STARTS, check_refused, edited, good

from kr import cli, storage
from kr.errors import KrError
from kr.evaluation import files
from kr.evaluation.layouts import LAYOUTS
from kr.evaluation.patterns import MAX_REGIONS
from kr.hdf5.library import LibrarySource, library_file
from kr.learn import games
from kr.learn.games import StoredGame

__all__ = ["good"]

# Weights whose checksums are right, since whoever makes such a file can count as well.


def weights_with(good: Path, path: Path, **changes: Any) -> Path:
    def edit(file: h5py.File) -> None:
        for name, value in changes.items():
            file.attrs[name] = value
        header = {"kind", "format_version", "layout", "checksum", "attributes_checksum", "parts"}
        attrs = {name: files._plain(value) for name, value in file.attrs.items() if name not in header}
        file.attrs["attributes_checksum"] = files._attributes_checksum(attrs)

    return edited(good, path, edit)


DEEP = "[" * 40_000
REGIONS = LAYOUT.as_dict()
LAYOUTS_OF_A_FIEND = {
    "deep": DEEP,
    "deep name": f'{{"name": {DEEP}',
    "no object": "[]",
    "name of a list": json.dumps(REGIONS | {"name": [1]}),
    "long name": json.dumps(REGIONS | {"name": "x" * 10_000}),
    "name of two lines": json.dumps(REGIONS | {"name": "a\nb"}),
    "endless number": json.dumps(REGIONS).replace("31", "1e400"),
    "long number": json.dumps(REGIONS).replace("31", "9" * 5000),
    "half a square": json.dumps(REGIONS).replace("31", "30.5"),
    "truth": json.dumps(REGIONS).replace("[0, 1,", "[false, true,"),
    "texts": json.dumps(REGIONS | {"men": ["abcdefghijkl"]}),
    "an object": json.dumps(REGIONS | {"men": {"0": 1}}),
    "no regions": json.dumps(REGIONS | {"men": []}),
    "too many regions": json.dumps(REGIONS | {"men": (REGIONS["men"] * 400)[:2001]}),
    "one too many": json.dumps(REGIONS | {"men": [[*range(11), 11 + i] for i in range(21)] + REGIONS["men"] * 2}),
    "a long region": json.dumps(REGIONS | {"men": [list(range(32)) * 1000]}),
}


@pytest.mark.parametrize("text", LAYOUTS_OF_A_FIEND)
def test_hostile_layouts_are_refused(good: dict[str, Path], tmp_path: Path, text: str) -> None:
    path = weights_with(good["weights"], tmp_path / "bad.h5", layout=LAYOUTS_OF_A_FIEND[text])
    check_refused("weights", path, "layout")


def test_regions_are_as_many_as_the_core_adds_up() -> None:
    assert all(max(len(layout.men), len(layout.kings)) <= MAX_REGIONS for layout in LAYOUTS.values())


PARTS = {
    "deep": DEEP,
    "no object": "[]",
    "an object": '{"men": {}}',
    "number": '{"men": 3}',
    "no pair": '{"men": [[1, 2, 3]]}',
    "home a text": '{"men": [[[0], "0"]]}',
    "home far away": '{"men": [[[0], 99999999999999999999]]}',
    "home before": '{"men": [[[0], -1]]}',
    "home itself": '{"men": [[[0], 6]]}',
    "square twice": '{"men": [[[0, 0], 0]]}',
    "descending": '{"men": [[[1, 0], 0]]}',
    "nothing": '{"men": [[[], 0]]}',
    "part twice": '{"men": [[[0, 1], 0], [[0, 1], 0]]}',
    "no squares": '{"men": [[[true], 0]]}',
    "too many": json.dumps({"men": [[[0], 0]] * 30_000}),
    "more than is there": json.dumps({"men": [[list(LAYOUT.men[0][:11]), 0]]}),
}


@pytest.mark.parametrize("text", PARTS)
def test_hostile_parts_are_refused(good: dict[str, Path], tmp_path: Path, text: str) -> None:
    check_refused("weights", weights_with(good["weights"], tmp_path / "bad.h5", parts=PARTS[text]), "parts")


@pytest.mark.parametrize("value", ["abc", "", 0, 0.0, -1.0, float("nan"), float("inf"), 1e300, 2**63 - 1], ids=repr)
def test_a_scale_out_of_range_is_refused(good: dict[str, Path], tmp_path: Path, value: object) -> None:
    path = weights_with(good["weights"], tmp_path / "bad.h5", centimen_per_logit=value)
    check_refused("weights", path, "centimen_per_logit is")


@pytest.mark.parametrize("name", ["checksum", "attributes_checksum", "layout", "parts"])
def test_a_number_for_a_text_is_refused(good: dict[str, Path], tmp_path: Path, name: str) -> None:
    path = edited(good["weights"], tmp_path / "bad.h5", lambda file: file.attrs.__setitem__(name, 7))
    check_refused("weights", path, f"attribute {name} is not text")


@pytest.mark.slow
@pytest.mark.parametrize("report", ["", "7", "[]", "{}", DEEP, '{"loss": 3}', '{"centimen_per_logit": "x"}'])
def test_a_report_that_makes_no_sense_is_one_line(
    good: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture, report: str
) -> None:
    path = weights_with(good["weights"], tmp_path / "bad.h5", report=report)
    assert cli.main(["weights", "show", str(path)]) == 1
    assert "report" in capsys.readouterr().err


# Games whose checksums are right.


def games_with(good: Path, path: Path, attrs: dict[str, Any], **columns: Any) -> Path:
    def edit(file: h5py.File) -> None:
        for name, value in columns.items():
            data = file[name][()]
            data[...] = value(data) if callable(value) else value
            file[name][...] = data
        content = (file[name][()] for name in games._DTYPES)
        file.attrs.update(attrs | {"checksum": storage.checksum(*content)})

    return edited(good, path, edit)


def wrapped(first: np.ndarray) -> np.ndarray:
    first[1:-1:2] = -(2**63)
    return first


@pytest.mark.parametrize(
    "columns",
    [
        {"side": 7},
        {"side": 2},
        {"game": -1},
        {"result": 2},
        {"result": -128},
        {"reason": 200},
        {"start": 0xFFFF_FFFF},
        {"start": [1, 1, 0]},
        {"start": [1, 2, 4]},
        {"start": [1 << 31, 2, 0]},
        {"start": [1, 2, 0xFFFF_FFFF]},
        {"start": [0x1FFF, 1 << 31, 0]},
        pytest.param({"first": wrapped}, id="first, wrapped"),
        pytest.param({"first": lambda first: first[::-1]}, id="first, backwards"),
        pytest.param({"first": lambda first: first - 1}, id="first, one less"),
        pytest.param({"first": lambda first: first + 1}, id="first, one more"),
    ],
    ids=repr,
)
def test_games_out_of_range_are_refused(good: dict[str, Path], tmp_path: Path, columns: dict[str, Any]) -> None:
    path = games_with(good["games"], tmp_path / "bad.h5", {}, **columns)
    check_refused("games", path, "do not fit together, or hold numbers out of range")


def test_a_game_longer_than_any_is_refused(tmp_path: Path) -> None:
    plies = games._core.MAX_GAME_PLIES + 1
    record = StoredGame(0, STARTS, 0, 0, 5, np.zeros(plies, np.uint16), np.zeros(plies, np.int16))
    games.write_shard(tmp_path / "bad.h5", [record], {})
    check_refused("games", tmp_path / "bad.h5", "out of range")


@pytest.mark.parametrize(
    "attrs",
    [
        {"seed": "abc"},
        {"seed": "-1"},
        {"seed": str(2**63)},
        {"seed": "9" * 5000},
        {"decks": DEEP},
        {"decks": "7"},
        {"decks": "[1]"},
        {"decks": '[["a", "b"]]'},
        {"decks": '[["a", 1e400]]'},
        {"decks": '[["a", -1]]'},
        {"settings": DEEP},
        {"settings": "[]"},
        {"games_per_second": "abc"},
        {"games_per_second": float("nan")},
    ],
    ids=lambda attrs: repr(attrs)[:40],
)
def test_attributes_of_games_out_of_range_are_refused(
    good: dict[str, Path], tmp_path: Path, attrs: dict[str, Any]
) -> None:
    check_refused("games", games_with(good["games"], tmp_path / "bad.h5", attrs), "attributes make no sense")


def test_ctrl_c_while_a_file_is_read_is_not_lost(monkeypatch: pytest.MonkeyPatch, good: dict[str, Path]) -> None:
    """It ends the reading, though h5py runs finalizers in it, which drop exceptions."""
    before, done = signal.getsignal(signal.SIGINT), []

    def read(source: LibrarySource) -> dict[str, Any]:
        signal.raise_signal(signal.SIGINT)
        done.append(source)
        return {}

    monkeypatch.setattr(LibrarySource, "_attributes", read)
    path = str(next(iter(good.values())))
    with pytest.raises(KeyboardInterrupt), library_file(path, 1, KrError, "damaged"):
        pass
    assert done
    assert signal.getsignal(signal.SIGINT) is before
