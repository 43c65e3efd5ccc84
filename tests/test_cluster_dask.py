"""Real workers of Dask: what they make is what this process makes, whatever happens to them."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import h5py
import pytest
from tables import save_random

from kr import cli
from kr.cluster import connection, worker
from kr.cluster.connection import TaskAnswer, connected
from kr.cluster.frames import framed, unframed
from kr.cluster.store import digest_of
from kr.egdb.build import BuildSettings, build_database
from kr.egdb.verify import VerifySettings, verify_database
from kr.engine.limits import Limits
from kr.errors import ClusterError, KrError
from kr.learn.games import shard_paths
from kr.learn.selfplay import SelfplayResult, SelfplaySettings, selfplay
from kr.match.match import play_match, play_tournament
from kr.match.settings import MatchSettings
from kr.problems.soundness_files import CheckSettings, check_problems
from kr.storage import checksum

pytestmark = pytest.mark.slow

PROVENANCE = {"settings", "created", "games_per_second", "command"}
TIMES = {"time", "move_from", "agrees_from", "processor"}


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    """Dask is imported by the process that runs these tests, not by all that read the file."""
    for name in ("distributed", "cryptography"):
        pytest.importorskip(name, reason="the extra [cluster] is not installed")


@pytest.fixture(scope="module")
def variables() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as changed:
        yield changed


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, variables: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a scheduler with two workers, which do not know where the files of this process are."""
    import dask
    from distributed import LocalCluster

    directory = tmp_path_factory.mktemp("cluster")
    # until the end, for workers that are started again
    variables.setenv("KR_STORE", str(directory / "store"))
    variables.setenv("KR_EGDB", "none")
    with dask.config.set(connection.QUIET_WORKERS), LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0",
        silence_logs=50, preload=["kr.cluster.preload"], local_directory=str(directory),
    ) as made:  # fmt: skip
        yield made.scheduler_address


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_random(tmp_path_factory.mktemp("tables") / "random.h5")


def files(directory: Path, pattern: str) -> dict[str, bytes]:
    """Contents of files by their names; there are some."""
    found = {path.name: path.read_bytes() for path in sorted(directory.glob(pattern))}
    assert found
    return found


def shards(directory: Path) -> dict[str, dict[str, str]]:
    """Checksums of what the shards of a run hold, by their names, but for when and how fast they were made."""
    found = {}
    for path in shard_paths(directory):
        with h5py.File(path) as file:
            # a checkout that another process works in may be dirty for a moment
            told = {
                name: str(value).removesuffix("-dirty") for name, value in file.attrs.items() if name not in PROVENANCE
            }
            found[path.name] = told | {name: checksum(data[...]) for name, data in file.items()}
    assert found
    return found


def played(
    tmp_path: Path, name: str, tables: Path, cluster: str, games: int = 60, nodes: int = 200, **more: Any
) -> SelfplayResult:
    settings = SelfplaySettings(
        games=games, shard_games=10, nodes=nodes, out=tmp_path / name, weights=str(tables), hash=1 << 18, workers=2,
        cluster=cluster,
    )  # fmt: skip
    return selfplay(settings, **more)


@pytest.mark.soak
@pytest.mark.smoke
def test_self_play_is_the_same_bytes(cluster: str, tables: Path, whole: Path, tmp_path: Path) -> None:
    deck = tmp_path / "deck.txt"
    deck.write_text("B:W21-32:B1-8,10-12,14\nW:W21-32:B1-7,9-12,16\n")
    for name, address in (("here", ""), ("there", cluster)):
        # processes of its own would take as long as the workers of Dask
        settings = SelfplaySettings(
            games=25, shard_games=10, nodes=200, out=tmp_path / name, weights=str(tables), hash=1 << 18,
            openings=f"{deck}*3+3move", egdb=str(whole), workers=2 if address else 1, cluster=address,
        )  # fmt: skip
        assert selfplay(settings).played == 25
    assert shards(tmp_path / "there") == shards(tmp_path / "here")


@pytest.mark.soak
def test_databases_are_the_same_bytes_and_verified(cluster: str, tmp_path: Path) -> None:
    for name, address in (("here", ""), ("there", cluster)):
        build_database(BuildSettings(pieces=3, dir=tmp_path / name, distances=2, cluster=address))
    assert files(tmp_path / "there", "*.egdb") == files(tmp_path / "here", "*.egdb")
    assert not (tmp_path / "there" / "values").exists()
    verify_database(VerifySettings(dir=tmp_path / "there", cluster=cluster))


