"""`kr endnet fit`: what it learns, that interruptions change nothing, and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import check_refused
from test_full_disk import room

from kr import cli
from kr.egdb.sample import SampleSettings, write_sample
from kr.egdb.sample_reader import SampleFile, SampleStream
from kr.errors import (
    DivergedError,
    InvalidModelError,
    InvalidSampleError,
    InvalidSettingError,
    OutputBusyError,
    StoppedError,
)
from kr.hdf5 import FINITE
from kr.studies.endings import training
from kr.studies.endings.model_file import EndnetModel, load_model, save_model
from kr.studies.endings.training import EndnetFitSettings, FitProgress, fit_endnet

TINY = {
    "small": {"hidden": (8, 4)},
    "paper": {"net": "paper", "asked": "all", "channels": 2, "dense": 4},
}  # fmt: skip


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some 2,000 positions of 2 and 3 pieces."""
    path = tmp_path_factory.mktemp("sample") / "some.h5"
    write_sample(SampleSettings(out=path, pieces="2-3", fraction=0.01, planes=False))
    return path


def tiny(sample: Path, out: Path, net: str = "small", **changed: Any) -> EndnetFitSettings:
    """A training of a second: 3 epochs of 21 batches, or more of quiet positions."""
    fields = {"samples": (sample,), "out": out, "epochs": 3, "batch": 48, **TINY[net], **changed}
    return EndnetFitSettings(**fields)


@pytest.fixture
def settings(sample: Path, tmp_path: Path) -> EndnetFitSettings:
    return tiny(sample, tmp_path / "net.h5")


def told(model: EndnetModel) -> tuple[Any, ...]:
    """What must not depend on interruptions: all but the times."""
    curve = [{name: value for name, value in point.items() if name != "seconds"} for point in model.curve]
    return model.checksum, curve, model.report


# --- what it learns


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


@pytest.mark.slow
@pytest.mark.parametrize("net", TINY)
@pytest.mark.smoke
def test_a_training_is_told_in_the_file(sample: Path, tmp_path: Path, net: str) -> None:
    fitted = tiny(sample, tmp_path / "net.h5", net, epochs=4)
    seen: list[FitProgress] = []
    model = fit_endnet(fitted, seen.append)
    assert load_model(fitted.out).checksum == model.checksum
    assert told(load_model(fitted.out)) == told(model)
    assert [path.name for path in tmp_path.iterdir()] == ["net.h5"]
    losses = [point["loss"] for point in model.curve]
    assert len(losses) == 4
    assert losses[-1] < losses[0]
    best = model.report["best_epoch"]
    assert model.report["accuracy"] == model.curve[best - 1]["accuracy"] == max(p["accuracy"] for p in model.curve)
    with closing(SampleStream(sample, "validation", quiet=fitted.asked == "quiet")) as stream:
        stream.batch = stream.positions
        rows = next(stream.epoch(0))
    right = model.predict(rows.boards).argmax(axis=1) == rows.values
    assert right.mean() == pytest.approx(model.report["accuracy"])
    for value, name in enumerate(("loss", "draw", "win")):
        assert model.curve[best - 1]["recall"][name] == pytest.approx(right[rows.values == value].mean())
    with closing(SampleStream(sample, "training", quiet=fitted.asked == "quiet")) as stream:
        assert model.report["training_positions"] == stream.positions
    assert [(one.done, one.epoch) for one in seen[:1]] == [(0, 0)]
    assert seen[-1].done == seen[-1].total
    assert [one.done for one in seen] == sorted(one.done for one in seen)
    assert json.loads(model.attrs["parents"]) == [SampleFile(sample).checksum]
    assert json.loads(model.attrs["settings"])["epochs"] == 4


def test_the_weights_of_classes_are_the_paper_s(sample: Path, tmp_path: Path) -> None:
    """(N / N_i)^0.5 with N positions, N_i of class i."""
    fitted = tiny(sample, tmp_path / "net.h5", "paper", batch=1)
    with closing(SampleStream(sample, batch=1)) as stream:
        found = training._Fit(fitted, stream, None, "")._class_weights()
        counts = SampleFile(sample).shares["training"].counts
    n = np.array([counts.losses, counts.draws, counts.wins])
    assert found == pytest.approx((n.sum() / n) ** 0.5)


@pytest.mark.slow
def test_a_limit_takes_the_first_positions(settings: EndnetFitSettings) -> None:
    model = fit_endnet(replace(settings, limit=100, epochs=1))
    assert model.report["training_positions"] < 100
    huge = fit_endnet(replace(settings, batch=10**5, epochs=1, out=settings.out.with_name("huge.h5")))
    assert huge.report["training_positions"] > 1000


