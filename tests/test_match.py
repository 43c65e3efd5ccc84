"""Matches: games and their ends, what engines may not do, counting, the command."""

import json
import random
import re
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from tables import save_random

from kr.cli import main
from kr.cli.match_report import match_report
from kr.engine.limits import Limits, TimeControl
from kr.errors import (
    InvalidSettingError,
    InvalidWeightsError,
    KrError,
    ProtocolError,
)
from kr.game.outcome import NO_MOVE, NO_PIECES, OVERTIME, REPETITION
from kr.game.position import Position, Side
from kr.match.game import AGREED_DRAW, AGREED_WIN, BY_PROOF, FAILURE, UNFINISHED, Adjudication, play_game
from kr.match.log import Effort, MatchGame
from kr.match.match import play_match, play_tournament
from kr.match.result import MatchResult
from kr.match.settings import MatchSettings
from kr.match.tally import MatchTally
from kr.match.tournament import Tournament
from kr.openings.decks import Opening
from kr.pdn import read_games
from kr.players import workers
from kr.players.names import names_apart
from kr.players.own import EnginePlayer
from kr.players.player import Reply
from kr.players.registry import player_from_spec
from kr.system import join_command

FAULTY = Path(__file__).parent / "hub_engines" / "faulty.py"
NODES = Limits(nodes=60)
TINY = MatchSettings(a="material", b="manual", ballot="3move", games=12, tc=NODES, workers=1, hash=1 << 20)


# --- one game


class Scripted:
    """A player that chooses among the legal moves by number, with a score and a time made up."""

    def __init__(self, choose=lambda ply: 0, score=lambda ply: 0, time=0.0, fail=None):
        self.name = self.signature = "scripted"
        self.version = self.source = ""
        self.choose, self.score, self.time, self.fail = choose, score, time, fail
        self.plies = 0

    def new_game(self):
        self.plies = 0

    def search(self, position, limits, history, stop=None):
        self.plies += 1
        if self.fail and self.plies == 3:
            raise self.fail
        legal = position.legal_moves()
        return Reply(legal[self.choose(self.plies) % len(legal)], self.score(self.plies), 5, 100, self.time)

    def close(self):
        pass


TERMS = Adjudication(win_score=400, win_moves=3, draw_score=10, draw_moves=4, draw_after=12)


def game(fen, black, white, limits=NODES, terms=None, margin=0.1):
    return play_game(Opening("x 1", Position.from_fen(fen)), (black, white), (limits, limits), margin, terms)


