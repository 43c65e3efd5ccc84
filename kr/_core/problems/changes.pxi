# Positions that differ from one by a piece or two: moved, added, removed, crowned or uncrowned, as composers try them.
#
# The side to move stays, and each side keeps at least one piece and has at most 12; no man stands on its king row. What the
# change leaves is a position for another problem, whether or not it can arise in a game.

cpdef enum:
    MOST_CHANGES = 2         # pieces that are changed at a time

cdef enum:
    CHANGE_MOVE = 0
    CHANGE_ADD = 1
    CHANGE_REMOVE = 2
    CHANGE_CROWN = 3
    CHANGE_UNCROWN = 4

cdef enum:
    ADDED_STEPS = 2          # size of the change that adds a piece, in the king's steps that a move is measured by
    SIZES = 16               # of one change and of two
    MOST_PIECES = 12         # of a side

cdef struct PieceChange:
    uint8_t kind
    uint8_t side             # of the piece as it was, or of the one that is added
    uint8_t king
    uint8_t square           # 0-31; where it is added
    int8_t target            # where it is moved to; -1 for other changes
    uint8_t size             # the king's steps of a move, ADDED_STEPS for an added piece, 1 for the others

cdef struct ChangedPosition:
    u32 pieces[2]
    u32 kings
    PieceChange changes[MOST_CHANGES]
    int count

cdef struct ChangedPositions:
    ChangedPosition* rows    # the position itself first
    int32_t count
    int32_t room
    int side                 # to move
    Strategy seen            # all of them, without moves
    bint failed              # for lack of memory


cdef inline int king_steps(int one, int other) noexcept nogil:
    """Steps of a king from one square to another on an empty board: rows or columns, whichever are more."""
    cdef int rows = (one >> 2) - (other >> 2)
    cdef int columns = 2 * ((one & 3) - (other & 3)) - (one >> 2 & 1) + (other >> 2 & 1)
    return max(abs(rows), abs(columns))


cdef inline bint may_stand(int side, bint king, int square) noexcept nogil:
    return king or not (<u32>(0xF0000000 if side == BLACK else 0xF) >> square & 1)


cdef inline ProvedMove plain_position(u32 black, u32 white, u32 kings) noexcept nogil:
    cdef ProvedMove row
    row.black = black
    row.white = white
    row.kings = kings
    row.move = 0
    return row


cdef void add_changed(ChangedPositions* all, const ChangedPosition* before, int kind, int side, bint king, int square,
                      int target) noexcept nogil:
    """Add the position after one more change, unless it is there."""
    cdef ChangedPosition after = before[0]
    cdef PieceChange* change = &after.changes[after.count]
    cdef u32 here = <u32>1 << square
    cdef u32 there = here if target < 0 else <u32>1 << target
    cdef ProvedMove row
    change.kind, change.side, change.king, change.square, change.target = kind, side, king, square, target
    change.size = king_steps(square, target) if target >= 0 else ADDED_STEPS if kind == CHANGE_ADD else 1
    after.count += 1
    if kind != CHANGE_ADD:
        after.pieces[side] &= ~here
        after.kings &= ~here
    if kind != CHANGE_REMOVE:
        after.pieces[side] |= there
        if king != (kind == CHANGE_CROWN or kind == CHANGE_UNCROWN):
            after.kings |= there
    row = plain_position(after.pieces[BLACK], after.pieces[WHITE], after.kings)
    if all.failed or plain_row(&all.seen, row.black, row.white, row.kings) >= 0:
        return
    all.failed = (not add_row(&all.seen, &row)
                  or not room_for(<void**>&all.rows, &all.room, all.count + 1, sizeof(ChangedPosition)))
    if not all.failed:
        all.rows[all.count] = after
        all.count += 1


cdef void change_pieces(ChangedPositions* all, const ChangedPosition* before) noexcept nogil:
    """Add the positions after one more change."""
    cdef u32 free_squares = ~(before.pieces[BLACK] | before.pieces[WHITE])
    cdef u32 own
    cdef bint king
    cdef int side, square, target, count
    for side in range(2):
        own = before.pieces[side]
        count = popcount(own)
        for square in range(32):
            if not own >> square & 1:
                continue
            king = before.kings >> square & 1
            for target in range(32):
                if free_squares >> target & 1 and may_stand(side, king, target):
                    add_changed(all, before, CHANGE_MOVE, side, king, square, target)
            if may_stand(side, not king, square):
                add_changed(all, before, CHANGE_UNCROWN if king else CHANGE_CROWN, side, king, square, -1)
            if count > 1:
                add_changed(all, before, CHANGE_REMOVE, side, king, square, -1)
        if count < MOST_PIECES:
            for king in range(2):
                for square in range(32):
                    if free_squares >> square & 1 and may_stand(side, king, square):
                        add_changed(all, before, CHANGE_ADD, side, king, square, -1)


