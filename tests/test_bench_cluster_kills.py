"""bench/cluster_kills.py: what differs is found, and a small run survives its kills."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from kr.learn.selfplay import SelfplaySettings, selfplay

BENCH = Path(__file__).parent.parent / "bench"
sys.path.insert(0, str(BENCH))
try:
    from cluster_kills import Ordeal, Outcome, compare, endure
finally:
    sys.path.remove(str(BENCH))


def test_misfortunes_follow_the_seed() -> None:
    ordeal = Ordeal(worker_kills=9, coordinator_kills=4, garbage=2, hangs=0)
    assert Counter(ordeal.misfortunes) == {"worker": 9, "coordinator": 4, "scheduler": 1, "disk": 1, "garbage": 2}
    assert ordeal.misfortunes == replace(ordeal).misfortunes != replace(ordeal, seed=2).misfortunes


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Run directories of two seeds: three shards of four games."""
    found = {}
    for seed in (1, 2):
        found[seed] = tmp_path_factory.mktemp("run") / "games"
        selfplay(SelfplaySettings(games=12, shard_games=4, nodes=5, weights="material", seed=seed, out=found[seed]))
    return found


def test_what_differs_is_found(runs: dict[int, Path], tmp_path: Path) -> None:
    found = tmp_path / "found"
    shutil.copytree(runs[1], found)
    outcome = Outcome()
    compare(outcome, found, runs[1])
    assert (outcome.games, outcome.shards, outcome.good) == (12, 3, True)
    (found / "shard-000001.h5").unlink()
    shutil.copy(runs[2] / "shard-000002.h5", found / "shard-000002.h5")
    shutil.copy(runs[1] / "shard-000000.h5", found / "shard-000003.h5")
    (found / "shard-000001.part").touch()
    outcome = Outcome()
    compare(outcome, found, runs[1])
    assert (outcome.lost, outcome.different, outcome.good) == (4, 3, False)
    shutil.copy(runs[1] / "shard-000000.h5", found / "shard-000001.h5")
    outcome = Outcome()
    compare(outcome, found, runs[1])
    assert (outcome.lost, outcome.doubled) == (4, 4)


@pytest.mark.slow
def test_a_small_ordeal(tmp_path: Path) -> None:
    """Two workers and the coordinator are killed: the games are those of a quiet run."""
    few = {"scheduler_kills": 0, "full_disks": 0, "garbage": 0, "hangs": 0, "workers": 2}
    ordeal = Ordeal(worker_kills=2, coordinator_kills=1, pause=1.0, games=2000, shard_games=100, nodes=50, **few)
    outcome = endure(ordeal, tmp_path)
    assert outcome.good, outcome
    assert outcome.done == {"worker": 2, "coordinator": 1}
    assert outcome.coordinator_starts >= 2
    assert outcome.games >= 2000