@pytest.mark.soak
def test_matches_are_the_same_games(cluster: str, tables: Path) -> None:
    here, there = (
        play_tournament(MatchSettings(
            a=str(tables), b="material", more=("random:1",), games=6, tc=Limits(nodes=200), hash=1 << 20,
            egdb="none", cluster=address,
        ))
        for address in ("", cluster)
    )  # fmt: skip

    def shown(game: Any) -> tuple[Any, ...]:
        return game.pair, game.a_black, game.points, game.reason, game.plies, game.a.nodes, game.b.nodes

    for own, other in zip(here.results, there.results, strict=True):
        assert {game.worker for game in own.games} == {""}
        assert {game.worker for game in other.games} <= set(workers_of(cluster))
        assert sorted(map(shown, own.games)) == sorted(map(shown, other.games))
        assert sum(each.games for each in other.workers()) == 6


@pytest.mark.soak
def test_problems_checked_are_the_same(cluster: str, whole: Path, tmp_path: Path) -> None:
    source = tmp_path / "problems.txt"
    source.write_text("W:W21,K30:B1,2\nno position\nW:WK1:BK32\nW:WK19,K23:B28\nW:W21:B17,14\n")
    found = []
    for address in ("", cluster):
        records: list[dict[str, Any]] = []
        settings = CheckSettings(
            source=str(source), tc=Limits(nodes=1000), hash=1 << 20, egdb=str(whole), cluster=address
        )
        faults: list[KrError] = []
        check_problems(settings, lambda record, _, records=records: records.append(record), faults.append)
        assert [str(fault).partition(": ")[0] for fault in faults] == [f"{source}:2"]
        found.append([{name: value for name, value in each.items() if name != "seconds"} for each in records])
    assert found[0] == found[1]
    assert [record["verdict"] for record in found[1]] == ["undecided", "cook", "cook", "unsound"]


# --- workers that fail


def workers_of(cluster: str) -> list[str]:
    with connected(cluster) as found:
        return list(found.workers)


def pids(cluster: str) -> dict[str, int]:
    """Processes of the workers, by address."""
    with connected(cluster) as found:
        return {address: values["pid"] for address, values in found.on_each(worker.worker_facts).items()}


def in_the_middle(do: Callable[[], None], games: int) -> Callable[[SelfplayResult], None]:
    """Do something once when so many games were played."""
    done: list[int] = []

    def look(result: SelfplayResult) -> None:
        if result.played >= games and not done:
            done.append(1)
            do()

    return look


@pytest.mark.soak
def test_killed_workers_cost_nothing_but_time(cluster: str, tables: Path, tmp_path: Path) -> None:
    played(tmp_path, "here", tables, "", 200)

    def kill() -> None:
        for pid in running.values():
            os.kill(pid, signal.SIGKILL)

    running = pids(cluster)
    assert len(running) == 2
    result = played(tmp_path, "there", tables, cluster, 200, on_game=in_the_middle(kill, 20))
    assert result.played == 200
    assert shards(tmp_path / "there") == shards(tmp_path / "here")
    wait_for(lambda: set(pids(cluster).values()).isdisjoint(running.values()) and len(pids(cluster)) == 2)


def wait_for(found: Callable[[], bool], seconds: float = 30.0) -> None:
    ends = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < ends
        time.sleep(0.05)


