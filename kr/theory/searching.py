"""Searches of a book's positions, round by round.

Each is a unit of `kr.jobs`, and with the values that follow from it a transaction of the working file: a kill loses the
searches under way, and the file is always right.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from kr.book.frame import BookKey, book_key, position_of_key, step_at, step_of
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.game.position import Position
from kr.game.value import Value
from kr.jobs.kinds import Stop
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.players.engine_work import EngineWork, WorkSettings
from kr.players.workers import EngineUnits
from kr.proofs.library import ProofLibrary
from kr.theory.graph import BookGraph, BookNode, searched_worth
from kr.theory.store import book_moves


@dataclass(frozen=True, slots=True)
class BookTask:
    """The search of a position."""

    nodes: int
    within: int
    """Centi-men below the best in which each move is scored."""


class BookSearcher:
    """The graph of a book, whose positions are searched. put: writes nodes that have changed."""

    def __init__(
        self,
        settings: WorkSettings,
        engine: Engine,
        graph: BookGraph,
        put: Callable[[Sequence[BookNode]], None],
        proofs: ProofLibrary | None = None,
    ) -> None:
        self.graph, self.put, self.proofs = graph, put, proofs
        self.work = EngineWork(BookSearches(), settings, engine=engine)
        self.under_way: dict[BookKey, BookTask] = {}
        self.sent = 0
        # of a file that something else has changed, or certificates that it did not know
        proved = self._certified()
        keys = {node.key for node in proved}
        if changed := [each for each in self.graph.propagate() if each.key not in keys] + proved:
            put(changed)

    def _certified(self) -> list[BookNode]:
        """Nodes whose value a certificate proves, entered again with it."""
        if self.proofs is None:
            return []
        pairs = [(node, certified(node, self.proofs)) for node in self.graph.nodes.values()]
        proved = [after for before, after in pairs if after is not before]
        for node in proved:
            self.graph.add(node)
        return proved

    def run(
        self,
        next_round: Callable[[], Mapping[BookKey, BookTask]],
        on_node: Callable[[BookNode], None],
        seconds: float | None = None,
    ) -> None:
        """Search rounds of positions until one is empty, or the time is over.

        on_node: hears of each search before it is entered.
        """
        pool = self.work.pool()
        timer = None
        if seconds is not None:
            timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), pool.stop)
            timer.daemon = True
            timer.start()
        try:
            with closing(pool.run(self._units(next_round))) as parts:
                for part in parts:
                    if part.value is not None:
                        self._take(part.value, on_node)
        finally:
            if timer is not None:
                timer.cancel()

    def _units(self, next_round: Callable[[], Mapping[BookKey, BookTask]]) -> Iterator[Unit | None]:
        while tasks := next_round():
            for key, task in tasks.items():
                self.under_way[key] = task
                self.sent += 1
                values = {"position": position_of_key(key).bits, "nodes": task.nodes, "within": task.within}
                # a position may be searched twice in one run
                name = "-".join(map(str, (self.sent, *key)))
                yield self.work.unit(name, values)
            while self.under_way:
                yield None

    def _take(self, result: dict[str, Any], on_node: Callable[[BookNode], None]) -> None:
        """Enter a search in the graph and in the file."""
        key = book_key(Position.from_bits(tuple(result["position"])))
        within = self.under_way.pop(key).within
        value = None if result["value"] is None else Value(result["value"])
        moves = book_moves(key, [tuple(move) for move in result["moves"]])
        node = BookNode(key, result["score"], result["nodes"], result["depth"], within, value, moves)
        if self.proofs is not None:
            node = certified(node, self.proofs)
        on_node(node)
        self.graph.add(node)
        self.put([*(each for each in self.graph.propagate() if each is not node), node])


def certified(node: BookNode, proofs: ProofLibrary) -> BookNode:
    """The node with the value that certificates prove, and first the move that has it; the same one if they do not."""
    if node.value is not None:
        return node
    black = position_of_key(node.key)
    for position in (black, black.flipped()):
        bounds = proofs.look_up(position)
        if bounds.value is None:
            continue
        worth = searched_worth(node.score, bounds.value)
        rows = [(*move.step, worth if move.score is None else min(move.score, worth)) for move in node.moves]
        if bounds.move is not None:
            step = step_at(position, bounds.move)
            rows = [(*step, worth), *(row for row in rows if row[:3] != step)]
        return replace(node, value=bounds.value, moves=book_moves(node.key, rows))
    return node


class BookSearches(EngineUnits[dict[str, Any]]):
    """Units of one position, with Black to move; the result is its score and the moves near the best."""

    def do(self, unit: Unit, needs: Needs, engine: Engine, stop: Stop) -> dict[str, Any] | None:
        values = unit.values
        position = Position.from_bits(tuple(values["position"]))
        if position.is_over:
            return {"position": position.bits, "score": 0, "nodes": 0, "depth": 0, "value": Value.LOSS, "moves": []}
        engine.new_game()
        limits = Limits(nodes=values["nodes"], within=values["within"])
        result = engine.search(position, limits, stop=stop)
        if stop.is_set():
            return None
        return {
            "position": position.bits,
            "score": result.score,
            "nodes": result.nodes,
            "depth": result.depth,
            "value": result.value,
            "moves": [[*step_of(line.pv[0]), line.score] for line in result.lines],
        }

    def check(self, unit: Unit, values: Sequence[dict[str, Any]]) -> None:
        (result,) = values
        numbers = (result["score"], result["nodes"], result["depth"], *(each[3] for each in result["moves"]))
        if list(result["position"]) != list(unit.values["position"]) or not all(type(each) is int for each in numbers):
            raise ValueError("not a search of this position")
        if result["value"] is not None:
            Value(result["value"])
        key = book_key(Position.from_bits(tuple(result["position"])))
        if not book_moves(key, [tuple(move) for move in result["moves"]]) and result["value"] != Value.LOSS:
            raise ValueError("no moves")
