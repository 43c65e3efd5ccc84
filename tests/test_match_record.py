"""The record of a match: its games as PDN, resuming after any end, and what is refused."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from systems import interrupt, start
from test_match import TINY, essence

from kr import storage
from kr.cli import main
from kr.engine.limits import Limits
from kr.errors import (
    InvalidGamesError,
    InvalidSettingError,
    OutputBusyError,
)
from kr.match import log as log_module
from kr.match.log import Effort, MatchGame, open_log
from kr.match.match import play_match
from kr.openings.decks import Opening, deck, opening_plies
from kr.openings.names import ballots
from kr.pdn import read_games


def recorded(tmp_path, **changes):
    return replace(TINY, pdn=tmp_path / "match.pdn", **changes)


def test_games_are_written_as_pdn(tmp_path):
    result = play_match(recorded(tmp_path))
    games = list(read_games(tmp_path / "match.pdn"))
    assert len(games) == 12
    for played, record in zip(games, result.games, strict=True):
        assert len(played.moves) == record.plies + opening_plies(played)
        assert played.tags["Black"] == ("material" if record.a_black else "manual")
        assert played.tags["Opening"].startswith(record.opening)
        assert played.tags["Termination"].startswith(record.reason)
        won = played.winner is not None and played.tags[played.winner.name.title()] == "material"
        assert record.points == (1 if played.winner is None else 2 if won else 0)
        assert not played.warnings
        assert played.notes


LINE = '[Event "a line"]\n[FEN "W:WK25,K29:B12,K8"]\n\n1... 25-22 8-11 2. 22-18 *\n'


@pytest.mark.parametrize(
    ("ballot", "plies", "fens"),
    [
        ("start", 0, False), ("2move", 2, False), ("3move", 3, False), ("11man", 0, True), ("FENS", 0, True),
        pytest.param("endings", 0, True, marks=pytest.mark.slow), ("LINE.pdn", 3, True),
    ],
)  # fmt: skip
def test_the_moves_of_a_ballot_are_moves_of_the_game(tmp_path, monkeypatch, ballot, plies, fens):
    monkeypatch.chdir(tmp_path)
    Path("FENS").write_text("W:WK25,K29:B12,K8\n")
    Path("LINE.pdn").write_text(LINE)
    settings = recorded(tmp_path, ballot=ballot, games=2, adjudicate=False, egdb="none")
    play_match(settings)
    openings = deck(ballot)
    for game in read_games(tmp_path / "match.pdn"):
        assert opening_plies(game) == plies
        assert ("FEN" in game.headers) is fens
        begun = next(islice(game.positions(), plies, None))
        (opening,) = (each for each in openings if each.position == begun)
        assert game.headers["Opening"].startswith(opening.name)
        # notes stand at the moves that were searched
        assert min(note.ply for note in game.notes) > plies
        if ballot != "start":
            # as a source of openings the file gives what it was played from
            assert opening.position in [each.position for each in deck(str(tmp_path / "match.pdn"))]


def test_games_of_a_match_are_found_by_their_ballot(tmp_path, capsys):
    result = play_match(recorded(tmp_path, games=4))
    path = str(tmp_path / "match.pdn")
    for game in result.games:
        number = game.opening.removeprefix("3move ")
        assert main(["pdn", "search", path, "--ballot", number, "--json"]) == 0
        found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert len(found) == 2
        assert {each["headers"]["Opening"].split(":")[0] for each in found} == {game.opening}
    assert main(["pdn", "stats", path, "--json"]) == 0
    stats = json.loads(capsys.readouterr().out)
    played = {game.opening for game in result.games}
    known = [ballots()[each.position.bits] for each in deck("3move") if each.name in played]
    assert sorted(stats["openings"]) == sorted(map(str, known))


def test_a_match_begun_without_its_ballots_is_resumed(tmp_path, monkeypatch):
    """As kr 0.1 wrote it: from the position after the ballot, by a FEN."""
    settings = recorded(tmp_path)
    with monkeypatch.context() as before:
        before.setattr(Opening, "begin", lambda opening: (opening.position, ()))
        play_match(replace(settings, games=6))
    old = (tmp_path / "match.pdn").read_bytes()
    assert essence(play_match(settings)) == essence(play_match(TINY))
    assert (tmp_path / "match.pdn").read_bytes().startswith(old)
    games = list(read_games(tmp_path / "match.pdn"))
    assert ["FEN" in game.headers for game in games] == [True] * 6 + [False] * 6
    assert [opening_plies(game) for game in games] == [0] * 6 + [3] * 6


@pytest.fixture(scope="module")
def whole():
    """The match undisturbed."""
    return play_match(TINY)


@pytest.mark.slow
@pytest.mark.parametrize("cut", [0, 1, 37, 900])
@pytest.mark.parametrize("file", ["match.pdn", "match.pdn.log"])
def test_a_match_cut_off_anywhere_is_resumed(tmp_path, file, cut, whole):
    settings = recorded(tmp_path)
    play_match(replace(settings, games=6))
    path = tmp_path / file
    os.truncate(path, path.stat().st_size - cut)
    calls = []
    again = play_match(settings, lambda result: calls.append(len(result.games)))
    assert essence(again) == essence(whole)
    assert calls[-1] == 12
    assert calls[0] == 6 if cut == 0 else 1 <= calls[0] < 6
    games = list(read_games(tmp_path / "match.pdn"))
    assert len({game.tags["Round"] for game in games}) == len(games) == 12


def without_checksums(log):
    """The log as kr 0.1 wrote it."""
    first, *rest = map(json.loads, log.read_text().splitlines())
    entries = [{key: value for key, value in entry.items() if key != "crc"} for entry in rest]
    log.write_text("".join(f"{json.dumps(each)}\n" for each in (first, *entries)))


def zeroed(path, begin, end):
    content = bytearray(path.read_bytes())
    content[begin:end] = bytes(len(content[begin:end]))
    path.write_bytes(content)


@pytest.mark.slow
@pytest.mark.parametrize("old", [False, True], ids=["", "log of kr 0.1"])
@pytest.mark.parametrize(("games", "lost"), [(6, 1), (12, 300), (6, 1500), (12, 10**6)])
def test_games_that_a_power_cut_left_as_zeros_are_played_again(tmp_path, old, lost, games, whole):
    settings = recorded(tmp_path)
    play_match(replace(settings, games=games))
    pdn = tmp_path / "match.pdn"
    if old:
        without_checksums(tmp_path / "match.pdn.log")
    zeroed(pdn, max(0, pdn.stat().st_size - lost), None)
    calls = []
    again = play_match(settings, lambda result: calls.append(len(result.games)))
    assert essence(again) == essence(whole)
    assert calls[0] < games
    assert b"\0" not in pdn.read_bytes()
    played = list(read_games(pdn))
    assert len({game.tags["Round"] for game in played}) == len(played) == 12
    assert essence(play_match(settings)) == essence(whole)


@pytest.mark.parametrize("old", [False, True], ids=["", "log of kr 0.1"])
def test_games_after_a_hole_of_zeros_are_played_again(tmp_path, old):
    settings = recorded(tmp_path)
    whole = play_match(settings)
    pdn = tmp_path / "match.pdn"
    if old:
        without_checksums(tmp_path / "match.pdn.log")
    zeroed(pdn, 100, 200)
    assert essence(play_match(settings)) == essence(whole)
    assert len(list(read_games(pdn))) == 12


def test_games_that_are_played_again_are_announced(tmp_path, capsys):
    line = f"match material manual --ballot 11man --tc nodes=20 --hash 1MB --egdb none --pdn {tmp_path}/match.pdn"
    assert main([*line.split(), "--games", "4"]) == 0
    assert "damaged" not in capsys.readouterr().err
    pdn = tmp_path / "match.pdn"
    zeroed(pdn, pdn.stat().st_size - 10, None)
    assert main([*line.split(), "--games", "4", "--json"]) == 0
    out, err = capsys.readouterr()
    assert f"{pdn}: 1 damaged game removed at the start, to be played again" in err.splitlines()
    assert json.loads(out)["games"] == 4
    assert main([*line.split(), "--games", "4"]) == 0
    assert "damaged" not in capsys.readouterr().err


def test_a_last_game_that_is_garbage_is_played_again(tmp_path):
    settings = recorded(tmp_path, games=4)
    whole = play_match(settings)
    pdn = tmp_path / "match.pdn"
    written = pdn.read_bytes()
    pdn.write_bytes(written[:-100] + bytes(range(100, 200)))
    assert essence(play_match(settings)) == essence(whole)
    assert len(list(read_games(pdn))) == 4


@pytest.mark.parametrize("change", [lambda text: text.replace(b"manual", b"Manuel", 1), lambda text: b"%\n" + text])
def test_games_changed_by_others_are_left_alone(tmp_path, change):
    settings = recorded(tmp_path, games=4)
    play_match(settings)
    pdn = tmp_path / "match.pdn"
    pdn.write_bytes(changed := change(pdn.read_bytes()))
    log = (tmp_path / "match.pdn.log").read_bytes()
    with pytest.raises(InvalidGamesError, match=r"match\.pdn: game 1 has been changed since it was written"):
        play_match(settings)
    assert pdn.read_bytes() == changed
    assert (tmp_path / "match.pdn.log").read_bytes() == log


def test_a_lost_log_does_not_take_its_games_with_it(tmp_path):
    settings = recorded(tmp_path, games=2)
    play_match(settings)
    log, pdn = tmp_path / "match.pdn.log", tmp_path / "match.pdn"
    zeroed(log, 0, None)
    written = pdn.read_bytes()
    with pytest.raises(InvalidSettingError, match="no match log"):
        play_match(settings)
    assert pdn.read_bytes() == written


def test_a_game_is_on_the_disk_before_its_line(tmp_path, monkeypatch):
    done = []
    sync = os.fsync

    def watched_sync(descriptor):
        status = os.fstat(descriptor)
        paths = [tmp_path, *tmp_path.iterdir()]
        done.extend(("sync", path.suffix) for path in paths if os.path.samestat(path.stat(), status))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", watched_sync)
    game = MatchGame(0, True, "x", 1, "draw", "", 3, Effort(), Effort())
    with open_log(tmp_path / "match.pdn", {}, {}) as log:
        done.clear()
        append = storage.append
        monkeypatch.setattr(log_module, "append", lambda *given: (append(*given), done.append(("written", ".pdn"))))
        log.append(game, "text")
    assert done == [("sync", ".pdn"), ("written", ".pdn"), ("sync", ".log")]


def test_a_finished_match_is_only_shown(tmp_path):
    settings = recorded(tmp_path, games=4)
    first = play_match(settings)
    written = (tmp_path / "match.pdn").read_bytes()
    assert essence(play_match(settings)) == essence(first)
    assert (tmp_path / "match.pdn").read_bytes() == written


@pytest.mark.parametrize(
    "change",
    [
        {"tc": Limits(nodes=61)},
        {"tc_b": Limits(nodes=61)},
        {"seed": 2},
        {"b": "material"},
        {"ballot": "2move"},
        {"adjudicate": False},
    ],
)
def test_a_match_is_resumed_only_with_the_same_settings(tmp_path, change):
    settings = recorded(tmp_path, games=2)
    play_match(settings)
    with pytest.raises(InvalidSettingError, match="choose another file"):
        play_match(replace(settings, **change))


def test_a_file_that_is_not_a_match_is_left_alone(tmp_path):
    (tmp_path / "match.pdn").write_text("my games\n")
    with pytest.raises(InvalidSettingError, match="choose another file"):
        play_match(recorded(tmp_path))
    assert (tmp_path / "match.pdn").read_text() == "my games\n"


def test_a_damaged_log_is_refused(tmp_path):
    settings = recorded(tmp_path, games=2)
    play_match(settings)
    log = tmp_path / "match.pdn.log"
    lines = log.read_text().splitlines(keepends=True)
    log.write_text(lines[0] + "{}\n" + "".join(lines[1:]))
    with pytest.raises(InvalidGamesError, match="line 2"):
        play_match(settings)


def test_two_matches_cannot_share_a_record(tmp_path):
    with storage.lock(tmp_path / "match.pdn"), pytest.raises(OutputBusyError):
        play_match(recorded(tmp_path))


@pytest.mark.slow
def test_ctrl_c_loses_only_the_games_in_flight(tmp_path):
    settings = recorded(tmp_path, games=200, tc=Limits(nodes=2000), workers=2)
    words = "material manual --ballot 3move --tc nodes=2000 --games 200 --workers 2 --hash 1MB --json --pdn"
    command = [sys.executable, "-m", "kr", "match", *words.split(), str(settings.pdn)]
    log = tmp_path / "match.pdn.log"
    with start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as match:
        while not log.exists() or log.read_text().count("\n") < 3:
            assert match.poll() is None, match.stderr.read()
        interrupt(match)
        shown, error = match.communicate()
    summary = json.loads(shown)
    assert match.returncode == 1
    assert summary["interrupted"]
    *players, wrote, interrupted = error.splitlines()
    assert [line[:2] for line in players] == ["A:", "B:"]
    assert wrote.startswith("wrote ")
    assert [interrupted] == [f"kr: interrupted after {summary['games']} of 200 games; run the same command to resume"]
    assert 2 <= summary["games"] < 200
    assert len(list(read_games(tmp_path / "match.pdn"))) == summary["games"]
    found = []
    play_match(replace(settings, games=2), lambda result: found.append(len(result.games)))
    assert found == [summary["games"]]
