"""The names that players have given to openings, with the positions that they name: names.txt, beside this file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import islice

from kr.game.position import Bits, Position
from kr.pdn.replay import Replay
from kr.text import plain_name

_PATH = re.compile(r"[/\\]")


@dataclass(frozen=True, slots=True)
class NamedLine:
    """A name, and moves that lead to the position that has it."""

    name: str
    moves: str
    board: Bits
    plies: int
    spellings: tuple[str, ...] = ()
    """Other spellings of the name."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Name and other spellings as they are compared."""
        return name_key(self.name), *map(name_key, self.spellings)


@dataclass(frozen=True, slots=True)
class ReachedName:
    """A name that a game came to."""

    name: str
    ply: int
    """Number of moves before the position that has the name."""


def name_key(name: str) -> str:
    """A name as it is compared: letters and digits, without case and accents."""
    return "".join(filter(str.isalnum, plain_name(name).removeprefix("the ")))


@cache
def named_lines() -> tuple[NamedLine, ...]:
    """All names, in the order of names.txt."""
    text = resources.files("kr.openings").joinpath("names.txt").read_text(encoding="utf-8")
    return tuple(_parsed(line) for line in text.splitlines() if line and not line.startswith("#"))


@cache
def names_by_board() -> dict[Bits, NamedLine]:
    """All names by the position that has them."""
    return {line.board: line for line in named_lines()}


def name_at(board: Bits) -> str:
    """The name of a position; "" if it has none of its own."""
    line = names_by_board().get(board)
    return line.name if line else ""


def lines_named(name: str) -> list[NamedLine]:
    """The lines that have this very name, or this other spelling of it. A path is not a name: ./Dyke is a file."""
    key = name_key(name)
    return [] if _PATH.search(name) else [line for line in named_lines() if key in line.keys]


def lines_matching(text: str) -> list[NamedLine]:
    """The lines with this name, or if there is none those with this text in their names."""
    key = name_key(text)
    return lines_named(text) or [line for line in named_lines() if key and any(key in each for each in line.keys)]


def opening_names(boards: Iterable[Bits]) -> list[ReachedName]:
    """The names that a game comes to, in order. boards: its start and the position after each move."""
    table = names_by_board()
    names: list[ReachedName] = []
    for ply, board in enumerate(islice(boards, _longest() + 1)):
        line = table.get(board)
        if line is not None and (not names or names[-1].name != line.name):
            names.append(ReachedName(line.name, ply))
    return names


def opening_name(boards: Iterable[Bits]) -> ReachedName | None:
    """The most specific name along a game: the last that it comes to. boards: as in `opening_names`."""
    return next(reversed(opening_names(boards)), None)


@cache
def _longest() -> int:
    return max(line.plies for line in named_lines())


def _parsed(text: str) -> NamedLine:
    name, moves, *spellings = text.split("\t")
    replay = Replay(Position().bits, moves.split())
    if replay.error:
        raise replay.error
    others = tuple(spellings[0].split("; ")) if spellings else ()
    return NamedLine(name, moves, replay.boards[-1], len(replay.moves), others)
