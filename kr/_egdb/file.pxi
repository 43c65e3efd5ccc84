# Coded entries of a slice, for Python: read from a file chunk by chunk, as they are needed.

from cpython.exc cimport PyErr_SetFromErrno


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

    def __cinit__(self, kind, int descriptor, u64 size, u64 body, u64 index_bytes, u64 data_bytes,
                  u64 checks, u64 entries, int block_bits, const uint8_t[::1] lengths not None):
        cdef CodedPlace place
        cdef int failed
        right_index_bytes, symbols = code_shape(kind, entries, block_bits)
        place.distances = kind == "dtw"
        place.descriptor = descriptor
        place.memory = NULL
        place.size = size
        place.body = body
        place.index_bytes = index_bytes
        place.data_bytes = data_bytes
        place.checks = checks
        place.entries = entries
        place.block_bits = block_bits
        place.lengths = &lengths[0] if lengths.shape[0] else NULL
        place.length_count = lengths.shape[0]
        failed = open_coded(&self.coded, &place)
        if failed == CODED_NO_MEMORY:
            raise MemoryError("no memory for a slice of the endgame database")
        if failed == CODED_DESCRIPTOR:
            PyErr_SetFromErrno(OSError)
        if failed:
            raise ValueError({
                CODED_INDEX: f"index of {index_bytes} bytes for {entries} entries",
                CODED_BODY: f"body beyond the file's {size} bytes",
                CODED_CHECKS: f"checksums beyond the file's {size} bytes",
                CODED_LENGTHS: f"{lengths.shape[0]} code lengths instead of {sum(symbols)}",
                CODED_CODES: "code lengths without a prefix code",
                CODED_SHORT: "the file ends early",
            }[failed])

    def __dealloc__(self):
        close_coded(&self.coded)

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
