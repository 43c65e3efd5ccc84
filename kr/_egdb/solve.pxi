# Retrograde analysis of one arrangement of men.
#
# An arrangement is a problem of its own in which only kings move: captures and men's moves lead to positions solved
# before. It is solved with either side to move: as twin blocks, one of the slice and one of its twin. Every position
# has one byte: its value or, until that is known, the number of its king moves not yet known to lose. The method is
# that of Thompson 1986, Retrograde Analysis of Certain Endgames (ICCA Journal 9:3), with counters; Lake, Schaeffer and
# Lu 1994 used it for checkers.
#
# Of the two blocks, view 0 is that of the slice and view 1 that of its twin. In both the side to move is seen as Black;
# the index of a position in the other view is taken with the ranks turned (`rank_turned`).

cdef enum:
    STATE_FINAL = 0x80       # the low bits are the value; otherwise they are the counter
    STATE_CAPTURE = 0x40     # the side to move must capture
    STATE_PENDING = 0x20     # a win or loss not yet passed on to its predecessors
    STATE_COUNTER = 0x3F
    STATE_VALUE = 0x03
    MAX_MAN_MOVES = 2 * EGDB_MAX_PIECES
    MAX_WAYS = 4 * EGDB_MAX_PIECES      # king moves into a position
    MAX_PASSED = 16          # positions passed on together, after prefetching their predecessors
    PASSED_AT_ONCE = 256     # positions on the stacks from which on they are passed on

cdef extern from * nogil:
    int ATOMIC_RELAXED "__ATOMIC_RELAXED"
    u64 atomic_fetch_or "__atomic_fetch_or"(u64* word, u64 bits, int order)


cdef inline void atomic_or(u64* word, u64 bits) noexcept nogil:
    """Blocks of neighbouring arrangements share words, and other threads write those."""
    atomic_fetch_or(word, bits, ATOMIC_RELAXED)


cdef inline u64 rotated_left(u64 x, int n) noexcept nogil:
    """n from 1 to 63."""
    return x << n | x >> (64 - n)


cdef u32* KING_SETS[EGDB_MAX_PIECES]     # by size: every set of numbers below 32, by rank


cdef int fill_king_sets(int size) noexcept nogil:
    """Fill KING_SETS[size], unless it is filled; -1 without memory. The caller holds the GIL."""
    cdef u64 count = CHOOSE[32][size]
    cdef u32* sets
    cdef u64 i, lowest, ripple
    cdef u64 dense = square_bit(size) - 1
    if KING_SETS[size] != NULL:
        return 0
    sets = <u32*>malloc(count * sizeof(u32))
    if sets == NULL:
        return -1
    for i in range(count):
        sets[i] = <u32>dense
        if dense:
            # the next number with the same number of bits
            lowest = dense & (0 - dense)
            ripple = dense + lowest
            dense = ripple | ((dense ^ ripple) >> 2) // lowest
    KING_SETS[size] = sets
    return 0


cdef struct SolvedSlice:
    StoredSlice place    # without its file
    u64* values          # packed, 2 bits a position
    uint8_t* distances   # halved plies to the end, one byte a position; NULL if not wanted

cdef struct ManMove:
    # A quiet move of a man, for all placements of the kings.
    u64 target
    u64 promoted         # the target if the man is promoted, else 0
    u64 free             # squares without men after the move
    const u32* turned_kings           # rows of TURNED_RANKS for own kings there,
    const u32* turned_opponent_kings  # and for the opponent's
    const u64* values    # of the slice after the move, the opponent to move
    const uint8_t* distances
    u64 start            # index of the arrangement's block there
    u64 minor            # number of sets of the opponent's kings there

cdef struct View:
    u64 own_men
    u64 opponent_men
    u64 free
    int free_count
    int own_kings
    int opponent_kings
    u64 own_sets
    u64 opponent_sets
    u64 size
    const u32* own_table
    const u32* opponent_table
    const u32* turned_own        # rows of TURNED_RANKS for own kings among the squares without men,
    const u32* turned_opponent   # and for the opponent's among those without own kings
    uint8_t* states
    u64 way_kings[MAX_WAYS]      # for each direction and king of the opponent: the king, as a bit of their set,
    int way_shifts[MAX_WAYS]     # and the square it came from, as a rotation of its square
    int man_moves
    ManMove men[MAX_MAN_MOVES]

