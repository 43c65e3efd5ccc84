"""Nets with one hidden layer: the core against plain sums, on top of tables, files, and their fit."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from nets import one_layer_arrays, one_layer_net, random_endings
from numpy.typing import NDArray
from playouts import write_run
from test_kinds import GAMES, random_table

from kr import Engine, InvalidSettingError, InvalidWeightsError, Position
from kr.cli import main
from kr.engine.search import Stop
from kr.errors import StoppedError
from kr.evaluation import kinds, net, squares
from kr.evaluation.net import LayerNet
from kr.evaluation.summed import Summed
from kr.learn.fitting import net_fit
from kr.learn.fitting.dataset import Label, read_samples
from kr.learn.fitting.fit import FitSettings, fit

Arrays = dict[str, NDArray[Any]]


def plain_score(arrays: Arrays, position: Position) -> int:
    """The score by the definition, without the core."""
    turned = position.flipped() if position.side else position
    unit = arrays["start"].astype(int)
    for square in range(32):
        if piece := turned.piece_at(square):
            kind = "bwBW".index(str(piece))
            unit = unit + arrays["rows"][kind, square]
    band = min((position.pieces - 1) // 3, net.PIECE_BANDS - 1)
    total = int(arrays["weights"][band].astype(int) @ unit.clip(0, net.UNIT_ONE))
    return (total // net.UNIT_ONE + int(arrays["last"][band])) // 16


POSITIONS = [position for positions, _ in GAMES[:12] for position in positions[::3] if not position.is_over]
POSITIONS += [Position(*row, 0) for row in random_endings(150, 9).tolist()]


@pytest.mark.core
@pytest.mark.parametrize("units", [1, 100, 128, 300, 1024])
def test_the_core_adds_up_what_the_definition_says(units: int) -> None:
    made = one_layer_net(units)
    found = [(made.score(position), position) for position in POSITIONS]
    for score, position in found:
        expected = plain_score(made.arrays["kings" if position.kings else "men"], position)
        assert score == max(-2000, min(2000, expected))
        assert made.score(position.flipped()) == score
    assert len({score for score, _ in found}) > (len(found) / 20 if units > 1 else 1)


@pytest.mark.core
def test_a_group_without_a_net_and_few_pieces_score_nothing() -> None:
    made = LayerNet({"kings": one_layer_arrays()}, {"least": 6})
    scored = [position for position in POSITIONS if made.score(position)]
    assert len(scored) > 30
    assert all(position.kings and position.pieces >= 6 for position in scored)


def test_whole_numbers_are_close_to_the_floats() -> None:
    chance = np.random.default_rng(3)
    rows, start = chance.normal(0, 0.18, (4, 32, 96)), chance.normal(0.1, 0.1, 96)
    weights, last = chance.normal(0, 0.1, (net.PIECE_BANDS, 96)), chance.normal(0, 0.1, net.PIECE_BANDS)
    made = LayerNet({"men": net.quantized_layer(rows, start, weights, last, 40.0)}, {})
    positions = [position for position in POSITIONS if not position.kings]
    for position in positions:
        turned = position.flipped() if position.side else position
        pieces = [(int(str(turned.piece_at(s)) == "w"), s) for s in range(32) if turned.piece_at(s)]
        unit = (start + sum(rows[kind, square] for kind, square in pieces)).clip(0, 1)
        band = min((position.pieces - 1) // 3, net.PIECE_BANDS - 1)
        assert made.score(position) == pytest.approx(40 * (weights[band] @ unit + last[band]), abs=1.5)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"rows": 300.0}, "rows of a net are larger than the core holds"),
        ({"rows": 10.0}, "units add up to"),
        ({"weights": 1e4}, "weights of a net are larger"),
        ({"last": float("nan")}, "last of a net are larger"),
    ],
)
def test_numbers_that_the_core_can_not_hold(changed: dict[str, float], said: str) -> None:
    floats = {
        "rows": np.zeros((4, 32, 8)), "start": np.zeros(8), "weights": np.zeros((net.PIECE_BANDS, 8)),
        "last": np.zeros(net.PIECE_BANDS),
    }  # fmt: skip
    for name, value in changed.items():
        floats[name] += value
    with pytest.raises(InvalidWeightsError, match=said):
        net.quantized_layer(**floats, scale=40.0)
    with pytest.raises(InvalidWeightsError, match="2000 units; expected 1 to 1024"):
        net.quantized_layer(np.zeros((4, 32, 2000)), np.zeros(2000), np.zeros((8, 2000)), np.zeros(8), 40.0)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with tables, tables.h5, a net on top of them, top.h5, and one by itself, alone.h5."""
    monkeypatch.chdir(tmp_path)
    squares.save_squares("tables.h5", random_table(), {})
    tables = kinds.load_evaluation("tables.h5")
    arrays = {"men": one_layer_arrays(), "kings": one_layer_arrays(seed=2)}
    told = {"base": "tables.h5", "base_checksum": tables.signature, "least": 4, "centimen_per_logit": tables.scale}
    net.save_net("top.h5", arrays, told)
    net.save_net("alone.h5", arrays, {"base": "", "base_checksum": "", "least": 0})
    return tmp_path


