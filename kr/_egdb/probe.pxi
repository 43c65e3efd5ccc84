# Probing an endgame database.
#
# Of a slice and its twin only one is stored, and of that no positions in which the side to move must capture. A probe
# of any other position follows its moves. It ends: captures leave fewer pieces, promotions fewer men, and any other
# quiet move leads to the stored slice.
#
# Memory is slow, so a probe first collects all entries that it will read, and a batch of probes those of several.
# As in entries.pxi, everything here is seen with Black to move.

cdef enum:
    MAX_READS = 64           # moves of a position
    MAX_WALK = 24            # moves that a probe follows; each captures, promotes or lets the opponent capture
    WALKS = 16               # probes of a batch under way at the same time
    # source of a position's value
    KNOWN = 0                # one side has no pieces
    ENTRY = 1                # its own entry
    STEPS = 2                # its quiet moves
    CAPTURES = 3             # its captures

cdef struct WalkNode:
    # A position, Black to move.
    u64 own
    u64 opponent
    u64 kings
    const StoredSlice* slice
    int source
    int entries              # look-ups: indices from the front of `reads`
    int moves                # moves to follow: captures from the front of `reads`, quiet moves from its end
    int followed             # moves followed so far
    int best                 # value so far, at least alpha
    int beta                 # a value that makes the search for a better one pointless
    bint unknown             # a damaged entry was read
    u64 reads[MAX_READS]

cdef struct Walk:
    # A probe under way: the line of moves that it has followed.
    int depth
    WalkNode nodes[MAX_WALK]


cdef inline void fetch_entries(const WalkNode* node) noexcept nogil:
    cdef const uint8_t* packed = node.slice.packed
    cdef int i
    if packed != NULL:
        for i in range(node.entries):
            prefetch(packed + (node.reads[i] >> 2))


cdef inline void find_steps(WalkNode* node) noexcept nogil:
    """Collect the quiet moves: look-ups, or moves to follow after which the opponent can capture."""
    cdef const StoredSlice* s = node.slice
    cdef u64 own_men = node.own & ~node.kings
    cdef u64 own_kings = node.own & node.kings
    cdef u64 opponent_men = node.opponent & ~node.kings
    cdef u64 opponent_kings = node.opponent & node.kings
    cdef u64 empty = SQUARES & ~(node.own | node.opponent)
    cdef u64 free = SQUARES & ~(own_men | opponent_men)
    # a move is a pair of squares, the lower one's bit here: neighbours at 4 in the low half, at 5 in the high half
    cdef u64 pairs = own_men & empty >> 4 | (own_men & empty >> 5) << 32
    cdef u64 step, own, start
    cdef int bit
    cdef bint followed
    cdef int entries = 0
    cdef int moves = 0
    while pairs:
        bit = pop_lsb(&pairs)
        step = <u64>(17 + (bit >> 5 << 4)) << (bit & 31)
        own = node.own ^ step
        followed = (step & BLACK_KING_ROW | jumpers(node.opponent, opponent_kings, own, empty ^ step, WHITE)) != 0
        if followed:
            node.reads[MAX_READS - 1 - moves] = step
            moves += 1
            continue
        node.reads[entries] = (men_start(s, opponent_men, own & ~node.kings)
                               + kings_number(s, free ^ step, opponent_kings, own_kings))
        entries += 1
    pairs = (own_kings & empty >> 4 | empty & own_kings >> 4
             | (own_kings & empty >> 5 | empty & own_kings >> 5) << 32)
    if pairs:
        start = men_start(s, opponent_men, own_men)
    while pairs:
        bit = pop_lsb(&pairs)
        step = <u64>(17 + (bit >> 5 << 4)) << (bit & 31)
        followed = jumpers(node.opponent, opponent_kings, node.own ^ step, empty ^ step, WHITE) != 0
        if followed:
            node.reads[MAX_READS - 1 - moves] = step
            moves += 1
            continue
        node.reads[entries] = start + kings_number(s, free, opponent_kings, own_kings ^ step)
        entries += 1
    node.entries = entries
    node.moves = moves
    node.followed = 0


