# Coding of a slice's values on disk: run lengths with prefix codes, in blocks that are decoded independently.
#
# docs/reference/egdb-format.md describes the format. Files are not trusted: whatever their bytes, no read leaves the
# body. Every chunk is read once, into memory, so that a file may change or shrink while it is in use.

# the compiler's own
cdef extern from * nogil:
    int ATOMIC_ACQUIRE "__ATOMIC_ACQUIRE"
    int ATOMIC_RELEASE "__ATOMIC_RELEASE"
    uint8_t atomic_load "__atomic_load_n"(const uint8_t* p, int order)
    void atomic_store "__atomic_store_n"(uint8_t* p, uint8_t x, int order)

cpdef enum:
    CODE_MIN_BLOCK_BITS = 6      # a block of 64 entries never takes more bytes than a length in the index can be
    CODE_MAX_BLOCK_BITS = 15
    CODE_CHUNK = 1 << 16         # bytes with a checksum
    CODE_PAD = 16                # bytes after the data that a decoder may load

cdef enum:
    CODE_BITS = 11               # length of the longest code, and bits that the decoder looks up at once
    CODE_GROUP = 16              # blocks of an index group: offset u32, first values 2 bits each, lengths u8 each
    CODE_GROUP_BYTES = 24
    CODE_EXACT_RUNS = 16         # shorter runs have a class of their own, longer ones 4 classes an octave
    CODE_REST = 0                # the symbol of a run to the end of the block, its code all ones
    CODE_MAX_SYMBOLS = 512
    CODE_ENDLESS = 0xFFFF        # longer than any block
    CHUNK_UNCHECKED = 0
    CHUNK_GOOD = 1
    CHUNK_DAMAGED = 2

cdef struct CodedSlice:
    u64 entries
    int block_bits
    u64 index_bytes
    u64 data_bytes
    uint8_t* body                # index, data and CODE_PAD bytes; a chunk is there once it is CHUNK_GOOD
    bint lent                    # the body is the caller's memory
    uint8_t* checks              # CRC-32 of each chunk of the body
    uint8_t* chunk_states
    u64 chunks
    int descriptor               # of the file that chunks are read from; -1 if all were read when it was opened
    u64 start                    # offset of the body in the file
    Lock reading                 # held while a chunk is read
    bint locking                 # it was opened
    u64* table                   # of values: (3 values, 2^CODE_BITS), see decode_entry
    uint16_t* symbols            # of distances: (runs and differences, contexts, 2^CODE_BITS), see fill_symbols

cdef struct CodedBlock:
    const uint8_t* data
    u64 end                      # its length in bits
    int value                    # of its first entry; VALUE_UNKNOWN if damaged


cdef inline u64 load64(const uint8_t* p) noexcept nogil:
    cdef u64 x
    memcpy(&x, p, sizeof(x))
    return x


cdef inline u32 load32(const uint8_t* p) noexcept nogil:
    cdef u32 x
    memcpy(&x, p, sizeof(x))
    return x


cdef inline void store32(uint8_t* p, u32 x) noexcept nogil:
    memcpy(p, &x, sizeof(x))


cdef inline int load_state(const uint8_t* p) noexcept nogil:
    """A thread that reads the state CHUNK_GOOD also reads the chunk's bytes."""
    return atomic_load(p, ATOMIC_ACQUIRE)


cdef inline void store_state(uint8_t* p, int x) noexcept nogil:
    atomic_store(p, <uint8_t>x, ATOMIC_RELEASE)


cdef u32 CRC_TABLE[8][256]


cdef void fill_crc_table() noexcept nogil:
    cdef int i, k
    cdef u32 crc
    for i in range(256):
        crc = <u32>i
        for k in range(8):
            crc = crc >> 1 ^ (<u32>0xEDB88320 if crc & 1 else 0)
        CRC_TABLE[0][i] = crc
    for i in range(256):
        for k in range(1, 8):
            CRC_TABLE[k][i] = CRC_TABLE[k - 1][i] >> 8 ^ CRC_TABLE[0][CRC_TABLE[k - 1][i] & 255]


