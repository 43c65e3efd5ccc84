"""Books that engines play from: what a book says of a position, and the move that it plays there."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kr.book.cooks import SearchedCooks
from kr.book.frame import BookKey, book_key, numbered_moves, position_of_key
from kr.book.krb import PackedBook, least_games
from kr.errors import InvalidBookError, InvalidFenError, InvalidSettingError
from kr.file_kinds import PACKED_BOOK, USER_BOOK, WORKING_BOOK, content_kind, file_kind
from kr.game.board import PositionLike, position_of, with_history
from kr.game.position import Move, Position
from kr.language.sentences import Sentence
from kr.settings import one_of, option
from kr.storage import as_path, data_path, no_file, read_regular

if TYPE_CHECKING:
    from collections.abc import Collection


SHIPPED_BOOK = "shipped"
NO_BOOK = "none"
VARIETY = 4
"""Centi-men: moves that are worse than the best by no more may be played instead of it."""
MOST_BOOK_BYTES = 1 << 28
"""Bytes of a packed book."""


class KnownMove(NamedTuple):
    """A move that a book knows."""

    move: Move
    value: int | None
    """Centi-men for the side that moves, 10,000 for a proved win; None if people play it, and the book has only found
    that it is worse than the others."""
    depth: int
    """Plies from the position to the end of the search behind the value."""
    weight: int
    """0 if people have not played it, 1 for 1 to 3 games, 2 for 4 to 15, and so on by powers of 4, at most 7."""


class OpeningBook:
    """A packed book, open. Any number of threads may ask it. Raises InvalidBookError and OSError."""

    def __init__(self, path: str | Path) -> None:
        self.path = as_path(path)
        content = read_regular(path, MOST_BOOK_BYTES)
        if (kind := content_kind(content)) != PACKED_BOOK:
            hint = ", which kr book export packs" if kind == WORKING_BOOK else ""
            raise InvalidBookError(f"{path}: not a packed book of kr; expected a .krb file, and this is {kind}{hint}")
        with self._naming():
            self._packed = PackedBook(content)
        self._played_at_cooks: dict[BookKey, int] | None = None

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Name the file in errors of its content."""
        try:
            yield
        except (InvalidBookError, InvalidFenError) as error:
            raise InvalidBookError(f"{self.path}: {error}") from error

    def __len__(self) -> int:
        return len(self._packed)

    @property
    def signature(self) -> str:
        """The checksum of its content, 8 hexadecimal digits."""
        return f"{self._packed.checksum:08x}"

    @property
    def facts(self) -> dict[str, Any]:
        """Where it comes from: nodes of a search, archive, version of kr."""
        with self._naming():
            return self._packed.facts

    def positions(self) -> Iterator[Position]:
        """All positions, with Black to move."""
        with self._naming():
            yield from map(position_of_key, self._packed.keys())

    def moves(self, position: PositionLike) -> list[KnownMove]:
        """What the book knows of a position, best first; nothing if it does not have it."""
        position = position_of(position)
        # a context would take longer than the rest of the look-up
        try:
            packed = self._packed.moves(book_key(position))
        except InvalidBookError as error:
            raise InvalidBookError(f"{self.path}: {error}") from error
        if not packed:
            return []
        legal = numbered_moves(position)
        # numbers beyond the legal moves are damage that a checksum was made for
        return [
            KnownMove(legal[number], value, depth, weight)
            for number, value, depth, weight in packed if number < len(legal)
        ]  # fmt: skip

    @property
    def cooks(self) -> SearchedCooks:
        """What searches have found of its cooks."""
        with self._naming():
            return SearchedCooks.of_facts(self._packed.facts)

    def cook(self, position: PositionLike) -> KnownMove | None:
        """The move of a position that people play most, if the book and deeper searches find it worse than the best;
        else None."""
        position = position_of(position)
        if self._played_at_cooks is None:
            cooks = self.cooks
            self._played_at_cooks = {key: cooks.by_key[key].played.number for key in cooks.standing}
        number = self._played_at_cooks.get(book_key(position))
        if number is None:
            return None
        move = numbered_moves(position)[number]
        return next((each for each in self.moves(position) if each.move == move), None)

    def choice(
        self, position: PositionLike, chance: random.Random | None = None, history: Collection[Position] = ()
    ) -> KnownMove | None:
        """The move that the book plays, None without one: the best, or with `chance` one of those within VARIETY.

        Of these a move that people play often comes more often: its chance doubles with each step of its weight.
        history: earlier positions of the game. A move back to one of them is left to a search, which sees repetitions.
        """
        position, history = with_history(position, history)
        moves = [each for each in self.moves(position) if each.value is not None]
        if not moves:
            return None
        choice = best = moves[0]
        if chance is not None:
            near = [each for each in moves if loss_of(best, each) <= VARIETY]
            choice = chance.choices(near, [2**each.weight for each in near])[0]
        # only a king comes back
        returns = position.kings >> choice.move.origin & 1 and position.play(choice.move) in history
        return None if returns else choice

    def line(self, position: PositionLike, move: KnownMove | Move | str, most: int = 8) -> list[Move]:
        """A move and what the book plays from there for both sides, at most so many moves.

        Raises IllegalMoveError for a move that the position doesn't allow.
        """
        position = position_of(position)
        first = move.move if isinstance(move, KnownMove) else move
        moves = [position.parse_move(first) if isinstance(first, str) else first]
        position = position.play(moves[0])
        while len(moves) < most and (choice := self.choice(position)):
            moves.append(choice.move)
            position = position.play(choice.move)
        return moves


