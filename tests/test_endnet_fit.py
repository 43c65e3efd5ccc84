"""`kr endnet fit`: what it learns, the command in all its ends, and what it refuses.

What all trainings have in common, checkpoints and ways to end, is tested in `test_descent.py`.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import check_refused
from studies import Fits, check_that_it_resumes, fits_in, options
from systems import RUNS_JAX

from kr import cli
from kr.egdb.sample import SampleSettings, write_sample
from kr.egdb.sample_reader import SampleFile, SampleStream
from kr.errors import InvalidSampleError, InvalidSettingError
from kr.studies.endings import training
from kr.studies.endings.model_file import EndnetModel, load_model
from kr.studies.endings.net_training import EndnetLearner
from kr.studies.endings.settings import EndnetFitSettings
from kr.studies.endings.training import fit_endnet

TINY = {
    "small": {"hidden": (8, 4)},
    "paper": {"net": "paper", "asked": "all", "channels": 2, "dense": 4},
}  # fmt: skip
INTERRUPTED_AT = {"small": 6, "paper": 30}
"""Calls with progress: in the second epoch."""


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some 2,000 positions of 2 and 3 pieces."""
    path = tmp_path_factory.mktemp("sample") / "some.h5"
    write_sample(SampleSettings(out=path, pieces="2-3", fraction=0.01, planes=False))
    return path


def tiny(sample: Path, out: Path, net: str = "small", **changed: Any) -> EndnetFitSettings:
    """A training of a second: 3 epochs of 21 batches, or more of quiet positions."""
    given = {"samples": (sample,), "out": out, "epochs": 3, "batch": 48, **TINY[net], **changed}
    return EndnetFitSettings(**given)


def words(sample: Path, out: Path, net: str) -> list[str]:
    """The command line of that training."""
    return ["endnet", "fit", str(sample), "--out", str(out), *options({"epochs": 3, "batch": 48, **TINY[net]})]


@pytest.fixture(scope="module")
def fits(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Fits:
    return fits_in(tmp_path_factory, lambda name, out, hear: fit_endnet(tiny(sample, out, name), hear))


@pytest.fixture
def settings(sample: Path, tmp_path: Path) -> EndnetFitSettings:
    return tiny(sample, tmp_path / "net.h5")


def essence(model: EndnetModel) -> tuple[Any, ...]:
    """Everything that must not depend on interruptions: all but the times."""
    curve = [{name: value for name, value in point.items() if name != "seconds"} for point in model.curve]
    return model.checksum, curve, model.report


# --- what it learns


@RUNS_JAX
@pytest.mark.soak
@pytest.mark.slow
def test_it_learns_all_positions_of_two_and_three_pieces(tmp_path: Path) -> None:
    # judged on all positions as well: by a hundredth of them, chance chooses among the last six epochs
    samples = (tmp_path / "training.h5", tmp_path / "validation.h5")
    for path, shares in zip(samples, [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)], strict=True):
        write_sample(SampleSettings(out=path, pieces="2-3", fraction=1, shares=shares, planes=False))
    fitted = EndnetFitSettings(
        samples, tmp_path / "net.h5", hidden=(128, 32), epochs=16, batch=512, rate=0.01, decay=0.01
    )
    model = fit_endnet(fitted)
    for path, share in zip(samples, ("training", "validation"), strict=True):
        with closing(SampleStream(path, share, quiet=True)) as stream:
            assert stream.positions > 170_000
            stream.batch = stream.positions
            rows = next(stream.epoch(0))
            right = model.predict(rows.boards).argmax(axis=1) == rows.values
        assert right.mean() > 0.999


