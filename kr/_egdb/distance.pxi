# Distances to win within one arrangement of men whose values are known.
#
# A distance is counted in plies to the end under best play and stored halved: a win in 2h + 1 plies and a loss in 2h
# plies both as h. So a win has the least h of its losing successors, a loss one more than the greatest h of its
# successors. Distances are settled in ascending order of h: at each level first the losses, whose predecessors win in
# one ply more, then the wins, of which the last successor of a lost position settles that one.

cdef extern from "string.h" nogil:
    void* memchr(const void* bytes, int byte, size_t length)

cdef enum:
    DISTANCE_NONE = 255      # a draw
    DISTANCE_OPEN = 254      # a win or loss, not settled yet


cdef inline int state_value(uint8_t state) noexcept nogil:
    return state & STATE_VALUE if state & STATE_FINAL else VALUE_DRAW


cdef inline int child_distance(SolvedSlice** solved, u64 own_men, u64 own_kings, u64 opponent_men, u64 opponent_kings,
                               int* value) noexcept nogil:
    """h of a position after a move, the opponent (White) to move; *value: its value for the opponent."""
    cdef SolvedSlice* there
    cdef u64 index
    value[0] = VALUE_LOSS
    if not (opponent_men | opponent_kings):
        return 0
    there = solved[slice_number(popcount(opponent_men), popcount(opponent_kings),
                                popcount(own_men), popcount(own_kings))]
    index = slice_index(&there.place.shape, opponent_men, opponent_kings, own_men, own_kings, WHITE)
    value[0] = packed_value(there.values, index)
    return there.distances[index]


cdef int capture_distance(SolvedSlice** solved, const Board* board, u64 movers, u64 empty, int value) noexcept nogil:
    """h of a position of this value with captures, Black to move."""
    cdef MoveList moves
    cdef int best = DISTANCE_OPEN if value == VALUE_WIN else 0
    cdef int i, h, child_value
    cdef Board child
    moves.size = 0
    add_captures(board, &moves, NULL, movers, empty, BLACK)
    for i in range(moves.size):
        child = captured_board(board, moves.moves[i])
        h = child_distance(solved, child.pieces[BLACK] & ~child.kings, child.pieces[BLACK] & child.kings,
                           child.pieces[WHITE] & ~child.kings, child.pieces[WHITE] & child.kings, &child_value)
        if value == VALUE_WIN:
            if child_value == VALUE_LOSS and h < best:
                best = h
        elif h + 1 > best:
            best = h + 1
    return best


cdef inline int man_distance(const View* view, u64 own_kings, u64 opponent_kings, int value) noexcept nogil:
    """h from men's quiet moves alone: DISTANCE_OPEN for a win without one, 0 for a loss without one."""
    cdef const ManMove* move
    cdef u64 kings, beside, index
    cdef int best = DISTANCE_OPEN if value == VALUE_WIN else 0
    cdef int i, h
    for i in range(view.man_moves):
        move = &view.men[i]
        if move.target & (own_kings | opponent_kings):
            continue
        kings = own_kings | move.promoted
        beside = move.free & ~kings
        index = (move.start + quick_rank_turned(pext(kings, move.free), move.turned_kings) * move.minor
                 + quick_rank_turned(pext(opponent_kings, beside), move.turned_opponent_kings))
        h = move.distances[index]
        if value == VALUE_WIN:
            if packed_value(move.values, index) == VALUE_LOSS and h < best:
                best = h
        elif h + 1 > best:
            best = h + 1
    return best