cdef inline int change_size(const ChangedPosition* position) noexcept nogil:
    cdef int size = 0
    cdef int i
    for i in range(position.count):
        size += position.changes[i].size
    return size


cdef bint sort_by_size(ChangedPosition* rows, int32_t count) noexcept nogil:
    """Sort positions by the size of their changes; those of the same size stay in order. False without memory."""
    cdef ChangedPosition* copy = <ChangedPosition*>malloc(count * sizeof(ChangedPosition) + 1)
    cdef int32_t starts[SIZES + 1]
    cdef int32_t i
    cdef int size
    if copy == NULL:
        return False
    memcpy(copy, rows, count * sizeof(ChangedPosition))
    memset(starts, 0, sizeof(starts))
    for i in range(count):
        starts[change_size(&copy[i]) + 1] += 1
    for size in range(SIZES):
        starts[size + 1] += starts[size]
    for i in range(count):
        size = change_size(&copy[i])
        rows[starts[size]] = copy[i]
        starts[size] += 1
    free(copy)
    return True


cdef void free_changed(ChangedPositions* all) noexcept nogil:
    free(all.rows)
    free_strategy(&all.seen)


cdef bint change_position(const Board* root, int most, ChangedPositions* all) noexcept nogil:
    """The different positions after at most `most` changes, behind the position itself: by their number, then by their
    size. False without memory; free_changed in any case."""
    cdef ChangedPosition before
    cdef ProvedMove own = proved_move(root, 0)
    cdef int32_t first = 0
    cdef int32_t row, end
    cdef int i
    memset(all, 0, sizeof(ChangedPositions))
    memset(&before, 0, sizeof(ChangedPosition))
    all.side = root.side
    before.pieces[BLACK], before.pieces[WHITE], before.kings = own.black, own.white, own.kings
    if (not add_row(&all.seen, &own)
            or not room_for(<void**>&all.rows, &all.room, 1, sizeof(ChangedPosition))):
        return False
    all.rows[0] = before
    all.count = 1
    for i in range(most):
        end = all.count
        for row in range(first, end):
            before = all.rows[row]
            change_pieces(all, &before)
        first = end
        if all.failed or not sort_by_size(all.rows + end, all.count - end):
            return False
    return True


cdef inline Board changed_board(const ChangedPositions* all, int32_t row) noexcept nogil:
    cdef const ChangedPosition* here = &all.rows[row]
    return board_from_bits(here.pieces[BLACK], here.pieces[WHITE], here.kings, all.side)


# ---- those in which a key is possible ----

cdef ProvedMove either_way(const Board* board) noexcept nogil:
    """A position, or the one with colours swapped and the board turned, so that Black is to move; without a move."""
    cdef ProvedMove own = proved_move(board, 0)
    if board.side == BLACK:
        return own
    return plain_position(rotated32(own.white), rotated32(own.black), rotated32(own.kings))


cdef bint keep_candidates(ChangedPositions* all, Strategy* known, int low, int high, bint captures) noexcept nogil:
    """Keep the positions with so many pieces in which a key is possible, and that are not known, either way; they are
    known then. False without memory.

    Those with less than two moves are left out, and, unless captures is set, with a capture.
    """
    cdef Move moves[MAX_MOVES]
    cdef Board after[MAX_MOVES]
    cdef Board board
    cdef ProvedMove row
    cdef int32_t kept = 0
    cdef int32_t i
    for i in range(1, all.count):
        board = changed_board(all, i)
        if (not low <= popcount(board.pieces[BLACK] | board.pieces[WHITE]) <= high
                or after_moves(&board, moves, after) < 2 or (not captures and move_captured(moves[0]))):
            continue
        row = either_way(&board)
        if plain_row(known, row.black, row.white, row.kings) >= 0:
            continue
        if not add_row(known, &row):
            return False
        all.rows[kept] = all.rows[i]
        kept += 1
    all.count = kept
    return True
