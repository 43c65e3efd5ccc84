"""A game in words, for pages: its facts, its moves and notes as text, and what kr says of it.

tests/cases/game_text.json holds what the page of `kr web` has in common with this when it sends a game.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kr.analysis.annotation.marking import MARK_KINDS, OWN, OWN_GAME
from kr.notation import SIDE_NAMES
from kr.pdn import SKIP, ChildNode, Game, Visitor
from kr.pdn.writer import SIGNS

if TYPE_CHECKING:
    from kr.game.position import Position

_TAGS = re.compile(r"\[%[^\[\]]*\]")
_MARK = re.compile(r"\[%kr [^\[\]]{0,80}\b(?:nag|mark)=([?!]{1,2})")
_SHOWN = {"Event", "Site", "Date", "Round", "Black", "White", "Result", "FEN", "SetUp", "Setup", "GameType"}
"""Tags that a page shows elsewhere than in its table, or in no words."""


@dataclass(frozen=True)
class MoveNote:
    """Note on a move."""

    label: str
    """The move with its number."""
    signs: str
    """All judgements of the move, by kr and others."""
    kind: str
    """Name of kr's mark; "" if there is none."""
    words: str
    comments: list[str]
    lines: list[str]
    """Variations as text."""


@dataclass(frozen=True)
class GameText:
    """All that is said of a game; texts of its PDN are not escaped."""

    title: str
    facts: list[str]
    """Place and time, as far as its tags have them."""
    judgement: str
    """kr's words about the whole game; "" if it has not judged it."""
    moves: str
    about: list[str]
    """Comments of others on the game."""
    notes: list[MoveNote]
    """On the moves that are marked, commented or have variations."""
    headers: list[tuple[str, str]]
    """Tags that stand nowhere else on a page."""


def game_text(game: Game) -> GameText:
    """A game in words."""
    return GameText(
        game_title(game.headers),
        _facts(game.headers),
        _judgement(game),
        game.accept(_LineText(int(game.start.side), variations=False)),
        [text for text in map(_comment_text, game.comments) if text],
        _notes(game),
        [(name, value) for name, value in game.headers.items() if name not in _SHOWN and value.strip("?. ")],
    )


def _judgement(game: Game) -> str:
    """kr's words about a whole game, its story and the report; "" if it has not judged it."""
    own = next((comment for comment in game.comments if OWN_GAME in comment), "")
    return " ".join(_TAGS.sub("", own).split())


def game_title(headers: Mapping[str, str]) -> str:
    """The players."""
    return " v ".join(headers.get(name, "").strip() or "?" for name in SIDE_NAMES)


def _facts(headers: Mapping[str, str]) -> list[str]:
    """Place and time of a game, as far as its tags have them."""
    facts = [headers.get(name, "").strip() for name in ("Event", "Site")]
    facts.append(known_day(headers.get("Date", "")))
    number = headers.get("Round", "").strip("?. ")
    facts.append(f"round {number}" if number.isdecimal() else number)
    return [fact for fact in facts if fact.strip("?. -")]


def known_day(date: str) -> str:
    """Known part of a date: 1886 for 1886.??.??."""
    return re.sub(r"[-./]\?+", "", date).strip("?. ")


def _comment_text(comment: str) -> str:
    """Text of a comment without its commands; "" for one of kr's own."""
    return "" if OWN in comment else " ".join(_TAGS.sub("", comment).split())


def _notes(game: Game) -> list[MoveNote]:
    """Notes on the moves that are marked, commented or have variations."""
    notes = []
    for count, node in enumerate(game.mainline(), int(game.start.side)):
        assert node.parent is not None
        own = [comment for comment in node.comments if OWN in comment]
        mark = next(filter(None, map(_MARK.search, own)), None)
        note = MoveNote(
            str(node),
            "".join(_sign(nag) for nag in node.nags),
            MARK_KINDS.get(mark[1], "") if mark else "",
            " ".join(" ".join(_TAGS.sub("", comment).split()) for comment in own),
            [text for text in map(_comment_text, [*node.starting_comments, *node.comments]) if text],
            [_line_text(child, count) for child in node.parent.variations[1:]],
        )
        if note.words or note.comments or note.lines:
            notes.append(note)
    return notes


def _sign(nag: str) -> str:
    return SIGNS.get(nag, f" {nag}" if nag.startswith("$") else nag)


class _LineText(Visitor[str]):
    """A variation as one line of text, without commands in comments."""

    def __init__(self, ply: int, variations: bool = True) -> None:
        """ply: number of moves before the first; one more if White begins. variations: False for moves alone."""
        self._words: list[str] = []
        self._opening = ""
        self._ply = ply
        self._variations = variations
        self._plies: list[int] = []
        # True if the next move needs a number, whoever plays it
        self._numbered = True

    def begin_headers(self) -> bool:
        return SKIP

    def begin_variation(self) -> bool | None:
        if not self._variations:
            return SKIP
        self._plies.append(self._ply)
        self._ply -= 1
        self._opening += "("
        self._numbered = True
        return None

    def end_variation(self) -> None:
        self._words[-1] += ")"
        self._ply = self._plies.pop()
        self._numbered = True

    def visit_move(self, node: ChildNode) -> None:
        if self._ply % 2 == 0 or self._numbered:
            self._add(f"{self._ply // 2 + 1}{'...' if self._ply % 2 else '.'}")
        self._add(node.text)
        self._ply += 1
        self._numbered = False

    def visit_nag(self, nag: str) -> None:
        # as in the viewer, a judgement of the start, which no move led to, is left out
        if self._words:
            self._words[-1] += _sign(nag)

    def visit_setup(self, position: Position) -> None:
        self._add(f"[set up: {position.fen}]")
        self._numbered = True

    def visit_comment(self, comment: str) -> None:
        text = " ".join(_TAGS.sub("", comment).split()) if self._variations else ""
        if text:
            self._add(f"[{text}]")

    def finish(self) -> str:
        return " ".join(self._words)

    def _add(self, word: str) -> None:
        self._words.append(self._opening + word)
        self._opening = ""


def _line_text(head: ChildNode, ply: int) -> str:
    visitor = _LineText(ply)
    for comment in head.starting_comments:
        visitor.visit_comment(comment)
    visitor.visit_move(head)
    return head.accept(visitor)
