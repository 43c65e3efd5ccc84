"""What a fit tells: its report, the worth of pieces and squares, pictures."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fits import dataset, run, settings
from tables import TINY

from kr.evaluation import weights
from kr.evaluation.patterns import GROUPS
from kr.learn.fitting.dataset import Dataset
from kr.learn.fitting.fit import fit
from kr.learn.fitting.settings import FitSettings

__all__ = ["dataset", "run", "settings"]


@pytest.fixture(scope="module")
def made(run: Path, tmp_path_factory: pytest.TempPathFactory) -> weights.Weights:
    """The tables of the small fit."""
    out = tmp_path_factory.mktemp("made") / "made.h5"
    return weights.load_tables(fit(FitSettings((run,), out, layout=TINY, holdout=0.2, max_iter=4, tolerance=0.0)).path)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["ce", "mse"])
def test_report_adds_up(settings: FitSettings, dataset: Dataset, loss: str) -> None:
    result = fit(replace(settings, loss=loss))
    report = result.report
    assert report == json.loads(weights.load_tables(settings.out).attrs["report"])
    for kings, group in GROUPS.items():
        for name, samples in (("training", dataset.training[kings]), ("held_out", dataset.held_out[kings])):
            (counts,) = (r for r in report["samples"] if (r["group"], r["set"]) == (group, name))
            assert (counts["positions"], counts["distinct"]) == (samples.positions, len(samples))
            bands = [r for r in report["loss_by_phase"] if (r["group"], r["set"]) == (group, name)]
            (total,) = (r for r in report["loss"] if (r["group"], r["set"]) == (group, name))
            assert sum(r["positions"] for r in bands) == samples.positions
            summed = sum(r["positions"] * r["loss"] for r in bands if r["positions"])
            assert summed == pytest.approx(total["loss"] * samples.positions)
            # what the optimiser saw last is what the report says
            assert total["loss"] == pytest.approx(report["history"][group][-1][name == "held_out"], rel=1e-5)
        covered = report["coverage"][group]
        assert covered["never"] + covered["at least 1"] == covered["entries"]
        assert covered["at least 1"] > covered["at least 10"] > covered["at least 100"]
        assert report["rounding"][group]["largest"] < 1
        first, last = report["history"][group][0], report["history"][group][-1]
        assert last[0] < first[0]
    held = sum(s.positions for s in dataset.held_out.values())
    assert sum(row["positions"] for row in report["calibration"]) == held


@pytest.mark.slow
def test_a_man_is_worth_a_hundred(made: weights.Weights, dataset: Dataset) -> None:
    samples = dataset.training[False]
    slope = np.polyfit(samples.material[:, 0].astype(float), made.scores(samples.boards), 1, w=np.sqrt(samples.count))[
        0
    ]
    assert slope == pytest.approx(100, abs=0.1)


@pytest.mark.slow
@pytest.mark.smoke
def test_pictures(settings: FitSettings, tmp_path: Path) -> None:
    fit(replace(settings, plots=tmp_path / "plots", max_iter=3))
    pictures = sorted((tmp_path / "plots").iterdir())
    assert [p.name for p in pictures] == ["calibration.png", "coverage.png", "loss.png", "squares.png"]
    assert all(p.read_bytes().startswith(b"\x89PNG") for p in pictures)


@pytest.mark.slow
def test_pictures_say_of_what_they_are(settings: FitSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    from kr.learn.fitting import plots

    titles: dict[str, str] = {}
    monkeypatch.setattr(plots, "save", lambda figure, path: titles.update({path.stem: figure.get_suptitle()}))
    fit(replace(settings, plots=settings.out.parent / "plots", max_iter=3))
    assert sorted(titles) == ["calibration", "coverage", "loss", "squares"]
    (title,) = set(titles.values())
    games = sum(run["games"] for run in fit(replace(settings, max_iter=3)).report["runs"])
    names = ", ".join(path.name for path in settings.directories)
    assert re.fullmatch(rf"Fit of {settings.out.name} · {games:,} games from {names} · \d{{4}}-\d\d-\d\d", title)


def test_coverage_is_drawn_on_a_logarithmic_axis() -> None:
    from kr.learn.fitting.plots import coverage_figure

    counts = {"men": {"entries": 10**6, "at least 1": 16_000, "at least 10": 2, "at least 100": 0}}
    counts["kings"] = {"entries": 10**6, "at least 1": 10**6, "at least 10": 3000, "at least 100": 25}
    (ax,) = coverage_figure(counts).axes
    assert ax.get_yscale() == "log"
    assert {text.get_text() for text in ax.texts} == {"1.6%", "0.0002%", "0%", "100%", "0.3%", "0.0025%"}
    low, high = ax.get_ylim()
    assert low < 0.0002
    assert high > 100
    empty = {group: {"entries": 8, "at least 1": 0} for group in counts}
    assert [text.get_text() for text in coverage_figure(empty).axes[0].texts] == ["0%", "0%"]


def test_squares_stand_as_on_every_board_and_have_one_scale() -> None:
    from kr.learn.fitting.plots import squares_figure
    from kr.svg import place

    low, high = np.arange(32.0), np.arange(32.0) + 100
    low[31] = np.nan
    *boards, bar = squares_figure({"a man": low, "a king": high}).axes
    for ax, values in zip(boards, (low, high), strict=True):
        left, right = ax.get_xlim()
        bottom, top = ax.get_ylim()
        assert left < right
        assert bottom > top  # row 0 is above
        shown = {(int(text.get_position()[0]), int(text.get_position()[1])): text.get_text() for text in ax.texts[::2]}
        assert shown == {
            place(square): "-" if np.isnan(value) else f"{value:.0f}" for square, value in enumerate(values)
        }
        assert [text.get_text() for text in ax.texts[1::2]] == [str(square + 1) for square in range(32)]
    assert bar.get_ylabel() == "centi-men"
    assert bar.get_ylim() == (0, 131)
    # the same colour for the same worth on every board
    (first, second) = (ax.patches[square].get_facecolor() for ax, square in zip(boards, (30, 0), strict=True))
    assert first != second
    same = squares_figure({"a man": low, "a king": low}).axes
    assert [patch.get_facecolor() for patch in same[0].patches] == [patch.get_facecolor() for patch in same[1].patches]


@pytest.mark.slow
def test_worth_of_a_square_is_the_mean_change(made: weights.Weights, dataset: Dataset) -> None:
    from kr.learn.fitting.plots import square_worth

    boards = dataset.training[True].boards
    worth = square_worth(made, {kings: samples.boards for kings, samples in dataset.training.items()})
    changes = []
    for board in boards:
        if board[2] >> 9 & 1 and int(board[0] | board[2]).bit_count() > 1:
            without = board.copy()
            without[2] ^= np.uint32(1 << 9)
            changes.append((made.scores(board[None]) - made.scores(without[None]))[0])
    assert changes
    assert worth["a king"][9] == pytest.approx(np.mean(changes))
    assert np.isnan(worth["a man, no kings on the board"][31])
