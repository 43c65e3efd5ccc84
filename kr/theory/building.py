"""`kr book build`: a book grown position by position, for as long as one likes.

First come the openings, and all positions of those that are trees. Then round by round the positions that people reach,
the commonest first, are searched in turn with the cheapest leaves of drop-out expansion (`kr.theory.graph`); once the
former are done, those whose searches had fewer nodes than the settings have now, then leaves alone. Nodes whose moves
have all lost too much are searched again with a wider margin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kr.book.frame import BookKey
from kr.cluster.address import cluster_option
from kr.engine.engine import Engine, engine_from
from kr.engine.limits import MOST_WITHIN
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, weights_option
from kr.errors import InvalidPdnError, InvalidSettingError
from kr.proofs.library import ProofLibrary, load_proofs, proofs_option
from kr.settings import REQUIRED, Settings, option, workers_option
from kr.storage import checksum, provenance, read_regular
from kr.theory.graph import LOST_SCORE, BookGraph, BookNode
from kr.theory.people import PeopleGames, people_games
from kr.theory.searching import BookSearcher, BookTask
from kr.theory.seeds import joined_games, opening_roots, tree_positions
from kr.theory.store import BookStore, book_for_writing, opening_names_of
from kr.units import format_count, parse_count, parse_duration

ROUND = 64
"""Leaves that are searched before the next ones are chosen."""


@dataclass(frozen=True)
class BookSettings(Settings):
    """What a book begins with, and the search of each position."""

    out: Path = option(REQUIRED, "The book: run the same command to go on.", metavar="FILE")
    openings: str = option(
        "3move", "Openings from which it grows: {allowed}, a name such as Old Fourteenth, or a file of FENs or games; "
        "of games with variations all positions."
        .replace("{allowed}", "start, 2move, 3move, 11man"),
    )  # fmt: skip
    people: Path | None = option(
        None,
        "Archive of games, PDN: the positions that came up twice are searched in turn with others.",
        metavar="FILE",
    )
    nodes: int = option(
        3_000_000, "Nodes of each search; a book may go on with more.", parse=parse_count, show=format_count, low=1
    )
    within: int = option(
        25, "Centi-men: moves that are worse than the best by no more are kept.", low=0, high=MOST_WITHIN
    )
    positions: int = option(
        0, "Positions after which it ends, {allowed}.", parse=parse_count, show=format_count, low=1, zero="no end"
    )
    time: float | None = option(None, "Time after which it ends, such as 8h.", parse=parse_duration, metavar="TIME")
    proofs: tuple[Path, ...] = proofs_option()
    weights: str | None = weights_option()
    hash: int = hash_option("of each engine")
    workers: int = workers_option("Positions searched side by side")
    cluster: str = cluster_option()
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()


@dataclass
class BookProgress:
    """State of a build."""

    positions: int = 0
    seeds_left: int = 0
    """Positions of people's games that are not in the book yet."""
    shallow: int = 0
    """Positions whose search had fewer nodes than one has now; they come after people's."""
    searched: int = 0
    """Searches of this run."""
    earlier: int = 0
    """Positions of earlier runs."""
    again: int = 0
    """Searches, of this run, of positions that had been searched before."""


def build_book(
    settings: BookSettings,
    on_progress: Callable[[BookProgress], None],
    on_game: Callable[[], None] | None = None,
    on_error: Callable[[InvalidPdnError], None] | None = None,
    on_check: Callable[[int], None] | None = None,
) -> BookProgress:
    """Begin or resume a book, until it has its positions, its time is over, or nothing is left to expand.

    on_progress: hears of each search; on_game, on_error: of the games of the archive, while a new book counts them;
    on_check: as on_progress of `load_proofs`. Raises InvalidSettingError, InvalidBookError, InvalidPdnError,
    InvalidWeightsError, InvalidDatabaseError, OutputBusyError, OSError.
    """
    engine = engine_from(settings, settings.weights)
    proofs = load_proofs(settings.proofs, engine.database, on_check)
    with book_for_writing(settings.out) as store:
        _begin(store, settings, engine, on_game, on_error)
        build = _Build(settings, engine, store, proofs, on_progress)
        build.go()
    return build.progress


