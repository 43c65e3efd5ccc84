# Choices: the legal moves of positions as a policy sees them, and a score of each.
#
# Positions are in the mover's frame: rows of own men, opponent's men, own kings, opponent's kings, the board turned if
# White is to move, so that Black always is. Two paths to the same position are one choice.

cdef enum:
    FRAME_BOARDS = 4
    MOST_LOOKED = 2              # quiet plies that a policy may look ahead of a choice


cdef inline Board framed(const u32* row) noexcept nogil:
    """The board of a row, Black to move, without its key."""
    cdef Board board
    board.pieces[BLACK] = pad32(row[0] | row[2])
    board.pieces[WHITE] = pad32(row[1] | row[3])
    board.kings = pad32(row[2] | row[3])
    board.side = BLACK
    board.key = 0
    return board


cdef inline void write_frame(const Board* board, u32* row) noexcept nogil:
    """The boards of a position with the side to move as Black."""
    row[0] = unpad(board.pieces[BLACK] & ~board.kings)
    row[1] = unpad(board.pieces[WHITE] & ~board.kings)
    row[2] = unpad(board.pieces[BLACK] & board.kings)
    row[3] = unpad(board.pieces[WHITE] & board.kings)


cdef int looked_ahead(const Evaluation* evaluation, const Board* board, int plies, int alpha, int beta) noexcept nogil:
    """Score from the side to move after this many quiet plies and all captures that are pending then."""
    cdef MoveList moves
    cdef Board child
    cdef int best = -SCORE_INFINITE
    cdef int score, i
    if not has_capture(board, board.side):
        if not has_quiet(board, board.side):
            return -SCORE_STATIC_MAX
        if plies == 0:
            return evaluate(evaluation, board)
        plies -= 1
    generate(board, &moves)
    for i in range(moves.size):
        child = played(board, moves.moves[i])
        score = -looked_ahead(evaluation, &child, plies, -beta, -alpha)
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                if score >= beta:
                    break
    return best


cdef inline int look_at_choices(const Evaluation* evaluation, const Board* board, const MoveList* moves, int plies,
                                int window, int16_t* scores) noexcept nogil:
    """The score of each choice from the mover's view; returns the best.

    Scores of choices further than `window` behind it are only bounds.
    """
    cdef Board child
    cdef int best = -SCORE_INFINITE
    cdef int i
    for i in range(moves.size):
        child = played(board, moves.moves[i])
        scores[i] = <int16_t>-looked_ahead(evaluation, &child, plies, -SCORE_INFINITE,
                                           min(SCORE_INFINITE, window + 1 - best))
        best = max(best, <int>scores[i])
    return best
