"""Self-play: reproducible games, complete shards, interruptions that lose nothing, and refusals."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from kr import InvalidGamesError, InvalidSettingError, InvalidWeightsError, OutputBusyError, Position, storage
from kr.egdb.database import Database
from kr.game.position import Side
from kr.learn import games
from kr.learn.selfplay import SelfplayResult, SelfplaySettings, selfplay, selfplay_report
from kr.learn.shards import opening_mix
from kr.learn.summary import summarize
from kr.openings.decks import generated
from kr.pdn import read_games

pytestmark = pytest.mark.core

SETTINGS = SelfplaySettings(
    games=20, nodes=60, weights="material", openings="3move", shard_games=8, workers=2, hash=1 << 16
)


def run_of(directory: Path, **changes: object) -> list[games.StoredGame]:
    settings = replace(SETTINGS, out=directory, **changes)  # type: ignore[arg-type]
    selfplay(settings)
    return [record for path in games.shard_paths(directory) for record in games.stored_games(games.read_shard(path))]


def content(records: list[games.StoredGame]) -> list[tuple[object, ...]]:
    return [(r.game, r.start, r.opening, r.result, r.reason, r.moves.tobytes(), r.scores.tobytes()) for r in records]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[games.StoredGame]]:
    directory = tmp_path_factory.mktemp("run")
    return directory, run_of(directory)


def test_games_do_not_depend_on_workers_or_shards(
    finished: tuple[Path, list[games.StoredGame]], tmp_path: Path
) -> None:
    assert [record.game for record in finished[1]] == list(range(20))
    assert content(run_of(tmp_path / "one", workers=1)) == content(finished[1])
    assert content(run_of(tmp_path / "many", workers=3, shard_games=5)) == content(finished[1])


def test_the_report_is_of_the_games_played_now(tmp_path: Path) -> None:
    few, more = (replace(SETTINGS, out=tmp_path, games=count) for count in (8, 12))
    assert selfplay_report(selfplay(few)).startswith("8 games in ")
    assert selfplay_report(selfplay(few)) == "nothing to do: 8 games there already"
    lines = selfplay_report(selfplay(more)).splitlines()
    assert lines[0].startswith("4 games in ")
    assert lines[0].endswith(", after the 8 that were there already")


def test_seeds_and_noise_change_the_games(finished: tuple[Path, list[games.StoredGame]], tmp_path: Path) -> None:
    assert content(run_of(tmp_path / "seed", seed=2)) != content(finished[1])
    quiet = run_of(tmp_path / "quiet", noise=0)
    assert [r.start for r in quiet] == [r.start for r in finished[1]]
    assert content(quiet) != content(finished[1])


def test_every_game_replays_to_its_result(finished: tuple[Path, list[games.StoredGame]]) -> None:
    database = Database.open(storage.data_path("egdb"))
    for record in finished[1]:
        position = Position(record.start[0], record.start[1], record.start[2], Side(record.start[3]))
        for move in games.decoded_moves(record):
            position = position.play(move)
        reason = games.REASONS[record.reason]
        if reason == "no move":
            assert position.is_over
            assert record.result == (-1 if position.side is Side.BLACK else 1)
        elif reason in ("repetition", "no progress", "length"):
            assert record.result == 0
        elif reason == "endgame database":
            winner = {"win": position.side, "loss": position.side.other}.get(str(database.value(position)))
            assert record.result == {Side.BLACK: 1, Side.WHITE: -1, None: 0}[winner]
        else:
            assert record.result != 0


def test_a_longer_run_keeps_what_is_there(finished: tuple[Path, list[games.StoredGame]], tmp_path: Path) -> None:
    first = run_of(tmp_path, games=11)
    assert content(first) == content(finished[1])[:11]
    assert content(run_of(tmp_path)) == content(finished[1])


def test_an_interruption_keeps_finished_games(finished: tuple[Path, list[games.StoredGame]], tmp_path: Path) -> None:
    settings = replace(SETTINGS, out=tmp_path)

    def interrupt(tally: SelfplayResult) -> None:
        if tally.played == 11:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        selfplay(settings, interrupt)
    held = [len(games.read_shard(path)) for path in [*games.shard_paths(tmp_path), *tmp_path.glob("*.part")]]
    assert sum(held) >= 11
    tally = selfplay(settings)
    assert tally.earlier == sum(held)
    assert tally.played == 20 - sum(held)
    assert not list(tmp_path.glob("*.part"))
    records = [record for path in games.shard_paths(tmp_path) for record in games.stored_games(games.read_shard(path))]
    assert content(records) == content(finished[1])


@pytest.mark.slow
def test_a_kill_leaves_only_whole_shards(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kr", "selfplay", "--games", "100k", "--nodes", "30", "--weights", "material"]
    command += ["--openings", "3move", "--shard-games", "20", "--out", str(tmp_path), "--workers", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        give_up = time.monotonic() + 60
        while len(list(tmp_path.glob("shard-*.h5"))) < 2 and time.monotonic() < give_up:
            assert process.poll() is None
            time.sleep(0.02)
        process.kill()
    paths = games.shard_paths(tmp_path)
    assert len(paths) >= 2
    assert all(len(games.read_shard(path)) == 20 for path in paths)
    with storage.lock(tmp_path):
        pass


def test_what_a_killed_writer_left_goes(finished: tuple[Path, list[games.StoredGame]], tmp_path: Path) -> None:
    run = shutil.copytree(finished[0], tmp_path / "run")
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    for name in (f".shard-000001.part.{gone.pid}.abcdef.tmp", f".shard-000000.h5.{gone.pid}.abcdef.tmp"):
        (run / name).write_bytes(b"half")
    # between writing a shard and removing its part
    shutil.copy(run / "shard-000001.h5", run / "shard-000001.part")
    assert content(run_of(run)) == content(finished[1])
    assert {path.name for path in run.iterdir()} == {path.name for path in finished[0].iterdir()}


def test_an_interruption_as_a_shard_is_written(
    finished: tuple[Path, list[games.StoredGame]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All games of a shard are there then, but only in the file of unfinished ones."""
    write = games.write_shard

    def interrupted(path: Path, *others: Any) -> None:
        if path.name == "shard-000000.h5":
            monkeypatch.setattr(games, "write_shard", write)
            raise KeyboardInterrupt
        write(path, *others)

    monkeypatch.setattr(games, "write_shard", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_of(tmp_path)
    assert len(games.read_shard(tmp_path / "shard-000000.part")) == 8
    assert not (tmp_path / "shard-000000.h5").exists()
    assert content(run_of(tmp_path)) == content(finished[1])
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in finished[0].iterdir()}


