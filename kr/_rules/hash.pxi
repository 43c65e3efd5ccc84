# Hash of a position (Zobrist 1970): a random number for each piece on each square, and one for the side to move.

cdef extern from "_rules/hash.h":
    const u64 ZOBRIST "kr_zobrist"[4][35]     # [colour + 2 * king][square]
    const u64 ZOBRIST_SIDE "kr_zobrist_side"


cdef inline u64 key_from_scratch(const Board* board) noexcept nogil:
    """Hash of the board, piece by piece: the value that `played` updates."""
    cdef u64 key = ZOBRIST_SIDE if board.side == WHITE else 0
    cdef int colour, bit
    cdef u64 rest
    for colour in range(2):
        rest = board.pieces[colour]
        while rest:
            bit = pop_lsb(&rest)
            key ^= ZOBRIST[colour + 2 * <int>(board.kings >> bit & 1)][bit]
    return key


cdef inline Board board_from_bits(u32 black, u32 white, u32 kings, int side) noexcept nogil:
    cdef Board board
    board.pieces[BLACK] = pad32(black)
    board.pieces[WHITE] = pad32(white)
    board.kings = pad32(kings)
    board.side = side
    board.key = key_from_scratch(&board)
    return board
