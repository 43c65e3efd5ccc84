# Perft: counting the leaves of the move tree. Every path of a capture counts.
#
# The fast counter makes neither move lists nor keys: with the side to move as a constant and the last ply counted by
# popcount, a leaf takes three to four nanoseconds. `count_by_moves`, at the end, counts the same leaves with the
# generator of the search.

cdef u64 count_jumps(const Jumper* jumper, int square, u64 captured) noexcept nogil:
    """Number of capture paths of one piece from `square` on."""
    cdef u64 reached = landings(jumper, square, captured)
    cdef u64 paths = 0
    cdef int target
    if reached == 0:
        return 1
    while reached:
        target = pop_lsb(&reached)
        paths += count_jumps(jumper, target, captured | jumped(square, target))
    return paths


cdef u64 count_captures(u64 movers, u64 opponent, u64 empty, u64 kings, int forward) noexcept nogil:
    cdef Jumper jumper
    cdef u64 total = 0
    cdef u64 mover
    jumper.opponent = opponent
    while movers:
        jumper.origin = lsb(movers)
        mover = pop_lowest(&movers)
        jumper.empty = empty | mover
        jumper.directions = UP | DOWN if mover & kings else forward
        total += count_jumps(&jumper, jumper.origin, 0)
    return total


cdef inline u64 count_moves(u64 own, u64 opponent, u64 kings, const int side) noexcept nogil:
    """Number of legal moves of `side`."""
    cdef u64 empty = SQUARES & ~(own | opponent)
    cdef u64 own_kings = own & kings
    cdef u64 movers = jumpers(own, own_kings, opponent, empty, side)
    cdef u64 total
    if movers:
        return count_captures(movers, opponent, empty, kings, UP if side == BLACK else DOWN)
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
    # For counting leaves below the captures of one piece: the piece, and the position without it.
    Jumper jumper
    u64 others
    u64 kings            # of both sides
    bint king
    int depth
    int side


cdef u64 perft_child(u64 own, u64 opponent, u64 kings, int depth, int side) noexcept nogil:
    if side == BLACK:
        return perft_black(own, opponent, kings, depth)
    return perft_white(own, opponent, kings, depth)


cdef u64 perft_jumps(const JumpCount* count, int square, u64 captured) noexcept nogil:
    """Leaves below the captures of one piece, from `square` on."""
    cdef u64 reached = landings(&count.jumper, square, captured)
    cdef u64 here = square_bit(square)
    cdef u64 total = 0
    cdef u64 kings
    cdef int target
    if reached == 0:
        kings = count.kings & ~captured
        if count.king or here & (BLACK_KING_ROW if count.side == BLACK else WHITE_KING_ROW):
            kings |= here
        return perft_child(count.jumper.opponent ^ captured, count.others | here, kings, count.depth - 1,
                           1 - count.side)
    while reached:
        target = pop_lsb(&reached)
        total += perft_jumps(count, target, captured | jumped(square, target))
    return total


cdef u64 perft_captures(u64 movers, u64 own, u64 opponent, u64 kings, int depth, int side) noexcept nogil:
    cdef JumpCount count
    cdef u64 empty = SQUARES & ~(own | opponent)
    cdef u64 total = 0
    cdef u64 mover
    count.jumper.opponent = opponent
    count.depth = depth
    count.side = side
    while movers:
        count.jumper.origin = lsb(movers)
        mover = pop_lowest(&movers)
        count.others = own ^ mover
        count.king = (mover & kings) != 0
        count.kings = kings & ~mover
        count.jumper.empty = empty | mover
        count.jumper.directions = UP | DOWN if count.king else (UP if side == BLACK else DOWN)
        total += perft_jumps(&count, count.jumper.origin, 0)
    return total


cdef inline u64 below(u64 own, u64 opponent, u64 kings, int depth, const int side, const bint last) noexcept nogil:
    """Leaves below a child with `side` to move; last: its moves are the leaves."""
    if last:
        return count_moves(own, opponent, kings, side)
    if side == BLACK:
        return perft_black(own, opponent, kings, depth)
    return perft_white(own, opponent, kings, depth)


cdef inline u64 perft_steps(u64 movers, u64 own, u64 opponent, u64 kings, int depth, const int side,
                            const int shift, const bint as_king, const bint last) noexcept nogil:
    """Leaves below the quiet moves of `movers` in one direction; they are all kings or all men."""
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
    """Leaves of the tree of legal moves to `depth` plies; every path of a capture counts. Releases the GIL."""
    cdef u64 total
    with nogil:
        if side == BLACK:
            total = perft_black(pad32(black), pad32(white), pad32(kings), depth)
        else:
            total = perft_white(pad32(white), pad32(black), pad32(kings), depth)
    return total


cdef int count_ways(const MoveList* ways, Move move) noexcept nogil:
    """Number of paths of a move; 1 for a move without any, so that a wrongly generated one changes the total."""
    cdef int count = 0
    cdef int i
    for i in range(ways.size):
        count += ways.moves[i] == move
    return max(count, 1)


cdef u64 count_by_moves(const Board* board, int depth, int8_t* paths) noexcept nogil:
    """Leaves counted with `generate` and `played`, as the search uses them; a move counts once for each path."""
    cdef MoveList moves, ways
    cdef Board child
    cdef u64 total = 0
    cdef int i
    if depth <= 0:
        return 1
    generate_with_paths(board, &ways, paths)
    generate(board, &moves)
    for i in range(moves.size):
        child = played(board, moves.moves[i])
        total += count_ways(&ways, moves.moves[i]) * count_by_moves(&child, depth - 1, paths)
    return total


def perft_by_moves(u32 black, u32 white, u32 kings, int side, int depth):
    """Perft with the move generator of the search: slower, and a check of both. Releases the GIL."""
    cdef Board board = board_from_bits(black, white, kings, side)
    cdef int8_t[MAX_MOVES * PATH_LENGTH] paths
    cdef u64 total
    with nogil:
        total = count_by_moves(&board, depth, paths)
    return total
