# cython: language_level=3
"""Endgame databases, for the compiled units that look up positions.

Values and distances are those of the side to move.
"""

from libc.stdint cimport uint8_t

from kr._rules cimport BLACK, WHITE, Board, popcount

include "_egdb/types.pxi"

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