cdef struct Distances:
    # Distances of a view (distance.pxi).
    uint8_t* settled         # h, or DISTANCE_OPEN or DISTANCE_NONE
    uint8_t* least           # of a loss: lower bound on h by the successors settled so far
    uint8_t* left            # of a loss: king moves to positions not settled yet

cdef struct Workspace:
    # Working memory of a thread.
    uint8_t* states[2]
    u64 capacity         # positions of a block that there is room for
    u32* wins            # stacks of positions not yet passed on: twice the place in the block, plus the view
    u32* losses
    u64 wins_size
    u64 losses_size
    Distances distances[2]
    bint too_far         # a distance that a byte can't hold


cdef inline int packed_value(const u64* packed, u64 index) noexcept nogil:
    return <int>(packed[index >> 5] >> 2 * (index & 31) & 3)


cdef inline int value_for_mover(SolvedSlice** solved, u64 own_men, u64 own_kings, u64 opponent_men,
                                u64 opponent_kings) noexcept nogil:
    """Value of a move for the side that plays it, by the solved position after it, in which White is to move."""
    cdef const SolvedSlice* there
    if not (opponent_men | opponent_kings):
        return VALUE_WIN
    there = solved[slice_number(popcount(opponent_men), popcount(opponent_kings),
                                popcount(own_men), popcount(own_kings))]
    return VALUE_WIN - packed_value(there.values, men_start(&there.place, opponent_men, own_men)
                                    + kings_number(&there.place, SQUARES & ~(own_men | opponent_men), opponent_kings,
                                                   own_kings))


cdef inline Board captured_board(const Board* board, Move move) noexcept nogil:
    """The position after a capture by Black, without hash key; White to move."""
    cdef Board child
    cdef u64 origin = square_bit(origin_bit(move))
    cdef u64 target = square_bit(target_bit(move))
    child.pieces[BLACK] = board.pieces[BLACK] ^ origin ^ target
    child.pieces[WHITE] = board.pieces[WHITE] & ~move_captured(move)
    child.kings = board.kings & ~move_captured(move)
    if origin & board.kings:
        child.kings ^= origin ^ target
    else:
        child.kings |= target & BLACK_KING_ROW
    child.side = WHITE
    child.key = 0
    return child


cdef int best_capture(SolvedSlice** solved, const Board* board, u64 movers, u64 empty) noexcept nogil:
    """Value of a position with captures, Black to move."""
    cdef MoveList moves
    cdef Board child
    cdef int best = VALUE_LOSS
    cdef int i, value
    moves.size = 0
    add_captures(board, &moves, NULL, movers, empty, BLACK)
    for i in range(moves.size):
        child = captured_board(board, moves.moves[i])
        value = value_for_mover(solved, child.pieces[BLACK] & ~child.kings, child.pieces[BLACK] & child.kings,
                                child.pieces[WHITE] & ~child.kings, child.pieces[WHITE] & child.kings)
        if value > best:
            best = value
            if best == VALUE_WIN:
                break
    return best


cdef inline u64 jump_pairs(u64 own, u64 own_kings, u64 opponent, u64 empty) noexcept nogil:
    """Jumps, Black to move, as pairs of squares: see `enter_node` (probe.pxi)."""
    return ((own & empty >> 8 | empty & own_kings >> 8) & opponent >> 4
            | ((own & empty >> 10 | empty & own_kings >> 10) & opponent >> 5) << 32)


cdef inline int best_single_jump(SolvedSlice** solved, const Board* board, u64 pairs, u64 empty) noexcept nogil:
    """Value of a position with captures, Black to move; -1 if it depends on one that goes on after a jump."""
    cdef u64 own = board.pieces[BLACK]
    cdef u64 opponent = board.pieces[WHITE]
    cdef u64 kings, step, victim, target, left, open, up, down
    cdef int best = VALUE_LOSS
    cdef int bit, low, width, value
    while pairs:
        bit = pop_lsb(&pairs)
        low = bit & 31
        width = 4 + (bit >> 5)
        victim = square_bit(low + width)
        step = square_bit(low) | square_bit(low + 2 * width)
        target = step & empty
        left = opponent ^ victim
        open = empty | step
        up = (target << 4 & left) << 4 & open | (target << 5 & left) << 5 & open
        down = (target >> 4 & left) >> 4 & open | (target >> 5 & left) >> 5 & open
        if rarely(up or down and step & board.kings):
            return -1
        kings = board.kings & ~victim
        kings = kings ^ step if step & kings else kings | target & BLACK_KING_ROW
        own ^= step
        value = value_for_mover(solved, own & ~kings, own & kings, left & ~kings, left & kings)
        own ^= step
        if value == VALUE_WIN:
            return value
        best = max(best, value)
    return best


