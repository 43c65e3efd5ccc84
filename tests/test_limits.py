"""Limits, time controls and clocks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kr.engine.engine import Engine
from kr.engine.limits import CLOCK_SHARE, LATENCY, SHORTEST, Clock, Limits, TimeControl, parse_limits
from kr.errors import InvalidSettingError
from kr.game.position import Position


@pytest.mark.parametrize(
    ("text", "control", "shown"),
    [
        ("0.3s", Limits(time=0.3), "0.3s"),
        ("5m", Limits(time=300), "5m"),
        ("1e+3s", Limits(time=1000), "1000s"),
        ("nodes=2k,20ms", Limits(time=0.02, nodes=2000), "20ms,nodes=2000"),
        ("depth=8", Limits(depth=8), "depth=8"),
        ("5m+3s", TimeControl(300, 3), "5m+3s"),
        ("5m + 0.5s", TimeControl(300, 0.5), "5m+0.5s"),
        ("5m+0s", TimeControl(300), "5m+0s"),
        ("0s+2s", TimeControl(0, 2), "0s+2s"),
        ("40/30m", TimeControl(1800, 0, 40), "40/30m"),
        ("40/30m+5s", TimeControl(1800, 5, 40), "40/30m+5s"),
        ("40 / 90s", TimeControl(90, 0, 40), "40/90s"),
        ("5+3", TimeControl(300, 3), "5m+3s"),
        ("5 + 0", TimeControl(300), "5m+0s"),
        ("0+2", TimeControl(0, 2), "0s+2s"),
        ("0.5+1", TimeControl(30, 1), "30s+1s"),
        ("5m+3", TimeControl(300, 3), "5m+3s"),
        ("300s+3", TimeControl(300, 3), "5m+3s"),
        ("15|10", TimeControl(900, 10), "15m+10s"),
        ("40/30", TimeControl(1800, 0, 40), "40/30m"),
        ("40/120+30", TimeControl(7200, 30, 40), "40/2h+30s"),
        ("5min + 3sec", TimeControl(300, 3), "5m+3s"),
        ("90'+30\"", TimeControl(5400, 30), "90m+30s"),
        ("5:00+3", TimeControl(300, 3), "5m+3s"),
        ("1:30:00+0:30", TimeControl(5400, 30), "90m+30s"),
        ("5:00", TimeControl(300), "5m+0s"),
        ("5", Limits(time=5), "5s"),
        ("1e3+3", TimeControl(60000, 3), "1000m+3s"),
        ("40/7200:3600", TimeControl(7200, moves=40, then=TimeControl(3600)), "40/2h:1h"),
        ("40/2h , 1h", TimeControl(7200, moves=40, then=TimeControl(3600)), "40/2h:1h"),
        (
            "40/7200:20/3600:900+30",
            TimeControl(7200, moves=40, then=TimeControl(3600, moves=20, then=TimeControl(900, 30))),
            "40/2h:20/1h:15m+30s",
        ),
        ("2700d5", TimeControl(2700, delay=5), "45m d5s"),
        ("45m d5s", TimeControl(2700, delay=5), "45m d5s"),
        ("45m+d5", TimeControl(2700, delay=5), "45m d5s"),
        ("20ms d5ms", TimeControl(0.02, delay=0.005), "20ms d5ms"),
        ("G/45;d5", TimeControl(2700, delay=5), "45m d5s"),
        ("G/60", TimeControl(3600), "1h+0s"),
        ("40/7200d5:3600d5", TimeControl(7200, 0, 40, 5, TimeControl(3600, delay=5)), "40/2h d5s:1h d5s"),
    ],
)
def test_time_controls_are_read_and_written(text, control, shown):
    found = parse_limits(text)
    assert found == control
    assert str(found) == shown
    assert parse_limits(shown) == control


@pytest.mark.parametrize(
    "text",
    ["", "soon", "5m+", "+3s", "/30m", "40/", "40/30m+", "0/30m", "1.5/30m", "0s+0s", "5m+3s+1s", "40/30m/2",
     "-5m+3s", "5m+-3s", "nodes=3+1s", "1e999s+1s", "40x/30m", "inf+1s",
     "40/7200:", "40/7200:x", "3600:1800", "40/2h:20/", "d5", "2700d", "5m+3s d5", "*180", "40/7200:1800:900",
     "5:0", "5:00:", "1:2:3:4", ":30", "5||3", "5|", "5+3|1", "5:00m+3s", "depth=8|1"],
)  # fmt: skip
def test_bad_time_controls_are_refused_in_one_line(text):
    with pytest.raises(InvalidSettingError) as found:
        parse_limits(text)
    assert "\n" not in str(found.value)
    assert len(str(found.value)) > 20


@pytest.mark.parametrize(
    "fields",
    [{"left": float("nan")}, {"left": 1e10}, {"inc": -1.0}, {"inc": float("inf")}, {"moves": 0}, {"time": 0}],
)
def test_impossible_limits_are_refused(fields):
    with pytest.raises(InvalidSettingError):
        Limits(**fields)


@pytest.mark.parametrize("name", ["time", "inc", "delay"])
@pytest.mark.parametrize("value", [None, "1", True, float("nan"), -1e9])
def test_impossible_time_controls_are_refused(name, value):
    with pytest.raises(InvalidSettingError):
        TimeControl(**{"time": 60.0, name: value})


@given(
    st.floats(0, 1e5), st.floats(0, 1e3), st.one_of(st.none(), st.integers(1, 500)),
    st.one_of(st.none(), st.floats(0.001, 1e3)),
)  # fmt: skip
def test_a_move_leaves_something_on_the_clock(left, inc, moves, time):
    usual, most = Limits(time=time, left=left, inc=inc, moves=moves).seconds()
    assert SHORTEST <= usual <= most
    assert most == SHORTEST or most <= CLOCK_SHARE * (left + inc) - LATENCY + 1e-9
    assert time is None or most <= max(time, SHORTEST)


@given(st.lists(st.floats(0, 10), max_size=60), st.integers(1, 40), st.floats(0.1, 60), st.floats(0, 5))
def test_a_clock_holds_the_time_given_less_the_time_used(used, moves, time, inc):
    clock = Clock(TimeControl(time, inc, moves))
    for number, seconds in enumerate(used, start=1):
        assert clock.limits().moves == moves - (number - 1) % moves
        before = clock.left
        assert clock.stop(seconds) == pytest.approx(seconds - inc - before)
        assert clock.left == pytest.approx(time * (1 + number // moves) + inc * number - sum(used[:number]))


def test_the_same_limits_hold_for_every_move_without_a_clock():
    clock = Clock(Limits(time=0.3))
    for seconds, late in [(0.1, -0.2), (0.35, 0.05), (0.3, 0.0)]:
        assert clock.limits() == Limits(time=0.3)
        assert clock.stop(seconds) == pytest.approx(late)
    assert Clock(Limits(nodes=5)).stop(1e6) < 0


def test_a_search_on_a_clock_ends_by_itself_and_plays_a_forced_move_at_once():
    engine = Engine("material", hash_mb=1, database=None)
    assert engine.search(Position(), Limits(left=0.3, moves=3)).depth >= 1
    forced = engine.search(Position.from_fen("B:W18,32:B14,1"), Limits(left=1e6))
    assert (str(forced.move), forced.depth) == ("14x23", 1)
    # without "unrest" a move takes what it takes on average
    flat = Engine("material", hash_mb=1, database=None, options={"unrest": 0})
    assert flat.search(Position(), Limits(left=0.3, moves=3)).depth >= 1


def test_periods_follow_one_another_on_the_clock() -> None:
    clock = Clock(TimeControl.parse("2/100s+1s:1/50s:30s+2s"))
    seen = []
    for seconds in (10, 20, 5, 8, 8):
        seen.append((clock.left, clock.moves, clock.allowed, clock.limits().inc))
        assert clock.stop(seconds) < 0
    assert seen == [(100, 2, 101, 1), (91, 1, 92, 1), (122, 1, 122, 0), (147, None, 149, 2), (141, None, 143, 2)]


def test_the_last_period_repeats_if_it_has_a_number_of_moves() -> None:
    clock = Clock(TimeControl.parse("1/60s:2/30s"))
    for _ in range(5):
        clock.stop(10)
    assert (clock.left, clock.moves) == (60 + 3 * 30 - 50, 2)


@pytest.mark.parametrize(("seconds", "left"), [(0, 60), (5, 60), (7, 58), (60, 5), (65, 0)])
def test_a_delay_is_not_charged_and_not_saved(seconds: float, left: float) -> None:
    clock = Clock(TimeControl(60, delay=5))
    assert clock.allowed == 65
    assert clock.limits() == Limits(left=60, inc=5)
    assert clock.stop(seconds) == -left
    assert clock.left == left


def test_who_takes_longer_than_clock_and_delay_is_late() -> None:
    assert Clock(TimeControl(60, delay=5)).stop(66) == 1
