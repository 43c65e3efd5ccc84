"""Matches: what the same settings give, counting, engines behind Hub, the command."""

import json
import random
import re
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from test_match_game import NODES, Scripted

from kr.cli import main
from kr.cli.match_report import match_report
from kr.engine.limits import Limits
from kr.errors import InvalidSettingError, ProtocolError
from kr.game.outcome import NO_MOVE, OVERTIME, REPETITION
from kr.game.position import Position
from kr.match.game import FAILURE
from kr.match.log import Effort, MatchGame
from kr.match.match import play_match, play_tournament
from kr.match.result import MatchResult
from kr.match.settings import MatchSettings
from kr.match.tally import MatchTally
from kr.match.tournament import Tournament
from kr.pdn import read_games
from kr.players import workers
from kr.players.names import names_apart
from kr.players.registry import player_from_spec
from kr.system import join_command

FAULTY = Path(__file__).parent / "hub_engines" / "faulty.py"
TINY = MatchSettings(a="material", b="manual", ballot="3move", games=12, tc=NODES, workers=1, hash=1 << 20)


def test_proofs_are_of_full_strength_and_end_games_with_other_programs():
    assert not TINY.ends_by_proof
    outside = replace(TINY, b="hub:any")
    assert outside.ends_by_proof
    assert not replace(outside, proof_adjudication="never").ends_by_proof
    position = Position.from_fen("B:W20:BK15,16")
    for spec, proved in (("material", True), ("material,level=3,people=none", False)):
        reply = player_from_spec(spec, 1).search(position, Limits(depth=9), ())
        assert reply.proved is proved


def essence(result):
    """Everything that must be equal when a match is repeated: all but times."""
    return sorted(
        (game.pair, game.a_black, game.opening, game.points, game.reason, game.plies, game.a.nodes, game.b.nodes)
        for game in result.games
    )


def test_counts_agree_with_each_other():
    result = play_match(TINY)
    summary = result.summary()
    assert summary["games"] == summary["wins"] + summary["draws"] + summary["losses"] == 12
    assert sum(summary["pentanomial"]) == 6
    points = sum(count * half for half, count in enumerate(summary["pentanomial"]))
    assert points == 2 * summary["wins"] + summary["draws"]
    assert sum(summary["reasons"].values()) == 12
    assert Counter(game.opening for game in result.games).most_common()[0][1] == 2
    assert summary["a"]["name"] == "material"
    assert 1 <= summary["a"]["mean_depth"] < 20


def test_swapping_the_players_mirrors_the_result():
    forth, back = play_match(TINY), play_match(replace(TINY, a="manual", b="material"))
    assert forth.pentanomial == back.pentanomial[::-1]
    assert forth.estimate.elo == pytest.approx(-back.estimate.elo)


@pytest.mark.parametrize("workers", [1, 3])
def test_same_seed_same_games(workers):
    first, second = play_match(TINY), play_match(replace(TINY, workers=workers))
    assert essence(first) == essence(second)


def test_players_may_have_limits_of_their_own(tmp_path):
    settings = replace(TINY, a="manual", b="manual", tc=Limits(nodes=400), tc_b=Limits(nodes=100), games=4)
    result = play_match(replace(settings, pdn=tmp_path / "match.pdn"))
    spent = [effort.nodes / effort.searches for effort in result.efforts()]
    assert 300 < spent[0] <= 400
    assert 75 < spent[1] <= 100
    controls = [game.tags["TimeControl"] for game in read_games(tmp_path / "match.pdn")]
    assert sorted(set(controls)) == ["Black nodes=100, White nodes=400", "Black nodes=400, White nodes=100"]
    assert essence(play_match(replace(settings, tc_b=Limits(nodes=400)))) == essence(
        play_match(replace(settings, tc_b=None))
    )


def test_another_seed_other_openings():
    first, second = play_match(TINY), play_match(replace(TINY, seed=2))
    assert {game.opening for game in first.games} != {game.opening for game in second.games}


def test_openings_come_again_only_when_all_have_been_played(tmp_path):
    deck = tmp_path / "three.txt"
    deck.write_text("B:W22:B3\nB:W23:B3\nB:W24:B3\n")
    games = play_match(replace(TINY, ballot=str(deck), games=8, tc=Limits(nodes=60, time=60))).games
    assert [game.pair for game in games] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert len({game.opening for game in games[:6]}) == 3


