# Files that are read as a whole, and their bytes.

cdef enum:
    CHECKSUM_LETTERS = 32    # of what kr made the file of

cdef struct Bytes:
    # What is left to read.
    const uint8_t* at
    u64 left


cdef const uint8_t* take_bytes(Bytes* data, u64 count) noexcept nogil:
    """The next bytes; NULL if fewer are left."""
    cdef const uint8_t* at = data.at
    if count > data.left:
        return NULL
    data.at += count
    data.left -= count
    return at


cdef bint take_number(Bytes* data, u32* number) noexcept nogil:
    cdef const uint8_t* at = take_bytes(data, 4)
    if at == NULL:
        return False
    number[0] = load32(at)
    return True


cdef int read_whole(const char* path, int64_t most, uint8_t** bytes, size_t* size) noexcept nogil:
    """Read a file of at most so many bytes, which the caller frees; KR_OK or an error."""
    cdef int descriptor = open_file(path)
    cdef int64_t found
    cdef int error = KR_NO_FILE
    bytes[0] = NULL
    size[0] = 0
    if descriptor < 0:
        return KR_NO_FILE
    found = file_size(descriptor)
    if found > most:
        error = KR_NOT_KR
    elif found >= 0:
        bytes[0] = <uint8_t*>malloc(<size_t>found + 1)
        if bytes[0] == NULL:
            error = KR_NO_MEMORY
        elif read_at(descriptor, bytes[0], <size_t>found, 0) == 0:
            size[0] = <size_t>found
            error = KR_OK
    close_descriptor(descriptor)
    return error
