# cython: language_level=3
"""Endgame databases, for the compiled units that look up positions.

Values and distances are those of the side to move.
"""

from libc.stdint cimport uint8_t

from kr._rules cimport Board

cdef enum:
    SLICES = 4096                        # slice numbers

cpdef enum:
    EGDB_MAX_PIECES = 8
    # values for the side to move
    VALUE_LOSS = 0
    VALUE_DRAW = 1
    VALUE_WIN = 2
    VALUE_UNKNOWN = 3                    # too many pieces, or a damaged file

cdef struct StoredSlice

cdef struct Egdb:
    int pieces                           # every position with this many pieces or fewer has a value,
    int distance_pieces                  # and with this many a distance
    const StoredSlice* distances[SLICES]
    const StoredSlice* values[SLICES]    # by slice number; NULL if the twin is stored

cdef class EndgameDatabase:
    cdef Egdb db
    cdef StoredSlice* slices
    cdef StoredSlice* distance_slices
    cdef list files                      # keeps them open
    cdef list to_unpack                  # numbers of slices
    cdef uint8_t* memory

# These may be called by any number of threads at once.
cdef int egdb_value(const Egdb* db, const Board* board) noexcept nogil
cdef int egdb_distance(const Egdb* db, const Board* board) noexcept nogil      # plies to the end; -1 if not known
