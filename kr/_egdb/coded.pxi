# Coded entries of a slice, opened: from a file chunk by chunk, as they are needed, or in memory.

cpdef enum:
    SMALL_FILE = 1 << 20         # a body of at most this many bytes is read at once, and its file closed

cdef enum:
    # why a slice can't be opened
    CODED_NO_MEMORY = 1
    CODED_BLOCKS                 # a size of blocks, or a number of entries, that can't be coded
    CODED_INDEX                  # an index of another size than these entries have
    CODED_BODY                   # index and data reach beyond the file
    CODED_CHECKS                 # so do the checksums
    CODED_LENGTHS                # another number of code lengths than symbols
    CODED_CODES                  # not those of a prefix code
    CODED_SHORT                  # the file ends early
    CODED_DESCRIPTOR             # the system gives no other descriptor of the file: errno

cdef struct CodedPlace:
    # Where the entries of a slice stand in their file, as its header says.
    bint distances               # else values
    int descriptor               # of the open file; -1: it is in memory
    const uint8_t* memory        # of the whole file, which the caller keeps; NULL: read from the descriptor
    u64 size                     # bytes of the file
    u64 body                     # offset of the index
    u64 index_bytes
    u64 data_bytes
    u64 checks                   # offset of the chunks' checksums
    u64 entries
    int block_bits
    const uint8_t* lengths       # code lengths, a byte for each symbol
    u64 length_count


cdef inline u64 code_symbols(bint distances, int block_bits) noexcept nogil:
    """Symbols of all codes of a slice together."""
    if distances:
        return DISTANCE_CONTEXTS * <u64>(1 + run_classes(block_bits) + DISTANCE_DIFFERENCES)
    return 3 * <u64>run_symbols(block_bits)


cdef int open_coded(CodedSlice* s, const CodedPlace* place) noexcept nogil:
    """Open the entries of a slice, `s` being all zeros; 0, or why not. `close_coded` is due in either case.

    The file may change later: entries read before stay as they were. Its descriptor stays the caller's.
    """
    cdef u64 body_bytes = place.index_bytes + place.data_bytes + CODE_PAD
    cdef int failed
    s.descriptor = -1
    if not fit_blocks(place.entries, place.block_bits):
        return CODED_BLOCKS
    if place.index_bytes != code_index_bytes(place.entries, place.block_bits):
        return CODED_INDEX
    if place.data_bytes >> 32 or place.body > place.size or body_bytes > place.size - place.body:
        return CODED_BODY
    s.chunks = (body_bytes - 1) // CODE_CHUNK + 1
    if place.checks > place.size or 4 * s.chunks > place.size - place.checks:
        return CODED_CHECKS
    if place.length_count != code_symbols(place.distances, place.block_bits):
        return CODED_LENGTHS
    s.entries = place.entries
    s.block_bits = place.block_bits
    s.index_bytes = place.index_bytes
    s.data_bytes = place.data_bytes
    s.start = place.body
    s.lent = place.memory != NULL
    # which is only read
    s.body = <uint8_t*>place.memory + place.body if s.lent else <uint8_t*>allocate_untouched(body_bytes)
    s.checks = <uint8_t*>malloc(4 * s.chunks)
    s.chunk_states = <uint8_t*>calloc(s.chunks, 1)
    if place.distances:
        s.symbols = <uint16_t*>malloc(2 * DISTANCE_CONTEXTS * sizeof(uint16_t) << CODE_BITS)
    else:
        s.table = <u64*>malloc(3 * sizeof(u64) << CODE_BITS)
    if s.body == NULL or s.checks == NULL or s.chunk_states == NULL or (s.table == NULL and s.symbols == NULL):
        return CODED_NO_MEMORY
    if open_lock(&s.reading):
        return CODED_NO_MEMORY
    s.locking = True
    if place.distances:
        failed = fill_distance_tables(s.symbols, place.lengths, place.block_bits)
    else:
        failed = fill_decode_table(s.table, place.lengths, place.block_bits)
    if failed:
        return CODED_CODES
    if s.lent:
        memcpy(s.checks, place.memory + place.checks, 4 * s.chunks)
        return 0
    failed = read_at(place.descriptor, s.checks, 4 * s.chunks, place.checks)
    if failed == 0 and body_bytes <= SMALL_FILE:
        failed = read_at(place.descriptor, s.body, body_bytes, place.body)
    if failed:
        return CODED_SHORT
    if body_bytes > SMALL_FILE:
        s.descriptor = duplicate(place.descriptor)
        if s.descriptor < 0:
            return CODED_DESCRIPTOR
    return 0


cdef void close_coded(CodedSlice* s) noexcept nogil:
    if s.descriptor >= 0:
        close_descriptor(s.descriptor)
    if s.locking:
        close_lock(&s.reading)
    if not s.lent:
        free_pages(s.body)
    free(s.checks)
    free(s.chunk_states)
    free(s.table)
    free(s.symbols)
