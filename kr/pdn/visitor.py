"""Visitors: objects that are shown a game piece by piece, in the order in which it is written, as in chess.pgn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from kr.pdn.game import Game
    from kr.pdn.tree import ChildNode

T = TypeVar("T")

SKIP = True
"""What `begin_headers` or `begin_variation` returns when the headers or the variation are not wanted."""


class Visitor(ABC, Generic[T]):
    """What `GameNode.accept` calls; each method may be left as it is, but for `finish`."""

    def begin_game(self) -> None:
        """A game begins."""

    def begin_headers(self) -> bool | None:
        """The headers begin; return SKIP to be shown none."""

    def visit_header(self, name: str, value: str) -> None:
        """One tag."""

    def end_headers(self, game: Game) -> None:
        """All headers were shown."""

    def begin_variation(self) -> bool | None:
        """A variation on the last move shown begins; return SKIP to be shown nothing of it."""

    def visit_comment(self, comment: str) -> None:
        """A comment on the last move shown, or before the first of a line."""

    def visit_move(self, node: ChildNode) -> None:
        """A move; in a variation that is not legal it is text only (`node.is_legal`)."""

    def visit_nag(self, nag: str) -> None:
        """A judgement of the last move shown."""

    def end_variation(self) -> None:
        """The variation ends."""

    def visit_result(self, result: str) -> None:
        """The result; of a whole game only."""

    def end_game(self) -> None:
        """The game ends."""

    @abstractmethod
    def finish(self) -> T:
        """What `accept` returns."""
