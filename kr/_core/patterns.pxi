# Region tables (Kingsrow): a position is worth the sum of one table entry for each region, plus material.
#
# Positions are seen from the side to move. Instead of turning the board when White is to move, each region has a
# turned mask for White and the digits are read in reverse order.

cdef enum:
    MAX_REGIONS = 64
    MEN_SQUARES = 12
    KINGS_SQUARES = 8
    MEN_ENTRIES = 531441        # 3^12
    KINGS_ENTRIES = 390625      # 5^8
    FULL_BOARD = 24             # pieces at the start: all opening, no ending
    TABLE_UNIT = 16             # table entries are sixteenths of a centi-man

# What a set of own pieces adds to a region's index, by the side to move.
cdef int32_t TERNARY[2][1 << MEN_SQUARES]
cdef int32_t QUINARY[2][1 << KINGS_SQUARES]


cdef void fill_digits() noexcept nogil:
    cdef int subset, i, power
    for subset in range(1 << MEN_SQUARES):
        TERNARY[BLACK][subset] = 0
        TERNARY[WHITE][subset] = 0
        power = 1
        for i in range(MEN_SQUARES):
            if subset >> i & 1:
                TERNARY[BLACK][subset] += power
            if subset >> (MEN_SQUARES - 1 - i) & 1:
                TERNARY[WHITE][subset] += power
            power *= 3
    for subset in range(1 << KINGS_SQUARES):
        QUINARY[BLACK][subset] = 0
        QUINARY[WHITE][subset] = 0
        power = 1
        for i in range(KINGS_SQUARES):
            if subset >> i & 1:
                QUINARY[BLACK][subset] += power
            if subset >> (KINGS_SQUARES - 1 - i) & 1:
                QUINARY[WHITE][subset] += power
            power *= 5


fill_digits()


cdef struct RegionTables:
    int men_regions
    int kings_regions
    u64 men_masks[2][MAX_REGIONS]       # by side to move
    u64 kings_masks[2][MAX_REGIONS]
    int16_t* men                        # [region][entry][phase], phases: opening, ending
    int16_t* kings
    int32_t men_material[3][2]          # [a man, a king, having the move][phase]
    int32_t kings_material[3][2]


cdef inline int men_index(u64 own, u64 opponent, u64 mask, const int32_t* digits) noexcept nogil:
    return digits[pext(own, mask)] + 2 * digits[pext(opponent, mask)]


cdef inline int kings_index(u64 own, u64 opponent, u64 kings, u64 mask, const int32_t* digits) noexcept nogil:
    # kings count 2 more than men: own man 1, opponent's man 2, own king 3, opponent's king 4
    return (digits[pext(own, mask)] + 2 * digits[pext(opponent, mask)]
            + 2 * digits[pext(kings, mask)])


cdef inline int interpolated(int opening, int ending, int pieces) noexcept nogil:
    """The score in centi-men of sums in table units, by the number of pieces on the board."""
    return (opening * pieces + ending * (FULL_BOARD - pieces)) // (FULL_BOARD * TABLE_UNIT)


cdef int region_score(const RegionTables* tables, const Board* board) noexcept nogil:
    """The static score of the position, from the side to move."""
    cdef int side = board.side
    cdef u64 own = board.pieces[side]
    cdef u64 opponent = board.pieces[1 - side]
    cdef u64 kings = board.kings
    cdef int own_count = popcount(own)
    cdef int opponent_count = popcount(opponent)
    cdef int king_balance, man_balance, i
    cdef int opening = 0
    cdef int ending = 0
    cdef const int16_t* entry
    cdef const int32_t* digits
    cdef const u64* masks
    if kings == 0:
        man_balance = own_count - opponent_count
        opening = tables.men_material[2][0] + man_balance * tables.men_material[0][0]
        ending = tables.men_material[2][1] + man_balance * tables.men_material[0][1]
        digits = TERNARY[side]
        masks = tables.men_masks[side]
        for i in range(tables.men_regions):
            entry = tables.men + 2 * (<int64_t>i * MEN_ENTRIES + men_index(own, opponent, masks[i], digits))
            opening += entry[0]
            ending += entry[1]
    else:
        king_balance = popcount(own & kings) - popcount(opponent & kings)
        man_balance = own_count - opponent_count - king_balance
        opening = (tables.kings_material[2][0] + man_balance * tables.kings_material[0][0]
                   + king_balance * tables.kings_material[1][0])
        ending = (tables.kings_material[2][1] + man_balance * tables.kings_material[0][1]
                  + king_balance * tables.kings_material[1][1])
        digits = QUINARY[side]
        masks = tables.kings_masks[side]
        for i in range(tables.kings_regions):
            entry = tables.kings + 2 * (<int64_t>i * KINGS_ENTRIES + kings_index(own, opponent, kings, masks[i], digits))
            opening += entry[0]
            ending += entry[1]
    return interpolated(opening, ending, own_count + opponent_count)
