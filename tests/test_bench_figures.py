"""bench/figures.py: what pages quote, what commands print, and the file that is written."""

from __future__ import annotations

import runpy
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
FIGURES = runpy.run_path(str(CHECKOUT / "bench" / "figures.py"))
Code, Workshop, FigureError = FIGURES["Code"], FIGURES["Workshop"], FIGURES["FigureError"]
PAGE = """# A match

| learned against
  hand-built | 218-59-23 |
It gained +193 ± 30 Elo in 2 min 49 s, 12,345.5 nodes.
Levels: -3 below.
"""


def figure(quote: str, **numbers: str):
    return {"what": "a match", "numbers": numbers, "quoted": {"page.md": quote}}


@pytest.mark.parametrize(
    ("quote", "numbers", "said"),
    [
        ("learned against hand-built | {result} |", {"result": "218-59-23"}, []),
        ("gained {elo} Elo in {time},", {"elo": "+193 ± 30", "time": "2 min 49 s"}, []),
        ("{nodes} nodes.", {"nodes": "12,345.5"}, []),
        ("| {result} |", {"result": "225-55-20"}, ["page.md:4: quotes '218-59-23', not '225-55-20' (a match)"]),
        ("gained {elo} Elo", {"elo": "-7 ± 30"}, ["page.md:5: quotes '+193 ± 30', not '-7 ± 30' (a match)"]),
        ("gained {elo} Elo", {"elo": "+193 ± 3"}, ["page.md:5: quotes '+193 ± 30', not '+193 ± 3' (a match)"]),
        ("{nodes} nodes.", {"nodes": "12,345"}, ["page.md:5: quotes '12,345.5', not '12,345' (a match)"]),
        # not in these words, and in words that leave open what is meant
        ("won {elo} Elo", {"elo": "+1 ± 2"}, ["page.md: expected once, but not there: 'won +1 ± 2 Elo' (a match)"]),
        ("gained {elo}", {"elo": "193 Elo"}, ["page.md: expected once, but not there: 'gained 193 Elo' (a match)"]),
        ("{n} below", {"n": "3"}, ["page.md: expected once, but not there: '3 below' (a match)"]),
        (" {n}", {"n": "30"}, ["page.md: expected once, but there 5 times: ' 30' (a match)"]),
    ],
)
def test_pages_quote_the_numbers_in_their_words(tmp_path, quote, numbers, said):
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    assert list(map(str, FIGURES["misquotes"]([figure(quote, **numbers)], tmp_path))) == said


PRINTED = {
    "wins": 7, "elo": 12.5, "all": {"nodes=3M": {"solved": [4, 1234567]}}, "top": {"1": 0.7359},
    "sets": [{"n": 3}, {"n": 4}],
}  # fmt: skip
RESULTS = [PRINTED, None]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("{0.wins}-0", "7-0"),
        ("{0.elo:+.0f} ± 1", "+12 ± 1"),
        ("{0.all.nodes=3M.solved.1:,}", "1,234,567"),
        ("{0.top.1:.1%}", "73.6%"),
        ("{0.sets.sum.n}", "7"),
    ],
)
def test_numbers_are_paths_into_what_commands_print(form, text):
    assert FIGURES["filled"](form, RESULTS) == text


@pytest.mark.parametrize(
    "form", ["{0.losses}", "{0.all.0}", "{1.wins}", "{2.wins}", "{0.all.nodes=3M.solved.2}", "{0.sets.sum.m}"]
)
def test_paths_that_lead_nowhere_are_refused(form):
    with pytest.raises(FigureError, match="of '" + form[1:-1]):
        FIGURES["filled"](form, RESULTS)


ABOUT = """# about
[[figure]]
what = "one"
date = 2026-01-02
commit = "0000000"
numbers = { result = "1-2-3", elo = "+1 ± 2" }   # kept

[[figure]]
what = "two"
date = 2026-01-02
commit = "0000000"
numbers = { result = "4-5-6" }

[figure.repeat]
result = "{0.wins}"
"""


def test_only_numbers_date_and_commit_are_rewritten():
    pytest.importorskip("tomlkit")
    new = {"numbers": {"result": "7-8-9"}, "date": "2026-03-04", "commit": "1234567"}
    text = FIGURES["rewritten"](ABOUT, 1, new)
    first, second = ABOUT.split('what = "two"')
    second = second.replace("4-5-6", "7-8-9").replace("2026-01-02", "2026-03-04").replace("0000000", "1234567")
    assert text == f'{first}what = "two"{second}'
    assert tomllib.loads(FIGURES["rewritten"](text, 0, new))["figure"][0]["numbers"] == {
        "result": "7-8-9",
        "elo": "+1 ± 2",
    }


def command(tmp_path: Path, text: str) -> str:
    """A command that prints a text and notes in a file that it ran."""
    program = f"open({str(tmp_path / 'ran')!r}, 'a').write('x'); print({text!r})"
    return shlex.join([sys.executable, "-c", program]) + " --json"


def test_a_command_runs_once_as_long_as_the_code_stays_the_same(tmp_path, capsys):
    line, place = command(tmp_path, 'working ...\n{"elo": 3}'), tmp_path / "figures"
    found = Workshop(Code("1234567", "one"), place).result(line)
    assert found.output == {"elo": 3}
    (place / "games").mkdir()
    # resumed, after a commit that did not touch the code
    assert Workshop(Code("7654321", "one"), place).result(line) == found
    assert (tmp_path / "ran").read_text() == "x"
    assert Workshop(Code("7654321", "two"), place).result(line).commit == "7654321"
    assert (tmp_path / "ran").read_text() == "xx"
    # what the other code made is gone
    assert not (place / "games").exists()


@pytest.mark.parametrize(("text", "fault"), [("no JSON", "is not JSON"), ("", "is not JSON")])
def test_other_output_is_refused_and_not_kept(tmp_path, text, fault):
    workshop = Workshop(Code("1234567", "one"), tmp_path / "figures")
    with pytest.raises(FigureError, match=fault):
        workshop.result(command(tmp_path, text))
    assert not list((tmp_path / "figures").rglob("*.json"))
    with pytest.raises(FigureError, match="exit code 3"):
        workshop.result(shlex.join([sys.executable, "-c", "raise SystemExit(3)"]))
