# A database put together: slices of values of the classes that are there, and of distances up to the number of pieces
# up to which they are complete. A class is all positions with given numbers of pieces of the two sides.


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


cdef bint has_slices(const uint8_t* present, int own, int other) noexcept nogil:
    """True if every slice of a class or its twin is there; present: (SLICES,), by slice number."""
    cdef int men, other_men, mine, its
    for men in range(own + 1):
        for other_men in range(other + 1):
            mine = men << 3 | own - men
            its = other_men << 3 | other - other_men
            if not present[mine << 6 | its] and not present[its << 6 | mine]:
                return False
    return True


cdef int complete_pieces(const uint8_t* present) noexcept nogil:
    """Most pieces up to which every slice or its twin is there."""
    cdef int pieces, own
    for pieces in range(2, EGDB_MAX_PIECES + 1):
        for own in range(1, pieces):
            if not has_slices(present, own, pieces - own):
                return pieces - 1
    return EGDB_MAX_PIECES


cdef void note_classes(Egdb* db, const uint8_t* present) noexcept nogil:
    """Note which positions have a value: those of classes that are there with all classes that captures lead to."""
    cdef int pieces, own
    memset(db.classes, 0, sizeof(db.classes))
    db.pieces = complete_pieces(present)
    db.most_pieces = db.pieces
    for pieces in range(db.pieces + 1):
        db.classes[0][pieces] = db.classes[pieces][0] = True
    for pieces in range(2, EGDB_MAX_PIECES + 1):
        for own in range(1, pieces):
            # the captures of one piece of either side stand for the others
            if (has_slices(present, own, pieces - own) and (own == 1 or db.classes[own - 1][pieces - own])
                    and (own == pieces - 1 or db.classes[own][pieces - own - 1])):
                db.classes[own][pieces - own] = True
                db.most_pieces = pieces


cdef inline u64 packed_bytes(u64 positions) noexcept nogil:
    """Bytes that an unpacked slice takes: whole cache lines."""
    return (positions + 255) // 256 * 64
