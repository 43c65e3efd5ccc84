"""Positions and moves of English draughts, over the compiled rules."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from kr import _core
from kr.errors import IllegalMoveError, InvalidFenError, InvalidSettingError
from kr.notation import (
    SIDE_NAMES,
    SQUARES,
    check_board,
    draw_board,
    format_fen,
    format_path,
    parse_fen,
    parse_path,
    parse_square,
)
from kr.notation import squares as bits_squares

START_BLACK = 0x00000FFF
START_WHITE = 0xFFF00000

Bits = tuple[int, int, int, int]
"""A position in the form of the compiled core: black, white, kings and the side to move."""


class Side(IntEnum):
    """The two players; Black moves first."""

    BLACK = 0
    WHITE = 1

    @property
    def other(self) -> Side:
        """The opponent."""
        return Side(1 - self)


class Piece(StrEnum):
    """A piece on the board; its text is its character in a diagram."""

    BLACK_MAN = "b"
    BLACK_KING = "B"
    WHITE_MAN = "w"
    WHITE_KING = "W"

    @property
    def side(self) -> Side:
        """The side that the piece belongs to."""
        return Side.BLACK if self in (Piece.BLACK_MAN, Piece.BLACK_KING) else Side.WHITE

    @property
    def is_king(self) -> bool:
        """True for a king."""
        return self in (Piece.BLACK_KING, Piece.WHITE_KING)


@dataclass(frozen=True, slots=True, repr=False)
class Move:
    """A legal move. ``str(move)`` is its PDN text, ``repr(move)`` names every square where it lands.

    Moves with equal origin, target and captured pieces lead to the same position.
    """

    path: tuple[int, ...]
    """Squares 0-31: where the move begins, every landing square, where it ends."""
    captured: int = 0
    """Bitboard of the pieces taken, bit s for square s; 0 for a quiet move."""
    whole: bool = field(default=False, compare=False)
    """True if the text shows every landing square because another legal move has the same origin and target."""

    @property
    def origin(self) -> int:
        """The square 0-31 where the move begins."""
        return self.path[0]

    @property
    def target(self) -> int:
        """The square 0-31 where the move ends."""
        return self.path[-1]

    @property
    def squares(self) -> tuple[int, int, int]:
        """Origin, target and captured pieces, by which the compiled core knows it."""
        return self.path[0], self.path[-1], self.captured

    @property
    def is_capture(self) -> bool:
        """True for a capture."""
        return self.captured != 0

    def __str__(self) -> str:
        return format_path(self.path if self.whole else (self.path[0], self.path[-1]), self.is_capture)

    def __repr__(self) -> str:
        return f"<Move {format_path(self.path, self.is_capture)}>"

    def _repr_svg_(self) -> str:
        """The move as notebooks show it: an arrow, and rings where it takes pieces."""
        from kr import svg

        taken = [svg.Arrow((square,), "highlight") for square in bits_squares(self.captured)]
        return svg.board(arrows=[*taken, svg.Arrow.of(self)], size=svg.SHOWN)


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """An immutable, hashable position: three 32-bit bitboards and the side to move.

    ``Position()`` is the start of the game, Black to move. If any bitboard is given, the others default to empty.
    Raises InvalidFenError for an impossible board. ``Position.from_fen`` reads text.
    """

    black: int = None  # type: ignore[assignment]  # None marks one that was not given
    """Bitboard of Black's men and kings, bit s for square s (0-31)."""
    white: int = None  # type: ignore[assignment]
    """Bitboard of White's men and kings."""
    kings: int = None  # type: ignore[assignment]
    """Bitboard of the kings of both sides."""
    side: Side = Side.BLACK
    """The side to move."""

    def __post_init__(self) -> None:
        if not type(self.black) is type(self.white) is type(self.kings) is int:
            self._complete()
        if self.side not in (0, 1):
            raise InvalidFenError(f"the side to move is {self.side!r}, not 0 (Black) or 1 (White)")
        check_board(self.black, self.white, self.kings)
        object.__setattr__(self, "side", Side(self.side))

    def _complete(self) -> None:
        """Fill in missing bitboards, and convert numbers such as numpy's to int."""
        bitboards = {"black": self.black, "white": self.white, "kings": self.kings}
        if all(bits is None for bits in bitboards.values()):
            bitboards = {"black": START_BLACK, "white": START_WHITE, "kings": 0}
        for name, bits in bitboards.items():
            try:
                object.__setattr__(self, name, 0 if bits is None else operator.index(bits))
            except TypeError:
                expected = "a whole number, bit s for square s; Position.from_fen reads text such as W:W21,K30:B1,2"
                raise InvalidFenError(f"the bitboard {name} is {bits!r}, not {expected}") from None

    @classmethod
    def from_fen(cls, text: str) -> Position:
        """Read a FEN such as ``W:W21,K30:B1,2`` (every form of kr.notation.parse_fen); raises InvalidFenError."""
        black, white, kings, side = parse_fen(text)
        return cls(black, white, kings, Side(side))

    @classmethod
    def from_bits(cls, bits: Bits) -> Position:
        """The position of bitboards and a side to move, in the form of `bits`. Raises InvalidFenError."""
        return cls(*bits)  # type: ignore[arg-type]  # a number is taken for the side as well

    @property
    def bits(self) -> Bits:
        """Bitboards of Black, White and the kings, and the side to move (0 Black, 1 White)."""
        return self.black, self.white, self.kings, int(self.side)

    @property
    def fen(self) -> str:
        """The canonical FEN."""
        return format_fen(self.black, self.white, self.kings, self.side)

    @property
    def key(self) -> int:
        """The 64-bit hash of the position."""
        return _core.position_key(*self.bits)

    @property
    def pieces(self) -> int:
        """Number of pieces of both sides."""
        return (self.black | self.white).bit_count()

    @property
    def is_over(self) -> bool:
        """True if the side to move has no legal move and has therefore lost."""
        return not self._moves()

    def piece_at(self, square: int | str) -> Piece | None:
        """The piece on a square, an int 0-31 or text "1" to "32"; None if it is empty. Raises InvalidSettingError."""
        try:
            index = parse_square(square) if isinstance(square, str) else operator.index(square)
        except (TypeError, ValueError):
            index = -1
        if not 0 <= index < SQUARES:
            raise InvalidSettingError(f'square {square!r} does not exist: give 0 to 31, or text "1" to "32"')
        if not (self.black | self.white) >> index & 1:
            return None
        king = self.kings >> index & 1
        if self.black >> index & 1:
            return Piece.BLACK_KING if king else Piece.BLACK_MAN
        return Piece.WHITE_KING if king else Piece.WHITE_MAN

    def is_legal(self, move: Move | str) -> bool:
        """True if a move, or its text, is legal here and unambiguous."""
        if isinstance(move, Move):
            return (move.path, move.captured) in self._moves()
        try:
            self.parse_move(move)
        except IllegalMoveError:
            return False
        return True

    def legal_moves(self) -> list[Move]:
        """Legal moves; captures of the same pieces along different paths are listed separately."""
        paths = self._moves()
        return [self._move(path, captured, paths) for path, captured in paths]

    def moves_named(self, text: str) -> list[Move]:
        """The legal moves of a PDN text, leading to different positions: one, unless it is ambiguous.

        The text gives origin and target, and may give landing squares between them. A text with every square of a move
        means that move, even if the squares are also part of a longer capture. Raises IllegalMoveError, naming the
        legal moves, if nothing matches.
        """
        squares, paths = parse_path(text), self._moves()
        exact = [entry for entry in paths if entry[0] == squares]
        matches = {entry[1]: entry for entry in exact or reversed(paths) if _follows(squares, entry[0])}
        if not matches:
            raise IllegalMoveError(f"{''.join(text.split())} is not legal: {self._choices()}")
        return [self._move(path, captured, paths) for path, captured in reversed(matches.values())]

    def parse_move(self, text: str) -> Move:
        """The legal move of a PDN text. Raises IllegalMoveError if there is none, or more than one."""
        moves = self.moves_named(text)
        if len(moves) > 1:
            raise IllegalMoveError(f"{''.join(text.split())} is ambiguous: write {' or '.join(map(str, moves))}")
        return moves[0]

    def find_move(self, origin: int, target: int, captured: int = 0) -> Move:
        """The legal move with these squares (0-31) and captured bitboard. Raises IllegalMoveError if there is none."""
        paths = self._moves()
        for path, pieces in paths:
            if path[0] == origin and path[-1] == target and pieces == captured:
                return self._move(path, pieces, paths)
        raise IllegalMoveError(f"{format_path((origin, target), captured != 0)} is not legal: {self._choices()}")

    def play(self, move: Move | str) -> Position:
        """The position after a legal move, given as a Move or its text. Raises IllegalMoveError."""
        if isinstance(move, str):
            move = self.parse_move(move)
        elif not isinstance(move, Move):
            raise IllegalMoveError(f"{move!r} is not a move: play a Move, or text such as 11-15")
        elif (move.path, move.captured) not in self._moves():
            raise IllegalMoveError(f"{format_path(move.path, move.is_capture)} is not legal: {self._choices()}")
        after = _core.play(*self.bits, move.origin, move.target, move.captured)
        return Position.from_bits(after)

    def flipped(self) -> Position:
        """The position with the board turned by 180 degrees and the colours swapped."""
        return Position(turned_bits(self.white), turned_bits(self.black), turned_bits(self.kings), self.side.other)

    def diagram(self) -> str:
        """The board as text: square numbers, men b and w, kings B and W, and the side to move."""
        board = draw_board(self.black, self.white, self.kings)
        return f"{board}\n{SIDE_NAMES[self.side]} to move"

    def __repr__(self) -> str:
        return f"Position.from_fen({self.fen!r})"

    def _repr_svg_(self) -> str:
        """The board as notebooks show it."""
        from kr import svg

        return svg.board(self, size=svg.SHOWN)

    def _moves(self) -> list[tuple[tuple[int, ...], int]]:
        return _core.legal_moves(*self.bits)

    @staticmethod
    def _move(path: tuple[int, ...], captured: int, paths: list[tuple[tuple[int, ...], int]]) -> Move:
        """A legal move, written in full if another one has the same origin and target."""
        alike = sum(other[0] == path[0] and other[-1] == path[-1] for other, _ in paths) if captured else 1
        return Move(path, captured, alike > 1)

    def _choices(self) -> str:
        moves = ", ".join(str(move) for move in self.legal_moves())
        name = SIDE_NAMES[self.side]
        return f"{name}'s legal moves are {moves}" if moves else f"{name} has no legal move, the game is over"


def _follows(squares: tuple[int, ...], path: tuple[int, ...]) -> bool:
    """True if a move's squares begin, end and pass in order through the squares that its text names."""
    if squares[0] != path[0] or squares[-1] != path[-1]:
        return False
    if len(squares) == 2:
        return True
    between = iter(path[1:-1])
    return all(square in between for square in squares[1:-1])


def turned_bits(bits: int) -> int:
    """Bits of the board turned by 180 degrees."""
    return int(f"{bits:032b}"[::-1], 2)
