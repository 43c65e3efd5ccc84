"""Cooks: moves that people play most although the book has a better one.

Where the best move of a position beats the one that people play most by COOK or more, that move is a cook, if the
difference holds where both moves have been searched deeper than the book's values. Every position is judged by its own
games, so that a cook counts that people reach only after an earlier one.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from kr.archives.archive import year_of
from kr.book.cooks import COOK, SearchedCook, SearchedCooks, ValuedMove
from kr.book.frame import BookKey, BookStep, book_key, move_at, numbered_steps, position_of_key
from kr.book.krb import MOST_VALUE
from kr.book.shares import games_text
from kr.cluster.address import cluster_option
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, weights_option
from kr.errors import InvalidPdnError, InvalidSettingError
from kr.game.position import Position
from kr.openings.lines import opening_name
from kr.openings.names import ballot_of
from kr.pdn import Game
from kr.settings import REQUIRED, Settings, option, workers_option
from kr.storage import check_apart
from kr.theory.graph import BookGraph, BookMove, BookNode
from kr.theory.packing import KnownStep, book_depths, known_steps
from kr.theory.people import games_played, people_games
from kr.theory.unpacking import read_book
from kr.units import format_count, parse_count


@dataclass(frozen=True)
class CookSettings(Settings):
    """Which cooks are listed."""

    book: Path = option(
        REQUIRED, "The book, with people's games: of kr book build or packed; shipped: kr's.", metavar="FILE",
        argument=True,
    )  # fmt: skip
    games: Path | None = option(
        None, "Archive of games, PDN: name those that went wrong, also other ones than the book's, and "
        "count what people play if the book does not know it.", metavar="FILE",
    )  # fmt: skip
    count: int = option(20, "Most cooks that are listed: {allowed}.", low=1, zero="all")
    pdn: Path | None = option(None, "Write them to this PDN file, a game for each.", metavar="FILE")
    nodes: int = option(
        0, "Nodes of a search after each of the two moves, where there is none yet: {allowed}; run the same command to "
        "resume.", parse=parse_count, show=format_count, low=1, zero="no searches",
    )  # fmt: skip
    out: Path | None = option(None, "--nodes: copy of a packed book with what is found.", metavar="FILE")
    journal: Path | None = option(
        None, "--nodes: journal of the searches, to resume; beside the book if left out.", metavar="FILE"
    )
    weights: str | None = weights_option()
    hash: int = hash_option("of each engine")
    workers: int = workers_option("Cooks searched side by side")
    cluster: str = cluster_option()
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()


@dataclass(frozen=True, slots=True)
class CookMove:
    """A move at a cook, with what follows by the book."""

    move: str
    value: int
    """Centi-men for the side that plays it, by the book; 10,000 for a proved win."""
    proved: bool
    depth: int
    """Plies from the position to the end of the search behind the value."""
    searched: int
    """Centi-men by the search of the move alone."""
    searched_depth: int
    """Plies from the position to the end of that search."""
    games: int
    positions: int
    """Positions of the book that come after it."""
    line: list[str]
    """The book's best moves, from this one on."""


@dataclass(frozen=True, slots=True)
class CookGame:
    """A game in which the cook was played."""

    black: str
    white: str
    event: str
    year: int | None
    result: str
    """English: 1-0 if Black won."""
    ply: int
    """Moves before the cook."""


@dataclass(frozen=True, slots=True)
class Cook:
    """A position where people play a worse move than the best of the book."""

    fen: str
    moves: list[str]
    """The commonest way to the position from the usual start."""
    ballot: str
    """Three-move ballot of that way."""
    name: str
    """Name of the opening; "" if it has none."""
    games: int
    """Games of people that came to the position; of a packed book, as all numbers of games, at least."""
    exact_games: bool
    played: CookMove
    best: CookMove
    loss: int
    """Centi-men that the move of people gives away by the searches of the two moves."""
    searched_nodes: int
    """Limit of each of these searches."""
    nodes: int | None
    """Nodes of the search of the position itself; None in a packed book."""
    wrong_games: list[CookGame] = field(default_factory=list)
    """Games of the archive in which it was played, the latest first."""


class CookVerdict(StrEnum):
    """What searches say of a move that people play most and that is worse by the book."""

    HOLDS = "holds"
    FALLS = "falls"
    """By the searches it loses less than COOK."""
    SHALLOW = "shallow"
    """It loses as much, but by searches that looked no further than the book's values."""
    UNSEARCHED = "unsearched"


