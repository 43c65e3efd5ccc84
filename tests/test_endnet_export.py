"""Networks as weights files: the same probabilities but for rounding, and what the core can't hold is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models import REPORT, random_model
from refusals import check_refused

from kr import cli
from kr.errors import InvalidSettingError, OutputBusyError
from kr.evaluation import kinds
from kr.evaluation.endnet import Endnet
from kr.storage import lock
from kr.studies.endings import export
from kr.studies.endings.export import EndnetExportSettings, export_endnet, random_boards
from kr.studies.endings.model_file import EndnetModel, save_model
from kr.studies.endings.nets import Net
from kr.studies.endings.shape import NetShape


def started(shape: NetShape, **changed: Any) -> EndnetModel:
    """A model as a training begins with, whose answers differ from position to position."""
    parameters, state = Net(shape).start(3)
    parameters["b1"] = parameters["b1"] + np.float32(0.3)
    return replace(random_model(shape, **changed), parameters=parameters, state=state)


@pytest.fixture
def settings(tmp_path: Path) -> EndnetExportSettings:
    save_model(tmp_path / "net.h5", started(NetShape(hidden=(40, 8))))
    return EndnetExportSettings(tmp_path / "net.h5", tmp_path / "play.h5")


def read(path: Path) -> Endnet:
    found = kinds.load_evaluation(str(path))
    assert isinstance(found, Endnet)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["quiet", "all"])
@pytest.mark.parametrize("hidden", [(40, 8), (64, 32), (33, 5)])
def test_the_core_says_what_jax_says(tmp_path: Path, hidden: tuple[int, int], asked: str) -> None:
    model = started(NetShape("small", asked, hidden=hidden))
    save_model(tmp_path / "net.h5", model)
    result = export_endnet(EndnetExportSettings(tmp_path / "net.h5", tmp_path / "play.h5"))
    boards = random_boards(3000, 2, 8, asked == "quiet")
    expected, found = model.predict(boards), read(result.out).predict(boards)
    assert np.abs(expected - found).max() < 0.004
    assert result.difference < 0.004
    assert (expected.argmax(axis=1) == found.argmax(axis=1)).mean() > 0.99
    # the answers are not all alike
    assert expected.std(axis=0).min() > 0.01
    floats = export.float_probabilities(model, boards)
    assert floats == pytest.approx(expected, abs=1e-5)


def test_random_boards_are_positions() -> None:
    for quiet in (False, True):
        boards = random_boards(500, 3, 6, quiet)
        black, white, kings = boards.T
        assert not (black & white).any()
        assert not (kings & ~(black | white)).any()
        assert not (black & ~kings & 0xF000_0000).any()
        assert not (white & ~kings & 0x0000_000F).any()
        assert black.all()
        assert white.all()
        assert set(np.bitwise_count(black | white).tolist()) == {3, 4, 5, 6}
        assert (len(boards) == 500) is not quiet


def test_the_file_says_how_it_is_used(settings: EndnetExportSettings) -> None:
    result = export_endnet(replace(settings, pieces=5, bonus=120, share=0.5))
    found = read(settings.out)
    assert found.signature == result.checksum
    assert (found.pieces, found.use.pieces, found.use.bonus, found.use.share) == ((2, 3), 5, 120, 0.5)
    assert result.bytes == settings.out.stat().st_size
    again = export_endnet(settings)
    assert read(settings.out).use.pieces == 3
    # the numbers are the same
    assert again.checksum == result.checksum


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [(["2-3"], (2, 3)), (["2-6", "4v3"], (2, 7)), (["5"], (5, 5)), (["2-6,4v3"], (2, 7)), (["2-12"], (2, 12))],
)
def test_pieces_are_those_of_the_samples(pieces: list[str], expected: tuple[int, int]) -> None:
    assert export.trained_pieces(random_model(NetShape(), report={**REPORT, "pieces": pieces})) == expected


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (random_model(NetShape("paper", "all", channels=2, blocks=1, dense=3)), "this one is paper: 2 channels"),
        (random_model(NetShape("small", "all", "threats", (6, 4))), "this one is small: 128 + 64 threats"),
        (random_model(NetShape(hidden=(2048, 4))), "the core can't hold this network: layer 1 has weights"),
        (random_model(NetShape(hidden=(8, 4)), report={**REPORT, "pieces": [""]}), "do not say of which"),
        (random_model(NetShape(hidden=(8, 4)), report={**REPORT, "pieces": ["2-3", "x"]}), "do not say of which"),
        (random_model(NetShape(hidden=(8, 4)), report={**REPORT, "pieces": ["2-99"]}), "do not say of which"),
    ],
    ids=["paper", "threats", "wide", "pieces", "no number", "many"],
)
def test_what_the_core_cannot_compute_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], model: EndnetModel, said: str
) -> None:
    save_model(tmp_path / "net.h5", model)
    check_refused(capsys, f"endnet export {tmp_path / 'net.h5'} --out {tmp_path / 'play.h5'}", 2, said)
    assert [path.name for path in tmp_path.iterdir()] == ["net.h5"]


def test_large_sums_are_refused(settings: EndnetExportSettings) -> None:
    model = started(NetShape(hidden=(8, 4)))
    save_model(settings.model, replace(model, parameters={**model.parameters, "w1": model.parameters["w1"] * 1000}))
    with pytest.raises(InvalidSettingError, match=r"net\.h5: the core can't hold this network: layer 1 has sums of"):
        export_endnet(settings)


def test_more_rounding_than_allowed_is_refused(settings: EndnetExportSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "LARGEST_DIFFERENCE", 1e-9)
    with pytest.raises(InvalidSettingError, match="in whole numbers this network differs by"):
        export_endnet(settings)
    assert not settings.out.exists()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("nothere.h5 --out play.h5", 1, "nothere.h5: no such model file"),
        ("text.h5 --out play.h5", 1, "text.h5: not a model file"),
        ("net.h5", 2, "Missing option '--out'"),
        ("net.h5 --out net.h5", 2, "net.h5 is the model itself"),
        ("net.h5 --out .", 2, "is a directory"),
        ("net.h5 --out play.h5 --pieces 1", 2, "--pieces: 1 is out of range; expected 2 to 24, or 0 for the most"),
        ("net.h5 --out play.h5 --bonus -1", 2, "--bonus: -1 is out of range"),
        ("net.h5 --out play.h5 --share 1.5", 2, "--share: 1.5 is out of range"),
    ],
)
def test_bad_settings_are_refused(
    settings: EndnetExportSettings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str,
    code: int, said: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(settings.out.parent)
    Path("text.h5").write_text("hello\n")
    check_refused(capsys, f"endnet export {words}", code, said)


def test_two_writers_are_refused(settings: EndnetExportSettings) -> None:
    with lock(settings.out), pytest.raises(OutputBusyError):
        export_endnet(settings)


@pytest.mark.slow
def test_the_command(settings: EndnetExportSettings, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["endnet", "export", str(settings.model), "--out", str(settings.out), "--pieces", "6"]
    assert cli.main(words) == 0
    out, err = capsys.readouterr()
    assert err == f"wrote {settings.out}: weights\n"
    assert "2 to 3 pieces" in out
    assert "in a probability" in out
    assert cli.main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["checksum"] == read(settings.out).signature
    assert told["pieces"] == [2, 3]
    # and it can be played with
    fen = "W:W21,K30:B1,2"
    assert cli.main(["analyze", fen, "--depth", "2", "--egdb", "none", "--weights", f"manual+{settings.out}"]) == 0
