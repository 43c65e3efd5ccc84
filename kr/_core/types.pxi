# The words of the core: sizes, one-word value types, small structs.

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
    MAX_PLY = 128        # from the root of a search
    MAX_GAME = 1024      # plies of game history kept for repetitions
    SCORE_INFINITE = 31000
    # wins that the endgame database knows without a distance: SCORE_DATABASE_WIN - n if entered in n plies,
    # SCORE_KEPT_WIN - n after n plies without progress; both with a little of the static score
    SCORE_DATABASE_WIN = 28600
    SCORE_KEPT_WIN = 28250

# What Python shares.
cpdef enum:
    NO_PROGRESS_PLIES = 80   # a draw after 40 moves of each side without a capture or a man's move
    SCORE_WIN = 30000        # won in n plies: SCORE_WIN - n
    SCORE_DECIDED = 29000    # beyond this a score is a win or loss seen to its end
    SCORE_STATIC_MAX = 28000 # beyond this it is proved, by the endgame database or to its end
    SCORE_NONE = -32768      # the move was not searched
    MAX_LINES = 64           # principal variations that one search can keep

cdef struct Board:
    u64 pieces[2]        # by colour
    u64 kings            # of both colours
    u64 key              # incremental Zobrist hash
    int side             # to move

cdef struct MoveList:
    int size
    Move moves[MAX_MOVES]
