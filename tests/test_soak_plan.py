"""Each test of a run whose time is over has one case, another one in the next turn."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from systems import PLAIN

TESTS = """
import pytest

@pytest.mark.parametrize("case", [pytest.param("-", marks=pytest.mark.costly), *"abc"])
def test_of_four_cases(case):
    pass

def test_of_one_case():
    pass
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("minutes", "processes", "turn", "passed"),
    [
        (0, 2, 1, ["test_of_one_case", "test_of_four_cases[b]"]),
        (0, 0, 2, ["test_of_one_case", "test_of_four_cases[c]"]),
        (9, 0, 0, ["test_of_one_case", *(f"test_of_four_cases[{case}]" for case in "-abc")]),
    ],
)
def test_cases_for_which_there_is_time(
    tmp_path: Path, minutes: int, processes: int, turn: int, passed: list[str]
) -> None:
    (tmp_path / "made.py").write_text(TESTS)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-rp", "-p", "xdist", "-p", "soak_plan", "-c", os.devnull),
            *("--rootdir", tmp_path, "--minutes", str(minutes), "--turn", str(turn), "-n", str(processes), "made.py"),
        ],
        cwd=tmp_path, env=PLAIN, capture_output=True, text=True,
    )  # fmt: skip
    told = [line.partition("::")[2] for line in done.stdout.splitlines() if line.startswith("PASSED")]
    assert (sorted(told), done.returncode) == (sorted(passed), 0), done.stdout
    assert (f"{5 - len(passed)} further cases" in done.stdout) == (len(passed) < 5)
