"""JSON from a page, each field checked as it is taken. Numbers, texts and lists are bounded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from kr.errors import InvalidSettingError
from kr.game.board import Board
from kr.game.position import Position
from kr.notation import SQUARES
from kr.pdn.game import Game
from kr.settings import one_of
from kr.viewer.document import read_document

LONGEST_FEN = 400
"""Characters of a FEN; one with 32 kings and spaces has fewer."""
LONGEST_LINE = 2000
"""Moves of a game that is sent move by move."""
_REQUIRED: Any = object()


class Asked:
    """A JSON object that a page has sent. Each method raises InvalidSettingError for a field that is missing or bad."""

    def __init__(self, fields: object) -> None:
        if not isinstance(fields, Mapping):
            raise InvalidSettingError("expected a JSON object")
        self.fields: Mapping[str, Any] = fields

    def text(self, name: str, longest: int = 200, default: str = _REQUIRED) -> str:
        """Text of at most so many characters."""
        given = self._given(name, default)
        if not isinstance(given, str):
            raise InvalidSettingError(f"{name} is not text")
        if len(given) > longest:
            raise InvalidSettingError(f"{name} has {len(given)} characters; at most {longest}")
        return given

    def number(self, name: str, low: int, high: int, default: int = _REQUIRED) -> int:
        """A whole number from low to high."""
        given = self._given(name, default)
        if given is default and default is not _REQUIRED:
            return default
        if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
            raise InvalidSettingError(f"{name} is not a whole number from {low} to {high}")
        return given

    def fraction(self, name: str, low: float, high: float, default: float = _REQUIRED) -> float:
        """A number from low to high."""
        given = self._given(name, default)
        if given is default and default is not _REQUIRED:
            return default
        number = isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given)
        if not number or not low <= given <= high:
            raise InvalidSettingError(f"{name} is not a number from {low:g} to {high:g}")
        return float(given)

    def flag(self, name: str, default: bool = False) -> bool:
        """True or false."""
        given = self._given(name, default)
        if not isinstance(given, bool):
            raise InvalidSettingError(f"{name} is neither true nor false")
        return given

    def choice(self, name: str, choices: Sequence[str], default: str = _REQUIRED) -> str:
        """One of some texts."""
        given = self._given(name, default)
        if given not in choices:
            raise InvalidSettingError(f"{name} is not one of {one_of(tuple(choices))}")
        return str(given)

    def texts(self, name: str, most: int, longest: int = 200, default: Sequence[str] = _REQUIRED) -> list[str]:
        """A list of texts."""
        given = self._given(name, default)
        if not isinstance(given, list | tuple) or len(given) > most:
            raise InvalidSettingError(f"{name} is not a list of at most {most} texts")
        if not all(isinstance(each, str) and len(each) <= longest for each in given):
            raise InvalidSettingError(f"{name} holds something else than texts of at most {longest} characters")
        return list(given)

    def object(self, name: str) -> Asked:
        """An object within this one."""
        given = self._given(name, _REQUIRED)
        if not isinstance(given, Mapping):
            raise InvalidSettingError(f"{name} is not an object")
        return Asked(given)

    def has(self, name: str) -> bool:
        """True if the field is given and is not null."""
        return self.fields.get(name) is not None

    def position(self, name: str = "fen") -> Position:
        """A position, given as FEN. Raises InvalidFenError."""
        return Position.from_fen(self.text(name, LONGEST_FEN))

    def squares(self, name: str, default: Sequence[int] = _REQUIRED) -> tuple[int, ...]:
        """Squares of a move, given as 1 to 32, as 0 to 31."""
        given = self._given(name, default)
        if not isinstance(given, list | tuple) or len(given) > SQUARES:
            raise InvalidSettingError(f"{name} is not a list of at most {SQUARES} squares")
        if not all(type(each) is int and 1 <= each <= SQUARES for each in given):
            raise InvalidSettingError(f"{name} holds something else than squares from 1 to {SQUARES}")
        return tuple(square - 1 for square in given)

    def document(self, name: str = "document") -> Game:
        """A game, every move checked. Raises InvalidPdnError, InvalidFenError and IllegalMoveError."""
        return read_document(self._given(name, _REQUIRED))

    def board(self, start: str = "start", moves: str = "moves") -> Board:
        """A game given by the FEN it starts from and its moves. Raises InvalidFenError and IllegalMoveError."""
        board = Board(self.position(start))
        for move in self.texts(moves, LONGEST_LINE, 100, ()):
            board.play(move)
        return board

    def _given(self, name: str, default: Any) -> Any:
        given = self.fields.get(name)
        if given is None:
            if default is _REQUIRED:
                raise InvalidSettingError(f"{name} is missing")
            return default
        return given