@pytest.mark.core
def test_a_net_adds_to_its_tables(here: Path) -> None:
    made, tables, alone = (kinds.load_evaluation(text) for text in ("tables.h5+top.h5", "tables.h5", "alone.h5"))
    assert isinstance(made, Summed)
    assert (made.name, made.scale) == ("tables+top", tables.scale)
    for position in POSITIONS:
        added = alone.score(position) if position.pieces >= 4 else 0
        if abs(tables.score(position) + added) < 1900 and abs(added) < 1900:
            assert made.score(position) == tables.score(position) + added
    # the tables' memory from ply to ply
    for positions, moves in GAMES[:10]:
        line = [(move.origin, move.target, move.captured) for move in moves]
        assert made.core.evaluate_line(positions[0].bits, line) == [made.score(each) for each in positions[1:]]
    explained = made.explain(POSITIONS[5])
    assert "a net adds" in explained.note
    engine = Engine("tables.h5+top.h5", hash_mb=1, database=None)
    assert (engine.name, engine.signature) == (made.name, made.signature)
    assert engine._scorer is made.scorer
    assert (
        engine.search(Position(), "depth=5").nodes != Engine("tables.h5", hash_mb=1).search(Position(), "depth=5").nodes
    )
    assert len({made.signature, tables.signature, alone.signature, kinds.load_file("top.h5").signature}) == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("top.h5", "top.h5: a net that adds to tables; expected tables.h5+top.h5"),
        ("material+top.h5", "top.h5: fitted on top of tables.h5 with the checksum "),
        ("tables.h5+alone.h5", "alone.h5: a net by itself, which adds to no tables; expected --weights alone.h5"),
        ("tables.h5+top.h5:8", "top.h5: a net that adds to tables has no settings, such as '8'"),
        ("tables.h5+tables.h5", "tables.h5: tables, not a net; expected BASE"),
    ],
)
def test_a_net_stands_where_it_belongs(here: Path, text: str, said: str) -> None:
    with pytest.raises(InvalidWeightsError, match=re.escape(said)):
        Engine(text, hash_mb=1, database=None)
    with pytest.raises(InvalidWeightsError, match=re.escape(said)):
        kinds.load_evaluation(text).score(Position())


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda file: file.attrs.__setitem__("groups", "men pawns"), "attributes do not match"),
        (lambda file: file.__delitem__("men_rows"), "men_rows"),
        (lambda file: file["kings_last"].__setitem__(0, 7), "do not match their checksum"),
        (lambda file: file["men_start"].__setitem__(0, 32000), "men: units add up to"),
        (lambda file: file["men_weights"].__setitem__((0, slice(None)), 32767), None),
    ],
)
def test_damaged_files(here: Path, damage: Callable[[Any], None], said: str | None) -> None:
    with h5py.File("alone.h5", "r+") as file:
        damage(file)
    with pytest.raises(InvalidWeightsError, match=f"alone.h5: damaged weights file: .*{said or ''}"):
        kinds.load_evaluation("alone.h5")


