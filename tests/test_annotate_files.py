"""Files of games annotated: what is written, that it goes on after a kill, and the command."""

import gzip
import json
import os
import random
import re
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from test_annotate import BLUNDER_PLY, NODES, PDN

from kr import cli
from kr.analysis.annotation import files as annotating
from kr.analysis.annotation.annotation import AnnotateReport
from kr.analysis.annotation.files import (
    SEARCHES_PER_MOVE,
    AnnotateSettings,
    Extent,
    annotate_files,
    forecast,
    measure,
)
from kr.analysis.annotation.judgement import MARKS
from kr.analysis.annotation.marking import unmark_game
from kr.cli.annotate import _forecast
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.errors import InvalidPdnError, InvalidSettingError
from kr.game.position import Position
from kr.openings.lines import opening_name
from kr.pdn import Game, read_games

READABLE = "\n\n".join(game for game in re.split(r"\n\n(?=\[Event)", PDN) if "Bad" not in game)
GAMES = 3
CHOICES = (8, 3, 3)
"""Moves of each game that are judged and have an alternative."""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "games.pdn"
    path.write_text(PDN)
    return path


def settings_of(archive: Path, out: Path | None = None, **others: Any) -> AnnotateSettings:
    # the shipped tables take their time to be read, for each engine
    quick = {"tc": Limits(nodes=NODES), "hash": 1 << 20, "workers": 2, "weights": "manual"}
    return AnnotateSettings(files=(archive,), out=out, **{**quick, **others})


def test_players_are_summed_up_over_their_games(archive: Path) -> None:
    records: list[dict[str, Any]] = []
    report = annotate_files(settings_of(archive), lambda record, earlier: records.append(record))
    assert (report.games, report.left_out) == (GAMES, 1)
    assert {name: tally.games for name, tally in report.players.items()} == {"A": 2, "B": 2, "C": 2}
    for name, tally in report.players.items():
        sides = [(record, side) for record in records for side in ("black", "white")
                 if record["headers"][side.capitalize()] == name]  # fmt: skip
        moves = [move for record, side in sides for move in record["moves"] if move["side"] == side and move["judged"]]
        assert tally.moves == len(moves)
        assert tally.given == pytest.approx(sum(move["loss"] for move in moves), abs=1e-3)
        counts = [sum(move["mark"] == mark for move in moves) for mark in MARKS]
        assert [tally.inaccuracies, tally.mistakes, tally.blunders] == counts
    assert report.summary()["moves"] == sum(tally.moves for tally in report.players.values())


# --- files


def texts(settings: AnnotateSettings) -> Iterator[str]:
    annotate_files(settings)
    assert settings.out is not None
    yield settings.out.read_text(encoding="utf-8")
    if settings.html is not None:
        yield from (path.read_text(encoding="utf-8") for path in sorted(settings.html.iterdir()))


@pytest.mark.parametrize("targets", [{}, {"out": "out.pdn"}, {"out": "out.pdn", "html": "pages"}])
def test_nothing_is_written_of_games_that_cannot_be_read(tmp_path: Path, targets: dict[str, str]) -> None:
    path = tmp_path / "bad.pdn"
    path.write_text("1. 11-12 *")
    with pytest.raises(InvalidPdnError, match="1 game, none of which can be read"):
        annotate_files(settings_of(path, **{option: tmp_path / name for option, name in targets.items()}))
    assert [each.name for each in tmp_path.rglob("*") if each.is_file()] == ["bad.pdn"]


def test_a_file_is_annotated_without_its_bad_games(archive: Path, tmp_path: Path) -> None:
    settings = settings_of(archive, tmp_path / "out.pdn.xz")
    errors: list[object] = []
    annotate_files(settings, on_error=lambda path, error: errors.append((path, error.line)))
    assert errors == [(archive, 20)]
    originals = list(read_games(archive, errors=[]))
    games = list(read_games(settings.out or Path()))
    assert [game.moves for game in games] == [game.moves for game in originals]
    for game, original in zip(games, originals, strict=True):
        assert game.result == original.result
        unmark_game(game)
        if named := opening_name(original.mainline_bits()):
            original.headers["Opening"] = named.name
        assert game == original
    assert {path.name for path in tmp_path.iterdir()} == {"games.pdn", "out.pdn.xz"}


