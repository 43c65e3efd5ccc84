"""Work shared out among engines."""

import pytest

from kr.engine import Engine, Limits
from kr.lab.engines import share_out
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
