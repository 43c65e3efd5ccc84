"""The text of DXP v01: messages, splitting a stream of bytes into messages, and positions.

A message is 1 to 127 ASCII characters with fields of fixed width, ended by a NUL on the wire. Colours are ``W`` and
``Z`` (zwart, Black); positions have one of ``w W z Z e`` for each square, capitals for kings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kr.errors import ProtocolError
from kr.game.position import Move, Position, Side
from kr.notation import SQUARES, parse_square, square_name, squares
from kr.protocols.text import Frame, read_squares, shown, write_squares

VERSION = 1
PORT = 27531
LONGEST_MESSAGE = 127
"""Most characters of a message, without the NUL."""
NAME_WIDTH = 32
MOST_SECONDS = 9999

ACCEPTED, WRONG_VERSION, WRONG_GAME, NO_GAME = range(4)
"""Codes of a GameAccept."""
UNKNOWN, I_LOSE, DRAW, I_WIN = range(4)
"""Reasons of a GameEnd."""
BACK_ACCEPTED, BACK_UNSUPPORTED, BACK_REFUSED = range(3)
"""Codes of a BackAccept."""

_SIDE_LETTERS = "ZW"
_POSITION = re.compile("[wWzZe]*")
_BLANKS = " \t\r\n"
_UNPRINTABLE = re.compile(r"[^\x20-\x7e]")


@dataclass(frozen=True, slots=True)
class GameRequest:
    """Request for a game, by the initiator."""

    name: str
    """Name of the initiator."""
    follower: Side
    """Side that the follower plays."""
    minutes: int = 0
    """Time of each player for the whole game; 0 for no clock."""
    moves: int = 0
    """Moves of each player after which the game may be ended; 0 for no limit."""
    side: Side | None = None
    """Side to move; None if no position is sent, which means the usual start with White to move."""
    position: str = ""
    """A character for each square; "" if no position is sent."""
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class GameAccept:
    """Answer of the follower to a request."""

    name: str
    """Name of the follower."""
    code: int = ACCEPTED
    """ACCEPTED, WRONG_VERSION, WRONG_GAME or NO_GAME."""


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A move."""

    seconds: int
    """Time spent on the move."""
    origin: int
    """Square 0-31."""
    target: int
    """Square 0-31."""
    captured: tuple[int, ...] = ()
    """Squares 0-31 of the captured pieces, in any order."""


@dataclass(frozen=True, slots=True)
class GameEnd:
    """End of the game, sent instead of a move, and the answer to it."""

    reason: int = UNKNOWN
    """UNKNOWN, I_LOSE, DRAW or I_WIN."""
    stop: bool = False
    """True if the sender wants no further game."""


@dataclass(frozen=True, slots=True)
class Chat:
    """Free text."""

    text: str


@dataclass(frozen=True, slots=True)
class BackRequest:
    """Request to go back to an earlier position of the game."""

    number: int
    """Number of the move, from 1; the first moves of both sides are number 1."""
    side: Side
    """Side to move there."""


@dataclass(frozen=True, slots=True)
class BackAccept:
    """Answer to a request to go back."""

    code: int
    """BACK_ACCEPTED, BACK_UNSUPPORTED or BACK_REFUSED."""


Message = GameRequest | GameAccept | MoveMade | GameEnd | Chat | BackRequest | BackAccept


class MessageSplitter:
    """Splits a stream of bytes into messages."""

    def __init__(self) -> None:
        self._rest = b""

    @property
    def is_inside(self) -> bool:
        """True if a message has begun and not ended."""
        return bool(self._rest)

    def feed(self, content: bytes) -> list[str]:
        """Messages completed by these bytes; empty ones are left out.

        Raises ProtocolError for a message that is too long or not ASCII. The stream can't be split any further then.
        """
        *ended, self._rest = (self._rest + content).split(b"\0")
        texts = [_decoded(message) for message in ended]
        _decoded(self._rest)
        return [text for text in texts if text]


