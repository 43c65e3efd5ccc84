"""The graph of a book: a node for each position, values propagated from later positions to earlier ones, and the
choice of what to search next.

A position stands in the frame of its side to move: with White to move it is turned, colours swapped, so that both are
one node. A node has been searched once, for all moves near the best (`Limits.within`), and each of these moves has its
score of that search. Once the position after a move is a node itself, its value counts instead.

What to search next is drop-out expansion (Lincke, Strategies for the Automatic Construction of Opening Books, 2001):
the leaf that both sides reach by giving away least. The cost of a path is the sum over its moves of 1 + loss /
LOSS_OF_A_PLY, and half of that for a move that people play. In a position at risk a move costs less: there a better
one may win or save the game, while games from level openings are nearly all drawn, whatever is played.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kr.book.cooks import SearchedCooks
from kr.book.frame import BookKey, BookStep, book_key, key_after, legal_steps, move_at, position_of_key
from kr.errors import InvalidBookError
from kr.game.value import Value

if TYPE_CHECKING:
    from kr.game.position import Move, Position

LOSS_OF_A_PLY = 8
"""Centi-men that a move gives away to cost as much as a ply more."""
PEOPLE_PLAY = 5
"""Games in which a move was played, so that it costs half."""
RISK_SCORE = 10
"""Centi-men; a position is at risk if it is better by so much for either side. Of 1,000 games at 0.1 s 48 of
272 from such ballots were won, and 25 of 728 from others."""
PLY_AT_RISK = 0.25
"""Plies that a move costs in a position at risk."""
LOST_SCORE = 60
"""Centi-men; a position worse than this for either side is not expanded: its game is decided among good players."""
PROVED_SCORE = 10_000
"""Value of a proved win, in centi-men."""
LONGEST_PATH = 40
"""Plies from the openings of a book to its last positions."""


@dataclass(slots=True)
class BookMove:
    """A move of a node."""

    step: BookStep
    score: int | None
    """Centi-men for the side that moves, by the search of the node; None if that has only found it to be worse."""
    child: BookKey
    forward: bool
    """True if no move leads back: a capture, or a man's. Only these carry values from one node to another."""


@dataclass(slots=True)
class BookNode:
    """A searched position."""

    key: BookKey
    score: int
    """Centi-men for its side to move, by its search."""
    nodes: int
    depth: int
    within: int
    """Centi-men below the best in which each move was scored."""
    value: Value | None
    """Proved value for the side to move."""
    moves: list[BookMove]
    """The moves near the best, best first."""
    worth: int = 0
    """Propagated value, in centi-men for the side to move; PROVED_SCORE for a proved win."""


def searched_worth(score: int, value: Value | None) -> int:
    """Worth of a position by its own search."""
    return score if value is None else value.sign * PROVED_SCORE


