"""A book packed for play: its worths and what people play, without searches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from kr.book.frame import BookKey, BookStep, numbered_steps, position_of_key
from kr.book.krb import LAST_NUMBER, MOST_VALUE, PackedMove, krb_bytes, weight_of
from kr.theory.graph import BookGraph, BookMove, BookNode


def packed_book(graph: BookGraph, facts: Mapping[str, Any]) -> bytes:
    """The packed form of a book whose values are propagated. facts: as for kr.book.krb.krb_bytes.

    Positions without a legal move are left out: nothing is asked there.
    """
    depths = book_depths(graph)
    return krb_bytes({key: _moves(graph, node, depths) for key, node in graph.nodes.items() if node.moves}, facts)


def origin_of(record: Mapping[str, str]) -> dict[str, str]:
    """What of a provenance goes with a book: command lines and machines do not."""
    return {name: record[name] for name in ("kr", "commit", "created") if name in record}


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


class KnownStep(NamedTuple):
    """A move of a node, as it is packed."""

    step: BookStep
    worth: int | None
    """Centi-men for the side that plays it; None if only people know it."""
    depth: int
    games: int


def known_steps(graph: BookGraph, node: BookNode, depths: Mapping[BookKey, int]) -> list[KnownStep]:
    """Moves of a node, best first; then those that only people know. depths: as `book_depths`."""
    people_games = dict(graph.games.get(node.key, {}))
    steps: list[KnownStep] = []
    for move in graph.ranked(node):
        # the values of moves are below a proved one, or it would not be proved
        worth = node.worth if not steps else min(graph.move_worth(move), node.worth)
        worth = max(-MOST_VALUE, min(worth, MOST_VALUE))
        steps.append(KnownStep(move.step, worth, _depth(node, move, depths), people_games.pop(move.step, 0)))
    for step, games in sorted(people_games.items(), key=lambda item: (-item[1], item[0])):
        steps.append(KnownStep(step, None, 0, games))
    return steps


def _moves(graph: BookGraph, node: BookNode, depths: Mapping[BookKey, int]) -> list[PackedMove]:
    """Moves of a node as a packed book has them."""
    numbers = {step: number for number, step in enumerate(numbered_steps(position_of_key(node.key)))}
    moves = (
        PackedMove(numbers[each.step], each.worth, each.depth, weight_of(each.games))
        for each in known_steps(graph, node, depths)
    )
    return [move for move in moves if move.number <= LAST_NUMBER]
