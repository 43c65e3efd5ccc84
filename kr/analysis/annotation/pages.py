"""Annotated games as pages of HTML, each a single file that needs no other file, no network and no server.

A page of a game holds the scripts of kr/viewer, the same that `kr web` serves, and the game as JSON. Without scripts
its moves, notes and table are text beside the start position. All text from PDN is escaped. In addition, a policy in
the page lets the browser run no other script and load nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr import svg
from kr.analysis.annotation.accuracy import EXPLANATION
from kr.analysis.annotation.annotation import TABLE, Annotation, MoveTally, accuracy_text
from kr.analysis.annotation.judging import JudgeSettings
from kr.analysis.annotation.marking import ANNOTATOR, MARK_KINDS, OWN, OWN_GAME
from kr.notation import SIDE_NAMES
from kr.pdn import SKIP, ChildNode, Game, Visitor
from kr.pdn.writer import SIGNS
from kr.storage import atomic_path, check_directory, write_atomic
from kr.viewer.assets import piece_symbols
from kr.viewer.bundle import data
from kr.viewer.document import game_document
from kr.viewer.templates import PageSources, page_sources, template_environment, template_text

if TYPE_CHECKING:
    import jinja2

    from kr.analysis.annotation.annotation import AnnotateReport
    from kr.game.position import Position

INDEX = "index.html"
_PACKAGE = "kr.analysis.annotation"
_STYLES = ("viewer.css", "graph.css", "screen.css")
LONGEST_NAME = 60

_PLACE = re.compile(r"\{(\w+)\}")
_TAGS = re.compile(r"\[%[^\[\]]*\]")
_OTHER = re.compile(r"[^a-z0-9]+")
_SENTENCE = re.compile(r"\[%kr story ([^\[\]]*)\]")
_VALUE = re.compile(r"<(\w+)=[^<>]*>")
_MARK = re.compile(r"\[%kr [^\[\]]{0,80}\b(?:nag|mark)=([?!]{1,2})")


class Pages:
    """Pages of one directory. Raises InvalidSettingError if it cannot be one."""

    def __init__(self, directory: Path) -> None:
        check_directory(directory)
        # report missing libraries before anything is written
        _environment()
        self._directory = directory

    def write(self, name: str, content: str) -> None:
        """Write the page of a game. Raises OSError."""
        write_atomic(self._directory / name, content.encode(errors="replace"))

    def write_index(self, report: AnnotateReport, records: Iterable[Mapping[str, Any]]) -> None:
        """Write the index: all games and the players' summary. Games are read one by one. Raises OSError."""
        rows = (
            {
                **record,
                "title": _title(record["headers"]),
                "tallies": [MoveTally.of_object(record[side]) for side in ("black", "white")],
            }
            for record in records
        )
        stream = (
            _environment()
            .get_template("index.html")
            .stream(
                sources=_sources("sorting.js"),
                report=report,
                settings=report.settings,
                players=report.ranked(),
                records=rows,
            )
        )
        stream.enable_buffering(100)
        with (
            atomic_path(self._directory / INDEX) as path,
            path.open("w", encoding="utf-8", errors="replace", newline="\n") as file,
        ):
            file.writelines(stream)


@cache
def _environment() -> jinja2.Environment:
    """The templates."""
    environment = template_environment(_PACKAGE)
    environment.filters["day"] = _day
    environment.filters["accuracy"] = accuracy_text
    environment.globals["accuracy_explained"] = EXPLANATION
    return environment


@cache
def _sources(entry: str) -> PageSources:
    """Sources of the page of a game ("viewer.js") or of the index ("sorting.js")."""
    return page_sources(entry, _STYLES, template_text(_PACKAGE, "page.css"))


@dataclass(frozen=True)
class Looks:
    """Looks of a viewer: names of the choices that a person has on a page of `kr web`."""

    language: str = "en"
    texts: Mapping[str, str] = field(default_factory=dict)
    """Texts in that language by the English ones."""
    board: str = "green"
    pieces: str = "flat"
    coordinates: str = "numbers"
    flipped: bool = False

    def text(self, english: str, **values: object) -> str:
        """A text in the language, with values in place of {names}. What the language lacks is English."""
        return _PLACE.sub(lambda place: str(values.get(place[1], place[0])), self.texts.get(english, english))


def page(number: int, game: Game, annotation: Annotation, signature: str) -> str:
    """Page of a game that was annotated just now, with a link to the page of all."""
    return _page(game, annotation.table(game.headers), annotation.settings, signature, Looks(), home=INDEX)


