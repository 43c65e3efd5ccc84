"""Visitors: they walk through a game, or a part of its tree, in the order in which it is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from kr.game.position import Position
from kr.pdn.tree import ChildNode, GameNode, RootNode

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

    def end_headers(self, game: RootNode) -> None:
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

    def walk(self, start: GameNode) -> T:
        """Walk through a game, or through what follows one of its nodes; returns what `finish` does."""
        self.begin_game()
        if isinstance(start, RootNode):
            if not self.begin_headers():
                for name, value in start.headers.items():
                    self.visit_header(name, value)
            self.end_headers(start)
        self._show_notes(start)
        # lines to continue, variations to begin; None ends the current variation
        waiting: list[tuple[GameNode, bool] | None] = [(start, False)]
        while waiting:
            step = waiting.pop()
            if step is None:
                self.end_variation()
                continue
            node, begins = step
            if begins:
                assert isinstance(node, ChildNode)
                if self.begin_variation():
                    continue
                waiting.append(None)
                self._show_move(node)
            while node.variations:
                following = node.variations[0]
                self._show_move(following)
                if len(node.variations) > 1:
                    waiting.append((following, False))
                    waiting.extend((other, True) for other in reversed(node.variations[1:]))
                    break
                node = following
        if isinstance(start, RootNode):
            self.visit_result(start.result)
        self.end_game()
        return self.finish()

    def _show_move(self, node: ChildNode) -> None:
        if node._starting_comments:
            for comment in node._starting_comments:
                self.visit_comment(comment)
        self.visit_move(node)
        self._show_notes(node)

    def _show_notes(self, node: GameNode) -> None:
        if node._nags:
            for nag in sorted(node._nags, key="*".__ne__):
                self.visit_nag(nag)
        if node._setup is not None:
            self.visit_setup(Position.from_bits(node._setup))
        if node._comments:
            for comment in node._comments:
                self.visit_comment(comment)