def test_games_that_would_repeat_are_refused():
    with pytest.raises(InvalidSettingError, match="at most 94 games"):
        play_match(replace(TINY, ballot="2move", games=100))


def test_equal_players_score_evenly():
    result = play_match(replace(TINY, b="material"))
    # with both colours of every opening played alike, each pair brings one point
    assert result.pentanomial == (0, 0, 6, 0, 0)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"games": 3}, "even"),
        ({"tc": Limits()}, "limit"),
        ({"tc_b": Limits()}, "limit"),
        ({"sprt": (5.0, 0.0)}, "SPRT"),
        ({"draw_score": 600}, "adjudication"),
        ({"win_moves": 0}, "adjudication"),
    ],
)
def test_invalid_settings_are_refused(wrong, words):
    with pytest.raises(InvalidSettingError, match=words):
        replace(TINY, **wrong)


def test_sprt_ends_the_match(monkeypatch):
    names = iter("ab" * 10)

    def player(self, spec):
        made = Scripted(fail=ProtocolError("dead") if spec == "manual" else None)
        made.name = next(names)
        return made

    monkeypatch.setattr(MatchSettings, "player", player)
    result = play_match(replace(TINY, games=1000, ballot="11man", sprt=(0.0, 100.0)))
    assert result.decision == "H1"
    assert len(result.games) < 1000
    assert result.summary()["sprt"]["llr"] >= result.summary()["sprt"]["upper"]


def test_an_error_in_a_player_ends_the_match(monkeypatch):
    for owner, name in ((MatchSettings, "player"), (workers, "player_from_spec")):
        monkeypatch.setattr(owner, name, lambda *given, **named: Scripted(fail=ZeroDivisionError("a bug")))
    with pytest.raises(ZeroDivisionError):
        play_match(replace(TINY, workers=2))


def test_depth_and_speed_are_of_the_player_that_searched():
    efforts = Effort(2, 20, 3000, 0.5, 0.3, 0.4), Effort(1, 6, 100, 0.1)
    record = MatchGame(0, True, "x 1", 2, NO_MOVE, "", 4, *efforts)
    other = replace(record, a_black=False, points=0, reason=OVERTIME)
    summary = MatchResult(TINY, ("a", "b"), [record, other]).summary()
    assert (summary["a"]["mean_depth"], summary["a"]["nodes_per_second"]) == (10.0, 6000.0)
    assert (summary["b"]["mean_depth"], summary["b"]["nodes_per_second"]) == (6.0, 1000.0)
    assert (summary["a"]["time_forfeits"], summary["b"]["time_forfeits"]) == (1, 0)
    assert (summary["a"]["processor_use"], summary["b"]["processor_use"]) == (pytest.approx(0.75), None)


