"""A board as SVG, for web pages, notebooks and books.

    from kr import Position, svg

    position = Position()
    move = position.parse_move("11-15")
    picture = svg.board(position.play(move), last_move=move, arrows=[svg.Arrow.parse("23-19")])
    Path("board.svg").write_text(picture, encoding="utf-8")

`board` returns text, a complete SVG document, which a notebook shows as a picture. It has no ids, so that a page can
hold any number of boards; squares, pieces, arrows and labels have classes for a page's
own style sheet (`square dark`, `piece black king`, `arrow`, `label`). White sits at the bottom unless it is flipped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol, runtime_checkable

from kr.errors import InvalidSettingError
from kr.notation import SIDE_NAMES, SQUARES, format_fen, parse_fen, parse_path, square_name
from kr.notation import squares as bits_squares
from kr.settings import check_type

CELL = 45
"""Units of one square's side; the board has eight of them and an edge."""
EDGE = 3
SHOWN = 320
"""Pixels of a board in a notebook."""
COLORS = {
    "light": "#f2e6c9",
    "dark": "#86a073",
    "last move": "#c9c45c",
    "highlight": "#d98c5f",
    "edge": "#3d4a36",
    "number": "#37452f",
    "black": "#2d2b2b",
    "black rim": "#6b6767",
    "white": "#fbf6e9",
    "white rim": "#4a4433",
    "black crown": "#e3b64c",
    "white crown": "#a86f14",
    "arrow": "#14602c",
    "helps black": "#2a78d6",
    "helps white": "#eb6834",
    "drawn green": "#15781b",
    "drawn red": "#882020",
    "drawn yellow": "#e68f00",
    "drawn blue": "#003088",
}
"""Default colours by name; `colors` replaces any of them with another SVG colour."""
STYLES = {
    "green": COLORS,
    "wood": COLORS
    | {
        "light": "#efd9b0",
        "dark": "#a87a4f",
        "last move": "#c2a03f",
        "highlight": "#e0733f",
        "edge": "#5a3d22",
        "number": "#2b1a0b",
        "black": "#2b2320",
        "black rim": "#7a6a60",
        "white": "#fdf3dc",
        "white rim": "#453522",
        "white crown": "#9a5f0c",
    },
    "contrast": COLORS
    | {
        "light": "#ffffff",
        "dark": "#6f6f6f",
        "last move": "#ffd400",
        "highlight": "#ff7a1a",
        "edge": "#000000",
        "number": "#000000",
        "black": "#000000",
        "black rim": "#ffffff",
        "white": "#ffffff",
        "white rim": "#000000",
        "black crown": "#ffd400",
        "white crown": "#b00020",
    },
}
"""Colours of a board by its style."""
PIECES = ("flat", "carved")
"""Kinds of pieces: plain discs, or turned and milled as those of a wooden set."""
COORDINATES = ("numbers", "letters", "none")
"""Names of squares on a board: 1 to 32 on the dark ones, or a to h and 1 to 8 at its edges."""

_DISC, _GROOVE = 16.5, 10.5
"""Radii of a flat piece, and of the ring in a man."""
_KING_DISCS = (3, -2)
"""Heights of the centres of a king's two discs below that of its square; the crown is on the second."""
_CROWN = "M-9.5,7 L-11,-5 L-5,0 L0,-8.5 L5,0 L11,-5 L9.5,7 Z"
_SIZES = ("man", "king")


class Placed(Protocol):
    """A position to draw, such as a kr.Position."""

    @property
    def black(self) -> int:
        """Bitboard of Black's pieces."""

    @property
    def white(self) -> int:
        """Bitboard of White's pieces."""

    @property
    def kings(self) -> int:
        """Bitboard of the kings."""

    @property
    def side(self) -> int:
        """Side to move, 0 for Black."""


class HoldsPosition(Protocol):
    """What has a position to draw, such as a kr.Board."""

    @property
    def position(self) -> Placed:
        """The position."""


@runtime_checkable
class Moved(Protocol):
    """A move to draw an arrow for, such as a kr.Move."""

    @property
    def path(self) -> tuple[int, ...]:
        """Squares from origin to target, from 0."""


