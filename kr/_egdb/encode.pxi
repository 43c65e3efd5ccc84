# Encoding of a slice's values (decoded by codec.pxi).
#
# A block is divided into segments: each is the stretch from the first to the last entry that must have the same value,
# including don't-cares. The don't-cares between two segments may belong to either, so a run may end anywhere in the
# gap: the encoder takes the ends that cost the fewest bits, which saves 5 to 7% against the last possible ends. Making
# the code again for the chosen runs saves another 0.1%; trying more ends in a gap or a further round saves nothing.

cdef enum:
    ENCODE_ENDS = 6              # ends of a run that are tried in a gap
    ENCODE_UNUSED = 40           # cost in bits of a run whose class has no code yet: more than any code
    ENCODE_NO_CODE = 0xF000      # cost of one that can't be written: more than a whole block may take
    ENCODE_MEAN_BYTES = 30       # upper bound where the encoder chooses the size of blocks

cdef struct Encoder:
    const uint8_t* packed
    u64 bytes                    # of `packed`
    u64 entries
    int block_bits
    u64 blocks
    int symbols
    # segments of the current block
    int segments
    uint16_t* firsts
    uint16_t* lasts
    uint8_t* values
    uint16_t* ends               # end of each segment's run, but for the last one
    uint8_t* parents             # (segments, ENCODE_ENDS): the best previous end for each end
    # the code
    uint8_t lengths[3 * CODE_MAX_SYMBOLS]
    uint16_t codes[3 * CODE_MAX_SYMBOLS]
    uint16_t* run_bits           # (3 values, 2 following values, run length): bits of code and extra bits


cdef int prepare_encoder(Encoder* e) noexcept nogil:
    """Allocate memory for a block; -1 without memory."""
    cdef u64 size = <u64>1 << e.block_bits
    e.firsts = <uint16_t*>malloc(size * sizeof(uint16_t))
    e.lasts = <uint16_t*>malloc(size * sizeof(uint16_t))
    e.ends = <uint16_t*>malloc(size * sizeof(uint16_t))
    e.values = <uint8_t*>malloc(size)
    e.parents = <uint8_t*>malloc(size * ENCODE_ENDS)
    e.run_bits = <uint16_t*>malloc(6 * size * sizeof(uint16_t))
    if (e.firsts == NULL or e.lasts == NULL or e.ends == NULL or e.values == NULL or e.parents == NULL
            or e.run_bits == NULL):
        return -1
    return 0


cdef void free_encoder(Encoder* e) noexcept nogil:
    free(e.firsts)
    free(e.lasts)
    free(e.values)
    free(e.ends)
    free(e.parents)
    free(e.run_bits)


cdef inline u64 packed_word(const Encoder* e, u64 word) noexcept nogil:
    """32 entries; those after the last are don't-cares."""
    cdef u64 bits = 0
    cdef u64 here = e.entries - 32 * word
    if 8 * word + 8 <= e.bytes:
        bits = load64(e.packed + 8 * word)
    else:
        memcpy(&bits, e.packed + 8 * word, e.bytes - 8 * word)
    if here < 32:
        bits |= ~<u64>0 << 2 * here
    return bits


