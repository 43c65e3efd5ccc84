"""Cooks: moves that people play most although the book has a better one.

Where the best move of a position beats the one that people play most by COOK or more, that move is a cook. Every
position is judged by its own games, so that a cook counts that people reach only after an earlier one.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kr.archives.archive import year_of
from kr.book.book import COOK
from kr.book.frame import BookKey, BookStep, book_key, move_at
from kr.book.krb import MOST_VALUE
from kr.errors import InvalidPdnError, InvalidSettingError
from kr.game.position import Position
from kr.openings.lines import opening_name
from kr.openings.names import ballot_of
from kr.pdn import Game
from kr.settings import REQUIRED, Settings, option
from kr.storage import check_apart
from kr.theory.graph import BookGraph, BookMove, BookNode
from kr.theory.packing import KnownStep, book_depths, known_steps
from kr.theory.people import games_played
from kr.theory.trees import games_text
from kr.theory.unpacking import read_book


@dataclass(frozen=True)
class CookSettings(Settings):
    """Which cooks are listed."""

    book: Path = option(
        REQUIRED, "The book, with people's games: of kr book build or packed; shipped: kr's.", metavar="FILE",
        argument=True,
    )  # fmt: skip
    games: Path | None = option(
        None, "Archive of games, PDN: name those that went wrong, also other ones than the book's.", metavar="FILE"
    )
    count: int = option(20, "Most cooks that are listed: {allowed}.", low=1, zero="all")
    pdn: Path | None = option(None, "Write them to this PDN file, a game for each.", metavar="FILE")


@dataclass(frozen=True, slots=True)
class CookMove:
    """A move at a cook, with what follows by the book."""

    move: str
    value: int
    """Centi-men for the side that plays it, 10,000 for a proved win."""
    proved: bool
    depth: int
    """Plies from the position to the end of the search behind the value."""
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
    """Centi-men that the move of people gives away."""
    nodes: int | None
    """Nodes of the search of the position itself; None in a packed book."""
    wrong_games: list[CookGame] = field(default_factory=list)
    """Games of the archive in which it was played, the latest first."""


def find_cooks(
    settings: CookSettings,
    on_game: Callable[[], None] | None = None,
    on_error: Callable[[InvalidPdnError], None] | None = None,
) -> list[Cook]:
    """The cooks of a book, those that people reach most often first.

    on_game, on_error: of the games of the archive. Raises InvalidSettingError, InvalidBookError, InvalidPdnError,
    OSError.
    """
    check_apart([settings.pdn], [settings.book, *([settings.games] if settings.games else [])])
    graph = read_book(settings.book).graph
    if not graph.games:
        raise InvalidSettingError(f"{settings.book} knows of no games of people; expected one built with --people")
    found = cooked_nodes(graph)[: settings.count or None]
    ways = commonest_ways(graph, {node.key for node, _, _ in found})
    cooks = {
        node.key: cook_at(graph, node, best, worse, ways[node.key]) for node, best, worse in found if node.key in ways
    }
    if settings.games is not None:
        steps = {node.key: worse.step for node, _, worse in found}
        for game, moves in games_played(settings.games, on_game, on_error):
            for ply, (key, step) in enumerate(moves):
                if key in cooks and steps[key] == step:
                    cooks[key].wrong_games.append(_game(game, ply))
        for cook in cooks.values():
            cook.wrong_games.sort(key=lambda each: -(each.year or 0))
    return list(cooks.values())


def cooked_nodes(graph: BookGraph) -> list[tuple[BookNode, KnownStep, KnownStep]]:
    """Nodes with a cook, the best move and the one that people play, by the games that came there."""
    depths = book_depths(graph)
    found: list[tuple[BookNode, KnownStep, KnownStep]] = []
    for key in graph.games:
        node = graph.nodes.get(key)
        steps = known_steps(graph, node, depths) if node is not None else []
        if node is None or not steps:
            continue
        # of two that are played alike the better one
        most = max(steps, key=lambda each: each.games)
        best = steps[0]
        if best.worth is not None and most.worth is not None and best.worth - most.worth >= COOK:
            found.append((node, best, most))
    return sorted(found, key=lambda each: (-sum(graph.games[each[0].key].values()), each[0].key))


def commonest_ways(graph: BookGraph, wanted: Collection[BookKey]) -> dict[BookKey, list[BookStep]]:
    """The way from the usual start to each of the positions that people's games take most probably."""
    start = book_key(Position())
    left = set(wanted)
    came: dict[BookKey, tuple[BookKey, BookStep] | None] = {}
    waiting: list[tuple[float, BookKey, tuple[BookKey, BookStep] | None]] = [(0.0, start, None)]
    while waiting and left:
        cost, key, before = heapq.heappop(waiting)
        if key in came:
            continue
        came[key] = before
        left.discard(key)
        steps = graph.games.get(key, {})
        total = sum(steps.values())
        for step, games in steps.items():
            if not games:
                # of an opening's tree, and never played
                continue
            heapq.heappush(waiting, (cost - math.log(games / total), graph.child_of(key, step), (key, step)))
    return {key: _way(came, key) for key in wanted if key in came}


def _way(came: Mapping[BookKey, tuple[BookKey, BookStep] | None], key: BookKey) -> list[BookStep]:
    steps = []
    while (before := came[key]) is not None:
        key, step = before
        steps.append(step)
    return steps[::-1]


def cook_at(graph: BookGraph, node: BookNode, best: KnownStep, worse: KnownStep, way: list[BookStep]) -> Cook:
    """A cook with what follows. best, worse: as `cooked_nodes` gives them; way: from the usual start."""
    position, boards, moves = Position(), [Position().bits], []
    for step in way:
        moves.append(move_at(position, step))
        position = position.play(moves[-1])
        boards.append(position.bits)
    ballot, _ = ballot_of(boards)
    reached = opening_name(boards)
    assert best.worth is not None
    assert worse.worth is not None
    return Cook(
        fen=position.fen,
        moves=list(map(str, moves)),
        ballot="" if ballot is None else str(ballot.number),
        name="" if reached is None else reached.name,
        games=sum(graph.games[node.key].values()),
        exact_games=graph.exact_games,
        played=_cook_move(graph, node, worse, position),
        best=_cook_move(graph, node, best, position),
        loss=best.worth - worse.worth,
        nodes=node.nodes if graph.has_searches else None,
    )


def _cook_move(graph: BookGraph, node: BookNode, known: KnownStep, position: Position) -> CookMove:
    assert known.worth is not None
    (move,) = (each for each in graph.moves_of(node) if each.step == known.step)
    line = graph.best_line(position, move)
    return CookMove(
        str(line[0]), known.worth, abs(known.worth) >= MOST_VALUE, known.depth, known.games,
        positions_after(graph, move), list(map(str, line)),
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
    best, played = cook.best, cook.played
    first = place.add_line(best.line[:1], comment=f"{best.value:+}, {cook.loss} better, depth {best.depth}")
    first.add_line(best.line[1:])
    share = f"{games_text(played.games, cook.exact_games)} of {games_text(cook.games, cook.exact_games)}"
    worse = place.add_variation(played.move, comment=f"{played.value:+}, depth {played.depth}, {share}", nags=["$2"])
    if played.line[1:]:
        worse.add_line(played.line[1:])
    return game


def cook_title(cook: Cook) -> str:
    """Name of a cook's opening: ballot, and what players call it."""
    ballot = f"ballot {cook.ballot}" if cook.ballot else ""
    return ", ".join(filter(None, (ballot, cook.name))) or "opening"
