"""Annotated games as pages of HTML, each a single file that needs no other file, no network and no server.

A page of a game holds the scripts of kr/viewer, the same that `kr web` serves, and the game as JSON. Without scripts
its moves, notes and table are text beside the start position. All text from PDN is escaped. In addition, a policy in
the page lets the browser run no other script and load nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr import svg
from kr.analysis.annotation.accuracy import EXPLANATION
from kr.analysis.annotation.annotation import TABLE, Annotation, MoveTally, accuracy_text
from kr.analysis.annotation.game_text import game_text, game_title, known_day
from kr.notation import SIDE_NAMES
from kr.pdn import Game
from kr.storage import atomic_path, write_atomic
from kr.viewer.assets import piece_symbols
from kr.viewer.bundle import data
from kr.viewer.document import game_document
from kr.viewer.templates import PageSources, page_sources, template_environment, template_text

if TYPE_CHECKING:
    import jinja2

    from kr.analysis.annotation.annotation import AnnotateReport

INDEX = "index.html"
_PACKAGE = "kr.analysis.annotation"
_STYLES = ("viewer.css", "graph.css", "screen.css")
LONGEST_NAME = 60

_OTHER = re.compile(r"[^a-z0-9]+")
_LOOKS = {
    "language": "en", "board": "green", "pieces": "flat", "coordinates": "numbers", "flipped": False,
}  # fmt: skip
"""Looks of a page that nobody has chosen."""
_GAP = "<!-- of a game -->"
_FRAME = (
    f'{{% extends "page.html" %}}{{% block language %}}{_GAP}{{% endblock %}}{{% block title %}}{_GAP}{{% endblock %}}'
    f"{{% block kind %}}game{{% endblock %}}{{% block body %}}{{{{ pieces }}}}{_GAP}{{% endblock %}}"
)


class Pages:
    """Pages of one directory."""

    def __init__(self, directory: Path) -> None:
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
                "title": game_title(record["headers"]),
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
    environment.filters["day"] = known_day
    environment.filters["accuracy"] = accuracy_text
    environment.globals["accuracy_explained"] = EXPLANATION
    return environment


@cache
def _sources(entry: str) -> PageSources:
    """Sources of the page of a game ("viewer.js") or of the index ("sorting.js")."""
    return page_sources(entry, _STYLES, template_text(_PACKAGE, "page.css"))


def page(number: int, game: Game, annotation: Annotation, signature: str) -> str:
    """Page of a game that was annotated just now, with a link to the page of all."""
    from markupsafe import Markup

    return (
        _environment()
        .get_template("game.html")
        .render(
            sources=_sources("viewer.js"),
            home=INDEX,
            settings=annotation.settings,
            game=game,
            text=game_text(game),
            table=TABLE,
            sides=list(zip(SIDE_NAMES, annotation.table(game.headers), strict=True)),
            board=Markup(svg.board(game.start)),
            pieces=Markup(piece_symbols()),
            data=Markup(data({"document": game_document(game), "looks": _LOOKS})),
            signature=signature,
        )
    )


def game_frame() -> list[str]:
    """What is the same on the page of every game: the HTML before its language, its title and its body, and after."""
    from markupsafe import Markup

    frame = _environment().from_string(_FRAME)
    return frame.render(sources=_sources("viewer.js"), pieces=Markup(piece_symbols())).split(_GAP)


def page_name(number: int, headers: Mapping[str, str]) -> str:
    """File name of a game: its number, and the players' names reduced to harmless characters."""
    names = " v ".join(headers.get(name, "") for name in SIDE_NAMES)
    plain = unicodedata.normalize("NFKD", names[:500]).encode("ascii", "ignore").decode().lower()
    words = _OTHER.sub("-", plain).strip("-")[:LONGEST_NAME].strip("-")
    return f"{number:05d}-{words}.html" if words not in ("", "v") else f"{number:05d}.html"
