"""A game or a position to send: as a page that needs no server, as a picture, as an animated picture."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any

from kr import svg
from kr.analysis.annotation.annotation import TABLE
from kr.analysis.annotation.pages import Review, game_page
from kr.errors import InvalidSettingError
from kr.game.position import Move
from kr.gif import animation
from kr.notation import SIDE_NAMES, SQUARES, format_path
from kr.pdn.commands import SHAPE_COLOURS
from kr.web.house import House
from kr.web.request import PageRequest

MOST_GIF_PLIES = 400
"""Moves of an animated picture."""
MOST_SHAPES = 200
"""Arrows and circles of a picture, each."""
MOST_SENTENCES = 100
"""Sentences of a story."""
LONGEST_SENTENCE = 1000

_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_DRAWN = dict(zip(SHAPE_COLOURS, ("drawn green", "drawn red", "drawn yellow", "drawn blue"), strict=True))


def send_page(house: House, request: PageRequest) -> dict[str, Any]:
    """A game as a page of HTML in one file, with what kr has said of it.

    Request: `document`; `story`, a list of [template, values]; `accuracy`, with `black` and `white`; `table`, two rows
    of texts; `language`.
    """
    language = request.text("language", 3, "en")
    review = Review(_story(request), _accuracy(request), _table(request))
    return {"html": game_page(request.document(), review, language, _texts(language))}


def send_gif(house: House, request: PageRequest) -> dict[str, Any]:
    """Moves from a position as an animated GIF, in base64."""
    position = start = request.position("start")
    moves: list[Move] = []
    for text in request.texts("moves", MOST_GIF_PLIES, 100):
        moves.append(position.parse_move(text))
        position = position.play(moves[-1])
    return {"gif": base64.b64encode(animation(start, moves, **_looks(request))).decode()}


def position_picture(house: House, request: PageRequest) -> dict[str, Any]:
    """A position as SVG, with the squares of the move before it marked, and the arrows and circles of a game."""
    path = request.squares("last", ())
    arrows = [
        svg.Arrow((each.number("square", 1, SQUARES) - 1,), _drawn_colour(each))
        for each in request.objects("circles", MOST_SHAPES, ())
    ]
    arrows += [
        svg.Arrow((each.number("from", 1, SQUARES) - 1, each.number("to", 1, SQUARES) - 1), _drawn_colour(each))
        for each in request.objects("arrows", MOST_SHAPES, ())
    ]
    last = format_path(path, False) if len(path) > 1 else None
    return {"svg": svg.board(request.position(), last_move=last, arrows=arrows, **_looks(request))}


def _drawn_colour(shape: PageRequest) -> str:
    return _DRAWN[shape.choice("colour", SHAPE_COLOURS)]


def _looks(request: PageRequest) -> dict[str, Any]:
    """The looks of a board: keywords of `svg.board` and `animation`."""
    colors = request.object("colors").fields if request.has("colors") else {}
    for name, color in colors.items():
        if name not in svg.COLORS or not isinstance(color, str) or not _COLOUR.fullmatch(color):
            raise InvalidSettingError(f"colors are {', '.join(svg.COLORS)}, each of the form #86a073")
    return {"flipped": request.flag("flipped"), "coordinates": request.flag("numbers", True), "colors": dict(colors)}


def _story(request: PageRequest) -> list[tuple[str, Mapping[str, Any]]]:
    story = request.fields.get("story") or []
    if not isinstance(story, list) or len(story) > MOST_SENTENCES:
        raise InvalidSettingError(f"story is not a list of at most {MOST_SENTENCES} sentences")
    return [_sentence(each) for each in story]


def _sentence(given: object) -> tuple[str, Mapping[str, Any]]:
    template, values = given if isinstance(given, list) and len(given) == 2 else ("", None)
    if not isinstance(template, str) or not isinstance(values, Mapping):
        raise InvalidSettingError("a sentence of a story is [text, {name: value}]")
    if not all(isinstance(value, str | int | float) for value in values.values()):
        raise InvalidSettingError("the values of a sentence are texts and numbers")
    if len(json.dumps(given)) > LONGEST_SENTENCE:
        raise InvalidSettingError(f"a sentence of a story has more than {LONGEST_SENTENCE} characters")
    return template, values


def _accuracy(request: PageRequest) -> dict[str, float] | None:
    if not request.has("accuracy"):
        return None
    given = request.object("accuracy")
    return {side: given.fraction(side, 0, 100) for side in map(str.lower, SIDE_NAMES)}


def _table(request: PageRequest) -> list[list[str]]:
    """The players' rows."""
    rows = request.fields.get("table") or []
    if not isinstance(rows, list) or len(rows) not in (0, len(SIDE_NAMES)):
        raise InvalidSettingError("table is not a list of two rows, Black's and White's")
    rows = [PageRequest({"row": row}).texts("row", len(TABLE)) for row in rows]
    if any(len(row) != len(TABLE) for row in rows):
        raise InvalidSettingError(f"a row of the table has {len(TABLE)} texts: {', '.join(TABLE)}")
    return rows


def _texts(language: str) -> dict[str, str]:
    """The texts of a language by the English ones; none of a language that kr does not speak."""
    if not _LANGUAGE.fullmatch(language):
        raise InvalidSettingError("language is not a code such as it")
    file = resources.files("kr.web").joinpath("static", "languages", f"{language}.json")
    texts: dict[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return texts


ROUTES = {"send/page": send_page, "send/gif": send_gif, "games/svg": position_picture}
LIVE: dict[str, Any] = {}