cdef u64 start_distances(const View* view, SolvedSlice** solved, Distances* distances) noexcept nogil:
    """Enter what follows from captures and men's moves; returns the number of wins and losses."""
    cdef Board board
    cdef u64 t, o, opponent_kings, own_kings, own, opponent, empty, beside
    cdef u64 decided = 0
    cdef u64 i = 0
    cdef int value
    board.side = BLACK
    board.key = 0
    for t in range(view.opponent_sets):
        opponent_kings = pdep(view.opponent_table[t], view.free)
        opponent = view.opponent_men | opponent_kings
        beside = view.free & ~opponent_kings
        for o in range(view.own_sets):
            value = state_value(view.states[i])
            if value == VALUE_DRAW:
                distances.settled[i] = DISTANCE_NONE
                i += 1
                continue
            decided += 1
            own_kings = pdep(view.own_table[o], beside)
            own = view.own_men | own_kings
            empty = SQUARES & ~(own | opponent)
            if view.states[i] & STATE_CAPTURE:
                board.pieces[BLACK] = own
                board.pieces[WHITE] = opponent
                board.kings = own_kings | opponent_kings
                distances.settled[i] = <uint8_t>capture_distance(
                    solved, &board, jumpers(own, own_kings, opponent, empty, BLACK), empty, value)
            elif value == VALUE_WIN:
                distances.settled[i] = <uint8_t>man_distance(view, own_kings, opponent_kings, value)
            else:
                distances.least[i] = <uint8_t>man_distance(view, own_kings, opponent_kings, value)
                distances.left[i] = <uint8_t>(
                    popcount(own_kings << 4 & empty) + popcount(own_kings << 5 & empty)
                    + popcount(own_kings >> 4 & empty) + popcount(own_kings >> 5 & empty))
                distances.settled[i] = DISTANCE_OPEN if distances.left[i] else distances.least[i]
            i += 1
    return decided


cdef inline void settle_predecessors(const View* view, const View* other, Distances* before, u64 index, int value,
                                     int h) noexcept nogil:
    """Pass on a settled distance to the positions from which the opponent's kings have come."""
    cdef u64 own_kings, opponent_kings, empty, beside, row, kings, king, from_squares, origin, i
    cdef uint8_t state
    cdef int squares = view.free_count - view.own_kings
    opponent_kings = pdep(view.opponent_table[index // view.own_sets], view.free)
    own_kings = pdep(view.own_table[index % view.own_sets], view.free & ~opponent_kings)
    beside = view.free & ~own_kings
    empty = beside & ~opponent_kings
    row = rank_turned(pext(own_kings, view.free), view.free_count) * other.own_sets
    kings = opponent_kings
    while kings:
        king = pop_lowest(&kings)
        from_squares = (king << 4 | king << 5 | king >> 4 | king >> 5) & empty
        while from_squares:
            origin = pop_lowest(&from_squares)
            i = row + rank_turned(pext(opponent_kings ^ king ^ origin, beside), squares)
            state = other.states[i]
            if state & STATE_CAPTURE and state & STATE_FINAL:
                continue
            if value == VALUE_LOSS:
                if before.settled[i] > h:
                    before.settled[i] = <uint8_t>h
            elif state_value(state) == VALUE_LOSS:
                before.least[i] = <uint8_t>max(<int>before.least[i], h + 1)
                before.left[i] -= 1
                if before.left[i] == 0:
                    before.settled[i] = before.least[i]


cdef u64 settle_level(const View* view, const View* other, Distances* distances, Distances* before, int value,
                      int h) noexcept nogil:
    """Pass on the distances of all positions with this value and h; returns their number."""
    cdef u64 count = 0
    cdef uint8_t* place = distances.settled
    cdef uint8_t* end = distances.settled + view.size
    cdef u64 i
    while place < end:
        place = <uint8_t*>memchr(place, h, end - place)
        if place == NULL:
            break
        i = place - distances.settled
        if state_value(view.states[i]) == value:
            count += 1
            settle_predecessors(view, other, before, i, value, h)
        place += 1
    return count


cdef void solve_distances(Workspace* space, SolvedSlice** solved, View* views, int count) noexcept nogil:
    """Write the distances of twin blocks with known values into space.distances."""
    cdef u64 left = 0
    cdef int v, h
    for v in range(count):
        left += start_distances(&views[v], solved, &space.distances[v])
    h = 0
    while left > 0 and h < DISTANCE_OPEN:
        for v in range(count):
            left -= settle_level(&views[v], &views[1 - v], &space.distances[v], &space.distances[(1 - v) * (count - 1)],
                                 VALUE_LOSS, h)
        for v in range(count):
            left -= settle_level(&views[v], &views[1 - v], &space.distances[v], &space.distances[(1 - v) * (count - 1)],
                                 VALUE_WIN, h)
        h += 1
    if left > 0:
        space.too_far = True
