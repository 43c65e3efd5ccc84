"""Durations, counts and sizes as text, "20ms", "300k", "64MB", "1 game", and ranges of numbers.

Every `format_*` with a matching `parse_*` returns the shortest text that parses to the same number.
Sizes use powers of 1024 (64MB is 64 * 2**20 bytes), counts powers of 1000.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from kr.errors import InvalidSettingError

DURATION_UNITS = {
    "h": Decimal(3600), "m": Decimal(60), "min": Decimal(60), "s": Decimal(1), "sec": Decimal(1),
    "ms": Decimal("0.001"),
}  # fmt: skip
COUNT_UNITS = {"g": Decimal(10**9), "m": Decimal(10**6), "k": Decimal(10**3), "": Decimal(1)}
SIZE_UNITS = {"tb": Decimal(2**40), "gb": Decimal(2**30), "mb": Decimal(2**20), "kb": Decimal(2**10), "b": Decimal(1)}

MEBIBYTE = 1 << 20
LONGEST_TIME = 1e9
"""The longest duration: 31 years, which every clock and wait of a system takes."""
MOST_COUNT = 1 << 64
"""The largest count, and the largest size in bytes."""
# 19 digits hold every 64-bit number; the exponent is bounded so that "1e999999999" can't build a giant integer.
QUANTITY = re.compile(r"(\d[\d_]{0,400}(?:\.\d{0,400})?|\.\d{1,400})(?:e([+-]?\d{1,3}))?\s*([a-z]*)", re.ASCII)


def _quantity(text: str, units: dict[str, Decimal], default: str | None, expected: str) -> Decimal:
    match = QUANTITY.fullmatch(text.strip().lower())
    unit = (match[3] or default) if match else None
    if match is None or unit not in units:
        raise InvalidSettingError(f"{text!r} is not {expected}")
    return Decimal(f"{match[1]}e{match[2] or 0}") * units[unit]


def _whole(value: str | int, units: dict[str, Decimal], default: str | None, expected: str) -> int:
    """The count or size that a text or a number gives."""
    if isinstance(value, str):
        number = _quantity(value, units, default, expected)
        if number <= MOST_COUNT and number != number.to_integral_value():
            raise InvalidSettingError(f"{value!r} is not a whole number; expected {expected}")
    elif 0 <= value < float("inf") and value == int(value):
        number = Decimal(int(value))
    else:
        raise InvalidSettingError(f"{value!r} is not {expected}")
    if number > MOST_COUNT:
        raise InvalidSettingError(f"{value!r:.60} is more than kr can count, {MOST_COUNT:.0e}; expected {expected}")
    return int(number)


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}"


def parse_duration(value: str | float) -> float:
    """Seconds of "0.3s", "20ms", "2m", "1h" or a bare number of seconds, 0 or more.

    Raises InvalidSettingError.
    """
    expected = 'a duration such as "0.3s", "20ms", "2m" or "1h"'
    seconds = float(_quantity(value, DURATION_UNITS, "s", expected) if isinstance(value, str) else value)
    if not seconds >= 0:
        raise InvalidSettingError(f"{value!r} is not {expected}")
    if seconds > LONGEST_TIME:
        raise InvalidSettingError(f"{value!r:.60} is more than 31 years; expected {expected}")
    return seconds


def format_duration(seconds: float) -> str:
    """Text of a duration: 0.3 -> "0.3s", 0.02 -> "20ms", 120 -> "2m"."""
    seconds = parse_duration(seconds)
    for unit, scale in (("h", 3600), ("m", 60)):
        if seconds >= scale and seconds % scale == 0:
            return f"{int(seconds) // scale}{unit}"
    number = Decimal(repr(seconds))
    if 0 < number < Decimal("0.1"):
        return f"{_plain(number.scaleb(3))}ms"
    return f"{_plain(number)}s"


def format_clock(seconds: float) -> str:
    """Duration for reading, not for parsing: 102.4 -> "1:42", 3723 -> "1:02:03", two days -> "2d 0h"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24:,}d {hours % 24}h"
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def parse_count(value: str | int) -> int:
    """Whole number of "1e6", "300k", "2M", "1_000", 0 or more. Raises InvalidSettingError."""
    return _whole(value, COUNT_UNITS, "", 'a count such as "1000", "1_000", "300k", "2M" or "1e6"')


def format_count(count: int) -> str:
    """Exact text of a count: 300_000 -> "300k", 1_234_567 -> "1234567"."""
    parse_count(count)
    for unit in ("g", "m", "k"):
        scale = int(COUNT_UNITS[unit])
        if count >= scale and count % scale == 0:
            return f"{count // scale}{unit if unit == 'k' else unit.upper()}"
    return str(count)


