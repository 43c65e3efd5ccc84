# Coded entries of a slice, for Python: read from a file chunk by chunk, as they are needed.

from cpython.exc cimport PyErr_SetFromErrno

cpdef enum:
    SMALL_FILE = 1 << 20         # a body of at most this many bytes is read at once, and its file closed


def code_shape(kind, u64 entries, int block_bits):
    """Bytes of the index, and the number of symbols of each code, of a slice of `entries`. Raises ValueError."""
    check_blocks(entries, block_bits)
    if kind == "wld":
        symbols = [run_symbols(block_bits)] * 3
    elif kind == "dtw":
        symbols = [1 + run_classes(block_bits)] * DISTANCE_CONTEXTS + [DISTANCE_DIFFERENCES] * DISTANCE_CONTEXTS
    else:
        raise ValueError(f"unknown kind of entries {kind!r}")
    return code_index_bytes(entries, block_bits), symbols


cdef class CodedFile:
    """Coded entries of a slice in a file. The file may change later: entries read before stay as they were.

    kind: "wld" or "dtw"; descriptor: of the open file, which the caller closes; size: bytes of the file; body: offset
    of the index; checks: offset of the chunks' checksums; lengths: code lengths, a byte for each symbol. Raises
    ValueError if the numbers contradict each other, the code lengths are invalid or the file ends early, and OSError.
    """
    cdef CodedSlice coded
    cdef bint locking

    def __cinit__(self, kind, int descriptor, u64 size, u64 body, u64 index_bytes, u64 data_bytes,
                  u64 checks, u64 entries, int block_bits, const uint8_t[::1] lengths not None):
        cdef CodedSlice* s = &self.coded
        cdef u64 body_bytes = index_bytes + data_bytes + CODE_PAD
        cdef int failed
        s.descriptor = -1
        right_index_bytes, symbols = code_shape(kind, entries, block_bits)
        if index_bytes != right_index_bytes:
            raise ValueError(f"index of {index_bytes} bytes for {entries} entries")
        if data_bytes >> 32 or body > size or body_bytes > size - body:
            raise ValueError(f"body beyond the file's {size} bytes")
        s.chunks = (body_bytes - 1) // CODE_CHUNK + 1
        if checks > size or 4 * s.chunks > size - checks:
            raise ValueError(f"checksums beyond the file's {size} bytes")
        if lengths.shape[0] != sum(symbols):
            raise ValueError(f"{lengths.shape[0]} code lengths instead of {sum(symbols)}")
        s.entries = entries
        s.block_bits = block_bits
        s.index_bytes = index_bytes
        s.data_bytes = data_bytes
        s.start = body
        s.body = <uint8_t*>allocate_untouched(body_bytes)
        s.checks = <uint8_t*>malloc(4 * s.chunks)
        s.chunk_states = <uint8_t*>calloc(s.chunks, 1)
        if kind == "wld":
            s.table = <u64*>malloc(3 * sizeof(u64) << CODE_BITS)
        else:
            s.symbols = <uint16_t*>malloc(2 * DISTANCE_CONTEXTS * sizeof(uint16_t) << CODE_BITS)
        if s.body == NULL or s.checks == NULL or s.chunk_states == NULL or (s.table == NULL and s.symbols == NULL):
            raise MemoryError("no memory for a slice of the endgame database")
        if open_lock(&s.reading):
            raise MemoryError("no memory for a lock")
        self.locking = True
        if s.table != NULL:
            failed = fill_decode_table(s.table, &lengths[0], block_bits)
        else:
            failed = fill_distance_tables(s.symbols, &lengths[0], block_bits)
        if failed:
            raise ValueError("code lengths without a prefix code")
        failed = read_at(descriptor, s.checks, 4 * s.chunks, checks)
        if failed == 0 and body_bytes <= SMALL_FILE:
            failed = read_at(descriptor, s.body, body_bytes, body)
        if failed:
            raise ValueError("the file ends early")
        if body_bytes > SMALL_FILE:
            s.descriptor = duplicate(descriptor)
            if s.descriptor < 0:
                PyErr_SetFromErrno(OSError)

    def __dealloc__(self):
        if self.coded.descriptor >= 0:
            close_descriptor(self.coded.descriptor)
        if self.locking:
            close_lock(&self.coded.reading)
        free_pages(self.coded.body)
        free(self.coded.checks)
        free(self.coded.chunk_states)
        free(self.coded.table)
        free(self.coded.symbols)

    @property
    def entries(self):
        return self.coded.entries

    def read(self, const uint64_t[::1] indices not None):
        """Entries by index, int16: values, or half-distances; VALUE_UNKNOWN or -1 where the file is damaged.

        A don't-care reads as anything.
        """
        import numpy as np

        out = np.empty(indices.shape[0], dtype=np.int16)
        cdef int16_t[::1] entries = out
        cdef Py_ssize_t i
        for i in range(indices.shape[0]):
            if indices[i] >= self.coded.entries:
                raise ValueError(f"entry {indices[i]} of {self.coded.entries}")
        with nogil:
            for i in range(indices.shape[0]):
                if self.coded.table != NULL:
                    entries[i] = coded_value(&self.coded, indices[i])
                else:
                    entries[i] = coded_distance(&self.coded, indices[i])
        return out

    def unpacked(self):
        """All values at 2 bits an entry, entry i at byte i >> 2 from bit 2 * (i & 3); None if the file is damaged.

        The result is uint64; the unused bits of the last word have any value.
        """
        import numpy as np

        if self.coded.table == NULL:
            raise ValueError("distances can't be unpacked to 2 bits")
        out = np.empty((self.coded.entries - 1) // 32 + 1, dtype=np.uint64)
        cdef uint64_t[::1] words = out
        cdef int failed
        with nogil:
            failed = unpack_values(&self.coded, <uint8_t*>&words[0])
        return None if failed else out

    def damage(self):
        """The first damaged chunk among those read so far; None if there is none."""
        cdef u64 chunk
        for chunk in range(self.coded.chunks):
            if load_state(self.coded.chunk_states + chunk) == CHUNK_DAMAGED:
                return chunk
        return None

    def check(self):
        """Check all chunks; returns the first damaged one, None if all are good."""
        cdef u64 chunk
        with nogil:
            for chunk in range(self.coded.chunks):
                check_chunks(&self.coded, chunk * CODE_CHUNK, chunk * CODE_CHUNK + 1)
        return self.damage()
