"""Weights files: round trip, and everything that can be wrong with one."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tables import TINY as LAYOUT

from kr.cli import main
from kr.errors import InvalidWeightsError
from kr.evaluation import weights
from kr.evaluation.layouts import LAYOUTS
from kr.evaluation.parts import KINGS_SHAPES, MEN_SHAPES, with_parts
from kr.evaluation.patterns import region_indices

ATTRS = {"command": "kr fit games --out small.h5", "seed": "3", "centimen_per_logit": 61.25}


def random_tables(seed: int = 1) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    tables = []
    for name, (dtype, shape) in weights.expected_shapes(LAYOUT).items():
        if name.endswith("table"):
            # few entries occur, as in fitted tables
            table = np.where(rng.random(shape[:2])[..., None] < 0.02, rng.integers(-2000, 2000, shape), 0)
        else:
            table = rng.integers(-2000, 2000, shape)
        tables.append(table.astype(dtype))
    return tables


def some_parts() -> tuple[weights.Parts, weights.Parts]:
    rng = np.random.default_rng(2)
    made = []
    for regions, base, shapes in ((LAYOUT.men, 3, MEN_SHAPES), (LAYOUT.kings, 5, KINGS_SHAPES)):
        windows = with_parts(regions, base, shapes)
        values = rng.integers(-900, 900, (windows.starts[-1], 2)).astype(np.int16)
        made.append(weights.Parts(windows, values))
    return made[0], made[1]


@cache
def tables_with_parts() -> tuple[np.ndarray, ...]:
    """Random tables with the parts added, some so high that the sum of the parts does not fit."""
    men, kings, *material = random_tables()
    men_parts, kings_parts = some_parts()
    men, kings = (
        men + men_parts.windows.unfolded(men_parts.values),
        kings + kings_parts.windows.unfolded(kings_parts.values),
    )
    men[:, :5], kings[:, 7] = 32767, -32767
    return men, kings, *material


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("weights") / "small.h5"
    weights.save_tables(
        path, LAYOUT, *tables_with_parts(), attrs=ATTRS, men_parts=some_parts()[0], kings_parts=some_parts()[1]
    )
    return path


@pytest.mark.slow
def test_round_trip(saved: Path) -> None:
    made = weights.load_tables(saved)
    for name, table in zip(weights.expected_shapes(LAYOUT), tables_with_parts(), strict=True):
        assert (getattr(made, name) == table).all()
        assert not getattr(made, name).flags.writeable
    assert made.layout == LAYOUT
    assert made.attrs == ATTRS
    for parts, expected in zip((made.men_parts, made.kings_parts), some_parts(), strict=True):
        assert parts is not None
        assert parts.windows == expected.windows
        assert (parts.values == expected.values).all()


@pytest.mark.slow
def test_parts_make_files_smaller_and_tables_are_the_same(saved: Path, tmp_path: Path) -> None:
    """The checksum is that of the tables, whatever stands beside them."""
    plain, checksum = tmp_path / "plain.h5", weights.load_tables(saved).checksum
    assert weights.save_tables(plain, LAYOUT, *tables_with_parts(), attrs={"seed": "4"}) == checksum
    assert plain.stat().st_size > 2 * saved.stat().st_size
    made = weights.load_tables(plain)
    assert (made.checksum, made.men_parts, made.kings_parts) == (checksum, None, None)
    tables = list(tables_with_parts())
    tables[2] = tables[2] + np.int32(1)
    assert weights.save_tables(plain, LAYOUT, *tables, attrs=ATTRS) != checksum


@pytest.mark.slow
def test_files_of_version_1_are_read(tmp_path: Path) -> None:
    checksum = weights.save_tables(tmp_path / "new.h5", LAYOUT, *random_tables(), attrs=ATTRS)

    def edit(file: h5py.File) -> None:
        del file.attrs["parts"]
        file.attrs.update(format_version=1, fitted_checksum="0")

    made = weights.load_tables(edited(tmp_path / "new.h5", tmp_path / "old.h5", edit))
    assert (made.checksum, made.attrs) == (checksum, ATTRS)


def test_save_refuses_wrong_shapes(tmp_path: Path) -> None:
    tables = random_tables()
    tables[0] = tables[0][:-1]
    with pytest.raises(InvalidWeightsError, match="men_table is int16"):
        weights.save_tables(tmp_path / "bad.h5", LAYOUT, *tables, attrs={})
    assert list(tmp_path.iterdir()) == []


def edited(saved: Path, path: Path, edit: Any) -> Path:
    path.write_bytes(saved.read_bytes())
    with h5py.File(path, "r+") as file:
        edit(file)
    return path


def _replace(name: str, value: Any) -> Any:
    def edit(file: h5py.File) -> None:
        del file[name]
        file[name] = value

    return edit


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda f: f.attrs.update(kind="kr games"), "not one of kr's weights"),
        (lambda f: f.attrs.__delitem__("layout"), "attribute layout is missing"),
        (lambda f: f.attrs.update(layout="{}"), "invalid layout"),
        (lambda f: f.attrs.update(layout="[1"), "invalid layout"),
        (lambda f: f.attrs.update(layout=json.dumps(LAYOUTS["tall"].as_dict())), "invalid parts"),
        (lambda f: f.attrs.update(seed="9"), "attributes do not match their checksum"),
        (lambda f: f.attrs.update(checksum="0"), "tables do not match their checksum"),
        (lambda f: f["men_material"].__setitem__((0, 0), 1), "tables do not match their checksum"),
        (lambda f: f["men_parts"].__setitem__((0, 0), 1), "tables do not match their checksum"),
        (lambda f: f.__delitem__("kings_parts"), "kings_parts is missing"),
        (_replace("men_parts", np.zeros((2, 2), dtype=np.int16)), r"men_parts is int16 \(2, 2\)"),
        (lambda f: f.attrs.update(parts="[1"), "invalid parts"),
        (lambda f: f.attrs.update(parts='{"men": [[[0, 31], 0]]}'), "the part \\(0, 31\\) does not lie in window 0"),
        (lambda f: f.attrs.update(parts="{}"), "tables do not match their checksum"),
    ],
)
def test_edited_files_are_refused(saved: Path, tmp_path: Path, edit: Any, message: str) -> None:
    path = edited(saved, tmp_path / "edited.h5", edit)
    with pytest.raises(InvalidWeightsError, match=message) as caught:
        weights.load_tables(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_a_flipped_bit_never_goes_unnoticed(saved: Path, tmp_path: Path) -> None:
    whole, good = saved.read_bytes(), weights.load_tables(saved)
    path = tmp_path / "flipped.h5"
    refused = 0
    for place in np.random.default_rng(5).integers(0, len(whole), 24):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(place) % 8
        path.write_bytes(damaged)
        try:
            made = weights.load_tables(path)
        except InvalidWeightsError:
            refused += 1
        else:
            # bytes that HDF5 does not use
            assert made.checksum == good.checksum
            assert made.attrs == good.attrs
            assert (made.men_table == good.men_table).all()
            assert (made.kings_table == good.kings_table).all()
    assert refused > 12


def test_scores_add_up_region_by_region(saved: Path) -> None:
    made = weights.load_tables(saved)
    men = np.array([[0x0000_0FF0, 0x00FF_0000, 0, 0]], dtype=np.uint32)
    kings = np.array([[0x0000_00F0, 0, 0x0000_0100, 0x8000_0000]], dtype=np.uint32)
    for boards, table, material, rows in (
        (men, made.men_table, made.men_material, (8 - 8, 0, 1)),
        (kings, made.kings_table, made.kings_material, (4, 0, 1)),
    ):
        n = int(np.bitwise_count(boards).sum())
        ids = region_indices(boards, *LAYOUT.group(boards is kings))[:, 0]
        opening, ending = (
            sum(int(table[r, i, phase]) for r, i in enumerate(ids))
            + sum(k * int(material[row, phase]) for row, k in enumerate(rows))
            for phase in (0, 1)
        )
        assert made.scores(boards)[0] == pytest.approx((opening * n + ending * (24 - n)) / (24 * 16))


@pytest.mark.slow
def test_show_prints_provenance(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["weights", "show", str(saved)]) == 0
    text = capsys.readouterr().out
    assert ATTRS["command"] in text
    assert weights.load_tables(saved).checksum in text
    assert main(["weights", "show", str(saved), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["layout"] == LAYOUT.as_dict()
    assert shown["seed"] == "3"


def test_show_names_a_bad_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.h5"
    path.write_bytes(b"nothing")
    assert main(["weights", "show", str(path)]) == 1
    assert str(path) in capsys.readouterr().err


def test_importing_evaluations_does_not_import_numpy() -> None:
    code = "import sys, kr.engine.engine, kr.evaluation.weights; sys.exit(bool({'numpy', 'h5py'} & {*sys.modules}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
