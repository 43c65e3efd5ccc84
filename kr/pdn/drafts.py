"""Drafts of games: their moves and notes as written, not yet checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from kr.game.position import Bits
from kr.language.sentences import Sentence


class Fault(Exception):
    """An error at an offset of the buffer; raised to the caller as an InvalidPdnError with line and column."""

    def __init__(self, offset: int, why: Sentence, resume: int | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.offset = offset
        self.resume = offset if resume is None else resume
        """Offset at which to look for the next game."""


@dataclass(slots=True)
class DraftLine:
    """Moves of a line as written, with the notes between them."""

    moves: list[str] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    """Offset of each move in the buffer."""
    notes: list[tuple[int, DraftNote]] = field(default_factory=list)
    """Comments, judgements, setups and variations, each with the number of moves before it."""
    unknown_from: int | None = None
    """Number of moves before one that nobody wrote down, can't be read or has an unknown place; None without one."""
    illegible: str = ""
    """That one as written, if it can't be read; of the main line alone."""

    @property
    def replayable(self) -> int:
        """Number of moves that can be replayed."""
        return len(self.moves) if self.unknown_from is None else self.unknown_from


@dataclass(slots=True)
class DraftSetup:
    """A setup command after a move."""

    fen: str
    offset: int
    """Offset in the buffer."""
    board: Bits | None = None
    """The position, once it is known that it can be set up there."""

    @property
    def text(self) -> str:
        """The command as PDN has it."""
        return f'/FEN "{self.fen}"/'


class Judgement(str):
    """A judgement of a move as written: "!?", "(!)", "*" or "$3"."""

    __slots__ = ()


DraftNote: TypeAlias = str | Judgement | DraftSetup | DraftLine


@dataclass(slots=True)
class Draft(DraftLine):
    """A game as written."""

    offset: int = -1
    """Offset of its beginning in the buffer; -1 until it is known."""
    tags: dict[str, str] = field(default_factory=dict)
    tag_offsets: dict[str, int] = field(default_factory=dict)
    block: int = 0
    """Offset of the first tag after the last empty line among the tags."""
    tags_end: int = 0
    """Offset behind the last tag."""
    setup: tuple[str, int] | None = None
    """FEN of a setup command before the first move, and its offset."""
    result: str | None = None
    warnings: list[Sentence] = field(default_factory=list)
    left_out: list[Fault] = field(default_factory=list)
    """Text left out by a forgiving buffer."""

    @property
    def is_empty(self) -> bool:
        """True if nothing has been read yet."""
        return self.offset < 0