class Svg(str):
    """An SVG document, which a notebook shows as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Arrow:
    """An arrow from square to square; with one square a ring round it."""

    path: tuple[int, ...]
    """Squares 0-31 from tail to head, those where a capture lands on its way among them."""
    color: str = "arrow"
    """A name in COLORS or a colour of SVG."""

    def __post_init__(self) -> None:
        _check_squares(self.path, "an arrow")
        if not self.path:
            raise InvalidSettingError("an arrow has no square")

    @classmethod
    def parse(cls, text: str, color: str = "arrow") -> Arrow:
        """The arrow of a move's text, "11-15" or "10x19x26". Raises IllegalMoveError for any other text."""
        return cls(parse_path(text), color)

    @classmethod
    def of(cls, move: Moved, color: str = "arrow") -> Arrow:
        """The arrow of a move."""
        return cls(move.path, color)

    @classmethod
    def meant(cls, given: Arrow | Moved | str) -> Arrow:
        """An arrow, or that of a move or its text. Raises IllegalMoveError and InvalidSettingError."""
        if isinstance(given, str):
            return cls.parse(given)
        if not isinstance(given, Arrow | Moved) or isinstance(given, type):
            raise InvalidSettingError(f"a move is {given!r:.80}; expected a Move, its text or an Arrow")
        return given if isinstance(given, Arrow) else cls.of(given)


def board(
    position: Placed | HoldsPosition | str | None = None,
    *,
    flipped: bool = False,
    last_move: Moved | str | None = None,
    arrows: Iterable[Arrow | Moved | str] = (),
    squares: Iterable[int] = (),
    fill: Mapping[int, str] | None = None,
    labels: Mapping[int, str] | None = None,
    coordinates: bool | str = True,
    size: float | None = None,
    colors: Mapping[str, str] | None = None,
    backdrop: bool = True,
    style: str = "green",
    pieces: str = "flat",
) -> Svg:
    """Draw a board.

    position: a Position, a Board or a FEN; None for an empty board. flipped: Black at the bottom. last_move: a Move, or
    its text such as "11-15"; the squares it touched are coloured. arrows: arrows, moves or their texts. squares:
    squares 0-31 to highlight. fill: colours of single squares, by square. labels: short texts to write on squares, by
    square; a piece there is drawn smaller, above its label. coordinates: a name in COORDINATES; True for numbers, False
    for none. size: width and height in pixels; None for the size of the page's style. colors: colours by the names in
    COLORS, in place of the defaults. backdrop: without it the edge, and all squares that have no colour of their own,
    are left out, for many positions to be laid over one empty board. style: a name in STYLES. pieces: a name in PIECES.
    Raises InvalidSettingError for an invalid square, size, style or name of a colour, and InvalidFenError.
    """
    black, white, kings, side = (0, 0, 0, None) if position is None else _placed(position)
    palette = _palette(colors, style)
    shape, names = _shape(pieces), _coordinates(coordinates)
    touched = Arrow.meant(last_move).path if last_move else ()
    for what, given in (("arrows", arrows), ("squares", squares)):
        check_type(what, given, Iterable)
    for what, texts in (("fill", fill), ("labels", labels)):
        check_type(what, texts or {}, Mapping)
    fill, labels, squares = dict(fill or {}), dict(labels or {}), set(squares)
    for what, numbers in (("a highlight", squares), ("fill", fill), ("a label", labels)):
        _check_squares(numbers, what)
    width = 8 * CELL + 2 * EDGE
    parts = [opening(width, size), f"<title>{escape(_title(black, white, kings, side))}</title>"]
    if backdrop:
        parts += _backdrop(width, palette)
    for square in range(SQUARES):
        name = "last move" if square in touched else "highlight" if square in squares else "dark"
        if backdrop or name != "dark" or square in fill:
            parts.append(_square(square, flipped, palette, name, fill.get(square), names == "numbers"))
    if names == "letters":
        parts += _letters(flipped, palette)
    for square in bits_squares(black | white):
        name, king = SIDE_NAMES[white >> square & 1].lower(), bool(kings >> square & 1)
        x, y = _centre(square, flipped)
        parts.append(_piece(name, king, x, y, shape(name, king, palette), square in labels))
    parts += [_arrow(Arrow.meant(each), flipped, palette) for each in arrows]
    parts += [_label(text, *_centre(square, flipped)) for square, text in sorted(labels.items())]
    return Svg("\n".join([*parts, "</svg>\n"]))


