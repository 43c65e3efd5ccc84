# Stored slices: which positions of a slice have an entry, at which index, and its value.
#
# Of a slice and its twin only one is stored. Everything here is seen with Black to move: positions with White to move
# are turned first.

cdef extern from * nogil:
    bint rarely "unlikely"(bint x)          # Cython's own

cdef struct StoredSlice:
    Slice shape
    bint symmetric           # its own twin: of two colour-flipped arrangements of men one is stored
    const u32* turned_own_men         # rows of TURNED_RANKS for the sets of squares that make up an index
    const u32* turned_opponent_men
    const u32* turned_opponent_kings
    const u32* turned_own_kings
    CodedSlice* coded        # the file
    const uint8_t* packed    # values at 2 bits a position, or distances at a byte; NULL: not unpacked


# ---- ranks without branches ----

cdef enum:
    RANK_MARKS = 3           # marks above the squares, so that three lowest ones can always be taken
    RANK_ROW = 64            # squares and marks
    TURNED_ROW = 96

# Addend of the k-th square of a set to its rank; 0 for a mark.
cdef u32 RANKS[EGDB_MAX_PIECES + 1][RANK_ROW]
# Addends for a turned board of 32 squares, by the number of squares of the set at or above the square.
cdef u32 TURNED_RANKS[RANK_MARKS + EGDB_MAX_PIECES + 1][TURNED_ROW]


cdef void fill_ranks() noexcept nogil:
    cdef int k, s
    for s in range(32):
        for k in range(1, EGDB_MAX_PIECES + 1):
            RANKS[k][s] = CHOOSE[s][k]
            TURNED_RANKS[RANK_MARKS + k][s] = CHOOSE[31 - s][k]


fill_ranks()


cdef inline u64 quick_rank(u64 dense) noexcept nogil:
    """As `rank_set`; up to three squares take no branch that depends on their number."""
    cdef u64 rank
    cdef int k = RANK_MARKS
    dense |= <u64>7 << 61
    rank = RANKS[1][lsb(dense)]
    dense &= dense - 1
    rank += RANKS[2][lsb(dense)]
    dense &= dense - 1
    rank += RANKS[3][lsb(dense)]
    dense &= dense - 1
    while rarely(<u32>dense != 0):
        k += 1
        rank += RANKS[k][lsb(dense)]
        dense &= dense - 1
    return rank


cdef inline const u32* turned_row(int squares, int size) noexcept nogil:
    """Row of TURNED_RANKS from which `quick_rank_turned` ranks sets of `size` among `squares`."""
    return TURNED_RANKS[RANK_MARKS + size] + 32 - squares


cdef inline u64 quick_rank_turned(u64 dense, const u32* row) noexcept nogil:
    """As `rank_turned`, likewise."""
    cdef u64 rank
    dense |= <u64>7 << 61
    rank = row[lsb(dense)]
    dense &= dense - 1
    rank += (row - TURNED_ROW)[lsb(dense)]
    dense &= dense - 1
    rank += (row - 2 * TURNED_ROW)[lsb(dense)]
    dense &= dense - 1
    while rarely(<u32>dense != 0):
        row -= TURNED_ROW
        rank += (row - 2 * TURNED_ROW)[lsb(dense)]
        dense &= dense - 1
    return rank


# ---- indices ----

cdef inline u64 stored_index(const Slice* s, u64 own_men, u64 own_kings, u64 opponent_men,
                             u64 opponent_kings) noexcept nogil:
    """As `slice_index`, Black to move."""
    cdef u64 free = SQUARES & ~(own_men | opponent_men)
    cdef u64 men = (s.men_offsets[quick_rank(pext(own_men, SQUARES & ~BLACK_KING_ROW))]
                    + quick_rank(pext(opponent_men, SQUARES & ~WHITE_KING_ROW & ~own_men)))
    return ((men * s.opponent_king_sets + quick_rank(pext(opponent_kings, free))) * s.own_king_sets
            + quick_rank(pext(own_kings, free & ~opponent_kings)))


cdef inline u64 men_start(const StoredSlice* s, u64 men, u64 opponent_men) noexcept nogil:
    """Index of the first position of an arrangement, White to move; `men` are White's."""
    return s.shape.block * (
        s.shape.men_offsets[quick_rank_turned(pext(men, SQUARES & ~WHITE_KING_ROW), s.turned_own_men)]
        + quick_rank_turned(pext(opponent_men, SQUARES & ~BLACK_KING_ROW & ~men),
                            s.turned_opponent_men - popcount(men & BLACK_KING_ROW)))


cdef inline u64 kings_number(const StoredSlice* s, u64 free, u64 kings, u64 opponent_kings) noexcept nogil:
    """Place of a position in the block of an arrangement that leaves the squares `free`; White to move."""
    return (s.shape.own_king_sets * quick_rank_turned(pext(opponent_kings, free), s.turned_opponent_kings)
            + quick_rank_turned(pext(kings, free & ~opponent_kings), s.turned_own_kings))


cdef inline bint is_stored(const StoredSlice* s, u64 own_men, u64 opponent_men) noexcept nogil:
    """True if a position of this slice, Black to move, is stored."""
    cdef u64 men = own_men | opponent_men
    cdef int ahead
    if not s.symmetric:
        return True
    # own men have advanced as many rows as they stand above the first, the opponent's as many as below the last
    ahead = (popcount(men & ODD_ROWS) + 2 * popcount(men & ROWS_2367) + 4 * popcount(men & ROWS_4567)
             - 7 * s.shape.own_men)
    if ahead != 0:
        return ahead < 0
    return (arrangement_number(&s.shape, own_men, opponent_men, BLACK)
            <= arrangement_number(&s.shape, opponent_men, own_men, WHITE))


cdef inline int stored_value(const StoredSlice* s, u64 index) noexcept nogil:
    if s.packed != NULL:
        return s.packed[index >> 2] >> 2 * (index & 3) & 3
    return coded_value(s.coded, index)
