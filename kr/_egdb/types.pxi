# Types of the databases.

cdef enum:
    SLICES = 4096                        # slice numbers

cpdef enum:
    EGDB_MAX_PIECES = 8
    # values for the side to move
    VALUE_LOSS = 0
    VALUE_DRAW = 1
    VALUE_WIN = 2
    VALUE_UNKNOWN = 3                    # of no class that is there, or a damaged file

cdef struct StoredSlice

cdef struct Egdb:
    int pieces                           # every position with this many pieces or fewer has a value,
    int distance_pieces                  # and with this many a distance
    int most_pieces                      # of a position with a value: of classes with more than `pieces`
    uint8_t classes[EGDB_MAX_PIECES + 1][EGDB_MAX_PIECES + 1]    # by the pieces of either side: all have a value
    const StoredSlice* distances[SLICES]
    const StoredSlice* values[SLICES]    # by slice number; NULL if the twin is stored


cdef inline bint has_board(const Egdb* db, const Board* board) noexcept nogil:
    """True if a position has a value, unless a file is damaged."""
    cdef int pieces = popcount(board.pieces[BLACK] | board.pieces[WHITE])
    return pieces <= db.pieces or (
        pieces <= db.most_pieces and db.classes[popcount(board.pieces[BLACK])][popcount(board.pieces[WHITE])])
