"""The public facade: limits as text, settings out of range, evaluation files, batches."""

from __future__ import annotations

import _thread
import gc
import math
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shortages import threads_left
from tables import save_random

import kr
from kr import Engine, InvalidSettingError, InvalidWeightsError, KrError, Limits, Position
from kr.engine.result import Info
from kr.engine.search import Search, Stop
from kr.errors import ThreadError

pytestmark = pytest.mark.core


@pytest.mark.parametrize("text", ["", "fast", "depth", "plies=3", "nodes=-1", "nodes=0", "0s", "1s,2s", "depth=1.5"])
def test_bad_limits(text: str) -> None:
    with pytest.raises(InvalidSettingError):
        Limits.parse(text)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("hash_mb", value) for value in (0, -5, 1e9, "x", "64", True, None, float("nan"), float("inf"))),
        *(("threads", value) for value in (0, 1025, "2", 1.5, True, None, float("nan"))),
        *(("database", value) for value in (5, ["none"], "a\0b", "a" * 5000)),
        *(("options", value) for value in (5, "lmr_move=4", {"lmr_move": "4"}, {"lmr_move": 1.5}, {"lmr_mvoe": 4})),
    ],
)
def test_invalid_settings_are_refused(name: str, value: Any) -> None:
    with pytest.raises(InvalidSettingError) as found:
        Engine("material", **{"hash_mb": 1, "database": "none", name: value})
    assert "\n" not in str(found.value)
    assert name in str(found.value) or repr(value) in str(found.value) or "search option" in str(found.value)


# --- searches


@pytest.fixture
def engine() -> Iterator[Engine]:
    """One that must be as good as new after each test."""
    engine = Engine("material", hash_mb=1, database="none")
    yield engine
    assert engine.search(Position(), Limits(depth=4)).depth == 4
    engine.new_game()
    engine.set_options({})


def test_a_search_takes_numbers_and_texts_as_limits(engine: Engine) -> None:
    assert engine.search(Position(), "nodes=2000").nodes == 2000
    assert engine.search(Position(), "depth=3").depth == 3
    assert 0.03125 <= engine.search(Position(), np.float32(0.03125)).time < 10


NO_LIMITS = (None, [], {}, "", "soon", "plies=3", "5m+3s", 0, -1, 0.0, True, float("nan"))


@pytest.mark.parametrize(
    "arguments",
    [
        *({"limits": limits} for limits in NO_LIMITS),
        *({"position": position} for position in (None, "W:W1", 5)),
        *({"history": history} for history in (None, 5, [None], ["W:W1"], "W:W1", [Position(), 3])),
        *({"multipv": multipv} for multipv in (0, 65, "2", 1.5, None, True)),
        {"on_info": 5},
        {"stop": 5},
        {"stop": threading.Event()},
        {"position": Position.from_fen("W:W:B1")},
    ],
    # without the addresses of objects: the processes that share the tests must know them by the same names
    ids=lambda arguments: re.sub(" at 0x[0-9a-f]+", "", str(arguments)),
)
def test_a_bad_argument_leaves_the_engine_usable(engine: Engine, arguments: dict[str, Any]) -> None:
    given = {"position": Position(), "limits": Limits(depth=2), **arguments}
    with pytest.raises(KrError) as found:
        engine.search(**given)
    assert "\n" not in str(found.value)
    if "stop" not in given:
        with pytest.raises(KrError, match=re.escape(str(found.value))):
            engine.start(**given)


@pytest.mark.parametrize(
    "fields",
    [{"time": "1"}, {"nodes": 1.5}, {"depth": True}, {"left": "x"}, {"moves": 2.5}, {"inc": "1"}, {"inc": None}],
)
def test_limits_are_numbers(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidSettingError, match=next(iter(fields))):
        Limits(**fields)
    assert Limits(nodes=1e6) == Limits(nodes=1_000_000)  # type: ignore[arg-type]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("error", [OSError, StopIteration, KeyboardInterrupt, SystemExit, InvalidSettingError])
