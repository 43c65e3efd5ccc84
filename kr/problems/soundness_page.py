"""`kr problem check --html`: verdicts as one page, a board for each problem, whose line is played move by move."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

from kr.game.position import Move, Position
from kr.notation import SIDE_NAMES
from kr.problems.solutions import tree_text
from kr.problems.soundness import ProblemVerdict
from kr.problems.soundness_files import CheckSettings, ProblemRecord, refutation_words, verdict_words, whole_line
from kr.proofs.certificate import NOT_COVERED
from kr.storage import atomic_path, check_output
from kr.units import counted
from kr.viewer.assets import piece_symbols
from kr.viewer.templates import page_sources, template_environment, template_text

if TYPE_CHECKING:
    import jinja2

_PACKAGE = "kr.problems"
_ENDED = {"plain": "here the result is plain", "repeated": "here a position comes again", "over": "the end"}


@dataclass
class ShownMove:
    """A move that a reader can have on the board."""

    text: str
    path: str
    """Squares that it touches, from 1, with commas between."""
    fen: str
    """The position after it."""
    number: str = ""
    """Number before it, as in a score sheet that begins with the problem."""
    sign: str = ""
    """ "*" if it is proved to be the only way, "?" if it does not keep the value."""
    others: list[ShownMove] = field(default_factory=list)
    """Second ways in its place."""
    note: str = ""


@contextmanager
def soundness_page(path: Path, settings: CheckSettings) -> Iterator[Callable[[ProblemRecord], None]]:
    """Yield a function that takes verdicts; the page is written when the block ends without an error.

    Verdicts wait in a temporary file, so that any number needs little memory. Raises InvalidSettingError if the page
    can't be written there, and OSError.
    """
    check_output(path)
    # report a missing library before the work
    template = _environment().get_template("soundness.html")
    counts: Counter[str] = Counter()
    with TemporaryFile("w+", encoding="utf-8") as file:

        def add(record: ProblemRecord) -> None:
            counts[record["verdict"]] += 1
            file.write(f"{json.dumps(record)}\n")

        yield add
        file.seek(0)
        stream = template.stream(
            sources=page_sources("problems.js", ("viewer.css", "screen.css"), template_text(_PACKAGE, "soundness.css")),
            pieces=_markup(piece_symbols()),
            settings=settings,
            total=counted(counts.total(), "problem"),
            counts=[(verdict, counts[verdict]) for verdict in ProblemVerdict if counts[verdict]],
            problems=map(_shown_problem, file),
            not_covered=NOT_COVERED,
        )
        stream.enable_buffering(100)
        with (
            atomic_path(path) as temporary,
            temporary.open("w", encoding="utf-8", errors="replace", newline="\n") as out,
        ):
            out.writelines(stream)


@cache
def _environment() -> jinja2.Environment:
    return template_environment(_PACKAGE)


def _markup(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)


def _shown_problem(line: str) -> dict[str, Any]:
    """What the template says of a verdict."""
    record: ProblemRecord = json.loads(line)
    position = Position.from_fen(record["fen"])
    proved = f"{record['value']} for the side to move, by {record['by']}" if record["value"] else ""
    return {
        "name": record["title"] or record["id"],
        "verdict": record["verdict"],
        "words": verdict_words(record),
        "reason": record["reason"],
        "fen": record["fen"],
        "side": SIDE_NAMES[position.side],
        "published": record["published"] or "",
        "proved": proved,
        "key_moves": [_shown_move(position, way["move"], way["by"]) for way in record["keys"]]
        if record["keys"][1:]
        else [],
        "line": _shown_line(position, record),
        "ended": _ENDED.get(record["ended"], ""),
        "refutation": refutation_words(record),
        "answers": [_shown_moves(position, moves) for moves in record["answers"]],
        "notes": record["notes"],
        "tree": tree_text(record["tree"]),
        "searched": f"{counted(record['nodes'], 'node')}, {record['seconds']:.2f} s",
    }


def _shown_moves(position: Position, moves: list[str]) -> list[ShownMove]:
    shown = []
    for text in moves:
        shown.append(_shown_move(position, text, ""))
        position = position.play(text)
    return shown


def _shown_line(position: Position, record: ProblemRecord) -> list[ShownMove]:
    """The line, with what is known of the solver's moves."""
    steps = {step["ply"]: step for step in record["steps"]}
    shown = []
    for ply, text in enumerate(whole_line(record)):
        move = position.parse_move(text)
        number = f"{ply // 2 + 1}." if ply % 2 == 0 else ""
        each = _shown_move(position, move, "", number)
        if (step := steps.get(ply)) is not None:
            _tell(each, position, step)
        shown.append(each)
        position = position.play(move)
    return shown


def _tell(each: ShownMove, position: Position, step: ProblemRecord) -> None:
    """Enter what is known of the moves at a step."""
    played, others = step["played"], step["others"]
    if played["keeps"] is False:
        each.sign, each.note = "?", f"does not keep the value, by {played['by']}"
    elif played["keeps"] and others and all(way["keeps"] is False for way in others):
        each.sign = "*"
    for way in others:
        if way["keeps"]:
            words = way["by"] + (", transposes" if way["transposes"] else "")
            each.others.append(_shown_move(position, way["move"], words))
    unsettled = [way["move"] for way in (played, *others) if way["keeps"] is None]
    if unsettled:
        each.note = f"open: {', '.join(unsettled)}"


def _shown_move(position: Position, move: str | Move, note: str, number: str = "") -> ShownMove:
    if isinstance(move, str):
        move = position.parse_move(move)
    path = ",".join(str(square + 1) for square in move.path)
    return ShownMove(str(move), path, position.play(move).fen, number, note=note)
