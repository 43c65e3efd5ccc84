# Stored games: moves in 16 bits, and games replayed from them.

cdef Move coded_move(const Board* board, int code) noexcept nogil:
    """The legal move with this code; 0 if there is none."""
    cdef MoveList moves
    cdef int variant = code >> 10
    cdef int i
    generate(board, &moves)
    for i in range(moves.size):
        if move_from(moves.moves[i]) == (code & 31) and move_to(moves.moves[i]) == (code >> 5 & 31):
            if variant == 0:
                return moves.moves[i]
            variant -= 1
    return 0


def count_pieces(const uint32_t[:, ::1] start, const uint8_t[::1] side, const int64_t[::1] first,
                 const int8_t[::1] result, const uint16_t[::1] move, int64_t[:, :, ::1] counts):
    """Add to counts (25, 2, 3) the positions of these games by number of pieces, with or without a king, and result.

    start (G, 3) black, white, kings; side (G,); first (G + 1,) offsets into move (P,); result (G,) Black's view.
    The results count as win, draw and loss of Black. Returns the first game with a move that is not legal, -1 if all
    are. Releases the GIL.
    """
    cdef Py_ssize_t game, ply
    cdef Board board
    cdef Move legal_move
    with nogil:
        for game in range(side.shape[0]):
            board = board_from_bits(start[game, 0], start[game, 1], start[game, 2], side[game])
            for ply in range(first[game], first[game + 1]):
                counts[popcount(board.pieces[BLACK] | board.pieces[WHITE]), 1 if board.kings else 0,
                       1 - result[game]] += 1
                legal_move = coded_move(&board, move[ply])
                if legal_move == 0:
                    with gil:
                        return game
                board = played(&board, legal_move)
    return -1


def replay_positions(const uint32_t[:, ::1] start, const uint8_t[::1] side, const int64_t[::1] first,
                     const uint16_t[::1] move, uint32_t[:, ::1] positions):
    """Write the position before each move of these games to positions (P, 4): black, white, kings, side to move.

    start (G, 3) black, white, kings; side (G,); first (G + 1,) offsets into move (P,). Returns the first game with a
    move that is not legal, -1 if all are. Releases the GIL.
    """
    cdef Py_ssize_t game, ply
    cdef Board board
    cdef Move legal_move
    with nogil:
        for game in range(side.shape[0]):
            board = board_from_bits(start[game, 0], start[game, 1], start[game, 2], side[game])
            for ply in range(first[game], first[game + 1]):
                positions[ply, 0] = unpad(board.pieces[BLACK])
                positions[ply, 1] = unpad(board.pieces[WHITE])
                positions[ply, 2] = unpad(board.kings)
                positions[ply, 3] = board.side
                legal_move = coded_move(&board, move[ply])
                if legal_move == 0:
                    with gil:
                        return game
                board = played(&board, legal_move)
    return -1
