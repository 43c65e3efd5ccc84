"""What is known of each ballot, as JSON types: bracket, replies, main line, cooks, people's record, evidence.

docs/reference/formats.md describes what comes of it. Values are centi-men for the side to move. They are evidence:
only a bracket, which comes from proofs alone, is more.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from kr.archives.stats import UNDATED, ArchiveStats, ResultCounts
from kr.ballots.brackets import Brackets, bracket_words
from kr.book.cooks import COOK
from kr.book.frame import BookKey, BookStep, book_key, move_at
from kr.game.position import Move, Position
from kr.notation import SIDE_NAMES
from kr.openings.decks import Opening
from kr.openings.lines import names_by_board, opening_names
from kr.theory.cooks import BookCook, CookVerdict, book_cooks, commonest_ways, cook_at
from kr.theory.graph import BookGraph, BookMove, BookNode
from kr.theory.packing import book_depths, known_steps

RECORD_PLAYERS = 5
"""Players of a ballot's record: those with most games."""

_Way = tuple[BookKey, BookStep] | None
"""The position before one, and the move between; None at the beginning."""


@dataclass
class Knowledge:
    """A book and what else the entries of ballots are made from."""

    graph: BookGraph
    """Its values are propagated."""
    brackets: Brackets
    records: Mapping[int, ArchiveStats] | None = None
    """Games by the number of their ballot; None without an archive."""
    _steps: dict[BookKey, list[tuple[BookMove, float]]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def depths(self) -> dict[BookKey, int]:
        """Plies from each position to the end of the search behind its value."""
        return book_depths(self.graph)

    @cached_property
    def cooks(self) -> dict[BookKey, dict[str, Any]]:
        """The cooks of the book that people's games come to, those first that they come to most often."""
        holding = [each for each in book_cooks(self.graph) if each.verdict is CookVerdict.HOLDS]
        ways = commonest_ways(self.graph, {each.node.key for each in holding})
        return {each.node.key: self._cook_entry(each, ways[each.node.key]) for each in holding if each.node.key in ways}

    def _cook_entry(self, book_cook: BookCook, way: list[BookStep]) -> dict[str, Any]:
        cook, node, best = cook_at(self.graph, book_cook, way), book_cook.node, book_cook.best
        assert best.worth is not None
        wrong = sum(
            each.games for each in known_steps(self.graph, node, self.depths)
            if each.worth is None or best.worth - each.worth >= COOK
        )  # fmt: skip
        return {
            "fen": cook.fen, "to_move": SIDE_NAMES[Position.from_fen(cook.fen).side], "moves": " ".join(cook.moves),
            "name": cook.name, "ballots": [], "games": cook.games, "wrong": wrong, "loss": cook.loss,
            "searched_nodes": cook.searched_nodes,
            **{name: asdict(move) | {"line": " ".join(move.line)}
               for name, move in (("best", cook.best), ("played", cook.played))},
            "search": self._search(node),
        }  # fmt: skip

    def ways_from(self, root: BookKey) -> dict[BookKey, _Way]:
        """The book's positions that moves from one lead to, itself first; of several ways to one the short one that
        people take most."""
        waiting: list[tuple[float, BookKey, _Way]] = [(0.0, root, None)]
        ways: dict[BookKey, _Way] = {}
        while waiting:
            cost, key, before = heapq.heappop(waiting)
            if key in ways or key not in self.graph.nodes:
                continue
            ways[key] = before
            for move, rarity in self._steps_of(key):
                if move.child not in ways:
                    heapq.heappush(waiting, (cost + rarity, move.child, (key, move.step)))
        return ways

    def _steps_of(self, key: BookKey) -> list[tuple[BookMove, float]]:
        """The moves of a node that lead to nodes, each with 1 more than the logarithm of how rare it is."""
        steps = self._steps.get(key)
        if steps is None:
            counts = self.graph.games.get(key, {})
            total = sum(counts.values()) + 1
            steps = self._steps[key] = [
                (move, 1 + math.log2(total / (counts.get(move.step, 0) + 1)))
                for move in self.graph.moves_of(self.graph.nodes[key]) if move.child in self.graph.nodes
            ]  # fmt: skip
        return steps

    def ballot(self, opening: Opening) -> dict[str, Any]:
        """What is known of a ballot. The entry of one that the book does not have says only what others know.

        The ballot is entered in the cooks below it.
        """
        position = opening.position
        named = names_by_board().get(position.bits)
        proved = self.brackets.of(position)
        entry: dict[str, Any] = {
            "number": opening.number,
            "name": named.name if named else "",
            "other_names": list(named.spellings) if named else [],
            "moves": opening.moves,
            "fen": position.fen,
            "to_move": SIDE_NAMES[position.side],
            "standing": opening.standing,
            "bracket": {
                "least": proved.least, "most": proved.most, "words": bracket_words(proved), "by": proved.by,
            },
            "record": None if self.records is None else record_of(self.records.get(opening.number)),
            "in_book": False,
        }  # fmt: skip
        node = self.graph.nodes.get(book_key(position))
        if node is None:
            return entry
        ways = self.ways_from(node.key)
        below = [self.graph.nodes[key] for key in ways]
        best = self.graph.best_line(position)
        start, before = opening.begin()
        cooks = []
        for key, cook in self.cooks.items():
            if key in ways:
                cook["ballots"].append(opening.number)
                cooks.append({"fen": cook["fen"], "moves": _texts(_way_to(position, ways, key))})
        return entry | {
            "in_book": True,
            "worth": node.worth,
            "search": self._search(node),
            "depth": self.depths[node.key],
            "below": {"positions": len(below) - 1, "nodes": sum(each.nodes for each in below)},
            "replies": self._replies(node, position),
            "main_line": {"moves": _texts(best), "names": _names(start, [*before, *best])},
            "cooks": cooks,
        }

    def _search(self, node: BookNode) -> dict[str, Any]:
        """The search of a position; its score and depth only where the book has them."""
        search = {"nodes": node.nodes, "within": node.within}
        # a position that came from a packed book has the book's value in place of a search's score
        if self.graph.has_searches and node.nodes:
            return {"score": node.score, "depth": node.depth, **search}
        return search

    def _replies(self, node: BookNode, position: Position) -> list[dict[str, Any]]:
        """The moves that the book knows, best first, then those that only people play."""
        moves = {move.step: move for move in self.graph.moves_of(node)}
        rows = []
        for reply in known_steps(self.graph, node, self.depths):
            move, legal = moves.get(reply.step), move_at(position, reply.step)
            child = None if move is None else self.graph.nodes.get(move.child)
            proved = self.brackets.of(position.play(legal)).one_move_earlier()
            rows.append({
                "move": str(legal), "worth": reply.worth, "games": reply.games,
                "bracket": bracket_words(proved), "by": proved.by, "in_book": child is not None,
                # a move that leads out of the book rests on the search before it
                "nodes": node.nodes if child is None else child.nodes,
                "depth": reply.depth or node.depth,
                "line": "" if move is None else _texts(self.graph.best_line(position, move)[1:]),
            })  # fmt: skip
        return rows


def _texts(moves: Iterable[Move]) -> str:
    return " ".join(map(str, moves))


def _names(start: Position, moves: Iterable[Move]) -> list[dict[str, Any]]:
    """The names of openings that a line comes to, each with the number of moves before it."""
    position, boards = start, [start.bits]
    for move in moves:
        position = position.play(move)
        boards.append(position.bits)
    return [{"name": each.name, "ply": each.ply} for each in opening_names(boards)]


def _way_to(position: Position, ways: Mapping[BookKey, _Way], key: BookKey) -> list[Move]:
    """The moves from a position to one that `ways_from` has found."""
    steps: list[BookStep] = []
    before = ways[key]
    while before is not None:
        steps.append(before[1])
        before = ways[before[0]]
    line: list[Move] = []
    for step in reversed(steps):
        line.append(move_at(position, step))
        position = position.play(line[-1])
    return line


def record_of(stats: ArchiveStats | None) -> dict[str, Any]:
    """People's record of a ballot: results, by decade, and the players with most games."""
    stats = stats or ArchiveStats()
    decades: dict[str, ResultCounts] = {}
    for year, counts in stats.years.items():
        decade = year if year == UNDATED else f"{int(year) // 10}0s"
        decades[decade] = _sum(decades.get(decade, ResultCounts()), counts)
    players = sorted(stats.players.items(), key=lambda item: (-item[1].games, item[0]))[:RECORD_PLAYERS]
    return {
        **_results(stats.all),
        "decades": [{"decade": decade, **_results(decades[decade])} for decade in sorted(decades)],
        "players": [
            {"player": name, "games": each.games, "wins": each.wins, "draws": each.draws, "losses": each.losses}
            for name, each in players
        ],
    }


def _results(counts: ResultCounts) -> dict[str, int]:
    return {
        "games": counts.games, "black_wins": counts.black_wins, "draws": counts.draws,
        "white_wins": counts.white_wins, "other": counts.other,
    }  # fmt: skip


def _sum(one: ResultCounts, other: ResultCounts) -> ResultCounts:
    return ResultCounts(
        one.games + other.games, one.black_wins + other.black_wins, one.draws + other.draws,
        one.white_wins + other.white_wins, one.other + other.other,
    )  # fmt: skip
