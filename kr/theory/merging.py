"""`kr book merge`: one book of those that several machines have built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kr.book.cooks import joined_cooks
from kr.book.frame import BookKey, book_key
from kr.errors import InvalidBookError, InvalidSettingError
from kr.settings import REQUIRED, Settings, option
from kr.storage import atomic_path, check_apart, lock, provenance
from kr.theory.contents import known_openings
from kr.theory.cooks import checked_cooks
from kr.theory.graph import BookGraph, BookNode
from kr.theory.seeds import joined_games
from kr.theory.store import book_for_writing, opening_names_of
from kr.theory.unpacking import read_book

EQUAL_SETTINGS = ("within", "weights", "egdb")
"""Settings of which values depend, so that they can't differ."""


@dataclass(frozen=True)
class BookMergeSettings(Settings):
    """The books to merge."""

    books: tuple[Path, ...] = option(
        REQUIRED, "Books, two or more: of kr book build or packed; shipped: kr's.", metavar="FILE", argument=True
    )
    out: Path = option(REQUIRED, "The book to write, a new file; kr book build goes on with it.", metavar="FILE")

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.books) < 2:
            raise InvalidSettingError("expected two books or more to merge")


@dataclass(frozen=True)
class BookMergeReport:
    """Numbers of a merged book."""

    positions: int
    shared: int
    """Positions that more than one book had."""
    openings: int
    unsearched: int
    """Positions that only packed books had: kr book build searches them, and until then their values stand."""


def merge_books(settings: BookMergeSettings) -> BookMergeReport:
    """Write one book with all positions of several, each by its deepest search.

    Raises InvalidSettingError for books with other settings, InvalidBookError, OutputBusyError, OSError.
    """
    check_apart([settings.out], settings.books)
    if settings.out.exists():
        raise InvalidSettingError(f"--out: {settings.out} exists already; choose another file")
    facts_of_books: list[Mapping[str, Any]] = []
    trees: set[BookKey] = set()
    merged, positions = BookGraph(), 0
    for path in settings.books:
        facts, graph, more = read_book(path)
        facts_of_books.append(facts)
        trees |= more
        _check_alike(settings.books, facts_of_books)
        positions += len(graph.nodes)
        if not graph.has_searches:
            _open_packed(graph, facts)
        _take_in(merged, graph)
    merged.propagate()
    with lock(settings.out), atomic_path(settings.out) as temporary, book_for_writing(temporary) as store:
        tree_facts = {"trees": sorted(trees)} if trees else {}
        counts = {} if merged.exact_games else {"exact_games": False}
        store.begin(_merged_settings(facts_of_books) | tree_facts | counts, merged.roots, merged.games)
        store.put(merged.nodes.values())
        store.set_cooks(checked_cooks(merged))
    unsearched = sum(not node.nodes and node.value is None for node in merged.nodes.values())
    return BookMergeReport(len(merged.nodes), positions - len(merged.nodes), len(merged.roots), unsearched)


def _open_packed(graph: BookGraph, facts: Mapping[str, Any]) -> None:
    """Give a packed book's graph the openings of the decks that it names, and its positions searches of no nodes, so
    that any other comes before them."""
    graph.roots = {book_key(opening.position): opening.title for opening in known_openings(facts)}
    for node in graph.nodes.values():
        node.nodes = 0


def _check_alike(paths: Sequence[Path], facts: Sequence[Mapping[str, Any]]) -> None:
    """Refuse the last book if its values can't stand beside those of the first."""
    first, last, path = facts[0], facts[-1], paths[len(facts) - 1]
    if not isinstance(last.get("nodes"), int):
        raise InvalidBookError(f"{path} is damaged: it lacks its settings")
    different = [
        f"{name} {last.get(name)}, not {first.get(name)}"
        for name in EQUAL_SETTINGS
        if first.get(name) != last.get(name)
    ]
    people = {each["people"] for each in facts if each.get("people") is not None}
    if len(people) > 1:
        different.append("another archive of people's games")
    if different:
        raise InvalidSettingError(
            f"{path} can't be merged with {paths[0]}: it has {' and '.join(different)}; expected books built alike"
        )


def _take_in(merged: BookGraph, graph: BookGraph) -> None:
    """Add a book: openings and positions that are new, and deeper searches. Those of people's games are the same."""
    for key, name in graph.roots.items():
        merged.roots.setdefault(key, name)
    merged.games = joined_games(merged.games, graph.games)
    merged.exact_games &= graph.exact_games or not graph.games
    merged.cooks = joined_cooks(merged.cooks, graph.cooks)
    for key, node in graph.nodes.items():
        before = merged.nodes.get(key)
        if before is None or _depth_of_search(node) > _depth_of_search(before):
            merged.add(node)


def _depth_of_search(node: BookNode) -> tuple[bool, int, int]:
    return node.value is not None, node.nodes, node.within


def _merged_settings(facts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Settings with which kr book build goes on: any of the openings, and the most nodes."""
    openings = list(dict.fromkeys(name for each in facts for name in opening_names_of(each)))
    return {
        "openings": openings[0] if len(openings) == 1 else openings,
        "people": next((each["people"] for each in facts if each.get("people") is not None), None),
        "nodes": max(each["nodes"] for each in facts),
        **{name: facts[0].get(name) for name in EQUAL_SETTINGS},
        "provenance": provenance(),
    }