def test_a_game_gets_the_name_of_its_opening_unless_it_has_one(tmp_path: Path) -> None:
    path, fourteenth = tmp_path / "games.pdn", "11-15 23-19 8-11 22-17 4-8"
    start = Position.from_fen("W:WK31:BK3")
    path.write_text(f'{fourteenth} *\n\n[Opening "X: 11-15"]\n{fourteenth} *\n\n[FEN "{start.fen}"]\n31-27 *\n')
    annotate_files(settings_of(path, tmp_path / "out.pdn"))
    openings = [game.headers.get("Opening") for game in read_games(tmp_path / "out.pdn")]
    assert openings == ["Old Fourteenth", "X: 11-15", None]


class Killed(Exception):
    pass


@pytest.mark.slow
@pytest.mark.parametrize("killed_after", [1, pytest.param(2, marks=pytest.mark.soak)])
def test_the_same_command_goes_on_after_a_kill(
    archive: Path, tmp_path: Path, killed_after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jinja2")
    undisturbed = list(texts(settings_of(archive, tmp_path / "a.pdn", html=tmp_path / "a")))
    settings = settings_of(archive, tmp_path / "b.pdn", html=tmp_path / "b")
    seen: list[int] = []

    def kill(record: dict[str, Any], earlier: bool) -> None:
        seen.append(record["number"])
        if len(seen) == killed_after:
            raise Killed

    with pytest.raises(Killed):
        annotate_files(settings, kill)
    assert settings.out is not None
    assert not settings.out.exists()
    assert not (tmp_path / "b" / "index.html").exists()
    with settings.journal.open("ab") as file:
        file.write(b'{"game": {"number": 9')
    told: list[tuple[int, bool]] = []
    calls: list[Game] = []
    counted = annotating.annotate
    monkeypatch.setattr(
        annotating, "annotate", lambda game, *rest, **by: (calls.append(game), counted(game, *rest, **by))[1]
    )
    report = annotate_files(settings, lambda record, earlier: told.append((record["number"], earlier)))
    assert len(calls) == GAMES - killed_after
    assert sorted(told) == sorted((number, number in seen) for number in range(1, GAMES + 1))
    assert report.games == GAMES
    assert not settings.journal.exists()
    assert [settings.out.read_text(encoding="utf-8")] == undisturbed[:1]
    assert [path.read_text(encoding="utf-8") for path in sorted((tmp_path / "b").iterdir())] == undisturbed[1:]


@pytest.mark.slow
@pytest.mark.parametrize("recorded", ["as it is", "as kr 0.2 did"])
def test_a_run_whose_folder_has_moved_is_resumed(archive: Path, tmp_path: Path, recorded: str) -> None:
    """From one system to another as well. kr 0.2 recorded the whole path of the pages, and resumes in their place."""
    pytest.importorskip("jinja2")

    def settings(folder: str) -> AnnotateSettings:
        return settings_of(archive, tmp_path / folder / "b.pdn", html=tmp_path / folder / "pages" / "b")

    def stop(record: dict[str, Any], earlier: bool) -> None:
        raise Killed

    with pytest.raises(Killed):
        annotate_files(settings("here"), stop)
    journal = settings("here").journal
    first, *others = journal.read_text().splitlines(keepends=True)
    assert '"html": "pages/b"' in first
    if recorded != "as it is":
        place = json.dumps(os.path.realpath(tmp_path / "here" / "pages" / "b"))
        journal.write_text(first.replace('"pages/b"', place) + "".join(others))
    else:
        (tmp_path / "here").rename(tmp_path / "there")
    told: list[bool] = []
    annotate_files(
        settings("there" if recorded == "as it is" else "here"), lambda record, earlier: told.append(earlier)
    )
    assert len(told) == GAMES
    assert told[0]


def test_the_journal_of_an_earlier_version_is_resumed(archive: Path, tmp_path: Path) -> None:
    def kill(record: dict[str, Any], earlier: bool) -> None:
        raise Killed

    settings = settings_of(archive, tmp_path / "out.pdn", html=tmp_path / "pages")
    with pytest.raises(Killed):
        annotate_files(settings, kill)
    beginning, *entries = settings.journal.read_text().splitlines()
    older = []
    for entry in map(json.loads, entries):
        for move in entry["game"]["moves"]:
            del move["reason"]
        older.append(json.dumps(entry))
    settings.journal.write_text("\n".join([beginning, *older, ""]))
    earlier: list[bool] = []
    report = annotate_files(settings, lambda record, found: earlier.append(found))
    assert (report.games, earlier.count(True)) == (GAMES, len(older))
    assert len(list((tmp_path / "pages").iterdir())) == GAMES + 1


def test_an_earlier_run_with_other_settings_or_games_is_refused(archive: Path, tmp_path: Path) -> None:
    def kill(record: dict[str, Any], earlier: bool) -> None:
        raise Killed

    with pytest.raises(Killed):
        annotate_files(settings_of(archive, tmp_path / "out.pdn"), kill)
    with pytest.raises(InvalidSettingError, match="begun with blunder 0.25, not 0.3"):
        annotate_files(settings_of(archive, tmp_path / "out.pdn", blunder=0.3))
    archive.write_text(PDN.replace("Three", "Four"))
    with pytest.raises(InvalidSettingError, match="begun with files"):
        annotate_files(settings_of(archive, tmp_path / "out.pdn"))


def test_the_results_stay_in_their_convention(archive: Path, tmp_path: Path) -> None:
    (english,) = texts(settings_of(archive, tmp_path / "a.pdn"))
    (white,) = texts(settings_of(archive, tmp_path / "b.pdn", results="white"))
    for text in (english, white):
        assert [line for line in text.splitlines() if line.startswith("[Result")] == [
            '[Result "1-0"]', '[Result "1/2-1/2"]', '[Result "0-1"]',
        ]  # fmt: skip


@pytest.mark.parametrize("convention", ["english", "white"])
def test_a_file_whose_results_are_of_the_other_convention(
    convention: str, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    file = tmp_path / "games.pdn"
    result = "0-1" if convention == "english" else "1-0"
    file.write_text(f'[SetUp "1"]\n[FEN "B:W18:B14"]\n\n14x23 {result}\n')
    other = "white" if convention == "english" else "english"
    for told, asked in ((True, convention), (False, other)):
        assert cli.main(["annotate", str(file), "--tc", "nodes=100", "--egdb", "none", "--results", asked]) == 0
        doubt = f"{file}: 1 of 1 results contradict the final position: probably --results {other}"
        assert (doubt in " ".join(capsys.readouterr().err.split())) == told


def test_a_file_may_be_annotated_in_place(archive: Path) -> None:
    (once,) = texts(settings_of(archive, archive))
    assert once.count("[%eval") > GAMES
    (twice,) = texts(settings_of(archive, archive))
    assert twice == once


# --- the command


def test_the_command_writes_pdn_or_json(archive: Path, capsys: pytest.CaptureFixture) -> None:
    line = ["annotate", str(archive), "--tc", f"nodes={NODES}", "--hash", "1MB", "--weights", "manual"]
    assert cli.main(line) == 1
    out, err = capsys.readouterr()
    assert [game.headers["Event"] for game in read_games(out)] == ["One", "Two", "Three"]
    assert "3 games annotated, 1 could not be read" in err
    assert "games.pdn:20:10:" in err
    assert cli.main([*line, "--json", "--allow-errors"]) == 0
    *games, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert [game["number"] for game in games] == [1, 2, 3]
    assert games[0]["moves"][BLUNDER_PLY]["mark"] == "??"
    assert (summary["games"], summary["left_out"], len(summary["players"])) == (3, 1, 3)


def test_how_long_it_takes_is_said_before_it_begins(
    archive: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive.write_text(READABLE)
    line = ["annotate", str(archive), "--tc", "nodes=300", "--hash", "1MB", "--weights", "manual", "--workers", "2"]
    assert cli.main(line) == 0
    assert "about" not in capsys.readouterr().err
    monkeypatch.setattr("kr.cli.annotate.LONG", 0.0)
    assert cli.main(line) == 0
    first = capsys.readouterr().err.splitlines()[0]
    assert re.fullmatch(r"kr: 3 games at --tc nodes=300, 2 at a time: about \d+ seconds", first)
    # where games can be read only once nobody knows
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(READABLE.encode())))
    assert cli.main(["annotate", "-", *line[2:]]) == 0
    assert "about" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("tc", "games", "workers", "done", "seconds", "said"),
    [
        (2.0, 10**6, 2, 0, 10**6 * 40 * SEARCHES_PER_MOVE, "1,000,000 games at --tc 2s, 2 at a time: about 648 days"),
        (0.5, 300, 1, 100, 200 * 40 * SEARCHES_PER_MOVE / 2, "200 games at --tc 0.5s: about 93 minutes"),
        (1.0, 3, 8, 2, 40 * SEARCHES_PER_MOVE, "1 game at --tc 1s: about 56 seconds"),
    ],
)
def test_the_forecast_is_games_by_moves_by_time(
    archive: Path, tc: float, games: int, workers: int, done: int, seconds: float, said: str
) -> None:
    settings = settings_of(archive, tc=Limits(time=tc), workers=workers)
    extent = Extent(games, 40.0, (Position(),))
    found = forecast(settings, extent, Engine("manual", hash_mb=1), done)
    assert found.seconds == pytest.approx(seconds)
    assert _forecast(found) == f"kr: {said}"