def test_an_exception_in_a_callback_ends_the_search(threads: int, error: type[BaseException]) -> None:
    engine = Engine("material", hash_mb=1, threads=threads, database="none")
    running = _thread._count()

    def on_info(info: object) -> None:
        raise error("enough")

    for _ in range(3):
        with pytest.raises(error, match="enough"):
            engine.search(Position(), Limits(), on_info=on_info)
        assert _thread._count() == running
        assert engine.search(Position(), Limits(depth=4)).depth == 4


@pytest.mark.parametrize(
    "call",
    [
        lambda engine: engine.search(Position(), Limits(depth=1)),
        lambda engine: engine.new_game(),
        lambda engine: engine.set_options({}),
    ],
)
def test_a_callback_cannot_use_its_own_engine(engine: Engine, call: Callable[[Engine], object]) -> None:
    with pytest.raises(InvalidSettingError, match="searching already"):
        engine.search(Position(), Limits(depth=3), on_info=lambda info: call(engine) and None)


# --- stops


def test_a_stop_without_a_search_does_nothing(engine: Engine) -> None:
    engine.stop()
    engine.stop()
    assert engine.search(Position(), Limits(depth=5)).depth == 5


def test_a_stop_from_a_callback_ends_the_search(engine: Engine) -> None:
    def on_info(info: Any) -> None:
        if info.depth == 4:
            engine.stop()

    assert engine.search(Position(), Limits(), on_info=on_info).depth == 4


def test_a_stop_that_is_set_early_or_late_belongs_to_its_search(engine: Engine) -> None:
    early, late = Stop(), Stop()
    early.set()
    assert engine.search(Position(), Limits(), stop=early).depth == 1
    assert engine.search(Position(), Limits(depth=5), stop=late).depth == 5
    late.set()
    assert engine.search(Position(), Limits(depth=5)).depth == 5


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_asked_for_and_stopped_at_once_ends(threads: int) -> None:
    """Wherever the stop finds it: before the thread has begun, in the search, or at its end."""
    engine = Engine("material", hash_mb=1, threads=threads, database="none")
    for round in range(100):
        stop = Stop()
        limits = Limits() if round % 2 else Limits(nodes=300)
        asked = threading.Thread(target=engine.search, args=(Position(), limits), kwargs={"stop": stop}, daemon=True)
        asked.start()
        time.sleep(round * 2e-5)
        stop.set()
        asked.join(60)
        assert not asked.is_alive()
        assert engine.search(Position(), Limits(depth=3)).depth == 3


def test_a_new_game_waits_for_a_search_that_was_stopped(engine: Engine) -> None:
    searching = threading.Event()
    thread = threading.Thread(
        target=engine.search, args=(Position(), Limits()), kwargs={"on_info": lambda info: searching.set()}
    )
    thread.start()
    assert searching.wait(60)
    with pytest.raises(InvalidSettingError, match="searching already"):
        engine.search(Position(), Limits(depth=1))
    engine.stop()
    engine.new_game()
    thread.join(60)
    assert not thread.is_alive()


# --- searches that are held

SCRIPT = """
import gc, time, kr
engine = kr.Engine("material", hash_mb=1, threads={threads}, database="none")
held = engine.start(kr.Position(), kr.Limits(), on_info=lambda info: {on_info})
{rest}
"""


def test_a_held_search_finds_what_a_plain_one_does(engine: Engine) -> None:
    infos: list[Info] = []
    plain = engine.search(Position(), "nodes=20000", multipv=2, on_info=infos.append)
    engine.new_game()
    heard: list[Info] = []
    search = engine.start(Position(), "nodes=20000", multipv=2, on_info=heard.append)
    seen = [list(search) for _ in range(2)]
    held = search.result(60)
    assert search.done
    assert replace(held, time=0, lines=()) == replace(plain, time=0, lines=())
    assert seen[0] == seen[1] == heard
    assert [replace(info, time=0) for info in heard] == [replace(info, time=0) for info in infos]