@pytest.mark.parametrize(
    ("games", "late", "failed", "words"),
    [
        (100, 0, 0, None),
        (100, 2, 0, None),
        (100, 1, 1, None),
        (100, 3, 0, "3 of 100 games forfeited (3 on time)"),
        (100, 1, 2, "3 of 100 games forfeited (1 on time, 2 by engine failure)"),
        (1, 1, 0, "1 of 1 game forfeited (1 on time)"),
    ],
)
def test_a_warning_of_many_forfeits(games, late, failed, words, capsys, monkeypatch):
    reasons = [OVERTIME] * late + [FAILURE] * failed + [NO_MOVE] * (games - late - failed)
    records = [
        MatchGame(number // 2, number % 2 == 0, "x", 2 * (number % 2), reason, "", 9, Effort(), Effort())
        for number, reason in enumerate(reasons)
    ]
    result = MatchResult(TINY, ("a", "b"), records)
    summary = result.summary()
    assert (summary["forfeits"], summary["warning"]) == (late + failed, result.warning)
    shown = " ".join(match_report(result).split())
    played = Tournament(TINY, ("a", "b"), ("", ""))
    played.results = [result]
    monkeypatch.setattr("kr.cli.match.play_tournament", lambda settings, on_game, on_begin: played)
    assert main("match material manual --games 2 --json".split()) == 0
    told = capsys.readouterr().err
    if words is None:
        assert result.warning is None
        assert "warning" not in shown + told
        return
    assert f"warning: {words}, which distorts the result: " in shown
    assert told == f"warning: {result.warning}\n"
    assert ("--workers" in result.warning) == bool(late)
    assert ("Termination" in result.warning) == bool(failed)


def test_totals_cover_all_games_whenever_read(monkeypatch):
    """Asked after each game, as the display does, each game is added once: the time of a match grows with its games."""
    source = random.Random(5)
    games = [
        MatchGame(
            pair, black, "x 1", source.randrange(3), source.choice([NO_MOVE, OVERTIME, REPETITION]), "", 4, *efforts
        )
        for pair in range(40)
        for black in (True, False)
        for efforts in [[Effort(source.randrange(9), source.randrange(99), source.randrange(999), 0.5) for _ in "ab"]]
    ]
    source.shuffle(games)
    added = []
    add = MatchTally.add
    monkeypatch.setattr(MatchTally, "add", lambda self, game: (added.append(game), add(self, game)))
    result = MatchResult(TINY, ("a", "b"))
    for number, game in enumerate(games, start=1):
        result.games.append(game)
        summary = result.summary()
        so_far = games[:number]
        points = [each.points for each in so_far]
        assert [summary[name] for name in ("losses", "draws", "wins")] == [points.count(half) for half in range(3)]
        pairs = defaultdict(list)
        for each in so_far:
            pairs[each.pair].append(each.points)
        whole = [sum(both) for both in pairs.values() if len(both) == 2]
        assert list(result.pentanomial) == [whole.count(half_points) for half_points in range(5)]
        assert sum(summary["reasons"].values()) == number
        for index, letter in enumerate("ab"):
            lost = [each for each in so_far if each.points == 2 * index and each.reason == OVERTIME]
            assert summary[letter]["time_forfeits"] == len(lost)
            assert result.efforts()[index].nodes == sum(getattr(each, letter).nodes for each in so_far)
            assert result.efforts()[index].seconds == 0.5 * number
    assert added == games


# --- engines behind Hub


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("exit with words", "tables.dat: no such file"),
        ("crash", "crashed"),
        ("hang", "hangs"),
        ("illegal", "illegal"),
        ("nonsense", "nonsense"),
    ],
)
def test_a_faulty_engine_loses_and_the_match_continues(fault, words):
    command = join_command([sys.executable, "-IS", str(FAULTY), fault])
    result = play_match(replace(TINY, b=f"hub:{command}", games=4, patience=0.3))
    assert result.count(2) == len(result.games) == 4
    assert {game.reason for game in result.games} == {FAILURE}
    assert all(words in game.detail for game in result.games)
    failed = result.summary()["b"]
    assert (failed["failures"], words in failed["last_failure"]) == (4, True)
    assert result.summary()["a"]["last_failure"] is None
    assert "last failure    B: hub engine faulty engine" in match_report(result)


@pytest.mark.slow
def test_kr_behind_hub_plays_like_kr():
    command = join_command([sys.executable, "-m", "kr", "hub", "--weights", "material", "--hash", "1MB"])
    result = play_match(replace(TINY, b=f"hub:{command}", games=4))
    assert FAILURE not in result.reasons()
    assert result.pentanomial == (0, 0, 2, 0, 0)


@pytest.mark.slow
def test_the_log_of_a_match_has_each_engine(tmp_path):
    command = join_command([sys.executable, "-IS", str(FAULTY), "illegal"])
    logs = tmp_path / "new" / "logs"
    play_match(replace(TINY, b=f"hub:{command}", games=2, log=logs))
    (text,) = (path.read_text("utf-8") for path in logs.iterdir())
    assert "> go think" in text
    assert "# plays an illegal move: 12-13" in text


@pytest.mark.slow
def test_two_engines_of_one_name_are_told_apart_in_the_match_and_its_games(tmp_path):
    kr = [sys.executable, "-m", "kr", "hub", "--hash", "1MB", "--weights"]
    a, b = (f"hub:{join_command([*kr, weights])}" for weights in ("material", "manual"))
    result = play_match(replace(TINY, pdn=tmp_path / "match.pdn", a=a, b=b, games=2))
    names = ("kr (material)", "kr (manual)")
    assert result.names == names
    assert tuple(result.summary()[letter]["name"] for letter in "ab") == names
    tags = [(game.tags["Black"], game.tags["White"]) for game in read_games(tmp_path / "match.pdn")]
    assert tags == [names, names[::-1]]


