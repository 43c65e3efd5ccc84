"""What the page without a server sends games with: the page of a game, and what pictures of boards are drawn from.

An animated picture consists of squares that differ in little. Each is painted here once, so that the page only has to
lay them beside each other; what it makes is what kr.gif makes, pixel by pixel.
"""

from __future__ import annotations

import base64
import io
import re
import struct
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from PIL import Image

from kr import gif, svg
from kr.analysis.annotation import pages
from kr.analysis.annotation.accuracy import EXPLANATION
from kr.analysis.annotation.judging import JudgeSettings
from kr.game.position import Position
from kr.game.value import Result
from kr.notation import SIDE_NAMES, square_name
from kr.pdn import Game

GROUNDS = ("light", "dark", "last move")
_SIDES_AND_KINGS = tuple(product(range(len(SIDE_NAMES)), (False, True)))
_PAGE = re.compile(
    r'<!DOCTYPE html>\n<html lang="en">(.*?)<title>[^<]*</title>(.*?)<h1>.*'
    r'<script type="application/json" id="game">[^<]*</script>(.*)',
    re.DOTALL,
)
_TEXT = re.compile(r'<text class="number" x="([\d.]+)" y="([\d.]+)"[^>]*>(\w+)</text>')

Pixels = dict[int, bytes]
"""Colours by their places in a square, row by row."""


def game_page() -> dict[str, Any]:
    """For games as pages of HTML: what is the same on all of them, taken from one, and words and figures."""
    parts = _PAGE.fullmatch(pages.game_page(Game()))
    assert parts is not None
    head, top, end = parts.groups()
    settings = JudgeSettings()
    return {
        "head": head,
        "top": top,
        "end": end,
        "accuracy": EXPLANATION,
        "marks": {name: str(getattr(settings, name)) for name in ("inaccuracy", "mistake", "blunder")},
        "results": {result: result.description for result in Result},
    }


def drawing() -> dict[str, Any]:
    """For pictures as SVG: colours by style and name; the pieces of each kind and style, men and kings by side."""
    return {
        "styles": svg.STYLES,
        "pieces": {kind: {style: [*_pieces(style, kind)] for style in svg.STYLES} for kind in svg.PIECES},
    }


def _pieces(style: str, kind: str) -> Iterable[str]:
    """The pieces of a style as SVG, each round the middle of its square."""
    for side, king in _SIDES_AND_KINGS:
        piece = svg.piece(side, king, style=style, pieces=kind).splitlines()[1]
        yield piece[piece.index(">") + 1 : piece.rindex("</g>")]


def pictures() -> dict[str, Any]:
    """For animated pictures: times in milliseconds; by style of boards, the squares painted.

    Colours of a style have numbers. `grounds` are those of squares without a piece, `edge` is that of the edge.
    `pieces` has by their kind the squares with a piece, on the two grounds where pieces stand. `labels` has the pixels
    of the names of squares by ground, those of `overlaps` belong where a name and a piece meet. `looks` has by kind of
    pieces and coordinates the palette, and the colour in it of each of the style's colours; a second time for a
    flipped board if that makes a difference.
    """
    return {
        "times": {"move": gif.MOVE_MS, "jump": gif.JUMP_MS, "last": gif.LAST_MS},
        "styles": {style: _Squares(style).as_json() for style in svg.STYLES},
    }


