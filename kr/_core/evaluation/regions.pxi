# Region tables (Kingsrow): a position is worth the sum of one table entry for each region, plus material.
#
# Positions are seen from the side to move. Instead of turning the board when White is to move, each side has digits of
# its own.
#
# A region's index is a sum over its squares. So the indices of all regions, as one vector, are the sum of a vector for
# each row of the board: what the pieces on that row add to every index.

cdef enum:
    MAX_REGIONS = 32
    MEN_SQUARES = 12
    KINGS_SQUARES = 8
    MEN_ENTRIES = 531441        # 3^12
    KINGS_ENTRIES = 390625      # 5^8
    TABLE_UNIT = 16             # table entries are sixteenths of a centi-man
    LANES = 16                  # indices in one vector
    ROW_SETS = 16               # sets of pieces on one row

cdef extern from "_core/evaluation/regions.h":
    ctypedef struct Lanes "kr_lanes":
        pass
    int weighted_sum "kr_weighted_sum"(const uint32_t* entries, const Lanes* first, const Lanes* digits, int count,
                                       u64 own, u64 opponent, u64 kings, int opening, int ending) noexcept nogil


cdef struct RegionGroup:
    # The regions for positions without kings, or those with.
    int count
    Lanes* first                # where each region's entries begin; an entry of zeros for regions that are not there
    Lanes* digits[2]            # by side to move: what pieces on a row add to the indices
    uint32_t* entries           # two int16: opening, ending
    int32_t material[3][2]      # [a man, a king, having the move][phase]

cdef struct RegionTables:
    RegionGroup men
    RegionGroup kings


cdef int region_score(const void* weights, const Board* board) noexcept nogil:
    cdef const RegionTables* tables = <const RegionTables*>weights
    cdef int side = board.side
    cdef u64 own = board.pieces[side]
    cdef u64 opponent = board.pieces[1 - side]
    cdef u64 kings = board.kings
    cdef const RegionGroup* group = &tables.men if kings == 0 else &tables.kings
    cdef int king_balance = popcount(own & kings) - popcount(opponent & kings)
    cdef int man_balance = popcount(own) - popcount(opponent) - king_balance
    # the phases' shares of the score
    cdef int opening = popcount(own | opponent)
    cdef int ending = FULL_BOARD - opening
    cdef int sum = (opening * (group.material[2][0] + man_balance * group.material[0][0]
                               + king_balance * group.material[1][0])
                    + ending * (group.material[2][1] + man_balance * group.material[0][1]
                                + king_balance * group.material[1][1]))
    # 0 as a constant leaves the kings out where this is inlined
    if kings == 0:
        sum += weighted_sum(group.entries, group.first, group.digits[side], group.count, own, opponent, 0, opening, ending)
    else:
        sum += weighted_sum(group.entries, group.first, group.digits[side], group.count, own, opponent, kings,
                            opening, ending)
    return sum // (FULL_BOARD * TABLE_UNIT)


cdef int open_group(RegionGroup* group, const uint8_t* squares, int count, int base, uint32_t* entries,
                    u64 table_entries, const int32_t* material) noexcept nogil:
    """Set up one group of tables; -1 without memory.

    squares: (count, 12 or 8) of the regions, each ascending; base: 3 for 12 squares, 5 for 8; entries: of all regions,
    table_entries each, and an entry of zeros after the last; the group frees them. material: (3, 2).
    """
    cdef int halves = (count + LANES - 1) // LANES
    cdef int size = MEN_SQUARES if base == 3 else KINGS_SQUARES
    cdef int32_t* first
    cdef int32_t* digits
    cdef int i, k, side, pieces, power, square
    group.count = count
    group.entries = entries
    group.first = <Lanes*>allocate_pages(halves * sizeof(Lanes))
    group.digits[BLACK] = <Lanes*>allocate_pages(8 * ROW_SETS * halves * sizeof(Lanes))
    group.digits[WHITE] = <Lanes*>allocate_pages(8 * ROW_SETS * halves * sizeof(Lanes))
    if group.first == NULL or group.digits[BLACK] == NULL or group.digits[WHITE] == NULL:
        return -1
    first = <int32_t*>group.first
    for i in range(halves * LANES):
        first[i] = min(i, count) * <int>table_entries
    for i in range(3):
        group.material[i][0] = material[2 * i]
        group.material[i][1] = material[2 * i + 1]
    for side in range(2):
        digits = <int32_t*>group.digits[side]
        for i in range(count):
            power = 1
            for k in range(size):
                square = squares[i * size + k] if side == BLACK else 31 - squares[i * size + k]
                for pieces in range(ROW_SETS):
                    if pieces >> (square & 3) & 1:
                        digits[((square >> 2) * ROW_SETS + pieces) * halves * LANES + i] += power
                power *= base
    return 0


cdef void free_group(RegionGroup* group) noexcept nogil:
    free_pages(group.first)
    free_pages(group.digits[BLACK])
    free_pages(group.digits[WHITE])
    free_pages(group.entries)