@pytest.mark.parametrize(
    ("sources", "controls", "expected"),
    [
        (("kr hub", "kr hub --hash 1MB"), ("", ""), ("one", "one (--hash 1MB)")),
        (("old/kr hub", "new/kr hub"), ("", ""), ("one (old/kr)", "one (new/kr)")),
        (("a/one.h5", "b/one.h5"), ("1s", "2s"), ("one (a/one.h5)", "one (b/one.h5)")),
        (("one", "one"), ("10ms", "20ms"), ("one (10ms)", "one (20ms)")),
        (("one", "one"), ("1s", "1s"), ("one (A)", "one (B)")),
    ],
)
def test_equal_names_are_told_apart(sources, controls, expected):
    players = Scripted(), Scripted()
    players[0].source, players[1].source = sources
    assert names_apart(("one", "one"), players, controls, ("A", "B")) == expected
    assert names_apart(("one", "two"), players, controls, ("A", "B")) == ("one", "two")
    players[0].version, players[1].version = "0.1", "0.2"
    assert names_apart(("one", "one"), players, controls, ("A", "B")) == ("one (0.1)", "one (0.2)")
    # a third one of the second's version
    three = (*players, players[1])
    expected = "one (A)", "one (B)", "one (C)"
    assert names_apart(("one",) * 3, three, (*controls, controls[1]), "ABC") == expected


# --- the command


def test_command_ends_with_one_json_object(tmp_path, capsys):
    words = "match material manual --ballot 2move --tc nodes=40 --games 4 --hash 1MB --json --sprt 0 5 --workers 2"
    assert main([*words.split(), "--pdn", str(tmp_path / "m.pdn")]) == 0
    shown = json.loads(capsys.readouterr().out)
    names = {"games", "wins", "draws", "losses", "elo", "elo_error", "los", "pentanomial", "normalized_elo", "settings"}
    assert names <= shown.keys()
    assert shown["games"] == 4
    assert shown["settings"]["tc"]["nodes"] == 40
    assert shown["sprt"]["decision"] is None


def test_command_ends_with_a_table(capsys):
    assert main("match material manual --ballot 2move --tc nodes=40 --games 4 --hash 1MB".split()) == 0
    shown = capsys.readouterr()
    for words in ("A material", "B manual", "Elo", "normalized Elo", "LOS", "pairs", "time forfeits", "nodes/s"):
        assert words in shown.out
    assert [line.partition("; ")[0] for line in shown.err.splitlines()] == ["A: material", "B: manual"]


def test_players_are_named_in_full_before_the_first_game(capsys, monkeypatch):
    told = []

    def play(settings, on_game, on_begin):
        def begin(result):
            on_begin(result)
            # folded to the width of the terminal
            told.append((result.games, " ".join(capsys.readouterr().err.split())))

        return play_tournament(settings, on_game, begin)

    monkeypatch.setattr("kr.cli.match.play_tournament", play)
    command = join_command([sys.executable, "-IS", str(FAULTY), "illegal"])
    assert main(["match", "manual,etc_depth=9", f"hub:{command}", *"--tc depth=1 --games 2 --json".split()]) == 0
    found = json.loads(capsys.readouterr().out)
    assert told == [(0, f"A: {found['a']['player']} B: {found['b']['player']}")]
    assert found["a"]["player"].startswith("manual,etc_depth=9; manual egdb ")
    assert re.fullmatch(rf"faulty engine (\d+); hub:{re.escape(command)} \1", found["b"]["player"])


@pytest.mark.parametrize(
    "words", ["--games 5", "--tc never", "--ballot nothing", "nowhere.h5", "--sprt 5 0", "--hash 1kB", "--games 0"]
)
def test_command_refuses_in_one_line(capsys, words):
    code = main(["match", "--hash", "1MB", *words.split()])
    error = capsys.readouterr().err
    assert code == (1 if words.endswith(".h5") else 2)
    assert error.count("\n") == 1
    assert "Traceback" not in error
