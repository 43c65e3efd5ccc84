# Counting the leaves of the game tree. No hash and no move lists: with the side to move as a constant
# and the last ply counted by popcount, a leaf costs three to four nanoseconds.

cdef u64 count_jumps(u64 opponent, u64 empty, int square, u64 captured, int directions) noexcept nogil:
    """Capture paths of one piece from `square` on, each counted."""
    cdef u64 here = square_bit(square)
    cdef u64 paths = 0
    if directions & 1:
        if here << 4 & opponent and here << 8 & empty:
            paths += count_jumps(opponent ^ here << 4, empty, square + 8, captured | here << 4, directions)
        if here << 5 & opponent and here << 10 & empty:
            paths += count_jumps(opponent ^ here << 5, empty, square + 10, captured | here << 5, directions)
    if directions & 4:
        if here >> 4 & opponent and here >> 8 & empty:
            paths += count_jumps(opponent ^ here >> 4, empty, square - 8, captured | here >> 4, directions)
        if here >> 5 & opponent and here >> 10 & empty:
            paths += count_jumps(opponent ^ here >> 5, empty, square - 10, captured | here >> 5, directions)
    return paths if paths else (1 if captured else 0)


cdef u64 count_captures(u64 movers, u64 opponent, u64 empty, u64 kings, int forward) noexcept nogil:
    cdef u64 total = 0
    cdef u64 mover
    cdef int square
    while movers:
        square = lsb(movers)
        mover = pop_lowest(&movers)
        total += count_jumps(opponent, empty | mover, square, 0, 5 if mover & kings else forward)
    return total


cdef inline u64 count_moves(u64 own, u64 opponent, u64 kings, const int side) noexcept nogil:
    """Legal moves of `side`, without making them."""
    cdef u64 empty = SQUARES & ~(own | opponent)
    cdef u64 own_kings = own & kings
    cdef u64 movers = jumpers(own, own_kings, opponent, empty, side)
    cdef u64 total
    if movers:
        return count_captures(movers, opponent, empty, kings, 1 if side == BLACK else 4)
    if side == BLACK:
        total = popcount(own << 4 & empty) + popcount(own << 5 & empty)
        if own_kings:
            total += popcount(own_kings >> 4 & empty) + popcount(own_kings >> 5 & empty)
    else:
        total = popcount(own >> 4 & empty) + popcount(own >> 5 & empty)
        if own_kings:
            total += popcount(own_kings << 4 & empty) + popcount(own_kings << 5 & empty)
    return total


cdef struct JumpCount:
    # The mover's side with the moving piece lifted, for leaves below captures.
    u64 others
    u64 opponent
    u64 kings            # without the moving piece
    bint king
    int depth
    int side


cdef u64 perft_child(u64 own, u64 opponent, u64 kings, int depth, int side) noexcept nogil:
    if side == BLACK:
        return perft_black(own, opponent, kings, depth)
    return perft_white(own, opponent, kings, depth)


cdef u64 perft_jumps(const JumpCount* jump, int square, u64 captured) noexcept nogil:
    """Leaves below the captures of one piece, from `square` on."""
    cdef u64 here = square_bit(square)
    cdef u64 victims = jump.opponent & ~captured
    cdef u64 empty = SQUARES & ~(jump.others | jump.opponent)
    cdef u64 total = 0
    cdef u64 kings
    cdef bint ended = True
    if jump.king or jump.side == BLACK:
        if here << 4 & victims and here << 8 & empty:
            ended = False
            total += perft_jumps(jump, square + 8, captured | here << 4)
        if here << 5 & victims and here << 10 & empty:
            ended = False
            total += perft_jumps(jump, square + 10, captured | here << 5)
    if jump.king or jump.side == WHITE:
        if here >> 4 & victims and here >> 8 & empty:
            ended = False
            total += perft_jumps(jump, square - 8, captured | here >> 4)
        if here >> 5 & victims and here >> 10 & empty:
            ended = False
            total += perft_jumps(jump, square - 10, captured | here >> 5)
    if not ended:
        return total
    kings = jump.kings & ~captured
    if jump.king or here & (BLACK_KING_ROW if jump.side == BLACK else WHITE_KING_ROW):
        kings |= here
    return perft_child(jump.opponent ^ captured, jump.others | here, kings, jump.depth - 1, 1 - jump.side)


