"""What a book says, whichever of its forms it has: the working file of a build, the packed one, or a user book."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kr.book.book import OpeningBook, located_book
from kr.book.frame import BookKey, BookStep, book_key, move_at, position_of_key, step_at
from kr.book.krb import least_games
from kr.errors import InvalidBookError, KrError
from kr.file_kinds import PACKED_BOOK, USER_BOOK, WORKING_BOOK
from kr.game.position import Move, Position
from kr.openings.decks import Opening, deck
from kr.theory.cooks import CookVerdict, cook_of
from kr.theory.graph import LONGEST_PATH, BookGraph
from kr.theory.packing import book_depths, known_steps
from kr.theory.store import book_for_reading, opening_names_of
from kr.theory.userbook import read_userbook


@dataclass(frozen=True, slots=True)
class TheoryMove:
    """A move of a position in a book."""

    move: Move
    value: int | None
    """Centi-men for the side that plays it, 10,000 for a proved win; None if only people know it."""
    depth: int
    """Plies from the position to the end of the search behind the value."""
    games: int
    """Games of people in which it was played, at least."""


class BookContents(ABC):
    """A book to read. facts: where it comes from, as a packed book has them."""

    has_values = True
    """False for moves that someone has chosen without more."""
    exact_games: bool
    """True if the numbers of games are exact; else they are the least that the weights of a packed book stand for."""

    def __init__(self, facts: dict[str, Any], openings: list[Opening]) -> None:
        self.facts = facts
        self.openings = openings

    @abstractmethod
    def moves(self, position: Position) -> list[TheoryMove]:
        """The moves of a position, best first, then those without a value; none if the book does not have it."""

    @abstractmethod
    def __len__(self) -> int:
        """Number of `positions`."""

    @abstractmethod
    def has(self, key: BookKey) -> bool:
        """True if a position is one of them."""

    @abstractmethod
    def positions(self) -> Iterator[Position]:
        """The positions that have a move, with Black to move."""

    def cook(self, position: Position, moves: Sequence[TheoryMove]) -> TheoryMove | None:
        """The move of a position that people play most, if it is a cook. moves: those of the position."""
        return None

    def best(self, moves: Sequence[TheoryMove]) -> TheoryMove | None:
        """The move to play of those of a position; None if the book has none."""
        return moves[0] if moves and (moves[0].value is not None or not self.has_values) else None


class GraphContents(BookContents):
    """A working file, its values propagated."""

    def __init__(self, graph: BookGraph, facts: dict[str, Any]) -> None:
        super().__init__(facts, _root_openings(graph, facts))
        self.graph, self.exact_games = graph, graph.exact_games
        self._depths = book_depths(graph)

    def moves(self, position: Position) -> list[TheoryMove]:
        node = self.graph.nodes.get(book_key(position))
        if node is None:
            return []
        return [
            TheoryMove(move_at(position, each.step), each.worth, each.depth, each.games)
            for each in known_steps(self.graph, node, self._depths)
        ]

    def cook(self, position: Position, moves: Sequence[TheoryMove]) -> TheoryMove | None:
        node = self.graph.nodes.get(book_key(position))
        book_cook = None if node is None else cook_of(self.graph, node, self._depths)
        if book_cook is None or book_cook.verdict is not CookVerdict.HOLDS:
            return None
        return next(each for each in moves if step_at(position, each.move) == book_cook.played.step)

    def __len__(self) -> int:
        return sum(bool(node.moves) for node in self.graph.nodes.values())

    def has(self, key: BookKey) -> bool:
        node = self.graph.nodes.get(key)
        return node is not None and bool(node.moves)

    def positions(self) -> Iterator[Position]:
        return (position_of_key(node.key) for node in self.graph.nodes.values() if node.moves)


class PackedContents(BookContents):
    """A packed book."""

    exact_games = False

    def __init__(self, book: OpeningBook) -> None:
        super().__init__(book.facts, known_openings(book.facts) or [_START])
        self.book = book

    def moves(self, position: Position) -> list[TheoryMove]:
        return [
            TheoryMove(each.move, each.value, each.depth, least_games(each.weight))
            for each in self.book.moves(position)
        ]

    def cook(self, position: Position, moves: Sequence[TheoryMove]) -> TheoryMove | None:
        book_move = self.book.cook(position)
        return None if book_move is None else next((each for each in moves if each.move == book_move.move), None)

    def __len__(self) -> int:
        return len(self.book)

    def has(self, key: BookKey) -> bool:
        return bool(self.book.moves(position_of_key(key)))

    def positions(self) -> Iterator[Position]:
        return self.book.positions()


class UserBookContents(BookContents):
    """A user book of CheckerBoard: a move for each board, and nothing more."""

    has_values = False
    exact_games = True

    def __init__(self, moves: Mapping[Position, Move], wrong: Sequence[int]) -> None:
        super().__init__({}, [_START, *deck("3move", playable_only=False)])
        self.wrong = wrong
        """Numbers of its entries that are not a legal move, from 1."""
        self._steps: dict[BookKey, BookStep] = {}
        for position, move in moves.items():
            self._steps.setdefault(book_key(position), step_at(position, move))

    def moves(self, position: Position) -> list[TheoryMove]:
        step = self._steps.get(book_key(position))
        return [] if step is None else [TheoryMove(move_at(position, step), None, 0, 0)]

    def __len__(self) -> int:
        return len(self._steps)

    def has(self, key: BookKey) -> bool:
        return key in self._steps

    def positions(self) -> Iterator[Position]:
        return map(position_of_key, self._steps)


_START = Opening("start", Position())


def open_contents(path: Path) -> BookContents:
    """Open a book in any form, or the shipped one. Raises InvalidSettingError, InvalidBookError, OSError."""
    path, kind = located_book(path, WORKING_BOOK, PACKED_BOOK, USER_BOOK)
    if kind == PACKED_BOOK:
        return PackedContents(OpeningBook(path))
    if kind == USER_BOOK:
        return UserBookContents(*read_userbook(path))
    with book_for_reading(path) as store:
        facts, graph = store.settings(), store.graph()
    if not any(node.moves for node in graph.nodes.values()):
        raise InvalidBookError(f"{path} has no positions yet; go on with kr book build")
    return GraphContents(graph, facts)


def best_line(contents: BookContents, position: Position, first: TheoryMove) -> list[Move]:
    """A move and the best ones after it, to the end of the book; at most LONGEST_PATH."""
    line, move = [first.move], first
    while len(line) < LONGEST_PATH:
        position = position.play(move.move)
        best = contents.best(contents.moves(position))
        if best is None:
            break
        move = best
        line.append(move.move)
    return line


def known_openings(facts: Mapping[str, Any]) -> list[Opening]:
    """The openings from which a book grew, without those of files that are gone."""
    openings: list[Opening] = []
    for name in opening_names_of(facts):
        with suppress(KrError, OSError):
            openings += [*([_START] if name == "3move" else []), *deck(name, playable_only=False)]
    return openings


def _root_openings(graph: BookGraph, facts: dict[str, Any]) -> list[Opening]:
    """The openings of a graph. Those that no deck has are shown with Black to move."""
    openings = [each for each in known_openings(facts) if book_key(each.position) in graph.roots]
    keys = {book_key(each.position) for each in openings}
    others = [Opening(name, position_of_key(key)) for key, name in graph.roots.items() if key not in keys]
    return openings + others
