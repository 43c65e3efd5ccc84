"""The rules of English draughts in plain Python, which share nothing with the compiled core: they check it, and proofs.

They stand here twice. The plain form is meant to be seen to be right: a board is a dict from square (0-31) to one of
b w (men) and B W (kings), a move its squares and the squares captured. The quick form, for the many positions of a
proof, has bitboards and moves (origin, target, captured); its tables are made by the plain one, and tests compare them.
"""

from __future__ import annotations

PlainBoard = dict[int, str]
PlainMove = tuple[tuple[int, ...], frozenset[int]]

BLACK_SIDE, WHITE_SIDE = 0, 1
START: PlainBoard = dict.fromkeys(range(12), "b") | dict.fromkeys(range(20, 32), "w")


def row_and_column(square: int) -> tuple[int, int]:
    """The row (0 is Black's) and column of a square."""
    row, index = divmod(square, 4)
    return row, 2 * index + (1 if row % 2 == 0 else 0)


SQUARE_AT = {row_and_column(square): square for square in range(32)}


def owner(piece: str) -> int:
    """Side of a piece."""
    return BLACK_SIDE if piece in "bB" else WHITE_SIDE


def directions(piece: str) -> list[tuple[int, int]]:
    """The steps that a piece may take: men forward only, kings both ways."""
    rows = {"b": [1], "w": [-1], "B": [1, -1], "W": [1, -1]}[piece]
    return [(row, column) for row in rows for column in (-1, 1)]


def crowned(piece: str, square: int) -> bool:
    """True if a piece that lands on a square becomes a king."""
    return (piece == "b" and row_and_column(square)[0] == 7) or (piece == "w" and row_and_column(square)[0] == 0)


def neighbour(square: int, step: tuple[int, int], distance: int) -> int | None:
    """The square so many steps away; None off the board."""
    row, column = row_and_column(square)
    return SQUARE_AT.get((row + distance * step[0], column + distance * step[1]))


def _quiets_from(board: PlainBoard, square: int) -> list[PlainMove]:
    targets = [neighbour(square, step, 1) for step in directions(board[square])]
    return [((square, target), frozenset()) for target in targets if target is not None and target not in board]


def captures_from(board: PlainBoard, origin: int) -> list[PlainMove]:
    """Every whole capture by the piece on a square: it continues as long as it can, and ends on promotion."""
    piece = board[origin]
    others = {square: piece for square, piece in board.items() if square != origin}
    finished: list[PlainMove] = []

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


def legal_moves(board: PlainBoard, side: int) -> list[PlainMove]:
    """Every legal move as (squares from origin to target, squares captured)."""
    own = [square for square in sorted(board) if owner(board[square]) == side]
    jumps = [move for square in own for move in captures_from(board, square)]
    return jumps or [move for square in own for move in _quiets_from(board, square)]


def plain_after(board: PlainBoard, move: PlainMove) -> PlainBoard:
    """The board after a move."""
    path, taken = move
    after = {square: piece for square, piece in board.items() if square != path[0] and square not in taken}
    piece = board[path[0]]
    after[path[-1]] = piece.upper() if crowned(piece, path[-1]) else piece
    return after


def to_bits(board: PlainBoard) -> tuple[int, int, int]:
    """The board as black, white and kings bitboards."""
    black = sum(1 << square for square, piece in board.items() if piece in "bB")
    white = sum(1 << square for square, piece in board.items() if piece in "wW")
    kings = sum(1 << square for square, piece in board.items() if piece in "BW")
    return black, white, kings


def from_bits(black: int, white: int, kings: int) -> PlainBoard:
    """The board of three bitboards."""
    board: PlainBoard = {}
    for square in range(32):
        bit = 1 << square
        if (black | white) & bit:
            piece = "b" if black & bit else "w"
            board[square] = piece.upper() if kings & bit else piece
    return board


def bits_of(squares: frozenset[int]) -> int:
    """Bitboard of some squares."""
    return sum(1 << square for square in squares)


QuickMove = tuple[int, int, int]
"""Origin and target (squares 0-31) and the bitboard of the captured pieces, 0 for a quiet move."""

_KINDS = ("b", "w", "BW")
"""Kinds of pieces that move alike; the number of a man's is its side."""
_STEPS = [
    [
        [(1 << to, to) for step in directions(kind[0]) if (to := neighbour(square, step, 1)) is not None]
        for square in range(32)
    ]
    for kind in _KINDS
]
"""Quiet steps of each kind from each square: the target as a bit and as a square."""
_JUMPS = [
    [
        [
            (1 << over, 1 << landing, landing)
            for step in directions(kind[0])
            if (over := neighbour(square, step, 1)) is not None and (landing := neighbour(square, step, 2)) is not None
        ]
        for square in range(32)
    ]
    for kind in _KINDS
]
"""Jumps of each kind from each square: the square jumped over as a bit, the landing square as a bit and as a square."""
_KING_ROWS = [sum(1 << square for square in range(32) if crowned(man, square)) for man in "bw"]


def moves_in_order(black: int, white: int, kings: int, side: int) -> list[QuickMove]:
    """The legal moves that differ in more than their path, in the order by which certificates number them.

    black, white, kings: bitboards; side: 0 Black, 1 White. The order: by origin, then target, then captured bitboard.
    """
    own, other = (white, black) if side else (black, white)
    occupied = black | white
    jumps: list[QuickMove] = []
    steps: list[QuickMove] = []
    rest = own
    while rest:
        bit = rest & -rest
        rest ^= bit
        origin = bit.bit_length() - 1
        kind = 2 if kings & bit else side
        for over, landing, _ in _JUMPS[kind][origin]:
            if other & over and not occupied & landing:
                jumps += _captures(_JUMPS[kind], origin, other, occupied ^ bit)
                break
        if not jumps:
            for to, target in _STEPS[kind][origin]:
                if not occupied & to:
                    steps.append((origin, target, 0))
    return sorted(jumps or steps)


def _captures(jumps: list[list[tuple[int, int, int]]], origin: int, other: int, others: int) -> list[QuickMove]:
    """The captures by a piece on its origin. others: all pieces but this one.

    A man's end on promotion without a word here: from its king row no jump leads forward.
    """
    finished = []
    seen = {(origin, 0)}
    waiting = [(origin, 0)]
    while waiting:
        square, taken = waiting.pop()
        ended = True
        for over, landing, target in jumps[square]:
            if other & over and not taken & over and not others & landing:
                ended = False
                longer = (target, taken | over)
                if longer not in seen:
                    seen.add(longer)
                    waiting.append(longer)
        if ended:
            finished.append((origin, square, taken))
    return finished


def board_after(black: int, white: int, kings: int, side: int, move: QuickMove) -> tuple[int, int, int]:
    """Black, white and kings after a legal move."""
    origin, target, captured = move
    origin_bit, target_bit = 1 << origin, 1 << target
    kept = ~(origin_bit | captured)
    crown = kings & origin_bit or target_bit & _KING_ROWS[side]
    after_kings = kings & kept | (target_bit if crown else 0)
    if side:
        return black & kept, white & kept | target_bit, after_kings
    return black & kept | target_bit, white & kept, after_kings
