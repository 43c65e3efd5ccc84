"""The pool of long work: its order, what runs side by side, errors, ends and interrupts."""

from __future__ import annotations

import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from types import FrameType
from typing import Any

import pytest
from portions import results

from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.game.position import Position
from kr.jobs.kinds import Kind, Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.pool import AHEAD, Pool, interruptible
from kr.jobs.progress import Progress
from kr.jobs.unit import Unit


class Toys(Kind[list[str], str]):
    """Units whose values are steps of pieces, each a text that is its value; "" has none. Tools are a log."""

    def __init__(self, do: Callable[[str, Stop], None] = lambda text, stop: None) -> None:
        self.do = do
        self.opened: list[list[str]] = []
        self.stopped = self.closed = 0

    def open(self, unit: Unit, needs: Needs) -> list[str]:
        self.opened.append([])
        return self.opened[-1]

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[list[str], str]:
        for step in unit.values["steps"]:
            yield [Portion(partial(self._do, text)) for text in step]

    def _do(self, text: str, tools: list[str], stop: Stop) -> str | None:
        self.do(text, stop)
        tools.append(text)
        return text or None

    def stop(self, tools: list[str]) -> None:
        self.stopped += 1

    def close(self, tools: list[str]) -> None:
        self.closed += 1


def toy(key: object, *steps: Sequence[str]) -> Unit:
    return Unit("toy", str(key), values={"steps": steps or [[str(key)]]})


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_all_pieces_are_done_in_the_order_of_their_steps(workers: int) -> None:
    units = [toy(i, ["a", "b", ""], [], ["c"], ["d", "e"]) for i in range(20)]
    done: list[tuple[str, int]] = []
    toys = Toys()
    for part in Pool(toys, Needs(), workers).run(units):
        done.append((part.unit.key, part.number))
        steps = [0, 0, 0, 1, 2, 2]
        mine = [steps[number] for key, number in done if key == part.unit.key]
        assert mine == sorted(mine)
        assert part.last == (len(mine) == len(steps))
    assert sorted(done) == sorted((unit.key, number) for unit in units for number in range(6))
    assert toys.closed == len(toys.opened) <= workers
    assert toys.stopped == 0


def test_pieces_of_a_step_are_done_side_by_side() -> None:
    together = threading.Barrier(3)
    parts = list(Pool(Toys(lambda text, stop: together.wait(60) and None), Needs(), 3).run([toy(0, "abc")]))
    assert results(parts) == {"0": ["a", "b", "c"]}


def test_values_stay_what_they_are_within_a_process() -> None:
    value = object()

    class Things(Toys):
        def _do(self, text: str, tools: list[str], stop: Stop) -> Any:
            return value

    assert [part.value is value for part in Pool(Things(), Needs(), 2).run(toy(i) for i in range(3))] == [True] * 3


def test_units_are_taken_as_they_are_needed() -> None:
    taken: list[int] = []
    units = (taken.append(i) or toy(i) for i in range(500))  # type: ignore[func-returns-value]
    for done, _ in enumerate(Pool(Toys(), Needs(), 2).run(units)):
        assert len(taken) <= done + AHEAD * 2
    assert len(taken) == 500


def test_units_may_wait_for_others() -> None:
    """Each needs the two before it; the coordinator hears of a unit before it is asked for the next."""
    done: set[int] = set()

    def units() -> Iterator[Unit | None]:
        for i in range(30):
            while not {i - 2, i - 4} <= done | {-4, -3, -2, -1}:
                yield None
            yield toy(i)

    for part in Pool(Toys(), Needs(), 4).run(units()):
        done.add(int(part.unit.key))
    assert done == set(range(30))


def test_an_error_ends_the_work_and_is_raised_once() -> None:
    def fail(text: str, stop: Stop) -> None:
        if text in ("7", "8"):
            raise ZeroDivisionError(text)

    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        list(Pool(Toys(fail), Needs(), 3).run(toy(i) for i in range(1000)))
    assert threading.active_count() == before


@pytest.mark.parametrize("how", ["stop", "close"])
def test_what_is_done_when_the_work_is_ended_is_not_lost(how: str) -> None:
    """End, in good order or not; nothing new is begun."""
    first, both = threading.Event(), threading.Barrier(3)

    def wait(text: str, stop: Stop) -> None:
        if text != "0":
            both.wait(60)
            first.wait(60)

    toys = Toys(wait)
    work = Pool(toys, Needs(), 2)
    with closing(work.run(toy(i, [str(i)], ["more"]) if i else toy(0) for i in range(100))) as parts:
        seen = [next(parts)]
        both.wait(60)
        threading.Timer(0.1, first.set).start()
        if how == "stop":
            work.stop()
            seen += parts
    seen += work.rest()
    assert sorted(part.value for part in seen) == ["0", "1", "2"]
    assert not any("more" in log for log in toys.opened)
    assert toys.stopped


def test_searches_that_are_between_two_hear_of_a_stop() -> None:
    engine = Engine("material", 1, database="none")

    def search(text: str, stop: Stop) -> None:
        for _ in range(5):
            engine.search(Position(), Limits(time=20 if int(text) else 0.01), stop=stop)

    with closing(Pool(Toys(search), Needs(), 1).run(toy(i) for i in range(9))) as parts:
        assert next(parts).value == "0"


def test_a_chunk_is_let_go_before_the_next_one_is_waited_for() -> None:
    """A slice of a database, so large that there is no room for a second one."""
    chunks: list[weakref.ref[memoryview]] = []
    let_go = []

    class Slices(Toys):
        def _do(self, text: str, tools: list[str], stop: Stop) -> memoryview:
            if text == "1":
                ends = time.monotonic() + 60
                while chunks[0]() is not None and time.monotonic() < ends:
                    time.sleep(0.001)
                let_go.append(chunks[0]() is None)
            chunk = memoryview(b"x")
            chunks.append(weakref.ref(chunk))
            return chunk

    for part in Pool(Slices(), Needs(), 1).run(toy(i) for i in range(2)):
        del part
    assert let_go == [True]


def test_an_interrupt_as_the_pool_is_locked_does_not_leave_it_locked() -> None:
    """It may be raised after each call, also in what a `with` enters."""

    def interrupt(frame: FrameType, event: str, called: object) -> None:
        if event == "c_return" and getattr(called, "__name__", "") == "__enter__":
            raise KeyboardInterrupt

    def units() -> Iterator[Unit]:
        yield toy(0)
        sys.setprofile(interrupt)
        yield toy(1)

    def work() -> None:
        with suppress(KeyboardInterrupt):
            list(Pool(Toys(), Needs(), 1).run(units()))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


def test_the_first_interrupt_stops_and_the_second_is_raised() -> None:
    stopped = []
    with pytest.raises(KeyboardInterrupt), interruptible(lambda: stopped.append(1)):
        signal.raise_signal(signal.SIGINT)
        assert stopped == [1]
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_progress_leaves_out_what_was_done_before(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("kr.jobs.progress.time.monotonic", lambda: now[0])
    progress = Progress(total=50)
    now[0] += 7
    progress.skip(10)
    now[0] += 5
    progress.advance(20)
    assert (progress.count, progress.rate, progress.seconds_left) == (30, 4.0, 5.0)