cdef void find_segments(Encoder* e, u64 number) noexcept nogil:
    """Find the segments of a block; none if it has only don't-cares."""
    cdef u64 low = 0x5555555555555555
    cdef u64 word = number << e.block_bits >> 5
    cdef u64 stop = min((number + 1 << e.block_bits) >> 5, (e.entries - 1 >> 5) + 1)
    cdef u64 bits, other, same, differ
    cdef u64 ahead                # the entries of the word not yet seen that have a value
    cdef u32 entry = 0            # of the block, the word's first
    cdef int value = VALUE_UNKNOWN
    cdef int count = 0
    cdef int place
    while word < stop:
        bits = packed_word(e, word)
        ahead = ~(bits & bits >> 1) & low
        while ahead != 0:
            other = bits ^ <u64>value * low
            differ = (other | other >> 1) & ahead
            if differ == 0:
                e.lasts[count - 1] = <uint16_t>(entry + (63 - leading_zeros(ahead)) // 2)
                break
            same = ahead & (differ - 1) & ~differ
            if same != 0:
                e.lasts[count - 1] = <uint16_t>(entry + (63 - leading_zeros(same)) // 2)
            place = lsb(differ)
            value = <int>(bits >> place & 3)
            e.values[count] = <uint8_t>value
            e.firsts[count] = <uint16_t>(entry + place // 2)
            e.lasts[count] = e.firsts[count]
            count += 1
            ahead &= ~<u64>1 << place
        word += 1
        entry += 32
    e.segments = count


cdef inline int next_value(const Encoder* e, int segment) noexcept nogil:
    """The value that follows a segment: 0 for the next one modulo 3, 1 for the one after."""
    return (e.values[segment + 1] - e.values[segment] + 2) % 3


cdef inline int run_symbol(const Encoder* e, int segment, u32 length) noexcept nogil:
    """Symbol of a segment's run, among those of all three values."""
    return e.values[segment] * e.symbols + 1 + 2 * run_class(length) + next_value(e, segment)


cdef void take_longest(Encoder* e) noexcept nogil:
    """Let each run end where the next segment begins."""
    cdef int i
    for i in range(e.segments - 1):
        e.ends[i] = e.firsts[i + 1]


cdef inline u32 gap_end(u32 low, u32 high, int k) noexcept nogil:
    """The k-th of the ends tried from `low` to `high`: the first half counted up from `low`, the others to `high`."""
    if high - low < ENCODE_ENDS or k < ENCODE_ENDS // 2:
        return low + k
    return high - (ENCODE_ENDS - 1 - k)


cdef u32 take_cheapest(Encoder* e) noexcept nogil:
    """Choose the ends of runs so that the block takes the fewest bits; returns their number."""
    cdef u32 costs[2][ENCODE_ENDS]
    cdef u32 places[2][ENCODE_ENDS]
    cdef u32 low, high, cost, best, place
    cdef int tried[2]
    cdef int i, k, p, now, chosen
    cdef const uint16_t* bits
    if e.segments < 2:
        return 0
    tried[1] = 1
    costs[1][0] = 0
    places[1][0] = 0
    for i in range(e.segments - 1):
        now = i & 1
        low = <u32>e.lasts[i] + 1
        high = e.firsts[i + 1]
        tried[now] = <int>min(high - low + 1, <u32>ENCODE_ENDS)
        bits = e.run_bits + (<u64>(2 * e.values[i] + next_value(e, i)) << e.block_bits)
        for k in range(tried[now]):
            place = gap_end(low, high, k)
            best = 0xFFFFFFFF
            chosen = 0
            for p in range(tried[1 - now]):
                cost = costs[1 - now][p] + bits[place - places[1 - now][p]]
                if cost < best:
                    best = cost
                    chosen = p
            costs[now][k] = best
            places[now][k] = place
            e.parents[i * ENCODE_ENDS + k] = <uint8_t>chosen
    i = e.segments - 2
    now = i & 1
    chosen = 0
    for k in range(tried[now]):
        if costs[now][k] < costs[now][chosen]:
            chosen = k
    best = costs[now][chosen]
    while i >= 0:
        e.ends[i] = <uint16_t>gap_end(<u32>e.lasts[i] + 1, e.firsts[i + 1], chosen)
        chosen = e.parents[i * ENCODE_ENDS + chosen]
        i -= 1
    return best


cdef void count_runs(Encoder* e, u64 first, u64 last, bint cheapest, u64* counts) noexcept nogil:
    """Add up the symbols of blocks first to last - 1."""
    cdef u64 number
    cdef u32 begin
    cdef int i
    for number in range(first, last):
        find_segments(e, number)
        if cheapest:
            take_cheapest(e)
        else:
            take_longest(e)
        begin = 0
        for i in range(e.segments - 1):
            counts[run_symbol(e, i, e.ends[i] - begin)] += 1
            begin = e.ends[i]


cdef void take_lengths(Encoder* e, const uint8_t* lengths, u32 unused) noexcept nogil:
    """Use the code with these lengths; unused: bits to assume for a run whose class has no code."""
    cdef u32 run, bits
    cdef int value, symbol, follows, first
    memcpy(e.lengths, lengths, 3 * e.symbols)
    for value in range(3):
        first = value * e.symbols
        give_codes(e.lengths + first, e.symbols, e.codes + first)
        for follows in range(2):
            for run in range(1, <u32>1 << e.block_bits):
                symbol = 1 + 2 * run_class(run) + follows
                bits = e.lengths[first + symbol]
                e.run_bits[(<u64>(2 * value + follows) << e.block_bits) + run] = <uint16_t>(
                    class_extra((symbol - 1) >> 1) + (bits if bits > 0 else unused))


cdef int first_before(Encoder* e, u64 number) noexcept nogil:
    """First value of the last block before this one that has any."""
    while number > 0:
        number -= 1
        find_segments(e, number)
        if e.segments > 0:
            return e.values[0]
    return VALUE_LOSS


cdef int write_blocks(Encoder* e, CodeOutput* out, u64 begin_block, u64 end_block) noexcept nogil:
    """Write index and data of blocks begin_block to end_block - 1; -1 without memory, or ENCODE_TOO_LONG."""
    cdef u64 number
    cdef u32 length, begin
    cdef BitWriter bits
    cdef int i, symbol, run
    # carried over from the block before, as a block of don't-cares may have any
    cdef int first = first_before(e, begin_block)
    for number in range(begin_block, end_block):
        find_segments(e, number)
        if take_cheapest(e) > 8 * ENCODE_MAX_BYTES:
            return ENCODE_TOO_LONG
        if open_block(out, &bits) < 0:
            return -1
        begin = 0
        for i in range(e.segments - 1):
            length = e.ends[i] - begin
            begin = e.ends[i]
            run = run_class(length)
            symbol = run_symbol(e, i, length)
            c_assert(e.lengths[symbol] > 0)
            put_bits(&bits, <u64>e.codes[symbol] << class_extra(run) | (length - class_start(run)),
                     e.lengths[symbol] + class_extra(run))
        if e.segments > 0:
            first = e.values[0]
        close_block(out, &bits, number - begin_block, first)
    return 0


cdef int check_blocks(u64 entries, int block_bits) except -1:
    """Raise ValueError if `entries` can't be coded in blocks of 2^block_bits."""
    if not CODE_MIN_BLOCK_BITS <= block_bits <= CODE_MAX_BLOCK_BITS:
        raise ValueError(f"blocks of 2^{block_bits} entries, not 2^{CODE_MIN_BLOCK_BITS} to 2^{CODE_MAX_BLOCK_BITS}")
    if not fit_blocks(entries, block_bits):
        raise ValueError(f"{entries} entries; from 1 to 2^48 - 1 can be coded")
    return 0


cdef int fitting_blocks(u64 bits, u64 entries, u64 mean_bytes) noexcept nogil:
    """Base-2 logarithm of the largest block size with at most `mean_bytes` a block on average."""
    cdef int block_bits = CODE_MAX_BLOCK_BITS
    while block_bits > CODE_MIN_BLOCK_BITS and bits << block_bits > 8 * mean_bytes * entries:
        block_bits -= 1
    return block_bits


def fitting_block_bits(u64 bits, u64 entries):
    """Base-2 logarithm of a size of blocks for `entries` that take so many bits in all."""
    return fitting_blocks(bits, entries, ENCODE_MEAN_BYTES)


cdef class ValueEncoder:
    """Encoder of a slice's values in blocks of 2^block_bits entries; any number of threads may use it at once.

    codes: 2 bits an entry, 3 for a don't-care. First runs are counted, block by block, and their sums give the lengths
    of a code; then runs are counted again that are cheapest with it; the code made of these writes the blocks.
    Raises ValueError.
    """
    cdef const uint8_t[::1] codes        # keeps them alive
    cdef Encoder whole                   # what the encoder of each call is a copy of

    def __cinit__(self, const uint8_t[::1] codes not None, u64 entries, int block_bits):
        check_blocks(entries, block_bits)
        if <u64>codes.shape[0] < (entries - 1) // 4 + 1:
            raise ValueError(f"{entries} entries of 2 bits don't fit into {codes.shape[0]} bytes")
        self.codes = codes
        memset(&self.whole, 0, sizeof(Encoder))
        self.whole.packed = &codes[0]
        self.whole.bytes = <u64>codes.shape[0]
        self.whole.entries = entries
        self.whole.block_bits = block_bits
        self.whole.blocks = (entries - 1 >> block_bits) + 1
        self.whole.symbols = run_symbols(block_bits)

    @property
    def blocks(self):
        """Number of blocks."""
        return self.whole.blocks

    @property
    def index_bytes(self):
        return code_index_bytes(self.whole.entries, self.whole.block_bits)

    cdef int check_range(self, u64 first, u64 last) except -1:
        if first > last or last > self.whole.blocks or first % CODE_GROUP:
            raise ValueError(f"blocks {first} to {last} of {self.whole.blocks}; the first is a multiple of {CODE_GROUP}")
        return 0

    cdef const uint8_t* lengths_at(self, const uint8_t[:, ::1] lengths) except NULL:
        if lengths.shape[0] != 3 or lengths.shape[1] != self.whole.symbols:
            raise ValueError(f"({lengths.shape[0]}, {lengths.shape[1]}) code lengths, not (3, {self.whole.symbols})")
        return &lengths[0, 0]

    def count(self, u64 first, u64 last, const uint8_t[:, ::1] lengths=None):
        """How often each symbol occurs in blocks first to last - 1: (3, symbols), uint64. Releases the GIL.

        lengths: of a code, for which the runs are to be the cheapest; without it, each run is as long as it can be.
        """
        import numpy as np

        cdef Encoder e = self.whole
        counts = np.zeros((3, e.symbols), dtype=np.uint64)
        cdef u64[:, ::1] counted = counts
        cdef const uint8_t* code = self.lengths_at(lengths) if lengths is not None else NULL
        cdef int failed
        self.check_range(first, last)
        with nogil:
            failed = prepare_encoder(&e)
            if not failed:
                if code != NULL:
                    take_lengths(&e, code, ENCODE_UNUSED)
                count_runs(&e, first, last, code != NULL, &counted[0, 0])
            free_encoder(&e)
        if failed:
            raise MemoryError("no memory for an encoder")
        return counts

    def code(self, const u64[:, ::1] counts not None):
        """Lengths of the best code for these counts, (3, symbols), uint8, and the bits that the counted runs take."""
        import numpy as np

        cdef int symbols = self.whole.symbols
        lengths = np.zeros((3, symbols), dtype=np.uint8)
        cdef uint8_t[:, ::1] chosen = lengths
        cdef u64 bits = 0
        cdef int value, symbol
        if counts.shape[0] != 3 or counts.shape[1] != symbols:
            raise ValueError(f"({counts.shape[0]}, {counts.shape[1]}) counts, not (3, {symbols})")
        for value in range(3):
            limited_lengths(&counts[value, 0], symbols, True, &chosen[value, 0])
            for symbol in range(1, symbols):
                bits += counts[value, symbol] * <u64>(chosen[value, symbol] + class_extra((symbol - 1) >> 1))
        return lengths, bits

    def write(self, u64 first, u64 last, const uint8_t[:, ::1] lengths not None):
        """Index and data of blocks first to last - 1, uint8; None if a block is too long to index. Releases the GIL.

        The offsets in the index count from the beginning of these data.
        """
        cdef Encoder e = self.whole
        cdef CodeOutput out
        cdef const uint8_t* code = self.lengths_at(lengths)
        cdef int failed
        self.check_range(first, last)
        memset(&out, 0, sizeof(CodeOutput))
        try:
            with nogil:
                failed = -1
                if first < last and open_output(&out, last - first << e.block_bits, e.block_bits) == 0:
                    failed = prepare_encoder(&e)
                if not failed:
                    take_lengths(&e, code, ENCODE_NO_CODE)
                    failed = write_blocks(&e, &out, first, last)
                free_encoder(&e)
            if failed == ENCODE_TOO_LONG:
                return None
            if failed:
                raise MemoryError("no memory for the coded values of a slice")
            return (bytes_array(out.index, code_index_bytes(out.entries, out.block_bits), 0),
                    bytes_array(out.data, out.data_bytes, 0))
        finally:
            free_output(&out)


def move_index(uint8_t[::1] index not None, u64 bytes):
    """Add `bytes` to the offsets of an index: its data follow others. Raises ValueError beyond 4 GB."""
    cdef u64 at
    for at in range(0, index.shape[0], CODE_GROUP_BYTES):
        if load32(&index[at]) + bytes >> 32:
            raise ValueError("more than 4 GB of coded values")
        store32(&index[at], <u32>(load32(&index[at]) + bytes))
