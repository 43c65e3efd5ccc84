# Decisions: the positions of recorded games with the moves played there, in the mover's frame.

cdef enum:
    UNKNOWN_SQUARE = 32


cdef inline int framed_square(int square, int side) noexcept nogil:
    return 31 - square if side == WHITE else square


def decisions_of_games(const uint32_t[:, ::1] start, const uint8_t[::1] side, const int64_t[::1] first,
                       const uint8_t[:, ::1] squares, const uint32_t[::1] captured):
    """Replay games into decisions, one a ply. Releases the GIL.

    start (G, 3) black, white, kings; side (G,); first (G + 1,) offsets into the plies; squares (P, 2) origin and target
    of each move, 0-31; captured (P,) as bitboards. Returns boards uint32 (P, 4) in the mover's frame; before uint8
    (P, 4): origin and target of the opponent's last move and of the mover's own one before it, in the same frame, 32
    for none; moves uint8 (P, 2) origin and target and taken uint32 (P,), in the mover's frame; movers uint8 (P,);
    choices uint8 (P,): number of distinct legal moves. Raises ValueError naming game and ply of a move that isn't
    legal, or if the arrays don't belong together.
    """
    import numpy as np

    cdef Py_ssize_t games = side.shape[0]
    cdef Py_ssize_t plies = captured.shape[0]
    if (start.shape[0] != games or start.shape[1] != 3 or first.shape[0] != games + 1 or squares.shape[0] != plies
            or squares.shape[1] != 2 or first[0] != 0 or first[games] != plies):
        raise ValueError("the arrays of the games do not fit together")
    # a row more, so that an empty array has an address too
    out = (np.empty((plies + 1, SAMPLE_BOARDS), dtype=np.uint32), np.full((plies + 1, 4), UNKNOWN_SQUARE, dtype=np.uint8),
           np.empty((plies + 1, 2), dtype=np.uint8), np.empty(plies + 1, dtype=np.uint32),
           np.empty(plies + 1, dtype=np.uint8), np.empty(plies + 1, dtype=np.uint8))
    cdef uint32_t[:, ::1] boards = out[0]
    cdef uint8_t[:, ::1] before = out[1]
    cdef uint8_t[:, ::1] moves = out[2]
    cdef uint32_t[::1] taken = out[3]
    cdef uint8_t[::1] movers = out[4]
    cdef uint8_t[::1] choices = out[5]
    cdef Board board
    cdef MoveList legal
    cdef Move move
    cdef Py_ssize_t g, p
    cdef int i
    cdef bint broken = False
    with nogil:
        for g in range(games):
            if first[g + 1] < first[g] or side[g] > 1 or start[g, 0] & start[g, 1]:
                broken = True
                p = first[g]
                break
            board = board_from_bits(start[g, 0], start[g, 1], start[g, 2], side[g])
            for p in range(first[g], first[g + 1]):
                generate(&board, &legal)
                move = 0
                for i in range(legal.size):
                    if (move_from(legal.moves[i]) == squares[p, 0] and move_to(legal.moves[i]) == squares[p, 1]
                            and unpad(move_captured(legal.moves[i])) == captured[p]):
                        move = legal.moves[i]
                if move == 0:
                    broken = True
                    break
                write_sample(&board, &boards[p, 0])
                for i in range(2):
                    moves[p, i] = <uint8_t>framed_square(squares[p, i], board.side)
                    if p > first[g]:
                        before[p, i] = <uint8_t>framed_square(squares[p - 1, i], board.side)
                    if p > first[g] + 1:
                        before[p, 2 + i] = <uint8_t>framed_square(squares[p - 2, i], board.side)
                taken[p] = rotated32(captured[p]) if board.side == WHITE else captured[p]
                movers[p] = <uint8_t>board.side
                choices[p] = <uint8_t>legal.size
                board = played(&board, move)
            if broken:
                break
    if broken:
        raise ValueError(f"game {g}, ply {p - first[g]}: an impossible position, or a move that is not legal")
    return tuple(array[:plies] for array in out)


def rows_of_choices(const int64_t[::1] first, const uint8_t[::1] origin, const uint8_t[::1] target,
                    const uint32_t[::1] captured, const uint8_t[:, ::1] moves, const uint32_t[::1] taken):
    """Number of each played move among the choices of its decision, int64 (n,); -1 if it is not among them.

    first (n + 1,), origin, target and captured (m,) as of `policy_choices`; moves (n, 2), taken (n,) as of decisions.
    """
    import numpy as np

    cdef Py_ssize_t n = moves.shape[0]
    cdef Py_ssize_t i, j
    if first.shape[0] != n + 1 or taken.shape[0] != n or first[n] != origin.shape[0]:
        raise ValueError("the arrays of the choices do not fit together")
    array = np.full(n, -1, dtype=np.int64)
    cdef int64_t[::1] numbers = array
    with nogil:
        for i in range(n):
            for j in range(first[i], first[i + 1]):
                if origin[j] == moves[i, 0] and target[j] == moves[i, 1] and captured[j] == taken[i]:
                    numbers[i] = j - first[i]
                    break
    return array
