# The words of the rules: sizes, one-word value types, small structs.

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

cdef extern from *:
    """
    #include <assert.h>
    #include <stdint.h>
    /* `cdef inline` means it: colour and depth reach the generators as constants only if every
       layer between is really inlined. gcc alone gives up on the larger ones. */
    #undef CYTHON_INLINE
    #if defined(__GNUC__)
    #define CYTHON_INLINE inline __attribute__((always_inline))
    #else
    #define CYTHON_INLINE inline
    #endif
    """
    void c_assert "assert"(bint condition) noexcept nogil

ctypedef uint64_t u64
ctypedef uint32_t u32

# A move in one word: the captured squares in bits 0-34 (padded bitboard), the square it leaves in
# bits 35-40 and the one it reaches in bits 41-46 (padded squares). 0 is no move.
ctypedef uint64_t Move

cdef enum:
    BLACK = 0
    WHITE = 1
    MAX_MOVES = 128      # more than the rules allow: the jump paths of one king are at most a few dozen
    FULL_BOARD = 24      # pieces at the start of a game

cdef struct Board:
    u64 pieces[2]        # by colour
    u64 kings            # of both colours
    u64 key              # incremental Zobrist hash
    int side             # to move

cdef struct MoveList:
    int size
    Move moves[MAX_MOVES]
