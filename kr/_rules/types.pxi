# Types of the rules: sizes, one-word value types, small structs.

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memmove, memset

cdef extern from "_rules/types.h":
    pass

cdef extern from "<stdlib.h>" nogil:
    # Cython's own may raise
    int abs(int x) noexcept

cdef extern from "<assert.h>":
    void c_assert "assert"(bint condition) noexcept nogil

ctypedef uint64_t u64
ctypedef uint32_t u32

# A move in one word: bits 0-34 are the captured squares (padded bitboard), bits 35-40 the origin and bits 41-46 the
# target (padded squares). 0 stands for no move.
ctypedef uint64_t Move

cdef enum:
    BLACK = 0
    WHITE = 1
    MAX_MOVES = 128      # more than the rules allow: the captures of one king have a few dozen paths at most
    FULL_BOARD = 24      # pieces at the start of a game

cdef struct Board:
    u64 pieces[2]        # by colour
    u64 kings            # of both colours
    u64 key              # incremental Zobrist hash
    int side             # to move

cdef struct MoveList:
    int size
    Move moves[MAX_MOVES]
