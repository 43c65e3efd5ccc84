"""Working files of books with a few positions, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kr.book.cooks import SearchedCook, SearchedCooks, ValuedMove
from kr.book.frame import BookKey, BookStep, book_key, numbered_steps, step_at
from kr.game.position import Position
from kr.game.value import Value
from kr.theory.graph import BookGraph, BookNode
from kr.theory.store import book_for_writing, book_moves

PeopleMoves = Mapping[Position, Mapping[str, int]]


def reached(way: str) -> Position:
    """The position after these moves."""
    position = Position()
    for move in way.split():
        position = position.play(move)
    return position


def searched(position: Position, scores: Mapping[str, int], nodes: int = 1, value: Value | None = None) -> BookNode:
    """A node with these moves, best first."""
    key = book_key(position)
    rows = [(*step_at(position, position.parse_move(text)), score) for text, score in scores.items()]
    return BookNode(key, max(scores.values(), default=0), nodes, 1, 25, value, book_moves(key, rows))


def people(played: PeopleMoves) -> dict[BookKey, dict[BookStep, int]]:
    """What people play, by the steps of a book."""
    return {
        book_key(position): {step_at(position, position.parse_move(text)): count for text, count in moves.items()}
        for position, moves in played.items()
    }


def write_graph(
    path: Path, nodes: Iterable[BookNode], played: PeopleMoves, roots: Mapping[str, Position], **settings: Any
) -> BookGraph:
    """A working file of these nodes, propagated."""
    names = {book_key(position): name for name, position in roots.items()}
    graph = BookGraph(names, {node.key: node for node in nodes}, people(played))
    graph.propagate()
    with book_for_writing(path) as store:
        store.begin({"nodes": 1, "within": 25, **settings}, names, graph.games)
        store.put(graph.nodes.values())
    return graph


def searched_cook(
    way: str, best: tuple[str, int, int], played: tuple[str, int, int], nodes: int = 1000
) -> SearchedCook:
    """Searches of the position after a way: of each of its two moves the value and the depth."""
    position = reached(way)
    numbers = {step: number for number, step in enumerate(numbered_steps(position))}
    moves = (
        ValuedMove(numbers[step_at(position, position.parse_move(text))], value, depth)
        for text, value, depth in (best, played)
    )
    return SearchedCook(book_key(position), nodes, *moves)


CookValues = tuple[tuple[str, int], tuple[str, int]]
"""Best move and the one that people play, each with a value."""


def write_cooks(book: Path, found: Mapping[str, CookValues], depth: int = 20) -> None:
    """Write into a working file what searches to a depth have found of some cooks, by the way there."""
    rows = [searched_cook(way, (*best, depth), (*played, depth)) for way, (best, played) in found.items()]
    with book_for_writing(book) as store:
        store.set_cooks(SearchedCooks({row.key: row for row in rows}))