@dataclass
class BookGraph:
    """Nodes by key, and the openings from which they are reached."""

    roots: dict[BookKey, str] = field(default_factory=dict)
    """Names of the openings by position."""
    nodes: dict[BookKey, BookNode] = field(default_factory=dict)
    games: Mapping[BookKey, Mapping[BookStep, int]] = field(default_factory=dict)
    """How often people have played each move in a position."""
    has_searches: bool = True
    """False for values of a packed book, whose nodes have no searches of their own."""
    exact_games: bool = True
    """False if the games are the least that the weights of a packed book stand for."""
    cooks: SearchedCooks = field(default_factory=SearchedCooks)
    """Cooks whose moves have been searched."""
    _children: dict[tuple[BookKey, BookStep], BookKey] = field(default_factory=dict, repr=False, compare=False)
    """Positions after what people play, which cost something to find."""
    _parents: dict[BookKey, list[BookKey]] | None = field(default=None, repr=False, compare=False)
    """Nodes with a move to each position; None before values are first propagated."""
    _behind: set[BookKey] = field(default_factory=set, repr=False, compare=False)
    """Nodes whose moves have changed since then."""

    def add(self, node: BookNode) -> None:
        """Enter a node, in place of an earlier search of its position. Its worth is that of its search until the next
        `propagate`."""
        node.worth = searched_worth(node.score, node.value)
        self.nodes[node.key] = node
        if self._parents is not None:
            self._link(self._parents, node)
            self._behind.add(node.key)
            self._behind.update(self._parents.get(node.key, ()))

    def moves_of(self, node: BookNode) -> list[BookMove]:
        """Moves of a node that have a worth: those near the best, and what else people play and leads to a node."""
        kept = {move.step for move in node.moves}
        others = [
            BookMove(step, None, child, is_forward(node.key, step))
            for step in self.games.get(node.key, ())
            if step not in kept and (child := self.child_of(node.key, step)) in self.nodes
        ]
        return node.moves + others

    def move_worth(self, move: BookMove) -> int:
        """Worth of a move of `moves_of` for the side that plays it: that of the position after it, if it is a node.

        After a king's move only that position's own search counts, since values through kings could run in circles.
        """
        child = self.nodes.get(move.child)
        if child is None:
            assert move.score is not None
            return move.score
        return -child.worth if move.forward else -searched_worth(child.score, child.value)

    def worth_of(self, node: BookNode) -> int:
        """Worth of a node by its moves; a proved value stays."""
        if node.value is not None or not node.moves:
            return searched_worth(node.score, node.value)
        return max(map(self.move_worth, self.moves_of(node)))

    def ranked(self, node: BookNode) -> list[BookMove]:
        """The moves of `moves_of`, best first."""
        return sorted(self.moves_of(node), key=self.move_worth, reverse=True)

    def child_of(self, key: BookKey, step: BookStep) -> BookKey:
        """The position after a step."""
        child = self._children.get((key, step))
        if child is None:
            if step not in legal_steps(key):
                raise InvalidBookError(f"damaged: people play what is not legal in {position_of_key(key).fen}")
            child = self._children[key, step] = key_after(key, step)
        return child

    def best_line(self, position: Position, first: BookMove | None = None) -> list[Move]:
        """The book's moves from a position on, each the best one, to the end of the book."""
        line: list[Move] = []
        node, move = self.nodes.get(book_key(position)), first
        while node is not None and len(line) < LONGEST_PATH:
            if move is None:
                moves = self.ranked(node)
                if not moves:
                    break
                move = moves[0]
            line.append(move_at(position, move.step))
            position = position.play(line[-1])
            node, move = self.nodes.get(move.child), None
        return line

    def propagate(self) -> list[BookNode]:
        """Make every node's worth that of its best move, from the last positions on; returns the changed ones.

        After the first time only nodes are looked at that have been added, and those that lead to a change.
        """
        if self._parents is None:
            self._parents = {}
            for node in self.nodes.values():
                self._link(self._parents, node)
            self._behind = set(self.nodes)
        behind, changed = self._behind & self.nodes.keys(), []
        waiting = [(_rest(key), key) for key in behind]
        heapq.heapify(waiting)
        while waiting:
            _, key = heapq.heappop(waiting)
            node = self.nodes[key]
            worth = self.worth_of(node)
            behind.discard(key)
            if worth == node.worth:
                continue
            node.worth = worth
            changed.append(node)
            for parent in self._parents.get(key, ()):
                if parent not in behind:
                    behind.add(parent)
                    heapq.heappush(waiting, (_rest(parent), parent))
        self._behind = set()
        return changed

    def _link(self, parents: dict[BookKey, list[BookKey]], node: BookNode) -> None:
        """Enter a node as a parent of the positions after its moves."""
        kept = {move.step for move in node.moves}
        people_children = (self.child_of(node.key, step) for step in self.games.get(node.key, ()) if step not in kept)
        for child in (*(move.child for move in node.moves), *people_children):
            parents.setdefault(child, []).append(node.key)

    def from_last(self) -> list[BookNode]:
        """The nodes, each after those that its forward moves lead to."""
        return sorted(self.nodes.values(), key=lambda each: _rest(each.key))

    def wrong(self) -> Iterator[BookNode]:
        """Nodes whose worth is not that of their moves."""
        return (node for node in self.nodes.values() if node.worth != self.worth_of(node))

    def dropped(self) -> list[BookNode]:
        """Nodes whose moves have all lost so much that one that was left out may be better: these are to be searched
        again, for more moves."""
        return [node for node in self.nodes.values() if node.value is None and node.worth < node.score - node.within]

    def leaves(self, most: int, without: Iterable[BookKey] = ()) -> list[BookKey]:
        """The cheapest positions without a node, at most `most` of them; without: those that are being searched."""
        leaves: list[BookKey] = []
        passed = set(without)
        waiting: list[tuple[float, int, BookKey]] = [(0.0, 0, root) for root in self.roots]
        heapq.heapify(waiting)
        seen: set[BookKey] = set()
        while waiting and len(leaves) < most:
            cost, plies, key = heapq.heappop(waiting)
            if key in seen:
                continue
            seen.add(key)
            node = self.nodes.get(key)
            if node is None:
                if key not in passed:
                    leaves.append(key)
                continue
            if node.value is not None or abs(node.worth) >= LOST_SCORE or plies >= LONGEST_PATH:
                continue
            games = self.games.get(key, {})
            ply = 1 if abs(node.worth) < RISK_SCORE else PLY_AT_RISK
            for move in self.moves_of(node):
                loss = max(0, node.worth - self.move_worth(move))
                step = ply + loss / LOSS_OF_A_PLY
                if games.get(move.step, 0) >= PEOPLE_PLAY:
                    step /= 2
                heapq.heappush(waiting, (cost + step, plies + 1, move.child))
        return leaves


def is_forward(key: BookKey, step: BookStep) -> bool:
    """True if no move leads back from a step: a capture, or a man's."""
    origin, _, captured = step
    return captured != 0 or not key[2] >> origin & 1


def _rest(key: BookKey) -> tuple[int, int, int]:
    """What is left of a game: pieces, men, and rows before these, less by each forward move and never more."""
    own, other, kings = key
    mine, others = own & ~kings, other & ~kings
    rows = sum((mine & below).bit_count() + (others & ~below).bit_count() for below in _ROWS_BELOW)
    return (own | other).bit_count(), (mine | others).bit_count(), rows


_ROWS_BELOW = tuple((1 << 4 * row) - 1 for row in range(1, 8))
"""For each row but the first, the squares of those below it."""
