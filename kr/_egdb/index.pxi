# Indices of positions in an endgame database.
#
# A slice has the positions with given numbers of men and kings of the side to move ("own") and of its opponent. The
# side to move is always seen as Black, moving up the square numbers: a position with White to move is stored as the
# same position with colours flipped. The index of a position in its slice is
#
#     ((arrangement of men) * opponent king sets + rank of the opponent's kings) * own king sets + rank of own kings
#
# where the rank of a set of squares is its place in colexicographic order: the sum of C(s_i, i + 1) over its squares
# s_0 < s_1 < ..., counted among the squares that the set may use. Own men use the 28 squares outside their last row;
# the opponent's men the 28 outside theirs, without own men; the opponent's kings the squares without men; own kings the
# rest. An arrangement is a placement of all men; the positions of a slice with the same arrangement are a block.

cdef enum:
    MEN_SQUARES_28 = 28
    NO_SLICE = -2

cdef u32 CHOOSE[33][EGDB_MAX_PIECES + 1]
cdef u32 TURNED_CHOOSE[33][32][EGDB_MAX_PIECES + 1]      # [n][s][k]: C(n - 1 - s, k)

# Number of arrangements before those whose own men have a given rank; by the numbers of own men and opponent's men.
cdef u64* MEN_OFFSETS[EGDB_MAX_PIECES][EGDB_MAX_PIECES]

cdef struct Slice:
    int own_men
    int own_kings
    int opponent_men
    int opponent_kings
    int free                 # squares without men
    u64 opponent_king_sets
    u64 own_king_sets        # on the squares that the opponent's kings leave
    u64 block                # positions with the same arrangement of men
    u64 arrangements
    u64 size                 # positions
    const u64* men_offsets


cdef void fill_choose() noexcept nogil:
    cdef int n, s, k
    for n in range(33):
        CHOOSE[n][0] = 1
        for k in range(1, EGDB_MAX_PIECES + 1):
            CHOOSE[n][k] = 0 if n == 0 else CHOOSE[n - 1][k - 1] + CHOOSE[n - 1][k]
    for n in range(33):
        for s in range(n):
            for k in range(EGDB_MAX_PIECES + 1):
                TURNED_CHOOSE[n][s][k] = CHOOSE[n - 1 - s][k]


fill_choose()


cdef inline u64 rank_set(u64 dense) noexcept nogil:
    """Rank of a set among those of its size, in colexicographic order."""
    cdef u32 rank = 0
    cdef int k = 1
    while dense:
        rank += CHOOSE[lsb(dense)][k]
        dense &= dense - 1
        k += 1
    return rank


cdef inline u64 rank_turned(u64 dense, int squares) noexcept nogil:
    """Rank of the set as seen from the other side of the board, where square s is squares - 1 - s."""
    cdef u32 rank = 0
    cdef int k = popcount(dense)
    cdef const u32* turned_choose = &TURNED_CHOOSE[squares][0][0]
    while dense:
        rank += turned_choose[lsb(dense) * (EGDB_MAX_PIECES + 1) + k]
        dense &= dense - 1
        k -= 1
    return rank


cdef u64 unrank_set(u64 rank, int size) noexcept nogil:
    """The set of `size` numbers with this rank."""
    cdef u64 dense = 0
    cdef int s = 32
    while size > 0:
        s -= 1
        while CHOOSE[s][size] > rank:
            s -= 1
        dense |= square_bit(s)
        rank -= CHOOSE[s][size]
        size -= 1
    return dense


cdef inline int slice_number(int own_men, int own_kings, int opponent_men, int opponent_kings) noexcept nogil:
    """Place of a slice in tables of SLICES."""
    return own_men << 9 | own_kings << 6 | opponent_men << 3 | opponent_kings


cdef int fill_men_offsets(int own, int opponent) noexcept nogil:
    """Fill MEN_OFFSETS[own][opponent], unless it is filled, with the total as its last entry; -1 without memory."""
    cdef u64 sets = CHOOSE[MEN_SQUARES_28][own]
    cdef u64 rank, men
    cdef u64* offsets
    if MEN_OFFSETS[own][opponent] != NULL:
        return 0
    offsets = <u64*>malloc((sets + 1) * sizeof(u64))
    if offsets == NULL:
        return -1
    offsets[0] = 0
    for rank in range(sets):
        men = unrank_set(rank, own)
        # the opponent's men can't stand on the first row of own men anyway
        offsets[rank + 1] = offsets[rank] + CHOOSE[MEN_SQUARES_28 - popcount(men >> 4)][opponent]
    MEN_OFFSETS[own][opponent] = offsets
    return 0


cdef int describe_slice(Slice* s, int own_men, int own_kings, int opponent_men, int opponent_kings) noexcept nogil:
    """Describe the slice of these pieces. NO_SLICE for more than EGDB_MAX_PIECES, or for a side without pieces; -1
    without memory."""
    if (min(min(own_men, own_kings), min(opponent_men, opponent_kings)) < 0
            or max(max(own_men, own_kings), max(opponent_men, opponent_kings)) > EGDB_MAX_PIECES
            or own_men + own_kings == 0 or opponent_men + opponent_kings == 0
            or own_men + own_kings + opponent_men + opponent_kings > EGDB_MAX_PIECES):
        return NO_SLICE
    if fill_men_offsets(own_men, opponent_men) < 0:
        return -1
    s.own_men = own_men
    s.own_kings = own_kings
    s.opponent_men = opponent_men
    s.opponent_kings = opponent_kings
    s.free = 32 - own_men - opponent_men
    s.opponent_king_sets = CHOOSE[s.free][opponent_kings]
    s.own_king_sets = CHOOSE[s.free - opponent_kings][own_kings]
    s.block = s.opponent_king_sets * s.own_king_sets
    s.men_offsets = MEN_OFFSETS[own_men][opponent_men]
    s.arrangements = s.men_offsets[CHOOSE[MEN_SQUARES_28][own_men]]
    s.size = s.arrangements * s.block
    return 0


