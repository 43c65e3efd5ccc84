# Coding of a slice's half-distances: runs as for values, each followed by the difference to the next half-distance. The
# codes depend on the current half-distance, by contexts: 0, 1, 2, 3-4, 5-7, 8-12, 13-19, 20 and more.

cdef enum:
    DISTANCE_CONTEXTS = 8
    DISTANCE_MAX = 250                      # the largest half-distance that can be coded
    DISTANCE_ANY = 255                      # a don't-care
    DISTANCE_DIFFERENCES = 2 * DISTANCE_MAX


cdef inline int distance_context(int distance) noexcept nogil:
    if distance < 3:
        return distance
    if distance < 8:
        return 3 if distance < 5 else 4
    return 5 if distance < 13 else 6 if distance < 20 else 7


cdef int fill_distance_tables(uint16_t* table, const uint8_t* lengths, int block_bits) noexcept nogil:
    """Fill the decode tables from code lengths, (contexts, symbols) of runs, then of differences; -1 if invalid."""
    cdef int runs = 1 + run_classes(block_bits)
    cdef int context
    for context in range(DISTANCE_CONTEXTS):
        if fill_symbols(table + (context << CODE_BITS), lengths + context * runs, runs) < 0:
            return -1
        # CODE_REST must be all ones: a block is padded with ones
        if table[(context + 1 << CODE_BITS) - 1] >> 4 != CODE_REST:
            return -1
        if fill_symbols(table + (DISTANCE_CONTEXTS + context << CODE_BITS),
                        lengths + DISTANCE_CONTEXTS * runs + context * DISTANCE_DIFFERENCES, DISTANCE_DIFFERENCES) < 0:
            return -1
    return 0


cdef int coded_distance(CodedSlice* s, u64 index) noexcept nogil:
    """Half-distance of an entry, any number for a don't-care; -1 if the file is damaged there."""
    cdef CodedBlock block = coded_block(s, index >> s.block_bits)
    cdef u64 left = index & ((<u64>1 << s.block_bits) - 1)   # entries before it
    cdef u64 at = 8
    cdef u64 bits, run
    cdef const uint16_t* table
    cdef int distance, entry, symbol, used, extra
    c_assert(index < s.entries)
    if block.value == VALUE_UNKNOWN or block.end == 0:
        return 0 if block.end == 0 and block.value != VALUE_UNKNOWN else -1
    distance = block.data[0]
    while distance <= DISTANCE_MAX:
        table = s.symbols + (distance_context(distance) << CODE_BITS)
        bits = bits_at(&block, at)
        entry = table[bits >> (64 - CODE_BITS)]
        symbol = entry >> 4
        used = entry & 15
        if symbol == CODE_REST:
            return distance
        run = class_start(symbol - 1)
        extra = class_extra(symbol - 1)
        if extra > 0:
            run += bits << used >> (64 - extra)
        if left < run:
            return distance
        left -= run
        used += extra
        entry = table[(DISTANCE_CONTEXTS << CODE_BITS) + (bits << used >> (64 - CODE_BITS))]
        at += used + (entry & 15)
        symbol = entry >> 4
        distance += -(symbol + 1) // 2 if symbol & 1 else symbol // 2 + 1
        if distance < 0:
            return -1
    return -1


cdef void unpack_distances(CodedSlice* s, u64 number, uint8_t* halves) noexcept nogil:
    """Write all entries of a block as `coded_distance` returns them; DISTANCE_ANY from the first damage on."""
    cdef CodedBlock block = coded_block(s, number)
    cdef u64 size = min(<u64>1 << s.block_bits, s.entries - (number << s.block_bits))
    cdef u64 at = 8
    cdef u64 filled = 0
    cdef u64 bits, run
    cdef const uint16_t* table
    cdef int distance, entry, symbol, used, extra
    if block.value == VALUE_UNKNOWN or block.end == 0:
        memset(halves, 0 if block.value != VALUE_UNKNOWN else DISTANCE_ANY, size)
        return
    distance = block.data[0]
    while 0 <= distance <= DISTANCE_MAX:
        table = s.symbols + (distance_context(distance) << CODE_BITS)
        bits = bits_at(&block, at)
        entry = table[bits >> (64 - CODE_BITS)]
        symbol = entry >> 4
        used = entry & 15
        if symbol == CODE_REST:
            memset(halves + filled, distance, size - filled)
            return
        run = class_start(symbol - 1)
        extra = class_extra(symbol - 1)
        if extra > 0:
            run += bits << used >> (64 - extra)
        run = min(run, size - filled)
        memset(halves + filled, distance, run)
        filled += run
        if filled == size:
            return
        used += extra
        entry = table[(DISTANCE_CONTEXTS << CODE_BITS) + (bits << used >> (64 - CODE_BITS))]
        at += used + (entry & 15)
        symbol = entry >> 4
        distance += -(symbol + 1) // 2 if symbol & 1 else symbol // 2 + 1
    memset(halves + filled, DISTANCE_ANY, size - filled)