def loss_of(best: KnownMove, move: KnownMove) -> int:
    """Centi-men that a move gives away. Both have values."""
    assert best.value is not None
    assert move.value is not None
    return best.value - move.value


def book_note(value: int, weight: int) -> str:
    """What is said of a move from a book, its value in men as in comments of PDN: "book, +0.03, 64 games or more"."""
    number = f"{value / 100:+.2f}"
    if not weight:
        return str(Sentence("book.move", {"number": number}))
    return str(Sentence("book.games", {"number": number, "count": least_games(weight)}))


def located_book(path: Path, *kinds: str) -> tuple[Path, str]:
    """A book's path, that of the book that comes with kr for "shipped" if no file has this name, and its kind: one of
    `kinds`. Raises InvalidSettingError for a file that is not there, InvalidBookError for one of another kind,
    OSError."""
    if path == Path(SHIPPED_BOOK) and not path.is_file():
        path = _shipped_path()
    if not path.is_file():
        raise InvalidSettingError(no_file(path, f"{one_of(kinds)}, or {SHIPPED_BOOK} for kr's own"))
    kind = file_kind(path)
    if kind not in kinds:
        lack = ", which has moves without values" if kind == USER_BOOK else ""
        raise InvalidBookError(f"{path} is {kind}{lack}; expected {one_of(kinds)}")
    return path, kind


def _shipped_path() -> Path:
    return data_path("books", "kr.krb")


def load_book(name: str = SHIPPED_BOOK) -> OpeningBook | None:
    """The book of a setting: "none", "shipped", or a file. Raises InvalidSettingError, InvalidBookError, OSError."""
    if name == NO_BOOK:
        return None
    path = _shipped_path() if name == SHIPPED_BOOK else as_path(name)
    if not path.is_file():
        raise InvalidSettingError(f"book: {no_file(path, f'{NO_BOOK}, {SHIPPED_BOOK} or a .krb')}")
    return OpeningBook(path)


def book_option(default: str = SHIPPED_BOOK) -> Any:
    """Setting: the opening book, in the form of load_book."""
    return option(default, "Opening book: a .krb file, {allowed}.".replace("{allowed}", f"{SHIPPED_BOOK} or {NO_BOOK}"),
                  metavar="FILE|none")  # fmt: skip
