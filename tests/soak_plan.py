"""A plugin of pytest: the cases of `make soak` for which there is time, one of each test first.

`make soak MINUTES=5` gives `--minutes 5`. Every test runs with one of its cases, however long that takes, one without
the mark costly if there is any; the others of its file follow until the time is over. Which case is the first, and
which of the others are next, changes from day to day.
"""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Any

import pytest

NO_TIME = "left out of make soak: its time is over"
DAY = 86400


class Plan:
    """The order of the cases in one run."""

    def __init__(self, end: float, turn: int) -> None:
        self.end, self.turn = end, turn
        self.others: set[pytest.Item] = set()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        tests: defaultdict[str, list[pytest.Item]] = defaultdict(list)
        for item in items:
            tests[item.nodeid.partition("[")[0]].append(item)
        first = []
        for cases in tests.values():
            short = [case for case in cases if not case.get_closest_marker("costly")] or cases
            first.append(short[self.turn % len(short)])
        others = [item for item in items if item not in first]
        start = self.turn * len(tests) % max(1, len(others))
        items[:] = [*first, *others[start:], *others[:start]]
        self.others = set(others)

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if item in self.others and time.time() > self.end:
            pytest.skip(NO_TIME)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """The processes of pytest-xdist have the same order and the same end."""
        node.workerinput["soak_plan"] = self.end, self.turn

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        reports = terminalreporter.stats.get("skipped", [])
        if left_out := [report.nodeid for report in reports if NO_TIME in str(report.longrepr)]:
            terminalreporter.write_line(f"{len(left_out)} further cases of tests that ran were {NO_TIME}", yellow=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--minutes", type=float, metavar="N", help="after these only one case of each test is run")
    parser.addoption("--turn", type=int, metavar="N", help="which case of each test is the first, by default the day's")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--minutes") is None:
        return
    if hasattr(config, "workerinput"):
        end, turn = config.workerinput["soak_plan"]
    else:
        end, turn = time.time() + 60 * config.getoption("--minutes"), config.getoption("--turn")
    config.pluginmanager.register(Plan(end, int(time.time() / DAY) if turn is None else turn))