@pytest.mark.slow
@pytest.mark.parametrize("net", TINY)
def test_training_goes_on_from_a_model(sample: Path, tmp_path: Path, net: str) -> None:
    first = fit_endnet(tiny(sample, tmp_path / "first.h5", net, epochs=1))
    later = fit_endnet(tiny(sample, tmp_path / "later.h5", net, epochs=1, start=tmp_path / "first.h5"))
    assert later.checksum != first.checksum
    assert json.loads(later.attrs["parents"])[1] == first.checksum
    frozen = fit_endnet(tiny(sample, tmp_path / "tuned.h5", net, epochs=2, start=tmp_path / "first.h5", freeze=True))
    same = {name for name, array in frozen.parameters.items() if (array == first.parameters[name]).all()}
    assert same == {name for name in frozen.parameters if name.startswith(("block", "first", "w1", "b1"))}


@pytest.mark.slow
def test_patience_ends_a_training(settings: EndnetFitSettings) -> None:
    # nothing changes any more, so the first epoch stays the best
    model = fit_endnet(replace(settings, epochs=9, patience=2, rate=1e-9))
    assert (model.report["epochs"], model.report["best_epoch"]) == (3, 1)


# --- interruptions


@pytest.fixture(scope="module")
def undisturbed(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Any, ...]]:
    directory = tmp_path_factory.mktemp("undisturbed")
    return {net: told(fit_endnet(tiny(sample, directory / f"{net}.h5", net))) for net in TINY}


@pytest.mark.slow
@pytest.mark.parametrize("net", TINY)
@pytest.mark.parametrize("at", [1, 3, 5])
def test_stopped_and_resumed_equals_undisturbed(
    sample: Path, tmp_path: Path, undisturbed: dict[str, tuple[Any, ...]], net: str, at: int
) -> None:
    """The stop comes in the first, second or third leg of two epochs."""
    fitted, stop, seen = tiny(sample, tmp_path / "net.h5", net), threading.Event(), []

    def count(found: FitProgress) -> None:
        seen.append(found)
        if len(seen) == at:
            stop.set()

    with pytest.raises(StoppedError, match=r"net\.h5: the training was stopped in epoch \d of 3; run the same"):
        fit_endnet(fitted, count, stop)
    assert not fitted.out.exists()
    again: list[FitProgress] = []
    assert told(fit_endnet(fitted, again.append)) == undisturbed[net]
    assert again[0].done > 0
    assert [path.name for path in tmp_path.iterdir()] == ["net.h5"]


