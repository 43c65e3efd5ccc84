"""Policy files: what is written is read back; damaged, foreign and hostile ones are refused in a line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import studies
from policies import random_policy_model

from kr import storage
from kr.errors import InvalidPolicyError, InvalidSettingError
from kr.evaluation.kinds import load_evaluation
from kr.game.position import Position
from kr.policy import model_file
from kr.policy.model_file import PolicyModel, read_policy, save_policy
from kr.policy.policy import Policy, load_policy, shipped_policy
from kr.policy.shape import PolicyShape, move_ids

SHAPES = [
    PolicyShape(hidden=(16, 8)),
    PolicyShape(hidden=(8, 8), sight="none", before=False),
    PolicyShape(hidden=(8, 16), sight="reply", strengths=(0.01,), years=(1900.0, 1950.0)),
    PolicyShape("logit", layout="small"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "policy.h5"
    save_policy(found, random_policy_model(SHAPES[0]))
    return found


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_policy_is_read_back(tmp_path: Path, shape: PolicyShape) -> None:
    model, path = random_policy_model(shape), tmp_path / "policy.h5"
    save_policy(path, model)
    found = read_policy(path)
    assert (found.shape, found.checksum, found.path) == (shape, model.checksum, path)
    assert (found.evaluation, found.scale, found.card) == (model.evaluation, model.scale, model.card)
    assert set(found.arrays) == set(shape.array_sizes)
    assert all(np.array_equal(found.arrays[name], array) for name, array in model.arrays.items())
    assert found.attrs["seed"] == "1"
    save_policy(path, found)
    assert read_policy(path).attrs == found.attrs


def test_what_is_in_memory_says_what_the_file_will(tmp_path: Path) -> None:
    model, path = random_policy_model(SHAPES[0]), tmp_path / "policy.h5"
    finer = {name: array + np.float32(1e-6) for name, array in model.arrays.items()}
    save_policy(path, replace(model, arrays=finer))
    in_memory, read = Policy(replace(model, arrays=finer)), Policy(read_policy(path))
    assert in_memory.choices(Position()) == read.choices(Position())
    assert in_memory.signature == read.signature


def test_a_loaded_policy_is_shared_until_its_file_changes(path: Path) -> None:
    first = load_policy(path)
    assert load_policy(str(path)) is first
    save_policy(path, random_policy_model(SHAPES[0], seed=2))
    os.utime(path, ns=(1, 1))
    assert load_policy(path).signature != first.signature
    assert first.name == "policy"


def test_sight_by_another_evaluation_is_another_policy() -> None:
    model = random_policy_model(SHAPES[0])
    same, other = Policy(model), Policy(model, load_evaluation("manual").scorer)
    assert same.sees_as_fitted
    assert not other.sees_as_fitted
    assert same.signature != other.signature
    assert sum(each.probability for each in other.choices(Position())) == pytest.approx(1)


def test_the_shipped_policy_sees_with_the_shipped_tables() -> None:
    policy = load_policy()
    assert policy.model.path == shipped_policy()
    assert policy.sees_as_fitted, "new tables are shipped: fit the policy again (weights/README.md)"
    assert policy.card


@pytest.mark.slow
def test_asking_needs_no_network_library(path: Path) -> None:
    code = (
        "import sys; from kr.policy.policy import load_policy; from kr import Position; "
        f"load_policy({str(path)!r}).choices(Position()); "
        "print([name for name in ('jax', 'optax', 'scipy') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


@pytest.mark.parametrize(
    ("origin", "target", "row"),
    [(8, 12, 4 * 8 + 2), (8, 13, 4 * 8 + 3), (13, 8, 4 * 13), (12, 8, 4 * 12 + 1), (8, 17, 4 * 8 + 3), (8, 8, 4 * 8)],
)
def test_rows_of_moves(origin: int, target: int, row: int) -> None:
    assert move_ids()[origin, target] == row


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"model": "deep"}, "model: 'deep'; expected net, logit"),
        ({"sight": "all"}, "sight: 'all'; expected none, captures"),
        ({"hidden": (16, 12)}, "12 units in the second layer; expected a multiple of 8"),
        ({"hidden": (4, 8)}, "expected two layers of 8 to 4096 units"),
        ({"hidden": (16,)}, "expected two layers"),
        ({"strengths": (2.0, 1.0)}, "strengths: expected at most 64 ascending edges"),
        ({"behind": tuple(range(65))}, "behind: expected at most 64"),
        ({"years": (float("nan"),)}, "years: expected"),
        ({"layout": "mine"}, "layout: 'mine'"),
    ],
)
def test_shapes_that_can_not_be(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidSettingError, match=message):
        PolicyShape(**changed)


@pytest.mark.parametrize(
    ("name", "value", "bucket"),
    [("strengths", 0.005, 0), ("strengths", 0.01, 1), ("strengths", None, 2), ("strengths", float("nan"), 2),
     ("years", 1950, 2), ("years", 1949.9, 1), ("years", None, 3)],
)  # fmt: skip
def test_buckets(name: str, value: float | None, bucket: int) -> None:
    assert SHAPES[2].bucket(name, value) == bucket
    assert SHAPES[0].bucket(name, value) == 0


# --- files that are refused


sealed = partial(studies.sealed, model_file._attributes_checksum)


def set_infinite(file: h5py.File) -> None:
    file["b1"][0] = np.inf


SHAPE = json.loads(SHAPES[0].json())
EDITS: dict[str, tuple[studies.Edit, str]] = {
    "newer": (lambda file: file.attrs.__setitem__("format_version", 2), "a newer kr wrote it"),
    "number": (lambda file: file["w1"].__setitem__((0, 0), 9), "the arrays do not match their checksum"),
    "kind": (lambda file: file.attrs.__setitem__("kind", "kr weights"), "not a policy of `kr policy fit`"),
    "infinite": (set_infinite, "has the number inf; expected a number that is finite"),
    "attribute": (lambda file: file.attrs.__setitem__("card", "{}"), "the attributes do not match their checksum"),
    "no shape": (sealed(shape="nonsense"), "invalid parts"),
    "deep": (sealed(shape="[" * 100_000), "invalid parts"),
    "model": (sealed(shape={**SHAPE, "model": "huge"}), "invalid parts"),
    "units": (sealed(shape={**SHAPE, "hidden": [10**9, 8]}), "invalid parts"),
    "before": (sealed(shape={**SHAPE, "before": "yes"}), "invalid parts"),
    "other shape": (sealed(shape={**SHAPE, "hidden": [16, 16]}), "arrays of other sizes"),
    "other sizes": (sealed(arrays={}), "arrays of other sizes"),
    "buckets": (sealed(shape={**SHAPE, "model": "logit", "layout": "small", "years": [1850]}), "invalid parts"),
    "sizes": (sealed(arrays={"w1": ["complex64", [3]]}), "invalid parts"),
    "card": (sealed(card=[1]), "invalid parts"),
    "scale": (sealed(scale=0.0), "scale is 0.0; expected a number: more than 0"),
    "scale as text": (sealed(scale="wide"), "scale is 'wide'; expected a number"),
    "evaluation": (sealed(evaluation="another"), "the arrays do not match their checksum"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_changed_files_are_refused(path: Path, edit: str) -> None:
    change, message = EDITS[edit]
    studies.edited(path, change)
    with pytest.raises(InvalidPolicyError) as caught:
        read_policy(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert message in text
    assert "\n" not in text


def test_foreign_files_are_refused(tmp_path: Path) -> None:
    text = tmp_path / "text.h5"
    text.write_text("not HDF5")
    for path, message in (
        (text, "not a policy file"),
        (tmp_path / "none.h5", "no such file"),
        (tmp_path, "a directory, not a file"),
        (storage.data_path("weights", "kr.h5"), "not a policy of"),
    ):
        with pytest.raises(InvalidPolicyError, match=message):
            load_policy(path)


def test_models_are_what_their_shape_says() -> None:
    model = random_policy_model(SHAPES[0])
    for arrays in (
        {**model.arrays, "b1": np.zeros(3, np.float32)},
        {},
        {**model.arrays, "more": np.zeros(1, np.float32)},
    ):
        with pytest.raises(InvalidPolicyError, match="not those of a policy net"):
            PolicyModel(model.shape, arrays)
    with pytest.raises(InvalidPolicyError, match="not finite"):
        PolicyModel(model.shape, {**model.arrays, "b1": np.full(16, 1e6, np.float32)})
