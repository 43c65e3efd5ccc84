# Claims: that a side wins a position, or does not lose it; what the rules and the database say of them.

cdef enum:
    OPEN = -1                # neither true nor false is known

cdef struct Claim:
    Board root
    int side                 # whose result is claimed; either may be to move at the root
    int goal                 # VALUE_WIN, or VALUE_DRAW for "does not lose"


cdef inline Claim claim_of(const Board* root, int side, int goal) noexcept nogil:
    cdef Claim claim
    claim.root = root[0]
    claim.side = side
    claim.goal = goal
    return claim


cdef inline Claim opposite(const Claim* claim) noexcept nogil:
    """The claim that is true if this one is false."""
    return claim_of(&claim.root, 1 - claim.side, VALUE_DRAW if claim.goal == VALUE_WIN else VALUE_WIN)


cdef inline bint same_board(const Board* one, const Board* other) noexcept nogil:
    return (one.pieces[BLACK] == other.pieces[BLACK] and one.pieces[WHITE] == other.pieces[WHITE]
            and one.kings == other.kings and one.side == other.side)


cdef inline bint same_claim(const Claim* one, const Claim* other) noexcept nogil:
    return one.side == other.side and one.goal == other.goal and same_board(&one.root, &other.root)


cdef inline int draws_for(const Claim* claim) noexcept nogil:
    """1 + the side for which draws count as wins: the one that is content with a draw."""
    return 1 + (claim.side if claim.goal == VALUE_DRAW else 1 - claim.side)


cdef inline bint is_ended(const Board* board) noexcept nogil:
    """True if the side to move has no move, and has lost."""
    return not has_capture(board, board.side) and not has_quiet(board, board.side)


cdef inline int stated_value(const Egdb* db, const Board* board) noexcept nogil:
    """Value of a position in the database, NULL for none, for the side to move; VALUE_UNKNOWN if it has none."""
    return egdb_value(db, board) if db != NULL and has_board(db, board) else VALUE_UNKNOWN


cdef int settled(const Claim* claim, const Board* board, const Egdb* db) noexcept nogil:
    """1 if the claim holds for a position by the rules or the database, 0 if it does not; OPEN."""
    cdef int value = VALUE_LOSS if is_ended(board) else stated_value(db, board)
    if value == VALUE_UNKNOWN:
        return OPEN
    if board.side != claim.side:
        value = VALUE_WIN - value
    return value == VALUE_WIN or value == claim.goal


cdef int after_moves(const Board* board, Move* chosen, Board* after) noexcept nogil:
    """The legal moves that lead to different positions, and these; their number. Both have room for MAX_MOVES."""
    cdef MoveList moves
    cdef Board child
    cdef int count = 0
    cdef int i, j
    generate(board, &moves)
    for i in range(moves.size):
        child = played(board, moves.moves[i])
        j = 0
        while j < count and not same_board(&after[j], &child):
            j += 1
        if j == count:
            chosen[count] = moves.moves[i]
            after[count] = child
            count += 1
    return count