def test_a_shard_in_the_place_of_another_is_played_again(
    finished: tuple[Path, list[games.StoredGame]], tmp_path: Path
) -> None:
    run = shutil.copytree(finished[0], tmp_path / "run")
    shutil.copy(run / "shard-000001.h5", run / "shard-000000.h5")
    assert content(run_of(run)) == content(finished[1])


@pytest.mark.parametrize("change", [{"seed": 2}, {"weights": "manual"}])
def test_shards_of_another_run_are_refused(
    finished: tuple[Path, list[games.StoredGame]], tmp_path: Path, change: dict[str, object]
) -> None:
    run = shutil.copytree(finished[0], tmp_path / "run")
    run_of(tmp_path / "other", games=8, **change)
    shutil.copy(tmp_path / "other" / "shard-000000.h5", run)
    with pytest.raises(InvalidGamesError, match=r"shard-000000\.h5: games of another run"):
        run_of(run)


@pytest.mark.parametrize(
    ("name", "value"),
    [("seed", 3), ("nodes", 61), ("noise", 1), ("weights", "manual"), ("openings", "2move"), ("hash", 1 << 17)],
)
def test_other_settings_are_refused(finished: tuple[Path, list[games.StoredGame]], name: str, value: object) -> None:
    with pytest.raises(InvalidSettingError, match=name):
        selfplay(replace(SETTINGS, out=finished[0], **{name: value}))  # type: ignore[arg-type]


def test_two_writers(finished: tuple[Path, list[games.StoredGame]]) -> None:
    with storage.lock(finished[0]), pytest.raises(OutputBusyError):
        selfplay(replace(SETTINGS, out=finished[0], games=30))


