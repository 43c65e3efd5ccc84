# Legal moves. The side to move is a compile-time constant in every inlined function below.

cdef u64 ZOBRIST[4][35]      # [colour + 2 * king][square]
cdef u64 ZOBRIST_SIDE


cdef u64 splitmix64(u64* state) noexcept nogil:
    """The next number of the SplitMix64 generator (Steele, Lea and Flood 2014)."""
    state[0] += <u64>0x9E3779B97F4A7C15
    cdef u64 z = state[0]
    z = (z ^ z >> 30) * <u64>0xBF58476D1CE4E5B9
    z = (z ^ z >> 27) * <u64>0x94D049BB133111EB
    return z ^ z >> 31


cdef void fill_zobrist() noexcept nogil:
    global ZOBRIST_SIDE
    cdef u64 state = 0x6B72
    cdef int piece, bit
    for piece in range(4):
        for bit in range(35):
            ZOBRIST[piece][bit] = splitmix64(&state)
    ZOBRIST_SIDE = splitmix64(&state)


fill_zobrist()


cdef u64 key_from_scratch(const Board* board) noexcept nogil:
    """The hash of the board, piece by piece: what `played` keeps up to date."""
    cdef u64 key = ZOBRIST_SIDE if board.side == WHITE else 0
    cdef int colour, bit
    cdef u64 rest
    for colour in range(2):
        rest = board.pieces[colour]
        while rest:
            bit = pop_lsb(&rest)
            key ^= ZOBRIST[colour + 2 * <int>(board.kings >> bit & 1)][bit]
    return key


cdef Board board_from_bits(u32 black, u32 white, u32 kings, int side) noexcept nogil:
    cdef Board board
    board.pieces[BLACK] = pad32(black)
    board.pieces[WHITE] = pad32(white)
    board.kings = pad32(kings)
    board.side = side
    board.key = key_from_scratch(&board)
    return board


cdef inline Move make_move(int origin, int target, u64 captured) noexcept nogil:
    return captured | <u64>origin << 35 | <u64>target << 41


cdef inline int origin_bit(Move move) noexcept nogil:
    return <int>(move >> 35 & 63)


cdef inline int target_bit(Move move) noexcept nogil:
    return <int>(move >> 41 & 63)


cdef inline u64 move_captured(Move move) noexcept nogil:
    return move & (<u64>1 << 35) - 1


cdef inline int move_from(Move move) noexcept nogil:
    return plain_square(origin_bit(move))


cdef inline int move_to(Move move) noexcept nogil:
    return plain_square(target_bit(move))


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
    """Whether `side` could capture if it were to move."""
    cdef u64 own = board.pieces[side]
    cdef u64 opponent = board.pieces[1 - side]
    cdef u64 empty = SQUARES & ~(own | opponent)
    if side == BLACK:
        return jumpers(own, own & board.kings, opponent, empty, BLACK) != 0
    return jumpers(own, own & board.kings, opponent, empty, WHITE) != 0


cdef inline bint has_quiet(const Board* board, int side) noexcept nogil:
    """Whether `side` has a piece that can step, captures left aside."""
    cdef u64 own = board.pieces[side]
    cdef u64 empty = SQUARES & ~(own | board.pieces[1 - side])
    if side == BLACK:
        return steppers(own, own & board.kings, empty, BLACK) != 0
    return steppers(own, own & board.kings, empty, WHITE) != 0


cdef struct JumpSearch:
    # What the capture search of one piece keeps between its jumps.
    u64 opponent
    u64 empty            # with the origin counted as empty: a king may pass it or end there
    MoveList* moves
    int8_t* paths        # NULL, or MAX_MOVES x PATH_LENGTH landing squares (padded), -1 at the end
    int8_t path[16]
    int origin
    int directions       # bits 0, 1: up the numbers; bits 2, 3: down


cdef enum:
    PATH_LENGTH = 16     # origin, at most 9 landings, end mark


