"""CheckerBoard's user book: boards, and the move that is to be played there.

CheckerBoard (github.com/eygilbert/CheckerBoard) reads the first MOST_ENTRIES of `userbook.bin` when it starts. An
entry is its structs `pos` and `CBmove`, of 32-bit numbers: black men, black kings, white men, white kings, bit 0 at
x = 0, y = 0 and bit 4y + x // 2 elsewhere; the number of captured pieces, the moving piece after and before the move,
the coordinates from and to, those of the 12 squares of the path from the second on, of 12 captured pieces, and these.
Square 1 is at x = 6, y = 0. There is no side to move.
"""

from __future__ import annotations

import heapq
import struct
from collections.abc import Iterator

from kr.book.frame import BookKey, book_key
from kr.game.position import Move, Position, Side
from kr.notation import squares
from kr.theory.contents import BookContents, TheoryMove
from kr.theory.graph import LOSS_OF_A_PLY, PEOPLE_PLAY

MOST_ENTRIES = 10_000
"""Entries that CheckerBoard reads."""
USERBOOK_ENTRY = struct.Struct("<71i")
_BOARD = struct.Struct("<4I")
_PATH = 12
_WHITE, _BLACK, _MAN, _KING = 1, 2, 4, 8
_NOWHERE = (0, 0)


def userbook_entries(contents: BookContents) -> list[bytes]:
    """A book as entries of a user book: the best move of each board, those nearest to the openings by what both sides
    give away."""
    entries: dict[tuple[int, int, int], bytes] = {}
    for position, best in _nearest(contents):
        black, white, kings, _ = position.bits
        # without a side to move a board stands for one position
        if (black, white, kings) not in entries:
            entries[black, white, kings] = userbook_entry(position, best.move)
            if len(entries) == MOST_ENTRIES:
                break
    return list(entries.values())


def _nearest(contents: BookContents) -> Iterator[tuple[Position, TheoryMove]]:
    """The positions of a book with either side to move, and the best move, by what leads to them."""
    seen: set[tuple[BookKey, Side]] = set()
    waiting = [(0.0, order, opening.position) for order, opening in enumerate(contents.openings)]
    heapq.heapify(waiting)
    order = len(waiting)
    while waiting:
        cost, _, position = heapq.heappop(waiting)
        key = (book_key(position), position.side)
        moves = contents.moves(position)
        best = moves[0].value if moves else None
        if key in seen or best is None:
            continue
        seen.add(key)
        yield position, moves[0]
        for each in moves:
            if each.value is None:
                continue
            step = 1 + (best - each.value) / LOSS_OF_A_PLY
            order += 1
            heapq.heappush(
                waiting, (cost + (step / 2 if each.games >= PEOPLE_PLAY else step), order, position.play(each.move))
            )


def userbook_entry(position: Position, move: Move) -> bytes:
    """The entry of a move."""
    black, white, kings, _ = position.bits
    boards = (black & ~kings, black & kings, white & ~kings, white & kings)
    captured = list(squares(move.captured))
    path = [_NOWHERE, *map(_place, move.path[1:_PATH])]
    numbers = [len(captured), _piece(position.play(move), move.target), _piece(position, move.origin)]
    for x, y in (_place(move.origin), _place(move.target), *_filled(path), *_filled(list(map(_place, captured)))):
        numbers += (x, y)
    numbers += [_piece(position, square) for square in captured]
    numbers += [0] * (USERBOOK_ENTRY.size // 4 - 4 - len(numbers))
    return _BOARD.pack(*map(_their_bits, boards)) + struct.pack(f"<{len(numbers)}i", *numbers)


def _filled(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return places + [_NOWHERE] * (_PATH - len(places))


def _place(square: int) -> tuple[int, int]:
    """Coordinates of a square 0-31."""
    row = square // 4
    return 2 * (3 - square % 4) + row % 2, row


def _their_bits(board: int) -> int:
    """A bitboard with the squares of each row in their order."""
    return sum(1 << (square // 4 * 4 + 3 - square % 4) for square in squares(board))


def _piece(position: Position, square: int) -> int:
    black, _, kings, _ = position.bits
    return (_BLACK if black >> square & 1 else _WHITE) | (_KING if kings >> square & 1 else _MAN)
