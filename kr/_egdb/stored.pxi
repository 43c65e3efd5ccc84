# A database put together: slices of values and of distances, up to the number of pieces up to which they are complete.


cdef int index_slice(StoredSlice* s, int own_men, int own_kings, int opponent_men, int opponent_kings) noexcept nogil:
    """Set what the indices of a slice are found with, `s` being all zeros; as `describe_slice`."""
    cdef int failed = describe_slice(&s.shape, own_men, own_kings, opponent_men, opponent_kings)
    if failed:
        return failed
    s.symmetric = own_men == opponent_men and own_kings == opponent_kings
    s.turned_own_men = turned_row(MEN_SQUARES_28, own_men)
    s.turned_opponent_men = turned_row(MEN_SQUARES_28 - own_men, opponent_men)
    s.turned_opponent_kings = turned_row(s.shape.free, opponent_kings)
    s.turned_own_kings = turned_row(s.shape.free - opponent_kings, own_kings)
    return 0


cdef int store_slice(StoredSlice* s, CodedSlice* coded, int own_men, int own_kings, int opponent_men,
                     int opponent_kings) noexcept nogil:
    """Make a slice of a database, `s` being all zeros; as `describe_slice`, or 1 if the entries are not its."""
    cdef int failed = index_slice(s, own_men, own_kings, opponent_men, opponent_kings)
    if failed:
        return failed
    if coded.entries != s.shape.size:
        return 1
    s.coded = coded
    return 0


cdef int complete_pieces(const uint8_t* present) noexcept nogil:
    """Most pieces up to which every slice or its twin is there; present: (SLICES,), by slice number."""
    cdef int pieces, own, men, other_men, mine, other
    for pieces in range(2, EGDB_MAX_PIECES + 1):
        for own in range(1, pieces):
            for men in range(own + 1):
                for other_men in range(pieces - own + 1):
                    mine = men << 3 | own - men
                    other = other_men << 3 | pieces - own - other_men
                    if not present[mine << 6 | other] and not present[other << 6 | mine]:
                        return pieces - 1
    return EGDB_MAX_PIECES


cdef inline u64 packed_bytes(u64 positions) noexcept nogil:
    """Bytes that an unpacked slice takes: whole cache lines."""
    return (positions + 255) // 256 * 64
