# Men and kings alone.

cpdef enum:
    MATERIAL_MAN = 100
    MATERIAL_KING = 130


cdef int material_score(const void* weights, const Board* board) noexcept nogil:
    cdef u64 own = board.pieces[board.side]
    cdef u64 opponent = board.pieces[1 - board.side]
    return (MATERIAL_MAN * (popcount(own) - popcount(opponent))
            + (MATERIAL_KING - MATERIAL_MAN) * (popcount(own & board.kings) - popcount(opponent & board.kings)))


cdef class _MaterialEvaluator(Evaluator):
    """Men and kings alone."""

    def __cinit__(self):
        self.evaluation.score = material_score


EVALUATORS["material"] = _MaterialEvaluator
