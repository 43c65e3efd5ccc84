"""Training runs and fits watched: their history, their report, and the step that is under way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from watched_runs import clock, facts_of, lines, progress, table, told, watching
from web_pages import PHONE, Opener, axe_report, serving, wait_until

from kr.evaluation.layouts import LAYOUTS
from kr.learn.fitting.checkpoint import Checkpoint, FitState
from kr.learn.games import read_shard
from kr.learn.training.history import load_history
from kr.learn.training.settings import TrainSettings
from kr.learn.training.train import TrainWatcher, train
from kr.web.runs.watching import RunWatch

__all__ = ["clock", "watching"]

TRAINING = TrainSettings(
    out=Path("nowhere"), weights="material", generations=1, workers=1, games=24, nodes=50, openings="3move",
    hash=1 << 16, shard_games=8, egdb="none", layout=LAYOUTS["small"], holdout=0.2, max_iter=3, gate_games=8,
    gate_nodes=40, gate_ballot="3move", gate_hash=1 << 20,
)  # fmt: skip


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a training run of one generation."""
    directory = tmp_path_factory.mktemp("training")
    train(replace(TRAINING, out=directory / "run"))
    return directory


@pytest.mark.slow
def test_training_is_told_as_its_history(trained: Path, watching: Callable[..., RunWatch]) -> None:
    watch = watching(trained)
    home = f"{trained.name}/run"
    rows = {row["name"]: progress(row) for row in watch.rows()}
    assert {name: kind for name, (kind, *_) in rows.items()} == {
        home: "runs.training", f"{home}/g01.h5": "runs.fit", f"{home}/games-01": "runs.selfplay",
        f"{home}/gate-01.pdn": "runs.match",
    }  # fmt: skip
    assert rows[home][1:] == ("ended", "1 generation")
    (generation,) = load_history(trained / "run").generations
    verdict, page = generation.verdict, watch.page(home)
    assert verdict is not None
    (gate,) = table(page, "label.gates")
    assert gate[2:5] == [
        f"{verdict['wins']}-{verdict['losses']}-{verdict['draws']}", "-".join(map(str, verdict["pentanomial"])),
        f"{verdict['elo']:+.1f} ± {verdict['elo_error']:.1f}",
    ]  # fmt: skip
    elo = lines(page, "Elo over the start, with 95% errors")["accepted" if verdict["accepted"] else "refused"]
    assert elo == [[1, round(verdict["elo"], 1), round(verdict["elo_error"], 1)]]


@pytest.mark.slow
def test_a_fit_is_told_as_its_report(trained: Path, watching: Callable[..., RunWatch]) -> None:
    page = watching(trained).page(f"{trained.name}/run/g01.h5")
    (generation,) = load_history(trained / "run").generations
    assert generation.fit is not None
    result = generation.fit.result
    assert result is not None
    assert facts_of(page)["label.quiet_positions"] == f"{result['positions']:,}"
    held = {row[0]: row[4] for row in table(page, "label.loss") if row[1] == "held out"}
    assert held == {group: f"{row['loss']:.4f}" for group, row in result["held_out"].items()}
    assert {len(points) for points in lines(page, "Loss, men").values()} == {result["iterations"]["men"]}
    assert lines(page, "Calibration")["as predicted"] == [[0, 0], [1, 1]]
    assert table(page, "label.coverage")[0][0] == "men"


class Halt(TrainWatcher):
    """Ends a training run within a step, after so many calls."""

    def __init__(self, step: str, calls: int) -> None:
        self.step, self.left = step, calls

    def _count(self, step: str) -> None:
        self.left -= step == self.step
        if not self.left:
            raise KeyboardInterrupt

    def played(self, tally: Any) -> None:
        self._count("play")

    def fitting(self, what: str, done: int, total: int) -> None:
        self._count("fit")

    def matched(self, gate: Any) -> None:
        self._count("gate")


