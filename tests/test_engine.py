"""The public facade: limits as text, settings out of range, evaluation files, batches."""

from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tables import save_random

from kr import Engine, InvalidSettingError, InvalidWeightsError, KrError, Limits, Position
from kr.engine import Stop
from kr.errors import ThreadError

pytestmark = pytest.mark.core

LIMITS = {
    "0.3s": Limits(time=0.3),
    "20ms": Limits(time=0.02),
    "nodes=2000": Limits(nodes=2000),
    "nodes=2k": Limits(nodes=2000),
    "depth=8": Limits(depth=8),
    "1s,depth=8": Limits(time=1.0, depth=8),
    "5ms,nodes=100,depth=3": Limits(time=0.005, nodes=100, depth=3),
}


@pytest.mark.parametrize("text", LIMITS)
def test_limits_are_read_and_written(text: str) -> None:
    assert Limits.parse(text) == LIMITS[text]
    assert Limits.parse(str(LIMITS[text])) == LIMITS[text]


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
def test_settings_that_no_engine_has(name: str, value: Any) -> None:
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


@pytest.mark.parametrize(
    ("given", "limits"),
    [
        ("nodes=2000", Limits(nodes=2000)),
        ("depth=9", Limits(depth=9)),
        ("0.3s", Limits(time=0.3)),
        (0.5, Limits(time=0.5)),
        (2, Limits(time=2)),
        (np.float32(0.5), Limits(time=0.5)),
        (Limits(depth=2), Limits(depth=2)),
    ],
)
def test_limits_may_be_a_number_or_text(given: Any, limits: Limits) -> None:
    assert Limits.of(given) == limits


def test_a_search_takes_numbers_and_texts_as_limits(engine: Engine) -> None:
    assert engine.search(Position(), "nodes=2000").nodes == 2000
    assert engine.search(Position(), "depth=3").depth == 3
    assert 0.02 <= engine.search(Position(), 0.02).time < 10


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
    ids=str,
)
def test_a_bad_argument_leaves_the_engine_usable(engine: Engine, arguments: dict[str, Any]) -> None:
    with pytest.raises(KrError) as found:
        engine.search(**{"position": Position(), "limits": Limits(depth=2), **arguments})
    assert "\n" not in str(found.value)


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
def test_what_a_callback_raises_ends_the_search(threads: int, error: type[BaseException]) -> None:
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
def test_a_search_cannot_be_used_by_its_own_callback(engine: Engine, call: Callable[[Engine], object]) -> None:
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
        asked.join(20)
        assert not asked.is_alive()
        assert engine.search(Position(), Limits(depth=3)).depth == 3


def test_a_new_game_waits_for_a_search_that_was_stopped(engine: Engine) -> None:
    searching = threading.Event()
    thread = threading.Thread(
        target=engine.search, args=(Position(), Limits()), kwargs={"on_info": lambda info: searching.set()}
    )
    thread.start()
    assert searching.wait(20)
    with pytest.raises(InvalidSettingError, match="searching already"):
        engine.search(Position(), Limits(depth=1))
    engine.stop()
    engine.new_game()
    thread.join(20)
    assert not thread.is_alive()


# --- threads


@pytest.mark.parametrize("started", [0, 1, 5])
def test_threads_that_cannot_all_be_started(monkeypatch: pytest.MonkeyPatch, started: int) -> None:
    engine = Engine("material", hash_mb=1, threads=7, database="none")
    running, start, left = _thread._count(), _thread.start_new_thread, iter(range(started))

    def start_some(*arguments: Any) -> int:
        if next(left, None) is None:
            raise RuntimeError("can't start new thread")
        return start(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(_thread, "start_new_thread", start_some)
        with pytest.raises(ThreadError, match="cannot start 7 threads"):
            engine.search(Position(), Limits())
    assert _thread._count() == running
    assert engine.search(Position(), Limits(depth=6)).depth == 6


def test_weights_from_a_file(tmp_path: Path) -> None:
    engine = Engine(save_random(tmp_path / "mine.h5"), hash_mb=1)
    assert engine.name == "mine"
    assert engine.search(Position(), Limits(nodes=2000)).nodes == 2000


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "a" * 5000, b"x", 3])
def test_weights_that_no_file_is_called(name: Any) -> None:
    with pytest.raises(InvalidWeightsError):
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
def test_batches_that_are_no_positions(rows: list[list[int]]) -> None:
    with pytest.raises(InvalidSettingError):
        Engine("material", hash_mb=1).evaluate_batch(np.array(rows, dtype=np.uint32))


@pytest.mark.parametrize("number", [-1, 1 << 32, 0.5, float("nan"), float("inf"), "x", None])
def test_batches_of_other_numbers(number: Any) -> None:
    with pytest.raises(InvalidSettingError, match="32-bit"):
        Engine("material", hash_mb=1).evaluate_batch(np.array([[number, 0, 0, 0]]))
