# Probing the distance to the end: that of a stored position, or else one more than that of the best move's.

cdef enum:
    # in place of half a distance
    HALF_DAMAGED = -1
    HALF_FOLLOWS = -2        # not stored: it follows from the moves


cdef int half_distance(const Egdb* db, const Board* board) noexcept nogil:
    """Stored half-distance of a won or lost position that has a move, or HALF_DAMAGED or HALF_FOLLOWS."""
    cdef const StoredSlice* s
    cdef u64 own = board.pieces[board.side]
    cdef u64 opponent = board.pieces[1 - board.side]
    cdef u64 kings = board.kings
    cdef u64 index
    if not own or not opponent:
        return HALF_FOLLOWS
    s = db.distances[board_slice(board)]
    if s == NULL or has_capture(board, board.side):
        return HALF_FOLLOWS
    if board.side == WHITE:
        own, opponent, kings = turned(own), turned(opponent), turned(kings)
    if not is_stored(s, own & ~kings, opponent & ~kings):
        return HALF_FOLLOWS
    index = stored_index(&s.shape, own & ~kings, own & kings, opponent & ~kings, opponent & kings)
    if s.packed == NULL:
        return coded_distance(s.coded, index)
    return s.packed[index] if s.packed[index] <= DISTANCE_MAX else HALF_DAMAGED


cdef int egdb_distance(const Egdb* db, const Board* board) noexcept nogil:
    """Plies to the end under best play; -1 for a draw, for too many pieces, or if the database is damaged."""
    cdef int value
    if popcount(board.pieces[BLACK] | board.pieces[WHITE]) > db.distance_pieces:
        return -1
    value = egdb_value(db, board)
    if value != VALUE_WIN and value != VALUE_LOSS:
        return -1
    return valued_distance(db, board, value)


cdef int valued_distance(const Egdb* db, const Board* board, int value) noexcept nogil:
    """As `egdb_distance`, of a position that is known to be won or lost. It ends for the same reason as a probe."""
    cdef MoveList moves
    cdef Board child
    cdef int plies, half, i
    cdef int wanted = VALUE_WIN - value
    cdef int best = -1
    # a won position has a move
    if value == VALUE_LOSS:
        generate(board, &moves)
        if moves.size == 0:
            return 0
    half = half_distance(db, board)
    if half == HALF_DAMAGED:
        return -1
    if half >= 0:
        return 2 * half + (value == VALUE_WIN)
    if value == VALUE_WIN:
        generate(board, &moves)
    for i in range(moves.size):
        child = played(board, moves.moves[i])
        if egdb_value(db, &child) != wanted:
            if value == VALUE_WIN:
                continue
            return -1
        plies = valued_distance(db, &child, wanted)
        if plies < 0:
            return -1
        if best < 0 or (plies < best if value == VALUE_WIN else plies > best):
            best = plies
    return best + 1
