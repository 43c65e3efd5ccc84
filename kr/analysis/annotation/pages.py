"""Annotated games as pages of HTML, each a single file that needs no other file, no network and no server.

A page holds every position as SVG over one empty board. The address (`#p12`) selects the one shown, so that the page
works without its script, which only adds keys. All text from PDN is escaped. In addition, a policy in the page lets the
browser run no other script and load nothing.
"""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr import svg
from kr.analysis.annotation.judging import MARKS, JudgedMove
from kr.analysis.annotation.marking import MARK_KINDS, OWN, expected_at_start, explained, pov, scored, unjudged
from kr.game.position import Side
from kr.notation import SIDE_NAMES
from kr.pdn import ChildNode, Game, Visitor
from kr.pdn.writer import SIGNS
from kr.storage import atomic_path, check_directory, write_atomic

if TYPE_CHECKING:
    import jinja2

    from kr.analysis.annotation.annotation import AnnotateReport, Annotation

INDEX = "index.html"
BETTER = "#0072b2"
"""Colour of the arrow of a better move."""
SHAPES = {
    "inaccuracy": "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0z",
    "mistake": "M0,-6L6,5L-6,5z",
    "blunder": "M0,-7L7,0L0,7L-7,0z",
    "only": "M-2,-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
}
"""A shape for each mark, so that colours need not be told apart."""
GRAPH_WIDTH, GRAPH_HEIGHT, GRAPH_MARGIN = 640, 200, 34
"""Size of the graph in units, and of its left edge."""
LONGEST_NAME = 60

_TAGS = re.compile(r"\[%[^\[\]]*\]")
_OTHER = re.compile(r"[^a-z0-9]+")


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
        rows = ({**record, "title": _title(record["headers"])} for record in records)
        stream = (
            _environment()
            .get_template("index.html")
            .stream(report=report, settings=report.settings, players=report.ranked(), records=rows)
        )
        stream.enable_buffering(100)
        with atomic_path(self._directory / INDEX) as path, path.open("w", encoding="utf-8", errors="replace") as file:
            file.writelines(stream)