@pytest.mark.parametrize(
    ("tc", "more"),
    [
        (Limits(depth=60), True),
        (Limits(depth=60, time=9.0), False),
        (Limits(nodes=10**12), False),
        (Limits(depth=3), False),
    ],
)
def test_the_forecast_tries_a_limit_out_for_a_moment(
    archive: Path, tc: Limits, more: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotating, "TRIAL_SECONDS", 0.02)
    found = forecast(settings_of(archive, tc=tc), Extent(1, 1.0, (Position(),)), Engine("manual", hash_mb=1))
    assert found.or_more is more
    assert ("more than" in _forecast(found)) == more
    if tc.nodes:
        assert found.seconds > 100
    if tc.time:
        assert found.seconds == pytest.approx(9 * SEARCHES_PER_MOVE)


def test_an_extent_estimates_the_number_of_games(archive: Path) -> None:
    extent = measure(settings_of(archive))
    assert extent.games == 4
    assert extent.moves == pytest.approx(sum(CHOICES) / 3)
    assert measure(AnnotateSettings(files=(Path("-"),))).games == 0


@pytest.mark.slow
def test_games_before_damage_are_annotated(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    # with remarks that can't be packed, so that two thirds of the file are two thirds of the games
    remarks = (random.Random(number).randbytes(9000).hex() for number in range(40))
    packed = gzip.compress("\n\n".join(f"{READABLE}% {remark}" for remark in remarks).encode())
    path = tmp_path / "cut.pdn.gz"
    path.write_bytes(packed[: len(packed) * 2 // 3])
    assert measure(settings_of(path)).games > 33
    line = ["annotate", str(path), "--tc", "nodes=20", "--hash", "1MB", "--weights", "material", "--from-ply", "500"]
    assert cli.main(line) == 1
    out, err = capsys.readouterr()
    assert out.count("[%kr game") > 33
    assert err.splitlines()[-1].startswith("kr: ")


def test_the_table_fits_a_terminal(archive: Path, capsys: pytest.CaptureFixture) -> None:
    archive.write_text(READABLE.replace('"A"', '"A Name That Is Much Longer Than Any Other Name In All These Games"'))
    assert cli.main(["annotate", str(archive), "--tc", "nodes=300", "--hash", "1MB", "--weights", "manual"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert any("A Name That Is" in line and "..." in line for line in lines)
    assert max(map(len, lines)) <= 80
    assert any("unmarked" in line for line in lines)


def test_the_story_of_a_single_game_is_told(archive: Path, capsys: pytest.CaptureFixture) -> None:
    quick = ["--tc", "nodes=1000", "--hash", "1MB", "--weights", "manual"]
    archive.write_text(READABLE.split('[Event "Two"]')[0])
    assert cli.main(["annotate", str(archive), *quick, "--json"]) == 0
    record = json.loads(capsys.readouterr().out.splitlines()[0])
    assert record["story"].startswith("White lost in a worse position. White came into a worse position at 5... 20-16")
    assert cli.main(["annotate", str(archive), *quick]) == 0
    assert record["story"] in " ".join(capsys.readouterr().err.split())
    archive.write_text(READABLE)
    assert cli.main(["annotate", str(archive), *quick]) == 0
    assert "worse position" not in capsys.readouterr().err


def test_the_command_reads_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(PDN.encode())))
    assert cli.main(["annotate", "-", "--tc", "nodes=300", "--hash", "1MB", "--weights", "manual"]) == 1
    assert capsys.readouterr().out.count("[%kr game") == GAMES


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("--tc 5m+3s", 2, "--tc"),
        ("--tc nodes=0", 2, "--tc: limit nodes: 0 is out of range"),
        ("--inaccuracy 0.2", 2, "none may be less than the one before"),
        ("--mistake nan", 2, "--mistake is nan, not a number"),
        ("--egdb /nothere", 2, "/nothere"),
        ("--weights /nothere.h5 --out x.pdn", 1, "/nothere.h5"),
        ("--out .", 2, "directory"),
        ("--html games.pdn", 2, "not a directory"),
        ("nothere.pdn", 2, "nothere.pdn: no such file"),
        ("- --out x.pdn", 2, "can't be read again"),
    ],
)
def test_bad_options(
    archive: Path, options: str, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.chdir(archive.parent)
    assert cli.main(["annotate", "games.pdn", *options.split()]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kr: ")
    assert err.count("\n") == 1
    assert said in err
    assert [path.name for path in archive.parent.iterdir()] == ["games.pdn"]


def test_a_report_of_nothing_is_empty() -> None:
    assert AnnotateReport(AnnotateSettings(files=(Path("x"),))).summary()["players"] == []