def piece(
    side: int,
    king: bool = False,
    *,
    size: float | None = None,
    colors: Mapping[str, str] | None = None,
    style: str = "green",
    pieces: str = "flat",
) -> Svg:
    """Draw one piece. side: 0 Black, 1 White; the rest as in `board`. Raises InvalidSettingError."""
    if side not in (0, 1):
        raise InvalidSettingError(f"side {side!r} is not 0 (Black) or 1 (White)")
    name = SIDE_NAMES[side].lower()
    shape = _shape(pieces)(name, king, _palette(colors, style))
    return Svg("\n".join([opening(CELL, size), _piece(name, king, CELL / 2, CELL / 2, shape), "</svg>\n"]))


def piece_shapes(style: str, pieces: str) -> list[str]:
    """Black's man and king and those of White as elements of SVG, each round the point 0,0."""
    shape = _shape(pieces)
    return [shape(name.lower(), king, STYLES[style]) for name in SIDE_NAMES for king in (False, True)]


def symbols() -> Svg:
    """The four pieces as symbols for a page's scripts to use: piece-black-man, piece-black-king and those of White.

    Each has both forms, of the classes flat-piece and carved-piece, one of which the style sheet of the page leaves
    out. Colours are variables of the page, --board-black and the like.
    """
    palette = page_colors()
    drawn = []
    for side in (name.lower() for name in SIDE_NAMES):
        for king, size in enumerate(_SIZES):
            forms = "".join(f'<g class="{form}-piece">{_shape(form)(side, bool(king), palette)}</g>' for form in PIECES)
            piece = _piece(side, bool(king), CELL / 2, CELL / 2, forms)
            drawn.append(f'<symbol id="piece-{side}-{size}" viewBox="0 0 {CELL} {CELL}">{piece}</symbol>')
    return Svg(f'<svg class="symbols" width="0" height="0" aria-hidden="true">{"".join(drawn)}</svg>')


def page_colors() -> dict[str, str]:
    """Colours of `board` that follow the style sheet of a page: its variables --board-black and the like."""
    return {name: f"var(--board-{name.replace(' ', '-')}, {color})" for name, color in COLORS.items()}


def place(square: int, flipped: bool = False) -> tuple[int, int]:
    """Column and row, each 0 to 7 from the top left, where a square 0-31 is drawn."""
    row, pair = divmod(square, 4)
    column = 2 * pair + 1 - row % 2
    return (7 - column, 7 - row) if flipped else (column, row)


def _palette(colors: Mapping[str, str] | None, style: str) -> dict[str, str]:
    if style not in STYLES:
        raise InvalidSettingError(f"no style of boards is named {style!r}; there are {', '.join(STYLES)}")
    check_type("colors", colors or {}, Mapping)
    unknown = sorted(set(colors or ()) - set(COLORS))
    if unknown:
        raise InvalidSettingError(f"no colour is named {unknown[0]!r}; there are {', '.join(COLORS)}")
    return STYLES[style] | dict(colors or {})


def _check_squares(numbers: Iterable[int], what: str) -> None:
    for square in numbers:
        if not isinstance(square, int) or not 0 <= square < SQUARES:
            raise InvalidSettingError(f"{what} has the square {square!r}; squares are 0 to {SQUARES - 1} here")


def _placed(source: Placed | HoldsPosition | str) -> tuple[int, int, int, int]:
    """Bitboards and side to move of what is given for a position. Raises InvalidFenError and InvalidSettingError."""
    if isinstance(source, str):
        return parse_fen(source)
    placed: Any = getattr(source, "position", source)
    try:
        return placed.black, placed.white, placed.kings, placed.side
    except AttributeError:
        raise InvalidSettingError(f"the position is {source!r:.80}; expected a Position, a Board or a FEN") from None


def _title(black: int, white: int, kings: int, side: int | None) -> str:
    if side is None:
        return "an empty board"
    return f"{format_fen(black, white, kings, side)}, {SIDE_NAMES[side]} to move"


