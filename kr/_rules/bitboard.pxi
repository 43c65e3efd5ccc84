# Bitboards of 35 bits: square s is bit s + s/8, so that on every row the four diagonals are shifts by 4 and 5.
# Bits 8, 17 and 26 are padding between rows and always 0.

cdef extern from "_rules/bitboard.h":
    u64 pext "kr_pext"(u64 x, u64 mask) noexcept nogil
    u64 pdep "kr_pdep"(u64 x, u64 mask) noexcept nogil
    int popcount "__builtin_popcountll"(u64 x) noexcept nogil
    int lsb "__builtin_ctzll"(u64 x) noexcept nogil
    int leading_zeros "__builtin_clzll"(u64 x) noexcept nogil
    u64 byte_swapped "__builtin_bswap64"(u64 x) noexcept nogil
    void prefetch "__builtin_prefetch"(const void* p) noexcept nogil
    const u64 SQUARES           # all 32
    const u64 BLACK_KING_ROW    # where Black's men are promoted: 29-32
    const u64 WHITE_KING_ROW    # where White's men are promoted: 1-4
    const u64 ODD_ROWS          # rows by the bits of their number, from 0
    const u64 ROWS_2367
    const u64 ROWS_4567


cdef inline int padded_square(int square) noexcept nogil:
    return square + (square >> 3)


cdef inline int plain_square(int bit) noexcept nogil:
    return bit - bit // 9


cdef inline u64 square_bit(int bit) noexcept nogil:
    return <u64>1 << bit


cdef inline u64 pad32(u32 plain) noexcept nogil:
    cdef u64 x = plain
    return (x & 0xFF) | (x & 0xFF00) << 1 | (x & 0xFF0000) << 2 | (x & <u64>0xFF000000) << 3


cdef inline u32 unpad(u64 padded) noexcept nogil:
    return <u32>(padded & 0xFF | padded >> 1 & 0xFF00 | padded >> 2 & 0xFF0000 | padded >> 3 & <u64>0xFF000000)


cdef inline u64 pop_lowest(u64* squares) noexcept nogil:
    """Remove the lowest square from the set; returns it as a set of one square."""
    cdef u64 lowest = squares[0] & (0 - squares[0])
    squares[0] ^= lowest
    return lowest


cdef inline int pop_lsb(u64* squares) noexcept nogil:
    """Remove the lowest square from the set; returns its number (padded)."""
    cdef int bit = lsb(squares[0])
    squares[0] &= squares[0] - 1
    return bit


cdef inline u32 rotated32(u32 plain) noexcept nogil:
    """The board turned by 180 degrees: square s goes to 31 - s."""
    cdef u32 x = plain
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2
    x = (x >> 4 & 0x0F0F0F0F) | (x & 0x0F0F0F0F) << 4
    x = (x >> 8 & 0x00FF00FF) | (x & 0x00FF00FF) << 8
    return x >> 16 | x << 16


cdef inline u64 turned(u64 padded) noexcept nogil:
    """The padded board turned by 180 degrees."""
    cdef u64 x = padded
    x = (x >> 1 & <u64>0x5555555555555555) | (x & <u64>0x5555555555555555) << 1
    x = (x >> 2 & <u64>0x3333333333333333) | (x & <u64>0x3333333333333333) << 2
    x = (x >> 4 & <u64>0x0F0F0F0F0F0F0F0F) | (x & <u64>0x0F0F0F0F0F0F0F0F) << 4
    return byte_swapped(x) >> 29
