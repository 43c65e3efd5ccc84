"""Search options: numbers by name that change how the search reduces, extends and orders moves."""

from __future__ import annotations

from collections.abc import Mapping

from kr import _core
from kr.errors import InvalidSettingError
from kr.units import check_number

SEARCH_OPTIONS: dict[str, tuple[int, int, int, int, str]] = _core.SEARCH_OPTIONS
"""Search options by name: default, least, most, the value that switches it off, and a description."""


def parse_search_options(text: str) -> dict[str, int]:
    """Parse search options such as "lmr_move=4,etc_depth=99"; "" gives none. Raises InvalidSettingError.

    Ranges are checked by the engine that gets the options.
    """
    options: dict[str, int] = {}
    for part in filter(None, text.split(",")):
        name, _, number = (word.strip() for word in part.partition("="))
        if name not in SEARCH_OPTIONS:
            raise InvalidSettingError(f"unknown search option {name!r}; choose from {', '.join(SEARCH_OPTIONS)}")
        if not number.isdecimal():
            raise InvalidSettingError(f"search option {name} is {number!r}, not a whole number")
        if name in options:
            raise InvalidSettingError(f"{text!r} sets the search option {name} twice")
        options[name] = int(number)
    return options


def format_search_options(options: Mapping[str, int]) -> str:
    """Text of search options, as parse_search_options reads it."""
    return ",".join(f"{name}={number}" for name, number in options.items())


def check_search_options(options: Mapping[str, int] | None) -> dict[str, int]:
    """Search options as plain numbers, for the core. Raises InvalidSettingError for anything else."""
    if options is not None and not isinstance(options, Mapping):
        expected = "a mapping of names to numbers such as {'lmr_move': 4}"
        raise InvalidSettingError(f"search options {options!r}: expected {expected}")
    return {name: check_number(f"search option {name}", number, whole=True) for name, number in (options or {}).items()}
