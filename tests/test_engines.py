"""Work shared out among engines."""

import pytest

from kr.engine import Engine, Limits
from kr.lab.engines import AHEAD, share_out
from kr.position import Position

pytestmark = pytest.mark.core


def test_who_stops_asking_ends_all_searches_of_a_job() -> None:
    begun: list[int] = []
    ended: list[int] = []

    def work(job: int, engine: Engine) -> int:
        begun.append(job)
        for _ in range(5 if job else 0):
            engine.search(Position(), Limits(time=10))
        ended.append(job)
        return job

    engines = [Engine("material", 1, database="none") for _ in range(3)]
    outcomes = share_out(range(9), engines, work)
    assert next(outcomes) == (0, 0)
    outcomes.close()
    assert sorted(begun) == sorted(ended)
    assert len(begun) < 9


def test_jobs_are_taken_as_they_are_needed() -> None:
    taken: list[int] = []
    engines = [Engine("material", 1, database="none") for _ in range(2)]
    jobs = (taken.append(number) or number for number in range(1000))
    done = 0
    for _ in share_out(jobs, engines, lambda job, engine: job):
        done += 1
        assert len(taken) <= done + AHEAD * len(engines)
    assert done == 1000
