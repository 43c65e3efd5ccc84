"""Games as JSON for pages: a flat list of nodes, in place of a tree too deep to nest.

A document has `headers`, `start` (FEN), `result` and `nodes`. The first node is the start. Each other one has `parent`
(the number of the node before it), `text`, `path`, `captured` and `fen` (the position after the move). All have
`comments` and `nags`, moves also `starting_comments`. Where a comment draws on the board, its node has `arrows`
({"colour": "G", "from": 11, "to": 15}) and `circles` ({"colour": "R", "square": 18}), and its text lacks the commands.
Nodes stand in the order in which games are written: a move, what follows it, then the variations on it, so that
the first child of a node is its main continuation. Moves of an illegal variation are text: their `fen` is null and
their `path` empty. Where another position is set up after a move, `setup` is true and `fen` is that position. Where
the game can be claimed drawn by a rule, `draw` names it ("repetition" or "no progress"); elsewhere it is left out. It
is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kr.errors import IllegalMoveError, InvalidPdnError
from kr.game.board import NO_PROGRESS_PLIES, rule_of
from kr.game.position import Move, Position
from kr.notation import format_fen
from kr.pdn.commands import SHAPE_COLOURS, DrawnArrow, DrawnCircle, drawn_text, split_drawn
from kr.pdn.game import Game
from kr.pdn.replay import checked, moves_named
from kr.pdn.tree import ChildNode, GameNode
from kr.pdn.writer import NAG, TAG_NAME
from kr.text import whole_characters
from kr.viewer.positions import move_json

MOST_NODES = 20_000
"""Most nodes of a document that is read."""
MOST_CHARACTERS = 1_000_000
"""Most characters of all its headers, comments and judgements together."""

_FIELDS = ("headers", "start", "result", "nodes")
# a move by the grammar of PDN, so that a text is one move when it is written
_MOVE_TEXT = re.compile(r"[0-9]{1,3}(?: ?[-x:] ?[0-9]{1,3})+|[a-h][1-8](?:[-x:]?[a-h][1-8])+")
_LONGEST_MOVE = 100


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


def read_document(document: object) -> Game:
    """The game of a document, every move checked by the rules.

    Only `start` is needed. A move may have only its path (squares 1-32) or only its text. The position after it is
    ignored, unless it was set up. Raises InvalidPdnError, InvalidFenError and IllegalMoveError.
    """
    return _Reading(document).game


class _Reading:
    """A document being read; texts are counted as they are taken."""

    def __init__(self, document: object) -> None:
        if not isinstance(document, Mapping):
            raise InvalidPdnError("a game is a JSON object")
        if unknown := document.keys() - set(_FIELDS):
            raise InvalidPdnError(f"a game has no field {str(min(unknown))[:40]!r}; it has {', '.join(_FIELDS)}")
        self._left = MOST_CHARACTERS
        start = Position.from_fen(self._text(document.get("start"), "start"))
        self.game = Game(self._headers(document.get("headers")), start)
        self.game.result = self._text(document.get("result", "*"), "result")
        nodes = document.get("nodes", [])
        if not isinstance(nodes, list):
            raise InvalidPdnError("nodes is not a list")
        if len(nodes) > MOST_NODES:
            raise InvalidPdnError(f"a game of {len(nodes)} nodes; at most {MOST_NODES}")
        # legal moves of the main line are a game, illegal ones only stand in variations
        self._read: list[GameNode] = []
        self._aside: list[bool] = []
        for number, node in enumerate(nodes):
            if not isinstance(node, Mapping):
                raise InvalidPdnError(f"node {number} is not an object")
            self._add(number, node)

    def _headers(self, source: object) -> dict[str, str]:
        if source is None:
            return {}
        if not isinstance(source, Mapping):
            raise InvalidPdnError("headers is not an object")
        headers: dict[str, str] = {}
        for name, value in source.items():
            if not TAG_NAME.fullmatch(name):
                raise InvalidPdnError(f"a header can't be called {name[:40]!r}: letters, digits and _ only")
            headers[self._text(name, "a header's name")] = self._text(value, f"header {name[:40]}")
        return headers

    def _add(self, number: int, fields: Mapping[str, Any]) -> None:
        parent = fields.get("parent")
        if (number == 0) != (parent is None):
            raise InvalidPdnError(f"node {number}: only node 0, the start, is without a parent")
        if number == 0:
            node: GameNode = self.game
            self._aside.append(False)
        else:
            if type(parent) is not int or not 0 <= parent < number:
                raise InvalidPdnError(f"node {number}: its parent is not the number of a node before it")
            before = self._read[parent]
            self._aside.append(self._aside[parent] or bool(before.variations))
            move = self._move(number, before, fields)
            node = ChildNode(before, move, self._setup(number, before, move, fields))
            before.variations.append(node)
            node.starting_comments = self._texts(number, fields, "starting_comments")
        node.comments = self._texts(number, fields, "comments")
        if drawn := self._drawn(number, fields):
            node.comments.append(drawn)
        node.nags = self._texts(number, fields, "nags")
        for nag in node.nags:
            if not NAG.fullmatch(nag):
                raise InvalidPdnError(f"node {number}: {nag[:20]!r} is not a judgement of a move such as ! or $3")
        self._read.append(node)

    def _move(self, number: int, before: GameNode, fields: Mapping[str, Any]) -> Move | str:
        path = fields.get("path")
        if path is not None and path != [] and before.is_legal:
            squares = isinstance(path, list) and 2 <= len(path) <= 32
            if not squares or not all(type(each) is int and 1 <= each <= 32 for each in path):
                raise InvalidPdnError(f"node {number}: path is not a list of squares from 1 to 32")
            return self._by_path(number, before, tuple(square - 1 for square in path))
        text = self._text(fields.get("text"), f"node {number}: text")
        if len(text) > _LONGEST_MOVE or not _MOVE_TEXT.fullmatch(text):
            raise InvalidPdnError(f"node {number}: {text[:40]!r} is not a move: write it as 11-15 or 22x15")
        if not before.is_legal:
            return text
        try:
            moves_named(before.bits, text)
        except IllegalMoveError as error:
            if self._aside[number]:
                return text
            raise IllegalMoveError(f"node {number}: {error}") from None
        return checked(before.bits, text)

    def _setup(self, number: int, before: GameNode, move: Move | str, fields: Mapping[str, Any]) -> Position | None:
        if fields.get("setup", False) is False:
            return None
        if fields["setup"] is not True:
            raise InvalidPdnError(f"node {number}: setup is neither true nor false")
        position = Position.from_fen(self._text(fields.get("fen"), f"node {number}: fen"))
        if isinstance(move, str):
            raise InvalidPdnError(f"node {number}: no position can be set up after {move}, which is not legal")
        if position.side == before.bits[3]:
            raise InvalidPdnError(f"node {number}: {position.fen} can't be set up there: the other side is to move")
        return position

    def _by_path(self, number: int, before: GameNode, path: tuple[int, ...]) -> Move:
        for move in before.position.legal_moves():
            if move.path == path:
                return move
        steps = "-".join(str(square + 1) for square in path)
        legal = ", ".join(map(str, before.position.legal_moves())) or "none"
        raise IllegalMoveError(f"node {number}: {steps} is not legal; legal moves: {legal}")

    def _drawn(self, number: int, fields: Mapping[str, Any]) -> str:
        """The arrows and circles of a node as commands of a comment; "" if it has none."""
        arrows = [DrawnArrow(*shape) for shape in self._shapes(number, fields, "arrows", "from", "to")]
        circles = [DrawnCircle(*shape) for shape in self._shapes(number, fields, "circles", "square")]
        drawn = drawn_text(list(dict.fromkeys(arrows)), list(dict.fromkeys(circles)))
        self._left -= len(drawn)
        return drawn

    def _shapes(self, number: int, fields: Mapping[str, Any], name: str, *squares: str) -> Iterator[list[Any]]:
        for each in self._list(number, fields, name):
            shape = each if isinstance(each, Mapping) else {}
            ends = [shape.get(square) for square in squares]
            known = shape.get("colour") in tuple(SHAPE_COLOURS)
            if not known or not all(type(end) is int and 1 <= end <= 32 for end in ends):
                form = ", ".join(f'"{square}": 1 to 32' for square in squares)
                raise InvalidPdnError(f'node {number}: {name} are {{"colour": one of {SHAPE_COLOURS}, {form}}}')
            yield [shape["colour"], *(end - 1 for end in ends if type(end) is int)]

    def _list(self, number: int, fields: Mapping[str, Any], name: str) -> list[Any]:
        listed = fields.get(name, [])
        if not isinstance(listed, list):
            raise InvalidPdnError(f"node {number}: {name} is not a list")
        return listed

    def _texts(self, number: int, fields: Mapping[str, Any], name: str) -> list[str]:
        return [self._text(text, f"node {number}: one of {name}") for text in self._list(number, fields, name)]

    def _text(self, value: object, what: str) -> str:
        if not isinstance(value, str):
            raise InvalidPdnError(f"{what} is {'missing' if value is None else 'not text'}")
        self._left -= len(value) + 1
        if self._left < 0:
            raise InvalidPdnError(f"a game with more than {MOST_CHARACTERS:,} characters of text")
        return whole_characters(value)