@cache
def _environment() -> jinja2.Environment:
    """Templates, with the values shared by all pages."""
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    script = _template("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment.filters["day"] = _day
    environment.globals.update(
        style=Markup(_template("page.css")),
        script=Markup(script),
        policy=f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; "
        "form-action 'none'",
        shapes=SHAPES,
        kinds=MARK_KINDS,
    )
    return environment


def page(number: int, game: Game, annotation: Annotation, signature: str) -> str:
    """Page of an annotated game."""
    from markupsafe import Markup

    plies = _plies(game, annotation)
    rows: list[list[_Ply | None]] = []
    for ply in plies[1:]:
        if ply.column == 0 or not rows:
            rows.append([None, None])
        rows[-1][ply.column] = ply
    return (
        _environment()
        .get_template("game.html")
        .render(
            number=number,
            title=_title(game.headers),
            facts=_facts(game.headers),
            settings=annotation.settings,
            game=game,
            headers=[
                (name, value) for name, value in game.headers.items() if name not in _SHOWN and value.strip("?. ")
            ],
            about=[text for text in map(_said, game.comments) if text],
            sides=[(SIDE_NAMES[side], annotation.of(side)) for side in Side],
            plies=plies,
            rows=rows,
            board=Markup(svg.board(None)),
            graph=_graph(plies),
            signature=signature,
        )
    )


def page_name(number: int, headers: Mapping[str, str]) -> str:
    """File name of a game: its number, and the players' names reduced to harmless characters."""
    names = " v ".join(headers.get(name, "") for name in SIDE_NAMES)
    plain = unicodedata.normalize("NFKD", names[:500]).encode("ascii", "ignore").decode().lower()
    words = _OTHER.sub("-", plain).strip("-")[:LONGEST_NAME].strip("-")
    return f"{number:05d}-{words}.html" if words not in ("", "v") else f"{number:05d}.html"


_SHOWN = {"Event", "Site", "Date", "Round", "Black", "White", "Result", "FEN", "SetUp", "Setup", "GameType"}


def _template(name: str) -> str:
    return resources.files("kr.analysis.annotation").joinpath(name).read_text(encoding="utf-8")


def _title(headers: Mapping[str, str]) -> str:
    return " v ".join(headers.get(name, "").strip() or "?" for name in SIDE_NAMES)


def _facts(headers: Mapping[str, str]) -> list[str]:
    """Place and time of a game, as far as its tags tell."""
    facts = [headers.get(name, "").strip() for name in ("Event", "Site")]
    facts.append(_day(headers.get("Date", "")))
    number = headers.get("Round", "").strip("?. ")
    facts.append(f"round {number}" if number.isdecimal() else number)
    return [fact for fact in facts if fact.strip("?. -")]


def _day(date: str) -> str:
    """Known part of a date: 1886 for 1886.??.??."""
    return re.sub(r"[-./]\?+", "", date).strip("?. ")


def _said(comment: str) -> str:
    """Text of a comment without its commands; "" for one of kr's own."""
    return "" if OWN in comment else " ".join(_TAGS.sub("", comment).split())


@dataclass
class _Ply:
    """A position of the game on the page, with the move before it; number 0 is the start."""

    number: int
    label: str
    """The move with its number."""
    move: str
    column: int
    """Column of the score sheet."""
    sheet_number: int
    signs: str
    """All judgements of the move, by kr and others."""
    kind: str
    """Name of kr's mark; "" if there is none."""
    unjudged: str
    """Reason why kr does not judge the move; "" if it does."""
    expected: float | None
    """Black's expected result."""
    score: str
    words: str
    comments: list[str]
    lines: list[str]
    """Variations as text."""
    noted: bool
    """True if there is text that is not kr's."""
    picture: Any


def _plies(game: Game, annotation: Annotation) -> list[_Ply]:
    from markupsafe import Markup

    first = int(game.start.side)
    start = _Ply(0, "Start", "", 0, 0, "", "", "", None, "", "", [], [], False, Markup(_board(game, None, None)))
    found = [start]
    before = None
    moves = annotation.moves
    for node, judged in zip(game.mainline(), moves, strict=True):
        count = judged.ply + first
        comments = [text for text in map(_said, [*node.starting_comments, *node.comments]) if text]
        assert node.parent is not None
        variations = node.parent.variations[1:]
        others = [child for child in variations if not any(OWN in comment for comment in child.comments)]
        expected = None if judged.expected is None else pov(judged.side, judged.expected)
        score = "" if judged.score is None else scored(judged.side, judged.score, judged.value, judged.plies)
        found.append(_Ply(
            number=judged.ply + 1,
            label=f"{count // 2 + 1}{'...' if count % 2 else '.'} {judged.move}",
            move=str(judged.move),
            column=count % 2,
            sheet_number=count // 2 + 1,
            signs="".join(SIGNS.get(nag, f" {nag}" if nag.startswith("$") else nag) for nag in node.nags),
            kind=MARK_KINDS.get(judged.mark, ""),
            unjudged=unjudged(judged, annotation.opening),
            expected=expected,
            score=score,
            words=explained(judged, before),
            comments=comments,
            lines=[_line_text(child, count) for child in variations],
            noted=bool(comments or others),
            picture=Markup(_board(game, node, judged)),
        ))  # fmt: skip
        before = judged
    start.expected = expected_at_start(moves)
    return found


def _board(game: Game, node: ChildNode | None, judged: JudgedMove | None) -> str:
    """A position to lay over the empty board, with the move that led to it and the better one."""
    if node is None or judged is None:
        return svg.board(game.start, backdrop=False)
    better = judged.best if judged.mark in MARKS else None
    arrows = [] if better is None else [svg.Arrow.of(better, BETTER)]
    return svg.board(node.position, last_move=judged.move, arrows=arrows, backdrop=False)


class _LineText(Visitor[str]):
    """A variation as one line of text, without commands in comments."""

    def __init__(self, ply: int) -> None:
        """ply: number of moves before the first; one more if White begins."""
        self._words: list[str] = []
        self._opening = ""
        self._ply = ply
        self._plies: list[int] = []
        # True if the next move needs a number, whoever plays it
        self._numbered = True

    def begin_variation(self) -> None:
        self._plies.append(self._ply)
        self._ply -= 1
        self._opening += "("
        self._numbered = True

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
        self._words[-1] += nag if not nag.startswith("$") else f" {nag}"

    def visit_comment(self, comment: str) -> None:
        text = " ".join(_TAGS.sub("", comment).split())
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


def _graph(plies: list[_Ply]) -> dict[str, Any]:
    """Black's expected result over the game, in units of the graph."""
    last = max(len(plies) - 1, 1)

    def x(number: float) -> float:
        return round(GRAPH_MARGIN + (GRAPH_WIDTH - GRAPH_MARGIN - 8) * number / last, 1)

    def y(expected: float) -> float:
        return round(8 + (GRAPH_HEIGHT - 32) * (1 - expected), 1)

    points = [(x(ply.number), y(ply.expected)) for ply in plies if ply.expected is not None]
    step = next(step for step in (4, 10, 20, 40, 100, 200, 1000, 1 << 60) if last / step <= 12)
    middle = y(0.5)
    return {
        "width": GRAPH_WIDTH,
        "height": GRAPH_HEIGHT,
        "line": " ".join(f"{a},{b}" for a, b in points),
        "area": f"{points[0][0]},{middle} {' '.join(f'{a},{b}' for a, b in points)} {points[-1][0]},{middle}"
        if points
        else "",
        "left": x(0),
        "right": x(last),
        "levels": [(y(level), name) for level, name in ((1, "1"), (0.5, "½"), (0, "0"))],
        "numbers": [(x(number), number // 2 + 1) for number in range(0, last, step)],
        "marks": [(x(ply.number), y(ply.expected), ply) for ply in plies if ply.kind and ply.expected is not None],
        "columns": [(x(ply.number - 0.5), round(x(1) - x(0), 2), ply) for ply in plies],
        "xs": [x(ply.number) for ply in plies],
        "top": y(1),
        "bottom": y(0),
    }
