# Sizes of a search.

cdef enum:
    MAX_PLY = 128        # from the root
    MAX_GAME = 1024      # plies of the game before the root that are kept for repetitions

cpdef enum:
    MAX_LINES = 64       # principal variations that one search can keep
