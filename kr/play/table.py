"""The table of a game: events shown there, prompts for people and thoughts of engines, and the seats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from kr.engine.limits import Clock, Limits
from kr.engine.result import SearchResult
from kr.engine.search import Stop
from kr.evaluation.chances import Chances
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.players.player import Player, Reply


@dataclass(frozen=True)
class View:
    """A board to be shown."""

    position: Position
    flipped: bool
    """True if Black sits at the bottom."""
    last_move: Move | None


@dataclass(frozen=True)
class Event:
    """An event in a game."""

    kind: str
    """start, turn, thinking, move, more (squares of a move), undo, offer, answer (to an offer), end, left; and the
    results of commands: moves, hint, eval, board, saved, help, error."""
    text: str = ""
    """Text for people; "" if the board is enough."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Facts for programs."""
    view: View | None = None


class TimeUp(Exception):
    """The time for typing a line has run out."""


class Table(Protocol):
    """Shows the game, and asks people for lines."""

    def tell(self, event: Event) -> None:
        """Show an event."""

    def ask(self, prompt: str, words: Sequence[str], seconds: float | None) -> str:
        """Line typed by a person. words: completions. Raises EOFError, KeyboardInterrupt, TimeUp."""


class Adviser(Protocol):
    """A giver of hints; an Engine is one."""

    def search(
        self, position: Position, limits: Limits, history: Sequence[Position], *, stop: Stop | None
    ) -> SearchResult:
        """Search a position, as Engine.search does."""

    def chances(self, score: int, value: Value | None) -> Chances:
        """Chances of a win, a draw and a loss, for a score."""


@dataclass(frozen=True)
class Prompt:
    """A line wanted from a person; the answer is its text, or "" if the time has run out."""

    text: str
    words: Sequence[str]
    """Completions: moves, squares, commands."""
    seconds: float | None
    """Time for the answer; None without a clock."""


@dataclass(frozen=True)
class Thought:
    """A search wanted from an engine; the answer is the result of `find`, which may be called in any thread."""

    find: Callable[[], Reply | SearchResult]
    """Raises ProtocolError, InvalidDatabaseError if the engine fails; these must then be thrown as the answer."""
    stop: Callable[[], None]
    """End the search at once, from any other thread, even before it has begun; `find` returns the best move so far."""


@dataclass
class Seat:
    """One side of the board."""

    name: str
    player: Player | None
    """None for a human."""
    clock: Clock | None = None
    """None for a human without a clock."""

    @property
    def seconds(self) -> float | None:
        """Seconds on the clock, including the increment for the move to come; None without a clock."""
        return None if self.clock is None else self.clock.allowed
