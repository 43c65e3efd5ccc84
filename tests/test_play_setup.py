"""Before and between the moves of a game at the board: what is typed, manners, levels of errors, who plays, clocks."""

import itertools
import random
import re
from collections import Counter

import pytest

from kr.engine.limits import Limits, TimeControl
from kr.errors import IllegalMoveError, InvalidPolicyError, InvalidSettingError
from kr.game.position import Position, Side
from kr.play.input import TypedCommand, next_squares, parse_command, read_move
from kr.play.play import PlaySettings
from kr.play.setup import HUMAN, set_up, shown_name
from kr.players.levels import LEVELS, LEVELS_BY_CHANCE, Level, choose, level_numbered
from kr.players.registry import player_from_spec
from kr.system import join_command

TINY = "nodes=50"
JUMPS = "W:W27:B23,15,14"
"""Captures of several pieces: 27x18x9, 27x18x11."""


# --- what is typed


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("moves", TypedCommand("moves")),
        ("  UNDO ", TypedCommand("undo")),
        ("?", TypedCommand("help")),
        ("save my game.pdn", TypedCommand("save", "my game.pdn")),
        ("q", TypedCommand("quit")),
        ("11-15", None),
        ("", None),
        ("undone", None),
    ],
)
def test_commands(text, command):
    assert parse_command(text) == command


@pytest.mark.parametrize(
    ("fen", "text", "begun", "found"),
    [
        (Position().fen, "11-15", (), "11-15"),
        (Position().fen, "11 15", (), "11-15"),
        (Position().fen, " 11-15- ", (), "11-15"),
        (Position().fen, "11", (), (10,)),
        (Position().fen, "15", (10,), "11-15"),
        (Position().fen, "11-16", (10,), "11-16"),
        (JUMPS, "27-9", (), "27x9"),
        (JUMPS, "27x18x11", (), "27x11"),
        (JUMPS, "27:18:9", (), "27x9"),
        (JUMPS, "27 18", (), (26, 17)),
        (JUMPS, "9", (26, 17), "27x9"),
        ("B:W6,7,14,15:BK2", "2x9x18x11x2", (), "2x9x18x11x2"),
        ("B:W6,7,14,15:BK2", "2 9", (), (1, 8)),
        ("B:W6,7,14,15:BK2", "18 11 2", (1, 8), "2x9x18x11x2"),
    ],
)
def test_moves_are_read_in_any_form(fen, text, begun, found):
    move = read_move(text, Position.from_fen(fen), begun)
    assert move == (found if isinstance(found, tuple) else Position.from_fen(fen).parse_move(found))


@pytest.mark.parametrize(
    ("fen", "text", "begun", "said"),
    [
        (Position().fen, "hello", (), "neither a move nor a command"),
        (Position().fen, "11-33", (), "numbered 1 to 32"),
        (Position().fen, "20", (), "square 20 is empty: the pieces that can are on 9, 10, 11, 12"),
        (Position().fen, "1", (), "piece on 1 can't move"),
        (Position().fen, "22", (), "piece on 22 can't move"),
        (Position().fen, "11-20", (), "legal moves are"),
        (Position().fen, "20", (10,), "legal moves are"),
        ("W:W27,32:B23", "32", (), "captures are compulsory; the pieces that can capture are on 27"),
        ("W:W30:B17,18,25,26", "30x14", (), "ambiguous: write 30x23x14 or 30x21x14"),
        (Position().fen, "9" * 5000, (), "neither a move nor a command"),
    ],
)
def test_bad_moves_are_told_in_a_line(fen, text, begun, said):
    with pytest.raises(IllegalMoveError) as error:
        read_move(text, Position.from_fen(fen), begun)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_next_squares():
    position = Position.from_fen(JUMPS)
    assert next_squares(position, ()) == [26]
    assert next_squares(position, (26, 17)) == [8, 10]


# --- levels


@pytest.mark.parametrize("levels", [LEVELS, LEVELS_BY_CHANCE])
def test_levels_rise(levels):
    assert [level.number for level in levels] == list(range(1, 11))
    assert [level.full for level in levels] == [False] * 9 + [True]
    assert {bool(level.likeness) for level in levels[:-1]} == {levels is LEVELS}
    for lower, upper in itertools.pairwise(levels[:-1]):
        assert lower.nodes <= upper.nodes
        assert lower.temperature >= upper.temperature
        assert lower.overlook >= upper.overlook
        assert lower.database <= upper.database


def chosen(level, expected, times=4000, likely=None):
    source = random.Random(1)
    found = Counter(choose(level, expected, source, likely) for _ in range(times))
    return [found[index] / times for index in range(len(expected))]


