# Quiescence: below the leaves, captures are searched to their end, so that no position with pending captures is scored;
# shots are searched as well.

cdef int score_with_shots(Worker* worker, const Board* board, int alpha, int beta, int ply,
                          int reversible) noexcept nogil:
    """Static score of a position in which neither side can capture, or the better one that a shot leads to."""
    cdef int best = faded_score(worker, board, reversible)
    cdef int score, i
    cdef MoveList moves
    cdef Offers offers
    cdef Board child
    if best >= beta or best < alpha - worker.options.shot_margin or worker.options.shot_margin == 0:
        return best
    if not find_offers(board, &offers):
        return best
    generate(board, &moves)
    for i in range(moves.size):
        if not is_offer(&offers, moves.moves[i]):
            continue
        child = played(board, moves.moves[i])
        c_assert(has_capture(&child, child.side))
        if not is_shot(&child):
            continue
        score = -qsearch(worker, &child, -beta, -max(alpha, best), ply + 1, 0, 0)
        if worker.stopped:
            return 0
        if score > best:
            best = score
            if score > alpha:
                update_pv(worker, ply, moves.moves[i])
            if score >= beta:
                break
    return best


cdef int qsearch(Worker* worker, const Board* board, int alpha, int beta, int ply, int threats,
                 int reversible) noexcept nogil:
    """Score after all captures: the static score, unless the opponent threatens to capture.

    threats: plies of all moves left for positions in which the opponent does; reversible: plies without progress.
    """
    cdef MoveList moves
    cdef Board child
    cdef int best = -SCORE_INFINITE
    cdef int score, i, plies
    cdef bint capture
    cdef Known known
    worker.pv_length[ply] = 0
    if out_of_limits(worker):
        return 0
    capture = has_capture(board, board.side)
    if not capture:
        # no moves: a loss
        if not has_quiet(board, board.side):
            return ply - SCORE_WIN
        # endgame database; plies without progress are not taken into account here
        if within_reach(&worker.endgames, board, 0):
            known = look_up(&worker.endgames, worker.evaluation, board, ply, NO_PROGRESS_PLIES, True)
            if known.bound != BOUND_NONE:
                worker.endgames.hits += 1
                return known.score
        # stand pat if quiet or too deep. One ply of threats: with two, -31 ± 22 Elo at 2,000 nodes (docs/lab/search.md);
        # with none, not measured by a match
        if threats == 0 or ply >= MAX_PLY - 1:
            return faded_score(worker, board, reversible)
        if not has_capture(board, 1 - board.side):
            return score_with_shots(worker, board, alpha, beta, ply, reversible)
        threats -= 1
    elif ply >= MAX_PLY - 1:
        return evaluate(worker.evaluation, board)
    generate(board, &moves)
    for i in range(moves.size):
        child = played(board, moves.moves[i])
        plies = reversible + 1 if is_reversible(board, moves.moves[i]) else 0
        score = -qsearch(worker, &child, -beta, -alpha, ply + 1, threats, plies)
        if worker.stopped:
            return 0
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                update_pv(worker, ply, moves.moves[i])
                if score >= beta:
                    break
    return best
