"""Threads that the system does not start: all or none of a piece of work, one KrError, and nothing left running."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shortages import threads_left

from kr import cli
from kr.egdb.build import BuildSettings, build_database
from kr.egdb.sample import SampleSettings, write_sample
from kr.egdb.verify import VerifySettings, verify_database
from kr.engine.limits import Limits
from kr.errors import InvalidSettingError, ThreadError
from kr.game.perft import perft
from kr.game.position import Position
from kr.learn.selfplay import SelfplaySettings, selfplay
from kr.match.match import play_match
from kr.match.settings import MatchSettings
from kr.problems.problem import classics
from kr.problems.solving import SolveSettings, solve_all
from kr.protocols.hub_client import HubClient
from kr.system import core_count
from kr.threads import start_all, thread_pool, worker_count

pytestmark = pytest.mark.core

THREADS = 4


@pytest.mark.parametrize(
    ("system", "count"),
    [
        pytest.param(
            {"sched_getaffinity": lambda process: {0, 2, 5}, "cpu_count": lambda: 8},
            3,
            marks=pytest.mark.posix("no sched_getaffinity"),
        ),
        ({"process_cpu_count": lambda: 6, "cpu_count": lambda: 8}, 6),
        ({"cpu_count": lambda: 8}, 8),
        ({"cpu_count": lambda: None}, 1),
    ],
)
def test_cores_of_systems_with_and_without_affinity(
    system: dict[str, Any], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sched_getaffinity", "process_cpu_count"):
        monkeypatch.delattr(os, name, raising=False)
    for name, value in system.items():
        monkeypatch.setattr(os, name, value, raising=False)
    assert core_count() == count
    assert [worker_count(0), worker_count(2)] == [count, 2]


@pytest.mark.posix("no setrlimit")
@pytest.mark.parametrize("count", range(THREADS + 1))
def test_all_threads_start_or_none(count: int) -> None:
    ended, worked = threading.Event(), []
    threads = [threading.Thread(target=lambda: worked.append(ended.wait(60))) for _ in range(THREADS)]
    if count < THREADS:
        with threads_left(count), pytest.raises(ThreadError, match="cannot start 4 threads"):
            start_all(threads, ended.set)
        assert not any(thread.is_alive() for thread in threads)
    else:
        with threads_left(count):
            start_all(threads, ended.set)
        assert not ended.is_set()
        ended.set()
        for thread in threads:
            thread.join()
    assert worked == [True] * count


def test_a_pool_has_all_its_threads_from_the_start() -> None:
    with thread_pool(THREADS) as pool:
        barrier = threading.Barrier(THREADS)
        assert sorted(pool.map(lambda number: number + 0 * barrier.wait(60), range(THREADS))) == list(range(THREADS))


@pytest.mark.parametrize("count", [0, 1025])
def test_pools_of_an_impossible_size(count: int) -> None:
    with pytest.raises(InvalidSettingError), thread_pool(count):
        pass


def _solve(directory: Path, database: Path) -> None:
    solve_all(classics(), SolveSettings(tc=(Limits(time=3600),), workers=THREADS, egdb="none"))


def _selfplay(directory: Path, database: Path) -> None:
    selfplay(SelfplaySettings(games=1000, out=directory / "games", workers=THREADS, weights="material", egdb="none"))


def _match(directory: Path, database: Path) -> None:
    hour = Limits(time=3600)
    play_match(MatchSettings(a="material", b="manual", games=20, tc=hour, workers=THREADS, egdb="none"))


WORK: dict[str, Callable[[Path, Path], Any]] = {
    "perft": lambda directory, database: perft(Position(), 8, THREADS),
    "solving": _solve,
    "self-play": _selfplay,
    "match": _match,
    "egdb build": lambda directory, database: build_database(
        BuildSettings(pieces=3, dir=directory / "egdb", workers=THREADS)
    ),
    "egdb verify": lambda directory, database: verify_database(VerifySettings(dir=database, workers=THREADS)),
    "egdb sample": lambda directory, database: write_sample(
        SampleSettings(dir=database, out=directory / "sample.h5", pieces="2-3", workers=THREADS)
    ),
}


@pytest.mark.slow
@pytest.mark.posix("no setrlimit")
@pytest.mark.parametrize("started", [0, 2])
@pytest.mark.parametrize("work", WORK)
def test_work_whose_threads_cannot_be_started(tmp_path: Path, whole: Path, work: str, started: int) -> None:
    before = threading.active_count()
    with threads_left(started), pytest.raises(ThreadError):
        WORK[work](tmp_path, whole)
    assert threading.active_count() == before


@pytest.mark.posix("no setrlimit")
def test_perft_prints_nothing_but_the_error(capsys: pytest.CaptureFixture[str]) -> None:
    with threads_left(2):
        assert cli.main(["perft", "--depth", "8", "--threads", str(THREADS)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kr: cannot start 4 threads")


@pytest.mark.posix("no setrlimit")
def test_a_hub_engine_that_nobody_could_listen_to_is_not_left_running(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    processes: list[subprocess.Popen[str]] = []
    popen = subprocess.Popen

    def kept(*arguments: Any, **named: Any) -> subprocess.Popen[str]:
        processes.append(popen(*arguments, **named))
        return processes[-1]

    monkeypatch.setattr(subprocess, "Popen", kept)
    with threads_left(0), pytest.raises(ThreadError):
        HubClient(["sleep", "60"])
    [process] = processes
    assert process.poll() is not None