@pytest.mark.soak
def test_a_worker_whose_answers_are_garbage_is_named_and_left(
    cluster: str, tables: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    played(tmp_path, "here", tables, "")
    bad = workers_of(cluster)[0]

    def spoil(answer: bytes | None) -> None:
        from kr.cluster import worker as theirs

        theirs.kept_run = getattr(theirs, "kept_run", theirs.run)
        theirs.run = theirs.kept_run if answer is None else lambda frame, *blocks: answer

    set_on(cluster, bad, spoil, b"garbage")
    try:
        played(tmp_path, "there", tables, cluster)
    finally:
        set_on(cluster, bad, spoil, None)
    assert shards(tmp_path / "there") == shards(tmp_path / "here")
    assert [record.message for record in caplog.records if "is left" in record.message] == [
        f"worker {bad} is left: its answer makes no sense: not a frame, or one that was damaged on its way"
    ]


def set_on(cluster: str, address: str, function: Callable[[Any], None], value: object) -> None:
    """Call a function of this file on a worker, which has not got this file."""
    from distributed import Client
    from distributed.protocol.pickle import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    try:
        with Client(cluster, set_as_default=False) as client:
            client.run(function, value, workers=[address])
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.mark.soak
def test_the_scheduler_knows_who_did_a_task(cluster: str) -> None:
    with connected(cluster) as found:
        for address in found.workers:
            answers: queue.SimpleQueue[TaskAnswer] = queue.SimpleQueue()
            future = found.submit(framed({"do": "block"}, [b"x"]), answers.put, (), [address])
            assert unframed(answers.get(timeout=60).frame or b"")[0]["worker"] == address
            assert found.holder(future) == address
        assert found.holder(None) == ""


@pytest.mark.soak
def test_files_travel_by_checksum_and_are_forgotten(cluster: str, tables: Path, capsys: pytest.CaptureFixture) -> None:
    def kept() -> list[dict[str, Any]]:
        assert cli.main(["cluster", "workers", cluster, "--json"]) == 0
        found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["workers"]
        return found

    play_match(MatchSettings(a=str(tables), b="material", games=2, tc=Limits(nodes=50), egdb="none", cluster=cluster))
    store = Path(kept()[0]["store"])
    assert (store / "files" / digest_of(tables)[:2] / digest_of(tables)).read_bytes() == tables.read_bytes()
    assert kept()[0]["kept"] >= tables.stat().st_size
    assert cli.main(["cluster", "forget", cluster]) == 0
    capsys.readouterr()
    assert [each["kept"] for each in kept()] == [0, 0]
    play_match(MatchSettings(a=str(tables), b="material", games=2, tc=Limits(nodes=50), egdb="none", cluster=cluster))
    assert kept()[0]["kept"] >= tables.stat().st_size


def test_no_scheduler_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tables: Path) -> None:
    monkeypatch.setattr(connection, "REACH_SECONDS", 0.3)
    with pytest.raises(ClusterError, match="^tcp://127.0.0.1:1: no scheduler answers: [^\n]+$"):
        played(tmp_path, "run", tables, "tcp://127.0.0.1:1")


# --- Ctrl-C


@pytest.mark.soak
def test_ctrl_c_ends_in_good_order_and_the_run_resumes(tables: Path, tmp_path: Path) -> None:
    """The coordinator ends them: its workers get the Ctrl-C of a terminal too, and ignore it."""
    line = [
        sys.executable, "-m", "kr", "selfplay", "--games", "1e6", "--shard-games", "10", "--nodes", "1000", "--out",
        str(tmp_path / "there"), "--weights", str(tables), "--hash", "256kB", "--cluster", "local:2", "--quiet",
    ]  # fmt: skip
    environment = os.environ | {"KR_STORE": str(tmp_path / "store")}
    process = subprocess.Popen(line, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True)
    wait_for(lambda: any((tmp_path / "there").glob("shard-*.h5")) or process.poll() is not None)
    assert process.poll() is None
    # the two workers, which had it blocked before they could ignore it
    assert sum(blocks_ctrl_c(pid) for pid in alive_in(process.pid)) == 2
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert "Traceback" not in err, err
    assert process.returncode == 1
    wait_for(lambda: not alive_in(process.pid))
    games = 10 * (1 + max(int(path.stem.removeprefix("shard-")) for path in shard_paths(tmp_path / "there"))) + 20
    result = played(tmp_path, "there", tables, "", games, 1000)
    # beside whole shards also parts of the two under way, at most nine games of each
    assert 0 < result.earlier <= games - 2
    played(tmp_path, "here", tables, "", games, 1000)
    assert shards(tmp_path / "there") == shards(tmp_path / "here")


@pytest.mark.soak
def test_workers_stop_for_a_coordinator_that_was_killed(cluster: str, tables: Path, tmp_path: Path) -> None:
    """Though Dask lets tasks run on whose results nobody wants."""
    line = [
        sys.executable, "-m", "kr", "selfplay", "--games", "20", "--nodes", "1e9", "--out", str(tmp_path / "run"),
        "--weights", str(tables), "--cluster", cluster, "--egdb", "none", "--quiet",
    ]  # fmt: skip
    process = subprocess.Popen(line, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: sum(running(cluster).values()) > 0 or process.poll() is not None, 60)
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()
    wait_for(lambda: sum(running(cluster).values()) == 0)


def running(cluster: str) -> dict[str, int]:
    """Tasks that each worker does at this moment."""
    with connected(cluster) as found:
        return {address: values["running"] for address, values in found.on_each(worker.worker_facts).items()}


def blocks_ctrl_c(pid: int) -> bool:
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return bool(int(status["SigBlk"], 16) >> (signal.SIGINT - 1) & 1)


def alive_in(session: int) -> list[int]:
    """Processes of a session."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ProcessLookupError):
            if os.getsid(int(path.name)) == session:
                found.append(int(path.name))
    return found
