"""Counts of the entries of tables in games: counting, in weights files, shown beside scores."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np
import pytest
from tables import TINY, random_weights, save_random

import kr
from kr import cli
from kr.errors import InvalidWeightsError
from kr.evaluation import weights
from kr.evaluation.evidence import CountedRun, Evidence, decoded, encoded, load_evidence
from kr.evaluation.files import shipped_path
from kr.evaluation.kinds import load_evaluation
from kr.evaluation.patterns import KINGS_ENTRIES, MEN_ENTRIES, region_indices
from kr.learn.fitting.evidence import count_evidence, counted_entries


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of self-play."""
    directory = tmp_path_factory.mktemp("evidence") / "games"
    kr.selfplay(kr.SelfplaySettings(games=30, nodes=200, out=directory, weights="material", egdb="none", workers=1))
    return directory


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10, 99, 1000, 123_456, 2**31 - 1])
def test_codes_are_right_to_nine_percent(count: int) -> None:
    (code,) = encoded(np.array([count]))
    assert decoded(int(code)) == pytest.approx(count, rel=0.091, abs=0.5)
    assert (decoded(int(code)) == 0) == (count == 0)


@pytest.mark.slow
def test_counts_are_those_of_the_samples(played: Path) -> None:
    made = random_weights("tiny")
    layout = made.layout
    dataset = kr.read_samples(played)
    found = counted_entries(made, dataset)
    assert (found.runs, found.fitted) == ((CountedRun(30, 1, "material"),), False)
    assert found.positions == sum(samples.positions for samples in dataset.training.values())
    for kings, codes in ((False, found.men), (True, found.kings)):
        samples = dataset.training[kings]
        regions, base = layout.group(kings)
        for row, ids in zip(codes, region_indices(samples.boards, regions, base), strict=True):
            counts = np.bincount(ids, samples.count, len(row))
            np.testing.assert_array_equal(row, encoded(counts.astype(np.int64)))


RUNS = (CountedRun(4, 1, "material"), CountedRun(3, 2, ""))


@pytest.mark.parametrize(
    ("players", "fitted", "text"),
    [
        (["tables"], False, "1,000 games of self-play by these tables (1 quiet position)"),
        (["tables", "tables"], False, "2,000 games of self-play by these tables (1 quiet position)"),
        (["tables", "others"], False, "2,000 games of self-play (1 quiet position)"),
        ([""], False, "1,000 games of self-play (1 quiet position)"),
        (["tables"], True, "1,000 games that the tables were fitted to (1 quiet position)"),
    ],
)
def test_the_games_are_told_in_words(players: list[str], fitted: bool, text: str) -> None:
    none = np.zeros((0, 0), dtype=np.uint8)
    runs = tuple(CountedRun(1000, 1, player) for player in players)
    assert str(Evidence(none, none, runs, 1, fitted, "tables")) == text


def evidence() -> Evidence:
    layout = TINY
    random = np.random.default_rng(2)
    men = random.integers(0, 90, (len(layout.men), MEN_ENTRIES), dtype=np.uint8)
    kings = random.integers(0, 90, (len(layout.kings), KINGS_ENTRIES), dtype=np.uint8)
    return Evidence(men, kings, RUNS, 400, fitted=True, tables=random_weights("tiny").checksum)


def saved(path: Path, found: Evidence | None) -> str:
    made = random_weights("tiny")
    tables = (made.men_table, made.kings_table, made.men_material, made.kings_material)
    return weights.save_tables(path, made.layout, *tables, attrs={"story": "a test"}, evidence=found)


