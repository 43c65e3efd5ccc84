"""Output of `kr evolve show`: growth with its intervals, families, pictures."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kr import cli
from kr.studies.evolution.family import family_tree
from kr.studies.evolution.growth import growth_curve, interval_of, mean_growth, score_interval, scores_together
from kr.studies.evolution.reading import EvolutionRun, FamilyMember, GenerationRow, RivalGames, write_run

FAMILY = {
    0: FamilyMember(0, "start", []),
    1: FamilyMember(0, "start", []),
    7: FamilyMember(1, "crossing", [0, 1]),
    8: FamilyMember(1, "mutant", [1]),
    12: FamilyMember(3, "mutant", [7]),
    15: FamilyMember(4, "crossing", [12, 8]),
}


def a_run(growth: list[float], seed: int = 1, scheme: str = "thesis") -> EvolutionRun:
    """A run with this growth."""
    rows = [
        GenerationRow(each, [1, 7, 12, 15][min(each, 3)], 0, "start", 4.0, 1.0, 20, 900, 5, {"start": 3}, {"start": 1})
        for each in range(len(growth) + 1)
    ]
    about = {
        "scheme": scheme, "seed": seed, "network": {"inputs": "sums"}, "decider": {"kind": "minimax", "plies": 4},
    }  # fmt: skip
    games = {"random": RivalGames((10, 2, 0), (8, 2, 2), 900), "mcts:1800": RivalGames((0, 0, 0), (0, 0, 0), 0)}
    return EvolutionRun(f"{scheme}-{seed}", {}, about, rows, [[each, each] for each in growth], FAMILY, games, 9.0, {})


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    rng = np.random.default_rng(1)
    places = []
    for scheme, mean in (("thesis", 0.2), ("code", -0.1)):
        for seed in range(1, 5):
            place = tmp_path / f"{scheme}-{seed}"
            place.mkdir()
            write_run(place, a_run((mean + rng.normal(0, 0.3, 60)).tolist(), seed, scheme))
            places.append(place)
    return places


def test_growth_over_seeds() -> None:
    group = [a_run([mean] * 30) for mean in (0.1, 0.2, 0.3)]
    curve = growth_curve(group)
    assert curve.total[-1] == pytest.approx(6.0)
    assert curve.mean == pytest.approx([0.2] * 30)
    assert curve.low[-1] == pytest.approx(3.0)
    assert curve.high[-1] == pytest.approx(9.0)
    found = mean_growth(group)
    assert found is not None
    assert (found.mean, found.low, found.high) == pytest.approx((0.2, 0.1, 0.3))


@pytest.mark.parametrize("length", [1, 2, 5, 200])
def test_growth_of_one_run(length: int) -> None:
    growth = np.random.default_rng(length).normal(0.1, 0.3, length)
    found = mean_growth([a_run(growth.tolist())])
    assert found is not None
    assert found.mean == pytest.approx(growth.mean())
    assert found.low <= found.mean <= found.high
    if length == 200:
        # blocks of independent numbers are as uncertain as the numbers themselves
        assert (found.high - found.low) / 2 == pytest.approx(1.96 * 0.3 / 200**0.5, rel=0.35)
    curve = growth_curve([a_run(growth.tolist())])
    assert curve.total[-1] == pytest.approx(growth.sum())


def test_nothing_has_grown_yet() -> None:
    assert mean_growth([a_run([])]) is None
    assert len(growth_curve([a_run([])]).total) == 0


def test_intervals_of_scores() -> None:
    games = RivalGames((40, 10, 0), (30, 10, 10), 0)
    found = score_interval(games)
    assert found.mean == games.score == pytest.approx(0.8)
    assert found.high - found.mean == pytest.approx(1.96 * np.std([1] * 72 + [0.5] * 20 + [0] * 12) / 104**0.5)
    assert interval_of([0.5, 0.5]) == (0.5, 0.5, 0.5)
    assert scores_together([games]) == found
    assert scores_together([games, games]) == pytest.approx((0.8, 0.8, 0.8))


@pytest.mark.parametrize(
    ("generation", "members", "line"),
    [(None, [0, 1, 7, 8, 12, 15], [15, 12, 7, 0]), (1, [0, 1, 7], [7, 0]), (0, [1], [1])],
)
def test_families(generation: int | None, members: list[int], line: list[int]) -> None:
    tree = family_tree(a_run([0.1, 0.1, 0.1]), generation)
    assert list(tree.members) == members
    assert tree.line == line
    assert set(tree.founders) <= {0, 1}
    assert sum(tree.origins().values()) == len(members)


def test_several_runs_stand_together(runs: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["evolve", "show", *map(str, runs), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [run["name"] for run in told["runs"]] == [place.name for place in runs]
    thesis, code = told["schemes"]["thesis"], told["schemes"]["code"]
    assert thesis["runs"] == 4
    assert thesis["mean_growth"][1] > 0 > code["mean_growth"][2]
    assert thesis["scores"]["random"] == [0.8333] * 3
    assert "mcts:1800" not in thesis["scores"]
    assert cli.main(["evolve", "show", *map(str, runs)]) == 0
    table = capsys.readouterr().out
    assert "83.3%" in table
    assert "+0.1" in table or "+0.2" in table


@pytest.mark.parametrize("each", [(128, 0, 0), (0, 128, 0), (0, 0, 128)])
def test_games_that_end_alike_are_not_certain(each: tuple[int, int, int]) -> None:
    score, low, high = score_interval(RivalGames(each, each, 0))
    assert score == each[0] / 128 + each[1] / 256
    assert 0 <= low <= score <= high <= 1
    assert 0.01 < high - low < 0.04


def test_a_single_run_of_a_scheme_is_uncertain_by_its_games(
    runs: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["evolve", "show", str(runs[0]), str(runs[4]), "--json"]) == 0
    mean, low, high = json.loads(capsys.readouterr().out)["schemes"]["thesis"]["scores"]["random"]
    assert low < mean == 0.8333 < high


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 8])
def test_pictures(runs: list[Path], count: int, tmp_path: Path) -> None:
    plots = tmp_path / "pictures"
    assert cli.main(["evolve", "show", *map(str, runs[:count]), "--plots", str(plots)]) == 0
    for name in ("growth.png", "family.png"):
        content = (plots / name).read_bytes()
        assert content.startswith(b"\x89PNG")
        assert len(content) > 10_000


@pytest.mark.parametrize(
    ("change", "message"),
    [("none", "has no finished generation yet"), ("few", "generation: thesis-1 has 3 generations, from 0")],
)
def test_generations_that_are_not(
    change: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = a_run([0.1, 0.1])
    write_run(tmp_path, replace(run, generations=[], growth=[]) if change == "none" else run)
    assert cli.main(["evolve", "show", str(tmp_path), "--generation", "3"]) == 2
    assert message in capsys.readouterr().err
