"""Visitors: objects that are shown a game piece by piece, in the order in which it is written, as in chess.pgn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from kr.pdn.tree import ChildNode, Game, GameNode

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

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


def walk(start: GameNode, visitor: Visitor[T]) -> T:
    """Show a visitor a game, or what follows a node of one."""
    visitor.begin_game()
    if isinstance(start, Game):
        if not visitor.begin_headers():
            for name, value in start.headers.items():
                visitor.visit_header(name, value)
        visitor.end_headers(start)
    _show_notes(start, visitor)
    # lines to go on with, variations to begin (None: the one begun ends)
    waiting: list[tuple[GameNode, bool] | None] = [(start, False)]
    while waiting:
        step = waiting.pop()
        if step is None:
            visitor.end_variation()
            continue
        node, begins = step
        if begins:
            assert isinstance(node, ChildNode)
            if visitor.begin_variation():
                continue
            waiting.append(None)
            _show_move(node, visitor)
        while node.variations:
            following = node.variations[0]
            _show_move(following, visitor)
            if len(node.variations) > 1:
                waiting.append((following, False))
                waiting.extend((other, True) for other in reversed(node.variations[1:]))
                break
            node = following
    if isinstance(start, Game):
        visitor.visit_result(start.result)
    visitor.end_game()
    return visitor.finish()


def _show_move(node: ChildNode, visitor: Visitor[T]) -> None:
    if node._starting_comments:
        for comment in node._starting_comments:
            visitor.visit_comment(comment)
    visitor.visit_move(node)
    _show_notes(node, visitor)


def _show_notes(node: GameNode, visitor: Visitor[T]) -> None:
    if node._nags:
        for nag in sorted(node._nags, key="*".__ne__):
            visitor.visit_nag(nag)
    if node._comments:
        for comment in node._comments:
            visitor.visit_comment(comment)