def _decoded(message: bytes) -> str:
    if len(message) > LONGEST_MESSAGE:
        raise ProtocolError(
            f"a message of more than {LONGEST_MESSAGE} characters: {shown(message[:LONGEST_MESSAGE].decode('latin-1'))}"
        )
    try:
        return message.decode("ascii")
    except UnicodeDecodeError:
        raise ProtocolError(f"bytes that are not ASCII text: {shown(message.decode('latin-1'))}") from None


class _Fields:
    """Reads the fields of one message from left to right. Blanks after the last field are ignored."""

    def __init__(self, text: str, kind: str) -> None:
        self._text = text
        self._kind = kind
        self._at = 1

    def take(self, width: int, pattern: str, expected: str) -> str:
        field = self._text[self._at : self._at + width]
        if len(field) != width or not re.fullmatch(pattern, field, re.DOTALL):
            raise ProtocolError(
                f"{self._kind} {shown(self._text)}: {shown(field)} at character {self._at + 1} is not {expected}"
            )
        self._at += width
        return field

    def number(self, width: int, expected: str) -> int:
        return int(self.take(width, "[0-9]+", f"{expected} in {width} digits"))

    def code(self, most: int, expected: str) -> int:
        return int(self.take(1, f"[0-{most}]", f"{expected} from 0 to {most}"))

    def side(self, expected: str) -> Side:
        return Side(_SIDE_LETTERS.index(self.take(1, "[WZ]", f"{expected}, W or Z")))

    def square(self) -> int:
        text = self.take(2, "[0-9]{2}", "a square in two digits")
        try:
            return parse_square(text)
        except ValueError as error:
            raise ProtocolError(f"{self._kind} {shown(self._text)}: {error}") from None

    def name(self) -> str:
        return _printable(self.take(NAME_WIDTH, ".*", f"a name of {NAME_WIDTH} characters").strip())

    def rest(self) -> str:
        rest, self._at = self._text[self._at :], len(self._text)
        return rest

    def end(self) -> None:
        if rest := self.rest().strip(_BLANKS):
            raise ProtocolError(f"{self._kind} {shown(self._text)}: {shown(rest)} after its end")


def parse_message(text: str) -> Message:
    """Parse a message. Unprintable characters in names and chat become ``?``.

    Raises ProtocolError, naming the invalid field.
    """
    kind = text[:1]
    if kind not in _READERS or not kind:
        raise ProtocolError(f"{shown(text)} is not a message, which begins with one of {' '.join(_READERS)}")
    name, read = _READERS[kind]
    fields = _Fields(text, name)
    message = read(fields)
    fields.end()
    return message


def _read_request(fields: _Fields) -> GameRequest:
    version = fields.number(2, "a version")
    name = fields.name()
    follower = fields.side("the follower's colour")
    minutes = fields.number(3, "minutes")
    moves = fields.number(3, "a number of moves")
    if fields.take(1, "[AB]", "A or B, the start") == "A":
        return GameRequest(name, follower, minutes, moves, version=version)
    side = fields.side("the side to move")
    position = fields.rest().rstrip(_BLANKS)
    if not position or not _POSITION.fullmatch(position):
        raise ProtocolError(f"GAMEREQ: position {shown(position)} is not one of w W z Z e for each square")
    return GameRequest(name, follower, minutes, moves, side, position, version)


def _read_accept(fields: _Fields) -> GameAccept:
    return GameAccept(fields.name(), fields.code(3, "a code"))


def _read_move(fields: _Fields) -> MoveMade:
    seconds = fields.number(4, "seconds")
    origin, target = fields.square(), fields.square()
    count = fields.number(2, "a number of captured pieces")
    return MoveMade(seconds, origin, target, tuple(fields.square() for _ in range(count)))


def _read_end(fields: _Fields) -> GameEnd:
    return GameEnd(fields.code(3, "a reason"), fields.code(1, "a stop code") == 1)