cdef void prepare_view(View* view, SolvedSlice** solved, const Slice* shape, u64 own_men,
                       u64 opponent_men, uint8_t* states) noexcept nogil:
    """Set up a view: its squares, and its men's moves with the blocks that they lead to."""
    cdef u64 origin, target, origins, men, others
    cdef int shift, promotes, i
    cdef int[4] shifts
    cdef const SolvedSlice* there
    cdef ManMove* move
    # from 4 or 5 squares below, or above
    shifts[0], shifts[1], shifts[2], shifts[3] = 60, 59, 4, 5
    view.own_men = own_men
    view.opponent_men = opponent_men
    view.free = SQUARES & ~(own_men | opponent_men)
    view.free_count = shape.free
    view.own_kings = shape.own_kings
    view.opponent_kings = shape.opponent_kings
    view.own_sets = shape.own_king_sets
    view.opponent_sets = shape.opponent_king_sets
    view.size = shape.block
    view.own_table = KING_SETS[shape.own_kings]
    view.opponent_table = KING_SETS[shape.opponent_kings]
    view.turned_own = turned_row(shape.free, shape.own_kings)
    view.turned_opponent = turned_row(shape.free - shape.own_kings, shape.opponent_kings)
    view.states = states
    for i in range(4 * shape.opponent_kings):
        view.way_kings[i] = square_bit(i % shape.opponent_kings)
        view.way_shifts[i] = shifts[i // shape.opponent_kings]
    view.man_moves = 0
    for shift in range(4, 6):
        origins = own_men & view.free >> shift
        while origins:
            origin = pop_lowest(&origins)
            target = origin << shift
            promotes = (target & BLACK_KING_ROW) != 0
            there = solved[slice_number(shape.opponent_men, shape.opponent_kings, shape.own_men - promotes,
                                        shape.own_kings + promotes)]
            move = &view.men[view.man_moves]
            move.target = target
            move.promoted = target if promotes else 0
            men = own_men ^ origin ^ (target & ~move.promoted)
            others = men | opponent_men
            move.free = SQUARES & ~others
            # there the opponent is to move
            move.turned_kings = there.place.turned_opponent_kings
            move.turned_opponent_kings = there.place.turned_own_kings
            move.values = there.values
            move.distances = there.distances
            move.minor = there.place.shape.own_king_sets
            move.start = (arrangement_number(&there.place.shape, opponent_men, men, WHITE) * there.place.shape.block
                          if others else 0)
            view.man_moves += 1


cdef inline int best_man_move(const View* view, u64 own_kings, u64 opponent_kings, int* drawn) noexcept nogil:
    """1 if a man's quiet move wins, 0 if there are some but none wins, -1 if there are none; *drawn: one draws."""
    cdef const ManMove* move
    cdef u64 kings, beside
    cdef int best = -1
    cdef int i, value
    drawn[0] = 0
    for i in range(view.man_moves):
        move = &view.men[i]
        if move.target & (own_kings | opponent_kings):
            continue
        kings = own_kings | move.promoted
        beside = move.free & ~kings
        value = packed_value(move.values, move.start
                             + quick_rank_turned(pext(kings, move.free), move.turned_kings) * move.minor
                             + quick_rank_turned(pext(opponent_kings, beside), move.turned_opponent_kings))
        if value == VALUE_LOSS:
            return 1
        best = 0
        if value == VALUE_DRAW:
            drawn[0] = 1
    return best


cdef void start_view(const View* view, SolvedSlice** solved) noexcept nogil:
    """Give every position the value that follows from captures and men's moves, or a counter of its king moves."""
    cdef Board board
    cdef u64 t, o, opponent_kings, own_kings, own, opponent, empty, beside, pairs
    cdef uint8_t* state = view.states
    cdef int count, drawn, man_move, value
    board.side = BLACK
    board.key = 0
    for t in range(view.opponent_sets):
        opponent_kings = pdep(view.opponent_table[t], view.free)
        opponent = view.opponent_men | opponent_kings
        beside = view.free & ~opponent_kings
        board.pieces[WHITE] = opponent
        for o in range(view.own_sets):
            own_kings = pdep(view.own_table[o], beside)
            own = view.own_men | own_kings
            empty = SQUARES & ~(own | opponent)
            pairs = jump_pairs(own, own_kings, opponent, empty)
            if pairs:
                board.pieces[BLACK] = own
                board.kings = own_kings | opponent_kings
                value = best_single_jump(solved, &board, pairs, empty)
                if rarely(value < 0):
                    value = best_capture(solved, &board, jumpers(own, own_kings, opponent, empty, BLACK), empty)
                state[0] = STATE_FINAL | STATE_CAPTURE | value | (0 if value == VALUE_DRAW else STATE_PENDING)
            else:
                man_move = best_man_move(view, own_kings, opponent_kings, &drawn) if view.man_moves else -1
                if view.man_moves == 0:
                    drawn = 0
                count = (popcount(own_kings << 4 & empty) + popcount(own_kings << 5 & empty)
                         + popcount(own_kings >> 4 & empty) + popcount(own_kings >> 5 & empty))
                if man_move == 1:
                    state[0] = STATE_FINAL | STATE_PENDING | VALUE_WIN
                elif count == 0:
                    state[0] = STATE_FINAL | (VALUE_DRAW if drawn else STATE_PENDING | VALUE_LOSS)
                else:
                    # a draw by a man's move counts as one move that never turns out to lose
                    state[0] = count + drawn
            state += 1


cdef inline int predecessors(const View* view, const View* other, u64 index, u64* indices) noexcept nogil:
    """Find the positions of `other` from which the opponent's kings have come by quiet moves, and prefetch their states;
    returns their number."""
    cdef u64 opponent_kings = pdep(view.opponent_table[<u32>index // <u32>view.own_sets], view.free)
    cdef u64 own_kings = pdep(view.own_table[<u32>index % <u32>view.own_sets], view.free & ~opponent_kings)
    cdef u64 beside = view.free & ~own_kings
    cdef u64 empty = beside & ~opponent_kings
    # in the other view our kings are the opponent's, whose rank is the major one
    cdef u64 row = quick_rank_turned(pext(own_kings, view.free), view.turned_own) * other.own_sets
    cdef int count = view.opponent_kings
    cdef int size = 0
    cdef int way
    cdef u64 king
    # one loop over all kings and directions, since each loop costs a mispredicted branch at its end
    cdef u64 ways = (pext(opponent_kings & empty << 4, opponent_kings)
                     | pext(opponent_kings & empty << 5, opponent_kings) << count
                     | pext(opponent_kings & empty >> 4, opponent_kings) << 2 * count
                     | pext(opponent_kings & empty >> 5, opponent_kings) << 3 * count)
    while ways:
        way = pop_lsb(&ways)
        king = pdep(view.way_kings[way], opponent_kings)
        indices[size] = row + quick_rank_turned(
            pext(opponent_kings ^ king ^ rotated_left(king, view.way_shifts[way]), beside), view.turned_opponent
        )
        prefetch(&other.states[indices[size]])
        size += 1
    return size


cdef void pass_losses(Workspace* space, View* views) noexcept nogil:
    """Take a few lost positions from the stack, and make their predecessors wins."""
    cdef u64 before[MAX_PASSED * MAX_WAYS]
    cdef uint8_t* states[2]
    cdef int ends[MAX_PASSED]
    cdef int other_view[MAX_PASSED]
    cdef int count = 0
    cdef int size = 0
    cdef int i, j, v, open
    cdef u32 top
    cdef uint8_t state
    while space.losses_size and count < MAX_PASSED:
        space.losses_size -= 1
        top = space.losses[space.losses_size]
        v = <int>(top & 1)
        size += predecessors(&views[v], &views[1 - v], top >> 1, &before[size])
        other_view[count] = 1 - v
        ends[count] = size
        count += 1
    states[0] = views[0].states
    states[1] = views[1].states
    j = 0
    for i in range(count):
        v = other_view[i]
        while j < ends[i]:
            # without a branch, since half of them are known already
            state = states[v][before[j]]
            open = state < STATE_FINAL
            states[v][before[j]] = <uint8_t>(STATE_FINAL | VALUE_WIN) if open else state
            space.wins[space.wins_size] = <u32>(before[j] << 1 | <u64>v)
            space.wins_size += open
            j += 1


cdef void pass_wins(Workspace* space, View* views) noexcept nogil:
    """Take a few won positions from the stack, and count down their predecessors; at 0 these are losses."""
    cdef u64 before[MAX_PASSED * MAX_WAYS]
    cdef uint8_t* states[2]
    cdef int ends[MAX_PASSED]
    cdef int other_view[MAX_PASSED]
    cdef int count = 0
    cdef int size = 0
    cdef int i, j, v
    cdef u32 top
    cdef uint8_t state
    while space.wins_size and count < MAX_PASSED:
        space.wins_size -= 1
        top = space.wins[space.wins_size]
        v = <int>(top & 1)
        size += predecessors(&views[v], &views[1 - v], top >> 1, &before[size])
        other_view[count] = 1 - v
        ends[count] = size
        count += 1
    states[0] = views[0].states
    states[1] = views[1].states
    j = 0
    for i in range(count):
        v = other_view[i]
        while j < ends[i]:
            state = states[v][before[j]]
            state -= state < STATE_FINAL
            states[v][before[j]] = state
            if state == 0:
                states[v][before[j]] = STATE_FINAL | VALUE_LOSS
                space.losses[space.losses_size] = <u32>(before[j] << 1 | <u64>v)
                space.losses_size += 1
            j += 1


cdef inline void pass_all(Workspace* space, View* views) noexcept nogil:
    while space.losses_size or space.wins_size:
        if space.losses_size:
            pass_losses(space, views)
        else:
            pass_wins(space, views)


cdef void resolve_views(Workspace* space, View* views, int count) noexcept nogil:
    """Pass on wins and losses until nothing follows any more; the remaining positions are draws."""
    cdef int v
    cdef u64 i
    cdef uint8_t state
    space.wins_size = 0
    space.losses_size = 0
    for v in range(count):
        # if the opponent has no kings, its last move was a man's, from another arrangement
        if views[v].opponent_kings == 0:
            continue
        for i in range(views[v].size):
            state = views[v].states[i]
            space.wins[space.wins_size] = <u32>(i << 1 | <u64>v)
            space.losses[space.losses_size] = <u32>(i << 1 | <u64>v)
            space.wins_size += (state & (STATE_PENDING | STATE_VALUE)) == (STATE_PENDING | VALUE_WIN)
            space.losses_size += (state & (STATE_PENDING | STATE_VALUE)) == (STATE_PENDING | VALUE_LOSS)
            if space.wins_size + space.losses_size >= PASSED_AT_ONCE:
                pass_all(space, views)
    pass_all(space, views)


cdef inline u64 packed_values8(u64 states) noexcept nogil:
    """Values of eight states, two bits each; positions without a final value are draws."""
    cdef u64 final = states >> 7 & <u64>0x0101010101010101
    return pext(states & final * 3 | final ^ <u64>0x0101010101010101, <u64>0x0303030303030303)


cdef void pack_block(const uint8_t* states, u64 size, u64 start, u64* values) noexcept nogil:
    """Write a block's values into the packed array, which is zero there, or has them already.

    `states` has 8 more bytes that may be read.
    """
    cdef u64 i = 0
    cdef u64 word, offset, count, packed, eight
    while i < size:
        word = start + i >> 5
        offset = start + i & 31
        count = min(32 - offset, size - i)
        packed = 0
        eight = 0
        while eight < count:
            packed |= packed_values8(load64(states + i + eight)) << 2 * eight
            eight += 8
        if count == 32:
            values[word] = packed
        else:
            packed &= square_bit(<int>(2 * count)) - 1
            atomic_or(&values[word], packed << 2 * offset)
        i += count
