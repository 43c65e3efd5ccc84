# The solver of endgame databases, for Python: its slices, and one call for each range of arrangements.
#
# A man's move leads to an arrangement that is one row further advanced. So the arrangements of a slice that have
# advanced equally far are independent: they are solved side by side, the most advanced first.

cdef enum:
    ROWS = 6 * EGDB_MAX_PIECES + 2      # numbers of rows that all men together can have advanced, and an end mark

cdef struct MenSets:
    # All sets of a number of men of the side that moves up, by rows advanced.
    u64* sets
    u64 starts[ROWS]                    # first set with each number of rows

cdef MenSets MEN_SETS[EGDB_MAX_PIECES]


cdef int fill_men_sets(int size) noexcept nogil:
    """Fill MEN_SETS[size], unless it is filled; -1 without memory. The caller holds the GIL."""
    cdef MenSets* men = &MEN_SETS[size]
    cdef u64 count = CHOOSE[MEN_SQUARES_28][size]
    cdef u64 rank, padded
    cdef u64 ends[ROWS]
    cdef int rows
    if men.sets != NULL:
        return 0
    cdef u64* sets = <u64*>malloc(count * sizeof(u64))
    if sets == NULL:
        return -1
    memset(ends, 0, sizeof(ends))
    for rank in range(count):
        ends[advancement(pad32(KING_SETS[size][rank]), BLACK) + 1] += 1
    for rows in range(1, ROWS):
        ends[rows] += ends[rows - 1]
    memcpy(men.starts, ends, sizeof(ends))
    for rank in range(count):
        padded = pad32(KING_SETS[size][rank])
        rows = advancement(padded, BLACK)
        sets[ends[rows]] = padded
        ends[rows] += 1
    men.sets = sets
    return 0


cdef void solve_arrangement(Workspace* space, SolvedSlice** solved, SolvedSlice* slice, SolvedSlice* twin,
                            u64 own_men, u64 opponent_men) noexcept nogil:
    """Solve one arrangement of men with either side to move: a block of the slice, and one of its twin."""
    cdef View views[2]
    cdef u64 number = arrangement_number(&slice.place.shape, own_men, opponent_men, BLACK)
    cdef u64 twin_own = turned(opponent_men)
    cdef u64 twin_opponent = turned(own_men)
    cdef u64 twin_number = arrangement_number(&twin.place.shape, twin_own, twin_opponent, BLACK)
    cdef bint alone = slice == twin and number == twin_number
    cdef int count = 1 if alone else 2
    if slice == twin and twin_number < number:
        return    # solved together with the other arrangement
    prepare_view(&views[0], solved, &slice.place.shape, own_men, opponent_men, space.states[0])
    start_view(&views[0], solved)
    prepare_view(&views[1], solved, &twin.place.shape, twin_own, twin_opponent, space.states[0 if alone else 1])
    if not alone:
        start_view(&views[1], solved)
    resolve_views(space, views, count)
    pack_block(views[0].states, views[0].size, number * slice.place.shape.block, slice.values)
    if not alone:
        pack_block(views[1].states, views[1].size, twin_number * twin.place.shape.block, twin.values)
    if slice.distances != NULL:
        solve_distances(space, solved, views, count)
        memcpy(slice.distances + number * slice.place.shape.block, space.distances[0].settled, slice.place.shape.block)
        if not alone:
            memcpy(twin.distances + twin_number * twin.place.shape.block, space.distances[1].settled, twin.place.shape.block)


cdef class SolverSpace:
    """Working memory of a solving thread, for two blocks of at most `positions` each."""
    cdef Workspace space
    cdef bint with_distances

    def __cinit__(self, u64 positions, bint distances=False):
        cdef int i
        self.with_distances = distances
        self.space.capacity = positions
        for i in range(2):
            self.space.states[i] = <uint8_t*>allocate_untouched(positions + 64)
        self.space.wins = <u32*>allocate_untouched(2 * positions * sizeof(u32) + 64)
        self.space.losses = <u32*>allocate_untouched(2 * positions * sizeof(u32) + 64)
        if (self.space.states[0] == NULL or self.space.states[1] == NULL or self.space.wins == NULL
                or self.space.losses == NULL):
            raise MemoryError(f"no memory to solve {positions} positions at once")
        for i in range(2 if distances else 0):
            self.space.distances[i].settled = <uint8_t*>allocate_untouched(positions + 64)
            self.space.distances[i].least = <uint8_t*>allocate_untouched(positions + 64)
            self.space.distances[i].left = <uint8_t*>allocate_untouched(positions + 64)
            if (self.space.distances[i].settled == NULL or self.space.distances[i].least == NULL
                    or self.space.distances[i].left == NULL):
                raise MemoryError(f"no memory for the distances of {positions} positions at once")

    def __dealloc__(self):
        cdef int i
        for i in range(2):
            free_pages(self.space.distances[i].settled)
            free_pages(self.space.distances[i].least)
            free_pages(self.space.distances[i].left)
        free_pages(self.space.states[0])
        free_pages(self.space.states[1])
        free_pages(self.space.wins)
        free_pages(self.space.losses)


