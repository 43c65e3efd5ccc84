"""The tree above the leaves of a proof: which leaf is searched next, and what has been proved so far.

Proof numbers (Allis, van der Meulen and van den Herik 1994) say how much is left to prove or to disprove below a node.
A leaf's come from the score of its search. From the root, the claim's side chooses the child that is nearest to a
proof, its opponent the reply that is nearest to a disproof; the leaf where this ends is the next one.

Positions that arise in several ways have one node, so that lines may come back to a node. Numbers are brought up to
date along the line that was taken only. What is proved rests on what was proved before: so a win never rests on itself.
A side that is content with a draw may come back: its claim holds where no line from the root ends in an open leaf.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kr.engine.result import SCORE_PROVED
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.proofs.leaves import LeafAnswer, settled

if TYPE_CHECKING:
    from kr.egdb.database import Database
    from kr.proofs.certificate import Claim, Strategy

HALVING = 50
"""Centi-men by which a score halves the proof number."""
DRAW_SHIFT = 80
"""Centi-men that a side that is content with a draw is better by."""
SMALLEST_NUMBER = 0.02
LARGEST_NUMBER = 1e6
OTHER_MOVES = 4.0
"""Factor of the proof number of a move that the search did not choose."""
SAID_TRUE = 0.01
"""Proof number of a leaf whose search says that the claim is true, though it gave no whole strategy."""
LOOPED = 1e4
"""Proof number of a win that leads back to a position of its own line."""
INFINITE = float("inf")
BUSY = 8.0
"""Factor of the numbers of a leaf that is being searched, so that others are searched beside it."""
MOST_DESCENTS = 200
"""Descents in search of a leaf, each after numbers or nodes have changed."""
LEAF_LEVELS = 2
"""Searches of a leaf, each with more nodes, before its moves are looked at."""


@dataclass(slots=True, eq=False)
class ProofNode:
    """A position of the tree."""

    position: Position
    choosing: bool
    """True if the claim's side is to move."""
    proof: float
    """What is left to prove: 0 once proved, infinite once it can't be."""
    disproof: float
    moves: list[Move] = field(default_factory=list)
    children: list[ProofNode] | None = None
    parents: list[ProofNode] = field(default_factory=list)
    level: int = 0
    """Searches of this leaf so far."""
    best: tuple[int, int, int] | None = None
    """Move of the last search."""
    busy: bool = False

    @property
    def proved(self) -> bool:
        """True if the claim holds here."""
        return self.proof == 0


def numbers(claim: Claim, score: int) -> tuple[float, float]:
    """Proof and disproof number of an open leaf with this score for the claim's side."""
    if score > SCORE_PROVED:
        return SAID_TRUE, LARGEST_NUMBER
    if score < -SCORE_PROVED:
        return LARGEST_NUMBER, SMALLEST_NUMBER
    if claim.goal is Value.DRAW:
        score += DRAW_SHIFT
    bounded = max(-1000, min(1000, score))
    proof = min(LARGEST_NUMBER, max(SMALLEST_NUMBER, 2.0 ** (-bounded / HALVING)))
    return proof, min(LARGEST_NUMBER, max(SMALLEST_NUMBER, 1 / proof))


