"""What is proved of a book's positions: by the rules, the database, certificates, and by what is proved after moves.

A value that the book has propagated from searches is no proof, however deep they were. Here only proofs propagate:
one move with a proved result is enough for "at least" that result, and for "at most" all legal moves are needed, also
those that the book has left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kr.book.frame import BookKey, numbered_steps, position_of_key
from kr.book.frame import book_key as key_of
from kr.egdb.database import Database
from kr.game.value import Value
from kr.proofs.known import NOTHING_KNOWN, KnownValue, known_value
from kr.proofs.library import ProofLibrary
from kr.theory.graph import BookGraph, BookNode, is_forward

if TYPE_CHECKING:
    from kr.game.position import Position

KNOWN_BY_BOOK = "the book (a search to the end, or a certificate)"
"""What proves a value that only the book says is proved."""


class Brackets:
    """The proved bounds of a book's positions. Raises InvalidDatabaseError."""

    def __init__(self, graph: BookGraph, database: Database | None = None, proofs: ProofLibrary | None = None) -> None:
        self._graph = graph
        self._database = database
        self._proofs = proofs
        self._nodes: dict[BookKey, KnownValue] = {}
        for node in graph.from_last():
            bounds = self._by_moves(node, self._alone(node.key))
            if bounds is not NOTHING_KNOWN:
                self._nodes[node.key] = bounds

    def of(self, position: Position) -> KnownValue:
        """What is proved of a position for its side to move; NOTHING_KNOWN if nothing is."""
        return self._of_key(key_of(position))

    def _of_key(self, key: BookKey) -> KnownValue:
        if key in self._graph.nodes:
            return self._nodes.get(key, NOTHING_KNOWN)
        return self._alone(key)

    def _alone(self, key: BookKey) -> KnownValue:
        """What is proved of a position without a look at its moves."""
        position = position_of_key(key)
        bounds = known_value(position, self._database, None)
        if bounds is not NOTHING_KNOWN:
            return bounds
        if self._proofs is not None:
            # a certificate is about one colour
            bounds = _tighter(self._proofs.look_up(position), self._proofs.look_up(position.flipped()))
        node = self._graph.nodes.get(key)
        if bounds.value is None and node is not None and node.value is not None:
            return KnownValue(node.value, node.value, None, KNOWN_BY_BOOK)
        return bounds

    def _by_moves(self, node: BookNode, bounds: KnownValue) -> KnownValue:
        """What is proved of a node with what is proved after its moves."""
        if bounds.value is not None:
            return bounds
        kept = [self._after(move.child, move.forward) for move in self._graph.moves_of(node)]
        best = max(kept, key=lambda each: each.least.sign, default=NOTHING_KNOWN)
        if best.least.sign > bounds.least.sign:
            bounds = _tighter(bounds, KnownValue(best.least, Value.WIN, None, best.by))
        if bounds.value is None and kept and all(each.most is not Value.WIN for each in kept):
            every = list(self._after_all(node.key))
            most = max(every, key=lambda each: each.most.sign)
            if most.most.sign < bounds.most.sign:
                bounds = _tighter(bounds, KnownValue(Value.LOSS, most.most, None, most.by))
        return bounds

    def _after_all(self, key: BookKey) -> Iterator[KnownValue]:
        """What is proved after each legal move; after one that may be a win nothing more is looked up."""
        position = position_of_key(key)
        for step, move in numbered_steps(position).items():
            bounds = self._after(key_of(position.play(move)), is_forward(key, step))
            yield bounds
            if bounds.most is Value.WIN:
                return

    def _after(self, child: BookKey, forward: bool) -> KnownValue:
        """What is proved of a move for the side that plays it; after a king's move without a look at later moves."""
        bounds = self._of_key(child) if forward else self._alone(child)
        return NOTHING_KNOWN if bounds is NOTHING_KNOWN else bounds.one_move_earlier()


def _tighter(one: KnownValue, other: KnownValue) -> KnownValue:
    """Two bounds together."""
    if one is NOTHING_KNOWN or other is NOTHING_KNOWN:
        return other if one is NOTHING_KNOWN else one
    least = max(one.least, other.least, key=lambda value: value.sign)
    most = min(one.most, other.most, key=lambda value: value.sign)
    by = " and ".join(dict.fromkeys(filter(None, (one.by, other.by))))
    return KnownValue(least, most, None, by, one.move or other.move)


def bracket_words(bounds: KnownValue) -> str:
    """A bound in words, for the side to move: "win", "at least a draw"; "" if nothing is proved."""
    if bounds.value is not None:
        return "lost" if bounds.value is Value.LOSS else str(bounds.value)
    return {"does not lose": "at least a draw", "does not win": "at most a draw"}.get(bounds.bound, "")
