"""Games as JSON for pages: a flat list of nodes, in place of a tree too deep to nest.

A document has `headers`, `start` (FEN), `result` and `nodes`. The first node is the start. Each other one has `parent`
(the number of the node before it), `text`, `path`, `captured` and `fen` (the position after the move). All have
`comments` and `nags`, moves also `starting_comments`. Where a comment draws on the board, its node has `arrows`
({"colour": "G", "from": 11, "to": 15}) and `circles` ({"colour": "R", "square": 18}), and its text lacks the commands.
Nodes stand in the order in which games are written: a move, what follows it, then the variations on it, so that
the first child of a node is its main continuation. Moves of an illegal variation are text: their `fen` is null and
their `path` empty. Where another position is set up after a move, `setup` is true and `fen` is that position. Where
the game can be claimed drawn by a rule, `draw` names it ("repetition" or "no progress"); elsewhere it is left out.
"""

from __future__ import annotations

from typing import Any

from kr.game.board import NO_PROGRESS_PLIES, rule_of
from kr.notation import format_fen
from kr.pdn.commands import DrawnArrow, DrawnCircle, split_drawn
from kr.pdn.game import Game
from kr.pdn.tree import ChildNode, GameNode
from kr.viewer.positions import move_json


def game_document(game: Game) -> dict[str, Any]:
    """A game as JSON."""
    root = {"parent": None, "fen": game.start.fen, **_remarks(game), "nags": list(game.nags)}
    nodes: list[dict[str, Any]] = [root]
    numbers: dict[int, int] = {id(game): 0}
    draws = _draws(game)
    for node in game.descendants():
        numbers[id(node)] = len(nodes)
        legal = node.is_legal
        draw = draws.get(id(node))
        nodes.append(
            {
                "parent": numbers[id(node.parent)],
                **(move_json(node.move) if legal else {"text": node.text, "path": [], "captured": []}),
                "fen": format_fen(*node.bits) if legal else None,
                **({"setup": True} if node.setup is not None else {}),
                **_remarks(node),
                "nags": list(node.nags),
                **({"draw": draw} if draw else {}),
            }
        )
    return {"headers": dict(game.headers), "start": game.start.fen, "result": str(game.result), "nodes": nodes}


def _draws(game: Game) -> dict[int, str]:
    """The rules by which the game, or a variation, can be claimed drawn, by the id of the node."""
    rules: dict[int, str] = {}
    # plies before a node that kings made without a capture, and how often its position has been on the board
    quiet, occurrence = {id(game): 0}, {id(game): 1}
    for node in game.descendants():
        if not node.is_legal or node.parent is None:
            continue
        lasting = node.move.is_capture or not node.parent.bits[2] >> node.move.origin & 1
        lasting = lasting or node.setup is not None
        quiet[id(node)] = count = 0 if lasting else quiet[id(node.parent)] + 1
        before: GameNode | None = node
        for _ in range(min(count, NO_PROGRESS_PLIES)):
            before = before.parent if before is not None else None
            if before is not None and before.bits == node.bits:
                break
        else:
            before = None
        occurrence[id(node)] = 1 if before is None else occurrence[id(before)] + 1
        if draw := rule_of(occurrence[id(node)], count):
            rules[id(node)] = draw
    return rules


def _remarks(node: GameNode) -> dict[str, Any]:
    """Comments of a node as lists of texts, and their arrows and circles."""
    texts: dict[str, list[str]] = {"comments": node.comments}
    if isinstance(node, ChildNode):
        texts["starting_comments"] = node.starting_comments
    arrows: dict[DrawnArrow, None] = {}
    circles: dict[DrawnCircle, None] = {}
    remarks: dict[str, Any] = {}
    for name, comments in texts.items():
        remarks[name] = remaining = []
        for comment in comments:
            text, drawn, ringed = split_drawn(comment)
            arrows |= dict.fromkeys(drawn)
            circles |= dict.fromkeys(ringed)
            if text or not (drawn or ringed):
                remaining.append(text)
    if arrows:
        remarks["arrows"] = [{"colour": colour, "from": start + 1, "to": end + 1} for colour, start, end in arrows]
    if circles:
        remarks["circles"] = [{"colour": colour, "square": square + 1} for colour, square in circles]
    return remarks
