# The hand-built evaluation.

cdef inline int manual_score(const Board* board) noexcept nogil:
    return 100 * (popcount(board.pieces[board.side]) - popcount(board.pieces[1 - board.side]))