def test_what_the_file_says(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["weights", "show", "tables.h5+top.h5"]) == 0
    assert "units: men 128, kings 128" in capsys.readouterr().out
    assert main(["weights", "show", "alone.h5", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["units"] == {"men": 128, "kings": 128}
    assert told["least"] == 0


@pytest.mark.parametrize("report", ["{", "[]", '{"loss": [1]}', '{"loss": [{"set": "held_out", "group": "men"}]}'])
def test_a_report_that_makes_no_sense(here: Path, report: str) -> None:
    arrays = {"men": one_layer_arrays()}
    net.save_net("told.h5", arrays, {"base": "", "base_checksum": "", "least": 0, "report": report})
    with pytest.raises(InvalidWeightsError, match=r"told\.h5: damaged weights file: its report makes no sense"):
        kinds.load_evaluation("told.h5").facts()


# --- the fit


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("games")
    write_run(directory, 120)
    return directory


@pytest.fixture
def settings(games: Path, tmp_path: Path) -> FitSettings:
    return FitSettings(
        directories=(games,), out=tmp_path / "made.h5", kind="net", label=Label(0.6), holdout=0.2, on="material",
        units=16, passes=6, rate=0.02,
    )  # fmt: skip


@pytest.mark.slow
def test_a_fit_learns_what_tables_miss(settings: FitSettings) -> None:
    pytest.importorskip("optax")
    result = fit(settings)
    assert not result.earlier
    rows = {(row["group"], row["set"]): row for row in result.report["loss"]}
    assert set(rows) == {(group, part) for group in ("men", "kings") for part in ("training", "held_out")}
    for row in rows.values():
        assert row["floor"] < row["loss"] < row["tables"]
    assert [len(history) for history in result.report["history"].values()] == [6, 6]
    made = kinds.load_evaluation(f"material+{settings.out}")
    assert isinstance(made, Summed)
    # what the core scores is what was fitted: the loss of its scores is that of the report
    samples = read_samples(settings.directories, settings.label, settings.holdout, settings.seed)
    for group, part in (("men", samples.held_out[False]), ("kings", samples.held_out[True])):
        logit = made.scores(part.boards) / made.scale
        target = part.target.clip(net_fit.EXPECTATION_MIN, 1 - net_fit.EXPECTATION_MIN)
        loss = np.average(np.logaddexp(0, logit) - target * logit, weights=part.count.clip(max=net_fit.COUNT_MAX))
        assert loss == pytest.approx(rows[group, "held_out"]["loss"], abs=5e-4)
    assert made.net.units == {"men": 128, "kings": 128}
    assert made.net.least >= 2
    again = fit(settings)
    assert again.earlier
    assert (again.checksum, again.report) == (result.checksum, result.report)
    assert fit(replace(settings, seed=2)).checksum != result.checksum


@pytest.mark.slow
@pytest.mark.parametrize(("batch", "reports"), [(4096, 1), (4096, 7), (128, 3), (128, 40)])
def test_a_stopped_fit_resumes_to_the_same_net(
    settings: FitSettings, batch: int, reports: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped after a pass, or within one, and killed once more after a checkpoint."""
    pytest.importorskip("optax")
    monkeypatch.setattr(net_fit, "BATCH", batch)
    monkeypatch.setattr(net_fit, "REPORTED", 2)
    monkeypatch.setattr(net_fit, "STATE_SECONDS", 0.01)
    expected = fit(replace(settings, out=settings.out.with_name("straight.h5")))
    seen: list[str] = []
    stop = Stop()

    def stopping(what: str, done: int, total: int) -> None:
        seen.append(what)
        if sum(name.endswith("net") for name in seen) == reports:
            stop.set()

    with pytest.raises(StoppedError, match="fit again to resume"):
        fit(settings, stopping, stop)
    assert not settings.out.exists()

    def killing(what: str, done: int, total: int) -> None:
        seen.append(what)
        if sum(name.endswith("net") for name in seen) == reports + 3:
            raise KeyboardInterrupt

    if reports < 7:
        with pytest.raises(KeyboardInterrupt):
            fit(settings, killing)
    result = fit(settings)
    assert (result.checksum, result.report["history"]) == (expected.checksum, expected.report["history"])
    assert sorted(path.name for path in settings.out.parent.iterdir() if "checkpoint" in path.name) == []


@pytest.mark.slow
@pytest.mark.smoke
def test_a_net_by_itself(settings: FitSettings, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("optax")
    arguments = [
        str(settings.directories[0]),
        "--kind",
        "net",
        "--on",
        "none",
        "--units",
        "8",
        "--passes",
        "9",
        "--rate",
        "0.02",
    ]
    assert main(["fit", *arguments, "--out", str(settings.out)]) == 0
    out = capsys.readouterr().out
    assert "held out" in out
    made = kinds.load_evaluation(str(settings.out))
    assert isinstance(made, LayerNet)
    assert not made.base_checksum
    assert len({made.score(position) for position in POSITIONS}) > 10
    assert main(["weights", "show", str(settings.out)]) == 0
    assert "men held out" in capsys.readouterr().out
    assert main(["weights", "show", str(settings.out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["report"]["history"]["men"]) == 9


def test_a_damaged_checkpoint(settings: FitSettings) -> None:
    pytest.importorskip("optax")
    checkpoint = settings.out.with_name("made.h5.checkpoint")
    checkpoint.write_bytes(b"PK not one")
    with pytest.raises(InvalidWeightsError, match="damaged checkpoint; remove it to start afresh"):
        fit(settings)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"kind": "net", "l2": 3.0}, "l2: only for --kind regions"),
        ({"kind": "net", "cluster": "local:2"}, "cluster: only for --kind regions"),
        ({"kind": "regions", "units": 64}, "units: only for --kind net"),
        ({"kind": "regions", "on": "none"}, "on: only for --kind net"),
        ({"kind": "tree"}, "kind"),
    ],
)
def test_settings_of_the_other_kind(games: Path, tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidSettingError, match=said):
        FitSettings(directories=(games,), out=tmp_path / "made.h5", **changed)