cdef inline bint find_single_jumps(WalkNode* node, u64 pairs, u64 own_kings, u64 empty) noexcept nogil:
    """Collect the captures; returns False if any has a second jump. pairs: see `enter_node`."""
    cdef u64 victim, step, target, left, open, up, down
    cdef int bit, low, width
    cdef int moves = 0
    while pairs:
        bit = pop_lsb(&pairs)
        low = bit & 31
        width = 4 + (bit >> 5)
        victim = square_bit(low + width)
        step = square_bit(low) | square_bit(low + 2 * width)
        target = step & empty
        left = node.opponent ^ victim
        open = empty | step
        up = (target << 4 & left) << 4 & open | (target << 5 & left) << 5 & open
        down = (target >> 4 & left) >> 4 & open | (target >> 5 & left) >> 5 & open
        if rarely(up or down and step & own_kings):
            return False
        # which end is the origin makes no difference to enter_next
        node.reads[moves] = make_move(low, low + 2 * width, victim)
        moves += 1
    node.moves = moves
    node.entries = 0
    node.followed = 0
    return True


cdef void find_captures(WalkNode* node, u64 movers, u64 empty) noexcept nogil:
    """Collect captures of any length."""
    cdef MoveList moves
    cdef Board board
    cdef int i
    board.pieces[BLACK] = node.own
    board.pieces[WHITE] = node.opponent
    board.kings = node.kings
    moves.size = 0
    add_captures(&board, &moves, NULL, movers, empty, BLACK)
    c_assert(moves.size <= MAX_READS)
    for i in range(moves.size):
        node.reads[i] = moves.moves[i]
    node.moves = moves.size
    node.entries = 0
    node.followed = 0


cdef inline void enter_node(const Egdb* db, WalkNode* node, u64 own, u64 opponent, u64 kings, int alpha,
                            int beta) noexcept nogil:
    """Begin a node: find the source of its value, and prefetch the entries."""
    cdef u64 own_kings = own & kings
    cdef u64 opponent_kings = opponent & kings
    cdef u64 own_men = own ^ own_kings
    cdef u64 opponent_men = opponent ^ opponent_kings
    cdef u64 empty = SQUARES & ~(own | opponent)
    # jumps, as pairs of origin and target: the lower one's bit, at 8 in the low half, at 10 in the high half
    cdef u64 pairs = ((own & empty >> 8 | empty & own_kings >> 8) & opponent >> 4
                      | ((own & empty >> 10 | empty & own_kings >> 10) & opponent >> 5) << 32)
    cdef int number, twin
    node.own = own
    node.opponent = opponent
    node.kings = kings
    node.best = alpha
    node.beta = beta
    node.unknown = False
    if pairs:
        node.source = CAPTURES
        if not find_single_jumps(node, pairs, own_kings, empty):
            find_captures(node, jumpers(own, own_kings, opponent, empty, BLACK), empty)
        return
    if not own or not opponent:
        node.source = KNOWN
        node.best = VALUE_WIN if own else VALUE_LOSS
        return
    number = popcount(own_men) << 3 | popcount(own_kings)
    twin = popcount(opponent_men) << 3 | popcount(opponent_kings)
    node.slice = db.values[number << 6 | twin]
    if node.slice != NULL and is_stored(node.slice, own_men, opponent_men):
        node.source = ENTRY
        node.entries = 1
        node.reads[0] = stored_index(&node.slice.shape, own_men, own_kings, opponent_men, opponent_kings)
    else:
        node.source = STEPS
        node.slice = db.values[twin << 6 | number]
        find_steps(node)
    fetch_entries(node)


cdef inline void enter_next(const Egdb* db, Walk* walk, WalkNode* node) noexcept nogil:
    """Follow the next move of the walk's last node."""
    cdef u64 step, kings
    cdef u64 captured = 0
    if node.source == CAPTURES:
        step = node.reads[node.followed]
        captured = move_captured(step)
        # empty if a king returns to where it began
        step = square_bit(origin_bit(step)) ^ square_bit(target_bit(step))
    else:
        step = node.reads[MAX_READS - 1 - node.followed]
    node.followed += 1
    kings = node.kings & ~captured
    kings = kings ^ step if step & node.own & kings else kings | step & BLACK_KING_ROW
    walk.depth += 1
    c_assert(walk.depth < MAX_WALK)
    enter_node(db, node + 1, turned(node.opponent ^ captured), turned(node.own ^ step), turned(kings),
               VALUE_WIN - node.beta, VALUE_WIN - node.best)