def parse_size(value: str | int) -> int:
    """Bytes of "64MB", "1GB", "512kB"; a whole number is already bytes. Raises InvalidSettingError."""
    return _whole(value, SIZE_UNITS, None, 'a size such as "64MB" or "1GB"')


def format_size(size: int) -> str:
    """Exact text of a size: 67_108_864 -> "64MB"."""
    parse_size(size)
    for unit in ("tb", "gb", "mb", "kb"):
        scale = int(SIZE_UNITS[unit])
        if size >= scale and size % scale == 0:
            return f"{size // scale}{unit[:-1].upper() if unit != 'kb' else 'k'}B"
    return f"{size}B"


def format_shortage(need: float, free: float) -> tuple[str, str]:
    """Sizes of what is needed and of the less that there is, for reading: rounded up and down, so never alike."""
    up, down = (next(scale for scale in (1 << 20, 1 << 10, 1) if size >= scale or scale == 1) for size in (need, free))
    return format_size(math.ceil(need / up) * up), format_size(int(free // down) * down)


def format_rate(rate: float) -> str:
    """Three significant digits, for reading, not for parsing: 8_531_234.0 -> "8.53M"."""
    for unit, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if rate >= 0.9995 * scale:
            return f"{rate / scale:.3g}{unit}" if rate < 999.5 * scale else f"{rate / scale:.0f}{unit}"
    return f"{rate:.3g}"


PLURALS = {"leaf": "leaves", "match": "matches", "ply": "plies", "reply": "replies", "search": "searches"}
"""Plurals that do not just add an s."""


def plural(number: float, word: str) -> str:
    """Word in the singular if the number is 1, else in the plural."""
    return word if number == 1 else PLURALS.get(word, f"{word}s")


def counted(number: int, word: str) -> str:
    """Number and unit: "1 game", "0 plies", "1,234,567 positions"."""
    return f"{number:,} {plural(number, word)}"


def format_value(value: str, plies: int | None) -> str:
    """Proved value, with its distance if known: "draw", "win in 67 plies"."""
    return value if plies is None else f"{value} in {counted(plies, 'ply')}"


def check_number(what: str, value: Any, *, whole: bool = False) -> Any:
    """Value as a plain int or float; with `whole` an int, also from 1e6.

    Raises InvalidSettingError, naming `what`, for text, True, NaN, and with `whole` for 1.5.
    """
    expected = "whole number" if whole else "number"
    if isinstance(value, Real) and not isinstance(value, bool) and value == value:
        if isinstance(value, Integral):
            return int(value)
        number = float(value)
        if not whole:
            return number
        if number.is_integer():
            return int(number)
    raise InvalidSettingError(f"{what} is {value!r:.80}, not a {expected}")


def plain_number(number: float) -> str:
    """Text of a number: whole numbers in full, others with at most 12 digits."""
    return f"{number:.12g}" if isinstance(number, float) else str(number)


@dataclass(frozen=True)
class Range:
    """The numbers that a setting takes: from `low` to `high`, both included, or strictly between `above` and `below`.

    zero: meaning of 0, if it is allowed although it lies outside; show: value to text.
    """

    low: float | None = None
    high: float | None = None
    above: float | None = None
    below: float | None = None
    zero: str = ""
    show: Callable[[Any], str] = plain_number

    def __str__(self) -> str:
        """The range in words: "1 to 60", "0 or more", "1 to 8, or 0 for all"."""
        low, high, above, below = (
            None if bound is None else self.show(bound) for bound in (self.low, self.high, self.above, self.below)
        )
        if low is not None and high is not None:
            text = f"{low} to {high}"
        else:
            least = f"{low} or more" if low is not None else f"more than {above}" if above is not None else ""
            most = f"at most {high}" if high is not None else f"less than {below}" if below is not None else ""
            text = " and ".join(each for each in (least, most) if each)
        return f"{text}, or 0 for {self.zero}" if self.zero else text

    def __contains__(self, number: float) -> bool:
        return (bool(self.zero) and number == 0) or (
            # a long whole number is not a float
            (isinstance(number, int) or math.isfinite(number))
            and (self.low is None or number >= self.low)
            and (self.high is None or number <= self.high)
            and (self.above is None or number > self.above)
            and (self.below is None or number < self.below)
        )  # fmt: skip

    def check(self, name: str, value: Any, *, whole: bool = True) -> Any:
        """The value of the setting `name` as a plain int, or with `whole` off a plain float or int.

        Raises InvalidSettingError if it is not such a number, or out of range.
        """
        number = check_number(name, value, whole=whole)
        if number not in self:
            raise InvalidSettingError(f"{name}: {self._shown(number)} is out of range; expected {self}")
        return number

    def _shown(self, number: float) -> str:
        try:
            return self.show(number)
        except InvalidSettingError:
            # units are for numbers from 0
            return plain_number(number)
