# Strategies: the move that is proved in each position of one side to move, in the order in which they were found.
#
# Moves are added and never changed, so that whoever has read a strategy up to a row need only read on from there.

cdef enum:
    LEAST_ROOM = 16

cdef struct ProvedMove:
    u32 black
    u32 white
    u32 kings
    Move move

cdef struct Strategy:
    ProvedMove* rows
    int32_t count
    int32_t room
    int32_t* slots           # by hash: 1 + row; 0 for none
    int32_t slot_count       # a power of two


cdef bint room_for(void** items, int32_t* room, int64_t needed, size_t size) noexcept nogil:
    """Make room for so many items of a size; False without memory."""
    cdef int64_t wanted = max(2 * <int64_t>room[0], LEAST_ROOM)
    cdef void* larger
    if needed <= room[0]:
        return True
    wanted = max(wanted, needed)
    if wanted >> 30:
        return False
    larger = realloc(items[0], <size_t>wanted * size)
    if larger == NULL:
        return False
    items[0] = larger
    room[0] = <int32_t>wanted
    return True


cdef bint empty_slots(int32_t** slots, int32_t* slot_count) noexcept nogil:
    """Twice as many slots, all empty; False without memory."""
    cdef int32_t wanted = max(2 * slot_count[0], 2 * LEAST_ROOM)
    cdef int32_t* wider = <int32_t*>calloc(wanted, sizeof(int32_t))
    if wider == NULL:
        return False
    free(slots[0])
    slots[0] = wider
    slot_count[0] = wanted
    return True


cdef inline u64 plain_hash(u32 black, u32 white, u32 kings) noexcept nogil:
    cdef u64 state = black | <u64>white << 32
    state = splitmix64(&state) ^ kings
    return splitmix64(&state)


cdef inline int32_t* strategy_slot(const Strategy* strategy, u32 black, u32 white, u32 kings) noexcept nogil:
    """The slot of a position, or the empty one where it belongs; there are slots."""
    cdef u64 i = plain_hash(black, white, kings)
    cdef const ProvedMove* row
    while True:
        i &= <u64>strategy.slot_count - 1
        if strategy.slots[i] == 0:
            return &strategy.slots[i]
        row = &strategy.rows[strategy.slots[i] - 1]
        if row.black == black and row.white == white and row.kings == kings:
            return &strategy.slots[i]
        i += 1


cdef int32_t plain_row(const Strategy* strategy, u32 black, u32 white, u32 kings) noexcept nogil:
    """Row of a position; -1 if it has no move."""
    return strategy_slot(strategy, black, white, kings)[0] - 1 if strategy.slot_count else -1


cdef int32_t strategy_row(const Strategy* strategy, const Board* board) noexcept nogil:
    return plain_row(strategy, unpad(board.pieces[BLACK]), unpad(board.pieces[WHITE]), unpad(board.kings))


cdef bint knows_move(const Strategy* strategy, const Board* board) noexcept nogil:
    return strategy_row(strategy, board) >= 0


cdef bint add_row(Strategy* strategy, const ProvedMove* added) noexcept nogil:
    """Add a move unless the position has one; False without memory."""
    cdef int32_t i
    if plain_row(strategy, added.black, added.white, added.kings) >= 0:
        return True
    if not room_for(<void**>&strategy.rows, &strategy.room, strategy.count + 1, sizeof(ProvedMove)):
        return False
    if 2 * (strategy.count + 1) > strategy.slot_count:
        if not empty_slots(&strategy.slots, &strategy.slot_count):
            return False
        for i in range(strategy.count):
            strategy_slot(strategy, strategy.rows[i].black, strategy.rows[i].white,
                          strategy.rows[i].kings)[0] = i + 1
    strategy.rows[strategy.count] = added[0]
    strategy.count += 1
    strategy_slot(strategy, added.black, added.white, added.kings)[0] = strategy.count
    return True


cdef inline ProvedMove proved_move(const Board* board, Move move) noexcept nogil:
    cdef ProvedMove row
    row.black = unpad(board.pieces[BLACK])
    row.white = unpad(board.pieces[WHITE])
    row.kings = unpad(board.kings)
    row.move = move
    return row


cdef bint add_move(Strategy* strategy, const Board* board, Move move) noexcept nogil:
    cdef ProvedMove row = proved_move(board, move)
    return add_row(strategy, &row)


cdef bint add_rows(Strategy* strategy, const Strategy* other, int32_t first) noexcept nogil:
    """Add the moves of another strategy from a row on; False without memory."""
    cdef int32_t i
    for i in range(first, other.count):
        if not add_row(strategy, &other.rows[i]):
            return False
    return True


cdef void free_strategy(Strategy* strategy) noexcept nogil:
    free(strategy.rows)
    free(strategy.slots)