def opening(width: float, size: float | None, height: float | None = None) -> str:
    """Start tag of a drawing. width, height: units, height as width if left out. size: pixels; None to fit the page."""
    if size is not None and not (isinstance(size, int | float) and 0 < size < math.inf):
        raise InvalidSettingError(f"size is {size!r:.80}; pixels, more than 0")
    down = width if height is None else height
    shown = "" if size is None else f' width="{size:g}" height="{size * down / width:g}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {down}"{shown} role="img">'


def _backdrop(width: float, palette: Mapping[str, str]) -> list[str]:
    """The edge, and the light squares as one."""
    return [
        f'<rect class="edge" width="{width}" height="{width}" fill={_colour(palette, "edge")}/>',
        f'<rect class="square light" x="{EDGE}" y="{EDGE}" width="{8 * CELL}" height="{8 * CELL}" '
        f"fill={_colour(palette, 'light')}/>",
    ]


def _colour(palette: Mapping[str, str], name: str) -> str:
    """A colour as a quoted attribute: by its name in the palette, or in SVG's notation."""
    return f'"{escape(palette.get(name, name))}"'


def _centre(square: int, flipped: bool) -> tuple[float, float]:
    column, row = place(square, flipped)
    return EDGE + (column + 0.5) * CELL, EDGE + (row + 0.5) * CELL


def _square(
    square: int, flipped: bool, palette: Mapping[str, str], name: str, filled: str | None, coordinates: bool
) -> str:
    x, y = (centre - CELL / 2 for centre in _centre(square, flipped))
    classes = "square dark" + (f" {name.replace(' ', '-')}" if name != "dark" else "")
    colour = _colour(palette, name if filled is None else filled)
    drawn = f'<rect class="{classes}" x="{x:g}" y="{y:g}" width="{CELL}" height="{CELL}" fill={colour}/>'
    if coordinates:
        drawn += _coordinate(x + 1.5, y + 8, square_name(square), palette)
    return drawn


def _coordinates(setting: bool | str) -> str:
    names = {True: "numbers", False: "none"}[setting] if isinstance(setting, bool) else setting
    if names not in COORDINATES:
        raise InvalidSettingError(f"no coordinates are named {names!r}; there are {', '.join(COORDINATES)}")
    return names


def _letters(flipped: bool, palette: Mapping[str, str]) -> list[str]:
    """a to h from Black's left along the bottom, 1 to 8 from Black's side down the left edge."""
    ranks = [(EDGE + 1.5, EDGE + row * CELL + 8, str(8 - row if flipped else row + 1)) for row in range(8)]
    files = [
        (EDGE + (column + 1) * CELL - 6.5, EDGE + 8 * CELL - 2.5, "abcdefgh"[column if flipped else 7 - column])
        for column in range(8)
    ]
    return [_coordinate(x, y, text, palette) for x, y, text in [*ranks, *files]]


def _coordinate(x: float, y: float, text: str, palette: Mapping[str, str]) -> str:
    return (
        f'<text class="number" x="{x:g}" y="{y:g}" font-size="8" font-family="sans-serif" '
        f"fill={_colour(palette, 'number')}>{text}</text>"
    )


def _piece(side: str, king: bool, x: float, y: float, shape: str, labelled: bool = False) -> str:
    """A shape at its place. labelled: it makes room for the text below it."""
    where = f"translate({x:g},{y - 5.5:g}) scale(0.72)" if labelled else f"translate({x:g},{y:g})"
    return f'<g class="piece {side} {_SIZES[king]}" transform="{where}">{shape}</g>'


def _shape(pieces: str) -> Callable[[str, bool, Mapping[str, str]], str]:
    shapes = dict(zip(PIECES, (_flat, _carved), strict=True))
    if pieces not in shapes:
        raise InvalidSettingError(f"no pieces are named {pieces!r}; there are {', '.join(PIECES)}")
    return shapes[pieces]


def _flat(side: str, king: bool, palette: Mapping[str, str]) -> str:
    """A man is a disc with a groove, a king two discs and a crown."""
    style = f"fill={_colour(palette, side)} stroke={_colour(palette, f'{side} rim')}"
    if king:
        discs = "".join(f'<circle cy="{y}" r="{_DISC}" {style} stroke-width="1.5"/>' for y in _KING_DISCS)
        crown = f'd="{_CROWN}" fill={_colour(palette, f"{side} crown")}'
        return f'{discs}<path transform="translate(0,{_KING_DISCS[1]})" {crown}/>'
    groove = f'<circle r="{_GROOVE}" {style} stroke-width="1.5" stroke-opacity="0.5"/>'
    return f'<circle r="{_DISC}" {style} stroke-width="1.5"/>{groove}'


