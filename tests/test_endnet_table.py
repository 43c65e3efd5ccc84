"""`kr endnet table` and `kr endnet test`: plans, runs that resume, what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models import random_model
from refusals import check_refused
from systems import RUNS_JAX

from kr import cli, storage
from kr.egdb.sample import SampleSettings, write_sample
from kr.egdb.sample_reader import SampleFile
from kr.errors import InvalidSettingError, OutputBusyError
from kr.studies.endings import table as table_module
from kr.studies.endings.experiments import EXPERIMENTS, NET_FORMS, ROWS, Plans, positions_of
from kr.studies.endings.model_file import save_model
from kr.studies.endings.paper import PAPER_ROWS
from kr.studies.endings.shape import NetShape
from kr.studies.endings.table import EndnetTable, EndnetTableSettings, TableProgress
from kr.studies.endings.table_text import TABLES, accuracy_rows
from kr.studies.endings.testing import load_net


@pytest.fixture(autouse=True)
def short_trainings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kr.studies.endings.experiments.small_epochs", lambda positions: 1)
    monkeypatch.setattr(table_module, "DIRECT_HIDDEN", (8, 4))


def settings(out: Path, **changed: Any) -> EndnetTableSettings:
    """A table of networks trained on 1,021 and 102 positions with 2 to 5 pieces, which kr's own database has."""
    fields = {
        "out": out, "experiment": ("sampling", "confidence"), "set": "2-5", "rows": ("100%", "10%"), "scale": 1e-5,
        "tested": 300, **changed,
    }  # fmt: skip
    return EndnetTableSettings(**fields)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a finished table."""
    out = tmp_path_factory.mktemp("table") / "made"
    changed = pytest.MonkeyPatch()
    changed.setattr("kr.studies.endings.experiments.small_epochs", lambda positions: 1)
    changed.setattr(table_module, "DIRECT_HIDDEN", (8, 4))
    EndnetTable(settings(out)).run()
    changed.undo()
    return out


@pytest.fixture
def made(done: Path, tmp_path: Path) -> Path:
    """A copy of it, to change."""
    return shutil.copytree(done, tmp_path / "made")


def results(out: Path) -> Any:
    """Results that do not depend on interruptions: all but times, memory and provenance."""
    found = json.loads((out / "table.json").read_text())["experiments"]
    for lines in found.values():
        for line in lines:
            if line["net"]:
                line.pop("cost")
                line["test"].pop("cost")
    return found


# --- plans


def plans(**changed: Any) -> Plans:
    fields = {"forms": NET_FORMS, "rows": ROWS, "scale": 1.0, "sampled": "2-7", "tested": 500_000, **changed}
    return Plans(**fields)


@pytest.mark.parametrize("scale", [1.0, 0.01, 1e-6])
@pytest.mark.parametrize("sampled", ["2-7", "2-5"])
def test_plans_fit_together(scale: float, sampled: str) -> None:
    nets = {}
    for name in EXPERIMENTS:
        plan = plans(scale=scale, sampled=sampled).experiment(name)
        ready: set[str] = set()
        for net in plan.nets:
            assert not net.start or net.start in ready
            ready.add(net.name)
            # one name, one network, in all experiments
            assert nets.setdefault(net.name, net) == net
            for drawn in net.samples:
                assert 0 < drawn.fraction <= 1
        assert {line.net.name for line in plan.lines if line.net} <= ready
        assert all(line.paper in ("", *PAPER_ROWS) for line in plan.lines)


def test_rows_have_the_numbers_of_the_paper() -> None:
    lines = plans(forms=("paper",)).experiment("sampling").lines
    for line in lines:
        assert line.net is not None
        assert line.net.positions == pytest.approx(PAPER_ROWS[line.paper].training, rel=1e-4)
        drawn = sum(positions_of(sample.pieces) * sample.fraction for sample in line.net.samples)
        assert 0.7 * drawn >= 1.005 * line.net.positions
    [four, five] = plans(forms=("paper",)).experiment("transfer").lines
    assert four.net is not None
    assert five.net is not None
    assert (four.net.positions, five.net.positions) == (4_346_521, 97_615_565)
    # 70% of all there are
    assert four.net.positions == round(0.7 * positions_of("4"))
    assert five.net.positions == pytest.approx(0.7 * positions_of("5"), abs=1)


def test_rows_do_not_depend_on_each_other() -> None:
    alone = plans(rows=("1%",)).experiment("sampling")
    among = plans().experiment("sampling")
    [net] = [net for net in alone.nets if net.form == "quiet"]
    assert net in among.nets
    assert {line.tested for line in alone.lines if line.net} == {line.tested for line in among.lines}
    assert [line.paper for line in alone.lines if line.net is None] == ["100%", "10%", "0.1%"]


def test_an_unknown_experiment() -> None:
    with pytest.raises(InvalidSettingError, match="expected sampling, confidence, transfer, finetune"):
        plans().experiment("all")


# --- runs


@pytest.mark.costly
@RUNS_JAX
@pytest.mark.slow
def test_a_table_has_all_its_parts(done: Path) -> None:
    table = json.loads((done / "table.json").read_text())
    text = (done / "table.md").read_text(encoding="utf-8")
    for name, lines in table["experiments"].items():
        for rows_of in TABLES[name]:
            head, rows = rows_of(lines)
            assert rows
            for row in rows:
                assert len(row) == len(head)
                assert "| " + " | ".join(row) + " |" in text
        for line in lines:
            if line["net"]:
                assert line["cost"]["seconds"] >= 0
                assert 1e7 < line["cost"]["memory"] < 1e11
                for score in line["test"]["ways"].values():
                    assert score["positions"] == 300
                    assert score["right"] == sum(score["confusion"][i][i] for i in range(3))


@RUNS_JAX
@pytest.mark.slow
def test_the_paper_stands_beside_each_row(done: Path) -> None:
    lines = json.loads((done / "table.json").read_text())["experiments"]["sampling"]
    head, rows = accuracy_rows(lines)
    assert head == [
        "trained on", "network", "positions", "net", "search", "threshold", "rules", "plies1", "plies2", "best",
    ]  # fmt: skip
    assert [row[1] for row in rows] == [
        *["the paper", "direct", "quiet"] * 2, "the paper", "not run", "the paper", "not run",
    ]  # fmt: skip
    assert rows[3][2:6] == ["20,223,804", "95.11", "95.72", ""]
    assert [row[2] for row in rows[1:6]] == ["1,021", "1,021", "20,223,804", "102", "102"]


@RUNS_JAX
@pytest.mark.slow
def test_what_is_there_is_not_made_again(made: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in made.rglob("*.*") if path.parent != made}
    told: list[TableProgress] = []
    EndnetTable(settings(made), told.append).run()
    assert told == []
    assert {path: path.stat().st_mtime_ns for path in made.rglob("*.*") if path.parent != made} == before


@pytest.mark.costly
@RUNS_JAX
@pytest.mark.slow
def test_an_interrupted_table_resumes_to_the_same(done: Path, tmp_path: Path) -> None:
    out = tmp_path / "broken"
    for stage in ("draw", "train", "test"):

        def stop(found: TableProgress, stage: str = stage) -> None:
            if found.what.startswith(stage) and found.count:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            EndnetTable(settings(out), stop).run()
    EndnetTable(settings(out)).run()
    assert results(out) == results(done)


@RUNS_JAX
@pytest.mark.soak
def test_damaged_and_edited_tests_are_done_again(made: Path) -> None:
    paths, before = sorted((made / "tests").iterdir()), results(made)
    edited = paths[0].read_text().replace('"right": ', '"right": 1', 1)
    harmed = [edited, "\0", '{"inputs": [], "checksum": "", "content": {}}', *["", "{}", "[1]"] * len(paths)]
    for path, content in zip(paths, harmed, strict=False):
        path.write_text(content)
    assert EndnetTable(settings(made)).run()
    assert results(made) == before
    assert all(json.loads(path.read_text())["content"] for path in paths)


@RUNS_JAX
@pytest.mark.soak
@pytest.mark.slow
def test_rows_can_be_added(made: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (made / "nets").glob("*.h5")}
    EndnetTable(settings(made, experiment=("sampling",), rows=("100%", "10%", "1%"))).run()
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert len(list((made / "nets").glob("*.h5"))) == len(before) + 2
    assert results(made)["sampling"][:4] == results_of(before, made)


def results_of(before: object, made: Path) -> Any:
    """The lines of the rows that were there."""
    return [line for line in results(made)["sampling"] if line["net"].startswith(("2-5-100-", "2-5-10-"))]


@RUNS_JAX
@pytest.mark.soak
@pytest.mark.slow
def test_plots_are_drawn(made: Path) -> None:
    EndnetTable(settings(made, plots=True)).run()
    names = {path.name for path in (made / "plots").iterdir()}
    nets = [f"2-5-{row}-{form}" for row in ("100", "10") for form in ("direct", "quiet")]
    assert names == {"sampling.png", *(f"{net}-{what}.png" for net in nets for what in ("confidence", "confusion"))}


@RUNS_JAX
@pytest.mark.slow
def test_the_command_shows_the_rows(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = f"endnet table --out {made} --set 2-5 --rows 100%,10% --scale 1e-5 --tested 300 --experiment "
    assert cli.main([*line.split(), "sampling,confidence"]) == 0
    out, err = capsys.readouterr()
    assert max(map(len, out.splitlines())) <= 80
    assert "sampling: networks asked about quiet positions only; tested on 300" in out
    assert "2-7 pieces, 10%" in out
    assert "not run" in out
    assert err == f"wrote {made / 'table.md'}: all tables\n"
    assert cli.main([*line.split(), "sampling", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown == json.loads((made / "table.json").read_text())


@RUNS_JAX
def test_two_writers_are_refused(made: Path) -> None:
    with storage.lock(made), pytest.raises(OutputBusyError):
        EndnetTable(settings(made)).run()


@RUNS_JAX
@pytest.mark.slow
def test_another_seed_is_refused(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = f"endnet table --out {made} --set 2-5 --experiment sampling --rows 100% --scale 1e-5 --tested 300 --seed 2"
    check_refused(capsys, line, 1, "positions drawn with another seed; choose another --out or remove the file")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--experiment guess", "'guess' is not an experiment; expected some of sampling, confidence"),
        ("--rows 5%", "expected some of 100%, 10%, 1%, 0.1%, or all"),
        ("--nets ''", "is not a network"),
    ],
)
def test_bad_settings_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str, said: str) -> None:
    check_refused(capsys, f"endnet table --out {tmp_path / 'new'} {words}", 2, said)
    assert not (tmp_path / "new").exists()


def test_a_database_with_too_few_pieces(tmp_path: Path, whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = f"endnet table --out {tmp_path / 'new'} --set 2-5 --experiment sampling --egdb {whole}"
    check_refused(capsys, line, 2, "has values of positions with up to 3 pieces")


# --- a network tested


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sample and model files."""
    directory = tmp_path_factory.mktemp("place")
    write_sample(SampleSettings(out=directory / "some.h5", pieces="2-3", fraction=0.01, planes=False))
    save_model(directory / "model.h5", random_model(NetShape(hidden=(64, 16))))
    save_model(directory / "all.h5", random_model(NetShape(asked="all", hidden=(64, 16))))
    return directory


