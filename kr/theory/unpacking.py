"""The graph of a packed book: its values and lines, without the searches behind them."""

from __future__ import annotations

from typing import Any

from kr.book.book import OpeningBook
from kr.book.frame import BookKey, BookStep, book_key, step_of
from kr.book.krb import least_games
from kr.theory.graph import BookGraph, BookNode
from kr.theory.people import PeopleGames
from kr.theory.store import book_moves


def unpacked_graph(book: OpeningBook) -> BookGraph:
    """The positions of a packed book, with values as it has them.

    What it does not have is filled in: a position's own search has the propagated value as its score, as many nodes as
    the book says that its searches have, or 0, and proves nothing. Moves were played as often as their weights say at
    least. Raises InvalidBookError.
    """
    facts = book.facts
    nodes, within = _number(facts.get("nodes")), _number(facts.get("within"))
    graph, games = BookGraph(), PeopleGames()
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


def _number(fact: Any) -> int:
    """A number of the facts, which may be anything."""
    return fact if type(fact) is int and fact > 0 else 0