def shuttle(*ways):
    """A player that moves its king to and fro: `ways` are the moves in turn."""
    player = Scripted()
    player.search = lambda position, limits, history, stop=None: Reply(
        position.parse_move(ways[len(history) // 2 % len(ways)]), 0, 1, 1, 0.0
    )
    return player


def test_side_without_a_move_loses():
    ended = game("B:W13:B5,6,1", Scripted(choose=lambda ply: 1), Scripted())
    assert (ended.winner, ended.reason) == (Side.BLACK, NO_MOVE)


@pytest.mark.parametrize(
    ("fen", "winner"), [("B:W18:B14", Side.BLACK), ("W:W18:B14", Side.WHITE), ("W:W10:B6,7,1", Side.WHITE)]
)
def test_side_without_pieces_loses(fen, winner):
    outcome = game(fen, Scripted(), Scripted())
    assert (outcome.winner, outcome.reason) == (winner, NO_PIECES)
    *_, final = replay(outcome)
    assert final.is_over
    assert final.side == winner.other


def replay(outcome):
    position = outcome.start
    yield position
    for move in outcome.moves:
        position = position.play(move)
        yield position


def test_third_repetition_is_a_draw():
    outcome = game("B:WK32:BK1", shuttle("1-5", "5-1"), shuttle("32-28", "28-32"))
    assert (outcome.winner, outcome.reason, len(outcome.moves)) == (None, REPETITION, 8)
    assert Counter(replay(outcome))[outcome.start] == 3


@pytest.mark.parametrize(
    ("scores", "winner", "reason"),
    [
        ((500, -500), Side.BLACK, AGREED_WIN),
        ((-500, 500), Side.WHITE, AGREED_WIN),
        ((29990, -29990), Side.BLACK, AGREED_WIN),
        ((5, -10), None, AGREED_DRAW),
        ((-10, 10), None, AGREED_DRAW),
    ],
)
def test_adjudication_needs_both_players(scores, winner, reason):
    def players(mine, theirs):
        return Scripted(score=lambda ply: mine), Scripted(score=lambda ply: theirs)

    start = Position().fen
    outcome = game(start, *players(*scores), terms=TERMS)
    assert (outcome.winner, outcome.reason) == (winner, reason)
    # three moves of each player suffice for a win, a draw also waits for its ply
    asked = sum(reply is not None for reply in outcome.replies)
    assert asked == 6 if reason == AGREED_WIN else len(outcome.moves) >= 12
    for one_sided in ((scores[0], 50), (50, scores[1]), (600, 600)):
        assert game(start, *players(*one_sided), terms=TERMS).reason not in (AGREED_WIN, AGREED_DRAW)
    assert game(start, *players(*scores), terms=None).reason not in (AGREED_WIN, AGREED_DRAW)


def test_a_program_that_tells_no_score_agrees_to_nothing():
    silent = Scripted()
    tells = silent.search
    silent.search = lambda *given, **named: tells(*given, **named)._replace(depth=0)
    assert game(Position().fen, Scripted(), Scripted(), terms=TERMS).reason == AGREED_DRAW
    assert game(Position().fen, Scripted(), silent, terms=TERMS).reason != AGREED_DRAW


def test_a_wavering_view_is_not_adjudicated():
    wavering = Scripted(score=lambda ply: 0 if ply % 3 == 0 else 500)
    outcome = game(Position().fen, wavering, Scripted(score=lambda ply: -500), terms=TERMS)
    assert outcome.reason not in (AGREED_WIN, AGREED_DRAW)


@pytest.mark.parametrize("side", list(Side))
def test_a_player_that_fails_loses(side):
    players = [Scripted(), Scripted()]
    players[side] = Scripted(fail=ProtocolError("it burnt down"))
    outcome = game(Position().fen, *players)
    assert (outcome.winner, outcome.reason, outcome.detail) == (side.other, FAILURE, "it burnt down")


def test_an_illegal_move_loses():
    cheat = Scripted()
    cheat.search = lambda position, limits, history, stop=None: Reply(Position().parse_move("9-13"), 0, 1, 1, 0.0)
    outcome = game(Position().play("11-15").fen, Scripted(), cheat)
    assert (outcome.winner, outcome.reason) == (Side.BLACK, FAILURE)
    assert "not legal" in outcome.detail


@pytest.mark.parametrize(
    ("time", "limits", "forfeit"),
    [(0.45, Limits(time=0.3), True), (0.35, Limits(time=0.3), False), (9.0, Limits(depth=3), False)],
)
def test_overstepping_the_time_loses(time, limits, forfeit):
    outcome = game(Position().fen, Scripted(time=time), Scripted(), limits)
    assert (outcome.reason == OVERTIME) == forfeit
    if forfeit:
        assert (outcome.winner, len(outcome.moves)) == (Side.WHITE, 0)


@pytest.mark.parametrize(
    ("times", "control", "forfeit", "plies"),
    [
        # Black takes 1 s a move; the margin is 0.1 s
        ((1.0, 0.0), "3s+0s", Side.BLACK, 6),
        ((1.0, 0.0), "3s+0.5s", Side.BLACK, 12),
        ((0.0, 1.0), "3s+0.5s", Side.WHITE, 12),
        ((1.0, 0.0), "2/2s", None, None),
        ((1.0, 0.0), "3/2s", Side.BLACK, 4),
        ((0.01, 0.01), "2s+10ms", None, None),
    ],
)
def test_a_clock_runs_down(times, control, forfeit, plies):
    players = [Scripted(time=time) for time in times]
    outcome = game(Position().fen, *players, TimeControl.parse(control))
    if forfeit is None:
        assert outcome.reason != OVERTIME
    else:
        # forced moves take no time: count the others
        asked = sum(reply is not None for reply in outcome.replies[forfeit::2])
        assert (outcome.reason, outcome.winner) == (OVERTIME, forfeit.other)
        assert asked == plies // 2
        assert "a move of" in outcome.detail


@pytest.mark.parametrize("score", [29000, -29000])
def test_a_proved_score_ends_the_game_or_tells_a_draw_apart(score):
    black, white = shuttle("1-5", "5-1"), shuttle("32-28", "28-32")
    prover = white if score > 0 else black
    search = prover.search
    prover.search = lambda *given: search(*given)._replace(score=score, proved=True)
    opening, limits = Opening("x 1", Position.from_fen("B:WK32:BK1")), (NODES, NODES)
    ended = play_game(opening, (black, white), limits, 0.1, None, proofs=True)
    assert (ended.winner, ended.reason, len(ended.moves)) == (Side.WHITE, BY_PROOF, 2 if score > 0 else 1)
    drawn = play_game(opening, (black, white), limits, 0.1, None)
    assert (drawn.winner, drawn.reason) == (None, UNFINISHED)
    assert drawn.detail == f"White had a proved win; {REPETITION}"


def test_proofs_are_of_full_strength_and_end_games_with_other_programs():
    assert not TINY.ends_by_proof
    outside = replace(TINY, b="hub:any")
    assert outside.ends_by_proof
    assert not replace(outside, proof_adjudication="never").ends_by_proof
    position = Position.from_fen("B:W20:BK15,16")
    for spec, proved in (("material", True), ("material,level=3,people=none", False)):
        reply = player_from_spec(spec, 1).search(position, Limits(depth=9), ())
        assert reply.proved is proved


def test_a_forced_move_is_not_asked_for():
    outcome = game("B:W18,32:B14,1", Scripted(), Scripted())
    assert outcome.replies[0] is None
    assert str(outcome.moves[0]) == "14x23"


# --- matches


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


@pytest.mark.parametrize(
    ("spec", "error"),
    [("", InvalidSettingError), ("no/such.h5", InvalidWeightsError), ("hub:no-such-engine-here", ProtocolError)],
)
def test_players_that_do_not_exist(spec, error):
    with pytest.raises(error):
        player_from_spec(spec, 1)


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


def test_players_have_search_options() -> None:
    player = player_from_spec("material,egdb=none,etc_depth=99,lmr_move=4", 1)
    assert player.name == "material,egdb=none,etc_depth=99,lmr_move=4"
    assert player.signature != player_from_spec("material,lmr_move=4", 1).signature


def test_players_have_threads_and_a_hash_table_of_their_own() -> None:
    player = player_from_spec("material,threads=2,single_reply=0,hash=2MB", 1)
    assert isinstance(player, EnginePlayer)
    assert (player.engine.threads, player.engine.hash_mb) == (2, 2)
    assert player.name == "material,threads=2,hash=2MB,single_reply=0"
    assert len({player_from_spec(f"material{own}", 1).signature for own in ("", ",threads=2", ",hash=2MB")}) == 3
    reply = player.search(Position(), Limits(depth=9), ())
    assert reply.depth == 9


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("material,threads=0", "threads: 0 is out of range; expected 1 to 1024"),
        ("material,threads=two", "material,threads=two"),
        ("material,hash=4", "material,hash=4"),
        ("material,etc_depth=1", "search option etc_depth: 1 is out of range; expected 2 to 99"),
        ("material,etc_depth=x", "search option etc_depth is 'x', not a whole number"),
        ("material,nothing=1", "unknown setting 'nothing'; choose from egdb, hash, threads, level"),
        ("shipped,lmr_mvoe=4", "unknown setting 'lmr_mvoe'; did you mean lmr_move"),
        ("shipped,lmr_mvoe=4,hash=2MB", "unknown setting 'lmr_mvoe'"),
        ("material,Hash=2MB", "unknown setting 'Hash'; did you mean hash?"),
        ("material,level", "level needs a value"),
        ("material,", "unknown setting ''"),
        ("material,hash=1MB,hash=2MB", "sets hash twice"),
        ("material,etc_depth=8,hash=1MB,etc_depth=9", "sets etc_depth twice"),
        ("no,such/file.h5", "no,such/file.h5: no such file"),
        ("hub:engine,start=soon", "start: 'soon' is not a duration"),
        ("hub:engine,env.=2", "env. needs a name, as in env.THREADS=2"),
        ("hub:engine,start=1s,start=2s", "sets start twice"),
    ],
)
def test_unknown_player_settings_are_refused(spec: str, expected: str) -> None:
    with pytest.raises(KrError, match=re.escape(expected)):
        player_from_spec(spec, 1)


@pytest.mark.slow
def test_a_comma_and_an_equals_sign_may_be_part_of_a_file_name(tmp_path):
    path = save_random(tmp_path / "lmr_move,lmr_mvoe=4.h5")
    assert player_from_spec(f"{path},lmr_move=4", 1).name == "lmr_move,lmr_mvoe=4,lmr_move=4"
