# Bitboards of 35 bits: square s is bit s + s/8, so that on every row the four diagonals are shifts by 4 and 5.
# Bits 8, 17 and 26 are padding between rows and always 0.

cdef extern from *:
    """
    #include <assert.h>
    #if defined(__BMI2__)
    #include <immintrin.h>
    #define kr_pext_fast(x, mask) _pext_u64((x), (mask))
    #define kr_pdep_fast(x, mask) _pdep_u64((x), (mask))
    #define kr_has_bmi2 1
    #elif defined(__x86_64__)
    /* A portable x86 build asks the processor when it is loaded: without pext, building databases takes twice as long.
       The compiler's intrinsics need a build for BMI2 only, hence the assembler. */
    static int kr_has_bmi2;
    __attribute__((constructor)) static void kr_find_bmi2(void) {
        __builtin_cpu_init();
        kr_has_bmi2 = __builtin_cpu_supports("bmi2");
    }
    static inline uint64_t kr_pext_fast(uint64_t x, uint64_t mask) {
        uint64_t result;
        __asm__("pextq %2, %1, %0" : "=r"(result) : "r"(x), "rm"(mask));
        return result;
    }
    static inline uint64_t kr_pdep_fast(uint64_t x, uint64_t mask) {
        uint64_t result;
        __asm__("pdepq %2, %1, %0" : "=r"(result) : "r"(x), "rm"(mask));
        return result;
    }
    #else
    #define kr_pext_fast(x, mask) 0
    #define kr_pdep_fast(x, mask) 0
    #define kr_has_bmi2 0
    #endif
    /* Run by run, since most masks here are a few runs of adjacent bits. */
    static inline uint64_t kr_pext_plain(uint64_t x, uint64_t mask) {
        uint64_t result = 0;
        int filled = 0;
        while (mask) {
            uint64_t lowest = mask & (0 - mask);
            uint64_t run = mask & ~(mask + lowest);
            result |= ((x & run) >> __builtin_ctzll(lowest)) << filled;
            filled += __builtin_popcountll(run);
            mask ^= run;
        }
        return result;
    }
    static inline uint64_t kr_pdep_plain(uint64_t x, uint64_t mask) {
        uint64_t result = 0;
        while (x) {
            uint64_t lowest = mask & (0 - mask);
            if (x & 1) result |= lowest;
            mask ^= lowest;
            x >>= 1;
        }
        return result;
    }
    static inline uint64_t kr_pext(uint64_t x, uint64_t mask) {
        uint64_t result = kr_has_bmi2 ? kr_pext_fast(x, mask) : kr_pext_plain(x, mask);
        assert(result == kr_pext_plain(x, mask));
        return result;
    }
    static inline uint64_t kr_pdep(uint64_t x, uint64_t mask) {
        uint64_t result = kr_has_bmi2 ? kr_pdep_fast(x, mask) : kr_pdep_plain(x, mask);
        assert(result == kr_pdep_plain(x, mask));
        return result;
    }
    #define kr_popcount(x) __builtin_popcountll(x)
    #define kr_lsb(x) __builtin_ctzll(x)
    #define kr_leading_zeros(x) __builtin_clzll(x)
    #define kr_prefetch(p) __builtin_prefetch(p)
    /* macros, so that they are constants for the compiler */
    #define SQUARES 0x7FBFDFEFFULL
    #define BLACK_KING_ROW 0x780000000ULL
    #define WHITE_KING_ROW 0xFULL
    """
    u64 pext "kr_pext"(u64 x, u64 mask) noexcept nogil
    u64 pdep "kr_pdep"(u64 x, u64 mask) noexcept nogil
    int popcount "kr_popcount"(u64 x) noexcept nogil
    int lsb "kr_lsb"(u64 x) noexcept nogil
    int leading_zeros "kr_leading_zeros"(u64 x) noexcept nogil
    u64 byte_swapped "__builtin_bswap64"(u64 x) noexcept nogil
    void prefetch "kr_prefetch"(const void* p) noexcept nogil
    const u64 SQUARES           # all 32
    const u64 BLACK_KING_ROW    # where Black's men are promoted: 29-32
    const u64 WHITE_KING_ROW    # where White's men are promoted: 1-4


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