class _Squares:
    """The squares of one style, painted."""

    def __init__(self, style: str) -> None:
        self._style = style
        self._colours = svg.STYLES[style]
        self._numbers: dict[bytes, int] = {}
        self._texts = _texts(style)

    def as_json(self) -> dict[str, Any]:
        """All that an animated picture needs of this style."""
        plain = {ground: self._square(ground) for ground in GROUNDS}
        names = {
            ground: {label: _changed(plain[ground], self._square(ground, text)) for label, text in self._texts.items()}
            for ground in GROUNDS
        }
        pieces: dict[str, list[str]] = {}
        overlaps: dict[str, list[dict[str, list[int]]]] = {}
        for kind in svg.PIECES:
            pieces[kind], overlaps[kind] = [], []
            for ground, (side, king) in product(GROUNDS[1:], _SIDES_AND_KINGS):
                piece = svg.piece(side, king, style=self._style, pieces=kind).splitlines()[1]
                square = self._square(ground, piece)
                covered = _changed(plain[ground], square)
                pieces[kind].append(self._packed(square))
                overlaps[kind].append(
                    {
                        label: self._listed({place: both[place] for place in sorted(covered.keys() & named.keys())})
                        for label, named in names[ground].items()
                        if covered.keys() & named.keys()
                        for both in [self._square(ground, self._texts[label] + piece)]
                    }
                )
        edge = bytes.fromhex(self._colours["edge"].removeprefix("#"))
        return {
            "edge": self._number(edge),
            "grounds": [self._number(plain[ground][0]) for ground in GROUNDS],
            "labels": [{label: self._listed(pixels) for label, pixels in names[ground].items()} for ground in GROUNDS],
            "pieces": pieces,
            "overlaps": overlaps,
            "looks": self._looks(),
        }

    def _square(self, ground: str, drawn: str = "") -> list[bytes]:
        """Pixels of a square with what is drawn on it."""
        field = f'<rect width="{svg.CELL}" height="{svg.CELL}" fill="{self._colours[ground]}"/>'
        return _pixels(gif.painted(f"{svg.opening(svg.CELL, None)}{field}{drawn}</svg>", svg.CELL))

    def _number(self, colour: bytes) -> int:
        return self._numbers.setdefault(colour, len(self._numbers))

    def _packed(self, pixels: Iterable[bytes]) -> str:
        numbers = [self._number(pixel) for pixel in pixels]
        return _base64(struct.pack(f"<{len(numbers)}H", *numbers))

    def _listed(self, pixels: Mapping[int, bytes]) -> list[int]:
        """Pixels as places and colours in turn."""
        return [number for place, pixel in pixels.items() for number in (place, self._number(pixel))]

    def _looks(self) -> dict[str, list[dict[str, str]]]:
        colours = Image.frombytes("RGB", (len(self._numbers), 1), b"".join(self._numbers))
        looks: dict[str, list[dict[str, str]]] = {}
        for kind, coordinates in product(svg.PIECES, svg.COORDINATES):
            looks[f"{kind} {coordinates}"] = []
            # without letters as many pixels of a colour are on a board either way round
            for flipped in (False, True) if coordinates == "letters" else (False,):
                palette = _palette(flipped=flipped, coordinates=coordinates, style=self._style, pieces=kind)
                used = colours.quantize(palette=palette, dither=Image.Dither.NONE)
                look = {"palette": _base64(bytes(palette.getpalette() or ())), "colours": _base64(used.tobytes())}
                looks[f"{kind} {coordinates}"].append(look)
        return looks


def _palette(**looks: Any) -> Image.Image:
    """An image with the palette of an animated picture, read from one."""
    with Image.open(io.BytesIO(gif.animation(Position(), [], **looks))) as picture:
        picture.load()
        return picture


def _texts(style: str) -> dict[str, str]:
    """The names of squares, and the letters at the edge, each as SVG where it stands in its own square."""
    found: dict[str, str] = {}
    for coordinates in ("numbers", "letters"):
        for text in _TEXT.finditer(svg.board(coordinates=coordinates, style=style)):
            left, top = (svg.EDGE + (float(each) - svg.EDGE) // svg.CELL * svg.CELL for each in text.groups()[:2])
            placed = f'<g transform="translate({-left:g},{-top:g})">{text[0]}</g>'
            # 1 to 8 at the edge stand as the numbers of squares do
            found.setdefault(text[3], placed)
    assert len(found) == 32 + 8
    assert square_name(0) in found
    return found


def _pixels(image: Image.Image) -> list[bytes]:
    content = image.tobytes()
    return [content[place : place + 3] for place in range(0, len(content), 3)]


def _changed(before: list[bytes], after: list[bytes]) -> Pixels:
    return {place: new for place, (old, new) in enumerate(zip(before, after, strict=True)) if old != new}


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
