"""The bench: its signature identifies the search, and its comparisons measure the worth of a feature."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kr import cli
from kr.engine.bench import BenchSettings, compare, features, load_positions, run_bench
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.options import SEARCH_OPTIONS, format_search_options, parse_search_options
from kr.errors import InvalidFenError, InvalidSettingError
from kr.game.position import Position, Side

# Nodes at depth 7. With material alone, another number means that the search has changed: say so in the commit, with
# the match that justifies it. If only the number with the shipped tables changes, the tables or their scores have.
SIGNATURES = {
    ("material", ""): 245365,
    ("shipped", ""): 283361,
    ("material", "line_extension=50"): 198829,
    ("material", "line_extension=0"): 119872,
    ("material", "singular_depth=4"): 274562,
}
"""Nodes to depth 7, by weights and search options."""

QUICK = BenchSettings(depth=5, weights="material", hash=1 << 20, rounds=1)


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """Three positions: the start, one with kings, and one that is won at once."""
    path = tmp_path / "few.txt"
    fens = (Position().fen, "W:WK18,20,23,30:B12,17,21,K27  # with kings", "W:W22:B17")
    path.write_text("\n".join(["# three positions", "", *fens]) + "\n")
    return path


def turned(position: Position) -> Position:
    """A position with the colours exchanged."""
    black, white, kings = (int(f"{bits:032b}"[::-1], 2) for bits in (position.white, position.black, position.kings))
    return Position(black, white, kings, Side(1 - position.side))


@pytest.mark.parametrize(("weights", "options"), SIGNATURES)
def test_signature(weights: str, options: str) -> None:
    found = run_bench(BenchSettings(depth=7, weights=weights, options=options))
    assert found.signature == SIGNATURES[weights, options]


def test_the_positions_differ() -> None:
    positions = load_positions()
    assert len(positions) == 50
    assert len({*positions} | {turned(position) for position in positions}) == 2 * len(positions)
    for position in positions:
        assert len(position.legal_moves()) > 1


def test_depths(few: Path) -> None:
    result = run_bench(replace(QUICK, positions=few))
    depths = result.depths
    assert [line.depth for line in result.lines[:2]] == [5, 5]
    assert [each.depth for each in depths] == [1, 2, 3, 4, 5]
    assert depths[-1].nodes == result.signature
    assert depths[-1].positions == sum(line.depth == 5 for line in result.lines)
    assert math.isnan(depths[0].branching)
    growth = [line.iterations[4].nodes / line.iterations[3].nodes for line in result.lines if line.depth == 5]
    assert depths[-1].branching == pytest.approx(math.prod(growth) ** (1 / len(growth)))


def test_features_are_switched_off_by_their_own_values() -> None:
    found = features()
    for name, off in found.items():
        assert off
        for option, number in off.items():
            assert option == name or option.startswith(f"{name}_")
            assert number == SEARCH_OPTIONS[option][3] != SEARCH_OPTIONS[option][0]
    assert sum(map(len, found.values())) == sum(row[0] != row[3] for row in SEARCH_OPTIONS.values())


def test_comparison(few: Path) -> None:
    settings = replace(QUICK, positions=few, rounds=2)
    same, other = compare(settings, {"same": {}, "other": {"etc_depth": 99}}).variants
    assert (same.nodes, same.nodes_error, same.total, same.other_moves) == (1, 1, 1, 0)
    assert other.options == {"etc_depth": 99}
    base = run_bench(settings)
    variant = run_bench(replace(settings, options="etc_depth=99"))
    both = [(a.nodes, b.nodes) for a, b in zip(base.lines, variant.lines, strict=True) if a.depth == b.depth == 5]
    assert other.positions == len(both)
    assert other.nodes == pytest.approx(math.prod(b / a for a, b in both) ** (1 / len(both)))
    assert other.total == pytest.approx(sum(b for _, b in both) / sum(a for a, _ in both))
    assert other.seconds_least <= other.seconds <= other.seconds_most


def test_the_bench_of_options_is_that_of_an_engine_with_them() -> None:
    options = {"etc_depth": 99, "single_reply": 0}
    assert parse_search_options(format_search_options(options)) == options
    engine = Engine("material", 1, database=None)
    engine.set_options(options)
    other = Engine("material", 1, database=None, options=options)
    limits = Limits(depth=7)
    assert engine.search(Position(), limits).nodes == other.search(Position(), limits).nodes
    engine.set_options({})
    engine.new_game()
    plain = Engine("material", 1, database=None)
    assert engine.search(Position(), limits).nodes == plain.search(Position(), limits).nodes


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "no positions"), ("W:W22", "line 1"), ("\nnonsense", "line 2"), ("W:W:B1", "no legal move")],
)
def test_bad_positions(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "positions.txt"
    path.write_text(text)
    with pytest.raises((InvalidFenError, InvalidSettingError), match=message):
        load_positions(path)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--depth", "0"],
        ["--depth", "100"],
        ["--hash", "much"],
        ["--rounds", "0", "--ablate"],
        ["--options", "etc_depth"],
        ["--options", "etc_depth=1000"],
        ["--against", "nothing=1"],
    ],
)
def test_bad_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "--weights", "material", *arguments]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.slow
def test_json() -> None:
    command = [sys.executable, "-m", "kr", "bench", "--depth", "3", "--weights", "material", "--json"]
    done = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert done["signature"] == sum(line["nodes"] for line in done["positions"]) > 0
    assert done["depths"][-1]["nodes"] == done["signature"]


def test_ablation(few: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["bench", "--depth", "4", "--weights", "material", "--hash", "1MB", "--rounds", "1"]
    command += ["--positions", str(few), "--ablate", "--against", "single_reply=0,history=0"]
    assert cli.main(command) == 0
    shown = capsys.readouterr().out
    assert all(f"\nno {name}" in shown for name in features())
    assert "\nsingle_reply=0, history=0" in " ".join(shown.split(" "))
    assert cli.main([*command, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["variants"]) == len(features()) + 1
