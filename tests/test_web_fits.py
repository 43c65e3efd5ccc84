"""Fits of people and of endings on the page Runs: both alike, from the first checkpoint to the output."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models import POINT, REPORT, random_model
from policies import random_policy_model
from watched_runs import facts_of, lines, progress, table
from web_pages import PHONE, Opener, axe_report, serving, wait_until

from kr import storage
from kr.policy.model_file import save_policy
from kr.policy.shape import PolicyShape
from kr.studies.checkpoint import FitStage, StudyCheckpoint
from kr.studies.endings.model_file import save_model
from kr.studies.endings.shape import NetShape
from kr.web.runs.watching import RunWatch

LOSSES = [(0.9, 0.8), (0.7, 0.75), (0.6, 0.78)]
SHARES: dict[str, dict[str, Any]] = {
    "people": {"top1": 0.5, "top3": 0.75},
    "endings": {"accuracy": 0.75, "recall": POINT["recall"]},
}
CURVES = {
    study: [
        {"epoch": i, "loss": loss, "validation_loss": validation, **shares, "seconds": 30.0 * i}
        for i, (loss, validation) in enumerate(LOSSES, 1)
    ]
    for study, shares in SHARES.items()
}
LOSS_LINES = {
    "training": [[1, 0.9], [2, 0.7], [3, 0.6]], "validation": [[1, 0.8], [2, 0.75], [3, 0.78]],
}  # fmt: skip


def save_stage(out: Path, study: str, done: int, epochs: int) -> None:
    """Save a checkpoint within an epoch."""
    stage = FitStage(done, 400, "batches", 0.625, CURVES[study][:epochs])
    StudyCheckpoint(out, "x", study).save([np.zeros(2)], stage)


def save_output(out: Path, study: str) -> None:
    """Write the output of a fit, whose best epoch is the second."""
    if study == "endings":
        report = {**REPORT, "best_epoch": 2, "epochs": 3}
        save_model(out, random_model(NetShape("small", hidden=(8, 4)), curve=CURVES[study], report=report))
        return
    top = {"1": 0.4, "3": 0.7}
    card = {
        "data": {"games": 1200}, "fit": {"best_epoch": 2, "curve": CURVES[study]},
        "test": {"top_chosen": top, "top_all": top},
    }  # fmt: skip
    attrs = storage.provenance("kr policy fit", seed=1)
    save_policy(out, random_policy_model(PolicyShape(hidden=(16, 8)), card=card, attrs=attrs))


def only_run(directory: Path) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Kind, state and progress of the one run in a directory, and its page."""
    watch = RunWatch((directory,))
    (row,) = watch.rows()
    assert row["name"] == f"{directory.name}/net.h5"
    page = watch.page(row["name"])
    json.dumps(page, allow_nan=False)
    return progress(row), page


@pytest.mark.parametrize("study", SHARES)
def test_a_fit_from_its_beginning_to_its_end(tmp_path: Path, study: str) -> None:
    out = tmp_path / "net.h5"
    with storage.lock(out):
        assert only_run(tmp_path)[0] == ("runs.fit", "running", "reading data")
        save_stage(out, study, 100, 0)
        row, page = only_run(tmp_path)
        assert row == (f"runs.fit_of_{study}", "running", "100 of 400 batches")
        assert facts_of(page) == {"label.batches": "100 of 400", "label.epoch_loss": "0.6250"}
        assert page["charts"] == []
        save_stage(out, study, 330, 3)
        row, page = only_run(tmp_path)
        assert row == (f"runs.fit_of_{study}", "running", "330 of 400 batches, validation loss 0.7800")
        assert lines(page, "Loss") == LOSS_LINES
    assert only_run(tmp_path)[0][1] == "stopped"
    save_output(out, study)
    # until the checkpoint is gone, a new output is made in the place of this one
    assert only_run(tmp_path)[0][1:] == ("stopped", "330 of 400 batches, validation loss 0.7800")
    StudyCheckpoint(out, "x", study).remove()
    row, page = only_run(tmp_path)
    assert row == (f"runs.fit_of_{study}", "done", "validation loss 0.7500")
    assert lines(page, "Loss") == LOSS_LINES
    shares = lines(page, "Right on validation data")
    assert shares[{"people": "first choice", "endings": "right"}[study]] == [
        [1, 100 * SHARES[study].get("top1", 0.75)], [2, 100 * SHARES[study].get("top1", 0.75)],
        [3, 100 * SHARES[study].get("top1", 0.75)],
    ]  # fmt: skip
    facts = facts_of(page)
    assert (facts["label.best_epoch"], facts["label.time"]) == ("2 of 3", "1:30")
    assert table(page, "label.learning_curve")[1][:3] == ["2", "0.7000", "0.7500"]
    with storage.lock(out):
        assert only_run(tmp_path)[0][1:] == ("running", "reading data")


