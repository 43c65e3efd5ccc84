"""The texts of languages, CODE.json: sentences by their names, and the page's own texts by their English ones.

{"language": {"name": "Italiano"}, "words": {...}, "sentences": {"story": {"no_move": ...}},
"texts": {"viewer/board.js": {"Board": "Damiera"}}}

A language is there if its file is. language: its name in itself; until someone who speaks it has read all, in
unreviewed what says so, which stands after the name. words: which word stands for which idea, for those who translate.
sentences: what kr says and pages tell, by subject; their names join both, story.no_move. texts: those of scripts, in
the order of the scripts, whose names stand above them; English has none. A text that is empty or missing is told in
English.

A sentence has {places} for its values. With | between, it has forms: for a count those that the language tells apart
(texts.js), else the second for the side of the person to whom it is told. Values are sent as they are, and written as
the language does: {"say": "story.no_move", "with": {"side": "black"}}, {"number": 0.75, "digits": 4}, {"seconds": 90},
{"bytes": 2000000}.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, TypeAlias

from kr.errors import InvalidSettingError
from kr.notation import SIDE_NAMES
from kr.units import format_clock

YOU = "you"
"""In place of a side, the person to whom a sentence is told."""
_SIDES = {name.lower(): name for name in SIDE_NAMES}
_SIDE_PLACES = ("side", "other")
_FOLDER = resources.files(__package__)
_FILE = re.compile(r"[a-z]{2}\.json")
_PLACE = re.compile(r"\{(\w+)\}")

Told: TypeAlias = "str | int | Figure | Duration | Size | Sentence | Sequence[Told]"
"""Of a place: a side in lower case, a count, another number, another text, a sentence, or several of these with commas
between."""


def languages() -> dict[str, str]:
    """The languages that there are: their names by code."""
    codes = sorted(file.name.removesuffix(".json") for file in _FOLDER.iterdir() if _FILE.fullmatch(file.name))
    return {code: _name(_read(code)["language"]) for code in codes}


def _name(language: Mapping[str, str]) -> str:
    remark = language.get("unreviewed")
    return f"{language['name']} ({remark})" if remark else language["name"]


@cache
def _read(code: str) -> dict[str, Any]:
    path = _FOLDER.joinpath(f"{code}.json")
    try:
        file: dict[str, Any] = json.loads(path.read_text("utf-8"))
        _name(file["language"])
    except (KeyError, TypeError, ValueError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise InvalidSettingError(f"{path}: not the texts of a language: {what}") from None
    return file


@cache
def texts(code: str) -> dict[str, str]:
    """The texts that a language has: by name, or by the English text."""
    file = _read(code)
    own = {english: text for group in file.get("texts", {}).values() for english, text in group.items()}
    named = {
        f"{subject}.{name}": text
        for subject, group in file.get("sentences", {}).items()
        for name, text in group.items()
    }
    return {key: text for key, text in (own | named).items() if text}


@cache
def scripts() -> dict[str, str]:
    """The texts as modules for pages, by their paths beside the other scripts, and the names of all languages."""
    contents: dict[str, dict[str, str]] = {f"languages/{code}.js": texts(code) for code in languages()}
    contents["language-names.js"] = languages()
    return {path: f"export default {json.dumps(each, ensure_ascii=False)};\n" for path, each in contents.items()}


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
