"""`kr book check`: what a book says, as far as it can be checked without searches."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from kr.book.book import located_book
from kr.book.frame import position_of_key
from kr.file_kinds import PACKED_BOOK, USER_BOOK, WORKING_BOOK
from kr.theory.graph import BookGraph
from kr.theory.unpacking import read_book, supported
from kr.theory.userbook import read_userbook


@dataclass
class BookCheck:
    """What was checked. Numbers that the form of a book does not have are None."""

    positions: int
    moves: int
    proved: int | None = None
    """Positions with a proved value."""
    checked: int | None = None
    """Values of moves of a packed book that are those of later positions, or should be."""
    not_checked: int | None = None
    """Values of a packed book that rest on searches, which it does not have."""
    wrong: list[str] = field(default_factory=list)
    """Positions, or entries, that are wrong."""
    unit: str = "position with a value that is not that of its moves"
    remedy: str = ""


def check_book(book: Path) -> BookCheck:
    """Check a book in any form. Raises InvalidSettingError, InvalidBookError, OSError."""
    path, kind = located_book(book, WORKING_BOOK, PACKED_BOOK, USER_BOOK)
    if kind == USER_BOOK:
        moves, entries = read_userbook(path)
        faults = [f"entry {number}" for number in entries]
        return BookCheck(len(moves), len(moves), wrong=faults, unit="entry without a legal move")
    graph = read_book(path).graph
    report = BookCheck(len(graph.nodes), sum(len(node.moves) for node in graph.nodes.values()))
    if kind == PACKED_BOOK:
        _check_packed(graph, report)
    else:
        report.proved = sum(node.value is not None for node in graph.nodes.values())
        report.wrong = [position_of_key(node.key).fen for node in graph.wrong()]
        report.remedy = "; the same kr book build mends them"
    return report


def _check_packed(graph: BookGraph, report: BookCheck) -> None:
    report.checked = 0
    for node in graph.nodes.values():
        follows = [supported(graph, node, move) for move in node.moves]
        report.checked += len(follows) - follows.count(None)
        if False in follows:
            report.wrong.append(position_of_key(node.key).fen)
    report.not_checked = report.moves - report.checked
