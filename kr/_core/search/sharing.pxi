# Sharing of moves between the threads of a search, in addition to the transposition table.
#
# A move that another thread is searching is deferred until the other moves are searched; by then the table has the
# answer. So the threads diverge wherever there is more than one move, and converge again (ABDADA, Weill 1996, as
# simplified by Kerrigan). Reads and writes race: at worst a move is searched twice, or later than possible.
#
# Two threads on two cores, the bench's positions to depth 20: 1.41 times as fast as one (bench/threads.py), with 1.46
# times the nodes (docs/lab/search.md). Without singular moves 1.53, 1.51 with one history for both; without the line
# extension as well 1.56 to depth 22. Before there was that, shared from 6 plies on 1.63 to depth 21, from 3 or 4 plies
# on 1.63 and 1.60, from 2 plies on 1.46.

cdef enum:
    SHARED_DEPTH = 6         # plies left from which moves are shared: below, it costs more than it saves
    BUSY_SLOTS = 1 << 12
    BUSY_SHIFT = 64 - 12
    ORDER_LATER = -(1 << 28) # deferred moves have lower values, in the order in which they were deferred

cdef struct Busy:
    volatile u64 searched[BUSY_SLOTS]    # hashes of the position after a move and the depth before it


cdef inline u64 busy_hash(u64 key, int depth) noexcept nogil:
    return key + <u64>depth * <u64>0x9E3779B97F4A7C15


cdef inline void begin_move(Busy* busy, u64 key, int depth) noexcept nogil:
    """Announce that this thread searches the position after a move."""
    cdef u64 hash = busy_hash(key, depth)
    busy.searched[hash >> BUSY_SHIFT] = hash


cdef inline void end_move(Busy* busy, u64 key, int depth) noexcept nogil:
    cdef u64 hash = busy_hash(key, depth)
    if busy.searched[hash >> BUSY_SHIFT] == hash:
        busy.searched[hash >> BUSY_SHIFT] = 0


cdef int next_idle(const Busy* busy, const Board* children, int* order, int count, int index, int depth) noexcept nogil:
    """The next move as by next_best, but moves that another thread is searching come last.

    The first move is never deferred, as its score is the bound for the others.
    """
    cdef u64 hash
    cdef int best
    cdef int deferred = 0
    while True:
        best = index_of_best(order, count)
        hash = busy_hash(children[best].key, depth)
        if index == 0 or order[best] < ORDER_LATER or busy.searched[hash >> BUSY_SHIFT] != hash:
            order[best] = ORDER_TAKEN
            return best
        deferred += 1
        order[best] = ORDER_LATER - index * MAX_MOVES - deferred
