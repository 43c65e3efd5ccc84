# Deciders: choosing a move by plain means, for players that are not kr's own search: minimax to a fixed depth, Monte
# Carlo tree search, chance. A kind is a part of its own below this one.

cdef enum:
    MOST_DECIDED_PLIES = 64     # of a look-ahead, with its extensions

# The index of a legal move, in the order of generation; there are two at least. `salt` makes the random choices of one
# decision differ from those of another; choices without chance do not depend on it. The score is from the mover's view,
# -1 to 1. A decider looks at `stop` now and then, and then ends with the best move so far.
ctypedef int (*ChooseMove)(void* own, const Board* board, const MoveList* moves, u64 salt, const int* stop,
                           double* score, u64* nodes) noexcept nogil


cdef class Decider:
    """Chooses moves. Not to be shared by threads."""
    cdef ChooseMove choose_move
    cdef void* own              # state of the kind

    def choose(self, u32 black, u32 white, u32 kings, int side, u64 salt=0, Stop stop=None):
        """Index of a legal move, in the order of generation, its score in [-1, 1] from the mover's view, and the
        positions looked at. stop: ends the search, from any thread. Releases the GIL. Raises ValueError if there is no
        legal move."""
        cdef Board board = board_from_bits(black, white, kings, side)
        cdef MoveList moves
        cdef int never = 0
        cdef const int* ends = &never
        cdef double score = 0
        cdef u64 nodes = 0
        cdef int index = 0
        generate(&board, &moves)
        if moves.size == 0:
            raise ValueError("no legal move to choose")
        if stop is not None:
            ends = &stop.flag
        with nogil:
            index = self.choose_move(self.own, &board, &moves, salt, ends, &score, &nodes)
        return index, score, nodes
