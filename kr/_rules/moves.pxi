# Moves, one word each, and the position after a move.

cdef inline Move make_move(int origin, int target, u64 captured) noexcept nogil:
    return captured | <u64>origin << 35 | <u64>target << 41


cdef inline int origin_bit(Move move) noexcept nogil:
    return <int>(move >> 35 & 63)


cdef inline int target_bit(Move move) noexcept nogil:
    return <int>(move >> 41 & 63)


cdef inline u64 move_captured(Move move) noexcept nogil:
    return move & (<u64>1 << 35) - 1


cdef inline int short_move(Move move) noexcept nogil:
    """Origin and target in 12 bits: enough to find the move again among the legal ones."""
    return <int>(move >> 35) & 4095


cdef inline int move_from(Move move) noexcept nogil:
    return plain_square(origin_bit(move))


cdef inline int move_to(Move move) noexcept nogil:
    return plain_square(target_bit(move))


cdef inline Board played(const Board* board, Move move) noexcept nogil:
    """The position after a legal move (copy-make)."""
    cdef Board child
    cdef int side = board.side
    cdef int origin = origin_bit(move)
    cdef int target = target_bit(move)
    cdef u64 left = square_bit(origin)
    cdef u64 reached = square_bit(target)
    cdef u64 captured = move_captured(move)
    cdef u64 own = board.pieces[side] ^ left ^ reached
    cdef u64 opponent = board.pieces[1 - side] ^ captured
    cdef u64 kings = board.kings & ~captured
    cdef int king = <int>(board.kings >> origin & 1)
    cdef u64 key = board.key ^ ZOBRIST_SIDE ^ ZOBRIST[side + 2 * king][origin]
    cdef int bit
    # captured pieces are removed after the move
    while captured:
        bit = pop_lsb(&captured)
        key ^= ZOBRIST[1 - side + 2 * <int>(board.kings >> bit & 1)][bit]
    # a king stays a king; a man on the king row becomes one
    if king:
        kings ^= left ^ reached
    elif reached & (BLACK_KING_ROW if side == BLACK else WHITE_KING_ROW):
        kings |= reached
        king = 1
    # each field is written once: to copy words just after changing them one by one would stall on the stores
    child.pieces[BLACK] = own if side == BLACK else opponent
    child.pieces[WHITE] = opponent if side == BLACK else own
    child.kings = kings
    child.key = key ^ ZOBRIST[side + 2 * king][target]
    child.side = 1 - side
    # the key may be wrong where it is not needed: only its change is checked
    c_assert(child.key ^ board.key == key_from_scratch(&child) ^ key_from_scratch(board))
    return child


cdef inline bint is_reversible(const Board* board, Move move) noexcept nogil:
    """True for a king's quiet move: the only kind that can be undone by later moves."""
    return move_captured(move) == 0 and (board.kings >> origin_bit(move) & 1) != 0


cdef inline int move_code(const MoveList* moves, Move move) noexcept nogil:
    """A legal move in 16 bits, as games are stored: origin, target, and its number among the captures between these."""
    cdef int variant = 0
    cdef int i
    for i in range(moves.size):
        if moves.moves[i] == move:
            break
        if short_move(moves.moves[i]) == short_move(move):
            variant += 1
    return move_from(move) | move_to(move) << 5 | variant << 10
