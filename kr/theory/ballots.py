"""What is known of each ballot, as JSON types: bracket, replies, main line, cooks, people's record, evidence.

docs/reference/formats.md describes what comes of it. Values are centi-men for the side to move. They are evidence:
only a bracket, which comes from proofs alone, is more.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from kr.archives.stats import UNDATED, ArchiveStats, ResultCounts
from kr.book.book import COOK
from kr.book.frame import BookKey, BookStep, book_key, move_at
from kr.game.position import Move, Position
from kr.notation import SIDE_NAMES
from kr.openings.decks import Opening
from kr.openings.lines import names_by_board, opening_names
from kr.theory.brackets import Brackets, bracket_words
from kr.theory.graph import BookGraph, BookMove, BookNode
from kr.theory.packing import book_depths

RECORD_PLAYERS = 5
"""Players of a ballot's record: those with most games."""

_Way = tuple[BookKey, BookStep] | None
"""The position before one, and the move between; None at the beginning."""


@dataclass(frozen=True)
class CookedMove:
    """A position in which the best move of the book beats the one that people play most by COOK or more."""

    key: BookKey
    played: BookStep
    loss: int | None
    """Centi-men that people's move gives away; None if it is not among those near the best that a search has kept."""
    reached: int
    """Games that came to the position."""
    wrong: int
    """Games in which a move was played there that gives away COOK or more."""


@dataclass
class Knowledge:
    """A book and what else the entries of ballots are made from."""

    graph: BookGraph
    """Its values are propagated."""
    brackets: Brackets
    played: Mapping[BookKey, Mapping[BookStep, int]]
    """How often people have played each move in a position."""
    records: Mapping[int, ArchiveStats] | None = None
    """Games by the number of their ballot; None without an archive."""
    _steps: dict[BookKey, list[tuple[BookMove, float]]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def depths(self) -> dict[BookKey, int]:
        """Plies from each position to the end of the search behind its value."""
        return book_depths(self.graph)

    @cached_property
    def from_start(self) -> dict[BookKey, _Way]:
        """`ways_from` the usual start."""
        return self.ways_from(book_key(Position()))

    def ways_from(self, root: BookKey) -> dict[BookKey, _Way]:
        """The book's positions that moves from one lead to, itself first; of several ways to one the short one that
        people take most."""
        waiting: list[tuple[float, BookKey, _Way]] = [(0.0, root, None)]
        found: dict[BookKey, _Way] = {}
        while waiting:
            cost, key, before = heapq.heappop(waiting)
            if key in found or key not in self.graph.nodes:
                continue
            found[key] = before
            for move, rarity in self._steps_of(key):
                if move.child not in found:
                    heapq.heappush(waiting, (cost + rarity, move.child, (key, move.step)))
        return found

    def _steps_of(self, key: BookKey) -> list[tuple[BookMove, float]]:
        """The moves of a node that lead to nodes, each with 1 more than the logarithm of how rare it is."""
        found = self._steps.get(key)
        if found is None:
            counts = self.played.get(key, {})
            total = sum(counts.values()) + 1
            found = self._steps[key] = [
                (move, 1 + math.log2(total / (counts.get(move.step, 0) + 1)))
                for move in self.graph.moves_of(self.graph.nodes[key]) if move.child in self.graph.nodes
            ]  # fmt: skip
        return found

    @cached_property
    def cooks(self) -> dict[BookKey, CookedMove]:
        """All cooks, those first that people reach most often."""
        found = [cook for node in self.graph.nodes.values() if (cook := self._cook(node)) is not None]
        return {cook.key: cook for cook in sorted(found, key=lambda each: (-each.reached, each.key))}

    def _cook(self, node: BookNode) -> CookedMove | None:
        counts = self.played.get(node.key)
        if not counts or not node.moves:
            return None
        worths = {move.step: self.graph.move_worth(move) for move in self.graph.moves_of(node)}
        best = max(worths.values())

        def loses(step: BookStep) -> bool:
            return step not in worths or best - worths[step] >= COOK

        favourite = max(counts, key=lambda step: (counts[step], worths.get(step, -math.inf)))
        if not loses(favourite):
            return None
        wrong = sum(count for step, count in counts.items() if loses(step))
        loss = best - worths[favourite] if favourite in worths else None
        return CookedMove(node.key, favourite, loss, sum(counts.values()), wrong)


@dataclass
class BallotTheory:
    """The entries of ballots and of the cooks below them, made one by one."""

    known: Knowledge
    _cooks: dict[BookKey, dict[str, Any]] = field(default_factory=dict, init=False, repr=False)

    @property
    def cooks(self) -> list[dict[str, Any]]:
        """Those of the ballots so far, the ones first that people reach most often."""
        return [self._cooks[key] for key in self.known.cooks if key in self._cooks]

    def ballot(self, opening: Opening) -> dict[str, Any]:
        """What is known of a ballot. The entry of one that the book does not have says only what others know."""
        known, position = self.known, opening.position
        named = names_by_board().get(position.bits)
        proved = known.brackets.of(position)
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
            "record": None if known.records is None else record_of(known.records.get(opening.number)),
            "in_book": False,
        }  # fmt: skip
        node = known.graph.nodes.get(book_key(position))
        if node is None:
            return entry
        ways = known.ways_from(node.key)
        below = [known.graph.nodes[key] for key in ways]
        best = known.graph.best_line(position)
        start, before = opening.begin()
        return entry | {
            "in_book": True,
            "worth": node.worth,
            "search": _search(node),
            "depth": known.depths[node.key],
            "below": {"positions": len(below) - 1, "nodes": sum(each.nodes for each in below)},
            "replies": _replies(node, position, known),
            "main_line": {"moves": _texts(best), "names": _names(start, [*before, *best])},
            "cooks": [self._reference(cook, opening, ways) for key, cook in known.cooks.items() if key in ways],
        }

    def _reference(self, cook: CookedMove, opening: Opening, ways: Mapping[BookKey, _Way]) -> dict[str, Any]:
        """What a ballot says of a cook, whose own entry is made once."""
        way = _way_to(opening.position, ways, cook.key)
        entry = self._cooks.get(cook.key)
        if entry is None:
            start, line = opening.begin()
            moves = [*line, *way]
            if start == Position() and cook.key in self.known.from_start:
                # the way that people take most, whatever the ballot
                moves = _way_to(start, self.known.from_start, cook.key)
            entry = self._cooks[cook.key] = _cook_entry(cook, start, moves, self.known)
        entry["ballots"].append(opening.number)
        return {"fen": entry["fen"], "moves": _texts(way)}


