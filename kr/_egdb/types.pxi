# Types of the databases.

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