cdef u64 perft_captures(u64 movers, u64 own, u64 opponent, u64 kings, int depth, int side) noexcept nogil:
    cdef JumpCount jump
    cdef u64 total = 0
    cdef u64 mover
    cdef int square
    jump.opponent = opponent
    jump.depth = depth
    jump.side = side
    while movers:
        square = lsb(movers)
        mover = pop_lowest(&movers)
        jump.others = own ^ mover
        jump.king = (mover & kings) != 0
        jump.kings = kings & ~mover
        total += perft_jumps(&jump, square, 0)
    return total


cdef inline u64 below(u64 own, u64 opponent, u64 kings, int depth, const int side, const bint last) noexcept nogil:
    """Leaves below a child with `side` to move; `last`: its moves are the leaves."""
    if last:
        return count_moves(own, opponent, kings, side)
    if side == BLACK:
        return perft_black(own, opponent, kings, depth)
    return perft_white(own, opponent, kings, depth)


cdef inline u64 perft_steps(u64 movers, u64 own, u64 opponent, u64 kings, int depth, const int side,
                            const int shift, const bint as_king, const bint last) noexcept nogil:
    """Leaves below the quiet moves of `movers` in one direction; all of them kings, or all men."""
    cdef u64 total = 0
    cdef u64 left, reached
    cdef u64 crowning = BLACK_KING_ROW if side == BLACK else WHITE_KING_ROW
    while movers:
        left = pop_lowest(&movers)
        reached = left << shift if shift > 0 else left >> -shift
        if as_king:
            total += below(opponent, own ^ left ^ reached, kings ^ left ^ reached, depth - 1, 1 - side, last)
        else:
            total += below(opponent, own ^ left ^ reached, kings | reached & crowning, depth - 1, 1 - side, last)
    return total


cdef inline u64 perft_side(u64 own, u64 opponent, u64 kings, int depth, const int side, const bint last) noexcept nogil:
    cdef u64 empty = SQUARES & ~(own | opponent)
    cdef u64 own_kings = own & kings
    cdef u64 men = own ^ own_kings
    cdef u64 movers = jumpers(own, own_kings, opponent, empty, side)
    cdef u64 total
    if movers:
        return perft_captures(movers, own, opponent, kings, depth, side)
    if side == BLACK:
        total = perft_steps(men & empty >> 4, own, opponent, kings, depth, side, 4, False, last)
        total += perft_steps(men & empty >> 5, own, opponent, kings, depth, side, 5, False, last)
    else:
        total = perft_steps(men & empty << 4, own, opponent, kings, depth, side, -4, False, last)
        total += perft_steps(men & empty << 5, own, opponent, kings, depth, side, -5, False, last)
    if own_kings:
        total += perft_steps(own_kings & empty >> 4, own, opponent, kings, depth, side, 4, True, last)
        total += perft_steps(own_kings & empty >> 5, own, opponent, kings, depth, side, 5, True, last)
        total += perft_steps(own_kings & empty << 4, own, opponent, kings, depth, side, -4, True, last)
        total += perft_steps(own_kings & empty << 5, own, opponent, kings, depth, side, -5, True, last)
    return total


cdef u64 perft_black(u64 own, u64 opponent, u64 kings, int depth) noexcept nogil:
    if depth <= 1:
        return count_moves(own, opponent, kings, BLACK) if depth == 1 else 1
    if depth == 2:
        return perft_side(own, opponent, kings, 2, BLACK, True)
    return perft_side(own, opponent, kings, depth, BLACK, False)


cdef u64 perft_white(u64 own, u64 opponent, u64 kings, int depth) noexcept nogil:
    if depth <= 1:
        return count_moves(own, opponent, kings, WHITE) if depth == 1 else 1
    if depth == 2:
        return perft_side(own, opponent, kings, 2, WHITE, True)
    return perft_side(own, opponent, kings, depth, WHITE, False)


def perft(u32 black, u32 white, u32 kings, int side, int depth):
    """Leaves of the legal move tree of `depth` plies; every path of a capture counts. Releases the GIL."""
    cdef u64 total
    with nogil:
        if side == BLACK:
            total = perft_black(pad32(black), pad32(white), pad32(kings), depth)
        else:
            total = perft_white(pad32(white), pad32(black), pad32(kings), depth)
    return total
