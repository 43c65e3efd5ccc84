# What the threads of one search tell each other besides the transposition table: what each of them is at.
#
# A move that another thread is searching is left until the others are searched; by then the table knows the answer.
# So the threads part wherever there is more than one move, and meet again (ABDADA, Weill 1996, as simplified by
# Kerrigan). Reads and writes race: the worst that can happen is a move searched twice, or later than it might be.
#
# Two threads on two cores, the bench's positions to depth 21: 1.63 times as fast as one, to depth 20 1.58
# (bench/threads.py). Shared out from 3 or 4 plies 1.63 and 1.60, from 2 plies 1.46.

cdef enum:
    SHARED_DEPTH = 6         # plies left from which moves are shared out: below, telling costs more than it saves
    BUSY_SLOTS = 1 << 12
    BUSY_SHIFT = 64 - 12
    ORDER_LATER = -(1 << 28) # below it come the moves left for later, in the order in which they were left

cdef struct Busy:
    volatile u64 searched[BUSY_SLOTS]    # hashes of a position and the depth that was left before its move


cdef inline u64 busy_hash(u64 key, int depth) noexcept nogil:
    return key + <u64>depth * <u64>0x9E3779B97F4A7C15


cdef inline void begin_move(Busy* busy, u64 key, int depth) noexcept nogil:
    """This thread searches the position after a move."""
    cdef u64 hash = busy_hash(key, depth)
    busy.searched[hash >> BUSY_SHIFT] = hash


cdef inline void end_move(Busy* busy, u64 key, int depth) noexcept nogil:
    cdef u64 hash = busy_hash(key, depth)
    if busy.searched[hash >> BUSY_SHIFT] == hash:
        busy.searched[hash >> BUSY_SHIFT] = 0


cdef int next_idle(const Busy* busy, const Board* children, int* order, int count, int index, int depth) noexcept nogil:
    """As next_best, but moves that another thread is searching come last. The first move is never left: it is the one
    that the others are measured by."""
    cdef u64 hash
    cdef int best, i
    cdef int left = 0
    while True:
        best = 0
        for i in range(1, count):
            if order[i] > order[best]:
                best = i
        hash = busy_hash(children[best].key, depth)
        if index == 0 or order[best] < ORDER_LATER or busy.searched[hash >> BUSY_SHIFT] != hash:
            order[best] = ORDER_TAKEN
            return best
        left += 1
        order[best] = ORDER_LATER - index * MAX_MOVES - left
