# Second ways that transpose: whatever the opponent replies, they come to positions that the first way leads to.

cdef enum:
    TRANSPOSED_PLIES = 5     # from the position with both ways on, within which these come together

cdef struct Reach:
    # The positions that one leads to by any moves of both sides, after two plies or more, its side to move.
    Board root
    Strategy boards          # those up to some plies; without moves
    int32_t first            # of these, those that the last plies have added
    int plies

cdef struct Solver:
    # Who is to reach what.
    ClaimDecider* decider
    int side
    int goal
    bint unclear             # of a position on the way it is open whether it is reached


cdef bint add_after(Strategy* boards, const Board* board) noexcept nogil:
    """Add the positions after a move and a reply; False without memory."""
    cdef Move moves[MAX_MOVES]
    cdef Board after[MAX_MOVES]
    cdef Board later[MAX_MOVES]
    cdef int count = after_moves(board, moves, after)
    cdef int i, j, replies
    for i in range(count):
        replies = after_moves(&after[i], moves, later)
        for j in range(replies):
            if not add_move(boards, &later[j], 0):
                return False
    return True


cdef inline bint was_stopped(const ProofWork* work) noexcept nogil:
    """True once somebody has ended the work, or it has failed; not for want of time. It asks the clock, since a page
    without threads can end the work only then."""
    seconds()
    return work.error != 0 or (work.stop != NULL and load_flag(work.stop))


cdef bint reach_on(Reach* reach, const ProofWork* work) noexcept nogil:
    """Go on by two plies; False without memory. A stop leaves it incomplete."""
    cdef int32_t end = reach.boards.count
    cdef int32_t row
    cdef ProvedMove here
    cdef Board board
    if reach.plies == 0 and not add_after(&reach.boards, &reach.root):
        return False
    for row in range(reach.first, end):
        if was_stopped(work):
            break
        here = reach.boards.rows[row]
        board = board_from_bits(here.black, here.white, here.kings, reach.root.side)
        if not add_after(&reach.boards, &board):
            return False
    reach.first = end
    reach.plies += 2
    return True


cdef bint is_way(Solver* solver, const Board* board) noexcept nogil:
    """True if the solver has what it is to reach in a position."""
    cdef Claim claim = claim_of(board, solver.side, solver.goal)
    cdef int holds
    decide(solver.decider, &claim, 1, NULL, NULL)
    holds = decision_of(solver.decider, &claim).holds
    solver.unclear |= holds == OPEN
    return holds == 1


cdef bint comes_together(Solver* solver, const Board* board, int plies, const Strategy* reached) noexcept nogil:
    """True if, the opponent to move, the solver comes to one of these positions within some plies, by ways."""
    cdef Move moves[MAX_MOVES]
    cdef Board after[MAX_MOVES]
    cdef int count, i
    if knows_move(reached, board):
        return True
    if plies == 0:
        return False
    count = after_moves(board, moves, after)
    for i in range(count):
        if not can_bring_together(solver, &after[i], plies - 2, reached):
            return False
    return count > 0


cdef bint can_bring_together(Solver* solver, const Board* board, int plies, const Strategy* reached) noexcept nogil:
    """The same, the solver to move."""
    cdef Move moves[MAX_MOVES]
    cdef Board after[MAX_MOVES]
    cdef int count = after_moves(board, moves, after)
    cdef int i
    for i in range(count):
        if comes_together(solver, &after[i], plies, reached) and is_way(solver, &after[i]):
            return True
    return False


cdef int transposes(Solver* solver, Reach* reach, const Board* other) noexcept nogil:
    """1 if the solver can bring the position after another way to one that the first way leads to as well, 0 if not."""
    cdef ProofWork* work = &solver.decider.work
    cdef int plies
    solver.unclear = False
    for plies in range(2, TRANSPOSED_PLIES, 2):
        if reach.plies < plies and lacks_memory(work, reach_on(reach, work)):
            return OPEN
        if comes_together(solver, other, plies, &reach.boards):
            return 1
    return OPEN if solver.unclear else 0


cdef void mark_transpositions(Solver* solver, Ways* ways) noexcept nogil:
    """Mark the ways that transpose to the first."""
    cdef Reach reach
    cdef int i, keeping = 0
    for i in range(1, ways.count):
        keeping += ways.moves[i].keeps == 1
    if keeping == 0 or ways.moves[0].keeps != 1:
        return
    memset(&reach, 0, sizeof(Reach))
    reach.root = ways.moves[0].after
    for i in range(ways.count):
        if ways.moves[i].keeps == 1:
            ways.moves[i].transposes = transposes(solver, &reach, &ways.moves[i].after)
    ways.moves[0].transposes = 0
    free_strategy(&reach.boards)