cdef inline void take(WalkNode* node, int value) noexcept nogil:
    """Take into account a move to a position of this value."""
    if value == VALUE_UNKNOWN:
        node.unknown = True
    elif VALUE_WIN - value > node.best:
        node.best = VALUE_WIN - value


cdef int walk_on(const Egdb* db, Walk* walk) noexcept nogil:
    """Read the prefetched entries, and continue until more are prefetched; returns the value once known, else -1."""
    cdef WalkNode* node = &walk.nodes[walk.depth]
    cdef int value, i
    if node.source == CAPTURES:
        while node.source == CAPTURES:
            enter_next(db, walk, node)
            node += 1
        return -1
    if node.source == ENTRY:
        value = stored_value(node.slice, node.reads[0])
    elif node.source == STEPS:
        for i in range(node.entries):
            take(node, stored_value(node.slice, node.reads[i]))
            if node.best >= node.beta:
                break
        value = -1
    else:
        value = node.best
    while True:
        if value < 0:
            if node.best < node.beta:
                if node.followed < node.moves:
                    enter_next(db, walk, node)
                    return -1
                if node.unknown:
                    node.best = VALUE_UNKNOWN
            value = node.best
        if walk.depth == 0:
            return value
        walk.depth -= 1
        node -= 1
        take(node, value)
        value = -1


cdef inline int start_walk(const Egdb* db, Walk* walk, const Board* board) noexcept nogil:
    """Begin to probe any position; returns the value if nothing has to be read, else -1."""
    walk.depth = 0
    # captures and promotions stay within the classes that are there
    if not has_board(db, board):
        return VALUE_UNKNOWN
    if board.side == BLACK:
        enter_node(db, &walk.nodes[0], board.pieces[BLACK], board.pieces[WHITE], board.kings, VALUE_LOSS, VALUE_WIN)
    else:
        enter_node(db, &walk.nodes[0], turned(board.pieces[WHITE]), turned(board.pieces[BLACK]), turned(board.kings),
                   VALUE_LOSS, VALUE_WIN)
    return -1


cdef int egdb_value(const Egdb* db, const Board* board) noexcept nogil:
    """Value for the side to move; VALUE_UNKNOWN for a class that the database lacks, or if it is damaged."""
    cdef Walk walk
    cdef int value = start_walk(db, &walk, board)
    while value < 0:
        value = walk_on(db, &walk)
    return value


cdef inline Board board_from_row(const u32* row) noexcept nogil:
    cdef Board board
    board.pieces[BLACK] = pad32(row[0])
    board.pieces[WHITE] = pad32(row[1])
    board.kings = pad32(row[2])
    board.side = row[3] & 1
    board.key = 0
    return board


cdef void probe_boards(const Egdb* db, const u32* boards, uint8_t* values, Py_ssize_t count) noexcept nogil:
    """Probe many positions, WALKS of them in turns."""
    cdef Walk[WALKS] walks
    cdef Py_ssize_t[WALKS] places
    cdef Board board
    cdef Py_ssize_t next_place = 0
    cdef int running = 0
    cdef int i, value
    while running < WALKS and next_place < count:
        places[running] = next_place
        board = board_from_row(boards + 4 * next_place)
        next_place += 1
        value = start_walk(db, &walks[running], &board)
        if value >= 0:
            values[places[running]] = <uint8_t>value
        else:
            running += 1
    i = 0
    while running:
        value = walk_on(db, &walks[i])
        while value >= 0:
            values[places[i]] = <uint8_t>value
            if next_place == count:
                running -= 1
                walks[i] = walks[running]
                places[i] = places[running]
                break
            places[i] = next_place
            board = board_from_row(boards + 4 * next_place)
            next_place += 1
            value = start_walk(db, &walks[i], &board)
        i += 1
        if i >= running:
            i = 0
