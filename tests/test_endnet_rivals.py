"""Rivals of networks: region tables, boosted trees and exact files on the same positions."""

import builtins
import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from refusals import check_refused
from systems import RUNS_JAX

from kr import _core, cli, storage
from kr.egdb.sample import SampleSettings, write_sample
from kr.egdb.sample_reader import SampleFile, SampleRows
from kr.errors import InvalidDatabaseError, InvalidSettingError, OutputBusyError
from kr.evaluation.patterns import mover_frame, region_indices
from kr.studies.endings import rivals
from kr.studies.endings.exact_rival import open_exact, position_count
from kr.studies.endings.region_rival import WEIGHT_STEP, RegionRival, RegionSettings, fit_regions
from kr.studies.endings.rivals import RivalProgress, RivalSettings, error_list_bits, rival_cells, run_rivals
from kr.studies.endings.tree_rival import TreeSettings, fit_trees, tree_features

SHIPPED = storage.data_path("egdb")
QUICK = RegionSettings(iterations=15, budget=200_000)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Positions of three pieces."""
    path = tmp_path_factory.mktemp("rivals") / "three.h5"
    write_sample(SampleSettings(out=path, pieces="3", fraction=0.3, planes=False, dir=SHIPPED, workers=1))
    return path


@pytest.fixture(scope="module")
def quiet(sample: Path) -> SampleRows:
    with SampleFile(sample) as file:
        share = file.shares["training"]
        rows = share.read(0, len(share))
    return rows.chosen(~_core.pending_captures(rows.boards))


@pytest.fixture(scope="module")
def tables(quiet: SampleRows) -> RegionRival:
    return fit_regions(quiet, QUICK)


def right(said: np.ndarray, rows: SampleRows) -> float:
    return float((said.argmax(axis=1) == rows.values).mean())


@pytest.mark.slow
def test_tables_learn(tables: RegionRival, quiet: SampleRows) -> None:
    said = tables.predict(quiet.boards)
    assert said.dtype == np.float32
    assert (said >= 0).all()
    np.testing.assert_allclose(said.sum(axis=1), 1, atol=1e-5)
    most = np.bincount(quiet.values).max() / len(quiet)
    assert right(said, quiet) > max(0.9, most)


def test_tables_answer_as_the_sum_of_their_entries(tables: RegionRival, quiet: SampleRows) -> None:
    # the same sums in plain numpy, entry by entry
    boards = quiet.boards[:200]
    frames = mover_frame(np.column_stack([boards, np.zeros(len(boards), dtype=np.uint32)]))
    said = tables.predict(boards)
    for i, frame in enumerate(frames):
        kings = bool(frame[2:].any())
        group = tables.groups[kings]
        entries = group.entries
        ids = region_indices(frame[None], entries.windows.regions, entries.windows.base)[:, 0]
        counts = np.bitwise_count(frame).astype(int)
        material = np.array([counts[0] - counts[1], counts[2] - counts[3], 1])
        # all have three pieces, the fewest there are: the weights of the ending alone
        chances = []
        for solution in group.solutions:
            total = float(material @ solution.material[:, 1])
            for r, index in enumerate(ids):
                found = np.flatnonzero(entries.indices[r] == index)
                slot = found[0] if len(found) else len(entries.indices[r])
                total += solution.table[entries.starts[r] + slot, 1]
            chances.append(1 / (1 + np.exp(-total)))
        assert said[i, 0] == pytest.approx((1 - chances[0]) / (1 + max(chances[1] - chances[0], 0)), abs=2e-3)


def test_tables_store_8_bits_within_their_budget(tables: RegionRival, quiet: SampleRows) -> None:
    for group in tables.groups.values():
        for solution in group.solutions:
            units = solution.table / WEIGHT_STEP
            assert (np.abs(units - np.rint(units)) < 1e-6).all()
            assert np.abs(units).max() <= 127
    small = fit_regions(quiet, dataclasses.replace(QUICK, budget=4_000, iterations=3))
    assert small.packed_bytes < tables.packed_bytes < QUICK.budget
    assert small.packed_bytes < 8_000
    assert tables.dense_bytes == 4 * (25 * 3**12 + 26 * 5**8)


def test_unknown_material_has_the_shares_of_training(quiet: SampleRows) -> None:
    men = quiet.chosen(quiet.boards[:, 2] == 0)
    tables = fit_regions(men, dataclasses.replace(QUICK, iterations=1))
    king = np.array([[1 << 3, 1 << 28, 1 << 3]], dtype=np.uint32)
    np.testing.assert_allclose(tables.predict(king)[0], np.bincount(men.values, minlength=3) / len(men), atol=1e-6)


def test_features_of_trees() -> None:
    # a black man on 0, a black king on 9, a white man on 31
    features = tree_features(np.array([[1 | 1 << 9, 1 << 31, 1 << 9]], dtype=np.uint32))[0]
    assert np.flatnonzero(features[:128]).tolist() == [0, 32 + 31, 64 + 9]
    assert features[128:132].tolist() == [1, 1, 1, 0]
    assert features[132:134].tolist() == [0, 0]
    # man and king move 2 + 4 ways on an open board, a man in its corner 1
    children = _core.successors(np.array([[1 | 1 << 9, 1 << 31, 1 << 9]], dtype=np.uint32))[0]
    assert features[134] == len(children)
    assert features[135] in (1, 2)


@pytest.mark.smoke
def test_trees_learn_the_same_twice(quiet: SampleRows) -> None:
    some = quiet.chosen(slice(0, 4000))
    settings = TreeSettings(budget=20_000, leaves=15)
    first, second = (fit_trees(some, settings) for _ in range(2))
    assert right(first.predict(some.boards), some) > 0.9
    assert first.stored == second.stored
    assert len(first.stored) <= settings.budget
    assert first.packed_bytes < first.dense_bytes


def test_exact_files_are_right(sample: Path) -> None:
    with SampleFile(sample) as file:
        rows = file.shares["test"].read(0, 500)
    exact = open_exact(SHIPPED, "3")
    assert right(exact.predict(rows.boards), rows) == 1
    assert exact.packed_bytes == sum(
        path.stat().st_size for path in SHIPPED.glob("wld-*.egdb") if sum(map(int, path.stem[4:])) <= 3
    )
    # two kings; a man, which has 28 squares, and a king; two men, not on one of the 24 squares that both have
    assert position_count("2") == 32 * 31 + 2 * 28 * 31 + (28 * 28 - 24)
    with pytest.raises(InvalidDatabaseError, match="up to 5 pieces; the positions have 4v3"):
        open_exact(SHIPPED, "4v3")


@pytest.mark.parametrize(("wrong", "bits"), [(0, 0), (0.5, 1.5), (0.045, 0.30972)])
def test_list_of_errors(wrong: float, bits: float) -> None:
    assert error_list_bits(wrong) == pytest.approx(bits, abs=1e-4)


@RUNS_JAX
@pytest.mark.slow
def test_rows_are_made_once(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = RivalSettings((sample,), tmp_path, egdb=SHIPPED, sizes=("100KB",), limit=4000, tested=2000, epochs=2)
    told: list[RivalProgress] = []
    rows = run_rivals(settings, told.append)
    assert [row.rival for row in rows] == ["exact", "regions", "trees", "nets"]
    assert rows[0].accuracy == 1
    assert rows[0].exact_bits == rows[0].stored_bits > 0
    for row in rows[1:]:
        assert 0.5 < row.accuracy < 1
        assert row.tested == 2000
        assert 2000 < row.training_positions < 4000
        assert row.coded_bits > 0
        assert row.listed_bits > 0
        assert row.memory > 0
    assert len({row.training_positions for row in rows[1:]}) == 1
    assert {one.what for one in told} >= {"trees 100KB", "net 100KB", "test exact files"}

    def never(*given: object) -> None:
        raise AssertionError("made again")

    for name in ("fit_regions", "fit_trees", "open_exact"):
        monkeypatch.setattr(rivals, name, never)
    assert run_rivals(settings) == rows
    # a damaged row, and one of other settings, are made again
    path = tmp_path / "rivals" / "trees 100KB.json"
    path.write_text(json.dumps({"inputs": "?"}))
    with pytest.raises(AssertionError, match="made again"):
        run_rivals(settings)
    head, cells = rival_cells(rows)
    assert all(len(line) == len(head) for line in cells)
    assert cells[0][3].startswith("100.00")


def test_two_writers_are_refused(sample: Path, tmp_path: Path) -> None:
    with storage.lock(tmp_path / "rivals"), pytest.raises(OutputBusyError):
        run_rivals(RivalSettings((sample,), tmp_path, egdb=SHIPPED, rivals=("exact",)))


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("a.h5 --out out --rivals oracle", 2, "'oracle' is not a rival; expected some of exact, regions, trees, nets"),
        ("a.h5 --out out --sizes 1TB", 2, "'1TB' is not a size; expected some of 100KB, 1MB, 10MB"),
        ("a.h5 --out out --rivals exact", 1, "a.h5: no such file"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: str,
    code: int,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    check_refused(capsys, f"endnet rivals {words}", code, said)


def test_command(sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = f"endnet rivals {sample} --out {tmp_path} --egdb {SHIPPED} --rivals exact --tested 500"
    assert cli.main([*line.split(), "--json"]) == 0
    row = json.loads(capsys.readouterr().out)["rivals"][0]
    assert (row["name"], row["accuracy"], row["tested"]) == ("exact files", 1, 500)
    assert cli.main(line.split()) == 0
    shown = capsys.readouterr().out
    assert f"{row['bytes']:,}" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_without_lightgbm_one_line_says_what_to_install(quiet: SampleRows, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *more: object, **named: object) -> object:
        if name == "lightgbm":
            raise ImportError("no lightgbm")
        return real(name, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(InvalidSettingError, match=r"boosted trees need LightGBM: pip install lightgbm"):
        fit_trees(quiet, TreeSettings())
