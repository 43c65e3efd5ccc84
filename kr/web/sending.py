"""A game or a position to send: as a page that needs no server, as a picture."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kr import svg
from kr.analysis.annotation.pages import Looks, game_page
from kr.errors import InvalidSettingError
from kr.notation import SQUARES, format_path
from kr.pdn.commands import SHAPE_COLOURS
from kr.web.house import House
from kr.web.request import PageRequest

MOST_SHAPES = 200
"""Arrows and circles of a picture, each."""
MOST_TEXTS, MOST_TEXT_CHARACTERS = 5000, 300_000
"""Texts of a language, and their characters."""

_LANGUAGE = re.compile(r"[a-z]{2,3}")
_DRAWN = dict(zip(SHAPE_COLOURS, ("drawn green", "drawn red", "drawn yellow", "drawn blue"), strict=True))


def send_page(house: House, request: PageRequest) -> dict[str, Any]:
    """A game as a page of HTML in one file, with all that its comments tell, the review of kr among them.

    Request: `document`; the looks of a board; `language`, and `texts` of that language by the English ones.
    """
    chosen = _looks(request)
    board, pieces, coordinates, flipped = (chosen[name] for name in ("style", "pieces", "coordinates", "flipped"))
    looks = Looks(_language(request), _texts(request), board, pieces, coordinates, flipped)
    return {"html": game_page(request.document(), looks)}


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
    """The looks of a board: keywords of `svg.board`."""
    return {
        "flipped": request.flag("flipped"),
        "coordinates": request.choice("coordinates", svg.COORDINATES, "numbers"),
        "style": request.choice("board", tuple(svg.STYLES), "green"),
        "pieces": request.choice("pieces", svg.PIECES, "flat"),
    }


def _language(request: PageRequest) -> str:
    language = request.text("language", 3, "en")
    if not _LANGUAGE.fullmatch(language):
        raise InvalidSettingError("language is not a code such as it")
    return language


def _texts(request: PageRequest) -> Mapping[str, str]:
    texts = request.object("texts").fields if request.has("texts") else {}
    if len(texts) > MOST_TEXTS:
        raise InvalidSettingError(f"more than {MOST_TEXTS:,} texts")
    if not all(isinstance(text, str) for text in texts.values()):
        raise InvalidSettingError("texts are texts by the English ones")
    if sum(len(english) + len(text) for english, text in texts.items()) > MOST_TEXT_CHARACTERS:
        raise InvalidSettingError(f"texts have more than {MOST_TEXT_CHARACTERS:,} characters")
    return texts


ROUTES = {"send/page": send_page, "games/svg": position_picture}
LIVE: dict[str, Any] = {}
