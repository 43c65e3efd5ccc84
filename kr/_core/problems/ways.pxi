# Ways: the moves of a solver, and what is proved of each; results that are plain.

cpdef enum:
    PLAIN_LEAD = 2           # pieces that the winner of a plain result is ahead by

cdef struct Way:
    Move move
    Board after
    int keeps                # 1 or 0: after it the solver still has what it is to reach, or not; OPEN
    int by                   # what proves that,
    int32_t positions        # and of how many its certificate is
    int transposes           # 1 or 0: see mark_transpositions; OPEN

cdef struct Ways:
    Way moves[MAX_MOVES]
    int count

cdef struct AskedClaim:
    ClaimDecider* decider
    const Claim* claim


cdef bint is_plain(const Board* board, int solver, int goal) noexcept nogil:
    """True if a result needs no more proof by play: neither side has a capture, were it to move, and the winner has at
    least two pieces more; or, for a draw, only kings are left, and the solver has no fewer than the opponent."""
    cdef int ahead = popcount(board.pieces[solver]) - popcount(board.pieces[1 - solver])
    if has_capture(board, BLACK) or has_capture(board, WHITE):
        return False
    if goal == VALUE_WIN:
        return ahead >= PLAIN_LEAD
    return ahead >= 0 and (board.pieces[BLACK] | board.pieces[WHITE]) == board.kings


cdef bint is_refuted(void* context) noexcept nogil:
    cdef AskedClaim* asked = <AskedClaim*>context
    return decision_of(asked.decider, asked.claim).holds == 0


cdef void place_way(Ways* ways, int place, int target) noexcept nogil:
    """Put a way before others, whose order stays."""
    cdef Way way = ways.moves[place]
    memmove(&ways.moves[target + 1], &ways.moves[target], (place - target) * sizeof(Way))
    ways.moves[target] = way


cdef void list_ways(const Board* board, Move first, Ways* ways) noexcept nogil:
    """The moves that lead to different positions, all open; first: the one that is put first, 0 for none."""
    cdef Move moves[MAX_MOVES]
    cdef Board after[MAX_MOVES]
    cdef int i
    ways.count = after_moves(board, moves, after)
    memset(ways.moves, 0, ways.count * sizeof(Way))
    for i in range(ways.count):
        ways.moves[i].move = moves[i]
        ways.moves[i].after = after[i]
        ways.moves[i].keeps = OPEN
        if moves[i] == first:
            place_way(ways, i, 0)


cdef void find_ways(ClaimDecider* decider, const Board* board, int goal, Move first, bint is_root,
                    Ways* ways) noexcept nogil:
    """The moves of the side to move with what is proved of each; first: as for `list_ways`.

    goal: VALUE_WIN, or VALUE_DRAW for "does not lose". is_root: prove the position itself beside its moves, and leave
    them once it is refuted.
    """
    cdef Claim claims[MAX_MOVES + 1]     # the position's own first
    cdef Decision decision
    cdef AskedClaim own
    cdef int i
    list_ways(board, first, ways)
    claims[0] = claim_of(board, board.side, goal)
    for i in range(ways.count):
        claims[i + 1] = claim_of(&ways.moves[i].after, board.side, goal)
    own.decider = decider
    own.claim = &claims[0]
    if is_root and decision_of(decider, own.claim).holds == OPEN:
        decide(decider, claims, ways.count + 1, is_refuted, &own)
    elif not is_refuted(&own):
        decide(decider, claims + 1, ways.count, NULL, NULL)
    for i in range(ways.count):
        decision = decision_of(decider, &claims[i + 1])
        if decision.holds == OPEN and is_refuted(&own):
            # no move does better than the position
            decision = decision_of(decider, own.claim)
        ways.moves[i].keeps = decision.holds
        ways.moves[i].by = decision.by
        ways.moves[i].positions = decision.positions