fill_crc_table()


cdef u32 crc32_on(u32 before, const uint8_t* data, u64 size) noexcept nogil:
    """CRC-32 as in zlib, eight bytes at a time, after bytes whose CRC-32 is `before`."""
    cdef u32 crc = ~before
    cdef u64 word
    while size >= 8:
        word = load64(data) ^ crc
        crc = (CRC_TABLE[7][word & 255] ^ CRC_TABLE[6][word >> 8 & 255] ^ CRC_TABLE[5][word >> 16 & 255]
               ^ CRC_TABLE[4][word >> 24 & 255] ^ CRC_TABLE[3][word >> 32 & 255] ^ CRC_TABLE[2][word >> 40 & 255]
               ^ CRC_TABLE[1][word >> 48 & 255] ^ CRC_TABLE[0][word >> 56])
        data += 8
        size -= 8
    while size > 0:
        crc = crc >> 8 ^ CRC_TABLE[0][(crc ^ data[0]) & 255]
        data += 1
        size -= 1
    return ~crc


cdef inline u32 crc32(const uint8_t* data, u64 size) noexcept nogil:
    return crc32_on(0, data, size)


# ---- run classes ----

cdef inline int run_class(u32 length) noexcept nogil:
    """Class of a run of `length` >= 1 entries."""
    cdef u32 n = length - 1
    cdef int octave
    if n < CODE_EXACT_RUNS:
        return <int>n
    octave = 63 - leading_zeros(n)
    return CODE_EXACT_RUNS + (octave - 4) * 4 + <int>(n >> (octave - 2) & 3)


cdef inline int class_extra(int run) noexcept nogil:
    """Extra bits of a class, which distinguish its lengths."""
    return 0 if run < CODE_EXACT_RUNS else (run - CODE_EXACT_RUNS) // 4 + 2


cdef inline u32 class_start(int run) noexcept nogil:
    """The shortest run of a class."""
    if run < CODE_EXACT_RUNS:
        return <u32>run + 1
    return ((4 + (<u32>run & 3)) << class_extra(run)) + 1


cdef inline int run_classes(int block_bits) noexcept nogil:
    """Number of classes of the runs that end within a block."""
    return run_class((<u32>1 << block_bits) - 1) + 1


cdef inline int run_symbols(int block_bits) noexcept nogil:
    """Number of symbols for a run of values: CODE_REST, and for each class one for each value that may follow."""
    return 1 + 2 * run_classes(block_bits)


cdef inline int following(int value, int symbol) noexcept nogil:
    """Value after a run of `value` with this symbol: the next one modulo 3, or the one after."""
    return (value + 2 - (symbol & 1)) % 3


# ---- decoding ----

