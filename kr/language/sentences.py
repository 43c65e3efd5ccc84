"""The texts of languages, CODE.json: sentences by their names, and the page's own texts by their English ones.

{"words": {...}, "sentences": {"story": {"no_move": ...}}, "texts": {"viewer/board.js": {"Board": "Damiera"}}}

words: which word stands for which idea, for those who translate. sentences: what kr says and pages tell, by subject;
their names join both, story.no_move. texts: those of scripts, in the order of the scripts, whose names stand above
them; English has none.

A sentence has {places} for its values. With | between, it has two forms: the second is for counts other than one, or
for the side of the person to whom it is told. Values are sent as they are, and written as the language does: {"say":
"story.no_move", "with": {"side": "black"}}, {"number": 0.75, "digits": 4}, {"seconds": 90}, {"bytes": 2000000}.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, TypeAlias

from kr.notation import SIDE_NAMES
from kr.units import format_clock

LANGUAGES = ("en", "it")
YOU = "you"
"""In place of a side, the person to whom a sentence is told."""
_SIDES = {name.lower(): name for name in SIDE_NAMES}
_SIDE_PLACES = ("side", "other")
_PLACE = re.compile(r"\{(\w+)\}")

Told: TypeAlias = "str | int | Figure | Duration | Size | Sentence | Sequence[Told]"
"""Of a place: a side in lower case, a count, another number, another text, a sentence, or several of these with commas
between."""


@cache
def texts(code: str) -> dict[str, str]:
    """All texts of a language: by name, or by the English text."""
    file: dict[str, Any] = json.loads(resources.files(__package__).joinpath(f"{code}.json").read_text("utf-8"))
    own = {english: text for group in file.get("texts", {}).values() for english, text in group.items()}
    return own | {
        f"{subject}.{name}": text for subject, group in file["sentences"].items() for name, text in group.items()
    }


@cache
def scripts() -> dict[str, str]:
    """The texts as modules for pages, by their paths beside the other scripts."""
    return {
        f"languages/{code}.js": f"export default {json.dumps(texts(code), ensure_ascii=False)};\n" for code in LANGUAGES
    }


@dataclass(frozen=True)
class Figure:
    """A number with so many decimals, or more digits before them; signed: with a plus too; error: how far it may be
    off."""

    number: float
    digits: int = 0
    signed: bool = False
    error: float | None = None

    def __str__(self) -> str:
        text = f"{self.number:{'+' if self.signed else ''},.{self.digits}f}"
        return text if self.error is None else f"{text} ± {self.error:,.{self.digits}f}"

    def as_object(self) -> dict[str, Any]:
        """The number as a JSON object."""
        fields: dict[str, Any] = {"number": self.number, "digits": self.digits}
        signed = {"signed": True} if self.signed else {}
        return fields | signed | ({} if self.error is None else {"error": self.error})


@dataclass(frozen=True)
class Duration:
    """A duration, to the second."""

    seconds: float

    def __str__(self) -> str:
        return format_clock(self.seconds)

    def as_object(self) -> dict[str, Any]:
        """The duration as a JSON object."""
        return {"seconds": self.seconds}


@dataclass(frozen=True)
class Size:
    """A number of bytes, told in millions."""

    bytes: int
    digits: int = 0

    def __str__(self) -> str:
        return f"{self.bytes / 1e6:,.{self.digits}f} MB"

    def as_object(self) -> dict[str, Any]:
        """The size as a JSON object."""
        return {"bytes": self.bytes, "digits": self.digits}


@dataclass(frozen=True)
class Sentence:
    """A sentence, which each page tells in its language. As text it is English."""

    name: str
    values: Mapping[str, Told] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.filled()

    def filled(self, show: Callable[[str, str], str] = lambda name, text: text) -> str:
        """The English text. show: the text of a value, by the name of its place, as it is to stand there."""
        forms = texts("en")[self.name].split("|")
        second = self.values.get("side") == YOU or self.values.get("count", 1) != 1
        return _PLACE.sub(lambda place: self._shown(place[1], show), forms[-1] if second else forms[0])

    def _shown(self, place: str, show: Callable[[str, str], str]) -> str:
        value = self.values[place]
        if place in _SIDE_PLACES:
            return _SIDES[str(value)]
        return _filled(value, lambda text: show(place, text), show)

    def as_object(self) -> dict[str, Any]:
        """The sentence as a JSON object."""
        return {"say": self.name, "with": as_json(self.values)}


def sentence(name: str, /, **values: Told) -> Sentence:
    """A sentence with its values."""
    return Sentence(name, values)


def told_by(error: BaseException) -> Told:
    """The sentence that an error was raised with, or its text."""
    first = error.args[0] if error.args else None
    return first if isinstance(first, Sentence) else str(error)


def count_of(things: str, count: int) -> Sentence:
    """A count of things, such as games."""
    return Sentence(f"count.{things}", {"count": count})


def named(subject: str, words: str) -> Told:
    """Words of a file, such as "no progress", as the sentence of that name; as they are if there is none."""
    name = f"{subject}.{words.replace(' ', '_')}"
    return Sentence(name) if name in texts("en") else words


def as_json(value: Any) -> Any:
    """JSON with all that is told in it as objects."""
    if isinstance(value, Sentence | Figure | Duration | Size):
        return value.as_object()
    if isinstance(value, Mapping):
        return {name: as_json(each) for name, each in value.items()}
    return [as_json(each) for each in value] if isinstance(value, list | tuple) else value


def _filled(value: Told, own: Callable[[str], str], show: Callable[[str, str], str]) -> str:
    if isinstance(value, Sentence):
        return value.filled(show)
    if isinstance(value, int):
        return own(f"{value:,}")
    if isinstance(value, list | tuple):
        return ", ".join(_filled(each, own, show) for each in value)
    return own(str(value))