def test_errors_are_those_that_are_stated():
    assert chosen(Level(1, 1), [0.6, 0.5, 0.4]) == [1, 0, 0]
    # e^(-0.1 / 0.1) between two moves
    assert chosen(Level(1, 1, temperature=0.1), [0.6, 0.5]) == pytest.approx([0.731, 0.269], abs=0.03)
    # the first is overlooked in a half of the cases; where both are, either is found
    assert chosen(Level(1, 1, overlook=0.5), [0.6, 0.5]) == pytest.approx([0.625, 0.375], abs=0.03)
    # a move that wins anyway is the best of those seen
    assert chosen(Level(1, 1, temperature=9.0), [1.0, 0.97, 0.3])[1] == 0


def test_what_people_play_counts():
    expected, likely = [0.6, 0.5], [0.1, 0.9]
    # equal results: as people play
    assert chosen(Level(1, 1, 1e9, likeness=1.0), expected, likely=likely) == pytest.approx(likely, abs=0.03)
    # 0.1 ** 0.5 to 0.9 ** 0.5, and e^0.1 / 0.1 to 1
    assert chosen(Level(1, 1, 1e9, likeness=0.5), expected, likely=likely) == pytest.approx([0.25, 0.75], abs=0.03)
    assert chosen(Level(1, 1, 0.1, likeness=1.0), expected, likely=likely) == pytest.approx([0.232, 0.768], abs=0.03)
    # what nobody plays isn't played, unless nothing else is left: then the best
    assert chosen(Level(1, 1, 0.1, likeness=1.0), expected, likely=[0.0, 1.0]) == [0, 1]
    assert chosen(Level(1, 1, 0.1, likeness=1.0), expected, likely=[0.0, 0.0]) == [1, 0]
    # without a temperature the best one is played, whatever people do
    assert chosen(Level(1, 1, likeness=1.0), expected, likely=likely) == [1, 0]


@pytest.mark.parametrize("number", [0, 11, -1])
def test_invalid_levels_are_refused(number):
    with pytest.raises(InvalidSettingError, match="out of range; expected 1 to 10"):
        level_numbered(number)


def test_levels_play_by_their_seed():
    def moves(spec):
        player = player_from_spec(spec, 1)
        position, found = Position(), []
        for _ in range(12):
            reply = player.search(position, Limits(nodes=10**6), ())
            assert reply.nodes <= 400
            found.append(reply.move)
            position = position.play(reply.move)
        return found

    once = moves("material,level=1,seed=5")
    assert moves("material,level=1,seed=5") == once
    assert moves("material,level=1,seed=6") != once


def test_level_in_a_player_name(whole):
    player = player_from_spec(f"manual,level=3,seed=7,egdb={whole}", 1)
    assert player.name == "manual,level=3,seed=7,egdb=three"
    assert "level 3 (400 nodes" in player.signature
    assert "seed 7" in player.signature
    assert player.engine.database is None
    assert player_from_spec(f"manual,level=9,egdb={whole}", 1).engine.database is not None
    full = player_from_spec("manual,level=10", 1)
    assert "level" not in full.signature
    by_chance = player_from_spec("manual,level=3,people=none", 1)
    assert by_chance.name == "manual,level=3,people=none"
    assert "people" in player.signature.replace("people=", "")
    assert "people" not in by_chance.signature
    for spec in (
        "manual,level=0",
        "manual,level=x",
        "manual,seed=-1",
        "manual,people=none",
        "manual,level=3,people=x.h5",
    ):
        with pytest.raises((InvalidSettingError, InvalidPolicyError)):
            player_from_spec(spec, 1)


# --- who plays