@RUNS_JAX
@pytest.mark.parametrize("name", ["model.h5", "all.h5"])
def test_a_network_is_tested(place: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    line = ["endnet", "test", str(place / name), str(place / "some.h5"), "--limit", "200", "--ways", "rules,plies1"]
    assert cli.main([*line, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    with SampleFile(place / "some.h5") as file:
        rows = file.shares["test"].read(0, 200)
    net = load_net(place / name)
    assert found["checksum"] == net.checksum
    for way in ("rules", "plies1"):
        right = (net.asker.ask(rows.boards, way).argmax(axis=1) == rows.values).sum()
        assert (found["ways"][way]["positions"], found["ways"][way]["right"]) == (200, right)
    assert cli.main(line) == 0
    shown = capsys.readouterr().out
    assert "200 positions" in shown
    assert f"{100 * right / 200:.2f} ±" in shown


@RUNS_JAX
def test_all_positions_are_a_limit_of_0(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = f"endnet test {place / 'model.h5'} {place / 'some.h5'} --limit 0 --share validation --ways rules --json"
    assert cli.main(line.split()) == 0
    with SampleFile(place / "some.h5") as file:
        positions = len(file.shares["validation"])
    assert json.loads(capsys.readouterr().out)["ways"]["rules"]["positions"] == positions


@pytest.mark.parametrize(
    ("net", "words", "code", "said"),
    [
        ("missing.h5", "", 1, "no such file"),
        ("text.h5", "", 1, "not a network"),
        ("tables", "", 1, "weights of an evaluation; expected a model file of kr endnet fit"),
        ("model.h5", "--ways search", 2, "a network for quiet positions can't be asked by 'search'"),
        ("model.h5", "--ways guess", 2, "'guess' is unknown"),
    ],
)
def test_what_is_no_network_is_refused(
    place: Path, capsys: pytest.CaptureFixture[str], net: str, words: str, code: int, said: str
) -> None:
    (place / "text.h5").write_text("text")
    path = storage.CHECKOUT / "weights" / "kr.h5" if net == "tables" else place / net
    check_refused(capsys, f"endnet test {path} {place / 'some.h5'} {words}", code, said)


@RUNS_JAX
def test_values_do_not_depend_on_the_parts(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    boards = SampleFile(place / "some.h5").shares["test"].read(0, 100).boards
    net = load_net(place / "model.h5")
    whole = net.asker.ask(boards, "plies2")
    monkeypatch.setattr("kr.studies.endings.asking.ASKED_AT_ONCE", 11)
    np.testing.assert_array_equal(net.asker.ask(boards, "plies2"), whole)
