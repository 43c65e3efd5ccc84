"""Collections of games: `kr pdn` with its counts and searches, openings from PDN, and tables held against games."""

import json
import lzma
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from refusals import check_refused

from kr import cli
from kr.archives.archive import Archive, ReadSettings, year_of
from kr.archives.search import SearchSettings
from kr.archives.stats import opening_of
from kr.errors import InvalidGamesError, InvalidPdnError, InvalidSettingError
from kr.evaluation.kinds import load_file
from kr.game.position import Position
from kr.learn.fitting.check import check_tables, quiet_positions
from kr.openings.decks import deck
from kr.openings.names import OpeningPosition, ballots, find_opening
from kr.pdn import Game, read_game, read_games
from kr.storage import lock

GAMES = """[Event "Glasgow 1901, game 1"]
[Black "Stewart, R."]
[White "Jordan, A."]
[Result "1/2-1/2"]
1. 10-14 22-18 2. 12-16 (2. 6-10 {or so}) 24-19 1/2-1/2

[Event "Match"]
[Date "1902.03.04"]
[Black "Jordan, A."]
[White "Ferrie, J."]
[Result "1-0"]
1. 11-15 23-19 2. 8-11 22-17 1-0

[Event "Match"]
[Date "1905"]
[Black "Ferrie, J."]
[White "Jordan, A."]
1. 11-15 23-18 2. 15-31 0-1

[Event "Ending"]
[FEN "B:W23:B18"]
1. 18x27 0-1

[Event "Match"]
[Date "1911"]
[Black "Banks, N."]
[White "Stewart, R."]
1. 12-16 22-18 2. 10-14 *
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "games.pdn"
    path.write_text(GAMES)
    return path


def run(capsys: pytest.CaptureFixture, *words: object, code: int = 0) -> tuple[str, str]:
    assert cli.main([str(word) for word in ("pdn", *words)]) == code
    return capsys.readouterr()


def test_check_reports_errors_and_doubts(file: Path, capsys: pytest.CaptureFixture) -> None:
    out, err = run(capsys, "check", file, code=1)
    fault, doubt, summary = out.splitlines()
    assert fault.startswith(f"{file}:18:19: illegal move at ply 3: 15-31 is not legal")
    assert doubt == f"{file}:20: White has no legal move at the end and has lost, but the result is 0-1"
    assert summary.startswith(f"{file}: 4 games, 12 plies, ascii, 1 game could not be read, 1 game doubtful; 1 of 1 ")
    assert summary.endswith("results contradict the final position: probably --results white")
    assert err == ""
    out, _ = run(capsys, "check", file, "--no-warnings", code=1)
    assert len(out.splitlines()) == 2
    out, _ = run(capsys, "check", file, "--json", "--results", "white", code=1)
    (report,) = json.loads(out)["files"]
    assert (report["games"], report["results_agreeing"], report["results_contradicting"]) == (4, 1, 0)
    assert [error["line"] for error in report["errors"]] == [18]


def test_files_directories_and_packed_files(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    packed = tmp_path / "more.PDN.xz"
    packed.write_bytes(lzma.compress(b"1. 11-15 *"))
    out, _ = run(capsys, "check", tmp_path, packed, "--json", code=1)
    assert [(Path(each["file"]).name, each["games"]) for each in json.loads(out)["files"]] == [
        ("games.pdn", 4), ("more.PDN.xz", 1), ("more.PDN.xz", 1),
    ]  # fmt: skip
    assert run(capsys, "check", packed)[0] == f"{packed}: 1 game, 1 ply, ascii\n"


def test_convert_writes_normal_form(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    out, err = run(capsys, "convert", file, "--no-variations", "--allow-errors")
    assert err.endswith("4 games written, 1 could not be read\n")
    assert out.startswith('[Event "Glasgow 1901, game 1"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[Black "Stew')
    assert '\n[Result "1/2-1/2"]\n[GameType "21"]\n\n1. 10-14 22-18 2. 12-16 24-19 1/2-1/2\n\n' in out
    target = tmp_path / "out.pdn.gz"
    run(capsys, "convert", file, file, "--unique", "--out", target, "--write-results", "white", "--allow-errors")
    again = list(read_games(target, results="white"))
    assert [game.result for game in again] == ["1/2-1/2", "1-0", "0-1", "*"]
    assert [game.moves for game in again] == [game.moves for game in read_games(file, errors=[])]
    assert target.read_bytes()[:2] == b"\x1f\x8b"


def test_a_game_with_a_wrong_move_is_written_up_to_it(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / "late.pdn"
    path.write_text("1. 11-15 23-19 2. 8-11 22-17 3. 1-2 17-13 1/2-1/2\n\n1. 1-2 *\n")
    out, err = run(capsys, "convert", path, "--cut", code=1)
    assert out.endswith("1. 11-15 23-19 2. 8-11 22-17 {Not legal from here: 1-2 17-13} 1/2-1/2\n\n")
    assert "written in part: late.pdn, line 1, column 33: illegal move at ply 5" in err
    assert err.endswith("1 game written, 1 could not be read\n")


@pytest.mark.parametrize(
    "words",
    ["check", "convert", "convert --unique --json --out OUT", "stats", "stats --json", "search", "search --out OUT"],
)
def test_games_that_cannot_be_read_end_every_command_with_1(
    words: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    name, *options = words.replace("OUT", str(tmp_path / "out.pdn")).split()
    failed = run(capsys, name, file, *options, code=1)
    if "--out" in options:
        assert len(list(read_games(tmp_path / "out.pdn"))) == 4
    assert run(capsys, name, file, *options, "--allow-errors") == failed
    good = tmp_path / "good.pdn"
    good.write_text("1. 11-15 *")
    run(capsys, name, good, *options)


def test_nothing_is_written_of_games_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / "bad.pdn"
    path.write_text("1. 11-12 *")
    _, err = run(capsys, "convert", path, "--out", tmp_path / "out.pdn", code=1)
    assert err.splitlines()[-1] == "kr: bad.pdn: 1 game, none of which can be read; nothing is written"
    path.write_text("")
    run(capsys, "convert", path, "--out", tmp_path / "empty.pdn")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["bad.pdn", "empty.pdn"]


def test_a_result_may_be_asked_for_in_any_form(file: Path, capsys: pytest.CaptureFixture) -> None:
    for result in ("1-0", "2-0"):
        out, _ = run(capsys, "search", file, "--result", result, "--json", "--allow-errors")
        assert out.count('"result": "1-0"') == 1


LOCALES = {
    "C": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    "latin-1": {"PYTHONIOENCODING": "latin-1"},
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "locale"),
    [("pdn convert", "C"), ("pdn convert", "latin-1"),
     ("annotate --tc nodes=50 --weights material --hash 1MB --egdb none", "C")],
)  # fmt: skip
def test_games_on_standard_output_are_utf_8_whatever_the_locale(command: str, locale: str, tmp_path: Path) -> None:
    path = tmp_path / "games.pdn"
    path.write_bytes('[Black "Łukasiewicz"]\n1. 11-15 {½ 漢字} *\n'.encode())
    unset = ("LC_ALL", "LC_CTYPE", "LANG", "PYTHONIOENCODING", "PYTHONUTF8")
    environment = {name: value for name, value in os.environ.items() if name not in unset} | LOCALES[locale]
    done = subprocess.run([sys.executable, "-m", "kr", *command.split(), path], env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr
    (game,) = read_games(done.stdout.decode())
    assert game.headers["Black"] == "Łukasiewicz"
    assert "{½ 漢字}" in done.stdout.decode()


@pytest.mark.slow
@pytest.mark.posix("no line feeds in names of files")
@pytest.mark.parametrize("command", ["pdn check", "pdn convert", "pdn stats", "pdn search", "annotate"])
def test_a_fault_is_one_line_whatever_the_file_is_called(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    path = tmp_path / "a\nb: c\nd.pdn"
    path.write_text('1. 11-15 22-18 11-12 *\n1. 9-13 *\n[Event "a"]\n\n1. 11-15 *\n')
    options = ["--allow-errors", *["--tc", "depth=1"] * (command == "annotate")]
    assert cli.main([*command.split(), str(path), *options]) == 0
    out, err = capsys.readouterr()
    fault, *_ = (out if command == "pdn check" else err).splitlines()
    assert fault.startswith(f"{tmp_path}/a b: c d.pdn:1:16: illegal move at ply 3: 11-12 is not legal: ")


def test_a_game_set_up_after_its_ballot_has_it(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    doctor = Position().play("10-14").play("22-18").play("12-16")
    path = tmp_path / "x.pdn"
    path.write_text(f'[FEN "{doctor.fen}"]\n1... 24-20 *\n\n[FEN "{doctor.flipped().fen}"]\n*\n')
    for ballot, games in (("68", 1), ("White Doctor", 1), ("12-16 22-18 10-14", 1), ("10-14 22-18", 0)):
        *_, last = run(capsys, "search", path, "--ballot", ballot)[0].splitlines()
        assert last.startswith(f"{games} game")
    assert sorted(map(opening_of, read_games(path))) == ["68 10-14 22-18 12-16 (White Doctor)", "position set up"]


@pytest.mark.slow
def test_a_closed_standard_input_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    monkeypatch.setattr("sys.stdin", None)
    for line in ("pdn check -", "pdn stats -", "analyze - --depth 2"):
        check_refused(capsys, line, 2, "standard input is closed")


def test_stats_count(file: Path, capsys: pytest.CaptureFixture) -> None:
    out, _ = run(capsys, "stats", file, "--json", "--allow-errors")
    found = json.loads(out)
    assert found["all"] == {"games": 4, "black_wins": 1, "draws": 1, "white_wins": 1, "other": 1}
    assert {name: tally["games"] for name, tally in found["openings"].items()} == {
        "68 10-14 22-18 12-16 (White Doctor)": 2, "126 11-15 23-19 8-11": 1, "position set up": 1,
    }  # fmt: skip
    assert {name: tally["games"] for name, tally in found["years"].items()} == {
        "1901": 1, "1902": 1, "1911": 1, "unknown": 1,
    }  # fmt: skip
    assert found["players"]["Jordan, A."] == {"games": 2, "wins": 1, "draws": 1, "losses": 0, "as_black": 1}
    out, err = run(capsys, "stats", file, "--top", 1, "--allow-errors")
    assert "68 10-14 22-18 12-16 (White Doctor)      2           0.0     50.0           0.0" in out
    assert "... and 2 more (--top 0 for all)" in out
    assert f"{file}:18:19: illegal move" in err


@pytest.mark.parametrize(
    ("words", "events"),
    [
        ([], 4),
        (["--player", "jordan"], 2),
        (["--player", "jordan", "--player", "ferrie"], 1),
        (["--black", "jordan"], 1),
        (["--white", "jordan", "--event", "GLASGOW"], 1),
        (["--year", "1901"], 1),
        (["--year", "1902-"], 2),
        (["--year", "-1902"], 2),
        (["--year", "1903-1910"], 0),
        (["--tag", "Date=1911"], 1),
        (["--result", "1-0"], 1),
        (["--ballot", "68"], 2),
        (["--ballot", "white doctor"], 2),
        (["--ballot", "10-14 22-18 12-16"], 2),
        (["--ballot", "11-15 23-19"], 1),
        (["--ballot", "old faithful"], 1),
        (["--ballot", "The Denny"], 1),
        (["--ballot", "old 14th"], 0),
        (["--position", Position().fen], 3),
        (["--position", Position().flipped().fen], 0),
        (["--position", Position().flipped().fen, "--reversed"], 3),
        (["--position", Position().play("10-14").play("22-18").play("6-10").fen], 0),
        (["--position", Position().play("10-14").play("22-18").play("6-10").fen, "--in-variations"], 1),
        (["--limit", "2"], 2),
    ],
)
def test_search_finds(file: Path, capsys: pytest.CaptureFixture, words: list[str], events: int) -> None:
    out, _ = run(capsys, "search", file, *words, "--json", "--allow-errors")
    assert len(out.splitlines()) == events
    shown, _ = run(capsys, "search", file, *words, "--allow-errors")
    assert f"\n{events} game{'s' * (events != 1)} found" in f"\n{shown}"


def test_search_tells_where_and_writes(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    turned = Position().play("11-15").play("23-19").flipped().fen
    words = ("--position", turned, "--reversed", "--json", "--out", tmp_path / "o.pdn", "--allow-errors")
    out, _ = run(capsys, "search", file, *words)
    found = json.loads(out)
    assert (found["line"], found["ply"], found["turned"], found["moves"][:2]) == (7, 2, True, ["11-15", "23-19"])
    assert [game.headers["Black"] for game in read_games(tmp_path / "o.pdn")] == ["Jordan, A."]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["check", "nothere.pdn"], "nothere.pdn: no such file"),
        (["check", "."], "holds no PDN file"),
        (["check", "-", "--results", "french"], "expected english or white"),
        (["check", "-", "--encoding", "klingon"], "'klingon' is not known"),
        (["convert", "-", "--out", "."], "is a directory"),
        (["search", "-", "--year", "soon"], "'soon' is not a year"),
        (["search", "-", "--year", "1910-1900"], "is not a year"),
        (["search", "-", "--tag", "Site"], "NAME=TEXT"),
        (["search", "-", "--result", "3-0"], "'3-0' is not one of"),
        (["search", "-", "--ballot", "175"], "numbered 1 to 174"),
        (["search", "-", "--ballot", "Hare"], "no ballot 'Hare'"),
        (["search", "-", "--reversed"], "give one"),
        (["search", "-", "--position", "B:W1"], "three fields"),
    ],
)
def test_bad_settings_are_refused(
    words: list[str], message: str, capsys: pytest.CaptureFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out, err = run(capsys, *words, code=2)
    assert (out, err.count("\n")) == ("", 1)
    assert message in err


def test_a_damaged_file_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / "a.pdn.xz"
    path.write_bytes(lzma.compress(b"1. 11-15 *\n" * 1000)[:60])
    _, err = run(capsys, "stats", path, code=1)
    assert err.startswith("kr: a.pdn.xz: the file is damaged")


def test_years() -> None:
    assert year_of({"Date": "????.??.??", "Event": "Ohio 1946, game 1950"}) == 1946
    assert year_of({"Date": "1.1.1965", "Event": "1999"}) == 1965
    assert year_of({"Event": "19450"}) is None


def test_ballots_have_their_names() -> None:
    assert len(ballots()) == 174
    assert sum(ballot.name != "" for ballot in ballots().values()) == 31
    assert len(find_opening("octopus")) == 2
    assert len(find_opening("inferno")) == 1
    eleven = deck("11man", playable_only=False)[16].position
    assert opening_of(Game(start=eleven)) == "11man 17"
    assert find_opening("11man 17") == [OpeningPosition(0, eleven.bits)]
    with pytest.raises(InvalidSettingError, match="11man 2500"):
        find_opening("11man 2501")
    assert opening_of(Game(moves=["11-15"])) == "shorter than three moves"
    assert opening_of(Game(moves=["9-13", "22-18", "5-9"])) == "other moves"


def test_archives_report_as_they_go(file: Path) -> None:
    read: list[int] = []
    archive = Archive(ReadSettings((file, file)), on_bytes=read.append)
    assert sum(1 for _ in archive) == 8
    assert sum(read) == archive.size == 2 * file.stat().st_size
    assert archive.left_out == 2
    with pytest.raises(InvalidSettingError):
        SearchSettings((file,), limit=-1)


# --- openings from PDN


def test_openings_of_games_that_were_played(file: Path, tmp_path: Path) -> None:
    good = tmp_path / "good.pdn.xz"
    good.write_bytes(lzma.compress(GAMES.replace("15-31", "8-11").encode()))
    openings = deck(str(good))
    assert [(opening.name, opening.moves) for opening in openings] == [
        ("good 1", "10-14 22-18 12-16"),  # and of the last game, which is an opening line itself
        ("good 2", "11-15 23-19 8-11"),
        ("good 3", "11-15 23-18 8-11"),
        ("good 4", ""),
    ]
    assert openings[3].position.fen == "B:W23:B18"
    assert [opening.moves for opening in deck(f"{good}:2")] == [
        "10-14 22-18", "11-15 23-19", "11-15 23-18", "12-16 22-18",
    ]  # fmt: skip
    assert len(deck(f"{good}:0")) == 2
    with pytest.raises(InvalidPdnError, match="line 18"):
        deck(str(file))
    with pytest.raises(InvalidSettingError, match="no openings"):
        deck("nothere.pdn:3")


# --- tables held against games


def test_quiet_positions_have_the_result_of_their_game() -> None:
    game = read_game("1. 11-15 22-18 2. 15x22 25x18 3. 8-11 1-0")
    assert game is not None
    boards, result = quiet_positions([game])
    # Black to move, White, and Black after the exchange
    assert result.tolist() == [1.0, 0.0, 1.0]
    assert np.bitwise_count(boards).sum(axis=1).tolist() == [24, 24, 22]


@pytest.mark.soak
def test_tables_are_checked_by_games(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / "games.pdn"
    path.write_text(GAMES)
    found = check_tables(None, path)
    assert (found.games, found.left_out) == (3, 2)
    assert [(group.group, group.positions > 0) for group in found.groups] == [("men", True), ("kings", False)]
    assert cli.main(["weights", "check", str(path), "--json", "--every", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["checksum"] == load_file().signature
    path.write_text("1. 11-15 *")
    with pytest.raises(InvalidGamesError, match="no game in it has a result"):
        check_tables(None, path)


@pytest.mark.parametrize("command", ["convert", "search --player x"])
def test_a_file_that_another_writes_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture, command: str) -> None:
    source, out = tmp_path / "one.pdn", tmp_path / "out.pdn"
    source.write_text('[Black "x"]\n\n1. 11-15 *\n')
    out.write_text("kept")
    name, _, options = command.partition(" ")
    with lock(out):
        check_refused(capsys, f"pdn {name} {source} {options} --out {out}", 1, "being written by another process")
    assert out.read_text() == "kept"