def _cook_entry(cook: CookedMove, start: Position, moves: Sequence[Move], known: Knowledge) -> dict[str, Any]:
    """A cook, at the end of these moves."""
    position = start
    for move in moves:
        position = position.play(move)
    node = known.graph.nodes[cook.key]
    rows = _replies(node, position, known)
    played = str(move_at(position, cook.played))
    names = _names(start, moves)
    return {
        "fen": position.fen,
        "to_move": SIDE_NAMES[position.side],
        "start": start.fen,
        "moves": _texts(moves),
        "name": names[-1]["name"] if names else "",
        "ballots": [],
        "reached": cook.reached,
        "wrong": cook.wrong,
        "loss": cook.loss,
        "best": rows[0],
        "played": next(row for row in rows if row["move"] == played),
        "search": _search(node),
        "below": {"positions": len(known.ways_from(cook.key)) - 1},
    }


def _search(node: BookNode) -> dict[str, Any]:
    """The search of a position."""
    return {"score": node.score, "nodes": node.nodes, "depth": node.depth, "within": node.within}


def _texts(moves: Iterable[Move]) -> str:
    return " ".join(map(str, moves))


def _names(start: Position, moves: Iterable[Move]) -> list[dict[str, Any]]:
    """The names of openings that a line comes to, each with the number of moves before it."""
    position, boards = start, [start.bits]
    for move in moves:
        position = position.play(move)
        boards.append(position.bits)
    return [{"name": each.name, "ply": each.ply} for each in opening_names(boards)]


def _replies(node: BookNode, position: Position, known: Knowledge) -> list[dict[str, Any]]:
    """The moves that the book knows, best first, then those that only people play."""
    counts = dict(known.played.get(node.key, {}))
    rows = []
    for move in known.graph.ranked(node):
        line = known.graph.best_line(position, move)
        child = known.graph.nodes.get(move.child)
        proved = known.brackets.of(position.play(line[0])).one_move_earlier()
        rows.append({
            "move": str(line[0]), "worth": known.graph.move_worth(move), "games": counts.pop(move.step, 0),
            "bracket": bracket_words(proved), "by": proved.by, "in_book": child is not None,
            # a move that leads out of the book rests on the search before it
            "nodes": node.nodes if child is None else child.nodes,
            "depth": node.depth if child is None else 1 + known.depths[child.key],
            "line": _texts(line[1:]),
        })  # fmt: skip
    for step, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        rows.append({
            "move": str(move_at(position, step)), "worth": None, "games": count, "bracket": "", "by": "",
            "in_book": False, "nodes": node.nodes, "depth": node.depth, "line": "",
        })  # fmt: skip
    return rows


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
