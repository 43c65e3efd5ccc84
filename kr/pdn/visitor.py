"""Visitors: objects that walk through a game in the order in which it is written, as in chess.pgn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from kr.game.position import Position
    from kr.pdn.game import Game
    from kr.pdn.tree import ChildNode

T = TypeVar("T")

SKIP = True
"""Returned by `begin_headers` or `begin_variation` to skip the headers or the variation."""


class Visitor(ABC, Generic[T]):
    """Base class of visitors for `GameNode.accept`; only `finish` must be overridden."""

    def begin_game(self) -> None:
        """A game begins."""

    def begin_headers(self) -> bool | None:
        """The headers begin; return SKIP to skip them."""

    def visit_header(self, name: str, value: str) -> None:
        """One tag."""

    def end_headers(self, game: Game) -> None:
        """The headers end."""

    def begin_variation(self) -> bool | None:
        """A variation on the last visited move begins; return SKIP to skip it."""

    def visit_comment(self, comment: str) -> None:
        """A comment on the last visited move, or before the first move of a line."""

    def visit_move(self, node: ChildNode) -> None:
        """A move; in an illegal variation it is text only (`node.is_legal`)."""

    def visit_nag(self, nag: str) -> None:
        """A judgement of the last visited move."""

    def visit_setup(self, position: Position) -> None:
        """A position set up after the last visited move."""

    def end_variation(self) -> None:
        """The variation ends."""

    def visit_result(self, result: str) -> None:
        """The result; for a whole game only."""

    def end_game(self) -> None:
        """The game ends."""

    @abstractmethod
    def finish(self) -> T:
        """The value that `accept` returns."""
