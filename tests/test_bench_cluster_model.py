"""bench/cluster_model.py: runs whose length is known without it."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

MODEL = runpy.run_path(str(Path(__file__).parent.parent / "bench" / "cluster_model.py"))
Costs, Work, simulate, largest, fit_seconds = (
    MODEL[name] for name in ("Costs", "Work", "simulate", "largest", "fit_seconds")
)
FREE = Costs(send=0, take=0, take_game=0, schedule=0, network=1e30, disk=1e30, files=0)
STEADY = Work("steady", 10.0, 0.0, 1e6, 100)


@pytest.mark.parametrize(("cores", "tasks", "seconds"), [(1, 7, 70.0), (2, 8, 40.0), (4, 4, 10.0), (10, 100, 100.0)])
def test_without_costs_cores_share_the_work(cores: int, tasks: int, seconds: float) -> None:
    run = simulate(STEADY, cores, tasks, FREE)
    # the parts at the end are of a second
    assert seconds - 1e-6 <= run.seconds <= seconds + 1.0
    assert run.efficiency == pytest.approx(seconds / run.seconds)
    assert run.limit == "none"


def test_tasks_are_split_at_the_end() -> None:
    # three tasks for two cores: 15 s if the last one is shared, 20 s if not
    assert simulate(STEADY, 2, 3, FREE).seconds == pytest.approx(15.5, abs=0.5)
    whole = Work("whole", 10.0, 0.0, 1e6, 100, pieces=1)
    assert simulate(whole, 2, 3, FREE).seconds == pytest.approx(20.0)


@pytest.mark.parametrize(
    ("costs", "name"),
    [
        ({"take_game": 0.01}, "coordinator"),
        ({"disk": 1e6}, "coordinator"),
        ({"schedule": 1.0}, "scheduler"),
        ({"network": 1e6}, "network"),
    ],
)
def test_the_slowest_server_sets_the_pace(costs: dict[str, float], name: str) -> None:
    costs = Costs(**{**vars(FREE), **costs})
    # each costs a second a task; ten cores do one in a second, a hundred can't do more
    whole = Work("whole", 10.0, 0.0, 1e6, 100, pieces=1)
    assert largest(whole, costs)[name] == pytest.approx(10.0)
    run = simulate(whole, 100, 500, costs)
    assert run.seconds == pytest.approx(500, rel=0.1)
    assert run.efficiency == pytest.approx(0.1, rel=0.1)
    assert run.limit == name


def test_workers_that_share_cores_are_slower() -> None:
    assert simulate(STEADY, 8, 16, FREE, processors=2).seconds == pytest.approx(82.0, abs=2.0)


def test_runs_repeat_and_vary_with_the_seed() -> None:
    varied = Work("varied", 10.0, 0.3, 1e6, 100)
    runs = [simulate(varied, 5, 50, Costs(), seed).seconds for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


def test_files_reach_machines_by_doubling() -> None:
    costs = Costs(**{**vars(FREE), "files": 1e9, "network": 1e9})
    one, many = (simulate(STEADY, cores, cores, costs).seconds for cores in (16, 16 * 64))
    assert one == pytest.approx(11.5, abs=0.5)
    assert many == pytest.approx(17.0 + 16 * 64 * 1e6 / 1e9, rel=0.1)


def test_more_threads_a_worker_mean_fewer_gradients() -> None:
    few, many = (fit_seconds(64, 4e8, Costs(), threads)["gradients"] for threads in (16, 1))
    assert many == pytest.approx(16 * few)