cdef inline u64 code_index_bytes(u64 entries, int block_bits) noexcept nogil:
    return ((entries - 1 >> block_bits) // CODE_GROUP + 1) * CODE_GROUP_BYTES


cdef inline bint fit_blocks(u64 entries, int block_bits) noexcept nogil:
    """True if `entries` can be coded in blocks of 2^block_bits."""
    return CODE_MIN_BLOCK_BITS <= block_bits <= CODE_MAX_BLOCK_BITS and entries != 0 and entries >> 48 == 0


cdef int fill_symbols(uint16_t* table, const uint8_t* lengths, int symbols) noexcept nogil:
    """Fill the table of the first symbol in a window of CODE_BITS bits: symbol << 4 | length of its code.

    Codes ascend with their lengths; those of the same length are assigned from the highest symbol down. -1 if the
    lengths aren't those of a complete prefix code.
    """
    cdef u32 space = 0
    cdef u32 width
    cdef int length, symbol
    for symbol in range(symbols):
        if lengths[symbol] > CODE_BITS:
            return -1
    for length in range(1, CODE_BITS + 1):
        for symbol in range(symbols - 1, -1, -1):
            if lengths[symbol] == length:
                width = <u32>1 << (CODE_BITS - length)
                if space + width > <u32>1 << CODE_BITS:
                    return -1
                while width > 0:
                    table[space] = <uint16_t>(symbol << 4 | length)
                    space += 1
                    width -= 1
    return 0 if space == <u32>1 << CODE_BITS else -1


cdef inline u64 decode_entry(const u64* table, int value, u64 bits) noexcept nogil:
    """Meaning of the next CODE_BITS bits within a run of this value.

    Bits 0-3: number of bits used by whole runs, at most three runs. 4-5: value after them. 6-7, 8-9: values of the
    second and the third run. 16-31, 32-47, 48-63: ends of the runs; with fewer runs the last one is repeated. If no
    bits are used, there is one run whose length takes more bits: 4-5: value after it, 6-9: length of its code, 10-13:
    extra bits that follow, 16-31: length of the run without these.
    """
    return table[<u64>value << CODE_BITS | bits >> (64 - CODE_BITS)]


cdef inline u64 bits_at(const CodedBlock* block, u64 at) noexcept nogil:
    """At least 57 bits of a block from bit `at` on, the first one at the top; bits after its end are ones."""
    cdef u64 bits
    if at >= block.end:
        return ~<u64>0
    bits = byte_swapped(load64(block.data + (at >> 3))) << (at & 7)
    if block.end - at < 64:
        bits |= ~<u64>0 >> (block.end - at)
    return bits


cdef int take_chunk(CodedSlice* s, u64 chunk) noexcept nogil:
    """Read and check a chunk, unless another thread has; returns its state."""
    cdef u64 at = chunk * CODE_CHUNK
    cdef u64 size = min(<u64>CODE_CHUNK, s.index_bytes + s.data_bytes + CODE_PAD - at)
    cdef int state
    acquire(&s.reading)
    state = load_state(s.chunk_states + chunk)
    if state == CHUNK_UNCHECKED:
        state = CHUNK_GOOD
        if ((s.descriptor >= 0 and read_at(s.descriptor, s.body + at, size, s.start + at) < 0)
                or crc32(s.body + at, size) != load32(s.checks + 4 * chunk)):
            state = CHUNK_DAMAGED
        store_state(s.chunk_states + chunk, state)
    release(&s.reading)
    return state


cdef int check_chunks(CodedSlice* s, u64 begin, u64 end) noexcept nogil:
    """Read and check the chunks of bytes begin to end - 1 of the body; 0, or -1 if one is damaged."""
    cdef u64 chunk
    cdef int state
    for chunk in range(begin // CODE_CHUNK, (end - 1) // CODE_CHUNK + 1):
        state = load_state(s.chunk_states + chunk)
        if state == CHUNK_UNCHECKED:
            state = take_chunk(s, chunk)
        if state == CHUNK_DAMAGED:
            return -1
    return 0


cdef inline bint chunks_good(CodedSlice* s, u64 begin, u64 end) noexcept nogil:
    """True if bytes begin to end - 1 of the body, in at most two chunks, match their checksums."""
    if (load_state(s.chunk_states + begin // CODE_CHUNK) == CHUNK_GOOD
            and load_state(s.chunk_states + (end - 1) // CODE_CHUNK) == CHUNK_GOOD):
        return True
    return check_chunks(s, begin, end) == 0


cdef inline u64 byte_sum(u64 bytes) noexcept nogil:
    cdef u64 pairs = (bytes & <u64>0x00FF00FF00FF00FF) + (bytes >> 8 & <u64>0x00FF00FF00FF00FF)
    return pairs * <u64>0x0001000100010001 >> 48


cdef inline CodedBlock coded_block(CodedSlice* s, u64 number) noexcept nogil:
    """A block by its number, its bytes checked."""
    cdef CodedBlock block
    cdef u64 at = number // CODE_GROUP * CODE_GROUP_BYTES
    cdef int within = <int>(number % CODE_GROUP)
    cdef u64 low, high, begin, length
    block.value = VALUE_UNKNOWN
    if not chunks_good(s, at, at + CODE_GROUP_BYTES):
        return block
    low = load64(s.body + at + 8)
    high = load64(s.body + at + 16)
    begin = load32(s.body + at) + (
        byte_sum(low & ((<u64>1 << 8 * within) - 1)) if within < 8
        else byte_sum(low) + byte_sum(high & ((<u64>1 << 8 * (within - 8)) - 1)))
    length = s.body[at + 8 + within]
    block.data = s.body + s.index_bytes + begin
    block.end = 8 * length
    if length > 0:
        if begin + length > s.data_bytes:
            return block
        begin += s.index_bytes
        if not chunks_good(s, begin, begin + length):
            return block
    block.value = <int>(load32(s.body + at + 4) >> 2 * within & 3)
    return block


cdef inline int coded_value(CodedSlice* s, u64 index) noexcept nogil:
    """Value of an entry, any value for a don't-care; VALUE_UNKNOWN if the file is damaged there."""
    cdef CodedBlock block = coded_block(s, index >> s.block_bits)
    cdef u64 left = index & ((<u64>1 << s.block_bits) - 1)   # entries before it
    cdef u64 at = 0
    cdef u64 bits, entry, run
    cdef int value = block.value
    cdef int valid = 57
    cdef int used, extra
    c_assert(index < s.entries)
    if block.end == 0 or value == VALUE_UNKNOWN:
        return value
    bits = bits_at(&block, 0)
    while True:
        entry = decode_entry(s.table, value, bits)
        if left < entry >> 48:
            if left < (entry >> 16 & 0xFFFF):
                return value
            return <int>(entry >> 6 & 3) if left < (entry >> 32 & 0xFFFF) else <int>(entry >> 8 & 3)
        used = <int>(entry & 15)
        if used > 0:
            left -= entry >> 48
        else:
            bits = bits_at(&block, at)
            valid = 57
            used = <int>(entry >> 6 & 15)
            extra = <int>(entry >> 10 & 15)
            run = (entry >> 16 & 0xFFFF) + (bits << used >> (64 - extra))
            if left < run:
                return value
            left -= run
            used += extra
        value = <int>(entry >> 4 & 3)
        at += used
        bits <<= used
        valid -= used
        if valid < CODE_BITS:
            bits = bits_at(&block, at)
            valid = 57


cdef int unpack_values(CodedSlice* s, uint8_t* packed) noexcept nogil:
    """Write all values at 2 bits an entry, entry i at byte i >> 2 from bit 2 * (i & 3); 0, or -1 if damaged.

    `packed` is aligned to 8 bytes and has room for whole words.
    """
    cdef u64* words = <u64*>packed
    cdef u64 number, first, last
    cdef CodedBlock block
    for number in range((s.entries - 1 >> s.block_bits) + 1):
        block = coded_block(s, number)
        if block.value == VALUE_UNKNOWN:
            return -1
        first = number << s.block_bits
        last = min(first + (<u64>1 << s.block_bits), s.entries)
        unpack_block(s.table, block, words + first // 32, <u32>(last - first))
    return 0


cdef inline u32 fill_run(u64* words, u32 begin, u64 end, int value, u32 size) noexcept nogil:
    """Set the entries from `begin` to `end`, at most to the end of the block, and the rest of the last word.

    Returns the start of the next run.
    """
    cdef u64 pattern = <u64>value * <u64>0x5555555555555555
    cdef u64 mask = (<u64>1 << 2 * (begin & 31)) - 1
    cdef u32 stop = <u32>min(end, size)
    cdef u32 word = begin >> 5
    words[word] = words[word] & mask | pattern & ~mask
    word += 1
    while word << 5 < stop:
        words[word] = pattern
        word += 1
    return stop


cdef void unpack_block(const u64* table, CodedBlock block, u64* words, u32 size) noexcept nogil:
    """Write the `size` entries of a block."""
    cdef u32 filled = 0
    cdef u32 begin
    cdef u64 at = 0
    cdef u64 bits, entry, run
    cdef int value = block.value
    cdef int used, extra
    while True:
        bits = bits_at(&block, at)
        entry = decode_entry(table, value, bits)
        used = <int>(entry & 15)
        begin = filled
        if used > 0:
            # the runs may end beyond the block: those that begin there are skipped
            filled = fill_run(words, begin, begin + (entry >> 16 & 0xFFFF), value, size)
            if filled < size and (entry >> 32 & 0xFFFF) > (entry >> 16 & 0xFFFF):
                filled = fill_run(words, filled, begin + (entry >> 32 & 0xFFFF), <int>(entry >> 6 & 3), size)
            if filled < size and entry >> 48 > (entry >> 32 & 0xFFFF):
                filled = fill_run(words, filled, begin + (entry >> 48), <int>(entry >> 8 & 3), size)
        else:
            used = <int>(entry >> 6 & 15)
            extra = <int>(entry >> 10 & 15)
            filled = fill_run(words, begin, begin + (entry >> 16 & 0xFFFF) + (bits << used >> (64 - extra)), value,
                              size)
            used += extra
        if filled >= size:
            return
        value = <int>(entry >> 4 & 3)
        at += used


cdef int fill_decode_table(u64* table, const uint8_t* lengths, int block_bits) noexcept nogil:
    """Fill the decode table from code lengths (3 values, symbols); -1 if they aren't those of complete prefix codes."""
    cdef int symbols = run_symbols(block_bits)
    cdef uint16_t first[3][1 << CODE_BITS]
    cdef u32 window, ahead
    cdef u64 entry, end
    cdef u64 ends[3]
    cdef u64 values[3]
    cdef int value, now, length, symbol, used, runs, extra
    for value in range(3):
        if fill_symbols(first[value], lengths + value * symbols, symbols) < 0:
            return -1
        # CODE_REST must be all ones: a block is padded with ones
        if first[value][(1 << CODE_BITS) - 1] >> 4 != CODE_REST:
            return -1
    for value in range(3):
        for window in range(<u32>1 << CODE_BITS):
            entry = 0
            now = value
            used = 0
            runs = 0
            end = 0
            while runs < 3 and end < CODE_ENDLESS:
                ahead = window << used & ((1 << CODE_BITS) - 1)
                symbol = first[now][ahead] >> 4
                length = first[now][ahead] & 15
                extra = 0 if symbol == CODE_REST else class_extra((symbol - 1) >> 1)
                if used + length > CODE_BITS:
                    break
                if used + length + extra > CODE_BITS:
                    if runs == 0:
                        entry = (<u64>following(now, symbol) << 4 | <u64>length << 6 | <u64>extra << 10
                                 | <u64>class_start((symbol - 1) >> 1) << 16)
                    break
                if symbol == CODE_REST:
                    end = CODE_ENDLESS
                else:
                    end += class_start((symbol - 1) >> 1) + (
                        ahead >> (CODE_BITS - length - extra) & ((1 << extra) - 1))
                values[runs] = now
                ends[runs] = min(end, <u64>CODE_ENDLESS)
                used += length + extra
                runs += 1
                now = following(now, symbol)
            if runs > 0:
                entry = (<u64>used | <u64>now << 4 | values[min(runs - 1, 1)] << 6 | values[runs - 1] << 8
                         | ends[0] << 16 | ends[min(runs - 1, 1)] << 32 | ends[runs - 1] << 48)
            table[<u64>value << CODE_BITS | window] = entry
    return 0