def _read_chat(fields: _Fields) -> Chat:
    return Chat(_printable(fields.rest()))


def _read_back_request(fields: _Fields) -> BackRequest:
    return BackRequest(fields.number(3, "a move number"), fields.side("the side to move"))


def _read_back_accept(fields: _Fields) -> BackAccept:
    return BackAccept(fields.code(2, "a code"))


_READERS: dict[str, tuple[str, Callable[[_Fields], Message]]] = {
    "R": ("GAMEREQ", _read_request),
    "A": ("GAMEACC", _read_accept),
    "M": ("MOVE", _read_move),
    "E": ("GAMEEND", _read_end),
    "C": ("CHAT", _read_chat),
    "B": ("BACKREQ", _read_back_request),
    "K": ("BACKACC", _read_back_accept),
}


def format_message(message: Message) -> str:
    """Format a message, without its NUL.

    Names and chat are cut to fit, with ``?`` for characters that are not printable ASCII. Seconds end at 9999. Raises
    ProtocolError for any other number that does not fit into its field.
    """
    match message:
        case GameRequest():
            head = f"R{_digits(message.version, 2)}{_name(message.name)}{_SIDE_LETTERS[message.follower]}"
            terms = f"{_digits(message.minutes, 3)}{_digits(message.moves, 3)}"
            if message.side is None:
                return f"{head}{terms}A"
            return f"{head}{terms}B{_SIDE_LETTERS[message.side]}{message.position}"
        case GameAccept():
            return f"A{_name(message.name)}{_digits(message.code, 1)}"
        case MoveMade():
            ends = f"{_square(message.origin)}{_square(message.target)}"
            captured = "".join(map(_square, message.captured))
            seconds = min(message.seconds, MOST_SECONDS)
            return f"M{_digits(seconds, 4)}{ends}{_digits(len(message.captured), 2)}{captured}"
        case GameEnd():
            return f"E{_digits(message.reason, 1)}{message.stop:d}"
        case Chat():
            return f"C{_printable(message.text)[: LONGEST_MESSAGE - 1]}"
        case BackRequest():
            return f"B{_digits(message.number, 3)}{_SIDE_LETTERS[message.side]}"
        case BackAccept():
            return f"K{_digits(message.code, 1)}"


def parse_dxp_position(text: str, side: Side, frame: Frame = "pdn") -> Position:
    """Parse a position: a character for each square, with `side` to move. frame: of the peer.

    Raises ProtocolError for a wrong number of squares, InvalidFenError for an impossible board.
    """
    if len(text) != SQUARES:
        raise ProtocolError(f"position of {len(text)} squares: expected {SQUARES}, as English draughts has")
    return _in_frame(Position(*read_squares(text, "z"), side), frame)


def format_dxp_position(position: Position, frame: Frame = "pdn") -> str:
    """Format a position as a character for each square, without the side to move. frame: of the peer."""
    return write_squares(_in_frame(position, frame), "z")


def _in_frame(position: Position, frame: Frame) -> Position:
    if frame == "pdn":
        return position
    turned = position.flipped()
    return Position(turned.black, turned.white, turned.kings, position.side)


def format_dxp_move(move: Move, seconds: float = 0.0) -> MoveMade:
    """Message of a move that took `seconds`."""
    return MoveMade(round(seconds), move.origin, move.target, tuple(squares(move.captured)))


def find_move(message: MoveMade, position: Position) -> Move:
    """Legal move of a message. Raises IllegalMoveError, naming the legal moves."""
    return position.find_move(message.origin, message.target, sum(1 << square for square in set(message.captured)))


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub("?", text)


def _name(name: str) -> str:
    return _printable(name.strip())[:NAME_WIDTH].ljust(NAME_WIDTH)


def _digits(number: int, width: int) -> str:
    if not 0 <= number < 10**width:
        raise ProtocolError(f"{number} does not fit into {width} digits")
    return f"{number:0{width}d}"


def _square(square: int) -> str:
    return square_name(square).zfill(2)
