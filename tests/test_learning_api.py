"""Learning from Python: games as arrays, and work that is stopped and resumed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playouts import positions, write_run
from tables import TINY

import kr
from kr.learn import games

SELFPLAY = kr.SelfplaySettings(
    games=12, nodes=40, weights="material", workers=1, egdb="none", hash=1 << 16, shard_games=5
)  # fmt: skip
TRAINING = kr.TrainSettings(
    Path("run"), weights="material", generations=1, games=24, nodes=40, openings="3move", hash=1 << 16, shard_games=8,
    layout=TINY, max_iter=3, gate_games=4, gate_nodes=40, gate_hash=1 << 20, egdb="none", workers=1,
)  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[games.StoredGame]]:
    """Random games in three shards."""
    directory = tmp_path_factory.mktemp("run")
    return directory, write_run(directory, 100, seed=3)


def test_games_as_arrays_equal_the_plain_replay(run: tuple[Path, list[games.StoredGame]]) -> None:
    directory, records = run
    found = kr.read_game_arrays(directory)
    assert (len(found), found.seed, len(found.move)) == (100, 3, sum(len(record.moves) for record in records))
    assert found.game.tolist() == [record.game for record in records]
    expected = [(p.black, p.white, p.kings, int(p.side)) for record in records for p in positions(record)]
    assert found.positions().tolist() == [list(bits) for bits in expected]
    assert found.mover.tolist() == [bits[3] for bits in expected]
    owners = [row for row, record in enumerate(records) for _ in record.moves]
    assert found.game_of_ply.tolist() == owners
    signs = [records[row].result * (-1 if bits[3] else 1) for row, bits in zip(owners, expected, strict=True)]
    assert found.mover_result.tolist() == signs
    for row, record in enumerate(records):
        plies = slice(found.first[row], found.first[row + 1])
        assert (found.move[plies] == record.moves).all()
        assert (found.score[plies] == record.scores).all()


def test_one_shard_as_arrays(run: tuple[Path, list[games.StoredGame]]) -> None:
    path = games.shard_paths(run[0])[1]
    found, shard = kr.read_game_arrays(path), games.read_shard(path)
    assert (found.first == shard.first).all()
    assert found.game.tolist() == list(range(40, 80))


def test_each_shard_is_told(run: tuple[Path, list[games.StoredGame]]) -> None:
    told: list[None] = []
    kr.read_game_arrays(run[0], on_shard=lambda: told.append(None))
    assert len(told) == 3


def test_no_games_as_arrays(tmp_path: Path) -> None:
    with pytest.raises(kr.InvalidGamesError, match="no shards of games in it"):
        kr.read_game_arrays(tmp_path)
    (tmp_path / "shard-000000.h5").touch()
    with pytest.raises(kr.InvalidGamesError, match="shard-000000.h5 is an empty file; expected the directory of a run"):
        games.shard_paths(tmp_path / "shard-000000.h5")
    with pytest.raises(kr.InvalidGamesError, match="no such directory$"):
        kr.read_game_arrays(tmp_path / "none")


def test_an_illegal_move_names_its_game(run: tuple[Path, list[games.StoredGame]]) -> None:
    found = kr.read_game_arrays(run[0])
    moves = found.move.copy()
    moves[found.first[7] + 2] = 31 | 31 << 5
    with pytest.raises(kr.InvalidGamesError, match="game 7 has a move that is not legal"):
        replace(found, move=moves).positions()


def test_stopped_self_play_resumes(tmp_path: Path) -> None:
    stop = kr.Stop()

    def on_game(result: kr.SelfplayResult) -> None:
        if result.played == 7:
            stop.set()

    settings = replace(SELFPLAY, out=tmp_path / "stopped")
    first = kr.selfplay(settings, on_game, stop)
    assert not first.finished
    assert 7 <= first.played < 12
    second = kr.selfplay(settings)
    assert (second.finished, second.earlier, second.played) == (True, first.played, 12 - first.played)
    whole = replace(SELFPLAY, out=tmp_path / "whole")
    assert kr.selfplay(whole).finished
    stopped, expected = (kr.read_game_arrays(each.out) for each in (settings, whole))
    for name in ("game", "start", "move", "score", "result"):
        assert (getattr(stopped, name) == getattr(expected, name)).all()


@pytest.mark.slow
def test_a_stopped_fit_resumes(run: tuple[Path, list[games.StoredGame]], tmp_path: Path) -> None:
    stop = kr.Stop()

    def on_progress(what: str, done: int, total: int) -> None:
        if (what, done) == ("kings tables", 2):
            stop.set()

    settings = kr.FitSettings((run[0],), tmp_path / "made.h5", TINY, max_iter=4)
    with pytest.raises(kr.StoppedError, match=r"made.h5: the fit was stopped \(kings tables, 2 of 4\); fit again"):
        kr.fit(settings, on_progress, stop)
    assert not settings.out.exists()
    whole = kr.fit(replace(settings, out=tmp_path / "whole.h5"))
    assert kr.fit(settings).checksum == whole.checksum


@pytest.mark.slow
@pytest.mark.parametrize(
    "at", [pytest.param("play", marks=pytest.mark.soak), "fit", pytest.param("gate", marks=pytest.mark.soak)]
)
def test_stopped_training_resumes(tmp_path: Path, at: str) -> None:
    class Stopping(kr.TrainWatcher):
        def __init__(self) -> None:
            self.stop = kr.Stop()

        def begins(self, number: int, step: str, settings: kr.TrainSettings) -> None:
            if step == at:
                self.stop.set()

    watcher = Stopping()
    settings = replace(TRAINING, out=tmp_path)
    history = kr.train(settings, watcher, watcher.stop)
    assert history.generations[0].under_way == at
    assert kr.train(settings).generations[0].verdict is not None


def test_training_that_is_stopped_before_it_begins(tmp_path: Path) -> None:
    stop = kr.Stop()
    stop.set()
    (generation,) = kr.train(replace(TRAINING, out=tmp_path), stop=stop).generations
    assert (generation.under_way, generation.play) == ("play", None)


def test_samples_without_a_label_have_the_results(run: tuple[Path, list[games.StoredGame]]) -> None:
    samples = kr.read_samples([run[0]]).training[False]
    assert len(samples)
    assert np.array_equal(samples.target, samples.result)
