"""A small book with people's games for tests of kr theory: one ballot with replies, a cook and a proved line."""

from __future__ import annotations

from pathlib import Path

from small_graph import write_cooks

from kr.book.frame import book_key, step_at
from kr.game.position import Position
from kr.game.value import Value
from kr.theory.graph import BookNode
from kr.theory.people import PeopleGames
from kr.theory.store import book_for_writing, book_moves

GAMES = """[Black "Ann"]
[White "Bob"]
[Date "1886.05.01"]
[Result "1-0"]
1. 9-13 21-17 2. 5-9 23-18 1-0

[Black "Bob"]
[White "Ann <script>alert(1)</script>"]
[Date "1889.01.01"]
[Result "1/2-1/2"]
1. 9-13 21-17 2. 5-9 23-18 1/2-1/2

[Black "Cid"]
[White "Bob"]
[Date "1901.??.??"]
[Result "0-1"]
1. 9-13 21-17 2. 5-9 25-21 0-1

[Black "Cid"]
[White "Bob"]
[Result "0-1"]
1. 9-13 22-18 0-1

[Result "*"]
1. 9-13 9-13 *
"""
"""Three games of ballot 1, one that is too short, one that can't be read."""
LINE = "9-13 21-17 5-9"


def node_of(position: Position, scores: dict[str, int], value: Value | None = None, nodes: int = 3_000_000) -> BookNode:
    """Node of a position whose moves have these scores, the best of which is its own."""
    key = book_key(position)
    rows = [(*step_at(position, position.parse_move(text)), score) for text, score in scores.items()]
    return BookNode(key, max(scores.values(), default=0), nodes, 12, 25, value, book_moves(key, rows))


def after(line: str, position: Position | None = None) -> Position:
    """The position after moves from the start, or another position."""
    position = position or Position()
    for move in line.split():
        position = position.play(move)
    return position


def small_book(path: Path, people: bool = True) -> Path:
    """Write the book. Its ballot 1 is -0.05 for White by 25-21; people prefer 23-18, after which a reply wins 0.30."""
    ballot = after(LINE)
    nodes = [
        node_of(Position(), {"9-13": 4, "11-15": 2}),
        node_of(ballot, {"25-21": -4, "23-18": 2}),
        node_of(after("25-21", ballot), {"9-14": 5, "11-15": 1}),
        node_of(after("23-18", ballot), {"9-14": 30, "10-15": 3}, nodes=2_000_000),
        node_of(after("9-13 21-17"), {"5-9": 7}),
        node_of(after("9-13"), {"21-17": -3}),
    ]
    games = PeopleGames()
    played = {
        "": {"9-13": 50}, "9-13": {"21-17": 50}, "9-13 21-17": {"5-9": 50},
        LINE: {"23-18": 40, "25-21": 9, "24-19": 1},
    }  # fmt: skip
    for line, counts in played.items():
        position = after(line)
        steps = {step_at(position, position.parse_move(text)): count for text, count in counts.items()}
        games[book_key(position)] = steps
    settings = {"openings": "3move", "people": None, "nodes": 3_000_000, "within": 25, "weights": "w", "egdb": None}
    with book_for_writing(path) as store:
        store.begin(settings, {book_key(ballot): "3move 1"}, games if people else {})
        store.put(nodes)
        graph = store.graph()
        store.put(graph.propagate())
    write_cooks(path, {LINE: (("25-21", -5), ("23-18", -30))})
    return path
