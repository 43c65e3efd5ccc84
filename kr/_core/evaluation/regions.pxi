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


cdef int fill_group(RegionGroup* group, regions, int base, const int16_t[:, :, ::1] entries,
                    const int32_t[:, ::1] material) except -1:
    """Copy one group of tables into memory that the system may back with huge pages."""
    cdef int halves = (len(regions) + LANES - 1) // LANES
    cdef int32_t* first
    cdef int32_t* digits
    cdef int i, side, pieces, power
    group.count = <int>len(regions)
    group.first = <Lanes*>allocate_pages(halves * sizeof(Lanes))
    group.digits[BLACK] = <Lanes*>allocate_pages(8 * ROW_SETS * halves * sizeof(Lanes))
    group.digits[WHITE] = <Lanes*>allocate_pages(8 * ROW_SETS * halves * sizeof(Lanes))
    group.entries = <uint32_t*>allocate_pages(entries.nbytes + sizeof(uint32_t))
    if group.first == NULL or group.digits[BLACK] == NULL or group.digits[WHITE] == NULL or group.entries == NULL:
        raise MemoryError("no memory for the region tables")
    memcpy(group.entries, &entries[0, 0, 0], entries.nbytes)
    first = <int32_t*>group.first
    for i in range(halves * LANES):
        first[i] = min(i, <int>len(regions)) * <int>entries.shape[1]
    for i in range(3):
        group.material[i][0] = material[i, 0]
        group.material[i][1] = material[i, 1]
    for side in range(2):
        digits = <int32_t*>group.digits[side]
        for i, region in enumerate(regions):
            power = 1
            for square in sorted(region):
                row, column = divmod(square if side == BLACK else 31 - square, 4)
                for pieces in range(ROW_SETS):
                    if pieces >> column & 1:
                        digits[(row * ROW_SETS + pieces) * halves * LANES + i] += power
                power *= base
    return 0


cdef void free_group(RegionGroup* group) noexcept nogil:
    free_pages(group.first)
    free_pages(group.digits[BLACK])
    free_pages(group.digits[WHITE])
    free_pages(group.entries)


cdef check_regions(regions, int size):
    for region in regions:
        if len(region) != size or len(set(region)) != size or min(region) < 0 or max(region) > 31:
            raise ValueError(f"a region of {size} squares 0-31, not {tuple(region)}")


cdef class _RegionEvaluator(Evaluator):
    """Region tables, copied into memory that the system may back with huge pages.

    Raises ValueError for shapes that do not belong together.
    """
    cdef RegionTables tables

    def __cinit__(self, men_regions, kings_regions, const int16_t[:, :, ::1] men not None,
                  const int16_t[:, :, ::1] kings not None, const int32_t[:, ::1] men_material not None,
                  const int32_t[:, ::1] kings_material not None):
        """Regions as tuples of squares 0-31; men and kings: (regions, entries, 2); materials: (3, 2), rows a man, a
        king, having the move."""
        if not 0 < len(men_regions) <= MAX_REGIONS or not 0 < len(kings_regions) <= MAX_REGIONS:
            raise ValueError(f"from 1 to {MAX_REGIONS} regions of either kind, "
                             f"not {len(men_regions)} and {len(kings_regions)}")
        if (men.shape[0] != len(men_regions) or men.shape[1] != MEN_ENTRIES or men.shape[2] != 2
                or kings.shape[0] != len(kings_regions) or kings.shape[1] != KINGS_ENTRIES or kings.shape[2] != 2):
            raise ValueError("tables and regions do not belong together")
        if (men_material.shape[0] != 3 or men_material.shape[1] != 2
                or kings_material.shape[0] != 3 or kings_material.shape[1] != 2):
            raise ValueError("material weights have the shape (3, 2)")
        check_regions(men_regions, MEN_SQUARES)
        check_regions(kings_regions, KINGS_SQUARES)
        fill_group(&self.tables.men, men_regions, 3, men, men_material)
        fill_group(&self.tables.kings, kings_regions, 5, kings, kings_material)
        self.evaluation.score = region_score
        self.evaluation.weights = &self.tables

    def __dealloc__(self):
        free_group(&self.tables.men)
        free_group(&self.tables.kings)


EVALUATORS["regions"] = _RegionEvaluator