def test_a_held_search_runs_until_it_is_stopped(engine: Engine) -> None:
    with engine.start(Position(), Limits()) as search:
        depths = (info.depth for info in search)
        assert [next(depths) for _ in range(3)] == [1, 2, 3]
        with pytest.raises(TimeoutError):
            search.result(0.01)
        with pytest.raises(InvalidSettingError, match="searching already"):
            engine.start(Position(), Limits(depth=1))
        assert not search.done
    assert search.done
    assert search.result(0).depth >= 3
    search.stop()


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_begun_and_stopped_at_once_ends_and_no_other(threads: int) -> None:
    engine = Engine("material", hash_mb=1, threads=threads, database="none")
    before: Search | None = None
    for round in range(100):
        search = engine.start(Position(), Limits() if round % 2 else Limits(nodes=300))
        time.sleep(round * 2e-5)
        search.stop()
        assert search.result(60).depth >= 1
        if before is not None:
            # a search that ended long ago
            before.stop()
        assert engine.start(Position(), Limits(depth=3)).result(60).depth == 3
        before = search


def test_a_search_tells_its_progress_between_iterations(engine: Engine) -> None:
    infos: list[Info] = []
    with engine.start(Position(), Limits(), on_info=infos.append) as search:
        seen = set()
        until = time.monotonic() + 60
        # several counts of nodes within one iteration
        while max((sum(depth == each for each, _ in seen) for depth, _ in seen), default=0) < 3:
            progress = search.progress()
            assert progress is not None
            if progress.depth > 8:
                seen.add((progress.depth, progress.nodes))
            assert time.monotonic() < until
        assert progress.time > 0
        last, after = infos[-1], search.progress()
        assert after is not None
        assert after.depth >= last.depth
        assert after.nodes >= last.nodes
    assert search.progress() is None
    with engine.start(Position(), Limits(), on_info=infos.append) as other:
        # another search is not this one's progress, and begins at nothing
        now = other.progress()
        assert now is not None
        assert now.nodes < progress.nodes
        assert search.progress() is None


@pytest.mark.parametrize("depth", [1, 5])
def test_the_engine_itself_ends_a_held_search(engine: Engine, depth: int) -> None:
    search = engine.start(Position(), Limits(), on_info=lambda info: engine.stop() if info.depth == depth else None)
    # which waits for its end
    engine.new_game()
    assert search.result(60).depth == depth


def test_the_end_of_a_search_is_reported_once_the_engine_is_free(engine: Engine) -> None:
    ends: list[object] = []
    # by number: one may end, and begin the next, before the thread that began it has its handle
    searches: dict[int, Search] = {}

    def again(outcome: object) -> None:
        ends.append(outcome)
        if (number := len(ends)) < 4:
            searches[number] = engine.start(Position(), Limits(depth=number), on_end=again)

    searches[0] = engine.start(Position(), Limits(depth=9), on_end=again)
    while len(ends) < 4 or len(searches) < 4:
        time.sleep(0.001)
    chain = [searches[number] for number in range(4)]
    assert [search.result(60) for search in chain] == ends
    assert [search.result().depth for search in chain] == [9, 1, 2, 3]


@pytest.mark.parametrize("where", ["on_info", "on_end"])
@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt, SystemExit, InvalidSettingError])
def test_an_exception_in_a_callback_is_the_result_of_a_held_search(
    engine: Engine, where: str, error: type[BaseException]
) -> None:
    def fail(given: object) -> None:
        raise error("enough")

    search = engine.start(Position(), Limits(depth=4), **{where: fail})  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(error, match="enough"):
            search.result(60)
    assert len(list(search)) == (1 if where == "on_info" else 4)


def test_a_search_that_nobody_holds_is_stopped(engine: Engine) -> None:
    ended = threading.Event()
    engine.start(Position(), Limits(), on_end=lambda outcome: ended.set())
    gc.collect()
    assert ended.wait(60)


