"""The rules of English draughts in plain, slow Python, to check the compiled core against.

A board is a dict from square (0-31) to one of b w (men) and B W (kings); nothing here uses bitboards except
the two functions that translate to and from them.
"""

from __future__ import annotations

Board = dict[int, str]
Move = tuple[tuple[int, ...], frozenset[int]]

BLACK, WHITE = 0, 1
START: Board = dict.fromkeys(range(12), "b") | dict.fromkeys(range(20, 32), "w")


def place(square: int) -> tuple[int, int]:
    """The row (0 is Black's) and column of a square."""
    row, index = divmod(square, 4)
    return row, 2 * index + (1 if row % 2 == 0 else 0)


SQUARE_AT = {place(square): square for square in range(32)}


def owner(piece: str) -> int:
    return BLACK if piece in "bB" else WHITE


def directions(piece: str) -> list[tuple[int, int]]:
    """The steps that a piece may take: men forward only, kings both ways."""
    rows = {"b": [1], "w": [-1], "B": [1, -1], "W": [1, -1]}[piece]
    return [(row, column) for row in rows for column in (-1, 1)]


def crowned(piece: str, square: int) -> bool:
    return (piece == "b" and place(square)[0] == 7) or (piece == "w" and place(square)[0] == 0)


def neighbour(square: int, step: tuple[int, int], distance: int) -> int | None:
    row, column = place(square)
    return SQUARE_AT.get((row + distance * step[0], column + distance * step[1]))


def quiets(board: Board, square: int) -> list[Move]:
    targets = [neighbour(square, step, 1) for step in directions(board[square])]
    return [((square, target), frozenset()) for target in targets if target is not None and target not in board]


def captures(board: Board, origin: int) -> list[Move]:
    """Every whole capture by the piece on a square: it continues as long as it can, and ends on promotion."""
    piece = board[origin]
    others = {square: found for square, found in board.items() if square != origin}
    finished: list[Move] = []

    def jump_on(path: tuple[int, ...], taken: frozenset[int]) -> None:
        jumps = []
        for step in directions(piece):
            over, landing = neighbour(path[-1], step, 1), neighbour(path[-1], step, 2)
            if landing is None or landing in others or over not in others or over in taken:
                continue
            if owner(others[over]) != owner(piece):
                jumps.append(((*path, landing), taken | {over}))
        if taken and (not jumps or crowned(piece, path[-1])):
            finished.append((path, taken))
        else:
            for longer in jumps:
                jump_on(*longer)

    jump_on((origin,), frozenset())
    return finished


def legal_moves(board: Board, side: int) -> list[Move]:
    """Every legal move as (squares from origin to target, squares captured)."""
    own = [square for square in sorted(board) if owner(board[square]) == side]
    jumps = [move for square in own for move in captures(board, square)]
    return jumps or [move for square in own for move in quiets(board, square)]


def played(board: Board, move: Move) -> Board:
    path, taken = move
    after = {square: piece for square, piece in board.items() if square != path[0] and square not in taken}
    piece = board[path[0]]
    after[path[-1]] = piece.upper() if crowned(piece, path[-1]) else piece
    return after


def perft(board: Board, side: int, depth: int) -> int:
    """The number of sequences of `depth` legal moves."""
    if depth == 0:
        return 1
    return sum(perft(played(board, move), 1 - side, depth - 1) for move in legal_moves(board, side))


def to_bits(board: Board) -> tuple[int, int, int]:
    """The board as black, white and kings bitboards."""
    black = sum(1 << square for square, piece in board.items() if piece in "bB")
    white = sum(1 << square for square, piece in board.items() if piece in "wW")
    kings = sum(1 << square for square, piece in board.items() if piece in "BW")
    return black, white, kings


def from_bits(black: int, white: int, kings: int) -> Board:
    """The board of three bitboards."""
    board: Board = {}
    for square in range(32):
        bit = 1 << square
        if (black | white) & bit:
            piece = "b" if black & bit else "w"
            board[square] = piece.upper() if kings & bit else piece
    return board


def bits_of(squares: frozenset[int]) -> int:
    return sum(1 << square for square in squares)
