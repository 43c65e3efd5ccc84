"""Units: what people write, what it means, and that every format reads back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kr import units
from kr.errors import InvalidSettingError

DURATIONS = [("0.3s", 0.3), ("20ms", 0.02), ("2m", 120.0), ("1h", 3600.0), (0.3, 0.3), ("5", 5.0), (" 1.5 S ", 1.5)]
COUNTS = [("1e6", 10**6), ("300k", 300_000), ("2M", 2 * 10**6), ("1_000", 1000), ("1.5k", 1500), ("0", 0), (7, 7)]
SIZES = [("64MB", 64 << 20), ("1GB", 1 << 30), ("512kB", 512 << 10), ("0.5 gb", 1 << 29), ("12B", 12), (4096, 4096)]
BAD = ["", "x", "-1s", "1e", "nan", "inf", "1 s s", "3 days", "1e9999", "0x10", "1,000", "٣s"]
ENDLESS = ["1e400", "1e99"]


@pytest.mark.parametrize(("text", "seconds"), DURATIONS)
def test_duration(text: str | float, seconds: float) -> None:
    assert units.parse_duration(text) == seconds


@pytest.mark.parametrize(("text", "count"), COUNTS)
def test_count(text: str | int, count: int) -> None:
    assert units.parse_count(text) == count


@pytest.mark.parametrize(("text", "size"), SIZES)
def test_size(text: str | int, size: int) -> None:
    assert units.parse_size(text) == size


@pytest.mark.parametrize("parse", [units.parse_duration, units.parse_count, units.parse_size])
@pytest.mark.parametrize("text", [*BAD, -1, float("nan"), float("inf")])
def test_bad_text_is_refused_with_an_example(parse, text) -> None:
    with pytest.raises(InvalidSettingError, match='such as "'):
        parse(text)


@pytest.mark.parametrize(("parse", "text"), [(units.parse_count, "1.5"), (units.parse_size, "0.3B")])
def test_fractions_of_one_are_refused(parse, text: str) -> None:
    with pytest.raises(InvalidSettingError, match="whole number"):
        parse(text)


@pytest.mark.parametrize(
    ("parse", "unit", "most"),
    [(units.parse_duration, "h", 1e9), (units.parse_count, "", 2**64), (units.parse_size, "GB", 2**64)],
)
def test_what_no_machine_reaches_is_refused(parse, unit: str, most: float) -> None:
    assert parse(most) == most
    for value in (*(number + unit for number in ENDLESS), 2 * most):
        with pytest.raises(InvalidSettingError, match=r"is more than .*; expected"):
            parse(value)


@pytest.mark.parametrize(
    ("need", "free", "said"),
    [((2 << 20) + 1, 2 << 20, ("3MB", "2MB")), (2**20, 2**20 - 1, ("1MB", "1023kB")), (7.5, 0, ("8B", "0B"))],
)
def test_a_shortage_shows_that_there_is_less(need: float, free: float, said: tuple[str, str]) -> None:
    assert units.format_shortage(need, free) == said


def test_a_size_needs_its_unit() -> None:
    with pytest.raises(InvalidSettingError):
        units.parse_size("64")


@given(st.floats(0, units.LONGEST_TIME))
def test_duration_round_trip(seconds: float) -> None:
    assert units.parse_duration(units.format_duration(seconds)) == seconds


@given(st.integers(0, 2**64) | st.integers(0, 10**6).map(lambda n: n * 1000))
def test_count_round_trip(count: int) -> None:
    assert units.parse_count(units.format_count(count)) == count


@given(st.integers(0, 2**64) | st.integers(0, 10**6).map(lambda n: n << 20))
def test_size_round_trip(size: int) -> None:
    assert units.parse_size(units.format_size(size)) == size


@pytest.mark.parametrize(
    ("rate", "text"),
    [(8_531_234, "8.53M"), (999.6, "1k"), (312_400, "312k"), (97.2, "97.2"), (0, "0"), (2.5e12, "2500G")],
)
def test_rate(rate: float, text: str) -> None:
    assert units.format_rate(rate) == text


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (units.format_duration(0.02), "20ms"),
        (units.format_duration(90), "90s"),
        (units.format_count(300_000), "300k"),
        (units.format_size(64 << 20), "64MB"),
        (units.format_size(3 << 10), "3kB"),
    ],
)
def test_format(text: str, made: str) -> None:
    assert text == made


@pytest.mark.parametrize(
    ("value", "plies", "text"),
    [("win", 67, "win in 67 plies"), ("loss", 1, "loss in 1 ply"), ("draw", None, "draw"), ("win", None, "win")],
)
def test_a_value_has_its_distance_with_the_unit(value: str, plies: int | None, text: str) -> None:
    assert units.format_value(value, plies) == text