KILLED = """
import os, signal, sys
from kr import cli
from kr.studies.endings import training

saves, save = [], training._Fit._save

def save_and_die(self, one):
    save(self, one)
    saves.append(1)
    if len(saves) == int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)

training._Fit._save = save_and_die
training.CHECKPOINT_SECONDS = 0
sys.exit(cli.main(sys.argv[2:]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("saves", [1, 4])
def test_killed_and_resumed_equals_undisturbed(
    sample: Path, tmp_path: Path, undisturbed: dict[str, tuple[Any, ...]], saves: int
) -> None:
    out = tmp_path / "net.h5"
    words = ["endnet", "fit", str(sample), "--out", str(out), "--epochs", "3", "--batch", "48", "--hidden", "8,4"]
    done = subprocess.run([sys.executable, "-c", KILLED, str(saves), *words], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (tmp_path / "net.h5.state").exists()
    assert not out.exists()
    assert cli.main(words) == 0
    assert told(load_model(out)) == undisturbed["small"]


@pytest.mark.slow
def test_a_finished_training_is_only_read(settings: EndnetFitSettings) -> None:
    first = fit_endnet(settings)
    before = settings.out.read_bytes()
    seen: list[FitProgress] = []
    again = fit_endnet(settings, seen.append)
    assert told(again) == told(first)
    assert (first.earlier, again.earlier, seen) == (False, True, [])
    assert settings.out.read_bytes() == before
    assert fit_endnet(replace(settings, seed=2)).checksum != first.checksum


def interrupted(settings: EndnetFitSettings) -> Path:
    """Stop a training; returns its checkpoint."""
    stop = threading.Event()
    stop.set()
    with pytest.raises(StoppedError):
        fit_endnet(settings, stop=stop)
    return Path(f"{settings.out}.state")


@pytest.mark.slow
def test_the_checkpoint_of_another_training_is_not_used(settings: EndnetFitSettings) -> None:
    interrupted(settings)
    other = fit_endnet(replace(settings, seed=2))
    assert told(other) == told(fit_endnet(replace(settings, seed=2, out=settings.out.with_name("clean.h5"))))


def other_arrays(**changed: Any) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        with np.load(path) as file:
            arrays = dict(file) | changed
        with path.open("wb") as opened:
            np.savez(opened, **arrays)

    return edit


def remade(make: Callable[[Path], None]) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        path.unlink()
        make(path)

    return edit


@pytest.mark.slow
@pytest.mark.parametrize(
    "spoil",
    [
        remade(lambda path: path.write_bytes(b"PK nothing")),
        remade(os.mkfifo),
        remade(os.mkdir),
        lambda path: path.write_bytes(path.read_bytes()[:-200]),
        other_arrays(p_w1=np.zeros(3)),
        other_arrays(p_w1=np.full((128, 8), np.nan, dtype=np.float32)),
        other_arrays(o_0000=np.array(["a"])),
        other_arrays(told="{}"),
        other_arrays(told='{"curve": [{}]}'),
    ],
    ids=["text", "fifo", "directory", "truncated", "shape", "nan", "type", "told", "curve"],
)
def test_a_damaged_checkpoint_is_named(settings: EndnetFitSettings, spoil: Callable[[Path], None]) -> None:
    spoil(interrupted(settings))
    with pytest.raises(InvalidModelError, match=r"net\.h5\.state: damaged checkpoint; remove it to start afresh"):
        fit_endnet(settings)


@pytest.mark.slow
@pytest.mark.parametrize(("writer", "name"), [("_save", "net.h5.state"), ("save_model", "net.h5")])
def test_a_full_disk_is_named_and_training_goes_on_with_room(
    settings: EndnetFitSettings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    undisturbed: dict[str, tuple[Any, ...]], writer: str, name: str,
) -> None:  # fmt: skip
    where = training._Fit if writer == "_save" else training
    write = getattr(where, writer)

    def cramped(*arguments: Any) -> None:
        with room(5000):
            write(*arguments)

    words = ["endnet", "fit", str(settings.samples[0]), "--out", str(settings.out), "--epochs", "3", "--batch", "48"]
    words += ["--hidden", "8,4"]
    monkeypatch.setattr(where, writer, cramped)
    assert cli.main(words) == 1
    assert capsys.readouterr() == ("", f"kr: {settings.out.with_name(name)}: File too large\n")
    monkeypatch.undo()
    assert {path.name for path in settings.out.parent.iterdir()} <= {"net.h5.state"}
    assert cli.main(words) == 0
    assert told(load_model(settings.out)) == undisturbed["small"]


# --- what is refused


def test_two_writers_are_refused(settings: EndnetFitSettings) -> None:
    held = "import sys, time, kr.storage as s\nwith s.lock(sys.argv[1]): print(flush=True); time.sleep(60)"
    holder = subprocess.Popen([sys.executable, "-c", held, str(settings.out)], stdout=subprocess.PIPE)
    try:
        assert holder.stdout
        holder.stdout.readline()
        with pytest.raises(OutputBusyError, match=r"net\.h5 is being written by another process"):
            fit_endnet(settings)
    finally:
        holder.kill()
        holder.communicate()


@pytest.mark.parametrize("library", ["jax", "optax"])
def test_a_missing_library_is_named(
    settings: EndnetFitSettings, library: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    check_refused(
        capsys, f"endnet fit {settings.samples[0]} --out {settings.out}", 2,
        "networks needs JAX and optax: pip install 'kr-draughts[nets]', or '.[nets]' in kr's checkout",
    )  # fmt: skip
    assert list(settings.out.parent.iterdir()) == []


@pytest.mark.slow
def test_no_number_ends_the_training(settings: EndnetFitSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    model = fit_endnet(replace(settings, epochs=1))
    # a training may come to numbers that no file may have
    monkeypatch.setattr("kr.studies.endings.model_file.NUMBERS", FINITE)
    broken = {**model.parameters, "w3": np.full_like(model.parameters["w3"], 3e38)}
    start = settings.out.with_name("start.h5")
    save_model(start, replace(model, parameters=broken))
    with pytest.raises(DivergedError, match=r"net\.h5: the loss is (nan|inf) in epoch 1; try a smaller --rate"):
        fit_endnet(replace(settings, start=start))


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
    settings: EndnetFitSettings, net: str, changed: dict[str, Any], said: str
) -> None:
    fit_endnet(replace(settings, epochs=1))
    other = tiny(settings.samples[0], settings.out.with_name("other.h5"), net, start=settings.out, **changed)
    with pytest.raises(InvalidSettingError) as caught:
        fit_endnet(other)
    assert said in str(caught.value)


def test_what_is_read_is_not_written(settings: EndnetFitSettings) -> None:
    link = settings.out.with_name("link.h5")
    link.symlink_to(settings.samples[0])
    for out in (settings.samples[0], link):
        with pytest.raises(InvalidSettingError, match="is read by this training; choose another file"):
            fit_endnet(replace(settings, out=out))
    assert SampleFile(settings.samples[0]).positions


REFUSED = [
    ("{sample}", 2, "Missing option '--out'"),
    ("--out net.h5", 2, "Missing argument"),
    ("nothere.h5 --out net.h5", 1, "nothere.h5"),
    ("text.h5 --out net.h5", 1, "text.h5"),
    ("{sample} text.h5 --out net.h5", 1, "text.h5"),
    ("{sample} --out folder", 2, "folder is a directory"),
    ("{sample} --out text.h5/net.h5", 2, "text.h5 is not a directory"),
    ("{sample} --out net.h5 --plots text.h5", 2, "text.h5 is not a directory"),
    ("{sample} --out net.h5 --net large", 2, "--net"),
    ("{sample} --out net.h5 --asked none", 2, "--asked"),
    ("{sample} --out net.h5 --net paper --inputs threats", 2, "leave --inputs out"),
    ("{sample} --out net.h5 --hidden 512", 2, "--hidden: '512' is not the units of two layers"),
    ("{sample} --out net.h5 --hidden a,b", 2, "--hidden"),
    ("{sample} --out net.h5 --hidden 0,32", 2, "hidden"),
    ("{sample} --out net.h5 --hidden 1e9,32", 2, "hidden"),
    ("{sample} --out net.h5 --channels 0", 2, "--channels: 0"),
    ("{sample} --out net.h5 --epochs -1", 2, "--epochs: -1"),
    ("{sample} --out net.h5 --patience -1", 2, "--patience: -1"),
    ("{sample} --out net.h5 --rate nan", 2, "--rate"),
    ("{sample} --out net.h5 --rate -1", 2, "--rate: -1 is out of range; expected 1e-09 to 10, or 0 for 0.005 (small)"),
    ("{sample} --out net.h5 --decay 1e9", 2, "--decay"),
    ("{sample} --out net.h5 --batch 0", 2, "--batch: 0"),
    ("{sample} --out net.h5 --limit -5", 2, "--limit"),
    ("{sample} --out net.h5 --seed -1", 2, "--seed: -1"),
    ("{sample} --out net.h5 --from nothere.h5", 1, "nothere.h5: no such model file"),
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


@pytest.mark.slow
def test_shares_without_positions_are_refused(tmp_path: Path) -> None:
    for name, shares in (("training", (0.0, 0.5, 0.5)), ("validation", (0.5, 0.0, 0.5))):
        path = tmp_path / f"{name}.h5"
        write_sample(SampleSettings(out=path, pieces="2", fraction=0.5, shares=shares))
        with pytest.raises((InvalidSettingError, InvalidSampleError), match=f"no {name} positions"):
            fit_endnet(tiny(path, tmp_path / "net.h5"))


# --- the command


@pytest.mark.slow
def test_the_command(settings: EndnetFitSettings, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["endnet", "fit", str(settings.samples[0]), "--out", str(settings.out), "--hidden", "8,4"]
    words += ["--epochs", "3", "--batch", "48"]
    assert cli.main(words) == 0
    assert cli.main(words) == 0
    first, second = " ".join(capsys.readouterr().out.split()).split("checksum:")[:2]
    assert "trained already" not in first
    assert "trained already" in second
    settings.out.unlink()
    words += ["--plots", str(settings.out.parent / "plots")]
    assert cli.main(words) == 0
    out, err = capsys.readouterr()
    assert "small: 128 - 8 - 4 - 3; 1,083 weights" in out
    plots = settings.out.parent / "plots"
    assert err.splitlines()[-2:] == [f"wrote {settings.out}: network", f"wrote {plots}: plots of the learning curve"]
    assert {path.name for path in plots.iterdir()} == {"net-curve.png", "net-curve.svg"}
    assert cli.main([*words, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err.splitlines() == [f"wrote {plots}: plots of the learning curve"]
    found = json.loads(out)
    model = load_model(settings.out)
    assert found["checksum"] == model.checksum
    assert found["curve"] == model.curve
    assert found["shape"] == json.loads(model.shape.json())
    assert set(found["settings"]) == set(asdict(settings))


@pytest.mark.slow
def test_pictures_are_the_same_each_time(settings: EndnetFitSettings) -> None:
    model = fit_endnet(replace(settings, epochs=1))
    from kr.studies.endings.curve_plot import draw_curve

    pictures = [[path.read_bytes() for path in draw_curve(model, settings.out.with_name(name))] for name in "ab"]
    assert pictures[0] == pictures[1]
    assert pictures[0][0].startswith(b"\x89PNG")
    assert pictures[0][1].startswith(b"<?xml")