class BookCook(NamedTuple):
    """A position of a book where the move that people play most is worse than the best by COOK or more."""

    node: BookNode
    best: KnownStep
    played: KnownStep
    searched: SearchedCook | None
    """What searches have found of these two moves."""

    def valued(self) -> tuple[ValuedMove, ValuedMove]:
        """Both moves as the book values them."""
        best, people = (_valued(self.node.key, each) for each in (self.best, self.played))
        return best, people

    @property
    def book_loss(self) -> int:
        """Centi-men that the move of people gives away by the book."""
        assert self.best.worth is not None
        assert self.played.worth is not None
        return self.best.worth - self.played.worth

    @property
    def verdict(self) -> CookVerdict:
        """What the searches say."""
        if self.searched is None:
            return CookVerdict.UNSEARCHED
        if self.searched.loss < COOK:
            return CookVerdict.FALLS
        return CookVerdict.HOLDS if self.searched.is_deeper(*self.valued()) else CookVerdict.SHALLOW


def _valued(key: BookKey, step: KnownStep) -> ValuedMove:
    assert step.worth is not None
    return ValuedMove(list(numbered_steps(position_of_key(key))).index(step.step), step.worth, step.depth)


@dataclass
class CookReport:
    """The cooks of a book, and how many others its values alone would have made."""

    cooks: list[Cook]
    """Those that hold, by how often people reach them."""
    verdicts: Counter[CookVerdict]
    """Of all that the book's values make."""


def find_cooks(
    settings: CookSettings,
    on_game: Callable[[], None] | None = None,
    on_error: Callable[[InvalidPdnError], None] | None = None,
) -> CookReport:
    """The cooks of a book, those that people reach most often first.

    on_game, on_error: of the games of the archive. Raises InvalidSettingError, InvalidBookError, InvalidPdnError,
    OSError.
    """
    check_apart([settings.pdn], [settings.book, *([settings.games] if settings.games else [])])
    _, graph = book_with_people(settings, on_game, on_error)
    candidates = book_cooks(graph)
    report = CookReport([], Counter(each.verdict for each in candidates))
    holding = [each for each in candidates if each.verdict is CookVerdict.HOLDS][: settings.count or None]
    ways = commonest_ways(graph, {each.node.key for each in holding})
    cooks = {each.node.key: cook_at(graph, each, ways[each.node.key]) for each in holding if each.node.key in ways}
    if settings.games is not None and cooks:
        steps = {each.node.key: each.played.step for each in holding}
        for game, moves in games_played(settings.games, on_game, on_error):
            for ply, (key, step) in enumerate(moves):
                if key in cooks and steps[key] == step:
                    cooks[key].wrong_games.append(_game(game, ply))
        for cook in cooks.values():
            cook.wrong_games.sort(key=lambda each: -(each.year or 0))
    report.cooks = list(cooks.values())
    return report


def book_with_people(
    settings: CookSettings,
    on_game: Callable[[], None] | None = None,
    on_error: Callable[[InvalidPdnError], None] | None = None,
) -> tuple[Mapping[str, Any], BookGraph]:
    """A book's facts, and its graph with what people play: as it knows it, or else by the archive. Raises as
    `find_cooks`."""
    facts, graph, _ = read_book(settings.book)
    if not graph.games and settings.games is not None:
        graph.games, graph.exact_games = people_games(settings.games, on_game, on_error), True
        # a move that people play counts once it leads to a position of the book
        graph.propagate()
    if not graph.games:
        raise InvalidSettingError(
            f"{settings.book} knows of no games of people; give an archive of them with --games, or a book built with "
            "--people"
        )
    return facts, graph


def book_cooks(graph: BookGraph) -> list[BookCook]:
    """Cooks by the values of a book, whatever searches say of them, by the games that came there."""
    depths = book_depths(graph)
    cooks = [
        cook for key in graph.games
        if (node := graph.nodes.get(key)) is not None and (cook := cook_of(graph, node, depths)) is not None
    ]  # fmt: skip
    return sorted(cooks, key=lambda each: (-sum(graph.games[each.node.key].values()), each.node.key))


def cook_of(graph: BookGraph, node: BookNode, depths: Mapping[BookKey, int]) -> BookCook | None:
    """The cook of a node by its values; None if it has none. depths: as `book_depths`."""
    steps = known_steps(graph, node, depths)
    if not steps:
        return None
    best, searched, most = steps[0], graph.cooks.by_key.get(node.key), max(each.games for each in steps)
    cooks = [
        BookCook(node, best, each, None) for each in steps
        if each.games == most and most and best.worth is not None and each.worth is not None
    ]  # fmt: skip
    # of several that are played alike, as a packed book knows it, the one that was searched, or else the best
    with_searches = [each._replace(searched=searched) for each in cooks if searched and searched.is_of(*each.valued())]
    cook = next(iter(with_searches + cooks), None)
    return cook if cook is not None and cook.book_loss >= COOK else None


