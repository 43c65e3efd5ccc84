"""What a player is, and what a kind of players tells about itself before one of them is made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from kr.engine.limits import Limits
from kr.game.position import Move, Position


class Reply(NamedTuple):
    """A player's move and how it was found."""

    move: Move
    score: int
    """Centi-men, the mover's view."""
    depth: int
    nodes: int
    time: float
    """Seconds from the question to the answer."""

    def note(self) -> str:
        """Score in men, depth and seconds, as PDN files have them as comments: "+0.12/15 0.300s"."""
        return f"{self.score / 100:+.2f}/{self.depth} {self.time:.3f}s"


class Player(Protocol):
    """Someone to play games one after another; not to be shared by threads, but for `stop`."""

    name: str
    """What to call it in tables and PDN."""
    version: str
    """Of the program that plays, where it tells one; else ""."""
    source: str
    """What it was made of: a path with settings, a command."""
    signature: str
    """What it plays by: equal for players that play the same."""

    def new_game(self) -> None:
        """Forget the game before. Raises ProtocolError where the engine is gone and can't be started again."""

    def search(self, position: Position, limits: Limits, history: Sequence[Position]) -> Reply:
        """Choose a move; `history` holds the positions before, oldest first.

        Raises ProtocolError on failure, InvalidDatabaseError where the player's endgame database is damaged.
        """

    def stop(self) -> None:
        """End the search under way, from any thread, and at once each one that is still asked for.

        What they return is of no use, and so is the player from now on, but to be closed.
        """

    def close(self) -> None:
        """Free what the player holds."""


class Given(NamedTuple):
    """A player's text, taken apart."""

    spec: str
    """All of it."""
    text: str
    """Without the prefix of its kind and the settings."""
    settings: Mapping[str, str]
    """Those of the player's own, in their order."""


class Means(NamedTuple):
    """What a game gives to each of its players that has no settings of its own for it."""

    hash_mb: int = 64
    patience: float = 600.0
    """Seconds that a search of another program may take without a time limit."""
    egdb: str = "none"
    """As kr.engine.database.load_database takes it."""
    egdb_memory: int = 0


@dataclass(frozen=True)
class Kind:
    """Players whose texts begin alike."""

    prefix: str
    """With which their texts begin; "" for the kind of all texts that begin with no other prefix."""
    texts: tuple[str, ...]
    """What to write for one, as the help says it: "hub:COMMAND"."""
    make: Callable[[Given, Means], Player]
    """Make the player of a text. Raises InvalidSettingError and whatever its kind can."""
    settings: Collection[str] = ()
    """Names of what the text may set after commas, `,name=value`; none where a comma is part of the text."""
    is_name: Callable[[str], bool] = field(default=lambda text: "," not in text)
    """Whether a text is that of a player without settings, though there may be commas in it, as in a file's name."""
    own_engine: bool = False
    """Whether kr's own search plays, so that searches of one player can be compared and its levels set."""
    repeatable: bool = False
    """Whether it plays the same again with the same nodes or depth."""
    starts_program: bool = False
    """Whether it is a command to be run, which no file from somewhere may say."""
    names_itself: bool = False
    """Whether the name is the player's to tell, and not in its text."""
