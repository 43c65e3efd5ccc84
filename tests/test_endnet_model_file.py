"""Model files of networks: what is written is read back; damaged, foreign and hostile ones are refused in a line."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import studies
from models import POINT, REPORT, random_model
from refusals import check_refused
from systems import RUNS_JAX

from kr import cli
from kr.errors import InvalidModelError
from kr.studies.endings import model_file
from kr.studies.endings.model_file import load_model, save_model
from kr.studies.endings.shape import NetShape

SHAPES = [
    NetShape("small", hidden=(6, 4)),
    NetShape("small", "all", "threats", (6, 4)),
    NetShape("paper", "all", channels=2, blocks=1, dense=3),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "net.h5"
    save_model(found, random_model(SHAPES[0]))
    return found


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_model_is_read_back(tmp_path: Path, shape: NetShape) -> None:
    model, path = random_model(shape), tmp_path / "net.h5"
    save_model(path, model)
    found = load_model(path)
    assert (found.shape, found.checksum, found.path) == (shape, model.checksum, path)
    assert (found.curve, found.report) == ([POINT], REPORT)
    for part, other in ((found.parameters, model.parameters), (found.state, model.state)):
        assert set(part) == set(other)
        assert all((part[name] == other[name]).all() for name in part)
    assert found.attrs["seed"] == "1"
    assert found.weights == sum(array.size for array in model.parameters.values())
    save_model(path, found)
    assert load_model(path).attrs == found.attrs


@RUNS_JAX
@pytest.mark.slow
def test_probabilities_do_not_depend_on_the_batch() -> None:
    model = random_model(SHAPES[1])
    boards = np.array([[1, 1 << 31, 0], [3, 1 << 30, 1], [1 << 9, 1 << 13, 1 << 13]], dtype=np.uint32)
    many = np.tile(boards, (model_file.PREDICTED_AT_ONCE // 2, 1))
    found = model.predict(many)
    assert found.dtype == np.float32
    assert found.shape == (len(many), 3)
    assert found.sum(axis=1) == pytest.approx(1, abs=1e-6)
    assert (found == np.tile(model.predict(boards), (len(many) // 3, 1))).all()
    assert model.predict(boards[:0]).shape == (0, 3)


# --- files that are refused


sealed = partial(studies.sealed, model_file._attributes_checksum)


SHAPE = json.loads(SHAPES[0].json())
EDITS = {
    "newer": (lambda file: file.attrs.__setitem__("format_version", 2), "a newer kr wrote it"),
    "number": (lambda file: file["p_w1"].__setitem__((0, 0), 9), "the arrays do not match their checksum"),
    "kind": (lambda file: file.attrs.__setitem__("kind", "kr weights"), "not a model of `kr endnet fit`"),
    "attribute": (lambda file: file.attrs.__setitem__("report", "{}"), "the attributes do not match their checksum"),
    "no shape": (sealed(shape="nonsense"), "not the shape of a network"),
    "deep": (sealed(shape="[" * 100_000), "not the shape of a network"),
    "net": (sealed(shape={**SHAPE, "net": "huge"}), "not the shape of a network"),
    "units": (sealed(shape={**SHAPE, "hidden": [10**9, 4]}), "not the shape of a network"),
    "layers": (sealed(shape={**SHAPE, "hidden": [6, 4, 4]}), "not the shape of a network"),
    "other shape": (sealed(shape={**SHAPE, "hidden": [6, 5]}), "arrays of other sizes"),
    "other sizes": (sealed(arrays={"p": {}, "s": {}}), "arrays of other sizes"),
    "both": (
        sealed(shape={**SHAPE, "hidden": [6, 5]},
               arrays={"p": {n: list(s) for n, s in NetShape(hidden=(6, 5)).parameter_sizes.items()}, "s": {}}),
        "p_w2 is float32 (6, 4); expected float32 (6, 5)",
    ),
    "curve": (sealed(curve=[{"epoch": 1}]), "invalid parts"),
    "curve as number": (sealed(curve=3), "invalid parts"),
    "point": (sealed(curve=[{**POINT, "loss": "0.5"}]), "invalid parts"),
    "infinite": (sealed(curve=[{**POINT, "loss": float("inf")}]), "invalid parts"),
    "report": (sealed(report={}), "invalid parts"),
    "report as list": (sealed(report=[1]), "invalid parts"),
    "pieces": (sealed(report={**REPORT, "pieces": [3]}), "invalid parts"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", EDITS)
def test_an_edited_file_is_refused(path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    edit, said = EDITS[name]
    studies.edited(path, edit)
    with pytest.raises(InvalidModelError) as caught:
        load_model(path)
    assert str(path) in str(caught.value)
    check_refused(capsys, f"endnet show {path}", 1, said)


def test_numbers_that_are_none_are_refused(tmp_path: Path) -> None:
    model = random_model(SHAPES[0])
    model.parameters["w1"][0, 0] = np.nan
    save_model(tmp_path / "net.h5", model)
    with pytest.raises(InvalidModelError, match=r"net\.h5: damaged model file: p_w1 has the number nan"):
        load_model(tmp_path / "net.h5")


# --- the command


def test_show(path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main(["endnet", "show", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "small: 128 - 6 - 4 - 3; 817 weights" in shown
    assert "1,000 positions, pieces 2-3" in shown
    assert shown.splitlines()[-1].split() == ["1", "0.5000", "0.4000", "75.00", "50.00", "-", "100.00", "2"]
    assert cli.main(["endnet", "show", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["checksum"] == load_model(path).checksum
    assert told["curve"] == [POINT]
    assert told["shape"]["hidden"] == [6, 4]
    assert told["command"] == "kr endnet fit"


@pytest.mark.slow
def test_a_model_is_shown_without_jax(path: Path) -> None:
    """Reading one imports neither JAX nor optax."""
    code = (
        "import sys; from kr import cli; code = cli.main(sys.argv[1:]); "
        "sys.exit(code or 3 * bool({'jax', 'optax'} & set(sys.modules)))"
    )
    words = [sys.executable, "-c", code, "endnet", "show", str(path)]
    assert subprocess.run(words, capture_output=True, check=True).stdout