@pytest.mark.parametrize("where", ["on_info", "on_end"])
@pytest.mark.parametrize(
    "wait", [Search.close, Search.result, list, lambda search: search.result(60)], ids=["close", "result", "list", "60"]
)
def test_a_search_cannot_wait_for_itself(engine: Engine, where: str, wait: Callable[[Search], object]) -> None:
    held: list[Search] = []
    begun = threading.Event()

    def ask(_: object) -> None:
        begun.wait(60)
        with pytest.raises(TimeoutError):
            held[0].result(0)
        wait(held[0])

    held.append(engine.start(Position(), Limits(), **{where: ask}))  # type: ignore[arg-type]
    begun.set()
    if where == "on_end":
        held[0].stop()
    with pytest.raises(InvalidSettingError, match="can't wait for itself"):
        held[0].result(60)
    assert engine.search(Position(), Limits(depth=3)).depth == 3


@pytest.mark.posix("no setitimer")
def test_a_search_can_be_waited_for_by_a_signal_handler_and_what_it_interrupts(engine: Engine) -> None:
    depths: list[int] = []

    def handler(number: int, frame: object) -> None:
        search.stop()
        depths.append(search.result(60).depth)

    before = signal.signal(signal.SIGALRM, handler)
    try:
        search = engine.start(Position(), Limits())
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        depths.append(search.result(60).depth)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert len(depths) == 2
    assert depths[0] == depths[1]


@pytest.mark.parametrize("timeout", ["1s", True, math.nan])
def test_invalid_timeouts_are_refused(engine: Engine, timeout: Any) -> None:
    with engine.start(Position(), Limits()) as search:
        with pytest.raises(InvalidSettingError, match="the timeout is"):
            search.result(timeout)
        with pytest.raises(TimeoutError):
            search.result(-1)
    assert search.result(1e300) == search.result(math.inf)


def test_the_engine_ends_a_search_and_not_the_others_of_its_stop() -> None:
    stop = Stop()
    engines = [Engine("material", hash_mb=1, database="none") for _ in range(2)]
    ends: queue.Queue[int] = queue.Queue()

    def search(number: int) -> None:
        engines[number].search(Position(), Limits(), stop=stop)
        ends.put(number)

    threads = [threading.Thread(target=search, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    while ends.empty():
        engines[0].stop()
        time.sleep(0.001)
    assert ends.get() == 0
    assert not stop.is_set()
    with pytest.raises(queue.Empty):
        ends.get(timeout=0.05)
    stop.set()
    assert ends.get(timeout=60) == 1
    for thread in threads:
        thread.join()


def test_an_interrupted_start_leaves_nothing_to_wait_for(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> int:
        raise KeyboardInterrupt

    # no signal can be timed to come at this very moment
    with monkeypatch.context() as patch:
        patch.setattr(_thread, "start_new_thread", interrupt)
        with pytest.raises(KeyboardInterrupt):
            engine.start(Position(), Limits())
    assert not kr.engine.search.under_way
    assert engine.search(Position(), Limits(depth=3)).depth == 3


# gcc's AddressSanitizer does not lock its allocator for a fork: the child hangs if another thread was allocating
unsafe_fork = pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="fork under AddressSanitizer")


@pytest.mark.slow
@pytest.mark.posix("no fork")
@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=unsafe_fork)])
def test_a_process_that_is_forked_does_not_wait_for_the_search(threads: int) -> None:
    script = f"""
import os, kr
engine = kr.Engine("material", hash_mb=1, threads={threads}, database="none")
with engine.start(kr.Position(), kr.Limits()) as search:
    next(iter(search))
    child = os.fork()
    if child == 0:
        try:
            search.result()
        except kr.errors.ThreadError:
            engine.new_game()
            raise SystemExit(engine.search(kr.Position(), "depth=5").depth)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
    assert not search.done
assert search.result().depth > 0
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_a_program_ends_soon_with_many_searches_that_do_not() -> None:
    script = """
