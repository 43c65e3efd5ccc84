"""CheckerBoard's user book: boards, and the move that is to be played there.

CheckerBoard (github.com/eygilbert/CheckerBoard) reads the first MOST_ENTRIES of `userbook.bin` when it starts. An
entry is its structs `pos` and `CBmove`, of 32-bit numbers: black men, black kings, white men, white kings, bit 0 at
x = 0, y = 0 and bit 4y + x // 2 elsewhere; the number of captured pieces, the moving piece after and before the move,
the coordinates from and to, those of the 12 squares of the path from the second on, of 12 captured pieces, and these.
Square 1 is at x = 6, y = 0. There is no side to move: that of the moving piece.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kr.book.book import MOST_BOOK_BYTES
from kr.errors import IllegalMoveError, InvalidBookError, InvalidFenError
from kr.file_kinds import USERBOOK_ENTRY
from kr.game.position import Move, Position, Side
from kr.notation import squares
from kr.storage import read_regular

MOST_ENTRIES = 10_000
"""Entries that CheckerBoard reads."""
_PATH = 12
_WHITE, _BLACK, _MAN, _KING = 1, 2, 4, 8
_NOWHERE = (0, 0)
_FROM, _TO, _CAPTURED = 7, 9, 11 + 2 * _PATH
"""Places of numbers in an entry."""


def userbook_entries(moves: Iterable[tuple[Position, Move]]) -> list[bytes]:
    """Moves as entries of a user book, the first of each board, as many as CheckerBoard reads."""
    entries: dict[tuple[int, int, int], bytes] = {}
    for position, move in moves:
        black, white, kings, _ = position.bits
        # without a side to move a board stands for one position
        if (black, white, kings) not in entries:
            entries[black, white, kings] = userbook_entry(position, move)
            if len(entries) == MOST_ENTRIES:
                break
    return list(entries.values())


def read_userbook(path: Path) -> tuple[dict[Position, Move], list[int]]:
    """The moves of a user book by position, and the numbers, from 1, of the entries that are not a legal move.

    Raises InvalidBookError if none is, OSError.
    """
    content = read_regular(path, MOST_BOOK_BYTES)
    moves: dict[Position, Move] = {}
    wrong: list[int] = []
    for number, numbers in enumerate(USERBOOK_ENTRY.iter_unpack(content), 1):
        try:
            position, move = _read_entry(numbers)
        except (InvalidFenError, IllegalMoveError, IndexError):
            wrong.append(number)
        else:
            moves.setdefault(position, move)
    if not moves:
        raise InvalidBookError(f"{path}: a user book of CheckerBoard, but none of its {len(wrong):,} moves is legal")
    return moves, wrong


def _read_entry(numbers: tuple[int, ...]) -> tuple[Position, Move]:
    """Raises InvalidFenError, IllegalMoveError and IndexError for what can't be."""
    black_men, black_kings, white_men, white_kings = map(_turned_rows, numbers[:4])
    count, _, piece = numbers[4:_FROM]
    if not 0 <= count <= _PATH or piece & (_BLACK | _WHITE) not in (_BLACK, _WHITE):
        raise IndexError("not a move")
    position = Position(
        black_men | black_kings, white_men | white_kings, black_kings | white_kings,
        Side.BLACK if piece & _BLACK else Side.WHITE,
    )  # fmt: skip
    places = [(numbers[at], numbers[at + 1]) for at in (_FROM, _TO, *range(_CAPTURED, _CAPTURED + 2 * count, 2))]
    origin, target, *captured = map(_square, places)
    return position, position.find_move(origin, target, sum(1 << square for square in captured))


def userbook_entry(position: Position, move: Move) -> bytes:
    """The entry of a move."""
    black, white, kings, _ = position.bits
    boards = (black & ~kings, black & kings, white & ~kings, white & kings)
    captured = list(squares(move.captured))
    path = [_NOWHERE, *map(_place, move.path[1:_PATH])]
    numbers = list(map(_turned_rows, boards))
    numbers += [len(captured), _piece(position.play(move), move.target), _piece(position, move.origin)]
    for x, y in (_place(move.origin), _place(move.target), *_filled(path), *_filled(list(map(_place, captured)))):
        numbers += (x, y)
    numbers += [_piece(position, square) for square in captured]
    return USERBOOK_ENTRY.pack(*numbers, *[0] * (USERBOOK_ENTRY.size // 4 - len(numbers)))


def _filled(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return places + [_NOWHERE] * (_PATH - len(places))


def _place(square: int) -> tuple[int, int]:
    """Coordinates of a square 0-31."""
    row = square // 4
    return 2 * (3 - square % 4) + row % 2, row


def _square(place: tuple[int, int]) -> int:
    """The square of coordinates. Raises IndexError."""
    x, y = place
    if not (0 <= x < 8 and 0 <= y < 8 and x % 2 == y % 2):
        raise IndexError(f"no square at {x}, {y}")
    return 4 * y + 3 - x // 2


def _turned_rows(board: int) -> int:
    """A bitboard with the squares of each row in the opposite order."""
    return sum(1 << (square // 4 * 4 + 3 - square % 4) for square in squares(board))


def _piece(position: Position, square: int) -> int:
    black, _, kings, _ = position.bits
    return (_BLACK if black >> square & 1 else _WHITE) | (_KING if kings >> square & 1 else _MAN)
