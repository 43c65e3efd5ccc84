"""The programs of the gallery run, on the samples, and make what their page says."""

from __future__ import annotations

import csv
import re
import runpy
import sys
from pathlib import Path

import pytest

import kr
from kr.archives.samples import write_samples

DOCS = Path(__file__).parents[1] / "docs"
PROGRAMS = DOCS / "gallery"
FENS = "W:W21,K30:B1,2\nB:W18,22,25:B1,3,5\nnonsense\n\nW:W:B1\n"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the checkout is not here")

RUNS = {
    "analyse_game.py": ("games.pdn --nodes {300}", "game.png", r"accuracy .*(no blunders$|\n.*better \d+)"),
    "opening_report.py": ("archive.pdn.xz", "openings.png openings.csv", r"^300 games, 0 left out"),
    "puzzle_hunt.py": ("archive.pdn.xz --nodes {500} --most 1 --gap 0.3", "puzzles.html", r"^1 puzzles of \d+"),
    "fit_tables.py": ("--games {40} --nodes 20 --workers 1 --iterations 3", "fit.png fitted.h5", r"fitted.h5: \w{32}"),
    "match_curve.py": (
        "manual material --games {12} --nodes 30 --workers 1",
        "match.png",
        r"^\d+-\d+-\d+ Elo .* ± \d+",
    ),
    "analyse_positions.py": ("positions.fen --nodes {500}", "analysis.csv", "^analysis.csv"),
    "blunder_statistics.py": ("my-games.pdn --nodes {60}", "blunders.png", r"Smith, J +\d+ +0\.\d+"),
    "endings_census.py": ("--black KK --white K", "", r"^14,880 positions.*\nlost .*\ndrawn .*\nwon +14,846 +99.77%"),
    "regions_worth.py": ("games.pdn --positions {40}", "regions.png regions.svg", ""),
}
"""Options, in braces what makes a run small; the files and the words that come out."""


def run(name: str, options: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    write_samples(Path())
    Path("positions.fen").write_text(FENS)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setattr(sys, "argv", [name, *options.split()])
    runpy.run_path(str(PROGRAMS / name), run_name="__main__")
    return capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, pytest.param(20, marks=pytest.mark.soak)], ids=["small", "large"])
@pytest.mark.parametrize("name", RUNS)
def test_programs_run(
    name: str, times: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options, files, words = RUNS[name]
    said = run(name, re.sub(r"\{(\d+)\}", lambda match: str(times * int(match[1])), options), capsys, monkeypatch)
    assert re.search(words, said, re.MULTILINE), said
    for file in files.split():
        assert (tmp_path / file).stat().st_size > 500
    for picture in tmp_path.glob("*.png"):
        assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_tables_of_positions_say_what_is_proved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("analyse_positions.py", "positions.fen --nodes 500", capsys, monkeypatch)
    with Path("analysis.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["move"], row["value"]) for row in rows[::2]] == [("30-26", "win"), ("", "loss")]
    assert len(rows) == 3


@pytest.mark.slow
def test_the_bot_plays_whole_games(tmp_path: Path) -> None:
    """From positions and moves, captures of several pieces among them, without a fault."""
    bot = f"hub:{sys.executable} {PROGRAMS / 'hub_bot.py'}"
    limits = kr.Limits(nodes=30)
    played = kr.play_match(kr.MatchSettings("material", bot, games=4, tc=limits, hash=1 << 20, egdb="none", workers=1))
    assert len(played.games) == 4
    assert played.faults("failure") == (0, 0)


def test_the_page_shows_every_program_with_its_command() -> None:
    page = (DOCS / "guides" / "gallery.md").read_text(encoding="utf-8")
    programs = {path.name for path in PROGRAMS.glob("*.py")}
    assert {*re.findall(r'^--8<-- "docs/gallery/(\w+\.py)"$', page, re.MULTILINE)} == programs == {*RUNS, "hub_bot.py"}
    for name in programs:
        command = re.search(r"^((?:python|kr) .*)$", (PROGRAMS / name).read_text(encoding="utf-8"), re.MULTILINE)
        assert command
        assert f"```\n{command[1]}\n```" in page
        assert f"[`{name}`](#" in page
