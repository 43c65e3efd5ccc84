"""JSON from a page, each field checked as it is taken. Numbers, texts and lists are bounded."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

from kr.errors import InvalidSettingError
from kr.game.position import Position
from kr.language.sentences import sentence
from kr.text import whole_characters

LONGEST_FEN = 400
"""Characters of a FEN; one with 32 kings and spaces has fewer."""
LONGEST_LINE = 2000
"""Moves of a game that is sent move by move."""
LONGEST_DATA = 4_000_000
"""Characters of a piece of a file in base64."""
_REQUIRED: Any = object()


class PageRequest:
    """JSON object sent by a page. Each method raises InvalidSettingError for a field that is missing or bad."""

    def __init__(self, fields: object) -> None:
        if not isinstance(fields, Mapping):
            raise InvalidSettingError(sentence("refused.no_fields"))
        self.fields: Mapping[str, Any] = fields

    def text(self, name: str, longest: int = 200, default: str = _REQUIRED) -> str:
        """Text of at most `longest` characters."""
        value = self._value(name, default)
        if not isinstance(value, str):
            raise InvalidSettingError(sentence("refused.field_text", name=name))
        if len(value) > longest:
            raise InvalidSettingError(sentence("refused.field_long", name=name, length=len(value), most=longest))
        return whole_characters(value)

    def data(self) -> bytes:
        """The bytes that `data` has in base64."""
        try:
            return base64.b64decode(self.text("data", LONGEST_DATA), validate=True)
        except (binascii.Error, ValueError):
            raise InvalidSettingError(sentence("refused.field_base64")) from None

    def number(self, name: str, low: int, high: int, default: int = _REQUIRED) -> int:
        """A whole number from low to high."""
        value = self._value(name, default)
        if value is default and default is not _REQUIRED:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise InvalidSettingError(sentence("refused.field_whole", name=name, low=low, high=high))
        return value

    def fraction(self, name: str, low: float, high: float, default: float = _REQUIRED) -> float:
        """A number from low to high."""
        value = self._value(name, default)
        if value is default and default is not _REQUIRED:
            return default
        # no comparison holds for a NaN, and an infinity is beyond any bound
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise InvalidSettingError(sentence("refused.field_number", name=name, low=f"{low:g}", high=f"{high:g}"))
        return float(value)

    def flag(self, name: str, default: bool = False) -> bool:
        """True or false."""
        value = self._value(name, default)
        if not isinstance(value, bool):
            raise InvalidSettingError(sentence("refused.field_flag", name=name))
        return value

    def choice(self, name: str, choices: Sequence[str], default: str = _REQUIRED) -> str:
        """One of some texts."""
        value = self._value(name, default)
        # a text of letters is a sequence of choices too, but holds more texts than these
        if value not in tuple(choices):
            raise InvalidSettingError(sentence("refused.field_choice", name=name, choices=tuple(filter(None, choices))))
        return str(value)

    def texts(self, name: str, most: int, longest: int = 200, default: Sequence[str] = _REQUIRED) -> list[str]:
        """A list of texts."""
        value = self._value(name, default)
        if not isinstance(value, list | tuple) or len(value) > most:
            raise InvalidSettingError(sentence("refused.field_texts", name=name, most=most))
        if not all(isinstance(each, str) and len(each) <= longest for each in value):
            raise InvalidSettingError(sentence("refused.field_long_texts", name=name, most=longest))
        return [whole_characters(each) for each in value]

    def object(self, name: str) -> PageRequest:
        """An object within this one."""
        value = self._value(name, _REQUIRED)
        if not isinstance(value, Mapping):
            raise InvalidSettingError(sentence("refused.field_object", name=name))
        return PageRequest(value)

    def objects(self, name: str, most: int) -> list[PageRequest]:
        """A list of objects."""
        value = self._value(name, _REQUIRED)
        if not isinstance(value, list | tuple) or len(value) > most:
            raise InvalidSettingError(sentence("refused.field_objects", name=name, most=most))
        return [PageRequest(each) for each in value]

    def has(self, name: str) -> bool:
        """True if the field is there and not null."""
        return self.fields.get(name) is not None

    def position(self, name: str = "fen") -> Position:
        """A position, from a FEN. Raises InvalidFenError."""
        return Position.from_fen(self.text(name, LONGEST_FEN))

    def positions(self, name: str, most: int, default: Sequence[Any] = _REQUIRED) -> list[Position]:
        """Positions, one at least unless there is a default: each as bitboards of Black, White and kings, and the side
        to move, 0 for Black. Raises InvalidFenError."""
        value = self._value(name, default)
        if not isinstance(value, list | tuple) or len(value) > most or not (value or default is not _REQUIRED):
            raise InvalidSettingError(sentence("refused.field_positions", name=name, most=most))
        if not all(
            isinstance(each, list) and len(each) == 4 and all(type(bits) is int for bits in each) for each in value
        ):
            raise InvalidSettingError(sentence("refused.field_position", name=name))
        return [Position(*each) for each in value]

    def _value(self, name: str, default: Any) -> Any:
        value = self.fields.get(name)
        if value is None:
            if default is _REQUIRED:
                raise InvalidSettingError(sentence("refused.field_missing", name=name))
            return default
        return value
