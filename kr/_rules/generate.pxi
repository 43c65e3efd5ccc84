# Legal moves. The side to move is a compile-time constant in every function with a `const int side`.

cdef inline u64 jumpers(u64 own, u64 kings, u64 opponent, u64 empty, const int side) noexcept nogil:
    """Own pieces that can make a jump."""
    cdef u64 up = opponent >> 4 & empty >> 8 | opponent >> 5 & empty >> 10
    cdef u64 down = opponent << 4 & empty << 8 | opponent << 5 & empty << 10
    if side == BLACK:
        return own & up | kings & down
    return own & down | kings & up


cdef inline u64 steppers(u64 own, u64 kings, u64 empty, const int side) noexcept nogil:
    """Own pieces that can make a quiet move."""
    cdef u64 up = empty >> 4 | empty >> 5
    cdef u64 down = empty << 4 | empty << 5
    if side == BLACK:
        return own & up | kings & down
    return own & down | kings & up


cdef inline bint has_capture(const Board* board, int side) noexcept nogil:
    """True if `side` could capture if it were to move."""
    cdef u64 own = board.pieces[side]
    cdef u64 opponent = board.pieces[1 - side]
    cdef u64 empty = SQUARES & ~(own | opponent)
    if side == BLACK:
        return jumpers(own, own & board.kings, opponent, empty, BLACK) != 0
    return jumpers(own, own & board.kings, opponent, empty, WHITE) != 0


cdef inline bint has_quiet(const Board* board, int side) noexcept nogil:
    """True if `side` has a piece that can make a quiet move, regardless of captures."""
    cdef u64 own = board.pieces[side]
    cdef u64 empty = SQUARES & ~(own | board.pieces[1 - side])
    if side == BLACK:
        return steppers(own, own & board.kings, empty, BLACK) != 0
    return steppers(own, own & board.kings, empty, WHITE) != 0


cdef enum:
    PATH_LENGTH = 16         # origin, at most 9 landings, end mark
    UP = 1                   # directions: up the square numbers, down, or both
    DOWN = 2

cdef struct Jumper:
    # A capturing piece, and what stays the same during its jumps.
    u64 opponent
    u64 empty                # including the origin, which a king may pass or return to
    int origin
    int directions


cdef inline u64 landings(const Jumper* jumper, int square, u64 captured) noexcept nogil:
    """Squares that the piece reaches by one jump from `square`. A piece is captured only once."""
    cdef u64 here = square_bit(square)
    cdef u64 victims = jumper.opponent & ~captured
    cdef u64 reached = 0
    if jumper.directions & UP:
        reached = (here << 4 & victims) << 4 | (here << 5 & victims) << 5
    if jumper.directions & DOWN:
        reached |= (here >> 4 & victims) >> 4 | (here >> 5 & victims) >> 5
    return reached & jumper.empty


cdef inline int pop_landing(u64* reached, int square) noexcept nogil:
    """Remove the next landing from the set: those above `square` first, each time the nearest."""
    cdef u64 above = reached[0] & ~(square_bit(square) - 1)
    cdef int target = lsb(above) if above else 63 - leading_zeros(reached[0])
    reached[0] ^= square_bit(target)
    return target


cdef inline u64 jumped(int square, int target) noexcept nogil:
    """The captured square: a jump is two steps of the same 4 or 5 bits, so that its middle is the mean."""
    return square_bit((square + target) >> 1)


cdef inline bint add_capture(MoveList* moves, Move move) noexcept nogil:
    c_assert(moves.size < MAX_MOVES)
    if moves.size == MAX_MOVES:
        return False
    moves.moves[moves.size] = move
    moves.size += 1
    return True


cdef inline bint has_move(const MoveList* moves, Move move) noexcept nogil:
    cdef int i
    for i in range(moves.size):
        if moves.moves[i] == move:
            return True
    return False


