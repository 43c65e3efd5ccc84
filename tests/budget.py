"""A plugin of pytest: what tests cost in processor seconds, and the run that fails where they cost too much.

`make pytest` gives `--budget tests/budget.json`. Elapsed time tells of the machine more than of the tests. Processor
time does too, if less: it is divided by how much longer a fixed piece of work takes here than it did there.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

MARGIN = 1.25
"""By how much a single test may go over: on a busy machine it costs that much more, which sums even out."""
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def started_by(pid: int) -> list[int]:
    """The living processes that a process has started, and those that these have. Linux alone tells."""
    found: list[int] = []
    # it may have ended
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            for child in map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split()):
                found += [child, *started_by(child)]
    return found


def spent() -> float:
    """Processor seconds of this process, and of those that it has waited for."""
    return sum(os.times()[:4])


def spent_by(living: list[int]) -> float:
    """Processor seconds of some processes, and of those that these have waited for."""
    seconds = 0.0
    for pid in living:
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            seconds += sum(map(int, fields[11:15])) / TICKS
    return seconds


def work() -> float:
    """Processor seconds of a fixed piece of work: the least of a few trials, as others use the machine too."""
    trials = []
    for _ in range(5):
        start = time.process_time()
        sum(number % 7 for number in range(1_000_000))
        trials.append(time.process_time() - start)
    return min(trials)


class Meter:
    """Says in the report of each phase of a test what it cost.

    The threads of a browser are hundreds, any of which may have started a process: to look at all takes 4 ms, and three
    times in each of ten thousand tests two minutes. New ones are looked for in tests of pages, and once a file.
    """

    def __init__(self) -> None:
        self.mark = 0.0
        self.living: list[int] = []
        self.theirs = self.ended = 0.0
        self.file: Path | None = None

    def pytest_collection_finish(self) -> None:
        self.mark = spent()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        is_page = "browser" in getattr(item, "fixturenames", ())
        if is_page or item.path != self.file:
            self.living, self.file = started_by(os.getpid()), item.path
        # what one of them has spent is counted here once it has ended
        ended, self.ended = self.ended, sum(os.times()[2:4])
        if is_page or report.when == "call" or self.ended > ended:
            self.theirs = spent_by(self.living)
        now = spent() + self.theirs
        # its processes begin and end when they like: what a test of a page takes is known roughly
        report.limit = "page" if is_page else "test"  # type: ignore[attr-defined]
        # attributes go from the processes of pytest-xdist to the one that hears of all tests
        report.processor = now - self.mark  # type: ignore[attr-defined]
        self.mark = now
        return report


class Budget:
    """Adds up what tests cost, and compares that with the file of the budget."""

    def __init__(self, path: Path) -> None:
        limits = json.loads(path.read_text("utf-8"))
        self.path = path
        self.slower = max(1.0, work() / limits["work"])
        self.limits: dict[str, float] = limits
        self.files: Counter[str] = Counter()
        self.tests: Counter[str] = Counter()
        self.bounds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seconds = getattr(report, "processor", 0.0) / self.slower
        self.files[report.nodeid.partition("::")[0]] += seconds  # type: ignore[assignment]
        if report.when == "call":
            self.tests[report.nodeid] = seconds  # type: ignore[assignment]
            if "costly" not in report.keywords:
                self.bounds[report.nodeid] = self.limits[getattr(report, "limit", "test")]

    def total(self) -> float:
        """Seconds of all, with what no test is charged with: collecting them, and the end."""
        return (spent() + spent_by(started_by(os.getpid()))) / self.slower

    def excesses(self) -> list[str]:
        """What costs more than it may."""
        run, file = self.limits["run"], self.limits["file"]
        found = [f"the run: {total:.0f} s, of {run:g}"] if (total := self.total()) > run else []
        found += [
            f"{name}: {seconds:.0f} s, of {file:g} a file" for name, seconds in self.files.items() if seconds > file
        ]
        return found + [
            f"{name}: {self.tests[name]:.1f} s, of {bound:g} a test without the mark costly"
            for name, bound in self.bounds.items()
            if self.tests[name] > bound * MARGIN
        ]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.excesses() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        say = terminalreporter.write_line
        name, most = max(self.files.items(), key=lambda each: each[1], default=("no file", 0.0))
        run, tests = self.total(), sum(self.files.values())
        say(f"processor: {run:.0f} s, {tests:.0f} in tests, {most:.0f} in {name}; divided by {self.slower:.2f}")
        for excess in self.excesses():
            say(f"over the budget of {self.path.name}: {excess}", red=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--budget", type=Path, metavar="FILE", help="fail if the tests take more processor time than that")


def pytest_configure(config: pytest.Config) -> None:
    if path := config.getoption("--budget"):
        config.pluginmanager.register(Meter())
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(Budget(path))
