"""The bench: its signature is the search's fingerprint."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from kr.lab.bench import POSITIONS, BenchSettings, run
from kr.position import Position

# Nodes at depth 7 with material alone. A change of this number is a change of the search: say so in its commit,
# with the match that justifies it.
SIGNATURE = 137068


def test_signature() -> None:
    assert run(BenchSettings(depth=7, weights="material")).signature == SIGNATURE


def test_the_positions_are_canonical() -> None:
    assert [Position.from_fen(fen).fen for fen in POSITIONS] == list(POSITIONS)


@pytest.mark.parametrize("arguments", [["--depth", "0"], ["--depth", "100"], ["--hash", "much"]])
def test_bad_usage(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", "kr", "bench", *arguments], capture_output=True, text=True)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_json() -> None:
    command = [sys.executable, "-m", "kr", "bench", "--depth", "3", "--weights", "material", "--json"]
    done = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert done["signature"] == sum(line["nodes"] for line in done["positions"]) > 0
