"""Hub 2: the text of its lines, positions, moves and levels."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playouts import PLAYED

from kr.errors import KrError, ProtocolError
from kr.game.position import Position
from kr.protocols.hub_level import HubLevel
from kr.protocols.hub_text import (
    HubLine,
    format_hub_line,
    format_hub_move,
    format_hub_position,
    format_hub_score,
    parse_hub_line,
    parse_hub_move,
    parse_hub_position,
    parse_hub_score,
)

START = "B" + "b" * 12 + "e" * 8 + "w" * 12

names = st.from_regex(r"[a-z][a-z-]*", fullmatch=True)
values = st.text(st.characters(exclude_characters='"', exclude_categories=("Cc", "Cs", "Zl", "Zp")))


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(names, st.dictionaries(names, values))
def test_lines_round_trip(command, args):
    assert parse_hub_line(format_hub_line(command, **args)) == HubLine(command, args)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("go think\n", HubLine("go", {"think": ""})),
        ("  level   time=3  inc=0.1 ", HubLine("level", {"time": "3", "inc": "0.1"})),
        ('pos moves="9-13 22-18" pos=X', HubLine("pos", {"moves": "9-13 22-18", "pos": "X"})),
        ('set-param name=weights value=""', HubLine("set-param", {"name": "weights", "value": ""})),
        (" \t\n", None),
    ],
)
def test_line_is_read(text, line):
    assert parse_hub_line(text) == line


@pytest.mark.parametrize("text", ["=3", 'pos moves="9-13', "pos =3", "pos a=b=c", '"pos"', 'pos a="b"c', 'pos a=b"c'])
def test_malformed_line_is_refused(text):
    with pytest.raises(ProtocolError):
        parse_hub_line(text)


@settings(max_examples=60, deadline=None)
@given(PLAYED)
def test_positions_and_moves_round_trip(position):
    assert parse_hub_position(format_hub_position(position)) == position
    for move in position.legal_moves():
        again = parse_hub_move(format_hub_move(move), position)
        assert (again.origin, again.target, again.captured) == (move.origin, move.target, move.captured)


def test_position_text():
    assert format_hub_position(Position()) == START
    assert parse_hub_position("W" + "bBeW" + "w" + "e" * 26 + "B").fen == "W:WK4,5:B1,K2,K32"


@pytest.mark.parametrize("text", ["", "B", START + "e", "X" + START[1:], START.replace("e", "-"), "W" + "w" * 32])
def test_bad_position_is_refused(text):
    with pytest.raises(KrError):
        parse_hub_position(text)


@pytest.mark.parametrize(
    ("fen", "text", "path"),
    [
        ("B:W21-32:B1-12", "11-15", "11-15"),
        ("W:W18:B15", "18x11x15", "18x11"),
        ("W:W18:B15", "18x11", "18x11"),
        ("B:W6,15:B1", "1x19x15x6", "1x19"),
        ("B:W6,15:B1", "1x19x6x15", "1x19"),
        ("B:W6,15:B1", "1x19x6", None),
        ("B:W18,24:B15", "15x22", "15x22"),
        ("B:W21-32:B1-12", "11x15", None),
        ("W:W18:B15", "18-11", None),
        ("B:W21-32:B1-12", "0-40", None),
        ("B:W21-32:B1-12", "e2e4", None),
        ("B:W21-32:B1-12", "11-15-19", None),
        ("B:W10,11,18,19:B7", "7x23x19x11", "7x16x23"),
        ("B:W10,11,18,19:B7", "7x23x10x19", None),
        ("B:W10,11,18,19:BK7", "7x7x10x11x18x19", "7x14x23x16x7"),
    ],
)
def test_move_text(fen, text, path):
    position = Position.from_fen(fen)
    if path is None:
        with pytest.raises(KrError, match=re.escape(text)):
            parse_hub_move(text, position)
    else:
        assert str(parse_hub_move(text, position)) == path


def test_capture_without_its_pieces_must_be_unambiguous():
    with pytest.raises(KrError, match="7x23 is ambiguous .* 7x23x10x18 7x23x11x19$"):
        parse_hub_move("7x23", Position.from_fen("B:W10,11,18,19:B7"))


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (0, "0.00"),
        (7, "0.07"),
        (-135, "-1.35"),
        (30000, "100.00"),
        (29989, "99.89"),
        (-29980, "-99.80"),
        (29001, "90.01"),
    ],
)
def test_scores(score, text):
    assert format_hub_score(score) == text
    assert parse_hub_score(text) == score


@pytest.mark.parametrize("score", [29000, -29000, 8000])
def test_estimate_never_looks_decided(score):
    assert abs(float(format_hub_score(score))) < 80


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "-inf"])
def test_bad_score_is_refused(text):
    with pytest.raises(ProtocolError):
        parse_hub_score(text)


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("level infinite", None),
        ("level depth=5", None),
        ("level move-time=0.5", 0.5),
        ("level time=60", 60 / 30 - 0.01),
        ("level moves=5 time=60", 60 / 5 - 0.01),
        ("level moves=200 time=60", 60 / 30 - 0.01),
        ("level moves=1 time=10", 8 - 0.01),
        ("level time=60 inc=3", 60 / 30 + 3 - 0.01),
        ("level time=0.5 inc=3", 0.8 * 3.5 - 0.01),
        ("level time=-1 inc=2", 0.8 * 1 - 0.01),
        ("level time=0", 0.001),
        ("level move-time=0", 0.001),
        ("level time=60 move-time=0.1 depth=3", 0.1),
    ],
)
def test_time_management(line, seconds):
    level = HubLevel.parse(parse_hub_line(line).args)
    assert level.limits().seconds()[0] == (None if seconds is None else pytest.approx(seconds))
    assert level.limits(clock_runs=False).seconds() == (None, None)
    assert level.limits().depth == level.depth