class ProofTree:
    """What is known about a claim."""

    def __init__(self, claim: Claim, database: Database | None) -> None:
        self.claim = claim
        self.database = database
        self.nodes: dict[tuple[int, int, int, int], ProofNode] = {}
        self.strategy: Strategy = {}
        """Moves of everything proved so far. It is closed: each move leads to positions with a move, or to the end."""
        self.root = self._node(claim.root, 1.0, 1.0)

    @property
    def holds(self) -> bool | None:
        """True if the claim is proved, False if it is disproved; None while it is open."""
        return True if self.root.proof == 0 else False if self.root.disproof == 0 else None

    def _node(self, position: Position, proof: float, disproof: float) -> ProofNode:
        """The node of a position, new ones with these numbers."""
        key = position.bits
        node = self.nodes.get(key)
        if node is None:
            verdict = settled(self.claim, position, self.database)
            choosing = position.side == self.claim.side
            if verdict is None and choosing and key[:3] in self.strategy:
                verdict = True
            if verdict is not None:
                proof, disproof = (0.0, INFINITE) if verdict else (INFINITE, 0.0)
            node = self.nodes[key] = ProofNode(position, choosing, proof, disproof)
        return node

    # The next leaf

    def next_leaf(self) -> list[ProofNode] | None:
        """The line to the leaf that is searched next, from the root; None if there is none now.

        Nodes on the way are expanded as needed; the leaf is busy until it has its answer.
        """
        find = self._find_leaf if self.claim.goal is Value.WIN else self._find_open
        for _ in range(MOST_DESCENTS):
            if self.holds is not None:
                return None
            line, again = find()
            if line is not None:
                leaf = line[-1]
                leaf.busy = True
                leaf.proof *= BUSY
                leaf.disproof *= BUSY
                self._update(line)
                return line
            if not again:
                return None
        return None

    def _find_leaf(self) -> tuple[list[ProofNode] | None, bool]:
        """For a win: the line to the next leaf, or None and whether another descent may find one."""
        line = [self.root]
        on_line = {id(self.root)}
        while True:
            node = line[-1]
            if self._is_leaf(node):
                return (None, False) if node.busy else (line, True)
            if node.children is None:
                self._expand(node)
                if node.proof == 0 or node.disproof == 0:
                    self._update(line)
                    return None, True
            child = self._most_telling(node, on_line)
            if child is None:
                before = self.root.proof
                self._update(line)
                return None, self.root.proof != before
            line.append(child)
            on_line.add(id(child))

    def _find_open(self) -> tuple[list[ProofNode] | None, bool]:
        """For a draw: the line to the first open leaf behind the best moves. Without one, the claim holds."""
        line: list[ProofNode] = []
        # children of each node of the line that are still to be looked at, the last one first
        branches: list[list[ProofNode]] = [[self.root]]
        seen: dict[int, ProofNode] = {}
        busy = False
        while branches:
            if not branches[-1]:
                branches.pop()
                if line:
                    line.pop()
                continue
            node = branches[-1].pop()
            if node.proof == 0 or id(node) in seen:
                continue
            seen[id(node)] = node
            line.append(node)
            if self._is_leaf(node):
                if not node.busy:
                    return line, True
                busy = True
                line.pop()
                continue
            if node.children is None:
                self._expand(node)
                if node.proof == 0 or node.disproof == 0:
                    self._update(line)
                    return None, True
            alive = [child for child in node.children or () if child.disproof != 0]
            if node.choosing:
                branches.append([min(alive, key=lambda child: child.proof)])
            else:
                branches.append(sorted(alive, key=lambda child: -child.disproof))
        if not busy:
            self._prove_closed(list(seen.values()))
        return None, False

    def _prove_closed(self, nodes: list[ProofNode]) -> None:
        """All lines from the root stay among these nodes, or end in proved ones: a draw at least."""
        for node in nodes:
            if node.choosing and node.children:
                child = min((each for each in node.children if each.disproof != 0), key=lambda each: each.proof)
                move = node.moves[node.children.index(child)]
                self.strategy.setdefault(node.position.bits[:3], (move.origin, move.target, move.captured))
        for node in nodes:
            node.proof, node.disproof = 0.0, INFINITE

    def _is_leaf(self, node: ProofNode) -> bool:
        return node.children is None and node.choosing and (node.level < LEAF_LEVELS or node.busy)

    def _most_telling(self, node: ProofNode, on_line: set[int]) -> ProofNode | None:
        """Child to go on with; None if none is open that is not on the line already."""
        best, least = None, INFINITE
        for child in node.children or ():
            if child.proof == 0 or child.disproof == 0 or id(child) in on_line:
                continue
            number = child.proof if node.choosing else child.disproof
            if number < least:
                best, least = child, number
        return best

    def _expand(self, node: ProofNode) -> None:
        """Give a node its children."""
        node.moves = node.position.legal_moves()
        node.children = []
        kept = []
        for move in node.moves:
            proof, disproof = node.proof, node.disproof
            if node.choosing and (move.origin, move.target, move.captured) != node.best:
                proof, disproof = min(LARGEST_NUMBER, proof * OTHER_MOVES), max(SMALLEST_NUMBER, disproof / OTHER_MOVES)
            child = self._node(node.position.play(move), proof, disproof)
            if child in node.children:
                continue
            node.children.append(child)
            child.parents.append(node)
            kept.append(move)
        node.moves = kept
        self._settle(node)

    # Answers

    def enter(self, line: list[ProofNode], answer: LeafAnswer) -> None:
        """Take the answer to the leaf at the end of a line."""
        leaf = line[-1]
        leaf.busy = False
        leaf.level += 1
        if answer.move is not None:
            leaf.best = answer.move
        if leaf.proof != 0 and leaf.disproof != 0:
            leaf.proof, leaf.disproof = numbers(self.claim, answer.score)
        self.learn(answer.strategy)
        self._update(line)

    def learn(self, strategy: Strategy) -> None:
        """Take moves that are proved, closed among themselves and those known already."""
        for board, move in strategy.items():
            if board not in self.strategy:
                self.strategy[board] = move
                node = self.nodes.get((*board, int(self.claim.side)))
                if node is not None and node.proof != 0:
                    self._prove(node)

    def _update(self, line: list[ProofNode]) -> None:
        """Bring the numbers along a line up to date, from its end."""
        on_line = {id(node) for node in line}
        for node in reversed(line):
            on_line.discard(id(node))
            if node.children is not None and node.proof != 0 and node.disproof != 0:
                self._count(node, on_line)

    def _count(self, node: ProofNode, on_line: set[int]) -> None:
        """Numbers of an open node from those of its children; on_line: its ancestors on the line that was taken."""
        assert node.children is not None
        proofs, disproofs = [], []
        for child in node.children:
            if id(child) in on_line and child.proof != 0 and child.disproof != 0:
                # back where the line came from: no win by itself, but enough for a draw
                looped = self.claim.goal is Value.WIN
                proofs.append(LOOPED if looped else SMALLEST_NUMBER)
                disproofs.append(SMALLEST_NUMBER if looped else LOOPED)
            else:
                proofs.append(child.proof)
                disproofs.append(child.disproof)
        open_proofs = [number for number in proofs if number != INFINITE] or [LARGEST_NUMBER]
        if node.choosing:
            node.proof = max(min(open_proofs), 1e-9)
            node.disproof = max(min(sum(number for number in disproofs if number != INFINITE), LARGEST_NUMBER), 1e-9)
        else:
            node.proof = max(min(sum(open_proofs), LARGEST_NUMBER), 1e-9)
            node.disproof = max(min(number for number in disproofs if number != 0), 1e-9)

    # What is settled

    def _settle(self, node: ProofNode) -> None:
        """Settle a node if its children do, and then its parents."""
        waiting = [node]
        while waiting:
            node = waiting.pop()
            if node.children is None or node.proof == 0 or node.disproof == 0:
                continue
            proved = [child.proof == 0 for child in node.children]
            refuted = [child.disproof == 0 for child in node.children]
            if any(proved) if node.choosing else all(proved):
                if node.choosing:
                    move = node.moves[proved.index(True)]
                    self.strategy.setdefault(node.position.bits[:3], (move.origin, move.target, move.captured))
                node.proof, node.disproof = 0.0, INFINITE
            elif all(refuted) if node.choosing else any(refuted):
                node.proof, node.disproof = INFINITE, 0.0
            else:
                continue
            waiting += node.parents

    def _prove(self, leaf: ProofNode) -> None:
        leaf.proof, leaf.disproof = 0.0, INFINITE
        for parent in leaf.parents:
            self._settle(parent)

    def resisting_line(self) -> list[Move]:
        """Moves of the line that the claim has most trouble with, as far as the tree goes."""
        moves: list[Move] = []
        node, on_line = self.root, {id(self.root)}
        while node.children is not None and (child := self._most_telling(node, on_line)) is not None:
            moves.append(node.moves[node.children.index(child)])
            node = child
            on_line.add(id(node))
        return moves
