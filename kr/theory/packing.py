"""A book packed for play: its worths and what people play, without searches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kr.book.frame import BookKey, numbered_steps, position_of_key
from kr.book.krb import LAST_NUMBER, MOST_VALUE, PackedMove, krb_bytes, weight_of
from kr.theory.graph import BookGraph, BookMove, BookNode


def packed_book(graph: BookGraph, facts: Mapping[str, Any]) -> bytes:
    """The packed form of a book whose values are propagated. facts: as for kr.book.krb.krb_bytes.

    Positions without a legal move are left out: nothing is asked there.
    """
    depths = book_depths(graph)
    return krb_bytes({key: _moves(graph, node, depths) for key, node in graph.nodes.items() if node.moves}, facts)


def book_depths(graph: BookGraph) -> dict[BookKey, int]:
    """Plies from each position, along the best moves of the book, to the end of the search behind its worth."""
    depths: dict[BookKey, int] = {}
    for node in graph.from_last():
        moves = graph.ranked(node)
        depths[node.key] = _depth(node, moves[0], depths) if moves else node.depth
    return depths


def _depth(node: BookNode, move: BookMove, depths: Mapping[BookKey, int]) -> int:
    # after a king's move only that position's own search counts, and it may come later
    return 1 + depths[move.child] if move.forward and move.child in depths else node.depth


def _moves(graph: BookGraph, node: BookNode, depths: Mapping[BookKey, int]) -> list[PackedMove]:
    """Moves of a node, best first; then those that only people know."""
    numbers = {step: number for number, step in enumerate(numbered_steps(position_of_key(node.key)))}
    played = dict(graph.games.get(node.key, {}))
    moves: list[PackedMove] = []
    for move in graph.ranked(node):
        # the values of moves are below a proved one, or it would not be proved
        worth = node.worth if not moves else min(graph.move_worth(move), node.worth)
        worth = max(-MOST_VALUE, min(worth, MOST_VALUE))
        weight = weight_of(played.pop(move.step, 0))
        moves.append(PackedMove(numbers[move.step], worth, _depth(node, move, depths), weight))
    for step, games in sorted(played.items(), key=lambda item: (-item[1], item[0])):
        moves.append(PackedMove(numbers[step], None, 0, weight_of(games)))
    return [move for move in moves if move.number <= LAST_NUMBER]