cdef void add_capture(JumpSearch* search, int square, u64 captured, int jumps) noexcept nogil:
    cdef MoveList* moves = search.moves
    cdef Move move = make_move(search.origin, square, captured)
    cdef int i
    if search.paths == NULL:
        # two ways round to the same position are one move to the search
        for i in range(moves.size):
            if moves.moves[i] == move:
                return
    else:
        for i in range(jumps + 1):
            search.paths[moves.size * PATH_LENGTH + i] = search.path[i]
        search.paths[moves.size * PATH_LENGTH + jumps + 1] = -1
    c_assert(moves.size < MAX_MOVES)
    if moves.size < MAX_MOVES:
        moves.moves[moves.size] = move
        moves.size += 1


cdef void add_jumps(JumpSearch* search, int square, u64 captured, int jumps) noexcept nogil:
    """Follow every jump from `square` on; a capture ends where no jump is left."""
    cdef u64 here = square_bit(square)
    cdef u64 victims = search.opponent & ~captured
    cdef bint ended = True
    cdef int landing
    search.path[jumps] = square
    if search.directions & 1 and here << 4 & victims and here << 8 & search.empty:
        ended = False
        add_jumps(search, square + 8, captured | here << 4, jumps + 1)
    if search.directions & 1 and here << 5 & victims and here << 10 & search.empty:
        ended = False
        add_jumps(search, square + 10, captured | here << 5, jumps + 1)
    if search.directions & 4 and here >> 4 & victims and here >> 8 & search.empty:
        ended = False
        add_jumps(search, square - 8, captured | here >> 4, jumps + 1)
    if search.directions & 4 and here >> 5 & victims and here >> 10 & search.empty:
        ended = False
        add_jumps(search, square - 10, captured | here >> 5, jumps + 1)
    if ended:
        search.path[jumps] = square
        add_capture(search, square, captured, jumps)


cdef inline void add_captures(const Board* board, MoveList* moves, int8_t* paths, u64 movers,
                              u64 empty, const int side) noexcept nogil:
    cdef JumpSearch search
    cdef u64 mover
    search.opponent = board.pieces[1 - side]
    search.moves = moves
    search.paths = paths
    while movers:
        search.origin = lsb(movers)
        mover = pop_lowest(&movers)
        search.empty = empty | mover
        search.directions = 5 if mover & board.kings else (1 if side == BLACK else 4)
        add_jumps(&search, search.origin, 0, 0)


cdef inline void add_steps(MoveList* moves, u64 targets, const int shift) noexcept nogil:
    """Quiet moves to each of `targets` by pieces `shift` bits below."""
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


cdef void generate_with_paths(const Board* board, MoveList* moves, int8_t* paths) noexcept nogil:
    """All legal moves, one for every path of a capture; `paths` may be NULL for distinct moves."""
    if board.side == BLACK:
        generate_side(board, moves, paths, BLACK)
    else:
        generate_side(board, moves, paths, WHITE)


cdef inline void generate(const Board* board, MoveList* moves) noexcept nogil:
    """The distinct legal moves of the side to move."""
    generate_with_paths(board, moves, NULL)


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
    # captured pieces are lifted after the move
    while captured:
        bit = pop_lsb(&captured)
        key ^= ZOBRIST[1 - side + 2 * <int>(board.kings >> bit & 1)][bit]
    # kings move on; a man on the last row becomes one
    if king:
        kings ^= left ^ reached
    elif reached & (BLACK_KING_ROW if side == BLACK else WHITE_KING_ROW):
        kings |= reached
        king = 1
    # each field is written once: a copy of words that were just changed one by one would wait for the stores
    child.pieces[BLACK] = own if side == BLACK else opponent
    child.pieces[WHITE] = opponent if side == BLACK else own
    child.kings = kings
    child.key = key ^ ZOBRIST[side + 2 * king][target]
    child.side = 1 - side
    # a board whose key nobody needs may have any
    c_assert(child.key ^ board.key == key_from_scratch(&child) ^ key_from_scratch(board))
    return child


cdef inline bint is_reversible(const Board* board, Move move) noexcept nogil:
    """A king's quiet move: the only kind that can be taken back later."""
    return move_captured(move) == 0 and (board.kings >> origin_bit(move) & 1) != 0