@pytest.mark.costly
@pytest.mark.slow
def test_a_file_keeps_them_beside_the_same_tables(tmp_path: Path) -> None:
    plain, counted = tmp_path / "plain.h5", tmp_path / "counted.h5"
    checksum = saved(plain, None)
    assert saved(counted, evidence()) == checksum
    found, meant = load_evidence(counted, checksum), evidence()
    assert found is not None
    np.testing.assert_array_equal(found.men, meant.men)
    np.testing.assert_array_equal(found.kings, meant.kings)
    assert (found.runs, found.positions, found.fitted, found.tables) == (RUNS, 400, True, checksum)
    assert load_evidence(plain, checksum) is None
    # the file has been replaced since
    assert load_evidence(counted, "another") is None
    one, other = load_evaluation(plain), load_evaluation(counted)
    assert one.signature == other.signature
    position = kr.Position.from_fen("B:W18,22,25,26,28,30,31,32:B1,3,5,8,11,12,13,19")
    told = kr.explain(position, other)
    assert [region.seen for region in kr.explain(position, one).regions] == [None] * len(told.regions)
    assert all(region.seen is not None and region.seen >= 0 for region in told.regions)
    assert str(told.evidence) == "7 games that the tables were fitted to (400 quiet positions)"
    assert "evidence" not in other.attrs
    # those that were read are kept; what was not read before the file is gone is unknown
    again = load_evaluation(counted)
    counted.unlink()
    assert kr.explain(position, other) == told
    assert kr.explain(position, again).evidence is None


@pytest.mark.slow
def test_the_shipped_tables_are_counted_in_games_of_their_own() -> None:
    shipped = load_evaluation()
    found = load_evidence(shipped_path(), shipped.signature)
    assert found is not None
    assert found.own
    assert not found.fitted
    told = kr.explain(kr.Position(), shipped)
    assert told.evidence == found.sentence
    # games begin with ballots of three moves, so hardly any region looks as it does at the start in all of them
    assert max(region.seen or 0 for region in told.regions) > found.games // 20


@pytest.mark.slow
def test_damage_is_found(tmp_path: Path) -> None:
    path = tmp_path / "counted.h5"
    checksum = saved(path, evidence())
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        file["men_seen"][0, 5] ^= 1
    with pytest.raises(InvalidWeightsError, match="the counts of entries do not match their checksum"):
        load_evidence(path, checksum)
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        file["men_seen"][0, 5] ^= 1
    assert load_evidence(path, checksum) is not None
    # the tables themselves are whole
    assert weights.load_tables(path).checksum == checksum


@pytest.mark.slow
@pytest.mark.smoke
def test_counting_by_command(played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = save_random(tmp_path / "tables.h5"), tmp_path / "counted.h5"
    assert cli.main(["weights", "count", str(played), "--weights", str(path), "--out", str(out)]) == 0
    told = capsys.readouterr()
    assert "30 games of self-play (" in told.out
    assert f"wrote {out}" in told.err
    before, after = weights.load_tables(path), weights.load_tables(out)
    assert before.checksum == after.checksum
    assert cli.main(["explain", "--moves", "11-15 23-19", "--weights", str(out)]) == 0
    assert "seen: number of positions, of 30 games of self-play (" in capsys.readouterr().out
    assert cli.main(["weights", "show", str(out)]) == 0
    assert "evidence:" in capsys.readouterr().out
    assert cli.main(["weights", "show", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["evidence"]["runs"] == [{"games": 30, "seed": 1, "player": "material"}]


@pytest.mark.slow
def test_a_fit_counts_its_games(tmp_path: Path, played: Path) -> None:
    more = tmp_path / "more"
    kr.selfplay(kr.SelfplaySettings(games=400, nodes=100, out=more, weights="material", egdb="none", workers=1))
    settings = kr.FitSettings(directories=(played, more), out=tmp_path / "fit.h5", layout=TINY, max_iter=2)
    result = kr.fit(settings)
    found = load_evidence(result.path, result.checksum)
    assert found is not None
    assert found.fitted
    training_games = [run["games"] - run["held_out"] for run in result.report["runs"]]
    assert [run.games for run in found.runs] == training_games
    assert 380 < found.games < 430
    training = sum(row["positions"] for row in result.report["samples"] if row["set"] == "training")
    assert found.positions == training
    coverage = result.report["coverage"]["men"]
    assert int((found.men > 0).sum()) == coverage["at least 1"]
    assert int((found.men >= encoded(np.array([100]))).sum()) == pytest.approx(coverage["at least 100"], rel=0.2)
    again = count_evidence(result.path, [played], tmp_path / "again.h5")
    assert (again.games, again.fitted) == (30, False)