@pytest.mark.slow
@pytest.mark.parametrize(("step", "calls"), [("play", 12), ("gate", 5)])
def test_the_step_under_way_is_told(tmp_path: Path, watching: Callable[..., RunWatch], step: str, calls: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        train(replace(TRAINING, out=tmp_path / "run"), Halt(step, calls))
    watch = watching(tmp_path / "run")
    # those whose shard is not whole are not counted
    shards = len(list((tmp_path / "run" / "games-01").glob("*.h5")))
    done = f"{step}: {8 * shards} of 24 games" if step == "play" else f"{step}: 5 of 8 games"
    (row,) = (row for row in watch.rows() if row["kind"]["say"] == "runs.training")
    assert progress(row)[1:] == ("stopped", f"0 generations; now 1, {done}")
    facts = told(watch, "run")
    assert facts["label.under_way"] == f"generation 1, {done}"
    if step == "gate":
        assert sum(map(int, facts["label.tally"].split("-"))) == 4
        assert "±" in facts["label.elo"]
    else:
        parts = sum(len(read_shard(path)) for path in (tmp_path / "run" / "games-01").glob("*.part"))
        assert 8 * shards + parts >= 12
        assert told(watch, "run/games-01").get("label.games_under_way", "0") == str(parts)


def test_a_fit_under_way_is_told(tmp_path: Path, watching: Callable[..., RunWatch]) -> None:
    import numpy as np

    checkpoint = object.__new__(Checkpoint)
    checkpoint.fingerprint, checkpoint.path = "f", tmp_path / "new.h5.checkpoint"
    losses = np.array([[0.7, 0.8], [0.6, 0.75], [0.5, 0.7]])
    checkpoint.save({False: FitState(np.zeros(4), losses)})
    watch = watching(tmp_path)
    (row,) = watch.rows()
    assert progress(row) == ("runs.fit", "stopped", "men 3 iterations")
    page = watch.page(row["name"])
    assert lines(page, "Loss, men") == {
        "training": [[1, 0.7], [2, 0.6], [3, 0.5]], "held out": [[1, 0.8], [2, 0.75], [3, 0.7]],
    }  # fmt: skip


FITTING = """() => [...document.querySelectorAll("figure.run-card")].every(card => {
  const chart = card.querySelector("svg.chart[role=img]").getBoundingClientRect(), box = card.getBoundingClientRect();
  return chart.left >= box.left && chart.right <= box.right && box.right <= innerWidth && chart.height > 200;
})"""


@pytest.mark.soak
def test_every_kind_of_run_fits_the_window(trained: Path, opened: Opener) -> None:
    """All pages of runs: as many charts as the server says, nothing wider than the window, no fault of axe."""
    with serving(runs=(trained,)) as server:
        page = opened(server.address + "#runs", size=PHONE, color_scheme="dark")
        page.locator(".run-item").first.wait_for()
        for row in RunWatch((trained,)).rows():
            # on a phone a run takes the place of the list
            if page.get_by_role("link", name="All runs").is_visible():
                page.get_by_role("link", name="All runs").click()
            page.get_by_role("link", name=row["name"], exact=True).click()
            wait_until(page, "name => document.querySelector('.runs h2').textContent === name", row["name"])
            charts = len(RunWatch((trained,)).page(row["name"])["charts"])
            wait_until(page, "count => document.querySelectorAll('figure').length === count", charts)
            page.evaluate("() => { for (const each of document.querySelectorAll('main details')) each.open = true; }")
            faults = axe_report(page)["violations"]
            assert [(fault["id"], fault["nodes"][0]["html"][:200]) for fault in faults] == []
            for width, height in ((2560, 1300), (PHONE["width"], PHONE["height"])):
                page.set_viewport_size({"width": width, "height": height})
                assert page.evaluate("() => document.documentElement.scrollWidth") <= width, row["name"]
                wait_until(page, FITTING, row["name"])
