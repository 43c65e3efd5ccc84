"""The graph of a book in either form. Of a packed one it has the values and lines, without the searches behind them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kr.book.book import OpeningBook, located_book
from kr.book.frame import BookKey, BookStep, book_key, step_of
from kr.book.krb import MOST_LOSS, MOST_VALUE, least_games
from kr.file_kinds import PACKED_BOOK, WORKING_BOOK
from kr.theory.graph import BookGraph, BookMove, BookNode
from kr.theory.people import PeopleGames
from kr.theory.store import book_for_reading, book_moves


class ReadBook(NamedTuple):
    """A book with its positions as a graph."""

    facts: Mapping[str, Any]
    """What it was begun with."""
    graph: BookGraph
    trees: frozenset[BookKey] = frozenset()
    """Positions of the openings' trees, of a working file."""


def read_book(book: Path) -> ReadBook:
    """Read a book, or the shipped one. Raises InvalidBookError, InvalidSettingError, OSError."""
    path, kind = located_book(book, WORKING_BOOK, PACKED_BOOK)
    if kind == PACKED_BOOK:
        packed = OpeningBook(path)
        return ReadBook(packed.facts, unpacked_graph(packed))
    with book_for_reading(path) as store:
        return ReadBook(store.settings(), store.graph(), frozenset(store.trees()))


def unpacked_graph(book: OpeningBook) -> BookGraph:
    """The positions of a packed book, with values as it has them.

    What it does not have is filled in: a position's own search has the propagated value as its score, as many nodes as
    the book says that its searches have, or 0, and proves nothing. Moves were played as often as their weights say at
    least. Raises InvalidBookError.
    """
    facts = book.facts
    nodes, within = _number(facts.get("nodes")), _number(facts.get("within"))
    graph, games = BookGraph(has_searches=False, exact_games=False, cooks=book.cooks), PeopleGames()
    depths: dict[BookKey, dict[BookStep, int]] = {}
    for position in book.positions():
        moves, key = book.moves(position), book_key(position)
        if not moves or moves[0].value is None:
            continue
        rows = [(*step_of(each.move), each.value) for each in moves if each.value is not None]
        best = moves[0].value
        depths[key] = {step_of(each.move): each.depth for each in moves if each.value is not None}
        graph.nodes[key] = BookNode(key, best, nodes, 0, within, None, book_moves(key, rows), worth=best)
        counts = {step_of(each.move): least_games(each.weight) for each in moves if each.weight}
        if counts:
            games[key] = counts
    graph.games = games
    for key, node in graph.nodes.items():
        # moves that lead out of the book rest on the position's own search
        out = [depths[key][move.step] for move in node.moves if move.child not in graph.nodes]
        node.depth = min(out or depths[key].values())
    return graph


def supported(graph: BookGraph, node: BookNode, move: BookMove) -> bool | None:
    """True if a move of a packed book has the value of the position after it; None where it rests on a search instead,
    of which a packed book has none."""
    child = graph.nodes.get(move.child)
    if child is None or not move.forward:
        return None
    packed = max(-MOST_VALUE, min(-child.worth, node.worth))
    assert move.score is not None
    # the largest loss that is packed stands for more
    return move.score == packed or (node.worth - move.score == MOST_LOSS and packed < move.score)


def _number(fact: Any) -> int:
    """A number of the facts, which may be anything."""
    return fact if type(fact) is int and fact > 0 else 0
