"""A run of tests that takes more processor time than the file of the budget allows fails, and says which did."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from budget import Ledger
from systems import PLAIN

BUSY = "sum(range(10_000_000))"
TESTS = f"""
import pytest

def test_short():
    pass

def test_long():
    {BUSY}

@pytest.mark.costly
def test_long_with_a_reason():
    {BUSY}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "excesses"),
    [
        ({}, []),
        ({"run": 0.02, "file": 0.02, "test": 0.02}, ["the run: ", "made.py: ", "made.py::test_long: "]),
    ],
)
def test_what_is_over_the_budget_fails_the_run(tmp_path: Path, limits: dict[str, float], excesses: list[str]) -> None:
    (tmp_path / "made.py").write_text(TESTS)
    budget = tmp_path / "budget.json"
    budget.write_text(json.dumps({"work": 1.0, "run": 100, "file": 100, "test": 100, "page": 100, **limits}))
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  costly: of its own\n")
    asked = [sys.executable, "-m", "pytest", "-q", "-p", "budget", "--budget", budget, "made.py"]
    ended = subprocess.run(asked, cwd=tmp_path, env=PLAIN, capture_output=True, text=True)
    told = [line.partition("budget.json: ")[2] for line in ended.stdout.splitlines() if "over the budget" in line]
    assert ended.returncode == bool(excesses)
    assert [line[: len(start)] for line, start in zip(told, excesses, strict=True)] == excesses


WORKS_AND_WAITS = """
import os, time
if child := os.fork():
    os.waitpid(child, 0)
while time.process_time() < 0.3:
    pass
print(os.getpid(), flush=True)
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_what_a_process_took_that_nobody_waits_for_is_counted() -> None:
    ledger = Ledger()
    start = ledger.spent(look=True)
    with subprocess.Popen([sys.executable, "-c", WORKS_AND_WAITS], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        living = ledger.spent(look=True)
        parent.kill()
        parent.wait()
        os.kill(child, signal.SIGKILL)
    assert living - start > 0.2
    assert living - 0.1 < ledger.spent(look=True) < living + 0.2
