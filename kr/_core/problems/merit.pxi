# The order of problems: which are worth showing first (kr/problems/ranking.py says what counts, and why).

cpdef enum:
    SEEN_MOVES = 4           # first moves of the solver that are looked at

cdef enum:
    STAR_POINTS = 10
    MOST_STARS = 6
    GIVEN_POINTS = 12
    MOST_GIVEN = 4
    NEAR_MISS_POINTS = 8
    MOST_NEAR_MISSES = 4
    PIECE_POINTS = -2
    AHEAD_POINTS = -8
    BEHIND_POINTS = 4
    MOST_PIECES_BEHIND = 3
    UNNATURAL_POINTS = -5
    USUAL_KINGS = 2

cdef struct Merit:
    int stars                # only moves of the solver, forced ones apart
    int given                # pieces that the solver gives in its first moves, each at a quiet move of its own
    int near_misses          # other keys that fail to one reply alone
    int pieces
    int ahead                # pieces of the solver more than the opponent's
    int unnatural            # kings of a side beyond two, and pieces of either side that could be captured at once


cdef int merit_points(const Merit* merit) noexcept nogil:
    """The higher, the earlier."""
    cdef int lead = AHEAD_POINTS * merit.ahead
    if merit.ahead <= 0:
        lead = BEHIND_POINTS * min(-merit.ahead, MOST_PIECES_BEHIND)
    return (STAR_POINTS * min(merit.stars, MOST_STARS) + GIVEN_POINTS * min(merit.given, MOST_GIVEN)
            + NEAR_MISS_POINTS * min(merit.near_misses, MOST_NEAR_MISSES) + PIECE_POINTS * merit.pieces + lead
            + UNNATURAL_POINTS * merit.unnatural)


cdef int pieces_given(const Board* root, const Move* line, int length, int solver) noexcept nogil:
    """Pieces lost to captures that answer a quiet move of the solver among its first."""
    cdef Board board = root[0]
    cdef u64 captured
    cdef int given = 0
    cdef bint quiet = False
    cdef int i
    for i in range(min(length, 2 * SEEN_MOVES)):
        captured = move_captured(line[i])
        if board.side == solver:
            quiet = captured == 0
        elif quiet:
            given += popcount(captured)
        board = played(&board, line[i])
    return given


cdef int pieces_in_danger(const Board* root, int side) noexcept nogil:
    """Pieces that a side could capture, were it to move."""
    cdef Board board = root[0]
    cdef MoveList moves
    cdef u64 captured = 0
    cdef int i
    board.side = side
    generate(&board, &moves)
    for i in range(moves.size):
        captured |= move_captured(moves.moves[i])
    return popcount(captured)


cdef Merit merit_of(const Board* root, const Move* line, int length, int solver, int stars,
                    int near_misses) noexcept nogil:
    """Merit of a problem; line: the solution."""
    cdef Merit merit
    cdef int side
    merit.stars = stars
    merit.given = pieces_given(root, line, length, solver)
    merit.near_misses = near_misses
    merit.pieces = popcount(root.pieces[BLACK] | root.pieces[WHITE])
    merit.ahead = popcount(root.pieces[solver]) - popcount(root.pieces[1 - solver])
    merit.unnatural = 0
    for side in range(2):
        merit.unnatural += max(0, popcount(root.pieces[side] & root.kings) - USUAL_KINGS)
        merit.unnatural += pieces_in_danger(root, side)
    return merit


cdef bint is_near_miss(const Egdb* db, const Board* board, int goal) noexcept nogil:
    """True if one reply alone spoils the goal of the opponent of the side to move, by the values of all."""
    cdef Move moves[MAX_MOVES]
    cdef Board after[MAX_MOVES]
    cdef int count = after_moves(board, moves, after)
    cdef int spoiling = 0
    cdef int i, value
    for i in range(count):
        value = VALUE_LOSS if is_ended(&after[i]) else stated_value(db, &after[i])
        if value == VALUE_UNKNOWN:
            return False
        spoiling += value < goal
    return count > 1 and spoiling == 1


cdef int count_near_misses(const Egdb* db, const Board* root, const Move* keeping, int count, int goal) noexcept nogil:
    """Moves of the side to move beside the keeping ones after which one reply alone spoils the goal."""
    cdef Move moves[MAX_MOVES]
    cdef Board after[MAX_MOVES]
    cdef int near = 0
    cdef int i, j
    for i in range(after_moves(root, moves, after)):
        j = 0
        while j < count and keeping[j] != moves[i]:
            j += 1
        near += j == count and is_near_miss(db, &after[i], goal)
    return near
