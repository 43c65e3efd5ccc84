"""Self-play on a cluster whose parts are killed: a run survives all misfortunes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from cluster_ordeal import Ordeal, endure
from test_cluster_dask import shards

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
    assert not outcome.coordinator_errors
    assert outcome.done == Counter(ordeal.misfortunes)
    assert outcome.coordinator_starts > ordeal.coordinator_kills
    games = shards(tmp_path / "games")
    assert len(games) >= ordeal.games // ordeal.shard_games
    assert games == shards(tmp_path / "quiet")
    assert not list((tmp_path / "games").glob("*.part"))