@pytest.mark.costly
@RUNS_JAX
@pytest.mark.slow
@pytest.mark.parametrize("net", ["small", pytest.param("paper", marks=pytest.mark.soak)], scope="module")
def test_a_training_is_told_in_the_file(sample: Path, fits: Fits, net: str) -> None:
    fit = fits(net)
    model, seen, is_quiet = fit.model, fit.progress, TINY[net].get("asked") != "all"
    assert essence(load_model(fit.out)) == essence(model)
    assert [path.name for path in fit.out.parent.iterdir()] == ["made.h5"]
    losses = [point["loss"] for point in model.curve]
    assert len(losses) == 3
    assert losses[-1] < losses[0]
    best = model.report["best_epoch"]
    assert model.report["accuracy"] == model.curve[best - 1]["accuracy"] == max(p["accuracy"] for p in model.curve)
    with closing(SampleStream(sample, "validation", quiet=is_quiet)) as stream:
        stream.batch = stream.positions
        rows = next(stream.epoch(0))
    right = model.predict(rows.boards).argmax(axis=1) == rows.values
    assert right.mean() == pytest.approx(model.report["accuracy"])
    for value, name in enumerate(("loss", "draw", "win")):
        assert model.curve[best - 1]["recall"][name] == pytest.approx(right[rows.values == value].mean())
    with closing(SampleStream(sample, "training", quiet=is_quiet)) as stream:
        assert model.report["training_positions"] == stream.positions
    assert [(one.count, one.epoch) for one in seen[:1]] == [(0, 0)]
    assert seen[-1].count == seen[-1].total
    assert [one.count for one in seen] == sorted(one.count for one in seen)
    assert json.loads(model.attrs["parents"]) == [SampleFile(sample).checksum]
    assert json.loads(model.attrs["settings"])["epochs"] == 3


@RUNS_JAX
def test_the_weights_of_classes_are_the_paper_s(sample: Path, tmp_path: Path) -> None:
    """(N / N_i)^0.5 with N positions, N_i of class i."""
    fitted = tiny(sample, tmp_path / "net.h5", "paper", batch=1)
    with closing(SampleStream(sample, batch=1)) as stream:
        weights = EndnetLearner(fitted, stream, None).paper_weights()
        counts = SampleFile(sample).shares["training"].counts
    n = np.array([counts.losses, counts.draws, counts.wins])
    assert weights == pytest.approx((n.sum() / n) ** 0.5)


@RUNS_JAX
@pytest.mark.slow
def test_a_limit_takes_the_first_positions(settings: EndnetFitSettings) -> None:
    model = fit_endnet(replace(settings, limit=100, epochs=1))
    assert model.report["training_positions"] < 100
    huge = fit_endnet(replace(settings, batch=10**5, epochs=1, out=settings.out.with_name("huge.h5")))
    assert huge.report["training_positions"] > 1000


@pytest.mark.costly
@RUNS_JAX
@pytest.mark.slow
@pytest.mark.parametrize("net", ["small", pytest.param("paper", marks=pytest.mark.soak)], scope="module")
def test_training_goes_on_from_a_model(sample: Path, tmp_path: Path, fits: Fits, net: str) -> None:
    first = fits(net).model
    later = fit_endnet(tiny(sample, tmp_path / "later.h5", net, epochs=1, start=fits(net).out))
    assert later.checksum != first.checksum
    assert json.loads(later.attrs["parents"])[1] == first.checksum
    frozen = fit_endnet(tiny(sample, tmp_path / "tuned.h5", net, epochs=1, start=fits(net).out, freeze=True))
    same = {name for name, array in frozen.parameters.items() if (array == first.parameters[name]).all()}
    assert same == {name for name in frozen.parameters if name.startswith(("block", "first", "w1", "b1"))}


@RUNS_JAX
@pytest.mark.slow
def test_patience_ends_a_training(settings: EndnetFitSettings) -> None:
    # nothing changes any more, so the first epoch stays the best
    model = fit_endnet(replace(settings, epochs=9, patience=2, rate=1e-9))
    assert (model.report["epochs"], model.report["best_epoch"]) == (3, 1)


# --- what is refused


