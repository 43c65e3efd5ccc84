"""Verdicts of `kr solve-problem`: proved and likely counted apart, and searches that had no processor."""

import json
from dataclasses import replace

import pytest
from test_problems import CLASSICS, TWO_KINGS_WIN, make_problem, write_lines
from test_solving import QUICK

from kr.cli import main
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.problems import solving
from kr.problems.solving import solve, starved


def test_searches_that_had_no_processor_are_told():
    found = solve(make_problem(), Engine("material", 8), Limits(nodes=1000))
    assert found.processor is not None
    timed = [replace(found, limits=Limits(time=0.5), time=0.5, processor=had) for had in (0.1, 0.0)]
    assert starved(timed) == pytest.approx(0.1)
    assert starved([replace(each, processor=0.45) for each in timed]) is None
    # a limit of nodes loses nothing, and a proved win at once is no search
    assert starved([replace(each, limits=Limits(nodes=1000)) for each in timed]) is None
    assert starved([replace(each, time=0.001, processor=0.0) for each in timed]) is None
    assert starved([]) is None


def test_a_busy_machine_is_told(capsys, monkeypatch):
    monkeypatch.setattr(solving, "thread_time", lambda: 0.0)
    assert main(["solve-problem", "fourth-position", *QUICK[:2], "--tc", "0.1s", "--tc", "nodes=5000"]) == 0
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith("warning: at 0.1s the searches had a processor for 0% of their time")


def test_proved_and_likely_are_counted_apart(tmp_path, capsys):
    sure, guess = {"fen": TWO_KINGS_WIN, "result": "W-win"}, {"fen": CLASSICS[0].position.fen, "result": "draw"}
    path = str(write_lines(tmp_path, sure, guess))
    assert main(["solve-problem", path, *QUICK]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert " win, proved " in out
    assert " likely " in out or " unclear " in out
    assert "1 proved, " in out
    assert main(["solve-problem", path, *QUICK, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["summary"]["nodes=2000"]["all"]["proved"] == told["summary"]["nodes=2000"]["win"]["proved"] == 1
    first, second = told["problems"]
    assert (first["standing"], first["chance"]) == ("proved", 1.0)
    assert second["standing"] in ("likely", "unclear")
    assert (second["chance"] is None) == (second["standing"] == "unclear")
