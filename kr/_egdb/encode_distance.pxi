# Encoding of a slice's half-distances, as distance_codec.pxi decodes them.

cdef enum:
    DISTANCE_MEAN_BYTES = 80                # upper bound for blocks where the encoder chooses their size

cdef struct DistanceEncoder:
    const uint8_t* distances
    CodeOutput out
    int runs                                # number of symbols for a run: CODE_REST, and one for each class
    uint8_t lengths[2][DISTANCE_CONTEXTS * CODE_MAX_SYMBOLS]     # of runs, of differences
    uint16_t codes[2][DISTANCE_CONTEXTS * CODE_MAX_SYMBOLS]
    u64 counts[2][DISTANCE_CONTEXTS * CODE_MAX_SYMBOLS]


cdef inline int difference_symbol(int difference) noexcept nogil:
    """Symbol of a difference: 0, 1, 2, 3 ... for +1, -1, +2, -2 ..."""
    return 2 * difference - 2 if difference > 0 else -2 * difference - 1


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