def checked_cooks(graph: BookGraph) -> SearchedCooks:
    """The searched cooks of a book that its moves still make, and those of them that hold."""
    cooks = [each for each in book_cooks(graph) if each.searched is not None]
    return SearchedCooks(
        {each.node.key: each.searched for each in cooks if each.searched is not None},
        frozenset(each.node.key for each in cooks if each.verdict is CookVerdict.HOLDS),
        graph.cooks.origin,
    )


def commonest_ways(graph: BookGraph, keys: Collection[BookKey]) -> dict[BookKey, list[BookStep]]:
    """The way from the usual start to each of the positions that people's games take most probably."""
    start = book_key(Position())
    missing = set(keys)
    came: dict[BookKey, tuple[BookKey, BookStep] | None] = {}
    waiting: list[tuple[float, BookKey, tuple[BookKey, BookStep] | None]] = [(0.0, start, None)]
    while waiting and missing:
        cost, key, before = heapq.heappop(waiting)
        if key in came:
            continue
        came[key] = before
        missing.discard(key)
        steps = graph.games.get(key, {})
        total = sum(steps.values())
        for step, games in steps.items():
            if not games:
                # of an opening's tree, and never played
                continue
            heapq.heappush(waiting, (cost - math.log(games / total), graph.child_of(key, step), (key, step)))
    return {key: _way(came, key) for key in keys if key in came}


def _way(came: Mapping[BookKey, tuple[BookKey, BookStep] | None], key: BookKey) -> list[BookStep]:
    steps = []
    while (before := came[key]) is not None:
        key, step = before
        steps.append(step)
    return steps[::-1]


def cook_at(graph: BookGraph, book_cook: BookCook, way: list[BookStep]) -> Cook:
    """A searched cook with what follows. way: from the usual start."""
    node, searched = book_cook.node, book_cook.searched
    assert searched is not None
    position, boards, moves = Position(), [Position().bits], []
    for step in way:
        moves.append(move_at(position, step))
        position = position.play(moves[-1])
        boards.append(position.bits)
    ballot, _ = ballot_of(boards)
    reached = opening_name(boards)
    return Cook(
        fen=position.fen,
        moves=list(map(str, moves)),
        ballot="" if ballot is None else str(ballot.number),
        name="" if reached is None else reached.name,
        games=sum(graph.games[node.key].values()),
        exact_games=graph.exact_games,
        played=_cook_move(graph, node, book_cook.played, searched.played, position),
        best=_cook_move(graph, node, book_cook.best, searched.best, position),
        loss=searched.loss,
        searched_nodes=searched.nodes,
        nodes=node.nodes if graph.has_searches else None,
    )


def _cook_move(graph: BookGraph, node: BookNode, step: KnownStep, searched: ValuedMove, position: Position) -> CookMove:
    assert step.worth is not None
    (move,) = (each for each in graph.moves_of(node) if each.step == step.step)
    line = graph.best_line(position, move)
    return CookMove(
        str(line[0]), step.worth, abs(step.worth) >= MOST_VALUE, step.depth, searched.value, searched.depth,
        step.games, positions_after(graph, move), list(map(str, line)),
    )  # fmt: skip


def positions_after(graph: BookGraph, move: BookMove) -> int:
    """Number of the positions of a book that can come after a move."""
    seen: set[BookKey] = set()
    waiting = [move.child]
    while waiting:
        key = waiting.pop()
        node = graph.nodes.get(key)
        if node is not None and key not in seen:
            seen.add(key)
            waiting += [each.child for each in graph.moves_of(node)]
    return len(seen)


def _game(game: Game, ply: int) -> CookGame:
    headers = game.headers
    black, white, event = (headers.get(name, "?") for name in ("Black", "White", "Event"))
    return CookGame(black, white, event, year_of(headers), str(game.result), ply)


def cook_game(cook: Cook, number: int) -> Game:
    """A cook as a game: the way to it, the best line, and the line after people's move as a variation."""
    game = Game({"Event": f"Cook {number}: {cook_title(cook)}", "Result": "*"}, moves=cook.moves)
    place = game.end()
    best, people = cook.best, cook.played
    first = place.add_line(best.line[:1], comment=f"{best.value:+}, {cook.loss} better, depth {best.depth}")
    first.add_line(best.line[1:])
    share = f"{games_text(people.games, cook.exact_games)} of {games_text(cook.games, cook.exact_games)}"
    worse = place.add_variation(people.move, comment=f"{people.value:+}, depth {people.depth}, {share}", nags=["$2"])
    if people.line[1:]:
        worse.add_line(people.line[1:])
    return game


def cook_title(cook: Cook) -> str:
    """Name of a cook's opening: ballot, and what players call it."""
    ballot = f"ballot {cook.ballot}" if cook.ballot else ""
    return ", ".join(filter(None, (ballot, cook.name))) or "opening"