def game_page(game: Game, looks: Looks | None = None) -> str:
    """Page of a game, annotated or not: its marks and its story are those in its comments."""
    settings = JudgeSettings() if _judgement(game) else None
    return _page(game, [], settings, game.headers.get(ANNOTATOR, ""), looks or Looks())


def _used_texts(texts: Mapping[str, str], game: Game) -> dict[str, str]:
    """Those of a language's texts that stand in the scripts of the viewer or in the story of a game."""
    code = str(_sources("viewer.js").script)
    story = " ".join(game.comments)
    sentences = {_VALUE.sub(r"{\1}", sentence) for sentence in _SENTENCE.findall(story)}
    # of "piece|pieces" the scripts have the first word
    return {each: text for each, text in texts.items() if each in sentences or each.partition("|")[0] in code}


def _page(
    game: Game,
    table: Sequence[Sequence[str]],
    settings: JudgeSettings | None,
    signature: str,
    looks: Looks,
    home: str = "",
) -> str:
    from markupsafe import Markup

    return (
        _environment()
        .get_template("game.html")
        .render(
            sources=_sources("viewer.js"),
            home=home,
            looks=looks,
            title=_title(game.headers),
            facts=_facts(game.headers, looks),
            settings=settings,
            game=game,
            headers=[
                (name, value) for name, value in game.headers.items() if name not in _SHOWN and value.strip("?. ")
            ],
            about=[text for text in map(_comment_text, game.comments) if text],
            judgement=_judgement(game),
            table=TABLE,
            sides=list(zip(SIDE_NAMES, table, strict=True)) if table else [],
            notes=_notes(game),
            moves=game.accept(_LineText(int(game.start.side), variations=False)),
            board=Markup(svg.board(game.start)),
            pieces=Markup(piece_symbols()),
            data=Markup(
                data(
                    {
                        "document": game_document(game),
                        "looks": asdict(replace(looks, texts=_used_texts(looks.texts, game))),
                    }
                )
            ),
            signature=signature,
        )
    )


def _judgement(game: Game) -> str:
    """kr's words about a whole game, its story and the report; "" if it has not judged it."""
    own = next((comment for comment in game.comments if OWN_GAME in comment), "")
    return " ".join(_TAGS.sub("", own).split())


def page_name(number: int, headers: Mapping[str, str]) -> str:
    """File name of a game: its number, and the players' names reduced to harmless characters."""
    names = " v ".join(headers.get(name, "") for name in SIDE_NAMES)
    plain = unicodedata.normalize("NFKD", names[:500]).encode("ascii", "ignore").decode().lower()
    words = _OTHER.sub("-", plain).strip("-")[:LONGEST_NAME].strip("-")
    return f"{number:05d}-{words}.html" if words not in ("", "v") else f"{number:05d}.html"


_SHOWN = {"Event", "Site", "Date", "Round", "Black", "White", "Result", "FEN", "SetUp", "Setup", "GameType"}


def _title(headers: Mapping[str, str]) -> str:
    return " v ".join(headers.get(name, "").strip() or "?" for name in SIDE_NAMES)


def _facts(headers: Mapping[str, str], looks: Looks) -> list[str]:
    """Place and time of a game, as far as its tags have them."""
    facts = [headers.get(name, "").strip() for name in ("Event", "Site")]
    facts.append(_day(headers.get("Date", "")))
    number = headers.get("Round", "").strip("?. ")
    facts.append(looks.text("round {number}", number=number) if number.isdecimal() else number)
    return [fact for fact in facts if fact.strip("?. -")]


def _day(date: str) -> str:
    """Known part of a date: 1886 for 1886.??.??."""
    return re.sub(r"[-./]\?+", "", date).strip("?. ")


def _comment_text(comment: str) -> str:
    """Text of a comment without its commands; "" for one of kr's own."""
    return "" if OWN in comment else " ".join(_TAGS.sub("", comment).split())


@dataclass(frozen=True)
class _Note:
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


def _notes(game: Game) -> list[_Note]:
    """Notes on the moves that are marked, commented or have variations."""
    notes = []
    for count, node in enumerate(game.mainline(), int(game.start.side)):
        assert node.parent is not None
        own = [comment for comment in node.comments if OWN in comment]
        mark = next(filter(None, map(_MARK.search, own)), None)
        note = _Note(
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