cdef inline u64 arrangement_number(const Slice* s, u64 own_men, u64 opponent_men, const int side) noexcept nogil:
    """Number of the arrangement of men; `side` is to move and has `own_men`."""
    cdef u64 own_squares = SQUARES & ~(BLACK_KING_ROW if side == BLACK else WHITE_KING_ROW)
    cdef u64 opponent_squares = SQUARES & ~(WHITE_KING_ROW if side == BLACK else BLACK_KING_ROW) & ~own_men
    if side == BLACK:
        return s.men_offsets[rank_set(pext(own_men, own_squares))] + rank_set(pext(opponent_men, opponent_squares))
    return (s.men_offsets[rank_turned(pext(own_men, own_squares), MEN_SQUARES_28)]
            + rank_turned(pext(opponent_men, opponent_squares), popcount(opponent_squares)))


cdef inline u64 slice_index(const Slice* s, u64 own_men, u64 own_kings, u64 opponent_men, u64 opponent_kings,
                            const int side) noexcept nogil:
    """Index of a position in its slice; `side` is to move and has `own_men` and `own_kings`."""
    cdef u64 free = SQUARES & ~(own_men | opponent_men)
    cdef u64 men = arrangement_number(s, own_men, opponent_men, side) if s.own_men + s.opponent_men else 0
    cdef u64 opponent_rank, own_rank
    if side == BLACK:
        opponent_rank = rank_set(pext(opponent_kings, free))
        own_rank = rank_set(pext(own_kings, free & ~opponent_kings))
    else:
        opponent_rank = rank_turned(pext(opponent_kings, free), s.free)
        own_rank = rank_turned(pext(own_kings, free & ~opponent_kings), s.free - s.opponent_kings)
    return (men * s.opponent_king_sets + opponent_rank) * s.own_king_sets + own_rank


cdef inline u64 board_index(const Slice* s, const Board* board) noexcept nogil:
    """Index of a board in its slice `s`."""
    cdef u64 own = board.pieces[board.side]
    cdef u64 opponent = board.pieces[1 - board.side]
    cdef u64 kings = board.kings
    if board.side == BLACK:
        return slice_index(s, own & ~kings, own & kings, opponent & ~kings, opponent & kings, BLACK)
    return slice_index(s, own & ~kings, own & kings, opponent & ~kings, opponent & kings, WHITE)


cdef inline int board_slice(const Board* board) noexcept nogil:
    """Slice number of a board with pieces of both sides, at most EGDB_MAX_PIECES together."""
    cdef u64 own = board.pieces[board.side]
    cdef u64 opponent = board.pieces[1 - board.side]
    cdef int own_kings = popcount(own & board.kings)
    cdef int opponent_kings = popcount(opponent & board.kings)
    return slice_number(popcount(own) - own_kings, own_kings, popcount(opponent) - opponent_kings, opponent_kings)


cdef Board board_at(const Slice* s, u64 index) noexcept nogil:
    """The position with this index, Black to move; its hash key is left 0."""
    cdef Board board
    cdef u64 own_rank = index % s.own_king_sets
    cdef u64 opponent_rank = index // s.own_king_sets % s.opponent_king_sets
    cdef u64 men = index // s.block
    cdef u64 low = 0
    cdef u64 high = CHOOSE[MEN_SQUARES_28][s.own_men]
    cdef u64 middle, own_men, opponent_men, opponent_kings, own_kings
    # binary search for the last set of own men whose arrangements begin at or before this one
    while high - low > 1:
        middle = (low + high) // 2
        if s.men_offsets[middle] <= men:
            low = middle
        else:
            high = middle
    own_men = pdep(unrank_set(low, s.own_men), SQUARES & ~BLACK_KING_ROW)
    opponent_men = pdep(unrank_set(men - s.men_offsets[low], s.opponent_men),
                        SQUARES & ~WHITE_KING_ROW & ~own_men)
    opponent_kings = pdep(unrank_set(opponent_rank, s.opponent_kings), SQUARES & ~(own_men | opponent_men))
    own_kings = pdep(unrank_set(own_rank, s.own_kings), SQUARES & ~(own_men | opponent_men | opponent_kings))
    board.pieces[BLACK] = own_men | own_kings
    board.pieces[WHITE] = opponent_men | opponent_kings
    board.kings = own_kings | opponent_kings
    board.side = BLACK
    board.key = 0
    return board


cdef inline int advancement(u64 men, const int side) noexcept nogil:
    """Rows that men have advanced, summed over all of them."""
    cdef int rows = 0
    cdef int r
    for r in range(1, 8):
        # square s stands at bit s + s/8
        rows += (r if side == BLACK else 7 - r) * popcount(men >> (4 * r + r // 2) & 15)
    if side == WHITE:
        rows += 7 * popcount(men & 15)
    return rows
