# Transposition table: clusters of four entries that fill one cache line.
#
# An entry is two words, the data and the key xored with the data, so that a torn write by another thread reads as a
# miss.

cdef enum:
    CLUSTER = 4
    BOUND_NONE = 0
    BOUND_UPPER = 1      # the score is at most this
    BOUND_LOWER = 2      # the score is at least this
    BOUND_EXACT = 3
    GENERATIONS = 64
    AGE_WORTH = 8        # plies by which each later search lowers the worth of an entry
    EMPTY_WORTH = -(1 << 20)   # lower than the worth of any entry

cdef struct Entry:
    u64 check
    u64 data             # move 12 bits, bound 2, generation 6, depth 8, score 16

cdef struct Table:
    Entry* entries
    u64 mask             # clusters - 1
    int generation

cdef struct Hit:
    bint found
    int score
    int depth
    int bound
    int move             # origin and target, 12 bits; 0 for none


cdef inline Entry* cluster_of(const Table* table, u64 key) noexcept nogil:
    return table.entries + (key & table.mask) * CLUSTER


cdef inline u64 pack_entry(int move, int bound, int generation, int depth, int score) noexcept nogil:
    return (<u64>move | <u64>bound << 12 | <u64>generation << 14 | <u64>(depth & 255) << 20
            | <u64>(<uint16_t>score) << 28)


cdef inline int entry_depth(u64 data) noexcept nogil:
    return <int>(data >> 20 & 255)


cdef inline int entry_generation(u64 data) noexcept nogil:
    return <int>(data >> 14 & 63)


cdef inline int entry_bound(u64 data) noexcept nogil:
    return <int>(data >> 12 & 3)


cdef inline int score_to_table(int score, int ply) noexcept nogil:
    """Plies to a win are counted from the node in the table, and from the root in the search."""
    if score > SCORE_STATIC_MAX:
        return score + ply
    if score < -SCORE_STATIC_MAX:
        return score - ply
    return score


cdef inline int score_from_table(int score, int ply) noexcept nogil:
    if score > SCORE_STATIC_MAX:
        return score - ply
    if score < -SCORE_STATIC_MAX:
        return score + ply
    return score


cdef inline Hit probe(const Table* table, u64 key, int ply) noexcept nogil:
    cdef Entry* cluster = cluster_of(table, key)
    cdef Hit hit
    cdef u64 data
    cdef int i
    hit.found = False
    hit.move = 0
    hit.bound = BOUND_NONE
    for i in range(CLUSTER):
        data = cluster[i].data
        if data != 0 and cluster[i].check ^ data == key:
            hit.found = True
            hit.move = <int>(data & 4095)
            hit.bound = entry_bound(data)
            hit.depth = entry_depth(data)
            hit.score = score_from_table(<int16_t>(data >> 28 & 0xFFFF), ply)
            return hit
    return hit


cdef inline void store(Table* table, u64 key, Move move, int score, int bound, int depth, int ply) noexcept nogil:
    """Replace the entry of this position, or else the one of least worth: a shallow one of an old search."""
    cdef Entry* cluster = cluster_of(table, key)
    cdef Entry* victim = cluster
    cdef int least = 1 << 30
    cdef int best_move = short_move(move)
    cdef int i, worth
    cdef u64 data
    for i in range(CLUSTER):
        data = cluster[i].data
        if cluster[i].check ^ data == key:
            victim = cluster + i
            if best_move == 0:
                best_move = <int>(data & 4095)
            break
        worth = entry_depth(data) - AGE_WORTH * (table.generation - entry_generation(data) & GENERATIONS - 1)
        if data == 0:
            worth = EMPTY_WORTH
        if worth < least:
            least = worth
            victim = cluster + i
    data = pack_entry(best_move, bound, table.generation, depth, score_to_table(score, ply))
    victim.data = data
    victim.check = key ^ data


cdef int allocate_table(Table* table, u64 bytes) noexcept nogil:
    """Allocate the largest power of two of clusters within `bytes`; -1 without memory."""
    cdef u64 clusters = 1
    while clusters <= bytes // (2 * CLUSTER * sizeof(Entry)):
        clusters *= 2
    table.entries = <Entry*>allocate_pages(clusters * CLUSTER * sizeof(Entry))
    table.mask = clusters - 1
    table.generation = 0
    return 0 if table.entries != NULL else -1


cdef void clear_table(Table* table) noexcept nogil:
    memset(table.entries, 0, (table.mask + 1) * CLUSTER * sizeof(Entry))
    table.generation = 0


cdef void new_generation(Table* table) noexcept nogil:
    table.generation = table.generation + 1 & GENERATIONS - 1
