"""The player protocol, and the kinds of players."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from kr.book.book import NO_BOOK, book_note
from kr.engine.engine import DEFAULT_HASH_MB
from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.game.position import Move, Position
from kr.protocols.program import PATIENCE


class Reply(NamedTuple):
    """A player's move, with the score, depth, nodes and time of its search."""

    move: Move
    score: int
    """Centi-men, the mover's view."""
    depth: int
    nodes: int
    time: float
    """Seconds from the request to the reply."""
    weight: int | None = None
    """Weight of a move from an opening book, as in kr.book.book.KnownMove; None of a searched one."""
    processor: float | None = None
    """Seconds of processor time in `time`, of all threads together; None if unknown."""
    proved: bool = False
    """True if the score is a win or loss that kr has proved."""

    @property
    def from_book(self) -> bool:
        """True if the move comes from an opening book, without a search."""
        return self.weight is not None

    def note(self) -> str:
        """Score in men, depth and seconds, as comments in PDN files give them: "+0.12/15 0.300s"; of a move from a
        book as in book_note."""
        if self.weight is not None:
            return book_note(self.score, self.weight)
        return f"{self.score / 100:+.2f}/{self.depth} {self.time:.3f}s"


class Player(Protocol):
    """A player of games, one after another. Not to be shared by threads, except for `close`."""

    name: str
    """Name for tables and PDN."""
    version: str
    """Version of the program that plays; "" if unknown."""
    source: str
    """Origin: a path with settings, or a command."""
    signature: str
    """Identity of its play: equal for players with the same play."""

    def new_game(self) -> None:
        """Forget the previous game. Raises ProtocolError if the engine has gone and can't be restarted."""

    def search(
        self, position: Position, limits: Limits, history: Sequence[Position], stop: Stop | None = None
    ) -> Reply:
        """Choose a move.

        history: earlier positions of the game, oldest first. stop: once set, from any thread, ends this search, even
        before it has begun; the reply is the best move so far. Raises ProtocolError on failure, InvalidDatabaseError if
        the player's endgame database is damaged.
        """

    def close(self) -> None:
        """Free all resources. The player can't be used any more.

        May be called from any thread. A search under way ends: one of another program with ProtocolError, one of kr's
        own engine with the best move so far.
        """


class StatelessPlayer(Player):
    """Base of players without a version that keep nothing from move to move."""

    version = ""

    def new_game(self) -> None:
        """No state to reset."""

    def close(self) -> None:
        """No resources to free."""


class PlayerSpec(NamedTuple):
    """A player's text, taken apart."""

    spec: str
    """The whole text."""
    text: str
    """The text without the prefix of its kind and without settings."""
    settings: Mapping[str, str]
    """The player's own settings, in their order."""


class Resources(NamedTuple):
    """Resources of each player in a game, unless its own settings say otherwise."""

    hash_mb: int = DEFAULT_HASH_MB
    patience: float = PATIENCE
    """Seconds that a search of another program may take without a time limit."""
    egdb: str = "none"
    """Text for kr.engine.database.load_database."""
    egdb_memory: int = 0
    book: str = NO_BOOK
    """Text for kr.book.book.load_book."""
    log: Path | None = None
    """Folder for logs of what is said to other programs and by them."""


@dataclass(frozen=True)
class PlayerKind:
    """A kind of players, whose texts share a prefix."""

    prefix: str
    """Prefix of their texts; "" for the kind of all texts without another kind's prefix."""
    texts: tuple[str, ...]
    """Forms of their texts in the help: "hub:COMMAND"."""
    make: Callable[[PlayerSpec, Resources], Player]
    """Make a player. Raises InvalidSettingError and the kind's own errors."""
    settings: Collection[str] = ()
    """Names of the settings that may follow the text, as `,name=value`; empty if commas are part of the text. One that
    ends with a point stands for all names that begin so."""
    has_commas: bool = False
    """True if text and values may have commas: each ends only where a known name and = follow one."""
    is_name: Callable[[str], bool] = field(default=lambda text: "," not in text)
    """True for a text that names a player without settings, though it may have commas in it, as a file name may."""
    repeatable: bool = False
    """True if the same nodes or depth give the same play again."""
    starts_program: bool = False
    """True if the text is a command to run, which must not come from a file."""
    names_itself: bool = False
    """True if the player reports its own name, rather than taking it from the text."""
