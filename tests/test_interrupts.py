"""Ctrl-C ends whatever the main thread waits for, though nothing wakes the wait.

On Windows a signal is handled in a thread of its own, and the main thread hears of it when its wait is over. Here a
thread raises the signal in itself, which is the same on every system.
"""

import ast
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import kr
from kr.__main__ import unraisable
from kr.engine.engine import Engine
from kr.game.perft import perft
from kr.game.position import Position
from kr.jobs.kinds import Kind, Portion
from kr.jobs.needs import Needs
from kr.jobs.pool import Pool
from kr.jobs.unit import Unit
from kr.protocols.dxp import ListenSettings, listen
from kr.protocols.dxp_link import Link, open_connection, open_server
from kr.protocols.hub_client import HubClient
from kr.threads import awaited, in_slices, join, results, thread_pool

AT_ONCE = 10.0
"""Seconds in which Ctrl-C is heard on a busy machine."""
FOR_LONG = 60.0
"""Seconds that the wait would take without it."""


@contextmanager
def busy() -> Iterator[threading.Event]:
    """An event that nobody sets before the end of the block."""
    never = threading.Event()
    try:
        yield never
    finally:
        never.set()


def for_a_thread() -> None:
    with busy() as never:
        thread = threading.Thread(target=never.wait, args=(FOR_LONG,))
        thread.start()
        join(thread)


def for_a_result() -> None:
    with thread_pool(1) as pool, busy() as never:
        awaited(pool.submit(never.wait, FOR_LONG))


def for_the_first_of_several_results() -> None:
    with thread_pool(2) as pool, busy() as never:
        list(results(pool, lambda number: never.wait(FOR_LONG), range(5)))


def for_a_search() -> None:
    with Engine("material", hash_mb=1, database=None).start(Position(), FOR_LONG) as search:
        search.result()


def for_a_unit_of_work() -> None:
    class Slow(Kind):
        def open(self, unit, needs):
            return None

        def steps(self, unit, needs):
            yield [Portion(lambda tools, stop: in_slices(lambda seconds: stop.is_set() or never.wait(0.01), FOR_LONG))]

    with busy() as never, closing(Pool(Slow(), Needs(), 1).run([Unit("slow", "1", {}, {}, {})])) as parts:
        list(parts)


def for_a_count_of_leaves() -> None:
    perft(Position(), 18, 2)


def for_a_caller() -> None:
    listen(ListenSettings(address="0", weights="material", hash=1 << 20, egdb="none"))


def for_a_message() -> None:
    with open_server(("127.0.0.1", 0)) as server:
        link: Link = Link(open_connection(server.getsockname()[:2], 5.0))
        with closing(link):
            link.take()


def for_an_engine() -> None:
    HubClient([sys.executable, "-c", f"import time; time.sleep({FOR_LONG})"])


WAITS: list[Callable[[], None]] = [
    for_a_thread, for_a_result, for_the_first_of_several_results, for_a_search, for_a_unit_of_work,
    for_a_count_of_leaves, for_a_caller, for_a_message, for_an_engine,
]  # fmt: skip


@pytest.mark.parametrize("wait", WAITS, ids=lambda wait: wait.__name__)
def test_ctrl_c_ends_a_wait(wait: Callable[[], None]) -> None:
    assert threading.current_thread() is threading.main_thread()
    pressed = [0.0]

    def press() -> None:
        time.sleep(0.15)
        pressed[0] = time.monotonic()
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=press)
    with pytest.raises(KeyboardInterrupt):
        # inside: whenever it comes, it ends this test alone
        thread.start()
        wait()
    assert time.monotonic() - pressed[0] < AT_ONCE
    thread.join()


def test_a_wait_that_is_over_gives_its_value() -> None:
    with thread_pool(2) as pool:
        assert list(results(pool, lambda number: number * number, range(5))) == [0, 1, 4, 9, 16]
        with pytest.raises(ZeroDivisionError):
            list(results(pool, lambda number: 1 / number, [1, 0, 1]))
        with pytest.raises(TimeoutError):
            awaited(pool.submit(_out_of_time))
    began = time.monotonic()
    assert not in_slices(lambda seconds: time.sleep(seconds), 0.5)
    assert time.monotonic() - began >= 0.5
    join(threading.Thread())


def _out_of_time() -> None:
    raise TimeoutError


# Waits without an end outside of kr.threads and of coroutines, with the reason why Ctrl-C need not end them.
ENDLESS = {
    ("engine/search.py", "bell.acquire()"): "of a lock that is free",
    ("jobs/pool.py", "self._news.get()"): "of a queue that is not empty",
    ("jobs/pool.py", "self._changed.wait()"): "in the pool's threads",
    ("hdf5/process.py", "self._process.wait()"): "of a process that has been killed",
    ("system/posix.py", "process.wait()"): "likewise",
    ("system/windows.py", "process.wait()"): "likewise",
    ("analysis/analysis.py", "self._search.result()"): "which waits in slices",
    ("learn/fitting/spread.py", "call.result()"): "likewise",
    ("web/services/working.py", "self._result.result()"): "of a task that is done",
    ("web/services/port.py", "arriving.result()"): "likewise",
    ("web/services/port.py", "inbox.get()"): "which a coroutine does",
    ("web/services/composing.py", "work.result()"): "likewise",
    ("web/services/proofs.py", "work.result()"): "likewise",
    ("web/services/proofs.py", "checking.result()"): "likewise",
    ("web/matches/requests.py", "match.join()"): "which has a limit of time",
    ("web/serve.py", "self._ready.wait()"): "in a thread of the server's",
    ("web/serve.py", "self.house.visited.wait()"): "likewise",
}


def endless_waits(path: Path) -> set[str]:
    """Calls of a module that wait without a limit of time."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    in_coroutines = {id(node.value) for node in nodes if isinstance(node, ast.Await)}
    return {
        ast.unparse(node)
        for node in nodes
        if isinstance(node, ast.Call) and not node.args and not node.keywords and id(node) not in in_coroutines
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("acquire", "get", "join", "result", "wait")
        # a context variable
        if ast.unparse(node.func) != "viewer.get"
    }


def test_no_other_wait_is_endless() -> None:
    package = Path(kr.__file__).parent
    found = {
        (path.relative_to(package).as_posix(), wait)
        for path in package.rglob("*.py")
        if path != package / "threads.py"
        for wait in endless_waits(path)
    }
    assert found == set(ENDLESS)


def test_an_interrupt_in_a_callback_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python drops what a callback raises, as those of imports do."""

    class Dropped:
        def __del__(self) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "unraisablehook", unraisable)
    dropped = [Dropped()]
    with pytest.raises(KeyboardInterrupt):
        dropped.clear()
        ends = time.monotonic() + AT_ONCE
        while time.monotonic() < ends:
            time.sleep(0.01)


def test_other_lost_errors_are_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Broken:
        def __del__(self) -> None:
            raise RuntimeError("something else")

    monkeypatch.setattr(sys, "unraisablehook", unraisable)
    broken = [Broken()]
    broken.clear()
    assert "something else" in capsys.readouterr().err