def _begin(
    store: BookStore,
    settings: BookSettings,
    engine: Engine,
    on_game: Callable[[], None] | None,
    on_error: Callable[[InvalidPdnError], None] | None,
) -> None:
    """Begin a new book, or refuse to go on with one that was begun otherwise."""
    fixed = {
        "openings": settings.openings,
        "people": None if settings.people is None else checksum(read_regular(settings.people)),
        "nodes": settings.nodes,
        "within": settings.within,
        "weights": engine.signature,
        "egdb": None if engine.database is None else engine.database.signature,
    }
    facts = store.settings()
    if not facts:
        roots, trees = opening_roots(settings.openings)
        games = PeopleGames() if settings.people is None else people_games(settings.people, on_game, on_error)
        tree_facts = {"trees": sorted(tree_positions(trees))} if trees else {}
        store.begin(fixed | tree_facts | {"provenance": provenance()}, roots, joined_games(games, trees))
        return
    different = [
        f"{name} {facts.get(name)}, not {value}"
        for name, value in fixed.items()
        if facts.get(name) != value and name not in ("openings", "nodes")
    ]
    if settings.openings not in (names := opening_names_of(facts)):
        different.append(f"openings {' and '.join(names)}, not {settings.openings}")
    if not isinstance(facts.get("nodes"), int) or settings.nodes < facts["nodes"]:
        different.append(f"nodes {facts.get('nodes')}, not {settings.nodes}, which is fewer")
    if different:
        raise InvalidSettingError(
            f"--out: {store.path} was begun with {' and '.join(different)}; give the same, or choose another file"
        )
    if settings.nodes > facts["nodes"]:
        store.set_nodes(settings.nodes)


class _Build:
    """One run of a build."""

    def __init__(
        self,
        settings: BookSettings,
        engine: Engine,
        store: BookStore,
        proofs: ProofLibrary | None,
        on_progress: Callable[[BookProgress], None],
    ) -> None:
        self.settings, self.on_progress = settings, on_progress
        self.searcher = BookSearcher(settings, engine, store.graph(), store.put, proofs)
        self.trees = store.trees()
        self.openings, self.seeds, self.shallow = self._openings(), self._seeds(), self._shallow()
        self.progress = BookProgress()
        self.progress.earlier = len(self.graph.nodes)
        self._count()

    @property
    def graph(self) -> BookGraph:
        return self.searcher.graph

    def _openings(self) -> list[BookKey]:
        """The openings, and all positions of their trees, that are still to be searched."""
        keys = self.graph.roots.keys() | self.trees
        return sorted(keys - self.graph.nodes.keys(), reverse=True)

    def _seeds(self) -> list[BookKey]:
        """The positions of people's games that are still to be searched, the rarest first."""
        counts = {key: sum(steps.values()) for key, steps in self.graph.games.items()}
        return sorted(counts.keys() - self.graph.nodes.keys(), key=lambda key: (counts[key], key))

    def _shallow(self) -> list[BookKey]:
        """Positions whose search had fewer nodes than one has now, those that people reach least first."""
        keys = [
            node.key
            for node in self.graph.nodes.values()
            if node.nodes < self.settings.nodes and node.moves and node.value is None
        ]
        counts = {key: sum(self.graph.games.get(key, {}).values()) for key in keys}
        return sorted(keys, key=lambda key: (counts[key], key))

    def go(self) -> None:
        """Search until an end is reached."""
        self.searcher.run(self._next_round, self._hear, self.settings.time)

    def _next_round(self) -> dict[BookKey, BookTask]:
        """Positions to search next."""
        settings = self.settings
        room = settings.positions - len(self.graph.nodes) if settings.positions else ROUND
        count = min(ROUND, room)
        if room > 0:
            again = {
                node.key: min(node.score - node.worth + settings.within, MOST_WITHIN)
                for node in self.graph.dropped() if node.score - node.worth < LOST_SCORE
            }  # fmt: skip
            if again:
                return self._tasks(dict(list(again.items())[:ROUND]))
            if self.openings:
                batch = [self.openings.pop() for _ in range(min(count, len(self.openings)))]
                return self._tasks(dict.fromkeys(batch, settings.within))
            if self.seeds:
                return self._tasks(dict.fromkeys(self._seeds_and_leaves(count), settings.within))
        if self.shallow:
            batch = [self.shallow.pop() for _ in range(min(ROUND, len(self.shallow)))]
            return self._tasks({key: self.graph.nodes[key].within for key in batch})
        return self._tasks(dict.fromkeys(self.graph.leaves(count), settings.within)) if room > 0 else {}

    def _seeds_and_leaves(self, count: int) -> list[BookKey]:
        """As many seeds as leaves, so that a book is balanced whenever it ends: deep where it was cheap to reach, and
        wide enough for what people play."""
        batch = dict.fromkeys(self.graph.leaves(count // 2))
        while self.seeds and len(batch) < count:
            key = self.seeds.pop()
            if key not in self.graph.nodes:
                batch[key] = None
        return list(batch)

    def _tasks(self, margins: Mapping[BookKey, int]) -> dict[BookKey, BookTask]:
        """The searches of positions, none with fewer nodes than before."""
        earlier = {key: self.graph.nodes[key].nodes for key in margins if key in self.graph.nodes}
        return {key: BookTask(max(self.settings.nodes, earlier.get(key, 0)), within) for key, within in margins.items()}

    def _hear(self, node: BookNode) -> None:
        is_new = node.key not in self.graph.nodes
        self.progress.searched += 1
        self.progress.again += not is_new
        self._count(is_new)
        self.on_progress(self.progress)

    def _count(self, new: int = 0) -> None:
        self.progress.positions = len(self.graph.nodes) + new
        self.progress.seeds_left, self.progress.shallow = len(self.seeds), len(self.shallow)
