"""A line of moves as an animated GIF, drawn from the pictures of kr.svg by Pillow.

    Path("opening.gif").write_bytes(kr.gif.animation(kr.Position(), ["11-15", "23-19"]))

There is one frame for the start and one for each move, a capture has one for each jump. It is shown over and over.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from kr import svg
from kr.errors import InvalidSettingError
from kr.extras import check_packages
from kr.game.board import PositionLike, position_of
from kr.game.position import Move, Position
from kr.notation import SQUARES, format_path
from kr.settings import check_type

if TYPE_CHECKING:
    from PIL.Image import Image

MOVE_MS, JUMP_MS, LAST_MS = 1000, 350, 3000
"""Time for which a position is shown, one within a capture, and the last."""
SIZE = 366
"""Width and height in pixels: one for each unit of the drawing."""
MOST_PIXELS = 2000
MOST_COLORS = 64
FINE = 3
"""Pixels that are drawn for each one that is shown, in a row."""


def check_gif_installed() -> None:
    """Raise InvalidSettingError if Pillow is missing."""
    check_packages("animated pictures need", "PIL")


def animation(
    start: PositionLike,
    moves: Sequence[Move | str],
    *,
    flipped: bool = False,
    coordinates: bool | str = True,
    size: int = SIZE,
    colors: Mapping[str, str] | None = None,
    style: str = "green",
    pieces: str = "flat",
) -> bytes:
    """The moves from a position as a GIF. The keywords are those of `kr.svg.board`; size: pixels.

    Raises IllegalMoveError and InvalidSettingError, the latter also if Pillow is missing.
    """
    check_gif_installed()
    _check_colors(colors or {})
    if not 8 <= size <= MOST_PIXELS:
        raise InvalidSettingError(f"size is {size}; from 8 to {MOST_PIXELS} pixels")

    def picture(position: svg.Placed, path: tuple[int, ...] = ()) -> Image:
        last = format_path(path, False) if path else None
        drawn = svg.board(
            position, flipped=flipped, coordinates=coordinates, last_move=last, colors=colors, style=style,
            pieces=pieces,
        )  # fmt: skip
        return painted(drawn, size)

    from PIL.Image import Dither

    palette = picture(_ALL, _LAST).quantize(MOST_COLORS)
    images, times = [], []
    for position, path, milliseconds in _stills(position_of(start), moves):
        images.append(picture(position, path).quantize(palette=palette, dither=Dither.NONE))
        times.append(milliseconds)
    content = io.BytesIO()
    images[0].save(content, "GIF", save_all=True, append_images=images[1:], duration=times, loop=0, optimize=False)
    return content.getvalue()


def _check_colors(colors: Mapping[str, str]) -> None:
    from PIL import ImageColor

    for name, color in colors.items():
        try:
            ImageColor.getrgb(color)
        except ValueError:
            raise InvalidSettingError(f"{name} is {color!r}; a colour such as #86a073") from None


@dataclass(frozen=True)
class _Still:
    """Pieces as they stand within a capture."""

    black: int
    white: int
    kings: int
    side: int
    fen: str = ""


# every piece on both colours of squares, for the colours of all frames
_ALL = _Still(black=0x0F, white=0xF0, kings=0xAA, side=0)
_LAST = (0, 1, 4, 5, 8)


def _stills(start: Position, moves: Sequence[Move | str]) -> Iterator[tuple[svg.Placed, tuple[int, ...], int]]:
    """Positions with the squares that the move so far has touched, and the time for which they are shown."""
    yield start, (), MOVE_MS if moves else LAST_MS
    position = start
    for number, each in enumerate(moves, 1):
        move = position.parse_move(each) if isinstance(each, str) else each
        check_type("a move", move, Move)
        for still, path in _jumps(position, move):
            yield still, path, JUMP_MS
        position = position.play(move)
        yield position, move.path, LAST_MS if number == len(moves) else MOVE_MS


def _jumps(position: Position, move: Move) -> Iterator[tuple[_Still, tuple[int, ...]]]:
    """The board after each jump of a capture but the last: a piece leaves it as soon as it is jumped."""
    still = _Still(position.black, position.white, position.kings, position.side)
    for count, (square, target) in enumerate(zip(move.path[:-1], move.path[1:-1], strict=False), 2):
        still = _jumped(still, square, target)
        yield still, move.path[:count]


def _jumped(still: _Still, square: int, target: int) -> _Still:
    (a, b), (c, d) = svg.place(square), svg.place(target)
    middle = next(each for each in range(SQUARES) if svg.place(each) == ((a + c) // 2, (b + d) // 2))
    taken, moved = 1 << middle | 1 << square, 1 << target
    sides = [(pieces & ~taken) | (moved if pieces >> square & 1 else 0) for pieces in (still.black, still.white)]
    kings = (still.kings & ~taken) | (moved if still.kings >> square & 1 else 0)
    return replace(still, black=sides[0], white=sides[1], kings=kings)


def painted(picture: str, size: int) -> Image:
    """A square picture of kr.svg in pixels. Only what kr.svg draws is understood."""
    check_gif_installed()
    root = ElementTree.fromstring(picture)
    width = float(root.attrib["viewBox"].split()[2])
    painter = _Painter(size * FINE, size * FINE / width)
    painter.paint(root, _Place(painter.scale, 0.0, 0.0))
    return painter.image.reduce(FINE)


@dataclass(frozen=True)
class _Place:
    """Where the units of an element are on the canvas: scaled, then moved."""

    scale: float
    x: float
    y: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        return self.x + self.scale * x, self.y + self.scale * y

    def within(self, transform: str) -> _Place:
        """Place of a group with a transform of the form "translate(1,2) scale(3)"."""
        place = self
        for part in filter(None, transform.replace(" ", "").split(")")):
            name, _, numbers = part.partition("(")
            values = [float(each) for each in numbers.split(",")]
            if name == "scale":
                place = replace(place, scale=place.scale * values[0])
            else:
                place = replace(place, x=place.at(*values)[0], y=place.at(*values)[1])
        return place


class _Painter:
    """A canvas on which elements of SVG are painted one over another."""

    def __init__(self, size: int, scale: float) -> None:
        from PIL import Image, ImageDraw

        self.image = Image.new("RGB", (size, size))
        self.scale = scale
        # colours with an alpha are blended with what is below
        self._draw = ImageDraw.Draw(self.image, "RGBA")

    def paint(self, element: ElementTree.Element, place: _Place) -> None:
        """Paint an element and those within it."""
        place = place.within(element.get("transform", ""))
        if (opacity := float(element.get("opacity", 1))) < 1:
            self._blended(element, place, opacity)
            return
        paint = getattr(self, f"_{element.tag.rpartition('}')[2]}", None)
        if paint is not None:
            paint(element.attrib | {"text": element.text or ""}, place)
        for child in element:
            self.paint(child, place)

    def _blended(self, element: ElementTree.Element, place: _Place, opacity: float) -> None:
        from PIL import Image, ImageDraw

        below = self.image.copy()
        element.attrib.pop("opacity")
        self.paint(element, place)
        self.image = Image.blend(below, self.image, opacity)
        self._draw = ImageDraw.Draw(self.image, "RGBA")

    def _rect(self, given: Mapping[str, str], place: _Place) -> None:
        x, y = float(given.get("x", 0)), float(given.get("y", 0))
        width, height = float(given["width"]), float(given["height"])
        # pixels of both corners belong to a rectangle
        corners = [place.at(x, y), tuple(each - 1 for each in place.at(x + width, y + height))]
        self._draw.rounded_rectangle(corners, place.scale * float(given.get("rx", 0)), fill=given["fill"])

    def _circle(self, given: Mapping[str, str], place: _Place) -> None:
        middle = place.at(float(given.get("cx", 0)), float(given.get("cy", 0)))
        radius, stroke = place.scale * float(given["r"]), round(place.scale * float(given.get("stroke-width", 0)))
        if fill := _color(given, "fill"):
            self._draw.circle(middle, radius, fill=fill)
        if stroke and (color := _color(given, "stroke")):
            box = [each + way * (radius + stroke / 2) for way in (-1, 1) for each in middle]
            for begin, end in _dashes(given, place.scale, radius):
                self._draw.arc(box, begin, end, fill=color, width=stroke)

    def _path(self, given: Mapping[str, str], place: _Place) -> None:
        points = given["d"].replace("M", "").replace("L", "").replace("Z", "")
        self._polygon({**given, "points": points}, place)
        if color := _color(given, "stroke"):
            outline = _points({"points": points}, place)
            width = round(place.scale * float(given.get("stroke-width", 1)))
            self._draw.line([*outline, *outline[:2]], fill=color, width=width, joint="curve")

    def _polygon(self, given: Mapping[str, str], place: _Place) -> None:
        self._draw.polygon(_points(given, place), fill=_color(given, "fill"))

    def _polyline(self, given: Mapping[str, str], place: _Place) -> None:
        points, width = _points(given, place), round(place.scale * float(given["stroke-width"]))
        self._draw.line(points, fill=given["stroke"], width=width, joint="curve")

    def _text(self, given: Mapping[str, str], place: _Place) -> None:
        anchor = "ms" if given.get("text-anchor") == "middle" else "ls"
        font = _font(math.floor(place.scale * float(given["font-size"])))
        where = place.at(float(given["x"]), float(given["y"]))
        self._draw.text(where, given["text"], fill=given["fill"], font=font, anchor=anchor)


def _color(given: Mapping[str, str], name: str) -> tuple[int, ...] | None:
    """Colour of an element's fill or stroke, with its opacity; None for none."""
    from PIL import ImageColor

    if given.get(name, "none") == "none":
        return None
    return (*ImageColor.getrgb(given[name])[:3], round(255 * float(given.get(f"{name}-opacity", 1))))


def _dashes(given: Mapping[str, str], scale: float, radius: float) -> list[tuple[float, float]]:
    """Arcs of a circle's stroke, in degrees."""
    if "stroke-dasharray" not in given:
        return [(0.0, 360.0)]
    dash, gap = (math.degrees(float(each) * scale / radius) for each in given["stroke-dasharray"].split())
    count = math.floor(360 / (dash + gap))
    return [(number * (dash + gap), number * (dash + gap) + dash) for number in range(count)]


def _points(given: Mapping[str, str], place: _Place) -> list[tuple[float, float]]:
    pairs = (each.split(",") for each in given["points"].split())
    return [place.at(float(x), float(y)) for x, y in pairs]


def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)