cdef class EndgameSolver:
    """Slices with their values: solved ones, which others look up, and those being solved."""
    cdef SolvedSlice slices[SLICES]
    cdef SolvedSlice* solved[SLICES]
    cdef dict arrays

    def __cinit__(self):
        self.arrays = {}

    def add(self, tuple shape, u64[::1] values not None, uint8_t[::1] distances=None):
        """Add a slice to be solved with its arrays, which are zeros at first.

        values: 32 positions a word; distances: one byte a position, if they are wanted: then the slices that its moves
        lead to need them too. Raises ValueError if an array is too short.
        """
        cdef SolvedSlice* s = self.entered(shape, values.shape[0], distances)
        s.values = &values[0]
        if distances is not None:
            s.distances = &distances[0]
        self.arrays[shape] = values, distances

    def look_up(self, tuple shape, const u64[::1] values not None, const uint8_t[::1] distances=None):
        """Add a slice that is solved, of which only positions are looked up: see `add`."""
        cdef SolvedSlice* s = self.entered(shape, values.shape[0], distances)
        # nobody writes to a slice that is not to be solved
        s.values = <u64*>&values[0]
        if distances is not None:
            s.distances = <uint8_t*>&distances[0]
        self.arrays[shape] = values, distances

    cdef SolvedSlice* entered(self, tuple shape, u64 words, const uint8_t[::1] distances) except NULL:
        cdef Slice s = make_slice(shape[0], shape[1], shape[2], shape[3])
        cdef int number = slice_number(s.own_men, s.own_kings, s.opponent_men, s.opponent_kings)
        if words < (s.size + 31) // 32:
            raise ValueError(f"a slice of {s.size} positions needs {(s.size + 31) // 32} words")
        if distances is not None and <u64>distances.shape[0] < s.size:
            raise ValueError(f"a slice of {s.size} positions needs as many distances")
        for size in (s.own_men, s.own_kings, s.opponent_men, s.opponent_kings):
            if fill_king_sets(size) < 0 or fill_men_sets(size) < 0:
                raise MemoryError("no memory for the sets of squares")
        memset(&self.slices[number], 0, sizeof(SolvedSlice))
        index_slice(&self.slices[number].place, s.own_men, s.own_kings, s.opponent_men, s.opponent_kings)
        self.solved[number] = &self.slices[number]
        return self.solved[number]

    def solve(self, tuple shape, SolverSpace space not None, int own_rows, int opponent_rows, u64 first, u64 last,
              const int[::1] stop):
        """Solve some arrangements of a slice with either side to move, without the GIL.

        own_rows, opponent_rows: rows that the men of the side to move and the opponent's have advanced; first, last:
        range of the sets of own men with that number of rows (`men_sets`), `last` excluded. All positions that the
        moves lead to must be solved. Returns early if stop[0] is set. Raises ValueError, and OverflowError for a win
        that takes too long to be stored.
        """
        cdef SolvedSlice* slice = self.solved[slice_number(shape[0], shape[1], shape[2], shape[3])]
        cdef SolvedSlice* twin = self.solved[slice_number(shape[2], shape[3], shape[0], shape[1])]
        cdef MenSets* own = &MEN_SETS[<int>shape[0]]
        cdef MenSets* opponent = &MEN_SETS[<int>shape[2]]
        cdef u64 i, j, opponent_men
        if slice == NULL or twin == NULL:
            raise ValueError(f"slice {shape} or its twin has not been added")
        if slice.place.shape.block > space.space.capacity:
            raise ValueError(f"working memory for {space.space.capacity} positions; {slice.place.shape.block} needed")
        if slice.distances != NULL and not space.with_distances:
            raise ValueError("working memory without room for distances")
        with nogil:
            for i in range(own.starts[own_rows] + first, own.starts[own_rows] + last):
                if stop[0]:
                    break
                for j in range(opponent.starts[opponent_rows], opponent.starts[opponent_rows + 1]):
                    opponent_men = turned(opponent.sets[j])
                    if own.sets[i] & opponent_men == 0:
                        solve_arrangement(&space.space, self.solved, slice, twin, own.sets[i], opponent_men)
        if space.space.too_far:
            raise OverflowError(f"slice {shape} has a win in more than {2 * DISTANCE_OPEN - 1} plies")


def men_sets(int size):
    """Numbers of the sets of `size` men that have advanced 0, 1, 2, ... rows all together, as a list."""
    if not 0 <= size < EGDB_MAX_PIECES:
        raise ValueError(f"{size} men; from 0 to {EGDB_MAX_PIECES - 1}")
    if fill_king_sets(size) < 0 or fill_men_sets(size) < 0:
        raise MemoryError("no memory for the sets of squares")
    return [MEN_SETS[size].starts[rows + 1] - MEN_SETS[size].starts[rows] for rows in range(6 * size + 1)]


def count_values(const u64[::1] packed, u64 size):
    """Losses, draws, wins and unknowns among the first `size` packed values."""
    cdef u64 counts[4]
    cdef u64 i, word, low, high, used
    counts[:] = [0, 0, 0, 0]
    if size > 32 * <u64>packed.shape[0]:
        raise ValueError(f"{size} values don't fit into {packed.shape[0]} words")
    with nogil:
        for i in range((size + 31) // 32):
            used = <u64>0x5555555555555555
            if size - 32 * i < 32:
                used &= (<u64>1 << 2 * (size - 32 * i)) - 1
            word = packed[i]
            low = word & used
            high = word >> 1 & used
            counts[3] += popcount(low & high)
            counts[1] += popcount(low & ~high)
            counts[2] += popcount(high & ~low)
            counts[0] += popcount(used & ~(low | high))
    return counts[0], counts[1], counts[2], counts[3]


def longest_win(const uint8_t[::1] distances, const u64[::1] values, u64 size):
    """(plies, index) of the first of the wins that take longest; (0, 0) if no position is won."""
    cdef u64 i
    cdef u64 where = 0
    cdef int longest = -1
    if min(<u64>distances.shape[0], 32 * <u64>values.shape[0]) < size:
        raise ValueError(f"arrays too short for {size} positions")
    with nogil:
        for i in range(size):
            if (distances[i] < DISTANCE_OPEN and <int>distances[i] > longest
                    and packed_value(&values[0], i) == VALUE_WIN):
                longest = distances[i]
                where = i
    return 2 * longest + 1 if longest >= 0 else 0, where
