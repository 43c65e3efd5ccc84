"""Commands in comments: clocks, and the arrows and circles that are drawn on the board.

    [%clk 0:04:59]  [%clock w0:10:00 B0:09:57]  [%emt 3.2]
    [%cal G11-15,R1518,Yc3d4]                   arrows: colour, from, to
    [%csl G18,R05,Yc3]                          circles: colour, square

Squares are numbers, of two digits where nothing stands between them, or letters: a1 is square 4, in the corner to the
left of the player who begins. Colours are G (green), R (red), Y (yellow) and B (blue). A command of another form is
text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kr.game.position import Side
from kr.notation import SQUARES, letters_square

SHAPE_COLOURS = "GRYB"
"""Colours of arrows and circles."""

_SQUARE = r"(?:\d{1,2}|[a-h][1-8])"
_ARROW = re.compile(
    rf"([{SHAPE_COLOURS}])(?:({_SQUARE})[-x:]({_SQUARE})|(\d\d|[a-h][1-8])(\d\d|[a-h][1-8]))", re.IGNORECASE
)
_CIRCLE = re.compile(rf"([{SHAPE_COLOURS}])({_SQUARE})", re.IGNORECASE)
_DRAWN = re.compile(r"\[%(cal|csl)\s++([^\[\]]*)\]")
_SIDED = r"[wWbB]?(?:(?:\d{1,6}:)?\d{1,6}:)?\d{1,9}(?:\.\d{1,9})?"
CLOCK = re.compile(rf"\[%(?:clk|clock)\s++({_SIDED})(?:[\s,]++({_SIDED}))?\s*+\]")
"""Time left to the player who moved, or to each side named."""
MOVE_TIME = re.compile(rf"\[%emt\s++({_SIDED})\s*+\]")
"""Time that a move took."""


class DrawnArrow(NamedTuple):
    """An arrow between two squares, 0-31."""

    colour: str
    """G, R, Y or B."""
    origin: int
    target: int


class DrawnCircle(NamedTuple):
    """A circle round a square, 0-31."""

    colour: str
    """G, R, Y or B."""
    square: int


class ClockTime(NamedTuple):
    """Seconds left on a clock."""

    side: Side | None
    """Owner of the clock; None for the player who moved."""
    seconds: float


@dataclass(frozen=True, slots=True)
class CommentParts:
    """A comment taken apart."""

    text: str
    """The comment without its clocks, arrows and circles."""
    clocks: tuple[ClockTime, ...] = ()
    arrows: tuple[DrawnArrow, ...] = ()
    circles: tuple[DrawnCircle, ...] = ()


def split_comment(comment: str) -> CommentParts:
    """Split a comment into its text, clocks, arrows and circles; other commands, such as [%eval 0.3], stay text."""
    text, arrows, circles = split_drawn(comment)
    return CommentParts(_without(CLOCK, text), clock_times(comment), arrows, circles)


def split_drawn(comment: str) -> tuple[str, tuple[DrawnArrow, ...], tuple[DrawnCircle, ...]]:
    """A comment without its arrows and circles, the arrows, and the circles."""
    if "[%c" not in comment:
        return comment, (), ()
    arrows: list[DrawnArrow] = []
    circles: list[DrawnCircle] = []

    def collect(match: re.Match[str]) -> str:
        items = [item for item in re.split(r"[\s,]+", match[2]) if item]
        shapes = [_arrow(item) if match[1] == "cal" else _circle(item) for item in items]
        if not shapes or None in shapes:
            return match[0]
        for each in shapes:
            if isinstance(each, DrawnArrow):
                arrows.append(each)
            elif isinstance(each, DrawnCircle):
                circles.append(each)
        return " "

    text = _DRAWN.sub(collect, comment)
    if arrows or circles:
        text = re.sub(" {2,}", " ", text).strip()
    return text, tuple(dict.fromkeys(arrows)), tuple(dict.fromkeys(circles))


def clock_times(comment: str) -> tuple[ClockTime, ...]:
    """Times left, from the first clock command of a comment."""
    match = CLOCK.search(comment) if "[%cl" in comment else None
    if match is None:
        return ()
    return tuple(_clock_time(text) for text in match.groups() if text)


def move_time(comment: str) -> float | None:
    """Seconds that a move took, from a comment such as [%emt 3.2]; None without such a command."""
    match = MOVE_TIME.search(comment)
    return _clock_time(match[1]).seconds if match else None


def with_time(comments: Sequence[str], pattern: re.Pattern[str], name: str, seconds: float | None) -> list[str]:
    """Comments whose command of this name has these seconds, before all others; None removes it.

    pattern: CLOCK or MOVE_TIME, of which the command is one.
    """
    rest = [pattern.sub("", each).strip() or None if pattern.search(each) else each for each in comments]
    others = [each for each in rest if each is not None]
    return others if seconds is None else [f"[%{name} {_clock_text(seconds)}]", *others]


def _clock_text(seconds: float) -> str:
    """h:mm:ss, with fractions of a second if there are any."""
    whole = round(max(seconds, 0.0), 3)
    minutes, rest = divmod(whole, 60)
    text = f"{rest:06.3f}".rstrip("0").rstrip(".")
    return f"{int(minutes) // 60}:{int(minutes) % 60:02d}:{text.zfill(2)}"


def _clock_time(text: str) -> ClockTime:
    letter = text[0].upper()
    side = {"W": Side.WHITE, "B": Side.BLACK}.get(letter)
    hours, minutes, seconds = ["0", "0", *(text if side is None else text[1:]).split(":")][-3:]
    return ClockTime(side, int(hours) * 3600 + int(minutes) * 60 + float(seconds))


def _without(pattern: re.Pattern[str], text: str) -> str:
    return re.sub(" {2,}", " ", pattern.sub(" ", text)).strip() if pattern.search(text) else text


def _arrow(text: str) -> DrawnArrow | None:
    match = _ARROW.fullmatch(text)
    if match is None:
        return None
    origin, target = (_square(each) for each in match.groups()[1:] if each)
    return (
        None if origin is None or target is None or origin == target else DrawnArrow(match[1].upper(), origin, target)
    )


def _circle(text: str) -> DrawnCircle | None:
    match = _CIRCLE.fullmatch(text)
    square = _square(match[2]) if match else None
    return None if match is None or square is None else DrawnCircle(match[1].upper(), square)


def _square(text: str) -> int | None:
    """Square 0-31 from its number or letters; None if there is no such square."""
    if text.isdecimal():
        return int(text) - 1 if 1 <= int(text) <= SQUARES else None
    return letters_square(text.lower())
