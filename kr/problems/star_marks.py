"""Moves printed with a star: in games, and among the words of comments.

A star counts where there is one way to read it: it touches a move of the game or a variation (``18-15*``, also beside
other judgements, ``18-15*!``, or before it, ``*18-15``); a comment is nothing but a star; or among the words of a
comment it touches a move, in one of these ways, that is legal there. There means, for a move right behind another one
of the comment, with at most a comma between them: after that one, if it is legal. For others it means after the move
before them in the comment, after the move that the comment stands at, or in its place; a move that is legal in two of
these places has two meanings, and one that is legal in none has none: such stars are only counted. A star between
blanks is the result of an unfinished game to PDN; in a comment it may be anything, such as a footnote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kr.errors import IllegalMoveError
from kr.game.position import Move, Position
from kr.pdn import ChildNode, Game, GameNode

STAR = "*"
_WORD_MOVE = re.compile(
    # "[%clk ...]" and the like are for programs
    r"\[%[^\[\]]*\]|(?<![\w*/.-])(?:\d{1,3}\s*\.(?:\s*\.\.)?\s*)?(?P<star>\*?)"
    r"(?P<move>\d{1,2}(?:[-xX:\u00d7\u2010-\u2014\u2212]\d{1,2})+)(?P<marks>[!?*]*)(?![\w*/-])"
)
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-") | dict.fromkeys("X:\u00d7", "x"))


@dataclass(frozen=True)
class StarMark:
    """A move with a star; without a move one that can't be read."""

    ply: int
    """Moves to it from the start of the game, itself among them."""
    number: str
    """Its number as it is printed: "2." or "2..."."""
    position: Position
    """Before the move."""
    move: Move | None
    variation: bool
    """True if it is not of the main line."""
    comment: bool = False
    """True if it stands among the words of a comment."""


def star_marks(game: Game) -> Iterator[StarMark]:
    """The stars of a game, each move of a position once."""
    seen: set[tuple[Position, int, int, int]] = set()
    nodes: list[GameNode] = [game, *(node for node in game.descendants() if node.is_legal)]
    for node in nodes:
        for mark in [*_own_mark(game, node), *_marks_in_words(game, node)]:
            if mark.move is not None:
                key = (mark.position, mark.move.origin, mark.move.target, mark.move.captured)
                if key in seen:
                    continue
                seen.add(key)
            yield mark


def _own_mark(game: Game, node: GameNode) -> Iterator[StarMark]:
    """The star of a move, or of its comment."""
    if isinstance(node, ChildNode) and node.parent and (STAR in node.nags or STAR in map(str.strip, node.comments)):
        number, before = _move_number(game, node.ply()), node.parent.position
        yield StarMark(node.ply(), number, before, node.move, not node.is_mainline())


def _move_number(game: Game, ply: int) -> str:
    count = ply - 1 + int(game.start.side)
    return f"{count // 2 + 1}.{'..' * (count % 2)}"


def _marks_in_words(game: Game, node: GameNode) -> Iterator[StarMark]:
    """The stars among the words of a move's comments, or of the game's."""
    after = (node.position, node.ply() + 1)
    before = after if node.parent is None else (node.parent.position, node.ply())
    starting_comments = node.starting_comments if isinstance(node, ChildNode) else []
    for starting, texts in ((True, starting_comments), (False, node.comments)):
        for text in texts:
            if STAR not in text or text.strip() == STAR:
                continue
            # of a comment before the move, that place is all there is
            places = [before] if starting else [after, before]
            line: tuple[Position, int] | None = None
            end = 0
            for word in _WORD_MOVE.finditer(text):
                if word["move"] is None:
                    continue
                readings: list[_Reading] = []
                if line is not None:
                    behind = not text[end : word.start()].strip(" \t\n,")
                    readings = _readings(word["move"], [line] if behind else [line, *places])
                readings = readings or _readings(word["move"], places)
                end = word.end()
                if word["star"] or STAR in word["marks"]:
                    (position, ply), move = readings[0] if len(readings) == 1 else (before, None)
                    yield StarMark(ply, _move_number(game, ply), position, move, True, comment=True)
                line = None
                if len(readings) == 1:
                    (position, ply), move = readings[0]
                    line = position.play(move), ply + 1


_Reading = tuple[tuple[Position, int], Move]
"""A position with the number of the move there, and the move."""


def _readings(text: str, places: list[tuple[Position, int]]) -> list[_Reading]:
    """The places in which a move's text is legal, each position once, with the move."""
    readings: dict[Position, _Reading] = {}
    for place in places:
        try:
            move = place[0].parse_move(text.translate(_DASHES))
        except IllegalMoveError:
            continue
        readings.setdefault(place[0], (place, move))
    return list(readings.values())
