"""Settings are frozen dataclasses whose fields carry their help text, so that each default stands in one place.

    @dataclass(frozen=True)
    class MatchSettings:
        games: int = option(100, "games to play", parse=parse_count)
        tc: Limits = option(Limits(time=0.3), "limit of each move", parse=Limits.parse)

The command line (kr/cli/options.py) is made from them; Python callers fill in parsed values.
"""

from collections.abc import Callable
from dataclasses import MISSING, field
from typing import Any

REQUIRED = MISSING


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