def _carved(side: str, king: bool, palette: Mapping[str, str]) -> str:
    """A man is a thick disc with a milled edge and a hollow middle, a king two of them and a crown."""
    fill, rim = _colour(palette, side), _colour(palette, f"{side} rim")

    def disc(y: float) -> str:
        side_on = f'<circle cy="{y + 2.2:g}" r="16.3" fill={fill} stroke={rim} stroke-width="1.4"/>'
        shade = f'<circle cy="{y + 2.2:g}" r="16.3" fill="#000" fill-opacity="0.3"/>'
        top = f'<circle cy="{y:g}" r="16.3" fill={fill} stroke={rim} stroke-width="1.2"/>'
        milled = (
            f'<circle cy="{y:g}" r="14.3" fill="none" stroke={rim} stroke-opacity="0.55" stroke-width="2.6" '
            'stroke-dasharray="1.35 1.2"/>'
        )
        return side_on + shade + top + milled

    if king:
        y, discs = -3.6, disc(2.4) + disc(-3.6)
        crown = (
            f'<path transform="translate(0,{y:g}) scale(0.86)" d="{_CROWN}" fill={_colour(palette, f"{side} crown")} '
            f'stroke="#000" stroke-opacity="0.55" stroke-width="1" stroke-linejoin="round"/>'
        )
        hollow = f'<circle cy="{y:g}" r="11.8" fill="#000" fill-opacity="0.1"/>'
        return discs + hollow + crown
    y = -1.1
    groove = f'<circle cy="{y:g}" r="11" fill="none" stroke="#000" stroke-opacity="0.35" stroke-width="1.1"/>'
    ridge = f'<circle cy="{y + 0.9:g}" r="11" fill="none" stroke="#fff" stroke-opacity="0.35" stroke-width="0.8"/>'
    hollow = (
        f'<circle cy="{y:g}" r="6.2" fill="#000" fill-opacity="0.12" stroke={rim} stroke-opacity="0.6" '
        'stroke-width="1"/>'
    )
    return disc(y) + groove + ridge + hollow


def _arrow(arrow: Arrow, flipped: bool, palette: Mapping[str, str]) -> str:
    colour = _colour(palette, arrow.color)
    points = [_centre(square, flipped) for square in arrow.path]
    (x0, y0), (x, y) = points[-2:] if len(points) > 1 else (points[0], points[0])
    length = math.hypot(x - x0, y - y0)
    if not length:
        ring = f'<circle cx="{x:g}" cy="{y:g}" r="{CELL * 0.43:g}" fill="none" stroke-width="4" stroke={colour}/>'
        return f'<g class="arrow" opacity="0.8">{ring}</g>'
    # the head ends a little before the middle of its square, the line in the middle of the head
    dx, dy = (x - x0) / length, (y - y0) / length
    tip = x + dx * 4, y + dy * 4
    base = tip[0] - dx * 17, tip[1] - dy * 17
    head = [tip, (base[0] - dy * 10, base[1] + dx * 10), (base[0] + dy * 10, base[1] - dx * 10)]
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in [*points[:-1], (base[0] + dx, base[1] + dy)])
    return (
        f'<g class="arrow" opacity="0.8"><polyline points="{line}" fill="none" stroke={colour} stroke-width="7" '
        f'stroke-linejoin="round" stroke-linecap="butt"/>'
        f'<polygon points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in head)}" fill={colour}/></g>'
    )


def _label(text: str, x: float, y: float) -> str:
    """Text on a pale strip at the bottom of its square, readable on any colour."""
    width = min(CELL - 2, 6.2 * len(text) + 6)
    return (
        f'<g class="label"><rect x="{x - width / 2:g}" y="{y + 8.5:g}" width="{width:g}" height="13" rx="3" '
        f'fill="#ffffff" opacity="0.85"/><text x="{x:g}" y="{y + 18.5:g}" font-size="10.5" font-family="sans-serif" '
        f'text-anchor="middle" fill="#111111">{escape(text)}</text></g>'
    )
