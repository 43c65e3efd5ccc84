"""Settings: frozen dataclasses whose fields carry their help and range, so that each has one definition.

    @dataclass(frozen=True)
    class MatchSettings(Settings):
        games: int = option(100, "Games to play, {allowed}.", parse=parse_count, low=2, high=10**7)
        tc: Limits = option(Limits(time=0.3), "Limit of each move.", parse=Limits.parse)

The command line (kr/cli/options.py) is made from them; Python callers pass parsed values. Both are checked alike.
"""

import dataclasses
import functools
from collections.abc import Callable, Iterable
from dataclasses import MISSING, field
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from kr.errors import InvalidSettingError
from kr.threads import THREADS
from kr.units import Range, plain_number

REQUIRED = MISSING
EGDB_MEMORY = 64 << 20
"""Bytes of an endgame database that are unpacked into memory by default: all up to 5 pieces fit."""
MOST_SEED = 2**63 - 1
"""Largest seed: the core takes signed 64-bit numbers."""


def option(
    default: Any,
    help: str,
    *,
    parse: Callable[[str], Any] | None = None,
    show: Callable[[Any], str] | None = None,
    name: str | None = None,
    metavar: str | None = None,
    argument: bool = False,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    below: float | None = None,
    zero: str = "",
    choices: tuple[str, ...] = (),
) -> Any:
    """A dataclass field with its words for a command line, and the values that Settings allows.

    default: the parsed value, or REQUIRED; help: one line, units named, in which "{allowed}" becomes the range or the
    choices; parse: text to value, raising InvalidSettingError, for types that the command line doesn't know; show:
    value to the text shown as default and in errors; name: option name if it isn't the field's ("lambda" for
    `lambda_`); metavar: placeholder of the value in the help; argument: a positional argument instead of an option;
    low, high, above, below, zero: as for Range; choices: the texts allowed.
    """
    bounds = Range(low, high, above, below, zero, show or plain_number)
    bounded = {low, high, above, below} != {None}
    words = {
        "help": help.replace("{allowed}", str(bounds) if bounded else one_of(choices)),
        "parse": parse,
        "show": show or str,
        "name": name,
        "metavar": metavar or "|".join(choices) or None,
        "argument": argument,
        "range": bounds if bounded else None,
        "choices": choices,
    }
    return field(default=default, metadata=words)


class Settings:
    """Base of settings: every field made by `option` is checked.

    Text in a field for paths becomes a path. A subclass with more to check overrides `__post_init__` and calls this one
    first. Raises InvalidSettingError, which names the field.
    """

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for name, hint, words in _checked_fields(kind):
            original = getattr(self, name)
            value = check_value(name, hint, words, original)
            if value is not original:
                object.__setattr__(self, name, value)


def check_type(name: str, given: object, kind: type) -> None:
    """Raise InvalidSettingError unless what was given under this name is of this kind."""
    if not isinstance(given, kind):
        expected = "text" if kind is str else kind.__name__
        raise InvalidSettingError(f"{name} is {given!r:.80}; expected {expected}")


def check_settings(given: object, kind: type[Settings]) -> None:
    """Raise InvalidSettingError unless settings are of this kind."""
    if not isinstance(given, kind):
        raise InvalidSettingError(f"the settings are {given!r:.80}; expected {kind.__name__}")


@functools.cache
def _checked_fields(settings: Any) -> list[tuple[str, Any, Any]]:
    """Name, type and words of the fields that have a range or choices, or are paths."""
    hints = get_type_hints(settings)
    return [
        (each.name, hints[each.name], each.metadata)
        for each in dataclasses.fields(settings)
        if each.metadata and (each.metadata["range"] or each.metadata["choices"] or _is_path(hints[each.name]))
    ]


def _is_path(hint: Any) -> bool:
    return Path in (hint, *get_args(hint)) and str not in get_args(hint)


def check_value(name: str, hint: Any, words: Any, value: Any) -> Any:
    """The value of a field of type `hint` with these words (its metadata): a number as a plain one, text as a path.

    Raises InvalidSettingError.
    """
    types = (hint, *get_args(hint))
    if value is None and NoneType in types:
        return None
    if words["range"] is not None and isinstance(value, tuple):
        return tuple(words["range"].check(name, each, whole=int in types) for each in value)
    if words["range"] is not None:
        return words["range"].check(name, value, whole=int in types)
    if _is_path(hint):
        return _as_paths(value)
    if words["choices"] and value not in words["choices"]:
        raise InvalidSettingError(f"{name}: {value!r} is unknown; expected {one_of(words['choices'])}")
    return value


def _as_paths(value: Any) -> Any:
    """Text as a path, also in a tuple or list."""
    if isinstance(value, tuple | list):
        return tuple(map(_as_paths, value))
    return Path(value) if isinstance(value, str) else value


def one_of(choices: Iterable[str]) -> str:
    """Choices in words: "black, white or random"."""
    words = [choice for choice in choices if choice]
    return " or ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def known_suffix(name: str, path: Path, suffixes: Iterable[str]) -> str:
    """The suffix of a file whose form it chooses, in small letters. Raises InvalidSettingError for one of no form."""
    endings = tuple(suffixes)
    suffix = path.suffix.lower()
    if suffix not in endings:
        raise InvalidSettingError(f"{name} {path}: expected a name that ends in {one_of(endings)}")
    return suffix


def some_text(text: str) -> str:
    """For `parse`: text that is not empty, if leaving the option out has a meaning. Raises InvalidSettingError."""
    if not text.strip():
        raise InvalidSettingError(f"{text!r} is empty")
    return text


def parse_names(allowed: tuple[str, ...], what: str) -> Callable[[str], tuple[str, ...]]:
    """A parser of names with commas between; "all" for all of them."""

    def parse(text: str) -> tuple[str, ...]:
        names = allowed if text == "all" else tuple(filter(None, text.replace(" ", "").split(",")))
        unknown = [name for name in names if name not in allowed]
        if unknown or not names:
            raise InvalidSettingError(f"{text!r:.60} is not {what}; expected some of {', '.join(allowed)}, or all")
        return tuple(name for name in allowed if name in names)

    return parse


def same_option(settings: type, name: str) -> Any:
    """A dataclass field with the default and the words of that name in other settings."""
    (original,) = (each for each in dataclasses.fields(settings) if each.name == name)
    return field(default=original.default, metadata=original.metadata)


def workers_option(what: str = "Threads") -> Any:
    """Setting: number of `what` that work at a time."""
    return option(0, f"{what}: {{allowed}}.", low=THREADS.low, high=THREADS.high, zero="one per core")


def seed_option(help: str) -> Any:
    """Setting: the seed of random choices."""
    return option(1, help, low=0, high=MOST_SEED)