cdef inline void add_jumps(const Jumper* jumper, MoveList* moves, int8_t* paths) noexcept nogil:
    """Add every capture of the piece, with all its jumps; `paths` as in generate_with_paths.

    The current state is kept in registers: most captures are one jump, and only longer ones need the arrays.
    """
    cdef int path[PATH_LENGTH]
    cdef u64 captured[PATH_LENGTH]    # up to each square of the path
    cdef u64 untried[PATH_LENGTH]     # landings from it
    cdef int jumps = 0
    cdef int square = jumper.origin
    cdef u64 taken = 0
    cdef u64 left = landings(jumper, square, 0)
    cdef u64 after, onward
    cdef int target, i
    cdef Move move
    path[0] = square
    while True:
        # back to the last square with an untried landing
        while left == 0:
            if jumps == 0:
                return
            jumps -= 1
            square = path[jumps]
            taken = captured[jumps]
            left = untried[jumps]
        target = pop_landing(&left, square)
        after = taken | jumped(square, target)
        onward = landings(jumper, target, after)
        if onward:
            captured[jumps] = taken
            untried[jumps] = left
            jumps += 1
            path[jumps] = target
            square = target
            taken = after
            left = onward
            continue
        move = make_move(jumper.origin, target, after)
        if paths != NULL:
            path[jumps + 1] = target
            for i in range(jumps + 2):
                paths[moves.size * PATH_LENGTH + i] = <int8_t>path[i]
            paths[moves.size * PATH_LENGTH + jumps + 2] = -1
            add_capture(moves, move)
        elif not has_move(moves, move):
            # two paths to the same position are one move for the search
            add_capture(moves, move)


cdef inline void add_captures(const Board* board, MoveList* moves, int8_t* paths, u64 movers,
                              u64 empty, const int side) noexcept nogil:
    cdef Jumper jumper
    cdef u64 mover
    jumper.opponent = board.pieces[1 - side]
    while movers:
        jumper.origin = lsb(movers)
        mover = pop_lowest(&movers)
        jumper.empty = empty | mover
        jumper.directions = UP | DOWN if mover & board.kings else (UP if side == BLACK else DOWN)
        add_jumps(&jumper, moves, paths)


cdef inline void add_steps(MoveList* moves, u64 targets, const int shift) noexcept nogil:
    """Add a quiet move to each of `targets` by the piece `shift` bits below."""
    cdef int target
    while targets:
        target = pop_lsb(&targets)
        moves.moves[moves.size] = make_move(target - shift, target, 0)
        moves.size += 1


cdef inline void generate_side(const Board* board, MoveList* moves, int8_t* paths, const int side) noexcept nogil:
    cdef u64 own = board.pieces[side]
    cdef u64 kings = own & board.kings
    cdef u64 empty = SQUARES & ~(own | board.pieces[1 - side])
    cdef u64 movers = jumpers(own, kings, board.pieces[1 - side], empty, side)
    cdef u64 up, down
    moves.size = 0
    # captures are compulsory
    if movers:
        add_captures(board, moves, paths, movers, empty, side)
        return
    # quiet moves
    up = own if side == BLACK else kings
    down = kings if side == BLACK else own
    add_steps(moves, up << 4 & empty, 4)
    add_steps(moves, up << 5 & empty, 5)
    add_steps(moves, down >> 4 & empty, -4)
    add_steps(moves, down >> 5 & empty, -5)


cdef inline void generate_with_paths(const Board* board, MoveList* moves, int8_t* paths) noexcept nogil:
    """All legal moves, with one for every path of a capture; without duplicates if `paths` is NULL.

    paths: MAX_MOVES x PATH_LENGTH; the squares (padded) of each capture from the origin on, followed by -1.
    """
    if board.side == BLACK:
        generate_side(board, moves, paths, BLACK)
    else:
        generate_side(board, moves, paths, WHITE)


cdef inline void generate(const Board* board, MoveList* moves) noexcept nogil:
    """Distinct legal moves of the side to move."""
    generate_with_paths(board, moves, NULL)
