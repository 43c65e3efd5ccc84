# Blocks as they are written, and codes of limited length, for all encoders (decoded by codec.pxi).

cdef enum:
    ENCODE_MAX_BYTES = 255       # of a block
    ENCODE_TOO_LONG = -2         # a block takes more than ENCODE_MAX_BYTES

cdef struct CodeOutput:
    u64 entries
    int block_bits
    uint8_t* index
    uint8_t* data
    u64 data_bytes
    u64 capacity

cdef struct BitWriter:
    u64 word                     # its lowest `waiting` bits are still to be written
    int waiting
    uint8_t* at


cdef int open_output(CodeOutput* out, u64 entries, int block_bits) noexcept nogil:
    """Allocate the index; -1 without memory."""
    out.entries = entries
    out.block_bits = block_bits
    out.index = <uint8_t*>calloc(code_index_bytes(entries, block_bits), 1)
    return 0 if out.index != NULL else -1


cdef void free_output(CodeOutput* out) noexcept nogil:
    free(out.index)
    free(out.data)


cdef int open_block(CodeOutput* out, BitWriter* bits) noexcept nogil:
    """Begin a block of at most ENCODE_MAX_BYTES; -1 without memory, or if the data exceed 4 GB."""
    cdef uint8_t* data
    if out.data_bytes >> 32:
        return -1
    if out.data_bytes + ENCODE_MAX_BYTES > out.capacity:
        data = <uint8_t*>realloc(out.data, 2 * out.capacity + CODE_CHUNK)
        if data == NULL:
            return -1
        out.data = data
        out.capacity = 2 * out.capacity + CODE_CHUNK
    bits.word = 0
    bits.waiting = 0
    bits.at = out.data + out.data_bytes
    return 0


cdef inline void put_bits(BitWriter* bits, u64 value, int count) noexcept nogil:
    bits.word = bits.word << count | value
    bits.waiting += count
    while bits.waiting >= 8:
        bits.waiting -= 8
        bits.at[0] = <uint8_t>(bits.word >> bits.waiting)
        bits.at += 1


cdef void close_block(CodeOutput* out, BitWriter* bits, u64 number, int first) noexcept nogil:
    """End a block, which begins with the value `first`, and enter it in the index."""
    cdef uint8_t* group = out.index + number // CODE_GROUP * CODE_GROUP_BYTES
    cdef int within = <int>(number % CODE_GROUP)
    if bits.waiting > 0:
        # bits after the end of a block count as ones
        put_bits(bits, <u32>0xFF >> bits.waiting, 8 - bits.waiting)
    if within == 0:
        store32(group, <u32>out.data_bytes)
    group[4 + within // 4] |= <uint8_t>(first << 2 * (within & 3))
    group[8 + within] = <uint8_t>(bits.at - out.data - out.data_bytes)
    out.data_bytes = bits.at - out.data


cdef object bytes_array(const uint8_t* source, u64 size, u64 pad):
    """A copy as an array, with `pad` zeros appended."""
    import numpy as np

    out = np.zeros(size + pad, dtype=np.uint8)
    cdef uint8_t[::1] target = out
    if size > 0:
        memcpy(&target[0], source, size)
    return out


cdef tuple output_arrays(const CodeOutput* out):
    """Index and data as arrays."""
    return (bytes_array(out.index, code_index_bytes(out.entries, out.block_bits), 0),
            bytes_array(out.data, out.data_bytes, CODE_PAD))


# ---- codes ----

cdef void limited_lengths(const u64* counts, int symbols, bint with_rest, uint8_t* lengths) noexcept nogil:
    """Optimal code lengths up to CODE_BITS for symbols with these counts; 0 for symbols that don't occur.

    The algorithm is package-merge (Larmore and Hirschberg 1990). with_rest: CODE_REST always gets a code, one of the
    longest. There are at least two codes.
    """
    cdef uint16_t order[CODE_MAX_SYMBOLS]
    cdef u64 weights[2][2 * CODE_MAX_SYMBOLS]
    cdef uint8_t is_symbol[CODE_BITS][2 * CODE_MAX_SYMBOLS]
    cdef int fixed = 1 if with_rest else 0
    cdef int used = fixed
    cdef int packages = 0
    cdef int i, k, level, size, leaves, taken, now
    memset(lengths, 0, symbols)
    order[0] = CODE_REST
    # lightest first
    for i in range(fixed, symbols):
        if counts[i] > 0:
            k = used
            while k > fixed and counts[order[k - 1]] > counts[i]:
                order[k] = order[k - 1]
                k -= 1
            order[k] = <uint16_t>i
            used += 1
    if used < 2:
        i = order[0] if used > 0 else 0
        lengths[i] = 1
        lengths[1 if i == 0 else 0] = 1
        return
    for level in range(CODE_BITS):
        now = level & 1
        # merge the symbols with the packages of the level before
        size = 0
        i = 0
        k = 0
        while i < used or k < packages:
            if i < used and (k == packages or (i < fixed or counts[order[i]] <= weights[1 - now][2 * k]
                                               + weights[1 - now][2 * k + 1])):
                weights[now][size] = 0 if i < fixed else counts[order[i]]
                is_symbol[level][size] = 1
                i += 1
            else:
                weights[now][size] = weights[1 - now][2 * k] + weights[1 - now][2 * k + 1]
                is_symbol[level][size] = 0
                k += 1
            size += 1
        packages = size // 2
    taken = 2 * used - 2
    for level in range(CODE_BITS - 1, -1, -1):
        leaves = 0
        for i in range(taken):
            leaves += is_symbol[level][i]
        for i in range(leaves):
            lengths[order[i]] += 1
        taken = 2 * (taken - leaves)


cdef void give_codes(const uint8_t* lengths, int symbols, uint16_t* codes) noexcept nogil:
    """Assign codes of these lengths, in the order of fill_symbols."""
    cdef u32 code = 0
    cdef int length, symbol
    for length in range(1, CODE_BITS + 1):
        code <<= 1
        for symbol in range(symbols - 1, -1, -1):
            if lengths[symbol] == length:
                codes[symbol] = <uint16_t>code
                code += 1