@pytest.mark.parametrize("library", ["jax", "optax"])
def test_a_missing_library_is_named(
    settings: EndnetFitSettings, library: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    check_refused(
        capsys, f"endnet fit {settings.samples[0]} --out {settings.out}", 2,
        f"networks need {library}: pip install {library}",
    )  # fmt: skip
    assert list(settings.out.parent.iterdir()) == []


@RUNS_JAX
@pytest.mark.slow
@pytest.mark.parametrize(
    ("net", "changed", "said"),
    [
        ("small", {"hidden": (9, 4)}, "a network of another shape (small: 128 - 8 - 4 - 3, quiet positions); expected"),
        ("small", {"asked": "all"}, "expected small: 128 - 8 - 4 - 3, all positions"),
        ("paper", {}, "expected paper: 2 channels 3x3"),
    ],
)
def test_a_model_to_start_from_must_fit(
    settings: EndnetFitSettings, fits: Fits, net: str, changed: dict[str, Any], said: str
) -> None:
    other = tiny(settings.samples[0], settings.out, net, start=fits("small").out, **changed)
    with pytest.raises(InvalidSettingError) as caught:
        fit_endnet(other)
    assert said in str(caught.value)


@pytest.mark.posix("no links without rights")
def test_what_is_read_is_not_written(settings: EndnetFitSettings) -> None:
    link = settings.out.with_name("link.h5")
    link.symlink_to(settings.samples[0])
    for out in (settings.samples[0], link):
        with pytest.raises(InvalidSettingError, match="is read by this fit; choose another file"):
            fit_endnet(replace(settings, out=out))
    assert SampleFile(settings.samples[0]).positions


REFUSED = [
    ("{sample}", 2, "Missing option '--out'"),
    ("--out net.h5", 2, "Missing argument"),
    ("text.h5 --out net.h5", 1, "text.h5"),
    ("{sample} text.h5 --out net.h5", 1, "text.h5"),
    ("{sample} --out folder", 2, "folder is a directory"),
    ("{sample} --out text.h5/net.h5", 2, "text.h5 is not a directory"),
    ("{sample} --out net.h5 --plots text.h5", 2, "text.h5 is not a directory"),
    ("{sample} --out net.h5 --net paper --inputs threats", 2, "leave --inputs out"),
    ("{sample} --out net.h5 --hidden 512", 2, "--hidden: '512' is not the units of two layers"),
    ("{sample} --out net.h5 --hidden a,b", 2, "--hidden"),
    ("{sample} --out net.h5 --hidden 0,32", 2, "hidden"),
    ("{sample} --out net.h5 --hidden 1e9,32", 2, "hidden"),
    ("{sample} --out net.h5 --from nothere.h5", 1, "nothere.h5: no such file"),
    ("{sample} --out net.h5 --from text.h5", 1, "text.h5: not a model file"),
    ("{sample} --out net.h5 --from {sample}", 1, "some.h5: an HDF5 file, but not a model of `kr endnet fit`"),
]


@pytest.mark.parametrize(("words", "code", "said"), REFUSED)
def test_bad_settings_are_refused_in_one_line(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str,
    code: int, said: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("text.h5").write_text("hello\n")
    Path("folder").mkdir()
    check_refused(capsys, f"endnet fit {words.format(sample=sample)}", code, said)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "text.h5"]


@RUNS_JAX
@pytest.mark.slow
def test_shares_without_positions_are_refused(tmp_path: Path) -> None:
    for name, shares in (("training", (0.0, 0.5, 0.5)), ("validation", (0.5, 0.0, 0.5))):
        path = tmp_path / f"{name}.h5"
        write_sample(SampleSettings(out=path, pieces="2", fraction=0.5, shares=shares))
        with pytest.raises((InvalidSettingError, InvalidSampleError), match=f"no {name} positions"):
            fit_endnet(tiny(path, tmp_path / "net.h5"))


# --- the command


@RUNS_JAX
@pytest.mark.slow
@pytest.mark.smoke
@pytest.mark.posix("no setrlimit")
@pytest.mark.parametrize("net", ["small", pytest.param("paper", marks=pytest.mark.soak)], scope="module")
def test_the_command_resumes_wherever_it_ended(
    sample: Path, tmp_path: Path, fits: Fits, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    net: str,
) -> None:  # fmt: skip
    out = tmp_path / "net.h5"
    check_that_it_resumes(
        words(sample, out, net), out, INTERRUPTED_AT[net], (training, "save_model"), monkeypatch, capsys
    )
    assert essence(load_model(out)) == essence(fits(net).model)
    before = out.read_bytes()
    plots = tmp_path / "plots"
    assert cli.main([*words(sample, out, net), "--plots", str(plots), "--json"]) == 0
    text, err = capsys.readouterr()
    assert err == f"wrote {plots}: plots of the learning curve\n"
    assert {path.name for path in plots.iterdir()} == {"net-curve.png", "net-curve.svg"}
    assert out.read_bytes() == before
    details, model = json.loads(text), load_model(out)
    assert (details["checksum"], details["curve"]) == (model.checksum, model.curve)
    assert details["shape"] == json.loads(model.shape.json())
    assert set(details["settings"]) == {field.name for field in fields(EndnetFitSettings)}


@RUNS_JAX
@pytest.mark.slow
def test_pictures_are_the_same_each_time(fits: Fits, tmp_path: Path) -> None:
    model = fits("small").model
    from kr.studies.endings.curve_plot import draw_curve

    pictures = [[path.read_bytes() for path in draw_curve(model, tmp_path / name)] for name in "ab"]
    assert pictures[0] == pictures[1]
    assert pictures[0][0].startswith(b"\x89PNG")
    assert pictures[0][1].startswith(b"<?xml")
