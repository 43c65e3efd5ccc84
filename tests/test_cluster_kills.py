"""Self-play on a cluster whose parts are killed: games that differ are seen, and a run survives all misfortunes."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from cluster_ordeal import Ordeal, Outcome, compare, endure

from kr.learn.selfplay import SelfplaySettings, selfplay


def test_misfortunes_follow_the_seed() -> None:
    ordeal = Ordeal(worker_kills=9, coordinator_kills=4, scheduler_kills=1, full_disks=1, garbage=2)
    assert Counter(ordeal.misfortunes) == {"worker": 9, "coordinator": 4, "scheduler": 1, "disk": 1, "garbage": 2}
    assert ordeal.misfortunes == replace(ordeal).misfortunes != replace(ordeal, seed=2).misfortunes


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Run directories of two seeds: three shards of four games."""
    directories = {seed: tmp_path_factory.mktemp("run") / "games" for seed in (1, 2)}
    for seed, out in directories.items():
        selfplay(SelfplaySettings(games=12, shard_games=4, nodes=5, weights="material", seed=seed, out=out))
    return directories


def test_differences_are_counted(runs: dict[int, Path], tmp_path: Path) -> None:
    copy = shutil.copytree(runs[1], tmp_path / "copy")
    outcome = Outcome()
    compare(outcome, copy, runs[1])
    assert (outcome.games, outcome.shards, outcome.good) == (12, 3, True)
    (copy / "shard-000001.h5").unlink()
    shutil.copy(runs[2] / "shard-000002.h5", copy / "shard-000002.h5")
    shutil.copy(runs[1] / "shard-000000.h5", copy / "shard-000003.h5")
    (copy / "shard-000001.part").touch()
    outcome = Outcome()
    compare(outcome, copy, runs[1])
    assert (outcome.lost, outcome.different, outcome.good) == (4, 3, False)
    shutil.copy(runs[1] / "shard-000000.h5", copy / "shard-000001.h5")
    outcome = Outcome()
    compare(outcome, copy, runs[1])
    assert (outcome.lost, outcome.doubled) == (4, 4)


EACH_ONCE = {"worker_kills": 1, "coordinator_kills": 1, "scheduler_kills": 1, "full_disks": 1, "garbage": 1, "hangs": 1}


@pytest.mark.soak
@pytest.mark.parametrize(
    "chosen",
    [
        {**EACH_ONCE, "games": 4000},
        pytest.param(
            {**EACH_ONCE, "worker_kills": 5, "coordinator_kills": 2, "garbage": 3, "games": 10_000},
            marks=pytest.mark.costly,
        ),
    ],
    ids=["each once", "some again"],
)
def test_the_games_are_those_of_a_quiet_run(tmp_path: Path, chosen: dict[str, int]) -> None:
    ordeal = Ordeal(**chosen)
    outcome = endure(ordeal, tmp_path)
    assert outcome.good, outcome
    assert outcome.done == Counter(ordeal.misfortunes)
    assert outcome.coordinator_starts > ordeal.coordinator_kills
    assert outcome.games >= ordeal.games