def test_a_logit_counts_iterations(tmp_path: Path) -> None:
    curve = [{"iterations": 20 * i, "loss": 0.9, "validation_loss": 0.8, "seconds": 1.0} for i in (1, 2)]
    stage = FitStage(40, 100, "iterations", None, curve)
    StudyCheckpoint(tmp_path / "net.h5", "x", "people").save([np.zeros(2)], stage)
    row, page = only_run(tmp_path)
    assert row == ("runs.fit_of_people", "stopped", "40 of 100 iterations, validation loss 0.8000")
    assert lines(page, "Loss")["training"] == [[20, 0.9], [40, 0.9]]


def odd_policy(path: Path, card: dict[str, Any]) -> None:
    save_policy(path, random_policy_model(PolicyShape(hidden=(16, 8)), card=card))


@pytest.mark.parametrize(
    ("name", "make", "state"),
    [
        ("net.h5.state", lambda path: path.write_bytes(b"PK\x03\x04"), "damaged"),
        ("net.h5.state", lambda path: np.savez(path.open("wb"), format_version=1, story="[1, 2"), "damaged"),
        ("net.h5", lambda path: odd_policy(path, {"fit": {"curve": [1, 2]}}), "damaged"),
        ("net.h5", lambda path: odd_policy(path, {"fit": 7}), "damaged"),
        ("net.h5", lambda path: odd_policy(path, {"fit": {"best_epoch": 9, "curve": CURVES["people"]}}), "damaged"),
        ("net.h5", lambda path: odd_policy(path, {}), "done"),
    ],
)
def test_odd_files_are_told_in_a_line(tmp_path: Path, name: str, make: Callable[[Path], Any], state: str) -> None:
    make(tmp_path / name)
    row, _ = only_run(tmp_path)
    assert row[1] == state
    assert row[2]
    assert "\n" not in row[2]


@pytest.mark.slow
def test_a_fit_is_watched_in_the_browser(tmp_path: Path, opened: Opener) -> None:
    """Its list entry, its facts and its curves change while one looks, on a phone as well, without a fault of axe."""
    outs = {study: tmp_path / f"{study}.h5" for study in SHARES}
    for study, out in outs.items():
        save_stage(out, study, 100, 1)
    with serving(runs=(tmp_path,)) as server:
        page = opened(server.address + "#runs", size=PHONE)
        for study, out in outs.items():
            if page.get_by_role("link", name="All runs").is_visible():
                page.get_by_role("link", name="All runs").click()
            page.get_by_role("link", name=f"{tmp_path.name}/{study}.h5", exact=True).click()
            page.get_by_text("100 of 400", exact=True).wait_for()
            save_stage(out, study, 330, 3)
            page.get_by_text("330 of 400", exact=True).wait_for()
            save_output(out, study)
            StudyCheckpoint(out, "x", study).remove()
            wait_until(page, "study => document.querySelector('.runs section[aria-label=Run] .state-line').textContent"
                       ".startsWith(`✓ donefit of ${study}, `)", study)  # fmt: skip
            charts = page.locator("figure svg.chart[role=img]")
            assert charts.first.get_attribute("aria-label") == (
                "Loss: training 0.6 at 3 epoch, validation 0.78 at 3 epoch"
            )
            assert page.evaluate("() => document.documentElement.scrollWidth") <= PHONE["width"]
            faults = axe_report(page)["violations"]
            assert [(fault["id"], fault["nodes"][0]["html"][:200]) for fault in faults] == []
