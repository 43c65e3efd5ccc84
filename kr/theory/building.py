"""`kr book build`: a book grown position by position, for as long as one likes.

First come the positions that people reach, the commonest first, then those whose searches had fewer nodes than the
settings have now, then round by round the cheapest leaves of drop-out expansion (`kr.theory.graph`). Each search is a
unit of `kr.jobs` and a transaction of the working file, so that a kill loses the searches under way: the values in the
file are always right. Nodes whose moves have all lost too much are searched again with a wider margin.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from kr.book.frame import BookKey, book_key, position_of_key, step_of
from kr.cluster.address import cluster_option
from kr.cluster.pools import work_pool
from kr.engine.engine import Engine
from kr.engine.limits import MOST_WITHIN, Limits
from kr.engine.settings import egdb_memory_option, egdb_option, engine_from, hash_option, weights_option
from kr.errors import InvalidPdnError, InvalidSettingError
from kr.game.position import Position
from kr.game.value import Value
from kr.jobs.kinds import Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.openings.decks import deck
from kr.players.workers import EngineKind, engine_needs
from kr.settings import REQUIRED, Settings, option, workers_option
from kr.storage import checksum, provenance
from kr.theory.graph import LOST_SCORE, BookGraph, BookNode
from kr.theory.people import PeopleGames, people_games
from kr.theory.store import BookStore, book_for_writing, book_moves, opening_names_of
from kr.threads import worker_count
from kr.units import format_count, parse_count, parse_duration

ROUND = 64
"""Leaves that are searched before the next ones are chosen."""


@dataclass(frozen=True)
class BookSettings(Settings):
    """What a book begins with, and the search of each position."""

    out: Path = option(REQUIRED, "The book: run the same command to go on.", metavar="FILE")
    openings: str = option(
        "3move", "Openings from which it grows: {allowed}, a name such as Old Fourteenth, or a file of FENs or games."
        .replace("{allowed}", "start, 2move, 3move, 11man"),
    )  # fmt: skip
    people: Path | None = option(
        None, "Archive of games, PDN: the positions that came up twice are searched first.", metavar="FILE"
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
) -> BookProgress:
    """Begin or resume a book, until it has its positions, its time is over, or nothing is left to expand.

    on_progress: hears of each search; on_game, on_error: of the games of the archive, while a new book counts them.
    Raises InvalidSettingError, InvalidBookError, InvalidPdnError, InvalidWeightsError, InvalidDatabaseError,
    OutputBusyError, OSError.
    """
    engine = engine_from(settings, settings.weights)
    with book_for_writing(settings.out) as store:
        _begin(store, settings, engine, on_game, on_error)
        build = _Build(settings, engine, store, on_progress)
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
        "people": None if settings.people is None else checksum(settings.people.read_bytes()),
        "nodes": settings.nodes,
        "within": settings.within,
        "weights": engine.signature,
        "egdb": None if engine.database is None else engine.database.signature,
    }
    begun = store.settings()
    if not begun:
        roots = {book_key(Position()): "start"} if settings.openings == "3move" else {}
        for opening in deck(settings.openings, playable_only=False):
            roots.setdefault(book_key(opening.position), opening.title)
        games = PeopleGames() if settings.people is None else people_games(settings.people, on_game, on_error)
        store.begin(fixed | {"provenance": provenance()}, roots, games)
        return
    different = [
        f"{name} {begun.get(name)}, not {value}"
        for name, value in fixed.items()
        if begun.get(name) != value and name not in ("openings", "nodes")
    ]
    if settings.openings not in (names := opening_names_of(begun)):
        different.append(f"openings {' and '.join(names)}, not {settings.openings}")
    if not isinstance(begun.get("nodes"), int) or settings.nodes < begun["nodes"]:
        different.append(f"nodes {begun.get('nodes')}, not {settings.nodes}, which is fewer")
    if different:
        raise InvalidSettingError(
            f"--out: {store.path} was begun with {' and '.join(different)}; give the same, or choose another file"
        )
    if settings.nodes > begun["nodes"]:
        store.set_nodes(settings.nodes)


@dataclass
class _Build:
    """One run of a build."""

    settings: BookSettings
    engine: Engine
    store: BookStore
    on_progress: Callable[[BookProgress], None]
    progress: BookProgress = field(default_factory=BookProgress)

    def __post_init__(self) -> None:
        self.graph: BookGraph = self.store.graph()
        self.seeds = self._seeds()
        self.needs, self.places = engine_needs(self.engine, self.settings.weights)
        self.tools = {"hash": self.settings.hash, "threads": 1, "egdb_memory": self.settings.egdb_memory}
        self.under_way: dict[BookKey, int] = {}
        self.progress.positions = self.progress.earlier = len(self.graph.nodes)
        self.progress.seeds_left = len(self.seeds)
        self.shallow = self._shallow()
        self.progress.shallow = len(self.shallow)
        self.ends = None if self.settings.time is None else time.monotonic() + self.settings.time

    def _seeds(self) -> list[BookKey]:
        """The openings, then the positions of people's games that are still to be searched, the rarest first."""
        counts = {key: sum(steps.values()) for key, steps in self.graph.games.items()}
        wanted = sorted((key for key in counts if key not in self.graph.nodes), key=lambda key: (counts[key], key))
        return wanted + [key for key in self.graph.roots if key not in self.graph.nodes and key not in counts]

    def _shallow(self) -> list[BookKey]:
        """Positions whose search had fewer nodes than one has now, those that people reach least first."""
        wanted = [
            node.key
            for node in self.graph.nodes.values()
            if node.nodes < self.settings.nodes and node.moves and node.value is None
        ]
        counts = {key: sum(self.graph.games.get(key, {}).values()) for key in wanted}
        return sorted(wanted, key=lambda key: (counts[key], key))

    def go(self) -> None:
        """Search until an end is reached."""
        # of a file that something else has changed
        if changed := self.graph.propagate():
            self.store.put(changed)
        pool = work_pool(
            BookSearches(),
            Needs(self.places),
            worker_count(self.settings.workers),
            [self.engine],
            self.settings.cluster,
        )
        timer = None
        if self.settings.time is not None:
            timer = threading.Timer(self.settings.time, pool.stop)
            timer.daemon = True
            timer.start()
        try:
            with closing(pool.run(self._units())) as parts:
                for part in parts:
                    if part.value is not None:
                        self._take(part.value)
        finally:
            if timer is not None:
                timer.cancel()

    def _units(self) -> Iterator[Unit | None]:
        while True:
            batch = self._next_round()
            if not batch:
                return
            for key, within in batch.items():
                self.under_way[key] = within
                values = {"position": position_of_key(key).bits, "nodes": self.settings.nodes, "within": within}
                yield Unit(BookSearches.name(), "-".join(map(str, key)), self.needs, self.tools, values)
            while self.under_way:
                yield None

    def _next_round(self) -> dict[BookKey, int]:
        """Positions to search next, and the margin of each."""
        settings = self.settings
        room = settings.positions - len(self.graph.nodes) if settings.positions else ROUND
        count = min(ROUND, room)
        if room > 0:
            again = {
                node.key: min(node.score - node.worth + settings.within, MOST_WITHIN)
                for node in self.graph.dropped() if node.score - node.worth < LOST_SCORE
            }  # fmt: skip
            if again:
                return dict(list(again.items())[:ROUND])
            if self.seeds:
                return {self.seeds.pop(): settings.within for _ in range(min(count, len(self.seeds)))}
        if self.shallow:
            batch = [self.shallow.pop() for _ in range(min(ROUND, len(self.shallow)))]
            return {key: self.graph.nodes[key].within for key in batch}
        return dict.fromkeys(self.graph.leaves(count), settings.within) if room > 0 else {}

    def _take(self, found: dict[str, Any]) -> None:
        """Enter a search in the graph and in the file."""
        key = book_key(Position.from_bits(tuple(found["position"])))
        within = self.under_way.pop(key)
        value = None if found["value"] is None else Value(found["value"])
        moves = book_moves(key, [tuple(move) for move in found["moves"]])
        node = BookNode(key, found["score"], found["nodes"], found["depth"], within, value, moves)
        self.progress.again += key in self.graph.nodes
        self.graph.add(node)
        # in one transaction, so that the values of the file are always right
        self.store.put([*(each for each in self.graph.propagate() if each is not node), node])
        self.progress.searched += 1
        self.progress.positions = len(self.graph.nodes)
        self.progress.seeds_left = len(self.seeds)
        self.progress.shallow = len(self.shallow)
        self.on_progress(self.progress)


class BookSearches(EngineKind[dict[str, Any]]):
    """Units of one position, with Black to move; the result is its score and the moves near the best."""

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[Engine, dict[str, Any]]:
        yield [Portion(partial(self._search, unit))]

    def _search(self, unit: Unit, engine: Engine, stop: Stop) -> dict[str, Any] | None:
        values = unit.values
        position = Position.from_bits(tuple(values["position"]))
        if position.is_over:
            return {"position": position.bits, "score": 0, "nodes": 0, "depth": 0, "value": Value.LOSS, "moves": []}
        engine.new_game()
        limits = Limits(nodes=values["nodes"], within=values["within"])
        found = engine.search(position, limits, stop=stop)
        if stop.is_set():
            return None
        return {
            "position": position.bits,
            "score": found.score,
            "nodes": found.nodes,
            "depth": found.depth,
            "value": found.value,
            "moves": [[*step_of(line.pv[0]), line.score] for line in found.lines],
        }
