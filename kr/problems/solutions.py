"""All solutions of a problem as a tree: every key, and after each reply the only ways."""

from __future__ import annotations

from typing import Any

from kr.game.position import Position, Side
from kr.game.value import Value
from kr.problems.plain import is_plain
from kr.problems.ways import ways_at
from kr.proofs.decider import Decider, after_moves

TREE_POSITIONS = 2_000
"""Most positions of the solver in the tree."""
TREE_PLIES = 60
"""Depth of the tree."""
BRANCH_BYTES = 600
"""Memory of a way or a reply of the tree, about."""

Branch = dict[str, Any]
"""A way as JSON types: `move`, `by`, and in `replies` for each `reply` the solver's `ways` after it, in the same form.
A branch ends where more than one way is left, the result is plain, or the position has come before (`end`: "ways",
"plain", "over", "seen", "open", "limit")."""


def all_ways(decider: Decider, position: Position, solver: Side, goal: Value) -> list[Branch]:
    """The tree of all solutions: a branch for each key, or one with the replies alone where the solver is not to move.

    goal: WIN, or DRAW for "does not lose". What the limits of the decider leave open ends its branch, as does a tree of
    TREE_POSITIONS.
    """
    tree = _Tree(decider, solver, goal)
    if position.side == solver:
        return tree.branches(position, 0)[0]
    return [tree.replies(position, 0)]


class _Tree:
    """The tree under way."""

    def __init__(self, decider: Decider, solver: Side, goal: Value) -> None:
        self.decider, self.solver, self.goal = decider, solver, goal
        self.room = TREE_POSITIONS
        self.seen: set[Position] = set()

    def branches(self, position: Position, ply: int) -> tuple[list[Branch], str]:
        """The ways at a position of the solver, and why the branch ends here if it does."""
        if ply and is_plain(position, self.solver, self.goal):
            return [], "plain"
        if position in self.seen:
            return [], "seen"
        if ply >= TREE_PLIES or self.room <= 0 or self.decider.full:
            return [], "limit"
        self.seen.add(position)
        self.room -= 1
        ways = ways_at(self.decider, position, self.goal)
        self.decider.hold(BRANCH_BYTES * sum(bool(way.keeps) for _, way in ways))
        if any(way.keeps is None for _, way in ways):
            return [{"move": way.move, "by": way.by} for _, way in ways if way.keeps], "open"
        good = [(after, way) for after, way in ways if way.keeps]
        if ply and len(good) > 1:
            return [{"move": way.move, "by": way.by} for _, way in good], "ways"
        return [{"move": way.move, "by": way.by} | self.replies(after, ply + 1) for after, way in good], ""

    def replies(self, position: Position, ply: int) -> Branch:
        """The opponent's replies, each with the ways after it."""
        if position.is_over:
            return {"end": "over"}
        replies = []
        for move, after in after_moves(position):
            ways, end = self.branches(after, ply + 1)
            self.decider.hold(BRANCH_BYTES)
            replies.append({"reply": str(move), **({"end": end} if end else {}), **({"ways": ways} if ways else {})})
        return {"replies": replies}


_ENDS = {"plain": "plain", "over": "the end", "seen": "as in another line", "limit": "left here"}


def tree_text(tree: list[Branch]) -> str:
    """Every solution, a line for each way, indented by its depth."""
    lines: list[str] = []
    waiting: list[tuple[int, str, Branch]] = [(0, "", branch) for branch in reversed(tree)]
    while waiting:
        depth, reply, way = waiting.pop()
        move = f"{reply} {way['move']}".strip() if "move" in way else reply
        if move:
            lines.append("  " * depth + move + (" (the end)" if way.get("end") == "over" else ""))
        for each in reversed(way.get("replies", ())):
            ways = each.get("ways", [])
            if each.get("end"):
                moves = [*(one["move"] for one in ways), *(["others open"] if each["end"] == "open" else [])]
                words = _ENDS.get(each["end"]) or ", ".join(moves)
                waiting.append((depth + 1, f"{each['reply']}: {words}", {}))
            else:
                waiting += [(depth + 1, each["reply"], one) for one in reversed(ways)]
    return "\n".join(lines)
