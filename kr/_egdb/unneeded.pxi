# Don't-cares of a slice that is to be encoded: entries that a reader of its file never needs.
#
# They are positions in which the side to move must capture, and of two colour-flipped arrangements of men in a slice
# that is its own twin those in which the side to move has the more advanced men. Both are told by the position alone,
# so that they need no memory beside the values, in whose place they are written.


cdef inline bint keeps_arrangement(const Slice* s, u64 number, u64 own_men, u64 opponent_men) noexcept nogil:
    """True if a file of this slice has the positions of the arrangement; `is_stored` (entries.pxi) is the reader's."""
    cdef int ahead
    if s.own_men != s.opponent_men or s.own_kings != s.opponent_kings:
        return True
    ahead = advancement(own_men, BLACK) - advancement(opponent_men, WHITE)
    if ahead != 0:
        return ahead < 0
    return number <= arrangement_number(s, turned(opponent_men), turned(own_men), BLACK)


cdef void mark_all(u64* codes, u64 first, u64 last) noexcept nogil:
    """Mark entries first to last - 1. Neighbouring arrangements share words, and other threads mark those."""
    cdef u64 word, marks
    for word in range(first >> 5, (last - 1 >> 5) + 1):
        marks = ~<u64>0
        if word == first >> 5:
            marks <<= 2 * (first & 31)
        if word == last - 1 >> 5:
            marks &= ~<u64>0 >> 2 * (31 - (last - 1 & 31))
        atomic_or(&codes[word], marks)


cdef void mark_captures(const Slice* s, u64 own_men, u64 opponent_men, u64 start, u64* codes) noexcept nogil:
    """Mark the captures of an arrangement, whose first position has the index `start`."""
    cdef u64 free = SQUARES & ~(own_men | opponent_men)
    cdef const u32* own_table = KING_SETS[s.own_kings]
    cdef const u32* opponent_table = KING_SETS[s.opponent_kings]
    cdef u64 index = start
    cdef u64 marks = 0                    # of the present word
    cdef u64 t, o, opponent, opponent_kings, own_kings, own, beside
    for t in range(s.opponent_king_sets):
        opponent_kings = pdep(opponent_table[t], free)
        opponent = opponent_men | opponent_kings
        beside = free & ~opponent_kings
        for o in range(s.own_king_sets):
            own_kings = pdep(own_table[o], beside)
            own = own_men | own_kings
            if jumpers(own, own_kings, opponent, beside & ~own_kings, BLACK):
                marks |= <u64>3 << 2 * (index & 31)
            if index & 31 == 31:
                atomic_or(&codes[index >> 5], marks)
                marks = 0
            index += 1
    if marks:
        atomic_or(&codes[index - 1 >> 5], marks)


def mark_unneeded(tuple shape, u64[::1] values not None, u64 first, u64 last, const int[::1] stop,
                  uint8_t[::1] distances=None):
    """Write VALUE_UNKNOWN in place of the values that a file doesn't need, and DISTANCE_NONE in place of distances.

    values: of the whole slice, 32 a word; first, last: a range of its arrangements of men, `last` excluded. Releases
    the GIL, and returns early if stop[0] is set. Raises ValueError.
    """
    cdef Slice s = make_slice(shape[0], shape[1], shape[2], shape[3])
    cdef const u64* offsets = s.men_offsets
    cdef u64 own_rank = 0
    cdef u64 own_men = 0
    cdef u64 number, opponent_men, i
    cdef bint fresh = True               # own_men is still to be set
    if last > s.arrangements or <u64>values.shape[0] < (s.size + 31) // 32:
        raise ValueError(f"arrangements up to {last} of {s.arrangements}, {values.shape[0]} words")
    for size in (s.own_men, s.own_kings, s.opponent_men, s.opponent_kings):
        if fill_king_sets(size) < 0:
            raise MemoryError("no memory for the sets of squares")
    if distances is not None and <u64>distances.shape[0] < s.size:
        raise ValueError(f"a slice of {s.size} positions needs as many distances")
    with nogil:
        for number in range(first, last):
            if stop[0]:
                break
            while offsets[own_rank + 1] <= number:
                own_rank += 1
                fresh = True
            if fresh:
                own_men = pdep(KING_SETS[s.own_men][own_rank], SQUARES & ~BLACK_KING_ROW)
                fresh = False
            opponent_men = pdep(KING_SETS[s.opponent_men][number - offsets[own_rank]],
                                SQUARES & ~WHITE_KING_ROW & ~own_men)
            if keeps_arrangement(&s, number, own_men, opponent_men):
                mark_captures(&s, own_men, opponent_men, number * s.block, &values[0])
            else:
                mark_all(&values[0], number * s.block, (number + 1) * s.block)
        if distances is not None:
            for i in range(first * s.block, last * s.block):
                if packed_value(&values[0], i) == VALUE_UNKNOWN:
                    distances[i] = DISTANCE_NONE
