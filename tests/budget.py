"""A plugin of pytest: what tests cost in processor seconds, and the run that fails where they cost too much.

`make pytest` gives `--budget tests/budget.json`. Elapsed time tells of the machine more than of the tests. Processor
time does too, if less: it is divided by how much longer a fixed piece of work takes here than it did there.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

MARGIN = 1.25
"""By how much a single test may go over: on a busy machine it costs that much more, which sums even out."""
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class Process(NamedTuple):
    """What Linux tells of a process."""

    parent: int
    start: int
    """In ticks since the machine started; numbers of processes are used again."""
    own: float
    """Processor seconds of its own."""
    waited: float
    """Processor seconds of those that it has started and waited for."""


def process(pid: int) -> Process:
    """A process by its number; OSError if there is none."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    user, system, user_waited, system_waited = (int(field) / TICKS for field in fields[11:15])
    return Process(int(fields[1]), int(fields[19]), user + system, user_waited + system_waited)


def started_by(pid: int) -> Iterator[int]:
    """The living processes that a process has started, and those that these have. Linux alone tells."""
    # it may have ended
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            for child in map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split()):
                yield child
                yield from started_by(child)


class Ledger:
    """Processor seconds of this process and of all that it has started.

    The system adds what a process has spent to its parent's figure when the parent waits for it. Nobody waits for what
    is killed after its parent, as the processes of a browser are: what they had spent at the last look is kept.
    """

    def __init__(self) -> None:
        self.seen: dict[int, Process] = {}
        self.waited = self.theirs = self.lost = 0.0
        self.next_look = 0.0

    def spent(self, look: bool = False) -> float:
        """Seconds until now. look: living processes are looked at in any case.

        To look at those of a browser, with hundreds of threads any of which may have started one, takes 4 ms; ten
        thousand tests end thirty thousand times. So it is done as often as takes one part in a hundred of the time, and
        where one of them has been waited for.
        """
        if look or time.monotonic() >= self.next_look or sum(os.times()[2:4]) > self.waited:
            start = time.monotonic()
            self.look()
            self.next_look = (now := time.monotonic()) + 100 * (now - start)
        return sum(os.times()[:2]) + self.waited + self.theirs + self.lost

    def look(self) -> None:
        """Look at all living processes, and at what has become of those that have ended since."""
        living: dict[int, Process] = {}
        for pid in started_by(os.getpid()):
            with suppress(OSError):
                living[pid] = process(pid)
        self.waited = sum(os.times()[2:4])
        living[os.getpid()] = Process(0, 0, 0.0, self.waited)
        ended: defaultdict[int, float] = defaultdict(float)
        for pid, was in self.seen.items():
            if pid not in living or living[pid].start != was.start:
                heir = was.parent
                while heir not in living and heir in self.seen:
                    heir = self.seen[heir].parent
                ended[heir] += was.own + was.waited
        for heir, seconds in ended.items():
            taken = living[heir].waited - self.seen[heir].waited if heir in living and heir in self.seen else 0.0
            self.lost += max(0.0, seconds - taken)
        self.seen = living
        self.theirs = sum(each.own + each.waited for pid, each in living.items() if pid != os.getpid())


def work() -> float:
    """Processor seconds of a fixed piece of work: the least of a few trials, as others use the machine too."""
    trials = []
    for _ in range(5):
        start = time.process_time()
        sum(number % 7 for number in range(1_000_000))
        trials.append(time.process_time() - start)
    return min(trials)


class Meter:
    """Says in the report of each phase of a test what it cost, and at the end what the whole process did."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.mark = 0.0
        self.work = 0.0

    def pytest_collection_finish(self) -> None:
        self.work = work()
        self.mark = self.ledger.spent()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        is_page = "browser" in getattr(item, "fixturenames", ())
        now = self.ledger.spent(look=is_page and report.when == "call")
        # its processes begin and end when they like: what a test of a page takes is known roughly
        report.limit = "page" if is_page else "test"  # type: ignore[attr-defined]
        # attributes go from the processes of pytest-xdist to the one that hears of all tests
        report.processor = now - self.mark  # type: ignore[attr-defined]
        self.mark = now
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["processor"] = self.ledger.spent(look=True)
            session.config.workeroutput["work"] = self.work


class Budget:
    """Adds up what tests cost, and compares that with the file of the budget."""

    def __init__(self, path: Path, meter: Meter) -> None:
        limits = json.loads(path.read_text("utf-8"))
        self.path = path
        self.limits: dict[str, float] = limits
        self.meter = meter
        self.workers: list[float] = []
        self.works: list[float] = []
        self.files: defaultdict[str, float] = defaultdict(float)
        self.tests: dict[str, float] = {}
        self.bounds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seconds = getattr(report, "processor", 0.0)
        self.files[report.nodeid.partition("::")[0]] += seconds
        if report.when == "call":
            self.tests[report.nodeid] = seconds
            if "costly" not in report.keywords:
                self.bounds[report.nodeid] = self.limits[getattr(report, "limit", "test")]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        output = getattr(node, "workeroutput", {})
        self.workers.append(output.get("processor", 0.0))
        self.works += [output["work"]] if "work" in output else []

    @property
    def slower(self) -> float:
        """How much longer a fixed piece of work took than where the limits were set: while the tests' processes were as
        busy as they are with tests, since two threads of one core are slower than one."""
        works = self.works or [self.meter.work or work()]
        return max(1.0, sum(works) / len(works) / self.limits["work"])

    def total(self) -> float:
        """Seconds of all, with what no test is charged with: collecting them, and the end."""
        here = sum(os.times()[:2]) if self.workers else self.meter.ledger.spent(look=True)
        return (here + sum(self.workers)) / self.slower

    def excesses(self) -> list[str]:
        """What costs more than it may."""
        run, file, slower = self.limits["run"], self.limits["file"], self.slower
        found = [f"the run: {total:.0f} s, of {run:g}"] if (total := self.total()) > run else []
        found += [
            f"{name}: {seconds / slower:.0f} s, of {file:g} a file"
            for name, seconds in self.files.items()
            if seconds > file * slower
        ]
        return found + [
            f"{name}: {self.tests[name] / slower:.1f} s, of {bound:g} a test without the mark costly"
            for name, bound in self.bounds.items()
            if self.tests[name] > bound * MARGIN * slower
        ]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.excesses() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        say = terminalreporter.write_line
        name, most = max(self.files.items(), key=lambda each: each[1], default=("no file", 0.0))
        run, tests, slower = self.total(), sum(self.files.values()) / self.slower, self.slower
        say(f"processor: {run:.0f} s, {tests:.0f} in tests, {most / slower:.0f} in {name}; divided by {slower:.2f}")
        for excess in self.excesses():
            say(f"over the budget of {self.path.name}: {excess}", red=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--budget", type=Path, metavar="FILE", help="fail if the tests take more processor time than that")


def pytest_configure(config: pytest.Config) -> None:
    if path := config.getoption("--budget"):
        config.pluginmanager.register(meter := Meter())
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(Budget(path, meter))