def test_foreign_directories(tmp_path: Path) -> None:
    (tmp_path / "shard-000000.h5").write_bytes(b"something")
    with pytest.raises(InvalidGamesError, match=r"run\.json"):
        selfplay(replace(SETTINGS, out=tmp_path))
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(InvalidGamesError, match=r"run\.json"):
        selfplay(replace(SETTINGS, out=tmp_path))


def test_no_such_weights(tmp_path: Path) -> None:
    with pytest.raises(InvalidWeightsError):
        selfplay(replace(SETTINGS, out=tmp_path / "run", weights=str(tmp_path / "none.h5")))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "edit", [lambda file: file["score"].__setitem__(0, 99), lambda file: file.attrs.__setitem__("kind", "something")]
)
def test_damaged_shards_are_named(
    finished: tuple[Path, list[games.StoredGame]], tmp_path: Path, edit: Callable[[h5py.File], None]
) -> None:
    path = tmp_path / "shard-000000.h5"
    path.write_bytes((finished[0] / path.name).read_bytes())
    with h5py.File(path, "r+") as file:
        edit(file)
    with pytest.raises(InvalidGamesError, match=r"shard-000000\.h5") as caught:
        games.read_shard(path)
    assert "\n" not in str(caught.value)


def test_illegal_moves_in_a_sound_file(finished: tuple[Path, list[games.StoredGame]], tmp_path: Path) -> None:
    record = replace(finished[1][0], moves=np.array([31 | 0 << 5], dtype=np.uint16), scores=np.zeros(1, np.int16))
    games.write_shard(tmp_path / "shard-000000.h5", [record], {})
    with pytest.raises(InvalidGamesError, match="game 0"):
        summarize(games.shard_paths(tmp_path))
    with pytest.raises(InvalidGamesError, match="ply 0"):
        games.decoded_moves(record)


@pytest.mark.slow
def test_summary_and_pdn(finished: tuple[Path, list[games.StoredGame]], tmp_path: Path) -> None:
    directory, records = finished
    command = [sys.executable, "-m", "kr", "games", str(directory), "--json", "--pdn", str(tmp_path / "games.pdn")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    summary = json.loads(done.stdout)["summary"]
    assert summary["games"] == len(records) == 20
    assert summary["plies"] == sum(len(record.moves) for record in records)
    assert [summary[key] for key in ("black_wins", "draws", "white_wins")] == [
        sum(record.result == result for record in records) for result in (1, 0, -1)
    ]
    assert sum(map(sum, summary["phases"].values())) == summary["plies"]
    assert summary["decks"] == {"3move": [summary["black_wins"], summary["draws"], summary["white_wins"]]}
    exported = list(read_games(tmp_path / "games.pdn"))
    assert [list(game.moves) for game in exported] == [games.decoded_moves(record) for record in records]
    assert [game.result for game in exported] == [{1: "1-0", 0: "1/2-1/2", -1: "0-1"}[r.result] for r in records]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "decks"),
    [
        ("3move", [("3move", 174)]),
        ("start*3+2move", [("start", 3), ("2move", 49)]),
        ("11man*2+3move*10+endings", [("11man", 5000), ("3move", 1740), ("endings", 10_000)]),
        ("11man*16+3move*16+endings", [("11man", 40_000), ("3move", 2784), ("endings", 10_000)]),
    ],
)
def test_decks_count_as_often_as_asked(spec: str, decks: list[tuple[str, int]]) -> None:
    mix = opening_mix(spec)
    assert list(mix.decks) == decks
    assert len(mix.bits) == sum(size for _, size in decks)
    rest = [tuple(row) for row in mix.bits.tolist()]
    for name, size in decks:
        whole = [(p.black, p.white, p.kings, int(p.side)) for p in (each.position for each in generated(name))]
        assert Counter(rest[:size]) == dict.fromkeys(whole, size // len(whole))
        rest = rest[size:]


@pytest.mark.parametrize("spec", ["start*0", "start*x", "start*1001", "start*", "*3", "3move+", "11man*27"])
def test_decks_counted_wrong_are_refused(spec: str) -> None:
    with pytest.raises(InvalidSettingError):
        opening_mix(spec)
