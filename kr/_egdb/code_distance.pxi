# Coding of a slice's half-distances: runs as for values, each followed by the difference to the next half-distance. The
# codes depend on the current half-distance, by contexts: 0, 1, 2, 3-4, 5-7, 8-12, 13-19, 20 and more.

cdef enum:
    DISTANCE_CONTEXTS = 8
    DISTANCE_MAX = 250                      # the largest half-distance that can be coded
    DISTANCE_ANY = 255                      # a don't-care
    DISTANCE_DIFFERENCES = 2 * DISTANCE_MAX
    DISTANCE_MEAN_BYTES = 80                # upper bound for blocks where the encoder chooses their size

cdef struct DistanceEncoder:
    const uint8_t* distances
    CodeOutput out
    int runs                                # number of symbols for a run: CODE_REST, and one for each class
    uint8_t lengths[2][DISTANCE_CONTEXTS * CODE_MAX_SYMBOLS]     # of runs, of differences
    uint16_t codes[2][DISTANCE_CONTEXTS * CODE_MAX_SYMBOLS]
    u64 counts[2][DISTANCE_CONTEXTS * CODE_MAX_SYMBOLS]


cdef inline int distance_context(int distance) noexcept nogil:
    if distance < 3:
        return distance
    if distance < 8:
        return 3 if distance < 5 else 4
    return 5 if distance < 13 else 6 if distance < 20 else 7


cdef inline int difference_symbol(int difference) noexcept nogil:
    """Symbol of a difference: 0, 1, 2, 3 ... for +1, -1, +2, -2 ..."""
    return 2 * difference - 2 if difference > 0 else -2 * difference - 1


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


cdef inline bint write_distance(DistanceEncoder* e, BitWriter* bits, u32 run, int distance,
                                int difference) noexcept nogil:
    """Write a run of `distance` and the difference to the next; False if the block gets too long."""
    cdef int symbol = distance_context(distance) * e.runs + 1 + run_class(run)
    cdef int extra = class_extra(run_class(run))
    cdef int length = e.lengths[0][symbol] + extra
    cdef u64 code = <u64>e.codes[0][symbol] << extra | (run - class_start(run_class(run)))
    symbol = distance_context(distance) * DISTANCE_DIFFERENCES + difference_symbol(difference)
    code = code << e.lengths[1][symbol] | e.codes[1][symbol]
    length += e.lengths[1][symbol]
    if bits.at - e.out.data - e.out.data_bytes + (bits.waiting + length + 7) // 8 > ENCODE_MAX_BYTES:
        return False
    put_bits(bits, code, length)
    return True


cdef int walk_distances(DistanceEncoder* e, bint writing) noexcept nogil:
    """Count the symbols of all blocks, or write them; -1 without memory, or ENCODE_TOO_LONG."""
    cdef u64 begin = 0
    cdef u64 stop, i, start
    cdef BitWriter bits
    cdef int distance, context
    while begin < e.out.entries:
        stop = min(begin + (<u64>1 << e.out.block_bits), e.out.entries)
        if writing and open_block(&e.out, &bits) < 0:
            return -1
        distance = DISTANCE_ANY
        start = begin
        for i in range(begin, stop):
            if e.distances[i] == distance or e.distances[i] == DISTANCE_ANY:
                continue
            if distance == DISTANCE_ANY:
                if writing:
                    put_bits(&bits, e.distances[i], 8)
            elif writing:
                if not write_distance(e, &bits, <u32>(i - start), distance, e.distances[i] - distance):
                    return ENCODE_TOO_LONG
            else:
                context = distance_context(distance)
                e.counts[0][context * e.runs + 1 + run_class(<u32>(i - start))] += 1
                e.counts[1][context * DISTANCE_DIFFERENCES + difference_symbol(e.distances[i] - distance)] += 1
            if distance != DISTANCE_ANY:
                start = i
            distance = e.distances[i]
        if writing:
            close_block(&e.out, &bits, begin >> e.out.block_bits, 0)
        begin = stop
    return 0


cdef u64 make_distance_codes(DistanceEncoder* e) noexcept nogil:
    """Choose the codes for the counted symbols; returns the bits that they take."""
    cdef u64 total = 0
    cdef int sizes[2]
    cdef int kind, context, symbol, first
    sizes[0] = e.runs
    sizes[1] = DISTANCE_DIFFERENCES
    for kind in range(2):
        for context in range(DISTANCE_CONTEXTS):
            first = context * sizes[kind]
            limited_lengths(e.counts[kind] + first, sizes[kind], kind == 0, e.lengths[kind] + first)
            give_codes(e.lengths[kind] + first, sizes[kind], e.codes[kind] + first)
            for symbol in range(sizes[kind]):
                total += e.counts[kind][first + symbol] * (
                    e.lengths[kind][first + symbol] + (class_extra(symbol - 1) if kind == 0 and symbol > 0 else 0))
    return total


cdef int prepare_distances(DistanceEncoder* e, const uint8_t[::1] distances, int block_bits) except -1:
    cdef u64 entries = <u64>distances.shape[0]
    cdef u64 i
    cdef bint fit = True
    check_blocks(entries, block_bits)
    memset(e, 0, sizeof(DistanceEncoder))
    e.distances = &distances[0]
    e.runs = 1 + run_classes(block_bits)
    with nogil:
        for i in range(entries):
            fit = fit and (distances[i] <= DISTANCE_MAX or distances[i] == DISTANCE_ANY)
    if not fit:
        raise ValueError(f"half-distance of more than {DISTANCE_MAX}")
    if open_output(&e.out, entries, block_bits) < 0:
        raise MemoryError("no memory for the coded distances of a slice")
    return 0


def encoded_distances_size(const uint8_t[::1] distances not None):
    """Estimated size in bits of the encoded half-distances; DISTANCE_ANY is a don't-care."""
    cdef DistanceEncoder e
    cdef u64 bits
    prepare_distances(&e, distances, 8)
    with nogil:
        walk_distances(&e, False)
        bits = make_distance_codes(&e)
        free_output(&e.out)
    return bits


def encode_distances(const uint8_t[::1] distances not None, int block_bits=0):
    """Encode half-distances in blocks of 2^block_bits entries; 0: the encoder chooses the size.

    distances: DISTANCE_ANY is a don't-care. Returns block_bits, which is smaller than requested if a block would be too
    long to index; index, data (followed by CODE_PAD bytes) and code lengths, all uint8. Raises ValueError.
    """
    cdef DistanceEncoder e
    cdef int failed = ENCODE_TOO_LONG
    if block_bits == 0:
        block_bits = fitting_blocks(encoded_distances_size(distances), distances.shape[0], DISTANCE_MEAN_BYTES)
    while True:
        prepare_distances(&e, distances, block_bits)
        try:
            with nogil:
                walk_distances(&e, False)
                make_distance_codes(&e)
                failed = walk_distances(&e, True)
            if failed == 0:
                lengths = [bytes_array(e.lengths[0], DISTANCE_CONTEXTS * e.runs, 0),
                           bytes_array(e.lengths[1], DISTANCE_CONTEXTS * DISTANCE_DIFFERENCES, 0)]
                return block_bits, *output_arrays(&e.out), [row for part in lengths
                                                            for row in part.reshape(DISTANCE_CONTEXTS, -1)]
        finally:
            free_output(&e.out)
        if failed != ENCODE_TOO_LONG:
            raise MemoryError("no memory for the coded distances of a slice")
        block_bits -= 1
