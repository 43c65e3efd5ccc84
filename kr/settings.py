"""Settings are frozen dataclasses whose fields carry their help text, so that each default stands in one place.

    @dataclass(frozen=True)
    class MatchSettings:
        games: int = option(100, "games to play", parse=parse_count)
        tc: Limits = option(Limits(time=0.3), "limit of each move", parse=Limits.parse)

The command line (kr/cli/options.py) is made from them; Python callers fill in parsed values.
"""

from collections.abc import Callable
from dataclasses import MISSING, field, fields
from typing import Any

from kr.errors import InvalidSettingError

REQUIRED = MISSING
EGDB_MEMORY = 64 << 20
"""Bytes of an endgame database that are unpacked into memory if nothing else is said: all up to 5 pieces fit."""


def option(
    default: Any,
    help: str,
    *,
    parse: Callable[[str], Any] | None = None,
    show: Callable[[Any], str] = str,
    name: str | None = None,
    metavar: str | None = None,
    argument: bool = False,
) -> Any:
    """A dataclass field with the words that a command line needs.

    default: the parsed value, or REQUIRED; help: one line, units named; parse: text to value, raising
    InvalidSettingError, for types that typer doesn't know; show: value to the text shown as default;
    name: option name if it isn't the field's ("lambda" for `lambda_`); metavar: what stands for the value in the
    help; argument: a positional argument instead of an option.
    """
    words = {"help": help, "parse": parse, "show": show, "name": name, "metavar": metavar, "argument": argument}
    return field(default=default, metadata=words)


def some_text(text: str) -> str:
    """For `parse`: text that says something, where leaving the option out says the rest. Raises InvalidSettingError."""
    if not text.strip():
        raise InvalidSettingError(f"{text!r} is empty")
    return text


def same_option(settings: type, name: str) -> Any:
    """A dataclass field with the default and the words of that name in other settings."""
    (found,) = (each for each in fields(settings) if each.name == name)
    return field(default=found.default, metadata=found.metadata)