import time, kr
engines = [kr.Engine("material", hash_mb=1, database="none") for _ in range(6)]
held = [engine.start(kr.Position(), kr.Limits(), on_info=lambda info: time.sleep(3600)) for engine in engines]
print(flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        began = time.monotonic()
        assert process.wait(60) == 0
    assert time.monotonic() - began < 10


@pytest.mark.slow
@pytest.mark.parametrize(
    ("on_info", "rest", "threads"),
    [
        ("None", "", 1),
        ("None", "time.sleep(0.05)", 2),
        ("None", "raise SystemExit(0)", 1),
        ("time.sleep(3600)", "time.sleep(0.05)", 1),
        pytest.param("time.sleep(3600)", "time.sleep(0.05)", 2, marks=pytest.mark.soak),
        ("engine.start", "del held; gc.collect()", 2),
    ],
)
def test_a_program_ends_with_a_search_under_way(threads: int, on_info: str, rest: str) -> None:
    script = SCRIPT.format(threads=threads, on_info=on_info, rest=rest)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.posix("no setrlimit")
def test_a_held_search_without_a_thread(engine: Engine) -> None:
    with threads_left(0), pytest.raises(ThreadError, match="cannot start a thread"):
        engine.start(Position(), Limits())


# --- threads


@pytest.mark.posix("no setrlimit")
@pytest.mark.parametrize("started", [0, 1, 5])
def test_threads_that_cannot_all_be_started(started: int) -> None:
    engine = Engine("material", hash_mb=1, threads=7, database="none")
    running = _thread._count()
    with threads_left(started), pytest.raises(ThreadError, match="cannot start 7 threads"):
        engine.search(Position(), Limits())
    assert _thread._count() == running
    assert engine.search(Position(), Limits(depth=6)).depth == 6


@pytest.mark.slow
def test_weights_from_a_file(tmp_path: Path) -> None:
    engine = Engine(save_random(tmp_path / "mine.h5"), hash_mb=1)
    assert engine.name == "mine"
    assert engine.search(Position(), Limits(nodes=2000)).nodes == 2000


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("a\0b", InvalidSettingError), ("\ud800", InvalidWeightsError), ("a" * 5000, InvalidWeightsError),
        (b"x", InvalidSettingError), (3, InvalidSettingError),
    ],
)  # fmt: skip
def test_names_that_are_not_file_names_are_refused(name: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        Engine(name)


def test_no_such_weights(tmp_path: Path) -> None:
    with pytest.raises(InvalidWeightsError, match=r"none\.h5"):
        Engine(tmp_path / "none.h5")


def test_a_batch_is_many_single_scores() -> None:
    engine = Engine("manual", hash_mb=1)
    positions = [Position(), Position().play("11-15"), Position.from_fen("W:W21,K30:B1,2")]
    rows = np.array([(p.black, p.white, p.kings, p.side) for p in positions])
    assert engine.evaluate_batch(rows).tolist() == [engine.evaluate(p) for p in positions]
    assert engine.evaluate_batch(np.zeros((0, 4))).shape == (0,)


@pytest.mark.parametrize("rows", [[[1, 2, 0]], [[1, 1, 0, 0]], [[1, 2, 4, 0]], [[1, 2, 0, 2]]])
def test_batches_that_are_not_positions_are_refused(rows: list[list[int]]) -> None:
    with pytest.raises(InvalidSettingError):
        Engine("material", hash_mb=1).evaluate_batch(np.array(rows, dtype=np.uint32))


@pytest.mark.parametrize("number", [-1, 1 << 32, 0.5, float("nan"), float("inf"), "x", None])
def test_batches_of_invalid_numbers_are_refused(number: Any) -> None:
    with pytest.raises(InvalidSettingError, match="32-bit"):
        Engine("material", hash_mb=1).evaluate_batch(np.array([[number, 0, 0, 0]]))