@pytest.mark.parametrize(
    ("given", "tags", "specs"),
    [
        ({}, None, (HUMAN, "shipped,level=5,seed=1")),
        ({"level": 3}, None, (HUMAN, "shipped,level=3,seed=1")),
        ({"side": "white"}, None, ("shipped,level=5,seed=1", HUMAN)),
        ({"white": "manual"}, None, (HUMAN, "manual,seed=1")),
        ({"white": "manual,book=x"}, None, (HUMAN, "manual,book=x,seed=1")),
        ({"white": "evolved:x"}, None, (HUMAN, "evolved:x")),
        ({"black": "hub:x y"}, None, ("hub:x y", HUMAN)),
        ({"white": "manual,hash=2MB", "level": 2}, None, (HUMAN, "manual,hash=2MB,level=2,seed=1")),
        ({"white": HUMAN}, None, ("shipped,level=5,seed=1", HUMAN)),
        ({"black": HUMAN, "white": HUMAN}, None, (HUMAN, HUMAN)),
        ({"black": "shipped", "white": "material"}, None, ("shipped,seed=1", "material,seed=1")),
        ({}, {"Event": "x"}, ("shipped,level=5,seed=1", HUMAN)),
        ({"side": "black"}, {"BlackPlayer": "manual", "WhitePlayer": HUMAN}, (HUMAN, "shipped,level=5,seed=1")),
        ({}, {"BlackPlayer": "manual", "WhitePlayer": HUMAN}, ("manual,seed=1", HUMAN)),
        (
            {"level": 7},
            {"BlackPlayer": "shipped,level=3,seed=8", "WhitePlayer": HUMAN},
            ("shipped,level=7,seed=1", HUMAN),
        ),
        ({"black": "hub:y"}, {"BlackPlayer": "hub:x", "WhitePlayer": HUMAN}, ("hub:y", HUMAN)),
    ],
)
def test_who_plays(given, tags, specs):
    setup = set_up(PlaySettings(seed=1, **given), tags, Side.WHITE)
    assert setup.specs == specs
    # the headers say the same again
    again = set_up(PlaySettings(**{k: v for k, v in given.items() if "hub:" in str(v)}), setup.headers, Side.WHITE)
    assert (again.specs, again.controls, again.seed) == (setup.specs, setup.controls, setup.seed)


def test_a_file_starts_no_program():
    with pytest.raises(InvalidSettingError, match=re.escape(join_command(["--black", "hub:rm x"]))):
        set_up(PlaySettings(), {"BlackPlayer": "hub:rm x", "WhitePlayer": HUMAN})


@pytest.mark.parametrize(
    ("ballot", "moves"),
    [
        ("3move 68", "10-14 22-18 12-16"),
        # number 3 is barred, which does not matter to those who ask for it
        ("3move 3", "9-13 21-17 10-14"),
        ("2move 1", "9-13 21-17"),
        ("Old Fourteenth", "11-15 23-19 8-11 22-17 4-8"),
        ("Whilter 2", "11-15 23-19 9-14 22-17 7-11"),
    ],
)
def test_a_ballot_by_its_number_or_name(ballot, moves):
    for seed in (1, 2):
        setup = set_up(PlaySettings(seed=seed, ballot=ballot))
        assert setup.opening.startswith(f"{ballot}: ")
        assert " ".join(map(str, setup.line)) == moves


def test_chances_of_a_setup_are_those_of_the_seed():
    def found(seed, side="random"):
        setup = set_up(PlaySettings(seed=seed, side=side, ballot="3move"))
        return setup.specs, setup.line, setup.opening

    assert found(4) == found(4)
    assert len({found(seed)[0][0] == HUMAN for seed in range(1, 9)}) == 2
    assert len({found(seed)[1] for seed in range(1, 9)}) > 5
    assert set_up(PlaySettings()).seed > 0


@pytest.mark.parametrize(
    ("given", "controls"),
    [
        ({}, (None, Limits(time=1.0))),
        ({"tc": Limits(nodes=9)}, (None, Limits(nodes=9))),
        ({"tc": TimeControl(60, 1)}, (TimeControl(60, 1), TimeControl(60, 1))),
        ({"tc": TimeControl(60, 1), "tc_engine": Limits(time=2)}, (TimeControl(60, 1), Limits(time=2))),
        ({"tc_engine": TimeControl(60, 1)}, (None, TimeControl(60, 1))),
    ],
)
def test_time_controls(given, controls):
    assert set_up(PlaySettings(**given)).controls == controls


def test_controls_of_files():
    kept = {"BlackPlayer": HUMAN, "TimeControl": "1m+2s", "EngineTimeControl": "3s"}
    assert set_up(PlaySettings(), kept).controls == (TimeControl(60, 2), Limits(time=3))
    assert set_up(PlaySettings(tc=Limits(time=9)), kept).controls == (None, Limits(time=9))
    # what other programs mean by it is another thing
    assert set_up(PlaySettings(), {"TimeControl": "300"}).controls == (None, Limits(time=1.0))
    assert set_up(PlaySettings(), {"WhitePlayer": HUMAN, "TimeControl": "60 minutes each"}).controls[1] is None


def test_names():
    assert shown_name("shipped,level=3,seed=9") == "kr level 3"
    assert shown_name("shipped") == "kr"
    assert shown_name("shipped,level=9,against=people,seed=9") == "kr level 9 for mistakes"
    assert shown_name("shipped,against=people") == "kr for mistakes"
    assert shown_name("policy:shipped,temperature=1,seed=9") == "people, temperature 1"
    assert shown_name("policy:shipped") == "people"
    assert shown_name("mine/shipped.h5,level=2") == "mine/shipped.h5 level 2"
